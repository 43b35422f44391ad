//===- Device.h - conventions of the device library -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions that are easiest to write as C++ on vectors of lanes. clang
// compiles them to bitcode once per CPU level; JIT embeds it and links what a
// kernel needs. Unit tests run the same files natively. Freestanding: no
// library calls.
//
// A function `name` exists for 1, 4, 8 and 16 lanes as `ptxjit_<name>_x<W>`.
// Operands and result are passed by reference, since passing vectors by value
// depends on the CPU. ptxjit/Device/Functions.def lists all functions; each
// file ends with assertions that it defines its part of the list.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_DEVICE_DEVICE_H
#define PTXJIT_LIB_DEVICE_DEVICE_H

#include <stdint.h>

namespace ptxjit::device {

template <typename T, int W> using Vec = T __attribute__((ext_vector_type(W)));
template <int W> using F32 = Vec<float, W>;
template <int W> using F64 = Vec<double, W>;
template <int W> using I32 = Vec<int32_t, W>;
template <int W> using U32 = Vec<uint32_t, W>;

template <int W> inline U32<W> bitsOf(F32<W> x) {
  return __builtin_bit_cast(U32<W>, x);
}
template <int W> inline F32<W> fromBits(U32<W> x) {
  return __builtin_bit_cast(F32<W>, x);
}
template <int W> inline F32<W> choose(I32<W> mask, F32<W> a, F32<W> b) {
  return fromBits<W>((U32<W>(mask) & bitsOf<W>(a)) |
                     (~U32<W>(mask) & bitsOf<W>(b)));
}

/// Puts two vectors into one, `low` first.
template <typename T, int W>
inline Vec<T, 2 * W> join(Vec<T, W> low, Vec<T, W> high) {
  Vec<T, 2 * W> both;
  both.lo = low;
  both.hi = high;
  return both;
}

template <typename T, int N> struct RegisterOf {
  using Type = Vec<T, N>;
};
template <typename T> struct RegisterOf<T, 1> {
  using Type = T;
};
/// N elements in a register; one is a scalar.
template <typename T, int N> using Register = typename RegisterOf<T, N>::Type;

/// A vector at any address. (Device code has no memcpy, which code that is
/// compiled fast would call.)
template <typename V> struct __attribute__((packed, may_alias)) Unaligned {
  V value;
};
template <typename V> inline V loadUnaligned(const void *from) {
  return ((const Unaligned<V> *)from)->value;
}
template <typename V> inline void storeUnaligned(void *to, V value) {
  ((Unaligned<V> *)to)->value = value;
}

/// Lane I of a vector, where an instruction may take it from.
template <typename T, int I> struct Lane {
  Vec<T, 4> four;
  operator T() const { return four[I]; }
};

/// The letter of a parameter's type in a signature (Functions.def).
template <typename T> constexpr char letterOf() {
  return __is_pointer(T) ? 'p' : sizeof(T) == 8 ? 'l' : 'i';
}
template <typename... Params>
constexpr bool hasSignature(void (*)(Params...), const char *signature) {
  const char letters[] = {letterOf<Params>()..., 0};
  for (char letter : letters)
    if (letter != *signature++)
      return false;
  return true;
}
/// Whether a function has `operands` operands and a result, all passed by
/// reference.
template <typename... Params>
constexpr bool hasOperands(void (*)(Params...), unsigned operands) {
  return (__is_pointer(Params) && ...) && sizeof...(Params) == operands + 1;
}

} // namespace ptxjit::device

/// Asserts that a function of the list is defined for all widths.
#define PTXJIT_ASSERT_LANES(name, operands)                                    \
  static_assert(hasOperands(&ptxjit_##name##_x1, operands) &&                  \
                hasOperands(&ptxjit_##name##_x4, operands) &&                  \
                hasOperands(&ptxjit_##name##_x8, operands) &&                  \
                hasOperands(&ptxjit_##name##_x16, operands));

#define PTXJIT_EXPORT extern "C" __attribute__((visibility("default")))

/// Defines `ptxjit_<name>_x<W>` for each width, from a template `impl<W>` with
/// one operand.
#define PTXJIT_UNARY_AT(name, impl, To, From, W)                               \
  PTXJIT_EXPORT void ptxjit_##name##_x##W(To<W> *d, const From<W> *a) {        \
    *d = impl<W>(*a);                                                          \
  }
#define PTXJIT_UNARY(name, impl, To, From)                                     \
  PTXJIT_UNARY_AT(name, impl, To, From, 1)                                     \
  PTXJIT_UNARY_AT(name, impl, To, From, 4)                                     \
  PTXJIT_UNARY_AT(name, impl, To, From, 8)                                     \
  PTXJIT_UNARY_AT(name, impl, To, From, 16)

#endif
