//===- EffortTest.cpp - what LLVM does for large code ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/JIT/Compiler.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LLVMContext.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace ptxjit;

/// The effort for a function of so many blocks, each with so many instructions.
static Effort effortFor(unsigned blocks, unsigned instructions,
                        bool perThread = false) {
  LLVMContext context;
  Module module("test", context);
  Type *i32 = Type::getInt32Ty(context);
  auto *function = Function::Create(
      FunctionType::get(Type::getVoidTy(context), {i32}, false),
      Function::ExternalLinkage, "f", module);
  Value *value = function->getArg(0);
  std::vector<BasicBlock *> all;
  for (unsigned i = 0; i < blocks; ++i)
    all.push_back(BasicBlock::Create(context, "", function));
  for (unsigned i = 0; i < blocks; ++i) {
    IRBuilder<> b(all[i]);
    for (unsigned j = 1; j < instructions; ++j)
      value = b.CreateAdd(value, function->getArg(0));
    if (i + 1 < blocks)
      b.CreateBr(all[i + 1]);
    else
      b.CreateRetVoid();
  }
  return chooseEffort(module, perThread);
}

TEST(Effort, EmptyModule) {
  LLVMContext context;
  EXPECT_EQ(chooseEffort(Module("test", context), false), Effort::Full);
  EXPECT_EQ(chooseEffort(Module("test", context), true), Effort::Full);
}

TEST(Effort, DependsOnInstructions) {
  EXPECT_EQ(effortFor(1, 50000), Effort::Full);
  EXPECT_EQ(effortFor(1, 150000), Effort::Lean);
  EXPECT_EQ(effortFor(1, 30000, /*perThread=*/true), Effort::Full);
  EXPECT_EQ(effortFor(1, 50000, /*perThread=*/true), Effort::Lean);
}

TEST(Effort, ManyBlocksCostMoreThanTheirInstructions) {
  EXPECT_EQ(effortFor(700, 90), Effort::Full); // as `attention`
  EXPECT_EQ(effortFor(7000, 9), Effort::Lean);
}
