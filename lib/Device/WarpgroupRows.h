//===- WarpgroupRows.h - rows of A -----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the rows of A, from registers or shared memory, with the elements of
// one k side by side.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_DEVICE_WARPGROUPROWS_H
#define PTXJIT_LIB_DEVICE_WARPGROUPROWS_H

#include "SharedMatrix.h"
#include "WarpgroupQueue.h"

namespace ptxjit::device {

/// Reads the 8 dwords of each of the 16 rows of a warp. `pieces` are those of A
/// if it is in shared memory.
__attribute__((noinline)) inline void
readRows(U32<16> *dwords, const Entry &entry, Pieces<16> &pieces, int warp) {
  if (entry.hasRegisters) {
    for (int half = 0; half < 2; ++half) {
      const U32<32> *registers = entry.registers + 2 * half;
      U32<16> *to = dwords + 4 * half;
      to[0] = rowsOf<16, 0>(registers);
      to[1] = rowsOf<16, 1>(registers);
      to[2] = rowsOf<16, 2>(registers);
      to[3] = rowsOf<16, 3>(registers);
    }
    return;
  }
  uint32_t group = 2 * uint32_t(warp);
  if (entry.has(kWgmmaAlongM)) {
    Vec<uint16_t, 16> rows[16];
    pieces.goTo(group);
    for (int k = 0; k < 16; ++k)
      rows[k].lo = pieces.load<Vec<uint16_t, 8>>(k);
    pieces.goTo(group + 1);
    for (int k = 0; k < 16; ++k)
      rows[k].hi = pieces.load<Vec<uint16_t, 8>>(k);
    for (int d = 0; d < 8; ++d)
      dwords[d] = __builtin_convertvector(rows[2 * d], U32<16>) |
                  __builtin_convertvector(rows[2 * d + 1], U32<16>) << 16;
    return;
  }
  U32<8> upper[8], lower[8];
  for (int half = 0; half < 2; ++half) {
    U32<8> *rows = half ? lower : upper;
    pieces.goTo(group + uint32_t(half));
    for (int row = 0; row < 8; ++row) {
      rows[row].lo = pieces.load<U32<4>>(2 * row);
      rows[row].hi = pieces.load<U32<4>>(2 * row + 1);
    }
  }
  U32<16> rows[8];
  for (int row = 0; row < 8; ++row)
    rows[row] = pick<16, [](int i) { return i; }>(upper[row], lower[row]);
  transposeRows(dwords, rows);
}

/// The metadata of lanes t = `first` (rows 0 to 7) and t = `second` (rows 8 to
/// 15) of each group of 4 lanes.
inline U32<16> metadataOf(const U32<32> &metadata, int first, int second) {
  U32<16> picked;
  for (int g = 0; g < 8; ++g) {
    picked[g] = metadata[4 * g + first];
    picked[8 + g] = metadata[4 * g + second];
  }
  return picked;
}

/// Expands the 8 dwords of sparse rows to 16, with 0 where A has no element.
/// The lanes that hold metadata: docs/TensorCores.md.
template <int ElementBits>
__attribute__((noinline)) inline void
expandRows(U32<16> *dense, const U32<16> *dwords, const Entry &entry) {
  int lane = entry.has(kWgmmaSelector) ? 2 : 0;
  U32<16> secondRows = pick<16, [](int i) { return i; }>(U32<8>(0), U32<8>(16));
  for (int d = 0; d < 8; ++d) {
    U32<16> x = dwords[d], low = 0, high = 0;
    if constexpr (ElementBits == 8) {
      U32<16> codes = metadataOf(entry.metadata, d / 4 * 2, d / 4 * 2 + 1) >>
                      uint32_t(d % 4 * 8);
      for (uint32_t i = 0; i < 4; ++i) {
        U32<16> at = (codes >> (2 * i) & 3u) * 8u;
        U32<16> element = (x >> (8 * i) & 0xffu) << at;
        (i < 2 ? low : high) |= element;
      }
    } else {
      U32<16> codes = metadataOf(entry.metadata, lane + d / 4, lane + d / 4) >>
                      (secondRows + uint32_t(d % 4 * 4));
      if constexpr (ElementBits == 32) {
        U32<16> isHigh = U32<16>(I32<16>((codes & 2u) != 0u));
        low = x & ~isHigh;
        high = x & isHigh;
      } else {
        for (uint32_t i = 0; i < 2; ++i) {
          U32<16> at = codes >> (2 * i) & 3u;
          U32<16> element = (x >> (16 * i) & 0xffffu) << ((at & 1u) * 16u);
          U32<16> isHigh = U32<16>(I32<16>((at & 2u) != 0u));
          low |= element & ~isHigh;
          high |= element & isHigh;
        }
      }
    }
    dense[2 * d] = low;
    dense[2 * d + 1] = high;
  }
}

} // namespace ptxjit::device

#endif
