//===- CompilerABITest.cpp - the compiler library's interface -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Runtime/CompilerABI.h"
#include "../../lib/Runtime/CompileProgress.h"
#include "ptxjit/Runtime/CompilerLoader.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ptxjit;

namespace {
const char *const kText = ".version 8.0\n.target sm_80\n.address_size 64\n"
                          ".visible .entry k(.param .u64 p, .param .f32 x)\n"
                          ".maxntid 64 { ret; }\n"
                          ".global .align 8 .u32 v[3] = {1, 2};\n"
                          ".global .attribute(.managed) .u32 m;\n";

PtxjitSink makeSink(std::string &text) {
  return {[](void *user, const char *piece, size_t size) {
            static_cast<std::string *>(user)->append(piece, size);
          },
          &text};
}

const PtxjitCompiler &getCompiler() {
  static std::string error;
  static const PtxjitCompiler *compiler = loadCompiler(error);
  EXPECT_NE(compiler, nullptr) << error;
  return *compiler;
}
} // namespace

TEST(CompilerABI, Layout) {
  EXPECT_EQ(PTXJIT_COMPILER_ABI_VERSION, 22u);
  EXPECT_EQ(sizeof(PtxjitParam), 40u);
  EXPECT_EQ(sizeof(PtxjitReloc), 32u);
  EXPECT_EQ(sizeof(PtxjitVariable), 64u);
  EXPECT_EQ(sizeof(PtxjitKernelInfo), 80u);
  EXPECT_EQ(sizeof(PtxjitSpecialization), 64u);
  EXPECT_EQ(getCompiler().version, PTXJIT_COMPILER_ABI_VERSION);
}

TEST(CompilerABI, Information) {
  std::string text;
  uint32_t errors = 99;
  const PtxjitCompiler &compiler = getCompiler();
  PtxjitModule *module =
      compiler.parse(kText, strlen(kText), "x.ptx", 1, makeSink(text), &errors);
  ASSERT_NE(module, nullptr) << text;
  EXPECT_EQ(errors, 0u);
  const PtxjitModuleInfo *info = compiler.getInfo(module);
  EXPECT_EQ(info->text, kText); // not a copy
  EXPECT_STREQ(info->version, "8.0");
  EXPECT_STREQ(info->target, "sm_80");
  ASSERT_EQ(info->numKernels, 1u);
  EXPECT_STREQ(info->kernels[0].name, "k");
  ASSERT_EQ(info->kernels[0].numParams, 2u);
  EXPECT_EQ(info->kernels[0].params[1].offset, 8u);
  EXPECT_EQ(info->kernels[0].paramBytes, 12u);
  EXPECT_EQ(info->kernels[0].maxntid[0], 64u);
  ASSERT_EQ(info->numVariables, 2u);
  EXPECT_EQ(info->variables[0].bytes, 12u);
  EXPECT_EQ(info->variables[0].align, 8u);
  EXPECT_FALSE(info->variables[0].isManaged);
  EXPECT_TRUE(info->variables[1].isManaged);
  compiler.destroyModule(module);
}

TEST(CompilerABI, ErrorsAreCountedAndPlaced) {
  std::string text;
  uint32_t errors = 0;
  const char *bad = ".version 8.0\n.target sm_80\n.entry k() { foo; bar.x; }\n";
  EXPECT_EQ(getCompiler().parse(bad, strlen(bad), "bad.ptx", 1, makeSink(text),
                                &errors),
            nullptr);
  EXPECT_EQ(errors, 2u);
  EXPECT_NE(text.find("bad.ptx:3:14: error: 'foo'"), std::string::npos) << text;
}

TEST(CompilerABI, FailuresOfLLVMAreSurvivedByTheHundred) {
  std::string text;
  uint32_t errors = 0;
  const PtxjitCompiler &compiler = getCompiler();
  PtxjitModule *module =
      compiler.parse(kText, strlen(kText), "x.ptx", 1, makeSink(text), &errors);
  ASSERT_NE(module, nullptr);
  PtxjitSpecialization spec{};
  spec.block[0] = spec.block[1] = spec.block[2] = 1;
  const char *stages[] = {"lower", "optimize", "codegen"};
  for (int i = 0; i < 100; ++i) {
    spec.inject = stages[i % 3];
    PtxjitImage *image = compiler.compile(module, "k", &spec, makeSink(text));
    ASSERT_NE(image, nullptr) << text;
    EXPECT_TRUE(image->degraded);
    compiler.destroyImage(image);
  }
  compiler.destroyModule(module);
}

TEST(CompilerABI, TheListenerIsToldEachStage) {
  static std::vector<std::string> told;
  static const char *const kernel = "k";
  told.clear();
  std::string text;
  const PtxjitCompiler &compiler = getCompiler();
  PtxjitModule *module =
      compiler.parse(kText, strlen(kText), "x.ptx", 1, makeSink(text), nullptr);
  ASSERT_NE(module, nullptr);
  compiler.setListener([](const char *compiled, const char *stage) {
    if (compiled == kernel)
      told.push_back(stage ? stage : "none");
  });
  PtxjitSpecialization spec{};
  spec.block[0] = spec.block[1] = spec.block[2] = 1;
  PtxjitImage *image = compiler.compile(module, kernel, &spec, makeSink(text));
  compiler.setListener(CompileProgress::began);
  ASSERT_NE(image, nullptr) << text;
  EXPECT_EQ(told, (std::vector<std::string>{"parse", "lower", "optimize",
                                            "codegen"}));
  compiler.destroyImage(image);
  compiler.destroyModule(module);
}

TEST(CompilerABI, UnknownKernelsAndStages) {
  std::string text;
  uint32_t errors = 0;
  const PtxjitCompiler &compiler = getCompiler();
  PtxjitModule *module =
      compiler.parse(kText, strlen(kText), "x.ptx", 1, makeSink(text), &errors);
  ASSERT_NE(module, nullptr);
  PtxjitSpecialization spec{};
  spec.block[0] = spec.block[1] = spec.block[2] = 1;
  EXPECT_EQ(compiler.compile(module, "other", &spec, makeSink(text)), nullptr);
  EXPECT_NE(text.find("other"), std::string::npos);
  spec.chunk = 5;
  EXPECT_EQ(compiler.compile(module, "k", &spec, makeSink(text)), nullptr);
  compiler.destroyModule(module);
}

// Compilations hand on what LLVM and MLIR have set up.
TEST(CompilerABI, CodeDoesNotDependOnEarlierCompilations) {
  const char *source = R"(
.version 8.0
.target sm_80
.address_size 64
.entry fill(.param .u64 out, .param .u32 n)
{
  .reg .pred %p; .reg .b32 %r<6>; .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.u32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %p, %r5, %r1;
  @%p bra END;
  mad.wide.u32 %rd2, %r5, 4, %rd1;
  st.global.u32 [%rd2], %r5;
END:
  ret;
}
)";
  std::string text;
  const PtxjitCompiler &compiler = getCompiler();
  PtxjitModule *module = compiler.parse(source, strlen(source), "fill.ptx", 1,
                                        makeSink(text), nullptr);
  ASSERT_NE(module, nullptr) << text;
  auto assembly = [&](bool quick) {
    PtxjitSpecialization spec{};
    spec.block[0] = 256;
    spec.block[1] = spec.block[2] = 1;
    spec.quick = quick;
    std::string made;
    EXPECT_EQ(compiler.emit(module, "fill", &spec, "asm", makeSink(made),
                            makeSink(text)),
              0)
        << text;
    return made;
  };
  std::string full = assembly(false), quick = assembly(true);
  EXPECT_NE(full, quick);
  EXPECT_EQ(assembly(false), full);
  EXPECT_EQ(assembly(true), quick);
  EXPECT_EQ(assembly(false), full);
  compiler.destroyModule(module);
}
