//===- Memory.cpp - allocations, copies, sets -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime.h"

#include <cstring>
#include <initializer_list>

using namespace ptxjit;
using namespace ptxjit::cudart;

//===----------------------------------------------------------------------===//
// Allocations
//===----------------------------------------------------------------------===//

static int give(void **out, int error, CUdeviceptr address) {
  if (!error)
    *out = reinterpret_cast<void *>(address);
  return error;
}

PTXJIT_CUDART_API(cudaMalloc, (void **out, size_t bytes), out, bytes) {
  CUdeviceptr address = 0;
  if (!out)
    return cudaErrorInvalidValue;
  if (!bytes) { // allowed here, unlike in the driver
    *out = nullptr;
    return cudaSuccess;
  }
  return give(out, cuMemAlloc_v2(&address, bytes), address);
}
PTXJIT_CUDART_API(cudaFree, (void *pointer), pointer) {
  return cuMemFree_v2(toDevice(pointer));
}
PTXJIT_CUDART_API(cudaMallocManaged, (void **out, size_t bytes, unsigned flags),
                  out, bytes, flags) {
  CUdeviceptr address = 0;
  if (!out)
    return cudaErrorInvalidValue;
  return give(out, cuMemAllocManaged(&address, bytes, flags ? flags : 1),
              address);
}
PTXJIT_CUDART_API(cudaMallocPitch,
                  (void **out, size_t *pitch, size_t width, size_t height), out,
                  pitch, width, height) {
  CUdeviceptr address = 0;
  if (!out || !pitch)
    return cudaErrorInvalidValue;
  if (!width || !height) {
    *out = nullptr;
    *pitch = 0;
    return cudaSuccess;
  }
  return give(out, cuMemAllocPitch_v2(&address, pitch, width, height, 4),
              address);
}
PTXJIT_CUDART_API(cudaMalloc3D, (cudaPitchedPtr * out, cudaExtent extent), out,
                  extent) {
  if (!out)
    return cudaErrorInvalidValue;
  out->xsize = extent.width;
  out->ysize = extent.height;
  return cudaMallocPitch(&out->ptr, &out->pitch, extent.width,
                         extent.height * extent.depth);
}

PTXJIT_CUDART_API(cudaHostAlloc, (void **out, size_t bytes, unsigned flags),
                  out, bytes, flags) {
  if (out && !bytes) {
    *out = nullptr;
    return cudaSuccess;
  }
  return cuMemHostAlloc(out, bytes, flags);
}
PTXJIT_CUDART_API(cudaMallocHost, (void **out, size_t bytes), out, bytes) {
  return cudaHostAlloc(out, bytes, 0);
}
PTXJIT_CUDART_API(cudaFreeHost, (void *pointer), pointer) {
  return cuMemFreeHost(pointer);
}
PTXJIT_CUDART_API(cudaHostRegister,
                  (void *pointer, size_t bytes, unsigned flags), pointer, bytes,
                  flags) {
  return cuMemHostRegister_v2(pointer, bytes, flags);
}
PTXJIT_CUDART_API(cudaHostUnregister, (void *pointer), pointer) {
  return cuMemHostUnregister(pointer);
}
PTXJIT_CUDART_API(cudaHostGetDevicePointer,
                  (void **out, void *host, unsigned flags), out, host, flags) {
  return cuMemHostGetDevicePointer_v2(reinterpret_cast<CUdeviceptr *>(out),
                                      host, flags);
}
PTXJIT_CUDART_API(cudaHostGetFlags, (unsigned *flags, void *host), flags,
                  host) {
  return cuMemHostGetFlags(flags, host);
}
PTXJIT_CUDART_API(cudaMemGetInfo, (size_t *free, size_t *total), free, total) {
  return cuMemGetInfo_v2(free, total);
}

PTXJIT_CUDART_API(cudaPointerGetAttributes,
                  (cudaPointerAttributes * out, const void *pointer), out,
                  pointer) {
  if (!out)
    return cudaErrorInvalidValue;
  *out = {};
  unsigned type = 0, managed = 0;
  CUdeviceptr address = toDevice(pointer);
  if (cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address)) {
    out->type = cudaMemoryTypeUnregistered;
    out->device = -2; // CUDA's number for no device
    out->hostPointer = const_cast<void *>(pointer);
    return cudaSuccess;
  }
  cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, address);
  cuPointerGetAttribute(&out->device, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                        address);
  bool onHost = type == CU_MEMORYTYPE_HOST;
  out->type = managed  ? cudaMemoryTypeManaged
              : onHost ? cudaMemoryTypeHost
                       : cudaMemoryTypeDevice;
  out->devicePointer = const_cast<void *>(pointer);
  if (onHost || managed)
    out->hostPointer = const_cast<void *>(pointer);
  return cudaSuccess;
}

PTXJIT_CUDART_API(cudaMemAdvise,
                  (const void *pointer, size_t bytes, int advice,
                   CUmemLocation location),
                  pointer, bytes, advice, location) {
  return cuMemAdvise_v2(toDevice(pointer), bytes, advice, location);
}
PTXJIT_CUDART_API(cudaMemRangeGetAttribute,
                  (void *data, size_t size, int attribute, const void *pointer,
                   size_t bytes),
                  data, size, attribute, pointer, bytes) {
  return cuMemRangeGetAttribute(data, size, attribute, toDevice(pointer),
                                bytes);
}
PTXJIT_CUDART_API(cudaMemRangeGetAttributes,
                  (void **data, size_t *sizes, int *attributes, size_t count,
                   const void *pointer, size_t bytes),
                  data, sizes, attributes, count, pointer, bytes) {
  return cuMemRangeGetAttributes(data, sizes, attributes, count,
                                 toDevice(pointer), bytes);
}
PTXJIT_CUDART_STREAM_API(cudaMemPrefetchAsync, _ptsz,
                         (const void *pointer, size_t bytes,
                          CUmemLocation location, unsigned flags,
                          CUstream stream),
                         pointer, bytes, location, flags, stream) {
  return cuMemPrefetchAsync_v2(toDevice(pointer), bytes, location, flags,
                               streamOf(stream));
}

//===----------------------------------------------------------------------===//
// Batches
//===----------------------------------------------------------------------===//

// CUDA 12 has another form of the first of these, and lacks the others.
#if PTXJIT_CUDART_VERSION >= 13
static CUdeviceptr *toDevices(const void *const *pointers) {
  return reinterpret_cast<CUdeviceptr *>(const_cast<void **>(pointers));
}

PTXJIT_CUDART_STREAM_API(cudaMemcpyBatchAsync, _ptsz,
                         (const void *const *to, const void *const *from,
                          const size_t *sizes, size_t count,
                          CUmemcpyAttributes *attributes, size_t *starts,
                          size_t numAttributes, CUstream stream),
                         to, from, sizes, count, attributes, starts,
                         numAttributes, stream) {
  return cuMemcpyBatchAsync_v2(toDevices(to), toDevices(from),
                               const_cast<size_t *>(sizes), count, attributes,
                               starts, numAttributes, streamOf(stream));
}
PTXJIT_CUDART_STREAM_API(cudaMemPrefetchBatchAsync, _ptsz,
                         (void **pointers, size_t *sizes, size_t count,
                          CUmemLocation *locations, size_t *starts,
                          size_t numLocations, unsigned long long flags,
                          CUstream stream),
                         pointers, sizes, count, locations, starts,
                         numLocations, flags, stream) {
  return cuMemPrefetchBatchAsync(toDevices(pointers), sizes, count, locations,
                                 starts, numLocations, flags, streamOf(stream));
}
PTXJIT_CUDART_STREAM_API(cudaMemDiscardBatchAsync, _ptsz,
                         (void **pointers, size_t *sizes, size_t count,
                          unsigned long long flags, CUstream stream),
                         pointers, sizes, count, flags, stream) {
  return cuMemDiscardBatchAsync(toDevices(pointers), sizes, count, flags,
                                streamOf(stream));
}
PTXJIT_CUDART_STREAM_API(cudaMemDiscardAndPrefetchBatchAsync, _ptsz,
                         (void **pointers, size_t *sizes, size_t count,
                          CUmemLocation *locations, size_t *starts,
                          size_t numLocations, unsigned long long flags,
                          CUstream stream),
                         pointers, sizes, count, locations, starts,
                         numLocations, flags, stream) {
  return cuMemDiscardAndPrefetchBatchAsync(toDevices(pointers), sizes, count,
                                           locations, starts, numLocations,
                                           flags, streamOf(stream));
}

PTXJIT_CUDART_API(cudaMemGetDefaultMemPool,
                  (CUmemoryPool * out, CUmemLocation *location, int type), out,
                  location, type) {
  return cuMemGetDefaultMemPool(out, location, type);
}
PTXJIT_CUDART_API(cudaMemGetMemPool,
                  (CUmemoryPool * out, CUmemLocation *location, int type), out,
                  location, type) {
  return cuMemGetMemPool(out, location, type);
}
PTXJIT_CUDART_API(cudaMemSetMemPool,
                  (CUmemLocation * location, int type, CUmemoryPool pool),
                  location, type, pool) {
  return cuMemSetMemPool(location, type, pool);
}
#endif

//===----------------------------------------------------------------------===//
// Pools
//===----------------------------------------------------------------------===//

PTXJIT_CUDART_STREAM_API(cudaMallocAsync, _ptsz,
                         (void **out, size_t bytes, CUstream stream), out,
                         bytes, stream) {
  return cuMemAllocAsync(reinterpret_cast<CUdeviceptr *>(out), bytes,
                         streamOf(stream));
}
PTXJIT_CUDART_STREAM_API(cudaMallocFromPoolAsync, _ptsz,
                         (void **out, size_t bytes, CUmemoryPool pool,
                          CUstream stream),
                         out, bytes, pool, stream) {
  return cuMemAllocFromPoolAsync(reinterpret_cast<CUdeviceptr *>(out), bytes,
                                 pool, streamOf(stream));
}
PTXJIT_CUDART_STREAM_API(cudaFreeAsync, _ptsz, (void *pointer, CUstream stream),
                         pointer, stream) {
  return cuMemFreeAsync(toDevice(pointer), streamOf(stream));
}
PTXJIT_CUDART_API(cudaMemPoolCreate,
                  (CUmemoryPool * out, const CUmemPoolProps *props), out,
                  props) {
  return cuMemPoolCreate(out, props);
}
PTXJIT_CUDART_API(cudaMemPoolDestroy, (CUmemoryPool pool), pool) {
  return cuMemPoolDestroy(pool);
}
PTXJIT_CUDART_API(cudaMemPoolTrimTo, (CUmemoryPool pool, size_t keep), pool,
                  keep) {
  return cuMemPoolTrimTo(pool, keep);
}
PTXJIT_CUDART_API(cudaMemPoolSetAttribute,
                  (CUmemoryPool pool, int attribute, void *value), pool,
                  attribute, value) {
  return cuMemPoolSetAttribute(pool, attribute, value);
}
PTXJIT_CUDART_API(cudaMemPoolGetAttribute,
                  (CUmemoryPool pool, int attribute, void *value), pool,
                  attribute, value) {
  return cuMemPoolGetAttribute(pool, attribute, value);
}
PTXJIT_CUDART_API(cudaMemPoolSetAccess,
                  (CUmemoryPool pool, const CUmemAccessDesc *map, size_t count),
                  pool, map, count) {
  return cuMemPoolSetAccess(pool, map, count);
}
PTXJIT_CUDART_API(cudaMemPoolGetAccess,
                  (int *flags, CUmemoryPool pool, CUmemLocation *location),
                  flags, pool, location) {
  return cuMemPoolGetAccess(flags, pool, location);
}
PTXJIT_CUDART_API(cudaDeviceGetDefaultMemPool, (CUmemoryPool * out, int device),
                  out, device) {
  return cuDeviceGetDefaultMemPool(out, device);
}
PTXJIT_CUDART_API(cudaDeviceGetMemPool, (CUmemoryPool * out, int device), out,
                  device) {
  return cuDeviceGetMemPool(out, device);
}
PTXJIT_CUDART_API(cudaDeviceGetGraphMemAttribute,
                  (int device, int attribute, void *value), device, attribute,
                  value) {
  return cuDeviceGetGraphMemAttribute(device, attribute, value);
}
PTXJIT_CUDART_API(cudaDeviceSetGraphMemAttribute,
                  (int device, int attribute, void *value), device, attribute,
                  value) {
  return cuDeviceSetGraphMemAttribute(device, attribute, value);
}
PTXJIT_CUDART_API(cudaDeviceGraphMemTrim, (int device), device) {
  return cuDeviceGraphMemTrim(device);
}
PTXJIT_CUDART_API(cudaDeviceSetMemPool, (int device, CUmemoryPool pool), device,
                  pool) {
  return cuDeviceSetMemPool(device, pool);
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// The driver's memory types for a direction of copies; false if it is none.
static bool typesOf(int kind, int &to, int &from) {
  constexpr int host = CU_MEMORYTYPE_HOST, device = CU_MEMORYTYPE_DEVICE;
  switch (kind) {
  case cudaMemcpyHostToHost:
    to = from = host;
    return true;
  case cudaMemcpyHostToDevice:
    to = device;
    from = host;
    return true;
  case cudaMemcpyDeviceToHost:
    to = host;
    from = device;
    return true;
  case cudaMemcpyDeviceToDevice:
    to = from = device;
    return true;
  case cudaMemcpyDefault:
    to = from = CU_MEMORYTYPE_UNIFIED;
    return true;
  }
  return false;
}

/// Bytes of the elements that extents count. Both arrays, if there are two,
/// must have the same ones.
static int findElement(const cudaMemcpy3DParms &p, size_t &bytes) {
  bytes = 1;
  for (void *array : {p.srcArray, p.dstArray}) {
    size_t own;
    if (!array)
      continue;
    if (int error = cudart::findElement(static_cast<CUarray>(array), own))
      return error;
    if (bytes != 1 && bytes != own)
      return cudaErrorInvalidValue;
    bytes = own;
  }
  return cudaSuccess;
}

int cudart::toDriver(const cudaMemcpy3DParms &p, CUDA_MEMCPY3D &out) {
  size_t element, most = SIZE_MAX;
  out = {};
  if (!typesOf(p.kind, out.dstMemoryType, out.srcMemoryType))
    return cudaErrorInvalidMemcpyDirection;
  if ((p.srcArray && p.srcPtr.ptr) || (p.dstArray && p.dstPtr.ptr))
    return cudaErrorInvalidValue;
  // Other pitches that are too short are for the driver.
  if (p.extent.height > 1 && ((!p.srcArray && p.srcPtr.pitch == 0) ||
                              (!p.dstArray && p.dstPtr.pitch == 0)))
    return cudaErrorInvalidPitchValue;
  if (int error = ::findElement(p, element))
    return error;
  most /= element;
  if (p.extent.width > most || p.srcPos.x > most || p.dstPos.x > most)
    return cudaErrorInvalidValue;
  if (p.srcArray)
    out.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  if (p.dstArray)
    out.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  out.srcArray = static_cast<CUarray>(p.srcArray);
  out.srcXInBytes = p.srcPos.x * (p.srcArray ? element : 1);
  out.srcY = p.srcPos.y;
  out.srcZ = p.srcPos.z;
  out.srcHost = p.srcPtr.ptr;
  out.srcDevice = toDevice(p.srcPtr.ptr);
  out.srcPitch = p.srcPtr.pitch;
  out.srcHeight = p.srcPtr.ysize;
  out.dstArray = static_cast<CUarray>(p.dstArray);
  out.dstXInBytes = p.dstPos.x * (p.dstArray ? element : 1);
  out.dstY = p.dstPos.y;
  out.dstZ = p.dstPos.z;
  out.dstHost = p.dstPtr.ptr;
  out.dstDevice = toDevice(p.dstPtr.ptr);
  out.dstPitch = p.dstPtr.pitch;
  out.dstHeight = p.dstPtr.ysize;
  out.WidthInBytes = p.extent.width * element;
  out.Height = p.extent.height;
  out.Depth = p.extent.depth;
  return cudaSuccess;
}

int cudart::toDriver(void *to, size_t toPitch, const void *from,
                     size_t fromPitch, size_t width, size_t height, int kind,
                     CUDA_MEMCPY3D &out) {
  cudaMemcpy3DParms p{};
  p.srcPtr = {const_cast<void *>(from), fromPitch, width, height};
  p.dstPtr = {to, toPitch, width, height};
  p.extent = {width, height, 1};
  p.kind = kind;
  return toDriver(p, out);
}

int cudart::copyBox(const CUDA_MEMCPY3D &params, CUstream stream, bool wait) {
  stream = streamOf(stream);
  if (!wait)
    return cuMemcpy3DAsync_v2(&params, stream);
  if (!stream)
    return cuMemcpy3D_v2(&params);
  int error = cuMemcpy3DAsync_v2(&params, stream);
  return error ? error : cuStreamSynchronize(stream);
}

static int copyRows(void *to, size_t toPitch, const void *from,
                    size_t fromPitch, size_t width, size_t height, int kind,
                    CUstream stream, bool wait) {
  CUDA_MEMCPY3D params;
  if (int error =
          toDriver(to, toPitch, from, fromPitch, width, height, kind, params))
    return error;
  return copyBox(params, stream, wait);
}

PTXJIT_CUDART_STREAM_API(cudaMemcpy, _ptds,
                         (void *to, const void *from, size_t bytes, int kind),
                         to, from, bytes, kind) {
  return copyRows(to, bytes, from, bytes, bytes, 1, kind, nullptr, true);
}
PTXJIT_CUDART_STREAM_API(cudaMemcpyAsync, _ptsz,
                         (void *to, const void *from, size_t bytes, int kind,
                          CUstream stream),
                         to, from, bytes, kind, stream) {
  return copyRows(to, bytes, from, bytes, bytes, 1, kind, stream, false);
}

PTXJIT_CUDART_STREAM_API(cudaMemcpy2D, _ptds,
                         (void *to, size_t toPitch, const void *from,
                          size_t fromPitch, size_t width, size_t height,
                          int kind),
                         to, toPitch, from, fromPitch, width, height, kind) {
  if (!isPitch(toPitch, width, height) || !isPitch(fromPitch, width, height))
    return cudaErrorInvalidPitchValue;
  return copyRows(to, toPitch, from, fromPitch, width, height, kind, nullptr,
                  true);
}
PTXJIT_CUDART_STREAM_API(cudaMemcpy2DAsync, _ptsz,
                         (void *to, size_t toPitch, const void *from,
                          size_t fromPitch, size_t width, size_t height,
                          int kind, CUstream stream),
                         to, toPitch, from, fromPitch, width, height, kind,
                         stream) {
  if (!isPitch(toPitch, width, height) || !isPitch(fromPitch, width, height))
    return cudaErrorInvalidPitchValue;
  return copyRows(to, toPitch, from, fromPitch, width, height, kind, stream,
                  false);
}

PTXJIT_CUDART_STREAM_API(cudaMemcpy3D, _ptds, (const cudaMemcpy3DParms *params),
                         params) {
  CUDA_MEMCPY3D box;
  if (!params)
    return cudaErrorInvalidValue;
  int error = toDriver(*params, box);
  return error ? error : copyBox(box, nullptr, true);
}
PTXJIT_CUDART_STREAM_API(cudaMemcpy3DAsync, _ptsz,
                         (const cudaMemcpy3DParms *params, CUstream stream),
                         params, stream) {
  CUDA_MEMCPY3D box;
  if (!params)
    return cudaErrorInvalidValue;
  int error = toDriver(*params, box);
  return error ? error : copyBox(box, stream, false);
}

PTXJIT_CUDART_API(cudaMemcpyPeer,
                  (void *to, int toDevice, const void *from, int fromDevice,
                   size_t bytes),
                  to, toDevice, from, fromDevice, bytes) {
  for (int device : {toDevice, fromDevice})
    if (int error = checkDevice(device))
      return error;
  return cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice);
}
PTXJIT_CUDART_API(cudaMemcpyPeerAsync,
                  (void *to, int toDevice, const void *from, int fromDevice,
                   size_t bytes, CUstream stream),
                  to, toDevice, from, fromDevice, bytes, stream) {
  for (int device : {toDevice, fromDevice})
    if (int error = checkDevice(device))
      return error;
  return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
}

PTXJIT_CUDART_STREAM_API(cudaMemcpyToSymbol, _ptds,
                         (const void *symbol, const void *from, size_t bytes,
                          size_t offset, int kind),
                         symbol, from, bytes, offset, kind) {
  void *part;
  if (int error = findPart(symbol, offset, bytes, part))
    return error;
  return cudaMemcpy(part, from, bytes, kind);
}
PTXJIT_CUDART_STREAM_API(cudaMemcpyToSymbolAsync, _ptsz,
                         (const void *symbol, const void *from, size_t bytes,
                          size_t offset, int kind, CUstream stream),
                         symbol, from, bytes, offset, kind, stream) {
  void *part;
  if (int error = findPart(symbol, offset, bytes, part))
    return error;
  return cudaMemcpyAsync(part, from, bytes, kind, stream);
}
PTXJIT_CUDART_STREAM_API(cudaMemcpyFromSymbol, _ptds,
                         (void *to, const void *symbol, size_t bytes,
                          size_t offset, int kind),
                         to, symbol, bytes, offset, kind) {
  void *part;
  if (int error = findPart(symbol, offset, bytes, part))
    return error;
  return cudaMemcpy(to, part, bytes, kind);
}
PTXJIT_CUDART_STREAM_API(cudaMemcpyFromSymbolAsync, _ptsz,
                         (void *to, const void *symbol, size_t bytes,
                          size_t offset, int kind, CUstream stream),
                         to, symbol, bytes, offset, kind, stream) {
  void *part;
  if (int error = findPart(symbol, offset, bytes, part))
    return error;
  return cudaMemcpyAsync(to, part, bytes, kind, stream);
}

//===----------------------------------------------------------------------===//
// Sets
//===----------------------------------------------------------------------===//

static int setRows(void *to, size_t pitch, int value, size_t width,
                   size_t height, CUstream stream, bool wait) {
  stream = streamOf(stream);
  auto byte = static_cast<unsigned char>(value);
  if (wait && !stream)
    return cuMemsetD2D8_v2(toDevice(to), pitch, byte, width, height);
  int error =
      cuMemsetD2D8Async(toDevice(to), pitch, byte, width, height, stream);
  return error || !wait ? error : cuStreamSynchronize(stream);
}

PTXJIT_CUDART_STREAM_API(cudaMemset, _ptds, (void *to, int value, size_t bytes),
                         to, value, bytes) {
  return setRows(to, bytes, value, bytes, 1, nullptr, true);
}
PTXJIT_CUDART_STREAM_API(cudaMemsetAsync, _ptsz,
                         (void *to, int value, size_t bytes, CUstream stream),
                         to, value, bytes, stream) {
  return setRows(to, bytes, value, bytes, 1, stream, false);
}
PTXJIT_CUDART_STREAM_API(cudaMemset2D, _ptds,
                         (void *to, size_t pitch, int value, size_t width,
                          size_t height),
                         to, pitch, value, width, height) {
  return setRows(to, pitch, value, width, height, nullptr, true);
}
PTXJIT_CUDART_STREAM_API(cudaMemset2DAsync, _ptsz,
                         (void *to, size_t pitch, int value, size_t width,
                          size_t height, CUstream stream),
                         to, pitch, value, width, height, stream) {
  return setRows(to, pitch, value, width, height, stream, false);
}

static int setBox(const cudaPitchedPtr &to, int value, const cudaExtent &extent,
                  CUstream stream, bool wait) {
  if (!extent.width || !extent.height)
    return cudaSuccess; // however deep it is
  for (size_t z = 0; z < extent.depth; ++z)
    if (int error =
            setRows(static_cast<char *>(to.ptr) + z * to.pitch * to.ysize,
                    to.pitch, value, extent.width, extent.height, stream, wait))
      return error;
  return cudaSuccess;
}
PTXJIT_CUDART_STREAM_API(cudaMemset3D, _ptds,
                         (cudaPitchedPtr to, int value, cudaExtent extent), to,
                         value, extent) {
  return setBox(to, value, extent, nullptr, true);
}
PTXJIT_CUDART_STREAM_API(cudaMemset3DAsync, _ptsz,
                         (cudaPitchedPtr to, int value, cudaExtent extent,
                          CUstream stream),
                         to, value, extent, stream) {
  return setBox(to, value, extent, stream, false);
}
