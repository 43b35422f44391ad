//===- Mbarriers.h - mbarrier objects ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_LOWERING_PACKETIZE_MBARRIERS_H
#define PTXJIT_LIB_LOWERING_PACKETIZE_MBARRIERS_H

#include "WarpBuilder.h"

namespace ptxjit {

/// \returns the object's state before. A bad address shows here.
mlir::Value updateMbarrier(WarpBuilder &warp, mlir::Value address,
                           mlir::Value arrivals, mlir::Value drops,
                           mlir::Value tx);

} // namespace ptxjit

#endif
