//===- LoopMask.h - member masks that name the lanes of a loop --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_ANALYSIS_LOOPMASK_H
#define PTXJIT_LIB_ANALYSIS_LOOPMASK_H

#include "mlir/IR/Operation.h"

namespace ptxjit {

/// Is `op` a warp operation that waits for all lanes that are at `where`,
/// because both are in one loop, which keeps a mask of the lanes that go on?
///
///     mask = ~0;
///     do {
///       ... `where` ...
///       mask = __ballot_sync(mask, more);   // `op`
///     } while (more && ...);
///
/// By induction, the mask of an iteration names each lane that begins it: the
/// lane has taken part in the vote of the iteration before with a true
/// predicate. So no lane passes the vote before all lanes of its iteration.
bool namesLanesOfLoop(mlir::Operation *op, mlir::Operation *where);

} // namespace ptxjit

#endif
