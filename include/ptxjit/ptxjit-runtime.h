//===- ptxjit-runtime.h - kernels compiled ahead of time ----------*- C -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `ptx-jit compile FILE.ptx -o FILE.o` makes an object file and a header,
// FILE.h, which includes this one. Programs in C or C++ include FILE.h, and
// link FILE.o and libptxjit-runtime, which has no compiler inside.
// docs/AheadOfTime.md has a complete example.
//
// Kernels and the program share one memory. No function throws, and none ends
// the process, whatever a kernel does. All may be called from any thread.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_PTXJIT_RUNTIME_H
#define PTXJIT_PTXJIT_RUNTIME_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PTXJIT_RUNTIME_API __attribute__((visibility("default")))

/** What went wrong. */
typedef enum PtxjitError {
  PTXJIT_OK = 0,
  /** Extents or sizes out of range; or other ones than the kernel requires, or
   *  was compiled for. */
  PTXJIT_ERROR_INVALID_ARGUMENT = 1,
  PTXJIT_ERROR_NOT_FOUND = 2, /**< no variable of that name */
  /** The object was compiled for another version of this library. */
  PTXJIT_ERROR_VERSION = 3,
  PTXJIT_ERROR_CPU = 4, /**< it was compiled for another CPU than this one */
  PTXJIT_ERROR_OUT_OF_MEMORY = 5,
  PTXJIT_ERROR_TRAP = 6,                /**< a thread executed `trap` */
  PTXJIT_ERROR_ASSERTION = 7,           /**< a kernel's assertion failed */
  PTXJIT_ERROR_ILLEGAL_INSTRUCTION = 8, /**< barrier number 16, for example */
  PTXJIT_ERROR_ILLEGAL_ADDRESS = 9,     /**< an access outside all memory */
  /** An address that is no multiple of the access's size. */
  PTXJIT_ERROR_MISALIGNED_ADDRESS = 10,
  PTXJIT_ERROR_STACK_OVERFLOW = 11, /**< recursion without end */
  PTXJIT_ERROR_DEADLOCK = 12, /**< all warps of a CTA wait for each other */
} PtxjitError;

/** One line for people. */
PTXJIT_RUNTIME_API const char *ptxjitDescribeError(PtxjitError error);
/** The text of the last error on the calling thread, one line or more: it names
 *  the kernel, the line of PTX, and the thread, as far as they are known. "" if
 *  there was none. Valid until the next call of this thread. */
PTXJIT_RUNTIME_API const char *ptxjitGetLastError(void);

/** The kernels and variables of an object file. Its header declares it. */
typedef struct PtxjitObject PtxjitObject;

/** Checks that this library and this CPU can run the object, and gives its
 *  variables memory. The first use does the same, so a program calls this in
 *  order to know early. Errors: VERSION, CPU, OUT_OF_MEMORY. */
PTXJIT_RUNTIME_API PtxjitError ptxjitLoad(PtxjitObject *object);
/** Frees the memory of the variables. None of the object's kernels may run. The
 *  next use loads it anew. */
PTXJIT_RUNTIME_API void ptxjitUnload(PtxjitObject *object);

/** Finds a variable by its name in PTX. Neither result is set in case of an
 *  error; `bytes` may be null. The memory is valid until ptxjitUnload. Errors:
 *  NOT_FOUND, OUT_OF_MEMORY, and those of ptxjitLoad. */
PTXJIT_RUNTIME_API PtxjitError ptxjitFindVariable(PtxjitObject *object,
                                                  const char *name,
                                                  void **address,
                                                  size_t *bytes);

/** Extents: of a grid or cluster in CTAs, of a block in threads. 0 in y or z
 *  stands for 1. */
typedef struct PtxjitExtents {
  uint32_t x, y, z;
} PtxjitExtents;

/** How a kernel is launched. 0 in all that follows `block` is the usual. */
typedef struct PtxjitLaunch {
  PtxjitExtents grid;     /**< x up to 2^31 - 1, y and z up to 65535 */
  PtxjitExtents block;    /**< of what the kernel was compiled for */
  PtxjitExtents cluster;  /**< 0: what the kernel says */
  uint32_t sharedBytes;   /**< beside what the kernel declares */
  uint32_t isCooperative; /**< 1: all CTAs may wait for each other */
  uint32_t numWorkers;    /**< CPU threads; 0: all cores */
} PtxjitLaunch;

/** A launch of `numBlocks` blocks, each of `numThreads` threads. */
static inline PtxjitLaunch ptxjitLaunchOf(uint32_t numBlocks,
                                          uint32_t numThreads) {
  PtxjitLaunch launch;
  memset(&launch, 0, sizeof(launch));
  launch.grid.x = numBlocks;
  launch.block.x = numThreads;
  return launch;
}

/** Runs all CTAs of a kernel, and returns when they have finished. Programs
 *  call the functions of the object's header, which call this.
 *  \param kernel  number of the kernel in the object.
 *  \param params  laid out as PTX's `.param` space; not retained.
 *  Errors: all but NOT_FOUND. If threads caused one, memory has no defined
 *  contents. */
PTXJIT_RUNTIME_API PtxjitError ptxjitLaunchKernel(PtxjitObject *object,
                                                  uint32_t kernel,
                                                  const PtxjitLaunch *launch,
                                                  const void *params,
                                                  size_t paramBytes);

#ifdef __cplusplus
}
#endif

#endif
