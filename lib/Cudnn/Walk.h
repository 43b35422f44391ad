//===- Walk.h - loops over the elements of tensors --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_CUDNN_WALK_H
#define PTXJIT_LIB_CUDNN_WALK_H

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <numeric>
#include <oneapi/tbb/parallel_for.h>
#include <vector>

namespace ptxjit::cudnn {

/// Extents, and distances between neighbours in elements. Outermost first, as
/// in cuDNN: batch, channels, then space.
struct Layout {
  std::vector<int64_t> dims, strides;
};

inline int64_t countOf(const std::vector<int64_t> &dims) {
  return std::accumulate(dims.begin(), dims.end(), int64_t(1),
                         std::multiplies<>());
}

/// The dimensions, those with the smallest strides last.
std::vector<int> orderOf(const Layout &layout);
/// The strides without holes, in the order of dimensions of `layout`.
std::vector<int64_t> packedStrides(const Layout &layout);
/// Those of rows.
std::vector<int64_t> rowStrides(const std::vector<int64_t> &dims);
/// Do all elements have a place of their own, without holes?
bool isPacked(const Layout &layout);
/// The strides of a tensor whose dimensions of extent 1 are repeated, and which
/// may have fewer of them, in a loop over `dims`. Fails if it does not fit.
std::vector<int64_t> broadcastStrides(const Layout &layout,
                                      const std::vector<int64_t> &dims);

/// Loops over the elements of N tensors with the same dimensions, in an order
/// that suits the first one.
template <size_t N> class Walk {
public:
  using Offsets = std::array<int64_t, N>;

  /// \param strides  of each tensor.
  Walk(const std::vector<int64_t> &dims,
       const std::array<std::vector<int64_t>, N> &strides) {
    int rank = int(dims.size());
    for (int dim : orderOf({dims, strides[0]})) {
      assert(dim < rank);
      if (dims[dim] == 1)
        continue;
      Offsets steps;
      for (size_t i = 0; i < N; ++i)
        steps[i] = strides[i][dim];
      add(dims[dim], steps);
    }
    if (extents.empty())
      add(1, Offsets{});
    rows = 1;
    for (size_t i = 0; i + 1 < extents.size(); ++i)
      rows *= extents[i];
  }

  /// Calls function(offsets, count, steps) for rows of elements, side by side
  /// if there are many.
  template <typename F> void run(F function) const {
    constexpr int64_t many = 1 << 14;
    int64_t grain = std::max<int64_t>(1, many / std::max<int64_t>(1, row()));
    if (rows <= grain)
      return runRows(0, rows, function);
    tbb::parallel_for(tbb::blocked_range<int64_t>(0, rows, size_t(grain)),
                      [&](const tbb::blocked_range<int64_t> &range) {
                        runRows(range.begin(), range.end(), function);
                      });
  }
  /// The same in order.
  template <typename F> void runInOrder(F function) const {
    runRows(0, rows, function);
  }

private:
  int64_t row() const { return extents.back(); }

  /// Adds a dimension inside of the others, or makes the last one longer.
  void add(int64_t extent, const Offsets &steps) {
    bool isLonger = !extents.empty();
    for (size_t i = 0; isLonger && i < N; ++i)
      isLonger = this->steps.back()[i] == steps[i] * extent;
    if (isLonger) {
      extents.back() *= extent;
      this->steps.back() = steps;
      return;
    }
    extents.push_back(extent);
    this->steps.push_back(steps);
  }

  template <typename F>
  void runRows(int64_t begin, int64_t end, F &function) const {
    if (row() == 0)
      return;
    for (int64_t index = begin; index < end; ++index) {
      Offsets offsets{};
      int64_t rest = index;
      for (size_t dim = extents.size() - 1; dim-- > 0;) {
        int64_t place = rest % extents[dim];
        rest /= extents[dim];
        for (size_t i = 0; i < N; ++i)
          offsets[i] += place * steps[dim][i];
      }
      function(offsets, row(), steps.back());
    }
  }

  std::vector<int64_t> extents;
  std::vector<Offsets> steps;
  int64_t rows = 0;
};

} // namespace ptxjit::cudnn

#endif
