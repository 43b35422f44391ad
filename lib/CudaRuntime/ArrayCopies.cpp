//===- ArrayCopies.cpp - copies to, from and between arrays ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies of boxes are in Memory.cpp.
//
//===----------------------------------------------------------------------===//

#include "Runtime.h"

#include <algorithm>

using namespace ptxjit;
using namespace ptxjit::cudart;

namespace {
/// An end of a copy: a place in an array, or memory.
struct End {
  CUarray array;
  size_t x, y; ///< bytes, rows; of arrays
  void *memory;
  size_t pitch;

  static End ofArray(const void *array, size_t x, size_t y) {
    return {static_cast<CUarray>(const_cast<void *>(array)), x, y, nullptr, 0};
  }
  static End ofMemory(const void *memory, size_t pitch) {
    return {nullptr, 0, 0, const_cast<void *>(memory), pitch};
  }
};
} // namespace

/// The driver's memory type of an end. Arrays are where they are, whatever the
/// direction of the copy says.
static int typeOf(const End &end, int kind, bool isHost) {
  if (end.array)
    return CU_MEMORYTYPE_ARRAY;
  return kind == cudaMemcpyDefault ? CU_MEMORYTYPE_UNIFIED
         : isHost                  ? CU_MEMORYTYPE_HOST
                                   : CU_MEMORYTYPE_DEVICE;
}

static int copyRows(const End &to, const End &from, size_t width, size_t height,
                    int kind, CUstream stream, bool wait) {
  CUDA_MEMCPY3D box{};
  bool fromHost =
      kind == cudaMemcpyHostToHost || kind == cudaMemcpyHostToDevice;
  bool toHost = kind == cudaMemcpyHostToHost || kind == cudaMemcpyDeviceToHost;
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
    return cudaErrorInvalidMemcpyDirection;
  for (const End *end : {&to, &from})
    if (!end->array && !isPitch(end->pitch, width, height))
      return cudaErrorInvalidPitchValue;
  box.dstMemoryType = typeOf(to, kind, toHost);
  box.dstArray = to.array;
  box.dstXInBytes = to.x;
  box.dstY = to.y;
  box.dstHost = to.memory;
  box.dstDevice = toDevice(to.memory);
  box.dstPitch = to.pitch;
  box.srcMemoryType = typeOf(from, kind, fromHost);
  box.srcArray = from.array;
  box.srcXInBytes = from.x;
  box.srcY = from.y;
  box.srcHost = from.memory;
  box.srcDevice = toDevice(from.memory);
  box.srcPitch = from.pitch;
  box.WidthInBytes = width;
  box.Height = height;
  box.Depth = 1;
  return copyBox(box, stream, wait);
}

//===----------------------------------------------------------------------===//
// Planes
//===----------------------------------------------------------------------===//

/// A null handle is no memory.
static int checkArrays(const void *a, const void *b) {
  return a && b ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

static int copyTo(const void *to, size_t x, size_t y, const void *from,
                  size_t pitch, size_t width, size_t height, int kind,
                  CUstream stream, bool wait) {
  if (int error = checkArrays(to, to))
    return error;
  return copyRows(End::ofArray(to, x, y), End::ofMemory(from, pitch), width,
                  height, kind, stream, wait);
}
static int copyFrom(void *to, size_t pitch, const void *from, size_t x,
                    size_t y, size_t width, size_t height, int kind,
                    CUstream stream, bool wait) {
  if (int error = checkArrays(from, from))
    return error;
  return copyRows(End::ofMemory(to, pitch), End::ofArray(from, x, y), width,
                  height, kind, stream, wait);
}

PTXJIT_CUDART_STREAM_API(cudaMemcpy2DToArray, _ptds,
                         (void *to, size_t x, size_t y, const void *from,
                          size_t pitch, size_t width, size_t height, int kind),
                         to, x, y, from, pitch, width, height, kind) {
  return copyTo(to, x, y, from, pitch, width, height, kind, nullptr, true);
}
PTXJIT_CUDART_STREAM_API(cudaMemcpy2DToArrayAsync, _ptsz,
                         (void *to, size_t x, size_t y, const void *from,
                          size_t pitch, size_t width, size_t height, int kind,
                          CUstream stream),
                         to, x, y, from, pitch, width, height, kind, stream) {
  return copyTo(to, x, y, from, pitch, width, height, kind, stream, false);
}
PTXJIT_CUDART_STREAM_API(cudaMemcpy2DFromArray, _ptds,
                         (void *to, size_t pitch, const void *from, size_t x,
                          size_t y, size_t width, size_t height, int kind),
                         to, pitch, from, x, y, width, height, kind) {
  return copyFrom(to, pitch, from, x, y, width, height, kind, nullptr, true);
}
PTXJIT_CUDART_STREAM_API(cudaMemcpy2DFromArrayAsync, _ptsz,
                         (void *to, size_t pitch, const void *from, size_t x,
                          size_t y, size_t width, size_t height, int kind,
                          CUstream stream),
                         to, pitch, from, x, y, width, height, kind, stream) {
  return copyFrom(to, pitch, from, x, y, width, height, kind, stream, false);
}
PTXJIT_CUDART_STREAM_API(cudaMemcpy2DArrayToArray, _ptds,
                         (void *to, size_t toX, size_t toY, const void *from,
                          size_t fromX, size_t fromY, size_t width,
                          size_t height, int kind),
                         to, toX, toY, from, fromX, fromY, width, height,
                         kind) {
  if (int error = checkArrays(to, from))
    return error;
  return copyRows(End::ofArray(to, toX, toY), End::ofArray(from, fromX, fromY),
                  width, height, kind, nullptr, true);
}

//===----------------------------------------------------------------------===//
// Bytes, which go on in the next row
//===----------------------------------------------------------------------===//

/// Does no memory that the driver knows end within the bytes? Parts of the copy
/// would fail when others have been made. Mappings lie side by side.
static bool isWhole(const void *memory, size_t count) {
  CUdeviceptr begin = toDevice(memory), at = begin, start;
  size_t bytes;
  while (!cuMemGetAddressRange_v2(&start, &bytes, at)) {
    size_t rest = bytes - size_t(at - start);
    if (rest >= count)
      return true;
    at += rest;
    count -= rest;
  }
  return at == begin; // else it is the host's; the driver checks the direction
}

namespace {
/// An end of such a copy. Rows of memory never end.
struct Flat {
  End end;
  size_t rowBytes = SIZE_MAX;

  /// Finds the rows of an array, and whether this end has `count` bytes.
  int resolve(size_t count) {
    CUDA_ARRAY3D_DESCRIPTOR desc;
    size_t element;
    if (!end.array)
      return isWhole(end.memory, count) ? cudaSuccess : cudaErrorInvalidValue;
    if (int error = cuArray3DGetDescriptor_v2(&desc, end.array))
      return error;
    if (int error = findElement(end.array, element))
      return error;
    rowBytes = desc.Width * element;
    size_t rows = desc.Height ? desc.Height : 1;
    bool fits = !desc.Depth && end.x % element == 0 && count % element == 0 &&
                end.x < rowBytes && end.y < rows &&
                count <= rowBytes * (rows - end.y) - end.x;
    return fits ? cudaSuccess : cudaErrorInvalidValue;
  }
  void advance(size_t count) {
    if (!end.array) {
      end.memory = static_cast<char *>(end.memory) + count;
      return;
    }
    end.y += (end.x + count) / rowBytes;
    end.x = (end.x + count) % rowBytes;
  }
  bool hasRows(size_t bytes) const {
    return end.x == 0 && (rowBytes == bytes || rowBytes == SIZE_MAX);
  }
};
} // namespace

static int copyFlat(Flat to, Flat from, size_t count, int kind, CUstream stream,
                    bool wait) {
  if (int error = to.resolve(count))
    return error;
  if (int error = from.resolve(count))
    return error;
  while (count) {
    size_t width =
        std::min({count, to.rowBytes - to.end.x, from.rowBytes - from.end.x});
    size_t row = std::min(to.rowBytes, from.rowBytes), height = 1;
    if (width == row && to.hasRows(row) && from.hasRows(row))
      height = count / row;
    to.end.pitch = from.end.pitch = width;
    if (int error =
            copyRows(to.end, from.end, width, height, kind, stream, wait))
      return error;
    to.advance(width * height);
    from.advance(width * height);
    count -= width * height;
  }
  return cudaSuccess;
}

static int flatTo(const void *to, size_t x, size_t y, const void *from,
                  size_t count, int kind, CUstream stream, bool wait) {
  if (int error = checkArrays(to, to))
    return error;
  return copyFlat({End::ofArray(to, x, y)}, {End::ofMemory(from, 0)}, count,
                  kind, stream, wait);
}
static int flatFrom(void *to, const void *from, size_t x, size_t y,
                    size_t count, int kind, CUstream stream, bool wait) {
  if (int error = checkArrays(from, from))
    return error;
  return copyFlat({End::ofMemory(to, 0)}, {End::ofArray(from, x, y)}, count,
                  kind, stream, wait);
}

PTXJIT_CUDART_STREAM_API(cudaMemcpyToArray, _ptds,
                         (void *to, size_t x, size_t y, const void *from,
                          size_t count, int kind),
                         to, x, y, from, count, kind) {
  return flatTo(to, x, y, from, count, kind, nullptr, true);
}
PTXJIT_CUDART_STREAM_API(cudaMemcpyToArrayAsync, _ptsz,
                         (void *to, size_t x, size_t y, const void *from,
                          size_t count, int kind, CUstream stream),
                         to, x, y, from, count, kind, stream) {
  return flatTo(to, x, y, from, count, kind, stream, false);
}
PTXJIT_CUDART_STREAM_API(cudaMemcpyFromArray, _ptds,
                         (void *to, const void *from, size_t x, size_t y,
                          size_t count, int kind),
                         to, from, x, y, count, kind) {
  return flatFrom(to, from, x, y, count, kind, nullptr, true);
}
PTXJIT_CUDART_STREAM_API(cudaMemcpyFromArrayAsync, _ptsz,
                         (void *to, const void *from, size_t x, size_t y,
                          size_t count, int kind, CUstream stream),
                         to, from, x, y, count, kind, stream) {
  return flatFrom(to, from, x, y, count, kind, stream, false);
}
PTXJIT_CUDART_STREAM_API(cudaMemcpyArrayToArray, _ptds,
                         (void *to, size_t toX, size_t toY, const void *from,
                          size_t fromX, size_t fromY, size_t count, int kind),
                         to, toX, toY, from, fromX, fromY, count, kind) {
  if (int error = checkArrays(to, from))
    return error;
  return copyFlat({End::ofArray(to, toX, toY)},
                  {End::ofArray(from, fromX, fromY)}, count, kind, nullptr,
                  true);
}

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

static int copyPeer(const cudaMemcpy3DPeerParms *params, CUstream stream,
                    bool wait) {
  CUDA_MEMCPY3D box;
  if (!params)
    return cudaErrorInvalidValue;
  for (int device : {params->srcDevice, params->dstDevice})
    if (int error = checkDevice(device))
      return error;
  cudaMemcpy3DParms same{params->srcArray, params->srcPos,   params->srcPtr,
                         params->dstArray, params->dstPos,   params->dstPtr,
                         params->extent,   cudaMemcpyDefault};
  if (int error = toDriver(same, box))
    return error;
  return copyBox(box, stream, wait);
}

PTXJIT_CUDART_STREAM_API(cudaMemcpy3DPeer, _ptds,
                         (const cudaMemcpy3DPeerParms *params), params) {
  return copyPeer(params, nullptr, true);
}
PTXJIT_CUDART_STREAM_API(cudaMemcpy3DPeerAsync, _ptsz,
                         (const cudaMemcpy3DPeerParms *params, CUstream stream),
                         params, stream) {
  return copyPeer(params, stream, false);
}

// The driver's structures have the same members.
#if PTXJIT_CUDART_VERSION >= 13
PTXJIT_CUDART_STREAM_API(cudaMemcpy3DBatchAsync, _ptsz,
                         (size_t count, CUDA_MEMCPY3D_BATCH_OP *copies,
                          unsigned long long flags, CUstream stream),
                         count, copies, flags, stream) {
  return cuMemcpy3DBatchAsync_v2(count, copies, flags, streamOf(stream));
}
#else
PTXJIT_CUDART_STREAM_API(cudaMemcpy3DBatchAsync, _ptsz,
                         (size_t count, CUDA_MEMCPY3D_BATCH_OP *copies,
                          size_t *failed, unsigned long long flags,
                          CUstream stream),
                         count, copies, failed, flags, stream) {
  return cuMemcpy3DBatchAsync(count, copies, failed, flags, streamOf(stream));
}
#endif
