/*===- KernelABI.h - what compiled kernels and the runtime share ---*- C
-*-===*\
|*
|* A compiled kernel has no undefined symbols and no absolute addresses: all it
|* needs it reaches through the context pointer, its one argument. Plain C;
|* sizes and offsets are pinned by a unit test. Change anything here: raise
|* PTXJIT_KERNEL_ABI_VERSION.
|*
\*===----------------------------------------------------------------------===*/

#ifndef PTXJIT_RUNTIME_KERNELABI_H
#define PTXJIT_RUNTIME_KERNELABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PTXJIT_KERNEL_ABI_VERSION 1u

/** `.shared` addresses are 32-bit offsets in the CTA's window; static data
 *  start here, so that 0 is never the address of an object. */
#define PTXJIT_SHARED_BASE 1024u

/** What became of the threads run so far. */
typedef enum PtxjitKernelStatus {
  PTXJIT_KERNEL_OK = 0,
  PTXJIT_KERNEL_TRAP = 1, /**< a thread executed `trap` */
} PtxjitKernelStatus;

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
  uint8_t *local;          /**< 32 frames of local memory, one per lane */
  uint64_t gridid;
  uint32_t dynamicShared; /**< bytes */
  uint32_t totalShared;   /**< bytes, static and dynamic */
  uint32_t smid;          /**< index of this worker */
  uint32_t nsmid;         /**< number of workers */
} PtxjitKernelContext;

/** Runs all threads of CTA `context->ctaid`. */
typedef void (*PtxjitKernelEntry)(PtxjitKernelContext *context);

#ifdef __cplusplus
}
#endif

#endif
