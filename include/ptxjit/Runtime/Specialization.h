//===- Specialization.h - what a kernel is compiled for -----------*- C -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of a kernel's compilation, in one list. The lists make the struct
// that Runtime hands to the compiler, the key of compiled kernels in memory and
// on disk, and the options of passes. A new option is one line here, and its
// use.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_RUNTIME_SPECIALIZATION_H
#define PTXJIT_RUNTIME_SPECIALIZATION_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Numbers that passes ask for: X(type, name, flag, meaning). `type` and `flag`
 *  are those of the passes' options. */
#define PTXJIT_PASS_OPTIONS(X)                                                 \
  X(bool, smallGrid, "small-grid",                                             \
    "nctaid * ntid <= 2^31 in each dimension: a thread's index in the grid "   \
    "is never negative as s32")                                                \
  X(unsigned, chunk, "chunk",                                                  \
    "lanes per vector: 1, 4, 8 or 16; 0, where a CPU is known: its own")       \
  X(bool, fastMatrices, "fast-matrices",                                       \
    "products of bf16 matrices as the CPU computes them: subnormals are 0, "   \
    "and pairs of products are rounded")                                       \
  X(bool, freeOrder, "free-order",                                             \
    "warps that share memory without a barrier run in any order")

/** Numbers that the compiler asks for around the passes, alike. */
#define PTXJIT_COMPILER_OPTIONS(X)                                             \
  X(bool, quick, "quick", "compile fast rather than well")                     \
  X(unsigned, atLeast, "at-least",                                             \
    "for tests: a PtxjitMode, even where nothing needs it")

/** Texts that the compiler asks for, alike. Null and "" mean the same. */
#define PTXJIT_TEXT_OPTIONS(X)                                                 \
  X(const char *, cpu, "cpu", "LLVM CPU name; null: this machine")             \
  X(const char *, inject, "inject",                                            \
    "for tests: stage at which LLVM is made to fail")

#define PTXJIT_DECLARE_NUMBER(type, name, flag, meaning) uint32_t name;
#define PTXJIT_DECLARE_TEXT(type, name, flag, meaning) type name;

/** What a kernel is compiled for. Zero everywhere but `block` is the default.
 */
typedef struct PtxjitSpecialization {
  uint32_t block[3];
  PTXJIT_PASS_OPTIONS(PTXJIT_DECLARE_NUMBER)
  PTXJIT_COMPILER_OPTIONS(PTXJIT_DECLARE_NUMBER)
  PTXJIT_TEXT_OPTIONS(PTXJIT_DECLARE_TEXT)
} PtxjitSpecialization;

#undef PTXJIT_DECLARE_NUMBER
#undef PTXJIT_DECLARE_TEXT

#ifdef __cplusplus
}
#endif

#endif
