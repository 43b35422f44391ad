//===- Mbarriers.h - mbarrier objects ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_LOWERING_PACKETIZE_MBARRIERS_H
#define PTXJIT_LIB_LOWERING_PACKETIZE_MBARRIERS_H

#include "WarpBuilder.h"

namespace ptxjit {

/// Adds arrivals, drops and transaction bytes to the object at `address`.
/// \returns its state before. A bad address faults here.
mlir::Value updateMbarrier(WarpBuilder &warp, mlir::Value address,
                           mlir::Value arrivals, mlir::Value drops,
                           mlir::Value tx);

} // namespace ptxjit

#endif
