//===- BlockOption.cpp - the block extents that passes get ----------------===//

#include "ptxjit/Lowering/BlockOption.h"

#include "ptxjit/Lowering/Pipelines.h"

using namespace ptxjit;

bool ptxjit::isBlock(llvm::ArrayRef<unsigned> extents) {
  constexpr std::array<uint64_t, 3> most = {1024, 1024, 64};
  if (extents.size() != most.size())
    return false;
  uint64_t threads = 1;
  for (size_t i = 0; i < most.size(); ++i) {
    if (extents[i] < 1 || extents[i] > most[i])
      return false;
    threads *= extents[i];
  }
  return threads <= 1024;
}

llvm::Expected<std::array<unsigned, 3>>
ptxjit::readBlock(llvm::ArrayRef<unsigned> extents) {
  if (extents.empty())
    return LaunchShape().block;
  if (!isBlock(extents))
    return llvm::createStringError(
        "a block must have three extents x,y,z and 1 to 1024 threads, at most "
        "1024 x 1024 x 64");
  return std::array<unsigned, 3>{extents[0], extents[1], extents[2]};
}

llvm::FailureOr<ShapeContext>
ptxjit::readShapeContext(mlir::Operation *op, llvm::ArrayRef<unsigned> block,
                         bool smallGrid, bool perThread) {
  auto extents = readBlock(block);
  if (!extents)
    return op->emitError(llvm::toString(extents.takeError()));
  ShapeContext context;
  context.block = *extents;
  context.smallGrid = smallGrid;
  context.lanes = perThread ? 1 : 32;
  return context;
}
