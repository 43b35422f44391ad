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

/// The stack of a function for a CPU whose body `build` makes. It has one
/// argument, i32.
static uint64_t
stackOf(StringRef cpu,
        function_ref<void(IRBuilder<> &b, Function &function)> build) {
  LLVMContext context;
  Module module("test", context);
  auto machine =
      createTargetMachine(cantFail(selectCpu(cpu, /*chunk=*/0)), Effort::Full);
  module.setDataLayout(machine->createDataLayout());
  module.setTargetTriple(machine->getTargetTriple());
  Type *i32 = Type::getInt32Ty(context);
  auto *function = Function::Create(
      FunctionType::get(Type::getVoidTy(context), {i32}, false),
      Function::ExternalLinkage, "f", module);
  IRBuilder<> b(BasicBlock::Create(context, "", function));
  build(b, *function);
  b.CreateRetVoid();
  SmallVector<char> object;
  auto stack = generateCode(module, *machine, /*assembly=*/false, object);
  EXPECT_TRUE(bool(stack));
  EXPECT_FALSE(object.empty());
  return stack ? *stack : 0;
}

/// The stack of a function with an array of `bytes`, and perhaps another one
/// whose size is its argument.
static uint64_t stackOfArray(unsigned bytes, bool grows) {
  return stackOf("", [&](IRBuilder<> &b, Function &function) {
    Value *fixed = b.CreateAlloca(ArrayType::get(b.getInt8Ty(), bytes));
    b.CreateStore(b.getInt8(1), fixed, /*isVolatile=*/true);
    if (grows)
      b.CreateStore(b.getInt8(1),
                    b.CreateAlloca(b.getInt8Ty(), function.getArg(0)),
                    /*isVolatile=*/true);
  });
}

TEST(StackSizes, CountFrames) {
  // The last 128 bytes may be the red zone, which no frame has.
  uint64_t bytes = stackOfArray(100000, /*grows=*/false);
  EXPECT_GE(bytes, 100000u - 128);
  EXPECT_LE(bytes, 101000u);
}

TEST(StackSizes, CountFramesOfFunctionsWithStacksThatGrow) {
  EXPECT_GE(stackOfArray(100000, /*grows=*/true), 100000u);
}

TEST(StackSizes, CountVectorsOfSve) {
  uint64_t bytes = stackOf("neoverse-v1", [](IRBuilder<> &b, Function &f) {
    f.addFnAttr(Attribute::getWithVScaleRangeArgs(b.getContext(), 2, 2));
    auto *type = ScalableVectorType::get(b.getInt32Ty(), 4);
    Value *all = b.CreateVectorSplat(type->getElementCount(), f.getArg(0));
    for (unsigned i = 0; i < 100; ++i)
      b.CreateStore(all, b.CreateAlloca(type), /*isVolatile=*/true);
  });
  // Registers of 256 bits.
  EXPECT_GE(bytes, 3200u);
  EXPECT_LE(bytes, 3400u);
}
