//===- Textures.cpp - texture and surface objects -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime.h"

#include <algorithm>

using namespace ptxjit;
using namespace ptxjit::cudart;

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

/// Memory of 8, 16 or 32 bits a channel becomes a format of the driver.
static int toDriver(const cudaResourceDesc &desc, CUDA_RESOURCE_DESC &out) {
  out = {};
  out.resType = desc.resType;
  out.flags = desc.flags;
  switch (desc.resType) {
  case CU_RESOURCE_TYPE_ARRAY:
    out.res.array.hArray = desc.res.array.array;
    return cudaSuccess;
  case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
    out.res.mipmap.hMipmappedArray = desc.res.mipmap.mipmap;
    return cudaSuccess;
  case CU_RESOURCE_TYPE_LINEAR:
    out.res.linear.devPtr = toDevice(desc.res.linear.devPtr);
    out.res.linear.sizeInBytes = desc.res.linear.sizeInBytes;
    return cudart::toDriver(desc.res.linear.desc, out.res.linear.format,
                            out.res.linear.numChannels);
  case CU_RESOURCE_TYPE_PITCH2D:
    out.res.pitch2D.devPtr = toDevice(desc.res.pitch2D.devPtr);
    out.res.pitch2D.width = desc.res.pitch2D.width;
    out.res.pitch2D.height = desc.res.pitch2D.height;
    out.res.pitch2D.pitchInBytes = desc.res.pitch2D.pitchInBytes;
    return cudart::toDriver(desc.res.pitch2D.desc, out.res.pitch2D.format,
                            out.res.pitch2D.numChannels);
  }
  return cudaErrorInvalidValue;
}

static cudaResourceDesc fromDriver(const CUDA_RESOURCE_DESC &desc) {
  cudaResourceDesc out{};
  out.resType = desc.resType;
  const auto &linear = desc.res.linear;
  const auto &plane = desc.res.pitch2D;
  switch (desc.resType) {
  case CU_RESOURCE_TYPE_ARRAY:
    out.res.array.array = desc.res.array.hArray;
    break;
  case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
    out.res.mipmap.mipmap = desc.res.mipmap.hMipmappedArray;
    break;
  case CU_RESOURCE_TYPE_LINEAR:
    out.res.linear = {reinterpret_cast<void *>(linear.devPtr),
                      cudart::fromDriver(linear.format, linear.numChannels),
                      linear.sizeInBytes};
    break;
  case CU_RESOURCE_TYPE_PITCH2D:
    out.res.pitch2D = {reinterpret_cast<void *>(plane.devPtr),
                       cudart::fromDriver(plane.format, plane.numChannels),
                       plane.width, plane.height, plane.pitchInBytes};
    break;
  }
  return out;
}

static CUDA_TEXTURE_DESC toDriver(const cudaTextureDesc &desc) {
  CUDA_TEXTURE_DESC out{};
  std::copy(desc.addressMode, desc.addressMode + 3, out.addressMode);
  std::copy(desc.borderColor, desc.borderColor + 4, out.borderColor);
  out.filterMode = desc.filterMode;
  auto setFlag = [&](bool isSet, unsigned flag) {
    out.flags |= isSet ? flag : 0;
  };
  setFlag(desc.readMode == cudaReadModeElementType, CU_TRSF_READ_AS_INTEGER);
  setFlag(desc.normalizedCoords, CU_TRSF_NORMALIZED_COORDINATES);
  setFlag(desc.sRGB, CU_TRSF_SRGB);
  setFlag(desc.disableTrilinearOptimization,
          CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION);
  setFlag(desc.seamlessCubemap, CU_TRSF_SEAMLESS_CUBEMAP);
  out.maxAnisotropy = desc.maxAnisotropy;
  out.mipmapFilterMode = desc.mipmapFilterMode;
  out.mipmapLevelBias = desc.mipmapLevelBias;
  out.minMipmapLevelClamp = desc.minMipmapLevelClamp;
  out.maxMipmapLevelClamp = desc.maxMipmapLevelClamp;
  return out;
}

static cudaTextureDesc fromDriver(const CUDA_TEXTURE_DESC &desc) {
  cudaTextureDesc out{};
  std::copy(desc.addressMode, desc.addressMode + 3, out.addressMode);
  std::copy(desc.borderColor, desc.borderColor + 4, out.borderColor);
  auto hasFlag = [&](unsigned flag) { return int((desc.flags & flag) != 0); };
  out.filterMode = desc.filterMode;
  out.readMode = hasFlag(CU_TRSF_READ_AS_INTEGER) ? cudaReadModeElementType
                                                  : cudaReadModeNormalizedFloat;
  out.normalizedCoords = hasFlag(CU_TRSF_NORMALIZED_COORDINATES);
  out.sRGB = hasFlag(CU_TRSF_SRGB);
  out.disableTrilinearOptimization =
      hasFlag(CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION);
  out.seamlessCubemap = hasFlag(CU_TRSF_SEAMLESS_CUBEMAP);
  out.maxAnisotropy = desc.maxAnisotropy;
  out.mipmapFilterMode = desc.mipmapFilterMode;
  out.mipmapLevelBias = desc.mipmapLevelBias;
  out.minMipmapLevelClamp = desc.minMipmapLevelClamp;
  out.maxMipmapLevelClamp = desc.maxMipmapLevelClamp;
  return out;
}

/// Asks the driver, by `get`, what an object was made from.
template <typename Ours, typename Drivers, typename Handle>
static int describe(Ours *out, CUresult (*get)(Drivers *, Handle),
                    Handle object) {
  Drivers same;
  if (!out)
    return cudaErrorInvalidValue;
  int error = get(&same, object);
  if (!error)
    *out = ::fromDriver(same);
  return error;
}

//===----------------------------------------------------------------------===//
// Errors that the driver does not tell apart
//===----------------------------------------------------------------------===//

/// Finds the format of a resource. An array that does not exist is left to the
/// driver.
static int findFormat(const CUDA_RESOURCE_DESC &resource,
                      CUarray_format &format) {
  CUarray array = nullptr;
  switch (resource.resType) {
  case CU_RESOURCE_TYPE_LINEAR:
    format = resource.res.linear.format;
    return cudaSuccess;
  case CU_RESOURCE_TYPE_PITCH2D:
    format = resource.res.pitch2D.format;
    return cudaSuccess;
  case CU_RESOURCE_TYPE_ARRAY:
    array = resource.res.array.hArray;
    break;
  case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
    if (int error = cuMipmappedArrayGetLevel(
            &array, resource.res.mipmap.hMipmappedArray, 0))
      return error;
    break;
  }
  CUDA_ARRAY3D_DESCRIPTOR desc;
  if (int error = cuArray3DGetDescriptor_v2(&desc, array))
    return error;
  format = desc.Format;
  return cudaSuccess;
}

/// Wide integers are no fractions, and integers cannot be mixed. \param format
/// of the resource, which a view does not replace.
static int checkReads(const cudaResourceDesc &resource,
                      const cudaTextureDesc &desc, CUarray_format format) {
  bool isWide = format == CU_AD_FORMAT_SIGNED_INT32 ||
                format == CU_AD_FORMAT_UNSIGNED_INT32;
  bool isNarrow = format == CU_AD_FORMAT_SIGNED_INT8 ||
                  format == CU_AD_FORMAT_UNSIGNED_INT8 ||
                  format == CU_AD_FORMAT_SIGNED_INT16 ||
                  format == CU_AD_FORMAT_UNSIGNED_INT16;
  bool asFractions = desc.readMode == cudaReadModeNormalizedFloat;
  if (isWide && asFractions)
    return cudaErrorInvalidNormSetting;
  bool isMixed = desc.filterMode == CU_TR_FILTER_MODE_LINEAR &&
                 resource.resType != CU_RESOURCE_TYPE_LINEAR;
  return isMixed && (isWide || (isNarrow && !asFractions))
             ? cudaErrorInvalidFilterSetting
             : cudaSuccess;
}

//===----------------------------------------------------------------------===//
// Textures
//===----------------------------------------------------------------------===//

PTXJIT_CUDART_API(cudaCreateTextureObject,
                  (CUtexObject * out, const cudaResourceDesc *resource,
                   const cudaTextureDesc *desc,
                   const CUDA_RESOURCE_VIEW_DESC *view),
                  out, resource, desc, view) {
  CUDA_RESOURCE_DESC same;
  CUarray_format format;
  if (!out || !resource || !desc || desc->readMode < cudaReadModeElementType ||
      desc->readMode > cudaReadModeNormalizedFloat)
    return cudaErrorInvalidValue;
  if (int error = ::toDriver(*resource, same))
    return error;
  if (int error = findFormat(same, format))
    return error;
  bool isViewed = view && view->format != CU_RES_VIEW_FORMAT_NONE;
  if (!isViewed)
    if (int error = checkReads(*resource, *desc, format))
      return error;
  CUDA_TEXTURE_DESC reads = ::toDriver(*desc);
  return cuTexObjectCreate(out, &same, &reads, view);
}
PTXJIT_CUDART_API(cudaDestroyTextureObject, (CUtexObject texture), texture) {
  return cuTexObjectDestroy(texture);
}
PTXJIT_CUDART_API(cudaGetTextureObjectResourceDesc,
                  (cudaResourceDesc * out, CUtexObject texture), out, texture) {
  return describe(out, cuTexObjectGetResourceDesc, texture);
}
PTXJIT_CUDART_API(cudaGetTextureObjectTextureDesc,
                  (cudaTextureDesc * out, CUtexObject texture), out, texture) {
  return describe(out, cuTexObjectGetTextureDesc, texture);
}
PTXJIT_CUDART_API(cudaGetTextureObjectResourceViewDesc,
                  (CUDA_RESOURCE_VIEW_DESC * out, CUtexObject texture), out,
                  texture) {
  return cuTexObjectGetResourceViewDesc(out, texture);
}

//===----------------------------------------------------------------------===//
// Surfaces
//===----------------------------------------------------------------------===//

PTXJIT_CUDART_API(cudaCreateSurfaceObject,
                  (CUsurfObject * out, const cudaResourceDesc *resource), out,
                  resource) {
  CUDA_RESOURCE_DESC same;
  if (!resource)
    return cudaErrorInvalidValue;
  if (int error = ::toDriver(*resource, same))
    return error;
  return cuSurfObjectCreate(out, &same);
}
PTXJIT_CUDART_API(cudaDestroySurfaceObject, (CUsurfObject surface), surface) {
  return cuSurfObjectDestroy(surface);
}
PTXJIT_CUDART_API(cudaGetSurfaceObjectResourceDesc,
                  (cudaResourceDesc * out, CUsurfObject surface), out,
                  surface) {
  return describe(out, cuSurfObjectGetResourceDesc, surface);
}
