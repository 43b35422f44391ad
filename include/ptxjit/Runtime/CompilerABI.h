//===- CompilerABI.h - the compiler library's C interface ---------*- C -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `libptxjit-compiler.so` exports one function, ptxjitGetCompiler. Runtime and
// tools open the library when they first need it; neither links MLIR. A string
// lives as long as the object it was read from. All functions may be called
// from any thread, and several threads may compile one module at once.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_RUNTIME_COMPILERABI_H
#define PTXJIT_RUNTIME_COMPILERABI_H

#include "ptxjit/Runtime/KernelABI.h"
#include "ptxjit/Runtime/Specialization.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PTXJIT_COMPILER_ABI_VERSION 22u
#define PTXJIT_COMPILER_LIBRARY "libptxjit-compiler.so"

/** Receives diagnostics and emitted text, in pieces. */
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

/** Stores (address of `symbol` + addend) >> shift at `offset`, `bytes` wide. */
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
  const uint8_t *init; /**< the first bytes; the rest is 0 */
  uint64_t initBytes;
  const PtxjitReloc *relocs;
  uint64_t numRelocs;
  uint32_t isConstant; /**< `.const`: programs may keep addresses in 32 bits */
  uint32_t isManaged;  /**< `.managed`: one for all devices */
} PtxjitVariable;

typedef struct PtxjitKernelInfo {
  const char *name;
  const PtxjitParam *params;
  uint32_t numParams, paramBytes;
  uint32_t maxntid[3], reqntid[3];  /**< 0: not given */
  uint32_t cluster[3];              /**< `.reqnctapercluster`, 0: not given */
  uint32_t maxClusterRank;          /**< `.maxclusterrank`, 0: not given */
  uint32_t explicitCluster;         /**< `.explicitcluster` */
  uint32_t blocksAreClusters;       /**< `.blocksareclusters` */
  uint32_t sharedBytes, localBytes; /**< static shared; local per thread */
} PtxjitKernelInfo;

typedef struct PtxjitModuleInfo {
  const char *version, *target;
  const char *text, *fileName; /**< as parsed */
  const PtxjitKernelInfo *kernels;
  const PtxjitVariable *variables;
  /** Names of all functions, kernels included, in the order that
   *  PTXJIT_FUNCTION_ADDRESS counts in. */
  const char *const *functions;
  uint32_t numKernels, numVariables, numFunctions;
  uint32_t addressBits; /**< 64, or 32: all memory must lie below 4 GiB */
} PtxjitModuleInfo;

typedef struct PtxjitCompileTimes {
  double parse, lower, optimize, codegen, load; /**< milliseconds */
} PtxjitCompileTimes;

/** Code from `offset` on was made from this place in the PTX; line 0: from
 *  none. */
typedef struct PtxjitLine {
  uint32_t offset, line, column;
} PtxjitLine;

/** An array, behind a pointer parameter, of which code wants to know whether it
 *  is larger than the caches. One that the kernel only writes may go past them,
 *  one that it only reads may be fetched early. */
typedef struct PtxjitParamArray {
  uint32_t param;          /**< offset of the parameter, in bytes */
  uint32_t bytesPerThread; /**< that a thread accesses; 0: a loop decides */
} PtxjitParamArray;

/** A compiled kernel, ready to run; or translated, without addresses: `entry`
 *  is null. */
typedef struct PtxjitImage {
  const char *kernel; /**< name */
  PtxjitKernelEntry entry;
  uint64_t codeBegin, codeBytes; /**< all machine code */
  const PtxjitLine *lines;       /**< sorted by `offset` */
  uint64_t numLines;
  uint32_t sharedEnd;  /**< offset of dynamic shared memory in the window */
  uint32_t localBytes; /**< per thread */
  /** Of the stack of a strand, in a mode with fibers; of that of a CTA that
   * runs in one call and waits for others. */
  uint32_t stackBytes;
  uint64_t frameBytes; /**< per CTA, in PTXJIT_MODE_FISSION */
  uint32_t chunk;
  uint32_t mode;                /**< PtxjitMode */
  uint32_t isFirstTier;         /**< made fast; better code can be made */
  uint32_t strandThreads;       /**< threads of a warp; 1: scalar code */
  uint32_t hasLoops;            /**< its threads may run for long */
  uint32_t waits;               /**< PtxjitWaits */
  uint32_t readsMultiprocessor; /**< it may read `%smid` */
  uint32_t sweeps;              /**< PtxjitSweep */
  /** In the order of the bits of the context's `largeArrays`. */
  const PtxjitParamArray *arrays;
  uint32_t numArrays;
  const char *reason; /**< one line: why this mode was chosen */
  uint32_t degraded;  /**< made by the slow fallback, after a failure */
  const PtxjitVariable *globals; /**< in the order of the context's `globals` */
  uint32_t numGlobals;
  /** The kernel's instructions in PTX, with those of functions that it calls,
   *  and the ops that they have become when LLVM gets them. */
  uint64_t instructions, operations;
  PtxjitCompileTimes times;
  /** The self-contained relocatable object that the code came from, and the
   *  name of its entry: the cache stores these. */
  const uint8_t *object;
  uint64_t objectBytes;
  const char *symbol;
  /** Bits of the helpers that the code may call, in the order of
   *  PtxjitHelpers, and of the PtxjitSystemFunctions. */
  uint64_t helpers, systemCalls;
  /** What the code may use of a CPU: names of CpuFeatures.def, separated by
   *  commas. */
  const char *cpuFeatures;
  /** The length of SVE's registers that the code is for, in bits; 0: any. */
  uint32_t sveBits;
} PtxjitImage;

typedef struct PtxjitModule PtxjitModule;

/** Most memories that an address of `multimem` stands for. */
#define PTXJIT_MOST_REPLICAS 64u

/** A launch for the reference interpreter. */
typedef struct PtxjitReferenceLaunch {
  uint32_t grid[3], block[3];
  uint32_t cluster[3];      /**< CTAs; at least 1 in each dimension */
  uint32_t explicitCluster; /**< 1: extents were given */
  const uint8_t *params;
  uint32_t dynamicShared;
  uint64_t seed; /**< chooses the order of threads; 0: by index */
  /** Address of a `.global` or `.const` variable. */
  uint64_t (*resolve)(void *user, const char *symbol);
  void *user;
  /** Finds the memories that a `multimem` address stands for: writes at most
   *  PTXJIT_MOST_REPLICAS addresses. Returns how many; 0: it is a bad one. */
  uint32_t (*findReplicas)(uint64_t address, uint64_t *replicas);
} PtxjitReferenceLaunch;

/** Runs body(argument) on the calling thread. Returns 0, or the signal of a
 *  crash, which leaves `body` by a jump. */
typedef int (*PtxjitGuardFn)(void (*body)(void *), void *argument);

/** Told of a compilation's stages as they begin: parse, lower, optimize,
 *  codegen. `kernel` is the pointer that `compile` was given. May be called on
 *  any thread, and must be short. */
typedef void (*PtxjitStageFn)(const char *kernel, const char *stage);

typedef struct PtxjitCompiler {
  uint32_t version;
  /** Sets the guard that the compiler runs under from now on. Without one, a
   *  crash of the compiler ends the process; with one, it is an error. */
  void (*setGuard)(PtxjitGuardFn guard);
  /** Sets who is told of stages from now on; null: nobody. */
  void (*setListener)(PtxjitStageFn listener);
  /** Parses a module. Returns null after errors, which are written to
   *  `diagnostics` with line and caret. `checkBodies` 0 reads declarations
   *  only. `text` has a zero behind its `size` characters. The module refers to
   *  it, so it must stay as it is for as long as the module lives. */
  PtxjitModule *(*parse)(const char *text, size_t size, const char *fileName,
                         int checkBodies, PtxjitSink diagnostics,
                         uint32_t *numErrors);
  void (*destroyModule)(PtxjitModule *module);
  const PtxjitModuleInfo *(*getInfo)(const PtxjitModule *module);
  /** Compiles one kernel. Returns null after errors. */
  PtxjitImage *(*compile)(const PtxjitModule *module, const char *kernel,
                          const PtxjitSpecialization *specialization,
                          PtxjitSink diagnostics);
  /** The same for a CPU that need not be this machine's. The image cannot run
   *  here: it has an object, and no address. */
  PtxjitImage *(*translate)(const PtxjitModule *module, const char *kernel,
                            const PtxjitSpecialization *specialization,
                            PtxjitSink diagnostics);
  void (*destroyImage)(PtxjitImage *image);
  /** Makes an object file of assembly text that has directives alone, for the
   *  architecture and system of `cpu` (as in PtxjitSpecialization). Returns 0
   *  on success. */
  int (*assemble)(const char *assembly, const char *cpu, PtxjitSink object,
                  PtxjitSink diagnostics);
  /** Writes one stage of a kernel: ptx, normalized, structured, masked, vector,
   *  llvm, asm or obj; or the remarks of the passes: explain (each access and
   *  divergent branch, with the code made for it) or remarks (slow code, as
   *  diagnostics). Returns 0 on success. */
  int (*emit)(const PtxjitModule *module, const char *kernel,
              const PtxjitSpecialization *specialization, const char *stage,
              PtxjitSink output, PtxjitSink diagnostics);
  /** Runs a launch on the reference interpreter. Returns 0 on success. */
  int (*interpret)(const PtxjitModule *module, const char *kernel,
                   const PtxjitReferenceLaunch *launch, PtxjitSink diagnostics);
  /** Whether code for `cpu` (as in PtxjitSpecialization) runs on this
   *  machine. */
  int (*canRun)(const char *cpu);
} PtxjitCompiler;

/** The library's only export. Returns null if it does not support `version`. */
typedef const PtxjitCompiler *(*PtxjitGetCompilerFn)(uint32_t version);
#define PTXJIT_GET_COMPILER "ptxjitGetCompiler"

#ifdef __cplusplus
}
#endif

#endif
