//===- MatrixElements.h - elements of matrices in vectors -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dwords of matrices hold one or several elements. The classes here say how to
// get these as the numbers that multiplications work with.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_DEVICE_MATRIXELEMENTS_H
#define PTXJIT_LIB_DEVICE_MATRIXELEMENTS_H

#include "SmallFloat.h"

// Products of several elements.
#if defined(__aarch64__)
#include "ProductsAArch64.h"
#else
#include "ProductsX86.h"
#endif

namespace ptxjit::device {

using Lanes = U32<32>;

//===----------------------------------------------------------------------===//
// Places of elements
//===----------------------------------------------------------------------===//

template <typename T, T... I> struct Sequence {};

template <auto F, typename V, int... I>
inline auto pickEach(V a, V b, Sequence<int, I...>) {
  return __builtin_shufflevector(a, b, F(I)...);
}
/// Selects elements F(0), F(1), ... F(N - 1) of the concatenation of two
/// vectors.
template <int N, auto F, typename V> inline auto pick(V a, V b) {
  return pickEach<F>(a, b, __make_integer_seq<Sequence, int, N>{});
}

/// Selects dword T of each row: of 8 rows in one register, or of 16 in two.
template <int R, int T, typename V> inline auto rowsOf(const V *registers) {
  return pick<R, [](int i) { return 4 * i + T; }>(registers[0],
                                                  registers[R / 8 - 1]);
}

template <typename V> inline auto interleave(V a, V b) {
  constexpr int n = sizeof(V) / sizeof(a[0]);
  return pick<2 * n, [](int i) { return i % 2 * n + i / 2; }>(a, b);
}

template <int I> struct Constant {
  static constexpr int value = I;
};
template <typename F, int... I>
inline void callWithEach(F f, Sequence<int, I...>) {
  (f(Constant<I>()), ...);
}
/// Calls f(Constant<0>()), f(Constant<1>()), ... N times: a tile's number is
/// part of an instruction.
template <int N, typename F> inline void repeat(F f) {
  callWithEach(f, __make_integer_seq<Sequence, int, N>{});
}

/// Transposes 8 rows of 8 dwords.
inline void transpose(U32<8> *rows) {
  auto exchange = [&]<int Bit>(Constant<Bit>) {
    for (int i = 0; i < 8; ++i) {
      if (i & Bit)
        continue;
      U32<8> low = rows[i], high = rows[i + Bit];
      rows[i] =
          pick<8, [](int j) { return j & Bit ? 8 + j - Bit : j; }>(low, high);
      rows[i + Bit] =
          pick<8, [](int j) { return j & Bit ? 8 + j : j + Bit; }>(low, high);
    }
  };
  exchange(Constant<4>());
  exchange(Constant<2>());
  exchange(Constant<1>());
}
/// Loads row `Row` of a pattern of the swizzle of 128 bytes, which begins at
/// `pattern`, in four parts of 32 bytes.
template <int Row>
inline void loadWholeRow(U32<8> *parts, const char *pattern) {
  for (int half = 0; half < 2; ++half) {
    auto pieces =
        loadUnaligned<U32<16>>(pattern + 128 * Row + 64 * (half ^ Row / 4));
    pieces = pick<16, [](int i) { return i ^ Row % 4 * 4; }>(pieces, pieces);
    parts[2 * half] = pieces.lo;
    parts[2 * half + 1] = pieces.hi;
  }
}

/// Transposes 16 rows of 8 dwords, row r and row r + 8 in one vector.
inline void transposeRows(U32<16> *dwords, const U32<16> *rows) {
  U32<16> pairs[8], fours[8];
  // Elements of two, four and eight rows side by side, in each quarter of the
  // vectors and then over the quarters of each half.
  for (int i = 0; i < 8; i += 2) {
    pairs[i] =
        pick<16, [](int j) { return j / 4 * 4 + j % 4 / 2 + (j % 2) * 16; }>(
            rows[i], rows[i + 1]);
    pairs[i + 1] = pick<16, [](int j) {
      return j / 4 * 4 + 2 + j % 4 / 2 + (j % 2) * 16;
    }>(rows[i], rows[i + 1]);
  }
  for (int i = 0; i < 8; i += 4)
    for (int h = 0; h < 2; ++h) {
      fours[i + 2 * h] =
          pick<16, [](int j) { return j / 4 * 4 + j % 2 + j % 4 / 2 * 16; }>(
              pairs[i + h], pairs[i + 2 + h]);
      fours[i + 2 * h + 1] = pick<16, [](int j) {
        return j / 4 * 4 + 2 + j % 2 + j % 4 / 2 * 16;
      }>(pairs[i + h], pairs[i + 2 + h]);
    }
  // Now fours[d] has dword d (and d + 4) of rows 0 to 3, fours[4 + d] of rows 4
  // to 7, and of the rows 8 further on.
  for (int d = 0; d < 4; ++d) {
    dwords[d] =
        pick<16, [](int j) { return j / 8 * 8 + j % 4 + j % 8 / 4 * 16; }>(
            fours[d], fours[4 + d]);
    dwords[4 + d] =
        pick<16, [](int j) { return j / 8 * 8 + 4 + j % 4 + j % 8 / 4 * 16; }>(
            fours[d], fours[4 + d]);
  }
}

//===----------------------------------------------------------------------===//
// Elements in 32 bits
//===----------------------------------------------------------------------===//

// get(x, e) returns element e of each dword of `x`.

struct HalfElements {
  static constexpr int count = 2;
  template <int W> static F32<W> get(U32<W> x, int e) {
    using Bits = Vec<uint16_t, W>;
    using Half = Vec<_Float16, W>;
    Bits bits = __builtin_convertvector(e ? x >> 16 : x & 0xffffu, Bits);
    return __builtin_convertvector(__builtin_bit_cast(Half, bits), F32<W>);
  }
};
struct Bf16Elements {
  static constexpr int count = 2;
  template <int W> static F32<W> get(U32<W> x, int e) {
    return fromBits<W>(e ? x & 0xffff0000u : x << 16);
  }
};
struct Tf32Elements {
  static constexpr int count = 1;
  template <int W> static F32<W> get(U32<W> x, int) {
    return fromBits<W>(x & 0xffffe000u);
  }
};
/// Codes of `Bits` bits, at bit `First` of containers of `Size` bits.
template <typename Format, int Size, int First, int Bits> struct CodeElements {
  static constexpr int count = 32 / Size;
  template <int W> static F32<W> get(U32<W> x, int e) {
    return Format::template decode<W>(x >> uint32_t(Size * e + First) &
                                      ((1u << Bits) - 1));
  }
};
using E4m3Elements = CodeElements<E4M3, 8, 0, 8>;
using E5m2Elements = CodeElements<E5M2, 8, 0, 8>;
using E3m2Elements = CodeElements<E3M2, 8, 0, 6>;
using E2m3Elements = CodeElements<E2M3, 8, 0, 6>;
using E2m1Elements = CodeElements<E2M1, 8, 2, 4>;
using NibbleElements = CodeElements<E2M1, 4, 0, 4>;

/// Unchanged dwords.
struct RawElements {
  static constexpr int count = 1;
  template <int W> static U32<W> get(U32<W> x, int) { return x; }
};
/// Signed bytes as unsigned ones, to each of which 128 is added, or unsigned
/// bytes as signed ones: 128 is subtracted.
struct BiasedElements {
  static constexpr int count = 1;
  template <int W> static U32<W> get(U32<W> x, int) { return x ^ 0x80808080u; }
};
/// Pairs of 16 bits: bytes 0 and 2, bytes 1 and 3.
template <bool Signed> struct ByteElements {
  static constexpr int count = 2;
  template <int W> static U32<W> get(U32<W> x, int e) {
    using T = typename Choose<Signed>::Type;
    using Pairs = Vec<T, 2 * W>;
    Pairs bytes = __builtin_bit_cast(Pairs, x);
    bytes = (e ? bytes : bytes << 8) >> 8;
    return __builtin_bit_cast(U32<W>, bytes);
  }

private:
  template <bool S> struct Choose {
    using Type = uint16_t;
  };
  template <> struct Choose<true> {
    using Type = int16_t;
  };
};
/// Pairs of 16 bits: nibbles e and e + 4.
template <bool Signed> struct NibblePairs {
  static constexpr int count = 4;
  template <int W> static U32<W> get(U32<W> x, int e) {
    U32<W> bits = x >> uint32_t(4 * e) & 0x000f000fu;
    if (!Signed)
      return bits;
    using Pairs = Vec<int16_t, 2 * W>;
    Pairs pairs = __builtin_bit_cast(Pairs, bits ^ 0x00080008u) - int16_t(8);
    return __builtin_bit_cast(U32<W>, pairs);
  }
};
/// All ones for elements that are not 0.
template <int Count> struct MaskElements {
  static constexpr int count = Count;
  template <int W> static U32<W> get(U32<W> x, int e) {
    constexpr uint32_t size = 32 / Count;
    constexpr uint32_t mask = uint32_t((uint64_t(1) << size) - 1);
    return U32<W>(I32<W>((x >> (size * uint32_t(e)) & mask) != 0u));
  }
};
/// f64: a register holds 32 of them, one per lane.
struct F64Elements {
  static constexpr int count = 1;
  template <int W> static F64<W> get(F64<W> x, int) { return x; }
};

/// The numbers of fp8 codes. Makes f16 numbers of the codes, and f32 of these.
/// e5m2 is the upper half of f16. e4m3 has the exponents of f16 but for a
/// factor of 2^8; its one NaN is a number there.
inline F32<16> decodeFp8(Vec<uint16_t, 16> code, bool isE5M2) {
  using Bits = Vec<uint16_t, 16>;
  Bits e5m2 = code << 8;
  Bits e4m3 = (code & 0x80) << 8 | (code & 0x7f) << 7;
  Bits half = isE5M2 ? e5m2 : e4m3;
  F32<16> x = __builtin_convertvector(
      __builtin_bit_cast(Vec<_Float16, 16>, half), F32<16>);
  if (isE5M2)
    return x;
  I32<16> isNaN =
      __builtin_convertvector(Vec<int16_t, 16>((code & 0x7f) == 0x7f), I32<16>);
  return choose<16>(isNaN, fromBits<16>(U32<16>(0x7fffffffu)), x * 256.0f);
}

/// The f16 numbers that are nearest.
inline F32<16> roundToHalf(F32<16> x) {
  return __builtin_convertvector(__builtin_convertvector(x, Vec<_Float16, 16>),
                                 F32<16>);
}

/// Pairs of bf16, made of f32 numbers that lose the bits that bf16 lacks.
template <int W> inline U32<W> pairsOf(F32<W> low, F32<W> high) {
  return bitsOf<W>(low) >> 16 | (bitsOf<W>(high) & 0xffff0000u);
}
template <int W> inline F32<W> firstPart(F32<W> x) {
  return fromBits<W>(bitsOf<W>(x) & 0xffff0000u);
}
template <int W>
inline void splitPairs(U32<W> &first, U32<W> &second, F32<W> low, F32<W> high,
                       uint32_t &largest) {
  first = pairsOf<W>(low, high);
  second = pairsOf<W>(low - firstPart<W>(low), high - firstPart<W>(high));
  uint32_t most = __builtin_reduce_max(__builtin_elementwise_max(
      bitsOf<W>(low) & 0x7fffffffu, bitsOf<W>(high) & 0x7fffffffu));
  largest = most > largest ? most : largest;
}

} // namespace ptxjit::device

#endif
