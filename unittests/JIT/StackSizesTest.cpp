//===- StackSizesTest.cpp - how much stack compiled code needs ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/JIT/Compiler.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Target/TargetMachine.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace ptxjit;

/// The stack of a function with an array of `bytes`, and perhaps another one
/// whose size is its argument.
static uint64_t stackOf(unsigned bytes, bool grows) {
  LLVMContext context;
  Module module("test", context);
  auto machine =
      createTargetMachine(cantFail(selectCpu("", /*chunk=*/0)), Effort::Full);
  module.setDataLayout(machine->createDataLayout());
  module.setTargetTriple(machine->getTargetTriple());
  Type *i32 = Type::getInt32Ty(context), *i8 = Type::getInt8Ty(context);
  auto *function = Function::Create(
      FunctionType::get(Type::getVoidTy(context), {i32}, false),
      Function::ExternalLinkage, "f", module);
  IRBuilder<> b(BasicBlock::Create(context, "", function));
  Value *fixed = b.CreateAlloca(ArrayType::get(i8, bytes));
  b.CreateStore(b.getInt8(1), fixed, /*isVolatile=*/true);
  if (grows)
    b.CreateStore(b.getInt8(1), b.CreateAlloca(i8, function->getArg(0)),
                  /*isVolatile=*/true);
  b.CreateRetVoid();
  SmallVector<char> object;
  auto stack = generateCode(module, *machine, /*assembly=*/false, object);
  EXPECT_TRUE(bool(stack));
  EXPECT_FALSE(object.empty());
  return stack ? *stack : 0;
}

TEST(StackSizes, CountFrames) {
  // The last 128 bytes may be the red zone, which no frame has.
  uint64_t bytes = stackOf(100000, /*grows=*/false);
  EXPECT_GE(bytes, 100000u - 128);
  EXPECT_LE(bytes, 101000u);
}

TEST(StackSizes, CountFramesOfFunctionsWithStacksThatGrow) {
  EXPECT_GE(stackOf(100000, /*grows=*/true), 100000u);
}
