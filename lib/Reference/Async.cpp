//===- Async.cpp - mbarriers and asynchronous copies ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asynchronous operations complete at once, which the ISA allows.
//
//===----------------------------------------------------------------------===//

#include "Cta.h"

#include "ptxjit/Dialect/FormTable.h"
#include "ptxjit/Runtime/KernelABI.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;
using namespace ptxjit::reference;

//===----------------------------------------------------------------------===//
// mbarrier objects
//===----------------------------------------------------------------------===//

namespace {
/// ISA: "contents of the mbarrier object", whose encoding is opaque.
struct Mbarrier {
  uint64_t phase : 1;
  uint64_t pending : 20;
  uint64_t expected : 20;
  int64_t tx : 23;

  /// ISA: "phase completion of the mbarrier object".
  void mayComplete() {
    if (pending || tx)
      return;
    ++phase;
    pending = expected;
  }
};
static_assert(sizeof(Mbarrier) == sizeof(Bits));
} // namespace

static Mbarrier unpack(Bits bits) { return llvm::bit_cast<Mbarrier>(bits); }

/// Updates an mbarrier. \returns its state before.
FailureOr<Bits> Cta::updateMbarrier(Thread &t, Operation &op, Bits address,
                                    std::optional<Space> space, int64_t offset,
                                    unsigned arrivals, unsigned drops,
                                    int64_t tx) {
  FailureOr<uint64_t> at = resolveAddress(t, op, address, space, offset, 8);
  if (failed(at))
    return failure();
  Bits before = loadBits(*at, 8);
  Mbarrier object = unpack(before);
  object.tx += tx;
  object.expected -= drops;
  if (arrivals > object.pending)
    return op.emitError("more arrivals than the mbarrier expects");
  object.pending -= arrivals;
  if (arrivals || tx < 0)
    object.mayComplete();
  storeBits(*at, 8, llvm::bit_cast<Bits>(object));
  return before;
}

/// Runs an op of this file. \returns whether it is one.
FailureOr<bool> Cta::asynchronous(Thread &t, Operation &op) {
  auto done = [](LogicalResult result) -> FailureOr<bool> {
    if (failed(result))
      return failure();
    return true;
  };
  if (auto init = dyn_cast<MbarrierInitOp>(op)) {
    FailureOr<uint64_t> at = resolveAddress(
        t, op, get(t, init.getA()), init.getSpace(), init.getOffset(), 8);
    if (failed(at))
      return failure();
    Bits count = get(t, init.getB());
    storeBits(*at, 8, llvm::bit_cast<Bits>(Mbarrier{0, count, count, 0}));
    return true;
  }
  if (isa<MbarrierInvalOp>(op))
    return true;
  if (auto tx = dyn_cast<MbarrierTxOp>(op)) {
    auto bytes = int64_t(get(t, tx.getB()));
    return done(updateMbarrier(
        t, op, get(t, tx.getA()), tx.getSpace(), tx.getOffset(), 0, 0,
        tx.getTx() == MbarrierTx::Expect ? bytes : -bytes));
  }
  if (auto arrive = dyn_cast<MbarrierArriveOp>(op)) {
    Bits b = arrive.getB() ? get(t, arrive.getB()) : 1;
    unsigned count = arrive.getExpectTx() ? 1 : unsigned(b);
    bool drops = arrive.getArrive() == MbarrierArrive::ArriveDrop;
    FailureOr<Bits> before = updateMbarrier(
        t, op, get(t, arrive.getA()), arrive.getSpace(), arrive.getOffset(),
        count, drops ? count : 0, arrive.getExpectTx() ? int64_t(b) : 0);
    if (failed(before))
      return failure();
    if (!arrive.getD().empty())
      set(t, arrive.getD().front(), *before);
    return true;
  }
  if (auto wait = dyn_cast<MbarrierWaitOp>(op)) {
    FailureOr<uint64_t> at = resolveAddress(
        t, op, get(t, wait.getA()), wait.getSpace(), wait.getOffset(), 8);
    if (failed(at))
      return failure();
    Bits b = get(t, wait.getB());
    unsigned asked = wait.getParity() ? b & 1 : unpack(b).phase;
    set(t, wait.getD(), unpack(loadBits(*at, 8)).phase != asked);
    return true;
  }
  if (auto pending = dyn_cast<MbarrierPendingOp>(op)) {
    set(t, pending.getD(), unpack(get(t, pending.getA())).pending);
    return true;
  }
  if (auto arrive = dyn_cast<CpAsyncArriveOp>(op)) {
    if (!arrive.getNoinc()) // pending count + 1, then an arrival
      return true;
    return done(updateMbarrier(t, op, get(t, arrive.getA()), arrive.getSpace(),
                               arrive.getOffset(), 1, 0, 0));
  }
  if (auto copy = dyn_cast<BulkLoadOp>(op))
    return done(copyBulk(t, copy));
  if (auto copy = dyn_cast<BulkPeerOp>(op))
    return done(copyBulk(t, copy));
  if (auto copy = dyn_cast<BulkStoreOp>(op))
    return done(copyBulk(t, copy));
  if (auto copy = dyn_cast<BulkReducePeerOp>(op))
    return done(copyBulk(t, copy));
  if (auto copy = dyn_cast<BulkReduceStoreOp>(op))
    return done(copyBulk(t, copy));
  if (auto st = dyn_cast<StAsyncOp>(op))
    return done(storeAsync(t, st));
  if (auto red = dyn_cast<RedAsyncOp>(op))
    return done(storeAsync(t, red));
  if (auto st = dyn_cast<StAsyncGlobalOp>(op)) {
    unsigned bytes = getBitWidth(st.getTy()) / 8;
    FailureOr<uint64_t> at = resolveAddress(
        t, op, get(t, st.getDst()), st.getSpace(), st.getOffset(), bytes);
    if (failed(at))
      return failure();
    storeBits(*at, bytes, get(t, st.getB()));
    return true;
  }
  if (auto red = dyn_cast<RedAsyncGlobalOp>(op)) {
    unsigned bytes = getBitWidth(red.getTy()) / 8;
    FailureOr<uint64_t> at = resolveAddress(
        t, op, get(t, red.getDst()), red.getSpace(), red.getOffset(), bytes);
    if (failed(at))
      return failure();
    storeBits(*at, bytes,
              atomicResult(red.getOp(), red.getTy(), loadBits(*at, bytes),
                           get(t, red.getB()), 0));
    return true;
  }
  if (auto cancel = dyn_cast<ClcTryCancelOp>(op))
    return done(tryCancel(t, cancel));
  if (auto fill = dyn_cast<StBulkOp>(op)) {
    FailureOr<uint64_t> at = resolveAddress(
        t, op, get(t, fill.getDst()), fill.getSpace(), fill.getOffset(), 8);
    if (failed(at))
      return failure();
    if (get(t, fill.getSize()) % 8)
      return op.emitError("a fill of a size that is no multiple of 8");
    if (!probe.isAccessible(*at, get(t, fill.getSize())))
      return op.emitError("illegal memory access");
    for (uint64_t i = 0, n = get(t, fill.getSize()); i < n; ++i)
      storeBits(*at + i, 1, 0);
    return true;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Stores and copies
//===----------------------------------------------------------------------===//

template <typename AsyncOp>
LogicalResult Cta::storeAsync(Thread &t, AsyncOp op) {
  unsigned bytes = getBitWidth(op.getTy()) / 8, count = 1;
  if constexpr (std::is_same_v<AsyncOp, StAsyncOp>)
    count = op.getB().size();
  FailureOr<uint64_t> at = resolveAddress(t, *op, get(t, op.getDst()),
                                          op.getSpace(), 0, bytes * count);
  if (failed(at))
    return failure();
  if constexpr (std::is_same_v<AsyncOp, StAsyncOp>) {
    for (auto [i, v] : llvm::enumerate(op.getB()))
      storeBits(*at + i * bytes, bytes, get(t, v));
  } else {
    storeBits(*at, bytes,
              atomicResult(op.getOp(), op.getTy(), loadBits(*at, bytes),
                           get(t, op.getB()), 0));
  }
  return updateMbarrier(t, *op, get(t, op.getMbar()), op.getSpace(), 0, 0, 0,
                        -int64_t(bytes * count));
}

/// Copies or, for a reduction, combines bytes.
/// \param byteMask  the bytes of each 16 that are written.
static void copyBytes(Operation &op, uint64_t to, uint64_t from, uint64_t bytes,
                      Bits byteMask) {
  if (auto kind = dyn_cast_if_present<AtomicOpAttr>(
          op.getInherentAttr("op").value_or(Attribute()))) {
    ScalarType type =
        cast<ScalarTypeAttr>(*op.getInherentAttr("ty")).getValue();
    unsigned size = getBitWidth(type) / 8;
    for (uint64_t i = 0; i < bytes; i += size)
      storeBits(to + i, size,
                atomicResult(kind.getValue(), type, loadBits(to + i, size),
                             loadBits(from + i, size), 0));
    return;
  }
  for (uint64_t i = 0; i < bytes; ++i)
    if (byteMask >> (i % 16) & 1)
      storeBits(to + i, 1, loadBits(from + i, 1));
}

/// Calls body(dst, object) for each CTA of the cluster whose bit in `chosen` is
/// set, with the same offsets in its shared memory.
LogicalResult
Cta::forEachCta(Bits chosen, Bits dst, Bits object,
                llvm::function_ref<LogicalResult(Bits, Bits)> body) {
  Bits offsets = (Bits(1) << PTXJIT_SHARED_BITS) - 1;
  for (Bits i = 0; i < cluster.size(); ++i) {
    Bits rank = i << PTXJIT_SHARED_BITS;
    if (chosen >> i & 1 &&
        failed(body((dst & offsets) | rank, (object & offsets) | rank)))
      return failure();
  }
  return success();
}

template <typename BulkLikeOp>
LogicalResult Cta::copyBulk(Thread &t, BulkLikeOp op) {
  Space toSpace = op.getMbar() ? Space::SharedCluster : Space::Global;
  Space fromSpace =
      std::is_same_v<BulkLikeOp, BulkLoadOp> ? Space::Global : Space::Shared;
  uint64_t bytes = get(t, op.getSize());
  if (bytes % 16)
    return op.emitError("a bulk copy of a size that is no multiple of 16");
  Bits byteMask = op.getBytes() ? get(t, op.getBytes()) : 0xffff;
  FailureOr<uint64_t> from =
      resolveAddress(t, *op, get(t, op.getSrc()), fromSpace, 0, 16);
  if (failed(from))
    return failure();
  Bits dst = get(t, op.getDst()),
       object = op.getMbar() ? get(t, op.getMbar()) : 0;
  /// Copies to one destination.
  auto copy = [&](Bits dst, Bits object) -> LogicalResult {
    FailureOr<uint64_t> to = resolveAddress(t, *op, dst, toSpace, 0, 16);
    if (failed(to))
      return failure();
    if (!probe.isAccessible(*from, bytes) || !probe.isAccessible(*to, bytes))
      return op.emitError("illegal memory access");
    copyBytes(*op, *to, *from, bytes, byteMask);
    if (!op.getMbar())
      return success();
    return updateMbarrier(t, *op, object, toSpace, 0, 0, 0, -int64_t(bytes));
  };
  return op.getCtas() ? forEachCta(get(t, op.getCtas()), dst, object, copy)
                      : copy(dst, object);
}

/// Always refuses: stores 16 bytes of zeros, here or at the same offset in all
/// CTAs of the cluster.
LogicalResult Cta::tryCancel(Thread &t, ClcTryCancelOp op) {
  Bits dst = get(t, op.getDst()), object = get(t, op.getMbar());
  if (!op.getSpace()) { // addresses are generic
    dst = fromGeneric(t, Space::Shared, dst);
    object = fromGeneric(t, Space::Shared, object);
  }
  auto answer = [&](Bits dst, Bits object) -> LogicalResult {
    FailureOr<uint64_t> to =
        resolveAddress(t, *op, dst, Space::SharedCluster, 0, 16);
    if (failed(to))
      return failure();
    storeBits(*to, 8, 0);
    storeBits(*to + 8, 8, 0);
    return updateMbarrier(t, *op, object, Space::SharedCluster, 0, 0, 0, -16);
  };
  return op.getAll() ? forEachCta(~Bits(0), dst, object, answer)
                     : answer(dst, object);
}
