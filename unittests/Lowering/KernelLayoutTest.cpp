//===- KernelLayoutTest.cpp - which variables a kernel lays out -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Lowering/KernelLayout.h"

#include "ptxjit/Parser/Parser.h"
#include "ptxjit/Runtime/KernelABI.h"
#include "llvm/Support/SourceMgr.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace ptxjit;

namespace {
const char *const kText = R"(.version 8.0
.target sm_80
.address_size 64
.global .u32 first;
.global .u32 second;
.const .u32 third;
.shared .align 4 .b8 ofModule[16];
.shared .align 4 .b8 ofFunction[64];
.func f() { .reg .b64 %p; mov.u64 %p, second; ret; }
.func shares() { .reg .b64 %p; call f, (); mov.u64 %p, ofFunction; ret; }
.visible .entry none() { ret; }
.visible .entry calls() { .reg .b64 %p; call shares, (); mov.u64 %p, ofModule; ret; }
.visible .entry callsAny(.param .u64 g) {
  .reg .b64 %p;
  ld.param.u64 %p, [g];
  prototype: .callprototype _ ();
  call %p, (), prototype;
  ret;
}
.visible .entry one() {
  .shared .align 4 .b8 own[32];
  .reg .b64 %p;
  mov.u64 %p, own;
  mov.u64 %p, first;
  ret;
}
.visible .entry table() {
  .global .u32 hidden;
  .global .u64 addresses[1] = {hidden};
  .reg .b64 %p;
  mov.u64 %p, addresses;
  ret;
}
.visible .entry tests() {
  .reg .b64 %p; .reg .pred %q;
  isspacep.const %q, %p;
  ret;
}
)";

class KernelLayoutTest : public testing::Test {
protected:
  void SetUp() override {
    loadParserDialects(context);
    sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(kText, "k.ptx"),
                               llvm::SMLoc());
    auto result = parsePtx(sources, &context);
    ASSERT_TRUE(succeeded(result));
    module = std::move(*result);
    variables.emplace(*module);
  }
  KernelLayout layOut(StringRef kernel) {
    return {*variables, module->lookupSymbol<ptx::FuncOp>(kernel)};
  }
  /// The names in the table of addresses.
  std::string tableOf(StringRef kernel) {
    std::string names;
    for (ptx::VarOp var : layOut(kernel).globals)
      names += var.getSymName().str() + " ";
    return names;
  }

  MLIRContext context;
  llvm::SourceMgr sources;
  OwningOpRef<ModuleOp> module;
  std::optional<ModuleVariables> variables;
};

TEST_F(KernelLayoutTest, TablesHaveWhatKernelsAndFunctionsUse) {
  EXPECT_EQ(tableOf("none"), "");
  EXPECT_EQ(tableOf("calls"), "second ");
  EXPECT_EQ(tableOf("one"), "first ");
  EXPECT_EQ(layOut("one").find("first"), 0);
  EXPECT_EQ(layOut("none").find("first"), std::nullopt);
}

TEST_F(KernelLayoutTest, AnyFunctionMayHaveTheAddress) {
  EXPECT_EQ(tableOf("callsAny"), "second ");
  EXPECT_EQ(layOut("callsAny").sharedEnd, PTXJIT_SHARED_BASE + 64);
}

TEST_F(KernelLayoutTest, InitialValuesUseVariables) {
  EXPECT_EQ(tableOf("table"), "table::hidden$0 table::addresses$1 ");
}

TEST_F(KernelLayoutTest, AnAddressMayBeThatOfAnyConstant) {
  EXPECT_EQ(tableOf("tests"), "third ");
}

TEST_F(KernelLayoutTest, SharedVariablesOfOthersTakeNoRoom) {
  EXPECT_EQ(layOut("none").sharedEnd, PTXJIT_SHARED_BASE);
  EXPECT_EQ(layOut("one").sharedEnd, PTXJIT_SHARED_BASE + 32);
  EXPECT_EQ(layOut("calls").sharedEnd, PTXJIT_SHARED_BASE + 16 + 64);
}
} // namespace
