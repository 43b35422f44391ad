//===- Matrix.cpp - ISA "warp-level matrix instructions" ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows the ISA's text: gathers matrices element by element, multiplies them
// by three loops, and distributes the result. Where the ISA leaves the order of
// sums open, it is that of k. Each product is added with one rounding to f32
// (f64: in the mode asked for).
//
//===----------------------------------------------------------------------===//

#include "MatrixNumbers.h"

#include <cmath>

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;
using namespace ptxjit::reference;
using llvm::APFloat;

namespace {
struct At {
  unsigned row, col;
};
} // namespace

//===----------------------------------------------------------------------===//
// Fragments
//===----------------------------------------------------------------------===//

/// ISA: the "row =, col =" lists of all shapes, in one formula. groupID selects
/// a row (of B a column), threadID_in_group the elements of a register.
/// Registers of A first advance by 8 rows, then by the columns of four threads.
static At placeOfA(const MatrixMultiply &mma, unsigned bits, unsigned lane,
                   unsigned i) {
  unsigned group = lane >> 2, thread = lane % 4;
  unsigned each = bits >= 32 ? 1 : 32 / bits, eights = mma.m / 8;
  unsigned reg = i / each;
  return {group + 8 * (reg % eights),
          each * thread + i % each + reg / eights * 4 * each};
}
static At placeOfB(const MatrixMultiply &mma, unsigned bits, unsigned lane,
                   unsigned i) {
  unsigned group = lane >> 2, thread = lane % 4;
  unsigned each = bits >= 32 ? 1 : 32 / bits, blocks = mma.k / (4 * each);
  unsigned reg = i / each;
  return {each * thread + i % each + reg % blocks * 4 * each,
          group + reg / blocks * 8};
}
/// Two neighbours of a row; then those 8 rows below, then 8 columns on.
static At placeOfC(const MatrixMultiply &mma, unsigned lane, unsigned i) {
  unsigned group = lane >> 2, thread = lane % 4;
  unsigned eights = mma.m / 8, tile = i / 2;
  return {group + 8 * (tile % eights), thread * 2 + i % 2 + tile / eights * 8};
}

/// ISA: the fragments of m8n8k4 of f16.
static unsigned quadOf(unsigned lane) { return lane % 16 / 4; }
static At quadPlaceOfA(const MatrixMultiply &mma, unsigned lane, unsigned i) {
  unsigned four = lane < 16 ? 0 : 4;
  return mma.aIsCol ? At{i % 4 + four, lane % 4} : At{lane % 4 + four, i};
}
static At quadPlaceOfB(const MatrixMultiply &mma, unsigned lane, unsigned i) {
  unsigned four = lane < 16 ? 0 : 4;
  return mma.bIsRow ? At{lane % 4, i + four} : At{i, lane % 4 + four};
}
static At quadPlaceOfC(MatrixType type, unsigned lane, unsigned i) {
  unsigned four = lane < 16 ? 0 : 4;
  if (type == MatrixType::F16)
    return {lane % 4 + four, i};
  return {(lane & 1) + (i & 2) + four, (i & 4) + (lane & 2) + (i & 1)};
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

static double scaleOf(bool isUE4M3, Bits code) {
  if (isUE4M3)
    return numberOf(MatrixType::E4M3, code & 0x7f);
  return code == 0xff ? NAN : std::ldexp(1.0, int(code) - 127);
}

//===----------------------------------------------------------------------===//
// Multiplication
//===----------------------------------------------------------------------===//

namespace {
/// One `mma` of a warp.
class Multiplication {
public:
  Multiplication(MmaOp op, Members lanes)
      : mma(op.getMultiply()), lanes(lanes), a(mma.m * mma.k), b(mma.k * mma.n),
        kept(mma.m * mma.k, true) {
    firstB = mma.aRegisters();
    firstC = firstB + mma.bRegisters();
    next = firstC + mma.cRegisters();
    read();
  }

  /// Returns register `reg` of D in `lane`.
  Bits result(unsigned lane, unsigned reg) const {
    unsigned each = mma.d == MatrixType::F16 ? 2 : 1;
    Bits bits = 0;
    for (unsigned e = 0; e < each; ++e) {
      unsigned i = reg * each + e;
      At at = mma.isQuadPair() ? quadPlaceOfC(mma.d, lane, i)
                               : placeOfC(mma, lane, i);
      bits |= element(lane, at) << (16 * e);
    }
    return bits;
  }

private:
  /// Returns an input that is the same in all lanes.
  Bits uniform(unsigned index) const {
    for (Thread *t : lanes)
      if (t)
        return t->waitInputs[index];
    return 0;
  }
  void read();
  void readSparse(unsigned bits);
  Bits codeOf(unsigned row, unsigned chunk, unsigned codesOfRow) const;
  Bits element(unsigned lane, At at) const;
  Bits floatElement(const Bits *rowOfA, const Bits *b, At at, Bits c) const;
  Bits integerElement(At at, Bits c) const;
  Bits doubleElement(At at, Bits c) const;
  Bits &inA(At at) { return a[at.row * mma.k + at.col]; }
  Bits &inB(At at) { return b[at.row * mma.n + at.col]; }

  MatrixMultiply mma;
  Members lanes;
  std::vector<Bits> a, b;
  std::vector<bool> kept;
  unsigned firstB, firstC, next;
};
} // namespace

void Multiplication::read() {
  if (mma.isQuadPair())
    return;
  unsigned bitsA = mma.bitsOf(mma.a), bitsB = mma.bitsOf(mma.b);
  for (unsigned lane = 0; lane < 32; ++lane) {
    unsigned each = bitsB >= 32 ? 1 : 32 / bitsB;
    for (unsigned i = 0; i < mma.bParts() * each; ++i)
      inB(placeOfB(mma, bitsB, lane, i)) =
          elementOf(lanes, lane, firstB, bitsB, i);
    each = bitsA >= 32 ? 1 : 32 / bitsA;
    for (unsigned i = 0;
         i < mma.aParts() * each && mma.sparsity == Sparsity::Dense; ++i)
      inA(placeOfA(mma, bitsA, lane, i)) = elementOf(lanes, lane, 0, bitsA, i);
  }
  if (mma.sparsity != Sparsity::Dense) {
    readSparse(bitsA);
    next += 2;
  }
}

/// Returns the 4 bits of metadata of a chunk. ISA: "mma.sp", the sparsity
/// selector.
Bits Multiplication::codeOf(unsigned row, unsigned chunk,
                            unsigned codesOfRow) const {
  Bits selector = uniform(next + 1);
  unsigned group = row % 8, thread, bit;
  if (mma.sparsity == Sparsity::Bytes) {
    // A register of metadata has 8 codes of one row.
    thread = codesOfRow == 8 ? unsigned(selector) * 2 + row / 8
                             : row / 8 + chunk / 8 * 2;
    bit = chunk % 8 * 4;
  } else {
    // A register of metadata has 4 codes of a row, and 4 of the row 8 below.
    thread = codesOfRow == 4 ? unsigned(selector)
                             : unsigned(selector) % 2 * 2 + chunk / 4;
    bit = chunk % 4 * 4 + row / 8 * 16;
  }
  return elementOf(lanes, group * 4 + thread, next, 32, 0) >> bit & 15;
}

void Multiplication::readSparse(unsigned bits) {
  std::fill(kept.begin(), kept.end(), false);
  // Elements of a unit, which is kept or dropped as a whole (a pair of 4-bit
  // elements).
  unsigned unit = bits == 4 ? 2 : 1;
  bool words = mma.sparsity == Sparsity::Words;
  unsigned chunkUnits = words ? 2 : 4, keptUnits = words ? 1 : 2;
  unsigned codesOfRow = mma.k / (chunkUnits * unit);
  for (unsigned lane = 0; lane < 32; ++lane) {
    unsigned each = bits >= 32 ? 1 : 32 / bits;
    for (unsigned i = 0; i < mma.aParts() * each; ++i) {
      At at = placeOfA(mma, bits, lane, i);
      unsigned keptUnit = at.col / unit, chunk = keptUnit / keptUnits;
      Bits code = codeOf(at.row, chunk, codesOfRow);
      unsigned index = words ? unsigned(code >> 1 & 1)
                             : unsigned(code >> (keptUnit % 2 * 2) & 3);
      at.col = (chunk * chunkUnits + index) * unit + at.col % unit;
      inA(at) = elementOf(lanes, lane, 0, bits, i);
      kept[at.row * mma.k + at.col] = true;
    }
  }
}

Bits Multiplication::doubleElement(At at, Bits c) const {
  APFloat sum = makeFloat(ScalarType::F64, c);
  for (unsigned k = 0; k < mma.k; ++k) {
    APFloat x = makeFloat(ScalarType::F64, a[at.row * mma.k + k]);
    x.fusedMultiplyAdd(makeFloat(ScalarType::F64, b[k * mma.n + at.col]), sum,
                       modeOf(mma.rounding));
    sum = x;
  }
  return bitsOf(sum);
}

Bits Multiplication::integerElement(At at, Bits c) const {
  int64_t sum = int32_t(c);
  for (unsigned k = 0; k < mma.k; ++k) {
    Bits x = a[at.row * mma.k + k], y = b[k * mma.n + at.col];
    if (mma.a == MatrixType::B1)
      sum += int64_t((mma.bitOp == BoolOp::And ? x & y : x ^ y) & 1);
    else if (kept[at.row * mma.k + k])
      sum += integerOf(mma.a, x) * integerOf(mma.b, y);
  }
  if (mma.saturates)
    sum = std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX);
  return Bits(sum) & 0xffffffff;
}

/// \param b  the elements of B's column.
Bits Multiplication::floatElement(const Bits *rowOfA, const Bits *b, At at,
                                  Bits c) const {
  unsigned parts = mma.scales ? mma.scales : 1;
  float sum = numberOf(mma.c == MatrixType::F16 ? mma.c : MatrixType::F32, c);
  double total = double(sum);
  for (unsigned part = 0; part < parts; ++part) {
    if (mma.scales)
      sum = 0;
    for (unsigned k = part * mma.k / parts; k < (part + 1) * mma.k / parts; ++k)
      if (mma.isQuadPair() || kept[at.row * mma.k + k])
        sum = std::fma(numberOf(mma.a, rowOfA[k], mma.bytePerElement),
                       numberOf(mma.b, b[k], mma.bytePerElement), sum);
    if (!mma.scales)
      continue;
    // ISA: byte-id and thread-id choose the lanes and bytes of the factors.
    unsigned byteA = unsigned(uniform(next + 1)) % 4 + part;
    unsigned laneA =
        at.row % 8 * 4 + unsigned(uniform(next + 2)) % 2 * 2 + at.row / 8;
    unsigned byteB = unsigned(uniform(next + 4)) % 4 + part;
    unsigned laneB = at.col * 4 + unsigned(uniform(next + 5)) % 4;
    double x =
        scaleOf(mma.scalesAreUE4M3, elementOf(lanes, laneA, next, 8, byteA));
    double y = scaleOf(mma.scalesAreUE4M3,
                       elementOf(lanes, laneB, next + 3, 8, byteB));
    total += double(sum) * (x * y);
  }
  return resultBits(mma.d, mma.scales ? float(total) : sum, mma.saturates);
}

Bits Multiplication::element(unsigned lane, At at) const {
  // Search C: its fragment differs from that of D if the types differ.
  unsigned bits = mma.c == MatrixType::F16 ? 16 : 32;
  Bits c = 0;
  for (unsigned l = 0; l < 32; ++l)
    for (unsigned i = 0; i < mma.cRegisters() * (32 / bits); ++i) {
      At place =
          mma.isQuadPair() ? quadPlaceOfC(mma.c, l, i) : placeOfC(mma, l, i);
      bool sameQuad = !mma.isQuadPair() || quadOf(l) == quadOf(lane);
      if (sameQuad && place.row == at.row && place.col == at.col)
        c = elementOf(lanes, l, firstC, mma.isF64() ? 64 : bits, i);
    }
  if (mma.isF64())
    return doubleElement(at, c);
  if (mma.isInteger())
    return integerElement(at, c);
  std::vector<Bits> row(mma.k), column(mma.k);
  for (unsigned k = 0; k < mma.k && !mma.isQuadPair(); ++k) {
    row[k] = a[at.row * mma.k + k];
    column[k] = b[k * mma.n + at.col];
  }
  for (unsigned l = 0; l < 32 && mma.isQuadPair(); ++l)
    for (unsigned i = 0; i < 4 && quadOf(l) == quadOf(lane); ++i) {
      At x = quadPlaceOfA(mma, l, i), y = quadPlaceOfB(mma, l, i);
      if (x.row == at.row)
        row[x.col] = elementOf(lanes, l, 0, 16, i);
      if (y.col == at.col)
        column[y.row] = elementOf(lanes, l, firstB, 16, i);
    }
  return floatElement(row.data(), column.data(), at, c);
}

//===----------------------------------------------------------------------===//
// Moves
//===----------------------------------------------------------------------===//

/// Returns the host address of a row of 16 bytes; `row` counts through all
/// matrices. Fails after a diagnostic.
FailureOr<uint64_t> Cta::matrixRow(Operation &op, Members lanes, Space space,
                                   unsigned row) {
  Thread *t = lanes[row];
  if (!t)
    return op.emitError("the lane that names a row's address is not there");
  return resolveAddress(*t, op, t->waitInputs[0], space, 0, 16);
}

/// Returns bits [bit, bit + bits) of a row of 16 bytes.
static Bits bitsOfRow(uint64_t address, unsigned bit, unsigned bits) {
  Bits low = loadBits(address + bit / 8, 1);
  Bits high = bit / 8 < 15 ? loadBits(address + bit / 8 + 1, 1) : 0;
  return (low | high << 8) >> (bit % 8) & ((Bits(1) << bits) - 1);
}

/// ISA: "ldmatrix".
LogicalResult Cta::loadMatrix(LdMatrixOp op, Members lanes) {
  MatrixMove move = op.getMove();
  unsigned bits = move.format == MatrixMove::B16  ? 16
                  : move.format == MatrixMove::B8 ? 8
                  : move.format == MatrixMove::B6 ? 6
                                                  : 4;
  unsigned slot = bits == 16 ? 16 : 8; // bits of an element in a register
  for (unsigned lane = 0; lane < 32; ++lane)
    for (auto [reg, result] : llvm::enumerate(op.getD())) {
      unsigned matrix = reg / move.registersEach();
      Bits value = 0;
      for (unsigned e = 0; e < 32 / slot; ++e) {
        // Four lanes share a row (if transposed, a column).
        unsigned along = lane % 4 * (32 / slot) + e;
        unsigned across = lane / 4 + reg % move.registersEach() * 8;
        unsigned row = move.transposes ? along : across;
        unsigned col = move.transposes ? across : along;
        FailureOr<uint64_t> address =
            matrixRow(*op, lanes, move.space, matrix * move.rows + row);
        if (failed(address))
          return failure();
        value |= bitsOfRow(*address, col * bits, bits) << (e * slot);
      }
      if (lanes[lane])
        set(*lanes[lane], result, value);
    }
  return success();
}

/// ISA: "stmatrix".
LogicalResult Cta::storeMatrix(StMatrixOp op, Members lanes) {
  MatrixMove move = op.getMove();
  unsigned bytes = move.format == MatrixMove::B16 ? 2 : 1;
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned matrix = 0; matrix < move.count && lanes[lane]; ++matrix)
      for (unsigned e = 0; e < 4 / bytes; ++e) {
        unsigned row = lane / 4, col = lane % 4 * 2 + e;
        if (bytes == 1) { // transposed m16n8: columns 8 apart
          row = lane % 4 * 2 + e % 2;
          col = lane / 4 + e / 2 * 8;
        } else if (move.transposes) {
          std::swap(row, col);
        }
        FailureOr<uint64_t> address =
            matrixRow(*op, lanes, move.space, matrix * 8 + row);
        if (failed(address))
          return failure();
        storeBits(*address + col * bytes, bytes,
                  lanes[lane]->waitInputs[1 + matrix] >> (8 * bytes * e));
      }
  return success();
}

/// ISA: "movmatrix".
void Cta::transposeMatrix(MovMatrixOp op, Members lanes) {
  for (unsigned lane = 0; lane < 32; ++lane) {
    Bits value = 0;
    for (unsigned h = 0; h < 2; ++h) {
      unsigned row = lane % 4 * 2 + h, col = lane / 4;
      value |= elementOf(lanes, row * 4 + col / 2, 0, 16, col % 2) << (16 * h);
    }
    if (lanes[lane])
      set(*lanes[lane], op.getD().front(), value);
  }
}

/// Returns the address of an element of a wmma operand, and the bit in it. The
/// fragment is that of mma, tile after tile; further registers of f16 are
/// copies.
FailureOr<std::pair<uint64_t, unsigned>>
Cta::wmmaElement(Operation &op, const WmmaMove &move, Thread &t, unsigned lane,
                 unsigned i, Bits stride) {
  MatrixMultiply shape;
  shape.m = move.m;
  shape.n = move.n;
  shape.k = move.k;
  shape.a = shape.b = move.type;
  if (move.type == MatrixType::F64)
    shape.d = MatrixType::F64;
  unsigned bits = move.elementBits(), each = bits >= 32 ? 1 : 32 / bits;
  At at;
  if (move.operand == WmmaMove::A)
    at = placeOfA(shape, bits, lane, i % (shape.aParts() * each));
  else if (move.operand == WmmaMove::B)
    at = placeOfB(shape, bits, lane, i % (shape.bParts() * each));
  else
    at = placeOfC(shape, lane, i);
  uint64_t element =
      move.isCol ? at.col * stride + at.row : at.row * stride + at.col;
  FailureOr<uint64_t> address =
      resolveAddress(t, op, t.waitInputs[0], move.space,
                     int64_t(element * bits / 8), std::max(bits / 8, 1u));
  if (failed(address))
    return failure();
  return std::pair(*address, unsigned(element * bits % 8));
}

/// ISA: "wmma.load", "wmma.store".
LogicalResult Cta::moveWmma(Operation &op, Members lanes) {
  auto st = dyn_cast<WmmaStoreOp>(op);
  WmmaMove move = st ? st.getMove() : cast<WmmaLoadOp>(op).getMove();
  unsigned bits = move.elementBits(), each = bits >= 32 ? 1 : 32 / bits;
  unsigned strideAt = 1 + (st ? move.registers() : 0);
  for (unsigned lane = 0; lane < 32; ++lane) {
    Thread *t = lanes[lane];
    for (unsigned reg = 0; reg < move.registers() && t; ++reg) {
      Bits stride = t->waitInputs.size() > strideAt ? t->waitInputs[strideAt]
                    : move.isCol                    ? move.rows()
                                                    : move.cols();
      Bits value = 0;
      for (unsigned e = 0; e < each; ++e) {
        auto place = wmmaElement(op, move, *t, lane, reg * each + e, stride);
        if (failed(place))
          return failure();
        auto [address, bit] = *place;
        if (st)
          storeBits(address, bits / 8,
                    t->waitInputs[1 + reg] >> (bits < 32 ? e * bits : 0));
        else
          value |=
              (bits < 8 ? loadBits(address, 1) >> bit & ((Bits(1) << bits) - 1)
                        : loadBits(address, bits / 8))
              << (e * bits);
      }
      if (!st)
        set(*t, op.getResult(reg), value);
    }
  }
  return success();
}

LogicalResult Cta::matrix(Operation &op, Members lanes) {
  if (auto mma = dyn_cast<MmaOp>(op)) {
    Multiplication product(mma, lanes);
    for (unsigned lane = 0; lane < 32; ++lane)
      for (auto [reg, result] : llvm::enumerate(mma.getD()))
        if (lanes[lane])
          set(*lanes[lane], result, product.result(lane, unsigned(reg)));
    return success();
  }
  if (auto wgmma = dyn_cast<WgmmaOp>(op))
    return multiplyWarpgroup(wgmma, lanes);
  if (auto ld = dyn_cast<LdMatrixOp>(op))
    return loadMatrix(ld, lanes);
  if (auto st = dyn_cast<StMatrixOp>(op))
    return storeMatrix(st, lanes);
  if (auto mov = dyn_cast<MovMatrixOp>(op))
    return transposeMatrix(mov, lanes), success();
  return moveWmma(op, lanes);
}
