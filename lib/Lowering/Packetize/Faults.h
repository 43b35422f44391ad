//===- Faults.h - code that fails a launch ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_LOWERING_PACKETIZE_FAULTS_H
#define PTXJIT_LIB_LOWERING_PACKETIZE_FAULTS_H

#include "WarpBuilder.h"

namespace ptxjit {

/// Fails the launch with a PtxjitKernelStatus. `lanes` is the bit mask (i32) of
/// the lanes that fail; `address` (i64) may be null.
void emitFault(WarpBuilder &warp, uint32_t status, mlir::Value lanes,
               mlir::Value address);

} // namespace ptxjit

#endif
