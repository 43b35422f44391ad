//===- Placement.cpp - advice about where memory should be ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory is in one place only, so advice has no effect. Programs can read it
// back.
//
//===----------------------------------------------------------------------===//

#include "State.h"
#include "ptxjit/Runtime/Memory.h"

#include <algorithm>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

using namespace ptxjit;
using namespace ptxjit::cuda;

//===----------------------------------------------------------------------===//
// What a program has advised
//===----------------------------------------------------------------------===//

namespace {
constexpr int kCpu = -1, kNone = -2; // CU_DEVICE_CPU, CU_DEVICE_INVALID

struct Advice {
  bool readMostly = false;
  CUmemLocation preferred{CU_MEM_LOCATION_TYPE_INVALID, 0};
  CUmemLocation prefetched{CU_MEM_LOCATION_TYPE_INVALID, 0};
  std::vector<int> accessedBy; ///< devices, sorted; kCpu: the host

  bool operator==(const Advice &other) const {
    auto isSame = [](const CUmemLocation &a, const CUmemLocation &b) {
      return a.type == b.type && a.id == b.id;
    };
    return readMostly == other.readMostly &&
           isSame(preferred, other.preferred) &&
           isSame(prefetched, other.prefetched) &&
           accessedBy == other.accessedBy;
  }
};

/// The advice for each byte: ranges that do not overlap. Neighbours differ, and
/// no range has the advice of memory that is in no range.
class AdviceMap {
public:
  /// Changes the advice for [begin, end).
  template <typename Change>
  void update(uint64_t begin, uint64_t end, Change change) {
    split(begin);
    split(end);
    uint64_t at = begin;
    for (auto it = ranges.lower_bound(begin); at < end;) {
      if (it == ranges.end() || it->first > at) { // a gap
        uint64_t next = it == ranges.end() ? end : std::min(it->first, end);
        it = ranges.emplace_hint(it, at, Range{next, {}});
      }
      change(it->second.advice);
      at = it->second.end;
      ++it;
    }
    merge(begin, end);
  }
  /// Calls `visit(advice)` for each part of [begin, end).
  template <typename Visit>
  void forEach(uint64_t begin, uint64_t end, Visit visit) const {
    auto it = ranges.upper_bound(begin);
    if (it != ranges.begin() && std::prev(it)->second.end > begin)
      --it;
    for (uint64_t at = begin; at < end; ++it) {
      if (it == ranges.end() || it->first > at)
        visit(Advice());
      if (it == ranges.end() || it->first >= end)
        return;
      visit(it->second.advice);
      at = it->second.end;
    }
  }

private:
  struct Range {
    uint64_t end;
    Advice advice;
  };

  /// Makes a range begin at `at`, if one contains it.
  void split(uint64_t at) {
    auto it = ranges.upper_bound(at);
    if (it == ranges.begin())
      return;
    --it;
    if (it->first >= at || it->second.end <= at)
      return;
    Range rest = it->second;
    it->second.end = at;
    ranges.emplace(at, std::move(rest));
  }
  void merge(uint64_t begin, uint64_t end) {
    auto it = ranges.lower_bound(begin);
    if (it != ranges.begin())
      --it;
    while (it != ranges.end() && it->first <= end) {
      auto next = std::next(it);
      if (it->second.advice == Advice()) {
        it = ranges.erase(it);
      } else if (next != ranges.end() && next->first == it->second.end &&
                 next->second.advice == it->second.advice) {
        it->second.end = next->second.end;
        ranges.erase(next);
      } else {
        it = next;
      }
    }
  }

  std::map<uint64_t, Range> ranges; ///< by their begin
};

/// Never destroyed, like the State.
struct Placements {
  std::mutex mutex;
  AdviceMap map;
};
} // namespace

static Placements &getPlacements() {
  static Placements *placements = new Placements;
  return *placements;
}

template <typename Change>
static void update(uint64_t address, size_t bytes, Change change) {
  Placements &placements = getPlacements();
  std::lock_guard<std::mutex> lock(placements.mutex);
  placements.map.update(address, address + bytes, change);
}

void cuda::forgetPlacement(uint64_t address, size_t bytes) {
  update(address, bytes, [](Advice &advice) { advice = {}; });
}

/// Is the range memory of the driver's, or of the program's own?
static CUresult checkRange(CUdeviceptr pointer, size_t bytes) {
  if (!bytes || pointer + bytes < pointer)
    return CUDA_ERROR_INVALID_VALUE;
  Place place = findPlace(pointer, bytes);
  if (place == Place::Inside)
    return CUDA_SUCCESS;
  // MS_ASYNC does nothing but to find gaps.
  uint64_t begin = pointer / pageBytes() * pageBytes();
  bool isMapped =
      place == Place::Outside && msync(reinterpret_cast<void *>(begin),
                                       pointer + bytes - begin, MS_ASYNC) == 0;
  return isMapped ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult checkLocation(const CUmemLocation &location) {
  if (location.type == CU_MEM_LOCATION_TYPE_DEVICE)
    return checkDevice(location.id);
  bool isHost = location.type >= CU_MEM_LOCATION_TYPE_HOST &&
                location.type <= CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT;
  bool isNode =
      location.type != CU_MEM_LOCATION_TYPE_HOST_NUMA || location.id >= 0;
  return isHost && isNode ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/// The location of a device, by its number; -1 is the host.
static CUmemLocation locationOf(CUdevice device) {
  if (device == kCpu)
    return {CU_MEM_LOCATION_TYPE_HOST, 0};
  return {CU_MEM_LOCATION_TYPE_DEVICE, device};
}

static int deviceOf(const CUmemLocation &location) {
  if (location.type == CU_MEM_LOCATION_TYPE_INVALID)
    return kNone;
  return location.type == CU_MEM_LOCATION_TYPE_DEVICE ? location.id : kCpu;
}

//===----------------------------------------------------------------------===//
// Advice
//===----------------------------------------------------------------------===//

static void apply(int advice, const CUmemLocation &location, Advice &known) {
  std::vector<int> &by = known.accessedBy;
  int device = deviceOf(location);
  auto place = std::lower_bound(by.begin(), by.end(), device);
  bool isListed = place != by.end() && *place == device;
  switch (advice) {
  case CU_MEM_ADVISE_SET_READ_MOSTLY:
  case CU_MEM_ADVISE_UNSET_READ_MOSTLY:
    known.readMostly = advice == CU_MEM_ADVISE_SET_READ_MOSTLY;
    return;
  case CU_MEM_ADVISE_SET_PREFERRED_LOCATION:
    known.preferred = location;
    return;
  case CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION:
    known.preferred = {CU_MEM_LOCATION_TYPE_INVALID, 0};
    return;
  case CU_MEM_ADVISE_SET_ACCESSED_BY:
    if (!isListed)
      by.insert(place, device);
    return;
  case CU_MEM_ADVISE_UNSET_ACCESSED_BY:
    if (isListed)
      by.erase(place);
    return;
  }
}

PTXJIT_CUDA_API(cuMemAdvise_v2,
                (CUdeviceptr pointer, size_t bytes, int advice,
                 CUmemLocation location),
                pointer, bytes, advice, location) {
  Context *context;
  if (CUresult error = enter(context))
    return error;
  if (advice < CU_MEM_ADVISE_SET_READ_MOSTLY ||
      advice > CU_MEM_ADVISE_UNSET_ACCESSED_BY)
    return CUDA_ERROR_INVALID_VALUE;
  bool isPlaced = advice == CU_MEM_ADVISE_SET_PREFERRED_LOCATION ||
                  advice >= CU_MEM_ADVISE_SET_ACCESSED_BY;
  if (isPlaced)
    if (CUresult error = checkLocation(location))
      return error;
  // Nodes of the host have no processors of their own.
  if (advice >= CU_MEM_ADVISE_SET_ACCESSED_BY &&
      location.type > CU_MEM_LOCATION_TYPE_HOST)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = checkRange(pointer, bytes))
    return error;
  update(pointer, bytes,
         [&](Advice &known) { apply(advice, location, known); });
  return CUDA_SUCCESS;
}
PTXJIT_CUDA_API(cuMemAdvise,
                (CUdeviceptr pointer, size_t bytes, int advice,
                 CUdevice device),
                pointer, bytes, advice, device) {
  return cuMemAdvise_v2(pointer, bytes, advice, locationOf(device));
}

static void notePrefetch(CUdeviceptr pointer, size_t bytes,
                         const CUmemLocation &location) {
  update(pointer, bytes, [&](Advice &known) { known.prefetched = location; });
}

PTXJIT_CUDA_STREAM_API(cuMemPrefetchAsync_v2, _ptsz,
                       (CUdeviceptr pointer, size_t bytes,
                        CUmemLocation location, unsigned flags,
                        CUstream handle),
                       pointer, bytes, location, flags, handle) {
  Context *context;
  StreamObject *stream;
  if (CUresult error = enterStream(handle, context, stream))
    return error;
  if (flags)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = checkLocation(location))
    return error;
  if (CUresult error = checkRange(pointer, bytes))
    return error;
  notePrefetch(pointer, bytes, location);
  return CUDA_SUCCESS;
}
PTXJIT_CUDA_STREAM_API(cuMemPrefetchAsync, _ptsz,
                       (CUdeviceptr pointer, size_t bytes, CUdevice device,
                        CUstream stream),
                       pointer, bytes, device, stream) {
  return cuMemPrefetchAsync_v2(pointer, bytes, locationOf(device), 0, stream);
}

//===----------------------------------------------------------------------===//
// Several ranges
//===----------------------------------------------------------------------===//

/// Calls `act(range, index)` for each of several ranges of memory.
template <typename Act>
static CUresult forRanges(const CUdeviceptr *pointers, const size_t *sizes,
                          size_t count, unsigned long long flags,
                          CUstream handle, Act act) {
  Context *context;
  StreamObject *stream;
  if (CUresult error = enterStream(handle, context, stream))
    return error;
  if (!pointers || !sizes || !count || flags)
    return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < count; ++i) {
    if (CUresult error = checkRange(pointers[i], sizes[i]))
      return error;
    act(pointers[i], sizes[i], i);
  }
  return CUDA_SUCCESS;
}

/// \param starts  the first range of each location.
static CUresult prefetchBatch(const CUdeviceptr *pointers, const size_t *sizes,
                              size_t count, const CUmemLocation *locations,
                              const size_t *starts, size_t numLocations,
                              unsigned long long flags, CUstream stream) {
  if (!locations || !starts || !numLocations || numLocations > count ||
      starts[0] != 0)
    return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < numLocations; ++i) {
    if (CUresult error = checkLocation(locations[i]))
      return error;
    if (i && (starts[i] <= starts[i - 1] || starts[i] >= count))
      return CUDA_ERROR_INVALID_VALUE;
  }
  size_t at = 0;
  return forRanges(pointers, sizes, count, flags, stream,
                   [&](CUdeviceptr pointer, size_t bytes, size_t i) {
                     if (at + 1 < numLocations && starts[at + 1] == i)
                       ++at;
                     notePrefetch(pointer, bytes, locations[at]);
                   });
}

PTXJIT_CUDA_STREAM_API(cuMemPrefetchBatchAsync, _ptsz,
                       (CUdeviceptr * pointers, size_t *sizes, size_t count,
                        CUmemLocation *locations, size_t *starts,
                        size_t numLocations, unsigned long long flags,
                        CUstream stream),
                       pointers, sizes, count, locations, starts, numLocations,
                       flags, stream) {
  return prefetchBatch(pointers, sizes, count, locations, starts, numLocations,
                       flags, stream);
}
// Discarded contents may as well stay.
PTXJIT_CUDA_STREAM_API(cuMemDiscardBatchAsync, _ptsz,
                       (CUdeviceptr * pointers, size_t *sizes, size_t count,
                        unsigned long long flags, CUstream stream),
                       pointers, sizes, count, flags, stream) {
  return forRanges(pointers, sizes, count, flags, stream,
                   [](CUdeviceptr, size_t, size_t) {});
}
PTXJIT_CUDA_STREAM_API(cuMemDiscardAndPrefetchBatchAsync, _ptsz,
                       (CUdeviceptr * pointers, size_t *sizes, size_t count,
                        CUmemLocation *locations, size_t *starts,
                        size_t numLocations, unsigned long long flags,
                        CUstream stream),
                       pointers, sizes, count, locations, starts, numLocations,
                       flags, stream) {
  return prefetchBatch(pointers, sizes, count, locations, starts, numLocations,
                       flags, stream);
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

/// What holds for a whole range: where its parts differ, as if nothing had been
/// advised.
static Advice commonAdvice(uint64_t address, size_t bytes) {
  Placements &placements = getPlacements();
  std::lock_guard<std::mutex> lock(placements.mutex);
  Advice common;
  bool isFirst = true;
  auto join = [](CUmemLocation &a, const CUmemLocation &b) {
    if (a.type != b.type || a.id != b.id)
      a = {CU_MEM_LOCATION_TYPE_INVALID, 0};
  };
  placements.map.forEach(address, address + bytes, [&](const Advice &part) {
    if (std::exchange(isFirst, false)) {
      common = part;
      return;
    }
    common.readMostly &= part.readMostly;
    join(common.preferred, part.preferred);
    join(common.prefetched, part.prefetched);
    std::vector<int> both;
    std::set_intersection(common.accessedBy.begin(), common.accessedBy.end(),
                          part.accessedBy.begin(), part.accessedBy.end(),
                          std::back_inserter(both));
    common.accessedBy = std::move(both);
  });
  return common;
}

/// Writes the value of an attribute, of `size` bytes.
static CUresult give(const Advice &advice, int attribute, void *data,
                     size_t size) {
  if (!data || !size || size % 4)
    return CUDA_ERROR_INVALID_VALUE;
  auto *out = static_cast<int *>(data);
  if (attribute == CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY) {
    for (size_t i = 0; i < size / 4; ++i)
      out[i] = i < advice.accessedBy.size() ? advice.accessedBy[i] : kNone;
    return CUDA_SUCCESS;
  }
  if (size != 4)
    return CUDA_ERROR_INVALID_VALUE;
  switch (attribute) {
  case CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY:
    *out = advice.readMostly;
    return CUDA_SUCCESS;
  case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION:
    *out = deviceOf(advice.preferred);
    return CUDA_SUCCESS;
  case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION:
    *out = deviceOf(advice.prefetched);
    return CUDA_SUCCESS;
  case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE:
    *out = advice.preferred.type;
    return CUDA_SUCCESS;
  case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID:
    *out = advice.preferred.id;
    return CUDA_SUCCESS;
  case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE:
    *out = advice.prefetched.type;
    return CUDA_SUCCESS;
  case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID:
    *out = advice.prefetched.id;
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_INVALID_VALUE;
}

PTXJIT_CUDA_API(cuMemRangeGetAttributes,
                (void **data, size_t *sizes, int *attributes, size_t count,
                 CUdeviceptr pointer, size_t bytes),
                data, sizes, attributes, count, pointer, bytes) {
  Context *context;
  if (CUresult error = enter(context))
    return error;
  if (!data || !sizes || !attributes || !count)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = checkRange(pointer, bytes))
    return error;
  Advice advice = commonAdvice(pointer, bytes);
  for (size_t i = 0; i < count; ++i)
    if (CUresult error = give(advice, attributes[i], data[i], sizes[i]))
      return error;
  return CUDA_SUCCESS;
}
PTXJIT_CUDA_API(cuMemRangeGetAttribute,
                (void *data, size_t size, int attribute, CUdeviceptr pointer,
                 size_t bytes),
                data, size, attribute, pointer, bytes) {
  return cuMemRangeGetAttributes(&data, &size, &attribute, 1, pointer, bytes);
}
