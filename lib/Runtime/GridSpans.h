//===- GridSpans.h - which CTAs a worker takes next -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A grid is cut into spans of neighbouring clusters (or CTAs). Each core has a
// span, the same one in each launch. So the data that a launch leaves in the
// caches next to a core are there for the next launch: to move a line takes six
// times as long between cores that share no cache.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_RUNTIME_GRIDSPANS_H
#define PTXJIT_LIB_RUNTIME_GRIDSPANS_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace ptxjit {

class GridSpans {
public:
  /// Clusters `begin` to `end` - 1.
  struct Range {
    uint64_t begin, end;
  };

  /// Cuts clusters `begin` to `end` - 1 into `numSpans` spans. None of them has
  /// been taken. Not while others take clusters.
  void cut(uint64_t begin, uint64_t end, unsigned numSpans);

  /// Takes up to `count` neighbouring clusters, first from the span of the core
  /// that the calling thread runs on, then from those of others. Within a span
  /// they are taken in order. \returns nothing if all below `limit` are taken.
  std::optional<Range> take(uint64_t count, uint64_t limit) {
    return takeFrom(spanOfCaller(), count, limit);
  }
  /// The same, first from span `own`.
  std::optional<Range> takeFrom(size_t own, uint64_t count, uint64_t limit);
  /// Takes three quarters of what is left of a span, and at most `most`
  /// clusters: long pieces, of which the last ones are short, so that all cores
  /// end at about the same time.
  std::optional<Range> takeMost(uint64_t most, uint64_t limit);

  /// Whether all below `limit` are taken.
  bool isEmpty(uint64_t limit) const;

private:
  size_t spanOfCaller() const;
  /// \param countOf  how many to take of so many that are left in a span.
  template <typename CountFn>
  std::optional<Range> takeAny(size_t own, uint64_t limit, CountFn countOf);

  /// On a cache line of its own, since workers write it all the time.
  struct alignas(64) Span {
    std::atomic<uint64_t> next{0};
    uint64_t end = 0;
  };
  std::vector<Span> spans;
};

} // namespace ptxjit

#endif
