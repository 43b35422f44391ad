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
  context.anyBlock = anyBlock != PTXJIT_ANY_BLOCK_NONE;
  if (anyBlock == PTXJIT_ANY_BLOCK_ROW)
    context.block = {1024, 1, 1};
  else if (anyBlock == PTXJIT_ANY_BLOCK_ALL)
    context.block = {1024, 1024, 64};
  context.smallGrid = smallGrid;
  context.lanes = perThread ? 1 : narrowLanes ? narrowLanes : kWarpLanes;
  return context;
}

llvm::Error ptxjit::checkTarget(const KernelTarget &target) {
  if (!ptxjitIsBlock(target.block))
    return llvm::createStringError(PTXJIT_BLOCK_RULE);
  uint32_t chunk = target.chunk;
  if (chunk != 1 && chunk != 4 && chunk != 8 && chunk != 16)
    return llvm::createStringError("chunk must be 1, 4, 8 or 16");
  return llvm::Error::success();
}
