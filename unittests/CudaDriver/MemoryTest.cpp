//===- MemoryTest.cpp - allocations, copies, pools, functions by name -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../StreamGate.h"
#include "DriverFixture.h"

#include <cstring>
#include <numeric>
#include <thread>
#include <vector>

using Memory = Driver;

TEST_F(Memory, PlanesAndBoxesAreCopied) {
  constexpr size_t width = 20, height = 7, depth = 3;
  std::vector<unsigned char> from(width * height * depth), to(from.size());
  std::iota(from.begin(), from.end(), 0);
  CUdeviceptr plane, box;
  size_t pitch = 0;
  ASSERT_EQ(cuMemAllocPitch_v2(&plane, &pitch, width, height * depth, 4),
            CUDA_SUCCESS);
  EXPECT_EQ(pitch % 512, 0u);
  ASSERT_EQ(cuMemAlloc_v2(&box, pitch * (height + 2) * depth), CUDA_SUCCESS);
  CUDA_MEMCPY2D in{};
  in.srcMemoryType = CU_MEMORYTYPE_HOST;
  in.srcHost = from.data();
  in.srcPitch = width;
  in.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  in.dstDevice = plane;
  in.dstPitch = pitch;
  in.WidthInBytes = width;
  in.Height = height * depth;
  EXPECT_EQ(cuMemcpy2D_v2(&in), CUDA_SUCCESS);
  in.dstPitch = width - 1;
  EXPECT_EQ(cuMemcpy2D_v2(&in), CUDA_ERROR_INVALID_VALUE);
  in.dstPitch = pitch;
  in.Height += 1;
  EXPECT_EQ(cuMemcpy2D_v2(&in), CUDA_ERROR_INVALID_VALUE) << "beyond the end";

  CUDA_MEMCPY3D across{};
  across.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  across.srcDevice = plane;
  across.srcPitch = pitch;
  across.srcHeight = height;
  across.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
  across.dstDevice = box;
  across.dstXInBytes = 8;
  across.dstY = 1;
  across.dstPitch = pitch;
  across.dstHeight = height + 2;
  across.WidthInBytes = width;
  across.Height = height;
  across.Depth = depth;
  EXPECT_EQ(cuMemcpy3DAsync_v2(&across, nullptr), CUDA_SUCCESS);
  CUDA_MEMCPY3D out{};
  out.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  out.srcDevice = box;
  out.srcXInBytes = 8;
  out.srcY = 1;
  out.srcPitch = pitch;
  out.srcHeight = height + 2;
  out.dstMemoryType = CU_MEMORYTYPE_HOST;
  out.dstHost = to.data();
  out.dstPitch = width;
  out.dstHeight = height;
  out.WidthInBytes = width;
  out.Height = height;
  out.Depth = depth;
  EXPECT_EQ(cuMemcpy3D_v2(&out), CUDA_SUCCESS);
  EXPECT_EQ(from, to);
  // Extents whose products overflow or exceed the memory.
  for (size_t *field : {&out.Height, &out.Depth, &out.srcPitch, &out.srcHeight,
                        &out.srcY, &out.srcZ, &out.WidthInBytes}) {
    size_t before = *field;
    for (size_t huge : {size_t(1) << 33, size_t(1) << 62, SIZE_MAX}) {
      *field = huge;
      EXPECT_EQ(cuMemcpy3D_v2(&out), CUDA_ERROR_INVALID_VALUE);
    }
    *field = before;
  }
  out.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  EXPECT_EQ(cuMemcpy3D_v2(&out), CUDA_ERROR_INVALID_VALUE) << "no array";
}

TEST_F(Memory, PlanesAreSet) {
  CUdeviceptr plane;
  ASSERT_EQ(cuMemAlloc_v2(&plane, 64), CUDA_SUCCESS);
  ASSERT_EQ(cuMemsetD8_v2(plane, 1, 64), CUDA_SUCCESS);
  EXPECT_EQ(cuMemsetD2D16_v2(plane, 16, 0x0203, 3, 4), CUDA_SUCCESS);
  unsigned char bytes[64];
  ASSERT_EQ(cuMemcpyDtoH_v2(bytes, plane, 64), CUDA_SUCCESS);
  for (int i = 0; i < 64; ++i)
    EXPECT_EQ(bytes[i], i % 16 >= 6 ? 1 : i % 2 ? 2 : 3) << i;
  EXPECT_EQ(cuMemsetD2D16_v2(plane, 17, 0, 3, 2), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemsetD2D16_v2(plane, size_t(1) << 62, 0, 3, 5),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemsetD2D16_v2(plane, 16, 0, 9, 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemsetD16_v2(plane + 1, 0, 1), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Memory, HostMemoryIsRegistered) {
  std::vector<unsigned> own(256);
  EXPECT_EQ(cuMemHostRegister_v2(own.data(), 1024, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuMemHostRegister_v2(own.data() + 8, 32, 0),
            CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
  CUdeviceptr device;
  EXPECT_EQ(cuMemHostGetDevicePointer_v2(&device, own.data(), 0), CUDA_SUCCESS);
  EXPECT_EQ(launchAdd(device, 3, 256), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
  EXPECT_EQ(own[255], 3u);
  unsigned type = 0;
  EXPECT_EQ(
      cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, device),
      CUDA_SUCCESS);
  EXPECT_EQ(type, unsigned(CU_MEMORYTYPE_HOST));
  EXPECT_EQ(cuMemHostUnregister(own.data()), CUDA_SUCCESS);
  EXPECT_EQ(cuMemHostUnregister(own.data()),
            CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
}

TEST_F(Memory, ManagedMemoryIsBoth) {
  CUdeviceptr both;
  ASSERT_EQ(cuMemAllocManaged(&both, 64, 1), CUDA_SUCCESS);
  auto *host = reinterpret_cast<unsigned *>(both);
  host[0] = 40;
  EXPECT_EQ(launchAdd(both, 2, 1), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
  EXPECT_EQ(host[0], 42u);
  int attributes[] = {CU_POINTER_ATTRIBUTE_IS_MANAGED,
                      CU_POINTER_ATTRIBUTE_RANGE_SIZE};
  unsigned managed = 0;
  size_t bytes = 0;
  void *data[] = {&managed, &bytes};
  EXPECT_EQ(cuPointerGetAttributes(2, attributes, data, both + 4),
            CUDA_SUCCESS);
  EXPECT_EQ(managed, 1u);
  EXPECT_EQ(bytes, 64u);
  EXPECT_EQ(cuMemPrefetchAsync(both, 64, 0, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cuMemPrefetchAsync(both, 65, 0, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemFree_v2(both), CUDA_SUCCESS);
}

TEST_F(Memory, PoolsCountAndFreeInOrder) {
  CUmemoryPool pool;
  ASSERT_EQ(cuDeviceGetDefaultMemPool(&pool, 0), CUDA_SUCCESS);
  CUstream stream;
  ASSERT_EQ(cuStreamCreate(&stream, 0), CUDA_SUCCESS);
  CUdeviceptr memory;
  uint64_t used = 0, before = 0;
  EXPECT_EQ(
      cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &before),
      CUDA_SUCCESS);
  ASSERT_EQ(cuMemAllocAsync(&memory, 4096, stream), CUDA_SUCCESS);
  EXPECT_EQ(
      cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used),
      CUDA_SUCCESS);
  EXPECT_EQ(used - before, 4096u);
  EXPECT_EQ(cuMemsetD32Async(memory, 1, 1024, stream), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFreeAsync(memory, stream), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
  EXPECT_EQ(
      cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used),
      CUDA_SUCCESS);
  EXPECT_EQ(used, before);
  EXPECT_EQ(cuMemFreeAsync(memory, stream), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemPoolDestroy(pool), CUDA_ERROR_INVALID_VALUE);
}

// An H200 (driver 580) counts so, too, but reserves 32 MB at a time.
TEST_F(Memory, WhatAStreamWillFreeIsReservedButNotUsed) {
  CUmemoryPool pool;
  ASSERT_EQ(cuDeviceGetDefaultMemPool(&pool, 0), CUDA_SUCCESS);
  auto amount = [&](int attribute) {
    uint64_t bytes = 0;
    EXPECT_EQ(cuMemPoolGetAttribute(pool, attribute, &bytes), CUDA_SUCCESS);
    return bytes;
  };
  const uint64_t used = amount(CU_MEMPOOL_ATTR_USED_MEM_CURRENT);
  const uint64_t reserved = amount(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT);
  CUstream stream;
  ASSERT_EQ(cuStreamCreate(&stream, 0), CUDA_SUCCESS);
  StreamGate gate(stream);
  CUdeviceptr memory;
  ASSERT_EQ(cuMemAllocAsync(&memory, 4096, stream), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFreeAsync(memory, stream), CUDA_SUCCESS);
  EXPECT_EQ(amount(CU_MEMPOOL_ATTR_USED_MEM_CURRENT), used);
  EXPECT_EQ(amount(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), reserved + 4096);
  EXPECT_GE(amount(CU_MEMPOOL_ATTR_USED_MEM_HIGH), used + 4096);
  gate.open();
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
  EXPECT_EQ(amount(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), reserved);
}

// The next pool may have the same handle.
TEST_F(Memory, APoolThatIsGoneIsNotCounted) {
  auto used = [](CUmemoryPool pool) {
    uint64_t bytes = ~0ull;
    EXPECT_EQ(
        cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &bytes),
        CUDA_SUCCESS);
    return bytes;
  };
  CUmemPoolProps properties{};
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  CUmemoryPool last = nullptr, owner;
  CUdeviceptr old = 0, memory;
  for (unsigned i = 0; i < 20; ++i) {
    CUmemoryPool pool;
    ASSERT_EQ(cuMemPoolCreate(&pool, &properties), CUDA_SUCCESS);
    EXPECT_EQ(used(pool), 0u);
    ASSERT_EQ(cuMemAllocFromPoolAsync(&memory, 4096, pool, nullptr),
              CUDA_SUCCESS);
    if (old) {
      EXPECT_EQ(cuPointerGetAttribute(&owner,
                                      CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, old),
                CUDA_SUCCESS);
      EXPECT_EQ(owner, nullptr);
      EXPECT_EQ(cuMemFreeAsync(old, nullptr), CUDA_SUCCESS);
      EXPECT_EQ(cuStreamSynchronize(nullptr), CUDA_SUCCESS);
    }
    EXPECT_EQ(used(pool), 4096u);
    old = memory;
    last = pool;
    if (i + 1 < 20)
      EXPECT_EQ(cuMemPoolDestroy(pool), CUDA_SUCCESS);
  }
  EXPECT_EQ(cuMemFree_v2(old), CUDA_SUCCESS);
  EXPECT_EQ(used(last), 0u) << "cuMemFree counts, too";
  EXPECT_EQ(cuMemPoolDestroy(last), CUDA_SUCCESS);
}

//===----------------------------------------------------------------------===//
// Functions by name
//===----------------------------------------------------------------------===//

TEST_F(Memory, FunctionsAreFoundByVersion) {
  using Function = void (*)();
  auto find = [](const char *name, int version, uint64_t flags = 0) {
    void *found = nullptr;
    int status = -1;
    EXPECT_EQ(cuGetProcAddress_v2(name, &found, version, flags, &status),
              CUDA_SUCCESS);
    EXPECT_EQ(status != 0, found == nullptr);
    return reinterpret_cast<Function>(found);
  };
  EXPECT_EQ(find("cuMemAlloc", 13000), Function(cuMemAlloc_v2));
  EXPECT_EQ(find("cuCtxCreate", 3020), Function(cuCtxCreate_v2));
  EXPECT_EQ(find("cuCtxCreate", 12040), Function(cuCtxCreate_v3));
  EXPECT_EQ(find("cuCtxCreate", 13000), Function(cuCtxCreate_v4));
  EXPECT_EQ(find("cuLaunchKernel", 7000), Function(cuLaunchKernel));
  EXPECT_NE(find("cuLaunchKernel", 7000, 2), Function(cuLaunchKernel));
  EXPECT_NE(find("cuStreamGetPriority", 7000, 2),
            Function(cuStreamGetPriority));
  EXPECT_NE(find("cuMemcpyHtoD", 13000, 2), Function(cuMemcpyHtoD_v2));
  EXPECT_EQ(find("cuMemcpyHtoD", 13000, 1), Function(cuMemcpyHtoD_v2));
  EXPECT_EQ(find("cuGraphInstantiate", 11000), Function(cuGraphInstantiate_v2));
  int status;
  void *found;
  EXPECT_EQ(cuGetProcAddress_v2("cuKernelGetName", &found, 11000, 0, &status),
            CUDA_SUCCESS);
  EXPECT_EQ(status, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
  EXPECT_EQ(cuGetProcAddress_v2("cuNonsense", &found, 13000, 0, &status),
            CUDA_SUCCESS);
  EXPECT_EQ(status, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
  EXPECT_EQ(cuGetProcAddress("cuNonsense", &found, 13000, 0),
            CUDA_ERROR_NOT_FOUND);
  // The function exists, but is not implemented.
  auto destroy = reinterpret_cast<CUresult (*)(void *)>(
      find("cuGraphicsUnregisterResource", 13000));
  ASSERT_NE(destroy, nullptr);
  EXPECT_EQ(destroy(nullptr), CUDA_ERROR_NOT_SUPPORTED);
}

TEST_F(Memory, DefaultStreamsOfThreadsAreTheirOwn) {
  void *found;
  ASSERT_EQ(cuGetProcAddress("cuStreamGetId", &found, 13000, 2), CUDA_SUCCESS);
  auto getId =
      reinterpret_cast<CUresult (*)(CUstream, unsigned long long *)>(found);
  unsigned long long mine = 0, again = 0, theirs = 0, legacy = 0;
  EXPECT_EQ(getId(nullptr, &mine), CUDA_SUCCESS);
  EXPECT_EQ(getId(CU_STREAM_PER_THREAD, &again), CUDA_SUCCESS);
  EXPECT_EQ(getId(CU_STREAM_LEGACY, &legacy), CUDA_SUCCESS);
  std::thread other([&] {
    EXPECT_EQ(cuCtxSetCurrent(context), CUDA_SUCCESS);
    EXPECT_EQ(getId(nullptr, &theirs), CUDA_SUCCESS);
  });
  other.join();
  EXPECT_EQ(mine, again);
  EXPECT_NE(mine, theirs);
  EXPECT_NE(mine, legacy);
}

TEST_F(Memory, OccupancyFollowsTheProfile) {
  int count = 0, grid = 0, block = 0;
  EXPECT_EQ(
      cuOccupancyMaxActiveBlocksPerMultiprocessor(&count, get("add"), 256, 0),
      CUDA_SUCCESS);
  EXPECT_EQ(count, 8);
  EXPECT_EQ(cuOccupancyMaxActiveBlocksPerMultiprocessor(&count, get("add"), 256,
                                                        40 << 10),
            CUDA_SUCCESS);
  EXPECT_EQ(count, 4);
  EXPECT_EQ(cuOccupancyMaxPotentialBlockSize(&grid, &block, get("small"),
                                             nullptr, 0, 0),
            CUDA_SUCCESS);
  EXPECT_EQ(block, 64);
  EXPECT_GE(grid, 4);
}

TEST_F(Memory, PageableIsReadWhenTheCallReturns) {
  constexpr size_t few = 1000, many = 100000; // words
  CUdeviceptr data;
  CUstream stream;
  ASSERT_EQ(cuMemAlloc_v2(&data, many * 4), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  std::vector<unsigned> got(many);
  { // A small block is copied at once, and the call does not wait.
    StreamGate gate(stream);
    std::vector<unsigned> from(few, 7);
    ASSERT_EQ(cuMemcpyHtoDAsync_v2(data, from.data(), few * 4, stream),
              CUDA_SUCCESS);
    EXPECT_FALSE(gate.isOpen());
    from.assign(few, 8);
  }
  EXPECT_EQ(cuMemcpyDtoHAsync_v2(got.data(), data, few * 4, stream),
            CUDA_SUCCESS);
  EXPECT_EQ(got, [&] { // a copy to pageable memory waits
    std::vector<unsigned> expected(many, 0);
    std::fill_n(expected.begin(), few, 7);
    return expected;
  }());
  StreamGate gate(stream);
  gate.openLater();
  std::vector<unsigned> from(many, 9);
  ASSERT_EQ(cuMemcpyHtoDAsync_v2(data, from.data(), many * 4, stream),
            CUDA_SUCCESS);
  EXPECT_TRUE(gate.isOpen());
  from.assign(many, 10);
  ASSERT_EQ(cuMemcpyDtoH_v2(got.data(), data, many * 4), CUDA_SUCCESS);
  EXPECT_EQ(got, std::vector<unsigned>(many, 9));
  gate.join();
  EXPECT_EQ(cuMemFree_v2(data), CUDA_SUCCESS);
}

TEST_F(Memory, PageLockedIsReadInTheStreamsOrder) {
  CUdeviceptr data;
  CUstream stream;
  void *locked;
  unsigned got = 0;
  ASSERT_EQ(cuMemAlloc_v2(&data, 4), CUDA_SUCCESS);
  ASSERT_EQ(cuMemAllocHost_v2(&locked, 4), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  auto *word = static_cast<unsigned *>(locked);
  {
    StreamGate gate(stream);
    *word = 1;
    ASSERT_EQ(cuMemcpyHtoDAsync_v2(data, locked, 4, stream), CUDA_SUCCESS);
    *word = 2;
  }
  EXPECT_EQ(cuMemcpyDtoHAsync_v2(&got, data, 4, stream), CUDA_SUCCESS);
  EXPECT_EQ(got, 2u);
  EXPECT_EQ(cuMemFreeHost(locked), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFree_v2(data), CUDA_SUCCESS);
}

TEST_F(Memory, BatchesAreCopied) {
  CUdeviceptr data;
  CUstream stream;
  ASSERT_EQ(cuMemAlloc_v2(&data, 64), CUDA_SUCCESS);
  ASSERT_EQ(cuMemsetD32_v2(data, 5, 16), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  unsigned early = 1, late = 2, got[2] = {};
  auto address = [](void *p) { return reinterpret_cast<CUdeviceptr>(p); };
  CUdeviceptr to[] = {data, data + 4},
              from[] = {address(&early), address(&late)};
  size_t sizes[] = {4, 4}, starts[] = {0, 1}, failed = 9;
  CUmemcpyAttributes attributes[2] = {};
  attributes[0].srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL;
  attributes[1].srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
  {
    StreamGate gate(stream);
    ASSERT_EQ(cuMemcpyBatchAsync_v2(to, from, sizes, 2, attributes, starts, 2,
                                    stream),
              CUDA_SUCCESS);
    early = late = 7;
  }
  ASSERT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
  ASSERT_EQ(cuMemcpyDtoH_v2(got, data, 8), CUDA_SUCCESS);
  EXPECT_EQ(got[0], 1u);
  EXPECT_EQ(got[1], 7u);
  sizes[1] = 0;
  EXPECT_EQ(cuMemcpyBatchAsync(to, from, sizes, 2, attributes, starts, 2,
                               &failed, stream),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(failed, 1u);
  starts[0] = 1;
  EXPECT_EQ(cuMemcpyBatchAsync(to, from, sizes, 2, attributes, starts, 2,
                               &failed, stream),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(failed, SIZE_MAX);

  size_t bytes = 64, start = 0;
  CUmemLocation device{CU_MEM_LOCATION_TYPE_DEVICE, 0};
  EXPECT_EQ(
      cuMemPrefetchBatchAsync(&data, &bytes, 1, &device, &start, 1, 0, stream),
      CUDA_SUCCESS);
  EXPECT_EQ(cuMemDiscardAndPrefetchBatchAsync(&data, &bytes, 1, &device, &start,
                                              1, 0, stream),
            CUDA_SUCCESS);
  bytes = 65 << 20;
  EXPECT_EQ(cuMemDiscardBatchAsync(&data, &bytes, 1, 0, stream),
            CUDA_ERROR_INVALID_VALUE);
  CUmemoryPool byDevice, byLocation;
  EXPECT_EQ(cuDeviceGetMemPool(&byDevice, 0), CUDA_SUCCESS);
  EXPECT_EQ(
      cuMemGetMemPool(&byLocation, &device, CU_MEM_ALLOCATION_TYPE_PINNED),
      CUDA_SUCCESS);
  EXPECT_EQ(byLocation, byDevice);
  EXPECT_EQ(cuMemFree_v2(data), CUDA_SUCCESS);
}
