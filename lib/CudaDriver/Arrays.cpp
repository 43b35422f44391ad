//===- Arrays.cpp - CUDA arrays -------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays are plain rows of texels here. Programs cannot tell: they reach arrays
// by copies, textures and surfaces only.
//
//===----------------------------------------------------------------------===//

#include "Arrays.h"

#include <algorithm>

using namespace ptxjit;
using namespace ptxjit::cuda;

//===----------------------------------------------------------------------===//
// Formats
//===----------------------------------------------------------------------===//

size_t TexelFormat::bytes() const {
  switch (type) {
  case PTXJIT_TEXEL_U8:
  case PTXJIT_TEXEL_S8:
    return channels;
  case PTXJIT_TEXEL_U16:
  case PTXJIT_TEXEL_S16:
  case PTXJIT_TEXEL_F16:
    return channels * size_t(2);
  case PTXJIT_TEXEL_U32:
  case PTXJIT_TEXEL_S32:
  case PTXJIT_TEXEL_F32:
    break;
  }
  return channels * size_t(4);
}

/// The formats from UNORM_INT8X1 on, of four types with 1, 2 and 4 channels,
/// read integers as fractions.
static CUresult findFraction(CUarray_format format, unsigned channels,
                             TexelFormat &texel) {
  constexpr PtxjitTexelType kTypes[] = {PTXJIT_TEXEL_U8, PTXJIT_TEXEL_U16,
                                        PTXJIT_TEXEL_S8, PTXJIT_TEXEL_S16};
  int row = format - CU_AD_FORMAT_UNORM_INT8X1;
  texel = {kTypes[row / 3], 1u << row % 3, true};
  return channels == texel.channels ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuda::findFormat(CUarray_format format, unsigned channels,
                          TexelFormat &texel) {
  if (format >= CU_AD_FORMAT_UNORM_INT8X1 &&
      format <= CU_AD_FORMAT_SNORM_INT16X4)
    return findFraction(format, channels, texel);
  auto give = [&](PtxjitTexelType type) {
    texel = {type, channels, false};
    return channels == 1 || channels == 2 || channels == 4
               ? CUDA_SUCCESS
               : CUDA_ERROR_INVALID_VALUE;
  };
  switch (int(format)) {
  case CU_AD_FORMAT_UNSIGNED_INT8:
    return give(PTXJIT_TEXEL_U8);
  case CU_AD_FORMAT_UNSIGNED_INT16:
    return give(PTXJIT_TEXEL_U16);
  case CU_AD_FORMAT_UNSIGNED_INT32:
    return give(PTXJIT_TEXEL_U32);
  case CU_AD_FORMAT_SIGNED_INT8:
    return give(PTXJIT_TEXEL_S8);
  case CU_AD_FORMAT_SIGNED_INT16:
    return give(PTXJIT_TEXEL_S16);
  case CU_AD_FORMAT_SIGNED_INT32:
    return give(PTXJIT_TEXEL_S32);
  case CU_AD_FORMAT_HALF:
    return give(PTXJIT_TEXEL_F16);
  case CU_AD_FORMAT_FLOAT:
    return give(PTXJIT_TEXEL_F32);
  case CU_AD_FORMAT_UNORM_INT_101010_2:
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  // Compressed and planar formats lie side by side.
  bool isKnown =
      format >= CU_AD_FORMAT_BC1_UNORM && format < CU_AD_FORMAT_UNORM_INT8X1;
  return isKnown ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_INVALID_VALUE;
}

//===----------------------------------------------------------------------===//
// Extents
//===----------------------------------------------------------------------===//

/// Decides which kind of array a description asks for.
static CUresult classify(const CUDA_ARRAY3D_DESCRIPTOR &desc, Image &image) {
  bool isCube = desc.Flags & CUDA_ARRAY3D_CUBEMAP;
  image.isLayered = desc.Flags & CUDA_ARRAY3D_LAYERED;
  if (!desc.Width || (image.isLayered && !desc.Depth))
    return CUDA_ERROR_INVALID_VALUE;
  image.shape = isCube                           ? PTXJIT_IMAGE_CUBE
                : !desc.Height                   ? PTXJIT_IMAGE_1D
                : !desc.Depth || image.isLayered ? PTXJIT_IMAGE_2D
                                                 : PTXJIT_IMAGE_3D;
  bool fits = true;
  if (isCube)
    fits = desc.Width == desc.Height &&
           (image.isLayered ? desc.Depth % 6 == 0 : desc.Depth == 6);
  else if (image.shape == PTXJIT_IMAGE_1D && !image.isLayered)
    fits = !desc.Depth;
  if (desc.Flags & CUDA_ARRAY3D_TEXTURE_GATHER)
    fits &= image.shape == PTXJIT_IMAGE_2D && !image.isLayered;
  return fits ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult checkFlags(unsigned flags) {
  constexpr unsigned kUnsupported = CUDA_ARRAY3D_SPARSE |
                                    CUDA_ARRAY3D_DEFERRED_MAPPING |
                                    CUDA_ARRAY3D_VIDEO_ENCODE_DECODE;
  constexpr unsigned kSupported =
      CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_SURFACE_LDST | CUDA_ARRAY3D_CUBEMAP |
      CUDA_ARRAY3D_TEXTURE_GATHER | CUDA_ARRAY3D_DEPTH_TEXTURE |
      CUDA_ARRAY3D_COLOR_ATTACHMENT;
  if (flags & ~(kUnsupported | kSupported))
    return CUDA_ERROR_INVALID_VALUE;
  return flags & kUnsupported ? CUDA_ERROR_NOT_SUPPORTED : CUDA_SUCCESS;
}

namespace {
/// The largest extents; 0 for those that must be missing.
struct Limit {
  size_t width = 0, height = 0, depth = 0;
  bool holds(const CUDA_ARRAY3D_DESCRIPTOR &desc) const {
    return desc.Width <= width && desc.Height <= height && desc.Depth <= depth;
  }
};
} // namespace

#define PTXJIT_MAXIMUM(NAME)                                                   \
  size_t(getAttribute(CU_DEVICE_ATTRIBUTE_MAXIMUM_##NAME))

// The tables of cuArray3DCreate and cuMipmappedArrayCreate.
static Limit surfaceLimit(const Image &image) {
  bool isLayered = image.isLayered;
  switch (image.shape) {
  case PTXJIT_IMAGE_LINEAR:
    break;
  case PTXJIT_IMAGE_1D:
    if (!isLayered)
      return {PTXJIT_MAXIMUM(SURFACE1D_WIDTH), 0, 0};
    return {PTXJIT_MAXIMUM(SURFACE1D_LAYERED_WIDTH), 0,
            PTXJIT_MAXIMUM(SURFACE1D_LAYERED_LAYERS)};
  case PTXJIT_IMAGE_2D:
    if (!isLayered)
      return {PTXJIT_MAXIMUM(SURFACE2D_WIDTH), PTXJIT_MAXIMUM(SURFACE2D_HEIGHT),
              0};
    return {PTXJIT_MAXIMUM(SURFACE2D_LAYERED_WIDTH),
            PTXJIT_MAXIMUM(SURFACE2D_LAYERED_HEIGHT),
            PTXJIT_MAXIMUM(SURFACE2D_LAYERED_LAYERS)};
  case PTXJIT_IMAGE_3D:
    return {PTXJIT_MAXIMUM(SURFACE3D_WIDTH), PTXJIT_MAXIMUM(SURFACE3D_HEIGHT),
            PTXJIT_MAXIMUM(SURFACE3D_DEPTH)};
  case PTXJIT_IMAGE_CUBE:
    if (!isLayered)
      return {PTXJIT_MAXIMUM(SURFACECUBEMAP_WIDTH),
              PTXJIT_MAXIMUM(SURFACECUBEMAP_WIDTH), 6};
    return {PTXJIT_MAXIMUM(SURFACECUBEMAP_LAYERED_WIDTH),
            PTXJIT_MAXIMUM(SURFACECUBEMAP_LAYERED_WIDTH),
            PTXJIT_MAXIMUM(SURFACECUBEMAP_LAYERED_LAYERS)};
  }
  return {};
}

static Limit planeLimit(const Image &image, bool isMipmapped) {
  if (image.isLayered)
    return {PTXJIT_MAXIMUM(TEXTURE2D_LAYERED_WIDTH),
            PTXJIT_MAXIMUM(TEXTURE2D_LAYERED_HEIGHT),
            PTXJIT_MAXIMUM(TEXTURE2D_LAYERED_LAYERS)};
  if (image.desc.Flags & CUDA_ARRAY3D_TEXTURE_GATHER)
    return {PTXJIT_MAXIMUM(TEXTURE2D_GATHER_WIDTH),
            PTXJIT_MAXIMUM(TEXTURE2D_GATHER_HEIGHT), 0};
  if (isMipmapped)
    return {PTXJIT_MAXIMUM(TEXTURE2D_MIPMAPPED_WIDTH),
            PTXJIT_MAXIMUM(TEXTURE2D_MIPMAPPED_HEIGHT), 0};
  return {PTXJIT_MAXIMUM(TEXTURE2D_WIDTH), PTXJIT_MAXIMUM(TEXTURE2D_HEIGHT), 0};
}

static Limit textureLimit(const Image &image, bool isMipmapped) {
  switch (image.shape) {
  case PTXJIT_IMAGE_LINEAR:
    break;
  case PTXJIT_IMAGE_1D:
    if (image.isLayered)
      return {PTXJIT_MAXIMUM(TEXTURE1D_LAYERED_WIDTH), 0,
              PTXJIT_MAXIMUM(TEXTURE1D_LAYERED_LAYERS)};
    return {isMipmapped ? PTXJIT_MAXIMUM(TEXTURE1D_MIPMAPPED_WIDTH)
                        : PTXJIT_MAXIMUM(TEXTURE1D_WIDTH),
            0, 0};
  case PTXJIT_IMAGE_2D:
    return planeLimit(image, isMipmapped);
  case PTXJIT_IMAGE_3D:
    return {PTXJIT_MAXIMUM(TEXTURE3D_WIDTH), PTXJIT_MAXIMUM(TEXTURE3D_HEIGHT),
            PTXJIT_MAXIMUM(TEXTURE3D_DEPTH)};
  case PTXJIT_IMAGE_CUBE:
    if (!image.isLayered)
      return {PTXJIT_MAXIMUM(TEXTURECUBEMAP_WIDTH),
              PTXJIT_MAXIMUM(TEXTURECUBEMAP_WIDTH), 6};
    return {PTXJIT_MAXIMUM(TEXTURECUBEMAP_LAYERED_WIDTH),
            PTXJIT_MAXIMUM(TEXTURECUBEMAP_LAYERED_WIDTH),
            PTXJIT_MAXIMUM(TEXTURECUBEMAP_LAYERED_LAYERS)};
  }
  return {};
}

static CUresult checkExtents(const Image &image, bool isMipmapped) {
  Limit alternate;
  if (image.shape == PTXJIT_IMAGE_3D)
    alternate = {PTXJIT_MAXIMUM(TEXTURE3D_WIDTH_ALTERNATE),
                 PTXJIT_MAXIMUM(TEXTURE3D_HEIGHT_ALTERNATE),
                 PTXJIT_MAXIMUM(TEXTURE3D_DEPTH_ALTERNATE)};
  bool fits = textureLimit(image, isMipmapped).holds(image.desc) ||
              alternate.holds(image.desc);
  if (image.desc.Flags & CUDA_ARRAY3D_SURFACE_LDST)
    fits &= surfaceLimit(image).holds(image.desc);
  return fits ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

//===----------------------------------------------------------------------===//
// Images
//===----------------------------------------------------------------------===//

size_t Image::slices(unsigned level) const {
  if (isLayered || shape == PTXJIT_IMAGE_CUBE)
    return desc.Depth;
  return levels[level].depth;
}

/// The largest number of levels that the extents allow.
static unsigned mostLevels(const Image &image) {
  size_t largest = std::max(image.desc.Width, image.desc.Height);
  if (image.shape == PTXJIT_IMAGE_3D)
    largest = std::max(largest, image.desc.Depth);
  unsigned levels = 1;
  while (largest >>= 1)
    ++levels;
  return levels;
}

/// Appends a level, whose texels begin `offset` bytes behind the first ones.
/// \returns the offset of the next one.
static size_t addLevel(Image &image, size_t offset) {
  constexpr size_t kRow = 32;
  auto index = unsigned(image.levels.size());
  auto shrink = [&](size_t extent) {
    return uint32_t(std::max<size_t>(extent >> index, 1));
  };
  PtxjitImageLevel level{};
  level.width = shrink(image.desc.Width);
  level.height = shrink(image.desc.Height);
  level.depth = image.shape == PTXJIT_IMAGE_3D ? shrink(image.desc.Depth) : 1;
  level.rowBytes = (level.width * image.texel.bytes() + kRow - 1) / kRow * kRow;
  level.sliceBytes = level.rowBytes * level.height;
  level.texels = offset;
  image.levels.push_back(level);
  return offset + level.sliceBytes * image.slices(index);
}

/// Makes the levels and allocates their memory.
static CUresult allocate(Image &image, unsigned levels) {
  constexpr size_t kSlack = 64; // vectors may be read beyond the last texel
  size_t bytes = 0;
  while (image.levels.size() < levels)
    bytes = addLevel(image, bytes);
  image.share = MemoryShare(image.context->device, bytes + kSlack);
  if (image.share)
    image.memory = makeDeviceBuffer(bytes + kSlack);
  if (!image.memory)
    return CUDA_ERROR_OUT_OF_MEMORY;
  for (PtxjitImageLevel &level : image.levels)
    level.texels += reinterpret_cast<uint64_t>(image.memory.get());
  return CUDA_SUCCESS;
}

/// \param levels  0: not a mipmapped array.
static CUresult makeImage(const CUDA_ARRAY3D_DESCRIPTOR &desc, unsigned levels,
                          std::shared_ptr<Image> &out) {
  auto image = std::make_shared<Image>();
  image->desc = desc;
  if (CUresult error = enter(image->context))
    return error;
  if (CUresult error = findFormat(desc.Format, desc.NumChannels, image->texel))
    return error;
  if (CUresult error = checkFlags(desc.Flags))
    return error;
  if (CUresult error = classify(desc, *image))
    return error;
  if (CUresult error = checkExtents(*image, levels))
    return error;
  unsigned most = std::min(mostLevels(*image), PTXJIT_MOST_LEVELS);
  if (CUresult error = allocate(*image, std::clamp(levels, 1u, most)))
    return error;
  out = std::move(image);
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Handles
//===----------------------------------------------------------------------===//

const Array *cuda::findArray(CUarray handle) {
  return getState().arrays.contains(handle) ? reinterpret_cast<Array *>(handle)
                                            : nullptr;
}
const MipmappedArray *cuda::findMipmappedArray(CUmipmappedArray handle) {
  return getState().mipmappedArrays.contains(handle)
             ? reinterpret_cast<MipmappedArray *>(handle)
             : nullptr;
}

/// Calls enterOwner() for an array or mipmapped array. `object` is null if its
/// handle was wrong.
template <typename T>
static CUresult enterObject(const T *object, Context *&context) {
  if (!getState().initialized)
    return CUDA_ERROR_NOT_INITIALIZED;
  return object ? enterOwner(object->image->context, context)
                : CUDA_ERROR_INVALID_HANDLE;
}
static CUresult enterArray(CUarray handle, const Array *&array) {
  Context *context;
  array = findArray(handle);
  return enterObject(array, context);
}

static Array *addArray(std::shared_ptr<const Image> image, unsigned level,
                       bool isOfMipmap) {
  return getState().arrays.add(
      std::make_unique<Array>(Array{std::move(image), level, isOfMipmap}));
}

void cuda::destroyArraysOf(Context &context) {
  auto isOwned = [&](const auto &array) {
    return array.image->context == &context;
  };
  getState().mipmappedArrays.removeIf(isOwned);
  getState().arrays.removeIf(isOwned);
}

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

PTXJIT_CUDA_API(cuArray3DCreate_v2,
                (CUarray * out, const CUDA_ARRAY3D_DESCRIPTOR *desc), out,
                desc) {
  std::shared_ptr<Image> image;
  if (!out || !desc)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = makeImage(*desc, 0, image))
    return error;
  *out = reinterpret_cast<CUarray>(addArray(std::move(image), 0, false));
  return CUDA_SUCCESS;
}
PTXJIT_CUDA_API(cuArrayCreate_v2,
                (CUarray * out, const CUDA_ARRAY_DESCRIPTOR *desc), out, desc) {
  if (!desc)
    return CUDA_ERROR_INVALID_VALUE;
  CUDA_ARRAY3D_DESCRIPTOR same{desc->Width,  desc->Height,      0,
                               desc->Format, desc->NumChannels, 0};
  return cuArray3DCreate_v2(out, &same);
}

PTXJIT_CUDA_API(cuArray3DGetDescriptor_v2,
                (CUDA_ARRAY3D_DESCRIPTOR * desc, CUarray handle), desc,
                handle) {
  const Array *array;
  if (CUresult error = enterArray(handle, array))
    return error;
  if (!desc)
    return CUDA_ERROR_INVALID_VALUE;
  const Image &image = *array->image;
  const PtxjitImageLevel &level = image.levels[array->level];
  *desc = image.desc;
  desc->Width = level.width;
  if (desc->Height)
    desc->Height = level.height;
  if (desc->Depth)
    desc->Depth = image.slices(array->level);
  return CUDA_SUCCESS;
}
PTXJIT_CUDA_API(cuArrayGetDescriptor_v2,
                (CUDA_ARRAY_DESCRIPTOR * desc, CUarray handle), desc, handle) {
  CUDA_ARRAY3D_DESCRIPTOR wide;
  if (!desc)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = cuArray3DGetDescriptor_v2(&wide, handle))
    return error;
  *desc = {wide.Width, wide.Height, wide.Format, wide.NumChannels};
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuArrayDestroy, (CUarray handle), handle) {
  Context *context;
  const Array *array = findArray(handle);
  if (CUresult error = enterObject(array, context))
    return error;
  if (array->isOfMipmap)
    return CUDA_ERROR_INVALID_HANDLE;
  if (CUresult error = awaitUsers(*context))
    return error;
  getState().arrays.remove(handle);
  return CUDA_SUCCESS;
}

// No array has planes, is sparse, or is mapped later: all that is left of these
// functions are their errors.
PTXJIT_CUDA_API(cuArrayGetPlane,
                (CUarray * out, CUarray handle, unsigned plane), out, handle,
                plane) {
  const Array *array;
  if (CUresult error = enterArray(handle, array))
    return error;
  return CUDA_ERROR_INVALID_VALUE;
}
PTXJIT_CUDA_API(cuArrayGetSparseProperties,
                (CUDA_ARRAY_SPARSE_PROPERTIES * properties, CUarray handle),
                properties, handle) {
  const Array *array;
  if (CUresult error = enterArray(handle, array))
    return error;
  return CUDA_ERROR_INVALID_VALUE;
}
PTXJIT_CUDA_API(cuArrayGetMemoryRequirements,
                (CUDA_ARRAY_MEMORY_REQUIREMENTS * requirements, CUarray handle,
                 CUdevice device),
                requirements, handle, device) {
  const Array *array;
  if (CUresult error = checkDevice(device))
    return error;
  if (CUresult error = enterArray(handle, array))
    return error;
  return CUDA_ERROR_INVALID_VALUE;
}

//===----------------------------------------------------------------------===//
// Mipmapped arrays
//===----------------------------------------------------------------------===//

PTXJIT_CUDA_API(cuMipmappedArrayCreate,
                (CUmipmappedArray * out, const CUDA_ARRAY3D_DESCRIPTOR *desc,
                 unsigned levels),
                out, desc, levels) {
  std::shared_ptr<Image> image;
  if (!out || !desc)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = makeImage(*desc, std::max(levels, 1u), image))
    return error;
  auto array = std::make_unique<MipmappedArray>();
  array->image = image;
  for (unsigned level = 0; level < image->levels.size(); ++level)
    array->levels.push_back(addArray(image, level, true));
  *out = reinterpret_cast<CUmipmappedArray>(
      getState().mipmappedArrays.add(std::move(array)));
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuMipmappedArrayGetLevel,
                (CUarray * out, CUmipmappedArray handle, unsigned level), out,
                handle, level) {
  Context *context;
  const MipmappedArray *array = findMipmappedArray(handle);
  if (CUresult error = enterObject(array, context))
    return error;
  if (!out || level >= array->levels.size())
    return CUDA_ERROR_INVALID_VALUE;
  *out = reinterpret_cast<CUarray>(array->levels[level]);
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuMipmappedArrayDestroy, (CUmipmappedArray handle), handle) {
  Context *context;
  if (CUresult error = enterObject(findMipmappedArray(handle), context))
    return error;
  if (CUresult error = awaitUsers(*context))
    return error;
  if (auto array = getState().mipmappedArrays.remove(handle))
    for (Array *level : array->levels)
      getState().arrays.remove(level);
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuMipmappedArrayGetSparseProperties,
                (CUDA_ARRAY_SPARSE_PROPERTIES * properties,
                 CUmipmappedArray handle),
                properties, handle) {
  Context *context;
  if (CUresult error = enterObject(findMipmappedArray(handle), context))
    return error;
  return CUDA_ERROR_INVALID_VALUE;
}
PTXJIT_CUDA_API(cuMipmappedArrayGetMemoryRequirements,
                (CUDA_ARRAY_MEMORY_REQUIREMENTS * requirements,
                 CUmipmappedArray handle, CUdevice device),
                requirements, handle, device) {
  Context *context;
  if (CUresult error = checkDevice(device))
    return error;
  if (CUresult error = enterObject(findMipmappedArray(handle), context))
    return error;
  return CUDA_ERROR_INVALID_VALUE;
}

//===----------------------------------------------------------------------===//
// Limits
//===----------------------------------------------------------------------===//

PTXJIT_CUDA_API(cuDeviceGetTexture1DLinearMaxWidth,
                (size_t *elements, CUarray_format format, unsigned channels,
                 CUdevice device),
                elements, format, channels, device) {
  TexelFormat texel;
  if (CUresult error = checkDevice(device))
    return error;
  if (!elements)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = findFormat(format, channels, texel))
    return error;
  *elements = PTXJIT_MAXIMUM(TEXTURE1D_LINEAR_WIDTH);
  return CUDA_SUCCESS;
}
