//===- TensorMap.h - the layout of tensor maps --------------------*- C -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The 128 bytes that the ISA calls a tensor map and CUDA a CUtensorMap. Their
// contents are ours to choose: programs make them by calls of the driver or by
// `tensormap.replace`, and copy them as a whole. The driver library, the
// runtime and the reference interpreter share this file.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_RUNTIME_TENSORMAP_H
#define PTXJIT_RUNTIME_TENSORMAP_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The first word of a map: "PTM" and the version of this layout. Raise the
 *  version with every change. A map of 128 zero bytes is a tiled map whose
 *  fields have not been set yet: `tensormap.replace` may begin with it. */
#define PTXJIT_TENSOR_MAP_MAGIC 0x024d5450u

/** Element types, with the numbers of `tensormap.replace` (ISA, table
 *  "tensormap new_val validity"). */
typedef enum PtxjitTensorType {
  PTXJIT_TENSOR_U8 = 0,
  PTXJIT_TENSOR_U16 = 1,
  PTXJIT_TENSOR_U32 = 2,
  PTXJIT_TENSOR_S32 = 3,
  PTXJIT_TENSOR_U64 = 4,
  PTXJIT_TENSOR_S64 = 5,
  PTXJIT_TENSOR_F16 = 6,
  PTXJIT_TENSOR_F32 = 7,
  PTXJIT_TENSOR_F32_FTZ = 8,
  PTXJIT_TENSOR_F64 = 9,
  PTXJIT_TENSOR_BF16 = 10,
  PTXJIT_TENSOR_TF32 = 11,
  PTXJIT_TENSOR_TF32_FTZ = 12,
  PTXJIT_TENSOR_B4X16 = 13,     /**< 16 elements in 8 bytes, everywhere */
  PTXJIT_TENSOR_B4X16_P64 = 14, /**< 8 bytes, in shared memory 8 more */
  /** 16 elements in 12 bytes of global memory. In shared memory a load puts
   *  4 bytes behind them, and a store takes them from 16 bytes. */
  PTXJIT_TENSOR_B6X16_P32 = 15,
} PtxjitTensorType;

/** Which walks a map is for. */
typedef enum PtxjitTensorKind {
  PTXJIT_TENSOR_TILED = 0,
  PTXJIT_TENSOR_IM2COL = 1,
  PTXJIT_TENSOR_IM2COL_W = 2, /**< `im2col::w` */
  PTXJIT_TENSOR_IM2COL_W128 = 3,
} PtxjitTensorKind;

typedef enum PtxjitTensorInterleave {
  PTXJIT_TENSOR_INTERLEAVE_NONE = 0,
  PTXJIT_TENSOR_INTERLEAVE_16B = 1,
  PTXJIT_TENSOR_INTERLEAVE_32B = 2,
} PtxjitTensorInterleave;

typedef enum PtxjitTensorSwizzle {
  PTXJIT_TENSOR_SWIZZLE_NONE = 0,
  PTXJIT_TENSOR_SWIZZLE_32B = 1,
  PTXJIT_TENSOR_SWIZZLE_64B = 2,
  PTXJIT_TENSOR_SWIZZLE_128B = 3,
  PTXJIT_TENSOR_SWIZZLE_96B = 4, /**< sm_103 */
} PtxjitTensorSwizzle;

/** The unit that PTXJIT_TENSOR_SWIZZLE_128B moves. */
typedef enum PtxjitTensorAtomicity {
  PTXJIT_TENSOR_ATOM_16B = 0,
  PTXJIT_TENSOR_ATOM_32B = 1,
  PTXJIT_TENSOR_ATOM_32B_FLIP_8B = 2,
  PTXJIT_TENSOR_ATOM_64B = 3,
} PtxjitTensorAtomicity;

typedef enum PtxjitTensorFill {
  PTXJIT_TENSOR_FILL_ZERO = 0,
  PTXJIT_TENSOR_FILL_NAN = 1,
} PtxjitTensorFill;

/** How a copy walks through the tensor. ISA: "tensor access modes". */
typedef enum PtxjitTensorMode {
  PTXJIT_TENSOR_MODE_TILE = 0,
  PTXJIT_TENSOR_MODE_GATHER4 = 1,
  PTXJIT_TENSOR_MODE_SCATTER4 = 2,
  PTXJIT_TENSOR_MODE_IM2COL = 3,
  PTXJIT_TENSOR_MODE_IM2COL_NO_OFFSETS = 4,
  PTXJIT_TENSOR_MODE_IM2COL_W = 5,
  PTXJIT_TENSOR_MODE_IM2COL_W128 = 6,
} PtxjitTensorMode;

/** What a copy does with its box: loads it to shared memory, stores it, or
 *  combines it with the tensor. */
typedef enum PtxjitTensorAction {
  PTXJIT_TENSOR_LOAD = 0,
  PTXJIT_TENSOR_STORE = 1,
  PTXJIT_TENSOR_ADD = 2,
  PTXJIT_TENSOR_MIN = 3,
  PTXJIT_TENSOR_MAX = 4,
  PTXJIT_TENSOR_INC = 5,
  PTXJIT_TENSOR_DEC = 6,
  PTXJIT_TENSOR_AND = 7,
  PTXJIT_TENSOR_OR = 8,
  PTXJIT_TENSOR_XOR = 9,
} PtxjitTensorAction;

/** Fields that `tensormap.replace` names. */
typedef enum PtxjitTensorField {
  PTXJIT_TENSOR_FIELD_ADDRESS = 0,
  PTXJIT_TENSOR_FIELD_RANK = 1, /**< the new value is the rank - 1 */
  PTXJIT_TENSOR_FIELD_BOX = 2,
  PTXJIT_TENSOR_FIELD_SIZE = 3,
  PTXJIT_TENSOR_FIELD_STRIDE = 4, /**< bytes */
  PTXJIT_TENSOR_FIELD_ELEMENT_STRIDE = 5,
  PTXJIT_TENSOR_FIELD_TYPE = 6,
  PTXJIT_TENSOR_FIELD_INTERLEAVE = 7,
  PTXJIT_TENSOR_FIELD_SWIZZLE = 8,
  PTXJIT_TENSOR_FIELD_ATOMICITY = 9,
  PTXJIT_TENSOR_FIELD_FILL = 10,
} PtxjitTensorField;

/** Dimensions are numbered from the innermost one. For im2col they are c, w, h,
 *  d, n; the spatial ones (w, h, d) are those between the first and the last.
 */
typedef struct PtxjitTensorMap {
  uint32_t magic;    /**< PTXJIT_TENSOR_MAP_MAGIC */
  uint32_t checksum; /**< ptxjitTensorChecksum */
  uint16_t channels; /**< im2col: of each pixel, 1 to 256 */
  /** 0. CUTLASS and Triton clear bit 5 of the byte at offset 10 in maps of
   * small tensors, for CUDA's drivers up to 13.1. */
  uint16_t reserved;
  uint16_t pixels;     /**< im2col: of each column, 1 to 1024 */
  uint8_t rank;        /**< 1 to 5 */
  uint8_t kind;        /**< PtxjitTensorKind */
  uint64_t address;    /**< of element 0 */
  uint64_t strides[4]; /**< of dimensions 1 to 4, in bytes */
  uint64_t sizes[5];   /**< in elements, up to 2^32 */
  uint16_t box[5]; /**< tiled: extents of the box in elements of the tensor */
  /** Every how many elements of a dimension are copied. */
  uint8_t elementStrides[5];
  uint8_t type;       /**< PtxjitTensorType */
  uint8_t interleave; /**< PtxjitTensorInterleave */
  uint8_t swizzle;    /**< PtxjitTensorSwizzle */
  uint8_t atomicity;  /**< PtxjitTensorAtomicity */
  uint8_t fill;       /**< PtxjitTensorFill */
  /** im2col: corners of the box in w, h, d, relative to the tensor's. */
  int16_t lower[3], upper[3];
} PtxjitTensorMap;

#define PTXJIT_TENSOR_MAP_BYTES 128u
#ifdef __cplusplus
static_assert(sizeof(PtxjitTensorMap) == PTXJIT_TENSOR_MAP_BYTES, "no padding");
#endif

/** A checksum of all behind `checksum`. Half of a copied map, or one that was
 *  overwritten, does not have it. */
static inline uint32_t ptxjitTensorChecksum(const PtxjitTensorMap *map) {
  const unsigned char *bytes = (const unsigned char *)map;
  uint64_t sum = 0xcbf29ce484222325u;
  for (unsigned i = 8; i < PTXJIT_TENSOR_MAP_BYTES; i += 8) {
    uint64_t word;
    __builtin_memcpy(&word, bytes + i, sizeof(word));
    sum = (sum ^ word) * 0x100000001b3u;
    sum ^= sum >> 32;
  }
  return (uint32_t)sum;
}

/** The bits that an element takes in global memory; 0 if there is no such type.
 */
static inline uint32_t ptxjitTensorElementBits(uint32_t type) {
  static const uint8_t bits[] = {8,  16, 32, 32, 64, 64, 16, 32,
                                 32, 64, 16, 32, 32, 4,  4,  6};
  return type < sizeof(bits) ? bits[type] : 0;
}

#ifdef __cplusplus
}
#endif

#endif
