//===- Texture.h - textures and surfaces in memory ----------------*- C -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels know textures, samplers and surfaces by handles of 64 bits. A handle
// is the host address of one of the structs below, each of which begins with
// its kind: a PtxjitTexture, or a PtxjitOpaque, the contents of a `.texref`,
// `.samplerref` or `.surfref` variable, which refers to a PtxjitTexture. This
// file is plain C, like KernelABI.h, and a unit test pins sizes and offsets.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_RUNTIME_TEXTURE_H
#define PTXJIT_RUNTIME_TEXTURE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a handle refers to. The numbers occur by chance in no other memory. */
typedef enum PtxjitOpaqueKind {
  PTXJIT_OPAQUE_NONE = 0, /**< a texture that has been destroyed */
  PTXJIT_OPAQUE_TEXTURE = 0x54585445,
  PTXJIT_OPAQUE_SURFACE = 0x46525553,
  PTXJIT_OPAQUE_TEXREF = 0x46525854,     /**< a `.texref` variable */
  PTXJIT_OPAQUE_SAMPLERREF = 0x46525053, /**< a `.samplerref` variable */
  PTXJIT_OPAQUE_SURFREF = 0x46525355,    /**< a `.surfref` variable */
} PtxjitOpaqueKind;

/** What becomes of coordinates outside of [0, extent). The values are those of
 *  CUaddress_mode; the last one is PTX's alone (`clamp_ogl`: a filter may take
 *  half of the border). ISA: "texture and surface properties". */
typedef enum PtxjitAddressMode {
  PTXJIT_ADDRESS_WRAP = 0,
  PTXJIT_ADDRESS_CLAMP = 1,
  PTXJIT_ADDRESS_MIRROR = 2,
  PTXJIT_ADDRESS_BORDER = 3,
  PTXJIT_ADDRESS_CLAMP_OGL = 4,
} PtxjitAddressMode;

/** How texels are read. */
typedef struct PtxjitSampler {
  uint8_t addressModes[3]; /**< PtxjitAddressMode of x, y and z */
  uint8_t isLinear;      /**< neighbouring texels are mixed; else the nearest */
  uint8_t isMipLinear;   /**< neighbouring levels are mixed */
  uint8_t isNormalized;  /**< coordinates are fractions of the extents */
  uint8_t isSeamless;    /**< filters of cubes go across the edges */
  uint8_t maxAnisotropy; /**< 0 and 1: none */
  /** With linear filters: levels are mixed even where the weight would be
   *  rounded (CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION). */
  uint8_t isTrilinear;
  /** A `.samplerref` variable: coordinates are not fractions, whatever the
   *  texture says. */
  uint8_t forcesUnnormalized;
  uint16_t reserved;
  float levelBias, minLevel, maxLevel;
  float border[4]; /**< what lies outside, with PTXJIT_ADDRESS_BORDER */
} PtxjitSampler;

/** How a channel is stored. */
typedef enum PtxjitTexelType {
  PTXJIT_TEXEL_U8 = 0,
  PTXJIT_TEXEL_U16 = 1,
  PTXJIT_TEXEL_U32 = 2,
  PTXJIT_TEXEL_S8 = 3,
  PTXJIT_TEXEL_S16 = 4,
  PTXJIT_TEXEL_S32 = 5,
  PTXJIT_TEXEL_F16 = 6,
  PTXJIT_TEXEL_F32 = 7,
} PtxjitTexelType;

/** Of which kind an image is. */
typedef enum PtxjitImageShape {
  PTXJIT_IMAGE_LINEAR = 0, /**< memory, one row; no filter, no address mode */
  PTXJIT_IMAGE_1D = 1,
  PTXJIT_IMAGE_2D = 2,
  PTXJIT_IMAGE_3D = 3,
  PTXJIT_IMAGE_CUBE = 4, /**< six square faces, one behind the other */
} PtxjitImageShape;

/** The largest number of levels: an extent of 2^17 has 18. */
#define PTXJIT_MOST_LEVELS 18u

/** The texels of a level of detail. */
typedef struct PtxjitImageLevel {
  uint64_t texels; /**< host address of the first texel */
  uint64_t rowBytes;
  /** From slice to slice of a 3D image, from layer to layer (cubes: face to
   *  face; the layers of an array of cubes are six faces apart). */
  uint64_t sliceBytes;
  uint32_t width, height, depth; /**< in texels; 1 in missing dimensions */
  uint32_t reserved;
} PtxjitImageLevel;

/** A texture or a surface. Kernels only read it. */
typedef struct PtxjitTexture {
  uint64_t kind; /**< PTXJIT_OPAQUE_TEXTURE, PTXJIT_OPAQUE_SURFACE or _NONE */
  uint8_t shape; /**< PtxjitImageShape */
  uint8_t isLayered;
  uint8_t type;     /**< PtxjitTexelType */
  uint8_t channels; /**< 1, 2 or 4 */
  uint8_t levels; /**< at least 1; 0: there is no image, and all reads give 0 */
  uint8_t samples; /**< of each texel; 1 unless multisampled */
  /** Integers of up to 16 bits are read as fractions, [0, 1] or [-1, 1].
   *  Surfaces: `sust.p` stores fractions (CUDA's formats UNORM and SNORM). */
  uint8_t isFraction;
  /** Red, green and blue are read by the curve of sRGB. Of two channels, only
   *  the first is a colour. */
  uint8_t isSRGB;
  uint32_t layers;      /**< 1 unless layered; of cubes: cubes, not faces */
  uint32_t sampleBytes; /**< from sample to sample of a texel */
  PtxjitSampler sampler;
  PtxjitImageLevel level[PTXJIT_MOST_LEVELS];
} PtxjitTexture;

/** The contents of a `.texref`, `.samplerref` or `.surfref` variable. */
typedef struct PtxjitOpaque {
  uint64_t kind;         /**< PTXJIT_OPAQUE_TEXREF, _SAMPLERREF or _SURFREF */
  uint64_t bound;        /**< address of the PtxjitTexture; 0: there is none */
  PtxjitSampler sampler; /**< of a `.samplerref`: its initial value */
  uint32_t reserved;
} PtxjitOpaque;
/** Bytes and alignment of such a variable. */
#define PTXJIT_OPAQUE_BYTES 64u
#define PTXJIT_OPAQUE_ALIGN 16u

/** What a PtxjitTextureAccess does. ISA: the opcodes. */
typedef enum PtxjitTextureAction {
  PTXJIT_TEXTURE_SAMPLE = 0,  /**< tex */
  PTXJIT_TEXTURE_GATHER = 1,  /**< tld4 */
  PTXJIT_TEXTURE_QUERY = 2,   /**< txq, suq */
  PTXJIT_TEXTURE_IS_KIND = 3, /**< istypep */
  PTXJIT_SURFACE_LOAD = 4,    /**< suld.b, suld.p */
  PTXJIT_SURFACE_STORE = 5,   /**< sust.b, sust.p */
  PTXJIT_SURFACE_REDUCE = 6,  /**< sured.b, sured.p */
} PtxjitTextureAction;

/** Which coordinates an access has. The values are those of ptx::Geometry. */
typedef enum PtxjitTextureGeometry {
  PTXJIT_GEOMETRY_1D = 0,
  PTXJIT_GEOMETRY_2D = 1,
  PTXJIT_GEOMETRY_3D = 2,
  PTXJIT_GEOMETRY_A1D = 3,
  PTXJIT_GEOMETRY_A2D = 4,
  PTXJIT_GEOMETRY_CUBE = 5,
  PTXJIT_GEOMETRY_ACUBE = 6,
  PTXJIT_GEOMETRY_2DMS = 7,
  PTXJIT_GEOMETRY_A2DMS = 8,
} PtxjitTextureGeometry;

/** How the level of detail is chosen. The values are those of ptx::LevelMode.
 */
typedef enum PtxjitTextureLevel {
  PTXJIT_LEVEL_BASE = 0,
  PTXJIT_LEVEL_GIVEN = 1,
  PTXJIT_LEVEL_GRADIENTS = 2,
} PtxjitTextureLevel;

/** The type of results (the first five) or of the data of a surface. */
typedef enum PtxjitTextureElement {
  PTXJIT_ELEMENT_U32 = 0,
  PTXJIT_ELEMENT_S32 = 1,
  PTXJIT_ELEMENT_F32 = 2,
  PTXJIT_ELEMENT_F16 = 3,
  PTXJIT_ELEMENT_F16X2 = 4, /**< two results in a row */
  PTXJIT_ELEMENT_B8 = 5,
  PTXJIT_ELEMENT_B16 = 6,
  PTXJIT_ELEMENT_B32 = 7,
  PTXJIT_ELEMENT_B64 = 8,
  PTXJIT_ELEMENT_U64 = 9,
  PTXJIT_ELEMENT_S64 = 10,
} PtxjitTextureElement;

/** What becomes of accesses outside of a surface. The values are those of
 *  ptx::SurfaceBounds. */
typedef enum PtxjitSurfaceBounds {
  PTXJIT_BOUNDS_TRAP = 0,
  PTXJIT_BOUNDS_CLAMP = 1,
  PTXJIT_BOUNDS_ZERO = 2,
} PtxjitSurfaceBounds;

/** The values are those of ptx::AtomicOp. */
typedef enum PtxjitSurfaceReduction {
  PTXJIT_SURFACE_ADD = 0,
  PTXJIT_SURFACE_MIN = 1,
  PTXJIT_SURFACE_MAX = 2,
  PTXJIT_SURFACE_AND = 5,
  PTXJIT_SURFACE_OR = 6,
} PtxjitSurfaceReduction;

/** What txq and suq ask for. The values are those of ptx::TextureQuery. */
typedef enum PtxjitTextureQuery {
  PTXJIT_QUERY_WIDTH = 0,
  PTXJIT_QUERY_HEIGHT = 1,
  PTXJIT_QUERY_DEPTH = 2,
  PTXJIT_QUERY_CHANNEL_DATA_TYPE = 3,
  PTXJIT_QUERY_CHANNEL_ORDER = 4,
  PTXJIT_QUERY_NORMALIZED_COORDS = 5,
  PTXJIT_QUERY_FORCE_UNNORMALIZED_COORDS = 6,
  PTXJIT_QUERY_FILTER_MODE = 7,
  PTXJIT_QUERY_ADDRESS_MODE_0 = 8,
  PTXJIT_QUERY_ADDRESS_MODE_1 = 9,
  PTXJIT_QUERY_ADDRESS_MODE_2 = 10,
  PTXJIT_QUERY_ARRAY_SIZE = 11,
  PTXJIT_QUERY_NUM_MIPMAP_LEVELS = 12,
  PTXJIT_QUERY_NUM_SAMPLES = 13,
  PTXJIT_QUERY_MEMORY_LAYOUT = 14,
} PtxjitTextureQuery;

/** Flags of a PtxjitTextureAccess. */
enum {
  PTXJIT_TEXTURE_FLOAT_AT = 1,    /**< coordinates are f32, else s32 */
  PTXJIT_TEXTURE_HAS_OFFSETS = 2, /**< in texels, one a dimension */
  PTXJIT_TEXTURE_HAS_COMPARE = 4, /**< a reference for depths */
  PTXJIT_SURFACE_FORMATTED = 8,   /**< `.p`: elements are converted */
  PTXJIT_TEXTURE_AT_LEVEL = 16,   /**< txq.level: PTXJIT_TEXTURE_ROW_LEVEL */
};

#ifdef __cplusplus
}
#endif

#endif
