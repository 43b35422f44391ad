//===- SharedOrder.cpp - where warps must not run ahead -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks the kernel as a warp does, with the accesses that it has made since all
// warps were last together. At an access that meets one of these there is a
// place of order, and from there on there are none. Loops are walked until no
// new place is found: the accesses of one turn are those before the next one.
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Analysis/SharedOrder.h"

#include "Place.h"
#include "PollingLoop.h"
#include "ThreadForm.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "ptxjit/Analysis/CtaLevel.h"
#include "ptxjit/Analysis/ExecutionMode.h"
#include "llvm/ADT/BitVector.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

/// Pairs of accesses that are compared. Kernels that have more, which are long
/// and have hardly any barrier, get no more places.
static constexpr unsigned kMostPairs = 4000;
/// What is that far away from everything is a pointer, or has wrapped.
static constexpr int64_t kFar = int64_t(1) << 40;
/// Accesses that are remembered at a time.
static constexpr size_t kMostAccesses = 500;

namespace {

/// What threads do to bytes of shared memory.
struct SharedAccess {
  Operation *op;
  ByteAccess::Kind kind;
  ThreadForm address; ///< of the first byte
  uint64_t bytes;
  const llvm::BitVector *threads; ///< those that may come here
};
using Accesses = std::vector<SharedAccess>;

/// Bytes of a thread, or all between the first and the last one of a warp.
struct Piece {
  int64_t begin, end;
  unsigned warp;
  bool isLater; ///< of the later access
};

} // namespace

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

static bool isCtaShared(std::optional<Space> space) {
  return space == Space::Shared || space == Space::SharedCta;
}

static std::optional<ByteAccess> describe(Operation *op) {
  auto access = dyn_cast<AccessOpInterface>(op);
  return access ? std::optional(access.getByteAccess()) : std::nullopt;
}

static bool isGeneric(const ByteAccess &access) {
  return !access.space || access.space == Space::Generic;
}

//===----------------------------------------------------------------------===//
// Do two warps touch the same bytes?
//===----------------------------------------------------------------------===//

namespace {

/// An access, and a later one.
struct AccessPair {
  const SharedAccess &a, &b;
  unsigned lanes; ///< threads of a warp

  /// Does it matter which comes first, if both touch the same bytes, to
  /// programs that work on GPUs?
  bool orderMatters() const;
  /// May one warp touch a byte by `a` that another one touches by `b`?
  bool mayMeet(const ThreadForms &forms) const;

private:
  /// The same, where addresses are known but for a number within `rest`.
  bool overlapWithin(const Remainder &rest) const;
  /// The same, where addresses are known but for multiples of `divisor`.
  bool overlapModulo(uint64_t divisor) const;
};

} // namespace

/// Do pieces of the earlier and the later access overlap that belong to
/// different warps?
static bool overlap(std::vector<Piece> &pieces) {
  llvm::sort(pieces,
             [](const Piece &a, const Piece &b) { return a.begin < b.begin; });
  // Of either access, the two warps that reach farthest.
  Piece farthest[2][2];
  for (auto &side : farthest)
    for (Piece &piece : side)
      piece = {0, INT64_MIN, ~0u, false};
  for (const Piece &piece : pieces) {
    for (const Piece &other : farthest[!piece.isLater])
      if (other.end > piece.begin && other.warp != piece.warp)
        return true;
    Piece &first = farthest[piece.isLater][0],
          &second = farthest[piece.isLater][1];
    if (piece.warp == first.warp) {
      first.end = std::max(first.end, piece.end);
    } else if (piece.end > first.end) {
      second = first;
      first = piece;
    } else if (piece.end > second.end) {
      second = piece;
    }
  }
  return false;
}

/// One piece for each warp instead of one for each thread.
static std::vector<Piece> joinWarps(ArrayRef<Piece> pieces) {
  std::vector<Piece> joined;
  for (const Piece &piece : pieces) {
    if (joined.empty() || joined.back().warp != piece.warp ||
        joined.back().isLater != piece.isLater) {
      joined.push_back(piece);
      continue;
    }
    joined.back().begin = std::min(joined.back().begin, piece.begin);
    joined.back().end = std::max(joined.back().end, piece.end);
  }
  return joined;
}

bool AccessPair::overlapWithin(const Remainder &rest) const {
  for (int64_t bound : {rest.min, rest.max})
    if (bound > kFar || bound < -kFar)
      return true;
  std::vector<Piece> pieces;
  auto add = [&](const SharedAccess &access, int64_t min, int64_t max,
                 bool isLater) {
    for (unsigned i : access.threads->set_bits()) {
      int64_t begin = std::clamp(access.address.offsetOf(i), -kFar, kFar);
      pieces.push_back({begin + min, begin + max + int64_t(access.bytes),
                        i / lanes, isLater});
    }
  };
  add(a, rest.min, rest.max, false);
  add(b, 0, 0, true);
  // Mostly a warp's bytes lie together, and it takes a few comparisons to see
  // that warps do not meet.
  std::vector<Piece> warps = joinWarps(pieces);
  return overlap(warps) && overlap(pieces);
}

bool AccessPair::overlapModulo(uint64_t divisor) const {
  if (a.bytes >= divisor || b.bytes >= divisor || divisor > (1u << 31))
    return true;
  std::vector<Piece> pieces;
  auto add = [&](const SharedAccess &access, bool isLater) {
    for (unsigned i : access.threads->set_bits()) {
      int64_t n = int64_t(divisor);
      int64_t begin = (access.address.offsetOf(i) % n + n) % n;
      for (int64_t turn : {int64_t(0), n})
        pieces.push_back({begin - turn, begin - turn + int64_t(access.bytes),
                          i / lanes, isLater});
    }
  };
  add(a, false);
  add(b, true);
  return overlap(pieces);
}

/// Variables of which the size is given at launch all begin at one place.
static bool areApart(Operation *a, Operation *b) {
  if (!a || !b || a == b)
    return false;
  return cast<VarOp>(a).getBytes() != 0 || cast<VarOp>(b).getBytes() != 0;
}

bool AccessPair::mayMeet(const ThreadForms &forms) const {
  if (areApart(a.address.root, b.address.root))
    return false;
  if (!a.address.root != !b.address.root)
    return true;
  Remainder rest = a.address.rest.plus(b.address.rest.times(-1));
  ThreadForm x = a.address, y = b.address;
  x.root = y.root = nullptr;
  auto difference = addForms(x, y, -1);
  for (auto [symbol, coefficient] : difference->terms)
    rest = rest.plus(forms.boundsOf(symbol).times(coefficient));
  if (!rest.divisor)
    return overlapWithin(rest);
  return overlapModulo(rest.divisor) && overlapWithin(rest);
}

bool AccessPair::orderMatters() const {
  auto isWrite = [](ByteAccess::Kind kind) {
    return kind == ByteAccess::Write || kind == ByteAccess::AsyncWrite;
  };
  if (a.kind == ByteAccess::AsyncWrite || a.kind == b.kind ||
      (isWrite(a.kind) && isWrite(b.kind)))
    return false;
  // Where a thread's data say which bytes it touches they are mostly its own:
  // its part of a table. A program whose warps do meet there is only right on a
  // GPU if one side has long been done, as reads are behind a barrier.
  bool bothScattered = a.address.isScattered && b.address.isScattered;
  bool anyScattered = a.address.isScattered || b.address.isScattered;
  return !bothScattered && (!anyScattered || a.kind == ByteAccess::Read);
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

namespace {

class OrderFinder {
public:
  /// \param deep  places may lie in regions that hold no barrier.
  OrderFinder(FuncOp func, const ShapeAnalysis &shapes, bool deep)
      : shapes(shapes), forms(func, shapes), deep(deep) {
    func.walk([&](Operation *op) {
      auto info = describe(op);
      bool isBarrier = isAnyBarrier(op);
      bool isWait = op->hasTrait<GivesWay>() || isa<MbarrierWaitOp>(op);
      if (!isBarrier && !isWait && !(info && isShared(*info)))
        return;
      for (Operation *p = op; p != func; p = p->getParentOp()) {
        relevant.insert(p);
        if (isBarrier)
          withBarrier.insert(p);
        if (isWait)
          withWait.insert(p);
      }
    });
  }

  void find(FuncOp func) {
    Accesses before;
    walk(func.getBody().front(), before);
  }
  std::vector<OrderPoint> takePoints() { return std::move(points); }

private:
  bool isShared(const ByteAccess &access) {
    if (!isGeneric(access))
      return isCtaShared(access.space);
    auto root = dyn_cast_if_present<VarOp>(forms.get(access.address).root);
    return root && isCtaShared(root.getSpace());
  }
  bool isEntered(Operation *op) const;
  void walk(Block &block, Accesses &before);
  void enter(Operation *op, Accesses &before);
  void enterLoop(scf::WhileOp loop, Accesses &before);
  void collect(Operation *op, Accesses &found);
  /// The threads that are not known to be elsewhere.
  const llvm::BitVector &threadsAt(Block *block);
  /// The pair that makes `op` a place of order, if there is one.
  std::optional<std::string> findReason(const Accesses &before,
                                        const Accesses &now);
  void addPoint(Operation *op, std::string why);

  const ShapeAnalysis &shapes;
  ThreadForms forms;
  bool deep;
  unsigned pairs = 0;
  /// Ops that touch shared memory or meet other warps, or hold such; those that
  /// are or hold a barrier; and those that wait for what other warps write.
  llvm::DenseSet<Operation *> relevant, withBarrier, withWait;
  llvm::DenseSet<Operation *> places;
  llvm::DenseMap<Block *, std::unique_ptr<llvm::BitVector>> threads;
  std::vector<OrderPoint> points;
};

} // namespace

/// Does the walk go into the region, so that there may be a place inside? Warps
/// do so together where control is the same in the CTA, or where there is a
/// barrier inside, which says so. Threads that run one by one need no company:
/// whoever is there gives way to the others.
bool OrderFinder::isEntered(Operation *op) const {
  if (!isa<scf::IfOp, scf::WhileOp>(op))
    return false;
  if (withBarrier.contains(op) || shapes.getContext().lanes == 1)
    return true;
  if (!deep)
    return false;
  auto loop = dyn_cast<scf::WhileOp>(op);
  Value condition = loop ? loop.getConditionOp().getCondition()
                         : cast<scf::IfOp>(op).getCondition();
  const Shape &shape = shapes.get(condition);
  return shape.isUniform() && !shape.conditional &&
         shape.uniformity <= Uniformity::Cta;
}

const llvm::BitVector &OrderFinder::threadsAt(Block *block) {
  auto [it, isNew] = threads.try_emplace(block);
  if (!isNew)
    return *it->second;
  Operation *parent = block->getParentOp();
  auto found = std::make_unique<llvm::BitVector>(
      isa<FuncOp>(parent) ? llvm::BitVector(shapes.getContext().threads(), true)
                          : threadsAt(parent->getBlock()));
  if (auto ifOp = dyn_cast<scf::IfOp>(parent)) {
    bool inElse = block->getParent() == &ifOp.getElseRegion();
    for (unsigned i : found->set_bits())
      if (forms.isFalse(ifOp.getCondition(), i, inElse))
        found->reset(i);
  }
  return *(threads[block] = std::move(found));
}

void OrderFinder::collect(Operation *op, Accesses &found) {
  op->walk([&](Operation *inner) {
    auto info = describe(inner);
    if (!info || !isShared(*info))
      return;
    SharedAccess access{inner, info->kind, forms.get(info->address),
                        info->bytes, &threadsAt(inner->getBlock())};
    if (info->offset > kFar || info->offset < -kFar)
      return;
    for (int64_t &offset : access.address.offsets)
      offset += info->offset;
    if (op != inner)
      forms.forget(access.address, op);
    found.push_back(std::move(access));
  });
}

static std::string nameOf(const SharedAccess &access) {
  auto var = dyn_cast_if_present<VarOp>(access.address.root);
  if (!var)
    return "shared memory";
  // Of `kernel::name$0`, what the program says.
  StringRef name = var.getSymName();
  if (size_t at = name.rfind("::"); at != StringRef::npos)
    name = name.substr(at + 2).rsplit('$').first;
  return name.str();
}

std::optional<std::string> OrderFinder::findReason(const Accesses &before,
                                                   const Accesses &now) {
  for (const SharedAccess &b : now)
    for (const SharedAccess &a : before) {
      AccessPair pair{a, b, shapes.getContext().lanes};
      if (!pair.orderMatters())
        continue;
      if (++pairs > kMostPairs || forms.isExhausted())
        return std::nullopt;
      if (pair.mayMeet(forms))
        return std::string("other ") +
               (pair.lanes == 1 ? "threads " : "warps ") +
               (a.kind == ByteAccess::Read ? "read " : "write ") +
               nameOf(b.address.root ? b : a) + placeOf(a.op);
    }
  return std::nullopt;
}

/// Adds to `before` what is not there.
static void remember(Accesses now, Accesses &before) {
  for (SharedAccess &access : now) {
    bool isThere = llvm::any_of(before, [&](const SharedAccess &known) {
      return known.op == access.op && known.address == access.address;
    });
    if (!isThere && before.size() < kMostAccesses)
      before.push_back(std::move(access));
  }
}

void OrderFinder::addPoint(Operation *op, std::string why) {
  places.insert(op);
  points.push_back({op, std::move(why)});
}

void OrderFinder::walk(Block &block, Accesses &before) {
  for (Operation &op : block.without_terminator()) {
    if (isAnyBarrier(&op) || withWait.contains(&op) || places.contains(&op))
      before.clear();
    if (!relevant.contains(&op) || isAnyBarrier(&op))
      continue;
    bool entered = op.getNumRegions() && isEntered(&op);
    if (!entered && withWait.contains(&op))
      continue;
    if (!entered || !withBarrier.contains(&op)) {
      Accesses now;
      collect(&op, now);
      if (auto why = findReason(before, now)) {
        addPoint(&op, std::move(*why));
        before.clear();
      }
      if (!entered) {
        remember(std::move(now), before);
        continue;
      }
    }
    enter(&op, before);
  }
}

void OrderFinder::enter(Operation *op, Accesses &before) {
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return enterLoop(loop, before);
  auto ifOp = cast<scf::IfOp>(op);
  Accesses other = before;
  walk(*ifOp.thenBlock(), before);
  if (ifOp.elseBlock())
    walk(*ifOp.elseBlock(), other);
  remember(std::move(other), before);
}

void OrderFinder::enterLoop(scf::WhileOp loop, Accesses &before) {
  Accesses turn = before, atExit;
  size_t known;
  bool isFirst = true;
  do {
    known = points.size();
    walk(*loop.getBeforeBody(), turn);
    atExit = turn;
    walk(*loop.getAfterBody(), turn);
    for (SharedAccess &access : turn)
      forms.renew(access.address, loop);
    // The first turn has not seen what a turn leaves to the next.
  } while (std::exchange(isFirst, false) || points.size() != known);
  for (SharedAccess &access : atExit)
    forms.forget(access.address, loop);
  before = std::move(atExit);
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

/// Can the kernel be split at the places and at its barriers?
static bool canSplit(FuncOp kernel, const ShapeAnalysis &shapes,
                     ArrayRef<OrderPoint> points) {
  std::vector<Operation *> places;
  for (const OrderPoint &point : points)
    places.push_back(point.before);
  return CtaLevel(kernel, shapes, places).whyNot().empty();
}

/// Is there shared memory at all? Most kernels have none.
static bool hasShared(FuncOp kernel) {
  return kernel
      .walk([](Operation *op) {
        bool isFound = false;
        if (auto info = describe(op))
          isFound = isCtaShared(info->space);
        else if (auto address = dyn_cast<CvtaOp>(op))
          isFound = isCtaShared(address.getSpace());
        return isFound ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

std::vector<OrderPoint> ptxjit::findSharedOrder(FuncOp kernel,
                                                ShapeContext context) {
  if (context.threads() <= context.lanes || !hasShared(kernel))
    return {};
  auto shapes = std::make_unique<ShapeAnalysis>(kernel, context);
  if (context.lanes > 1 && needsThreads(kernel, *shapes)) {
    context.lanes = 1;
    shapes = std::make_unique<ShapeAnalysis>(kernel, context);
  }
  auto find = [&](bool deep) {
    OrderFinder finder(kernel, *shapes, deep);
    finder.find(kernel);
    return finder.takePoints();
  };
  std::vector<OrderPoint> points = find(/*deep=*/true);
  if (points.empty() || context.lanes == 1 ||
      canSplit(kernel, *shapes, points) || !canSplit(kernel, *shapes, {}))
    return points;
  // A region without barriers depends on what only warps have.
  return find(/*deep=*/false);
}
