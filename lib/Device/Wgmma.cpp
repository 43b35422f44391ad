//===- Wgmma.cpp - multiplications of a warpgroup -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A warp puts the multiplications that it issues into its queue. They run when
// the four warps of the warpgroup wait for them: the last warp to come runs
// them for all, so that B is read and converted once for 64 rows. A warp that
// needs its sums earlier runs its own rows alone.
//
// - The *sums* of a warp, its part of D, are N columns of 16 rows: f32, or for
//   integers s32. Those of f16 are f32 numbers that f16 has.
// - A *run* are multiplications that add to the same sums one after the other.
//   It loads and stores the sums once.
// - A *step* is one element of k, or as many as one instruction of the CPU
//   multiplies and adds. A dword of a row of A has one or several steps.
// - The *image* of A has, for each step of a run, the elements of the rows of
//   the warps side by side. The image of B has the elements of 8 columns.
//
// Floats are added in the order of k, so that results do not depend on the CPU.
//
//===----------------------------------------------------------------------===//

#include "ColumnSteps.h"
#include "WarpgroupRows.h"

using namespace ptxjit::device;

namespace {

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

// A type of elements says:
// - Row, Element: the type of a step's 16 rows of A, and of one element of B;
// - Sum: a column of 16 sums;
// - bits: those of an element;
// - count: the steps in a dword;
// - rows(x, e, flags): step e of the dwords `x` of 16 rows;
// - columns(to, x, flags): writes the steps of 8 dwords of a column;
// - add(sum, a, b);
// - signs: the bits that negate a step;
// - order: how rows of A are arranged (ColumnSteps.h).

struct FloatSums {
  using Sum = F32<16>;
  using Row = F32<16>;
  using Element = float;
  static constexpr uint32_t signs = 0x80000000u;
  static constexpr RowOrder order = RowOrder::Plain;
  static Sum add(Sum sum, Row a, Element b) {
    return __builtin_elementwise_fma(a, Row(b), sum);
  }
};

struct HalfType : FloatSums {
  static constexpr int bits = 16, count = 2;
  static Row rows(U32<16> x, int e, uint32_t) {
    return HalfElements::get<16>(x, e);
  }
  static void columns(float *to, U32<8> x, uint32_t) {
    auto halves = __builtin_bit_cast(Vec<_Float16, 16>, x);
    *(F32<16> *)to = __builtin_convertvector(halves, F32<16>);
  }
  static F32<8> alongN(Vec<uint16_t, 8> x) {
    return __builtin_convertvector(__builtin_bit_cast(Vec<_Float16, 8>, x),
                                   F32<8>);
  }
};
struct Bf16Type : FloatSums {
  static constexpr int bits = 16, count = 2;
  static Row rows(U32<16> x, int e, uint32_t) {
    return Bf16Elements::get<16>(x, e);
  }
  static void columns(float *to, U32<8> x, uint32_t) {
    auto halves = __builtin_bit_cast(Vec<uint16_t, 16>, x);
    *(F32<16> *)to =
        fromBits<16>(__builtin_convertvector(halves, U32<16>) << 16);
  }
  static F32<8> alongN(Vec<uint16_t, 8> x) {
    return fromBits<8>(__builtin_convertvector(x, U32<8>) << 16);
  }
};
struct Tf32Type : FloatSums {
  static constexpr int bits = 32, count = 1;
  static Row rows(U32<16> x, int e, uint32_t) {
    return Tf32Elements::get<16>(x, e);
  }
  static void columns(float *to, U32<8> x, uint32_t) {
    *(F32<8> *)to = Tf32Elements::get<8>(x, 0);
  }
};
/// fp8 of either format, by a flag.
struct Fp8Type : FloatSums {
  static constexpr int bits = 8, count = 4;
  static Row rows(U32<16> x, int e, uint32_t flags) {
    return decodeFp8(__builtin_convertvector(x >> uint32_t(8 * e) & 0xffu,
                                             Vec<uint16_t, 16>),
                     flags & kWgmmaOtherA);
  }
  static void columns(float *to, U32<8> x, uint32_t flags) {
    auto bytes = __builtin_bit_cast(Vec<uint8_t, 32>, x);
    auto codes = __builtin_convertvector(bytes, Vec<uint16_t, 32>);
    *(F32<16> *)to = decodeFp8(codes.lo, flags & kWgmmaOtherB);
    *(F32<16> *)(to + 16) = decodeFp8(codes.hi, flags & kWgmmaOtherB);
  }
};

struct IntegerSums {
  using Sum = I32<16>;
  using Row = U32<16>;
  using Element = uint32_t;
  static constexpr uint32_t signs = 0;
  static constexpr RowOrder order = RowOrder::Plain;
};

/// Pairs of 16 bits: bytes 0 and 2, bytes 1 and 3.
struct BytePairsType : IntegerSums {
  static constexpr int bits = 8, count = 2;
  template <int W> static U32<W> pairs(U32<W> x, int e, bool isSigned) {
    return isSigned ? ByteElements<true>::get<W>(x, e)
                    : ByteElements<false>::get<W>(x, e);
  }
  static Row rows(U32<16> x, int e, uint32_t flags) {
    return pairs<16>(x, e, flags & kWgmmaOtherA);
  }
  static void columns(uint32_t *to, U32<8> x, uint32_t flags) {
    bool isSigned = flags & kWgmmaOtherB;
    *(U32<16> *)to =
        interleave(pairs<8>(x, 0, isSigned), pairs<8>(x, 1, isSigned));
  }
  static Sum add(Sum sum, Row a, Element b) {
    return addPairs(sum, a, U32<16>(b));
  }
};
struct BitsType : IntegerSums {
  static constexpr int bits = 1, count = 1;
  static Row rows(U32<16> x, int, uint32_t) { return x; }
  static void columns(uint32_t *to, U32<8> x, uint32_t) { *(U32<8> *)to = x; }
  static Sum add(Sum sum, Row a, Element b) {
    return sum + Sum(__builtin_elementwise_popcount(a & U32<16>(b)));
  }
};

#if PTXJIT_FAST_PRODUCTS
/// Pairs of bf16 or f16, which the CPU multiplies as they are.
struct HalfPairs {
  using Sum = F32<16>;
  using Row = U32<16>;
  using Element = uint32_t;
  static constexpr uint32_t signs = 0x80008000u;
  static constexpr RowOrder order = RowOrder::Plain;
  static constexpr int bits = 16, count = 1;
  static Row rows(U32<16> x, int, uint32_t) { return x; }
  static void columns(uint32_t *to, U32<8> x, uint32_t) { *(U32<8> *)to = x; }
};
#endif

#if PTXJIT_DOT_PRODUCTS
/// Four bytes, which are multiplied and added in one instruction if those of B
/// are signed, and those of A signed or not (kDotSignedA). So 128 is added to
/// elements of A, or subtracted, to make them so (they are *biased*), and
/// subtracted from unsigned elements of B.
struct DotBytes : IntegerSums {
  static constexpr int bits = 8, count = 1;
  static constexpr uint32_t bias = 0x80808080u;
  static bool isBiasedA(uint32_t flags) {
    return bool(flags & kWgmmaOtherA) != kDotSignedA;
  }
  static Row rows(U32<16> x, int, uint32_t flags) {
    return isBiasedA(flags) ? x ^ bias : x;
  }
  static void columns(uint32_t *to, U32<8> x, uint32_t flags) {
    *(U32<8> *)to = flags & kWgmmaOtherB ? x : x ^ bias;
  }
};
#endif

#if PTXJIT_MATRIX_PRODUCTS
struct FastBf16Type : HalfPairs {
  static constexpr RowOrder order = RowOrder::Paired;
  static Sum add(Sum sum, Row a, U32<4> b) { return addHalfMatrix(sum, a, b); }
};
struct DotBytesType : DotBytes {
  static constexpr RowOrder order = RowOrder::Paired;
  static Sum add(Sum sum, Row a, U32<4> b) { return addByteMatrix(sum, a, b); }
};
// For a dense A. A sparse one leaves out single elements.
struct DenseHalfType : HalfPairs {
  static constexpr RowOrder order = RowOrder::Halves;
  template <typename Lane> static Sum add(Sum sum, Row a, Lane b) {
    return addF16(sum, a, b);
  }
};
struct DenseBf16Type : HalfPairs {
  template <typename Lane> static Sum add(Sum sum, Row a, Lane b) {
    return addBf16(sum, a, b);
  }
};
#else
using DenseHalfType = HalfType;
using DenseBf16Type = Bf16Type;
#if PTXJIT_FAST_PRODUCTS
struct FastBf16Type : HalfPairs {
  static Sum add(Sum sum, Row a, Element b) {
    return addHalves(sum, a, U32<16>(b));
  }
};
#endif
#if PTXJIT_DOT_PRODUCTS
struct DotBytesType : DotBytes {
  static Sum add(Sum sum, Row a, Element b) {
    return addBytes(sum, a, U32<16>(b));
  }
};
#else
struct DotBytesType;
#endif
#endif

template <typename T, typename U> constexpr bool isSame = __is_same(T, U);

//===----------------------------------------------------------------------===//
// Multiplication
//===----------------------------------------------------------------------===//

/// Warps and columns whose sums are in vector registers at the same time.
#if defined(__AVX512F__)
template <int Warps> constexpr int warpsAtOnce() { return Warps; }
template <int Warps> constexpr int columnsAtOnce() {
  return Warps == 1 ? 8 : 4;
}
#else
template <int> constexpr int warpsAtOnce() { return 1; }
template <int> constexpr int columnsAtOnce() { return 4; }
#endif

/// A run of multiplications with elements of type `T`, for `Warps` warps.
template <typename T, bool Sparse, int Warps> class Multiplication {
  using Sum = typename T::Sum;
  using Row = typename T::Row;
  using Element = typename T::Element;
  static constexpr bool isDot = isSame<T, DotBytesType>;
  static constexpr int dwords = Sparse ? 16 : 8; ///< of k, in an instruction
  static constexpr int stepsEach = dwords * T::count;
  /// Elements of B may follow each other along n.
  static constexpr bool hasLayouts = T::bits == 16;

public:
  explicit Multiplication(const Run &run)
      : run(run), first(run.entry(0, 0)), steps(run.count * stepsEach) {
    static_assert(stepsEach <= kMostSteps);
    for (int warp = 0; warp < Warps; ++warp)
      sums[warp] = (Sum *)run.entry(warp, 0).sums;
  }

  void go() {
    for (int i = 0; i < run.count; ++i) {
      const Entry &entry = run.entry(0, i);
      piecesOfB[i].open(entry.shared,
                        SharedMatrix(entry.b, entry.has(kWgmmaAlongN)));
    }
    for (int i = 0; i < run.count; ++i) {
      const Entry &entry = run.entry(0, i);
      Pieces<16> piecesOfA;
      if (!entry.hasRegisters)
        piecesOfA.open(entry.shared,
                       SharedMatrix(entry.a, entry.has(kWgmmaAlongM)));
      for (int warp = 0; warp < Warps; ++warp)
        makeImageA(i, warp, piecesOfA);
    }
    if constexpr (isDot)
      sumRows();
    if constexpr (T::order != RowOrder::Plain)
      arrangeImageA();
    if constexpr (hasLayouts) {
      if (first.has(kWgmmaAlongN)) {
        multiplyColumns<true>();
        return;
      }
    }
    multiplyColumns<false>();
  }

private:
  void makeImageA(int i, int warp, Pieces<16> &pieces);
  void makeImageB(int i, uint32_t column);
  void makeImageAlongN(int i, uint32_t column);
  void sumRows();
  void sumColumns();
  void arrangeImageA();
  template <bool AlongN, int C>
  void addSteps(Sum (&sums)[C], int warp, const Element *const *columns);
  template <bool AlongN> void multiplyColumns();
  template <bool AlongN> void multiply(int warp, int column, int c);

  const Run &run;
  const Entry &first;
  int steps;
  Sum *sums[Warps];
  Pieces<2 * dwords> piecesOfB[kMostSteps / stepsEach];
  Row a[kMostSteps * Warps];
  /// All ones for the elements that a sparse A has.
  I32<16> kept[Sparse && T::signs ? kMostSteps * Warps : 1];
  alignas(64) Element b[8 * kMostSteps];
  /// What a biased A or B adds too much to each sum: by row, and by column.
  I32<16> rowExcess[isDot ? Warps : 1];
  int32_t columnExcess[isDot ? 8 : 1];
};

template <typename T, bool Sparse, int Warps>
void Multiplication<T, Sparse, Warps>::makeImageA(int i, int warp,
                                                  Pieces<16> &pieces) {
  const Entry &entry = run.entry(warp, i);
  U32<16> rows[16];
  readRows(rows, entry, pieces, run.firstWarp + warp);
  U32<16> dense[16], keptBits[16];
  if constexpr (Sparse) {
    expandRows<T::bits>(dense, rows, entry);
    if constexpr (T::signs != 0) {
      U32<16> ones[8];
      for (U32<16> &x : ones)
        x = ~0u;
      expandRows<T::bits>(keptBits, ones, entry);
    }
  }
  const U32<16> *from = Sparse ? dense : rows;
  U32<16> flip = entry.has(kWgmmaNegates) ? T::signs : 0;
  int step = i * stepsEach;
  for (int d = 0; d < dwords; ++d)
    for (int e = 0; e < T::count; ++e, ++step) {
      Row row = T::rows(from[d], e, entry.flags);
      a[step * Warps + warp] =
          __builtin_bit_cast(Row, __builtin_bit_cast(U32<16>, row) ^ flip);
      if constexpr (Sparse && T::signs != 0)
        kept[step * Warps + warp] =
            (keptBits[d] >> uint32_t(e * T::bits) & 1u) != 0u;
    }
}

template <typename T, bool Sparse, int Warps>
void Multiplication<T, Sparse, Warps>::makeImageB(int i, uint32_t column) {
  uint32_t flags = run.entry(0, i).flags;
  Pieces<2 * dwords> &pieces = piecesOfB[i];
  pieces.goTo(column / 8);
#pragma clang loop unroll(full)
  for (int c = 0; c < 8; ++c) {
    Element *to = b + c * steps + i * stepsEach;
    for (int d = 0; d < dwords; d += 8) {
      U32<8> x;
      int piece = (c * dwords + d) / 4;
      x.lo = pieces.template load<U32<4>>(piece);
      x.hi = pieces.template load<U32<4>>(piece + 1);
      T::columns(to + d * T::count, x, flags);
    }
  }
}

/// For elements of 16 bits that follow each other along n.
template <typename T, bool Sparse, int Warps>
void Multiplication<T, Sparse, Warps>::makeImageAlongN(int i, uint32_t column) {
  Pieces<2 * dwords> &pieces = piecesOfB[i];
  pieces.goTo(column / 8);
  Element *to = b + 8 * i * stepsEach;
  auto elements = [&](int k) {
    return pieces.template load<Vec<uint16_t, 8>>(k);
  };
  if constexpr (isSame<T, HalfType> || isSame<T, Bf16Type>) {
#pragma clang loop unroll(full)
    for (int k = 0; k < 2 * dwords; ++k)
      *(F32<8> *)(to + 8 * k) = T::alongN(elements(k));
  } else {
#pragma clang loop unroll(full)
    for (int k = 0; k < 2 * dwords; k += 2)
      *(U32<8> *)(to + 4 * k) = __builtin_convertvector(elements(k), U32<8>) |
                                __builtin_convertvector(elements(k + 1), U32<8>)
                                    << 16;
  }
}

#if PTXJIT_DOT_PRODUCTS
/// With A = A' + a and B = B' + b, where `a` and `b` are 128, -128 or 0, the
/// sum of A * B is that of A' * B', plus `b` times the sum of A, plus `a` times
/// the sum of B'.
template <typename T, bool Sparse, int Warps>
void Multiplication<T, Sparse, Warps>::sumRows() {
  bool biasedA = T::isBiasedA(first.flags), biasedB = !first.has(kWgmmaOtherB);
  constexpr int bias = kDotSignedA ? 128 : -128;
  for (int warp = 0; warp < Warps; ++warp) {
    I32<16> sum = biasedA ? bias * 4 * steps : 0;
    for (int step = 0; step < steps && biasedB; ++step)
      sum = addBytes(sum, a[step * Warps + warp], U32<16>(0x01010101u));
    rowExcess[warp] = biasedB ? sum * -128 : I32<16>(0);
  }
}
template <typename T, bool Sparse, int Warps>
void Multiplication<T, Sparse, Warps>::sumColumns() {
  bool biasedA = T::isBiasedA(first.flags);
  for (int c = 0; c < 8; ++c) {
    I32<8> sum = 0;
    for (int step = 0; step < steps && biasedA; step += 8)
      sum = addBytes(sum, U32<8>(T::bias),
                     *(const U32<8> *)(b + c * steps + step));
    columnExcess[c] = __builtin_reduce_add(sum);
  }
}
#endif

template <typename T, bool Sparse, int Warps>
void Multiplication<T, Sparse, Warps>::arrangeImageA() {
  for (int step = 0; step < steps; step += 2)
    for (int warp = 0; warp < Warps; ++warp)
      arrangeRows<T::order, 16>(a[step * Warps + warp],
                                a[(step + 1) * Warps + warp]);
}

/// Adds the products of the rows of a warp, for CPUs that take elements of B
/// from lanes.
template <typename T, bool Sparse, int Warps>
template <bool AlongN, int C>
inline void
Multiplication<T, Sparse, Warps>::addSteps(Sum (&sums)[C], int warp,
                                           const Element *const *columns) {
  static_assert(C == 4);
  if constexpr (T::order == RowOrder::Paired)
    pairSums(sums);
#pragma clang loop unroll(disable)
  for (int step = 0; step < steps; step += 4) {
    const Row *rows = a + step * Warps + warp;
    Vec<Element, 4> four[4];
    for (int i = 0; i < 4; ++i)
      four[i] = *(const Vec<Element, 4> *)(AlongN ? columns[0] + 8 * (step + i)
                                                  : columns[i] + step);
    if constexpr (T::order == RowOrder::Paired)
      addPaired<AlongN>(sums, rows, Warps, four, T::add);
    else
      forLanes<AlongN>(four, [&](auto i, auto n, auto y) {
        Sum next = T::add(sums[n.value], rows[i.value * Warps], y);
        if constexpr (Sparse && T::signs != 0)
          next = choose<16>(kept[(step + i.value) * Warps + warp], next,
                            sums[n.value]);
        sums[n.value] = next;
      });
  }
  if constexpr (T::order == RowOrder::Paired)
    separateSums(sums);
}

template <typename T, bool Sparse, int Warps>
template <bool AlongN>
inline void Multiplication<T, Sparse, Warps>::multiplyColumns() {
  uint32_t end = run.firstColumn + run.columns;
  for (uint32_t column = run.firstColumn; column < end; column += 8) {
    for (int i = 0; i < run.count; ++i) {
      if constexpr (AlongN)
        makeImageAlongN(i, column);
      else
        makeImageB(i, column);
    }
    if constexpr (isDot)
      sumColumns();
    for (int warp = 0; warp < Warps; warp += warpsAtOnce<Warps>())
      for (int c = 0; c < 8; c += columnsAtOnce<Warps>())
        multiply<AlongN>(warp, int(column), c);
  }
}

/// Multiplies for columns `column` + `c` on, which are in the image of B from
/// column `c` on. The image has 8 columns for each step if elements follow each
/// other along n, else all steps of each column.
template <typename T, bool Sparse, int Warps>
template <bool AlongN>
inline void Multiplication<T, Sparse, Warps>::multiply(int warp, int column,
                                                       int c) {
  constexpr int V = warpsAtOnce<Warps>(), C = columnsAtOnce<Warps>();
  bool accumulates = first.has(kWgmmaAccumulates);
  // Saturating sums are added to D at the end.
  bool startsAtZero = !accumulates || first.has(kWgmmaSaturates);
  Sum *to[V];
  for (int v = 0; v < V; ++v)
    to[v] = sums[warp + v] + column + c;
  Sum all[V][C];
#pragma clang loop unroll(full)
  for (int v = 0; v < V; ++v)
#pragma clang loop unroll(full)
    for (int n = 0; n < C; ++n) {
      all[v][n] = startsAtZero ? Sum(0) : to[v][n];
      if constexpr (isDot)
        all[v][n] -= rowExcess[warp + v] + columnExcess[c + n];
    }
  // Fetches the next sums early: those of a warpgroup exceed the nearest cache.
#pragma clang loop unroll(full)
  for (int v = 0; v < V; ++v)
#pragma clang loop unroll(full)
    for (int n = 0; n < C; ++n)
      __builtin_prefetch(to[v] + C + n, 1);
  const Row *rows = a + warp;
  const Element *columns[C];
  for (int n = 0; n < C; ++n)
    columns[n] = b + (c + n) * (AlongN ? 1 : steps);
  if constexpr (kTakesLanes) {
    for (int v = 0; v < V; ++v)
      addSteps<AlongN>(all[v], warp + v, columns);
  } else {
#pragma clang loop unroll_count(4)
    for (int step = 0; step < steps; ++step) {
      Row x[V];
#pragma clang loop unroll(full)
      for (int v = 0; v < V; ++v)
        x[v] = rows[step * Warps + v];
#pragma clang loop unroll(full)
      for (int n = 0; n < C; ++n) {
        Element y = columns[n][AlongN ? 8 * step : step];
#pragma clang loop unroll(full)
        for (int v = 0; v < V; ++v) {
          Sum next = T::add(all[v][n], x[v], y);
          if constexpr (Sparse && T::signs != 0)
            next = choose<16>(kept[step * Warps + warp + v], next, all[v][n]);
          all[v][n] = next;
        }
      }
    }
  }
  auto store = [&](auto finish) __attribute__((always_inline)) {
#pragma clang loop unroll(full)
    for (int v = 0; v < V; ++v)
#pragma clang loop unroll(full)
      for (int n = 0; n < C; ++n)
        to[v][n] = finish(all[v][n], to[v][n]);
  };
  if constexpr (isSame<Sum, I32<16>>) {
    if (first.has(kWgmmaSaturates)) {
      store([&](Sum sum, Sum before) {
        return __builtin_elementwise_add_sat(accumulates ? before : Sum(0),
                                             sum);
      });
      return;
    }
  } else if (first.has(kWgmmaHalfSums)) {
    store([](Sum sum, Sum) { return roundToHalf(sum); });
    return;
  }
  store([](Sum sum, Sum) { return sum; });
}

template <typename T, bool Sparse, int Warps>
__attribute__((noinline)) void multiplyPart(const Run &part) {
  Multiplication<T, Sparse, Warps>(part).go();
}
template <typename T, bool Sparse> void multiplyRun(const Run *run) {
  constexpr int most = kMostSteps / ((Sparse ? 16 : 8) * T::count);
  forEachPart(*run, most, [](const Run &part) {
    if (part.warps == 4)
      multiplyPart<T, Sparse, 4>(part);
    else
      multiplyPart<T, Sparse, 1>(part);
  });
}

//===----------------------------------------------------------------------===//
// Queues
//===----------------------------------------------------------------------===//

/// Whether `next`, which adds to the same sums, can be part of a run that
/// `first` begins.
inline bool continues(const Entry &first, const Entry &next) {
  constexpr uint32_t mayDiffer =
      kWgmmaAccumulates | kWgmmaNegates | kWgmmaAlongM | kWgmmaSelector;
  return next.kernel == first.kernel && next.columns == first.columns &&
         next.has(kWgmmaAccumulates) &&
         ((next.flags ^ first.flags) & ~mayDiffer) == 0 &&
         !(first.flags & (kWgmmaSaturates | kWgmmaHalfSums));
}

/// Runs all multiplications of the queues, which have the same entries but for
/// sums, registers and metadata.
inline void drain(Queue *const *queues, int warps, int firstWarp) {
  const Queue &queue = *queues[0];
  bool done[kWgmmaEntries] = {};
  for (uint32_t i = 0; i < queue.count; ++i) {
    if (done[i])
      continue;
    const Entry &first = queue.entries[i];
    Run run{queues, warps, firstWarp, 0, first.columns, 0, {}};
    for (uint32_t j = i; j < queue.count; ++j) {
      const Entry &entry = queue.entries[j];
      if (done[j] || entry.sums != first.sums)
        continue;
      if (j != i && !continues(first, entry))
        break;
      run.indices[run.count++] = uint8_t(j);
      done[j] = true;
    }
    first.kernel(&run);
  }
  for (int warp = 0; warp < warps; ++warp)
    queues[warp]->count = 0;
}

/// Whether the warps of a warpgroup have issued the same multiplications.
inline bool areAlike(Queue *const *queues) {
  for (int warp = 1; warp < 4; ++warp) {
    if (queues[warp]->count != queues[0]->count)
      return false;
    for (uint32_t i = 0; i < queues[0]->count; ++i) {
      const Entry &x = queues[0]->entries[i], &y = queues[warp]->entries[i];
      if (x.kernel != y.kernel || x.flags != y.flags || x.a != y.a ||
          x.b != y.b || x.columns != y.columns)
        return false;
    }
  }
  return true;
}

/// The end of a matrix of the entry that exceeds shared memory; else 0.
inline uint64_t findOutside(const Entry &entry, uint32_t sharedEnd) {
  if (!entry.hasRegisters) {
    SharedMatrix a(entry.a, entry.has(kWgmmaAlongM));
    if (a.end(64, 32) > sharedEnd)
      return a.end(64, 32);
  }
  uint32_t bytes = entry.has(kWgmmaSparse) ? 64 : 32;
  SharedMatrix b(entry.b, entry.has(kWgmmaAlongN));
  uint64_t end = b.end(entry.columns, bytes);
  return end > sharedEnd ? end : 0;
}

} // namespace

//===----------------------------------------------------------------------===//
// The functions
//===----------------------------------------------------------------------===//

// Puts a multiplication into the queue, which has room for it. `registers` are
// the four of A, or null; `metadata` is null for a dense A. `shared` is address
// 0 of shared memory, which ends at `sharedEnd`.
PTXJIT_EXPORT void ptxjit_wgmma_issue(Queue *queue, Kernel kernel, char *sums,
                                      const char *shared, uint32_t sharedEnd,
                                      const U32<32> *registers, uint64_t a,
                                      uint64_t b, const U32<32> *metadata,
                                      uint32_t flags, uint32_t columns) {
  Entry &entry = queue->entries[queue->count++];
  entry.kernel = kernel;
  entry.sums = sums;
  entry.shared = shared;
  entry.a = a;
  entry.b = b;
  entry.flags = flags;
  entry.columns = columns;
  entry.hasRegisters = registers != nullptr;
  for (int i = 0; i < 4 && registers; ++i)
    entry.registers[i] = registers[i];
  if (metadata)
    entry.metadata = *metadata;
  queue->outside = findOutside(entry, sharedEnd);
}

// Runs the multiplications of one warp, whose number in the warpgroup is
// `warp`.
PTXJIT_EXPORT void ptxjit_wgmma_settle(Queue *queue, int warp) {
  if (queue->count)
    drain(&queue, 1, warp);
}

// Runs the multiplications of the warps of a warpgroup, mostly four.
PTXJIT_EXPORT void ptxjit_wgmma_run(Queue *const *queues, int warps) {
  if (warps == 4 && areAlike(queues)) {
    drain(queues, 4, 0);
    return;
  }
  for (int warp = 0; warp < warps; ++warp)
    ptxjit_wgmma_settle(queues[warp], warp);
}

#define PTXJIT_KERNEL(name, Type, SparseType)                                  \
  PTXJIT_EXPORT void ptxjit_wgmma_##name(const void *run) {                    \
    multiplyRun<Type, false>((const Run *)run);                                \
  }                                                                            \
  PTXJIT_EXPORT void ptxjit_wgmma_sparse_##name(const void *run) {             \
    multiplyRun<SparseType, true>((const Run *)run);                           \
  }
PTXJIT_KERNEL(f16, DenseHalfType, HalfType)
PTXJIT_KERNEL(bf16, DenseBf16Type, Bf16Type)
PTXJIT_KERNEL(tf32, Tf32Type, Tf32Type)
PTXJIT_KERNEL(fp8, Fp8Type, Fp8Type)
PTXJIT_KERNEL(bytes, BytePairsType, BytePairsType)
PTXJIT_EXPORT void ptxjit_wgmma_bits(const void *run) {
  multiplyRun<BitsType, false>((const Run *)run);
}
#if PTXJIT_DOT_PRODUCTS
PTXJIT_KERNEL(dot_bytes, DotBytesType, DotBytesType)
#endif
#if PTXJIT_FAST_PRODUCTS
PTXJIT_EXPORT void ptxjit_wgmma_fast_bf16(const void *run) {
  multiplyRun<FastBf16Type, false>((const Run *)run);
}
#endif

#define PTXJIT_WGMMA_FUNCTION(name, signature)                                 \
  static_assert(hasSignature(&ptxjit_wgmma_##name, signature));
#if PTXJIT_DOT_PRODUCTS
#define PTXJIT_WGMMA_DOT_FUNCTION(name, signature)                             \
  PTXJIT_WGMMA_FUNCTION(name, signature)
#endif
#if PTXJIT_FAST_PRODUCTS
#define PTXJIT_WGMMA_FAST_FUNCTION(name, signature)                            \
  PTXJIT_WGMMA_FUNCTION(name, signature)
#endif
#include "ptxjit/Device/Functions.def"
