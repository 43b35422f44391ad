//===- AccessPlan.cpp - choose the code for a memory access ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Lowering/AccessPlan.h"

using namespace ptxjit;
using llvm::ArrayRef;
using llvm::SmallVector;

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

bool ptxjit::isContiguous(const AccessShape &address, int64_t stride,
                          unsigned chunk) {
  if (!address.hasBase || !address.pattern)
    return false;
  for (unsigned i = 0; i < 32; ++i) {
    unsigned first = i - i % chunk;
    if ((*address.pattern)[i] !=
        (*address.pattern)[first] + stride * int64_t(i - first))
      return false;
  }
  return true;
}

/// Sorts `offsets` and joins neighbouring elements to runs, with at most
/// `mostGap` elements between them that no lane accesses; drops duplicates.
static SmallVector<AccessRun, 4>
joinNeighbours(SmallVector<int64_t> offsets, int64_t size, unsigned mostGap) {
  llvm::sort(offsets);
  SmallVector<AccessRun, 4> runs;
  for (int64_t offset : offsets) {
    if (!runs.empty()) {
      AccessRun &last = runs.back();
      int64_t end = last.begin + last.count * size;
      if (offset < end) // a duplicate
        continue;
      if (offset <= end + mostGap * size) {
        last.count += unsigned((offset - end) / size) + 1;
        continue;
      }
    }
    runs.push_back({offset, 1});
  }
  return runs;
}

SmallVector<AccessRun, 4> ptxjit::findRuns(const AccessShape &address,
                                           unsigned chunk, unsigned c,
                                           int64_t elementBytes, unsigned count,
                                           unsigned most, unsigned mostGap) {
  assert((address.groups || (address.hasBase && address.pattern)) &&
         "distances between lanes are known");
  const LanePattern &offset =
      address.groups ? address.groups->offset : *address.pattern;
  SmallVector<AccessRun, 4> found;
  uint32_t left = uint32_t((uint64_t(1) << chunk) - 1);
  while (left) {
    unsigned first = unsigned(llvm::countr_zero(left));
    SmallVector<int64_t> offsets;
    uint32_t members = 0;
    int64_t start = address.groups ? offset[c * chunk + first] : 0;
    for (unsigned i = first; i < chunk; ++i) {
      if (address.groups && address.groups->first[c * chunk + i] !=
                                address.groups->first[c * chunk + first])
        continue;
      members |= 1u << i;
      for (unsigned e = 0; e < count; ++e)
        offsets.push_back(offset[c * chunk + i] - start +
                          int64_t(e) * elementBytes);
    }
    left &= ~members;
    // Elements that overlap partially have no index in a run.
    if (llvm::any_of(offsets, [&](int64_t o) {
          return (o - offsets[0]) % elementBytes != 0;
        }))
      return {};
    for (AccessRun run : joinNeighbours(offsets, elementBytes, mostGap)) {
      run.lanes = members;
      run.start = start;
      run.firstLane = first;
      found.push_back(run);
      if (found.size() > most)
        return {};
    }
  }
  return found;
}

unsigned ptxjit::mostRuns(const Access &access, unsigned chunk) {
  return std::max(chunk * (access.isStore ? access.count : 1) / 4, 2u);
}

unsigned ptxjit::mostGap(const Access &access) {
  bool mayMask = access.hasScatter && access.elementBytes >= 4;
  return access.count > 1 || (access.isStore && !mayMask) ? 0 : 3;
}

/// How the elements of lanes lie in runs.
enum class RunElements {
  None,
  Shared,
  OneEach, ///< no lanes have the same, so a mask of lanes is one of elements
  Sparse,  ///< the same, of a store that leaves out some between them
};

/// Is code with runs worth it? No element may be stored twice.
static RunElements findRunElements(const Access &access, unsigned chunk) {
  if (chunk == 1)
    return RunElements::None;
  RunElements result = RunElements::OneEach;
  unsigned most = mostRuns(access, chunk);
  auto countIn = [](ArrayRef<AccessRun> runs) {
    unsigned elements = 0;
    for (const AccessRun &run : runs)
      elements += run.count;
    return elements;
  };
  for (unsigned c = 0; c < 32 / chunk; ++c) {
    auto runsWith = [&](unsigned most, unsigned gap) {
      return findRuns(access.address, chunk, c, access.elementBytes,
                      access.count, most, gap);
    };
    SmallVector<AccessRun, 4> runs = runsWith(most, mostGap(access));
    if (runs.empty())
      return RunElements::None;
    unsigned own = chunk * access.count;
    if (countIn(runsWith(own, 0)) == own) {
      if (access.isStore && countIn(runs) > own)
        result = RunElements::Sparse;
      continue;
    }
    if (access.isStore)
      return RunElements::None;
    result = RunElements::Shared;
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

/// No CPU gathers or scatters elements of less than 32 bits, so masked ones
/// need other code.
static AccessCode planGather(const Access &access, unsigned chunk) {
  if (chunk == 1)
    return AccessCode::Gather;
  bool isNarrow = access.elementBytes < 4 && access.masked;
  if (access.isStore)
    return isNarrow || !access.hasScatter ? AccessCode::LaneByLane
                                          : AccessCode::Gather;
  return isNarrow ? AccessCode::GatherDwords : AccessCode::Gather;
}

/// Plans for addresses of which nothing useful is known.
static AccessPlan planUnknown(const Access &access, unsigned chunk) {
  AccessCode gather = planGather(access, chunk);
  bool mayFollow = chunk > 1 && !access.address.hasBase && !access.swizzled &&
                   (access.isStore || access.count == 1);
  if (!mayFollow)
    return {gather};
  AccessPlan plan{AccessCode::Contiguous, AccessTest::Neighbours, gather};
  // CPUs mask elements of 32 bits and more.
  plan.mayBeTwoRows = access.isComputed && gather == AccessCode::Gather &&
                      access.elementBytes * access.count >= 4;
  return plan;
}

/// Plans for lanes whose addresses are not consecutive.
static AccessPlan planApart(const Access &access, unsigned chunk) {
  const AccessShape &address = access.address;
  bool known = address.groups || (address.hasBase && address.pattern);
  // A conditional pattern may fail, and a mask needs a test of its own.
  bool uncertain = !address.groups && address.conditional;
  if (uncertain && (address.mayPart || access.masked || access.isStore))
    known = false;
  AccessPlan plan;
  plan.otherwise = planGather(access, chunk);
  RunElements elements =
      known ? findRunElements(access, chunk) : RunElements::None;
  if (elements != RunElements::None && uncertain)
    return {AccessCode::Runs, AccessTest::Pattern, AccessCode::LaneByLane,
            /*failsRarely=*/true};
  if (elements != RunElements::None) {
    plan.code = AccessCode::Runs;
    // CPUs mask elements of 32 bits and more.
    bool isMaskable = elements >= RunElements::OneEach;
    if (isMaskable && access.masked && access.elementBytes >= 4)
      plan.otherwise = AccessCode::Runs;
  } else if (!access.isStore && access.count > 1 && chunk > 1)
    plan.code = AccessCode::LaneVectors;
  else
    return planUnknown(access, chunk);
  bool mustTest = address.groups && address.groups->mustTest;
  // Single elements with gaps between them gather in less code.
  if (access.partial && !mustTest)
    return {access.count > 1 ? plan.otherwise : planGather(access, chunk)};
  // What has a mask in any case needs no test of the lanes.
  bool masksAnyway = elements == RunElements::Sparse;
  if ((access.masked && !masksAnyway) || mustTest)
    plan.test = AccessTest::Regular;
  return plan;
}

AccessPlan ptxjit::planAccess(const Access &access, unsigned chunk) {
  assert((chunk & (chunk - 1)) == 0 && chunk <= 32 && "chunks fill a warp");
  const AccessShape &address = access.address;
  // Where all lanes write to one place, the value of the last one stays.
  if (address.hasBase && !address.pattern &&
      (!access.isStore || access.sameValue || !access.masked))
    return {AccessCode::Scalar};
  if (!isContiguous(address, access.elementBytes * access.count, chunk))
    return planApart(access, chunk);
  if (!address.conditional)
    return {AccessCode::Contiguous};
  // A wrap-around is rare, but lanes that diverged are not.
  bool failsRarely = chunk > 1 && !address.mayPart;
  return {AccessCode::Contiguous, AccessTest::Pattern,
          failsRarely ? AccessCode::LaneByLane : planGather(access, chunk),
          failsRarely};
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

static llvm::StringRef nameOf(AccessCode code, bool isStore) {
  switch (code) {
  case AccessCode::Scalar:
    return isStore ? "scalar store" : "scalar load";
  case AccessCode::Contiguous:
    return isStore ? "contiguous store" : "contiguous load";
  case AccessCode::Runs:
    return isStore ? "a store for each row" : "a load for each row";
  case AccessCode::LaneVectors:
    return "a vector load for each lane";
  case AccessCode::Gather:
    return isStore ? "scatter" : "gather";
  case AccessCode::GatherDwords:
    return "gather of dwords";
  case AccessCode::LaneByLane:
    return "lane by lane";
  }
  llvm_unreachable("all codes are named");
}

static llvm::StringRef nameOf(AccessTest test) {
  switch (test) {
  case AccessTest::None:
    return "";
  case AccessTest::Pattern:
    return " if the pattern holds";
  case AccessTest::Regular:
    return " if all lanes take part";
  case AccessTest::Neighbours:
    return " where lanes turn out to follow each other";
  }
  llvm_unreachable("all tests are named");
}

std::string ptxjit::describePlan(const AccessPlan &plan, bool isStore) {
  std::string text = nameOf(plan.code, isStore).str();
  if (plan.test == AccessTest::None)
    return text;
  bool sameCode = plan.otherwise == plan.code;
  text += nameOf(plan.test);
  if (plan.mayBeTwoRows)
    text += ", in one row or two";
  return text + ", else " +
         (sameCode ? "with masks" : nameOf(plan.otherwise, isStore).str());
}
