//===- TensorWalk.h - walks through the rows of a box -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Says where in a tensor the rows of a box are, in the order in which shared
// memory holds them. ISA: "tensor access modes".
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_RUNTIME_TENSORWALK_H
#define PTXJIT_LIB_RUNTIME_TENSORWALK_H

#include "ptxjit/Runtime/KernelABI.h"
#include "ptxjit/Runtime/TensorMap.h"

#include <algorithm>
#include <array>

namespace ptxjit {

/// An element of a tensor. Dimension 0 is the innermost one.
using Coordinates = std::array<int64_t, 5>;

/// Rows of a box at equal distances in the tensor.
struct RowRun {
  Coordinates first; ///< the first element of the first row
  int64_t step;      ///< from row to row, in elements of dimension 1
  size_t count;      ///< rows
};

/// The range of numbers from `begin` to `end` - 1.
struct Span {
  int64_t begin, end;
  bool isEmpty() const { return begin >= end; }
  int64_t size() const { return isEmpty() ? 0 : end - begin; }
};

/// Which of `count` coordinates at, at + step, at + 2 step, ... are below
/// `size` and not negative. `step` > 0.
inline Span insideOf(int64_t at, int64_t step, int64_t count, uint64_t size) {
  auto firstFrom = [&](int64_t bound) { // the first that is at least `bound`
    return at >= bound ? 0 : (bound - at + step - 1) / step;
  };
  return {std::min(firstFrom(0), count),
          std::min(firstFrom(int64_t(size)), count)};
}

class TensorWalk {
public:
  TensorWalk(const PtxjitTensorMap &map, const PtxjitTensorCopy &copy)
      : map(map), copy(copy) {
    for (unsigned d = 0; d < map.rank; ++d)
      start[d] = copy.at[d];
  }

  /// Number of rows of the box.
  size_t countRows() const;
  /// Calls body(RowRun) for the rows, in order.
  template <typename Body> void forEachRun(Body body) const {
    switch (copy.mode) {
    case PTXJIT_TENSOR_MODE_TILE:
      return walkTile(body);
    case PTXJIT_TENSOR_MODE_GATHER4:
    case PTXJIT_TENSOR_MODE_SCATTER4:
      for (unsigned i = 1; i <= 4; ++i)
        body(RowRun{{copy.at[0], copy.at[i]}, 1, 1});
      return;
    case PTXJIT_TENSOR_MODE_IM2COL:
    case PTXJIT_TENSOR_MODE_IM2COL_NO_OFFSETS:
      return walkPixels(body);
    default:
      return walkRowOfPixels(body);
    }
  }

private:
  /// Elements of dimension `d` that a tiled copy moves.
  unsigned extent(unsigned d) const {
    unsigned step = map.elementStrides[d];
    return (map.box[d] + step - 1) / step;
  }
  template <typename Body> void walkTile(Body body) const;
  template <typename Body> void walkPixels(Body body) const;
  template <typename Body> void walkRowOfPixels(Body body) const;
  /// The number of halo pixels, and how many pixels are in front of them.
  /// `im2col::w::128` has four such groups.
  unsigned halo() const { return copy.offsets[0]; }
  unsigned pixelsOfGroup() const {
    return copy.mode == PTXJIT_TENSOR_MODE_IM2COL_W128 ? 32 : map.pixels;
  }
  unsigned countGroups() const {
    return copy.mode == PTXJIT_TENSOR_MODE_IM2COL_W128 ? 4 : 1;
  }
  /// Goes to the next place of the filter: along dimension 1, then along the
  /// others up to `last`, within the corners of the box. Behind the end of all
  /// follows the next image. `moved` is added to the corners.
  void advance(Coordinates &at, unsigned last, int64_t moved) const {
    for (unsigned d = 1; d <= last; ++d) {
      at[d] += map.elementStrides[d];
      if (at[d] < int64_t(map.sizes[d]) + map.upper[d - 1] + moved)
        return;
      at[d] = map.lower[d - 1] + moved;
    }
    ++at[map.rank - 1];
  }

  const PtxjitTensorMap &map;
  const PtxjitTensorCopy &copy;
  Coordinates start{};
};

template <typename Body> void TensorWalk::walkTile(Body body) const {
  if (map.rank == 1)
    return body(RowRun{start, 1, 1});
  size_t outer = 1;
  for (unsigned d = 2; d < map.rank; ++d)
    outer *= extent(d);
  for (size_t i = 0; i < outer; ++i) {
    Coordinates at = start;
    size_t rest = i;
    for (unsigned d = 2; d < map.rank; ++d) {
      at[d] += int64_t(rest % extent(d)) * map.elementStrides[d];
      rest /= extent(d);
    }
    body(RowRun{at, map.elementStrides[1], extent(1)});
  }
}

template <typename Body> void TensorWalk::walkPixels(Body body) const {
  unsigned last = map.rank - 2;
  unsigned moved = copy.mode == PTXJIT_TENSOR_MODE_IM2COL ? last : 0;
  Coordinates at = start;
  for (unsigned i = 0; i < map.pixels; ++i) {
    Coordinates pixel = at;
    for (unsigned d = 1; d <= moved; ++d)
      pixel[d] += copy.offsets[d - 1];
    body(RowRun{pixel, 1, 1});
    advance(at, last, 0);
  }
}

/// Halo pixels are the next ones of the walk. The pixels behind them begin with
/// the same ones (chosen, as the reference interpreter's TensorBox.cpp says).
template <typename Body> void TensorWalk::walkRowOfPixels(Body body) const {
  int64_t moved = copy.offsets[1];
  Coordinates at = start;
  at[1] += moved;
  auto visit = [&](Coordinates &at, unsigned count) {
    for (unsigned i = 0; i < count; ++i) {
      body(RowRun{at, 1, 1});
      advance(at, 1, moved);
    }
  };
  for (unsigned group = 0; group < countGroups(); ++group) {
    visit(at, pixelsOfGroup());
    Coordinates beyond = at;
    visit(beyond, halo());
  }
}

inline size_t TensorWalk::countRows() const {
  switch (copy.mode) {
  case PTXJIT_TENSOR_MODE_TILE: {
    size_t rows = 1;
    for (unsigned d = 1; d < map.rank; ++d)
      rows *= extent(d);
    return rows;
  }
  case PTXJIT_TENSOR_MODE_GATHER4:
  case PTXJIT_TENSOR_MODE_SCATTER4:
    return 4;
  case PTXJIT_TENSOR_MODE_IM2COL:
  case PTXJIT_TENSOR_MODE_IM2COL_NO_OFFSETS:
    return map.pixels;
  default:
    return size_t(countGroups()) * (pixelsOfGroup() + halo());
  }
}

} // namespace ptxjit

#endif
