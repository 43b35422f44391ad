//===- ShapeTest.cpp - shapes of values in parsed kernels -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Analysis/Shape.h"
#include "ptxjit/Lowering/Pipelines.h"
#include "ptxjit/Parser/Parser.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/SourceMgr.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace ptxjit;

namespace {
/// Parses, structures and analyses a kernel with the given body, for blocks of
/// the given extents. The body finds the parameters in %out and %n and leaves
/// its result in %rd1, which is then stored.
class Analysed {
public:
  Analysed(const std::string &body, std::array<unsigned, 3> block,
           unsigned lanes = kWarpLanes) {
    DialectRegistry registry;
    registerLoweringDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    std::string text =
        ".version 8.0\n.target sm_80\n.address_size 64\n"
        ".entry k(.param .u64 out, .param .u32 n) {\n"
        ".reg .b32 %r<20>; .reg .b64 %rd<20>; .reg .pred %p<9>; .reg .b64 %out;"
        ".reg .b32 %n; ld.param.u64 %out, [out]; ld.param.u32 %n, [n];\n" +
        body + "\nst.global.u64 [%out], %rd1; ret; }\n";
    sources.AddNewSourceBuffer(
        llvm::MemoryBuffer::getMemBufferCopy(text, "k.ptx"), llvm::SMLoc());
    auto parsed = parsePtx(sources, &context, {});
    EXPECT_TRUE(succeeded(parsed));
    module = std::move(*parsed);
    PassManager pm(&context);
    buildNormalizePipeline(pm);
    buildStructurePipeline(pm, KernelTarget());
    EXPECT_TRUE(succeeded(pm.run(*module)));
    ShapeContext shapeContext;
    shapeContext.block = block;
    shapeContext.lanes = lanes;
    auto func = *module->getOps<ptx::FuncOp>().begin();
    analysis.emplace(func, shapeContext);
    func.walk([&](ptx::StOp st) { stored = st.getB().front(); });
  }
  /// The shape of %rd1 at the end of the body.
  const Shape &shape() { return analysis->get(stored); }
  /// What the pattern adds to the base in a lane; 0 without a pattern.
  int64_t offset(unsigned lane) {
    return shape().pattern ? (*shape().pattern)[lane] : 0;
  }

private:
  MLIRContext context;
  llvm::SourceMgr sources;
  OwningOpRef<ModuleOp> module;
  std::optional<ShapeAnalysis> analysis;
  Value stored;
};
} // namespace

TEST(Shape, Uniforms) {
  Analysed grid("cvt.u64.u32 %rd1, %n;", {64, 1, 1});
  EXPECT_TRUE(grid.shape().isUniform());
  EXPECT_EQ(grid.shape().uniformity, Uniformity::Grid);
  Analysed cta("mov.u32 %r1, %ctaid.x; cvt.u64.u32 %rd1, %r1;", {64, 1, 1});
  EXPECT_EQ(cta.shape().uniformity, Uniformity::Cta);
  Analysed warp("mov.u32 %r1, %tid.x; shr.u32 %r1, %r1, 5; "
                "cvt.u64.u32 %rd1, %r1;",
                {64, 1, 1});
  EXPECT_TRUE(warp.shape().isUniform());
  EXPECT_EQ(warp.shape().uniformity, Uniformity::Warp);
}

TEST(Shape, AffineIndex) {
  Analysed a("mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x;"
             "mad.lo.u32 %r4, %r2, %r3, %r1; mul.wide.u32 %rd1, %r4, 4;",
             {256, 1, 1});
  ASSERT_TRUE(a.shape().hasBase());
  EXPECT_FALSE(a.shape().conditional);
  for (unsigned lane = 0; lane < 32; ++lane)
    EXPECT_EQ(a.offset(lane), lane * 4);
}

TEST(Shape, PeriodicInTwoDimensions) {
  Analysed x("mov.u32 %r1, %tid.x; cvt.u64.u32 %rd1, %r1;", {8, 8, 1});
  ASSERT_TRUE(x.shape().hasBase());
  for (unsigned lane = 0; lane < 32; ++lane)
    EXPECT_EQ(x.offset(lane), lane % 8);
  Analysed y("mov.u32 %r1, %tid.y; cvt.u64.u32 %rd1, %r1;", {8, 8, 1});
  for (unsigned lane = 0; lane < 32; ++lane)
    EXPECT_EQ(y.offset(lane), lane / 8);
}

TEST(Shape, NarrowWarpsRepeatThemselves) {
  Analysed x("mov.u32 %r1, %tid.x; cvt.u64.u32 %rd1, %r1;", {32, 4, 1}, 16);
  ASSERT_TRUE(x.shape().hasBase());
  EXPECT_EQ(x.shape().uniformity, Uniformity::Warp);
  EXPECT_EQ(x.shape().baseAlign(), 4u);
  for (unsigned lane = 0; lane < 32; ++lane)
    EXPECT_EQ(x.offset(lane), lane % 16);
  // The rows of a block are warps, so that their numbers are uniform.
  Analysed y("mov.u32 %r1, %tid.y; cvt.u64.u32 %rd1, %r1;", {16, 4, 1}, 16);
  EXPECT_TRUE(y.shape().isUniform());
  EXPECT_EQ(y.shape().max, 3);
  Analysed half("mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 16;"
                "selp.u64 %rd1, 1, 0, %p1;",
                {32, 4, 1}, 16);
  EXPECT_TRUE(half.shape().isUniform());
}

TEST(Shape, SumMayWrap) {
  // n + tid may wrap between two lanes before it is widened.
  Analysed a(
      "mov.u32 %r1, %tid.x; add.u32 %r2, %n, %r1; cvt.u64.u32 %rd1, %r2;",
      {64, 1, 1});
  EXPECT_TRUE(a.shape().hasBase());
  EXPECT_TRUE(a.shape().conditional);
}

TEST(Shape, DataIsVarying) {
  Analysed a("mov.u32 %r1, %tid.x; mad.wide.u32 %rd2, %r1, 8, %out;"
             "ld.global.u64 %rd1, [%rd2];",
             {64, 1, 1});
  EXPECT_TRUE(a.shape().isVarying());
}

TEST(Shape, MergeOfADivergentIfIsVarying) {
  const char *body = "mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 5;"
                     "mov.u32 %r2, %n; @%p1 mov.u32 %r2, 7;"
                     "cvt.u64.u32 %rd1, %r2;";
  Analysed a(body, {64, 1, 1});
  EXPECT_FALSE(a.shape().isUniform());
}

/// Does `setp.<comparison>`, with tid.x in %r1, give warp-uniform %p1?
static bool isUniformComparison(const std::string &comparison,
                                std::array<unsigned, 3> block) {
  Analysed a("mov.u32 %r1, %tid.x; setp." + comparison +
                 "; selp.u64 %rd1, 1, 0, %p1;",
             block);
  return a.shape().isUniform();
}
TEST(Shape, WarpsAreToldApartUniformly) {
  for (const char *comparison :
       {"lt.u32 %p1, %r1, 32", "ge.s32 %p1, %r1, 64", "le.u32 %p1, %r1, 31",
        "gt.s32 %p1, %r1, 95", "gt.u32 %p1, 32, %r1", "hi.u32 %p1, %r1, 31"})
    EXPECT_TRUE(isUniformComparison(comparison, {128, 1, 1})) << comparison;
  for (const char *comparison :
       {"lt.u32 %p1, %r1, 33", "le.s32 %p1, %r1, 32", "eq.u32 %p1, %r1, 32",
        "gt.u32 %p1, %r1, 32", "ge.u32 %p1, 32, %r1"})
    EXPECT_FALSE(isUniformComparison(comparison, {128, 1, 1})) << comparison;
  // In 16x8 blocks each warp has all values of tid.x.
  EXPECT_FALSE(isUniformComparison("lt.u32 %p1, %r1, 8", {16, 8, 1}));
  EXPECT_TRUE(isUniformComparison("lt.u32 %p1, %r1, 16", {16, 8, 1}));
}
TEST(Shape, LoopCounterIsUniform) {
  Analysed a("mov.u32 %r1, 0;\nL: add.u32 %r1, %r1, 1;"
             "setp.lt.u32 %p1, %r1, %n; @%p1 bra L; cvt.u64.u32 %rd1, %r1;",
             {64, 1, 1});
  EXPECT_TRUE(a.shape().isUniform());
}

TEST(Shape, CounterOfADivergentLoopIsVarying) {
  Analysed a("mov.u32 %r2, %tid.x; mov.u32 %r1, 0;\nL: add.u32 %r1, %r1, 1;"
             "setp.lt.u32 %p1, %r1, %r2; @%p1 bra L; cvt.u64.u32 %rd1, %r1;",
             {64, 1, 1});
  EXPECT_TRUE(a.shape().isVarying());
}

TEST(Shape, BitsOfLanesAreKnownUnderAnUnknownBase) {
  // A swizzled row of the CTA: (tid & 15) * 16 ^ (tid >> 1 & 3) * 16, at the
  // base ctaid << 9.
  Analysed swizzled("mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; "
                    "shl.b32 %r2, %r2, 9; and.b32 %r3, %r1, 15; "
                    "shl.b32 %r3, %r3, 4; bfe.u32 %r4, %r1, 1, 2; "
                    "shl.b32 %r4, %r4, 4; xor.b32 %r3, %r3, %r4; "
                    "or.b32 %r3, %r3, %r2; cvt.u64.u32 %rd1, %r3;",
                    {64, 1, 1});
  ASSERT_TRUE(swizzled.shape().hasBase());
  for (int64_t lane = 0; lane < 32; ++lane)
    EXPECT_EQ(swizzled.offset(lane),
              ((lane & 15) * 16) ^ ((lane >> 1 & 3) * 16));
}

TEST(Shape, BitsThatMeetUnknownOnesVary) {
  // The warp's number, tid >> 5, is unknown in the bits in which lanes differ.
  Analysed mixed("mov.u32 %r1, %tid.x; shr.u32 %r2, %r1, 5; "
                 "xor.b32 %r3, %r1, %r2; cvt.u64.u32 %rd1, %r3;",
                 {64, 1, 1});
  EXPECT_TRUE(mixed.shape().isVarying());
}

TEST(Shape, ChoiceByAKnownPredicate) {
  Analysed chosen("mov.u32 %r1, %tid.x; and.b32 %r1, %r1, 8; "
                  "setp.eq.u32 %p1, %r1, 0; selp.b32 %r2, 0, 144, %p1; "
                  "cvt.u64.u32 %rd1, %r2;",
                  {64, 1, 1});
  ASSERT_TRUE(chosen.shape().hasBase());
  for (int64_t lane = 0; lane < 32; ++lane)
    EXPECT_EQ(chosen.offset(lane), lane & 8 ? 144 : 0);
}

TEST(Shape, WhatIsKnownInTheFirstRoundMayNotStay) {
  // The lanes in which %r2 is 0 are known in the first iteration only, since
  // %r1 grows.
  Analysed chosen("mov.u32 %r1, 0; L: mov.u32 %r2, %tid.x; "
                  "and.b32 %r2, %r2, 8; add.u32 %r2, %r2, %r1; "
                  "setp.eq.u32 %p1, %r2, 0; selp.b32 %r3, 0, 144, %p1; "
                  "add.u32 %r1, %r1, 8; setp.lt.u32 %p2, %r1, %n; @%p2 bra L; "
                  "cvt.u64.u32 %rd1, %r3;",
                  {64, 1, 1});
  EXPECT_TRUE(chosen.shape().isVarying());
}

TEST(Shape, LanesThatALoopPartedLikelyHaveOnePattern) {
  const std::string loop =
      "mov.u32 %r1, %tid.x; mov.u32 %r2, %r1; L: add.u32 %r1, %r1, 64; "
      "sub.u32 %r2, %r2, 9; setp.gt.s32 %p1, %r2, 0; @%p1 bra L; ";
  Analysed value(loop + "cvt.u64.u32 %rd1, %r1;", {64, 1, 1});
  EXPECT_TRUE(value.shape().isVarying()) << "not worth a test";
  Analysed address(loop + "mad.wide.u32 %rd2, %r1, 4, %out; "
                          "st.global.u64 [%rd2], %rd2; cvt.u64.u32 %rd1, %r1;",
                   {64, 1, 1});
  ASSERT_TRUE(address.shape().hasBase());
  EXPECT_TRUE(address.shape().conditional);
  EXPECT_EQ(address.offset(31), 31);
  Analysed other("mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, %n; @%p1 bra L; "
                 "shl.b32 %r1, %r1, 2; L: mad.wide.u32 %rd2, %r1, 4, %out; "
                 "st.global.u64 [%rd2], %rd2; cvt.u64.u32 %rd1, %r1;",
                 {64, 1, 1});
  EXPECT_TRUE(other.shape().isVarying()) << "two patterns";
}

TEST(Shape, ConditionalPatternsThatCancelLeaveNothing) {
  // If one of the two sums wraps around and the other does not, lanes differ.
  Analysed difference("mov.u32 %r1, %tid.x; add.u32 %r2, %r1, %n; "
                      "cvt.u64.u32 %rd1, %r2; shl.b32 %r3, %n, 1; "
                      "add.u32 %r3, %r3, %r1; cvt.u64.u32 %rd2, %r3; "
                      "sub.u64 %rd1, %rd1, %rd2;",
                      {64, 1, 1});
  EXPECT_FALSE(difference.shape().isUniform());
}
