//===- KernelABI.h - what compiled kernels and the runtime share --*- C -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A compiled kernel has no undefined symbols and no absolute addresses: it
// reaches everything through the context pointer, its first argument. This file
// is plain C, and a unit test pins sizes and offsets. Raise
// PTXJIT_KERNEL_ABI_VERSION with every change here.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_RUNTIME_KERNELABI_H
#define PTXJIT_RUNTIME_KERNELABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PTXJIT_KERNEL_ABI_VERSION 27u

/** `.shared` addresses are 32-bit offsets in the CTA's window. Static data
 *  start here, so that no object has address 0. */
#define PTXJIT_SHARED_BASE 1024u

/** The bytes in front of the static data are reserved for system software.
 *  CUDA's cooperative groups of more than one warp keep their barriers in
 *  the second part, from this offset on. */
#define PTXJIT_SHARED_GROUPS 512u

/** Bits of an offset in a CTA's part of the cluster's shared memory. The
 *  byte above them in a `.shared` address is the rank of the CTA in the
 *  cluster. */
#define PTXJIT_SHARED_BITS 24u
/** Largest number of CTAs in a cluster. */
#define PTXJIT_MOST_CLUSTER_CTAS 16u

/** Layout of an mbarrier object (64 bits): pending arrivals, arrivals that
 *  each phase expects, pending bytes (two's complement), and the parity of
 *  the phase. */
enum {
  PTXJIT_MBARRIER_COUNT_BITS = 20,
  PTXJIT_MBARRIER_EXPECTED_SHIFT = 20,
  PTXJIT_MBARRIER_TX_SHIFT = 40,
  PTXJIT_MBARRIER_TX_BITS = 23,
  PTXJIT_MBARRIER_PHASE_SHIFT = 63,
};

/** Modules of `.address_size 32` have all their memory below this address.
 *  The reference interpreter puts windows of its own above it. */
#define PTXJIT_LOW_MEMORY_END 0xe0000000u

/** The address of the function that the module declares as number `index`: a
 *  number that is the address of nothing else. */
#define PTXJIT_FUNCTION_ADDRESS(index) (256u + 16u * (index))

/** Local memory of a warp whose threads have `frame` bytes each: 32 frames,
 *  and the same size again for variables stored by element, where equal
 *  elements of the 32 lanes lie side by side. */
#define PTXJIT_LOCAL_BYTES(frame) (64u * (frame))

/** Why a launch has failed. */
typedef enum PtxjitKernelStatus {
  PTXJIT_KERNEL_OK = 0,
  PTXJIT_KERNEL_TRAP = 1,           /**< a thread executed `trap` */
  PTXJIT_KERNEL_DEADLOCK = 2,       /**< all strands wait, and none can go on */
  PTXJIT_KERNEL_ILLEGAL = 3,        /**< an operand that no hardware accepts */
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

/** Operands of an operation that the threads of a warp do together, where
 *  each thread is a strand. */
typedef struct PtxjitGathered {
  uint32_t present;    /**< lanes that take part */
  uint32_t yes;        /**< lanes whose value is odd */
  uint64_t values[32]; /**< by lane; only those of `present` are set */
} PtxjitGathered;

/** Functions that CUDA declares for device code and the runtime supplies. */
typedef enum PtxjitSystemFunction {
#define SYSTEM_FUNCTION(id, ...) PTXJIT_SYSTEM_##id,
#include "ptxjit/Runtime/SystemFunctions.def"
#undef SYSTEM_FUNCTION
  PTXJIT_SYSTEM_END
} PtxjitSystemFunction;
/** The most parameters and results of one of them. */
#define PTXJIT_SYSTEM_MOST_PARAMS 9u
#define PTXJIT_SYSTEM_LANES 32u
/** Added to a PtxjitSystemFunction by modules of `.address_size 32`, where
 *  pointers, `size_t` and `long` have 4 bytes. */
#define PTXJIT_SYSTEM_NARROW 0x100u
/** Added where arguments are the same in all lanes: they are given as they are,
 *  not by their addresses. */
#define PTXJIT_SYSTEM_SAME 0x200u

/** Who receives the box of a PtxjitTensorCopy. */
enum {
  PTXJIT_TENSOR_TO_MANY = 1, /**< the CTAs of `ctas`, not the one of `shared` */
  /** `.cta_group::2`: of each pair of CTAs that one counts the bytes whose rank
   *  is even or odd as the rank of `mbarrier`. */
  PTXJIT_TENSOR_PAIR = 2,
};

/** A copy of a box of a tensor by one thread. ISA: "cp.async.bulk.tensor",
 *  "cp.reduce.async.bulk.tensor". Addresses are those of the host. */
typedef struct PtxjitTensorCopy {
  uint64_t map;      /**< of a PtxjitTensorMap, at any alignment */
  uint64_t shared;   /**< of the box in shared memory */
  uint64_t mbarrier; /**< counts the bytes of a load; 0 for other actions */
  /** Coordinates of the box, innermost dimension first. By row (`gather4`,
   *  `scatter4`): the column, and four rows. */
  int32_t at[5];
  /** `im2col`: offsets in w, h and d. `im2col::w`: halo, and offset in w.
   *  Not set for other modes. */
  uint16_t offsets[3];
  uint16_t ctas;  /**< by rank, who receives; set for PTXJIT_TENSOR_TO_MANY */
  uint8_t mode;   /**< PtxjitTensorMode */
  uint8_t dims;   /**< of the tensor, 1 to 5 */
  uint8_t action; /**< PtxjitTensorAction */
  uint8_t to;     /**< PTXJIT_TENSOR_TO_MANY, PTXJIT_TENSOR_PAIR */
} PtxjitTensorCopy;

/** Why a strand lets others run. */
typedef enum PtxjitYield {
  PTXJIT_YIELD_WAITS = 0, /**< it waits for a store of another strand */
  /** It waits for a store, in a loop with barriers inside: passing those
   *  barriers is no progress. */
  PTXJIT_YIELD_MEETS = 1,
  PTXJIT_YIELD_ORDER = 2, /**< lets the others catch up; it does not wait */
} PtxjitYield;

/** Does what the warps of a warpgroup have queued. `queues` are those of its
 *  `warps` warps, in the order of the warps. Part of compiled code. */
typedef void (*PtxjitWarpgroupWork)(void *const *queues, int warps);

/** What becomes of columns of tensor memory. */
typedef enum PtxjitTensorMemoryAction {
  PTXJIT_TENSOR_MEMORY_ALLOCATE = 0,
  PTXJIT_TENSOR_MEMORY_DEALLOCATE = 1,
  PTXJIT_TENSOR_MEMORY_RELINQUISH = 2, /**< the CTA allocates no more */
} PtxjitTensorMemoryAction;

/** What a PtxjitTensorMultiply says beside its descriptors. */
enum {
  PTXJIT_MULTIPLY_PAIR = 1,         /**< `.cta_group::2` */
  PTXJIT_MULTIPLY_STATIONARY = 2,   /**< `.ws` */
  PTXJIT_MULTIPLY_SPARSE = 4,       /**< `.sp` */
  PTXJIT_MULTIPLY_SHIFTS = 8,       /**< `.ashift` */
  PTXJIT_MULTIPLY_A_IN_MEMORY = 16, /**< A is in tensor memory */
  PTXJIT_MULTIPLY_ACCUMULATES = 32, /**< else D = A * B */
};
/** The values are those of MmaKind. ISA: "tcgen05.mma", `.kind`. */
typedef enum PtxjitMultiplyKind {
  PTXJIT_KIND_F8F6F4 = 0,
  PTXJIT_KIND_MXF8F6F4 = 1,
  PTXJIT_KIND_MXF4 = 2,
  PTXJIT_KIND_MXF4NVF4 = 3,
  PTXJIT_KIND_F16 = 4,
  PTXJIT_KIND_TF32 = 5,
  PTXJIT_KIND_I8 = 6,
} PtxjitMultiplyKind;

/** A multiplication in tensor memory that one thread issues. ISA:
 *  "tcgen05.mma". Addresses are those of tensor memory. */
typedef struct PtxjitTensorMultiply {
  void *kernel;         /**< of the device library, a device::TensorKernel */
  uint64_t a;           /**< matrix descriptor or address */
  uint64_t b;           /**< matrix descriptor */
  uint64_t zeroColumns; /**< zero-column mask descriptor, or 0 */
  uint32_t d, metadata, scaleA, scaleB;
  uint32_t instruction;      /**< instruction descriptor */
  uint32_t disabledLanes[8]; /**< bits of the lanes that are not written */
  uint8_t kind;              /**< PtxjitMultiplyKind */
  uint8_t scaleBlock; /**< elements of a dense A that have a scale factor in
                       *   common, 16 or 32; 0: none */
  uint8_t inputShift; /**< D / 2^n is added to */
  uint8_t flags;      /**< PTXJIT_MULTIPLY_* */
} PtxjitTensorMultiply;

/** How a copy to tensor memory is made. ISA: "tcgen05.cp". The values are those
 *  of CellCopyShape, and of CellSpread and PackedType plus one. */
typedef struct PtxjitCellCopy {
  uint64_t matrix;  /**< matrix descriptor */
  uint32_t address; /**< in tensor memory */
  uint8_t shape;
  uint8_t spread; /**< 0: none */
  uint8_t packed; /**< 0: bytes; 1: 6 bits, 2: 4 bits become bytes */
  uint8_t isForPair;
} PtxjitCellCopy;

/** The operands and results of a PtxjitTextureAccess: rows of 32-bit values,
 * one a lane. Only rows that the access has are set. */
enum {
  PTXJIT_TEXTURE_ROW_LAYER = 0,
  PTXJIT_TEXTURE_ROW_SAMPLE = 1,
  PTXJIT_TEXTURE_ROW_AT = 2,       /**< x, y, z */
  PTXJIT_TEXTURE_ROW_LEVEL = 5,    /**< a level */
  PTXJIT_TEXTURE_ROW_DPDX = 5,     /**< or gradients by x */
  PTXJIT_TEXTURE_ROW_DPDY = 8,     /**< and by y */
  PTXJIT_TEXTURE_ROW_OFFSETS = 11, /**< in texels, x, y, z */
  PTXJIT_TEXTURE_ROW_COMPARE = 14,
  /** What is stored, or the results. Elements of 64 bits take two rows, the
   *  lower half first; narrower ones are in the low bits. */
  PTXJIT_TEXTURE_ROW_DATA = 15,
  PTXJIT_TEXTURE_ROWS = 19,
};

/** An access of a texture or surface by the lanes of a warp. ISA: "texture
 *  instructions", "surface instructions". Runtime/Texture.h has the values of
 *  most fields. */
typedef struct PtxjitTextureAccess {
  const uint64_t *handles;  /**< of textures or surfaces, one a lane */
  const uint64_t *samplers; /**< of samplers; null: the textures' own */
  uint32_t *rows;           /**< PTXJIT_TEXTURE_ROWS rows of `lanes` */
  uint32_t lanes;           /**< 32; in PTXJIT_MODE_THREADS 1 */
  uint32_t active;          /**< bits of the lanes that take part */
  uint8_t action;           /**< PtxjitTextureAction */
  uint8_t geometry;         /**< PtxjitTextureGeometry */
  uint8_t level;            /**< PtxjitTextureLevel */
  uint8_t element;          /**< PtxjitTextureElement: of results, or of data */
  uint8_t count;            /**< elements of results or data: 1, 2 or 4 */
  /** What else the opcode says: the component of a gather, a
   *  PtxjitTextureQuery, a PtxjitOpaqueKind's place in `istypep`'s list, the
   *  PtxjitSurfaceBounds of surfaces. */
  uint8_t variant;
  uint8_t reduction; /**< PtxjitSurfaceReduction */
  uint8_t flags;     /**< PTXJIT_TEXTURE_* */
} PtxjitTextureAccess;

enum PtxjitMultimemAction {
  PTXJIT_MULTIMEM_LOAD,
  PTXJIT_MULTIMEM_STORE,
  PTXJIT_MULTIMEM_REDUCE
};
/** Of multimem accesses; values are those of the dialect's AtomicOp. */
enum PtxjitMultimemOperation {
  PTXJIT_MULTIMEM_ADD = 0,
  PTXJIT_MULTIMEM_MIN = 1,
  PTXJIT_MULTIMEM_MAX = 2,
  PTXJIT_MULTIMEM_AND = 5,
  PTXJIT_MULTIMEM_OR = 6,
  PTXJIT_MULTIMEM_XOR = 7
};
/** The numbers in an element: one, or several side by side. */
enum PtxjitMultimemNumber {
  PTXJIT_NUMBER_UNSIGNED, /**< of the element's size, or only bits */
  PTXJIT_NUMBER_SIGNED,   /**< of the element's size */
  PTXJIT_NUMBER_F64,
  PTXJIT_NUMBER_F32,
  PTXJIT_NUMBER_F16,
  PTXJIT_NUMBER_BF16,
  PTXJIT_NUMBER_E4M3,
  PTXJIT_NUMBER_E5M2
};

/** A multimem access by the lanes of a warp. ISA: "multimem". */
typedef struct PtxjitMultimemAccess {
  const uint64_t *addresses; /**< one a lane */
  uint64_t *rows;    /**< `count` rows of `lanes` elements, in the low bits */
  uint32_t lanes;    /**< 32; in PTXJIT_MODE_THREADS 1 */
  uint32_t active;   /**< bits of the lanes that take part */
  uint8_t action;    /**< PtxjitMultimemAction */
  uint8_t operation; /**< PtxjitMultimemOperation */
  uint8_t number;    /**< PtxjitMultimemNumber */
  uint8_t bytes;     /**< of an element: 1 to 8 */
  uint8_t count;     /**< elements: 1, 2, 4 or 8 */
  uint8_t isWide;    /**< sums of halves are f32, those of quarters f16 */
  uint8_t isOrdered; /**< whether the access is more than weak */
  uint8_t reserved;
} PtxjitMultimemAccess;

/** Functions that compiled code calls. A strand is the unit with a stack of
 *  its own: a warp, or in PTXJIT_MODE_THREADS a thread. Strands are numbered
 *  through the CTA. No helper throws. A helper may end the launch by a jump,
 *  so it must hold no lock and own no memory where it can fault. */
typedef struct PtxjitHelpers {
  /** Arrives at barrier `id` (0 to 15) of the CTA and, unless it only
   *  arrives, waits for `threads` threads (0: all). `mode` is
   *  PTXJIT_BARRIER_*, `mode | reduce << 8`. `votes` are the lanes of
   *  `active` whose predicate is true. Returns the reduction, else 0. */
  uint32_t (*barrier)(struct PtxjitKernelContext *context, uint32_t strand,
                      uint32_t id, uint32_t threads, uint32_t mode,
                      uint32_t votes, uint32_t active);
  /** Lets other strands run. `kind` is a PtxjitYield. Returns 0. */
  uint32_t (*yield)(struct PtxjitKernelContext *context, uint32_t strand,
                    uint32_t kind);
  /** Waits until all `members` of the thread's warp that have not exited
   *  have called this with the same `kind` and `members`. If `members` is 0:
   *  until no other thread of the warp can come; sets only `present`. */
  const PtxjitGathered *(*gather)(struct PtxjitKernelContext *context,
                                  uint32_t strand, uint32_t kind,
                                  uint32_t members, uint64_t value);
  /** Ends the strand. Does not return. */
  uint32_t (*leave)(struct PtxjitKernelContext *context, uint32_t strand);
  /** Fails the launch with `status`, on behalf of the lanes `lanes` of the
   *  strand. `address` is the bad address, if there is one. Does not return. */
  uint32_t (*fault)(struct PtxjitKernelContext *context, uint32_t strand,
                    uint32_t status, uint32_t lanes, uint64_t address);
  /** Calls a PtxjitSystemFunction for each of the lanes `lanes`, in order.
   *  `places` are the host addresses of an argument in each of the
   *  PTXJIT_SYSTEM_LANES lanes, then of the next one, then of the result; with
   *  PTXJIT_SYSTEM_SAME, they are the arguments. Returns 0. */
  uint32_t (*system)(struct PtxjitKernelContext *context, uint32_t strand,
                     uint32_t function, uint32_t lanes, const uint64_t *places);
  /** Updates the mbarrier at host address `address`: adds `tx` to the
   *  pending bytes (it may be negative), subtracts `drops` from the expected
   *  arrivals of later phases, then counts `arrivals`. Returns the state
   *  before. */
  uint64_t (*mbarrier)(struct PtxjitKernelContext *context, uint64_t address,
                       uint32_t arrivals, uint32_t drops, int32_t tx);
  /** Arrives at the cluster's barrier (`wait` 0), or waits until all threads
   *  of the cluster that have not exited have arrived. Returns 0. */
  uint32_t (*clusterBarrier)(struct PtxjitKernelContext *context,
                             uint32_t strand, uint32_t wait);
  /** Nanoseconds of a monotonic clock. */
  uint64_t (*time)(struct PtxjitKernelContext *context);
  /** Does a copy of a box for one thread. Returns 0. */
  uint32_t (*copyTensor)(struct PtxjitKernelContext *context, uint32_t strand,
                         uint32_t lane, const PtxjitTensorCopy *copy);
  /** Sets a field (PtxjitTensorField) of the tensor map at host address `map`
   *  for one thread. `dimension` counts for fields that have one value a
   *  dimension. Returns 0. */
  uint32_t (*replaceInTensorMap)(struct PtxjitKernelContext *context,
                                 uint32_t strand, uint32_t lane, uint64_t map,
                                 uint32_t field, uint32_t dimension,
                                 uint64_t value);
  /** Waits until all strands of the warpgroup have called this. The last one
   *  calls `work` first, unless its `queue` is null. Returns 0. */
  uint32_t (*warpgroupBarrier)(struct PtxjitKernelContext *context,
                               uint32_t strand, void *queue,
                               PtxjitWarpgroupWork work);
  /** Does a PtxjitTensorMemoryAction for a warp. `address` and `columns` are
   *  those of the columns, as far as the action has them. Waits for columns
   *  to allocate. Returns the address of allocated columns, else 0. */
  uint32_t (*manageTensorMemory)(struct PtxjitKernelContext *context,
                                 uint32_t strand, uint32_t action,
                                 uint32_t address, uint32_t columns);
  /** Returns the host address of the cell at an address in tensor memory, from
   *  which on a warp may access `rows` lanes and `columns` columns. The lanes
   *  of a column are adjacent, columns 512 bytes apart. */
  uint8_t *(*findCells)(struct PtxjitKernelContext *context, uint32_t strand,
                        uint32_t address, uint32_t columns, uint32_t rows);
  /** Issues a multiplication for one thread. Returns 0. */
  uint32_t (*multiplyTensors)(struct PtxjitKernelContext *context,
                              uint32_t strand, uint32_t lane,
                              const PtxjitTensorMultiply *multiply);
  /** Does a copy to tensor memory for one thread. Returns 0. */
  uint32_t (*copyCells)(struct PtxjitKernelContext *context, uint32_t strand,
                        uint32_t lane, const PtxjitCellCopy *copy);
  /** Moves 8 columns of 32 lanes by a lane, for one thread. ISA:
   *  "tcgen05.shift". Returns 0. */
  uint32_t (*shiftCells)(struct PtxjitKernelContext *context, uint32_t strand,
                         uint32_t lane, uint32_t address, uint32_t isForPair);
  /** Reads the operands of what was issued, and arrives at the mbarrier at a
   *  host address for one thread; if `toMany` is 1, at those of the CTAs whose
   *  bits are set in `ctas`. Lets other warps run. Returns 0. */
  uint32_t (*commitTensors)(struct PtxjitKernelContext *context,
                            uint32_t strand, uint32_t lane, uint64_t mbarrier,
                            uint32_t ctas, uint32_t toMany);
  /** Takes over the work of a cluster that has not started, if there is one.
   *  Stores the answer, 16 bytes, at `to`, and counts them on `mbarrier`: in
   *  the CTA of these host addresses, or in all of the cluster if `toAll` is 1.
   *  ISA: "clusterlaunchcontrol.try_cancel". Returns 0. */
  uint32_t (*cancelCluster)(struct PtxjitKernelContext *context, uint64_t to,
                            uint64_t mbarrier, uint32_t toAll);
  /** Reads or writes a texture or surface for the lanes of a warp. Returns 0.
   */
  uint32_t (*accessTexture)(struct PtxjitKernelContext *context,
                            uint32_t strand, const PtxjitTextureAccess *access);
  /** Loads from, stores to or updates the memory of all devices, for the lanes
   *  of a warp. Returns 0. */
  uint32_t (*accessMultimem)(struct PtxjitKernelContext *context,
                             uint32_t strand,
                             const PtxjitMultimemAccess *access);
} PtxjitHelpers;

/** One worker's view of a launch. The runtime fills it in once, and sets
 *  `ctaid` for each CTA. */
typedef struct PtxjitKernelContext {
  uint32_t abiVersion;
  uint32_t status; /**< PtxjitKernelStatus, set by helpers */
  uint32_t ctaid[3];
  uint32_t nctaid[3];      /**< grid extents in CTAs */
  const uint8_t *params;   /**< laid out as `.param` space, 16-byte aligned */
  const uint64_t *globals; /**< addresses of the kernel's variables */
  uint8_t *shared;         /**< the CTA's shared window */
  uint8_t *local;          /**< local memory of warps (PTXJIT_LOCAL_BYTES); in
                            *   PTXJIT_MODE_THREADS the threads' stacks */
  uint64_t gridid;
  uint32_t dynamicShared; /**< bytes */
  uint32_t totalShared;   /**< bytes, static and dynamic */
  uint32_t smid;          /**< number of the CTA's multiprocessor */
  uint32_t nsmid;         /**< number of multiprocessors */
  const PtxjitHelpers *helpers;
  void *runtime;        /**< for the helpers only */
  uint64_t localStride; /**< bytes from strand to strand; 0: all warps
                         *   use the same local memory */
  /** Address of a PtxjitGridWorkspace in a cooperative launch, else 0. The
   *  ISA leaves %envreg to the driver; CUDA expects the upper half of this
   *  address in %envreg1, the lower one in %envreg2. */
  uint64_t gridWorkspace;
  uint8_t *frame;           /**< values that live across barriers (fission) */
  uint32_t clusterDim[3];   /**< extents of a cluster in CTAs */
  uint32_t clusterRank;     /**< rank of this CTA; `shared` points to its part
                             *   of the cluster's shared memory */
  uint32_t explicitCluster; /**< 1: launch or kernel gave extents */
  void *tensorCore;         /**< for the helpers only */
  void *launch;             /**< for the helpers only */
  /** A bit for each of PtxjitImage::arrays: the launch accesses more of it than
   *  fits the caches. */
  uint64_t largeArrays;
  /** For a kernel that sweeps (PtxjitImage::sweeps). */
  uint32_t sweptCtas; /**< CTAs of this call, in x: from `ctaid` on */
  uint32_t sweptCta;  /**< which of them is running; compiled code sets it */
  uint64_t graphExec; /**< `%current_graph_exec` */
  /** Extents of a CTA in threads, for code that serves any block
   *  (PtxjitSpecialization::anyBlock). */
  uint32_t ntid[3];
} PtxjitKernelContext;

/** State of CUDA's grid-wide barrier. */
typedef struct PtxjitGridWorkspace {
  uint32_t bytes;   /**< size of this struct */
  uint32_t barrier; /**< 0 at the start */
} PtxjitGridWorkspace;

/** Runs strands `begin` to `end` - 1 of CTA `context->ctaid`, or of several
 *  (`context->sweptCtas`). Strands that wait for each other need one call each,
 *  on separate stacks. */
typedef void (*PtxjitKernelEntry)(PtxjitKernelContext *context, uint32_t begin,
                                  uint32_t end);

/** What a call does with several CTAs (PtxjitKernelContext::sweptCtas). */
typedef enum PtxjitSweep {
  PTXJIT_SWEEP_NONE = 0, /**< a call runs one CTA */
  /** It runs them one after another, or the first warp of all of them, then the
   *  second one of each, and so on. */
  PTXJIT_SWEEP_CTAS = 1,
  /** The same, once for each turn of a loop over the grid. The more CTAs, the
   *  longer the pieces of memory that are read from end to end. */
  PTXJIT_SWEEP_TURNS = 2
} PtxjitSweep;

/** How the warps of a CTA are run. */
typedef enum PtxjitMode {
  PTXJIT_MODE_WARP_LOOP = 0, /**< all in one call; none waits */
  PTXJIT_MODE_FISSION = 1,   /**< all in one call, split at the barriers */
  PTXJIT_MODE_FIBERS = 2,    /**< each warp on a fiber */
  PTXJIT_MODE_THREADS = 3,   /**< each thread on a fiber */
} PtxjitMode;

/** Whom a kernel's loops may wait for, other than at barriers. */
typedef enum PtxjitWaits {
  PTXJIT_WAITS_NEVER = 0,
  PTXJIT_WAITS_FOR_CLUSTER = 1, /**< without clusters: for the CTA */
  PTXJIT_WAITS_FOR_GRID = 2,    /**< a CTA, for stores of any other one */
} PtxjitWaits;

#ifdef __cplusplus
}
#endif

#endif
