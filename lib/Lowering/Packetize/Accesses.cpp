//===- Accesses.cpp - loads and stores of a warp --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Accesses.h"
#include "../CombineAccesses.h"
#include "../JoinGuards.h"
#include "Alignment.h"
#include "Dispatch.h"
#include "LaneLoops.h"
#include "LocalsByElement.h"
#include "OrderedAccesses.h"
#include "Prefetches.h"
#include "ptxjit/Analysis/ShapeText.h"
#include "ptxjit/Dialect/FormTable.h"
#include "ptxjit/Lowering/Remarks.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <numeric>

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

//===----------------------------------------------------------------------===//
// What loads and stores share
//===----------------------------------------------------------------------===//

Access ptxjit::describeAccess(WarpBuilder &warp, const WarpAccess &access,
                              bool isStore, bool sameValue) {
  Access described;
  described.address = shapeOf(access.address);
  described.elementBytes = bytesOf(access.element);
  described.count = access.count;
  described.isStore = isStore;
  described.masked = warp.needsMask(access.mask);
  described.sameValue = sameValue;
  described.hasScatter = warp.target.scatters;
  return described;
}

/// The operand that holds the addresses of an access.
static Value addressOf(Operation *op) { return op->getOperand(0); }

/// Does the way in which `value` varies come from an exclusive or?
static bool isSwizzled(WarpBuilder &warp, Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (isa<XorOp>(op))
      return true;
    if (!isMemoryEffectFree(op) || op->getNumRegions())
      return false;
    auto varies = [&](Value v) { return !warp.shapeOf(v).hasBase(); };
    auto varying = llvm::make_filter_range(op->getOperands(), varies);
    if (varying.empty() || std::next(varying.begin()) != varying.end())
      return false;
    value = *varying.begin();
  }
  return false;
}

/// Is `value`, as far as it varies, computed from the numbers of lanes alone?
/// Looks at so many values, then answers no.
static bool isComputed(WarpBuilder &warp, Value value) {
  constexpr unsigned kMost = 64;
  SetVector<Value> values;
  values.insert(value);
  for (unsigned i = 0; i < values.size(); ++i) {
    Operation *op = values[i].getDefiningOp();
    if (i == kMost || !op || !isMemoryEffectFree(op) || op->getNumRegions())
      return false;
    for (Value operand : op->getOperands())
      if (!warp.shapeOf(operand).hasBase())
        values.insert(operand);
  }
  return true;
}

AccessPlan ptxjit::planFor(WarpBuilder &warp, Operation *op,
                           const WarpAccess &access, bool isStore,
                           bool sameValue) {
  Access described = describeAccess(warp, access, isStore, sameValue);
  described.partial = described.masked && isPartial(op);
  described.swizzled =
      !described.address.hasBase && isSwizzled(warp, addressOf(op));
  // CPUs without scatters have no instruction either that finds the second row.
  described.isComputed = warp.target.scatters && !described.address.hasBase &&
                         isComputed(warp, addressOf(op));
  AccessPlan plan = planAccess(described, warp.target.chunk);
  remarkAccess(warp, op, describePlan(plan, isStore),
               plan.isSlow() ? SlowBecause::Address : SlowBecause::No);
  return plan;
}

/// Why each lane accesses its address by itself; empty if the shape tells.
static std::string reasonOf(WarpBuilder &warp, Value address) {
  const Shape &shape = warp.shapeOf(address);
  if (shape.isVarying())
    return explainVarying(warp.shapes, address);
  if (shape.conditional)
    return "";
  return shape.pattern ? "lanes lie too far apart"
                       : "lanes write different values to one place";
}

void ptxjit::remarkAccess(WarpBuilder &warp, Operation *op, StringRef code,
                          SlowBecause slow) {
  auto load = dyn_cast<LdOp>(op);
  if (load && load.getSpace() == Space::Param)
    return; // not worth a remark
  if (warp.isRepeated)
    return;
  AccessCounts &counts = warp.state<AccessCounts>();
  ++counts.all;
  counts.slow += slow != SlowBecause::No;
  if (!wantsRemarks(op))
    return;
  Decision decision;
  decision.category = kAccessRemark;
  decision.code = code.str();
  decision.shape = op->getParentOfType<EachLaneOp>()
                       ? "one lane at a time"
                       : describeShape(warp.shapeOf(addressOf(op)));
  decision.missed = slow != SlowBecause::No;
  if (slow == SlowBecause::Address)
    decision.reason = reasonOf(warp, addressOf(op));
  else if (slow == SlowBecause::Order)
    decision.reason = "each lane's access is one of its own";
  remarkDecision(op, decision);
}

Value ptxjit::chunkStart(WarpBuilder &warp, const LaneAddress &address,
                         unsigned c) {
  ChunkBuilder s = warp.scalar();
  if (!address.base)
    return warp.toPointer(
        extractLane(warp, address.vectors(c), s.intConstant(32, 0)));
  int64_t at = (*address.pattern)[c * warp.target.chunk];
  return warp.toPointer(
      at ? s.add(address.base, s.intConstant(64, uint64_t(at))) : address.base);
}

Value ptxjit::baseOf(WarpBuilder &warp, const LaneAddress &address, unsigned c,
                     const AccessRun &run) {
  if (!address.groups)
    return address.base;
  return extractLane(warp, address.vectors(c),
                     warp.scalar().intConstant(32, run.firstLane));
}

std::optional<unsigned> ptxjit::placeInRun(const AccessRun &run, unsigned lane,
                                           int64_t offset,
                                           int64_t elementBytes) {
  int64_t at = offset - run.start - run.begin;
  if (!(run.lanes >> lane & 1) || at < 0 || at / elementBytes >= run.count)
    return std::nullopt;
  return unsigned(at / elementBytes);
}

Value ptxjit::maskOfRun(WarpBuilder &warp, const WarpAccess &access, unsigned c,
                        const AccessRun &run) {
  unsigned w = warp.target.chunk;
  int64_t size = bytesOf(access.element);
  const LanePattern &offset = access.address.groups
                                  ? access.address.groups->offset
                                  : *access.address.pattern;
  // Elements that no lane accesses take the first bit behind the lanes' ones.
  SmallVector<int32_t> lanesOf(llvm::PowerOf2Ceil(run.count), int32_t(w));
  for (unsigned i = 0; i < w; ++i)
    for (unsigned e = 0; e < access.count; ++e)
      if (auto place =
              placeInRun(run, i, offset[c * w + i] + int64_t(e) * size, size))
        lanesOf[*place] = int32_t(i);
  ChunkBuilder v = warp.lanes();
  Value active = maskOfChunk(warp, access, c);
  return warp.create<LLVM::ShuffleVectorOp>(
      active ? active : v.intConstant(1, 1), v.intConstant(1, 0), lanesOf);
}

Type ptxjit::maskUnit(WarpBuilder &warp, Type element, unsigned count) {
  int64_t bytes = std::max<int64_t>(
      bytesOf(element), std::min<int64_t>(bytesOf(element) * count, 4));
  return bytes == bytesOf(element) ? element
                                   : Type(warp.b.getIntegerType(bytes * 8));
}

Value ptxjit::repeatMask(WarpBuilder &warp, Value mask, unsigned times) {
  if (times == 1)
    return mask;
  SmallVector<int64_t> from;
  for (unsigned i = 0; i < warp.target.chunk * times; ++i)
    from.push_back(i / times);
  return warp.create<vector::ShuffleOp>(mask, mask, from);
}

Value ptxjit::castTo(WarpBuilder &warp, Type type, Value v) {
  return v.getType() == type ? v : Value(warp.create<LLVM::BitcastOp>(type, v));
}

Value ptxjit::interleave(WarpBuilder &warp, ArrayRef<Value> vectors) {
  unsigned w = warp.target.chunk, count = vectors.size();
  Value all = vectors.front();
  if (count == 1)
    return all;
  SmallVector<int64_t> order(w);
  std::iota(order.begin(), order.end(), 0);
  for (Value next : vectors.drop_front()) {
    for (unsigned i = 0; i < w; ++i)
      order.push_back(int64_t(order.size()));
    all = warp.create<vector::ShuffleOp>(all, next, order);
  }
  order.clear();
  for (unsigned i = 0; i < w; ++i)
    for (unsigned e = 0; e < count; ++e)
      order.push_back(e * w + i);
  return warp.create<vector::ShuffleOp>(all, all, order);
}

//===----------------------------------------------------------------------===//
// ld, st
//===----------------------------------------------------------------------===//

/// The address of element `e` of an access that all lanes make at one address.
static Value scalarPlace(WarpBuilder &warp, const WarpAccess &access,
                         unsigned e) {
  ChunkBuilder s = warp.scalar();
  Value base = access.address.base;
  return warp.toPointer(
      e ? s.add(base, s.intConstant(64, e * bytesOf(access.element))) : base);
}

/// At least one lane is active here, so the load needs no mask.
static void loadScalar(WarpBuilder &warp, const WarpAccess &access,
                       ValueRange results) {
  for (auto [e, result] : llvm::enumerate(results)) {
    auto load = warp.create<LLVM::LoadOp>(
        access.element, scalarPlace(warp, access, unsigned(e)),
        unsigned(bytesOf(access.element)));
    load.setInvariant(access.invariant);
    // The shape of an ordered load varies, but owned memory (isOwned) is loaded
    // once for all lanes.
    if (warp.shapeOf(result).hasBase())
      warp.setBase(result, load);
    else
      warp.setChunks(result, SmallVector<Value>(warp.numChunks(),
                                                warp.lanes().splat(load)));
  }
}

/// The value of the warp's last lane.
static Value lastOf(WarpBuilder &warp, Value value) {
  if (warp.shapeOf(value).isUniform())
    return warp.base(value);
  Value lane = warp.scalar().intConstant(32, warp.target.chunk - 1);
  return extractLane(warp, warp.chunk(value, warp.numChunks() - 1), lane);
}

/// Lanes that store different values are all active.
static void storeScalar(WarpBuilder &warp, const WarpAccess &access,
                        ValueRange stored) {
  for (auto [e, value] : llvm::enumerate(stored)) {
    Value place = scalarPlace(warp, access, unsigned(e));
    warp.create<LLVM::StoreOp>(lastOf(warp, value), place,
                               unsigned(bytesOf(access.element)));
  }
}

static LogicalResult emitLoad(WarpBuilder &warp, LdOp op) {
  if (op.getGranule() && !warp.perThread())
    return emitInterleavedLoad(warp, op);
  LaneAddress address = resolve(warp, op.getA(), op.getSpace(), op.getOffset());
  Type element = op.getD().front().getType();
  unsigned count = op.getD().size();
  Value mask = op.getMask();
  bool isParam = op.getSpace() == Space::Param;
  bool invariant = op.getNc() || isParam || op.getSpace() == Space::Const;
  if (isElementAligned(op))
    address.align = unsigned(bytesOf(element));
  emitAlignmentTest(warp, address, op.getA(), op.getSpace(), op.getOffset(),
                    address.align ? address.align : bytesOf(element) * count,
                    mask);
  if (!isWeak(op.getOrder()) && !isOwned(op.getSpace()))
    return emitOrderedLoad(warp, op, address);

  WarpAccess access{address, element, count, mask, invariant};
  AccessPlan plan = planFor(warp, op, access, /*isStore=*/false);
  if (plan.code == AccessCode::Scalar) {
    loadScalar(warp, access, op.getD());
    return success();
  }
  if (plan.code == AccessCode::Contiguous)
    fetchAhead(warp, op, address);
  SmallVector<Value> flat = loadElements(warp, access, plan);
  for (unsigned e = 0; e < count; ++e) {
    SmallVector<Value, 8> chunks;
    for (unsigned c = 0; c < warp.numChunks(); ++c)
      chunks.push_back(flat[c * count + e]);
    warp.setChunks(op.getD()[e], chunks);
  }
  return success();
}

static LogicalResult emitStore(WarpBuilder &warp, StOp op) {
  if (op.getGranule() && !warp.perThread())
    return emitInterleavedStore(warp, op);
  LaneAddress address = resolve(warp, op.getA(), op.getSpace(), op.getOffset());
  Value mask = op.getMask();
  ValueRange stored = op.getB();
  int64_t bytes = bytesOf(stored.front().getType());
  if (isElementAligned(op))
    address.align = unsigned(bytes);
  else
    bytes *= int64_t(stored.size());
  emitAlignmentTest(warp, address, op.getA(), op.getSpace(), op.getOffset(),
                    bytes, mask);
  if (!isWeak(op.getOrder()) && !isOwned(op.getSpace()))
    return emitOrderedStore(warp, op, address);
  bool sameValue = llvm::all_of(
      stored, [&](Value v) { return warp.shapeOf(v).isUniform(); });
  WarpAccess access{address, stored.front().getType(), unsigned(stored.size()),
                    mask};
  access.writtenArray = warp.state<ParamArrays>().stores.arrayOf(op);
  AccessPlan plan = planFor(warp, op, access, /*isStore=*/true, sameValue);
  if (plan.code == AccessCode::Scalar) {
    storeScalar(warp, access, stored);
    return success();
  }
  SmallVector<Value> flat;
  for (unsigned c = 0; c < warp.numChunks(); ++c)
    for (Value value : stored)
      flat.push_back(warp.chunk(value, c));
  storeElements(warp, access, plan, flat);
  return success();
}

void ptxjit::addAccessEmitters(Dispatch &dispatch) {
  dispatch.add<emitLoad>();
  dispatch.add<emitStore>();
}
