//===- GridSpans.cpp - which CTAs a worker takes next ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GridSpans.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <sched.h>
#include <unistd.h>

using namespace ptxjit;

namespace {
/// The CPUs that the process may use.
class UsableCpus {
public:
  UsableCpus() {
    cpu_set_t usable;
    if (sched_getaffinity(getpid(), sizeof(usable), &usable))
      return;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      before[size_t(cpu)] = count;
      count += CPU_ISSET(cpu, &usable) ? 1 : 0;
    }
  }
  /// Where the calling thread's CPU is among them: 0 to `parts` - 1.
  size_t partOfCaller(size_t parts) const {
    int cpu = sched_getcpu();
    if (cpu < 0 || cpu >= CPU_SETSIZE || !count)
      return 0;
    return before[size_t(cpu)] * parts / count % parts;
  }

private:
  std::array<size_t, CPU_SETSIZE> before{}; ///< of CPUs with a lower number
  size_t count = 0;
};
} // namespace

void GridSpans::cut(uint64_t begin, uint64_t end, unsigned numSpans) {
  assert(numSpans && begin <= end && "there is a span for each cluster");
  spans = std::vector<Span>(numSpans);
  uint64_t each = (end - begin) / numSpans, larger = (end - begin) % numSpans;
  for (size_t i = 0; i < numSpans; ++i) {
    spans[i].next = begin;
    begin += each + (i < larger ? 1 : 0);
    spans[i].end = begin;
  }
}

size_t GridSpans::spanOfCaller() const {
  static const UsableCpus cpus;
  return spans.size() > 1 ? cpus.partOfCaller(spans.size()) : 0;
}

template <typename CountFn>
std::optional<GridSpans::Range> GridSpans::takeAny(size_t own, uint64_t limit,
                                                   CountFn countOf) {
  for (size_t i = 0; i < spans.size(); ++i) {
    Span &span = spans[(own + i) % spans.size()];
    uint64_t next = span.next.load(std::memory_order_relaxed);
    if (next >= std::min(span.end, limit))
      continue;
    uint64_t count = countOf(span.end - next);
    next = span.next.fetch_add(count, std::memory_order_relaxed);
    if (next < span.end)
      return Range{next, std::min(next + count, span.end)};
  }
  return std::nullopt;
}

std::optional<GridSpans::Range> GridSpans::takeFrom(size_t own, uint64_t count,
                                                    uint64_t limit) {
  assert(count && "something is taken");
  return takeAny(own, limit, [&](uint64_t) { return count; });
}

std::optional<GridSpans::Range> GridSpans::takeMost(uint64_t most,
                                                    uint64_t limit) {
  assert(most && "something is taken");
  return takeAny(spanOfCaller(), limit, [&](uint64_t left) {
    return std::min(most, (3 * left + 3) / 4);
  });
}

bool GridSpans::isEmpty(uint64_t limit) const {
  return std::all_of(spans.begin(), spans.end(), [&](const Span &span) {
    return span.next.load(std::memory_order_relaxed) >=
           std::min(span.end, limit);
  });
}
