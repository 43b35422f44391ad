//===- AccessPlan.h - how a warp accesses memory ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What becomes of a load or store is decided here, from what is known of its
// lanes' addresses, before any code is written.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LOWERING_ACCESSPLAN_H
#define PTXJIT_LOWERING_ACCESSPLAN_H

#include "ptxjit/Analysis/Shape.h"

namespace ptxjit {

/// Lanes whose addresses lie at known distances from each other.
struct LaneGroups {
  LanePattern first;  ///< of the lane's group
  LanePattern offset; ///< in bytes, relative to the others of the group
  /// Known only if 32-bit values did not wrap; compiled code must test that.
  bool mustTest = false;
};

/// What is known of the lanes' addresses: base + pattern(lane), in bytes.
struct AccessShape {
  bool hasBase = false;
  std::optional<LanePattern> pattern; ///< none with a base: uniform
  /// The pattern must be tested (Shape::conditional).
  bool conditional = false;
  bool mayPart = false;             ///< that test may well fail
  std::optional<LaneGroups> groups; ///< where there is no base
};

/// A load or store of `count` elements side by side by each lane.
struct Access {
  AccessShape address;
  int64_t elementBytes = 4;
  unsigned count = 1;
  bool isStore = false;
  bool masked = false;    ///< some lanes may be off
  bool sameValue = false; ///< a store of what is the same in all lanes
};

/// Code for the accesses of a warp.
enum class AccessCode : uint8_t {
  Scalar,       ///< once, for all lanes
  Contiguous,   ///< a vector of neighbours for each chunk, masked if need be
  Runs,         ///< a vector for each row of neighbours, put into place
  LaneVectors,  ///< a vector for each lane, transposed
  Gather,       ///< a gather or scatter for each element
  GatherDwords, ///< gathers of the dwords that hold narrow elements
  LaneByLane,   ///< a loop over lanes
};

/// What compiled code asks before it takes the better way.
enum class AccessTest : uint8_t {
  None,
  Pattern,    ///< does the pattern hold?
  Regular,    ///< are all lanes active, and the groups as was found?
  Neighbours, ///< of each chunk: do its lanes turn out to follow each other?
};

struct AccessPlan {
  AccessCode code = AccessCode::Gather;
  AccessTest test = AccessTest::None;
  AccessCode otherwise = AccessCode::Gather; ///< where the test fails
  bool failsRarely = false; ///< that hardly ever happens: little code

  /// Does it, at least now and then, go to each lane's place by itself?
  bool isSlow() const {
    return code >= AccessCode::Gather ||
           (test != AccessTest::None && !failsRarely);
  }

  bool operator==(const AccessPlan &o) const {
    return code == o.code && test == o.test &&
           (test == AccessTest::None ||
            (otherwise == o.otherwise && failsRarely == o.failsRarely));
  }
};

/// The plan for chunks of `chunk` lanes.
AccessPlan planAccess(const Access &access, unsigned chunk);

/// In the field's words, as "contiguous load, if ...; else gather".
std::string describePlan(const AccessPlan &plan, bool isStore);

/// Do the lanes of each chunk follow each other, `stride` bytes apart? (Chunks
/// may lie apart, as rows of a tile.)
bool isContiguous(const AccessShape &address, int64_t stride, unsigned chunk);

/// Elements side by side that lanes of one chunk access.
struct AccessRun {
  int64_t begin = 0;  ///< of the first, in bytes behind the run's base
  unsigned count = 0; ///< of elements
  /// Lanes of the chunk that access some of them; the offset (LaneGroups) of
  /// the lane whose address is the run's base, and its number. Where there is
  /// one base for all lanes that is the base, and `start` 0.
  uint32_t lanes = 0;
  int64_t start = 0;
  unsigned firstLane = 0;
};

/// Runs of what the lanes of chunk `c` access, in order: of all lanes together,
/// or of each group. The address has a pattern, or groups. Empty if there are
/// more than `most`, or if elements overlap in part.
llvm::SmallVector<AccessRun, 4> findRuns(const AccessShape &address,
                                         unsigned chunk, unsigned c,
                                         int64_t elementBytes, unsigned count,
                                         unsigned most);

/// At most so many runs of a chunk are better than a gather or scatter.
unsigned mostRuns(const Access &access, unsigned chunk);

} // namespace ptxjit

#endif
