//===- ArrayCopies.cpp - copies that arrays or contexts take part in ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All of them are made of copies of boxes (Copies.cpp).
//
//===----------------------------------------------------------------------===//

#include "Arrays.h"

#include <algorithm>
#include <cstring>

using namespace ptxjit;
using namespace ptxjit::cuda;

//===----------------------------------------------------------------------===//
// Bytes in a row
//===----------------------------------------------------------------------===//

namespace {
/// An end of a copy of consecutive bytes. Those of an array follow its rows.
struct FlatEnd {
  int type;
  uint64_t address; ///< of memory
  CUarray array;
  size_t offset; ///< in an array, bytes
  size_t rowBytes = SIZE_MAX;

  static FlatEnd ofMemory(int type, uint64_t address) {
    return {type, address, nullptr, 0};
  }
  static FlatEnd ofArray(CUarray array, size_t offset) {
    return {CU_MEMORYTYPE_ARRAY, 0, array, offset};
  }

  /// Finds out about an array. False if this end does not have `count` such
  /// bytes, or if they are no whole elements.
  bool resolve(size_t count) {
    if (type != CU_MEMORYTYPE_ARRAY)
      return !count || !checkCopied(type, address, count);
    const Array *known = findArray(array);
    if (!known || known->image->slices(known->level) != 1)
      return false;
    const PtxjitImageLevel &level = known->image->levels[known->level];
    size_t texel = known->image->texel.bytes();
    rowBytes = level.width * texel;
    size_t all = rowBytes * level.height;
    return offset % texel == 0 && count % texel == 0 && offset <= all &&
           count <= all - offset;
  }
  size_t column() const { return rowBytes == SIZE_MAX ? 0 : offset % rowBytes; }
  size_t row() const { return rowBytes == SIZE_MAX ? 0 : offset / rowBytes; }
  void advance(size_t count) {
    address += count;
    offset += count;
  }
};
} // namespace

/// The next part of a copy that is a box.
static CUDA_MEMCPY3D nextBox(const FlatEnd &to, const FlatEnd &from,
                             size_t bytes) {
  CUDA_MEMCPY3D box{};
  box.dstMemoryType = to.type;
  box.dstHost = reinterpret_cast<void *>(to.address);
  box.dstDevice = to.address;
  box.dstArray = to.array;
  box.dstXInBytes = to.column();
  box.dstY = to.row();
  box.srcMemoryType = from.type;
  box.srcHost = reinterpret_cast<const void *>(from.address);
  box.srcDevice = from.address;
  box.srcArray = from.array;
  box.srcXInBytes = from.column();
  box.srcY = from.row();
  box.Height = box.Depth = 1;
  size_t row = std::min(to.rowBytes, from.rowBytes);
  bool haveSameRows = to.rowBytes == row || to.rowBytes == SIZE_MAX;
  haveSameRows &= from.rowBytes == row || from.rowBytes == SIZE_MAX;
  if (haveSameRows && !to.column() && !from.column() && bytes >= row) {
    box.WidthInBytes = row;
    box.Height = bytes / row;
    return box;
  }
  box.WidthInBytes = std::min(
      {bytes, to.rowBytes - to.column(), from.rowBytes - from.column()});
  return box;
}

static CUresult copyFlat(FlatEnd to, FlatEnd from, size_t bytes,
                         CUstream stream, bool wait) {
  if (!to.resolve(bytes) || !from.resolve(bytes))
    return CUDA_ERROR_INVALID_VALUE;
  do {
    CUDA_MEMCPY3D box = nextBox(to, from, bytes);
    if (CUresult error = copyBox(box, stream, wait))
      return error;
    size_t done = box.WidthInBytes * box.Height;
    to.advance(done);
    from.advance(done);
    bytes -= done;
  } while (bytes);
  return CUDA_SUCCESS;
}

static FlatEnd hostEnd(const void *pointer) {
  return FlatEnd::ofMemory(CU_MEMORYTYPE_HOST,
                           reinterpret_cast<uint64_t>(pointer));
}

PTXJIT_CUDA_STREAM_API(cuMemcpyDtoA_v2, _ptds,
                       (CUarray to, size_t toOffset, CUdeviceptr from,
                        size_t bytes),
                       to, toOffset, from, bytes) {
  return copyFlat(FlatEnd::ofArray(to, toOffset),
                  FlatEnd::ofMemory(CU_MEMORYTYPE_DEVICE, from), bytes, nullptr,
                  true);
}
PTXJIT_CUDA_STREAM_API(cuMemcpyAtoD_v2, _ptds,
                       (CUdeviceptr to, CUarray from, size_t fromOffset,
                        size_t bytes),
                       to, from, fromOffset, bytes) {
  return copyFlat(FlatEnd::ofMemory(CU_MEMORYTYPE_DEVICE, to),
                  FlatEnd::ofArray(from, fromOffset), bytes, nullptr, true);
}
PTXJIT_CUDA_STREAM_API(cuMemcpyHtoA_v2, _ptds,
                       (CUarray to, size_t toOffset, const void *from,
                        size_t bytes),
                       to, toOffset, from, bytes) {
  return copyFlat(FlatEnd::ofArray(to, toOffset), hostEnd(from), bytes, nullptr,
                  true);
}
PTXJIT_CUDA_STREAM_API(cuMemcpyAtoH_v2, _ptds,
                       (void *to, CUarray from, size_t fromOffset,
                        size_t bytes),
                       to, from, fromOffset, bytes) {
  return copyFlat(hostEnd(to), FlatEnd::ofArray(from, fromOffset), bytes,
                  nullptr, true);
}
PTXJIT_CUDA_STREAM_API(cuMemcpyAtoA_v2, _ptds,
                       (CUarray to, size_t toOffset, CUarray from,
                        size_t fromOffset, size_t bytes),
                       to, toOffset, from, fromOffset, bytes) {
  return copyFlat(FlatEnd::ofArray(to, toOffset),
                  FlatEnd::ofArray(from, fromOffset), bytes, nullptr, true);
}
PTXJIT_CUDA_STREAM_API(cuMemcpyHtoAAsync_v2, _ptsz,
                       (CUarray to, size_t toOffset, const void *from,
                        size_t bytes, CUstream stream),
                       to, toOffset, from, bytes, stream) {
  return copyFlat(FlatEnd::ofArray(to, toOffset), hostEnd(from), bytes, stream,
                  false);
}
PTXJIT_CUDA_STREAM_API(cuMemcpyAtoHAsync_v2, _ptsz,
                       (void *to, CUarray from, size_t fromOffset, size_t bytes,
                        CUstream stream),
                       to, from, fromOffset, bytes, stream) {
  return copyFlat(hostEnd(to), FlatEnd::ofArray(from, fromOffset), bytes,
                  stream, false);
}

//===----------------------------------------------------------------------===//
// Between contexts, which share all memory
//===----------------------------------------------------------------------===//

static CUresult copyPeer(const CUDA_MEMCPY3D_PEER *params, CUstream stream,
                         bool wait) {
  static_assert(sizeof(CUDA_MEMCPY3D_PEER) == sizeof(CUDA_MEMCPY3D));
  if (!params)
    return CUDA_ERROR_INVALID_VALUE;
  // The contexts of arrays are known.
  auto isContext = [](int type, CUcontext context) {
    return type == CU_MEMORYTYPE_ARRAY || getState().contexts.contains(context);
  };
  if (!isContext(params->srcMemoryType, params->srcContext) ||
      !isContext(params->dstMemoryType, params->dstContext))
    return CUDA_ERROR_INVALID_CONTEXT;
  CUDA_MEMCPY3D box;
  std::memcpy(&box, params, sizeof(box));
  box.reserved0 = box.reserved1 = nullptr;
  return copyBox(box, stream, wait);
}

PTXJIT_CUDA_STREAM_API(cuMemcpy3DPeer, _ptds,
                       (const CUDA_MEMCPY3D_PEER *params), params) {
  return copyPeer(params, nullptr, true);
}
PTXJIT_CUDA_STREAM_API(cuMemcpy3DPeerAsync, _ptsz,
                       (const CUDA_MEMCPY3D_PEER *params, CUstream stream),
                       params, stream) {
  return copyPeer(params, stream, false);
}

//===----------------------------------------------------------------------===//
// Batches of boxes
//===----------------------------------------------------------------------===//

/// Finds the size of an array's elements. False if there is no such array, or
/// if its elements have not the size that another array has put there.
static bool findElement(const CUmemcpy3DOperand &operand, size_t &bytes) {
  if (operand.type == CU_MEMCPY_OPERAND_TYPE_POINTER)
    return true;
  const Array *array = operand.type == CU_MEMCPY_OPERAND_TYPE_ARRAY
                           ? findArray(operand.op.array.array)
                           : nullptr;
  if (!array)
    return false;
  size_t own = array->image->texel.bytes();
  bool isSame = !bytes || bytes == own;
  bytes = own;
  return isSame;
}

/// Converts a copy whose lengths are in elements. False if one overflows.
static bool makeBox(const CUDA_MEMCPY3D_BATCH_OP &copy, size_t element,
                    CUDA_MEMCPY3D &box) {
  bool fits = true;
  auto inBytes = [&](size_t elements) {
    size_t bytes = 0;
    fits &= !__builtin_mul_overflow(elements, element, &bytes);
    return bytes;
  };
  box = {};
  auto isArray = [](const CUmemcpy3DOperand &operand) {
    return operand.type == CU_MEMCPY_OPERAND_TYPE_ARRAY;
  };
  if (isArray(copy.src)) {
    box.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    box.srcArray = copy.src.op.array.array;
    box.srcXInBytes = inBytes(copy.src.op.array.offset.x);
    box.srcY = copy.src.op.array.offset.y;
    box.srcZ = copy.src.op.array.offset.z;
  } else {
    box.srcMemoryType = CU_MEMORYTYPE_UNIFIED;
    box.srcDevice = copy.src.op.ptr.ptr;
    box.srcPitch = inBytes(copy.src.op.ptr.rowLength);
    box.srcHeight = copy.src.op.ptr.layerHeight;
  }
  if (isArray(copy.dst)) {
    box.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    box.dstArray = copy.dst.op.array.array;
    box.dstXInBytes = inBytes(copy.dst.op.array.offset.x);
    box.dstY = copy.dst.op.array.offset.y;
    box.dstZ = copy.dst.op.array.offset.z;
  } else {
    box.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
    box.dstDevice = copy.dst.op.ptr.ptr;
    box.dstPitch = inBytes(copy.dst.op.ptr.rowLength);
    box.dstHeight = copy.dst.op.ptr.layerHeight;
  }
  box.WidthInBytes = inBytes(copy.extent.width);
  box.Height = copy.extent.height;
  box.Depth = copy.extent.depth;
  return fits;
}

static CUresult copyOne(const CUDA_MEMCPY3D_BATCH_OP &copy, CUstream stream) {
  size_t element = 0;
  CUDA_MEMCPY3D box;
  if (copy.srcAccessOrder < CU_MEMCPY_SRC_ACCESS_ORDER_STREAM ||
      copy.srcAccessOrder > CU_MEMCPY_SRC_ACCESS_ORDER_ANY ||
      !copy.extent.width || !copy.extent.height || !copy.extent.depth)
    return CUDA_ERROR_INVALID_VALUE;
  if (!findElement(copy.src, element) || !findElement(copy.dst, element) ||
      !makeBox(copy, element ? element : 1, box))
    return CUDA_ERROR_INVALID_VALUE;
  return copyBox(box, stream, false, copy.srcAccessOrder);
}

/// Issues copies. `failed` becomes the index of the copy that was wrong, or
/// SIZE_MAX if something else was.
static CUresult copyBoxes(size_t count, const CUDA_MEMCPY3D_BATCH_OP *copies,
                          unsigned long long flags, size_t &failed,
                          CUstream stream) {
  failed = SIZE_MAX;
  if (!count || !copies || flags)
    return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < count; ++i)
    if (CUresult error = copyOne(copies[i], stream)) {
      failed = i;
      return error;
    }
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_STREAM_API(cuMemcpy3DBatchAsync_v2, _ptsz,
                       (size_t count, CUDA_MEMCPY3D_BATCH_OP *copies,
                        unsigned long long flags, CUstream stream),
                       count, copies, flags, stream) {
  size_t failed;
  return copyBoxes(count, copies, flags, failed, stream);
}
PTXJIT_CUDA_STREAM_API(cuMemcpy3DBatchAsync, _ptsz,
                       (size_t count, CUDA_MEMCPY3D_BATCH_OP *copies,
                        size_t *failed, unsigned long long flags,
                        CUstream stream),
                       count, copies, failed, flags, stream) {
  size_t which;
  CUresult result = copyBoxes(count, copies, flags, which, stream);
  if (result && failed)
    *failed = which;
  return result;
}
