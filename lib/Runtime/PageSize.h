//===- PageSize.h - other pages than the system's ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_RUNTIME_PAGESIZE_H
#define PTXJIT_LIB_RUNTIME_PAGESIZE_H

#include <cstddef>

namespace ptxjit {

/// Lays memory out as if pages had that size, a multiple of the system's; 0:
/// the system's. For tests of larger pages. Memory that threads keep for reuse
/// has the pages of before.
void assumePageBytes(size_t bytes);

} // namespace ptxjit

#endif
