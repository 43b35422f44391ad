//===- Mbarrier.h - updates mbarrier objects --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_RUNTIME_MBARRIER_H
#define PTXJIT_LIB_RUNTIME_MBARRIER_H

#include <cstdint>

struct PtxjitKernelContext;

namespace ptxjit {

/// Implements PtxjitHelpers::mbarrier. ISA: "mbarrier".
uint64_t updateMbarrier(PtxjitKernelContext *context, uint64_t address,
                        uint32_t arrivals, uint32_t drops, int32_t tx);

} // namespace ptxjit

#endif
