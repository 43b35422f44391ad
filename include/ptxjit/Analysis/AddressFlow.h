//===- AddressFlow.h - through which ops an address flows -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_ANALYSIS_ADDRESSFLOW_H
#define PTXJIT_ANALYSIS_ADDRESSFLOW_H

#include "ptxjit/Dialect/PtxInterfaces.h"

namespace ptxjit {

/// What `use` is to the address that its op computes: what ptx ops say of
/// themselves, and the same of upstream's. (Control flow is not asked.)
ptx::AddressRole getAddressRole(mlir::OpOperand &use);

} // namespace ptxjit

#endif
