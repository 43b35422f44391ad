//===- OutlineTest.cpp - modules that are parsed without all bodies -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/MLIRContext.h"
#include "ptxjit/Dialect/PtxOps.h"
#include "ptxjit/Parser/Parser.h"
#include "llvm/Support/SourceMgr.h"

#include <chrono>
#include <gtest/gtest.h>

using namespace mlir;
using namespace ptxjit;

namespace {
// The bodies of `a` and `c` are nonsense whose braces match.
const char *const kText = R"(.version 8.0
.target sm_80
.visible .entry a(.param .u64 p) { nonsense "}" { /* } */ } // }
}
.visible .entry b(.param .u32 q) { .reg .b32 %r; mov.u32 %r, 5; ret; }
.visible .entry c() { more nonsense }
)";

struct Parsed {
  MLIRContext context;
  llvm::SourceMgr sources;
  OwningOpRef<ModuleOp> module;
  std::string errors;

  explicit Parsed(const ParseOptions &options, const char *text = kText) {
    loadParserDialects(context);
    sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(text, "k.ptx"),
                               llvm::SMLoc());
    ScopedDiagnosticHandler handler(
        &context, [&](Diagnostic &d) { errors += d.str() + "\n"; });
    auto result = parsePtx(sources, &context, options);
    if (succeeded(result))
      module = std::move(*result);
  }
  ptx::FuncOp func(llvm::StringRef name) {
    return module->lookupSymbol<ptx::FuncOp>(name);
  }
};

unsigned lineOf(Operation *op) {
  return cast<FileLineColLoc>(op->getLoc()).getLine();
}
} // namespace

TEST(Outline, SkipsBodies) {
  ParseOptions options;
  options.bodies = false;
  Parsed p(options);
  ASSERT_TRUE(p.module) << p.errors;
  EXPECT_EQ(p.func("a").getParams().size(), 1u);
  EXPECT_TRUE(p.func("a").isBodiless());
  EXPECT_TRUE(p.func("b")->hasAttr("ptx.outlined"));
  EXPECT_TRUE(p.func("c"));
}

TEST(Outline, OneKernel) {
  ParseOptions options;
  options.onlyKernel = "b";
  Parsed p(options);
  ASSERT_TRUE(p.module) << p.errors;
  EXPECT_FALSE(p.func("b").isBodiless());
  EXPECT_TRUE(p.func("a").isBodiless());
}

TEST(Outline, EverythingFindsTheErrors) {
  Parsed p(ParseOptions{});
  EXPECT_FALSE(p.module);
  EXPECT_NE(p.errors.find("'nonsense'"), std::string::npos) << p.errors;
}

TEST(Outline, StopsAfterManyErrors) {
  ParseOptions options;
  options.maxErrors = 1;
  Parsed p(options);
  EXPECT_EQ(llvm::StringRef(p.errors).count("is not the name"), 1u) << p.errors;
}

TEST(Outline, BodiesThatAreKnownAreNotLookedAt) {
  BodyEnds ends;
  ParseOptions options;
  options.bodies = false;
  options.newEnds = &ends;
  ASSERT_TRUE(Parsed(options).module);
  EXPECT_EQ(ends.size(), 3u);
  // An open string in the body of `a` is not found in the second parse.
  std::string changed = kText;
  changed.replace(changed.find("\"}\""), 3, "\"  ");
  EXPECT_FALSE(Parsed(options, changed.c_str()).module);
  options = ParseOptions();
  options.onlyKernel = "b";
  options.knownEnds = &ends;
  Parsed p(options, changed.c_str());
  ASSERT_TRUE(p.module) << p.errors;
  EXPECT_FALSE(p.func("b").isBodiless());
  EXPECT_EQ(lineOf(p.func("b")), 5u);
  EXPECT_EQ(lineOf(p.func("c")), 6u);
}

namespace {
const char *const kCalls = R"(.version 8.0
.target sm_80
.address_size 64
.func late();
.func leaf() { ret; }
.func middle() { call leaf; call late; ret; }
.func alone() { nonsense; }
.func early() { .reg .b64 %p; mov.u64 %p, behind; ret; }
.visible .entry calls() { call middle; ret; }
.visible .entry jumps() {
  .reg .b64 %p;
  Type: .callprototype _ ();
  mov.u64 %p, leaf;
  call %p, (), Type;
  ret;
}
.visible .entry listed() {
  .reg .b64 %p;
  List: .calltargets leaf, late;
  mov.u64 %p, leaf;
  call %p, (), List;
  ret;
}
.visible .entry calls_early() { call early; ret; }
.func late() { ret; }
.global .u32 behind;
)";

/// The functions that are parsed for a kernel.
std::string functionsOf(const char *kernel, bool all = false) {
  ParseOptions options;
  options.onlyKernel = kernel;
  options.allFunctions = all;
  Parsed p(options, kCalls);
  if (!p.module)
    return p.errors;
  std::string names;
  for (auto func : p.module->getOps<ptx::FuncOp>())
    if (!func.getEntry() && !func.isBodiless())
      names += func.getSymName().str() + " ";
  return names;
}
} // namespace

TEST(Outline, FunctionsAreReadIfTheKernelMayCallThem) {
  EXPECT_EQ(functionsOf("calls"), "late leaf middle ");
  EXPECT_EQ(functionsOf("listed"), "late leaf ");
}

TEST(Outline, AnAddressMayBeThatOfAnyFunction) {
  EXPECT_NE(functionsOf("jumps").find("'nonsense'"), std::string::npos);
  EXPECT_NE(functionsOf("calls", /*all=*/true).find("'nonsense'"),
            std::string::npos);
}

TEST(Outline, FunctionsThatAreReadLateHaveTheirLines) {
  ParseOptions options;
  options.onlyKernel = "calls";
  Parsed p(options, kCalls);
  ASSERT_TRUE(p.module) << p.errors;
  EXPECT_EQ(lineOf(&p.func("middle").getBody().front().back()), 6u);
  EXPECT_EQ(lineOf(&p.func("leaf").getBody().front().back()), 5u);
}

TEST(Outline, FunctionsThatAreReadLateSeeNoLaterNames) {
  EXPECT_NE(functionsOf("calls_early").find("'behind'"), std::string::npos);
}

/// Each call declares variables of the module, and finds its own among them.
TEST(Outline, ManyCallsAreParsedInTime) {
  std::string text = ".version 8.0\n.target sm_80\n.address_size 64\n"
                     ".func f0(.param .b32 a) { ret; }\n";
  for (int i = 1; i < 4000; ++i)
    text += ".func f" + std::to_string(i) +
            "(.param .b32 a) { .param .b32 p; .reg .b32 %r;\n"
            "  st.param.b32 [p], %r; call f" +
            std::to_string(i - 1) + ", (p); call f0, (%r); ret; }\n";
  auto begin = std::chrono::steady_clock::now();
  Parsed p(ParseOptions{}, text.c_str());
  std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - begin;
  ASSERT_TRUE(p.module) << p.errors;
  EXPECT_LT(seconds.count(), 5);
}
