//===- Accesses.h - memory accesses of a warp -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_LOWERING_PACKETIZE_ACCESSES_H
#define PTXJIT_LIB_LOWERING_PACKETIZE_ACCESSES_H

#include "Addresses.h"

namespace ptxjit {

/// A load or store of the lanes of a warp: `count` elements side by side each.
struct WarpAccess {
  const LaneAddress &address;
  mlir::Type element;
  unsigned count = 1;
  mlir::Value mask;       ///< null: all threads
  bool invariant = false; ///< a load of memory that nobody writes
};
/// What is known of it.
Access describeAccess(WarpBuilder &warp, const WarpAccess &access, bool isStore,
                      bool sameValue = false);

/// The plan for it, which is told to whoever wants to know (Remarks.h).
AccessPlan planFor(WarpBuilder &warp, mlir::Operation *op,
                   const WarpAccess &access, bool isStore,
                   bool sameValue = false);

/// Accesses that were told of.
struct AccessCounts : FamilyState {
  explicit AccessCounts(WarpBuilder &) {}
  unsigned all = 0;
  unsigned slow = 0; ///< that may go lane by lane
};

/// Why code for an access is slower than one would hope.
enum class SlowBecause { No, Address, Order };
/// Tells what an access has become: `code`, in words. The address is the op's
/// first operand.
void remarkAccess(WarpBuilder &warp, mlir::Operation *op, llvm::StringRef code,
                  SlowBecause slow);

/// Loads by the plan, which is none for a scalar. \returns chunk by chunk
/// `count` vectors of lanes.
llvm::SmallVector<mlir::Value> loadElements(WarpBuilder &warp,
                                            const WarpAccess &access,
                                            const AccessPlan &plan);
/// Stores `flat`, chunk by chunk the vectors of lanes for each element, by the
/// plan, which is none for a scalar.
void storeElements(WarpBuilder &warp, const WarpAccess &access,
                   const AccessPlan &plan, llvm::ArrayRef<mlir::Value> flat);

/// One vector of what lane 0 has in all of `vectors`, then lane 1, ...
mlir::Value interleave(WarpBuilder &warp, llvm::ArrayRef<mlir::Value> vectors);

/// The address (i64) that a run of chunk `c` begins behind.
mlir::Value baseOf(WarpBuilder &warp, const LaneAddress &address, unsigned c,
                   const AccessRun &run);
/// The place of an element, `offset` bytes behind the run's group (LaneGroups),
/// in the run, if lane `lane` of the chunk accesses it there.
std::optional<unsigned> placeInRun(const AccessRun &run, unsigned lane,
                                   int64_t offset, int64_t elementBytes);

/// Where chunk `c` of lanes that follow each other begins: a pointer.
mlir::Value chunkStart(WarpBuilder &warp, const LaneAddress &address,
                       unsigned c);
/// The unit in which lanes' elements are masked: 32 bits, if they are that
/// large together, since not every CPU has masks for less.
mlir::Type maskUnit(WarpBuilder &warp, mlir::Type element, unsigned count);
/// Each lane's bit, `times` times.
mlir::Value repeatMask(WarpBuilder &warp, mlir::Value mask, unsigned times);
mlir::Value castTo(WarpBuilder &warp, mlir::Type type, mlir::Value v);

/// Of an element in memory.
inline int64_t bytesOf(mlir::Type element) {
  return element.getIntOrFloatBitWidth() / 8;
}

} // namespace ptxjit

#endif
