//===- Multicast.cpp - addresses that stand for several memories ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Readers use an immutable table. A change makes a new one, and waits until
// nobody reads the old one before it goes.
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Runtime/Multicast.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

using namespace ptxjit;

namespace {
struct Range {
  uint64_t end;
  bool mayWrite;
  std::vector<MulticastPiece> pieces;
};
using Ranges = std::map<uint64_t, Range>; ///< by their first address
using Table = std::vector<Replicas>;      ///< in the order of addresses

/// Who reads the table. Each thread counts itself in one of several places, so
/// that threads do not wait for each other's cache lines.
class Readers {
public:
  std::atomic<unsigned> &placeOfThread() {
    static std::atomic<unsigned> numThreads{0};
    static thread_local unsigned number = numThreads++;
    return places[number % kPlaces].count;
  }
  /// Waits until everybody has left who may not see what was stored before.
  void await() {
    for (Place &place : places)
      while (place.count != 0)
        std::this_thread::yield();
  }

private:
  static constexpr unsigned kPlaces = 64;
  struct alignas(64) Place {
    std::atomic<unsigned> count{0};
  };
  Place places[kPlaces];
};

/// Never destroyed, since kernels may run when a process ends.
struct Multicast {
  std::mutex mutex; ///< of those who change something
  Ranges ranges;
  std::atomic<const Table *> table{nullptr}; ///< null without ranges
  Readers readers;
};
} // namespace

static Multicast &getMulticast() {
  static auto *multicast = new Multicast;
  return *multicast;
}

/// Appends a range, in parts that stand for the same memories throughout.
static void addRange(Table &table, uint64_t begin, const Range &range) {
  std::vector<uint64_t> bounds = {begin, range.end};
  for (const MulticastPiece &piece : range.pieces) {
    bounds.push_back(piece.begin);
    bounds.push_back(piece.begin + piece.bytes);
  }
  std::sort(bounds.begin(), bounds.end());
  bounds.erase(std::unique(bounds.begin(), bounds.end()), bounds.end());
  for (size_t i = 0; i + 1 < bounds.size(); ++i) {
    Replicas &part = table.emplace_back();
    part.begin = bounds[i];
    part.end = bounds[i + 1];
    part.mayWrite = range.mayWrite;
    for (const MulticastPiece &piece : range.pieces)
      if (part.begin - piece.begin < piece.bytes) {
        assert(part.count < Replicas::kMost && "one piece for each device");
        part.distances[part.count++] = piece.memory - piece.begin;
      }
  }
}

/// Shows the ranges to readers. The caller holds the lock.
static void publish(Multicast &multicast) {
  std::unique_ptr<Table> fresh;
  if (!multicast.ranges.empty()) {
    fresh = std::make_unique<Table>();
    for (auto &[begin, range] : multicast.ranges)
      addRange(*fresh, begin, range);
  }
  std::unique_ptr<const Table> old(multicast.table.exchange(fresh.release()));
  multicast.readers.await();
}

void ptxjit::setMulticast(uint64_t begin, uint64_t bytes, bool mayWrite,
                          const std::vector<MulticastPiece> &pieces) {
  Multicast &multicast = getMulticast();
  std::lock_guard<std::mutex> lock(multicast.mutex);
  multicast.ranges[begin] = {begin + bytes, mayWrite, pieces};
  publish(multicast);
}

void ptxjit::dropMulticast(uint64_t begin) {
  Multicast &multicast = getMulticast();
  std::lock_guard<std::mutex> lock(multicast.mutex);
  multicast.ranges.erase(begin);
  publish(multicast);
}

/// What stands for itself around an address that the table does not have.
static void setOrdinary(uint64_t begin, uint64_t end, Replicas &replicas) {
  replicas.begin = begin;
  replicas.end = end;
  replicas.mayWrite = true;
  replicas.count = 1;
  replicas.distances[0] = 0;
}

static void findIn(const Table &table, uint64_t address, Replicas &replicas) {
  auto next = std::upper_bound(
      table.begin(), table.end(), address,
      [](uint64_t at, const Replicas &part) { return at < part.begin; });
  if (next == table.begin())
    setOrdinary(0, next->begin, replicas);
  else if (std::prev(next)->contains(address))
    replicas = *std::prev(next);
  else
    setOrdinary(std::prev(next)->end,
                next == table.end() ? UINT64_MAX : next->begin, replicas);
}

void ptxjit::findReplicas(uint64_t address, Replicas &replicas) {
  Multicast &multicast = getMulticast();
  if (!multicast.table) {
    setOrdinary(0, UINT64_MAX, replicas);
    return;
  }
  // In sequential order with what publish() does.
  std::atomic<unsigned> &place = multicast.readers.placeOfThread();
  ++place;
  if (const Table *table = multicast.table)
    findIn(*table, address, replicas);
  else
    setOrdinary(0, UINT64_MAX, replicas);
  --place;
}
