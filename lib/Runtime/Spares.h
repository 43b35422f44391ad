//===- Spares.h - memory that threads keep ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_RUNTIME_SPARES_H
#define PTXJIT_LIB_RUNTIME_SPARES_H

#include "ptxjit/Runtime/PerThread.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace ptxjit {

/// What the calling thread keeps of type `T`, one list for each `Tag`. To map
/// memory, and to touch its pages for the first time, takes longer than what a
/// small launch does.
template <typename T, typename Tag> class Spares {
public:
  /// Keeps it, and gives up the oldest one if there are too many. A worker that
  /// runs several clusters at once needs one for each.
  static void keep(T spare) {
    std::vector<T> &all = perThread<std::vector<T>, Tag>();
    if (all.size() == kMost)
      all.erase(all.begin());
    all.push_back(std::move(spare));
  }
  /// \returns one for which `fits(spare)` holds, if there is one.
  template <typename F> static std::optional<T> take(F fits) {
    std::vector<T> &all = perThread<std::vector<T>, Tag>();
    auto found = std::find_if(all.begin(), all.end(), fits);
    if (found == all.end())
      return std::nullopt;
    std::optional<T> taken(std::move(*found));
    all.erase(found);
    return taken;
  }

private:
  static constexpr size_t kMost = 8;
};

} // namespace ptxjit

#endif
