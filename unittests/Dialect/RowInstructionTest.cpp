//===- RowInstructionTest.cpp - meaning of matrix and video instructions --===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Dialect/FormTable.h"
#include "ptxjit/Dialect/PtxOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace ptxjit::ptx;

namespace {
/// Makes ops without operands: the tests look at their modifiers only.
class RowInstruction : public testing::Test {
protected:
  RowInstruction() { context.loadDialect<PtxDialect>(); }

  template <typename OpTy>
  OwningOpRef<OpTy> make(const FormSpec &form, ArrayRef<StringRef> tokens) {
    unsigned bad = 0;
    std::optional<FormMatch> match = matchForm(form, tokens, bad);
    if (!match || form.opName != OpTy::getOperationName())
      return nullptr;
    OperationState state(UnknownLoc::get(&context), form.opName);
    addModifiers(form, *match, state);
    return cast<OpTy>(Operation::create(state));
  }
  /// \returns null if no form of OpTy is spelled like `text`.
  template <typename OpTy> OwningOpRef<OpTy> make(StringRef text) {
    auto [opcode, modifiers] = text.split('.');
    SmallVector<StringRef> tokens;
    modifiers.split(tokens, '.');
    for (const FormSpec &form : getFormsOfOpcode(opcode))
      if (OwningOpRef<OpTy> op = make<OpTy>(form, tokens))
        return op;
    return nullptr;
  }

  /// Calls `check(op, sizes)` five times for each form of OpTy, each time with
  /// the next alternative of each modifier. `sizes` has the number of elements
  /// of each operand in the text, by name.
  template <typename OpTy, typename Check> void forEachForm(Check check) {
    unsigned ops = 0;
    for (const FormSpec &form : getFormsOfOp(OpTy::getOperationName()))
      for (unsigned choice = 0; choice < 5; ++choice) {
        SmallVector<StringRef> tokens;
        for (const SlotSpec &slot : form.getSlots())
          tokens.push_back(slot.getTokens()[choice % slot.numTokens]);
        SCOPED_TRACE(llvm::join(tokens, "."));
        OwningOpRef<OpTy> op = make<OpTy>(form, tokens);
        ASSERT_TRUE(op);
        llvm::StringMap<unsigned> sizes;
        for (const OperandSpec &operand : form.getOperands())
          sizes[operand.name] = operand.kind == OperandKind::Vector
                                    ? getVectorSize(operand, tokens)
                                    : 1;
        check(*op, sizes);
        ++ops;
      }
    EXPECT_GT(ops, 0u);
  }

  MLIRContext context;
};
using Sizes = llvm::StringMap<unsigned>;
} // namespace

TEST_F(RowInstruction, MultiplicationsHaveTheRegistersOfTheirForms) {
  forEachForm<MmaOp>([](MmaOp op, const Sizes &sizes) {
    MatrixMultiply mma = op.getMultiply();
    EXPECT_EQ(mma.dRegisters(), sizes.lookup("d"));
    EXPECT_EQ(mma.aRegisters(), sizes.lookup("a"));
    EXPECT_EQ(mma.bRegisters(), sizes.lookup("b"));
    EXPECT_EQ(mma.cRegisters(), sizes.lookup("c"));
    // Sparse forms also have metadata and a selector. Scaled forms also have a
    // scale, a byte selector and a thread selector, each for A and for B.
    unsigned others = 0;
    for (auto &[name, size] : sizes)
      others += StringRef("dabc").contains(name) ? 0 : size;
    EXPECT_EQ(others, (mma.sparsity != Sparsity::Dense ? 2u : 0u) +
                          (mma.scales ? 6u : 0u));
  });
}

TEST_F(RowInstruction, MovesHaveTheRegistersOfTheirForms) {
  forEachForm<LdMatrixOp>([](LdMatrixOp op, const Sizes &sizes) {
    MatrixMove move = op.getMove();
    EXPECT_EQ(move.count * move.registersEach(), sizes.lookup("d"));
  });
  forEachForm<StMatrixOp>([](StMatrixOp op, const Sizes &sizes) {
    EXPECT_EQ(op.getMove().count, sizes.lookup("b"));
  });
  forEachForm<WmmaLoadOp>([](WmmaLoadOp op, const Sizes &sizes) {
    EXPECT_EQ(op.getMove().registers(), sizes.lookup("d"));
  });
  forEachForm<WmmaStoreOp>([](WmmaStoreOp op, const Sizes &sizes) {
    EXPECT_EQ(op.getMove().registers(), sizes.lookup("b"));
  });
}

TEST_F(RowInstruction, TypesAreThoseOfDABAndC) {
  auto op = make<MmaOp>("mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32."
                        "e4m3.e3m2.f32");
  ASSERT_TRUE(op);
  EXPECT_EQ(op->getMultiply().a, MatrixType::E4M3);
  EXPECT_EQ(op->getMultiply().b, MatrixType::E3M2);
  op = make<MmaOp>("mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32."
                   "e3m2.e4m3.f32");
  ASSERT_TRUE(op);
  EXPECT_EQ(op->getMultiply().a, MatrixType::E3M2);
  EXPECT_EQ(op->getMultiply().b, MatrixType::E4M3);
  EXPECT_FALSE(
      make<MmaOp>("mma.sync.aligned.m16n8k16.row.col.f16.f32.f16.f32"));
}

TEST_F(RowInstruction, WmmaOfHalvesStatesTheTypesOfDAndC) {
  auto op = make<MmaOp>("wmma.mma.sync.aligned.row.col.m32n8k16.f32.f16");
  ASSERT_TRUE(op);
  MatrixMultiply mma = op->getMultiply();
  EXPECT_TRUE(mma.isWmma);
  EXPECT_EQ(mma.d, MatrixType::F32);
  EXPECT_EQ(mma.a, MatrixType::F16);
  EXPECT_EQ(mma.b, MatrixType::F16);
  EXPECT_EQ(mma.c, MatrixType::F16);
  EXPECT_EQ(mma.m, 32u);
  EXPECT_EQ(mma.n, 8u);
  EXPECT_EQ(mma.k, 16u);
}

TEST_F(RowInstruction, LayoutsOfQuadPairs) {
  auto op = make<MmaOp>("mma.sync.aligned.m8n8k4.col.row.f32.f16.f16.f32");
  ASSERT_TRUE(op);
  EXPECT_TRUE(op->getMultiply().isQuadPair());
  EXPECT_TRUE(op->getMultiply().aIsCol);
  EXPECT_TRUE(op->getMultiply().bIsRow);
}

TEST_F(RowInstruction, ScalesThatTheTextDoesNotCount) {
  auto scalesOf = [&](StringRef kindAndTypes) {
    auto op = make<MmaOp>(("mma.sync.aligned." + kindAndTypes).str());
    return op ? op->getMultiply().scales : ~0u;
  };
  EXPECT_EQ(scalesOf("m16n8k32.row.col.kind::mxf8f6f4.block_scale.f32.e4m3.e4m3"
                     ".f32.ue8m0"),
            1u);
  EXPECT_EQ(scalesOf("m16n8k64.row.col.kind::mxf4.block_scale.f32.e2m1.e2m1"
                     ".f32.ue8m0"),
            2u);
  EXPECT_EQ(scalesOf("m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X"
                     ".f32.e2m1.e2m1.f32.ue4m3"),
            4u);
}

TEST_F(RowInstruction, AlikeAreThoseOfTheSameModifiers) {
  auto one = make<MmaOp>("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32");
  auto same = make<MmaOp>("mma.aligned.sync.row.col.f32.tf32.tf32.f32.m16n8k8");
  auto other =
      make<MmaOp>("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32");
  ASSERT_TRUE(one && same && other);
  EXPECT_TRUE(one->isAlike(*same));
  EXPECT_FALSE(one->isAlike(*other));
}

TEST_F(RowInstruction, PartsThatVideoInstructionsName) {
  auto op = make<VideoOp>("vmax2.s32.u32.s32");
  ASSERT_TRUE(op);
  auto selector = [&](unsigned width, ArrayRef<unsigned> parts) -> Attribute {
    return SelectorAttr::get(&context, width, parts);
  };
  // vmax2 d.h1, a, b.h02, c
  op->setSelectorsAttr(
      ArrayAttr::get(&context, {selector(16, {1}), selector(32, {}),
                                selector(16, {0, 2}), selector(32, {})}));
  VideoInstruction video = op->getVideo();
  EXPECT_EQ(video.kind, VideoKind::Max);
  EXPECT_EQ(video.lanes, 2u);
  EXPECT_EQ(video.laneMask, 2u);
  EXPECT_EQ(ArrayRef(video.aParts), ArrayRef<unsigned>({0, 1}));
  EXPECT_EQ(ArrayRef(video.bParts), ArrayRef<unsigned>({2, 0}));
  EXPECT_TRUE(video.resultSigned);
  EXPECT_FALSE(video.aSigned);
  EXPECT_TRUE(video.bSigned);
}

TEST_F(RowInstruction, VsetHasNoTypeOfItsResult) {
  auto op = make<VideoOp>("vset.s32.u32.ge");
  ASSERT_TRUE(op);
  VideoInstruction video = op->getVideo();
  EXPECT_TRUE(video.aSigned);
  EXPECT_FALSE(video.bSigned);
  EXPECT_EQ(video.compare, Compare::GE);
}
