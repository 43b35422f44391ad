//===- SharedOrder.cpp - places where warps must not run ahead ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks the kernel in program order and keeps the accesses made since all warps
// were last together. An access that conflicts with one of these gets a place
// of order, which clears the list. Loops are walked until no new place is
// found, because the accesses of one iteration come before those of the next.
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

/// The limit of pairs of accesses that are compared; after that, a kernel gets
/// no more places. Only long kernels with hardly any barriers have more pairs.
static constexpr unsigned kMostPairs = 4000;
/// The same for pairs of writes.
static constexpr unsigned kMostWritePairs = 4000;
/// An offset of this size is a pointer, or a number that has wrapped around.
static constexpr int64_t kFar = int64_t(1) << 40;
/// The limit of accesses that are kept at a time.
static constexpr size_t kMostAccesses = 500;

namespace {

/// An access of threads to shared memory.
struct SharedAccess {
  Operation *op;
  ByteAccess::Kind kind;
  ThreadForm address; ///< of the first byte
  uint64_t bytes;
  const llvm::BitVector *threads; ///< the threads that may make the access

  bool isRead() const { return kind == ByteAccess::Read; }
};

/// A list of accesses that knows whether all of them read: long kernels have
/// hundreds of reads in a row, whose pairs need not be looked at.
class Accesses {
public:
  void add(SharedAccess access) {
    onlyReads &= access.isRead();
    list.push_back(std::move(access));
  }
  void clear() {
    list.clear();
    onlyReads = true;
  }
  bool areReads() const { return onlyReads; }
  size_t size() const { return list.size(); }
  auto begin() { return list.begin(); }
  auto end() { return list.end(); }
  auto begin() const { return list.begin(); }
  auto end() const { return list.end(); }

private:
  std::vector<SharedAccess> list;
  bool onlyReads = true;
};

/// A range of bytes that a thread accesses, or one that covers all accesses of
/// a warp.
struct Piece {
  int64_t begin, end;
  unsigned warp;
  bool isLater; ///< belongs to the later access of a pair
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

/// An access `a` and a later access `b`.
struct AccessPair {
  const SharedAccess &a, &b;
  unsigned lanes; ///< threads of a warp

  /// Do both write? The warps of a GPU do so in any order, but the threads of
  /// one of its warps in the order of the program, where ours may have fewer.
  bool areWrites() const;
  /// If both access the same bytes, does their order matter to programs that
  /// are correct on GPUs?
  bool orderMatters() const;
  /// May one warp access a byte in `a` that another warp accesses in `b`?
  bool mayMeet(const ThreadForms &forms) const;

private:
  /// mayMeet, if the distance of the addresses is known up to a number within
  /// the bounds of `rest`.
  bool overlapWithin(const Remainder &rest) const;
  /// mayMeet, if the distance is known up to a multiple of `divisor`.
  bool overlapModulo(uint64_t divisor) const;
  /// overlap, of writes only within the warps of a GPU.
  bool overlapInOrder(std::vector<Piece> &pieces) const;
};

} // namespace

/// Does a piece of the earlier access overlap a piece of the later access that
/// belongs to another warp?
static bool overlap(std::vector<Piece> &pieces) {
  llvm::sort(pieces,
             [](const Piece &a, const Piece &b) { return a.begin < b.begin; });
  // For each access, the two warps whose pieces reach farthest so far.
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

/// Joins the pieces of the threads of each warp to one piece.
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

bool AccessPair::overlapInOrder(std::vector<Piece> &pieces) const {
  if (!areWrites())
    return overlap(pieces);
  llvm::SmallVector<std::vector<Piece>> warps;
  for (const Piece &piece : pieces) {
    size_t warp = size_t(piece.warp) * lanes / kWarpLanes;
    warps.resize(std::max(warps.size(), warp + 1));
    warps[warp].push_back(piece);
  }
  return llvm::any_of(warps, overlap);
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
  // The bytes of a warp mostly lie together. Then few comparisons show that no
  // two warps meet.
  std::vector<Piece> warps = joinWarps(pieces);
  return overlap(warps) && overlapInOrder(pieces);
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
  return overlapInOrder(pieces);
}

/// Are the variables `a` and `b` disjoint? Variables whose size the launch
/// gives all begin at the same address.
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

bool AccessPair::areWrites() const {
  auto isWrite = [](ByteAccess::Kind kind) {
    return kind == ByteAccess::Write || kind == ByteAccess::AsyncWrite;
  };
  return isWrite(a.kind) && isWrite(b.kind);
}

bool AccessPair::orderMatters() const {
  if (a.kind == ByteAccess::AsyncWrite)
    return false;
  if (areWrites() ? lanes >= kWarpLanes : a.kind == b.kind)
    return false;
  // If a thread's data select the bytes that it accesses, these mostly belong
  // to the thread: its part of a table. If warps do meet there, the program can
  // be correct on a GPU only if one side is done long before the other, like
  // reads right after a barrier. So if one side is scattered, only earlier
  // reads count.
  bool bothScattered = a.address.isScattered && b.address.isScattered;
  bool anyScattered = a.address.isScattered || b.address.isScattered;
  return !bothScattered && (!anyScattered || a.isRead());
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

namespace {

class OrderFinder {
public:
  /// \param deep  places may also lie in regions that contain no barrier.
  OrderFinder(FuncOp func, const ShapeAnalysis &shapes, bool deep)
      : shapes(shapes), forms(shapes), deep(deep) {
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
  /// The threads that may execute `block`.
  const llvm::BitVector &threadsAt(Block *block);
  /// Compares earlier accesses with those of an op. \returns why there must be
  /// a place of order in front of the op, if so.
  std::optional<std::string> findReason(const Accesses &before,
                                        const Accesses &now);
  void addPoint(Operation *op, std::string why);

  const ShapeAnalysis &shapes;
  ThreadForms forms;
  bool deep;
  unsigned pairs = 0, writePairs = 0;
  /// Ops that are or contain: an access to shared memory, a barrier or a wait
  /// (`relevant`); a barrier; an op that waits for other warps.
  llvm::DenseSet<Operation *> relevant, withBarrier, withWait;
  llvm::DenseSet<Operation *> places;
  llvm::DenseMap<Block *, std::unique_ptr<llvm::BitVector>> threads;
  std::vector<OrderPoint> points;
};

} // namespace

/// Does the walk enter the regions of `op`, so that there may be a place
/// inside? It does if all warps enter them together: control is the same in the
/// CTA, or there is a barrier inside, which implies that. Threads that run one
/// by one need not be together, since each gives way to all others.
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
  return shapes.get(condition).isSameInCta();
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
    found.add(std::move(access));
  });
}

static std::string nameOf(const SharedAccess &access) {
  auto var = dyn_cast_if_present<VarOp>(access.address.root);
  if (!var)
    return "shared memory";
  // The name in the program: "name" of `kernel::name$0`.
  StringRef name = var.getSymName();
  if (size_t at = name.rfind("::"); at != StringRef::npos)
    name = name.substr(at + 2).rsplit('$').first;
  return name.str();
}

std::optional<std::string> OrderFinder::findReason(const Accesses &before,
                                                   const Accesses &now) {
  if (before.areReads() && now.areReads())
    return std::nullopt;
  unsigned lanes = shapes.getContext().lanes;
  for (const SharedAccess &b : now)
    for (const SharedAccess &a : before) {
      AccessPair pair{a, b, lanes};
      if (!pair.orderMatters())
        continue;
      if (forms.isExhausted())
        return std::nullopt;
      // Writes leave the others their share of the comparisons.
      if (pair.areWrites() && ++writePairs > kMostWritePairs)
        continue;
      if (!pair.areWrites() && ++pairs > kMostPairs)
        return std::nullopt;
      if (pair.mayMeet(forms))
        return std::string("other ") +
               (pair.lanes == 1 ? "threads " : "warps ") +
               (a.isRead() ? "read " : "write ") +
               nameOf(b.address.root ? b : a) + placeOf(a.op);
    }
  return std::nullopt;
}

/// Adds the accesses in `now` that are not in `before` yet.
static void remember(Accesses now, Accesses &before) {
  for (SharedAccess &access : now) {
    bool isThere = llvm::any_of(before, [&](const SharedAccess &known) {
      return known.op == access.op && known.address == access.address;
    });
    if (!isThere && before.size() < kMostAccesses)
      before.add(std::move(access));
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
    // The first iteration has not seen the accesses of an iteration before it.
  } while (std::exchange(isFirst, false) || points.size() != known);
  for (SharedAccess &access : atExit)
    forms.forget(access.address, loop);
  before = std::move(atExit);
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

/// Can the kernel be split at its barriers and at `points`?
static bool canSplit(FuncOp kernel, const ShapeAnalysis &shapes,
                     ArrayRef<OrderPoint> points) {
  std::vector<Operation *> places;
  for (const OrderPoint &point : points)
    places.push_back(point.before);
  return CtaLevel(kernel, shapes, places).whyNot().empty();
}

/// Does the kernel access shared memory at all? Most kernels do not.
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
  // Of blocks with any rows, nobody knows which threads are in which warp.
  bool isUnknown = context.anyBlock && context.block[1] > 1;
  if (context.threads() <= context.lanes || isUnknown || !hasShared(kernel))
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
  // A region without barriers depends on values that only warps can compute:
  // put no places into such regions, so that the kernel can still be split.
  return find(/*deep=*/false);
}
