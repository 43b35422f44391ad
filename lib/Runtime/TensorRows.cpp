//===- TensorRows.cpp - moves rows of boxes -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels for tensor cores mostly have rows of 128 bytes. These are permuted in
// registers. Other rows are moved in units of 16 bytes.
//
//===----------------------------------------------------------------------===//

#include "TensorRows.h"

#include <cassert>
#include <cstring>
#include <utility>

using namespace ptxjit;

Swizzle::Swizzle(const PtxjitTensorMap &map) {
  switch (map.swizzle) {
  case PTXJIT_TENSOR_SWIZZLE_32B:
    mask = 1;
    return;
  case PTXJIT_TENSOR_SWIZZLE_64B:
    mask = 3;
    return;
  case PTXJIT_TENSOR_SWIZZLE_128B:
    break;
  default: // chosen for the 96-byte swizzle: its pieces keep their places
    return;
  }
  static constexpr struct {
    uint8_t mask, shift;
  } kByAtomicity[] = {{7, 4}, {3, 5}, {3, 5}, {1, 6}};
  mask = kByAtomicity[map.atomicity].mask;
  shift = kByAtomicity[map.atomicity].shift;
  flips = map.atomicity == PTXJIT_TENSOR_ATOM_32B_FLIP_8B;
}

//===----------------------------------------------------------------------===//
// Rows in units of 16 bytes
//===----------------------------------------------------------------------===//

namespace {
/// Whether rows go to shared memory or come from there.
enum class Direction { Place, Fetch };
} // namespace

/// Moves 16 bytes. \param flips  exchanges their halves.
static inline void moveUnit(char *to, const char *from, bool flips) {
  uint64_t halves[2];
  std::memcpy(halves, from, sizeof(halves));
  if (flips)
    std::swap(halves[0], halves[1]);
  std::memcpy(to, halves, sizeof(halves));
}

template <Direction direction>
static void moveUnits(const SharedRows &shared, char *plain) {
  for (size_t i = 0; i < shared.bytes; i += 16) {
    uint64_t a = shared.address + i;
    char *unit = shared.place + int64_t(shared.swizzle(a) - shared.address);
    bool flips = shared.swizzle.flipsAt(a);
    if constexpr (direction == Direction::Place)
      moveUnit(unit, plain + i, flips);
    else
      moveUnit(plain + i, unit, flips);
  }
}

//===----------------------------------------------------------------------===//
// Rows in registers
//===----------------------------------------------------------------------===//

namespace {
/// Half a line of 128 bytes, as four units.
typedef uint64_t HalfLine
    __attribute__((vector_size(64), aligned(1), may_alias));
} // namespace

/// Moves a line of 128 bytes whose unit i becomes unit i ^ x.
template <unsigned x>
[[gnu::always_inline]] static inline void moveLine(char *to, const char *from) {
  constexpr int e = int(x & 3) * 2;
  for (unsigned half = 0; half < 2; ++half) {
    HalfLine v =
        *reinterpret_cast<const HalfLine *>(from + (half ^ x >> 2) * 64);
    *reinterpret_cast<HalfLine *>(to + half * 64) = __builtin_shufflevector(
        v, v, 0 ^ e, 1 ^ e, 2 ^ e, 3 ^ e, 4 ^ e, 5 ^ e, 6 ^ e, 7 ^ e);
  }
}

#if defined(__x86_64__)
#define PTXJIT_FOR_EACH_CPU [[gnu::target_clones("avx512f", "avx2", "default")]]
#else
#define PTXJIT_FOR_EACH_CPU
#endif

/// Moves `count` lines of shared memory, the first of which is at `address`.
/// Either side may be the swizzled one, since exchanges are their own inverse.
PTXJIT_FOR_EACH_CPU
static void moveLines(char *to, int64_t toStride, const char *from,
                      int64_t fromStride, uint64_t address, uint64_t mask,
                      unsigned shift, size_t count) {
  if (mask == 0 && toStride == 128 && fromStride == 128) {
    std::memcpy(to, from, 128 * count);
    return;
  }
  // Most boxes begin with a whole pattern of 16-byte units.
  if (mask == 7 && address % 1024 == 0)
    for (; count >= 8; count -= 8, to += 8 * toStride, from += 8 * fromStride) {
      moveLine<0>(to, from);
      moveLine<1>(to + toStride, from + fromStride);
      moveLine<2>(to + 2 * toStride, from + 2 * fromStride);
      moveLine<3>(to + 3 * toStride, from + 3 * fromStride);
      moveLine<4>(to + 4 * toStride, from + 4 * fromStride);
      moveLine<5>(to + 5 * toStride, from + 5 * fromStride);
      moveLine<6>(to + 6 * toStride, from + 6 * fromStride);
      moveLine<7>(to + 7 * toStride, from + 7 * fromStride);
    }
  for (; count--; to += toStride, from += fromStride, address += 128) {
    switch ((address >> 7 & mask) << (shift - 4)) {
    case 0:
      moveLine<0>(to, from);
      break;
    case 1:
      moveLine<1>(to, from);
      break;
    case 2:
      moveLine<2>(to, from);
      break;
    case 3:
      moveLine<3>(to, from);
      break;
    case 4:
      moveLine<4>(to, from);
      break;
    case 5:
      moveLine<5>(to, from);
      break;
    case 6:
      moveLine<6>(to, from);
      break;
    default:
      moveLine<7>(to, from);
    }
  }
}

static bool areLines(const SharedRows &rows) {
  return rows.bytes == 128 && rows.address % 128 == 0 && !rows.swizzle.flips;
}

//===----------------------------------------------------------------------===//
// The interface
//===----------------------------------------------------------------------===//

void ptxjit::placeRows(const SharedRows &to, const char *from, int64_t stride,
                       size_t count) {
  assert(to.bytes % 16 == 0 && to.address % 16 == 0);
  if (areLines(to))
    return moveLines(to.place, 128, from, stride, to.address, to.swizzle.mask,
                     to.swizzle.shift, count);
  for (size_t i = 0; i < count; ++i) {
    const char *row = from + int64_t(i) * stride;
    if (to.swizzle.mask)
      moveUnits<Direction::Place>(to.behind(i), const_cast<char *>(row));
    else
      std::memcpy(to.behind(i).place, row, to.bytes);
  }
}

void ptxjit::fetchRows(char *to, int64_t stride, const SharedRows &from,
                       size_t count) {
  assert(from.bytes % 16 == 0 && from.address % 16 == 0);
  if (areLines(from))
    return moveLines(to, stride, from.place, 128, from.address,
                     from.swizzle.mask, from.swizzle.shift, count);
  for (size_t i = 0; i < count; ++i) {
    char *row = to + int64_t(i) * stride;
    if (from.swizzle.mask)
      moveUnits<Direction::Fetch>(from.behind(i), row);
    else
      std::memcpy(row, from.behind(i).place, from.bytes);
  }
}
