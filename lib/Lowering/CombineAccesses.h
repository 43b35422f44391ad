//===- CombineAccesses.h - neighbouring accesses as one ---------*- C++ -*-===//

#ifndef PTXJIT_LIB_LOWERING_COMBINEACCESSES_H
#define PTXJIT_LIB_LOWERING_COMBINEACCESSES_H

#include "ptxjit/Analysis/Shape.h"

namespace ptxjit {

/// Loads (and stores) of neighbouring elements behind one address become one of
/// a vector, where lanes lie further apart than the vector is long: fields of a
/// structure, pairs of a fragment's columns. Such a vector is aligned as its
/// elements are (`isElementAligned`).
/// \returns whether anything changed; `shapes` is stale then.
bool combineAccesses(ptx::FuncOp func, const ShapeAnalysis &shapes);

/// Is the access one of `combineAccesses`?
bool isElementAligned(mlir::Operation *access);

} // namespace ptxjit

#endif
