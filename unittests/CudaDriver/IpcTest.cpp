//===- IpcTest.cpp - memory and events of other processes -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The other process is this program, which runs one of the disabled tests. It
// gets handles in its environment, and prints what it finds.
//
//===----------------------------------------------------------------------===//

#include "../FourDevices.h"
#include "DriverFixture.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace {
class Ipc : public Driver {};
/// What the other process runs.
class OfOthers : public Driver {};
} // namespace

template <typename Handle> static std::string toText(const Handle &handle) {
  std::string text;
  for (unsigned char c : handle.reserved) {
    char digits[3];
    std::snprintf(digits, sizeof(digits), "%02x", c);
    text += digits;
  }
  return text;
}
template <typename Handle> static Handle fromText(const char *text) {
  Handle handle{};
  for (size_t i = 0; text && i < sizeof(handle) && std::strlen(text) > 2 * i;
       ++i)
    handle.reserved[i] = decltype(handle.reserved[0] + 0)(
        std::stoi(std::string(text + 2 * i, 2), nullptr, 16));
  return handle;
}
/// A handle that the process was given.
template <typename Handle> static Handle given(const char *name) {
  return fromText<Handle>(std::getenv(name));
}

static unsigned read(CUdeviceptr address) {
  unsigned value = ~0u;
  EXPECT_EQ(cuMemcpyDtoH_v2(&value, address, 4), CUDA_SUCCESS);
  return value;
}
static std::atomic<unsigned> &flagAt(CUdeviceptr address) {
  return *reinterpret_cast<std::atomic<unsigned> *>(address);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

// Prints the first value, and its result for wrong calls; adds 1 to the last
// value of `BYTES` bytes.
TEST_F(OfOthers, DISABLED_UseMemory) {
  auto handle = given<CUipcMemHandle>("MEMORY");
  size_t bytes = std::stoul(std::getenv("BYTES"));
  CUdeviceptr pointer = 0, again = 0;
  CUresult result = cuIpcOpenMemHandle_v2(&pointer, handle, 1);
  std::printf("%d\n", int(result));
  if (result)
    return;
  std::printf("%u\n", read(pointer));
  EXPECT_EQ(launchAdd(pointer + bytes - 4, 1, 1), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
  CUdeviceptr base;
  size_t size;
  EXPECT_EQ(cuMemGetAddressRange_v2(&base, &size, pointer + 3), CUDA_SUCCESS);
  EXPECT_EQ(base, pointer);
  EXPECT_EQ(size, bytes);
  EXPECT_EQ(cuIpcOpenMemHandle_v2(&again, handle, 1), CUDA_SUCCESS);
  EXPECT_EQ(again, pointer);
  EXPECT_EQ(cuMemFree_v2(pointer), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuIpcGetMemHandle(&handle, pointer), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuIpcCloseMemHandle(pointer), CUDA_SUCCESS);
  EXPECT_EQ(read(pointer), 7u);
  EXPECT_EQ(cuIpcCloseMemHandle(pointer), CUDA_SUCCESS);
  EXPECT_EQ(cuIpcCloseMemHandle(pointer), CUDA_ERROR_INVALID_VALUE);
}

static std::string useMemory(const CUipcMemHandle &handle, size_t bytes) {
  return runItself("OfOthers.DISABLED_UseMemory",
                   "MEMORY=" + toText(handle) +
                       " BYTES=" + std::to_string(bytes));
}

TEST_F(Ipc, MemoryIsSharedAndFreed) {
  for (size_t bytes : {8u, 1000u, (2u << 20) - 4, 2u << 20, 5000000u}) {
    CUdeviceptr data, neighbour;
    CUipcMemHandle handle, again;
    ASSERT_EQ(cuMemAlloc_v2(&neighbour, 100), CUDA_SUCCESS);
    ASSERT_EQ(cuMemAlloc_v2(&data, bytes), CUDA_SUCCESS);
    ASSERT_EQ(cuMemsetD32_v2(data, 7, bytes / 4), CUDA_SUCCESS);
    ASSERT_EQ(cuMemsetD8_v2(neighbour, 1, 100), CUDA_SUCCESS);
    ASSERT_EQ(cuIpcGetMemHandle(&handle, data), CUDA_SUCCESS);
    ASSERT_EQ(cuIpcGetMemHandle(&again, data), CUDA_SUCCESS);
    EXPECT_EQ(std::memcmp(&handle, &again, sizeof(handle)), 0);
    EXPECT_EQ(useMemory(handle, bytes), "0\n7\n") << bytes;
    EXPECT_EQ(read(data + bytes - 4), 8u);
    EXPECT_EQ(read(neighbour + 96), 0x01010101u);
    EXPECT_EQ(cuMemFree_v2(data), CUDA_SUCCESS);
    EXPECT_EQ(useMemory(handle, bytes),
              std::to_string(CUDA_ERROR_MAP_FAILED) + "\n");
    EXPECT_EQ(cuMemFree_v2(neighbour), CUDA_SUCCESS);
  }
}

TEST_F(Ipc, WrongHandlesAndPointers) {
  CUdeviceptr data, managed, pooled, out;
  CUipcMemHandle handle;
  void *host;
  ASSERT_EQ(cuMemAlloc_v2(&data, 4096), CUDA_SUCCESS);
  ASSERT_EQ(cuMemAllocManaged(&managed, 4096, 1), CUDA_SUCCESS);
  ASSERT_EQ(cuMemAllocAsync(&pooled, 4096, nullptr), CUDA_SUCCESS);
  ASSERT_EQ(cuMemHostAlloc(&host, 4096, 0), CUDA_SUCCESS);
  unsigned capable = 9;
  EXPECT_EQ(
      cuPointerGetAttribute(
          &capable, CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE, data),
      CUDA_SUCCESS);
  EXPECT_EQ(capable, 1u);
  EXPECT_EQ(
      cuPointerGetAttribute(
          &capable, CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE, pooled),
      CUDA_SUCCESS);
  EXPECT_EQ(capable, 0u);
  for (CUdeviceptr wrong : {managed, pooled, data + 4, CUdeviceptr(0),
                            reinterpret_cast<CUdeviceptr>(host)})
    EXPECT_EQ(cuIpcGetMemHandle(&handle, wrong), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuIpcGetMemHandle(nullptr, data), CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(cuIpcGetMemHandle(&handle, data), CUDA_SUCCESS);
  EXPECT_EQ(cuIpcOpenMemHandle_v2(&out, handle, 1), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuIpcOpenMemHandle_v2(&out, handle, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuIpcOpenMemHandle_v2(nullptr, handle, 1),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuIpcOpenMemHandle_v2(&out, {}, 1), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuIpcCloseMemHandle(data), CUDA_ERROR_INVALID_VALUE);
  for (CUdeviceptr pointer : {data, managed, pooled})
    EXPECT_EQ(cuMemFree_v2(pointer), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFreeHost(host), CUDA_SUCCESS);
}

// Prints a handle, which is of no use when the process has ended.
TEST_F(OfOthers, DISABLED_Export) {
  CUdeviceptr data;
  CUipcMemHandle handle;
  ASSERT_EQ(cuMemAlloc_v2(&data, 4096), CUDA_SUCCESS);
  ASSERT_EQ(cuIpcGetMemHandle(&handle, data), CUDA_SUCCESS);
  std::printf("%s\n", toText(handle).c_str());
}

TEST_F(Ipc, TheProcessIsGone) {
  std::string text = runItself("OfOthers.DISABLED_Export", "");
  ASSERT_EQ(text.size(), 129u) << text;
  CUdeviceptr out;
  EXPECT_EQ(
      cuIpcOpenMemHandle_v2(&out, fromText<CUipcMemHandle>(text.c_str()), 1),
      CUDA_ERROR_MAP_FAILED);
}

TEST_F(Ipc, MemoryMovesWhileItIsUsed) {
  constexpr unsigned kCount = 8 << 20, kTimes = 12;
  for (int round = 0; round < 3; ++round) {
    CUdeviceptr data, small;
    ASSERT_EQ(cuMemAlloc_v2(&data, 4 * size_t(kCount)), CUDA_SUCCESS);
    ASSERT_EQ(cuMemAlloc_v2(&small, 4), CUDA_SUCCESS);
    CUipcMemHandle handle;
    std::atomic<bool> started{false};
    std::thread host([&] { // writes without the driver
      for (unsigned i = 0; i < 200000; ++i) {
        ++flagAt(small);
        started = true;
      }
    });
    for (unsigned i = 0; i < kTimes; ++i)
      EXPECT_EQ(launchAdd(data, 1, kCount), CUDA_SUCCESS);
    while (!started)
      std::this_thread::yield();
    EXPECT_EQ(cuIpcGetMemHandle(&handle, small), CUDA_SUCCESS);
    EXPECT_EQ(cuIpcGetMemHandle(&handle, data), CUDA_SUCCESS);
    host.join();
    std::vector<unsigned> values(kCount);
    EXPECT_EQ(cuMemcpyDtoH_v2(values.data(), data, 4 * size_t(kCount)),
              CUDA_SUCCESS);
    EXPECT_EQ(std::count(values.begin(), values.end(), kTimes), kCount);
    EXPECT_EQ(read(small), 200000u);
    EXPECT_EQ(cuMemFree_v2(small), CUDA_SUCCESS);
    EXPECT_EQ(cuMemFree_v2(data), CUDA_SUCCESS);
  }
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

// Says that it has come, waits for the event, and prints what it sees before
// and after.
TEST_F(OfOthers, DISABLED_WaitForEvent) {
  CUdeviceptr flags = 0;
  CUevent event = nullptr;
  ASSERT_EQ(cuIpcOpenMemHandle_v2(&flags, given<CUipcMemHandle>("MEMORY"), 1),
            CUDA_SUCCESS);
  ASSERT_EQ(cuIpcOpenEventHandle(&event, given<CUipcEventHandle>("EVENT")),
            CUDA_SUCCESS);
  std::printf("%d %u\n", int(cuEventQuery(event)), flagAt(flags + 4).load());
  CUstream stream;
  ASSERT_EQ(cuStreamCreate(&stream, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamWaitEvent(stream, event, 0), CUDA_SUCCESS);
  EXPECT_EQ(launchAdd(flags + 4, 1, 1, stream), CUDA_SUCCESS);
  flagAt(flags) = 1;
  EXPECT_EQ(cuEventSynchronize(event), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
  std::printf("%d %u\n", int(cuEventQuery(event)), flagAt(flags + 4).load());
  EXPECT_EQ(cuEventDestroy_v2(event), CUDA_SUCCESS);
}

TEST_F(Ipc, OthersWaitForEvents) {
  CUdeviceptr flags;
  CUipcMemHandle memory;
  CUipcEventHandle handle;
  CUevent event;
  CUstream stream;
  ASSERT_EQ(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  ASSERT_EQ(cuMemAlloc_v2(&flags, 8), CUDA_SUCCESS);
  ASSERT_EQ(cuIpcGetMemHandle(&memory, flags), CUDA_SUCCESS);
  ASSERT_EQ(
      cuEventCreate(&event, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING),
      CUDA_SUCCESS);
  EXPECT_EQ(cuEventQuery(event), CUDA_SUCCESS); // not yet recorded
  ASSERT_EQ(cuIpcGetEventHandle(&handle, event), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamWaitValue32_v2(stream, flags, 1, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuMemsetD32Async(flags + 4, 41, 1, stream), CUDA_SUCCESS);
  EXPECT_EQ(cuEventRecord(event, stream), CUDA_SUCCESS);
  EXPECT_EQ(cuEventQuery(event), CUDA_ERROR_NOT_READY);
  EXPECT_EQ(runItself("OfOthers.DISABLED_WaitForEvent",
                      "MEMORY=" + toText(memory) + " EVENT=" + toText(handle)),
            std::to_string(CUDA_ERROR_NOT_READY) + " 0\n0 42\n");
  EXPECT_EQ(cuEventSynchronize(event), CUDA_SUCCESS);
  EXPECT_EQ(cuEventDestroy_v2(event), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamDestroy_v2(stream), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFree_v2(flags), CUDA_SUCCESS);
}

TEST_F(Ipc, WrongEvents) {
  CUevent plain, shared, out;
  CUipcEventHandle handle;
  EXPECT_EQ(cuEventCreate(&shared, CU_EVENT_INTERPROCESS),
            CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(cuEventCreate(&plain, 0), CUDA_SUCCESS);
  ASSERT_EQ(
      cuEventCreate(&shared, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING),
      CUDA_SUCCESS);
  EXPECT_EQ(cuIpcGetEventHandle(&handle, plain), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuIpcGetEventHandle(nullptr, shared), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuIpcGetEventHandle(&handle, nullptr), CUDA_ERROR_INVALID_HANDLE);
  ASSERT_EQ(cuIpcGetEventHandle(&handle, shared), CUDA_SUCCESS);
  EXPECT_EQ(cuIpcOpenEventHandle(&out, handle), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuIpcOpenEventHandle(nullptr, handle), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuIpcOpenEventHandle(&out, {}), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuEventDestroy_v2(plain), CUDA_SUCCESS);
  EXPECT_EQ(cuEventDestroy_v2(shared), CUDA_SUCCESS);
}

// Records an event that it will never reach, and ends when it is told.
TEST_F(OfOthers, DISABLED_EndBeforeTheEvent) {
  CUdeviceptr flags = 0, own;
  CUevent event = nullptr;
  ASSERT_EQ(cuIpcOpenMemHandle_v2(&flags, given<CUipcMemHandle>("MEMORY"), 1),
            CUDA_SUCCESS);
  ASSERT_EQ(cuIpcOpenEventHandle(&event, given<CUipcEventHandle>("EVENT")),
            CUDA_SUCCESS);
  CUstream stream;
  ASSERT_EQ(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  ASSERT_EQ(cuMemAlloc_v2(&own, 4), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamWaitValue32_v2(stream, own, 1, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuEventRecord(event, stream), CUDA_SUCCESS);
  flagAt(flags) = 1;
  while (flagAt(flags) != 2)
    std::this_thread::yield();
  _exit(0);
}

TEST_F(Ipc, NobodyWaitsForAProcessThatHasEnded) {
  CUdeviceptr flags;
  CUipcMemHandle memory;
  CUipcEventHandle handle;
  CUevent event;
  ASSERT_EQ(cuMemAlloc_v2(&flags, 8), CUDA_SUCCESS);
  ASSERT_EQ(cuIpcGetMemHandle(&memory, flags), CUDA_SUCCESS);
  ASSERT_EQ(
      cuEventCreate(&event, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING),
      CUDA_SUCCESS);
  ASSERT_EQ(cuIpcGetEventHandle(&handle, event), CUDA_SUCCESS);
  std::thread other([&] {
    EXPECT_EQ(
        runItself("OfOthers.DISABLED_EndBeforeTheEvent",
                  "MEMORY=" + toText(memory) + " EVENT=" + toText(handle)),
        "");
  });
  while (flagAt(flags) != 1)
    std::this_thread::yield();
  EXPECT_EQ(cuEventQuery(event), CUDA_ERROR_NOT_READY);
  flagAt(flags) = 2;
  EXPECT_EQ(cuEventSynchronize(event), CUDA_SUCCESS);
  other.join();
}

//===----------------------------------------------------------------------===//
// Pools
//===----------------------------------------------------------------------===//

// Imports the pool of descriptor `FILE`, and an allocation, which it
// increments.
TEST_F(OfOthers, DISABLED_UsePool) {
  CUmemoryPool pool;
  CUdeviceptr pointer, again;
  auto data = given<CUmemPoolPtrExportData>("POINTER");
  auto file = reinterpret_cast<void *>(std::stol(std::getenv("DESCRIPTOR")));
  ASSERT_EQ(cuMemPoolImportFromShareableHandle(
                &pool, file, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
            CUDA_SUCCESS);
  ASSERT_EQ(cuMemPoolImportPointer(&pointer, pool, &data), CUDA_SUCCESS);
  EXPECT_EQ(cuMemPoolImportPointer(&again, pool, &data), CUDA_SUCCESS);
  EXPECT_EQ(again, pointer);
  int device = -1;
  EXPECT_EQ(cuPointerGetAttribute(&device, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                                  pointer),
            CUDA_SUCCESS);
  std::printf("%u on %d\n", read(pointer), device);
  EXPECT_EQ(launchAdd(pointer, 1, 1000), CUDA_SUCCESS);
  EXPECT_EQ(cuMemAllocFromPoolAsync(&again, 64, pool, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDeviceSetMemPool(2, pool), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemPoolExportPointer(&data, pointer), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemPoolDestroy(pool), CUDA_SUCCESS); // the memory stays
  EXPECT_EQ(cuMemFreeAsync(pointer, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFree_v2(pointer), CUDA_ERROR_INVALID_VALUE);
  data.reserved[0] ^= 1;
  EXPECT_EQ(cuMemPoolImportPointer(&pointer, pool, &data),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Ipc, PoolsAreShared) {
  constexpr int kFile = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  CUmemPoolProps props{};
  props.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  props.handleTypes = kFile;
  props.location = {CU_MEM_LOCATION_TYPE_DEVICE, 2};
  CUmemoryPool pool, plain;
  int file = -1;
  ASSERT_EQ(cuMemPoolCreate(&pool, &props), CUDA_SUCCESS);
  ASSERT_EQ(cuMemPoolExportToShareableHandle(&file, pool, kFile, 0),
            CUDA_SUCCESS);
  CUdeviceptr first, data, next;
  CUmemPoolPtrExportData pointer;
  ASSERT_EQ(cuMemAllocFromPoolAsync(&first, 100, pool, nullptr), CUDA_SUCCESS);
  ASSERT_EQ(cuMemAllocFromPoolAsync(&data, 4000, pool, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cuMemsetD32_v2(data, 5, 1000), CUDA_SUCCESS);
  ASSERT_EQ(cuMemPoolExportPointer(&pointer, data), CUDA_SUCCESS);
  int inherited = dup(file); // is not closed by exec
  EXPECT_EQ(runItself("OfOthers.DISABLED_UsePool",
                      "DESCRIPTOR=" + std::to_string(inherited) +
                          " POINTER=" + toText(pointer)),
            "5 on 2\n");
  EXPECT_EQ(read(data + 3996), 6u);
  uint64_t used = 0;
  EXPECT_EQ(
      cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used),
      CUDA_SUCCESS);
  EXPECT_EQ(used, 4100u);
  EXPECT_EQ(cuMemFreeAsync(data, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
  ASSERT_EQ(cuMemAllocFromPoolAsync(&next, 4000, pool, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(next, data);
  EXPECT_EQ(read(next), 0u);
  EXPECT_EQ(cuMemPoolDestroy(pool), CUDA_SUCCESS); // its memory stays
  EXPECT_EQ(cuMemsetD32_v2(next, 1, 1000), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFree_v2(next), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFree_v2(first), CUDA_SUCCESS);

  props.handleTypes = 0;
  ASSERT_EQ(cuMemPoolCreate(&plain, &props), CUDA_SUCCESS);
  EXPECT_EQ(cuMemPoolExportToShareableHandle(&file, plain, kFile, 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemPoolDestroy(plain), CUDA_SUCCESS);
  props.handleTypes = 2;
  EXPECT_EQ(cuMemPoolCreate(&plain, &props), CUDA_ERROR_NOT_SUPPORTED);
  for (intptr_t wrong : {-1, 0, 100000})
    EXPECT_EQ(cuMemPoolImportFromShareableHandle(
                  &plain, reinterpret_cast<void *>(wrong), kFile, 0),
              CUDA_ERROR_INVALID_VALUE);
  close(inherited);
  close(file);
}
