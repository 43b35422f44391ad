//===- FreeRanges.h - which parts of a range are free -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_CUDADRIVER_FREERANGES_H
#define PTXJIT_LIB_CUDADRIVER_FREERANGES_H

#include <cassert>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace ptxjit::cuda {

/// Free ranges of addresses. A request takes the smallest that is large enough.
class FreeRanges {
public:
  /// Adds a free range, and joins it with its neighbours.
  void give(uint64_t begin, uint64_t bytes) {
    auto next = byBegin.upper_bound(begin);
    if (next != byBegin.begin()) {
      auto before = std::prev(next);
      assert(before->first + before->second <= begin && "given twice");
      if (before->first + before->second == begin) {
        begin = before->first;
        bytes += before->second;
        next = drop(before);
      }
    }
    if (next != byBegin.end() && next->first == begin + bytes) {
      bytes += next->second;
      drop(next);
    }
    byBegin.emplace(begin, bytes);
    bySize.emplace(bytes, begin);
  }
  /// Takes the beginning of a range. Nothing if none is large enough.
  std::optional<uint64_t> take(uint64_t bytes) {
    auto found = bySize.lower_bound({bytes, 0});
    if (found == bySize.end())
      return std::nullopt;
    auto [size, begin] = *found;
    drop(byBegin.find(begin));
    if (size > bytes)
      give(begin + bytes, size - bytes);
    return begin;
  }

private:
  using Iterator = std::map<uint64_t, uint64_t>::iterator;
  Iterator drop(Iterator range) {
    bySize.erase({range->second, range->first});
    return byBegin.erase(range);
  }

  std::map<uint64_t, uint64_t> byBegin;
  std::set<std::pair<uint64_t, uint64_t>> bySize;
};

} // namespace ptxjit::cuda

#endif
