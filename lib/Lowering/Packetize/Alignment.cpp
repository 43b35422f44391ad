//===- Alignment.cpp - tests that addresses are aligned -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Alignment.h"
#include "Faults.h"

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
  bool insert(Value address, Value mask, Space space, int64_t offset,
              int64_t bytes, uint32_t namingLanes) {
    for (const auto &block : blocks)
      for (Value lanes : {mask, Value()})
        if (block.contains({{address, lanes}, {int64_t(space), offset, bytes}}))
          return false;
    if (namingLanes == 0xffffffff)
      blocks.back().insert({{address, mask}, {int64_t(space), offset, bytes}});
    return true;
  }

private:
  using Key =
      std::pair<std::pair<Value, Value>, std::tuple<int64_t, int64_t, int64_t>>;
  SmallVector<llvm::DenseSet<Key>> blocks;
};
} // namespace

/// ISA, "addresses as operands": an access must be aligned to its size. LLVM
/// reduces most of these tests to one of a pointer parameter, outside all
/// loops.
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
  // One test serves all offsets that are equal modulo `bytes`.
  Value lanesTested = sameInAllLanes ? Value() : mask;
  if (!warp.state<TestedAddresses>().insert(
          a, lanesTested, where, offset & (bytes - 1), bytes, namingLanes))
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
  Value expected = warp.create<arith::ConstantIntOp>(0, 1);
  bad = s.intrinsic("llvm.expect", warp.b.getI1Type(), {bad, expected});
  auto fails = warp.create<scf::IfOp>(bad, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(warp.b);
  warp.b.setInsertionPointToStart(fails.thenBlock());
  emitFault(warp, PTXJIT_KERNEL_MISALIGNED_ADDRESS,
            badLanes ? badLanes : warp.activeBits(mask), address.base);
}
