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

#include "ColumnSteps.h"
#include "TensorOperands.h"

namespace ptxjit::device {

//===----------------------------------------------------------------------===//
// What images hold
//===----------------------------------------------------------------------===//

// An image says:
// - Row, Element: a step of 16 rows of A, and of a column of B;
// - perStep: the elements of k in a step;
// - parts: the images that an operand has, which are added;
// - isTile: whether it is for AMX: whole tiles of steps, by column;
// - isFloat: whether steps are made of values (else of dwords of bytes);
// - order: how rows of A are arranged (ColumnSteps.h);
// - RawCodec: that of the type whose dwords are steps as they are.
// One of values writes the steps of a value and the next one:
// - put(to, apart, x, next, largest): `to` is a row or element, `apart` the
//   distance of the parts.
// One of bytes writes the steps of a dword:
// - put(to, apart, x, isSigned, isA): `apart` is the distance of steps.

template <typename R, typename E, uint32_t PerStep, bool IsFloat>
struct ImageOf {
  using Row = R;
  using Element = E;
  static constexpr uint32_t perStep = PerStep, parts = 1;
  static constexpr bool isFloat = IsFloat, isTile = false;
  static constexpr RowOrder order = RowOrder::Plain;
  using RawCodec = void;
};

struct FloatImage : ImageOf<F32<16>, float, 1, true> {};
struct Bf16Image : ImageOf<U32<16>, uint32_t, 2, true> {
  using RawCodec = Bf16Codec;
  template <int W>
  static void put(U32<W> *to, uint64_t, F32<W> x, F32<W> next, uint32_t &) {
    *to = pairsOf<W>(x, next);
  }
};
struct PairedBf16Image : Bf16Image {
  static constexpr RowOrder order = RowOrder::Paired;
};
/// Pairs of f16, which have the values.
struct F16Image : ImageOf<U32<16>, uint32_t, 2, true> {
  static constexpr RowOrder order = RowOrder::Halves;
  using RawCodec = HalfCodec;
  template <int W>
  static void put(U32<W> *to, uint64_t, F32<W> x, F32<W> next, uint32_t &) {
    auto bits = [](F32<W> x) {
      auto halves = __builtin_convertvector(x, Vec<_Float16, W>);
      return __builtin_convertvector(
          __builtin_bit_cast(Vec<uint16_t, W>, halves), U32<W>);
    };
    *to = bits(x) | bits(next) << 16;
  }
};
struct Bf16Tiles : Bf16Image {
  static constexpr bool isTile = true;
};
/// Elements as sums of two parts, which bf16 can hold. Infinities and NaNs have
/// no second part; `largest` becomes the bits of the greatest magnitude.
struct SplitTiles : Bf16Tiles {
  static constexpr uint32_t parts = 2;
  template <int W>
  static void put(U32<W> *to, uint64_t apart, F32<W> x, F32<W> next,
                  uint32_t &largest) {
    splitPairs<W>(*to, to[apart], x, next, largest);
  }
};
/// Four bytes.
struct ByteTiles : ImageOf<U32<16>, uint32_t, 4, false> {
  static constexpr bool isTile = true;
  template <int W> static void put(U32<W> *to, uint64_t, U32<W> x, bool, bool) {
    *to = x;
  }
};
#if PTXJIT_DOT_PRODUCTS
/// Four bytes. Those of A are made signed or unsigned, as the CPU wants them,
/// by adding or subtracting 128; 128 is subtracted from unsigned ones of B.
struct BiasedByteImage : ImageOf<U32<16>, uint32_t, 4, false> {
  static bool isBiased(bool isSigned, bool isA) {
    return isSigned != (isA ? kDotSignedA : true);
  }
  template <int W>
  static void put(U32<W> *to, uint64_t, U32<W> x, bool isSigned, bool isA) {
    *to = isBiased(isSigned, isA) ? x ^ 0x80808080u : x;
  }
};
struct PairedByteImage : BiasedByteImage {
  static constexpr RowOrder order = RowOrder::Paired;
};
#endif
/// Pairs of 16 bits: bytes 0 and 2, bytes 1 and 3.
struct BytePairImage : ImageOf<U32<16>, uint32_t, 2, false> {
  template <int W>
  static void put(U32<W> *to, uint64_t apart, U32<W> x, bool isSigned, bool) {
    for (uint64_t e = 0; e < 2; ++e)
      to[e * apart] = isSigned ? ByteElements<true>::get<W>(x, e)
                               : ByteElements<false>::get<W>(x, e);
  }
};

//===----------------------------------------------------------------------===//
// Images
//===----------------------------------------------------------------------===//

/// The scale factors of a row.
inline uint32_t scalesOf(const TensorRun &run) {
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

/// Loads units of a row.
struct UnitLoader {
  const TensorUnits &units;
  const char *shared;
  uint32_t row;
  uint32_t mask; ///< 0: they are zero
  U32<4> operator()(uint32_t u) const {
    return units.load(shared, row, u) & mask;
  }
  U32<8> pair(uint32_t u) const {
    return pick<8, [](int i) { return i; }>(operator()(u), operator()(u + 1));
  }
};
/// The units of a whole row of 128 bytes.
struct RowLoader {
  U32<8> parts[4];
  U32<4> operator()(uint32_t u) const {
    return u % 2 ? parts[u / 2].hi : parts[u / 2].lo;
  }
  U32<8> pair(uint32_t u) const { return parts[u / 2]; }
};

template <typename Image> class TensorImages {
  using Row = typename Image::Row;
  using Element = typename Image::Element;
  static constexpr uint32_t perStep = Image::perStep, parts = Image::parts;
  static constexpr uint32_t mostSteps = kTensorMostPackedK / perStep;
  /// Images of B, of 16 columns each.
  static constexpr uint32_t countOfB = kTensorMostColumns / 16;
  /// Rows of an image of A.
  static constexpr uint32_t partOfA = mostSteps * kTensorBlocks;

public:
  /// Blocks whose rows are side by side.
  static constexpr uint32_t blocksBeside = kTensorEvenBlocks;
  /// Elements from the steps of a column to those of the next one. One more
  /// line of the cache lets columns be in different sets of it.
  static constexpr uint32_t pitchOfB = mostSteps + 16;

  explicit TensorImages(const TensorRun &run)
      : run(run), formatB(run.typeB, run.packingB), stepsEach(run.k / perStep),
        firstStep(run.packedSteps),
        steps(firstStep + stepsEach * run.entryCount),
        // Columns that are shifted need not begin at a unit, or at 8 rows.
        isGathered(run.firstColumn %
                       (run.entries[0].b.alongRows ? formatB.perUnit : 8) !=
                   0) {
    char *memory = run.scratch;
    auto take = [&](uint64_t bytes) {
      char *taken = memory;
      memory += (bytes + 127) / 128 * 128;
      return taken;
    };
    // With what a sparse A needs besides.
    constexpr uint64_t most = (parts + 1) * partOfA * sizeof(Row) +
                              countOfB * parts * partOfB * sizeof(Element) +
                              kTensorEntries * sizeof(TensorUnits);
    static_assert(most + 4 * 128 <= kTensorScratchBytes);
    rowsOfA = (Row *)take(parts * partOfA * sizeof(Row));
    if (run.has(kTensorSparse))
      keptOfA = (I32<16> *)take(partOfA * sizeof(Row));
    imagesOfB = (Element *)take(countOfB * parts * partOfB * sizeof(Element));
    unitsOfB = (TensorUnits *)take(kTensorEntries * sizeof(TensorUnits));
  }

  /// Steps of the images: what was packed before, and those of the run.
  uint32_t getSteps() const { return steps; }
  /// Where the steps of a block are among rows(), and among kept(). In a tile
  /// they follow each other.
  struct RowPlaces {
    uint32_t first;
    uint32_t operator()(uint32_t step) const {
      if constexpr (Image::isTile)
        return first + step / 16 * 16 * blocksBeside + step % 16;
      return first + step * blocksBeside;
    }
  };
  RowPlaces placesOfA(uint32_t block) const {
    return {block / blocksBeside * blocksBeside * mostSteps +
            block % blocksBeside * (Image::isTile ? 16 : 1)};
  }
  uint32_t placeOfA(uint32_t step, uint32_t block) const {
    return placesOfA(block)(step);
  }
  const Row *rows(uint32_t part = 0) const { return rowsOfA + part * partOfA; }
  /// All ones for the elements that a sparse A has.
  const I32<16> *kept() const { return keptOfA; }
  /// Where a step of a column is in an image of B. In a tile the steps of a
  /// column follow each other.
  uint32_t placeOfB(uint32_t step, uint32_t column) const {
    return isAcross() ? 16 * step + column : placeAlong(step, column);
  }
  /// The image of the 16 columns from `column` on.
  const Element *columns(uint32_t column, uint32_t part = 0) const {
    return imagesOfB + (column / 16 * parts + part) * partOfB;
  }
  /// Whether the columns of a step follow each other.
  bool isAcross() const { return !Image::isTile && comesAcross(); }
  /// The greatest magnitude of what was made, as bits.
  uint32_t getLargest() const { return largest; }

  /// Makes the images of the run's entries, behind what was packed before.
  void makeAll() {
    makeA();
    if constexpr (Image::order != RowOrder::Plain)
      arrangeA();
    for (uint32_t column = 0; column < run.columns; column += 16)
      makeB(column);
  }
  /// Fills the last tiles of `steps` steps up with zeros.
  void fillUp(uint32_t steps);

private:
  void makeA();
  void arrangeA();
  /// Makes the image of up to 16 columns, from `firstColumn` + `column` on.
  void makeB(uint32_t column);
  /// Where the steps of an entry go.
  struct Steps {
    uint32_t first, block;
  };
  void makeBlock(uint32_t entry, uint32_t block, TensorUnits &units);
  template <typename Value>
  void makeSteps(Steps to, const TensorEntry &entry, const TensorBlock &block,
                 Value value);
  template <typename Codec>
  void makeFromDwords(Steps to, const Codec &codec, const U32<16> *words,
                      const TensorEntry &entry, const TensorBlock &block);
  void makeDense(Steps to, const U32<16> *words, const TensorEntry &entry,
                 const TensorBlock &block);
  void putDwords(Steps to, const U32<16> *words);
  void makeWholeBlock(uint32_t number);
  void makeFloats(Steps to, const Codes *codes, const TensorEntry &entry,
                  const TensorBlock &block);
  void makeBytes(Steps to, const BlockOfA &a, const TensorEntry &entry,
                 const TensorBlock &block);
  template <typename F>
  void forEachColumn(uint32_t entry, uint32_t column, F f);
  template <typename F> void forEachWholeColumn(uint32_t column, F f);
  /// Where a column of the run is: its row, and address 0 of shared memory.
  struct RowOfB {
    uint32_t row;
    const char *shared;
  };
  RowOfB rowOfB(uint32_t column) const {
    uint32_t n = run.firstColumn + column;
    bool isSecond = n >= run.halfColumns;
    return {isSecond ? n - run.halfColumns : n, run.sharedB[isSecond]};
  }
  void makeAlong(uint32_t entry, uint32_t column);
  void putAlong(Element *place, F32<16> x, int count);
  template <typename Load>
  void putUnits(Element *to, uint32_t first, uint32_t c, uint32_t units,
                const Load &load);
  template <typename Codec, typename Load>
  void putValues(Element *to, const Codec &codec, uint32_t first, uint32_t c,
                 uint32_t units, const Load &load, const F32<16> *factors,
                 uint32_t perFactor);
  template <typename Load>
  void putBytes(Element *to, uint32_t first, uint32_t c, uint32_t units,
                const Load &load);
  void makeWholeAlong(uint32_t column);
  template <typename Codec>
  void makeWholeValues(Element *to, const Codec &codec, uint32_t column);
  template <typename Codec>
  void makeValuesAlong(Element *to, const Codec &codec, uint32_t perRow,
                       uint32_t entry, uint32_t column);
  void makeAcross(uint32_t entry, uint32_t column);
  void loadAcross(Codes *codes, uint32_t entry, uint32_t column);
  void storeAcross(const U32<16> *steps, uint32_t first, uint32_t count,
                   Element *image);
  /// Elements of an image of B.
  static constexpr uint32_t partOfB = 16 * pitchOfB;
  static uint32_t placeAlong(uint32_t step, uint32_t column) {
    if constexpr (Image::isTile)
      return (step / 16 * 16 + column) * 16 + step % 16;
    return column * pitchOfB + step;
  }
  Element *columnsToMake(uint32_t column) {
    return const_cast<Element *>(columns(column));
  }
  /// Whether tiles of B have its dwords as they are in memory.
  bool areTilesRaw() const {
    return Image::isTile && parts == 1 &&
           (!Image::isFloat || run.typeB == TensorElement::BF16);
  }
  bool comesAcross() const { return isGathered || run.entries[0].b.alongRows; }
  bool isZero(uint32_t column) const {
    return run.zeroColumns[column / 64] >> column % 64 & 1;
  }

  const TensorRun &run;
  CodeFormat formatB;
  uint32_t stepsEach, firstStep, steps;
  bool isGathered;
  Row *rowsOfA;
  I32<16> *keptOfA = nullptr;
  Element *imagesOfB;
  TensorUnits *unitsOfB;
  bool hasWholeRowsOfB = false;
  uint32_t largest = 0;
};

//===----------------------------------------------------------------------===//
// A
//===----------------------------------------------------------------------===//

template <typename Image> void TensorImages<Image>::fillUp(uint32_t steps) {
  for (uint32_t step = steps; step % 16; ++step)
    for (uint32_t part = 0; part < parts; ++part) {
      for (uint32_t block = 0; block < run.blockCount; ++block)
        rowsOfA[part * partOfA + placeOfA(step, block)] = 0;
      for (uint32_t column = 0; column < run.columns; ++column)
        columnsToMake(column)[part * partOfB + placeOfB(step, column % 16)] = 0;
    }
}

template <typename Image> void TensorImages<Image>::makeA() {
  bool hasWholeRows =
      !run.has(kTensorAInMemory) && !run.has(kTensorSparse) &&
      haveWholeRows(run,
                    [](const TensorEntry &entry) -> auto & { return entry.a; });
  hasWholeRowsOfB = !isGathered && !run.has(kTensorSparse) &&
                    haveWholeRows(run, [](const TensorEntry &entry) -> auto & {
                      return entry.b;
                    });
  for (uint32_t block = 0; hasWholeRows && block < run.blockCount; ++block)
    makeWholeBlock(block);
  for (uint32_t i = 0; i < run.entryCount; ++i) {
    const TensorEntry &entry = run.entries[i];
    TensorUnits units;
    if (!hasWholeRows)
      BlockOfA::openA(units, run, entry);
    for (uint32_t block = 0; !hasWholeRows && block < run.blockCount; ++block)
      makeBlock(i, block, units);
    if (!isGathered && !hasWholeRowsOfB)
      unitsOfB[i].open(entry.b,
                       entry.b.alongRows ? run.k : run.k / formatB.perUnit);
  }
}

/// Arranges the rows of the run's entries.
template <typename Image>
__attribute__((noinline)) void TensorImages<Image>::arrangeA() {
  for (uint32_t block = 0; block < run.blockCount; ++block)
    for (uint32_t step = firstStep; step < steps; step += 2)
      arrangeRows<Image::order, 16>(rowsOfA[placeOfA(step, block)],
                                    rowsOfA[placeOfA(step + 1, block)]);
}

template <typename Image>
__attribute__((noinline)) void
TensorImages<Image>::makeBlock(uint32_t i, uint32_t number,
                               TensorUnits &units) {
  const TensorEntry &entry = run.entries[i];
  const TensorBlock &block = run.blocks[number];
  BlockOfA a(run, entry, block, units);
  Steps to{firstStep + i * stepsEach, number};
  if constexpr (!Image::isFloat) {
    makeBytes(to, a, entry, block);
  } else {
    if (a.hasDwords() && !run.has(kTensorSparse)) {
      U32<16> words[17];
      a.dwords(words);
      makeDense(to, words, entry, block);
      return;
    }
    Codes codes[kTensorMostK];
    a.codes(codes);
    if (run.has(kTensorSparse)) {
      Codes dense[kTensorMostK];
      I32<16> isKept[kTensorMostK];
      expandCodes(dense, isKept, codes, run, entry, block);
      for (uint32_t k = 0; k < run.k; ++k)
        keptOfA[placeOfA(to.first + k, number)] = isKept[k];
      makeFloats(to, dense, entry, block);
    } else {
      makeFloats(to, codes, entry, block);
    }
  }
}

/// Makes steps of value(k), an element of the rows of a block.
template <typename Image>
template <typename Value>
inline void TensorImages<Image>::makeSteps(Steps to, const TensorEntry &entry,
                                           const TensorBlock &block,
                                           Value value) {
  uint32_t scales = scalesOf(run), each = scales ? run.scaleBlock : run.k;
  bool negates = run.has(kTensorNegates);
  uint32_t end = run.k;
  RowPlaces places = placesOfA(to.block);
  for (uint32_t part = 0; part * each < end; ++part) {
    F32<16> factor = negates ? -1.0f : 1.0f;
    if (scales)
      factor *= scalesOfA(run, entry, block, part);
    bool isScaled = scales || negates;
    auto scaled = [&](uint32_t k) {
      F32<16> x = value(k);
      return isScaled ? x * factor : x;
    };
    for (uint32_t k = part * each; k < (part + 1) * each; k += perStep) {
      Row *step = rowsOfA + places(to.first + k / perStep);
      if constexpr (perStep == 1)
        *step = scaled(k);
      else
        Image::template put<16>(step, partOfA, scaled(k), scaled(k + 1),
                                largest);
    }
  }
}

/// For a dense A whose dwords are along k.
template <typename Image>
template <typename Codec>
__attribute__((noinline)) void TensorImages<Image>::makeFromDwords(
    Steps to, const Codec &codec, const U32<16> *words,
    const TensorEntry &entry, const TensorBlock &block) {
  if constexpr (__is_same(Codec, typename Image::RawCodec) && parts == 1) {
    U32<16> sign = run.has(kTensorNegates) ? 0x80008000u : 0u;
    RowPlaces places = placesOfA(to.block);
    for (uint32_t d = 0, end = run.k / 2; d < end; ++d)
      rowsOfA[places(to.first + d)] = words[d] ^ sign;
    return;
  }
  makeSteps(to, entry, block, [&](uint32_t k) {
    if constexpr (Codec::apart == 0) {
      return codec.decode(
          codec.format.code(k, [&](uint32_t d) { return words[d]; }));
    } else {
      constexpr uint32_t each = 32 / Codec::apart;
      constexpr uint32_t mask = uint32_t((uint64_t(1) << Codec::apart) - 1);
      return codec.decode(words[k / each] >> k % each * Codec::apart & mask);
    }
  });
}

template <typename Image>
void TensorImages<Image>::makeFloats(Steps to, const Codes *codes,
                                     const TensorEntry &entry,
                                     const TensorBlock &block) {
  makeSteps(to, entry, block,
            [&](uint32_t k) { return decode(run.typeA, codes[k]); });
}

template <typename Image>
void TensorImages<Image>::makeBytes(Steps to, const BlockOfA &a,
                                    const TensorEntry &entry,
                                    const TensorBlock &block) {
  if constexpr (!Image::isFloat) {
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
    putDwords(to, words);
  }
}

/// Puts dwords of bytes.
template <typename Image>
void TensorImages<Image>::putDwords(Steps to, const U32<16> *words) {
  if constexpr (!Image::isFloat) {
    bool isSigned = run.typeA == TensorElement::S8;
    RowPlaces places = placesOfA(to.block);
    for (uint32_t d = 0; d < run.k / 4; ++d) {
      uint32_t step = to.first + d * (4 / perStep), place = places(step);
      Image::template put<16>(rowsOfA + place, places(step + 1) - place,
                              words[d], isSigned, true);
    }
  }
}

/// Puts the dwords of a dense A.
template <typename Image>
void TensorImages<Image>::makeDense(Steps to, const U32<16> *words,
                                    const TensorEntry &entry,
                                    const TensorBlock &block) {
  if constexpr (Image::isFloat)
    withCodec(run.typeA, run.packingA, [&](auto codec) {
      makeFromDwords(to, codec, words, entry, block);
    });
  else
    putDwords(to, words);
}

/// Puts a block of all four entries, whose rows are whole.
template <typename Image>
__attribute__((noinline)) void
TensorImages<Image>::makeWholeBlock(uint32_t number) {
  const TensorBlock &block = run.blocks[number];
  U32<16> words[4][8];
  loadWholeBlock(words, run, block);
  for (uint32_t i = 0; i < 4; ++i)
    makeDense({firstStep + i * stepsEach, number}, words[i], run.entries[i],
              block);
}

//===----------------------------------------------------------------------===//
// B
//===----------------------------------------------------------------------===//

template <typename Image> void TensorImages<Image>::makeB(uint32_t column) {
  if (hasWholeRowsOfB) {
    makeWholeAlong(column);
    return;
  }
  for (uint32_t i = 0; i < run.entryCount; ++i)
    if (comesAcross())
      makeAcross(i, column);
    else
      makeAlong(i, column);
}

/// Calls f(c, load) for each of 16 columns, where `load` returns its units.
template <typename Image>
template <typename F>
inline void TensorImages<Image>::forEachColumn(uint32_t i, uint32_t column,
                                               F f) {
  TensorUnits &units = unitsOfB[i];
  uint32_t zeros = uint32_t(run.zeroColumns[column / 64] >> column % 64);
  for (uint32_t c = 0; c < 16 && column + c < run.columns; c += 8) {
    auto [row, shared] = rowOfB(column + c);
    units.goTo(row / 8);
    for (uint32_t r = 0; r < 8; ++r)
      f(c + r, UnitLoader{units, shared, r, zeros >> (c + r) & 1 ? 0 : ~0u});
  }
}

/// The same for all four entries at once, whose rows are whole.
template <typename Image>
template <typename F>
inline void TensorImages<Image>::forEachWholeColumn(uint32_t column, F f) {
  const TensorMatrix &b = run.entries[0].b;
  for (uint32_t c = 0; c < 16 && column + c < run.columns; c += 8) {
    auto [row, shared] = rowOfB(column + c);
    const char *pattern = shared + b.start + row / 8 * b.stride;
    repeat<8>([&](auto r) {
      RowLoader load;
      loadWholeRow<r.value>(load.parts, pattern);
      f(c + r.value, load);
    });
  }
}

/// All steps of each column.
template <typename Image>
void TensorImages<Image>::makeAlong(uint32_t i, uint32_t column) {
  uint32_t perRow = run.k / formatB.perUnit;
  uint32_t first = firstStep + i * stepsEach;
  Element *to = columnsToMake(column);
  if constexpr (Image::isFloat) {
    withCodec(run.typeB, run.packingB, [&](auto codec) {
      makeValuesAlong(to, codec, perRow, i, column);
    });
  } else {
    forEachColumn(i, column, [&](uint32_t c, const UnitLoader &load) {
      putBytes(to, first, c, perRow, load);
    });
  }
}

/// Puts the bytes of a column, from step `first` on.
template <typename Image>
template <typename Load>
inline void TensorImages<Image>::putBytes(Element *to, uint32_t first,
                                          uint32_t c, uint32_t units,
                                          const Load &load) {
  bool isSigned = run.typeB == TensorElement::S8;
  for (uint32_t u = 0; u < units; ++u) {
    auto *place = (U32<4> *)(to + placeAlong(first + u * (16 / perStep), c));
    if constexpr (Image::isFloat) {
      continue;
    } else if constexpr (perStep == 4) {
      Image::template put<4>(place, 1, load(u), isSigned, false);
    } else {
      U32<4> both[2];
      Image::template put<4>(both, 1, load(u), isSigned, false);
      *(U32<8> *)place = interleave(both[0], both[1]);
    }
  }
}

/// Puts the units of a column, from step `first` on.
template <typename Image>
template <typename Load>
inline void TensorImages<Image>::putUnits(Element *to, uint32_t first,
                                          uint32_t c, uint32_t units,
                                          const Load &load) {
  for (uint32_t u = 0; u < units; u += 2)
    *(U32<8> *)(to + placeAlong(first + 4 * u, c)) = load.pair(u);
}

/// Puts the values of a column. `factors` are those of parts of `perFactor`
/// times 16 elements; null: none.
template <typename Image>
template <typename Codec, typename Load>
inline void
TensorImages<Image>::putValues(Element *to, const Codec &codec, uint32_t first,
                               uint32_t c, uint32_t units, const Load &load,
                               const F32<16> *factors, uint32_t perFactor) {
  if constexpr (__is_same(Codec, typename Image::RawCodec) && parts == 1) {
    putUnits(to, first, c, units, load);
    return;
  }
  forCodesAlong(codec, units, load, [&](uint32_t k, Codes codes, int count) {
    F32<16> x = codec.decode(codes);
    if (factors)
      x *= factors[k / 16 / perFactor][int(c)];
    Element *place = to + placeAlong(first + k / perStep, c);
    if constexpr (perStep == 2)
      putAlong(place, x, count);
    else if (count == 8)
      *(F32<8> *)place = x.lo;
    else
      storeUnaligned(place, x);
  });
}

template <typename Image>
template <typename Codec>
__attribute__((noinline)) void
TensorImages<Image>::makeValuesAlong(Element *to, const Codec &codec,
                                     uint32_t perRow, uint32_t i,
                                     uint32_t column) {
  const TensorEntry &entry = run.entries[i];
  uint32_t scales = scalesOf(run), first = firstStep + i * stepsEach;
  F32<16> factors[8];
  for (uint32_t part = 0; part < scales; ++part)
    factors[part] = scalesOfB(run, entry, run.firstColumn + column, part);
  uint32_t perFactor = scales ? run.scaleBlock / 16 : 1;
  forEachColumn(i, column, [&](uint32_t c, const UnitLoader &load) {
    putValues(to, codec, first, c, perRow, load, scales ? factors : nullptr,
              perFactor);
  });
}

/// All four entries, whose rows are whole.
template <typename Image>
template <typename Codec>
__attribute__((noinline)) void
TensorImages<Image>::makeWholeValues(Element *to, const Codec &codec,
                                     uint32_t column) {
  uint32_t scales = scalesOf(run), perFactor = 1;
  F32<16> factors[4 * 8];
  for (uint32_t i = 0; i < 4 * scales; ++i)
    factors[i] = scalesOfB(run, run.entries[i / scales],
                           run.firstColumn + column, i % scales);
  if (scales)
    perFactor = run.scaleBlock / 16;
  forEachWholeColumn(column, [&](uint32_t c, const RowLoader &load) {
    putValues(to, codec, firstStep, c, 8, load, scales ? factors : nullptr,
              perFactor);
  });
}
template <typename Image>
void TensorImages<Image>::makeWholeAlong(uint32_t column) {
  Element *to = columnsToMake(column);
  if (areTilesRaw() && firstStep % 16 == 0)
    // Half a row is a row of a tile.
    forEachWholeColumn(column, [&](uint32_t c, const RowLoader &load) {
      for (uint32_t half = 0; half < 2; ++half)
        storeUnaligned(to + placeAlong(firstStep + 16 * half, c),
                       pick<16, [](int i) { return i; }>(
                           load.parts[2 * half], load.parts[2 * half + 1]));
    });
  else if constexpr (Image::isFloat)
    withCodec(run.typeB, run.packingB,
              [&](auto codec) { makeWholeValues(to, codec, column); });
  else
    forEachWholeColumn(column, [&](uint32_t c, const RowLoader &load) {
      putBytes(to, firstStep, c, 8, load);
    });
}

/// Puts pairs of `count` elements along k.
template <typename Image>
inline void TensorImages<Image>::putAlong(Element *place, F32<16> x,
                                          int count) {
  if constexpr (perStep == 2) {
    F32<8> even = x.even, odd = x.odd;
    if (count == 8)
      Image::template put<4>((U32<4> *)place, partOfB / 4, even.lo, odd.lo,
                             largest);
    else
      Image::template put<8>((U32<8> *)place, partOfB / 8, even, odd, largest);
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

/// Stores `count` steps of 16 columns, from step `first` on.
template <typename Image>
void TensorImages<Image>::storeAcross(const U32<16> *from, uint32_t first,
                                      uint32_t count, Element *image) {
  if constexpr (!Image::isTile) {
    for (uint32_t i = 0; i < count; ++i)
      *(U32<16> *)(image + 16 * (first + i)) = from[i];
  } else {
    for (uint32_t i = 0; i < count; i += 4)
      for (uint32_t c = 0; c < 16; ++c) {
        uint32_t *to = (uint32_t *)image + placeAlong(first + i, c);
        for (uint32_t step = 0; step < 4; ++step)
          to[step] = from[i + step][int(c)];
      }
  }
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
  uint32_t scales = scalesOf(run), each = scales ? run.scaleBlock : run.k;
  constexpr uint32_t most = kTensorMostK / perStep;
  U32<16> made[most * parts];
  for (uint32_t part = 0; part * each < run.k; ++part) {
    F32<16> factor = 1.0f;
    if (scales)
      factor = scalesOfB(run, run.entries[i], run.firstColumn + column, part);
    auto value = [&](uint32_t at) {
      return decode(run.typeB, codes[at] & keeps) * factor;
    };
    for (uint32_t k = part * each; k < (part + 1) * each; k += perStep) {
      U32<16> *step = made + k / perStep;
      if constexpr (!Image::isFloat) {
        if (k % 4)
          continue;
        U32<16> word = codes[k] | codes[k + 1] << 8 | codes[k + 2] << 16 |
                       codes[k + 3] << 24;
        Image::template put<16>(step, 1, word & keeps,
                                run.typeB == TensorElement::S8, false);
      } else if constexpr (perStep == 1) {
        *step = bitsOf<16>(value(k));
      } else {
        Image::template put<16>(step, most, value(k), value(k + 1), largest);
      }
    }
  }
  for (uint32_t part = 0; part < parts; ++part)
    storeAcross(made + part * most, firstStep + i * stepsEach, stepsEach,
                columnsToMake(column) + part * partOfB);
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// What cells hold of sums: f32, or f16 in the lower half.
inline F32<16> toCells(F32<16> sum, bool isHalf) {
  I32<16> isNumber = sum == sum;
  if (!isHalf)
    return choose<16>(isNumber, sum, fromBits<16>(U32<16>(0x7fffffffu)));
  auto halves = __builtin_convertvector(sum, Vec<_Float16, 16>);
  U32<16> bits = __builtin_convertvector(
      __builtin_bit_cast(Vec<uint16_t, 16>, halves), U32<16>);
  return choose<16>(isNumber, fromBits<16>(bits),
                    fromBits<16>(U32<16>(0x7fffu)));
}

/// Whether the sums of `count` blocks are cells of tensor memory as they are.
inline bool areSumsPlain(const TensorRun &run, uint32_t block, uint32_t count) {
  if (run.has(kTensorHalfSums) || run.has(kTensorSaturates) || run.inputShift)
    return false;
  for (uint32_t i = block; i < block + count; ++i)
    if (run.blocks[i].isWritten != 0xffff)
      return false;
  return true;
}

/// The sums, as f32 or s32, that products are added to. `cells` are those of D.
template <bool IsFloat>
inline U32<16> sumsBefore(const TensorRun &run, U32<16> cells) {
  // Saturating sums are added to D at the end.
  if (!run.has(kTensorAccumulates) || run.has(kTensorSaturates))
    return 0;
  if constexpr (!IsFloat)
    return cells;
  F32<16> sum = run.has(kTensorHalfSums) ? HalfElements::get<16>(cells, 0)
                                         : fromBits<16>(cells);
  // The smallest power, 2^-15, is exact in f32.
  return bitsOf<16>(sum *
                    fromBits<1>(U32<1>((127u - run.inputShift) << 23))[0]);
}
/// What the cells become.
template <bool IsFloat>
inline U32<16> cellsAfter(const TensorRun &run, U32<16> sum, U32<16> cells) {
  if constexpr (IsFloat)
    return bitsOf<16>(toCells(fromBits<16>(sum), run.has(kTensorHalfSums)));
  if (!run.has(kTensorSaturates))
    return sum;
  I32<16> from = run.has(kTensorAccumulates) ? I32<16>(cells) : I32<16>(0);
  return U32<16>(__builtin_elementwise_add_sat(from, I32<16>(sum)));
}

/// `x` in the lanes whose bits are set, else `y`.
inline U32<16> chooseLanes(uint32_t lanes, U32<16> x, U32<16> y) {
  if (lanes == 0xffff)
    return x;
  U32<16> bit =
      1u << Codes{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  U32<16> mask = U32<16>(I32<16>((bit & lanes) != 0u));
  return (x & mask) | (y & ~mask);
}

//===----------------------------------------------------------------------===//
// Scale factors that f32 cannot take
//===----------------------------------------------------------------------===//

/// Whether an element times its scale factor may exceed f32.
inline bool hasHugeScales(const TensorRun &run) {
  if (!run.scaleBlock)
    return false;
  constexpr float most = 0x1p100f;
  U32<16> isHuge = 0;
  for (uint32_t i = 0; i < run.entryCount; ++i)
    for (uint32_t part = 0; part < scalesOf(run); ++part) {
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

/// Does a run of floats: by `Multiplication`, unless scale factors are huge.
template <typename Multiplication> inline void goFloats(TensorRun &run) {
  if (!hasHugeScales(run))
    return Multiplication(run).go();
  if (run.packedSteps) {
    TensorRun packed = run.withoutEntries();
    Multiplication(packed).go();
    run.haveSums();
  }
  multiplyHuge(run);
  run.haveSums();
}

} // namespace ptxjit::device

#endif
