//===- TensorCore.cpp - multiplications in tensor memory ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Does the runs of ptxjit/Device/TensorCore.h, as Wgmma.cpp does those of
// warpgroups.
//
// - The *sums* of a block, its part of D, are columns of 16 lanes of tensor
//   memory.
// - A *step* is one element of k, or as many as one instruction of the CPU
//   multiplies and adds.
// - The *image* of A has, for each step of a run, the elements of the rows of
//   two blocks side by side. Images of B have 16 columns each: all steps of
//   each column, or if elements follow each other along n, all columns of each
//   step.
//
// Floats are added in the order of k, so that results do not depend on the CPU.
//
//===----------------------------------------------------------------------===//

#include "TensorImages.h"

using namespace ptxjit::device;

namespace {

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

// A type says:
// - Image: what its images hold (TensorImages.h);
// - Sum: a column of 16 sums;
// - isBiased: whether bytes are (BiasedByteImage);
// - add(sum, a, b): adds the products of a step.

template <typename I, typename S, bool IsBiased = false> struct ProductsOf {
  using Image = I;
  using Sum = S;
  static constexpr bool isBiased = IsBiased;
};

struct FloatProducts : ProductsOf<FloatImage, F32<16>> {
  static Sum add(Sum sum, F32<16> a, float b) {
    return __builtin_elementwise_fma(a, F32<16>(b), sum);
  }
};
struct BytePairProducts : ProductsOf<BytePairImage, I32<16>> {
  static Sum add(Sum sum, U32<16> a, uint32_t b) {
    return addPairs(sum, a, U32<16>(b));
  }
};
#if PTXJIT_MATRIX_PRODUCTS
struct F16Products : ProductsOf<F16Image, F32<16>> {
  template <typename Lane> static Sum add(Sum sum, U32<16> a, Lane b) {
    return addF16(sum, a, b);
  }
};
struct Bf16Products : ProductsOf<Bf16Image, F32<16>> {
  template <typename Lane> static Sum add(Sum sum, U32<16> a, Lane b) {
    return addBf16(sum, a, b);
  }
};
struct FastProducts : ProductsOf<PairedBf16Image, F32<16>> {
  static Sum add(Sum sum, U32<16> a, U32<4> b) {
    return addHalfMatrix(sum, a, b);
  }
};
struct ByteProducts : ProductsOf<PairedByteImage, I32<16>, true> {
  static Sum add(Sum sum, U32<16> a, U32<4> b) {
    return addByteMatrix(sum, a, b);
  }
};
#else
#if PTXJIT_FAST_PRODUCTS
struct FastProducts : ProductsOf<Bf16Image, F32<16>> {
  static Sum add(Sum sum, U32<16> a, uint32_t b) {
    return addHalves(sum, a, U32<16>(b));
  }
};
#endif
#if PTXJIT_DOT_PRODUCTS
struct ByteProducts : ProductsOf<BiasedByteImage, I32<16>, true> {
  static Sum add(Sum sum, U32<16> a, uint32_t b) {
    return addBytes(sum, a, U32<16>(b));
  }
};
#endif
#endif

//===----------------------------------------------------------------------===//
// Multiplication
//===----------------------------------------------------------------------===//

// A CPU with 32 vector registers adds to 24 sums at once. Then it reads few
// lines of A and B for each product, and is not late for its own results. Two
// blocks of kTensorMostPackedK steps fit the nearest cache, and stay there for
// all columns.
#if defined(__AVX512F__)
constexpr int kBlocksAtOnce = 2, kColumnsAtOnce = 8, kMostColumnsAtOnce = 12;
#else
constexpr int kBlocksAtOnce = 1, kColumnsAtOnce = 4, kMostColumnsAtOnce = 4;
#endif
static_assert(kTensorEvenBlocks % kBlocksAtOnce == 0);

/// A run with products of type `T`.
template <typename T, bool Sparse> class Multiplication {
  using Image = typename T::Image;
  using Sum = typename T::Sum;
  using Row = typename Image::Row;
  using Element = typename Image::Element;

public:
  explicit Multiplication(TensorRun &run)
      : run(run), images(run), steps(int(images.getSteps())),
        blocks(int(run.blockCount)), accumulates(run.has(kTensorAccumulates)),
        isPlain(areSumsPlain(run, 0, run.blockCount)) {}

  void go() {
    if (run.entryCount)
      images.makeAll();
    if (run.action == TensorAction::Pack)
      run.packedSteps = images.getSteps();
    else
      multiplyAll();
  }

private:
  bool isBiasedA() const {
    return Image::isBiased(run.typeA == TensorElement::S8, true);
  }
  void sumRows();
  void sumColumns(int column);

  void multiplyAll() {
    if constexpr (T::isBiased) {
      sumRows();
      for (int column = 0; column < run.columns; column += 16)
        sumColumns(column);
    }
    for (int block = 0; block < blocks; block += kBlocksAtOnce)
      if (images.isAcross())
        multiplyAcross(block);
      else
        multiplyAlong(block);
  }
  void multiplyAcross(int block) {
    for (int column = 0; column < run.columns; column += kColumnsAtOnce)
      multiply<true, kColumnsAtOnce>(block, column);
  }
  void multiplyAlong(int block) {
    // A rest of 16 columns is twice 8.
    int column = 0, end = run.columns;
    for (; end - column >= kMostColumnsAtOnce && end - column != 16;
         column += kMostColumnsAtOnce)
      multiply<false, kMostColumnsAtOnce>(block, column);
    for (; column < end; column += kColumnsAtOnce)
      multiply<false, kColumnsAtOnce>(block, column);
  }
  template <bool Across, int C> void multiply(int block, int column);
  Sum *sumsOf(int block, int column) const {
    return (Sum *)(run.cells + (run.sums + column) * int(kTensorLanes) +
                   run.blocks[block].lane);
  }
  template <bool Across, int C>
  void addSteps(Sum (&sums)[C], const Row *rows, const I32<16> *kept,
                const Element *columns);
  Sum loadOther(const Sum *from) const;
  void storeOther(Sum *to, Sum sum, int block) const;

  TensorRun &run;
  TensorImages<Image> images;
  int steps, blocks;
  bool accumulates;
  bool isPlain; ///< sums are cells of tensor memory
  /// What a biased A or B adds too much to each sum: by row, and by column.
  I32<16> rowExcess[T::isBiased ? kTensorBlocks : 1];
  int32_t columnExcess[T::isBiased ? kTensorMostColumns : 1];
};

/// A sum that is no cell of tensor memory as it is.
template <typename T, bool Sparse>
__attribute__((noinline)) typename T::Sum
Multiplication<T, Sparse>::loadOther(const Sum *from) const {
  return __builtin_bit_cast(
      Sum, sumsBefore<Image::isFloat>(run, *(const U32<16> *)from));
}
/// The inverse, in the lanes of a block that are written.
template <typename T, bool Sparse>
__attribute__((noinline)) void
Multiplication<T, Sparse>::storeOther(Sum *to, Sum sum, int block) const {
  auto *cells = (U32<16> *)to;
  U32<16> after =
      cellsAfter<Image::isFloat>(run, __builtin_bit_cast(U32<16>, sum), *cells);
  *cells = chooseLanes(run.blocks[block].isWritten, after, *cells);
}

/// Multiplies for kBlocksAtOnce blocks and `C` columns, from `column` on.
template <typename T, bool Sparse>
template <bool Across, int C>
__attribute__((noinline)) void Multiplication<T, Sparse>::multiply(int block,
                                                                   int column) {
  constexpr int V = kBlocksAtOnce, apart = int(kTensorLanes) / 16;
  constexpr int beside = TensorImages<Image>::blocksBeside;
  constexpr int pitch = Across ? 1 : TensorImages<Image>::pitchOfB;
  constexpr int stride = Across ? 16 : 1;
  Sum *to[V], all[V][C];
#pragma clang loop unroll(full)
  for (int v = 0; v < V; ++v) {
    to[v] = sumsOf(block + v, column);
#pragma clang loop unroll(full)
    for (int n = 0; n < C; ++n) {
      if (isPlain)
        all[v][n] = accumulates ? to[v][apart * n] : Sum(0);
      else
        all[v][n] = loadOther(to[v] + apart * n);
      if constexpr (T::isBiased)
        all[v][n] -= rowExcess[block + v] + columnExcess[column + n];
    }
  }
  // Fetches the next sums early: those of a CTA exceed the nearest cache.
#pragma clang loop unroll(full)
  for (int v = 0; v < V; ++v)
#pragma clang loop unroll(full)
    for (int n = 0; n < C; ++n)
      __builtin_prefetch(to[v] + apart * (C + n), 1);
  uint32_t place = images.placeOfA(0, uint32_t(block));
  const Row *rows = images.rows() + place;
  const I32<16> *kept = images.kept() + place;
  const Element *columns = images.columns(uint32_t(column)) +
                           images.placeOfB(0, uint32_t(column) % 16);
  if constexpr (kTakesLanes) {
    static_assert(V == 1);
    addSteps<Across>(all[0], rows, kept, columns);
  } else {
#pragma clang loop unroll(disable)
    for (int step = 0; step < steps; ++step) {
      Row x[V];
#pragma clang loop unroll(full)
      for (int v = 0; v < V; ++v)
        x[v] = rows[step * beside + v];
#pragma clang loop unroll(full)
      for (int n = 0; n < C; ++n) {
        Element y = columns[n * pitch + step * stride];
#pragma clang loop unroll(full)
        for (int v = 0; v < V; ++v) {
          Sum next = T::add(all[v][n], x[v], y);
          if constexpr (Sparse && __is_same(Sum, F32<16>))
            next = choose<16>(kept[step * beside + v], next, all[v][n]);
          all[v][n] = next;
        }
      }
    }
  }
#pragma clang loop unroll(full)
  for (int v = 0; v < V; ++v)
#pragma clang loop unroll(full)
    for (int n = 0; n < C; ++n) {
      Sum *at = to[v] + apart * n;
      if (!isPlain)
        storeOther(at, all[v][n], block + v);
      else if constexpr (__is_same(Sum, F32<16>))
        *at = toCells(all[v][n], false);
      else
        *at = all[v][n];
    }
}

/// Adds the products of the rows of a block, for CPUs that take elements of B
/// from lanes.
template <typename T, bool Sparse>
template <bool Across, int C>
inline void Multiplication<T, Sparse>::addSteps(Sum (&sums)[C], const Row *rows,
                                                const I32<16> *kept,
                                                const Element *columns) {
  static_assert(C == 4);
  constexpr int beside = TensorImages<Image>::blocksBeside;
  constexpr int pitch = TensorImages<Image>::pitchOfB;
  if constexpr (Image::order == RowOrder::Paired)
    pairSums(sums);
#pragma clang loop unroll(disable)
  for (int step = 0; step < steps; step += 4) {
    const Row *next = rows + step * beside;
    Vec<Element, 4> four[4];
    for (int i = 0; i < 4; ++i)
      four[i] =
          *(const Vec<Element, 4> *)(columns + (Across ? 16 * (step + i)
                                                       : pitch * i + step));
    if constexpr (Image::order == RowOrder::Paired)
      addPaired<Across>(sums, next, beside, four, T::add);
    else
      forLanes<Across>(four, [&](auto i, auto n, auto y) {
        Sum sum = T::add(sums[n.value], next[i.value * beside], y);
        if constexpr (Sparse && __is_same(Sum, F32<16>))
          sum = choose<16>(kept[(step + i.value) * beside], sum, sums[n.value]);
        sums[n.value] = sum;
      });
  }
  if constexpr (Image::order == RowOrder::Paired)
    separateSums(sums);
}

#if PTXJIT_DOT_PRODUCTS
/// With A = A' + a and B = B' + b, where `a` and `b` are 128, -128 or 0, the
/// sum of A * B is that of A' * B', plus `b` times the sum of A, plus `a` times
/// the sum of B'.
template <typename T, bool Sparse> void Multiplication<T, Sparse>::sumRows() {
  bool biasedB = run.typeB == TensorElement::U8;
  constexpr int bias = kDotSignedA ? 128 : -128;
  for (int block = 0; block < blocks; ++block) {
    I32<16> sums[2] = {}; // of even steps and of odd ones
    for (int step = 0; step < steps && biasedB; ++step)
      sums[step % 2] = addBytes(
          sums[step % 2],
          images.rows()[images.placeOfA(uint32_t(step), uint32_t(block))],
          U32<16>(0x01010101u));
    if constexpr (Image::order == RowOrder::Paired) {
      auto both = join(sums[0], sums[1]);
      sums[0] = both.even;
      sums[1] = both.odd;
    }
    I32<16> sum = sums[0] + sums[1] + (isBiasedA() ? bias * 4 * steps : 0);
    rowExcess[block] = biasedB ? sum * -128 : I32<16>(0);
  }
}
template <typename T, bool Sparse>
void Multiplication<T, Sparse>::sumColumns(int column) {
  const Element *image = images.columns(uint32_t(column));
  for (int c = 0; c < 16; ++c) {
    int32_t sum = 0;
    for (int step = 0; step < steps && isBiasedA(); ++step) {
      uint32_t four = image[images.placeOfB(uint32_t(step), uint32_t(c))];
      for (int i = 0; i < 32; i += 8)
        sum += int8_t(four >> i);
    }
    columnExcess[column + c] = (kDotSignedA ? -128 : 128) * sum;
  }
}
#endif

template <typename T> inline void multiplyBytes(void *run) {
  Multiplication<T, false>(*(TensorRun *)run).go();
}
template <typename T, bool Sparse = false>
inline void multiplyFloats(void *run) {
  goFloats<Multiplication<T, Sparse>>(*(TensorRun *)run);
}

} // namespace

//===----------------------------------------------------------------------===//
// The functions
//===----------------------------------------------------------------------===//

PTXJIT_EXPORT void ptxjit_tensor_floats(void *run) {
#if PTXJIT_MATRIX_PRODUCTS
  const auto &types = *(const TensorRun *)run;
  if (types.typeA == TensorElement::F16 && types.typeB == TensorElement::F16)
    return multiplyFloats<F16Products>(run);
  // An element times its factor may be less than bf16 has.
  if (areTypesBf16(types) && !types.scaleBlock)
    return multiplyFloats<Bf16Products>(run);
#endif
  multiplyFloats<FloatProducts>(run);
}
PTXJIT_EXPORT void ptxjit_tensor_sparse_floats(void *run) {
  multiplyFloats<FloatProducts, true>(run);
}
PTXJIT_EXPORT void ptxjit_tensor_bytes(void *run) {
  multiplyBytes<BytePairProducts>(run);
}
#if PTXJIT_DOT_PRODUCTS
PTXJIT_EXPORT void ptxjit_tensor_dot_bytes(void *run) {
  multiplyBytes<ByteProducts>(run);
}
#endif
#if PTXJIT_FAST_PRODUCTS
PTXJIT_EXPORT void ptxjit_tensor_fast_floats(void *run) {
  if (areTypesBf16(*(const TensorRun *)run))
    multiplyFloats<FastProducts>(run);
  else
    multiplyFloats<FloatProducts>(run);
}
#endif

#define PTXJIT_TENSOR_FUNCTION(name, signature)                                \
  static_assert(hasSignature(&ptxjit_tensor_##name, signature));
#if PTXJIT_DOT_PRODUCTS
#define PTXJIT_TENSOR_DOT_FUNCTION(name, signature)                            \
  PTXJIT_TENSOR_FUNCTION(name, signature)
#endif
#if PTXJIT_FAST_PRODUCTS
#define PTXJIT_TENSOR_FAST_FUNCTION(name, signature)                           \
  PTXJIT_TENSOR_FUNCTION(name, signature)
#endif
#include "ptxjit/Device/Functions.def"
