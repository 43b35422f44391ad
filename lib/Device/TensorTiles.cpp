//===- TensorTiles.cpp - multiplications in tensor memory with AMX --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of TensorCore.cpp for CPUs with AMX (Tiles.h). A tile of sums is 16
// columns of a block, as they are in tensor memory. So the rows of X are
// columns of B, and the columns of Y are rows of A.
//
// Sums of floats depend on the order in which the CPU adds, and their denormal
// numbers are 0: these kernels are for `fast` tensors. Those of bytes are
// exact.
//
//===----------------------------------------------------------------------===//

#include "TensorImages.h"
#include "Tiles.h"

#if defined(__AMX_TILE__)

using namespace ptxjit::device;

PTXJIT_EXPORT void ptxjit_tensor_floats(void *run);

namespace {

// Four tiles of sums, the first ones, need two of X and two of Y.
constexpr int kBlocksAtOnce = 2, kFirstTileX = kTilesOfSums,
              kFirstTileY = kFirstTileX + 2;
static_assert(kTensorEvenBlocks % kBlocksAtOnce == 0);

template <typename Image> class TileMultiplication {
  using Sum = U32<16>;
  static constexpr uint32_t parts = Image::parts;
  static constexpr int columnBytes = int(kTensorLanes) * 4;

public:
  explicit TileMultiplication(TensorRun &run)
      : run(run), images(run), blocks(int(run.blockCount)) {}

  void go() {
    if (run.entryCount) {
      images.makeAll();
      if (parts > 1 && hasInfinitiesOrNaNs())
        return multiplyExactly();
    }
    if (run.action == TensorAction::Pack)
      run.packedSteps = images.getSteps();
    else
      multiplyAll(images.getSteps());
  }

private:
  /// The second part of such a number would be a NaN.
  bool hasInfinitiesOrNaNs() const {
    constexpr uint32_t infinity = 0x7f800000u;
    return images.getLargest() >= infinity;
  }
  void multiplyExactly();
  void multiplyAll(uint32_t steps);
  template <int C>
  void multiply(uint32_t steps, int block, int column, int columns);
  template <int Tile> void load(const uint32_t *sums, int columns);
  template <int Tile> void store(int block, int column, int columns);
  /// Adds the product of tiles X and Y.
  template <int Sums, int X, int Y> void add() const {
    if constexpr (Image::isFloat)
      __builtin_ia32_tdpbf16ps(Sums, X, Y);
    else
      addByteTiles<Sums, X, Y>(run.typeB == TensorElement::S8,
                               run.typeA == TensorElement::S8);
  }

  uint32_t *sumsOf(int block, int column) const {
    return run.cells + (run.sums + column) * int(kTensorLanes) +
           run.blocks[block].lane;
  }

  TensorRun &run;
  TensorImages<Image> images;
  int blocks;
  alignas(64) Sum scratch[kTileRows];
};

/// Multiplies at once what was packed, then the entries without tiles.
template <typename Image> void TileMultiplication<Image>::multiplyExactly() {
  if (run.packedSteps) {
    multiplyAll(run.packedSteps);
    run.haveSums();
  }
  TensorRun entries = run;
  entries.action = TensorAction::Multiply;
  ptxjit_tensor_floats(&entries);
  run.haveSums();
}

template <typename Image>
void TileMultiplication<Image>::multiplyAll(uint32_t steps) {
  images.fillUp(steps);
  shapeTiles(kTileRows);
  int column = 0, end = run.columns;
  for (; column + 2 * kTileRows <= end; column += 2 * kTileRows)
    for (int block = 0; block < blocks; block += kBlocksAtOnce)
      multiply<2>(steps, block, column, 2 * kTileRows);
  for (; column < end; column += kTileRows) {
    int columns = end - column < kTileRows ? end - column : kTileRows;
    if (columns != kTileRows)
      shapeTiles(columns);
    for (int block = 0; block < blocks; block += kBlocksAtOnce)
      multiply<1>(steps, block, column, columns);
  }
  __builtin_ia32_tilerelease();
}

/// Loads a tile of sums that are not cells of tensor memory as they are.
template <typename Image>
template <int Tile>
void TileMultiplication<Image>::load(const uint32_t *sums, int columns) {
  int count = columns < kTileRows ? columns : kTileRows;
  for (int c = 0; c < count; ++c)
    scratch[c] = sumsBefore<Image::isFloat>(
        run, *(const Sum *)(sums + c * int(kTensorLanes)));
  __builtin_ia32_tileloadd64(Tile, scratch, sizeof(Sum));
}
/// The inverse.
template <typename Image>
template <int Tile>
void TileMultiplication<Image>::store(int block, int column, int columns) {
  int count = columns < kTileRows ? columns : kTileRows;
  __builtin_ia32_tilestored64(Tile, scratch, sizeof(Sum));
  uint32_t *to = sumsOf(block, column);
  for (int c = 0; c < count; ++c, to += kTensorLanes) {
    Sum cells = *(Sum *)to;
    *(Sum *)to =
        chooseLanes(run.blocks[block].isWritten,
                    cellsAfter<Image::isFloat>(run, scratch[c], cells), cells);
  }
}

/// Multiplies for two blocks and `columns` columns, from `column` on: 32, or if
/// `C` is 1, 8 or 16.
template <typename Image>
template <int C>
void TileMultiplication<Image>::multiply(uint32_t steps, int block, int column,
                                         int columns) {
  // Calls f(tile of sums, block, column) for each tile of sums.
  auto forEachTile = [&](auto f) {
    repeat<C * kBlocksAtOnce>([&](auto tile) {
      f(tile, block + tile.value % kBlocksAtOnce,
        column + tile.value / kBlocksAtOnce * kTileRows);
    });
  };
  bool isPlain = areSumsPlain(run, uint32_t(block), kBlocksAtOnce);
  forEachTile([&](auto tile, int ofBlock, int first) {
    uint32_t *sums = sumsOf(ofBlock, first);
    if (!run.has(kTensorAccumulates))
      __builtin_ia32_tilezero(tile.value);
    else if (isPlain)
      __builtin_ia32_tileloadd64(tile.value, sums, columnBytes);
    else
      load<tile.value>(sums, columns);
  });
  const uint32_t *x[C][parts];
  for (int c = 0; c < C; ++c)
    for (uint32_t part = 0; part < parts; ++part)
      x[c][part] = images.columns(uint32_t(column + c * kTileRows), part);
  for (uint32_t step = 0; step < steps; step += kTileSteps)
    for (uint32_t partOfX = 0; partOfX < parts; ++partOfX) {
      repeat<C>([&](auto c) {
        __builtin_ia32_tileloadd64(
            kFirstTileX + c.value,
            x[c.value][partOfX] + images.placeOfB(step, 0), kTileBytes);
      });
      for (uint32_t partOfY = 0; partOfY < parts; ++partOfY) {
        repeat<kBlocksAtOnce>([&](auto v) {
          uint32_t place = images.placeOfA(step, uint32_t(block + v.value));
          __builtin_ia32_tileloadd64(kFirstTileY + v.value,
                                     images.rows(partOfY) + place, kTileBytes);
        });
        repeat<C * kBlocksAtOnce>([&](auto tile) {
          add<tile.value, kFirstTileX + tile.value / kBlocksAtOnce,
              kFirstTileY + tile.value % kBlocksAtOnce>();
        });
      }
    }
  forEachTile([&](auto tile, int ofBlock, int first) {
    if (isPlain)
      __builtin_ia32_tilestored64(tile.value, sumsOf(ofBlock, first),
                                  columnBytes);
    else
      store<tile.value>(ofBlock, first, columns);
  });
}

// Not inlined, since the function of floats has two of them.
template <typename Image>
__attribute__((noinline)) void goFloatTiles(TensorRun &run) {
  goFloats<TileMultiplication<Image>>(run);
}

} // namespace

PTXJIT_EXPORT void ptxjit_tensor_tiles_bytes(void *run) {
  TileMultiplication<ByteTiles>(*(TensorRun *)run).go();
}
PTXJIT_EXPORT void ptxjit_tensor_tiles_floats(void *run) {
  TensorRun &floats = *(TensorRun *)run;
  if (areTypesBf16(floats))
    goFloatTiles<Bf16Tiles>(floats);
  else
    goFloatTiles<SplitTiles>(floats);
}

#define PTXJIT_TENSOR_TILE_FUNCTION(name, signature)                           \
  static_assert(hasSignature(&ptxjit_tensor_##name, signature));
#include "ptxjit/Device/Functions.def"

#endif // defined(__AMX_TILE__)
