//===- ShapeArithmetic.cpp - integer operations on shapes -----------------===//

#include "ShapeRange.h"

#include "llvm/Support/MathExtras.h"

using namespace ptxjit;

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
  shape.baseAlign = std::min(a.baseAlign, b.baseAlign);
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
  shape.baseAlign =
      factor ? std::min<unsigned>(
                   a.baseAlign + llvm::countr_zero(uint64_t(factor)), 63)
             : 63;
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
  shape.baseAlign = std::min(a.baseAlign + b.baseAlign, 63u);
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
  return shape;
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
  if (a.isUniform()) {
    shape.uniformity = a.uniformity;
    return shape;
  }
  // Carry-free if the base has no bits below the shift and nothing wraps.
  if (a.isVarying() || a.conditional || a.baseAlign < amount || a.min < 0 ||
      amount >= width)
    return shape;
  LanePattern pattern{};
  for (unsigned i = 0; i < 32; ++i) {
    if ((*a.pattern)[i] < 0)
      return shape;
    pattern[i] = (*a.pattern)[i] >> amount;
  }
  shape.uniformity = a.uniformity;
  shape.pattern = intern(pattern);
  shape.baseAlign = a.baseAlign - amount;
  return shape;
}

Shape ShapeAnalysis::bitAnd(const Shape &a, uint64_t mask, unsigned width) {
  Shape shape;
  setFullRange(shape, width);
  if (width < 64 && mask >> (width - 1) == 0) {
    shape.min = 0;
    shape.max = int64_t(mask);
    if (a.min >= 0)
      shape.max = std::min(shape.max, a.max);
  }
  if (a.isUniform()) {
    shape.uniformity = a.uniformity;
    return shape;
  }
  // (base + p) & m = (base & m) + (p & m) if they share no bits: low masks.
  if (a.isVarying() || a.conditional || !llvm::isMask_64(mask) ||
      a.baseAlign < unsigned(llvm::countr_one(mask)))
    return shape;
  LanePattern pattern{};
  for (unsigned i = 0; i < 32; ++i) {
    if ((*a.pattern)[i] < 0)
      return shape;
    pattern[i] = (*a.pattern)[i] & int64_t(mask);
  }
  shape.uniformity = a.uniformity;
  shape.pattern = intern(pattern);
  shape.baseAlign = 63;
  return shape;
}
