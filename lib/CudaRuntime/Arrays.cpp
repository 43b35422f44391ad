//===- Arrays.cpp - CUDA arrays, implemented by the driver's --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime.h"

using namespace ptxjit;
using namespace ptxjit::cudart;

//===----------------------------------------------------------------------===//
// Formats of channels
//===----------------------------------------------------------------------===//

/// Finds the number of channels, and their bits; false unless all have the same
/// ones and none is missing between others.
static bool countChannels(const cudaChannelFormatDesc &desc, unsigned &count,
                          int &bits) {
  const int all[] = {desc.x, desc.y, desc.z, desc.w};
  count = 0;
  bits = desc.x;
  while (count < 4 && all[count])
    if (all[count++] != bits)
      return false;
  for (unsigned i = count; i < 4; ++i)
    if (all[i])
      return false;
  return count == 1 || count == 2 || count == 4;
}

/// The formats of a kind with 8, 16 and 32 bits; 0 where there is none.
static constexpr int kFormats[3][3] = {
    {CU_AD_FORMAT_SIGNED_INT8, CU_AD_FORMAT_SIGNED_INT16,
     CU_AD_FORMAT_SIGNED_INT32},
    {CU_AD_FORMAT_UNSIGNED_INT8, CU_AD_FORMAT_UNSIGNED_INT16,
     CU_AD_FORMAT_UNSIGNED_INT32},
    {0, CU_AD_FORMAT_HALF, CU_AD_FORMAT_FLOAT}};

int cudart::toDriver(const cudaChannelFormatDesc &desc, CUarray_format &format,
                     unsigned &channels) {
  int bits;
  if (desc.f >= cudaChannelFormatKindUnsignedNormalized8X1 &&
      desc.f <= cudaChannelFormatKindSignedNormalized16X4) {
    int row = desc.f - cudaChannelFormatKindUnsignedNormalized8X1;
    format = CUarray_format(CU_AD_FORMAT_UNORM_INT8X1 + row);
    channels = 1u << row % 3;
    return cudaSuccess;
  }
  if (desc.f >= cudaChannelFormatKindNV12 &&
      desc.f <= cudaChannelFormatKindUnsignedNormalized1010102)
    return cudaErrorNotSupported;
  if (desc.f < cudaChannelFormatKindSigned ||
      desc.f > cudaChannelFormatKindFloat ||
      !countChannels(desc, channels, bits))
    return cudaErrorInvalidChannelDescriptor;
  int column = bits == 8 ? 0 : bits == 16 ? 1 : bits == 32 ? 2 : -1;
  int found = column < 0 ? 0 : kFormats[desc.f][column];
  format = CUarray_format(found);
  return found ? cudaSuccess : cudaErrorInvalidChannelDescriptor;
}

cudaChannelFormatDesc cudart::fromDriver(CUarray_format format,
                                         unsigned channels) {
  auto make = [&](int bits, int kind) {
    auto present = [&](unsigned channel) {
      return channel < channels ? bits : 0;
    };
    return cudaChannelFormatDesc{present(0), present(1), present(2), present(3),
                                 kind};
  };
  if (format >= CU_AD_FORMAT_UNORM_INT8X1 &&
      format <= CU_AD_FORMAT_SNORM_INT16X4) {
    int row = format - CU_AD_FORMAT_UNORM_INT8X1;
    return make(row / 3 % 2 ? 16 : 8,
                cudaChannelFormatKindUnsignedNormalized8X1 + row);
  }
  for (int kind = 0; kind < 3; ++kind)
    for (int column = 0; column < 3; ++column)
      if (kFormats[kind][column] == format)
        return make(8 << column, kind);
  return make(0, cudaChannelFormatKindNone);
}

PTXJIT_CUDART_EXPORT cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y,
                                                                 int z, int w,
                                                                 int kind) {
  return {x, y, z, w, kind};
}

int cudart::findElement(CUarray array, size_t &bytes) {
  CUDA_ARRAY3D_DESCRIPTOR desc;
  if (int error = cuArray3DGetDescriptor_v2(&desc, array))
    return error;
  cudaChannelFormatDesc channels = fromDriver(desc.Format, desc.NumChannels);
  bytes = size_t(channels.x + channels.y + channels.z + channels.w) / 8;
  return bytes ? cudaSuccess : cudaErrorInvalidValue;
}

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

static int describe(const cudaChannelFormatDesc *desc, const cudaExtent &extent,
                    unsigned flags, CUDA_ARRAY3D_DESCRIPTOR &out) {
  if (!desc)
    return cudaErrorInvalidValue;
  out = {extent.width, extent.height, extent.depth, CU_AD_FORMAT_FLOAT, 1,
         flags};
  return toDriver(*desc, out.Format, out.NumChannels);
}

PTXJIT_CUDART_API(cudaMalloc3DArray,
                  (CUarray * out, const cudaChannelFormatDesc *desc,
                   cudaExtent extent, unsigned flags),
                  out, desc, extent, flags) {
  CUDA_ARRAY3D_DESCRIPTOR same;
  if (int error = describe(desc, extent, flags, same))
    return error;
  return cuArray3DCreate_v2(out, &same);
}
PTXJIT_CUDART_API(cudaMallocArray,
                  (CUarray * out, const cudaChannelFormatDesc *desc,
                   size_t width, size_t height, unsigned flags),
                  out, desc, width, height, flags) {
  CUDA_ARRAY3D_DESCRIPTOR same;
  if (int error = describe(desc, {width, height, 0}, flags, same))
    return error;
  return cuArray3DCreate_v2(out, &same);
}
PTXJIT_CUDART_API(cudaMallocMipmappedArray,
                  (CUmipmappedArray * out, const cudaChannelFormatDesc *desc,
                   cudaExtent extent, unsigned levels, unsigned flags),
                  out, desc, extent, levels, flags) {
  CUDA_ARRAY3D_DESCRIPTOR same;
  if (int error = describe(desc, extent, flags, same))
    return error;
  return cuMipmappedArrayCreate(out, &same, levels);
}
PTXJIT_CUDART_API(cudaGetMipmappedArrayLevel,
                  (CUarray * out, CUmipmappedArray array, unsigned level), out,
                  array, level) {
  return cuMipmappedArrayGetLevel(out, array, level);
}

// Nothing may be freed, like memory.
PTXJIT_CUDART_API(cudaFreeArray, (CUarray array), array) {
  return array ? int(cuArrayDestroy(array)) : cudaSuccess;
}
PTXJIT_CUDART_API(cudaFreeMipmappedArray, (CUmipmappedArray array), array) {
  return array ? int(cuMipmappedArrayDestroy(array)) : cudaSuccess;
}

PTXJIT_CUDART_API(cudaArrayGetInfo,
                  (cudaChannelFormatDesc * desc, cudaExtent *extent,
                   unsigned *flags, CUarray array),
                  desc, extent, flags, array) {
  CUDA_ARRAY3D_DESCRIPTOR known;
  if (int error = cuArray3DGetDescriptor_v2(&known, array))
    return error;
  if (desc)
    *desc = fromDriver(known.Format, known.NumChannels);
  if (extent)
    *extent = {known.Width, known.Height, known.Depth};
  if (flags)
    *flags = known.Flags;
  return cudaSuccess;
}
PTXJIT_CUDART_API(cudaGetChannelDesc,
                  (cudaChannelFormatDesc * desc, CUarray array), desc, array) {
  CUDA_ARRAY3D_DESCRIPTOR known;
  if (int error = cuArray3DGetDescriptor_v2(&known, array))
    return error;
  if (!desc)
    return cudaErrorInvalidValue;
  *desc = fromDriver(known.Format, known.NumChannels);
  return cudaSuccess;
}
PTXJIT_CUDART_API(cudaArrayGetPlane,
                  (CUarray * out, CUarray array, unsigned plane), out, array,
                  plane) {
  return cuArrayGetPlane(out, array, plane);
}
PTXJIT_CUDART_API(cudaArrayGetSparseProperties,
                  (CUDA_ARRAY_SPARSE_PROPERTIES * properties, CUarray array),
                  properties, array) {
  return cuArrayGetSparseProperties(properties, array);
}
PTXJIT_CUDART_API(cudaMipmappedArrayGetSparseProperties,
                  (CUDA_ARRAY_SPARSE_PROPERTIES * properties,
                   CUmipmappedArray array),
                  properties, array) {
  return cuMipmappedArrayGetSparseProperties(properties, array);
}
PTXJIT_CUDART_API(cudaArrayGetMemoryRequirements,
                  (CUDA_ARRAY_MEMORY_REQUIREMENTS * requirements, CUarray array,
                   int device),
                  requirements, array, device) {
  return cuArrayGetMemoryRequirements(requirements, array, device);
}
PTXJIT_CUDART_API(cudaMipmappedArrayGetMemoryRequirements,
                  (CUDA_ARRAY_MEMORY_REQUIREMENTS * requirements,
                   CUmipmappedArray array, int device),
                  requirements, array, device) {
  return cuMipmappedArrayGetMemoryRequirements(requirements, array, device);
}

PTXJIT_CUDART_API(cudaDeviceGetTexture1DLinearMaxWidth,
                  (size_t *elements, const cudaChannelFormatDesc *desc,
                   int device),
                  elements, desc, device) {
  CUarray_format format;
  unsigned channels;
  if (!desc)
    return cudaErrorInvalidValue;
  if (int error = toDriver(*desc, format, channels))
    return error;
  return cuDeviceGetTexture1DLinearMaxWidth(elements, format, channels, device);
}
