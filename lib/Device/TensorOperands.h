//===- TensorOperands.h - A and B of tensor memory's products --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the elements of A and B of a run (ptxjit/Device/TensorCore.h). A *code*
// is the bits of an element; codes come in vectors of 16: of the rows of a
// block for one k, of 16 columns for one k, or of 16 k of a column.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_DEVICE_TENSOROPERANDS_H
#define PTXJIT_LIB_DEVICE_TENSOROPERANDS_H

#include "MatrixElements.h"
#include "ptxjit/Device/TensorCore.h"

namespace ptxjit::device {

using Codes = U32<16>;

//===----------------------------------------------------------------------===//
// Formats
//===----------------------------------------------------------------------===//

inline uint32_t bitsOf(TensorElement type) {
  switch (type) {
  case TensorElement::F16:
  case TensorElement::BF16:
    return 16;
  case TensorElement::TF32:
    return 32;
  case TensorElement::E2M3:
  case TensorElement::E3M2:
    return 6;
  case TensorElement::E2M1:
    return 4;
  default:
    return 8;
  }
}

/// Where the codes of a unit of 16 bytes are.
struct CodeFormat {
  uint32_t bits;    ///< of a code
  uint32_t apart;   ///< bits from code to code
  uint32_t first;   ///< bit of the first code
  uint32_t perUnit; ///< codes in a unit

  CodeFormat(TensorElement type, TensorPacking packing)
      : bits(bitsOf(type)), apart(bits), first(0), perUnit(16) {
    if (packing == TensorPacking::Bytes) {
      apart = 8;
      first = bits == 4 ? 2 : 0;
    } else if (packing == TensorPacking::Plain) {
      perUnit = 128 / bits;
    }
  }
  uint32_t mask() const { return bits == 32 ? ~0u : (1u << bits) - 1; }
  /// The code number `i` of units, whose dwords follow each other. `dword(d)`
  /// returns dword d of each of 16 rows.
  template <typename Dword> Codes code(uint32_t i, Dword dword) const {
    uint32_t bit = i % perUnit * apart + first;
    uint32_t d = i / perUnit * 4 + bit / 32, shift = bit % 32;
    Codes x = dword(d) >> shift;
    if (shift + bits > 32)
      x |= dword(d + 1) << (32 - shift);
    return x & mask();
  }
};

/// The values of codes.
inline F32<16> decode(TensorElement type, Codes codes) {
  switch (type) {
  case TensorElement::F16:
    return HalfElements::get<16>(codes, 0);
  case TensorElement::BF16:
    return Bf16Elements::get<16>(codes, 0);
  case TensorElement::TF32:
    return Tf32Elements::get<16>(codes, 0);
  case TensorElement::E4M3:
    return decodeFp8(__builtin_convertvector(codes, Vec<uint16_t, 16>), false);
  case TensorElement::E5M2:
    return decodeFp8(__builtin_convertvector(codes, Vec<uint16_t, 16>), true);
  case TensorElement::E2M3:
    return E2M3::decode<16>(codes);
  case TensorElement::E3M2:
    return E3M2::decode<16>(codes);
  case TensorElement::E2M1:
    return E2M1::decode<16>(codes);
  default:
    return 0.0f;
  }
}

/// The value of scale factors, the low bytes of `x`. ISA: "block scaling". The
/// sign of a ue4m3 factor is ignored.
inline F32<16> decodeScale(Codes x, bool isUE4M3) {
  if (isUE4M3)
    return decode(TensorElement::E4M3, x & 0x7fu);
  Codes code = x & 0xffu, bits = code << 23;
  Codes isLeast = Codes(I32<16>(code == 0u));
  Codes isNaN = Codes(I32<16>(code == 0xffu));
  bits |= isLeast & 0x00400000u; // 2^-127
  return fromBits<16>((bits & ~isNaN) | (isNaN & 0x7fffffffu));
}

/// Calls f(k, codes, count) with the codes of a row along k, which `units`
/// units of 16 bytes hold: `count` codes from k on, 8 or 16.
template <typename F>
inline void forCodesAlong(CodeFormat format, const U32<4> *units,
                          uint32_t count, F f) {
  auto pair = [&](uint32_t u) {
    return pick<8, [](int i) { return i; }>(units[u], units[u + 1]);
  };
  switch (format.apart) {
  case 32:
    for (uint32_t u = 0; u < count; u += 2)
      f(4 * u, pick<16, [](int i) { return i; }>(pair(u), U32<8>(0)), 8);
    return;
  case 16:
    for (uint32_t u = 0; u < count; u += 2)
      f(8 * u,
        __builtin_convertvector(__builtin_bit_cast(Vec<uint16_t, 16>, pair(u)),
                                Codes),
        16);
    return;
  case 8:
    for (uint32_t u = 0; u < count; ++u)
      f(16 * u,
        __builtin_convertvector(__builtin_bit_cast(Vec<uint8_t, 16>, units[u]),
                                Codes),
        16);
    return;
  }
  // 4 or 6 bits: 16 codes, or two times 16, of a unit.
  Codes bit = format.apart *
              Codes{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  for (uint32_t u = 0; u < count; ++u)
    for (uint32_t half = 0; half < format.perUnit / 16; ++half) {
      // Each code is in two bytes.
      auto bytes = __builtin_bit_cast(Vec<uint8_t, 16>, units[u]);
      Codes codes;
      for (int i = 0; i < 16; ++i) {
        uint32_t at = 8 * half + format.apart * uint32_t(i) / 8;
        uint32_t next = at < 15 ? at + 1 : at;
        codes[i] = uint32_t(bytes[at]) | uint32_t(bytes[next]) << 8;
      }
      f(format.perUnit * u + 16 * half, codes >> bit % 8u & format.mask(), 16);
    }
}

//===----------------------------------------------------------------------===//
// Places in shared memory
//===----------------------------------------------------------------------===//

/// Finds the units of a matrix: of the same rows for all units of k, or if
/// elements follow each other along the rows, of the same rows for all k.
class TensorUnits {
public:
  /// \param count  the units of a row (along the rows: the elements of k).
  void open(const TensorMatrix &of, uint32_t count) {
    matrix = of;
    perLine = matrix.alongRows ? 1 : count;
    total = matrix.alongRows ? count : 8 * count;
    uint32_t i = 0;
    for (uint32_t line = 0; i < total; ++line)
      for (uint32_t unit = 0; unit < perLine; ++unit)
        ((uint32_t *)first)[i++] = matrix.place(line, 16 * unit);
  }
  /// Goes to rows 8 * `i` on, or along the rows, to unit `i` of each k.
  void goTo(uint32_t i) {
    uint32_t distance = i * matrix.stride, width = 1u << matrix.widthLog;
    if (matrix.alongRows) {
      bool isPlain = matrix.widthLog == 4;
      distance = (16 * i >> matrix.widthLog) *
                     (isPlain ? matrix.stride : matrix.leading) +
                 (16 * i & (width - 1));
    }
    uint32_t units = width - (1u << matrix.atomLog);
    for (uint32_t v = 0; v < (total + 15) / 16; ++v) {
      U32<16> at = first[v] + distance;
      places[v] =
          at ^ ((at - matrix.phase) >> uint32_t(7 - matrix.atomLog) & units);
    }
    // Loading a place is faster than taking it out of a vector.
    asm("" : "+m"(places));
  }
  /// Unit `unit` of row `row` % 8, or of k = `row`. `shared` is address 0 of
  /// shared memory.
  U32<4> load(const char *shared, uint32_t row, uint32_t unit) const {
    U32<4> v;
    __builtin_memcpy(&v,
                     shared + ((const uint32_t *)places)[row * perLine + unit],
                     sizeof(v));
    return v;
  }

private:
  TensorMatrix matrix;
  uint32_t perLine, total;
  U32<16> first[kTensorMostK / 16], places[kTensorMostK / 16];
};

/// Codes of 16 rows for one k, where elements follow each other along the rows.
/// `load(u)` returns unit u of these rows, of which `rows` exist.
template <typename Load>
inline Codes codesAcross(CodeFormat format, uint32_t rows, Load load) {
  if (format.apart == 8) {
    return __builtin_convertvector(
        __builtin_bit_cast(Vec<uint8_t, 16>, load(0)), Codes);
  }
  if (format.apart < 8) {
    U32<4> unit = load(0);
    Codes codes = 0;
    forCodesAlong(format, &unit, 1,
                  [&](uint32_t, Codes all, int) { codes = all; });
    return codes;
  }
  if (format.apart == 16) {
    Vec<uint16_t, 16> halves = 0;
    halves.lo = __builtin_bit_cast(Vec<uint16_t, 8>, load(0));
    if (rows > 8)
      halves.hi = __builtin_bit_cast(Vec<uint16_t, 8>, load(1));
    return __builtin_convertvector(halves, Codes);
  }
  Codes words = 0;
  for (uint32_t u = 0; u < rows / 4; ++u) {
    U32<4> unit = load(u);
    for (int i = 0; i < 4; ++i)
      words[int(4 * u) + i] = unit[i];
  }
  return words;
}

//===----------------------------------------------------------------------===//
// A
//===----------------------------------------------------------------------===//

/// The stored elements of A of one block: all, or those that a sparse A has.
class BlockOfA {
public:
  /// \param units  those of A, if it is in shared memory (openA).
  BlockOfA(const TensorRun &run, const TensorEntry &entry,
           const TensorBlock &block, TensorUnits &units)
      : run(run), entry(entry), block(block), units(units),
        format(run.typeA, run.packingA), stored(storedOf(run)) {}

  static uint32_t storedOf(const TensorRun &run) {
    return run.has(kTensorSparse) ? run.k / 2u : run.k;
  }
  static void openA(TensorUnits &units, const TensorRun &run,
                    const TensorEntry &entry) {
    if (run.has(kTensorAInMemory))
      return;
    uint32_t perUnit = CodeFormat(run.typeA, run.packingA).perUnit;
    units.open(entry.a,
               entry.a.alongRows ? storedOf(run) : storedOf(run) / perUnit);
  }

  uint32_t getStored() const { return stored; }
  /// Whether dwords() gives dwords along k.
  bool hasDwords() const {
    return run.has(kTensorAInMemory) || !entry.a.alongRows;
  }
  /// The dwords of the rows along k: stored * bits / 32, at most 16.
  void dwords(U32<16> *to) const {
    if (run.has(kTensorAInMemory))
      fromCells(to);
    else
      fromShared(to);
  }
  /// The codes of all stored k.
  void codes(Codes *to) const {
    if (hasDwords()) {
      U32<16> words[17];
      dwords(words);
      for (uint32_t k = 0; k < stored; ++k)
        to[k] = format.code(k, [&](uint32_t d) { return words[d]; });
      return;
    }
    uint32_t each = format.perUnit, count = 16 / each;
    U32<4> loaded[4][kTensorMostK];
    for (uint32_t u = 0; u < count; ++u) {
      units.goTo(block.row / each + u);
      for (uint32_t k = 0; k < stored; ++k)
        loaded[u][k] = units.load(run.sharedA, k, 0);
    }
    for (uint32_t k = 0; k < stored; ++k)
      to[k] = codesAcross(format, 16, [&](uint32_t u) { return loaded[u][k]; });
  }

private:
  uint32_t countUnits() const { return stored / format.perUnit; }
  void fromCells(U32<16> *to) const {
    // A lane reads its own cells, or those of the lane behind it.
    const uint32_t *column =
        run.cells + block.lane + uint32_t(entry.columnOfA) * kTensorLanes;
    bool shifts = run.has(kTensorShiftsRows);
    bool isLast = block.lane == kTensorLanes - 16;
    for (uint32_t d = 0; d < 4 * countUnits(); ++d, column += kTensorLanes) {
      __builtin_memcpy(to + d, column + (shifts && !isLast), sizeof(*to));
      if (shifts && isLast)
        to[d] =
            pick<16, [](int i) { return i < 15 ? i + 1 : 15; }>(to[d], to[d]);
    }
  }
  void fromShared(U32<16> *to) const {
    uint32_t count = countUnits();
    U32<4> loaded[2][8][4] = {};
    for (uint32_t half = 0; half < 2; ++half) {
      units.goTo(block.row / 8 + half);
      for (uint32_t row = 0; row < 8; ++row)
        for (uint32_t u = 0; u < count; ++u)
          loaded[half][row][u] = units.load(run.sharedA, row, u);
    }
    for (uint32_t u = 0; u < count; u += 2) {
      U32<16> rows[8];
      for (uint32_t row = 0; row < 8; ++row) {
        U32<8> upper, lower;
        upper.lo = loaded[0][row][u];
        upper.hi = loaded[0][row][u + 1];
        lower.lo = loaded[1][row][u];
        lower.hi = loaded[1][row][u + 1];
        rows[row] = pick<16, [](int i) { return i; }>(upper, lower);
      }
      transposeRows(to + 4 * u, rows);
    }
  }

  const TensorRun &run;
  const TensorEntry &entry;
  const TensorBlock &block;
  TensorUnits &units;
  CodeFormat format;
  uint32_t stored;
};

/// The metadata of a sparse A: 4 bits for chunk `chunk` of each row. ISA:
/// "sparsity selector"; docs/TensorCores.md.
inline Codes chunkCodes(const TensorRun &run, const TensorEntry &entry,
                        const TensorBlock &block, uint32_t chunk) {
  const uint32_t *lanes = run.cells + block.lane;
  auto load = [&](uint32_t column) {
    Codes words;
    __builtin_memcpy(&words, lanes + (entry.metadata + column) * kTensorLanes,
                     sizeof(words));
    return words;
  };
  if (bitsOf(run.typeA) < 16)
    return load(chunk / 8) >> chunk % 8 * 4 & 15u;
  // A lane has 4 chunks of its row, and of the row 8 lanes above or below.
  Codes words = load(0);
  words = chunk / 4 ? pick<16, [](int i) { return i % 8 + 8; }>(words, words)
                    : pick<16, [](int i) { return i % 8; }>(words, words);
  Codes second = pick<16, [](int i) { return i; }>(U32<8>(0), U32<8>(16));
  return words >> (second + chunk % 4 * 4) & 15u;
}

/// Puts the stored codes of a sparse A where its metadata says; the others are
/// 0. `kept`: all ones for the stored ones; null: not wanted.
inline void expandCodes(Codes *dense, I32<16> *kept, const Codes *stored,
                        const TensorRun &run, const TensorEntry &entry,
                        const TensorBlock &block) {
  uint32_t bits = bitsOf(run.typeA);
  // Elements that metadata places together, and the places of a chunk.
  uint32_t each = run.packingA == TensorPacking::Plain && bits == 4 ? 2 : 1;
  uint32_t places = bits == 32 ? 2 : 4, picked = places / 2;
  for (uint32_t chunk = 0; chunk * places * each < run.k; ++chunk) {
    Codes x = chunkCodes(run, entry, block, chunk);
    if (bits == 32)
      x = x >> 1 & 1u;
    for (uint32_t place = 0; place < places; ++place)
      for (uint32_t e = 0; e < each; ++e) {
        Codes code = 0, any = 0;
        for (uint32_t i = 0; i < picked; ++i) {
          Codes is = Codes(I32<16>((x >> (2 * i) & 3u) == place));
          code = (code & ~is) | (is & stored[(chunk * picked + i) * each + e]);
          any |= is;
        }
        uint32_t k = (chunk * places + place) * each + e;
        dense[k] = code;
        if (kept)
          kept[k] = I32<16>(any);
      }
  }
}

/// The scale factors of the rows of a block, for part `part` of k.
inline F32<16> scalesOfA(const TensorRun &run, const TensorEntry &entry,
                         const TensorBlock &block, uint32_t part) {
  uint32_t s = entry.scaleIdA + part;
  uint32_t column = entry.scaleA + block.row / 32 + s / 4 * run.scaleGroupA;
  Codes words;
  __builtin_memcpy(&words,
                   run.cells + column * kTensorLanes + block.lane / 32 * 32 +
                       block.row % 32,
                   sizeof(words));
  return decodeScale(words >> 8 * (s % 4), run.has(kTensorUE4M3));
}

/// Those of 16 columns of B, from `column` on.
inline F32<16> scalesOfB(const TensorRun &run, const TensorEntry &entry,
                         uint32_t column, uint32_t part) {
  uint32_t s = entry.scaleIdB + part, n = column % run.scaleModulus;
  uint32_t at = entry.scaleB + n / 32 + s / 4 * run.scaleGroupB;
  uint32_t lane = run.blocks[0].lane / 32 * 32;
  Codes words;
  __builtin_memcpy(&words, run.cells + at * kTensorLanes + lane + n % 32,
                   sizeof(words));
  return decodeScale(words >> 8 * (s % 4), run.has(kTensorUE4M3));
}

} // namespace ptxjit::device

#endif
