//===- SelectionTest.cpp - what LLVM alone cannot select ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/JIT/Compiler.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Target/TargetMachine.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace ptxjit;

/// Makes code for a CPU from the text of a module. \returns its assembly.
static std::string select(StringRef cpu, StringRef text) {
  LLVMContext context;
  SMDiagnostic error;
  std::unique_ptr<Module> module = parseAssemblyString(text, error, context);
  EXPECT_TRUE(module) << error.getMessage().str();
  auto machine =
      createTargetMachine(cantFail(selectCpu(cpu, /*chunk=*/0)), Effort::Full);
  module->setDataLayout(machine->createDataLayout());
  module->setTargetTriple(machine->getTargetTriple());
  SmallVector<char> code;
  cantFail(generateCode(*module, *machine, /*assembly=*/true, code));
  return {code.begin(), code.end()};
}

// AVX-512 without arithmetic on halves has masks, and halves only in memory.
TEST(Selection, MasksThatAreHalves) {
  std::string code = select("znver4", R"(
    declare void @llvm.masked.store.v16i8.p0(<16 x i8>, ptr, <16 x i1>)
    define void @f(ptr %to, <16 x i8> %bytes, half %half, i1 %stores) {
      br i1 %stores, label %store, label %done
    store:
      %mask = bitcast half %half to <16 x i1>
      call void @llvm.masked.store.v16i8.p0(<16 x i8> %bytes, ptr %to,
                                            <16 x i1> %mask)
      br label %done
    done:
      ret void
    })");
  EXPECT_NE(code.find("vmovdqu8"), std::string::npos) << code;
}
