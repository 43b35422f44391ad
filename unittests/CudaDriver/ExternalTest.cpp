//===- ExternalTest.cpp - external memory and semaphores ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DriverFixture.h"

#include <algorithm>
#include <fcntl.h>
#include <string>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {
constexpr uint64_t kPage = 4096;

int makeFile(uint64_t bytes) {
  int file = memfd_create("test", MFD_CLOEXEC);
  EXPECT_EQ(ftruncate(file, off_t(bytes)), 0);
  return file;
}

CUDA_EXTERNAL_MEMORY_HANDLE_DESC describe(int file, uint64_t bytes) {
  CUDA_EXTERNAL_MEMORY_HANDLE_DESC desc{};
  desc.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
  desc.handle.fd = file;
  desc.size = bytes;
  return desc;
}

class External : public Driver {
protected:
  /// Imports a copy of the descriptor of a file.
  CUexternalMemory import(int file, uint64_t bytes) {
    CUexternalMemory memory = nullptr;
    auto desc = describe(dup(file), bytes);
    EXPECT_EQ(cuImportExternalMemory(&memory, &desc), CUDA_SUCCESS);
    return memory;
  }
  CUdeviceptr map(CUexternalMemory memory, uint64_t offset, uint64_t bytes) {
    CUDA_EXTERNAL_MEMORY_BUFFER_DESC desc{};
    desc.offset = offset;
    desc.size = bytes;
    CUdeviceptr buffer = 0;
    EXPECT_EQ(cuExternalMemoryGetMappedBuffer(&buffer, memory, &desc),
              CUDA_SUCCESS);
    return buffer;
  }
  CUexternalSemaphore importSemaphore(int type, int file) {
    CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC desc{};
    desc.type = type;
    desc.handle.fd = dup(file);
    CUexternalSemaphore semaphore = nullptr;
    EXPECT_EQ(cuImportExternalSemaphore(&semaphore, &desc), CUDA_SUCCESS);
    return semaphore;
  }
  CUresult signal(CUexternalSemaphore semaphore, uint64_t value,
                  CUstream stream = nullptr) {
    CUDA_EXTERNAL_SEMAPHORE_PARAMS params{};
    params.value = value;
    return cuSignalExternalSemaphoresAsync(&semaphore, &params, 1, stream);
  }
  CUresult wait(CUexternalSemaphore semaphore, uint64_t value,
                CUstream stream = nullptr) {
    CUDA_EXTERNAL_SEMAPHORE_PARAMS params{};
    params.value = value;
    return cuWaitExternalSemaphoresAsync(&semaphore, &params, 1, stream);
  }
};
} // namespace

TEST_F(External, KernelsWriteToTheFile) {
  int file = makeFile(2 * kPage);
  CUexternalMemory memory = import(file, 2 * kPage);
  CUdeviceptr whole = map(memory, 0, 2 * kPage);
  CUdeviceptr part = map(memory, kPage + 64, 64); // at no page's begin
  EXPECT_EQ(cuMemsetD32_v2(whole, 5, 2 * kPage / 4), CUDA_SUCCESS);
  EXPECT_EQ(launchAdd(part, 2, 16), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
  unsigned seen[32];
  ASSERT_EQ(pread(file, seen, sizeof(seen), kPage + 32), ssize_t(sizeof(seen)));
  for (unsigned i = 0; i < 32; ++i)
    EXPECT_EQ(seen[i], i >= 8 && i < 24 ? 7u : 5u) << i;

  // Buffers outlive the object.
  EXPECT_EQ(cuDestroyExternalMemory(memory), CUDA_SUCCESS);
  EXPECT_EQ(cuDestroyExternalMemory(memory), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuMemsetD32_v2(whole, 6, 1), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFree_v2(whole), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFree_v2(whole), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launchAdd(part, 2, 16), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFree_v2(part), CUDA_SUCCESS);
  close(file);
}

TEST_F(External, ChildrenShareTheMemory) {
  int file = makeFile(kPage);
  CUdeviceptr buffer = map(import(file, kPage), 0, kPage);
  pid_t child = fork();
  if (child == 0) {
    unsigned value = 40;
    _exit(pwrite(file, &value, 4, 0) == 4 ? 0 : 1);
  }
  int status = 1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  unsigned value = 0;
  EXPECT_EQ(launchAdd(buffer, 2, 1), CUDA_SUCCESS);
  EXPECT_EQ(cuMemcpyDtoH_v2(&value, buffer, 4), CUDA_SUCCESS);
  EXPECT_EQ(value, 42u);
  EXPECT_EQ(cuMemFree_v2(buffer), CUDA_SUCCESS);
  close(file);
}

TEST_F(External, WrongMemoryIsAnError) {
  CUexternalMemory memory;
  int file = makeFile(kPage);
  auto desc = describe(file, 2 * kPage);
  EXPECT_EQ(cuImportExternalMemory(&memory, &desc), CUDA_ERROR_INVALID_VALUE)
      << "the file is smaller";
  desc = describe(-1, kPage);
  EXPECT_EQ(cuImportExternalMemory(&memory, &desc), CUDA_ERROR_INVALID_HANDLE);
  desc = describe(file, 0);
  EXPECT_EQ(cuImportExternalMemory(&memory, &desc), CUDA_ERROR_INVALID_VALUE);
  desc = describe(file, kPage);
  desc.flags = 8;
  EXPECT_EQ(cuImportExternalMemory(&memory, &desc), CUDA_ERROR_INVALID_VALUE);
  desc = describe(file, kPage);
  desc.type = 4; // a heap of D3D12
  EXPECT_EQ(cuImportExternalMemory(&memory, &desc), CUDA_ERROR_NOT_SUPPORTED);
  desc.type = 77;
  EXPECT_EQ(cuImportExternalMemory(&memory, &desc), CUDA_ERROR_INVALID_VALUE);
  desc = describe(open("/proc/self/exe", O_RDONLY), kPage);
  EXPECT_EQ(cuImportExternalMemory(&memory, &desc), CUDA_ERROR_OPERATING_SYSTEM)
      << "it cannot be written";
  close(desc.handle.fd);
  int pipes[2];
  ASSERT_EQ(pipe(pipes), 0);
  desc = describe(pipes[0], kPage);
  EXPECT_EQ(cuImportExternalMemory(&memory, &desc), CUDA_ERROR_INVALID_HANDLE);
  close(pipes[0]);
  close(pipes[1]);

  memory = import(file, kPage);
  CUdeviceptr buffer;
  CUDA_EXTERNAL_MEMORY_BUFFER_DESC part{};
  for (auto [offset, size] : std::vector<std::pair<uint64_t, uint64_t>>{
           {0, kPage + 1}, {kPage, 1}, {~0ull, 2}, {1, ~0ull}, {0, 0}}) {
    part.offset = offset;
    part.size = size;
    EXPECT_EQ(cuExternalMemoryGetMappedBuffer(&buffer, memory, &part),
              CUDA_ERROR_INVALID_VALUE);
  }
  EXPECT_EQ(cuExternalMemoryGetMappedBuffer(&buffer, nullptr, &part),
            CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuDestroyExternalMemory(memory), CUDA_SUCCESS);
  close(file);
}

TEST_F(External, ArraysLieInTheFile) {
  int file = makeFile(kPage);
  CUexternalMemory memory = import(file, kPage);
  CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC desc{};
  desc.offset = 256;
  desc.arrayDesc = {8, 8, 0, CU_AD_FORMAT_UNSIGNED_INT32, 1, 0};
  desc.numLevels = 2;
  CUmipmappedArray mipmap;
  CUarray level;
  ASSERT_EQ(cuExternalMemoryGetMappedMipmappedArray(&mipmap, memory, &desc),
            CUDA_SUCCESS);
  ASSERT_EQ(cuMipmappedArrayGetLevel(&level, mipmap, 1), CUDA_SUCCESS);
  unsigned row[] = {1, 2, 3, 4};
  ASSERT_EQ(cuMemcpyHtoA_v2(level, 0, row, sizeof(row)), CUDA_SUCCESS);
  unsigned seen[4] = {};
  // Behind a level of eight rows of 32 bytes.
  ASSERT_EQ(pread(file, seen, sizeof(seen), 256 + 256), 16);
  EXPECT_TRUE(std::equal(row, row + 4, seen));
  EXPECT_EQ(cuDestroyExternalMemory(memory), CUDA_SUCCESS);
  EXPECT_EQ(cuMemcpyHtoA_v2(level, 0, row, sizeof(row)), CUDA_SUCCESS);
  EXPECT_EQ(cuMipmappedArrayDestroy(mipmap), CUDA_SUCCESS);

  memory = import(file, kPage);
  desc.offset = kPage - 256;
  EXPECT_EQ(cuExternalMemoryGetMappedMipmappedArray(&mipmap, memory, &desc),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDestroyExternalMemory(memory), CUDA_SUCCESS);
  close(file);
}

TEST_F(External, EventFdsAreBinarySemaphores) {
  int file = eventfd(0, EFD_CLOEXEC);
  CUexternalSemaphore semaphore =
      importSemaphore(CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD, file);
  CUstream stream;
  ASSERT_EQ(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  EXPECT_EQ(wait(semaphore, 0, stream), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
  uint64_t count = 1;
  ASSERT_EQ(write(file, &count, 8), 8); // as another interface would
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);

  EXPECT_EQ(signal(semaphore, 0, stream), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
  ASSERT_EQ(read(file, &count, 8), 8);
  EXPECT_EQ(count, 1u);

  // An operation keeps the semaphore, whose handle is gone.
  EXPECT_EQ(wait(semaphore, 0, stream), CUDA_SUCCESS);
  EXPECT_EQ(cuDestroyExternalSemaphore(semaphore), CUDA_SUCCESS);
  EXPECT_EQ(signal(semaphore, 0, stream), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuDestroyExternalSemaphore(semaphore), CUDA_ERROR_INVALID_HANDLE);
  ASSERT_EQ(write(file, &count, 8), 8);
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamDestroy_v2(stream), CUDA_SUCCESS);
  close(file);
}

TEST_F(External, TimelinesCount) {
  int file = makeFile(8);
  constexpr int kType = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD;
  CUexternalSemaphore semaphore = importSemaphore(kType, file);
  CUexternalSemaphore same = importSemaphore(kType, file);
  CUstream first, second;
  ASSERT_EQ(cuStreamCreate(&first, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamCreate(&second, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  EXPECT_EQ(wait(semaphore, 7, first), CUDA_SUCCESS);
  EXPECT_EQ(signal(semaphore, 9, first), CUDA_SUCCESS);
  EXPECT_EQ(signal(same, 6, second), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamSynchronize(second), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamQuery(first), CUDA_ERROR_NOT_READY);
  EXPECT_EQ(signal(same, 7, second), CUDA_SUCCESS);
  EXPECT_EQ(wait(same, 9, second), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamSynchronize(second), CUDA_SUCCESS);
  uint64_t value = 0;
  ASSERT_EQ(pread(file, &value, 8, 0), 8);
  EXPECT_EQ(value, 9u);

  // A plain store, which wakes nobody, is enough.
  EXPECT_EQ(wait(semaphore, 1ull << 40, first), CUDA_SUCCESS);
  value = 1ull << 41;
  ASSERT_EQ(pwrite(file, &value, 8, 0), 8);
  EXPECT_EQ(cuStreamSynchronize(first), CUDA_SUCCESS);
  for (CUexternalSemaphore each : {semaphore, same})
    EXPECT_EQ(cuDestroyExternalSemaphore(each), CUDA_SUCCESS);
  for (CUstream each : {first, second})
    EXPECT_EQ(cuStreamDestroy_v2(each), CUDA_SUCCESS);
  close(file);
}

TEST_F(External, WaitsEndWithTheContext) {
  int file = makeFile(8);
  CUexternalSemaphore semaphore = importSemaphore(
      CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD, file);
  CUstream stream;
  ASSERT_EQ(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  EXPECT_EQ(wait(semaphore, 1, stream), CUDA_SUCCESS);
  EXPECT_EQ(launch("crash"), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_EQ(cuDestroyExternalSemaphore(semaphore), CUDA_SUCCESS);
  close(file);
}

TEST_F(External, WrongSemaphoresAreErrors) {
  CUexternalSemaphore semaphore;
  CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC desc{};
  int memory = makeFile(4), event = eventfd(0, 0);
  auto import = [&](int type, int file) {
    desc.type = type;
    desc.handle.fd = file;
    return cuImportExternalSemaphore(&semaphore, &desc);
  };
  EXPECT_EQ(import(CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD, memory),
            CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(import(CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD, -1),
            CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(
      import(CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD, memory),
      CUDA_ERROR_INVALID_HANDLE)
      << "it has no eight bytes";
  EXPECT_EQ(
      import(CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD, event),
      CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(import(4, event), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(import(0, event), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(import(11, event), CUDA_ERROR_INVALID_VALUE);
  desc.flags = 1;
  EXPECT_EQ(import(CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD, event),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(signal(nullptr, 1), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuWaitExternalSemaphoresAsync(nullptr, nullptr, 1, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  close(memory);
  close(event);
}

TEST_F(External, GraphsSignalAndWait) {
  int file = makeFile(8);
  CUexternalSemaphore semaphore = importSemaphore(
      CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD, file);
  CUDA_EXTERNAL_SEMAPHORE_PARAMS three{}, five{};
  three.value = 3;
  five.value = 5;
  CUDA_EXT_SEM_NODE_PARAMS params{&semaphore, &three, 1}, read{};
  CUgraph graph;
  CUgraphNode waits, signals;
  CUgraphExec exec;
  ASSERT_EQ(cuGraphCreate(&graph, 0), CUDA_SUCCESS);
  ASSERT_EQ(
      cuGraphAddExternalSemaphoresWaitNode(&waits, graph, nullptr, 0, &params),
      CUDA_SUCCESS);
  ASSERT_EQ(cuGraphAddExternalSemaphoresSignalNode(&signals, graph, &waits, 1,
                                                   &params),
            CUDA_SUCCESS);
  EXPECT_EQ(cuGraphExternalSemaphoresSignalNodeGetParams(waits, &read),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphExternalSemaphoresWaitNodeGetParams(waits, &read),
            CUDA_SUCCESS);
  ASSERT_EQ(read.numExtSems, 1u);
  EXPECT_EQ(read.extSemArray[0], semaphore);
  EXPECT_EQ(read.paramsArray[0].value, 3u);
  params.paramsArray = &five;
  EXPECT_EQ(cuGraphExternalSemaphoresSignalNodeSetParams(signals, &params),
            CUDA_SUCCESS);
  ASSERT_EQ(cuGraphInstantiateWithFlags(&exec, graph, 0), CUDA_SUCCESS);
  CUstream stream;
  ASSERT_EQ(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphLaunch(exec, stream), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
  uint64_t value = 3;
  ASSERT_EQ(pwrite(file, &value, 8, 0), 8);
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
  ASSERT_EQ(pread(file, &value, 8, 0), 8);
  EXPECT_EQ(value, 5u);
  params.paramsArray = &three;
  EXPECT_EQ(
      cuGraphExecExternalSemaphoresSignalNodeSetParams(exec, signals, &params),
      CUDA_SUCCESS);
  EXPECT_EQ(cuGraphLaunch(exec, stream), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
  ASSERT_EQ(pread(file, &value, 8, 0), 8);
  EXPECT_EQ(value, 3u);
  EXPECT_EQ(cuGraphExecDestroy(exec), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphDestroy(graph), CUDA_SUCCESS);

  // The same, from a stream that records.
  ASSERT_EQ(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED),
            CUDA_SUCCESS);
  EXPECT_EQ(signal(semaphore, 11, stream), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamEndCapture(stream, &graph), CUDA_SUCCESS);
  ASSERT_EQ(cuGraphInstantiateWithFlags(&exec, graph, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphLaunch(exec, stream), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
  ASSERT_EQ(pread(file, &value, 8, 0), 8);
  EXPECT_EQ(value, 11u);
  EXPECT_EQ(cuGraphExecDestroy(exec), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphDestroy(graph), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamDestroy_v2(stream), CUDA_SUCCESS);
  EXPECT_EQ(cuDestroyExternalSemaphore(semaphore), CUDA_SUCCESS);
  close(file);
}
