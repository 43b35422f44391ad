//===- ShapeArithmetic.cpp - integer operations on shapes -----------------===//

#include "ShapeRange.h"

#include "llvm/Support/MathExtras.h"

using namespace ptxjit;

void Shape::setKnown(unsigned bits, uint64_t value) {
  knownBits = std::min(bits, 63u);
  low = value & llvm::maskTrailingOnes<uint64_t>(knownBits);
}

Shape ShapeAnalysis::add(const Shape &a, const Shape &b, unsigned width,
                         int sign) {
  Shape shape;
  __int128 blo = sign > 0 ? __int128(b.min) : -__int128(b.max);
  __int128 bhi = sign > 0 ? __int128(b.max) : -__int128(b.min);
  setRange(shape, a.min + blo, a.max + bhi, width);
  if (a.isVarying() || b.isVarying())
    return shape;
  shape.uniformity = std::max(a.uniformity, b.uniformity);
  shape.conditional = a.conditional || b.conditional;
  shape.setKnown(std::min(a.knownBits, b.knownBits),
                 sign > 0 ? a.low + b.low : a.low - b.low);
  LanePattern pattern{};
  for (unsigned i = 0; i < 32; ++i) {
    __int128 p = __int128(a.pattern ? (*a.pattern)[i] : 0) +
                 sign * __int128(b.pattern ? (*b.pattern)[i] : 0);
    if (p > (int64_t(1) << 40) || p < -(int64_t(1) << 40))
      return Shape();
    pattern[i] = int64_t(p);
  }
  shape.pattern = intern(pattern);
  return shape;
}

Shape ShapeAnalysis::scale(const Shape &a, int64_t factor, unsigned width) {
  Shape shape;
  __int128 x = __int128(a.min) * factor, y = __int128(a.max) * factor;
  setRange(shape, std::min(x, y), std::max(x, y), width);
  if (a.isVarying())
    return shape;
  shape.uniformity = a.uniformity;
  shape.conditional = a.conditional;
  shape.setKnown(factor ? a.knownBits + llvm::countr_zero(uint64_t(factor))
                        : 63,
                 a.low * uint64_t(factor));
  LanePattern pattern{};
  for (unsigned i = 0; i < 32; ++i) {
    __int128 p = __int128(a.pattern ? (*a.pattern)[i] : 0) * factor;
    if (p > (int64_t(1) << 40) || p < -(int64_t(1) << 40))
      return Shape();
    pattern[i] = int64_t(p);
  }
  shape.pattern = intern(pattern);
  return shape;
}

Shape ShapeAnalysis::multiply(const Shape &a, const Shape &b, unsigned width) {
  if (b.isUniform() && b.min == b.max)
    return scale(a, b.min, width);
  if (a.isUniform() && a.min == a.max)
    return scale(b, a.min, width);
  Shape shape;
  __int128 corners[] = {__int128(a.min) * b.min, __int128(a.min) * b.max,
                        __int128(a.max) * b.min, __int128(a.max) * b.max};
  auto [lo, hi] = std::minmax_element(corners, corners + 4);
  setRange(shape, *lo, *hi, width);
  if (!a.isUniform() || !b.isUniform())
    return shape;
  shape.uniformity = std::max(a.uniformity, b.uniformity);
  shape.setKnown(a.baseAlign() + b.baseAlign(), 0);
  return shape;
}

Shape ShapeAnalysis::truncate(const Shape &a, unsigned width) {
  Shape shape = a;
  setRange(shape, a.min, a.max, width);
  return shape;
}

bool ShapeAnalysis::mayWrap(const Shape &a, unsigned width, bool isSigned) {
  if (!a.pattern)
    return false;
  int64_t reach = 0;
  for (int64_t p : *a.pattern)
    reach = std::max(reach, std::abs(p));
  // value(0) = base. If all values lie closer together than one wrap, adding
  // the pattern to the widened base cannot be off by a multiple of 2^width.
  bool close = __int128(a.max) - a.min + reach < (__int128(1) << width);
  return !close || (!isSigned && a.min < 0);
}

/// Sign or zero extension from `width` bits.
Shape ShapeAnalysis::widen(const Shape &a, unsigned width, bool isSigned) {
  Shape shape = a;
  if (!isSigned && a.min < 0) {
    shape.min = 0;
    shape.max = width >= 63 ? INT64_MAX : (int64_t(1) << width) - 1;
  }
  shape.conditional |= mayWrap(a, width, isSigned);
  if (width < 63 && a.knownBits >= width) {
    uint64_t value = a.low & llvm::maskTrailingOnes<uint64_t>(width);
    shape.setKnown(63, isSigned ? uint64_t(llvm::SignExtend64(value, width))
                                : value);
  }
  return shape;
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

/// The low `bits` bits of each lane, if the pattern does not carry beyond them:
/// then the bits above are those of the base.
static bool lowParts(const Shape &s, unsigned bits,
                     std::array<uint64_t, 32> &parts) {
  uint64_t mask = llvm::maskTrailingOnes<uint64_t>(bits);
  for (unsigned i = 0; i < 32; ++i) {
    __int128 x = __int128(s.low & mask) + (s.pattern ? (*s.pattern)[i] : 0);
    if (x < 0 || x > __int128(mask))
      return false;
    parts[i] = uint64_t(x);
  }
  return true;
}

Shape ShapeAnalysis::shiftRight(const Shape &a, unsigned amount, unsigned width,
                                bool isSigned) {
  Shape shape;
  setFullRange(shape, width);
  if (isSigned || a.min >= 0) {
    shape.min = a.min >> std::min(amount, 63u);
    shape.max = a.max >> std::min(amount, 63u);
  } else if (amount > 0 && amount < width) {
    shape.min = 0;
    shape.max = int64_t((~uint64_t(0) >> (64 - width)) >> amount);
  }
  unsigned known = std::min(a.knownBits, width);
  if (a.isUniform()) {
    shape.uniformity = a.uniformity;
    if (known > amount && (known < width || a.min >= 0))
      shape.setKnown(known - amount, a.low >> amount);
    return shape;
  }
  std::array<uint64_t, 32> parts;
  if (a.isVarying() || a.conditional || known < amount || amount >= width ||
      (known == width && a.min < 0) || !lowParts(a, known, parts))
    return shape;
  uint64_t first = a.low >> amount;
  LanePattern pattern{};
  for (unsigned i = 0; i < 32; ++i)
    pattern[i] = int64_t((parts[i] >> amount) - first);
  shape.uniformity = a.uniformity;
  shape.pattern = intern(pattern);
  shape.setKnown(known - amount, first);
  return shape;
}

/// Bits of the result are those of `compute` on the same bits of `in`: of the
/// bases, and of what lies below what is unknown of them.
Shape ShapeAnalysis::bitwise(
    llvm::ArrayRef<Shape> in, unsigned width,
    llvm::function_ref<uint64_t(llvm::ArrayRef<uint64_t>)> compute) {
  Shape shape;
  setFullRange(shape, width);
  unsigned known = std::min(width, 63u);
  bool patterned = false;
  Uniformity uniformity = Uniformity::Grid;
  for (const Shape &s : in) {
    if (s.isVarying() || s.conditional)
      return shape;
    uniformity = std::max(uniformity, s.uniformity);
    known = std::min(known, s.knownBits);
    patterned |= s.pattern != nullptr;
  }
  llvm::SmallVector<std::array<uint64_t, 32>, 3> parts(in.size());
  for (auto [s, part] : llvm::zip(in, parts))
    if (patterned && !lowParts(s, known, part))
      return shape;
  uint64_t mask = llvm::maskTrailingOnes<uint64_t>(known);
  llvm::SmallVector<uint64_t, 3> operands;
  for (const Shape &s : in)
    operands.push_back(s.low & mask);
  uint64_t first = compute(operands) & mask;
  LanePattern pattern{};
  for (unsigned i = 0; patterned && i < 32; ++i) {
    for (auto [operand, part] : llvm::zip(operands, parts))
      operand = part[i];
    pattern[i] = int64_t((compute(operands) & mask) - first);
  }
  shape.uniformity = uniformity;
  shape.pattern = intern(pattern);
  shape.setKnown(known, first);
  return shape;
}

Shape ShapeAnalysis::bitAnd(const Shape &a, const Shape &b, unsigned width) {
  Shape shape = bitwise(
      {a, b}, width, [](llvm::ArrayRef<uint64_t> in) { return in[0] & in[1]; });
  // No larger than an operand that is not negative.
  for (const Shape &s : {a, b})
    if (s.min >= 0) {
      shape.min = 0;
      shape.max = shape.max < 0 ? s.max : std::min(shape.max, s.max);
    }
  // Zeros of one operand are known whatever the other has there.
  const Shape &more = a.knownBits > b.knownBits ? a : b;
  unsigned end = std::min({more.knownBits, width, 63u});
  if (shape.hasBase() && !more.pattern)
    while (shape.knownBits < end && !(more.low >> shape.knownBits & 1))
      ++shape.knownBits;
  return shape;
}
