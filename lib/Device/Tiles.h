//===- Tiles.h - registers of AMX ------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// AMX has eight registers for *tiles* of up to 16 rows of 64 bytes. One
// instruction adds the product of two tiles, X and Y, to a third one. A dword
// of X has pairs of bf16, or four bytes, along k; a row of Y has the same dword
// of k for 16 columns.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_DEVICE_TILES_H
#define PTXJIT_LIB_DEVICE_TILES_H

#include "MatrixElements.h"

#if defined(__AMX_TILE__)

namespace ptxjit::device {

constexpr int kTileRows = 16, kTileBytes = 64;
constexpr int kTileSteps = kTileRows; ///< dwords of k in a tile of X or Y

constexpr int kTilesOfSums = 4; ///< the first ones

/// What the CPU loads to set up its tiles.
struct alignas(64) TileShapes {
  uint8_t palette, startRow, reserved[14];
  uint16_t rowBytes[16];
  uint8_t rows[16];
};
static_assert(sizeof(TileShapes) == 64);

/// Gives tiles their shapes: those of sums, and the next one, of X, have
/// `columns` rows.
inline void shapeTiles(int columns) {
  TileShapes shapes;
  *(U32<16> *)&shapes = 0;
  shapes.palette = 1;
  for (int tile = 0; tile < 8; ++tile) {
    shapes.rows[tile] = uint8_t(tile <= kTilesOfSums ? columns : kTileRows);
    shapes.rowBytes[tile] = kTileBytes;
  }
  __builtin_ia32_tile_loadconfig(&shapes);
}

/// Adds the product of tiles of bytes to tile `Sum`.
template <int Sum, int X, int Y>
inline void addByteTiles(bool isSignedX, bool isSignedY) {
  if (isSignedX && isSignedY)
    __builtin_ia32_tdpbssd(Sum, X, Y);
  else if (isSignedX)
    __builtin_ia32_tdpbsud(Sum, X, Y);
  else if (isSignedY)
    __builtin_ia32_tdpbusd(Sum, X, Y);
  else
    __builtin_ia32_tdpbuud(Sum, X, Y);
}

} // namespace ptxjit::device

#endif // defined(__AMX_TILE__)

#endif
