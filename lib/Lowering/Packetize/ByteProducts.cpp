//===- ByteProducts.cpp - sums of products of bytes, per chunk ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quantised networks spend their time in dp4a, a sum of four products. CPUs
// have an instruction for it, though not for all signs of the bytes.
//
//===----------------------------------------------------------------------===//

#include "Dispatch.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "ptxjit/Dialect/PtxOps.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;
using Results = llvm::SmallVectorImpl<Value>;

namespace {

/// The operands of dp4a: c + a.byte[0] * b.byte[0] + ... + a.byte[3] *
/// b.byte[3].
struct Dp4a {
  Value a, b, c;
  bool signedA, signedB;
};

/// For any CPU: four products of 32 bits.
Value dp4aByBytes(ChunkBuilder &c, const Dp4a &dp) {
  auto byteOf = [&](Value x, unsigned i, bool s) {
    return c.shrBy(c.shlBy(x, 24 - 8 * i), 24, s);
  };
  Value sum = dp.c;
  for (unsigned i = 0; i < 4; ++i)
    sum = c.add(
        sum, c.mul(byteOf(dp.a, i, dp.signedA), byteOf(dp.b, i, dp.signedB)));
  return sum;
}

/// As vectors of integers of `width` bits, four or two for each lane.
Value castParts(ChunkBuilder &c, Value x, unsigned width) {
  auto type = VectorType::get(c.lanes * 32 / width, c.b.getIntegerType(width));
  return c.make<LLVM::BitcastOp>(type, x);
}

/// By pmaddwd, which adds products of two signed numbers of 16 bits: the even
/// bytes, and the odd ones.
Value dp4aByPairs(ChunkBuilder &c, const Dp4a &dp) {
  StringRef name = c.lanes == 16  ? "llvm.x86.avx512.pmaddw.d.512"
                   : c.lanes == 8 ? "llvm.x86.avx2.pmadd.wd"
                                  : "llvm.x86.sse2.pmadd.wd";
  ChunkBuilder words(c.b, c.loc, c.target, 2 * c.lanes);
  auto half = [&](Value x, bool odd, bool s) {
    Value pair = castParts(c, x, 16);
    return words.shrBy(odd ? pair : words.shlBy(pair, 8), 8, s);
  };
  Value sum = dp.c;
  for (bool odd : {false, true})
    sum = c.add(sum, c.intrinsic(name, dp.c.getType(),
                                 {half(dp.a, odd, dp.signedA),
                                  half(dp.b, odd, dp.signedB)}));
  return sum;
}

/// By VNNI's vpdpbusd, whose first bytes are unsigned and the second ones
/// signed. With the other sign a byte x is x' - 128 or x' + 128, where x' has
/// the topmost bit inverted; what that adds for all four bytes is a product
/// with bytes of 128 or -128.
Value dp4aByVnni(ChunkBuilder &c, Dp4a dp) {
  std::string name = "llvm.x86.avx512.vpdpbusd." + std::to_string(32 * c.lanes);
  auto product = [&](Value sum, Value a, Value b) {
    return c.intrinsic(name, dp.c.getType(),
                       {sum, castParts(c, a, 8), castParts(c, b, 8)});
  };
  if (dp.signedA && !dp.signedB) {
    std::swap(dp.a, dp.b);
    std::swap(dp.signedA, dp.signedB);
  }
  Value zero = c.intConstant(32, 0), tops = c.intConstant(32, 0x80808080);
  if (dp.signedA)
    return c.sub(product(dp.c, c.bitXor(dp.a, tops), dp.b),
                 product(zero, tops, dp.b));
  if (!dp.signedB)
    return c.sub(product(dp.c, dp.a, c.bitXor(dp.b, tops)),
                 product(zero, dp.a, tops));
  return product(dp.c, dp.a, dp.b);
}

/// sum + a * b by an instruction of NEON, of four lanes each.
Value dotByNeon(ChunkBuilder &c, StringRef instruction, Value sum, Value a,
                Value b) {
  std::string name =
      ("llvm.aarch64.neon." + instruction + ".v4i32.v16i8").str();
  ChunkBuilder four(c.b, c.loc, c.target, 4);
  Value all = sum;
  for (unsigned first = 0; first < c.lanes; first += 4) {
    auto part = [&](Value x) {
      return c.make<LLVM::vector_extract>(four.ints(32), x, first);
    };
    Value sums = four.intrinsic(
        name, four.ints(32),
        {part(sum), castParts(four, part(a), 8), castParts(four, part(b), 8)});
    all = c.make<LLVM::vector_insert>(all, sums, first);
  }
  return all;
}

/// By NEON's udot, sdot or usdot. Without usdot, an unsigned byte x is x' +
/// 128, where x' has the topmost bit inverted and is signed.
Value dp4aByNeon(ChunkBuilder &c, Dp4a dp) {
  if (dp.signedA == dp.signedB)
    return dotByNeon(c, dp.signedA ? "sdot" : "udot", dp.c, dp.a, dp.b);
  if (dp.signedA)
    std::swap(dp.a, dp.b);
  if (c.target.neonMixedDots)
    return dotByNeon(c, "usdot", dp.c, dp.a, dp.b);
  Value zero = c.intConstant(32, 0), tops = c.intConstant(32, 0x80808080);
  return c.sub(dotByNeon(c, "sdot", dp.c, c.bitXor(dp.a, tops), dp.b),
               dotByNeon(c, "sdot", zero, tops, dp.b));
}

/// Is a value put together from parts, as the bytes of a pixel are? LLVM then
/// multiplies the parts without putting them together.
bool isJoined(Value value) { return value.getDefiningOp<PackOp>(); }

LogicalResult emitDp4a(ChunkBuilder &c, Operation *op, ValueRange in,
                       Results &out) {
  auto raw = cast<Dp4aOp>(op);
  Dp4a dp = {in[0], in[1], in[2], isSignedInt(raw.getTy()),
             isSignedInt(raw.getTy2())};
  const KernelTarget &cpu = c.target;
  bool isVector = c.lanes >= 4;
  bool isWhole = isVector && !isJoined(raw.getA()) && !isJoined(raw.getB());
  out.push_back(isWhole && cpu.byteSums   ? dp4aByVnni(c, dp)
                : isWhole && cpu.pairSums ? dp4aByPairs(c, dp)
                : isWhole && cpu.neonDots ? dp4aByNeon(c, dp)
                                          : dp4aByBytes(c, dp));
  return success();
}

/// c + a.lo16 * b.byte[i] + a.hi16 * b.byte[i + 1]; i is 0 (.lo) or 2 (.hi).
LogicalResult emitDp2a(ChunkBuilder &c, Operation *raw, ValueRange in,
                       Results &out) {
  auto op = cast<Dp2aOp>(raw);
  bool signA = isSignedInt(op.getTy()), signB = isSignedInt(op.getTy2());
  unsigned first = op.getPart() == Part::Hi ? 16 : 0;
  auto field = [&](Value x, unsigned at, unsigned width, bool s) {
    return c.shrBy(c.shlBy(x, 32 - width - at), 32 - width, s);
  };
  Value d = in[2];
  for (unsigned i = 0; i < 2; ++i)
    d = c.add(d, c.mul(field(in[0], 16 * i, 16, signA),
                       field(in[1], first + 8 * i, 8, signB)));
  out.push_back(d);
  return success();
}

} // namespace

void ptxjit::addByteDotEmitters(Dispatch &dispatch) {
  dispatch.add<Dp4aOp>(emitDp4a);
  dispatch.add<Dp2aOp>(emitDp2a);
}
