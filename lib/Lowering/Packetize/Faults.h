//===- Faults.h - what ends a launch ----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_LOWERING_PACKETIZE_FAULTS_H
#define PTXJIT_LIB_LOWERING_PACKETIZE_FAULTS_H

#include "WarpBuilder.h"

namespace ptxjit {

/// Ends the launch with a PtxjitKernelStatus. `lanes` (i32 bits) are those that
/// fail; `address` (i64) may be null.
void emitFault(WarpBuilder &warp, uint32_t status, mlir::Value lanes,
               mlir::Value address);

} // namespace ptxjit

#endif
