//===- TensorImages.h - images of A and B of a run -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes the images that TensorCore.cpp and TensorTiles.cpp multiply. They are
// in the memory that a run brings along.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_DEVICE_TENSORIMAGES_H
#define PTXJIT_LIB_DEVICE_TENSORIMAGES_H

#include "TensorOperands.h"

namespace ptxjit::device {

//===----------------------------------------------------------------------===//
// What images hold
//===----------------------------------------------------------------------===//

// An image says:
// - Row, Element: a step of 16 rows of A, and of a column of B;
// - perStep: the elements of k in a step;
// - isFloat: whether steps are made of values (else of dwords of bytes);
// - steps(to, apart, ...): writes the steps that values or dwords have.

/// Pairs of bf16, made of f32 numbers that lose the bits that bf16 lacks.
template <int W> inline U32<W> pairsOf(F32<W> low, F32<W> high) {
  return bitsOf<W>(low) >> 16 | (bitsOf<W>(high) & 0xffff0000u);
}

struct FloatImage {
  using Row = F32<16>;
  using Element = float;
  static constexpr uint32_t perStep = 1;
  static constexpr bool isFloat = true;
};
struct Bf16Image {
  using Row = U32<16>;
  using Element = uint32_t;
  static constexpr uint32_t perStep = 2;
  static constexpr bool isFloat = true;
};
/// Four bytes.
struct ByteImage {
  using Row = U32<16>;
  using Element = uint32_t;
  static constexpr uint32_t perStep = 4;
  static constexpr bool isFloat = false;
  template <int W> static void steps(U32<W> *to, int, U32<W> x, bool, bool) {
    *to = x;
  }
};
/// Four bytes; 128 is added to signed ones of A, and subtracted from unsigned
/// ones of B.
struct BiasedByteImage : ByteImage {
  template <int W>
  static void steps(U32<W> *to, int, U32<W> x, bool isSigned, bool isA) {
    *to = isSigned == isA ? x ^ 0x80808080u : x;
  }
};
/// Pairs of 16 bits: bytes 0 and 2, bytes 1 and 3.
struct BytePairImage {
  using Row = U32<16>;
  using Element = uint32_t;
  static constexpr uint32_t perStep = 2;
  static constexpr bool isFloat = false;
  template <int W>
  static void steps(U32<W> *to, int apart, U32<W> x, bool isSigned, bool) {
    for (int e = 0; e < 2; ++e)
      to[e * apart] = isSigned ? ByteElements<true>::get<W>(x, e)
                               : ByteElements<false>::get<W>(x, e);
  }
};

/// Whether bf16 has all numbers of A and B, scaled or not.
inline bool fitsBf16(const TensorRun &run);

//===----------------------------------------------------------------------===//
// Images
//===----------------------------------------------------------------------===//

inline uint32_t partsOf(const TensorRun &run) {
  return run.scaleBlock ? run.k / run.scaleBlock : 0;
}

/// A code of B, which may be of any column.
inline uint32_t codeOfB(const TensorRun &run, const TensorMatrix &b,
                        CodeFormat format, uint32_t column, uint32_t k) {
  bool isSecond = column >= run.halfColumns;
  if (isSecond)
    column -= run.halfColumns;
  uint32_t line = b.alongRows ? k : column, along = b.alongRows ? column : k;
  uint32_t bit = along % format.perUnit * format.apart;
  uint32_t place = b.swizzle(b.place(line, along / format.perUnit * 16));
  uint32_t code = 0;
  for (uint32_t i = 0; i * 8 < bit % 8 + format.bits; ++i)
    code |= uint32_t(uint8_t(run.sharedB[isSecond][place + bit / 8 + i]))
            << (8 * i);
  return code >> bit % 8 & format.mask();
}

template <typename Image> class TensorImages {
  using Row = typename Image::Row;
  using Element = typename Image::Element;
  static constexpr uint32_t perStep = Image::perStep;

public:
  explicit TensorImages(const TensorRun &run)
      : run(run), formatB(run.typeB, run.packingB), stepsEach(run.k / perStep),
        steps(stepsEach * run.entryCount),
        // Single columns need not begin at a unit.
        isGathered(run.firstColumn % 8 != 0) {
    char *memory = run.scratch;
    auto take = [&](uint64_t bytes) {
      char *taken = memory;
      memory += (bytes + 127) / 128 * 128;
      return taken;
    };
    constexpr uint32_t most = kTensorMostK * kTensorBlocks;
    rowsOfA = (Row *)take(most * sizeof(Row));
    keptOfA = (I32<16> *)take(most * sizeof(Row));
    columnsOfB = (Element *)take((16 * kTensorMostK + 16) * sizeof(Element));
    unitsOfB = (TensorUnits *)take(kTensorEntries * sizeof(TensorUnits));
  }

  int getSteps() const { return int(steps); }
  /// Row `step * blocks + block`.
  const Row *rows() const { return rowsOfA; }
  /// All ones for the elements that a sparse A has, like rows().
  const I32<16> *kept() const { return keptOfA; }
  /// Element `column * columnStep() + step`; if isAcross(), `16 * step +
  /// column`.
  const Element *columns() const { return columnsOfB; }
  int columnStep() const { return int(steps); }
  bool isAcross() const { return isGathered || run.entries[0].b.alongRows; }

  void makeA();
  /// Makes the image of up to 16 columns, from `firstColumn` + `column` on.
  void makeB(uint32_t column);

private:
  void makeBlock(uint32_t entry, uint32_t block, TensorUnits &units);
  void makeFloats(Row *to, const Codes *codes, const TensorEntry &entry,
                  const TensorBlock &block);
  void makeBytes(Row *to, const BlockOfA &a, const TensorEntry &entry,
                 const TensorBlock &block);
  void makeAlong(uint32_t entry, uint32_t column);
  void makeAcross(uint32_t entry, uint32_t column);
  void loadAcross(Codes *codes, uint32_t entry, uint32_t column);
  bool isZero(uint32_t column) const {
    return run.zeroColumns[column / 64] >> column % 64 & 1;
  }

  const TensorRun &run;
  CodeFormat formatB;
  uint32_t stepsEach, steps;
  bool isGathered;
  Row *rowsOfA;
  I32<16> *keptOfA;
  Element *columnsOfB;
  TensorUnits *unitsOfB;
};

//===----------------------------------------------------------------------===//
// A
//===----------------------------------------------------------------------===//

template <typename Image> void TensorImages<Image>::makeA() {
  for (uint32_t i = 0; i < run.entryCount; ++i) {
    const TensorEntry &entry = run.entries[i];
    TensorUnits units;
    BlockOfA::openA(units, run, entry);
    for (uint32_t block = 0; block < run.blockCount; ++block)
      makeBlock(i, block, units);
    if (!isGathered)
      unitsOfB[i].open(entry.b,
                       entry.b.alongRows ? run.k : run.k / formatB.perUnit);
  }
}

template <typename Image>
__attribute__((noinline)) void
TensorImages<Image>::makeBlock(uint32_t i, uint32_t number,
                               TensorUnits &units) {
  const TensorEntry &entry = run.entries[i];
  const TensorBlock &block = run.blocks[number];
  BlockOfA a(run, entry, block, units);
  Row *to = rowsOfA + i * stepsEach * run.blockCount + number;
  if constexpr (!Image::isFloat) {
    makeBytes(to, a, entry, block);
  } else {
    Codes codes[kTensorMostK];
    a.codes(codes);
    if (run.has(kTensorSparse)) {
      Codes dense[kTensorMostK];
      I32<16> isKept[kTensorMostK];
      expandCodes(dense, isKept, codes, run, entry, block);
      I32<16> *toKept = keptOfA + (to - rowsOfA);
      for (uint32_t k = 0; k < run.k; ++k)
        toKept[k * run.blockCount] = isKept[k];
      makeFloats(to, dense, entry, block);
    } else {
      makeFloats(to, codes, entry, block);
    }
  }
}

template <typename Image>
void TensorImages<Image>::makeFloats(Row *to, const Codes *codes,
                                     const TensorEntry &entry,
                                     const TensorBlock &block) {
  uint32_t parts = partsOf(run), each = parts ? run.scaleBlock : run.k;
  F32<16> sign = run.has(kTensorNegates) ? -1.0f : 1.0f;
  for (uint32_t part = 0; part * each < run.k; ++part) {
    F32<16> factor = parts ? scalesOfA(run, entry, block, part) * sign : sign;
    auto value = [&](uint32_t k) {
      return decode(run.typeA, codes[k]) * factor;
    };
    for (uint32_t k = part * each; k < (part + 1) * each; k += perStep) {
      Row &step = to[k / perStep * run.blockCount];
      if constexpr (perStep == 1)
        step = value(k);
      else
        step = pairsOf<16>(value(k), value(k + 1));
    }
  }
}

template <typename Image>
void TensorImages<Image>::makeBytes(Row *to, const BlockOfA &a,
                                    const TensorEntry &entry,
                                    const TensorBlock &block) {
  if constexpr (!Image::isFloat) {
    bool isSigned = run.typeA == TensorElement::S8;
    U32<16> words[kTensorMostK / 4];
    if (a.hasDwords() && !run.has(kTensorSparse)) {
      a.dwords(words);
    } else {
      Codes codes[kTensorMostK], dense[kTensorMostK];
      a.codes(codes);
      if (run.has(kTensorSparse))
        expandCodes(dense, nullptr, codes, run, entry, block);
      const Codes *all = run.has(kTensorSparse) ? dense : codes;
      for (uint32_t k = 0; k < run.k; k += 4)
        words[k / 4] =
            all[k] | all[k + 1] << 8 | all[k + 2] << 16 | all[k + 3] << 24;
    }
    for (uint32_t d = 0; d < run.k / 4; ++d)
      Image::template steps<16>(to + d * (4 / perStep) * run.blockCount,
                                int(run.blockCount), words[d], isSigned, true);
  }
}

//===----------------------------------------------------------------------===//
// B
//===----------------------------------------------------------------------===//

template <typename Image> void TensorImages<Image>::makeB(uint32_t column) {
  for (uint32_t i = 0; i < run.entryCount; ++i)
    if (isAcross())
      makeAcross(i, column);
    else
      makeAlong(i, column);
}

/// All steps of each column.
template <typename Image>
__attribute__((noinline)) void TensorImages<Image>::makeAlong(uint32_t i,
                                                              uint32_t column) {
  const TensorEntry &entry = run.entries[i];
  TensorUnits &units = unitsOfB[i];
  uint32_t perRow = run.k / formatB.perUnit, parts = partsOf(run);
  F32<16> factors[8];
  for (uint32_t part = 0; part < parts; ++part)
    factors[part] = scalesOfB(run, entry, run.firstColumn + column, part);
  for (uint32_t c = 0; c < 16 && column + c < run.columns; ++c) {
    uint32_t n = run.firstColumn + column + c;
    bool isSecond = n >= run.halfColumns;
    uint32_t row = isSecond ? n - run.halfColumns : n;
    if (c % 8 == 0)
      units.goTo(row / 8);
    U32<4> loaded[4] = {};
    if (!isZero(column + c))
      for (uint32_t u = 0; u < perRow; ++u)
        loaded[u] = units.load(run.sharedB[isSecond], row % 8, u);
    Element *to = columnsOfB + c * steps + i * stepsEach;
    if constexpr (Image::isFloat) {
      forCodesAlong(formatB, loaded, perRow,
                    [&](uint32_t k, Codes codes, int count) {
                      F32<16> x = decode(run.typeB, codes);
                      if (parts)
                        x *= factors[k / run.scaleBlock][int(c)];
                      if constexpr (perStep == 2)
                        *(U32<8> *)(to + k / 2) = pairsOf<8>(x.even, x.odd);
                      else if (count == 8)
                        *(F32<8> *)(to + k) = x.lo;
                      else
                        __builtin_memcpy(to + k, &x, sizeof(x));
                    });
    } else {
      bool isSigned = run.typeB == TensorElement::S8;
      for (uint32_t d = 0; d < run.k / 4; ++d) {
        U32<1> word = loaded[d / 4][int(d % 4)];
        Image::template steps<1>((U32<1> *)to + d * (4 / perStep), 1, word,
                                 isSigned, false);
      }
    }
  }
}

/// The codes of 16 columns for each k.
template <typename Image>
void TensorImages<Image>::loadAcross(Codes *codes, uint32_t i,
                                     uint32_t column) {
  const TensorMatrix &b = run.entries[i].b;
  uint32_t rest = run.columns - column, count = rest < 16 ? rest : 16;
  if (isGathered) {
    for (uint32_t k = 0; k < run.k; ++k)
      for (uint32_t c = 0; c < 16; ++c)
        codes[k][int(c)] = c < count ? codeOfB(run, b, formatB,
                                               run.firstColumn + column + c, k)
                                     : 0;
    return;
  }
  TensorUnits &units = unitsOfB[i];
  U32<4> loaded[4][kTensorMostK];
  uint32_t each = formatB.perUnit;
  for (uint32_t c = 0; c < count; c += each) {
    uint32_t n = run.firstColumn + column + c;
    bool isSecond = n >= run.halfColumns;
    units.goTo((isSecond ? n - run.halfColumns : n) / each);
    for (uint32_t k = 0; k < run.k; ++k)
      loaded[c / each][k] = units.load(run.sharedB[isSecond], k, 0);
  }
  for (uint32_t k = 0; k < run.k; ++k)
    codes[k] =
        codesAcross(formatB, count, [&](uint32_t u) { return loaded[u][k]; });
}

/// All columns of each step.
template <typename Image>
__attribute__((noinline)) void
TensorImages<Image>::makeAcross(uint32_t i, uint32_t column) {
  Codes codes[kTensorMostK];
  loadAcross(codes, i, column);
  Codes keeps;
  for (uint32_t c = 0; c < 16; ++c)
    keeps[int(c)] = column + c < run.columns && isZero(column + c) ? 0 : ~0u;
  uint32_t parts = partsOf(run), each = parts ? run.scaleBlock : run.k;
  for (uint32_t part = 0; part * each < run.k; ++part) {
    F32<16> factor = 1.0f;
    if (parts)
      factor = scalesOfB(run, run.entries[i], run.firstColumn + column, part);
    for (uint32_t k = part * each; k < (part + 1) * each; k += perStep) {
      Element *to = columnsOfB + 16 * (i * stepsEach + k / perStep);
      if constexpr (Image::isFloat) {
        auto value = [&](uint32_t at) {
          return decode(run.typeB, codes[at] & keeps) * factor;
        };
        if constexpr (perStep == 1)
          *(Row *)to = value(k);
        else
          *(Row *)to = pairsOf<16>(value(k), value(k + 1));
      } else if (k % 4 == 0) {
        U32<16> word = codes[k] | codes[k + 1] << 8 | codes[k + 2] << 16 |
                       codes[k + 3] << 24;
        Image::template steps<16>((U32<16> *)to, 1, word & keeps,
                                  run.typeB == TensorElement::S8, false);
      }
    }
  }
}

//===----------------------------------------------------------------------===//
// Scale factors that f32 cannot take
//===----------------------------------------------------------------------===//

/// Whether an element times its scale factor may exceed f32.
inline bool hasHugeScales(const TensorRun &run) {
  constexpr float most = 0x1p100f;
  U32<16> isHuge = 0;
  for (uint32_t i = 0; i < run.entryCount; ++i)
    for (uint32_t part = 0; part < partsOf(run); ++part) {
      const TensorEntry &entry = run.entries[i];
      for (uint32_t block = 0; block < run.blockCount; ++block)
        isHuge |= Codes(
            I32<16>(scalesOfA(run, entry, run.blocks[block], part) > most));
      for (uint32_t column = 0; column < run.columns; column += 16)
        isHuge |= Codes(I32<16>(
            scalesOfB(run, entry, run.firstColumn + column, part) > most));
    }
  return __builtin_reduce_or(isHuge) != 0;
}

inline bool fitsBf16(const TensorRun &run) {
  auto fits = [](TensorElement type) {
    return type != TensorElement::F16 && type != TensorElement::TF32;
  };
  return fits(run.typeA) && fits(run.typeB) && !run.has(kTensorSparse) &&
         !(run.scaleBlock && hasHugeScales(run));
}

/// sum + a * b, where f32 may lack a or b.
inline float addHuge(float sum, double a, double b) {
  auto isLost = [](double x) {
    return __builtin_isinf(float(x)) && !__builtin_isinf(x);
  };
  if (isLost(a) || isLost(b))
    return float(double(sum) + a * b);
  return __builtin_elementwise_fma(F32<1>(float(a)), F32<1>(float(b)),
                                   F32<1>(sum))[0];
}

/// Does one multiplication of a run with scale factors, element by element.
inline void multiplyHugely(const TensorRun &run, const TensorEntry &entry,
                           const TensorBlock &block, TensorUnits &units,
                           bool accumulates) {
  Codes codes[kTensorMostK], dense[kTensorMostK];
  I32<16> kept[kTensorMostK];
  BlockOfA(run, entry, block, units).codes(codes);
  bool isSparse = run.has(kTensorSparse);
  if (isSparse)
    expandCodes(dense, kept, codes, run, entry, block);
  const Codes *all = isSparse ? dense : codes;
  CodeFormat formatB(run.typeB, run.packingB);
  for (uint32_t column = 0; column < run.columns; ++column) {
    F32<16> *to = (F32<16> *)(run.cells + block.lane +
                              (run.sums + column) * kTensorLanes);
    F32<16> sum = accumulates ? *to : F32<16>(0);
    for (uint32_t k = 0; k < run.k; ++k) {
      uint32_t n = run.firstColumn + column, part = k / run.scaleBlock;
      F32<16> x = decode(run.typeA, all[k]);
      double y =
          double(decode(run.typeB,
                        Codes(codeOfB(run, entry.b, formatB, n, k)))[0]) *
          double(scalesOfB(run, entry, run.firstColumn + column / 16 * 16,
                           part)[int(column % 16)]);
      F32<16> factor = scalesOfA(run, entry, block, part);
      for (int row = 0; row < 16; ++row) {
        double scaled = double(x[row]) * double(factor[row]);
        if (!isSparse || kept[k][row])
          sum[row] =
              addHuge(sum[row], run.has(kTensorNegates) ? -scaled : scaled, y);
      }
    }
    *to = choose<16>(I32<16>(sum == sum), sum,
                     fromBits<16>(U32<16>(0x7fffffffu)));
  }
}
__attribute__((noinline)) inline void multiplyHuge(const TensorRun &run) {
  for (uint32_t i = 0; i < run.entryCount; ++i) {
    TensorUnits units;
    BlockOfA::openA(units, run, run.entries[i]);
    for (uint32_t block = 0; block < run.blockCount; ++block)
      multiplyHugely(run, run.entries[i], run.blocks[block], units,
                     i > 0 || run.has(kTensorAccumulates));
  }
}

} // namespace ptxjit::device

#endif
