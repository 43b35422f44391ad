//===- TensorCore.cpp - ISA "tcgen05.mma" ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Multiplications are done when they are issued, which the ISA allows. A lane
// of tensor memory multiplies what it holds itself: its part of A, and the
// copies of metadata and of scale factors in its 32 lanes. Sums are those of
// Matrix.cpp: one product after the other, each rounded to f32.
//
//===----------------------------------------------------------------------===//

#include "MatrixNumbers.h"
#include "TensorDescriptors.h"

#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;
using namespace ptxjit::reference;

namespace {
/// ISA: the table of "data path layout organization", for one CTA.
struct DataPath {
  unsigned rows;  ///< of A and of D
  unsigned parts; ///< Each copy of the rows has a part of the columns.
  /// Layouts F and C: 16 rows are in every second 16 lanes.
  bool isHalf;

  DataPath(const TensorMultiply &mma, unsigned m)
      : rows(m / (mma.isForPair ? 2 : 1)), parts(1), isHalf(false) {
    bool isSplit = mma.isWeightStationary || (mma.isForPair && !mma.isSparse);
    if (rows < 128 && isSplit)
      parts = 128 / rows;
    else
      isHalf = rows < 128;
  }
  /// Returns the row that a lane holds of a matrix that starts in `firstLane`.
  std::optional<unsigned> rowOf(unsigned lane, unsigned firstLane) const {
    if (!isHalf)
      return lane % rows;
    if (lane % 32 / 16 != firstLane / 16)
      return std::nullopt;
    return lane % 16 + lane / 32 * 16;
  }
  unsigned partOf(unsigned lane) const { return isHalf ? 0 : lane / rows; }
};

/// The operands of a multiplication; 0 for those it does not have.
struct Operands {
  Bits d, a, b, metadata, scaleA, scaleB, zeroColumns;
  SmallVector<Bits, 8> disabledLanes;
  bool accumulates;
  unsigned inputShift;
};

/// An element of A that takes part.
struct Element {
  unsigned k;
  double value;
};
using Row = std::vector<Element>;

/// A `ptx.tcgen05.mma` or `ptx.tcgen05.mma_tmem`.
class TensorProduct {
public:
  TensorProduct(Operation &op, const TensorMultiply &mma,
                const Instruction &instruction, const Operands &operands)
      : op(op), mma(mma), instruction(instruction), operands(operands),
        path(mma, instruction.m),
        tileOfA(operands.a, instruction.a, instruction.transposesA),
        tileOfB(operands.b, instruction.b, instruction.transposesB),
        zeroColumns(operands.zeroColumns, path.parts, columnsPerPart()),
        b(size_t(instruction.n) * instruction.k) {}

  /// Fails after a diagnostic if the ISA does not allow the operands.
  LogicalResult verify() const;
  /// Reads B, of which each CTA of a pair has half the columns.
  LogicalResult readB(llvm::ArrayRef<CoreMemory> ctas);
  /// Computes the part of D of the even or the odd CTA.
  LogicalResult multiply(const CoreMemory &cta, unsigned parity);

private:
  unsigned columnsPerPart() const { return instruction.n / path.parts; }
  unsigned storedK() const {
    return mma.isSparse ? instruction.k / 2 : instruction.k;
  }
  bool isDisabled(unsigned parity, unsigned lane) const {
    unsigned word = parity * 4 + lane / 32;
    return word < operands.disabledLanes.size() &&
           operands.disabledLanes[word] >> (lane % 32) & 1;
  }
  LogicalResult requireColumns(const CoreMemory &cta) const;
  FailureOr<Bits> storedA(const CoreMemory &cta, unsigned lane, unsigned row,
                          unsigned i) const;
  unsigned codeOf(const CoreMemory &cta, unsigned lane, unsigned chunk) const;
  unsigned placeOf(const CoreMemory &cta, unsigned lane, unsigned i) const;
  FailureOr<Row> readRow(const CoreMemory &cta, unsigned lane,
                         unsigned row) const;
  unsigned factorOf(unsigned k) const;
  FailureOr<double> scaleOf(const CoreMemory &cta, unsigned partition,
                            Bits address, unsigned byte, unsigned row,
                            unsigned rows) const;
  LogicalResult scaleA(const CoreMemory &cta, unsigned lane, unsigned row,
                       Row &elements) const;
  FailureOr<std::vector<double>> scaledB(const CoreMemory &cta,
                                         unsigned partition) const;
  uint32_t sumOf(const Row &row, const double *column, uint32_t c) const;

  Operation &op;
  const TensorMultiply &mma;
  const Instruction &instruction;
  const Operands &operands;
  DataPath path;
  SharedTile tileOfA, tileOfB;
  ZeroColumns zeroColumns;
  std::vector<double> b; ///< columns, of `instruction.k` elements each
};
} // namespace

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

LogicalResult TensorProduct::verify() const {
  unsigned lane = laneOf(operands.d);
  if (lane != 0 && !(path.isHalf && lane == 16))
    return op.emitError() << "D must not start in lane " << lane
                          << " of tensor memory";
  if (mma.aIsInTensorMemory && laneOf(operands.a) != lane)
    return op.emitError("A and D must start in the same lane");
  if (mma.kind == MmaKind::I8 ? operands.inputShift != 0
                              : operands.inputShift > 15)
    return op.emitError("the kind does not allow this factor of D");
  const char *fault =
      tileOfB.findFault(instruction.k * instruction.b.pitch / 8);
  if (!fault && mma.aIsInTensorMemory && instruction.transposesA)
    fault = "A, which is in tensor memory, is transposed";
  if (!fault && !mma.aIsInTensorMemory)
    fault = tileOfA.findFault(storedK() * instruction.a.pitch / 8);
  if (!fault)
    fault = zeroColumns.findFault();
  return fault ? op.emitError(fault) : success();
}

/// Of scale factors only those columns have to be allocated that are read.
LogicalResult TensorProduct::requireColumns(const CoreMemory &cta) const {
  if (failed(cta.requireColumns(op, columnOf(operands.d), columnsPerPart())))
    return failure();
  if (mma.aIsInTensorMemory &&
      failed(cta.requireColumns(op, columnOf(operands.a),
                                storedK() * instruction.a.pitch / 32)))
    return failure();
  if (!mma.isSparse)
    return success();
  return cta.requireColumns(op,
                            columnOf(operands.metadata) + instruction.selector,
                            instruction.a.pitch < 16 ? 2 : 1);
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// \param bytePerElement  whether an element of fewer bits is in a byte.
static double valueOf(MatrixType type, Bits bits, bool isNegated,
                      bool bytePerElement) {
  bool isInteger = type == MatrixType::S8 || type == MatrixType::U8;
  double value = isInteger ? double(integerOf(type, bits))
                           : numberOf(type, bits, bytePerElement);
  return isNegated ? -value : value;
}

LogicalResult TensorProduct::readB(llvm::ArrayRef<CoreMemory> ctas) {
  unsigned each = instruction.n / unsigned(ctas.size());
  for (unsigned n = 0; n < instruction.n; ++n)
    for (unsigned k = 0; k < instruction.k && !zeroColumns.isZero(n); ++k) {
      FailureOr<Bits> bits =
          tileOfB.read(op, ctas[n / each], n % each + zeroColumns.shift(), k);
      if (failed(bits))
        return failure();
      b[n * instruction.k + k] =
          valueOf(instruction.b.type, *bits, instruction.negatesB,
                  /*bytePerElement=*/false);
    }
  return success();
}

/// Reads element `i` of a stored row of A.
FailureOr<Bits> TensorProduct::storedA(const CoreMemory &cta, unsigned lane,
                                       unsigned row, unsigned i) const {
  if (!mma.aIsInTensorMemory)
    return tileOfA.read(op, cta, row, i);
  // ISA: `.ashift` shifts the rows, "except for the last row in the Tensor
  // Memory". Chosen: down is to lower lanes, as `tcgen05.shift` does it.
  if (mma.shiftsRows && lane + 1 < TensorMemory::kLanes)
    ++lane;
  unsigned bit = i * instruction.a.pitch;
  uint32_t cell =
      cta.tensor->cell(lane, columnOf(operands.a) + bit / 32) >> bit % 32;
  return cell & llvm::maskTrailingOnes<uint32_t>(instruction.a.pitch);
}

/// Returns the 4 bits of metadata of a chunk of the row in `lane`. ISA: the
/// figures of "sparsity selector".
unsigned TensorProduct::codeOf(const CoreMemory &cta, unsigned lane,
                               unsigned chunk) const {
  unsigned column = columnOf(operands.metadata), bit = chunk % 8 * 4;
  if (instruction.a.pitch < 16) {
    // A cell has half the chunks of its lane's row.
    column += chunk / 8;
  } else {
    // A cell has half the chunks of a row, and those of the row 8 below. The
    // other half is 8 lanes away.
    column += instruction.selector;
    bit = chunk % 4 * 4 + lane / 8 % 2 * 16;
    lane = lane / 16 * 16 + lane % 8 + chunk / 4 * 8;
  }
  return cta.tensor->cell(lane, column) >> bit & 15;
}

/// Returns the k of a stored element of A. ISA: "sparse matrices". A code has
/// two places in its chunk, that of the first stored element in the low bits.
unsigned TensorProduct::placeOf(const CoreMemory &cta, unsigned lane,
                                unsigned i) const {
  if (!mma.isSparse)
    return i;
  auto place = [&](unsigned kept) {
    return codeOf(cta, lane, kept / 2) >> (kept % 2 * 2) & 3;
  };
  switch (instruction.a.pitch) {
  case 32: // a place is that of 16 bits
    return i * 2 + (codeOf(cta, lane, i) >> 1 & 1);
  case 4: // a place is that of two elements
    return i / 4 * 8 + place(i / 2) * 2 + i % 2;
  default:
    return i / 2 * 4 + place(i);
  }
}

FailureOr<Row> TensorProduct::readRow(const CoreMemory &cta, unsigned lane,
                                      unsigned row) const {
  // ISA: "packing formats". In tensor memory an element has a byte at least,
  // but for the kinds whose elements all have 4 bits.
  bool bytePerElement = mma.aIsInTensorMemory && instruction.a.pitch == 8;
  Row elements;
  for (unsigned i = 0; i < storedK(); ++i) {
    FailureOr<Bits> bits = storedA(cta, lane, row, i);
    if (failed(bits))
      return failure();
    elements.push_back(
        {placeOf(cta, lane, i), valueOf(instruction.a.type, *bits,
                                        instruction.negatesA, bytePerElement)});
  }
  llvm::stable_sort(
      elements, [](const Element &x, const Element &y) { return x.k < y.k; });
  if (mma.scaleBlock && failed(scaleA(cta, lane, row, elements)))
    return failure();
  return elements;
}

//===----------------------------------------------------------------------===//
// Scale factors
//===----------------------------------------------------------------------===//

/// Returns the number of the scale factor of an element.
unsigned TensorProduct::factorOf(unsigned k) const {
  return k / (mma.scaleBlock * (mma.isSparse ? 2 : 1));
}

/// Returns a scale factor of a row of A or a column of B. ISA: "scale factor A
/// ID". A cell has factors of one row; the rows are in 32 lanes, then in the
/// next columns.
/// \param byte  its number among those of the row, from `address` on.
/// \param rows  of the matrix.
FailureOr<double> TensorProduct::scaleOf(const CoreMemory &cta,
                                         unsigned partition, Bits address,
                                         unsigned byte, unsigned row,
                                         unsigned rows) const {
  // Only a K of 96 has factors in a second cell, which is behind those of all
  // rows.
  unsigned next = unsigned(llvm::alignTo(rows, 128)) / 32;
  unsigned column = columnOf(address) + row / 32 + byte / 4 * next;
  if (failed(cta.requireColumns(op, column, 1)))
    return failure();
  uint32_t cell = cta.tensor->cell(partition * 32 + row % 32, column);
  unsigned code = cell >> (byte % 4 * 8) & 0xff;
  if (instruction.scalesAreE4M3) // without a sign
    return double(numberOf(MatrixType::E4M3, code & 0x7f));
  return code == 0xff ? NAN : std::ldexp(1.0, int(code) - 127);
}

LogicalResult TensorProduct::scaleA(const CoreMemory &cta, unsigned lane,
                                    unsigned row, Row &elements) const {
  for (Element &element : elements) {
    FailureOr<double> scale =
        scaleOf(cta, lane / 32, operands.scaleA,
                instruction.scaleIdOfA + factorOf(element.k), row, path.rows);
    if (failed(scale))
      return failure();
    element.value *= *scale;
  }
  return success();
}

/// Returns B as the 32 lanes of a partition see it: those of its columns that
/// they multiply by are scaled by their copy of the factors.
FailureOr<std::vector<double>>
TensorProduct::scaledB(const CoreMemory &cta, unsigned partition) const {
  std::vector<double> scaled = b;
  if (!mma.scaleBlock)
    return scaled;
  unsigned each = columnsPerPart();
  unsigned first = path.partOf(partition * 32) * each;
  for (unsigned n = 0; n < each; ++n)
    for (unsigned k = 0; k < instruction.k; ++k) {
      FailureOr<double> scale =
          scaleOf(cta, partition, operands.scaleB,
                  instruction.scaleIdOfB + factorOf(k), n, each);
      if (failed(scale))
        return failure();
      scaled[(first + n) * instruction.k + k] *= *scale;
    }
  return scaled;
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// Adds a product whose factors are exact. They are f32, but for those that
/// scale factors make too large.
static float addProduct(float sum, double x, double y) {
  auto isTooLarge = [](double x) {
    return std::isfinite(x) && !std::isfinite(float(x));
  };
  if (isTooLarge(x) || isTooLarge(y))
    return float(double(sum) + x * y);
  return std::fma(float(x), float(y), sum);
}

/// Returns a cell of D.
/// \param c  what it was before.
uint32_t TensorProduct::sumOf(const Row &row, const double *column,
                              uint32_t c) const {
  if (mma.kind == MmaKind::I8) {
    int64_t sum = operands.accumulates ? int32_t(c) : 0;
    for (auto [k, value] : row)
      sum += int64_t(value) * int64_t(column[k]);
    if (instruction.saturates)
      sum = std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX);
    return uint32_t(sum);
  }
  float sum = 0;
  if (operands.accumulates)
    sum =
        std::ldexp(numberOf(instruction.typeOfD, c), -int(operands.inputShift));
  for (auto [k, value] : row)
    sum = addProduct(sum, value, column[k]);
  return uint32_t(resultBits(instruction.typeOfD, sum));
}

LogicalResult TensorProduct::multiply(const CoreMemory &cta, unsigned parity) {
  if (failed(requireColumns(cta)))
    return failure();
  // All of A first, which D may overwrite.
  std::vector<Row> rows(TensorMemory::kLanes);
  for (unsigned lane = 0; lane < TensorMemory::kLanes; ++lane) {
    std::optional<unsigned> row = path.rowOf(lane, laneOf(operands.d));
    if (!row || isDisabled(parity, lane))
      continue;
    FailureOr<Row> elements = readRow(cta, lane, *row);
    if (failed(elements))
      return failure();
    rows[lane] = std::move(*elements);
  }
  unsigned each = columnsPerPart();
  for (unsigned partition = 0; partition < 4; ++partition) {
    FailureOr<std::vector<double>> columns = scaledB(cta, partition);
    if (failed(columns))
      return failure();
    for (unsigned i = 0; i < 32 * each; ++i) {
      unsigned lane = partition * 32 + i / each, n = i % each;
      if (rows[lane].empty())
        continue;
      uint32_t &cell = cta.tensor->cell(lane, columnOf(operands.d) + n);
      size_t column = path.partOf(lane) * each + n;
      cell = sumOf(rows[lane], &(*columns)[column * instruction.k], cell);
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The instruction
//===----------------------------------------------------------------------===//

LogicalResult Cta::multiplyTensors(Thread &t, Operation &op,
                                   const TensorMultiply &mma) {
  auto read = [&](Value v) { return v ? get(t, v) : 0; };
  Operands operands{read(mma.d),
                    read(mma.a),
                    read(mma.b),
                    read(mma.metadata),
                    read(mma.scaleA),
                    read(mma.scaleB),
                    read(mma.zeroColumns),
                    llvm::map_to_vector<8>(mma.disabledLanes, read),
                    bool(read(mma.accumulates) & 1),
                    unsigned(read(mma.inputShift))};
  Instruction instruction;
  if (const char *fault = instruction.decode(mma, read(mma.instruction)))
    return op.emitError(fault);
  FailureOr<std::vector<CoreMemory>> ctas = coresOf(op, mma.isForPair);
  if (failed(ctas))
    return failure();
  TensorProduct product(op, mma, instruction, operands);
  if (failed(product.verify()) || failed(product.readB(*ctas)))
    return failure();
  for (auto [parity, cta] : llvm::enumerate(*ctas))
    if (failed(product.multiply(cta, unsigned(parity))))
      return failure();
  return success();
}
