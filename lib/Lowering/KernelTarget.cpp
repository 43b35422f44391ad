//===- KernelTarget.cpp - the launch and CPU of a compilation -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Lowering/KernelTarget.h"

using namespace ptxjit;

ShapeContext KernelTarget::getShapeContext() const {
  ShapeContext context;
  context.block = {block[0], block[1], block[2]};
  context.smallGrid = smallGrid;
  context.lanes = perThread ? 1 : 32;
  return context;
}

static bool isBlock(const uint32_t extents[3]) {
  constexpr uint64_t most[3] = {1024, 1024, 64};
  uint64_t threads = 1;
  for (unsigned i = 0; i < 3; ++i) {
    if (extents[i] < 1 || extents[i] > most[i])
      return false;
    threads *= extents[i];
  }
  return threads <= 1024;
}

llvm::Error ptxjit::checkTarget(const KernelTarget &target) {
  if (!isBlock(target.block))
    return llvm::createStringError(
        "a block must have 1 to 1024 threads, at most 1024 x 1024 x 64");
  uint32_t chunk = target.chunk;
  if (chunk != 1 && chunk != 4 && chunk != 8 && chunk != 16)
    return llvm::createStringError("chunk must be 1, 4, 8 or 16");
  return llvm::Error::success();
}
