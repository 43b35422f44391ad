//===- ColumnSteps.h - steps of columns in vectors --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// AArch64 does not multiply by an element in memory, but by a lane of a
// register. So four steps of four columns are loaded at once, along the steps
// or across the columns.
//
// Its smmla and bfmmla multiply two rows of A by two columns of B, of two
// dwords each: two steps of an image whose steps are dwords. For them, rows and
// sums are *paired*: two steps of A have the same lanes, interleaved, so that
// the first one has both dwords of the first half of the rows. The sums of two
// columns are interleaved in the same way.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_DEVICE_COLUMNSTEPS_H
#define PTXJIT_LIB_DEVICE_COLUMNSTEPS_H

#include "MatrixElements.h"

namespace ptxjit::device {

/// How the rows of an image of A are arranged.
enum class RowOrder {
  Plain,
  Paired, ///< for products of two rows by two columns
  Halves, ///< first the lower halves of a step's dwords, then the upper ones
};

/// Pairs two steps of rows, or the sums of two columns.
template <typename V> inline void pairUp(V &first, V &second) {
  auto both = interleave(first, second);
  first = both.lo;
  second = both.hi;
}
/// The inverse.
template <typename V> inline void separate(V &first, V &second) {
  auto both = join(first, second);
  first = both.even;
  second = both.odd;
}

template <int W> inline void separateHalves(U32<W> &rows) {
  auto halves = __builtin_bit_cast(Vec<uint16_t, 2 * W>, rows);
  Vec<uint16_t, W> lower = halves.even, upper = halves.odd;
  rows = __builtin_bit_cast(U32<W>, join(lower, upper));
}

/// Arranges two steps of plain rows.
template <RowOrder Order, int W>
inline void arrangeRows(U32<W> &first, U32<W> &second) {
  if constexpr (Order == RowOrder::Paired) {
    pairUp(first, second);
  } else if constexpr (Order == RowOrder::Halves) {
    separateHalves<W>(first);
    separateHalves<W>(second);
  }
}

/// Calls add(step, n, y) for four steps of four columns; `step` and `n` are
/// Constants, `y` is the element, as a Lane.
/// \param four  the vectors of the columns, or if `Across`, of the steps.
template <bool Across, typename E, typename Add>
inline void forLanes(const Vec<E, 4> *four, Add add) {
  repeat<4>([&]<int T>(Constant<T> step) __attribute__((always_inline)) {
    repeat<4>([&]<int N>(Constant<N> n) __attribute__((always_inline)) {
      add(step, n, Lane<E, Across ? N : T>{four[Across ? T : N]});
    });
  });
}

/// Adds the products of four steps to the paired sums of `C` columns.
/// \param rows  four steps of paired rows, `apart` from each other.
/// \param four  for each column, four steps of it; or if `Across`, for each
/// step
///              four columns.
/// \param add   add(sum, rows, y), where `y` has two dwords of two columns.
template <bool Across, int C, typename Sum, typename Row, typename Add>
inline void addPaired(Sum (&sums)[C], const Row *rows, int apart,
                      const U32<4> *four, Add add) {
  static_assert(C % 2 == 0 && (C == 4 || !Across));
#pragma clang loop unroll(full)
  for (int half = 0; half < 2; ++half) {
    Row first = rows[2 * half * apart], second = rows[(2 * half + 1) * apart];
#pragma clang loop unroll(full)
    for (int n = 0; n < C; n += 2) {
      U32<4> y;
      if constexpr (Across) {
        auto both = interleave(four[2 * half], four[2 * half + 1]);
        y = n ? both.hi : both.lo;
      } else {
        y = half ? join(four[n].hi, four[n + 1].hi)
                 : join(four[n].lo, four[n + 1].lo);
      }
      sums[n] = add(sums[n], first, y);
      sums[n + 1] = add(sums[n + 1], second, y);
    }
  }
}
template <int C, typename Sum> inline void pairSums(Sum (&sums)[C]) {
#pragma clang loop unroll(full)
  for (int n = 0; n < C; n += 2)
    pairUp(sums[n], sums[n + 1]);
}
template <int C, typename Sum> inline void separateSums(Sum (&sums)[C]) {
#pragma clang loop unroll(full)
  for (int n = 0; n < C; n += 2)
    separate(sums[n], sums[n + 1]);
}

} // namespace ptxjit::device

#endif
