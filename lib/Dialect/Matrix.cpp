//===- Matrix.cpp - what a matrix instruction of a warp does --------------===//

#include "ptxjit/Dialect/Matrix.h"

#include "llvm/Support/ErrorHandling.h"

using namespace mlir;
using namespace ptxjit::ptx;
using llvm::StringRef;

namespace {
struct MatrixTypeInfo {
  MatrixType type;
  StringRef token;
  unsigned bits;
};
} // namespace

static constexpr MatrixTypeInfo kMatrixTypes[] = {
    {MatrixType::F16, "f16", 16},   {MatrixType::BF16, "bf16", 16},
    {MatrixType::TF32, "tf32", 32}, {MatrixType::F32, "f32", 32},
    {MatrixType::F64, "f64", 64},   {MatrixType::S32, "s32", 32},
    {MatrixType::S8, "s8", 8},      {MatrixType::U8, "u8", 8},
    {MatrixType::S4, "s4", 4},      {MatrixType::U4, "u4", 4},
    {MatrixType::B1, "b1", 1},      {MatrixType::E4M3, "e4m3", 8},
    {MatrixType::E5M2, "e5m2", 8},  {MatrixType::E3M2, "e3m2", 6},
    {MatrixType::E2M3, "e2m3", 6},  {MatrixType::E2M1, "e2m1", 4},
};

static std::optional<MatrixType> typeOf(StringRef token) {
  for (const MatrixTypeInfo &info : kMatrixTypes)
    if (info.token == token)
      return info.type;
  return std::nullopt;
}

static const MatrixTypeInfo &infoOf(MatrixType type) {
  for (const MatrixTypeInfo &info : kMatrixTypes)
    if (info.type == type)
      return info;
  llvm_unreachable("all types are listed");
}
static unsigned widthOf(MatrixType type) { return infoOf(type).bits; }
StringRef ptxjit::ptx::stringifyMatrixType(MatrixType type) {
  return infoOf(type).token;
}

/// "m16n8k16"
static bool readShape(StringRef token, unsigned &m, unsigned &n, unsigned &k) {
  return token.consume_front("m") && !token.consumeInteger(10, m) &&
         token.consume_front("n") && !token.consumeInteger(10, n) &&
         token.consume_front("k") && !token.consumeInteger(10, k) &&
         token.empty();
}

//===----------------------------------------------------------------------===//
// Multiplications
//===----------------------------------------------------------------------===//

static bool isScaleType(StringRef token) {
  return token == "ue8m0" || token == "ue4m3";
}

static void readTypes(ArrayRef<MatrixType> types, MatrixMultiply &mma) {
  if (types.size() == 2) { // wmma of f16: .dtype.ctype
    mma.d = types[0];
    mma.c = types[1];
    return;
  }
  mma.d = types[0];
  mma.a = types[1];
  mma.b = types[2];
  mma.c = types[3];
}

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

MatrixMultiply ptxjit::ptx::decodeMma(MmaOp op) {
  SmallVector<StringRef, 16> tokens;
  op.getInstruction().split(tokens, '.');
  MatrixMultiply mma;
  mma.isWmma = tokens.front() == "wmma";
  SmallVector<MatrixType, 4> types;
  SmallVector<bool, 2> layouts;
  bool isSparse = false, scaled = false;
  for (StringRef token : ArrayRef(tokens).drop_front()) {
    unsigned m, n, k;
    if (readShape(token, m, n, k)) {
      mma.m = m;
      mma.n = n;
      mma.k = k;
    } else if (std::optional<MatrixType> type = typeOf(token)) {
      types.push_back(*type);
    } else if (token == "row" || token == "col") {
      layouts.push_back(token == "col");
    } else if (token == "rn" || token == "rz" || token == "rm" ||
               token == "rp") {
      mma.rounding = *symbolizeRounding(token);
    } else if (token == "xor" || token == "and") {
      mma.bitOp = *symbolizeBoolOp(token);
    } else if (token.consume_front("scale_vec::")) {
      mma.scales = unsigned(token.front() - '0');
    } else if (isScaleType(token)) {
      mma.scalesAreUE4M3 = token == "ue4m3";
    }
    mma.saturates |= token == "satfinite";
    isSparse |= token == "sp" || token == "sp::ordered_metadata";
    scaled |= token == "block_scale";
    mma.bytePerElement |= token == "kind::f8f6f4" || token == "kind::mxf8f6f4";
  }
  readTypes(types, mma);
  mma.aIsCol = layouts.size() > 0 && layouts[0];
  mma.bIsRow = layouts.size() > 1 && !layouts[1];
  if (isSparse)
    mma.sparsity = sparsityOf(mma);
  // What stands for no `.scale_vec`.
  if (scaled && !mma.scales)
    mma.scales = mma.bytePerElement ? 1 : 2;
  return mma;
}

unsigned MatrixMultiply::bitsOf(MatrixType type) const {
  unsigned bits = widthOf(type);
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

MatrixMove ptxjit::ptx::decodeMatrixMove(StringRef instruction) {
  SmallVector<StringRef, 8> tokens;
  instruction.split(tokens, '.');
  MatrixMove move;
  for (StringRef token : tokens) {
    if (token == "x1" || token == "x2" || token == "x4")
      move.count = unsigned(token[1] - '0');
    else if (token == "b8")
      move.format = MatrixMove::B8;
    else if (token == "b6x16_p32")
      move.format = MatrixMove::B6;
    else if (token == "b4x16_p64")
      move.format = MatrixMove::B4;
    else if (token.starts_with("shared"))
      move.space = *symbolizeSpace(token);
    // The other shapes (m8n8, m8n16; m16n8 of bytes, transposed) are 8 rows of
    // 16 bytes in memory.
    if (token == "m16n16")
      move.rows = 16;
    move.transposes |= token == "trans";
  }
  return move;
}

WmmaMove ptxjit::ptx::decodeWmmaMove(StringRef instruction) {
  SmallVector<StringRef, 10> tokens;
  instruction.split(tokens, '.');
  WmmaMove move;
  move.operand = tokens[2] == "a"   ? WmmaMove::A
                 : tokens[2] == "b" ? WmmaMove::B
                                    : WmmaMove::C;
  for (StringRef token : tokens) {
    unsigned m, n, k;
    if (readShape(token, m, n, k)) {
      move.m = m;
      move.n = n;
      move.k = k;
    } else if (std::optional<MatrixType> type = typeOf(token)) {
      move.type = *type;
    } else if (token == "global" || token.starts_with("shared")) {
      move.space = *symbolizeSpace(token);
    }
    move.isCol |= token == "col";
  }
  move.registers = move.parts();
  if (move.operand != WmmaMove::C && move.type == MatrixType::F16)
    move.registers = 8;
  return move;
}

unsigned WmmaMove::elementBits() const { return widthOf(type); }
unsigned WmmaMove::parts() const {
  unsigned bits = elementBits();
  return rows() * cols() * bits / 32 / (bits == 64 ? 64 : 32);
}
