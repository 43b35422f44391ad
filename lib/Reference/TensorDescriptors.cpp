//===- TensorDescriptors.cpp - ISA "matrix descriptors" -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorDescriptors.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;
using namespace ptxjit::reference;

static unsigned field(Bits bits, unsigned first, unsigned count) {
  return unsigned(bits >> first & ((Bits(1) << count) - 1));
}

//===----------------------------------------------------------------------===//
// Memories
//===----------------------------------------------------------------------===//

FailureOr<Bits> CoreMemory::readShared(Operation &op, uint64_t address,
                                       unsigned bit, unsigned bits) const {
  address += bit / 8;
  unsigned bytes = (bit % 8 + bits + 7) / 8;
  if (address + bytes > shared.size())
    return op.emitError() << "illegal memory access 0x"
                          << llvm::utohexstr(address, /*LowerCase=*/true)
                          << " of shared memory";
  Bits value = 0;
  for (unsigned i = 0; i < bytes; ++i)
    value |= Bits(shared[address + i]) << (8 * i);
  return field(value, bit % 8, bits);
}

LogicalResult CoreMemory::requireColumns(Operation &op, unsigned first,
                                         unsigned count) const {
  for (unsigned column = first; column < first + count; ++column)
    if (!tensor->isAllocated(column))
      return op.emitError()
             << "column " << column << " of tensor memory is not allocated";
  return success();
}

//===----------------------------------------------------------------------===//
// Instruction descriptor
//===----------------------------------------------------------------------===//

static bool isFourBit(MmaKind kind) {
  return kind == MmaKind::MXF4 || kind == MmaKind::MXF4NVF4;
}

/// ISA: the columns atype and btype of the tables of "instruction descriptor".
static std::optional<ElementFormat> formatOf(MmaKind kind, unsigned code) {
  using Format = ElementFormat;
  switch (kind) {
  case MmaKind::F16:
    if (code > 1)
      return std::nullopt;
    return Format{code ? MatrixType::BF16 : MatrixType::F16, 16, 16};
  case MmaKind::TF32:
    if (code != 2)
      return std::nullopt;
    return Format{MatrixType::TF32, 32, 32};
  case MmaKind::I8:
    if (code > 1)
      return std::nullopt;
    return Format{code ? MatrixType::S8 : MatrixType::U8, 8, 8};
  case MmaKind::MXF4:
  case MmaKind::MXF4NVF4:
    if (code != 1)
      return std::nullopt;
    return Format{MatrixType::E2M1, 4, 4};
  case MmaKind::F8F6F4:
  case MmaKind::MXF8F6F4:
    switch (code) {
    case 0:
      return Format{MatrixType::E4M3, 8, 8};
    case 1:
      return Format{MatrixType::E5M2, 8, 8};
    case 3:
      return Format{MatrixType::E2M3, 6, 8};
    case 4:
      return Format{MatrixType::E3M2, 6, 8};
    case 5:
      return Format{MatrixType::E2M1, 4, 8};
    default:
      return std::nullopt;
    }
  }
  llvm_unreachable("not a kind");
}

/// ISA: the column M of the table of "matrix shape".
static bool allowsM(const TensorMultiply &mma, const Instruction &i) {
  if (mma.isWeightStationary)
    return i.m == 32 || i.m == 64 || i.m == 128;
  if (i.k == 96)
    return mma.isForPair && i.m == 256 && !mma.isSparse;
  if (!mma.isForPair)
    return i.m == 128 || (i.m == 64 && !mma.scaleBlock);
  return i.m == 256 || (i.m == 128 && !(mma.scaleBlock && mma.isSparse));
}

/// ISA: the column N of that table, and the one of "transpose and negate
/// operations" for a transposed B of bytes.
static bool allowsN(const TensorMultiply &mma, const Instruction &i) {
  if (i.n == 0 || i.n > 256)
    return false;
  unsigned pair = mma.isForPair ? 2 : 1, step = 8 * pair;
  if (i.transposesB && i.b.pitch == 8)
    step = 16 * pair;
  if (mma.kind == MmaKind::I8 && (mma.isForPair || i.n > 32))
    step = 16 * pair;
  if (mma.isWeightStationary)
    return i.n == 64 || i.n == 128 || (i.n == 256 && !mma.isSparse);
  return i.n % step == 0;
}

const char *Instruction::decode(const TensorMultiply &mma, Bits bits) {
  if (field(bits, 2, 1) != unsigned(mma.isSparse))
    return "the sparsity of the instruction descriptor is not that of the "
           "instruction";
  if (field(bits, 6, 1))
    return "reserved bits of the instruction descriptor are set";
  auto formatOfA = formatOf(mma.kind, field(bits, 7, 3));
  auto formatOfB = formatOf(mma.kind, field(bits, 10, 3));
  if (!formatOfA || !formatOfB)
    return "the kind does not allow the types of the instruction descriptor";
  a = *formatOfA;
  b = *formatOfB;
  negatesA = field(bits, 13, 1);
  negatesB = field(bits, 14, 1);
  transposesA = field(bits, 15, 1);
  transposesB = field(bits, 16, 1);
  n = field(bits, 17, 6) * 8;
  // A row of a stored A has 32 bytes, but for the K of 96.
  k = 256 / a.pitch * (mma.isSparse ? 2 : 1);
  const char *fault =
      mma.scaleBlock ? decodeScaled(mma, bits) : decodeUnscaled(mma, bits);
  if (fault)
    return fault;
  if (!allowsM(mma, *this))
    return "the instruction does not allow this M";
  if (!allowsN(mma, *this))
    return "the instruction does not allow this N";
  if (mma.shiftsRows && m != 128 && m != 256)
    return "rows are shifted of an M of 128 or 256 only";
  return nullptr;
}

const char *Instruction::decodeUnscaled(const TensorMultiply &mma, Bits bits) {
  bool isInteger = mma.kind == MmaKind::I8;
  if (field(bits, 23, 1) || field(bits, 29, 1) ||
      (!isInteger && field(bits, 3, 1)))
    return "reserved bits of the instruction descriptor are set";
  if (isInteger && (negatesA || negatesB))
    return "integers cannot be negated";
  selector = mma.isSparse ? field(bits, 0, 2) : 0;
  if (selector && a.pitch == 8)
    return "the kind requires the sparsity selector 0";
  saturates = field(bits, 3, 1);
  m = field(bits, 24, 5) * 16;
  unsigned code = field(bits, 4, 2);
  bool isHalf = code == 0 && mma.kind != MmaKind::TF32 && !isInteger;
  if (code != (isInteger ? 2 : 1) && !isHalf)
    return "the kind does not allow the type of D";
  typeOfD = isInteger ? MatrixType::S32
            : isHalf  ? MatrixType::F16
                      : MatrixType::F32;
  if (isHalf && (a.type == MatrixType::BF16 || b.type == MatrixType::BF16))
    return "a D of f16 requires an A and a B of f16";
  return nullptr;
}

const char *Instruction::decodeScaled(const TensorMultiply &mma, Bits bits) {
  bool isLong = field(bits, 31, 1);
  if (field(bits, 0, 2) || field(bits, 3, 1) || field(bits, 24, 3) ||
      (isLong && !isFourBit(mma.kind)))
    return "reserved bits of the instruction descriptor are set";
  if (isFourBit(mma.kind) && (transposesA || transposesB))
    return "the kind does not allow transposed matrices";
  m = field(bits, 27, 2) * 128;
  if (isLong)
    k = 96;
  scaleIdOfB = field(bits, 4, 2);
  scaleIdOfA = field(bits, 29, 2);
  scalesAreE4M3 = !field(bits, 23, 1);
  if (scalesAreE4M3 && (mma.kind != MmaKind::MXF4NVF4 || mma.scaleBlock != 16))
    return "the kind or its scale vector does not allow scale factors of ue4m3";
  // The factors of a row are in 1, 2 or 4 bytes of a cell; those of a K of 96
  // may begin anywhere, or at halves.
  unsigned factors = isLong                 ? (mma.scaleBlock == 16 ? 2 : 1)
                     : mma.scaleBlock == 16 ? 4
                     : isFourBit(mma.kind)  ? 2
                                            : 1;
  if (scaleIdOfA % factors || scaleIdOfB % factors)
    return "the scale vector does not allow this number of a scale factor";
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Shared memory descriptor
//===----------------------------------------------------------------------===//

namespace {
/// The swizzling modes of a descriptor.
enum Swizzle : unsigned {
  kNone = 0,
  k128BytesBy32 = 1,
  k128Bytes = 2,
  k64Bytes = 4,
  k32Bytes = 6
};
} // namespace

SharedTile::SharedTile(Bits descriptor, ElementFormat format, bool isAcross)
    : descriptor(descriptor), start(uint64_t(field(descriptor, 0, 14)) << 4),
      leading(uint64_t(field(descriptor, 16, 14)) << 4),
      stride(uint64_t(field(descriptor, 32, 14)) << 4),
      base(field(descriptor, 49, 3)), mode(field(descriptor, 61, 3)),
      isAbsolute(field(descriptor, 52, 1)), format(format), isAcross(isAcross) {
}

const char *SharedTile::findFault(unsigned bytesOfK) const {
  if (field(descriptor, 46, 3) != 1 || field(descriptor, 53, 8) != 0)
    return "fixed bits of a matrix descriptor have other values";
  if (mode == 3 || mode == 5 || mode == 7)
    return "a matrix descriptor has an invalid swizzling mode";
  // ISA: "transpose and negate operations".
  if (isAcross && (format.pitch == 32) != (mode == k128BytesBy32))
    return "a transposed matrix of this type does not allow the swizzling mode";
  // ISA: "restrictions on the leading dimension absolute address stride".
  if (isAbsolute &&
      (bytesOfK != 48 || isAcross || mode != k128Bytes || base != 0))
    return "a matrix descriptor must not have an absolute leading dimension";
  return nullptr;
}

/// The bytes that the pattern mixes; 16 without a pattern.
unsigned SharedTile::width() const {
  switch (mode) {
  case kNone:
    return 16;
  case k32Bytes:
    return 32;
  case k64Bytes:
    return 64;
  default:
    return 128;
  }
}

/// Returns where bytes are relative to the first ones, before they are
/// swizzled. An atom is 8 rows of `width()` bytes, or 4.
uint64_t SharedTile::offsetOf(unsigned row, unsigned byte) const {
  unsigned rows = isAcross && mode == k128BytesBy32 ? 4 : 8;
  uint64_t inAtom = uint64_t(row % rows) * width() + byte % width();
  uint64_t nextRows = stride, nextBytes = leading;
  if (isAcross && mode == kNone)
    std::swap(nextRows, nextBytes);
  // The ISA does not use the leading dimension of swizzled K-major tiles. Only
  // a B twice as wide as the pattern gets there, which is chosen to go on in
  // the next atom.
  return row / rows * nextRows + byte / width() * nextBytes + inAtom;
}

/// The pattern moves units of 16 or 32 bytes within rows of 128. Its rows are
/// those of memory. ISA: the base offset is that of the pattern's first row, so
/// it has to be subtracted to count the rows of the pattern.
uint64_t SharedTile::swizzle(uint64_t address) const {
  uint64_t row = (address >> 7) - base;
  switch (mode) {
  case k128BytesBy32:
    return address ^ (row & 3) << 5;
  case k128Bytes:
    return address ^ (row & 7) << 4;
  case k64Bytes:
    return address ^ (row & 3) << 4;
  case k32Bytes:
    return address ^ (row & 1) << 4;
  default:
    return address;
  }
}

uint64_t SharedTile::unitAt(unsigned row, unsigned byte) const {
  // ISA: "absolute address mode for K dimension being 48B". What does not fit
  // into 128 bytes of a row is at the start of a row of the second buffer.
  uint64_t inRow = start % 128 + byte;
  if (isAbsolute && inRow >= 128)
    return swizzle(leading + offsetOf(row, unsigned(inRow - 128)));
  return swizzle(start + offsetOf(row, byte));
}

FailureOr<Bits> SharedTile::read(Operation &op, const CoreMemory &memory,
                                 unsigned mn, unsigned k) const {
  // ISA: "packing formats": elements of 4 and 6 bits are packed and, if their
  // pitch is a byte, padded to 16 bytes.
  unsigned row = isAcross ? k : mn, along = isAcross ? mn : k;
  unsigned each = 128 / format.pitch;
  return memory.readShared(op, unitAt(row, along / each * 16),
                           along % each * format.bits, format.bits);
}

//===----------------------------------------------------------------------===//
// Zero-column mask descriptor
//===----------------------------------------------------------------------===//

const char *ZeroColumns::findFault() const {
  if (field(descriptor, 36, 3))
    return "reserved bits of a zero-column mask descriptor are set";
  if (shift() > (parts == 4 ? 16u : 32u))
    return "a zero-column mask descriptor shifts the columns too far";
  return nullptr;
}

/// A part of the mask is runs of zeros and of ones by turns. By the ISA's
/// examples zeros, columns that are used, are "use span" + 1, and ones are
/// "skip span" + 1; its table has it the other way round.
bool ZeroColumns::isZero(unsigned n) const {
  if (!field(descriptor, 39, 1))
    return false;
  unsigned part = n / columns;
  unsigned ones = field(descriptor, 40, 8) + 1;
  unsigned zeros = field(descriptor, 48, 8) + 1;
  unsigned skipped = field(descriptor, 8 * part, 8);
  unsigned at = (n % columns + skipped) % (zeros + ones);
  bool startsWithOnes = field(descriptor, 32 + part, 1);
  return startsWithOnes ? at < ones : at >= zeros;
}
