//===- RoundingX86.h - instructions in directed rounding modes --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For every x86-64 CPU with AVX2. One asm statement changes MXCSR, runs the
// instruction and restores MXCSR, so that no other code can move into the mode.
// Each does so in a line of its own; lib/JIT/RoundingSwitches.cpp leaves out
// what is not needed, and knows the mode by the only constant among the
// operands.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_DEVICE_ROUNDINGX86_H
#define PTXJIT_LIB_DEVICE_ROUNDINGX86_H

#include "Device.h"

namespace ptxjit::device {

/// The bytes of the widest register that an instruction works on.
constexpr int kRegisterBytes = 32;

// MXCSR values: exceptions masked; rounding control is in bits 13 and 14.
// Constants in memory, so that the statements below only read it: code of other
// lanes may be moved across them.
constexpr uint32_t kUsual = 0x1f80; // in all kernels
constexpr uint32_t kDown = kUsual | 1 << 13, kUp = kUsual | 2 << 13,
                   kZero = kUsual | 3 << 13;
template <uint32_t Value> constexpr uint32_t inMemory = Value;

#define PTXJIT_ASM(insn, operands, ...)                                        \
  __asm__("ldmxcsr %[mode]\n\t" insn operands "\n\tldmxcsr %[usual]"           \
          : [d] "=&x"(d)                                                       \
          : __VA_ARGS__, [mode] "m"(inMemory<Mode>),                           \
            [usual] "m"(inMemory<kUsual>), [name] "i"(Mode))
#define PTXJIT_ASM1(insn) PTXJIT_ASM(insn, " %[a], %[d]", [a] "x"(a))
#define PTXJIT_ASM2(insn)                                                      \
  PTXJIT_ASM(insn, " %[b], %[a], %[d]", [a] "x"(a), [b] "x"(b))
#define PTXJIT_ASM3(insn)                                                      \
  PTXJIT_ASM(insn, " %[b], %[a], %[d]", [a] "x"(a), [b] "x"(b), "[d]"(c))

/// Runs the instruction for N elements of type T. `scalar` is its name without
/// `v` if it has two operands more than it needs.
#define PTXJIT_EACH_TYPE(statement, scalar, insn)                              \
  do {                                                                         \
    if constexpr (N == 1 && sizeof(T) == 4)                                    \
      statement(scalar "ss");                                                  \
    else if constexpr (N == 1)                                                 \
      statement(scalar "sd");                                                  \
    else if constexpr (sizeof(T) == 4)                                         \
      statement("v" insn "ps");                                                \
    else                                                                       \
      statement("v" insn "pd");                                                \
  } while (false)

/// a + b, a - b, a * b, a / b, in the rounding mode `Mode`.
#define PTXJIT_BINARY(op)                                                      \
  template <typename T, int N, uint32_t Mode>                                  \
  inline Register<T, N> op##Directed(Register<T, N> a, Register<T, N> b) {     \
    Register<T, N> d;                                                          \
    PTXJIT_EACH_TYPE(PTXJIT_ASM2, "v" #op, #op);                               \
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
  PTXJIT_EACH_TYPE(PTXJIT_ASM1, "sqrt", "sqrt");
  return d;
}

/// a * b + c
template <typename T, int N, uint32_t Mode>
inline Register<T, N> fmaDirected(Register<T, N> a, Register<T, N> b,
                                  Register<T, N> c) {
  Register<T, N> d;
  PTXJIT_EACH_TYPE(PTXJIT_ASM3, "vfmadd231", "fmadd231"); // d = a * b + d
  return d;
}

/// f64 to f32; N is 1, or as many as fit a register of f64.
template <int N, uint32_t Mode>
inline Register<float, N> narrowDirected(Register<double, N> a) {
  Register<float, N> d;
  if constexpr (N == 1)
    PTXJIT_ASM1("cvtsd2ss");
  else
    PTXJIT_ASM1("vcvtpd2psy");
  return d;
}

#undef PTXJIT_EACH_TYPE
#undef PTXJIT_ASM3
#undef PTXJIT_ASM2
#undef PTXJIT_ASM1
#undef PTXJIT_ASM

} // namespace ptxjit::device

#endif
