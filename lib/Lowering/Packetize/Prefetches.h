//===- Prefetches.h - lines that a warp will load soon ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_LOWERING_PACKETIZE_PREFETCHES_H
#define PTXJIT_LIB_LOWERING_PACKETIZE_PREFETCHES_H

#include "Addresses.h"

namespace ptxjit {

/// Where a load of consecutive elements reads an array of StreamedLoads that is
/// large at run time, fetches what later warps will read of it.
void fetchAhead(WarpBuilder &warp, ptx::LdOp load, const LaneAddress &address);

} // namespace ptxjit

#endif
