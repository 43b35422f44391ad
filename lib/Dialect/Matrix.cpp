//===- Matrix.cpp - decodes the attributes of matrix ops ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The op definitions of PtxMatrixOps.td, and the descriptions of Matrix.h.
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Dialect/Matrix.h"
#include "ptxjit/Dialect/PtxOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/Support/ErrorHandling.h"

using namespace mlir;
using namespace ptxjit::ptx;

#define GET_OP_CLASSES
#include "ptxjit/Dialect/PtxMatrixOps.cpp.inc"

unsigned ptxjit::ptx::getElementBits(MatrixType type) {
  switch (type) {
  case MatrixType::F64:
    return 64;
  case MatrixType::TF32:
  case MatrixType::F32:
  case MatrixType::S32:
    return 32;
  case MatrixType::F16:
  case MatrixType::BF16:
    return 16;
  case MatrixType::S8:
  case MatrixType::U8:
  case MatrixType::E4M3:
  case MatrixType::E5M2:
    return 8;
  case MatrixType::E3M2:
  case MatrixType::E2M3:
    return 6;
  case MatrixType::S4:
  case MatrixType::U4:
  case MatrixType::E2M1:
    return 4;
  case MatrixType::B1:
    return 1;
  }
  llvm_unreachable("all types are listed");
}

MatrixExtents ptxjit::ptx::getExtents(MatrixShape shape) {
  constexpr unsigned mask = (1 << 10) - 1; // PtxMatrixOps.td
  return {unsigned(shape) & mask, unsigned(shape) >> 10 & mask,
          unsigned(shape) >> 20};
}

template <typename T> static void readShape(MatrixShape shape, T &to) {
  MatrixExtents extents = getExtents(shape);
  to.m = extents.m;
  to.n = extents.n;
  to.k = extents.k;
}

//===----------------------------------------------------------------------===//
// Multiplications
//===----------------------------------------------------------------------===//

static Sparsity sparsityOf(const MatrixMultiply &mma) {
  switch (mma.bitsOf(mma.a)) {
  case 32:
    return Sparsity::Words;
  case 16:
    return Sparsity::Halves;
  default:
    return Sparsity::Bytes;
  }
}

static void readTypes(MmaOp op, MatrixMultiply &mma) {
  mma.d = op.getTy();
  if (!op.getTy3()) { // wmma of f16: the text has only the types of D and C
    mma.c = op.getTy2();
    return;
  }
  mma.a = op.getTy2();
  mma.b = *op.getTy3();
  mma.c = *op.getTy4();
}

static void readScales(MmaOp op, MatrixMultiply &mma) {
  if (!op.getBlockScale())
    return;
  // The meaning of an absent `.scale_vec`.
  ScaleVec implied = mma.bytePerElement ? ScaleVec::X1 : ScaleVec::X2;
  mma.scales = unsigned(op.getScaleVec().value_or(implied));
  mma.scalesAreUE4M3 = op.getScaleType() == ScaleType::UE4M3;
}

MatrixMultiply MmaOp::getMultiply() {
  MatrixMultiply mma;
  readShape(getShape(), mma);
  readTypes(*this, mma);
  mma.isWmma = getOpcode() == MmaOpcode::Wmma;
  mma.aIsCol = getLayout() == MatrixLayout::Col;
  mma.bIsRow = getLayout2() == MatrixLayout::Row;
  mma.saturates = getSatfinite();
  mma.rounding = getRnd().value_or(Rounding::RN);
  mma.bitOp = getBitOp().value_or(BoolOp::Xor);
  mma.bytePerElement =
      getKind() == MmaKind::F8F6F4 || getKind() == MmaKind::MXF8F6F4;
  if (getSparse())
    mma.sparsity = sparsityOf(mma);
  readScales(*this, mma);
  return mma;
}

bool MmaOp::isAlike(MmaOp other) {
  Properties mine = getProperties(), theirs = other.getProperties();
  theirs.operandSegmentSizes = mine.operandSegmentSizes;
  return mine == theirs;
}

unsigned MatrixMultiply::bitsOf(MatrixType type) const {
  unsigned bits = getElementBits(type);
  return bytePerElement ? 8 : bits;
}
unsigned MatrixMultiply::aParts() const {
  if (isQuadPair())
    return 2;
  unsigned kept = sparsity == Sparsity::Dense ? k : k / 2;
  return m * kept * bitsOf(a) / 32 / (isF64() ? 64 : 32);
}
unsigned MatrixMultiply::bParts() const {
  return isQuadPair() ? 2 : n * k * bitsOf(b) / 32 / (isF64() ? 64 : 32);
}
unsigned MatrixMultiply::aRegisters() const {
  return isWmma && a == MatrixType::F16 ? 8 : aParts();
}
unsigned MatrixMultiply::bRegisters() const {
  return isWmma && b == MatrixType::F16 ? 8 : bParts();
}
unsigned MatrixMultiply::accumulatorRegisters(MatrixType type) const {
  if (isQuadPair())
    return type == MatrixType::F16 ? 4 : 8;
  return m * n / 32 / (type == MatrixType::F16 ? 2 : 1);
}

//===----------------------------------------------------------------------===//
// Moves
//===----------------------------------------------------------------------===//

MatrixMove LdMatrixOp::getMove() {
  MatrixMove move;
  if (getTy() == TileType::B8)
    move.format = MatrixMove::B8;
  else if (getPacked())
    move.format =
        *getPacked() == PackedType::B6 ? MatrixMove::B6 : MatrixMove::B4;
  // The other shapes are 8 rows of 16 bytes in memory.
  move.rows = getShape() == TileShape::M16N16 ? 16 : 8;
  move.count = unsigned(getCount());
  move.transposes = getTrans();
  move.space = getSpace().value_or(Space::Generic);
  return move;
}

MatrixMove StMatrixOp::getMove() {
  MatrixMove move;
  move.format = getTy() == TileType::B8 ? MatrixMove::B8 : MatrixMove::B16;
  // Even m16n8 of bytes, which is transposed, is 8 rows of 16 bytes in memory.
  move.count = unsigned(getCount());
  move.transposes = getTrans();
  move.space = getSpace().value_or(Space::Generic);
  return move;
}

/// Each lane that gives an address accesses a row of 16 bytes there.
ByteAccess LdMatrixOp::getByteAccess() {
  return {ByteAccess::Read, getInputs().front(), 0, 16, getSpace()};
}
ByteAccess StMatrixOp::getByteAccess() {
  return {ByteAccess::Write, getInputs().front(), 0, 16, getSpace()};
}

static WmmaMove::Operand operandOf(MatrixRole role) {
  switch (role) {
  case MatrixRole::A:
    return WmmaMove::A;
  case MatrixRole::B:
    return WmmaMove::B;
  case MatrixRole::C:
  case MatrixRole::D:
    return WmmaMove::C;
  }
  llvm_unreachable("all roles are listed");
}

template <typename MoveOp> static WmmaMove describeMove(MoveOp op) {
  WmmaMove move;
  readShape(op.getShape(), move);
  move.operand = operandOf(op.getRole());
  move.type = op.getTy();
  move.isCol = op.getLayout() == MatrixLayout::Col;
  move.space = op.getSpace().value_or(Space::Generic);
  return move;
}
WmmaMove WmmaLoadOp::getMove() { return describeMove(*this); }
WmmaMove WmmaStoreOp::getMove() { return describeMove(*this); }

unsigned WmmaMove::registers() const {
  return operand != C && type == MatrixType::F16 ? 8 : parts();
}
unsigned WmmaMove::elementBits() const { return getElementBits(type); }
unsigned WmmaMove::parts() const {
  unsigned bits = elementBits();
  return rows() * cols() * bits / 32 / (bits == 64 ? 64 : 32);
}
