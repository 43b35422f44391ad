//===- WgmmaTiles.cpp - multiplications of a warpgroup with AMX -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of Wgmma.cpp for CPUs with AMX (Tiles.h).
//
// The sums of a warp are columns of 16 rows, so that the tiles are transposed:
// the rows of X are columns of B, and the columns of Y are rows of A.
//
// - A *step* is a dword of k in X and Y.
// - Elements of f16 are the sum of two *parts*, which bf16 can hold. The sums
// of
//   the products of parts are as good as sums in f32.
//
// Sums of floats depend on the order in which the CPU adds, and their denormal
// numbers are 0: these kernels are for `fast` tensors. Those of bytes are
// exact.
//
//===----------------------------------------------------------------------===//

#include "Tiles.h"
#include "WarpgroupRows.h"

#if defined(__AMX_TILE__)

using namespace ptxjit::device;

PTXJIT_EXPORT void ptxjit_wgmma_f16(const void *run);

namespace {

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

// A type of elements says:
// - parts: the parts of an element;
// - stepsOf8: the steps that 8 dwords have;
// - signs: the bits that negate a step;
// - rows(to, apart, x, flags, largest): writes the steps of 8 dwords of 16
// rows;
//   those of the second part `apart` steps behind those of the first;
// - columns(to, apart, x, flags, largest): writes the steps of 8 dwords of one
//   column;
// - add<Sum, X, Y>(flags): adds the product of tiles X and Y to tile Sum.
// Infinities and NaNs have no second part. So types with two parts raise
// `largest` to the bits of the greatest magnitude, and multiplyExactly(run) is
// a kernel for them.

struct FloatTiles {
  using Sum = F32<16>;
  static constexpr uint32_t signs = 0x80008000u;
  template <int Sum, int X, int Y> static void add(uint32_t) {
    __builtin_ia32_tdpbf16ps(Sum, X, Y);
  }
};

struct Bf16Tiles : FloatTiles {
  static constexpr int bits = 16, parts = 1, stepsOf8 = 8;
  static void rows(U32<16> *to, int, const U32<16> *x, uint32_t, uint32_t &) {
    for (int d = 0; d < 8; ++d)
      to[d] = x[d];
  }
  static void columns(uint32_t *to, int, U32<8> x, uint32_t, uint32_t &) {
    *(U32<8> *)to = x;
  }
};
struct HalfTiles : FloatTiles {
  static constexpr int bits = 16, parts = 2, stepsOf8 = 8;
  static void multiplyExactly(const Run &run) { ptxjit_wgmma_f16(&run); }
  static void rows(U32<16> *to, int apart, const U32<16> *x, uint32_t,
                   uint32_t &largest) {
    for (int d = 0; d < 8; ++d)
      splitPairs<16>(to[d], to[apart + d], HalfElements::get<16>(x[d], 0),
                     HalfElements::get<16>(x[d], 1), largest);
  }
  static void columns(uint32_t *to, int apart, U32<8> x, uint32_t,
                      uint32_t &largest) {
    splitPairs<8>(*(U32<8> *)to, *(U32<8> *)(to + apart),
                  HalfElements::get<8>(x, 0), HalfElements::get<8>(x, 1),
                  largest);
  }
};
/// fp8 of either format, by a flag. bf16 has all its numbers.
struct Fp8Tiles : FloatTiles {
  static constexpr int bits = 8, parts = 1, stepsOf8 = 16;
  static void rows(U32<16> *to, int, const U32<16> *x, uint32_t flags,
                   uint32_t &) {
    auto decode = [&](U32<16> codes) {
      return decodeFp8(
          __builtin_convertvector(codes & 0xffu, Vec<uint16_t, 16>),
          flags & kWgmmaOtherA);
    };
    for (int d = 0; d < 8; ++d) {
      to[2 * d] = pairsOf<16>(decode(x[d]), decode(x[d] >> 8));
      to[2 * d + 1] = pairsOf<16>(decode(x[d] >> 16), decode(x[d] >> 24));
    }
  }
  static void columns(uint32_t *to, int, U32<8> x, uint32_t flags, uint32_t &) {
    auto bytes = __builtin_bit_cast(Vec<uint8_t, 32>, x);
    auto codes = __builtin_convertvector(bytes, Vec<uint16_t, 32>);
    *(U32<16> *)to = pairsOf<16>(decodeFp8(codes.even, flags & kWgmmaOtherB),
                                 decodeFp8(codes.odd, flags & kWgmmaOtherB));
  }
};
struct ByteTiles {
  using Sum = I32<16>;
  static constexpr uint32_t signs = 0;
  static constexpr int bits = 8, parts = 1, stepsOf8 = 8;
  static void rows(U32<16> *to, int, const U32<16> *x, uint32_t, uint32_t &) {
    for (int d = 0; d < 8; ++d)
      to[d] = x[d];
  }
  static void columns(uint32_t *to, int, U32<8> x, uint32_t, uint32_t &) {
    *(U32<8> *)to = x;
  }
  template <int Sum, int X, int Y> static void add(uint32_t flags) {
    addByteTiles<Sum, X, Y>(flags & kWgmmaOtherB, flags & kWgmmaOtherA);
  }
};

/// The tiles' numbers; those before are of sums. Tiles of Y take turns, so that
/// one is loaded while another is used.
constexpr int kTileX = kTilesOfSums, kFirstTileY = kTileX + 1, kTilesY = 3;

//===----------------------------------------------------------------------===//
// Multiplication
//===----------------------------------------------------------------------===//

/// A run of multiplications with elements of type `T`, for `Warps` warps.
template <typename T, bool Sparse, int Warps> class TileMultiplication {
  using Sum = typename T::Sum;
  static constexpr int dwords = Sparse ? 16 : 8; ///< of k, in an instruction
  static constexpr int stepsEach = dwords / 8 * T::stepsOf8;
  static constexpr int mostSteps = kMostSteps / T::parts;
  /// Between rows of X of one part and those of the other.
  static constexpr int apartX = kTileRows * mostSteps;
  static constexpr int mostEntries = mostSteps / stepsEach;
  static_assert(mostEntries > 0 && mostSteps % kTileSteps == 0);

  /// Up to 16 columns of B.
  struct ImageX {
    alignas(64) uint32_t rows[T::parts][kTileRows][mostSteps];
    uint32_t largest;
  };

public:
  /// The multiplications that a run may have.
  static constexpr int most = mostEntries;

  explicit TileMultiplication(const Run &run)
      : run(run), first(run.entry(0, 0)), steps(run.count * stepsEach) {
    allSteps = (steps + kTileSteps - 1) / kTileSteps * kTileSteps;
  }

  void go() {
    for (int i = 0; i < run.count; ++i) {
      const Entry &entry = run.entry(0, i);
      piecesOfB[i].open(entry.shared,
                        SharedMatrix(entry.b, entry.has(kWgmmaAlongN)));
      Pieces<16> piecesOfA;
      if (!entry.hasRegisters)
        piecesOfA.open(entry.shared,
                       SharedMatrix(entry.a, entry.has(kWgmmaAlongM)));
      for (int warp = 0; warp < Warps; ++warp)
        makeImageY(i, warp, piecesOfA);
    }
    usesWholeRows = mostEntries >= 4 && hasWholeRows();
    fillUp();
    shapeTiles(kTileRows);
    int column = int(run.firstColumn), end = column + int(run.columns);
    auto columnsAt = [&](int at) {
      return end - at < kTileRows ? end - at : kTileRows;
    };
    // The next image is made before the last one is used: a tile cannot be
    // loaded from stores that are still in flight.
    makeImageX(images[0], column, columnsAt(column));
    for (int i = 0; column < end; ++i, column += kTileRows) {
      if (column + kTileRows < end)
        makeImageX(images[(i + 1) % 2], column + kTileRows,
                   columnsAt(column + kTileRows));
      if (columnsAt(column) != kTileRows)
        shapeTiles(columnsAt(column));
      multiply(images[i % 2], column, columnsAt(column));
    }
    __builtin_ia32_tilerelease();
  }

private:
  void makeImageY(int i, int warp, Pieces<16> &pieces);
  void makeImageX(ImageX &image, int column, int columns);
  bool hasWholeRows() const;
  void makeWholeRowsX(ImageX &image, int at, int column);
  void makeRowsX(ImageX &image, int i, int at, int column);
  void makeRowsAlongN(ImageX &image, int i, int at, int column);
  void fillUp();
  void multiply(const ImageX &image, int column, int columns);
  void multiplyExactly(int column, int columns);
  template <typename Finish> void finish(int column, int columns, Finish f);

  Sum *sums(int warp, int column) const {
    return (Sum *)run.entry(warp, 0).sums + column;
  }

  const Run &run;
  const Entry &first;
  int steps;
  int allSteps; ///< of whole tiles
  bool usesWholeRows = false;
  uint32_t largestY = 0;
  Pieces<2 * dwords> piecesOfB[mostEntries];
  alignas(64) U32<16> y[T::parts][Warps][mostSteps];
  ImageX images[2];
  alignas(64) Sum products[Warps][kTileRows];
};

template <typename T, bool Sparse, int Warps>
void TileMultiplication<T, Sparse, Warps>::makeImageY(int i, int warp,
                                                      Pieces<16> &pieces) {
  const Entry &entry = run.entry(warp, i);
  U32<16> rows[16], dense[16];
  readRows(rows, entry, pieces, run.firstWarp + warp);
  if constexpr (Sparse)
    expandRows<T::bits>(dense, rows, entry);
  const U32<16> *from = Sparse ? dense : rows;
  U32<16> *to = y[0][warp] + i * stepsEach;
  constexpr int apart = Warps * mostSteps;
  for (int d = 0; d < dwords; d += 8)
    T::rows(to + d / 8 * T::stepsOf8, apart, from + d, entry.flags, largestY);
  if (T::signs == 0 || !entry.has(kWgmmaNegates))
    return;
  for (int part = 0; part < T::parts; ++part)
    for (int step = 0; step < stepsEach; ++step)
      to[part * apart + step] ^= T::signs;
}

/// Makes the image of `columns` columns, 8 or 16, from `column` on.
template <typename T, bool Sparse, int Warps>
void TileMultiplication<T, Sparse, Warps>::makeImageX(ImageX &image, int column,
                                                      int columns) {
  image.largest = 0;
  if (mostEntries >= 4 && usesWholeRows) {
    for (int c = 0; c < columns; c += 8)
      makeWholeRowsX(image, c, column + c);
    return;
  }
  for (int i = 0; i < run.count; ++i)
    for (int c = 0; c < columns; c += 8) {
      if (T::bits == 16 && run.entry(0, i).has(kWgmmaAlongN))
        makeRowsAlongN(image, i, c, column + c);
      else
        makeRowsX(image, i, c, column + c);
    }
}

/// Whether the run multiplies with whole rows of 128 bytes, 32 bytes at a time:
/// as most kernels do.
template <typename T, bool Sparse, int Warps>
bool TileMultiplication<T, Sparse, Warps>::hasWholeRows() const {
  if (Sparse || run.count != 4 || first.has(kWgmmaAlongN) ||
      !SharedMatrix(first.b, false).beginsPattern())
    return false;
  for (uint64_t i = 1; i < 4; ++i)
    if (run.entry(0, int(i)).b != first.b + 2 * i)
      return false;
  return true;
}

/// Makes rows `at` to `at` + 7 of X of the columns from `column` on, from whole
/// rows of B.
template <typename T, bool Sparse, int Warps>
void TileMultiplication<T, Sparse, Warps>::makeWholeRowsX(ImageX &image, int at,
                                                          int column) {
  SharedMatrix matrix(first.b, false);
  const char *pattern =
      first.shared + matrix.getStart() + matrix.distance(uint32_t(column) / 8);
  repeat<8>([&](auto row) {
    U32<8> parts[4];
    loadWholeRow<row.value>(parts, pattern);
    for (int i = 0; i < 4; ++i)
      T::columns(image.rows[0][at + row.value] + i * stepsEach, apartX,
                 parts[i], first.flags, image.largest);
  });
}

/// Makes rows `at` to `at` + 7 of X of the columns from `column` on.
template <typename T, bool Sparse, int Warps>
void TileMultiplication<T, Sparse, Warps>::makeRowsX(ImageX &image, int i,
                                                     int at, int column) {
  Pieces<2 * dwords> &pieces = piecesOfB[i];
  pieces.goTo(uint32_t(column) / 8);
#pragma clang loop unroll(full)
  for (int c = 0; c < 8; ++c)
    for (int d = 0; d < dwords; d += 8) {
      U32<8> x;
      int piece = (c * dwords + d) / 4;
      x.lo = pieces.template load<U32<4>>(piece);
      x.hi = pieces.template load<U32<4>>(piece + 1);
      T::columns(image.rows[0][at + c] + i * stepsEach + d / 8 * T::stepsOf8,
                 apartX, x, first.flags, image.largest);
    }
}

/// The same if elements follow each other along n.
template <typename T, bool Sparse, int Warps>
void TileMultiplication<T, Sparse, Warps>::makeRowsAlongN(ImageX &image, int i,
                                                          int at, int column) {
  Pieces<2 * dwords> &pieces = piecesOfB[i];
  pieces.goTo(uint32_t(column) / 8);
  auto elements = [&](int k) {
    return __builtin_convertvector(pieces.template load<Vec<uint16_t, 8>>(k),
                                   U32<8>);
  };
  for (int d = 0; d < dwords; d += 8) {
    U32<8> pairs[8];
#pragma clang loop unroll(full)
    for (int j = 0; j < 8; ++j)
      pairs[j] = elements(2 * (d + j)) | elements(2 * (d + j) + 1) << 16;
    transpose(pairs);
#pragma clang loop unroll(full)
    for (int c = 0; c < 8; ++c)
      T::columns(image.rows[0][at + c] + i * stepsEach + d / 8 * T::stepsOf8,
                 apartX, pairs[c], first.flags, image.largest);
  }
}

/// Fills the last tiles up with zeros.
template <typename T, bool Sparse, int Warps>
void TileMultiplication<T, Sparse, Warps>::fillUp() {
  for (int part = 0; part < T::parts; ++part)
    for (int step = steps; step < allSteps; ++step) {
      for (int warp = 0; warp < Warps; ++warp)
        y[part][warp][step] = 0;
      for (ImageX &image : images)
        for (int c = 0; c < kTileRows; ++c)
          image.rows[part][c][step] = 0;
    }
}

/// Multiplies for `columns` columns, 8 or 16, from `column` on.
template <typename T, bool Sparse, int Warps>
void TileMultiplication<T, Sparse, Warps>::multiply(const ImageX &image,
                                                    int column, int columns) {
  if constexpr (T::parts > 1) {
    constexpr uint32_t infinity = 0x7f800000u;
    if (image.largest >= infinity || largestY >= infinity) {
      multiplyExactly(column, columns);
      return;
    }
  }
  // Saturating sums are added to D at the end.
  bool saturates = first.has(kWgmmaSaturates);
  if (!first.has(kWgmmaAccumulates) || saturates)
    repeat<Warps>([&](auto warp) { __builtin_ia32_tilezero(warp.value); });
  else
    repeat<Warps>([&](auto warp) {
      __builtin_ia32_tileloadd64(warp.value, sums(warp.value, column),
                                 sizeof(Sum));
    });
  for (int step = 0; step < allSteps; step += kTileSteps)
    for (int partOfX = 0; partOfX < T::parts; ++partOfX) {
      __builtin_ia32_tileloadd64(kTileX, image.rows[partOfX][0] + step,
                                 sizeof(image.rows[0][0]));
      for (int partOfY = 0; partOfY < T::parts; ++partOfY)
        repeat<Warps>([&](auto warp) {
          constexpr int tileY = kFirstTileY + warp.value % kTilesY;
          __builtin_ia32_tileloadd64(tileY, y[partOfY][warp.value] + step,
                                     sizeof(y[0][0][0]));
          T::template add<warp.value, kTileX, tileY>(first.flags);
        });
    }
  bool isRounded = first.has(kWgmmaHalfSums);
  repeat<Warps>([&](auto warp) {
    __builtin_ia32_tilestored64(warp.value,
                                saturates || isRounded
                                    ? products[warp.value]
                                    : sums(warp.value, column),
                                sizeof(Sum));
  });
  if constexpr (T::signs == 0) {
    if (saturates)
      finish(column, columns, [&](Sum sum, Sum before) {
        return __builtin_elementwise_add_sat(
            first.has(kWgmmaAccumulates) ? before : Sum(0), sum);
      });
  } else if (isRounded) {
    finish(column, columns, [](Sum sum, Sum) { return roundToHalf(sum); });
  }
}

/// Makes sums of products: finish(product, sum before).
template <typename T, bool Sparse, int Warps>
template <typename Finish>
void TileMultiplication<T, Sparse, Warps>::finish(int column, int columns,
                                                  Finish f) {
  for (int warp = 0; warp < Warps; ++warp) {
    Sum *to = sums(warp, column);
    for (int c = 0; c < columns; ++c)
      to[c] = f(products[warp][c], to[c]);
  }
}

template <typename T, bool Sparse, int Warps>
void TileMultiplication<T, Sparse, Warps>::multiplyExactly(int column,
                                                           int columns) {
  Run part = run;
  part.firstColumn = uint32_t(column);
  part.columns = uint32_t(columns);
  T::multiplyExactly(part);
}

template <typename T, bool Sparse, int Warps>
__attribute__((noinline)) void multiplyPart(const Run &part) {
  TileMultiplication<T, Sparse, Warps>(part).go();
}
template <typename T, bool Sparse> void multiplyRun(const Run *run) {
  constexpr int most = TileMultiplication<T, Sparse, 4>::most;
  forEachPart(*run, most, [](const Run &part) {
    if (part.warps == 4)
      multiplyPart<T, Sparse, 4>(part);
    else
      multiplyPart<T, Sparse, 1>(part);
  });
}

} // namespace

#define PTXJIT_KERNEL(name, Type, isSparse)                                    \
  PTXJIT_EXPORT void ptxjit_wgmma_##name(const void *run) {                    \
    multiplyRun<Type, isSparse>((const Run *)run);                             \
  }
PTXJIT_KERNEL(tiles_f16, HalfTiles, false)
PTXJIT_KERNEL(tiles_bf16, Bf16Tiles, false)
PTXJIT_KERNEL(tiles_fp8, Fp8Tiles, false)
PTXJIT_KERNEL(tiles_bytes, ByteTiles, false)
PTXJIT_KERNEL(sparse_tiles_bytes, ByteTiles, true)

#define PTXJIT_WGMMA_TILE_FUNCTION(name, signature)                            \
  static_assert(hasSignature(&ptxjit_wgmma_##name, signature));
#include "ptxjit/Device/Functions.def"

#endif // defined(__AMX_TILE__)
