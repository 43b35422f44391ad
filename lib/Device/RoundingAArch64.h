//===- RoundingAArch64.h - instructions in directed rounding modes -*- C++ -*-//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One asm statement changes FPCR, runs the instruction and restores FPCR, so
// that no other code can move into the mode. Each does so in a line of its own;
// lib/JIT/RoundingSwitches.cpp leaves out what is not needed, and knows the
// mode by the only constant among the operands.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_DEVICE_ROUNDINGAARCH64_H
#define PTXJIT_LIB_DEVICE_ROUNDINGAARCH64_H

#include "Device.h"

namespace ptxjit::device {

/// The bytes of the widest register that an instruction works on.
constexpr int kRegisterBytes = 16;

// FPCR values: the rounding mode is in bits 22 and 23. In all kernels FPCR is 0
// but for these statements.
constexpr uint32_t kUp = 1 << 22, kDown = 2 << 22, kZero = 3 << 22;

#define PTXJIT_ASM(insn, ...)                                                  \
  __asm__("msr fpcr, %[mode]\n\t" insn "\n\tmsr fpcr, xzr"                     \
          : [d] "=&w"(d)                                                       \
          : __VA_ARGS__, [mode] "r"(uint64_t(Mode)), [name] "i"(Mode))

/// Runs the instruction for N elements of type T. `operands` makes a statement
/// of it, and of how registers of that type are written.
#define PTXJIT_EACH_TYPE(operands, insn)                                       \
  do {                                                                         \
    if constexpr (N == 1 && sizeof(T) == 4)                                    \
      operands(insn, "%s", "");                                                \
    else if constexpr (N == 1)                                                 \
      operands(insn, "%d", "");                                                \
    else if constexpr (sizeof(T) == 4)                                         \
      operands(insn, "%", ".4s");                                              \
    else                                                                       \
      operands(insn, "%", ".2d");                                              \
  } while (false)
#define PTXJIT_ONE(insn, r, as)                                                \
  PTXJIT_ASM(insn " " r "[d]" as ", " r "[a]" as, [a] "w"(a))
#define PTXJIT_TWO(insn, r, as)                                                \
  PTXJIT_ASM(insn " " r "[d]" as ", " r "[a]" as ", " r "[b]" as, [a] "w"(a),  \
             [b] "w"(b))

/// a + b, a - b, a * b, a / b, in the rounding mode `Mode`.
#define PTXJIT_BINARY(op)                                                      \
  template <typename T, int N, uint32_t Mode>                                  \
  inline Register<T, N> op##Directed(Register<T, N> a, Register<T, N> b) {     \
    Register<T, N> d;                                                          \
    PTXJIT_EACH_TYPE(PTXJIT_TWO, "f" #op);                                     \
    return d;                                                                  \
  }
PTXJIT_BINARY(add)
PTXJIT_BINARY(sub)
PTXJIT_BINARY(mul)
PTXJIT_BINARY(div)
#undef PTXJIT_BINARY

template <typename T, int N, uint32_t Mode>
inline Register<T, N> sqrtDirected(Register<T, N> a) {
  Register<T, N> d;
  PTXJIT_EACH_TYPE(PTXJIT_ONE, "fsqrt");
  return d;
}

/// a * b + c
template <typename T, int N, uint32_t Mode>
inline Register<T, N> fmaDirected(Register<T, N> a, Register<T, N> b,
                                  Register<T, N> c) {
  Register<T, N> d;
  // Scalars have an instruction with four operands, vectors one that adds to
  // its result.
  if constexpr (N == 1 && sizeof(T) == 4)
    PTXJIT_ASM(
        "fmadd %s[d], %s[a], %s[b], %s[c]", [a] "w"(a), [b] "w"(b), [c] "w"(c));
  else if constexpr (N == 1)
    PTXJIT_ASM(
        "fmadd %d[d], %d[a], %d[b], %d[c]", [a] "w"(a), [b] "w"(b), [c] "w"(c));
  else if constexpr (sizeof(T) == 4)
    PTXJIT_ASM("fmla %[d].4s, %[a].4s, %[b].4s", [a] "w"(a), [b] "w"(b),
               "[d]"(c));
  else
    PTXJIT_ASM("fmla %[d].2d, %[a].2d, %[b].2d", [a] "w"(a), [b] "w"(b),
               "[d]"(c));
  return d;
}

/// f64 to f32; N is 1, or as many as fit a register of f64.
template <int N, uint32_t Mode>
inline Register<float, N> narrowDirected(Register<double, N> a) {
  Register<float, N> d;
  if constexpr (N == 1)
    PTXJIT_ASM("fcvt %s[d], %d[a]", [a] "w"(a));
  else
    PTXJIT_ASM("fcvtn %[d].2s, %[a].2d", [a] "w"(a));
  return d;
}

#undef PTXJIT_TWO
#undef PTXJIT_ONE
#undef PTXJIT_EACH_TYPE
#undef PTXJIT_ASM

} // namespace ptxjit::device

#endif
