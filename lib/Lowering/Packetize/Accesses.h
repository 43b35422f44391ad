//===- Accesses.h - code for the loads and stores of a warp -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_LOWERING_PACKETIZE_ACCESSES_H
#define PTXJIT_LIB_LOWERING_PACKETIZE_ACCESSES_H

#include "../Elements.h"
#include "Addresses.h"
#include "ptxjit/Analysis/StreamedLoads.h"
#include "ptxjit/Analysis/StreamedStores.h"

namespace ptxjit {

/// A load or store in which each lane accesses `count` consecutive elements.
struct WarpAccess {
  const LaneAddress &address;
  mlir::Type element;
  unsigned count = 1;
  mlir::Value mask;        ///< null: all threads of the CTA
  bool invariant = false;  ///< a load of memory that nobody writes
  bool isUnmasked = false; ///< all lanes were found to be active
  /// For a store to an array that is only written: its number in
  /// StreamedStores.
  std::optional<unsigned> writtenArray = {};
};
/// Describes an access for planAccess.
Access describeAccess(WarpBuilder &warp, const WarpAccess &access, bool isStore,
                      bool sameValue = false);

/// Plans an access, and reports the plan as a remark.
AccessPlan planFor(WarpBuilder &warp, mlir::Operation *op,
                   const WarpAccess &access, bool isStore,
                   bool sameValue = false);

/// The arrays that the kernel only writes, and those that it only reads, in the
/// order of the bits of PtxjitKernelContext::largeArrays.
struct ParamArrays : FamilyState {
  explicit ParamArrays(WarpBuilder &warp) : stores(warp.func, warp.shapes) {
    if (warp.target.fetchesAhead)
      loads.emplace(warp.func, warp.shapes);
  }
  StreamedStores stores;
  std::optional<StreamedLoads> loads;
};

/// Counts of the accesses that were reported.
struct AccessCounts : FamilyState {
  explicit AccessCounts(WarpBuilder &) {}
  unsigned all = 0;
  unsigned slow = 0; ///< those that may go lane by lane
};

/// Why the code for an access is slower than one would hope.
enum class SlowBecause { No, Address, Order };
/// Reports the code of an access, in words, as a remark. The address must be
/// the first operand of `op`.
void remarkAccess(WarpBuilder &warp, mlir::Operation *op, llvm::StringRef code,
                  SlowBecause slow);

/// Loads by the plan, which must not be Scalar. \returns `count` vectors of
/// lanes for each chunk in turn.
llvm::SmallVector<mlir::Value> loadElements(WarpBuilder &warp,
                                            const WarpAccess &access,
                                            const AccessPlan &plan);
/// Stores by the plan, which must not be Scalar. `flat` has `count` vectors of
/// lanes for each chunk in turn.
void storeElements(WarpBuilder &warp, const WarpAccess &access,
                   const AccessPlan &plan, llvm::ArrayRef<mlir::Value> flat);

/// Interleaves vectors of lanes: lane 0 of all of them, then lane 1 of all, ...
mlir::Value interleave(WarpBuilder &warp, llvm::ArrayRef<mlir::Value> vectors);

/// The base (i64) of a run of chunk `c`.
mlir::Value baseOf(WarpBuilder &warp, const LaneAddress &address, unsigned c,
                   const AccessRun &run);
/// The index in the run of the element that lane `lane` of the chunk accesses
/// at `offset` of its group (LaneGroups, in bytes). Nothing if the run does not
/// hold that element.
std::optional<unsigned> placeInRun(const AccessRun &run, unsigned lane,
                                   int64_t offset, int64_t elementBytes);

/// May lanes be inactive?
inline bool isMasked(WarpBuilder &warp, const WarpAccess &access) {
  return !access.isUnmasked && warp.needsMask(access.mask);
}
/// The active lanes of chunk `c`, `<chunk x i1>`; null if all are.
inline mlir::Value maskOfChunk(WarpBuilder &warp, const WarpAccess &access,
                               unsigned c) {
  return isMasked(warp, access) ? warp.maskChunk(access.mask, c)
                                : mlir::Value();
}
/// The mask of the elements of a run of chunk `c`, in which no two lanes have
/// the same element. It is filled up to a power of two.
mlir::Value maskOfRun(WarpBuilder &warp, const WarpAccess &access, unsigned c,
                      const AccessRun &run);
/// The access for the preferred code of a plan. It needs no mask if all lanes
/// were found to be active.
inline WarpAccess ofPreferred(const AccessPlan &plan, WarpAccess access) {
  if (plan.test == AccessTest::Regular)
    access.isUnmasked = true;
  return access;
}

/// A pointer to the first element of chunk `c`, whose lanes access consecutive
/// elements.
mlir::Value chunkStart(WarpBuilder &warp, const LaneAddress &address,
                       unsigned c);
/// The type in which elements are masked. It has 32 bits if the elements of a
/// lane together are that large, since not every CPU can mask smaller ones.
mlir::Type maskUnit(WarpBuilder &warp, mlir::Type element, unsigned count);
/// Repeats the bit of each lane `times` times.
mlir::Value repeatMask(WarpBuilder &warp, mlir::Value mask, unsigned times);
mlir::Value castTo(WarpBuilder &warp, mlir::Type type, mlir::Value v);

} // namespace ptxjit

#endif
