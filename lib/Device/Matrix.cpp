//===- Matrix.cpp - functions of matrix instructions ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A multiplication works on a tile of R (8 or 16) rows by 8 columns. It is
// called, not inlined, and its operands are in memory:
//
// - A *register* holds 32 lanes, 128 bytes (256 for f64). Lane 4 * g + t of a
//   register of A holds dword t of row g. So a register holds 4 dwords of 8
//   rows: one *block* of k. Registers of B hold columns in the same way.
// - The *image* of A holds, for each step through k, the elements of the R rows
//   side by side. A step is one element, or for integers a pair or a dword of
//   them. The image of B holds its registers once for each element of a dword
//   (a *plane*).
// - The *home* of an accumulator holds 8 columns of R rows. Behind integers it
//   also holds the excess of each column (excessOf).
//
// So a step multiplies a vector of R rows by broadcast elements of B, for 8
// columns. Floats are added in the order of k, so that results do not depend on
// the CPU.
//
//===----------------------------------------------------------------------===//

#include "ColumnSteps.h"

using namespace ptxjit::device;

namespace {

//===----------------------------------------------------------------------===//
// Images
//===----------------------------------------------------------------------===//

template <typename E, int R, int T, typename To, typename Register>
inline To *writeStep(To *image, const Register *registers) {
  auto rows = rowsOf<R, T>(registers);
  for (int e = 0; e < E::count; ++e)
    *image++ = E::template get<R>(rows, e);
  return image;
}

template <typename E, int R, typename To, typename Register>
inline void makeImageA(To *image, const Register *registers, int blocks) {
  for (int block = 0; block < blocks; ++block, registers += R / 8) {
    image = writeStep<E, R, 0>(image, registers);
    image = writeStep<E, R, 1>(image, registers);
    image = writeStep<E, R, 2>(image, registers);
    image = writeStep<E, R, 3>(image, registers);
  }
}

template <typename E, typename To, typename Register>
inline void makeImageB(To *image, const Register *registers, int blocks) {
  for (int e = 0; e < E::count; ++e)
    for (int block = 0; block < blocks; ++block)
      image[e * blocks + block] = E::template get<32>(registers[block], e);
}

//===----------------------------------------------------------------------===//
// Accumulators
//===----------------------------------------------------------------------===//

/// Moves registers of C to their home. Lane 4 * g + t holds two columns of row
/// g, 2 * t and the next one, in two registers (for f16, in the halves of one).
/// Rows 8 to 15 are in further registers.
template <int R, typename V, typename Home>
inline void enterPair(Home *home, const V *even, const V *odd) {
  const V evens[2] = {even[0], even[R == 16 ? 2 : 0]};
  const V odds[2] = {odd[0], odd[R == 16 ? 2 : 0]};
  home[0] = rowsOf<R, 0>(evens);
  home[1] = rowsOf<R, 0>(odds);
  home[2] = rowsOf<R, 1>(evens);
  home[3] = rowsOf<R, 1>(odds);
  home[4] = rowsOf<R, 2>(evens);
  home[5] = rowsOf<R, 2>(odds);
  home[6] = rowsOf<R, 3>(evens);
  home[7] = rowsOf<R, 3>(odds);
}

/// Interleaves four columns to lanes 4 * g + t, row after row.
template <int R, typename V> inline auto lanesOf(const V *home, int first) {
  auto low = interleave(home[first], home[first + 4]);
  auto high = interleave(home[first + 2], home[first + 6]);
  return interleave(low, high);
}

template <int R, typename V, typename Register>
inline void leavePair(Register *registers, const V *home) {
  for (int j = 0; j < 2; ++j) {
    auto all = lanesOf<R>(home, j);
    registers[j] = pick<32, [](int i) { return i; }>(all, all);
    if constexpr (R == 16)
      registers[2 + j] = pick<32, [](int i) { return 32 + i; }>(all, all);
  }
}

template <int R> inline void enterHalves(F32<R> *home, const Lanes *registers) {
  F32<32> pairs[4];
  for (int i = 0; i < R / 8; ++i)
    for (int e = 0; e < 2; ++e)
      pairs[2 * i + e] = HalfElements::get<32>(registers[i], e);
  enterPair<R>(home, pairs, pairs + 1);
}

/// ISA: NaN results are 0x7fffffff, or +0 with the old `.satfinite`.
template <int R>
inline void cleanNumbers(F32<R> *out, const F32<R> *home, bool saturates) {
  for (int n = 0; n < 8; ++n) {
    F32<R> x = home[n];
    I32<R> isNaN = x != x;
    out[n] = choose<R>(isNaN, fromBits<R>(saturates ? 0 : 0x7fffffffu), x);
  }
}

/// Clamps to [-most, most], so that infinities become the largest number.
template <typename V> inline V limit(V x, float most) {
  x = __builtin_elementwise_min(x, V(most));
  return __builtin_elementwise_max(x, V(-most));
}

template <int R>
inline void leaveFloats(F32<32> *registers, const F32<R> *home,
                        bool saturates) {
  F32<R> clean[8];
  cleanNumbers<R>(clean, home, saturates);
  if (saturates)
    for (F32<R> &column : clean)
      column = limit(column, 0x1.fffffep127f);
  leavePair<R>(registers, clean);
}

template <int R>
inline void leaveHalves(Lanes *registers, const F32<R> *home, bool saturates) {
  F32<R> clean[8];
  cleanNumbers<R>(clean, home, saturates);
  if (saturates)
    for (F32<R> &column : clean)
      column = limit(column, 65504.0f);
  F32<32> pairs[4];
  leavePair<R>(pairs, clean);
  for (int i = 0; i < R / 8; ++i) {
    Lanes bits[2];
    for (int e = 0; e < 2; ++e) {
      F32<32> x = pairs[2 * i + e];
      auto half = __builtin_convertvector(x, Vec<_Float16, 32>);
      bits[e] = __builtin_convertvector(
          __builtin_bit_cast(Vec<uint16_t, 32>, half), Lanes);
      bits[e] =
          Lanes(I32<32>(x != x)) & 0x7fffu | ~Lanes(I32<32>(x != x)) & bits[e];
    }
    registers[i] = bits[0] | bits[1] << 16;
  }
}

/// Integer homes store the *excess* of each column, by which its sums are too
/// large. Subtracting it once, when sums leave, is cheaper than in every
/// multiplication.
template <int R> inline I32<8> &excessOf(I32<R> *home) {
  return *(I32<8> *)(home + 8);
}
template <int R> inline void settle(I32<R> *out, I32<R> *home) {
  I32<8> excess = excessOf<R>(home);
  for (int n = 0; n < 8; ++n)
    out[n] = home[n] - excess[n];
}

/// Rounds an f16 accumulator that stays in its home.
template <int R> inline void roundHalves(F32<R> *home) {
  for (int n = 0; n < 8; ++n)
    home[n] = __builtin_convertvector(
        __builtin_convertvector(home[n], Vec<_Float16, R>), F32<R>);
}

//===----------------------------------------------------------------------===//
// Multiplications
//===----------------------------------------------------------------------===//

/// Columns of one pass, chosen so that their sums stay in registers.
template <int R> constexpr int columnsAtOnce() {
#if defined(__AVX512F__)
  return 8;
#else
  return R == 16 ? 4 : 8;
#endif
}

/// Whether sums of V should be a loop that is not unrolled. LLVM turns an
/// unrolled chain of integer sums into a tree, which needs more registers than
/// AVX2 has.
template <typename V> constexpr bool staysChain() {
#if defined(__AVX512F__)
  return false;
#else
  return __is_integral(__remove_cvref(decltype(V()[0])));
#endif
}

/// Runs sum = step(sum, a, b) for a block of k; see forEachStep. `sums` are
/// those of N columns, `b` is the image from the first one of these on.
template <int Count, int N, typename V, typename A, typename B, typename Step>
inline void stepThroughBlock(V (&sums)[N], const A *rows, const B *b,
                             int blocks, Step step) {
  auto stepsOf = [&](int t) __attribute__((always_inline)) {
#pragma clang loop unroll(full)
    for (int e = 0; e < Count; ++e) {
      A x = *rows++;
      const B *column = b + e * blocks * 32 + t;
#pragma clang loop unroll(full)
      for (int n = 0; n < N; ++n)
        sums[n] = step(sums[n], x, column[4 * n]);
    }
  };
  if constexpr (staysChain<V>()) {
#pragma clang loop unroll(disable)
    for (int t = 0; t < 4; ++t)
      stepsOf(t);
  } else {
#pragma clang loop unroll(full)
    for (int t = 0; t < 4; ++t)
      stepsOf(t);
  }
}
/// The same for CPUs that take elements of `b` from lanes.
template <int Count, int N, typename V, typename A, typename B, typename Step>
inline void stepThroughLanes(V (&sums)[N], const A *rows, const B *b,
                             int blocks, Step step) {
  repeat<4>([&]<int T>(Constant<T>) __attribute__((always_inline)) {
#pragma clang loop unroll(full)
    for (int e = 0; e < Count; ++e) {
      A x = *rows++;
      auto *columns = (const Vec<B, 4> *)(b + e * blocks * 32);
#pragma clang loop unroll(full)
      for (int n = 0; n < N; ++n)
        sums[n] = step(sums[n], x, Lane<B, T>{columns[n]});
    }
  });
}

/// Runs sum = step(sum, a, b) for `blocks` blocks of k, with `Count` elements
/// in each dword; `a` is a vector of rows, `b` one element of B.
template <int R, int Count, typename V, typename A, typename B, typename Step>
inline void forEachStep(V *home, const A *a, const B *b, int blocks,
                        Step step) {
  constexpr int N = columnsAtOnce<R>();
  for (int first = 0; first < 8; first += N) {
    V sums[N];
    for (int n = 0; n < N; ++n)
      sums[n] = home[first + n];
    for (int block = 0; block < blocks; ++block) {
      const A *rows = a + 4 * Count * block;
      const B *columns = b + 32 * block + 4 * first;
      if constexpr (kTakesLanes)
        stepThroughLanes<Count>(sums, rows, columns, blocks, step);
      else
        stepThroughBlock<Count>(sums, rows, columns, blocks, step);
    }
    for (int n = 0; n < N; ++n)
      home[first + n] = sums[n];
  }
}

template <int R, int Count>
inline void multiplyFloats(F32<R> *home, const F32<R> *a, const float *b,
                           int blocks) {
  forEachStep<R, Count>(home, a, b, blocks, [](F32<R> sum, F32<R> x, float y) {
    return __builtin_elementwise_fma(x, F32<R>(y), sum);
  });
}

template <int R>
inline void multiplyDoubles(F64<R> *home, const F64<R> *a, const double *b,
                            int blocks) {
  forEachStep<R, 1>(home, a, b, blocks, [](F64<R> sum, F64<R> x, double y) {
    return __builtin_elementwise_fma(x, F64<R>(y), sum);
  });
}

/// Integers: the sum of products is exact before it is added to C; then it
/// wraps or saturates. `excess` is what this multiplication adds too much to
/// each column; add(sums) adds the products to 8 columns.
template <int R, typename Add>
inline void multiplyIntegers(I32<R> *home, bool saturates, I32<8> excess,
                             Add add) {
  if (!saturates) {
    excessOf<R>(home) += excess;
    add(home);
    return;
  }
  settle<R>(home, home);
  excessOf<R>(home) = 0;
  I32<R> sums[8];
  for (int n = 0; n < 8; ++n)
    sums[n] = -excess[n];
  add(sums);
  for (int n = 0; n < 8; ++n)
    home[n] = __builtin_elementwise_add_sat(home[n], sums[n]);
}

template <int R, int Count>
inline void multiplyPairs(I32<R> *home, const U32<R> *a, const uint32_t *b,
                          int blocks, bool saturates) {
  multiplyIntegers<R>(home, saturates, 0, [&](I32<R> *sums) {
    forEachStep<R, Count>(sums, a, b, blocks,
                          [](I32<R> sum, U32<R> x, uint32_t y) {
                            return addPairs(sum, x, U32<R>(y));
                          });
  });
}

template <int R>
inline void multiplyBits(I32<R> *home, const U32<R> *a, const uint32_t *b,
                         int blocks, bool isAnd) {
  if (isAnd)
    forEachStep<R, 1>(home, a, b, blocks, [](I32<R> sum, U32<R> x, uint32_t y) {
      return sum + I32<R>(__builtin_elementwise_popcount(x & U32<R>(y)));
    });
  else
    forEachStep<R, 1>(home, a, b, blocks, [](I32<R> sum, U32<R> x, uint32_t y) {
      return sum + I32<R>(__builtin_elementwise_popcount(x ^ U32<R>(y)));
    });
}

#if PTXJIT_DOT_PRODUCTS
/// Makes the image of signed bytes of B. If `isBiased`, stores behind it the
/// excess that BiasedElements of A cause, else 0: each column's sum times 128,
/// or -128 if they are signed.
inline void makeBiasedImageB(Lanes *image, const Lanes *registers, int blocks,
                             bool isBiased) {
  makeImageB<RawElements>(image, registers, blocks);
  I32<16> low = 0, high = 0;
  for (int block = 0; block < blocks && isBiased; ++block) {
    low = addBytes(low, U32<16>(0x80808080u), registers[block].lo);
    high = addBytes(high, U32<16>(0x80808080u), registers[block].hi);
  }
  I32<32> sums = pick<32, [](int i) { return i; }>(low, high);
  *(I32<8> *)(image + blocks) = rowsOf<8, 0>(&sums) + rowsOf<8, 1>(&sums) +
                                rowsOf<8, 2>(&sums) + rowsOf<8, 3>(&sums);
}

#endif

#if PTXJIT_MATRIX_PRODUCTS
constexpr RowOrder kDotOrder = RowOrder::Paired;

/// Adds the products of all dwords to 8 columns; `add` is one of addPaired.
template <int R, typename V, typename Add>
inline void addDots(V *home, const U32<R> *a, const uint32_t *b, int blocks,
                    Add add) {
  constexpr int N = columnsAtOnce<R>();
  for (int first = 0; first < 8; first += N) {
    V sums[N];
    for (int n = 0; n < N; ++n)
      sums[n] = home[first + n];
    pairSums(sums);
    for (int block = 0; block < blocks; ++block)
      addPaired</*Across=*/false>(sums, a + 4 * block, 1,
                                  (const U32<4> *)(b + 32 * block) + first,
                                  add);
    separateSums(sums);
    for (int n = 0; n < N; ++n)
      home[first + n] = sums[n];
  }
}
template <int R>
inline void addByteDots(I32<R> *sums, const U32<R> *a, const uint32_t *b,
                        int blocks) {
  addDots<R>(sums, a, b, blocks, [](I32<R> sum, U32<R> x, U32<4> y) {
    return addByteMatrix(sum, x, y);
  });
}
#elif PTXJIT_DOT_PRODUCTS
constexpr RowOrder kDotOrder = RowOrder::Plain;

template <int R>
inline void addByteDots(I32<R> *sums, const U32<R> *a, const uint32_t *b,
                        int blocks) {
  forEachStep<R, 1>(sums, a, b, blocks, [](I32<R> sum, U32<R> x, uint32_t y) {
    return addBytes(sum, x, U32<R>(y));
  });
}
#endif

template <RowOrder Order, typename E, int R>
inline void makeArrangedImageA(U32<R> *image, const Lanes *registers,
                               int blocks) {
  makeImageA<E, R>(image, registers, blocks);
  for (int step = 0; step < 4 * blocks && Order != RowOrder::Plain; step += 2)
    arrangeRows<Order, R>(image[step], image[step + 1]);
}

#if PTXJIT_DOT_PRODUCTS
/// Multiplies bytes of A, signed as the CPU wants them, by signed bytes of B.
template <int R>
inline void multiplyBytes(I32<R> *home, const U32<R> *a, const uint32_t *b,
                          int blocks, bool saturates) {
  multiplyIntegers<R>(
      home, saturates, *(const I32<8> *)(b + 32 * blocks),
      [&](I32<R> *sums) { addByteDots<R>(sums, a, b, blocks); });
}
#endif

#if PTXJIT_FAST_PRODUCTS
template <int R>
inline void multiplyFast(F32<R> *home, const U32<R> *a, const uint32_t *b,
                         int blocks) {
#if PTXJIT_MATRIX_PRODUCTS
  addDots<R>(home, a, b, blocks, [](F32<R> sum, U32<R> x, U32<4> y) {
    return addHalfMatrix(sum, x, y);
  });
#else
  forEachStep<R, 1>(home, a, b, blocks, [](F32<R> sum, U32<R> x, uint32_t y) {
    return addHalves(sum, x, U32<R>(y));
  });
#endif
}
#endif

#if PTXJIT_MATRIX_PRODUCTS
template <int R>
inline void multiplyF16(F32<R> *home, const U32<R> *a, const uint32_t *b,
                        int blocks) {
  forEachStep<R, 1>(home, a, b, blocks, [](F32<R> sum, U32<R> x, auto y) {
    return addF16(sum, x, y);
  });
}
template <int R>
inline void multiplyBf16(F32<R> *home, const U32<R> *a, const uint32_t *b,
                         int blocks) {
  forEachStep<R, 1>(home, a, b, blocks, [](F32<R> sum, U32<R> x, auto y) {
    return addBf16(sum, x, y);
  });
}
#endif

//===----------------------------------------------------------------------===//
// Block scales and sparse matrices
//===----------------------------------------------------------------------===//

/// Decodes a scale, ue8m0 or ue4m3; 0xff of ue8m0 is NaN.
inline double scaleOf(uint32_t code, bool isUE4M3) {
  if (isUE4M3)
    return double(E4M3::decode<1>(U32<1>(code & 0x7f))[0]);
  if (code == 0xff)
    return __builtin_nan("");
  uint64_t bits = uint64_t(code - 127 + 1023) << 52;
  return __builtin_bit_cast(double, bits);
}

/// Options of a multiplication with sparse A or block scales.
struct Extras {
  const U32<16> *kept; ///< image: all ones for kept elements; null: all
  const uint32_t *scaleA, *scaleB; ///< registers
  uint32_t scales;                 ///< parts of k with own scales; 0: none
  uint32_t isUE4M3;
  uint32_t byteA, threadA, byteB, threadB;
};

/// Sums each part of k in f32. With scales, multiplies the sum by them and adds
/// it to C in f64, so that the result is rounded once.
template <int Count>
inline void multiplyExtra(F32<16> *home, const F32<16> *a, const float *b,
                          int blocks, const Extras &extras) {
  int parts = extras.scales ? int(extras.scales) : 1;
  int steps = blocks * 4 * Count / parts;
  for (int n = 0; n < 8; ++n) {
    F64<16> total = __builtin_convertvector(home[n], F64<16>);
    F32<16> sum = home[n];
    for (int part = 0; part < parts; ++part) {
      if (extras.scales)
        sum = 0;
      for (int step = part * steps; step < (part + 1) * steps; ++step) {
        int e = step % Count, t = step / Count % 4, block = step / Count / 4;
        float y = b[(e * blocks + block) * 32 + 4 * n + t];
        F32<16> next = __builtin_elementwise_fma(a[step], F32<16>(y), sum);
        sum = extras.kept ? choose<16>(I32<16>(extras.kept[step]), next, sum)
                          : next;
      }
      if (!extras.scales)
        continue;
      uint32_t shiftA = 8 * (extras.byteA + uint32_t(part));
      uint32_t shiftB = 8 * (extras.byteB + uint32_t(part));
      double factorB =
          scaleOf(extras.scaleB[4 * n + int(extras.threadB)] >> shiftB & 0xff,
                  extras.isUE4M3);
      F64<16> factor;
      for (int row = 0; row < 16; ++row) {
        int lane = 4 * (row % 8) + 2 * int(extras.threadA) + row / 8;
        factor[row] =
            scaleOf(extras.scaleA[lane] >> shiftA & 0xff, extras.isUE4M3) *
            factorB;
      }
      total += __builtin_convertvector(sum, F64<16>) * factor;
    }
    home[n] = extras.scales ? __builtin_convertvector(total, F32<16>) : sum;
  }
}

enum SparseUnit { kWords, kHalves, kBytes };

/// Returns the 4 bits of metadata of chunk `chunk` of `row`. A chunk is 4
/// elements of a row, or 2 of 32 bits. The lanes: docs/TensorCores.md.
inline uint32_t metadataOf(const uint32_t *metadata, SparseUnit unit,
                           int blocks, int selector, int row, int chunk) {
  int g = row % 8, high = row / 8;
  int lane, bit;
  if (unit != kBytes) {
    // Half a register has 4 chunks of a row. One lane in four holds them, or
    // two do.
    lane = blocks == 1 ? selector : 2 * (selector & 1) + chunk / 4;
    bit = 16 * high + 4 * (chunk % 4);
  } else {
    // A register has 8 chunks of one row. Two lanes in four hold them, or all
    // do.
    lane = blocks == 1 ? 2 * selector + high : high + 2 * (chunk / 8);
    bit = 4 * (chunk % 8);
  }
  return metadata[4 * g + lane] >> bit & 15;
}

/// Expands A to the registers of a dense matrix, twice as many; elements that
/// were not kept are 0.
inline void expandSparse(uint32_t *dense, const uint32_t *compressed,
                         const uint32_t *metadata, SparseUnit unit, int blocks,
                         int selector) {
  for (int row = 0; row < 16; ++row)
    for (int d = 0; d < 4 * blocks; ++d) {
      uint32_t x =
          compressed[(row / 8 + 2 * (d / 4)) * 32 + 4 * (row % 8) + d % 4];
      uint32_t out[2] = {0, 0};
      if (unit == kBytes) {
        for (int half = 0; half < 2; ++half) {
          uint32_t code =
              metadataOf(metadata, unit, blocks, selector, row, 2 * d + half);
          for (int i = 0; i < 2; ++i)
            out[half] |= (x >> (16 * half + 8 * i) & 0xff)
                         << (8 * (code >> (2 * i) & 3));
        }
      } else {
        uint32_t code = metadataOf(metadata, unit, blocks, selector, row, d);
        if (unit == kWords)
          out[code >> 1 & 1] = x;
        else
          for (int i = 0; i < 2; ++i) {
            uint32_t at = code >> (2 * i) & 3;
            out[at / 2] |= (x >> (16 * i) & 0xffff) << (16 * (at % 2));
          }
      }
      for (int i = 0; i < 2; ++i) {
        int w = 2 * d + i;
        dense[(row / 8 + 2 * (w / 4)) * 32 + 4 * (row % 8) + w % 4] = out[i];
      }
    }
}

//===----------------------------------------------------------------------===//
// Moves
//===----------------------------------------------------------------------===//

/// Lanes [first, end): a whole warp, or one thread.
struct LaneRange {
  int first, end;
  bool isWarp() const { return end - first == 32; }
};

template <typename T, bool Store> inline void moveElement(char *at, char *reg) {
  T value;
  __builtin_memcpy(&value, Store ? reg : at, sizeof(T));
  __builtin_memcpy(Store ? at : reg, &value, sizeof(T));
}

/// The layout of a wmma fragment and its matrix in memory. Lane 4 * g + t of a
/// register has `each` elements, from (g, tScale * t) on along the second
/// coordinate. Registers follow each other in blocks of 8 across and of
/// `length` along.
struct Fragment {
  int64_t acrossStride, alongStride; ///< bytes between elements
  int acrossBlocks, alongBlocks;
  int acrossStep, alongStep; ///< registers between blocks
  int each, tScale, length;
};

template <typename T, bool Store>
inline void moveFragment(char *registers, char *matrix, const Fragment &f,
                         LaneRange lanes) {
  int laneBytes = f.each * int(sizeof(T));
  for (int i = 0; i < f.acrossBlocks; ++i)
    for (int j = 0; j < f.alongBlocks; ++j) {
      char *reg =
          registers + 32 * laneBytes * (i * f.acrossStep + j * f.alongStep);
      char *block =
          matrix + 8 * i * f.acrossStride + j * f.length * f.alongStride;
      // The registers have each row's 16 bytes as they are in memory.
      if (lanes.isWarp() && f.alongStride == int(sizeof(T)) &&
          f.tScale == f.each && laneBytes == 4) {
        for (int g = 0; g < 8; ++g)
          moveElement<U32<4>, Store>(block + g * f.acrossStride, reg + 16 * g);
        continue;
      }
      for (int lane = lanes.first; lane < lanes.end; ++lane)
        for (int e = 0; e < f.each; ++e)
          moveElement<T, Store>(block + (lane / 4) * f.acrossStride +
                                    (f.tScale * (lane % 4) + e) * f.alongStride,
                                reg + laneBytes * lane + e * int(sizeof(T)));
    }
}

enum RowKind { kRowsAsTheyAre, kHalvesTransposed, kBytesTransposed };

/// ISA "stmatrix". `addresses` has the addresses of all matrices' rows.
inline void storeRows(char *const *addresses, char *registers, int count,
                      RowKind kind, LaneRange lanes) {
  for (int m = 0; m < count; ++m, addresses += 8, registers += 128) {
    if (kind == kRowsAsTheyAre && lanes.isWarp()) {
      for (int row = 0; row < 8; ++row)
        moveElement<U32<4>, true>(addresses[row], registers + 16 * row);
      continue;
    }
    for (int lane = lanes.first; lane < lanes.end; ++lane) {
      int g = lane / 4, t = lane % 4;
      char *reg = registers + 4 * lane;
      if (kind == kRowsAsTheyAre)
        moveElement<uint32_t, true>(addresses[g] + 4 * t, reg);
      for (int j = 0; j < 2 && kind == kHalvesTransposed; ++j)
        moveElement<uint16_t, true>(addresses[2 * t + j] + 2 * g, reg + 2 * j);
      for (int j = 0; j < 4 && kind == kBytesTransposed; ++j)
        moveElement<char, true>(addresses[2 * t + j % 2] + g + j / 2 * 8,
                                reg + j);
    }
  }
}

//===----------------------------------------------------------------------===//
// m8n8k4
//===----------------------------------------------------------------------===//

inline float halfOf(const uint32_t *registers, int lane, int i) {
  uint32_t bits = registers[32 * (i / 2) + lane] >> (16 * (i % 2));
  return float(__builtin_bit_cast(_Float16, uint16_t(bits)));
}

/// Computes four products of 8 x 4 by 4 x 8 f16, each by lanes 4q to 4q + 3 and
/// 4q + 16 to 4q + 19. The fragments: docs/TensorCores.md.
inline void multiplyQuadPairs(uint32_t *d, const uint32_t *a, const uint32_t *b,
                              const uint32_t *c, bool aIsCol, bool bIsRow,
                              bool cIsHalf, bool dIsHalf) {
  auto laneOf = [](int quad, int index) {
    return 4 * quad + index % 4 + (index >= 4 ? 16 : 0);
  };
  for (int quad = 0; quad < 4; ++quad)
    for (int row = 0; row < 8; ++row)
      for (int col = 0; col < 8; ++col) {
        int halfLane = laneOf(quad, row), halfIndex = col;
        int wordLane = laneOf(quad, (row & 1) + (col & 2) + (row & 4));
        int wordIndex = (col & 4) + (row & 2) + (col & 1);
        float sum =
            cIsHalf ? halfOf(c, halfLane, halfIndex)
                    : __builtin_bit_cast(float, c[32 * wordIndex + wordLane]);
        for (int k = 0; k < 4; ++k) {
          float x = aIsCol ? halfOf(a, laneOf(quad, k + (row & 4)), row % 4)
                           : halfOf(a, laneOf(quad, row), k);
          float y = bIsRow ? halfOf(b, laneOf(quad, k + (col & 4)), col % 4)
                           : halfOf(b, laneOf(quad, col), k);
          sum = __builtin_fmaf(x, y, sum);
        }
        if (dIsHalf) {
          uint16_t half = sum != sum
                              ? uint16_t(0x7fff)
                              : __builtin_bit_cast(uint16_t, _Float16(sum));
          uint16_t *at = (uint16_t *)(d + 32 * (halfIndex / 2) + halfLane);
          at[halfIndex % 2] = half;
        } else {
          d[32 * wordIndex + wordLane] =
              sum != sum ? 0x7fffffffu : __builtin_bit_cast(uint32_t, sum);
        }
      }
}

} // namespace

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

// ptxjit_matrix_a_<elements>_r<R>(image, registers, blocks),
// ptxjit_matrix_b_<elements>(image, registers, blocks)
#define PTXJIT_IMAGE(name, Elements, To, Register)                             \
  PTXJIT_EXPORT void ptxjit_matrix_a_##name##_r8(                              \
      To<8> *image, const Register *registers, int blocks) {                   \
    makeImageA<Elements, 8>(image, registers, blocks);                         \
  }                                                                            \
  PTXJIT_EXPORT void ptxjit_matrix_a_##name##_r16(                             \
      To<16> *image, const Register *registers, int blocks) {                  \
    makeImageA<Elements, 16>(image, registers, blocks);                        \
  }                                                                            \
  PTXJIT_EXPORT void ptxjit_matrix_b_##name(                                   \
      To<32> *image, const Register *registers, int blocks) {                  \
    makeImageB<Elements>(image, registers, blocks);                            \
  }
PTXJIT_IMAGE(f16, HalfElements, F32, Lanes)
PTXJIT_IMAGE(bf16, Bf16Elements, F32, Lanes)
PTXJIT_IMAGE(tf32, Tf32Elements, F32, Lanes)
PTXJIT_IMAGE(e4m3, E4m3Elements, F32, Lanes)
PTXJIT_IMAGE(e5m2, E5m2Elements, F32, Lanes)
PTXJIT_IMAGE(e3m2, E3m2Elements, F32, Lanes)
PTXJIT_IMAGE(e2m3, E2m3Elements, F32, Lanes)
PTXJIT_IMAGE(e2m1, E2m1Elements, F32, Lanes)
PTXJIT_IMAGE(e2m1_packed, NibbleElements, F32, Lanes)
PTXJIT_IMAGE(s8, ByteElements<true>, U32, Lanes)
PTXJIT_IMAGE(u8, ByteElements<false>, U32, Lanes)
PTXJIT_IMAGE(s4, NibblePairs<true>, U32, Lanes)
PTXJIT_IMAGE(u4, NibblePairs<false>, U32, Lanes)
PTXJIT_IMAGE(raw, RawElements, U32, Lanes)
PTXJIT_IMAGE(f64, F64Elements, F64, F64<32>)
PTXJIT_IMAGE(kept_1, MaskElements<1>, U32, Lanes)
PTXJIT_IMAGE(kept_2, MaskElements<2>, U32, Lanes)
PTXJIT_IMAGE(kept_4, MaskElements<4>, U32, Lanes)
PTXJIT_IMAGE(kept_8, MaskElements<8>, U32, Lanes)

// ptxjit_matrix_enter_<type>_r<R>(home, registers),
// ptxjit_matrix_leave_<type>_r<R>(registers, home, saturates),
// ptxjit_matrix_round_f16_r<R>(home),
// ptxjit_matrix_multiply_<kind>_r<R>(home, a, b, blocks, flag)
#define PTXJIT_TILE(R)                                                         \
  PTXJIT_EXPORT void ptxjit_matrix_enter_f32_r##R(F32<R> *home,                \
                                                  const F32<32> *registers) {  \
    enterPair<R>(home, registers, registers + 1);                              \
  }                                                                            \
  PTXJIT_EXPORT void ptxjit_matrix_enter_s32_r##R(I32<R> *home,                \
                                                  const I32<32> *registers) {  \
    enterPair<R>(home, registers, registers + 1);                              \
    excessOf<R>(home) = 0;                                                     \
  }                                                                            \
  PTXJIT_EXPORT void ptxjit_matrix_enter_f64_r##R(F64<R> *home,                \
                                                  const F64<32> *registers) {  \
    enterPair<R>(home, registers, registers + 1);                              \
  }                                                                            \
  PTXJIT_EXPORT void ptxjit_matrix_enter_f16_r##R(F32<R> *home,                \
                                                  const Lanes *registers) {    \
    enterHalves<R>(home, registers);                                           \
  }                                                                            \
  PTXJIT_EXPORT void ptxjit_matrix_leave_f32_r##R(                             \
      F32<32> *registers, const F32<R> *home, int saturates) {                 \
    leaveFloats<R>(registers, home, saturates);                                \
  }                                                                            \
  PTXJIT_EXPORT void ptxjit_matrix_leave_f16_r##R(                             \
      Lanes *registers, const F32<R> *home, int saturates) {                   \
    leaveHalves<R>(registers, home, saturates);                                \
  }                                                                            \
  PTXJIT_EXPORT void ptxjit_matrix_round_f16_r##R(F32<R> *home) {              \
    roundHalves<R>(home);                                                      \
  }                                                                            \
  PTXJIT_EXPORT void ptxjit_matrix_leave_s32_r##R(I32<32> *registers,          \
                                                  I32<R> *home, int) {         \
    I32<R> settled[8];                                                         \
    settle<R>(settled, home);                                                  \
    leavePair<R>(registers, settled);                                          \
  }                                                                            \
  PTXJIT_EXPORT void ptxjit_matrix_leave_f64_r##R(F64<32> *registers,          \
                                                  const F64<R> *home, int) {   \
    leavePair<R>(registers, home);                                             \
  }                                                                            \
  PTXJIT_FLOATS(R, 1)                                                          \
  PTXJIT_FLOATS(R, 2)                                                          \
  PTXJIT_FLOATS(R, 4)                                                          \
  PTXJIT_FLOATS(R, 8)                                                          \
  PTXJIT_PAIRS(R, 2)                                                           \
  PTXJIT_PAIRS(R, 4)                                                           \
  PTXJIT_EXPORT void ptxjit_matrix_multiply_bits_r##R(                         \
      I32<R> *home, const U32<R> *a, const uint32_t *b, int blocks,            \
      int isAnd) {                                                             \
    multiplyBits<R>(home, a, b, blocks, isAnd);                                \
  }                                                                            \
  PTXJIT_EXPORT void ptxjit_matrix_multiply_f64_rn_r##R(                       \
      F64<R> *home, const F64<R> *a, const double *b, int blocks, int) {       \
    multiplyDoubles<R>(home, a, b, blocks);                                    \
  }                                                                            \
  PTXJIT_DIRECTED(R, rz)                                                       \
  PTXJIT_DIRECTED(R, rm)                                                       \
  PTXJIT_DIRECTED(R, rp)

#define PTXJIT_FLOATS(R, Count)                                                \
  PTXJIT_EXPORT void ptxjit_matrix_multiply_floats_##Count##_r##R(             \
      F32<R> *home, const F32<R> *a, const float *b, int blocks, int) {        \
    multiplyFloats<R, Count>(home, a, b, blocks);                              \
  }
#define PTXJIT_PAIRS(R, Count)                                                 \
  PTXJIT_EXPORT void ptxjit_matrix_multiply_pairs_##Count##_r##R(              \
      I32<R> *home, const U32<R> *a, const uint32_t *b, int blocks,            \
      int saturates) {                                                         \
    multiplyPairs<R, Count>(home, a, b, blocks, saturates);                    \
  }
#define PTXJIT_DIRECTED(R, mode)                                               \
  PTXJIT_EXPORT void ptxjit_fma_##mode##_f64_x##R(                             \
      F64<R> *d, const F64<R> *a, const F64<R> *b, const F64<R> *c);           \
  PTXJIT_EXPORT void ptxjit_matrix_multiply_f64_##mode##_r##R(                 \
      F64<R> *home, const F64<R> *a, const double *b, int blocks, int) {       \
    forEachStep<R, 1>(home, a, b, blocks, [](F64<R> sum, F64<R> x, double y) { \
      F64<R> factor = y, d;                                                    \
      ptxjit_fma_##mode##_f64_x##R(&d, &x, &factor, &sum);                     \
      return d;                                                                \
    });                                                                        \
  }
PTXJIT_TILE(8)
PTXJIT_TILE(16)

#if PTXJIT_DOT_PRODUCTS
#define PTXJIT_DOT(R)                                                          \
  PTXJIT_EXPORT void ptxjit_matrix_a_dot_r##R(                                 \
      U32<R> *image, const Lanes *registers, int blocks) {                     \
    makeArrangedImageA<kDotOrder, RawElements, R>(image, registers, blocks);   \
  }                                                                            \
  PTXJIT_EXPORT void ptxjit_matrix_a_dot_biased_r##R(                          \
      U32<R> *image, const Lanes *registers, int blocks) {                     \
    makeArrangedImageA<kDotOrder, BiasedElements, R>(image, registers,         \
                                                     blocks);                  \
  }                                                                            \
  PTXJIT_EXPORT void ptxjit_matrix_multiply_bytes_r##R(                        \
      I32<R> *home, const U32<R> *a, const uint32_t *b, int blocks,            \
      int saturates) {                                                         \
    multiplyBytes<R>(home, a, b, blocks, saturates);                           \
  }
PTXJIT_DOT(8)
PTXJIT_DOT(16)
PTXJIT_EXPORT void ptxjit_matrix_b_signed_for_biased(Lanes *image,
                                                     const Lanes *registers,
                                                     int blocks) {
  makeBiasedImageB(image, registers, blocks, true);
}
PTXJIT_EXPORT void ptxjit_matrix_b_signed(Lanes *image, const Lanes *registers,
                                          int blocks) {
  makeBiasedImageB(image, registers, blocks, false);
}
#endif

#if PTXJIT_FAST_PRODUCTS
#define PTXJIT_FAST(R)                                                         \
  PTXJIT_EXPORT void ptxjit_matrix_multiply_fast_r##R(                         \
      F32<R> *home, const U32<R> *a, const uint32_t *b, int blocks, int) {     \
    multiplyFast<R>(home, a, b, blocks);                                       \
  }
PTXJIT_FAST(8)
PTXJIT_FAST(16)
#endif
#if PTXJIT_MATRIX_PRODUCTS
#define PTXJIT_HALF_PRODUCTS(R)                                                \
  PTXJIT_EXPORT void ptxjit_matrix_a_halves_r##R(                              \
      U32<R> *image, const Lanes *registers, int blocks) {                     \
    makeArrangedImageA<RowOrder::Halves, RawElements, R>(image, registers,     \
                                                         blocks);              \
  }                                                                            \
  PTXJIT_EXPORT void ptxjit_matrix_multiply_f16_r##R(                          \
      F32<R> *home, const U32<R> *a, const uint32_t *b, int blocks, int) {     \
    multiplyF16<R>(home, a, b, blocks);                                        \
  }                                                                            \
  PTXJIT_EXPORT void ptxjit_matrix_multiply_bf16_r##R(                         \
      F32<R> *home, const U32<R> *a, const uint32_t *b, int blocks, int) {     \
    multiplyBf16<R>(home, a, b, blocks);                                       \
  }
PTXJIT_HALF_PRODUCTS(8)
PTXJIT_HALF_PRODUCTS(16)
#endif

PTXJIT_EXPORT void ptxjit_matrix_leave_words(U32<32> *registers,
                                             const U32<16> *home, int) {
  leavePair<16>(registers, home);
}

#define PTXJIT_EXTRA(Count)                                                    \
  PTXJIT_EXPORT void ptxjit_matrix_multiply_extra_##Count(                     \
      F32<16> *home, const F32<16> *a, const float *b, int blocks,             \
      const U32<16> *kept, const uint32_t *scaleA, const uint32_t *scaleB,     \
      uint32_t scales, uint32_t isUE4M3, uint32_t byteA, uint32_t threadA,     \
      uint32_t byteB, uint32_t threadB) {                                      \
    multiplyExtra<Count>(home, a, b, blocks,                                   \
                         {kept, scaleA, scaleB, scales, isUE4M3, byteA & 3,    \
                          threadA & 1, byteB & 3, threadB & 3});               \
  }
PTXJIT_EXTRA(1)
PTXJIT_EXTRA(2)
PTXJIT_EXTRA(4)
PTXJIT_EXTRA(8)

PTXJIT_EXPORT void ptxjit_matrix_expand_words(uint32_t *dense,
                                              const uint32_t *compressed,
                                              const uint32_t *metadata,
                                              int blocks, int selector) {
  expandSparse(dense, compressed, metadata, kWords, blocks, selector);
}
PTXJIT_EXPORT void ptxjit_matrix_expand_halves(uint32_t *dense,
                                               const uint32_t *compressed,
                                               const uint32_t *metadata,
                                               int blocks, int selector) {
  expandSparse(dense, compressed, metadata, kHalves, blocks, selector);
}
PTXJIT_EXPORT void ptxjit_matrix_expand_bytes(uint32_t *dense,
                                              const uint32_t *compressed,
                                              const uint32_t *metadata,
                                              int blocks, int selector) {
  expandSparse(dense, compressed, metadata, kBytes, blocks, selector);
}

PTXJIT_EXPORT void ptxjit_matrix_quad_pairs(uint32_t *d, const uint32_t *a,
                                            const uint32_t *b,
                                            const uint32_t *c, int aIsCol,
                                            int bIsRow, int cIsHalf,
                                            int dIsHalf) {
  multiplyQuadPairs(d, a, b, c, aIsCol, bIsRow, cIsHalf, dIsHalf);
}

// ptxjit_fragment_load_<bytes of an element>, ptxjit_fragment_store_<bytes>:
// inlined, so that a bad access has the instruction's line.
#define PTXJIT_MOVE(name, T, Store)                                            \
  PTXJIT_EXPORT void ptxjit_fragment_##name(                                   \
      char *registers, char *matrix, int64_t acrossStride,                     \
      int64_t alongStride, int acrossBlocks, int alongBlocks, int acrossStep,  \
      int alongStep, int each, int tScale, int length, int firstLane,          \
      int endLane) {                                                           \
    moveFragment<T, Store>(registers, matrix,                                  \
                           {acrossStride, alongStride, acrossBlocks,           \
                            alongBlocks, acrossStep, alongStep, each, tScale,  \
                            length},                                           \
                           {firstLane, endLane});                              \
  }
PTXJIT_MOVE(load_1, uint8_t, false)
PTXJIT_MOVE(load_2, uint16_t, false)
PTXJIT_MOVE(load_4, uint32_t, false)
PTXJIT_MOVE(load_8, uint64_t, false)
PTXJIT_MOVE(store_2, uint16_t, true)
PTXJIT_MOVE(store_4, uint32_t, true)
PTXJIT_MOVE(store_8, uint64_t, true)

PTXJIT_EXPORT void ptxjit_fragment_store_rows(char *const *addresses,
                                              char *registers, int count,
                                              int kind, int firstLane,
                                              int endLane) {
  storeRows(addresses, registers, count, RowKind(kind), {firstLane, endLane});
}

#define PTXJIT_MATRIX_FUNCTION(name, signature)                                \
  static_assert(hasSignature(&ptxjit_matrix_##name, signature));
#define PTXJIT_FRAGMENT_FUNCTION(name, signature)                              \
  static_assert(hasSignature(&ptxjit_fragment_##name, signature));
#if PTXJIT_DOT_PRODUCTS
#define PTXJIT_DOT_FUNCTION(name, signature)                                   \
  PTXJIT_MATRIX_FUNCTION(name, signature)
#endif
#if PTXJIT_FAST_PRODUCTS
#define PTXJIT_FAST_FUNCTION(name, signature)                                  \
  PTXJIT_MATRIX_FUNCTION(name, signature)
#endif
#if PTXJIT_MATRIX_PRODUCTS
#define PTXJIT_HALF_FUNCTION(name, signature)                                  \
  PTXJIT_MATRIX_FUNCTION(name, signature)
#endif
#include "ptxjit/Device/Functions.def"
