//===- ThreadForm.cpp - addresses as functions of the thread --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ThreadForm.h"

#include "CompareIntegers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "ptxjit/Dialect/FormTable.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

/// The limit of the depth of the recursion through operands.
static constexpr unsigned kMostDepth = 200;

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// Clamps numbers so that the sum of two never overflows. Larger numbers are no
/// offsets in shared memory.
static int64_t saturate(__int128 value) {
  constexpr __int128 most = __int128(1) << 60;
  return int64_t(std::clamp(value, -most, most));
}

static uint64_t magnitude(int64_t value) {
  return value < 0 ? -uint64_t(value) : uint64_t(value);
}

/// Adds bounds; an unknown bound (INT64_MIN or INT64_MAX) stays unknown.
static int64_t addBound(int64_t a, int64_t b) {
  if (a == INT64_MIN || b == INT64_MIN)
    return INT64_MIN;
  if (a == INT64_MAX || b == INT64_MAX)
    return INT64_MAX;
  return saturate(__int128(a) + b);
}
static int64_t scaleBound(int64_t a, int64_t factor) {
  if (a == INT64_MIN || a == INT64_MAX)
    return (a < 0) == (factor < 0) ? INT64_MAX : INT64_MIN;
  return saturate(__int128(a) * factor);
}

Remainder Remainder::plus(const Remainder &other) const {
  return {std::gcd(divisor, other.divisor), addBound(min, other.min),
          addBound(max, other.max)};
}

Remainder Remainder::times(int64_t factor) const {
  if (!divisor || !factor)
    return {};
  uint64_t size = magnitude(factor);
  // If the product could overflow, use 1, which divides everything.
  bool tooLarge = size > (uint64_t(1) << 31) || divisor > (uint64_t(1) << 31);
  int64_t a = scaleBound(min, factor), b = scaleBound(max, factor);
  return {tooLarge ? 1 : divisor * size, std::min(a, b), std::max(a, b)};
}

static ThreadForm constantForm(int64_t value) {
  ThreadForm form;
  form.offsets[0] = saturate(value);
  return form;
}

static ThreadForm symbolForm(Value value) {
  ThreadForm form;
  form.terms[value] = 1;
  return form;
}

static ThreadForm unknownForm() {
  ThreadForm form;
  form.rest = Remainder::any();
  form.isScattered = true;
  return form;
}

/// The number of offsets of a form that is made of `forms`: one for all threads
/// if all of them have one for all, else one for each thread.
static size_t countOffsets(ArrayRef<const ThreadForm *> forms) {
  size_t count = 1;
  for (const ThreadForm *form : forms)
    count = std::max(count, form->offsets.size());
  return count;
}

static void addTerm(ThreadForm &form, Value symbol, int64_t factor) {
  int64_t sum = saturate(__int128(form.terms.lookup(symbol)) + factor);
  if (sum)
    form.terms[symbol] = sum;
  else
    form.terms.erase(symbol);
}

std::optional<ThreadForm>
ptxjit::addForms(const ThreadForm &a, const ThreadForm &b, int64_t factor) {
  ThreadForm sum = a;
  if (b.root) {
    if (factor == -1 && a.root == b.root)
      sum.root = nullptr;
    else if (factor == 1 && !a.root)
      sum.root = b.root;
    else
      return std::nullopt;
  }
  for (auto [symbol, coefficient] : b.terms)
    addTerm(sum, symbol, scaleBound(coefficient, factor));
  sum.offsets.resize(countOffsets({&a, &b}));
  for (unsigned i = 0; i < sum.offsets.size(); ++i)
    sum.offsets[i] =
        saturate(__int128(a.offsetOf(i)) + __int128(factor) * b.offsetOf(i));
  sum.rest = a.rest.plus(b.rest.times(factor));
  sum.isScattered = a.isScattered || b.isScattered;
  return sum;
}

static std::optional<ThreadForm> scaleForm(const ThreadForm &a,
                                           int64_t factor) {
  if (factor == 1)
    return a;
  if (a.root)
    return std::nullopt;
  return addForms(constantForm(0), a, factor);
}

//===----------------------------------------------------------------------===//
// Forms of values
//===----------------------------------------------------------------------===//

static unsigned widthOf(Value value) {
  return value.getType().isIntOrFloat()
             ? value.getType().getIntOrFloatBitWidth()
             : 64;
}

bool ThreadForms::isSameInCta(Value value) const {
  return shapes.get(value).isSameInCta();
}

/// The form of a value whose operands are not looked into: a symbol if it is
/// the same in the CTA, else a rest with the bounds of its shape.
ThreadForm ThreadForms::leaf(Value value) const {
  if (isSameInCta(value))
    return symbolForm(value);
  const Shape &shape = shapes.get(value);
  ThreadForm form = unknownForm();
  form.rest = {1, shape.min, shape.max};
  return form;
}

Remainder ThreadForms::boundsOf(Value symbol) const {
  // A symbol that is not the same in the CTA is a carried argument. It stands
  // for the sum that the loop has added to it (see makeOfCarried).
  if (!isSameInCta(symbol))
    return Remainder::any().times(steps.lookup(symbol));
  const Shape &shape = shapes.get(symbol);
  return {uint64_t(1) << std::min(shape.baseAlign(), 30u), shape.min,
          shape.max};
}

const ThreadForm &ThreadForms::get(Value value) {
  if (auto it = forms.find(value); it != forms.end())
    return *it->second;
  ++depth;
  bool isDeep = depth > kMostDepth || isExhausted();
  ThreadForm form = isDeep ? leaf(value) : make(value);
  --depth;
  keep(value, std::move(form));
  return *forms[value];
}

void ThreadForms::keep(Value value, ThreadForm form) {
  forms[value] = std::make_unique<ThreadForm>(std::move(form));
  made.push_back(value);
  ++numMade;
}

ThreadForm ThreadForms::make(Value value) {
  if (!value.getType().isIntOrIndex() || widthOf(value) > 64)
    return leaf(value);
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)))
    return constantForm(number.getSExtValue());
  if (auto argument = dyn_cast<BlockArgument>(value))
    return makeOfArgument(argument);
  return makeOf(value.getDefiningOp(), value);
}

ThreadForm ThreadForms::product(const ThreadForm &a, const ThreadForm &b) {
  std::optional<ThreadForm> scaled;
  if (b.isConstant())
    scaled = scaleForm(a, b.offsets[0]);
  else if (a.isConstant())
    scaled = scaleForm(b, a.offsets[0]);
  if (scaled)
    return *scaled;
  if (!a.isExact() || !b.isExact())
    return unknownForm();
  ThreadForm form;
  form.offsets.resize(countOffsets({&a, &b}));
  for (unsigned i = 0; i < form.offsets.size(); ++i)
    form.offsets[i] = saturate(__int128(a.offsetOf(i)) * b.offsetOf(i));
  return form;
}

ThreadForm ThreadForms::makeOf(Operation *op, Value value) {
  auto in = [&](unsigned i) { return get(op->getOperand(i)); };
  auto sum = [&](const ThreadForm &a, const ThreadForm &b, int64_t factor) {
    auto form = addForms(a, b, factor);
    return form ? *form : leaf(value);
  };
  auto known = [&](const ThreadForm &form) {
    // The result may be the same in the whole CTA even if the operands are
    // unknown: then it is a symbol.
    bool isUnknown =
        !form.root && form.rest.divisor == 1 && form.rest.min == INT64_MIN;
    return isUnknown ? leaf(value) : form;
  };
  return llvm::TypeSwitch<Operation *, ThreadForm>(op)
      .Case<SRegOp>([&](auto o) { return makeOfRegister(o); })
      .Case<AddressOfOp>([&](auto o) { return makeOfAddress(o); })
      .Case<AddIntOp, arith::AddIOp>([&](auto) { return sum(in(0), in(1), 1); })
      .Case<SubIntOp, arith::SubIOp>(
          [&](auto) { return sum(in(0), in(1), -1); })
      .Case<NegIntOp>([&](auto) { return sum(constantForm(0), in(0), -1); })
      .Case<arith::MulIOp>([&](auto) { return known(product(in(0), in(1))); })
      .Case<MulIntOp>([&](MulIntOp o) {
        return o.getPart() == Part::Hi ? leaf(value)
                                       : known(product(in(0), in(1)));
      })
      .Case<MadIntOp>([&](MadIntOp o) {
        if (o.getPart() == Part::Hi)
          return leaf(value);
        return known(sum(product(in(0), in(1)), in(2), 1));
      })
      .Case<ShlOp>([&](auto) {
        const ThreadForm amount = in(1);
        if (!amount.isConstant() || uint64_t(amount.offsets[0]) > 31)
          return leaf(value);
        auto form = scaleForm(in(0), int64_t(1) << amount.offsets[0]);
        return form ? *form : leaf(value);
      })
      .Case<CvtOp, CvtaOp, arith::ExtUIOp, arith::ExtSIOp, arith::TruncIOp>(
          [&](auto) {
            bool narrow = widthOf(op->getOperand(0)) < 32;
            return narrow && !in(0).isExact() ? leaf(value) : in(0);
          })
      .Case<SelpOp>([&](auto) {
        return known(
            choose(op->getOperand(2), op->getOperand(0), op->getOperand(1)));
      })
      .Case<arith::SelectOp>([&](auto) {
        return known(
            choose(op->getOperand(0), op->getOperand(1), op->getOperand(2)));
      })
      .Case<scf::IfOp>([&](scf::IfOp o) {
        unsigned i = cast<OpResult>(value).getResultNumber();
        return known(choose(o.getCondition(), o.thenYield().getOperand(i),
                            o.elseYield().getOperand(i)));
      })
      .Case<scf::WhileOp>([&](scf::WhileOp o) {
        if (isSameInCta(value))
          return symbolForm(value);
        unsigned i = cast<OpResult>(value).getResultNumber();
        ThreadForm form = get(o.getConditionOp().getArgs()[i]);
        forget(form, o);
        return form;
      })
      .Default([&](Operation *) { return makeOfBits(op, widthOf(value)); });
}

/// The thread numbers that a special register holds: tid, laneid, warpid; or
/// ntid, which is a constant.
ThreadForm ThreadForms::makeOfRegister(SRegOp op) {
  const ShapeContext &context = shapes.getContext();
  SpecialRegister reg = op.getReg();
  bool isTid = reg == SpecialRegister::TidX || reg == SpecialRegister::TidY ||
               reg == SpecialRegister::TidZ;
  bool isNtid = reg >= SpecialRegister::NtidX && reg <= SpecialRegister::NtidZ;
  if (isNtid && !context.anyBlock)
    return constantForm(
        context.block[unsigned(reg) - unsigned(SpecialRegister::NtidX)]);
  if (!isTid && reg != SpecialRegister::LaneId &&
      reg != SpecialRegister::WarpId)
    return leaf(op.getD());
  ThreadForm form;
  form.offsets.resize(threads);
  for (unsigned i = 0; i < threads; ++i)
    form.offsets[i] =
        isTid ? getTid(context, unsigned(reg) - unsigned(SpecialRegister::TidX),
                       i)
        : reg == SpecialRegister::LaneId ? i % 32
                                         : i / 32;
  return form;
}

ThreadForm ThreadForms::makeOfAddress(AddressOfOp op) {
  VarOp var = variables.find(op);
  if (!var)
    return leaf(op.getD());
  ThreadForm form;
  form.root = var;
  return form;
}

/// `condition` ? `a` : `b`. If a and b differ by a known number in each thread,
/// threads whose condition is known get the offset of the chosen value, and the
/// differences of the others go into the rest. Otherwise only the root is
/// known.
ThreadForm ThreadForms::choose(Value condition, Value a, Value b) {
  ThreadForm x = get(a), y = get(b);
  if (a.getDefiningOp<UndefOp>())
    return y;
  if (b.getDefiningOp<UndefOp>())
    return x;
  auto difference = addForms(y, x, -1);
  ThreadForm unknown = unknownForm();
  if (!difference || difference->root)
    return unknown;
  if (difference->isExact()) {
    ThreadForm form = x;
    form.offsets.resize(threads, x.offsets[0]);
    // Added in threads whose condition is unknown: 0 or the difference.
    Remainder either;
    for (unsigned i = 0; i < threads; ++i) {
      int64_t more = difference->offsetOf(i);
      if (isFalse(condition, i))
        form.offsets[i] += more;
      else if (!isFalse(condition, i, /*negated=*/true))
        either = {std::gcd(either.divisor, magnitude(more)),
                  std::min(either.min, more), std::max(either.max, more)};
    }
    form.rest = form.rest.plus(either);
    form.isScattered |= either.divisor != 0;
    return form;
  }
  if (!x.root)
    return unknown;
  unknown.root = x.root;
  return unknown;
}

/// Computes `op` on known operands `x` of `width` bits; nothing if the op or
/// the numbers are not supported.
static std::optional<int64_t> compute(Operation *op, ArrayRef<int64_t> x,
                                      unsigned width) {
  auto zext = [&](int64_t v) {
    return width >= 64 ? uint64_t(v)
                       : uint64_t(v) & llvm::maskTrailingOnes<uint64_t>(width);
  };
  bool isSigned = true;
  if (auto type = op->getInherentAttr("ty"); type && *type)
    isSigned = isSignedInt(cast<ScalarTypeAttr>(*type).getValue());
  auto isNatural = [&](unsigned i) { return isSigned || x[i] >= 0; };
  if (isa<AndOp, arith::AndIOp>(op))
    return x[0] & x[1];
  if (isa<OrOp, arith::OrIOp>(op))
    return x[0] | x[1];
  if (isa<XorOp, arith::XOrIOp>(op))
    return x[0] ^ x[1];
  if (isa<NotOp>(op))
    return ~x[0];
  if (isa<ShrOp>(op)) {
    unsigned amount = unsigned(std::min<uint64_t>(zext(x[1]), width - 1));
    if (uint64_t(x[1]) >= width)
      return std::nullopt;
    return isSigned ? x[0] >> amount : int64_t(zext(x[0]) >> amount);
  }
  if (isa<Lop3Op>(op)) {
    uint64_t d = 0;
    for (unsigned row = 0; row < 8; ++row)
      if (x[3] >> row & 1)
        d |= uint64_t((row & 4 ? x[0] : ~x[0]) & (row & 2 ? x[1] : ~x[1]) &
                      (row & 1 ? x[2] : ~x[2]));
    return int64_t(d);
  }
  if (isa<BfeOp>(op) && x[1] >= 0 && x[2] > 0 && x[1] + x[2] <= width)
    return isSigned ? llvm::SignExtend64(zext(x[0]) >> x[1], unsigned(x[2]))
                    : int64_t(zext(x[0]) >> x[1] &
                              llvm::maskTrailingOnes<uint64_t>(x[2]));
  if (!isNatural(0) || op->getNumOperands() < 2 || !isNatural(1))
    return std::nullopt;
  if (isa<DivIntOp>(op) && x[1] > 0)
    return x[0] / x[1];
  if (isa<RemOp>(op) && x[1] > 0)
    return x[0] % x[1];
  if (isa<MinIntOp>(op))
    return std::min(x[0], x[1]);
  if (isa<MaxIntOp>(op))
    return std::max(x[0], x[1]);
  return std::nullopt;
}

/// Is `small` known to be below a power of two that divides `large`? Then they
/// have no set bit in common.
static bool isDisjoint(const ThreadForm &large, const ThreadForm &small) {
  if (!small.isExact())
    return false;
  uint64_t most = 0, divisor = large.rest.divisor;
  for (int64_t offset : small.offsets)
    most |= uint64_t(offset);
  for (int64_t offset : large.offsets)
    divisor = std::gcd(divisor, magnitude(offset));
  for (auto [symbol, coefficient] : large.terms)
    divisor = std::gcd(divisor, magnitude(coefficient));
  int zeros = divisor ? llvm::countr_zero(divisor) : 63;
  return !large.root && llvm::bit_width(most) <= zeros;
}

/// The form of an unknown value after `and` with `mask`.
static ThreadForm maskForm(uint64_t mask) {
  ThreadForm form = unknownForm();
  form.rest = {mask & -mask, 0, int64_t(mask)};
  return form;
}

ThreadForm ThreadForms::makeOfBits(Operation *op, unsigned width) {
  Value value = op->getResult(0);
  if (op->getNumRegions() || op->getNumResults() != 1 ||
      !op->getNumOperands() || width < 8)
    return leaf(value);
  if (!isa<AndOp, OrOp, XorOp, NotOp, ShrOp, Lop3Op, BfeOp, DivIntOp, RemOp,
           MinIntOp, MaxIntOp, arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op))
    return leaf(value);
  SmallVector<ThreadForm, 4> in;
  for (Value operand : op->getOperands())
    in.push_back(get(operand));
  if (isa<AndOp, arith::AndIOp>(op) && !isSameInCta(value))
    for (unsigned i : {0u, 1u})
      if (!in[i].isExact() && in[1 - i].isConstant() &&
          in[1 - i].offsets[0] > 0)
        return maskForm(uint64_t(in[1 - i].offsets[0]));
  if (isa<OrOp, XorOp>(op))
    for (unsigned i : {0u, 1u})
      if (!in[i].isExact() && isDisjoint(in[i], in[1 - i]))
        return *addForms(in[i], in[1 - i], 1);
  ThreadForm form;
  SmallVector<const ThreadForm *> pointers;
  for (const ThreadForm &each : in) {
    if (!each.isExact())
      return leaf(value);
    pointers.push_back(&each);
  }
  form.offsets.resize(countOffsets(pointers));
  for (unsigned i = 0; i < form.offsets.size(); ++i) {
    SmallVector<int64_t, 4> x;
    for (const ThreadForm &each : in)
      x.push_back(each.offsetOf(i));
    auto result = compute(op, x, width);
    if (!result)
      return leaf(value);
    form.offsets[i] = saturate(*result);
  }
  return form;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// The difference `next` - `symbol`, if it is one known number for all threads.
static std::optional<int64_t> stepOf(const ThreadForm &next, Value symbol) {
  bool grows = !next.root && next.terms.size() == 1 &&
               next.terms.lookup(symbol) == 1 && next.offsets.size() == 1 &&
               !next.rest.divisor;
  return grows ? std::optional(next.offsets[0]) : std::nullopt;
}

ThreadForm ThreadForms::makeOfArgument(BlockArgument argument) {
  auto loop = dyn_cast<scf::WhileOp>(argument.getOwner()->getParentOp());
  if (!loop)
    return leaf(argument);
  if (argument.getOwner() == loop.getAfterBody())
    return get(loop.getConditionOp().getArgs()[argument.getArgNumber()]);
  return isSameInCta(argument) ? symbolForm(argument) : makeOfCarried(argument);
}

/// The number that an iteration adds to the argument, if it is the same in each
/// iteration and thread. To find it, the argument is taken for a symbol, and
/// the next value is computed from that. Meanwhile the other arguments of the
/// loop count as unknown, since none of them can be part of such a sum.
std::optional<int64_t> ThreadForms::findStep(BlockArgument argument) {
  auto loop = cast<scf::WhileOp>(argument.getOwner()->getParentOp());
  assert(!forms.contains(argument) && "the argument is a symbol for now");
  size_t mark = made.size();
  tried.insert(loop);
  keep(argument, symbolForm(argument));
  ThreadForm next =
      get(loop.getYieldOp().getOperands()[argument.getArgNumber()]);
  tried.erase(loop);
  for (; made.size() > mark; made.pop_back())
    forms.erase(made.back());
  return stepOf(next, argument);
}

/// The form of a carried argument that differs between threads, but to which
/// each iteration adds the same number: its initial value plus the sum of what
/// was added. If all warps iterate together, that sum is the same in all of
/// them, and the argument itself is the symbol for it. Otherwise the sum is a
/// rest.
ThreadForm ThreadForms::makeOfCarried(BlockArgument argument) {
  auto loop = cast<scf::WhileOp>(argument.getOwner()->getParentOp());
  ThreadForm unknown = unknownForm();
  if (tried.contains(loop))
    return unknown;
  ThreadForm start = get(loop.getInits()[argument.getArgNumber()]);
  auto step = findStep(argument);
  unknown.root = start.root;
  if (!step)
    return unknown;
  steps[argument] = *step;
  if (isSameInCta(loop.getConditionOp().getCondition()))
    return *addForms(start, symbolForm(argument), 1);
  start.rest = start.rest.plus(boundsOf(argument));
  return start;
}

void ThreadForms::forget(ThreadForm &form, Operation *inside) const {
  SmallVector<std::pair<Value, int64_t>> terms(form.terms.begin(),
                                               form.terms.end());
  for (auto [symbol, coefficient] : terms)
    if (inside->isAncestor(symbol.getParentBlock()->getParentOp())) {
      form.terms.erase(symbol);
      form.rest = form.rest.plus(boundsOf(symbol).times(coefficient));
    }
}

void ThreadForms::renew(ThreadForm &form, Operation *loop) {
  SmallVector<std::pair<Value, int64_t>> kept;
  SmallVector<std::pair<Value, int64_t>> terms(form.terms.begin(),
                                               form.terms.end());
  for (auto [symbol, coefficient] : terms) {
    auto argument = dyn_cast<BlockArgument>(symbol);
    if (!argument || argument.getOwner()->getParentOp() != loop)
      continue;
    auto whileOp = cast<scf::WhileOp>(loop);
    if (!steps.count(symbol)) {
      const ThreadForm &next =
          get(whileOp.getYieldOp().getOperands()[argument.getArgNumber()]);
      auto step = stepOf(next, symbol);
      if (!step)
        continue;
      steps[symbol] = *step;
    }
    // The symbol has grown by the step since, so subtract the step.
    int64_t less = scaleBound(steps.lookup(symbol), coefficient);
    for (int64_t &offset : form.offsets)
      offset = saturate(__int128(offset) - less);
    kept.push_back({symbol, coefficient});
    form.terms.erase(symbol);
  }
  forget(form, loop);
  for (auto [symbol, coefficient] : kept)
    addTerm(form, symbol, coefficient);
}

//===----------------------------------------------------------------------===//
// Predicates
//===----------------------------------------------------------------------===//

/// The result of `setp` for two numbers of forms, if it is known. Forms hold
/// signed numbers, so the order of unsigned ones is known only if neither is
/// negative.
static std::optional<bool> compareNumbers(SetpOp setp, int64_t a, int64_t b) {
  Compare cmp = setp.getCmp();
  bool hasOrder = isSignedInt(setp.getTy()) || (a >= 0 && b >= 0);
  if (!hasOrder && cmp != Compare::EQ && cmp != Compare::NE)
    return std::nullopt;
  return compareIntegers(cmp, a, b);
}

bool ThreadForms::isFalse(Value predicate, unsigned thread, bool negated,
                          unsigned levels) {
  APInt number;
  if (matchPattern(predicate, m_ConstantInt(&number)))
    return number.isZero() != negated;
  Operation *op = predicate.getDefiningOp();
  if (!op || !levels)
    return false;
  auto recurse = [&](unsigned i, bool negated) {
    return isFalse(op->getOperand(i), thread, negated, levels - 1);
  };
  if (isa<NotOp>(op))
    return recurse(0, !negated);
  if (isa<XorOp, arith::XOrIOp>(op))
    return matchPattern(op->getOperand(1), m_One()) && recurse(0, !negated);
  if (isa<AndOp, arith::AndIOp, OrOp, arith::OrIOp>(op)) {
    bool a = recurse(0, negated), b = recurse(1, negated);
    return isa<AndOp, arith::AndIOp>(op) != negated ? a || b : a && b;
  }
  auto setp = dyn_cast<SetpOp>(op);
  if (!setp || setp.getBoolop() || predicate != setp.getP().front() ||
      !setp.getA().getType().isInteger())
    return false;
  const ThreadForm &a = get(setp.getA()), &b = get(setp.getB());
  if (!a.isExact() || !b.isExact())
    return false;
  auto holds = compareNumbers(setp, a.offsetOf(thread), b.offsetOf(thread));
  return holds && *holds == negated;
}
