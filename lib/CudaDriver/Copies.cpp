//===- Copies.cpp - copies and fills of memory ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device pointers are host pointers, so a copy is a memcpy when its turn in the
// stream comes. Calls without `Async` return when the copy is done. So do
// `Async` calls that write pageable memory, or read much of it.
//
//===----------------------------------------------------------------------===//

#include "Arrays.h"
#include "Graph.h"

#include <algorithm>
#include <cstring>
#include <vector>

using namespace ptxjit;
using namespace ptxjit::cuda;

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

namespace {
/// One end of a copy. A box has rows and slices; distances are in bytes.
struct BoxEnd {
  uint64_t begin;
  size_t pitch, slice;
  std::shared_ptr<const Image> image; ///< of an array, which it keeps alive
};
/// What CUDA_MEMCPY3D says about one end.
struct EndParams {
  int type;
  const void *host;
  CUdeviceptr device;
  CUarray array;
  size_t x, y, z, level, pitch, height;
};

struct CopyOperation : Operation {
  CUDA_MEMCPY3D params;
  BoxEnd to{}, from{};
  size_t width = 0, height = 0, depth = 0; ///< bytes, rows, slices

  std::vector<uint8_t> staged; ///< the source, if it was read in advance

  CUgraphNodeType type() const override { return CU_GRAPH_NODE_TYPE_MEMCPY; }
  size_t bytes() const { return width * height * depth; }
  void run(Context &) const override {
    if (!staged.empty()) {
      std::memcpy(reinterpret_cast<void *>(to.begin), staged.data(),
                  staged.size());
      return;
    }
    for (size_t z = 0; z < depth; ++z)
      for (size_t y = 0; y < height; ++y)
        std::memmove(
            reinterpret_cast<void *>(to.begin + z * to.slice + y * to.pitch),
            reinterpret_cast<const void *>(from.begin + z * from.slice +
                                           y * from.pitch),
            width);
  }
};
} // namespace

/// Merges rows, then slices, that follow each other without a gap into one row.
static void joinRows(CopyOperation &copy) {
  if (copy.to.pitch != copy.width || copy.from.pitch != copy.width)
    return;
  size_t slice = copy.width * copy.height;
  copy.width = slice;
  copy.height = 1;
  if (copy.to.slice != slice || copy.from.slice != slice)
    return;
  copy.width *= copy.depth;
  copy.depth = 1;
}

/// Distance from the first byte of a box to its end. False if it overflows.
static bool spanOf(size_t width, size_t height, size_t depth, size_t pitch,
                   size_t slice, size_t &bytes) {
  size_t slices, rows;
  return !__builtin_mul_overflow(depth - 1, slice, &slices) &&
         !__builtin_mul_overflow(height - 1, pitch, &rows) &&
         !__builtin_add_overflow(slices, rows, &bytes) &&
         !__builtin_add_overflow(bytes, width, &bytes);
}

CUresult cuda::checkCopied(int type, uint64_t begin, size_t bytes) {
  Place place = findPlace(begin, bytes);
  if (type == CU_MEMORYTYPE_DEVICE)
    return place == Place::Inside ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  return begin && place != Place::Crossing ? CUDA_SUCCESS
                                           : CUDA_ERROR_INVALID_VALUE;
}

static CUresult makeMemoryEnd(const CUDA_MEMCPY3D &p, const EndParams &params,
                              BoxEnd &end) {
  int type = params.type;
  if (type != CU_MEMORYTYPE_HOST && type != CU_MEMORYTYPE_DEVICE &&
      type != CU_MEMORYTYPE_UNIFIED)
    return CUDA_ERROR_INVALID_VALUE;
  size_t right, bottom, bytes, rows, planes, offset, height = params.height;
  if (__builtin_add_overflow(params.x, p.WidthInBytes, &right) ||
      __builtin_add_overflow(params.y, p.Height, &bottom))
    return CUDA_ERROR_INVALID_VALUE;
  end.pitch = params.pitch ? params.pitch : right;
  bool fits =
      end.pitch >= right && (p.Depth == 1 || !height || height >= bottom);
  if (!fits ||
      __builtin_mul_overflow(end.pitch, height ? height : bottom, &end.slice) ||
      __builtin_mul_overflow(params.y, end.pitch, &rows) ||
      __builtin_mul_overflow(params.z, end.slice, &planes) ||
      __builtin_add_overflow(planes, rows, &offset) ||
      __builtin_add_overflow(offset, params.x, &offset) ||
      !spanOf(p.WidthInBytes, p.Height, p.Depth, end.pitch, end.slice, bytes))
    return CUDA_ERROR_INVALID_VALUE;
  uint64_t base = type == CU_MEMORYTYPE_HOST
                      ? reinterpret_cast<uint64_t>(params.host)
                      : params.device;
  end.begin = base + offset;
  // Host memory that the driver does not know must at least not wrap around.
  if (end.begin < base || end.begin + bytes < end.begin)
    return CUDA_ERROR_INVALID_VALUE;
  return checkCopied(type, end.begin, bytes);
}

/// Do [at, at + count) lie in [0, extent)?
static bool isInside(size_t at, size_t count, size_t extent) {
  return at <= extent && count <= extent - at;
}

static CUresult makeArrayEnd(const CUDA_MEMCPY3D &p, const EndParams &params,
                             BoxEnd &end) {
  const Array *array = findArray(params.array);
  if (!array || params.level)
    return CUDA_ERROR_INVALID_VALUE;
  end.image = array->image;
  const PtxjitImageLevel &level = end.image->levels[array->level];
  size_t texel = end.image->texel.bytes();
  bool fits = params.x % texel == 0 && p.WidthInBytes % texel == 0 &&
              isInside(params.x, p.WidthInBytes, level.width * texel) &&
              isInside(params.y, p.Height, level.height) &&
              isInside(params.z, p.Depth, end.image->slices(array->level));
  if (!fits)
    return CUDA_ERROR_INVALID_VALUE;
  end.pitch = level.rowBytes;
  end.slice = level.sliceBytes;
  end.begin =
      level.texels + params.z * end.slice + params.y * end.pitch + params.x;
  return CUDA_SUCCESS;
}

static CUresult makeEnd(const CUDA_MEMCPY3D &p, const EndParams &params,
                        BoxEnd &end) {
  return params.type == CU_MEMORYTYPE_ARRAY ? makeArrayEnd(p, params, end)
                                            : makeMemoryEnd(p, params, end);
}

/// Elements of two arrays must have the same size.
static bool areAlike(const BoxEnd &a, const BoxEnd &b) {
  return !a.image || !b.image ||
         a.image->texel.bytes() == b.image->texel.bytes();
}

static CUresult makeCopy(const CUDA_MEMCPY3D &p,
                         std::shared_ptr<CopyOperation> &copy) {
  copy = std::make_shared<CopyOperation>();
  copy->params = p;
  if (!p.WidthInBytes || !p.Height || !p.Depth)
    return CUDA_SUCCESS;
  if (CUresult error = makeEnd(p,
                               {p.dstMemoryType, p.dstHost, p.dstDevice,
                                p.dstArray, p.dstXInBytes, p.dstY, p.dstZ,
                                p.dstLOD, p.dstPitch, p.dstHeight},
                               copy->to))
    return error;
  if (CUresult error = makeEnd(p,
                               {p.srcMemoryType, p.srcHost, p.srcDevice,
                                p.srcArray, p.srcXInBytes, p.srcY, p.srcZ,
                                p.srcLOD, p.srcPitch, p.srcHeight},
                               copy->from))
    return error;
  if (!areAlike(copy->to, copy->from))
    return CUDA_ERROR_INVALID_VALUE;
  copy->width = p.WidthInBytes;
  copy->height = p.Height;
  copy->depth = p.Depth;
  joinRows(*copy);
  return CUDA_SUCCESS;
}

CUresult cuda::makeCopy(const CUDA_MEMCPY3D &params, OperationRef &operation) {
  std::shared_ptr<CopyOperation> copy;
  CUresult error = makeCopy(params, copy);
  operation = std::move(copy);
  return error;
}

CUDA_MEMCPY3D cuda::copyParams(const Operation &operation) {
  return static_cast<const CopyOperation &>(operation).params;
}

/// Is it memory of the program's that it may free or change after the call?
static bool isPageable(const BoxEnd &end, size_t bytes) {
  return bytes && !end.image && findPlace(end.begin, 1) == Place::Outside;
}

/// Keeps what asynchronous calls promise about pageable memory: it has been
/// read, or written, when the call returns. Small sources are copied aside at
/// once.
/// \returns whether the call has to wait for the copy.
///
/// \param order  when a copy of a batch may read; 0: the copy is in no batch.
///
/// See "API synchronization behavior" in the documentation of the CUDA runtime
/// API.
static bool settlePageable(CopyOperation &copy, int order) {
  constexpr size_t kMostStaged = 64 << 10;
  size_t bytes = copy.bytes();
  if (!order && isPageable(copy.to, bytes))
    return true;
  bool readsNow = order ? order == CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL
                        : isPageable(copy.from, bytes);
  if (!readsNow)
    return false;
  if (copy.height != 1 || copy.depth != 1 || bytes > kMostStaged)
    return true;
  auto *first = reinterpret_cast<const uint8_t *>(copy.from.begin);
  copy.staged.assign(first, first + bytes);
  return false;
}

static Context *ownerOf(const BoxEnd &end) {
  return end.image ? end.image->context : deviceOwnerOf(end.begin);
}

/// A copy between two devices in the default stream comes behind all that was
/// issued to either of them, and in front of all that is issued later. So it
/// waits here for what came before, and the caller waits for the copy.
/// \returns whether it is such a copy.
///
/// See "Multi-Device System: Peer-to-Peer Memory Copy" in the programming
/// guide.
static bool joinDevices(const CopyOperation &copy, const Context &context,
                        const StreamObject &stream) {
  if (&stream != &context.defaultStream || !copy.bytes())
    return false;
  Context *to = ownerOf(copy.to), *from = ownerOf(copy.from);
  if (!to || !from || to->device == from->device)
    return false;
  for (Context *other : {to, from})
    if (other != &context)
      (void)synchronizeContext(*other); // its errors are not the caller's
  return true;
}

CUresult cuda::copyBox(const CUDA_MEMCPY3D &params, CUstream handle, bool wait,
                       int order) {
  Context *context;
  StreamObject *stream;
  std::shared_ptr<CopyOperation> copy;
  if (CUresult error = enterStream(handle, context, stream))
    return error;
  if (CUresult error = makeCopy(params, copy))
    return error;
  if (!stream->capture) {
    wait |= joinDevices(*copy, *context, *stream);
    wait = wait || settlePageable(*copy, order);
  }
  return enqueue(*context, *stream, std::move(copy), wait);
}

/// Copies consecutive bytes. Types are CU_MEMORYTYPE_HOST, _DEVICE or _UNIFIED.
static CUresult copyBytes(uint64_t to, int toType, uint64_t from, int fromType,
                          size_t bytes, CUstream stream, bool wait,
                          int order = 0) {
  CUDA_MEMCPY3D p{};
  p.dstMemoryType = toType;
  p.dstHost = reinterpret_cast<void *>(to);
  p.dstDevice = to;
  p.srcMemoryType = fromType;
  p.srcHost = reinterpret_cast<const void *>(from);
  p.srcDevice = from;
  p.WidthInBytes = bytes;
  p.Height = p.Depth = 1;
  return copyBox(p, stream, wait, order);
}
static uint64_t addressOf(const void *pointer) {
  return reinterpret_cast<uint64_t>(pointer);
}

PTXJIT_CUDA_STREAM_API(cuMemcpyHtoD_v2, _ptds,
                       (CUdeviceptr to, const void *from, size_t bytes), to,
                       from, bytes) {
  return copyBytes(to, CU_MEMORYTYPE_DEVICE, addressOf(from),
                   CU_MEMORYTYPE_HOST, bytes, nullptr, true);
}
PTXJIT_CUDA_STREAM_API(cuMemcpyDtoH_v2, _ptds,
                       (void *to, CUdeviceptr from, size_t bytes), to, from,
                       bytes) {
  return copyBytes(addressOf(to), CU_MEMORYTYPE_HOST, from,
                   CU_MEMORYTYPE_DEVICE, bytes, nullptr, true);
}
PTXJIT_CUDA_STREAM_API(cuMemcpyDtoD_v2, _ptds,
                       (CUdeviceptr to, CUdeviceptr from, size_t bytes), to,
                       from, bytes) {
  return copyBytes(to, CU_MEMORYTYPE_DEVICE, from, CU_MEMORYTYPE_DEVICE, bytes,
                   nullptr, true);
}
PTXJIT_CUDA_STREAM_API(cuMemcpy, _ptds,
                       (CUdeviceptr to, CUdeviceptr from, size_t bytes), to,
                       from, bytes) {
  return copyBytes(to, CU_MEMORYTYPE_UNIFIED, from, CU_MEMORYTYPE_UNIFIED,
                   bytes, nullptr, true);
}
PTXJIT_CUDA_STREAM_API(cuMemcpyHtoDAsync_v2, _ptsz,
                       (CUdeviceptr to, const void *from, size_t bytes,
                        CUstream stream),
                       to, from, bytes, stream) {
  return copyBytes(to, CU_MEMORYTYPE_DEVICE, addressOf(from),
                   CU_MEMORYTYPE_HOST, bytes, stream, false);
}
PTXJIT_CUDA_STREAM_API(cuMemcpyDtoHAsync_v2, _ptsz,
                       (void *to, CUdeviceptr from, size_t bytes,
                        CUstream stream),
                       to, from, bytes, stream) {
  return copyBytes(addressOf(to), CU_MEMORYTYPE_HOST, from,
                   CU_MEMORYTYPE_DEVICE, bytes, stream, false);
}
PTXJIT_CUDA_STREAM_API(cuMemcpyDtoDAsync_v2, _ptsz,
                       (CUdeviceptr to, CUdeviceptr from, size_t bytes,
                        CUstream stream),
                       to, from, bytes, stream) {
  return copyBytes(to, CU_MEMORYTYPE_DEVICE, from, CU_MEMORYTYPE_DEVICE, bytes,
                   stream, false);
}
PTXJIT_CUDA_STREAM_API(cuMemcpyAsync, _ptsz,
                       (CUdeviceptr to, CUdeviceptr from, size_t bytes,
                        CUstream stream),
                       to, from, bytes, stream) {
  return copyBytes(to, CU_MEMORYTYPE_UNIFIED, from, CU_MEMORYTYPE_UNIFIED,
                   bytes, stream, false);
}

static bool areContexts(CUcontext a, CUcontext b) {
  return getState().contexts.contains(a) && getState().contexts.contains(b);
}
PTXJIT_CUDA_STREAM_API(cuMemcpyPeer, _ptds,
                       (CUdeviceptr to, CUcontext toContext, CUdeviceptr from,
                        CUcontext fromContext, size_t bytes),
                       to, toContext, from, fromContext, bytes) {
  if (!areContexts(toContext, fromContext))
    return CUDA_ERROR_INVALID_CONTEXT;
  return cuMemcpyDtoD_v2(to, from, bytes);
}
PTXJIT_CUDA_STREAM_API(cuMemcpyPeerAsync, _ptsz,
                       (CUdeviceptr to, CUcontext toContext, CUdeviceptr from,
                        CUcontext fromContext, size_t bytes, CUstream stream),
                       to, toContext, from, fromContext, bytes, stream) {
  if (!areContexts(toContext, fromContext))
    return CUDA_ERROR_INVALID_CONTEXT;
  return cuMemcpyDtoDAsync_v2(to, from, bytes, stream);
}

/// A two-dimensional copy is a three-dimensional one of depth 1.
static CUDA_MEMCPY3D toBox(const CUDA_MEMCPY2D &plane) {
  CUDA_MEMCPY3D box{};
  box.srcXInBytes = plane.srcXInBytes;
  box.srcY = plane.srcY;
  box.srcMemoryType = plane.srcMemoryType;
  box.srcHost = plane.srcHost;
  box.srcDevice = plane.srcDevice;
  box.srcArray = plane.srcArray;
  box.srcPitch = plane.srcPitch;
  box.dstXInBytes = plane.dstXInBytes;
  box.dstY = plane.dstY;
  box.dstMemoryType = plane.dstMemoryType;
  box.dstHost = plane.dstHost;
  box.dstDevice = plane.dstDevice;
  box.dstArray = plane.dstArray;
  box.dstPitch = plane.dstPitch;
  box.WidthInBytes = plane.WidthInBytes;
  box.Height = plane.Height;
  box.Depth = 1;
  return box;
}

PTXJIT_CUDA_STREAM_API(cuMemcpy2D_v2, _ptds, (const CUDA_MEMCPY2D *params),
                       params) {
  return params ? copyBox(toBox(*params), nullptr, true)
                : CUDA_ERROR_INVALID_VALUE;
}
PTXJIT_CUDA_STREAM_API(cuMemcpy2DUnaligned_v2, _ptds,
                       (const CUDA_MEMCPY2D *params), params) {
  return cuMemcpy2D_v2(params);
}
PTXJIT_CUDA_STREAM_API(cuMemcpy2DAsync_v2, _ptsz,
                       (const CUDA_MEMCPY2D *params, CUstream stream), params,
                       stream) {
  return params ? copyBox(toBox(*params), stream, false)
                : CUDA_ERROR_INVALID_VALUE;
}
PTXJIT_CUDA_STREAM_API(cuMemcpy3D_v2, _ptds, (const CUDA_MEMCPY3D *params),
                       params) {
  return params ? copyBox(*params, nullptr, true) : CUDA_ERROR_INVALID_VALUE;
}
PTXJIT_CUDA_STREAM_API(cuMemcpy3DAsync_v2, _ptsz,
                       (const CUDA_MEMCPY3D *params, CUstream stream), params,
                       stream) {
  return params ? copyBox(*params, stream, false) : CUDA_ERROR_INVALID_VALUE;
}

//===----------------------------------------------------------------------===//
// Batches
//===----------------------------------------------------------------------===//

/// Issues copies that may be done in any order. `starts[a]` is the first copy
/// that `attributes[a]` applies to. `failed` becomes the index of the copy that
/// was wrong, or `count` if something else was.
static CUresult copyBatch(const CUdeviceptr *to, const CUdeviceptr *from,
                          const size_t *sizes, size_t count,
                          const CUmemcpyAttributes *attributes,
                          const size_t *starts, size_t numAttributes,
                          size_t &failed, CUstream stream) {
  failed = count;
  if (!to || !from || !sizes || !count || !attributes || !starts ||
      !numAttributes || numAttributes > count || starts[0] != 0)
    return CUDA_ERROR_INVALID_VALUE;
  size_t a = 0;
  for (size_t i = 0; i < count; ++i) {
    while (a + 1 < numAttributes && starts[a + 1] <= i)
      ++a;
    failed = i;
    int order = attributes[a].srcAccessOrder;
    if (order < CU_MEMCPY_SRC_ACCESS_ORDER_STREAM ||
        order > CU_MEMCPY_SRC_ACCESS_ORDER_ANY || !sizes[i])
      return CUDA_ERROR_INVALID_VALUE;
    if (CUresult error =
            copyBytes(to[i], CU_MEMORYTYPE_UNIFIED, from[i],
                      CU_MEMORYTYPE_UNIFIED, sizes[i], stream, false, order))
      return error;
  }
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_STREAM_API(cuMemcpyBatchAsync_v2, _ptsz,
                       (CUdeviceptr * to, CUdeviceptr *from, size_t *sizes,
                        size_t count, CUmemcpyAttributes *attributes,
                        size_t *starts, size_t numAttributes, CUstream stream),
                       to, from, sizes, count, attributes, starts,
                       numAttributes, stream) {
  size_t failed;
  return copyBatch(to, from, sizes, count, attributes, starts, numAttributes,
                   failed, stream);
}
PTXJIT_CUDA_STREAM_API(cuMemcpyBatchAsync, _ptsz,
                       (CUdeviceptr * to, CUdeviceptr *from, size_t *sizes,
                        size_t count, CUmemcpyAttributes *attributes,
                        size_t *starts, size_t numAttributes, size_t *failed,
                        CUstream stream),
                       to, from, sizes, count, attributes, starts,
                       numAttributes, failed, stream) {
  size_t which;
  CUresult result = copyBatch(to, from, sizes, count, attributes, starts,
                              numAttributes, which, stream);
  if (result && failed)
    *failed = which == count ? SIZE_MAX : which;
  return result;
}

//===----------------------------------------------------------------------===//
// Sets
//===----------------------------------------------------------------------===//

namespace {
struct SetOperation : Operation {
  CUDA_MEMSET_NODE_PARAMS params;

  CUgraphNodeType type() const override { return CU_GRAPH_NODE_TYPE_MEMSET; }
  void run(Context &) const override {
    for (size_t y = 0; y < params.height; ++y)
      fillRow(params.dst + y * params.pitch);
  }
  void fillRow(uint64_t row) const {
    switch (params.elementSize) {
    case 1:
      return fill<uint8_t>(row);
    case 2:
      return fill<uint16_t>(row);
    default:
      return fill<uint32_t>(row);
    }
  }
  template <typename T> void fill(uint64_t row) const {
    std::fill_n(reinterpret_cast<T *>(row), params.width, T(params.value));
  }
};
} // namespace

CUresult cuda::makeSet(const CUDA_MEMSET_NODE_PARAMS &params,
                       OperationRef &operation) {
  unsigned size = params.elementSize;
  auto set = std::make_shared<SetOperation>();
  set->params = params;
  if (size != 1 && size != 2 && size != 4)
    return CUDA_ERROR_INVALID_VALUE;
  if (params.width && params.height) {
    if (params.width > SIZE_MAX / 8 / size || params.dst % size)
      return CUDA_ERROR_INVALID_VALUE;
    size_t row = params.width * size;
    if (params.height > 1 && (params.pitch < row || params.pitch % size))
      return CUDA_ERROR_INVALID_VALUE;
    size_t bytes;
    if (!spanOf(row, params.height, 1, params.pitch, 0, bytes) ||
        findPlace(params.dst, bytes) != Place::Inside)
      return CUDA_ERROR_INVALID_VALUE;
  }
  operation = std::move(set);
  return CUDA_SUCCESS;
}

CUDA_MEMSET_NODE_PARAMS cuda::setParams(const Operation &operation) {
  return static_cast<const SetOperation &>(operation).params;
}

static CUresult set(CUdeviceptr to, size_t pitch, unsigned value,
                    unsigned elementSize, size_t width, size_t height,
                    CUstream handle, bool wait) {
  Context *context;
  StreamObject *stream;
  OperationRef operation;
  if (CUresult error = enterStream(handle, context, stream))
    return error;
  if (CUresult error =
          makeSet({to, pitch, value, elementSize, width, height}, operation))
    return error;
  return enqueue(*context, *stream, std::move(operation), wait);
}

/// Defines the four functions for elements of one size.
#define PTXJIT_MEMSET(bits, T)                                                 \
  PTXJIT_CUDA_STREAM_API(cuMemsetD##bits##_v2, _ptds,                          \
                         (CUdeviceptr to, T value, size_t count), to, value,   \
                         count) {                                              \
    return set(to, 0, value, sizeof(T), count, 1, nullptr, true);              \
  }                                                                            \
  PTXJIT_CUDA_STREAM_API(                                                      \
      cuMemsetD##bits##Async, _ptsz,                                           \
      (CUdeviceptr to, T value, size_t count, CUstream stream), to, value,     \
      count, stream) {                                                         \
    return set(to, 0, value, sizeof(T), count, 1, stream, false);              \
  }                                                                            \
  PTXJIT_CUDA_STREAM_API(                                                      \
      cuMemsetD2D##bits##_v2, _ptds,                                           \
      (CUdeviceptr to, size_t pitch, T value, size_t width, size_t height),    \
      to, pitch, value, width, height) {                                       \
    return set(to, pitch, value, sizeof(T), width, height, nullptr, true);     \
  }                                                                            \
  PTXJIT_CUDA_STREAM_API(cuMemsetD2D##bits##Async, _ptsz,                      \
                         (CUdeviceptr to, size_t pitch, T value, size_t width, \
                          size_t height, CUstream stream),                     \
                         to, pitch, value, width, height, stream) {            \
    return set(to, pitch, value, sizeof(T), width, height, stream, false);     \
  }
PTXJIT_MEMSET(8, unsigned char)
PTXJIT_MEMSET(16, unsigned short)
PTXJIT_MEMSET(32, unsigned)
