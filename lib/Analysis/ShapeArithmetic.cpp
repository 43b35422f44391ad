//===- ShapeArithmetic.cpp - integer operations on shapes -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShapeRange.h"
#include "ShapeRules.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

void Shape::setKnown(unsigned bits, uint64_t value) {
  knownBits = std::min(bits, 63u);
  low = value & llvm::maskTrailingOnes<uint64_t>(knownBits);
}

Shape Shape::uniform(Uniformity at, int64_t min, int64_t max) {
  Shape shape;
  shape.uniformity = at;
  shape.min = min;
  shape.max = max;
  if (min == max)
    shape.setKnown(63, uint64_t(min));
  return shape;
}

Shape Shape::varying(int64_t min, int64_t max) {
  Shape shape;
  shape.min = min;
  shape.max = max;
  return shape;
}

//===----------------------------------------------------------------------===//
// Shapes found so far
//===----------------------------------------------------------------------===//

ShapeInference::ShapeInference(const ShapeContext &context) : context(context) {
  if (context.lanes == 1)
    unknown.uniformity = Uniformity::Warp;
}

const Shape &ShapeInference::get(Value value) const {
  auto it = shapes.find(value);
  return it == shapes.end() ? unknown : it->second;
}

bool ShapeInference::set(Value value, Shape shape) {
  auto [it, fresh] = shapes.try_emplace(value, shape);
  if (!fresh && it->second == shape)
    return false;
  it->second = shape;
  return true;
}

std::optional<uint32_t> ShapeInference::getLanes(Value predicate) const {
  auto it = predicates.find(predicate);
  if (it == predicates.end())
    return std::nullopt;
  return it->second;
}

void ShapeInference::setLanes(Value predicate, std::optional<uint32_t> lanes) {
  if (lanes)
    predicates[predicate] = *lanes;
  else
    predicates.erase(predicate);
}

const LanePattern *ShapeInference::intern(const LanePattern &pattern) {
  if (llvm::all_of(pattern, [](int64_t p) { return p == 0; }))
    return nullptr;
  return &*patterns.insert(pattern).first;
}

//===----------------------------------------------------------------------===//
// Joining shapes
//===----------------------------------------------------------------------===//

Shape ShapeInference::merge(ValueRange operands) {
  Shape shape;
  SmallVector<Shape, 4> same; // in groups of lanes with equal values
  for (Value v : operands) {
    same.push_back(regroup(get(v), 0));
    bool isUnknown = same.back().isVarying() && !same.back().groups;
    if (isUnknown || same.back().conditional)
      return shape;
  }
  setJoint(shape, same);
  return shape;
}

/// The pattern of a value that has shape `a` on one path and `b` on another, if
/// all lanes take the same path. Null if there is none. A uniform shape does
/// not count, because it is often that of a placeholder.
static const LanePattern *likelyPattern(const Shape &a, const Shape &b) {
  auto patternOf = [](const Shape &s) {
    return s.hasBase() ? s.pattern : s.likely;
  };
  if (a.isUniform() || b.isUniform())
    return patternOf(a.isUniform() ? b : a);
  return patternOf(a) == patternOf(b) ? patternOf(a) : nullptr;
}

Shape ShapeInference::join(const Shape &a, const Shape &b, Uniformity at) {
  Shape shape;
  shape.min = std::min(a.min, b.min);
  shape.max = std::max(a.max, b.max);
  unsigned known = std::min(a.knownBits, b.knownBits);
  if (a.low != b.low)
    known = std::min<unsigned>(known, llvm::countr_zero(a.low ^ b.low));
  if (a.pattern != b.pattern || at == Uniformity::Lane ||
      a.isVarying() != b.isVarying() || a.groups != b.groups ||
      (a.isVarying() && !a.groups)) {
    shape.likely = likelyPattern(a, b);
    return shape;
  }
  shape.setKnown(known, a.low);
  shape.groups = a.groups;
  shape.uniformity = std::max({a.uniformity, b.uniformity, at});
  shape.pattern = a.pattern;
  shape.conditional = a.conditional || b.conditional;
  shape.parted = a.parted || b.parted;
  return shape;
}

//===----------------------------------------------------------------------===//
// Sums and products
//===----------------------------------------------------------------------===//

Shape ShapeInference::add(const Shape &a, const Shape &b, unsigned width,
                          int sign) {
  Shape shape;
  __int128 blo = sign > 0 ? __int128(b.min) : -__int128(b.max);
  __int128 bhi = sign > 0 ? __int128(b.max) : -__int128(b.min);
  setRange(shape, a.min + blo, a.max + bhi, width);
  setJoint(shape, {a, b});
  if (!shape.hasBase() && !shape.hasGroups())
    return shape;
  shape.conditional = a.conditional || b.conditional;
  shape.parted = a.parted || b.parted;
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

Shape ShapeInference::scale(const Shape &a, int64_t factor, unsigned width) {
  Shape shape;
  __int128 x = __int128(a.min) * factor, y = __int128(a.max) * factor;
  setRange(shape, std::min(x, y), std::max(x, y), width);
  setJoint(shape, {a});
  if (!shape.hasBase() && !shape.hasGroups())
    return shape;
  shape.conditional = a.conditional;
  shape.parted = a.parted;
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

Shape ShapeInference::multiply(const Shape &a, const Shape &b, unsigned width) {
  if (b.isUniform() && b.min == b.max)
    return scale(a, b.min, width);
  if (a.isUniform() && a.min == a.max)
    return scale(b, a.min, width);
  Shape shape;
  __int128 corners[] = {__int128(a.min) * b.min, __int128(a.min) * b.max,
                        __int128(a.max) * b.min, __int128(a.max) * b.max};
  auto [lo, hi] = std::minmax_element(corners, corners + 4);
  setRange(shape, *lo, *hi, width);
  if (!a.isUniform() || !b.isUniform()) {
    if (a.conditional || b.conditional)
      return shape;
    setJoint(shape, {regroup(a, 0), regroup(b, 0)});
    return shape;
  }
  shape.uniformity = std::max(a.uniformity, b.uniformity);
  shape.setKnown(a.baseAlign() + b.baseAlign(), 0);
  return shape;
}

Shape ShapeInference::truncate(const Shape &a, unsigned width) {
  Shape shape = a;
  setRange(shape, a.min, a.max, width);
  return shape;
}

/// Computes the low `bits` bits of the value in each lane. Fails if adding the
/// pattern carries beyond these bits. If it succeeds, all lanes have the higher
/// bits of the base.
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

bool ShapeAnalysis::mayWrap(const Shape &a, unsigned width, bool isSigned) {
  std::array<uint64_t, 32> parts;
  if (!a.pattern || lowParts(a, std::min(a.knownBits, width - 1), parts))
    return false;
  int64_t reach = 0;
  for (int64_t p : *a.pattern)
    reach = std::max(reach, std::abs(p));
  // If all values lie within less than 2^width of each other, the widened base
  // plus the pattern cannot be off by a multiple of 2^width.
  bool close = __int128(a.max) - a.min + reach < (__int128(1) << width);
  return !close || (!isSigned && a.min < 0);
}

/// Sign or zero extension from `width` bits.
static Shape extend(const Shape &a, unsigned width, bool isSigned) {
  Shape shape = a;
  if (!isSigned && a.min < 0) {
    shape.min = 0;
    shape.max = width >= 63 ? INT64_MAX : (int64_t(1) << width) - 1;
  }
  shape.conditional |= ShapeAnalysis::mayWrap(a, width, isSigned);
  if (width < 63 && a.knownBits >= width) {
    uint64_t value = a.low & llvm::maskTrailingOnes<uint64_t>(width);
    shape.setKnown(63, isSigned ? uint64_t(llvm::SignExtend64(value, width))
                                : value);
  }
  return shape;
}

Shape ShapeInference::widen(WideningOpInterface op, unsigned operand) {
  auto widenings = op.getWidenings();
  auto *widening = llvm::find_if(
      widenings, [&](const Widening &w) { return w.operand == operand; });
  assert(widening != widenings.end() && "the op does not state this widening");
  Value value = op->getOperand(operand);
  return extend(get(value), widthOf(value), widening->isSigned);
}

//===----------------------------------------------------------------------===//
// Groups of lanes
//===----------------------------------------------------------------------===//

Shape ShapeInference::regroup(const Shape &a, unsigned bits) {
  Shape shape;
  shape.min = a.min;
  shape.max = a.max;
  if (a.isVarying() && !a.groups)
    return shape;
  shape.conditional = a.conditional;
  shape.parted = a.parted;
  bits = std::min(bits, a.knownBits);
  if (a.isUniform() && bits == 0) {
    shape.uniformity = a.uniformity;
    return shape;
  }
  uint64_t mask = llvm::maskTrailingOnes<uint64_t>(bits);
  // Move the low `bits` bits of the base to the pattern, and no more.
  int64_t low = int64_t(a.low & mask);
  std::array<std::pair<int64_t, int64_t>, 32> keys;
  LanePattern groups{}, pattern{};
  bool isOne = true;
  for (unsigned i = 0; i < 32; ++i) {
    int64_t x = low + (a.pattern ? (*a.pattern)[i] : 0);
    pattern[i] = x & int64_t(mask);
    keys[i] = {a.groups && a.isVarying() ? (*a.groups)[i] : 0,
               x & ~int64_t(mask)};
    groups[i] =
        std::find(keys.begin(), keys.begin() + i, keys[i]) - keys.begin();
    isOne &= groups[i] == 0;
  }
  shape.pattern = intern(pattern);
  shape.setKnown(bits, 0);
  shape.groups = isOne ? nullptr : intern(groups);
  if (isOne)
    shape.uniformity = a.hasBase() ? a.uniformity : Uniformity::Warp;
  return shape;
}

/// The groups of a value that depends on all of `in`: two lanes are in one
/// group if they are so in each of `in`. Null if all lanes are in one group.
const LanePattern *ShapeInference::jointGroups(llvm::ArrayRef<Shape> in) {
  LanePattern joint{};
  for (unsigned i = 0; i < 32; ++i) {
    auto isTogether = [&](unsigned j) {
      return llvm::all_of(in, [&](const Shape &s) {
        return s.hasBase() || (*s.groups)[i] == (*s.groups)[j];
      });
    };
    unsigned j = 0;
    while (!isTogether(j))
      ++j;
    joint[i] = j;
  }
  return intern(joint);
}

void ShapeInference::setJoint(Shape &shape, llvm::ArrayRef<Shape> in) {
  Uniformity uniformity = Uniformity::Grid;
  for (const Shape &s : in) {
    if (s.isVarying() && !s.groups)
      return;
    uniformity = std::max(uniformity, s.uniformity);
  }
  shape.uniformity = uniformity;
  if (uniformity != Uniformity::Lane)
    return;
  const auto *varying =
      llvm::find_if(in, [](const Shape &s) { return s.isVarying(); });
  bool same = llvm::all_of(in, [&](const Shape &s) {
    return s.hasBase() || s.groups == varying->groups;
  });
  shape.groups = same ? varying->groups : jointGroups(in);
}

/// If the values of all groups are known numbers, gives the lanes one base.
Shape ShapeInference::ungroup(const Shape &a, unsigned width) {
  if (!a.hasGroups() || a.conditional || width >= 64 || a.knownBits < width)
    return a;
  Shape shape = a;
  int64_t first = a.pattern ? (*a.pattern)[0] : 0;
  LanePattern pattern{};
  for (unsigned i = 0; a.pattern && i < 32; ++i)
    pattern[i] = (*a.pattern)[i] - first;
  shape.pattern = intern(pattern);
  shape.groups = nullptr;
  shape.uniformity = Uniformity::Grid;
  shape.setKnown(63, a.low + uint64_t(first));
  return shape;
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

Shape ShapeInference::shiftRight(const Shape &a, unsigned amount,
                                 unsigned width, bool isSigned) {
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
  if (a.conditional || amount >= width || (known == width && a.min < 0))
    return shape;
  if (a.isVarying() || known < amount || !lowParts(a, known, parts)) {
    // A regrouped pattern is below 2^known and the base is a multiple of that,
    // so base and pattern can be shifted separately.
    Shape grouped = regroup(a, known);
    setJoint(shape, {grouped});
    if (shape.isVarying() && !shape.groups)
      return shape;
    LanePattern pattern{};
    for (unsigned i = 0; grouped.pattern && i < 32; ++i)
      pattern[i] = (*grouped.pattern)[i] >> amount;
    shape.pattern = intern(pattern);
    shape.setKnown(known > amount ? known - amount : 0, 0);
    return shape;
  }
  uint64_t first = a.low >> amount;
  LanePattern pattern{};
  for (unsigned i = 0; i < 32; ++i)
    pattern[i] = int64_t((parts[i] >> amount) - first);
  shape.uniformity = a.uniformity;
  shape.pattern = intern(pattern);
  shape.setKnown(known - amount, first);
  return shape;
}

namespace {
/// The bits of a value. Those of `open` depend on the base, and are the same in
/// all lanes; the others are known for each lane.
struct LaneBits {
  uint64_t open = 0;
  std::array<uint64_t, kWarpLanes> known{};
};
} // namespace

/// Tells bits of the base from those of the offsets. Nothing if an offset is
/// negative, or may carry into bits of the base.
static std::optional<LaneBits> splitBits(const Shape &s) {
  if (!s.hasBase() || s.conditional || s.min < 0)
    return std::nullopt;
  assert((!s.pattern || (*s.pattern)[0] == 0) && "lane 0's value is the base");
  LaneBits bits;
  // Base and offset are at most `max`, so their sum does not wrap around. It is
  // the value of a lane, and at most `max`, too.
  uint64_t mostOfBase = uint64_t(s.max);
  for (unsigned i = 0; s.pattern && i < kWarpLanes; ++i) {
    int64_t offset = (*s.pattern)[i];
    if (offset < 0 || offset > s.max)
      return std::nullopt;
    bits.known[i] = uint64_t(offset);
    mostOfBase = std::min(mostOfBase, uint64_t(s.max - offset));
  }
  uint64_t low = llvm::maskTrailingOnes<uint64_t>(s.knownBits);
  bits.open =
      llvm::maskTrailingOnes<uint64_t>(llvm::bit_width(mostOfBase)) & ~low;
  for (uint64_t &lane : bits.known) {
    if (lane & (bits.open | (s.low & low)))
      return std::nullopt;
    lane |= s.low & low;
  }
  return bits;
}

/// A bitwise operation on values with one base each, where the offsets of no
/// operand reach into open bits of any: the offsets of the result are known.
static std::optional<Shape>
bitwiseOfBases(llvm::ArrayRef<Shape> in, unsigned width,
               llvm::function_ref<uint64_t(llvm::ArrayRef<uint64_t>)> compute,
               ShapeInference &inference) {
  Shape shape;
  setFullRange(shape, width);
  shape.uniformity = Uniformity::Grid;
  llvm::SmallVector<LaneBits, 3> bits;
  uint64_t open = 0;
  for (const Shape &s : in) {
    std::optional<LaneBits> split = splitBits(s);
    if (!split)
      return std::nullopt;
    open |= split->open;
    bits.push_back(*split);
    shape.uniformity = std::max(shape.uniformity, s.uniformity);
  }
  std::array<uint64_t, kWarpLanes> known;
  uint64_t most = 0;
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    llvm::SmallVector<uint64_t, 3> operands;
    for (const LaneBits &operand : bits) {
      if ((operand.known[i] ^ operand.known[0]) & open)
        return std::nullopt;
      operands.push_back(operand.known[i]);
    }
    known[i] =
        compute(operands) & ~open & llvm::maskTrailingOnes<uint64_t>(width);
    most = std::max(most, known[i] | open);
  }
  if (most <= uint64_t(fullRange(width).second)) {
    shape.min = 0;
    shape.max = int64_t(most);
  }
  LanePattern pattern{};
  for (unsigned i = 0; i < kWarpLanes; ++i)
    pattern[i] = int64_t(known[i] - known[0]);
  shape.pattern = inference.intern(pattern);
  shape.setKnown(open ? llvm::countr_zero(open) : 63, known[0]);
  return shape;
}

/// Bits above the known ones follow from the bases alone. The known low bits of
/// the result are computed for each lane.
Shape ShapeInference::bitwise(
    llvm::ArrayRef<Shape> in, unsigned width,
    llvm::function_ref<uint64_t(llvm::ArrayRef<uint64_t>)> compute) {
  Shape shape;
  setFullRange(shape, width);
  unsigned known = std::min(width, 63u);
  bool patterned = false;
  Uniformity uniformity = Uniformity::Grid;
  for (const Shape &s : in) {
    if (s.isVarying() || s.conditional)
      return bitwiseOfGroups(in, width, compute);
    uniformity = std::max(uniformity, s.uniformity);
    known = std::min(known, s.knownBits);
    patterned |= s.pattern != nullptr;
  }
  llvm::SmallVector<std::array<uint64_t, 32>, 3> parts(in.size());
  for (auto [s, part] : llvm::zip(in, parts))
    if (patterned && !lowParts(s, known, part)) {
      auto ofBases = bitwiseOfBases(in, width, compute, *this);
      return ofBases ? *ofBases : bitwiseOfGroups(in, width, compute);
    }
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

Shape ShapeInference::bitwiseOfGroups(
    llvm::ArrayRef<Shape> in, unsigned width,
    llvm::function_ref<uint64_t(llvm::ArrayRef<uint64_t>)> compute) {
  Shape shape;
  setFullRange(shape, width);
  unsigned known = std::min(width, 63u);
  for (const Shape &s : in)
    known = std::min(known, s.knownBits);
  llvm::SmallVector<Shape, 3> grouped;
  for (const Shape &s : in)
    grouped.push_back(regroup(s, known));
  setJoint(shape, grouped);
  // Operands that have one base each are conditional here.
  if (!shape.hasGroups())
    return Shape::varying(shape.min, shape.max);
  for (const Shape &s : in) {
    shape.conditional |= s.conditional;
    shape.parted |= s.parted;
  }
  LanePattern pattern{};
  uint64_t mask = llvm::maskTrailingOnes<uint64_t>(known);
  llvm::SmallVector<uint64_t, 3> operands(in.size());
  for (unsigned i = 0; i < 32; ++i) {
    for (auto [operand, s] : llvm::zip(operands, grouped))
      operand = s.pattern ? uint64_t((*s.pattern)[i]) : 0;
    pattern[i] = int64_t(compute(operands) & mask);
  }
  shape.pattern = intern(pattern);
  shape.setKnown(known, 0);
  return shape;
}

Shape ShapeInference::bitAnd(const Shape &a, const Shape &b, unsigned width) {
  Shape shape = bitwise(
      {a, b}, width, [](llvm::ArrayRef<uint64_t> in) { return in[0] & in[1]; });
  // The result is not larger than an operand that is not negative.
  for (const Shape &s : {a, b})
    if (s.min >= 0) {
      shape.min = 0;
      shape.max = std::min(shape.max, s.max);
    }
  // Bits that are 0 in one operand are 0 in the result, even if the other
  // operand is unknown there.
  const Shape &more = a.knownBits > b.knownBits ? a : b;
  unsigned end = std::min({more.knownBits, width, 63u});
  if ((shape.hasBase() || shape.hasGroups()) && more.isUniform())
    while (shape.knownBits < end && !(more.low >> shape.knownBits & 1))
      ++shape.knownBits;
  // A base whose bits are all known is a number.
  if (shape.hasBase() && shape.isKnown(width))
    shape.uniformity = Uniformity::Grid;
  return ungroup(shape, width);
}
