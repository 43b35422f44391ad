//===- JoinGuards.h - test guards together ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_LOWERING_JOINGUARDS_H
#define PTXJIT_LIB_LOWERING_JOINGUARDS_H

#include "mlir/IR/Operation.h"

namespace ptxjit {

/// Does `access` stand where some active lanes skip it? Where all take part,
/// another one does its work.
bool isPartial(mlir::Operation *access);

} // namespace ptxjit

#endif
