//===- NarrowWarpsTest.cpp - how many threads run together ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Analysis/NarrowWarps.h"
#include "ptxjit/Lowering/Pipelines.h"
#include "ptxjit/Parser/Parser.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/SourceMgr.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace ptxjit;

namespace {
/// A kernel with the given body, normalised. The body finds the parameter in
/// %out, a shared array in `s`, and its thread in %t and %a.
class Kernel {
public:
  explicit Kernel(const std::string &body) {
    DialectRegistry registry;
    registerLoweringDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    std::string text =
        ".version 8.0\n.target sm_80\n.address_size 64\n"
        ".entry k(.param .u64 out) {\n"
        ".shared .b32 s[1024];\n"
        ".reg .b32 %t, %r<9>; .reg .b64 %a, %out; .reg .pred %p<9>;\n"
        "ld.param.u64 %out, [out]; mov.u32 %t, %tid.x;\n"
        "mad.wide.u32 %a, %t, 4, %out;\n" +
        body + "\nst.global.u32 [%a], %t; ret; }\n";
    sources.AddNewSourceBuffer(
        llvm::MemoryBuffer::getMemBufferCopy(text, "k.ptx"), llvm::SMLoc());
    auto parsed = parsePtx(sources, &context, {});
    EXPECT_TRUE(succeeded(parsed));
    module = std::move(*parsed);
    PassManager pm(&context);
    buildNormalizePipeline(pm);
    EXPECT_TRUE(succeeded(pm.run(*module)));
  }

  unsigned lanes(std::array<unsigned, 3> block, unsigned chunk = 8,
                 bool always = false) {
    ShapeContext shape;
    shape.block = block;
    return chooseLanes(*module->getOps<ptx::FuncOp>().begin(), shape, chunk,
                       always);
  }

private:
  MLIRContext context;
  llvm::SourceMgr sources;
  OwningOpRef<ModuleOp> module;
};

const char *const kLoop = "mov.u32 %r1, 0;\nL: add.u32 %r1, %r1, 1;\n"
                          "setp.lt.u32 %p1, %r1, %t; @%p1 bra L;";
} // namespace

TEST(NarrowWarps, BlocksOfShortRowsHaveAWarpOfTwoVectorsOrOneRow) {
  Kernel straight("");
  EXPECT_EQ(straight.lanes({16, 16, 1}), 16u);
  EXPECT_EQ(straight.lanes({8, 8, 4}), 8u);
  EXPECT_EQ(straight.lanes({24, 8, 1}), 8u);
  EXPECT_EQ(straight.lanes({16, 16, 1}, 16), 16u);
  // Rows that are no whole vectors.
  EXPECT_EQ(straight.lanes({20, 8, 1}), 32u);
  EXPECT_EQ(straight.lanes({4, 64, 1}), 32u);
}

TEST(NarrowWarps, LongRowsAreNarrowUnlessTheyAreStreamed) {
  EXPECT_EQ(Kernel("").lanes({32, 8, 1}), 32u);
  std::string much;
  for (unsigned i = 0; i < 300; ++i)
    much += "ld.global.u32 %r1, [%a]; mad.lo.u32 %t, %t, %r1, %r1;"
            "xor.b32 %t, %t, %r1;";
  EXPECT_EQ(Kernel(much).lanes({32, 8, 1}), 16u);
  EXPECT_EQ(Kernel(kLoop).lanes({32, 8, 1}), 16u);
  EXPECT_EQ(Kernel(kLoop).lanes({64, 2, 1}), 16u);
  EXPECT_EQ(Kernel("bar.sync 0;").lanes({32, 8, 1}), 16u);
  // Two vectors of 16 lanes are as wide as a warp of the ISA.
  EXPECT_EQ(Kernel(kLoop).lanes({32, 8, 1}, 16), 32u);
}

TEST(NarrowWarps, VectorsOfFourLanesAreTwoInLoopsAndFourInStraightCode) {
  Kernel straight("bar.sync 0;"), loop(kLoop);
  EXPECT_EQ(straight.lanes({32, 8, 1}, 4), 16u);
  EXPECT_EQ(straight.lanes({16, 16, 1}, 4), 16u);
  EXPECT_EQ(straight.lanes({24, 8, 1}, 4), 8u);
  EXPECT_EQ(straight.lanes({4, 64, 1}, 4), 4u);
  EXPECT_EQ(loop.lanes({32, 8, 1}, 4), 8u);
  EXPECT_EQ(loop.lanes({16, 16, 1}, 4), 8u);
}

/// A loop with `count` sums, and as many floats from in front of it.
static std::string loopOfFloats(unsigned count) {
  std::string before = ".reg .f32 %x<9>, %y<9>; mov.u32 %r1, 0;\n", inside,
              behind;
  for (unsigned i = 0; i < count; ++i) {
    std::string x = "%x" + std::to_string(i), y = "%y" + std::to_string(i);
    before += "ld.global.f32 " + x + ", [%a+" + std::to_string(4 * i) +
              "]; mov.f32 " + y + ", 0f00000000;\n";
    inside += "fma.rn.f32 " + y + ", " + x + ", " + x + ", " + y + ";\n";
    behind += "st.global.f32 [%a], " + y + ";\n";
  }
  return before + "L: " + inside +
         "add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 99; @%p1 bra L;\n" +
         behind;
}

TEST(NarrowWarps, RowsAreNarrowWhereALoopLacksRegistersOfNeon) {
  // Eight vectors for each of four or six floats; there are 32 registers.
  EXPECT_EQ(Kernel(loopOfFloats(2)).lanes({256, 1, 1}, 4), 32u);
  EXPECT_EQ(Kernel(loopOfFloats(3)).lanes({256, 1, 1}, 4), 8u);
  EXPECT_EQ(Kernel(loopOfFloats(3)).lanes({256, 1, 1}, 8), 32u);
  EXPECT_EQ(Kernel(loopOfFloats(3)).lanes({4, 1, 1}, 4), 32u);
}

TEST(NarrowWarps, BlocksOfOneRowAreWide) {
  EXPECT_EQ(Kernel(kLoop).lanes({256, 1, 1}), 32u);
  EXPECT_EQ(Kernel(kLoop).lanes({16, 1, 1}), 32u);
}

TEST(NarrowWarps, AWarpHasNoMoreLanesThanTheBlockHasThreads) {
  Kernel kernel("");
  EXPECT_EQ(kernel.lanes({8, 2, 1}), 8u);
  EXPECT_EQ(kernel.lanes({16, 1, 1}, 8, /*always=*/true), 32u);
  EXPECT_EQ(kernel.lanes({17, 1, 1}, 8, /*always=*/true), 16u);
}

TEST(NarrowWarps, TestsMayAskForThem) {
  Kernel kernel(kLoop);
  EXPECT_EQ(kernel.lanes({256, 1, 1}, 8, /*always=*/true), 16u);
  EXPECT_EQ(kernel.lanes({256, 1, 1}, 16, /*always=*/true), 16u);
  EXPECT_EQ(kernel.lanes({256, 1, 1}, 1, /*always=*/true), 32u);
}

TEST(NarrowWarps, KernelsThatCanTellAreWide) {
  for (const char *body :
       {"mov.u32 %t, %laneid;", "mov.u32 %t, %warpid;", "mov.u32 %t, %nwarpid;",
        "mov.u32 %t, %lanemask_lt;", "mov.u32 %t, %clock;",
        "shfl.sync.bfly.b32 %t, %t, 1, 31, -1;",
        "setp.ne.u32 %p1, %t, 0; vote.sync.ballot.b32 %t, %p1, -1;",
        "activemask.b32 %t;", "bar.warp.sync -1;",
        "redux.sync.add.u32 %t, %t, "
        "-1;",
        "bar.sync 1, 64;", "bar.arrive 1, 64;", "bar.red.popc.u32 %t, 0, %p1;",
        // Threads may talk to each other by these.
        "st.volatile.shared.u32 [s], %t;",
        "ld.relaxed.gpu.global.u32 %t, [%a];", "membar.gl;"})
    EXPECT_EQ(Kernel(body).lanes({16, 16, 1}), 32u) << body;
  for (const char *body :
       {"mov.u32 %t, %ctaid.y;", "mov.u32 %t, %ntid.z;", "bar.sync 0;",
        "barrier.sync 3;", "atom.global.add.u32 %t, [%a], 1;",
        "red.shared.add.u32 [s], 1;", "ld.global.nc.u32 %t, [%a];"})
    EXPECT_EQ(Kernel(body).lanes({16, 16, 1}), 16u) << body;
}
