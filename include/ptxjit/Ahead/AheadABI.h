//===- AheadABI.h - what compiled objects and their runtime share -*- C -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an object file of `ptx-jit compile` has, as libptxjit-runtime reads it.
// A unit test pins sizes and offsets. Raise PTXJIT_AHEAD_ABI_VERSION with every
// change here. The first three fields of an object stay what they are.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_AHEAD_AHEADABI_H
#define PTXJIT_AHEAD_AHEADABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PTXJIT_AHEAD_ABI_VERSION 1u
#define PTXJIT_AHEAD_MAGIC "PTXJIT-O" /**< 8 bytes, without a zero */

/** Code of a kernel. */
typedef struct PtxjitVariant {
  const uint8_t *image; /**< a record of Cache/Records.h: a PtxjitImage */
  uint64_t imageBytes;
  const uint8_t *code; /**< flat code (Cache/FlatCode.h), in its place */
  uint64_t entry;      /**< offset in it */
  uint64_t textBegin;  /**< the machine code, an offset in `code` */
  uint64_t textBytes;
  uint32_t kernel;      /**< number in the module */
  uint32_t anyBlock;    /**< PtxjitAnyBlock */
  uint32_t block[3];    /**< threads, unless `anyBlock` */
  uint32_t isSmallGrid; /**< 1: at most 2^31 threads in each dimension */
} PtxjitVariant;

/** The module of an object. The program finds it by a symbol that begins with
 *  PTXJIT_OBJECT_PREFIX. */
struct PtxjitObject {
  char magic[8];
  uint64_t version;      /**< PTXJIT_AHEAD_ABI_VERSION */
  void *state;           /**< the library's; null until the object is loaded */
  uint32_t kernelABI;    /**< PTXJIT_KERNEL_ABI_VERSION */
  uint32_t compilerABI;  /**< PTXJIT_COMPILER_ABI_VERSION */
  uint32_t recordFormat; /**< kRecordFormat */
  uint32_t sveBits;      /**< PtxjitImage::sveBits */
  const char *producer;  /**< "ptx-jit 0.2.0" */
  const char *fileName;  /**< of the PTX */
  const char *text;      /**< the PTX; "" if it is not kept */
  const char *cpu;       /**< its LLVM name */
  const char *features;  /**< PtxjitImage::cpuFeatures, of all variants */
  uint64_t numVariants;
  const PtxjitVariant *variants; /**< the ones for any block come last */
  const uint8_t *module;         /**< a record: a PtxjitModuleInfo */
  uint64_t moduleBytes;
};
#define PTXJIT_OBJECT_PREFIX "ptxjit_object_"

#ifdef __cplusplus
}
#endif

#endif
