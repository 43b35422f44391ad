//===- BlockOption.h - the block extents that passes get --------*- C++ -*-===//
//
// Passes and stages take the block as a list of numbers, which may be any list.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LOWERING_BLOCKOPTION_H
#define PTXJIT_LOWERING_BLOCKOPTION_H

#include "ptxjit/Analysis/Shape.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <array>

namespace ptxjit {

/// Are there three extents within the ISA's limits: 1 to 1024 x 1024 x 64, and
/// at most 1024 threads in all?
bool isBlock(llvm::ArrayRef<unsigned> extents);

/// The extents x, y and z; 32x1x1 if `extents` is empty. Fails unless they are
/// a block's.
llvm::Expected<std::array<unsigned, 3>>
readBlock(llvm::ArrayRef<unsigned> extents);

/// What passes over `op` know of a launch, from their options. Fails, with an
/// error at `op`, unless the block is one.
llvm::FailureOr<ShapeContext> readShapeContext(mlir::Operation *op,
                                               llvm::ArrayRef<unsigned> block,
                                               bool smallGrid, bool perThread);

} // namespace ptxjit

#endif
