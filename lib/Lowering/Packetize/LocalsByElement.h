//===- LocalsByElement.h - local memory stored by element -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses of local variables that are stored by element (see
// InterleaveLocals.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_LOWERING_PACKETIZE_LOCALSBYELEMENT_H
#define PTXJIT_LIB_LOWERING_PACKETIZE_LOCALSBYELEMENT_H

#include "WarpBuilder.h"

namespace ptxjit {

llvm::LogicalResult emitInterleavedLoad(WarpBuilder &warp, ptx::LdOp op);
llvm::LogicalResult emitInterleavedStore(WarpBuilder &warp, ptx::StOp op);

} // namespace ptxjit

#endif
