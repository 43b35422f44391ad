//===- CompilerABI.h - the compiler library's C interface ---------*- C -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `libptxjit-compiler.so` exports one function, ptxjitGetCompiler. Runtime and
// tools open the library when they first need it; neither links MLIR. Strings
// belong to the object they were read from. All functions may be called from
// any thread; one module may be compiled by several threads at once.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_RUNTIME_COMPILERABI_H
#define PTXJIT_RUNTIME_COMPILERABI_H

#include "ptxjit/Runtime/KernelABI.h"
#include "ptxjit/Runtime/Specialization.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PTXJIT_COMPILER_ABI_VERSION 10u
#define PTXJIT_COMPILER_LIBRARY "libptxjit-compiler.so"

/** Takes diagnostics and emitted text, in pieces. */
typedef struct PtxjitSink {
  void (*write)(void *user, const char *text, size_t size);
  void *user;
} PtxjitSink;

typedef struct PtxjitParam {
  const char *name;
  const char *type; /**< "u64" */
  uint32_t elementBytes, align, offset;
  uint64_t count; /**< elements */
} PtxjitParam;

/** (address of `symbol` + addend) >> shift, `bytes` wide, at `offset`. */
typedef struct PtxjitReloc {
  uint64_t offset;
  uint32_t bytes, shift;
  const char *symbol;
  int64_t addend;
} PtxjitReloc;

/** A `.global` or `.const` variable. */
typedef struct PtxjitVariable {
  const char *name;
  uint64_t bytes, align;
  const uint8_t *init; /**< leading bytes; the rest is 0 */
  uint64_t initBytes;
  const PtxjitReloc *relocs;
  uint64_t numRelocs;
  uint32_t isConstant; /**< `.const`, whose addresses may be kept in 32 bits */
} PtxjitVariable;

typedef struct PtxjitKernelInfo {
  const char *name;
  const PtxjitParam *params;
  uint32_t numParams, paramBytes;
  uint32_t maxntid[3], reqntid[3];  /**< 0 where not given */
  uint32_t cluster[3];              /**< `.reqnctapercluster`, the same */
  uint32_t maxClusterRank;          /**< `.maxclusterrank`, the same */
  uint32_t explicitCluster;         /**< `.explicitcluster` */
  uint32_t blocksAreClusters;       /**< `.blocksareclusters` */
  uint32_t sharedBytes, localBytes; /**< static shared; local per thread */
} PtxjitKernelInfo;

typedef struct PtxjitModuleInfo {
  const char *version, *target;
  const char *text, *fileName; /**< what was parsed */
  const PtxjitKernelInfo *kernels;
  const PtxjitVariable *variables;
  /** Names of all functions, kernels included, in order: see
   *  PTXJIT_FUNCTION_ADDRESS. */
  const char *const *functions;
  uint32_t numKernels, numVariables, numFunctions;
  uint32_t addressBits; /**< 64, or 32: all memory must lie below 4 GiB */
} PtxjitModuleInfo;

typedef struct PtxjitCompileTimes {
  double parse, lower, optimize, codegen, load; /**< milliseconds */
} PtxjitCompileTimes;

/** Code from `offset` on belongs to this place of the PTX; line 0: to none. */
typedef struct PtxjitLine {
  uint32_t offset, line, column;
} PtxjitLine;

/** A compiled kernel, ready to run. */
typedef struct PtxjitImage {
  const char *kernel; /**< its name */
  PtxjitKernelEntry entry;
  uint64_t codeBegin, codeBytes; /**< all machine code */
  const PtxjitLine *lines;       /**< by offset in the code */
  uint64_t numLines;
  uint32_t sharedEnd;  /**< where dynamic shared memory begins in the window */
  uint32_t localBytes; /**< per thread */
  uint32_t stackBytes; /**< per strand, in a mode with fibers */
  uint64_t frameBytes; /**< per CTA, in PTXJIT_MODE_FISSION */
  uint32_t chunk;
  uint32_t mode;          /**< PtxjitMode */
  uint32_t waitsOnMemory; /**< a CTA may wait for other CTAs */
  const char *reason;     /**< why that mode, one line */
  uint32_t degraded;      /**< compiled by the slow fallback, after a failure */
  const PtxjitVariable *globals; /**< in the order of the context's table */
  uint32_t numGlobals;
  PtxjitCompileTimes times;
  /** The relocatable object that the code came from, self-contained, and the
   *  name of the entry in it: what a cache keeps. */
  const uint8_t *object;
  uint64_t objectBytes;
  const char *symbol;
} PtxjitImage;

typedef struct PtxjitModule PtxjitModule;

/** A launch for the reference interpreter. */
typedef struct PtxjitReferenceLaunch {
  uint32_t grid[3], block[3];
  uint32_t cluster[3]; /**< CTAs of a cluster; at least 1 in each dimension */
  uint32_t explicitCluster; /**< 1: they were given */
  const uint8_t *params;
  uint32_t dynamicShared;
  uint64_t seed; /**< order in which threads run; 0: in order */
  /** Address of a `.global` or `.const` variable. */
  uint64_t (*resolve)(void *user, const char *symbol);
  void *user;
} PtxjitReferenceLaunch;

/** Runs body(argument) on the calling thread. If it crashes it is left by a
 *  jump, and the result is the signal; else 0. */
typedef int (*PtxjitGuardFn)(void (*body)(void *), void *argument);

typedef struct PtxjitCompiler {
  uint32_t version;
  /** Under what the compiler shall run from now on: a crash of it is an error
   *  then, and not the end of the process. */
  void (*setGuard)(PtxjitGuardFn guard);
  /** Parses a module. Null after errors, which go to `diagnostics` with line
   *  and caret. `checkBodies`: 0 reads declarations only. */
  PtxjitModule *(*parse)(const char *text, size_t size, const char *fileName,
                         int checkBodies, PtxjitSink diagnostics,
                         uint32_t *numErrors);
  void (*destroyModule)(PtxjitModule *module);
  const PtxjitModuleInfo *(*getInfo)(const PtxjitModule *module);
  /** Compiles one kernel. Null after errors. */
  PtxjitImage *(*compile)(const PtxjitModule *module, const char *kernel,
                          const PtxjitSpecialization *specialization,
                          PtxjitSink diagnostics);
  void (*destroyImage)(PtxjitImage *image);
  /** Writes one stage of a kernel: ptx, normalized, structured, masked, vector,
   *  llvm, asm or obj; or what its passes tell: explain (each access and
   *  divergent branch, and what became of it) or remarks (what is slow, as
   *  diagnostics). 0 on success. */
  int (*emit)(const PtxjitModule *module, const char *kernel,
              const PtxjitSpecialization *specialization, const char *stage,
              PtxjitSink output, PtxjitSink diagnostics);
  /** Runs a launch on the reference interpreter. 0 on success. */
  int (*interpret)(const PtxjitModule *module, const char *kernel,
                   const PtxjitReferenceLaunch *launch, PtxjitSink diagnostics);
  /** Is `cpu` (as in PtxjitSpecialization) one whose code runs here? */
  int (*canRun)(const char *cpu);
} PtxjitCompiler;

/** The library's only export. Null if it does not speak `version`. */
typedef const PtxjitCompiler *(*PtxjitGetCompilerFn)(uint32_t version);
#define PTXJIT_GET_COMPILER "ptxjitGetCompiler"

#ifdef __cplusplus
}
#endif

#endif
