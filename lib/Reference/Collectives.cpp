//===- Collectives.cpp - barriers and warp collectives --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cta.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;
using namespace ptxjit::reference;

//===----------------------------------------------------------------------===//
// Waiting
//===----------------------------------------------------------------------===//

LogicalResult Cta::wait(Thread &t, Operation &op) {
  t.state = Thread::Waiting;
  t.waitsAt = &op;
  t.waitInputs.clear();
  for (Value v : op.getOperands())
    t.waitInputs.push_back(get(t, v));
  if (isa<BarOp, BarrierOp>(op))
    arriveAtBarrier(t);
  return success();
}

static bool isMatrixOp(Operation *op) {
  return isa<MmaOp, LdMatrixOp, StMatrixOp, MovMatrixOp, WmmaLoadOp,
             WmmaStoreOp, WgmmaOp>(op);
}
bool reference::isWarpCollective(Operation *op) {
  return isMatrixOp(op) || isTensorMemoryOp(op) ||
         isa<ShflOp, VoteOp, BarWarpOp, MatchOp, ReduxOp, ElectOp>(op);
}

/// Returns the membermask of the op that a thread waits at; all lanes if it has
/// none.
static Bits memberMask(const Thread &t) {
  if (isMatrixOp(t.waitsAt) || isTensorMemoryOp(t.waitsAt))
    return 0xffffffff;
  return llvm::TypeSwitch<Operation *, Bits>(t.waitsAt)
      .Case<ShflOp>([&](ShflOp op) {
        return op.getM() ? t.waitInputs[3] : Bits(0xffffffff);
      })
      .Case<VoteOp>([&](VoteOp op) {
        return op.getM() ? t.waitInputs[1] : Bits(0xffffffff);
      })
      .Default([&](Operation *) { return t.waitInputs.back(); });
}

/// Whether two waiting threads are at the same operation. Any two bar.warp.sync
/// match.
static bool meets(const Thread &a, const Thread &b) {
  return a.waitsAt == b.waitsAt ||
         (isa<BarWarpOp>(a.waitsAt) && isa<BarWarpOp>(b.waitsAt));
}

FailureOr<bool> Cta::resolveWarps() {
  bool any = false;
  for (unsigned warp = 0; warp * 32 < threads.size(); ++warp) {
    FailureOr<bool> done = resolveWarp(warp);
    if (failed(done))
      return failure();
    any |= *done;
  }
  return any;
}

LogicalResult Cta::collective(llvm::ArrayRef<Thread *> members, Operation &op) {
  if (isMatrixOp(&op))
    return matrix(op, members);
  if (isTensorMemoryOp(&op))
    return tensorMemoryOp(op, members);
  for (Thread *t : members)
    if (t)
      llvm::TypeSwitch<Operation *>(t->waitsAt)
          .Case<ShflOp>([&](ShflOp) { shuffle(*t, members); })
          .Case<VoteOp>([&](VoteOp op) { vote(*t, op, members); })
          .Case<MatchOp>([&](MatchOp op) { match(*t, op, members); })
          .Case<ReduxOp>([&](ReduxOp op) { redux(*t, op, members); })
          .Case<ElectOp>([&](ElectOp op) {
            unsigned leader = 0;
            while (!members[leader])
              ++leader;
            set(*t, op.getD()[0], leader);
            if (op.getD().size() > 1)
              set(*t, op.getD()[1], members[leader] == t);
          });
  return success();
}

/// Carries out one collective of a warp if all its members that have not exited
/// have come. \returns whether there was one.
FailureOr<bool> Cta::resolveWarp(unsigned warp) {
  unsigned first = warp * 32;
  unsigned count = std::min<unsigned>(32, threads.size() - first);
  for (unsigned i = 0; i < count; ++i) {
    Thread &leader = threads[first + i];
    if (leader.state != Thread::Waiting || !isWarpCollective(leader.waitsAt))
      continue;
    Bits mask = memberMask(leader);
    if (!(mask >> i & 1))
      continue; // a mask without the lane is undefined: wait for ever
    llvm::SmallVector<Thread *, 32> members(32, nullptr);
    bool complete = true;
    for (unsigned l = 0; l < count; ++l) {
      Thread &t = threads[first + l];
      if (!(mask >> l & 1) || t.state == Thread::Done)
        continue;
      complete &= t.state == Thread::Waiting && meets(t, leader) &&
                  memberMask(t) == mask;
      members[l] = &t;
    }
    if (!complete || waitsForColumns(leader))
      continue;
    if (failed(collective(members, *leader.waitsAt)))
      return failure();
    for (Thread *t : members)
      if (t)
        t->state = Thread::Running;
    return true;
  }
  return false;
}

void Cta::vote(Thread &t, VoteOp op, llvm::ArrayRef<Thread *> members) {
  bool all = true, some = false;
  Bits ballot = 0;
  for (unsigned l = 0; l < 32; ++l)
    if (members[l]) {
      bool p = members[l]->waitInputs[0] & 1;
      all &= p;
      some |= p;
      ballot |= Bits(p) << l;
    }
  switch (op.getMode()) {
  case VoteMode::All:
    return set(t, op.getD(), all);
  case VoteMode::Any:
    return set(t, op.getD(), some);
  case VoteMode::Uni:
    return set(t, op.getD(), all || !some);
  case VoteMode::Ballot:
    return set(t, op.getD(), ballot);
  }
}

void Cta::match(Thread &t, MatchOp op, llvm::ArrayRef<Thread *> members) {
  Bits same = 0, everybody = 0;
  for (unsigned l = 0; l < 32; ++l)
    if (members[l]) {
      everybody |= Bits(1) << l;
      if (members[l]->waitInputs[0] == t.waitInputs[0])
        same |= Bits(1) << l;
    }
  bool all = op.getMode() == MatchMode::All;
  set(t, op.getD()[0], all && same != everybody ? 0 : same);
  if (op.getD().size() > 1)
    set(t, op.getD()[1], same == everybody);
}

Bits reference::extremeOf(AtomicOp op, bool abs, bool nan,
                          llvm::ArrayRef<Bits> values) {
  constexpr Bits canonicalNaN = 0x7fffffff;
  std::optional<llvm::APFloat> best;
  for (Bits value : values) {
    Bits bits = value & (abs ? 0x7fffffff : 0xffffffff);
    llvm::APFloat x = makeFloat(ScalarType::F32, bits);
    if (x.isNaN() && nan)
      return canonicalNaN;
    if (x.isNaN())
      continue;
    if (!best)
      best = x;
    else
      best = op == AtomicOp::Min ? llvm::minimumnum(*best, x)
                                 : llvm::maximumnum(*best, x);
  }
  return best ? bitsOf(*best) : canonicalNaN;
}

static Bits reduceFloats(ReduxOp op, llvm::ArrayRef<Thread *> members) {
  SmallVector<Bits, 32> values;
  for (Thread *m : members)
    if (m)
      values.push_back(m->waitInputs[0]);
  return extremeOf(op.getOp(), op.getAbs(), op.getNan(), values);
}

void Cta::redux(Thread &t, ReduxOp op, llvm::ArrayRef<Thread *> members) {
  if (op.getTy() == ScalarType::F32)
    return set(t, op.getD(), reduceFloats(op, members));
  bool isSigned = op.getTy() == ScalarType::S32;
  std::optional<uint32_t> sum;
  for (Thread *m : members) {
    if (!m)
      continue;
    uint32_t x = uint32_t(m->waitInputs[0]);
    if (!sum) {
      sum = x;
      continue;
    }
    bool less = isSigned ? int32_t(x) < int32_t(*sum) : x < *sum;
    switch (op.getOp()) {
    case AtomicOp::Add:
      sum = *sum + x;
      break;
    case AtomicOp::Min:
      sum = less ? x : *sum;
      break;
    case AtomicOp::Max:
      sum = less ? *sum : x;
      break;
    case AtomicOp::And:
      sum = *sum & x;
      break;
    case AtomicOp::Or:
      sum = *sum | x;
      break;
    default:
      sum = *sum ^ x;
      break;
    }
  }
  set(t, op.getD(), *sum);
}

void Cta::shuffle(Thread &t, llvm::ArrayRef<Thread *> members) {
  auto op = cast<ShflOp>(t.waitsAt);
  int lane = t.linear % 32;
  int bval = t.waitInputs[1] & 31, cval = t.waitInputs[2] & 31;
  int segment = t.waitInputs[2] >> 8 & 31;
  int maxLane = (lane & segment) | (cval & ~segment), minLane = lane & segment;
  int j = lane;
  bool p = false;
  switch (op.getMode()) {
  case ShuffleMode::Up:
    j = lane - bval;
    p = j >= maxLane;
    break;
  case ShuffleMode::Down:
    j = lane + bval;
    p = j <= maxLane;
    break;
  case ShuffleMode::Bfly:
    j = lane ^ bval;
    p = j <= maxLane;
    break;
  case ShuffleMode::Idx:
    j = minLane | (bval & ~segment);
    p = j <= maxLane;
    break;
  }
  if (!p)
    j = lane;
  // The ISA does not define values of absent lanes; we return the thread's own.
  Thread *source = members[j] ? members[j] : &t;
  set(t, op.getD()[0], source->waitInputs[0]);
  if (op.getD().size() > 1)
    set(t, op.getD()[1], p);
}

namespace {
/// The operands of bar and barrier.
struct BarrierUse {
  BarrierMode mode;
  std::optional<BarrierReduce> reduce;
  unsigned id, threads;
  bool vote;
};
} // namespace

static BarrierUse readBarrier(const Thread &t) {
  return llvm::TypeSwitch<Operation *, BarrierUse>(t.waitsAt)
      .Case<BarOp, BarrierOp>([&](auto op) {
        BarrierUse use{op.getMode(), op.getReduce(), unsigned(t.waitInputs[0]),
                       0, false};
        unsigned next = 1;
        if (op.getB())
          use.threads = unsigned(t.waitInputs[next++]);
        if (op.getC())
          use.vote = t.waitInputs[next] & 1;
        return use;
      });
}

static bool waitsAtBarrier(const Thread &t) {
  return t.state == Thread::Waiting && isa<BarOp, BarrierOp>(t.waitsAt);
}

/// Counts the arrival of a thread that does not wait, and lets it go on.
void Cta::arriveAtBarrier(Thread &t) {
  BarrierUse use = readBarrier(t);
  if (use.mode != BarrierMode::Arrive || use.id >= 16)
    return;
  barriers[use.id].wanted = use.threads;
  ++barriers[use.id].arrivals[t.linear / 32];
  t.state = Thread::Running;
}

/// A barrier completes when enough threads have come: all that have not exited,
/// or the number given. A warp has come when all its threads that have not
/// exited have; it counts as 32.
bool Cta::resolveBarriers() {
  bool any = false;
  for (unsigned id = 0; id < 16; ++id) {
    std::array<unsigned, 32> come = barriers[id].arrivals, left{};
    unsigned wanted = barriers[id].wanted, count = 0, warps = 0, arrived = 0;
    bool all = true, waiting = false;
    for (Thread &t : threads) {
      unsigned warp = t.linear / 32;
      left[warp] += t.state != Thread::Done;
      if (!waitsAtBarrier(t))
        continue;
      BarrierUse use = readBarrier(t);
      if (use.id != id)
        continue;
      waiting = true;
      ++come[warp];
      wanted = use.threads;
      count += use.vote;
      all &= use.vote;
    }
    for (unsigned warp = 0; warp * 32 < threads.size(); ++warp) {
      // A warp that has exited may have arrived before.
      unsigned size = std::min<unsigned>(32, threads.size() - warp * 32);
      warps += left[warp] != 0;
      arrived += come[warp] / (left[warp] ? left[warp] : size) * 32;
    }
    if (!waiting || arrived < (wanted ? (wanted + 31) / 32 * 32 : warps * 32))
      continue;
    any = true;
    for (Thread &t : threads) {
      if (!waitsAtBarrier(t))
        continue;
      BarrierUse use = readBarrier(t);
      if (use.id != id)
        continue;
      t.state = Thread::Running;
      if (use.reduce)
        set(t, t.waitsAt->getResult(0),
            *use.reduce == BarrierReduce::Popc  ? count
            : *use.reduce == BarrierReduce::And ? all
                                                : count != 0);
    }
    barriers[id] = Barrier();
  }
  return any;
}
