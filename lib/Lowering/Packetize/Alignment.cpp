//===- Alignment.cpp - tests that addresses are aligned -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Alignment.h"
#include "Faults.h"
#include "ptxjit/Analysis/AlignmentRoot.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;
using arith::CmpIPredicate;

namespace {
/// Addresses whose alignment has been tested in the current block or one around
/// it.
class TestedAddresses : public FamilyState {
public:
  explicit TestedAddresses(WarpBuilder &) {}
  void enterBlock() override { blocks.emplace_back(); }
  void leaveBlock() override { blocks.pop_back(); }
  /// Records a test. \returns false if (address + offset) is known to be
  /// aligned already in the lanes of `mask` (null: all).
  bool insert(unsigned member, Value address, Value mask, Space space,
              int64_t offset, int64_t bytes, uint32_t namingLanes) {
    std::tuple what = {member, int64_t(space), offset, bytes};
    for (const auto &block : blocks)
      for (Value lanes : {mask, Value()})
        if (block.contains({{address, lanes}, what}))
          return false;
    if (namingLanes == 0xffffffff)
      blocks.back().insert({{address, mask}, what});
    return true;
  }

private:
  using Key = std::pair<std::pair<Value, Value>,
                        std::tuple<unsigned, int64_t, int64_t, int64_t>>;
  SmallVector<llvm::DenseSet<Key>> blocks;
};
} // namespace

/// Emits the fault of a misaligned address. \param badLanes  the lanes that
/// have one, i32; null: all active ones.
static void faultIf(WarpBuilder &warp, Value bad, Value badLanes,
                    const LaneAddress &address, Value mask) {
  Value expected = warp.create<arith::ConstantIntOp>(0, 1);
  bad = warp.scalar().intrinsic("llvm.expect", warp.b.getI1Type(),
                                {bad, expected});
  auto fails = warp.create<scf::IfOp>(bad, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(warp.b);
  warp.b.setInsertionPointToStart(fails.thenBlock());
  emitFault(warp, PTXJIT_KERNEL_MISALIGNED_ADDRESS,
            badLanes ? badLanes : warp.activeBits(mask), address.base);
}

/// Tests the root of the lanes' addresses (AlignmentRoot.h), `offset` bytes
/// behind which they lie. A loop that moves pointers tests nothing but them.
static void emitRootTest(WarpBuilder &warp, const LaneAddress &address,
                         Value root, int64_t offset, int64_t bytes,
                         Value mask) {
  ChunkBuilder s = warp.scalar();
  const Shape &shape = warp.shapeOf(root);
  bool isAligned = (int64_t(1) << std::min(shape.baseAlign(), 16u)) >= bytes;
  if (isAligned && offset % bytes == 0)
    return;
  Value base = warp.base(root);
  int64_t low = offset & (bytes - 1);
  // The value of the root is the same for all warps of a team.
  if (!warp.state<TestedAddresses>().insert(~0u, base, Value(), Space::Generic,
                                            low, bytes, 0xffffffff))
    return;
  Value at = s.add(s.resize(base, 64, false), s.intConstant(64, uint64_t(low)));
  Value bad = s.cmp(CmpIPredicate::ne,
                    s.bitAnd(at, s.intConstant(64, uint64_t(bytes) - 1)),
                    s.intConstant(64, 0));
  faultIf(warp, bad, Value(), address, mask);
}

/// ISA, "addresses as operands": an access must be aligned to its size. Most
/// addresses have a root, which is tested for them; each of the others is
/// tested where it is used.
void ptxjit::emitAlignmentTest(WarpBuilder &warp, const LaneAddress &address,
                               Value a, std::optional<Space> space,
                               int64_t offset, int64_t bytes, Value mask,
                               uint32_t namingLanes) {
  Space where = space.value_or(Space::Generic);
  bool paramOrConst = where == Space::Param || where == Space::ParamEntry ||
                      where == Space::Const;
  if (bytes < 2 || paramOrConst)
    return;
  auto isMultiple = [&](int64_t n) { return n % bytes == 0; };
  bool sameInAllLanes =
      address.base &&
      (!address.pattern || llvm::all_of(*address.pattern, isMultiple));
  // The bases of windows are aligned for every access size.
  if (isOwned(space) && sameInAllLanes && isMultiple(offset) &&
      (int64_t(1) << std::min(warp.shapeOf(a).baseAlign(), 16u)) >= bytes)
    return;
  if (namingLanes == 0xffffffff) {
    Value root = findAlignmentRoot(a, uint64_t(bytes), warp.shapes);
    if (warp.isMade(root) && warp.shapeOf(root).isUniform() &&
        !warp.shapeOf(root).conditional)
      return emitRootTest(warp, address, root, offset, bytes, mask);
  }
  // One test serves all offsets that are equal modulo `bytes`.
  Value lanesTested = sameInAllLanes ? Value() : mask;
  if (!warp.state<TestedAddresses>().insert(warp.member, a, lanesTested, where,
                                            offset & (bytes - 1), bytes,
                                            namingLanes))
    return;
  ChunkBuilder s = warp.scalar(), v = warp.lanes();
  Value bad, badLanes;
  if (sameInAllLanes) {
    Value low = s.bitAnd(address.base, s.intConstant(64, uint64_t(bytes) - 1));
    bad = s.cmp(CmpIPredicate::ne, low, s.intConstant(64, 0));
  } else {
    badLanes = warp.laneBits([&](unsigned c) {
      Value low =
          v.bitAnd(address.vectors(c), v.intConstant(64, uint64_t(bytes) - 1));
      Value odd = v.cmp(CmpIPredicate::ne, low, v.intConstant(64, 0));
      return warp.needsMask(mask) ? v.bitAnd(warp.maskChunk(mask, c), odd)
                                  : odd;
    });
    if (!warp.perThread())
      badLanes = s.bitAnd(badLanes, s.intConstant(32, namingLanes));
    bad = s.cmp(CmpIPredicate::ne, badLanes, s.intConstant(32, 0));
  }
  faultIf(warp, bad, badLanes, address, mask);
}
