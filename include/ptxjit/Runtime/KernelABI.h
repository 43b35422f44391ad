//===- KernelABI.h - what compiled kernels and the runtime share --*- C -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A compiled kernel has no undefined symbols and no absolute addresses: all it
// needs it reaches through the context pointer, its one argument. Plain C;
// sizes and offsets are pinned by a unit test. Change anything here: raise
// PTXJIT_KERNEL_ABI_VERSION.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_RUNTIME_KERNELABI_H
#define PTXJIT_RUNTIME_KERNELABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PTXJIT_KERNEL_ABI_VERSION 12u

/** `.shared` addresses are 32-bit offsets in the CTA's window; static data
 *  start here, so that 0 is never the address of an object. */
#define PTXJIT_SHARED_BASE 1024u

/** What lies in front of them is for system software: its second part, from
 * here on, is where CUDA's cooperative groups meet that are larger than a warp.
 */
#define PTXJIT_SHARED_GROUPS 512u

/** A CTA's part of its cluster's shared memory; the byte above that many bits
 * of a `.shared` address is the rank of the CTA in the cluster. */
#define PTXJIT_SHARED_BITS 24u
/** CTAs of a cluster, at most. */
#define PTXJIT_MOST_CLUSTER_CTAS 16u

/** An mbarrier object, 64 bits: arrivals that are missing, arrivals that each
 *  phase expects, bytes that are missing (two's complement), and the parity of
 *  the phase. */
enum {
  PTXJIT_MBARRIER_COUNT_BITS = 20,
  PTXJIT_MBARRIER_EXPECTED_SHIFT = 20,
  PTXJIT_MBARRIER_TX_SHIFT = 40,
  PTXJIT_MBARRIER_TX_BITS = 23,
  PTXJIT_MBARRIER_PHASE_SHIFT = 63,
};

/** Memory of modules of `.address_size 32` lies below. From here on the
 *  reference interpreter has windows of its own. */
#define PTXJIT_LOW_MEMORY_END 0xe0000000u

/** The address of a function is a number that nothing else has: that of the
 *  module's function `index`, in the order of their declarations. */
#define PTXJIT_FUNCTION_ADDRESS(index) (256u + 16u * (index))

/** Local memory of a warp whose threads have `frame` bytes each: 32 frames,
 * then as much again for the variables that are stored by element, those of the
 * 32 lanes side by side. */
#define PTXJIT_LOCAL_BYTES(frame) (64u * (frame))

/** What became of the threads run so far. */
typedef enum PtxjitKernelStatus {
  PTXJIT_KERNEL_OK = 0,
  PTXJIT_KERNEL_TRAP = 1,     /**< a thread executed `trap` */
  PTXJIT_KERNEL_DEADLOCK = 2, /**< all warps wait, and nobody is left to come */
  PTXJIT_KERNEL_ILLEGAL = 3,  /**< an operand that no hardware accepts */
  PTXJIT_KERNEL_STACK_OVERFLOW = 4, /**< functions call each other too deeply */
  PTXJIT_KERNEL_ILLEGAL_ADDRESS = 5,
  PTXJIT_KERNEL_MISALIGNED_ADDRESS = 6,
  PTXJIT_KERNEL_ASSERT = 7, /**< a thread called `__assertfail` */
} PtxjitKernelStatus;

struct PtxjitKernelContext;

/** Modes and reductions of `barrier`, as `mode | reduce << 8`. */
enum {
  PTXJIT_BARRIER_SYNC = 0,
  PTXJIT_BARRIER_ARRIVE = 1,
  PTXJIT_BARRIER_RED = 2,
  PTXJIT_BARRIER_POPC = 0,
  PTXJIT_BARRIER_AND = 1,
  PTXJIT_BARRIER_OR = 2,
};

/** What the threads of a warp have brought to an operation that all of them do,
 *  where each thread is a strand. */
typedef struct PtxjitGathered {
  uint32_t present;    /**< lanes that take part */
  uint32_t yes;        /**< those whose value is odd */
  uint64_t values[32]; /**< of the lanes that take part */
} PtxjitGathered;

/** Functions that the system supplies. */
typedef enum PtxjitSystemFunction {
  /** void __assertfail(const char *message, const char *file, unsigned line,
   *  const char *function, size_t charSize): tells of one thread. When all
   *  lanes that fail have been told of, code calls `fault` with
   *  PTXJIT_KERNEL_ASSERT. */
  PTXJIT_SYSTEM_ASSERT = 0,
  /** int vprintf(const char *format, const void *arguments): each argument at
   *  a multiple of its size, 4 or 8 bytes. */
  PTXJIT_SYSTEM_PRINT = 1,
  PTXJIT_SYSTEM_MALLOC = 2, /**< void *malloc(size_t bytes) */
  PTXJIT_SYSTEM_FREE = 3,   /**< void free(void *pointer) */
} PtxjitSystemFunction;
#define PTXJIT_SYSTEM_MOST_PARAMS 8u
/** Added to the function's number in modules of `.address_size 32`: pointers,
 *  `size_t` and `long` have 4 bytes. */
#define PTXJIT_SYSTEM_NARROW 0x100u

/** Why a strand lets others run. */
typedef enum PtxjitYield {
  PTXJIT_YIELD_WAITS = 0, /**< it waits for what others write */
  /** The same, in a loop whose turns meet other strands: barriers that are
   *  passed in between are no progress. */
  PTXJIT_YIELD_MEETS = 1,
  PTXJIT_YIELD_ORDER = 2, /**< others should come as far; it waits for none */
} PtxjitYield;

/** What compiled code calls. A strand is what has a stack of its own: a warp,
 *  or in PTXJIT_MODE_THREADS a thread; they are numbered through the CTA. None
 *  of them may throw, lock or allocate, but those that end the launch. */
typedef struct PtxjitHelpers {
  /** Arrives at barrier `id` (0 to 15) of the CTA and, unless it only arrives,
   *  waits for `threads` threads (0: all). `votes` are the lanes of `active`
   *  whose predicate holds. Returns the reduction, else 0. */
  uint32_t (*barrier)(struct PtxjitKernelContext *context, uint32_t strand,
                      uint32_t id, uint32_t threads, uint32_t mode,
                      uint32_t votes, uint32_t active);
  /** Lets other strands run. `kind` is a PtxjitYield. Returns 0. */
  uint32_t (*yield)(struct PtxjitKernelContext *context, uint32_t strand,
                    uint32_t kind);
  /** A thread waits until all `members` of its warp that have not exited have
   *  called this with the same `kind` and `members`. */
  const PtxjitGathered *(*gather)(struct PtxjitKernelContext *context,
                                  uint32_t strand, uint32_t kind,
                                  uint32_t members, uint64_t value);
  /** The strand ends here. Does not return. */
  uint32_t (*leave)(struct PtxjitKernelContext *context, uint32_t strand);
  /** The launch fails with `status`: the lanes `lanes` of the strand are why,
   *  and `address`, if it is an address that is bad. Does not return. */
  uint32_t (*fault)(struct PtxjitKernelContext *context, uint32_t strand,
                    uint32_t status, uint32_t lanes, uint64_t address);
  /** A thread calls `function`; `places` are the host addresses of its
   * arguments and results. Returns 0. */
  uint32_t (*system)(struct PtxjitKernelContext *context, uint32_t strand,
                     uint32_t function, uint32_t lane, const uint64_t *places);
  /** Updates the mbarrier at host address `address`: `tx` more bytes are
   *  missing (fewer if negative), `drops` arrivals fewer are expected from now
   *  on, `arrivals` have come. Returns the state before the arrivals. */
  uint64_t (*mbarrier)(struct PtxjitKernelContext *context, uint64_t address,
                       uint32_t arrivals, uint32_t drops, int32_t tx);
  /** The strand arrives at the barrier of the cluster (`wait` 0) or waits until
   *  all threads of the cluster that have not exited have. Returns 0. */
  uint32_t (*clusterBarrier)(struct PtxjitKernelContext *context,
                             uint32_t strand, uint32_t wait);
  /** Nanoseconds since some time before the process began. */
  uint64_t (*time)(struct PtxjitKernelContext *context);
} PtxjitHelpers;

/** One worker's view of a launch. The runtime fills it once per launch and
 *  worker, and sets `ctaid` before each call. */
typedef struct PtxjitKernelContext {
  uint32_t abiVersion;
  uint32_t status; /**< written by the kernel: PtxjitKernelStatus */
  uint32_t ctaid[3];
  uint32_t nctaid[3];      /**< grid extents in CTAs */
  const uint8_t *params;   /**< laid out as `.param` space, 16-byte aligned */
  const uint64_t *globals; /**< addresses of the module's variables, in order */
  uint8_t *shared;         /**< the CTA's shared window */
  uint8_t *local;          /**< warps' local memory (PTXJIT_LOCAL_BYTES); in
                            *   PTXJIT_MODE_THREADS the threads' stacks */
  uint64_t gridid;
  uint32_t dynamicShared; /**< bytes */
  uint32_t totalShared;   /**< bytes, static and dynamic */
  uint32_t smid;          /**< index of this worker */
  uint32_t nsmid;         /**< number of workers */
  const PtxjitHelpers *helpers;
  void *runtime;        /**< the helpers' own */
  uint64_t localStride; /**< bytes from strand to strand; 0: shared */
  /** Of a cooperative launch: a PtxjitGridWorkspace, else 0. The ISA leaves
   *  %envreg to the driver; CUDA reads this from %envreg1 (high) and 2 (low).
   */
  uint64_t gridWorkspace;
  uint8_t *frame; /**< of a kernel that is split: values between the parts */
  uint32_t clusterDim[3];   /**< extents of a cluster in CTAs */
  uint32_t clusterRank;     /**< of this CTA; `shared` begins at this rank's
                             *   place of the cluster's shared memory */
  uint32_t explicitCluster; /**< 1: extents were given */
} PtxjitKernelContext;

/** What CUDA's grid-wide barrier works on. */
typedef struct PtxjitGridWorkspace {
  uint32_t bytes;   /**< of this */
  uint32_t barrier; /**< 0 at the start */
} PtxjitGridWorkspace;

/** Runs strands `begin` to `end` - 1 of CTA `context->ctaid`. Those that wait
 *  for each other must be called each on a stack of its own. */
typedef void (*PtxjitKernelEntry)(PtxjitKernelContext *context, uint32_t begin,
                                  uint32_t end);

/** How the warps of a CTA are to be run. */
typedef enum PtxjitMode {
  PTXJIT_MODE_WARP_LOOP = 0, /**< in one call: none waits */
  PTXJIT_MODE_FISSION = 1,   /**< in one call, split at the barriers */
  PTXJIT_MODE_FIBERS = 2,    /**< each on a fiber */
  PTXJIT_MODE_THREADS = 3,   /**< each thread on a fiber, for itself */
} PtxjitMode;

#ifdef __cplusplus
}
#endif

#endif
