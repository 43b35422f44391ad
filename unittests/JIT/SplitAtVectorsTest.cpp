//===- SplitAtVectorsTest.cpp - blocks for LLVM's fast selection ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/JIT/Compiler.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace ptxjit;

namespace {
/// A function of one block, whose value goes through scalar instructions and
/// through vectors.
class SplitAtVectors : public testing::Test {
protected:
  void scalars(unsigned count) {
    for (unsigned i = 0; i < count; ++i)
      value = b.CreateAdd(value, function->getArg(0));
  }
  void vectors() {
    Value *wide = b.CreateVectorSplat(4, value);
    value = b.CreateExtractElement(b.CreateMul(wide, wide), uint64_t(1));
  }
  /// Splits the block. \returns the instructions of each, without branches
  /// from one to the next.
  std::vector<size_t> split() {
    b.CreateRet(value);
    splitAtVectors(module);
    EXPECT_FALSE(verifyModule(module, &errs()));
    std::vector<size_t> sizes;
    for (BasicBlock &block : *function)
      sizes.push_back(block.size() - isa<BranchInst>(block.getTerminator()));
    return sizes;
  }

  LLVMContext context;
  Module module{"test", context};
  IRBuilder<> b{context};
  Function *function = Function::Create(
      FunctionType::get(b.getInt32Ty(), {b.getInt32Ty()}, false),
      Function::ExternalLinkage, "f", module);
  Value *value = function->getArg(0);

  SplitAtVectors() {
    b.SetInsertPoint(BasicBlock::Create(context, "", function));
  }
};
} // namespace

// A splat is two instructions, so `vectors` makes four.

TEST_F(SplitAtVectors, GetBlocksOfTheirOwn) {
  scalars(20);
  vectors();
  scalars(30);
  vectors();
  scalars(10);
  EXPECT_EQ(split(), std::vector<size_t>({20, 4, 30, 4, 11}));
}

TEST_F(SplitAtVectors, FewInstructionsBetweenStay) {
  scalars(20);
  vectors();
  scalars(3);
  vectors();
  scalars(20);
  EXPECT_EQ(split(), std::vector<size_t>({20, 11, 21}));
}

TEST_F(SplitAtVectors, NoBlockIsEmpty) {
  vectors();
  EXPECT_EQ(split(), std::vector<size_t>({5}));
}

TEST_F(SplitAtVectors, ScalarCodeStays) {
  scalars(100);
  EXPECT_EQ(split(), std::vector<size_t>({101}));
}

TEST_F(SplitAtVectors, VariablesStayInTheEntryBlock) {
  auto allocate = [&](Value *count) {
    return b.CreateAlloca(b.getInt64Ty(), count);
  };
  scalars(20);
  vectors();
  AllocaInst *variable = allocate(b.getInt32(1));
  AllocaInst *dynamic = allocate(value);
  scalars(20);
  vectors();
  scalars(20);
  split();
  EXPECT_TRUE(variable->isStaticAlloca());
  EXPECT_FALSE(dynamic->isStaticAlloca());
  EXPECT_EQ(variable, &function->getEntryBlock().front());
}
