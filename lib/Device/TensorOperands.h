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

/// Whether bf16 has all numbers of A and B, also times their scale factors:
/// powers of two, or ue4m3 for e2m1, whose products have 6 bits.
inline bool areTypesBf16(const TensorRun &run) {
  auto is = [](TensorElement type) {
    return type != TensorElement::F16 && type != TensorElement::TF32;
  };
  return is(run.typeA) && is(run.typeB);
}

/// Where the codes of a unit of 16 bytes are.
struct CodeFormat {
  uint32_t bits;    ///< of a code
  uint32_t apart;   ///< bits from code to code
  uint32_t first;   ///< bit of the first code
  uint32_t perUnit; ///< codes in a unit

  CodeFormat(TensorElement type, TensorPacking packing)
      : bits(bitsOf(type)), apart(bits), first(0),
        perUnit(elementsOfUnit(type, packing)) {
    if (packing == TensorPacking::Bytes) {
      apart = 8;
      first = bits == 4 ? 2 : 0;
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

/// The values of codes of types that are not 16 bits wide. Not inlined, since
/// decoding takes many instructions, and is used in many places.
__attribute__((noinline)) inline F32<16> decodeOther(TensorElement type,
                                                     Codes codes) {
  switch (type) {
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
/// The values of codes.
inline F32<16> decode(TensorElement type, Codes codes) {
  if (type == TensorElement::F16)
    return HalfElements::get<16>(codes, 0);
  if (type == TensorElement::BF16)
    return Bf16Elements::get<16>(codes, 0);
  return decodeOther(type, codes);
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

// Codecs: how codes of a type follow each other in dwords, `apart` bits from
// one to the next, and their values.

struct HalfCodec {
  static constexpr uint32_t apart = 16;
  F32<16> decode(Codes codes) const { return HalfElements::get<16>(codes, 0); }
};
struct Bf16Codec {
  static constexpr uint32_t apart = 16;
  F32<16> decode(Codes codes) const { return Bf16Elements::get<16>(codes, 0); }
};
struct Tf32Codec {
  static constexpr uint32_t apart = 32;
  F32<16> decode(Codes codes) const { return Tf32Elements::get<16>(codes, 0); }
};
struct Fp8Codec {
  static constexpr uint32_t apart = 8;
  bool isE5M2;
  F32<16> decode(Codes codes) const {
    return decodeFp8(__builtin_convertvector(codes, Vec<uint16_t, 16>), isE5M2);
  }
};
/// Two elements of 4 bits in a byte.
struct NibbleCodec {
  static constexpr uint32_t apart = 4;
  F32<16> decode(Codes codes) const {
#if defined(__AVX512F__)
    const F32<16> values = {0.0f,  0.5f,  1.0f,  1.5f,  2.0f,  3.0f,
                            4.0f,  6.0f,  -0.0f, -0.5f, -1.0f, -1.5f,
                            -2.0f, -3.0f, -4.0f, -6.0f};
    return _mm512_permutexvar_ps(__m512i(codes), values);
#else
    return decodeOther(TensorElement::E2M1, codes);
#endif
  }
};
/// Elements of 4 or 6 bits, padded or in bytes.
struct PackedCodec {
  static constexpr uint32_t apart = 0; ///< see `format`
  TensorElement type;
  CodeFormat format;
  F32<16> decode(Codes codes) const { return decodeOther(type, codes); }
};

/// Calls f(codec) with the codec of a type of floats.
template <typename F>
inline void withCodec(TensorElement type, TensorPacking packing, F f) {
  switch (type) {
  case TensorElement::F16:
    return f(HalfCodec());
  case TensorElement::BF16:
    return f(Bf16Codec());
  case TensorElement::TF32:
    return f(Tf32Codec());
  case TensorElement::E4M3:
  case TensorElement::E5M2:
    return f(Fp8Codec{type == TensorElement::E5M2});
  default:
    break;
  }
  if (packing == TensorPacking::Plain)
    return f(NibbleCodec());
  f(PackedCodec{type, CodeFormat(type, packing)});
}

using Bytes16 = Vec<uint8_t, 16>;

/// The 16 codes of 4 bits that the first 8 bytes of a unit hold.
inline Codes nibblesOf(Bytes16 bytes) {
  Bytes16 all = pick<16, [](int i) { return i % 2 * 16 + i / 2; }>(
      Bytes16(bytes & 15), Bytes16(bytes >> 4));
  return __builtin_convertvector(all, Codes);
}
/// The 16 codes of 6 bits that the first 12 bytes of a unit hold.
inline Codes sixesOf(Bytes16 bytes) {
  Codes low = __builtin_convertvector(
      (pick<16, [](int i) { return 6 * i / 8; }>(bytes, bytes)), Codes);
  Codes high = __builtin_convertvector(
      (pick<16, [](int i) { return 6 * i / 8 + 1; }>(bytes, bytes)), Codes);
  constexpr Codes shift = {0, 6, 4, 2, 0, 6, 4, 2, 0, 6, 4, 2, 0, 6, 4, 2};
  return (low | high << 8) >> shift & 63u;
}

/// Calls f(k, codes, count) with the codes of a row along k: `count` codes from
/// k on, 8 or 16. `load` returns the units of the row, of which there are
/// `units`: load(u) one, load.pair(u) two.
template <typename Codec, typename Load, typename F>
inline void forCodesAlong(const Codec &codec, uint32_t units, Load load, F f) {
  auto pair = [&](uint32_t u) { return load.pair(u); };
  if constexpr (Codec::apart == 32) {
    for (uint32_t u = 0; u < units; u += 2)
      f(4 * u, pick<16, [](int i) { return i; }>(pair(u), U32<8>(0)), 8);
  } else if constexpr (Codec::apart == 16) {
    for (uint32_t u = 0; u < units; u += 2)
      f(8 * u,
        __builtin_convertvector(__builtin_bit_cast(Vec<uint16_t, 16>, pair(u)),
                                Codes),
        16);
  } else if constexpr (Codec::apart == 8) {
    for (uint32_t u = 0; u < units; ++u)
      f(16 * u,
        __builtin_convertvector(__builtin_bit_cast(Bytes16, load(u)), Codes),
        16);
  } else if constexpr (Codec::apart == 4) {
    for (uint32_t u = 0; u < units; ++u) {
      auto bytes = __builtin_bit_cast(Bytes16, load(u));
      f(32 * u, nibblesOf(bytes), 16);
      f(32 * u + 16,
        nibblesOf(pick<16, [](int i) { return (i + 8) % 16; }>(bytes, bytes)),
        16);
    }
  } else {
    for (uint32_t u = 0; u < units; ++u) {
      auto bytes = __builtin_bit_cast(Bytes16, load(u));
      f(16 * u, codec.format.bits == 4 ? nibblesOf(bytes) : sixesOf(bytes), 16);
    }
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
    matrix = &of;
    perLine = matrix->alongRows ? 1 : count;
    total = matrix->alongRows ? count : 8 * count;
    uint32_t i = 0;
    for (uint32_t line = 0; i < total; ++line)
      for (uint32_t unit = 0; unit < perLine; ++unit)
        ((uint32_t *)first)[i++] = matrix->place(line, 16 * unit);
  }
  /// Goes to rows 8 * `i` on, or along the rows, to unit `i` of each k.
  void goTo(uint32_t i) {
    uint32_t distance = i * matrix->stride, width = 1u << matrix->widthLog;
    if (matrix->alongRows) {
      bool isPlain = matrix->widthLog == 4;
      distance = (16 * i >> matrix->widthLog) *
                     (isPlain ? matrix->stride : matrix->leading) +
                 (16 * i & (width - 1));
    }
    uint32_t units = width - (1u << matrix->atomLog);
    for (uint32_t v = 0; v < (total + 15) / 16; ++v) {
      U32<16> at = first[v] + distance;
      places[v] =
          at ^ ((at - matrix->phase) >> uint32_t(7 - matrix->atomLog) & units);
    }
    // Loading a place is faster than taking it out of a vector.
    asm("" : "+m"(places));
  }
  /// Unit `unit` of row `row` % 8, or of k = `row`. `shared` is address 0 of
  /// shared memory.
  U32<4> load(const char *shared, uint32_t row, uint32_t unit) const {
    return loadUnaligned<U32<4>>(
        shared + ((const uint32_t *)places)[row * perLine + unit]);
  }

private:
  const TensorMatrix *matrix;
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
    auto bytes = __builtin_bit_cast(Bytes16, load(0));
    return format.bits == 4 ? nibblesOf(bytes) : sixesOf(bytes);
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
      to[d] = loadUnaligned<U32<16>>(column + (shifts && !isLast));
      if (shifts && isLast)
        to[d] =
            pick<16, [](int i) { return i < 15 ? i + 1 : 15; }>(to[d], to[d]);
    }
  }
  void fromShared(U32<16> *to) const {
    uint32_t count = countUnits();
    U32<8> upper[2][8], lower[2][8];
    for (uint32_t half = 0; half < 2; ++half) {
      units.goTo(block.row / 8 + half);
      for (uint32_t u = 0; u < count; u += 2)
        for (uint32_t row = 0; row < 8; ++row) {
          U32<8> &pair = (half ? lower : upper)[u / 2][row];
          // The last of three units has no other one beside it.
          pair = pick<8, [](int i) { return i; }>(
              units.load(run.sharedA, row, u),
              units.load(run.sharedA, row, u + 1 < count ? u + 1 : u));
        }
    }
    for (uint32_t u = 0; u < count; u += 2) {
      U32<16> rows[8];
      for (uint32_t row = 0; row < 8; ++row)
        rows[row] = pick<16, [](int i) { return i; }>(upper[u / 2][row],
                                                      lower[u / 2][row]);
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

/// Whether the entries of a run are the four parts, of 32 bytes of k, of whole
/// rows of 128 bytes, each at the start of a pattern of the swizzle: as in most
/// kernels. `matrix` is that of an entry.
template <typename Matrix>
inline bool haveWholeRows(const TensorRun &run, Matrix matrix) {
  const TensorMatrix &first = matrix(run.entries[0]);
  if (run.entryCount != 4 || first.alongRows || first.widthLog != 7 ||
      first.atomLog != 4 || first.phase || first.isAbsolute ||
      first.start % 1024 || first.stride % 1024)
    return false;
  for (uint32_t i = 1; i < 4; ++i) {
    const TensorMatrix &next = matrix(run.entries[i]);
    if (next.start != first.start + 32 * i || next.stride != first.stride ||
        next.alongRows || next.widthLog != 7 || next.atomLog != 4 ||
        next.phase || next.isAbsolute)
      return false;
  }
  return true;
}

/// The dwords of a block for all four entries, whose rows are whole.
inline void loadWholeBlock(U32<16> (*words)[8], const TensorRun &run,
                           const TensorBlock &block) {
  const TensorMatrix &a = run.entries[0].a;
  const char *pattern = run.sharedA + a.start + block.row / 8 * a.stride;
  U32<8> parts[2][8][4];
  for (int half = 0; half < 2; ++half, pattern += a.stride)
    repeat<8>([&](auto row) {
      loadWholeRow<row.value>(parts[half][row.value], pattern);
    });
  for (int i = 0; i < 4; ++i) {
    U32<16> rows[8];
    for (int row = 0; row < 8; ++row)
      rows[row] =
          pick<16, [](int j) { return j; }>(parts[0][row][i], parts[1][row][i]);
    transposeRows(words[i], rows);
  }
}

/// The metadata of a sparse A: 4 bits for chunk `chunk` of each row. ISA:
/// "sparsity selector"; docs/TensorCores.md.
inline Codes chunkCodes(const TensorRun &run, const TensorEntry &entry,
                        const TensorBlock &block, uint32_t chunk) {
  const uint32_t *lanes = run.cells + block.lane;
  auto load = [&](uint32_t column) {
    return loadUnaligned<Codes>(lanes +
                                (entry.metadata + column) * kTensorLanes);
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
  Codes words = loadUnaligned<Codes>(run.cells + column * kTensorLanes +
                                     block.lane / 32 * 32 + block.row % 32);
  return decodeScale(words >> 8 * (s % 4), run.has(kTensorUE4M3));
}

/// Those of 16 columns of B, from `column` on.
inline F32<16> scalesOfB(const TensorRun &run, const TensorEntry &entry,
                         uint32_t column, uint32_t part) {
  uint32_t s = entry.scaleIdB + part, n = column % run.scaleModulus;
  uint32_t at = entry.scaleB + n / 32 + s / 4 * run.scaleGroupB;
  uint32_t lane = run.blocks[0].lane / 32 * 32;
  Codes words =
      loadUnaligned<Codes>(run.cells + at * kTensorLanes + lane + n % 32);
  return decodeScale(words >> 8 * (s % 4), run.has(kTensorUE4M3));
}

} // namespace ptxjit::device

#endif
