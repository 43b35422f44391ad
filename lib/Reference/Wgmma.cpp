//===- Wgmma.cpp - ISA "asynchronous warpgroup level matrix" --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each warp of a warpgroup multiplies its 16 rows of A by B as soon as its
// lanes have come, which the ISA allows. So a wait for groups has nothing to
// wait for but the other warps. Sums are those of Matrix.cpp.
//
//===----------------------------------------------------------------------===//

#include "MatrixNumbers.h"

#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;
using namespace ptxjit::reference;

//===----------------------------------------------------------------------===//
// Matrices in shared memory
//===----------------------------------------------------------------------===//

namespace {
/// ISA: "matrix-descriptor-format", and the canonical layouts of
/// "asynchronous-warpgroup-level-matrix-shared-memory-layout".
class SharedMatrix {
public:
  /// \param bits      of an element.
  /// \param isAcross  whether elements that follow each other in memory are
  ///                  those along m or n ("MN-major"), not along k.
  SharedMatrix(Bits descriptor, unsigned bits, bool isAcross)
      : start((descriptor & 0x3fff) << 4),
        leading((descriptor >> 16 & 0x3fff) << 4),
        stride((descriptor >> 32 & 0x3fff) << 4),
        base(unsigned(descriptor >> 49 & 7)),
        mode(unsigned(descriptor >> 62 & 3)), bits(bits), isAcross(isAcross) {}

  /// Returns the address, in the CTA's window, of the byte that the element
  /// starts in. `mn` is its row of A or column of B.
  uint64_t addressOf(unsigned mn, unsigned k) const {
    uint64_t address = start + offsetOf(mn, k);
    // The pattern moves units of 16 bytes within rows of 128. Its rows are
    // those of memory, so it does not matter where in the pattern the matrix
    // starts. ISA: the base offset is that of the pattern's first row, bits 9:7
    // of the address where the pattern starts, unless that is a multiple of the
    // pattern's size. So it is what has to be subtracted to count the rows of
    // the pattern.
    uint64_t row = (address >> 7) - base;
    return address ^ (row & (width() / 16 - 1)) << 4;
  }

private:
  /// The bytes that the pattern mixes; 16 without a pattern.
  unsigned width() const {
    return mode == 0 ? 16 : mode == 1 ? 128 : mode == 2 ? 64 : 32;
  }
  /// Returns where an element is relative to the first one, before its address
  /// is swizzled. An atom is 8 rows (of `isAcross` 8 values of k) of
  /// `width()` bytes.
  uint64_t offsetOf(unsigned mn, unsigned k) const {
    unsigned row = isAcross ? k : mn;
    unsigned byte = (isAcross ? mn : k) * bits / 8;
    uint64_t inAtom = row % 8 * width() + byte % width();
    uint64_t nextRows = stride, nextBytes = leading;
    if (isAcross && mode == 0)
      std::swap(nextRows, nextBytes);
    return row / 8 * nextRows + byte / width() * nextBytes + inAtom;
  }

  uint64_t start, leading, stride; ///< bytes
  unsigned base, mode, bits;
  bool isAcross;
};
} // namespace

/// Returns an element of a matrix in the CTA's shared memory, or fails after a
/// diagnostic.
FailureOr<Bits> Cta::sharedElement(Operation &op, uint64_t address,
                                   unsigned bits, unsigned k) {
  uint64_t bytes = (bits + 7) / 8;
  if (address + bytes > uint64_t(program.sharedEnd) + launch.dynamicShared)
    return op.emitError() << "illegal memory access 0x"
                          << llvm::utohexstr(address, /*LowerCase=*/true)
                          << " of shared memory";
  Bits value = loadBits(reinterpret_cast<uint64_t>(&shared[address]), bytes);
  return bits == 1 ? value >> (k % 8) & 1 : value;
}

//===----------------------------------------------------------------------===//
// Multiplication
//===----------------------------------------------------------------------===//

namespace {
/// The part of a `ptx.wgmma` that one warp computes.
class WarpRows {
public:
  WarpRows(WgmmaOp op, Members lanes)
      : op(op), mma(op.getMultiply()), lanes(lanes), a(16 * mma.k),
        b(mma.k * mma.n), kept(16 * mma.k, !mma.isSparse) {}

  /// Reads an element of shared memory, as `Cta::sharedElement` does.
  using Reader = llvm::function_ref<FailureOr<Bits>(uint64_t, unsigned k)>;
  /// \param firstRow  the warp's first row of A in memory.
  LogicalResult read(unsigned firstRow, Reader reader);
  /// Returns register `reg` of D in `lane`.
  Bits result(unsigned lane, unsigned reg) const;

private:
  /// Returns the number of an operand among the inputs.
  unsigned indexOf(Value v) const {
    return unsigned(llvm::find(op->getOperands(), v) -
                    op->getOperands().begin());
  }
  /// Returns an operand that is the same in all lanes; 0 if the form has none.
  Bits uniform(Value v) const {
    for (Thread *t : lanes)
      if (t && v)
        return t->waitInputs[indexOf(v)];
    return 0;
  }
  static float valueOf(MatrixType type, Bits bits) {
    bool isInteger = type == MatrixType::S8 || type == MatrixType::U8 ||
                     type == MatrixType::B1;
    return isInteger ? float(integerOf(type, bits)) : numberOf(type, bits);
  }
  unsigned storedK() const { return mma.isSparse ? mma.k / 2 : mma.k; }
  /// Puts a stored element of A where its metadata says.
  void putA(unsigned row, unsigned storedK, Bits bits);
  Bits codeOf(unsigned row, unsigned chunk) const;
  LogicalResult readA(unsigned firstRow, Reader reader);
  LogicalResult readB(Reader reader);
  Bits sumOf(unsigned row, unsigned col, Bits c) const;

  WgmmaOp op;
  WgmmaMultiply mma;
  Members lanes;
  /// Rows of A and columns of B, each of `mma.k` elements. (f32 can hold the
  /// integers, too.)
  std::vector<float> a, b;
  std::vector<bool> kept;
};
} // namespace

LogicalResult WarpRows::read(unsigned firstRow, Reader reader) {
  if (mma.descriptorOfA && failed(readA(firstRow, reader)))
    return failure();
  for (unsigned lane = 0; lane < 32 && !mma.descriptorOfA; ++lane) {
    // The fragment is that of `mma`: pairs of 8 rows, then the next columns.
    unsigned each = 32 / mma.bits(), first = indexOf(mma.a.front());
    for (unsigned i = 0; i < 4 * each; ++i) {
      unsigned reg = i / each;
      putA(lane / 4 + 8 * (reg % 2),
           each * (lane % 4) + i % each + 4 * each * (reg / 2),
           elementOf(lanes, lane, first, mma.bits(), i));
    }
  }
  return readB(reader);
}

LogicalResult WarpRows::readA(unsigned firstRow, Reader reader) {
  SharedMatrix matrix(uniform(mma.descriptorOfA), mma.bits(),
                      uniform(mma.layoutOfA) & 1);
  for (unsigned row = 0; row < 16; ++row)
    for (unsigned k = 0; k < storedK(); ++k) {
      FailureOr<Bits> bits = reader(matrix.addressOf(firstRow + row, k), k);
      if (failed(bits))
        return failure();
      putA(row, k, *bits);
    }
  return success();
}

LogicalResult WarpRows::readB(Reader reader) {
  SharedMatrix matrix(uniform(mma.descriptorOfB), mma.bits(),
                      uniform(mma.layoutOfB) & 1);
  for (unsigned col = 0; col < mma.n; ++col)
    for (unsigned k = 0; k < mma.k; ++k) {
      FailureOr<Bits> bits = reader(matrix.addressOf(col, k), k);
      if (failed(bits))
        return failure();
      b[col * mma.k + k] = valueOf(mma.typeOfB, *bits);
    }
  return success();
}

/// Returns the 4 bits of metadata of a chunk: of 4 elements, or of 2 of tf32.
/// ISA: "asynchronous-warpgroup-level-matrix-instructions-wgmma-mma-async-sp".
Bits WarpRows::codeOf(unsigned row, unsigned chunk) const {
  unsigned thread, bit;
  if (mma.bits() == 8) {
    // A register has 8 chunks of a row. The selector has to be 0.
    thread = row / 8 + chunk / 8 * 2;
    bit = chunk % 8 * 4;
  } else {
    // A register has 4 chunks of a row, and 4 of the row 8 below. The selector
    // has to be 0 or 1; its low bit counts.
    thread = unsigned(uniform(mma.selector) & 1) * 2 + chunk / 4;
    bit = chunk % 4 * 4 + row / 8 * 16;
  }
  return elementOf(lanes, row % 8 * 4 + thread, indexOf(mma.metadata), 32, 0) >>
             bit &
         15;
}

void WarpRows::putA(unsigned row, unsigned storedK, Bits bits) {
  unsigned k = storedK;
  if (mma.isSparse && mma.bits() == 32)
    k = storedK * 2 + unsigned(codeOf(row, storedK) >> 1 & 1);
  else if (mma.isSparse) // the low two bits are those of the first element
    k = storedK / 2 * 4 +
        unsigned(codeOf(row, storedK / 2) >> (storedK % 2 * 2) & 3);
  // The factors of both matrices negate the product.
  bool isNegated = (uniform(mma.factorOfA) ^ uniform(mma.factorOfB)) >> 63;
  float value = valueOf(mma.typeOfA, bits);
  a[row * mma.k + k] = isNegated ? -value : value;
  kept[row * mma.k + k] = true;
}

Bits WarpRows::sumOf(unsigned row, unsigned col, Bits c) const {
  const float *x = &a[row * mma.k], *y = &b[col * mma.k];
  if (mma.isInteger()) {
    int64_t sum = int32_t(c);
    for (unsigned k = 0; k < mma.k; ++k)
      if (kept[row * mma.k + k])
        sum += int64_t(x[k]) * int64_t(y[k]);
    if (mma.saturates)
      sum = std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX);
    return Bits(sum) & 0xffffffff;
  }
  float sum = numberOf(
      mma.typeOfD == MatrixType::F16 ? MatrixType::F16 : MatrixType::F32, c);
  for (unsigned k = 0; k < mma.k; ++k)
    if (kept[row * mma.k + k])
      sum = std::fma(x[k], y[k], sum);
  return resultBits(mma.typeOfD, sum);
}

Bits WarpRows::result(unsigned lane, unsigned reg) const {
  bool isHalf = mma.typeOfD == MatrixType::F16;
  unsigned each = isHalf ? 2 : 1;
  bool accumulates = uniform(mma.accumulates) & 1;
  Bits bits = 0;
  for (unsigned e = 0; e < each; ++e) {
    // Two neighbours, the two 8 rows below, then 8 columns on.
    unsigned i = reg * each + e;
    unsigned row = lane / 4 + 8 * (i / 2 % 2);
    unsigned col = i / 4 * 8 + lane % 4 * 2 + i % 2;
    Bits c = accumulates ? elementOf(lanes, lane, 0, isHalf ? 16 : 32, i) : 0;
    bits |= sumOf(row, col, c) << (16 * e);
  }
  return bits;
}

LogicalResult Cta::multiplyWarpgroup(WgmmaOp op, Members lanes) {
  unsigned bits = op.getMultiply().bits(), warp = 0;
  for (Thread *t : lanes)
    if (t)
      warp = t->linear / 32;
  WarpRows rows(op, lanes);
  auto reader = [&](uint64_t address, unsigned k) {
    return sharedElement(*op, address, bits, k);
  };
  if (failed(rows.read(warp % 4 * 16, reader)))
    return failure();
  for (unsigned lane = 0; lane < 32; ++lane)
    for (auto [reg, result] : llvm::enumerate(op.getD()))
      if (lanes[lane])
        set(*lanes[lane], result, rows.result(lane, unsigned(reg)));
  return success();
}

//===----------------------------------------------------------------------===//
// Waits
//===----------------------------------------------------------------------===//

/// ISA: "wgmma.wait_group". All threads of a warpgroup that have not exited
/// have to come. A CTA's last warpgroup may have fewer warps.
bool Cta::resolveWarpgroups() {
  constexpr size_t size = 128;
  bool any = false;
  for (size_t first = 0; first < threads.size(); first += size) {
    llvm::MutableArrayRef<Thread> group(threads);
    group = group.slice(first, std::min(size, threads.size() - first));
    Operation *at = nullptr;
    bool complete = true;
    for (Thread &t : group) {
      if (t.state == Thread::Done)
        continue;
      complete &= t.state == Thread::Waiting && isa<WgmmaWaitOp>(t.waitsAt) &&
                  (!at || t.waitsAt == at);
      at = t.waitsAt;
    }
    if (!complete || !at)
      continue;
    any = true;
    for (Thread &t : group)
      if (t.state == Thread::Waiting)
        t.state = Thread::Running;
  }
  return any;
}
