//===- AccessPlan.h - choose the code for a memory access -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// planAccess chooses the code for one load or store of a warp from what is
// known of its lanes' addresses. The choice needs no IR and is made before any
// code is emitted.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LOWERING_ACCESSPLAN_H
#define PTXJIT_LOWERING_ACCESSPLAN_H

#include "ptxjit/Analysis/Shape.h"

namespace ptxjit {

/// Groups of lanes. Within a group the addresses lie at known distances from
/// each other; each group has a base of its own.
struct LaneGroups {
  LanePattern first;  ///< the first lane of each lane's group
  LanePattern offset; ///< in bytes, relative to the group
  /// The offsets hold only if no 32-bit value wrapped around; compiled code
  /// must test them.
  bool mustTest = false;
};

/// What is known of the lanes' addresses. With a base, the address of a lane is
/// base + pattern(lane), in bytes.
struct AccessShape {
  bool hasBase = false;
  std::optional<LanePattern> pattern; ///< absent, with a base: uniform
  /// The pattern may fail to hold (Shape::conditional), so compiled code must
  /// test it.
  bool conditional = false;
  bool mayPart = false; ///< the test may well fail, as lanes may have diverged
  std::optional<LaneGroups> groups; ///< only without a base
};

/// A load or store in which each lane accesses `count` consecutive elements.
struct Access {
  AccessShape address;
  int64_t elementBytes = 4;
  unsigned count = 1;
  bool isStore = false;
  bool masked = false;    ///< some lanes may be inactive
  bool sameValue = false; ///< a store of values that are equal in all lanes
  bool hasScatter = true; ///< the CPU has scatters of 32 bits and more
  bool partial = false;   ///< some active lanes do not take part
  /// The addresses come from an exclusive or, as in swizzled tiles. Lanes that
  /// follow each other in such a tile are far apart.
  bool swizzled = false;
  /// The addresses are computed, not loaded. So lanes that are no neighbours
  /// may still lie in few rows.
  bool isComputed = false;
};

/// The forms of code for an access of a warp.
enum class AccessCode : uint8_t {
  Scalar,       ///< one scalar access for all lanes
  Contiguous,   ///< one vector access per chunk, masked if need be
  Runs,         ///< one vector access per row of neighbours, then shuffles
  LaneVectors,  ///< one vector load per lane, then a transposition
  Gather,       ///< a gather or scatter per element
  GatherDwords, ///< gathers of the dwords that hold narrow elements
  LaneByLane,   ///< a loop over the lanes of the warp
};

/// The run-time test that guards the preferred code.
enum class AccessTest : uint8_t {
  None,
  Pattern,    ///< does the pattern of the addresses hold?
  Regular,    ///< are all lanes active, and do the groups' offsets hold?
  Neighbours, ///< per chunk: are the lanes' addresses consecutive?
};

struct AccessPlan {
  AccessCode code = AccessCode::Gather;
  AccessTest test = AccessTest::None;
  /// Used where the test fails. Runs: with masks, if the offsets of the groups
  /// hold, else a gather.
  AccessCode otherwise = AccessCode::Gather;
  bool failsRarely = false; ///< the test hardly ever fails
  /// Neighbours: where the test fails, the lanes of the chunk may lie in two
  /// rows, as where a tile is filled whose width is no multiple of the chunk.
  bool mayBeTwoRows = false;

  /// May the access, at least now and then, be a gather, a scatter or a loop
  /// over lanes?
  bool isSlow() const {
    return code >= AccessCode::Gather ||
           (test != AccessTest::None && !failsRarely);
  }

  bool operator==(const AccessPlan &o) const {
    return code == o.code && test == o.test &&
           (test == AccessTest::None ||
            (otherwise == o.otherwise && failsRarely == o.failsRarely &&
             mayBeTwoRows == o.mayBeTwoRows));
  }
};

/// Chooses the plan for chunks of `chunk` lanes.
AccessPlan planAccess(const Access &access, unsigned chunk);

/// Describes a plan for remarks, e.g. "contiguous load if the pattern holds,
/// else gather".
std::string describePlan(const AccessPlan &plan, bool isStore);

/// Are the addresses of each chunk's lanes consecutive, `stride` bytes apart?
/// The chunks themselves may lie apart, like the rows of a tile.
bool isContiguous(const AccessShape &address, int64_t stride, unsigned chunk);

/// Consecutive elements that lanes of one chunk access, perhaps with a few
/// between them that no lane does (mostGap). Elements are counted
/// from the base of the run: the base of all lanes if the address has one, else
/// the address of the first lane of the group in this chunk.
struct AccessRun {
  int64_t begin = 0;  ///< offset of the first element from the base, in bytes
  unsigned count = 0; ///< number of elements
  /// `lanes` is a bit mask of the lanes of the chunk that share the base.
  /// `firstLane` is the lane of the chunk whose address is the base, and
  /// `start` its LaneGroups::offset; both are 0 if all lanes have one base.
  uint32_t lanes = 0;
  int64_t start = 0;
  unsigned firstLane = 0;
};

/// Finds the runs of chunk `c`, in ascending order within each group of lanes.
/// \pre the address has groups, or a base and a pattern. \returns an empty list
/// if there are more than `most` runs, or if elements overlap partially.
/// \param mostGap  the most elements of a run, side by side, that no lane
/// accesses.
llvm::SmallVector<AccessRun, 4> findRuns(const AccessShape &address,
                                         unsigned chunk, unsigned c,
                                         int64_t elementBytes, unsigned count,
                                         unsigned most, unsigned mostGap = 0);

/// The largest number of runs per chunk for which Runs is better than a gather
/// or scatter.
unsigned mostRuns(const Access &access, unsigned chunk);

/// The most elements between those of two lanes that one access may cover. A
/// load reads them; they lie in pages that these touch. A store masks them off,
/// where the CPU has masks for that.
unsigned mostGap(const Access &access);

} // namespace ptxjit

#endif
