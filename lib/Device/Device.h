//===- Device.h - conventions of the device library -------------*- C++ -*-===//
//
// Instructions that read best as C++ on vectors of lanes. Compiled by clang to
// bitcode once per CPU level, embedded, and linked into kernels on demand; the
// same files are unit-tested natively. Freestanding: no library calls.
//
// A function `name` exists for 1, 4, 8 and 16 lanes as `ptxjit_<name>_x<W>`.
// Operands and result travel by reference, since how vectors travel by value
// depends on the CPU.
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

} // namespace ptxjit::device

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
