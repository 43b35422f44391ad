//===- Shape.cpp - how a value varies over the lanes of a warp ------------===//

#include "ShapeRange.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "ptxjit/Dialect/FormTable.h"
#include "llvm/ADT/APSInt.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

unsigned ptxjit::getTid(const ShapeContext &context, unsigned dim,
                        unsigned linear) {
  switch (dim) {
  case 0:
    return linear % context.block[0];
  case 1:
    return linear / context.block[0] % context.block[1];
  default:
    return linear / (context.block[0] * context.block[1]);
  }
}

/// In y and z; launches of more are refused.
static constexpr int64_t kMostCtas = 65535;
/// Above all `.shared` addresses: 16 CTAs of a cluster, 24 bits of offset.
static constexpr int64_t kSharedEnd = int64_t(16) << 24;

static unsigned widthOf(Value value) {
  Type type = value.getType();
  return type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 64;
}

/// Is a register of this type one number modulo 2^n? Those of bf16 and of
/// packed types are integers to MLIR only.
static bool isWholeInt(ScalarType type) {
  return isSignedInt(type) || isUnsignedInt(type);
}

static bool isPlainBits(ScalarType type) {
  return type >= ScalarType::B8 && type <= ScalarType::B64;
}

static std::optional<APInt> constantOf(Value value) {
  APInt c;
  if (matchPattern(value, m_ConstantInt(&c)))
    return c;
  return std::nullopt;
}

ShapeAnalysis::ShapeAnalysis(FuncOp func, const ShapeContext &context)
    : context(context) {
  if (context.lanes == 1) {
    unknown.uniformity = Uniformity::Warp;
    return;
  }
  for (Block &block : func.getBody())
    visitBlock(block);
}

const Shape &ShapeAnalysis::get(Value value) const {
  auto it = shapes.find(value);
  return it == shapes.end() ? unknown : it->second;
}

const LanePattern *ShapeAnalysis::intern(const LanePattern &pattern) {
  if (llvm::all_of(pattern, [](int64_t p) { return p == 0; }))
    return nullptr;
  return &*patterns.insert(pattern).first;
}

bool ShapeAnalysis::update(Value value, Shape shape) {
  auto [it, fresh] = shapes.try_emplace(value, shape);
  if (!fresh && it->second == shape)
    return false;
  it->second = shape;
  return true;
}

void ShapeAnalysis::visitBlock(Block &block) {
  for (Operation &op : block)
    visit(op);
}

void ShapeAnalysis::visit(Operation &op) {
  if (isa<scf::IfOp>(op))
    return visitIf(op);
  if (isa<scf::WhileOp>(op))
    return visitWhile(op);
  for (Region &region : op.getRegions())
    for (Block &block : region)
      visitBlock(block);
  if (op.getNumResults() == 0)
    return;
  Shape shape = transfer(op);
  // If patterns that may not hold cancel each other, nothing is left to test
  // by.
  if (shape.conditional && !shape.pattern && shape.hasBase()) {
    Shape varying;
    varying.min = shape.min;
    varying.max = shape.max;
    shape = varying;
  }
  for (Value result : op.getResults())
    update(result, shape);
  if (auto setp = dyn_cast<SetpOp>(op); setp && op.getNumResults() == 1) {
    if (auto lanes = compareKnown(setp))
      predicates[op.getResult(0)] = *lanes;
    else // what is known in a loop's first round may not be in the next
      predicates.erase(op.getResult(0));
  }
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

/// The pattern of a value that is one of two, if the lanes agree on which.
/// Uniform values, often placeholders, have no say; null: there is none.
static const LanePattern *likelyPattern(const Shape &a, const Shape &b) {
  auto patternOf = [](const Shape &s) {
    return s.hasBase() ? s.pattern : s.likely;
  };
  if (a.isUniform() || b.isUniform())
    return patternOf(a.isUniform() ? b : a);
  return patternOf(a) == patternOf(b) ? patternOf(a) : nullptr;
}

/// What holds on either path. `at` is how uniform the choice between them is.
Shape ShapeAnalysis::join(const Shape &a, const Shape &b, Uniformity at) {
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

/// Is the value, or one that integer arithmetic makes of it, an address?
static bool feedsAddress(Value value) {
  constexpr unsigned most = 200; // values to look at
  llvm::SetVector<Value> found;
  found.insert(value);
  for (unsigned i = 0; i < found.size() && i < most; ++i)
    for (OpOperand &use : found[i].getUses()) {
      Operation *user = use.getOwner();
      unsigned number = use.getOperandNumber();
      if (isa<LdOp, StOp>(user)) {
        if (number == 0)
          return true;
      } else if (auto loop = dyn_cast<scf::WhileOp>(user)) {
        found.insert(loop.getBeforeArguments()[number]);
      } else if (isa<scf::ConditionOp>(user)) {
        if (number > 0) { // the first is whether to go on
          found.insert(user->getParentOp()->getResult(number - 1));
          found.insert(cast<scf::WhileOp>(user->getParentOp())
                           .getAfterArguments()[number - 1]);
        }
      } else if (isa<scf::YieldOp>(user)) {
        if (auto loop = dyn_cast<scf::WhileOp>(user->getParentOp()))
          found.insert(loop.getBeforeArguments()[number]);
        else
          found.insert(user->getParentOp()->getResult(number));
      } else if (isa<AddIntOp, SubIntOp, MulIntOp, MadIntOp, ShlOp, CvtOp,
                     CvtaOp, SelpOp, arith::SelectOp, arith::ExtUIOp,
                     arith::ExtSIOp, arith::TruncIOp>(user)) {
        found.insert(user->getResult(0));
      }
    }
  return false;
}

/// Lanes that went different ways, as in a loop some leave earlier, mostly come
/// to values of one pattern all the same. Where these are the addresses of
/// later accesses, that is worth a test.
void ShapeAnalysis::updateResult(Value result, Shape shape) {
  if (shape.isVarying() && shape.likely && !shape.groups && context.lanes > 1 &&
      result.getType().isInteger() && widthOf(result) >= 32 &&
      widthOf(result) <= 64 && feedsAddress(result)) {
    shape.uniformity = Uniformity::Warp;
    shape.pattern = std::exchange(shape.likely, nullptr);
    shape.conditional = shape.parted = true;
  }
  update(result, shape);
}

void ShapeAnalysis::visitIf(Operation &op) {
  auto ifOp = cast<scf::IfOp>(op);
  for (Region &region : op.getRegions())
    for (Block &block : region)
      visitBlock(block);
  if (op.getNumResults() == 0)
    return;
  Uniformity at = get(ifOp.getCondition()).pattern
                      ? Uniformity::Lane
                      : get(ifOp.getCondition()).uniformity;
  auto thens = ifOp.thenYield().getOperands();
  auto elses = ifOp.elseYield().getOperands();
  for (auto [result, a, b] : llvm::zip(op.getResults(), thens, elses))
    updateResult(result, a == b ? get(a) : join(get(a), get(b), at));
}

void ShapeAnalysis::visitWhile(Operation &op) {
  auto loop = cast<scf::WhileOp>(op);
  Block &before = loop.getBefore().front();
  Block &after = loop.getAfter().front();
  auto condition = cast<scf::ConditionOp>(before.getTerminator());
  auto yield = cast<scf::YieldOp>(after.getTerminator());
  for (auto [arg, init] : llvm::zip(before.getArguments(), loop.getInits()))
    update(arg, get(init));
  for (unsigned round = 0;; ++round) {
    visitBlock(before);
    for (auto [arg, value] :
         llvm::zip(after.getArguments(), condition.getArgs()))
      update(arg, get(value));
    visitBlock(after);
    bool changed = false;
    // Those that are still in the loop have gone round equally often: the lanes
    // of a warp, or as many as agree on its condition.
    const Shape &goesOn = get(condition.getCondition());
    Uniformity rounds =
        goesOn.isUniform() ? goesOn.uniformity : Uniformity::Warp;
    for (auto [arg, init, next] : llvm::zip(
             before.getArguments(), loop.getInits(), yield.getOperands())) {
      Shape shape = join(get(arg), get(next), rounds);
      shape = join(shape, get(init), rounds);
      if (round > 0 && !(shape == get(arg)))
        setFullRange(shape, widthOf(arg));
      changed |= update(arg, shape);
    }
    if (!changed)
      break;
  }
  const Shape &cond = get(condition.getCondition());
  Uniformity at = cond.pattern ? Uniformity::Lane : cond.uniformity;
  for (auto [result, value] : llvm::zip(op.getResults(), condition.getArgs())) {
    Shape shape = get(value);
    bool invariant = !loop->isAncestor(value.getParentBlock()->getParentOp());
    if (!invariant)
      shape = join(shape, shape, at);
    updateResult(result, shape);
  }
}

//===----------------------------------------------------------------------===//
// Sources
//===----------------------------------------------------------------------===//

Shape ShapeAnalysis::tidShape(unsigned dim) {
  Shape shape;
  unsigned warps = (context.threads() + 31) / 32;
  LanePattern pattern{};
  unsigned first = getTid(context, dim, 0);
  for (unsigned i = 0; i < 32; ++i)
    pattern[i] = int64_t(getTid(context, dim, i)) - first;
  bool same = true, baseSame = true;
  shape.min = INT64_MAX;
  shape.max = INT64_MIN;
  shape.setKnown(63, first);
  for (unsigned w = 0; w < warps; ++w) {
    unsigned base = getTid(context, dim, w * 32);
    baseSame &= base == first;
    if (base != first)
      shape.setKnown(
          std::min<unsigned>(shape.knownBits, llvm::countr_zero(base ^ first)),
          first);
    for (unsigned i = 0; i < 32; ++i) {
      int64_t tid = getTid(context, dim, w * 32 + i);
      shape.min = std::min(shape.min, tid);
      shape.max = std::max(shape.max, tid);
      same &= tid - base == pattern[i];
    }
  }
  if (!same)
    return shape;
  shape.uniformity = baseSame ? Uniformity::Grid : Uniformity::Warp;
  shape.pattern = intern(pattern);
  return shape;
}

static Shape uniformShape(Uniformity at, int64_t min, int64_t max) {
  Shape shape;
  shape.uniformity = at;
  shape.min = min;
  shape.max = max;
  if (min == max)
    shape.setKnown(63, uint64_t(min));
  return shape;
}

Shape ShapeAnalysis::specialRegister(SRegOp op) {
  SpecialRegister reg = op.getReg();
  auto dimOf = [&](SpecialRegister x) { return unsigned(reg) - unsigned(x); };
  switch (reg) {
  case SpecialRegister::TidX:
  case SpecialRegister::TidY:
  case SpecialRegister::TidZ:
    return tidShape(dimOf(SpecialRegister::TidX));
  case SpecialRegister::NtidX:
  case SpecialRegister::NtidY:
  case SpecialRegister::NtidZ: {
    int64_t n = context.block[dimOf(SpecialRegister::NtidX)];
    return uniformShape(Uniformity::Grid, n, n);
  }
  case SpecialRegister::CtaidX:
  case SpecialRegister::CtaidY:
  case SpecialRegister::CtaidZ: {
    int64_t limit = int64_t(1) << 31;
    if (context.smallGrid)
      limit /= context.block[dimOf(SpecialRegister::CtaidX)];
    if (reg != SpecialRegister::CtaidX)
      limit = std::min(limit, kMostCtas);
    return uniformShape(Uniformity::Cta, 0, limit - 1);
  }
  case SpecialRegister::NctaidX:
  case SpecialRegister::NctaidY:
  case SpecialRegister::NctaidZ:
    return uniformShape(Uniformity::Grid, 1,
                        reg == SpecialRegister::NctaidX ? INT32_MAX
                                                        : kMostCtas);
  case SpecialRegister::LaneId: {
    LanePattern pattern;
    for (unsigned i = 0; i < 32; ++i)
      pattern[i] = i;
    Shape shape = uniformShape(Uniformity::Grid, 0, 31);
    shape.setKnown(63, 0);
    shape.pattern = intern(pattern);
    return shape;
  }
  case SpecialRegister::WarpId:
    return uniformShape(Uniformity::Warp, 0, 31);
  case SpecialRegister::NWarpId: {
    int64_t n = (context.threads() + 31) / 32;
    return uniformShape(Uniformity::Grid, n, n);
  }
  case SpecialRegister::LanemaskEq:
  case SpecialRegister::LanemaskLe:
  case SpecialRegister::LanemaskLt:
  case SpecialRegister::LanemaskGe:
  case SpecialRegister::LanemaskGt:
    return Shape();
  default: {
    Shape shape;
    shape.uniformity = Uniformity::Warp;
    return shape;
  }
  }
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// The same where all operands are.
Shape ShapeAnalysis::merge(ArrayRef<Value> operands) {
  Shape shape;
  SmallVector<Shape, 4> same; // where the operands are the same
  for (Value v : operands) {
    same.push_back(regroup(get(v), 0));
    if (same.back().isVarying() && !same.back().groups)
      return shape;
  }
  setJoint(shape, same);
  return shape;
}

static Shape knownShape(int64_t value) {
  return uniformShape(Uniformity::Grid, value, value);
}

/// No bit above those of both.
static void setOrRange(Shape &shape, const Shape &a, const Shape &b) {
  if (a.min < 0 || b.min < 0)
    return;
  uint64_t most = uint64_t(a.max) | uint64_t(b.max);
  shape.min = 0;
  shape.max = int64_t(llvm::maskTrailingOnes<uint64_t>(llvm::bit_width(most)));
}

Shape ShapeAnalysis::logic(Operation &op, unsigned width) {
  SmallVector<Shape, 3> in;
  for (Value v : op.getOperands())
    in.push_back(get(v));
  using Bits = ArrayRef<uint64_t>;
  if (isa<AndOp>(op))
    return bitAnd(in[0], in[1], width);
  if (isa<NotOp>(op))
    return bitwise(in, width, [](Bits x) { return ~x[0]; });
  if (isa<Lop3Op>(op)) {
    auto table = constantOf(op.getOperand(3));
    if (!table)
      return Shape();
    in.pop_back();
    return bitwise(in, width, [&](Bits x) {
      uint64_t d = 0;
      for (unsigned row = 0; row < 8; ++row)
        if ((*table)[row])
          d |= (row & 4 ? x[0] : ~x[0]) & (row & 2 ? x[1] : ~x[1]) &
               (row & 1 ? x[2] : ~x[2]);
      return d;
    });
  }
  Shape shape = isa<OrOp>(op)
                    ? bitwise(in, width, [](Bits x) { return x[0] | x[1]; })
                    : bitwise(in, width, [](Bits x) { return x[0] ^ x[1]; });
  setOrRange(shape, in[0], in[1]);
  return shape;
}

/// A field of which all bits are known, or one that is shifted and masked.
Shape ShapeAnalysis::bitField(BfeOp op) {
  unsigned width = widthOf(op.getD());
  auto at = constantOf(op.getB()), length = constantOf(op.getC());
  bool isSigned = isSignedInt(op.getTy());
  if (!at || !length || length->isZero() ||
      at->getLimitedValue(64) + length->getLimitedValue(64) > width)
    return merge(llvm::to_vector(op->getOperands()));
  unsigned bits = unsigned(length->getZExtValue());
  Shape field = bitAnd(
      shiftRight(get(op.getA()), unsigned(at->getZExtValue()), width, false),
      knownShape(
          llvm::SignExtend64(llvm::maskTrailingOnes<uint64_t>(bits), width)),
      width);
  if (!isSigned)
    return field;
  if (!field.isKnown(width)) {
    Shape shape;
    shape.uniformity = field.isUniform() ? field.uniformity : Uniformity::Lane;
    return shape;
  }
  Shape shape = knownShape(llvm::SignExtend64(field.low, bits));
  LanePattern pattern{};
  for (unsigned i = 0; i < 32; ++i) {
    uint64_t lane =
        field.low + uint64_t(field.pattern ? (*field.pattern)[i] : 0);
    pattern[i] = llvm::SignExtend64(lane, bits) - shape.min;
  }
  shape.pattern = intern(pattern);
  shape.min = -(int64_t(1) << (bits - 1));
  shape.max = (int64_t(1) << (bits - 1)) - 1;
  return shape;
}

/// The low bits of a at a constant place in b.
Shape ShapeAnalysis::insertBits(BfiOp op) {
  unsigned width = widthOf(op.getF());
  auto at = constantOf(op.getC()), length = constantOf(op.getD());
  if (!at || !length || length->isZero() || at->uge(width) ||
      length->ugt(width) || (*at + *length).ugt(width))
    return merge(llvm::to_vector(op->getOperands()));
  unsigned shift = unsigned(at->getZExtValue());
  uint64_t field =
      llvm::maskTrailingOnes<uint64_t>(unsigned(length->getZExtValue()))
      << shift;
  Shape a = scale(get(op.getA()), int64_t(1) << shift, width);
  const Shape &b = get(op.getB());
  Shape shape = bitwise({a, b}, width, [&](ArrayRef<uint64_t> x) {
    return (x[0] & field) | (x[1] & ~field);
  });
  setOrRange(shape, a, b);
  return shape;
}

/// One of two values, by a predicate that is uniform or known.
Shape ShapeAnalysis::select(Operation &op) {
  bool isSelp = isa<SelpOp>(op); // selp d, a, b, c
  Value a = op.getOperand(isSelp ? 0 : 1), b = op.getOperand(isSelp ? 1 : 2),
        c = op.getOperand(isSelp ? 2 : 0);
  if (!isSelp && (a == b || b.getDefiningOp<UndefOp>()))
    return get(a);
  if (!isSelp && a.getDefiningOp<UndefOp>())
    return get(b);
  const Shape &x = get(a), &y = get(b), &p = get(c);
  Shape shape = join(x, y, p.isUniform() ? p.uniformity : Uniformity::Lane);
  unsigned width = widthOf(op.getResult(0));
  auto lanes = knownLanes(c);
  if (shape.hasBase() || !lanes || !x.isKnown(width) || !y.isKnown(width))
    return shape;
  LanePattern pattern{};
  auto laneOf = [&](unsigned i) {
    const Shape &s = *lanes >> i & 1 ? x : y;
    return int64_t(s.low) + (s.pattern ? (*s.pattern)[i] : 0);
  };
  for (unsigned i = 0; i < 32; ++i)
    pattern[i] = laneOf(i) - laneOf(0);
  shape.uniformity = Uniformity::Grid;
  shape.setKnown(63, uint64_t(laneOf(0)));
  shape.pattern = intern(pattern);
  return shape;
}

Shape ShapeAnalysis::transferInteger(Operation &op) {
  Value result = op.getResult(0);
  unsigned width = widthOf(result);
  auto shapeOf = [&](unsigned i) -> const Shape & {
    return get(op.getOperand(i));
  };
  auto isSaturating = [&] {
    auto sat = op.getInherentAttr("sat");
    return sat && *sat;
  };
  if (auto sum = dyn_cast<AddIntOp>(op);
      sum && isWholeInt(sum.getTy()) && !isSaturating())
    return add(shapeOf(0), shapeOf(1), width, 1);
  if (auto difference = dyn_cast<SubIntOp>(op);
      difference && isWholeInt(difference.getTy()) && !isSaturating())
    return add(shapeOf(0), shapeOf(1), width, -1);
  if (isa<arith::AddIOp>(op))
    return add(shapeOf(0), shapeOf(1), width, 1);
  if (isa<arith::MulIOp>(op))
    return multiply(shapeOf(0), shapeOf(1), width);
  if (auto mul = dyn_cast<MulIntOp>(op)) {
    if (mul.getPart() == Part::Lo)
      return multiply(shapeOf(0), shapeOf(1), width);
    if (mul.getPart() == Part::Wide) {
      bool s = isSignedInt(mul.getTy());
      return multiply(widen(shapeOf(0), width / 2, s),
                      widen(shapeOf(1), width / 2, s), width);
    }
  }
  if (auto mad = dyn_cast<MadIntOp>(op)) {
    if (mad.getPart() == Part::Lo)
      return add(multiply(shapeOf(0), shapeOf(1), width), shapeOf(2), width, 1);
    if (mad.getPart() == Part::Wide) {
      bool s = isSignedInt(mad.getTy());
      return add(multiply(widen(shapeOf(0), width / 2, s),
                          widen(shapeOf(1), width / 2, s), width),
                 shapeOf(2), width, 1);
    }
  }
  if (isa<NegIntOp>(op))
    return scale(shapeOf(0), -1, width);
  if (isa<ShlOp>(op))
    if (auto c = constantOf(op.getOperand(1)); c && c->ult(width) && width > 1)
      return scale(shapeOf(0), int64_t(uint64_t(1) << c->getZExtValue()),
                   width);
  if (auto shr = dyn_cast<ShrOp>(op))
    if (auto c = constantOf(op.getOperand(1)))
      return shiftRight(shapeOf(0), unsigned(c->getLimitedValue(width)), width,
                        isSignedInt(shr.getTy()));
  if (isa<AndOp, OrOp, XorOp, NotOp, Lop3Op>(op) && width > 1)
    return logic(op, width);
  if (auto bfe = dyn_cast<BfeOp>(op))
    return bitField(bfe);
  if (auto bfi = dyn_cast<BfiOp>(op))
    return insertBits(bfi);
  if (isa<SelpOp>(op))
    return select(op);
  if (isa<DivIntOp, RemOp>(op) && shapeOf(0).min >= 0)
    if (auto c = constantOf(op.getOperand(1));
        c && c->isPowerOf2() && !c->isNegative())
      return isa<RemOp>(op)
                 ? bitAnd(shapeOf(0), knownShape(c->getSExtValue() - 1), width)
                 : shiftRight(shapeOf(0), c->logBase2(), width, false);
  if (auto cvt = dyn_cast<CvtOp>(op); cvt && isWholeInt(cvt.getTy()) &&
                                      isWholeInt(cvt.getTy2()) &&
                                      !cvt.getSat()) {
    unsigned from = getBitWidth(cvt.getTy2());
    return width > from ? widen(shapeOf(0), from, isSignedInt(cvt.getTy2()))
                        : truncate(shapeOf(0), width);
  }
  if (isa<arith::ExtUIOp, arith::ExtSIOp>(op) && widthOf(op.getOperand(0)) > 1)
    return widen(shapeOf(0), widthOf(op.getOperand(0)),
                 isa<arith::ExtSIOp>(op));
  if (isa<arith::TruncIOp>(op) && width > 1)
    return truncate(shapeOf(0), width);
  if (auto cvta = dyn_cast<CvtaOp>(op)) {
    Shape shape = shapeOf(0);
    // The window of a thread's local memory moves with the lane.
    if (cvta.getSpace() == Space::Local)
      return Shape();
    if (cvta.getSpace() != Space::Global) {
      setFullRange(shape, width);
      shape.setKnown(0, 0);
      shape.uniformity = std::max(shape.uniformity, Uniformity::Cta);
    }
    return shape;
  }
  Shape shape = merge(llvm::to_vector(op.getOperands()));
  // What they know of the CTA, or of the thread's stack, is not in IR.
  if (isa<MapaOp, GetCtaRankOp>(op))
    shape.uniformity = std::max(shape.uniformity, Uniformity::Cta);
  if (isa<IsSpacepOp>(op))
    shape.uniformity = std::max(shape.uniformity, Uniformity::Warp);
  return shape;
}

/// Addresses in windows are small numbers, so that sums with an index do not
/// wrap around in 32 bits.
Shape ShapeAnalysis::addressShape(AddressOfOp op) {
  auto var =
      op->getParentOfType<ModuleOp>().lookupSymbol<VarOp>(op.getSymbol());
  bool inWindow =
      var && var.getSpace() != Space::Global && var.getSpace() != Space::Const;
  // Shared addresses begin with the rank of the CTA in its cluster.
  Shape shape = inWindow && var.getSpace() == Space::Shared
                    ? uniformShape(Uniformity::Cta, 0, kSharedEnd)
                : inWindow
                    ? uniformShape(Uniformity::Grid, 0, 1 << 24)
                    : uniformShape(Uniformity::Grid, INT64_MIN, INT64_MAX);
  if (var && var.getAlign() > 0)
    shape.setKnown(llvm::countr_zero(uint64_t(var.getAlign())), 0);
  return shape;
}

/// What lanes exchange: the same in all of them where one value is spread or
/// the whole warp is asked.
Shape ShapeAnalysis::transferCollective(Operation &op) {
  Shape warp = uniformShape(Uniformity::Warp, INT64_MIN, INT64_MAX);
  if (isa<BarOp, BarrierOp>(op))
    return warp;
  if (auto shuffle = dyn_cast<ShflOp>(op)) {
    auto clamp = constantOf(shuffle.getC());
    bool toAll = shuffle.getMode() == ShuffleMode::Idx && clamp &&
                 (clamp->getZExtValue() & 0x1f1f) == 0x1f &&
                 get(shuffle.getB()).isUniform();
    return toAll ? warp : Shape();
  }
  Value members;
  if (auto vote = dyn_cast<VoteOp>(op))
    members = vote.getM();
  else if (auto redux = dyn_cast<ReduxOp>(op))
    members = redux.getM();
  else
    return Shape();
  return !members || get(members).isUniform() ? warp : Shape();
}

static std::optional<bool> compare(Compare cmp, const APSInt &a,
                                   const APSInt &b) {
  switch (cmp) {
  case Compare::EQ:
    return a == b;
  case Compare::NE:
    return a != b;
  case Compare::LT:
  case Compare::LO:
    return a < b;
  case Compare::LE:
  case Compare::LS:
    return a <= b;
  case Compare::GT:
  case Compare::HI:
    return a > b;
  case Compare::GE:
  case Compare::HS:
    return a >= b;
  default:
    return std::nullopt;
  }
}

std::optional<uint32_t> ShapeAnalysis::knownLanes(Value predicate) {
  auto it = predicates.find(predicate);
  if (it == predicates.end())
    return std::nullopt;
  return it->second;
}

/// The comparison of integers that are known in every lane.
std::optional<uint32_t> ShapeAnalysis::compareKnown(SetpOp op) {
  unsigned width = widthOf(op.getA());
  const Shape &a = get(op.getA()), &b = get(op.getB());
  bool isEquality = op.getCmp() == Compare::EQ || op.getCmp() == Compare::NE;
  if (!(isWholeInt(op.getTy()) || (isEquality && isPlainBits(op.getTy()))) ||
      op.getC() || width > 32 || !a.isKnown(width) || !b.isKnown(width))
    return std::nullopt;
  bool isSigned = isSignedInt(op.getTy());
  auto laneOf = [&](const Shape &s, unsigned i) {
    APInt bits(width, s.low + uint64_t(s.pattern ? (*s.pattern)[i] : 0), false,
               /*implicitTrunc=*/true);
    return APSInt(bits, !isSigned);
  };
  uint32_t lanes = 0;
  for (unsigned i = 0; i < 32; ++i) {
    auto holds = compare(op.getCmp(), laneOf(a, i), laneOf(b, i));
    if (!holds)
      return std::nullopt;
    lanes |= uint32_t(*holds) << i;
  }
  return lanes;
}

/// tid < 64 in blocks of whole warps: the same in all lanes, if the base and
/// the limit are multiples of a power of two that the pattern does not reach.
/// Then the comparison of the base alone gives the answer.
Shape ShapeAnalysis::compareShape(SetpOp op) {
  Shape a = get(op.getA()), b = get(op.getB());
  Shape c = op.getC() ? get(op.getC()) : uniformShape(Uniformity::Grid, 0, 0);
  if (!c.isUniform() || a.isVarying() || b.isVarying())
    return Shape();
  Shape shape =
      uniformShape(std::max({a.uniformity, b.uniformity, c.uniformity}),
                   INT64_MIN, INT64_MAX);
  if (a.isUniform() && b.isUniform())
    return shape;
  Compare cmp = op.getCmp();
  bool below = cmp == Compare::LT || cmp == Compare::LO || cmp == Compare::GE ||
               cmp == Compare::HS;
  bool upTo = cmp == Compare::LE || cmp == Compare::LS || cmp == Compare::GT ||
              cmp == Compare::HI;
  if (a.isUniform()) { // limit > tid is tid < limit
    std::swap(a, b);
    std::swap(below, upTo);
  }
  if (!isWholeInt(op.getTy()) || !b.isUniform() || a.conditional ||
      (!below && !upTo))
    return Shape();
  auto [least, most] =
      std::minmax_element(a.pattern->begin(), a.pattern->end());
  unsigned bits = 64 - llvm::countl_zero(uint64_t(*most));
  if (*least < 0 || a.baseAlign() < bits)
    return Shape();
  bool aligned = below ? b.baseAlign() >= bits
                       : b.min == b.max &&
                             (uint64_t(b.min) + 1) % (uint64_t(1) << bits) == 0;
  return aligned ? shape : Shape();
}

Shape ShapeAnalysis::transfer(Operation &op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    if (auto i = dyn_cast<IntegerAttr>(constant.getValue()))
      return uniformShape(Uniformity::Grid, i.getValue().getSExtValue(),
                          i.getValue().getSExtValue());
    return uniformShape(Uniformity::Grid, INT64_MIN, INT64_MAX);
  }
  if (isa<UndefOp>(op))
    return uniformShape(Uniformity::Grid, 0, 0);
  if (auto sreg = dyn_cast<SRegOp>(op))
    return specialRegister(sreg);
  if (isa<ParamAddressOp>(op))
    return uniformShape(Uniformity::Grid, 0, 1 << 16);
  if (auto address = dyn_cast<AddressOfOp>(op))
    return addressShape(address);
  if (isa<ShflOp, VoteOp, MatchOp, ReduxOp, ElectOp, ActivemaskOp, BarOp,
          BarrierOp>(op))
    return transferCollective(op);
  if (isa<AnyOp, AllOp>(op))
    return uniformShape(Uniformity::Warp, INT64_MIN, INT64_MAX);
  // One arrival for all lanes. (That they are in one phase follows from the
  // ISA: no thread arrives in a phase before one has seen the last one end.)
  if (auto arrive = dyn_cast<MbarrierArriveOp>(op))
    return get(arrive.getA()).isUniform() && !arrive.getNoComplete() &&
                   (!arrive.getB() || get(arrive.getB()).isUniform())
               ? uniformShape(Uniformity::Warp, INT64_MIN, INT64_MAX)
               : Shape();
  // Tested once for all lanes.
  if (auto wait = dyn_cast<MbarrierWaitOp>(op))
    return get(wait.getA()).isUniform() && get(wait.getB()).isUniform()
               ? uniformShape(Uniformity::Warp, INT64_MIN, INT64_MAX)
               : Shape();
  if (isa<EntryMaskOp>(op))
    return context.partialWarp()
               ? Shape()
               : uniformShape(Uniformity::Grid, INT64_MIN, INT64_MAX);
  if (auto ld = dyn_cast<LdOp>(op)) {
    const Shape &address = get(ld.getA());
    Shape shape;
    // The same local address is other memory in each thread; an ordered load
    // is made once per lane.
    bool ordered = ld.getOrder() && *ld.getOrder() != Order::Weak;
    if (address.isUniform() && ld.getSpace() != Space::Local && !ordered) {
      shape.uniformity = std::max(address.uniformity, Uniformity::Warp);
      if (ld.getSpace() == Space::Param || ld.getSpace() == Space::Const)
        shape.uniformity = address.uniformity;
    }
    return shape;
  }
  if (auto setp = dyn_cast<SetpOp>(op))
    return compareShape(setp);
  if (isa<arith::SelectOp>(op))
    return select(op);
  if (!isMemoryEffectFree(&op) || op.getNumOperands() == 0)
    return Shape();
  if (op.getNumResults() == 1 && op.getResult(0).getType().isInteger())
    return transferInteger(op);
  return merge(llvm::to_vector(op.getOperands()));
}
