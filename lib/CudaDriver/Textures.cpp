//===- Textures.cpp - texture and surface objects -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An object is the handle of a PtxjitTexture (Runtime/TextureTable.h), which
// kernels read. What the program said is kept here, to be read back.
//
//===----------------------------------------------------------------------===//

#include "Textures.h"

#include "ptxjit/Runtime/TextureTable.h"

#include <algorithm>

using namespace ptxjit;
using namespace ptxjit::cuda;

//===----------------------------------------------------------------------===//
// Texels
//===----------------------------------------------------------------------===//

static void setTexel(const TexelFormat &texel, PtxjitTexture &texture) {
  texture.type = texel.type;
  texture.channels = uint8_t(texel.channels);
  texture.isFraction = texel.isFraction;
  texture.sampleBytes = uint32_t(texel.bytes());
}

/// Describes levels [first, last] of an image, and all layers.
static void setImage(const Image &image, unsigned first, unsigned last,
                     PtxjitTexture &texture) {
  setTexel(image.texel, texture);
  texture.shape = image.shape;
  texture.isLayered = image.isLayered;
  texture.samples = 1;
  bool isCube = image.shape == PTXJIT_IMAGE_CUBE;
  texture.layers =
      image.isLayered ? uint32_t(image.desc.Depth / (isCube ? 6 : 1)) : 1;
  texture.levels = uint8_t(last - first + 1);
  std::copy(image.levels.begin() + first, image.levels.begin() + last + 1,
            texture.level);
}

static void setPlane(const TexelFormat &texel, PtxjitImageShape shape,
                     uint64_t texels, size_t width, size_t height, size_t pitch,
                     PtxjitTexture &texture) {
  setTexel(texel, texture);
  texture.shape = shape;
  texture.samples = 1;
  texture.layers = 1;
  texture.levels = 1;
  texture.level[0] = {
      texels, pitch, pitch * height, uint32_t(width), uint32_t(height), 1, 0};
}

static bool isAligned(uint64_t address, CUdevice_attribute alignment) {
  return address % uint64_t(getAttribute(alignment)) == 0;
}
/// Is `extent` at least 1, and at most what the attribute says?
static bool isWithin(size_t extent, CUdevice_attribute most) {
  return extent && extent <= size_t(getAttribute(most));
}

static CUresult describeLinear(const CUDA_RESOURCE_DESC &resource,
                               PtxjitTexture &texture) {
  const auto &linear = resource.res.linear;
  TexelFormat texel;
  if (CUresult error = findFormat(linear.format, linear.numChannels, texel))
    return error;
  size_t width = linear.sizeInBytes / texel.bytes();
  if (!isWithin(width, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH) ||
      findPlace(linear.devPtr, 1) != Place::Inside)
    return CUDA_ERROR_INVALID_VALUE;
  setPlane(texel, PTXJIT_IMAGE_LINEAR, linear.devPtr, width, 1,
           linear.sizeInBytes, texture);
  return CUDA_SUCCESS;
}

static CUresult describePitched(const CUDA_RESOURCE_DESC &resource,
                                PtxjitTexture &texture) {
  const auto &plane = resource.res.pitch2D;
  TexelFormat texel;
  if (CUresult error = findFormat(plane.format, plane.numChannels, texel))
    return error;
  size_t pitch = plane.pitchInBytes;
  bool fits =
      isWithin(plane.width,
               CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_WIDTH) &&
      isWithin(plane.height,
               CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_HEIGHT) &&
      isWithin(pitch, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_PITCH) &&
      pitch >= plane.width * texel.bytes() &&
      isAligned(pitch, CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT) &&
      isAligned(plane.devPtr, CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT) &&
      findPlace(plane.devPtr, 1) == Place::Inside;
  if (!fits)
    return CUDA_ERROR_INVALID_VALUE;
  setPlane(texel, PTXJIT_IMAGE_2D, plane.devPtr, plane.width, plane.height,
           pitch, texture);
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

/// The format of a view.
static CUresult findViewFormat(int format, TexelFormat &texel) {
  constexpr PtxjitTexelType kTypes[] = {
      PTXJIT_TEXEL_U8,  PTXJIT_TEXEL_S8,  PTXJIT_TEXEL_U16, PTXJIT_TEXEL_S16,
      PTXJIT_TEXEL_U32, PTXJIT_TEXEL_S32, PTXJIT_TEXEL_F16, PTXJIT_TEXEL_F32};
  if (format >= CU_RES_VIEW_FORMAT_UNSIGNED_BC1 &&
      format <= CU_RES_VIEW_FORMAT_UNSIGNED_BC7)
    return CUDA_ERROR_NOT_SUPPORTED;
  if (format < CU_RES_VIEW_FORMAT_UINT_1X8 ||
      format > CU_RES_VIEW_FORMAT_FLOAT_4X32)
    return CUDA_ERROR_INVALID_VALUE;
  int row = format - CU_RES_VIEW_FORMAT_UINT_1X8;
  texel = {kTypes[row / 3], 1u << row % 3, false};
  return CUDA_SUCCESS;
}

/// Is an extent of a view that of the resource? Missing ones may be 1.
static bool isExtent(size_t ofView, size_t ofArray) {
  return ofView == ofArray || (!ofArray && ofView == 1);
}

/// Replaces the layers by [first, last], which count the faces of cubes.
static CUresult selectLayers(const Image &image, unsigned first, unsigned last,
                             PtxjitTexture &texture) {
  if (!image.isLayered)
    return first || last ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
  if (first > last || last >= image.desc.Depth)
    return CUDA_ERROR_INVALID_VALUE;
  unsigned unit = image.shape == PTXJIT_IMAGE_CUBE ? 6 : 1;
  unsigned count = last - first + 1;
  if (first % unit || count % unit)
    return CUDA_ERROR_INVALID_VALUE;
  texture.layers = count / unit;
  for (unsigned i = 0; i < texture.levels; ++i)
    texture.level[i].texels += first * texture.level[i].sliceBytes;
  return CUDA_SUCCESS;
}

/// \param firstLevel  of the image, where the array begins.
static CUresult describeView(const Image &image, unsigned firstLevel,
                             unsigned levels,
                             const CUDA_RESOURCE_VIEW_DESC &view,
                             PtxjitTexture &texture) {
  unsigned first = view.firstMipmapLevel, last = view.lastMipmapLevel;
  const PtxjitImageLevel &base = image.levels[firstLevel];
  bool isOne = !image.desc.Depth;
  if (!isExtent(view.width, base.width) ||
      !isExtent(view.height, image.desc.Height ? base.height : 0) ||
      !isExtent(view.depth, isOne ? 0 : image.slices(firstLevel)) ||
      first > last || last >= levels)
    return CUDA_ERROR_INVALID_VALUE;
  setImage(image, firstLevel + first, firstLevel + last, texture);
  if (CUresult error =
          selectLayers(image, view.firstLayer, view.lastLayer, texture))
    return error;
  if (view.format == CU_RES_VIEW_FORMAT_NONE)
    return CUDA_SUCCESS;
  TexelFormat texel;
  if (CUresult error = findViewFormat(view.format, texel))
    return error;
  if (texel.bytes() != image.texel.bytes())
    return CUDA_ERROR_INVALID_VALUE;
  setTexel(texel, texture);
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Textures
//===----------------------------------------------------------------------===//

/// Finds the array of a resource, and which of its levels a texture has. False
/// if there is no such array.
static bool findImage(const CUDA_RESOURCE_DESC &resource,
                      std::shared_ptr<const Image> &image, unsigned &first,
                      unsigned &count) {
  first = 0;
  if (resource.resType == CU_RESOURCE_TYPE_ARRAY) {
    const Array *array = findArray(resource.res.array.hArray);
    if (!array)
      return false;
    image = array->image;
    first = array->level;
    count = 1;
    return true;
  }
  const MipmappedArray *array =
      findMipmappedArray(resource.res.mipmap.hMipmappedArray);
  if (!array)
    return false;
  image = array->image;
  count = unsigned(image->levels.size());
  return true;
}

CUresult cuda::describeImage(const CUDA_RESOURCE_DESC &resource,
                             const CUDA_RESOURCE_VIEW_DESC *view,
                             PtxjitTexture &texture) {
  std::shared_ptr<const Image> image;
  unsigned first, count;
  texture = {};
  texture.kind = PTXJIT_OPAQUE_TEXTURE;
  switch (resource.resType) {
  case CU_RESOURCE_TYPE_ARRAY:
  case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
    if (!findImage(resource, image, first, count))
      return CUDA_ERROR_INVALID_VALUE;
    if (view)
      return describeView(*image, first, count, *view, texture);
    setImage(*image, first, first + count - 1, texture);
    return CUDA_SUCCESS;
  case CU_RESOURCE_TYPE_LINEAR:
    return view ? CUDA_ERROR_INVALID_VALUE : describeLinear(resource, texture);
  case CU_RESOURCE_TYPE_PITCH2D:
    return view ? CUDA_ERROR_INVALID_VALUE : describePitched(resource, texture);
  }
  return CUDA_ERROR_INVALID_VALUE;
}

static bool isFloat(const PtxjitTexture &texture) {
  return texture.type == PTXJIT_TEXEL_F16 || texture.type == PTXJIT_TEXEL_F32;
}
/// Can its texels be fractions?
static bool isNarrow(const PtxjitTexture &texture) {
  return texture.type != PTXJIT_TEXEL_U32 && texture.type != PTXJIT_TEXEL_S32 &&
         !isFloat(texture);
}

/// A row of memory ignores all modes.
static bool areModes(const CUDA_RESOURCE_DESC &resource,
                     const CUDA_TEXTURE_DESC &desc) {
  constexpr unsigned kFlags =
      CU_TRSF_READ_AS_INTEGER | CU_TRSF_NORMALIZED_COORDINATES | CU_TRSF_SRGB |
      CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION | CU_TRSF_SEAMLESS_CUBEMAP;
  if (desc.flags & ~kFlags)
    return false;
  if (resource.resType == CU_RESOURCE_TYPE_LINEAR)
    return true;
  auto isFilter = [](int mode) {
    return mode == CU_TR_FILTER_MODE_POINT || mode == CU_TR_FILTER_MODE_LINEAR;
  };
  for (int mode : desc.addressMode)
    if (mode < CU_TR_ADDRESS_MODE_WRAP || mode > CU_TR_ADDRESS_MODE_BORDER)
      return false;
  return isFilter(desc.filterMode) && isFilter(desc.mipmapFilterMode);
}

/// The sampler's mode for one dimension.
static uint8_t addressMode(const CUDA_RESOURCE_DESC &resource,
                           const CUDA_TEXTURE_DESC &desc, int mode) {
  if (desc.flags & CU_TRSF_SEAMLESS_CUBEMAP ||
      resource.resType == CU_RESOURCE_TYPE_LINEAR)
    return PTXJIT_ADDRESS_CLAMP;
  // Only fractions can wrap around.
  bool isKept = desc.flags & CU_TRSF_NORMALIZED_COORDINATES ||
                mode == CU_TR_ADDRESS_MODE_BORDER;
  return isKept ? uint8_t(mode) : uint8_t(PTXJIT_ADDRESS_CLAMP);
}

CUresult cuda::describeReads(const CUDA_RESOURCE_DESC &resource,
                             const CUDA_TEXTURE_DESC &desc,
                             PtxjitTexture &texture) {
  if (!areModes(resource, desc))
    return CUDA_ERROR_INVALID_VALUE;
  unsigned flags = desc.flags;
  if (!(flags & CU_TRSF_READ_AS_INTEGER) && isNarrow(texture))
    texture.isFraction = 1;
  texture.isSRGB = flags & CU_TRSF_SRGB && texture.isFraction &&
                   texture.type == PTXJIT_TEXEL_U8;
  PtxjitSampler &sampler = texture.sampler;
  sampler = {};
  for (int i = 0; i < 3; ++i)
    sampler.addressModes[i] = addressMode(resource, desc, desc.addressMode[i]);
  bool canMix = resource.resType != CU_RESOURCE_TYPE_LINEAR; // also integers
  sampler.isLinear = canMix && desc.filterMode == CU_TR_FILTER_MODE_LINEAR;
  sampler.isMipLinear =
      canMix && desc.mipmapFilterMode == CU_TR_FILTER_MODE_LINEAR;
  // Coordinates of several levels are fractions, whatever the flag says.
  sampler.isNormalized = flags & CU_TRSF_NORMALIZED_COORDINATES ||
                         resource.resType == CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
  sampler.isSeamless = bool(flags & CU_TRSF_SEAMLESS_CUBEMAP);
  sampler.isTrilinear = bool(flags & CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION);
  sampler.maxAnisotropy = uint8_t(std::clamp(desc.maxAnisotropy, 1u, 16u));
  sampler.levelBias = desc.mipmapLevelBias;
  sampler.minLevel = desc.minMipmapLevelClamp;
  sampler.maxLevel = desc.maxMipmapLevelClamp;
  std::copy(desc.borderColor, desc.borderColor + 4, sampler.border);
  return CUDA_SUCCESS;
}

/// Memory of texture objects has to be aligned, unlike that of references.
static CUresult checkAlignment(const CUDA_RESOURCE_DESC &resource) {
  return resource.resType != CU_RESOURCE_TYPE_LINEAR ||
                 isAligned(resource.res.linear.devPtr,
                           CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT)
             ? CUDA_SUCCESS
             : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuda::describeSurface(CUarray handle, PtxjitTexture &surface) {
  const Array *array = findArray(handle);
  if (!array)
    return CUDA_ERROR_INVALID_VALUE;
  surface = {};
  surface.kind = PTXJIT_OPAQUE_SURFACE;
  setImage(*array->image, array->level, array->level, surface);
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Objects
//===----------------------------------------------------------------------===//

namespace {
/// What a program said about an object.
struct Object {
  Context *context;
  bool isSurface;
  CUDA_RESOURCE_DESC resource;
  CUDA_TEXTURE_DESC texture;
  std::optional<CUDA_RESOURCE_VIEW_DESC> view;
};

/// All objects, by handle.
struct Objects {
  std::mutex mutex;
  std::map<uint64_t, Object> all;
};
} // namespace

static Objects &getObjects() {
  static auto *objects = new Objects;
  return *objects;
}

/// Makes a handle for a texture and keeps what is known about it.
static CUresult addObject(unsigned long long &out, const PtxjitTexture &texture,
                          const Object &object) {
  uint64_t handle = createTexture(texture);
  if (!handle)
    return CUDA_ERROR_OUT_OF_MEMORY;
  Objects &objects = getObjects();
  std::lock_guard<std::mutex> lock(objects.mutex);
  objects.all.emplace(handle, object);
  out = handle;
  return CUDA_SUCCESS;
}

/// Finds an object and calls enterOwner().
static CUresult findObject(uint64_t handle, bool isSurface, Object &object) {
  if (!getState().initialized)
    return CUDA_ERROR_NOT_INITIALIZED;
  {
    Objects &objects = getObjects();
    std::lock_guard<std::mutex> lock(objects.mutex);
    auto it = objects.all.find(handle);
    if (it == objects.all.end() || it->second.isSurface != isSurface)
      return CUDA_ERROR_INVALID_VALUE;
    object = it->second;
  }
  Context *context;
  return enterOwner(object.context, context);
}

/// Waits for kernels that may use an object, as its slot changes. Like an H100
/// it takes 0 for none, which NVIDIA's sample volumeFiltering has. (An H100
/// takes wrong handles, too.)
static CUresult destroyObject(uint64_t handle, bool isSurface) {
  Object object;
  if (!handle && getState().initialized)
    return CUDA_SUCCESS;
  if (CUresult error = findObject(handle, isSurface, object))
    return error;
  (void)awaitUsers(*object.context); // failed kernels have ended, too
  Objects &objects = getObjects();
  std::lock_guard<std::mutex> lock(objects.mutex);
  if (!objects.all.erase(handle))
    return CUDA_ERROR_INVALID_VALUE; // another thread was faster
  destroyTexture(handle);
  return CUDA_SUCCESS;
}

void cuda::destroyTexturesOf(Context &context) {
  Objects &objects = getObjects();
  std::lock_guard<std::mutex> lock(objects.mutex);
  for (auto it = objects.all.begin(); it != objects.all.end();)
    if (it->second.context == &context) {
      destroyTexture(it->first);
      it = objects.all.erase(it);
    } else {
      ++it;
    }
}

PTXJIT_CUDA_API(cuTexObjectCreate,
                (CUtexObject * out, const CUDA_RESOURCE_DESC *resource,
                 const CUDA_TEXTURE_DESC *desc,
                 const CUDA_RESOURCE_VIEW_DESC *view),
                out, resource, desc, view) {
  Context *context;
  PtxjitTexture texture;
  if (CUresult error = enter(context))
    return error;
  if (!out || !resource || !desc || resource->flags)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = checkAlignment(*resource))
    return error;
  if (CUresult error = describeImage(*resource, view, texture))
    return error;
  if (CUresult error = describeReads(*resource, *desc, texture))
    return error;
  if (texture.sampler.isSeamless && texture.shape != PTXJIT_IMAGE_CUBE)
    return CUDA_ERROR_INVALID_VALUE;
  Object object{context, false, *resource, *desc, std::nullopt};
  if (view)
    object.view = *view;
  return addObject(*out, texture, object);
}
PTXJIT_CUDA_API(cuTexObjectDestroy, (CUtexObject handle), handle) {
  return destroyObject(handle, false);
}
PTXJIT_CUDA_API(cuTexObjectGetResourceDesc,
                (CUDA_RESOURCE_DESC * resource, CUtexObject handle), resource,
                handle) {
  Object object;
  if (CUresult error = findObject(handle, false, object))
    return error;
  if (!resource)
    return CUDA_ERROR_INVALID_VALUE;
  *resource = object.resource;
  return CUDA_SUCCESS;
}
PTXJIT_CUDA_API(cuTexObjectGetTextureDesc,
                (CUDA_TEXTURE_DESC * desc, CUtexObject handle), desc, handle) {
  Object object;
  if (CUresult error = findObject(handle, false, object))
    return error;
  if (!desc)
    return CUDA_ERROR_INVALID_VALUE;
  *desc = object.texture;
  return CUDA_SUCCESS;
}
PTXJIT_CUDA_API(cuTexObjectGetResourceViewDesc,
                (CUDA_RESOURCE_VIEW_DESC * view, CUtexObject handle), view,
                handle) {
  Object object;
  if (CUresult error = findObject(handle, false, object))
    return error;
  if (!view || !object.view)
    return CUDA_ERROR_INVALID_VALUE;
  *view = *object.view;
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuSurfObjectCreate,
                (CUsurfObject * out, const CUDA_RESOURCE_DESC *resource), out,
                resource) {
  Context *context;
  PtxjitTexture surface;
  if (CUresult error = enter(context))
    return error;
  if (!out || !resource || resource->flags ||
      resource->resType != CU_RESOURCE_TYPE_ARRAY)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = describeSurface(resource->res.array.hArray, surface))
    return error;
  return addObject(*out, surface, {context, true, *resource, {}, std::nullopt});
}
PTXJIT_CUDA_API(cuSurfObjectDestroy, (CUsurfObject handle), handle) {
  return destroyObject(handle, true);
}
PTXJIT_CUDA_API(cuSurfObjectGetResourceDesc,
                (CUDA_RESOURCE_DESC * resource, CUsurfObject handle), resource,
                handle) {
  Object object;
  if (CUresult error = findObject(handle, true, object))
    return error;
  if (!resource)
    return CUDA_ERROR_INVALID_VALUE;
  *resource = object.resource;
  return CUDA_SUCCESS;
}
