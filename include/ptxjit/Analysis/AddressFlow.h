//===- AddressFlow.h - the ops through which an address flows ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_ANALYSIS_ADDRESSFLOW_H
#define PTXJIT_ANALYSIS_ADDRESSFLOW_H

#include "ptxjit/Dialect/PtxInterfaces.h"

namespace ptxjit {

/// The role of operand `use` in the address that its op computes. Asks the
/// AddressOpInterface of ptx ops, and knows arith ops itself. Ops of control
/// flow have role None.
ptx::AddressRole getAddressRole(mlir::OpOperand &use);

} // namespace ptxjit

#endif
