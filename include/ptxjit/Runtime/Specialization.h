//===- Specialization.h - options of a kernel's compilation -------*- C -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All options of a kernel's compilation, in one list. From it are made the
// struct that Runtime hands to the compiler, the key of compiled kernels in
// memory and on disk, and the options of passes. A new option is one line here,
// plus its use.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_RUNTIME_SPECIALIZATION_H
#define PTXJIT_RUNTIME_SPECIALIZATION_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Numeric options of passes: X(type, name, flag, meaning). `type` and `flag`
 *  are those of the pass option. */
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
    "warps that share memory without a barrier run in any order")              \
  X(bool, tiles, "tiles",                                                      \
    "the process may use the CPU's tile registers (AMX)")                      \
  X(unsigned, anyBlock, "any-block",                                           \
    "a PtxjitAnyBlock: extents that are known at the launch only; `block` "    \
    "means nothing then")

/** Numeric options of the compiler outside the passes, in the same form. */
#define PTXJIT_COMPILER_OPTIONS(X)                                             \
  X(bool, quick, "quick", "compile fast rather than well")                     \
  X(unsigned, atLeast, "at-least",                                             \
    "for tests: a PtxjitMode, even where nothing needs it")                    \
  X(unsigned, warps, "warps",                                                  \
    "for tests: a PtxjitWarps instead of what a cost model says")

/** String options of the compiler, in the same form. Null and "" are equal. */
#define PTXJIT_TEXT_OPTIONS(X)                                                 \
  X(const char *, cpu, "cpu",                                                  \
    "LLVM CPU name, maybe with features: \"NAME,+a,-b\"; null: this machine")  \
  X(const char *, inject, "inject",                                            \
    "for tests: stage at which LLVM is made to fail")

#define PTXJIT_DECLARE_NUMBER(type, name, flag, meaning) uint32_t name;
#define PTXJIT_DECLARE_TEXT(type, name, flag, meaning) type name;

/** How many threads a warp of compiled code has (NarrowWarps.h). */
typedef enum PtxjitWarps {
  PTXJIT_WARPS_BY_COST,
  PTXJIT_WARPS_WIDE,   /**< 32 */
  PTXJIT_WARPS_NARROW, /**< fewer, in all kernels that may be run so */
} PtxjitWarps;

/** Which blocks code serves. */
typedef enum PtxjitAnyBlock {
  PTXJIT_ANY_BLOCK_NONE, /**< the one that is given */
  PTXJIT_ANY_BLOCK_ROW,  /**< each of one row: N x 1 x 1 threads */
  PTXJIT_ANY_BLOCK_ALL,  /**< all, in code for one thread at a time */
} PtxjitAnyBlock;

/** What a kernel is compiled for. All fields but `block` default to 0. */
typedef struct PtxjitSpecialization {
  uint32_t block[3];
  PTXJIT_PASS_OPTIONS(PTXJIT_DECLARE_NUMBER)
  PTXJIT_COMPILER_OPTIONS(PTXJIT_DECLARE_NUMBER)
  PTXJIT_TEXT_OPTIONS(PTXJIT_DECLARE_TEXT)
} PtxjitSpecialization;

#undef PTXJIT_DECLARE_NUMBER
#undef PTXJIT_DECLARE_TEXT

/** Are these the extents of a block: 1 to 1024 x 1024 x 64, and 1024 threads at
 *  most? ISA: "cooperative-thread-arrays". */
static inline bool ptxjitIsBlock(const uint32_t block[3]) {
  return block[0] >= 1 && block[0] <= 1024 && block[1] >= 1 &&
         block[1] <= 1024 && block[2] >= 1 && block[2] <= 64 &&
         block[0] * block[1] * block[2] <= 1024;
}
#define PTXJIT_BLOCK_RULE                                                      \
  "a block must have 1 to 1024 threads, at most 1024 x 1024 x 64"

#ifdef __cplusplus
}
#endif

#endif
