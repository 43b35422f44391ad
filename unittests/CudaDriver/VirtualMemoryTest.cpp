//===- VirtualMemoryTest.cpp - address ranges, and memory mapped to them --===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DriverFixture.h"

#include <unistd.h>
#include <vector>

namespace {
class VirtualMemory : public Driver {
protected:
  void SetUp() override {
    Driver::SetUp();
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    ASSERT_EQ(cuMemGetAllocationGranularity(&piece, &properties, 0),
              CUDA_SUCCESS);
    ASSERT_EQ(cuMemAddressReserve(&base, 4 * piece, 0, 0, 0), CUDA_SUCCESS);
    ASSERT_EQ(cuMemCreate(&memory, 2 * piece, &properties, 0), CUDA_SUCCESS);
  }
  CUresult allow(CUdeviceptr pointer, size_t bytes, int flags) {
    CUmemAccessDesc description{properties.location, flags};
    return cuMemSetAccess(pointer, bytes, &description, 1);
  }
  unsigned read(CUdeviceptr pointer) {
    unsigned value = 0;
    EXPECT_EQ(cuMemcpyDtoH_v2(&value, pointer, sizeof(value)), CUDA_SUCCESS);
    return value;
  }

  CUmemAllocationProp properties{};
  size_t piece = 0;
  CUdeviceptr base = 0;
  CUmemGenericAllocationHandle memory = 0;
};
} // namespace

TEST_F(VirtualMemory, TwoPiecesAreOne) {
  // Map the second half of the memory in front of its first half.
  ASSERT_EQ(cuMemMap(base, piece, piece, memory, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuMemMap(base + piece, piece, 0, memory, 0), CUDA_SUCCESS);
  ASSERT_EQ(allow(base, 2 * piece, CU_MEM_ACCESS_FLAGS_PROT_READWRITE),
            CUDA_SUCCESS);
  unsigned n = unsigned(2 * piece / 4);
  EXPECT_EQ(cuMemsetD32_v2(base, 5, n), CUDA_SUCCESS);
  EXPECT_EQ(launchAdd(base, 2, n), CUDA_SUCCESS);
  EXPECT_EQ(read(base), 7u);
  EXPECT_EQ(read(base + 2 * piece - 4), 7u);
  EXPECT_EQ(cuMemsetD32_v2(base, 5, n + 1), CUDA_ERROR_INVALID_VALUE)
      << "nothing is mapped behind it";
  // Map the first half once more, at another address.
  CUdeviceptr again = base + 3 * piece;
  ASSERT_EQ(cuMemMap(again, piece, 0, memory, 0), CUDA_SUCCESS);
  ASSERT_EQ(allow(again, piece, CU_MEM_ACCESS_FLAGS_PROT_READWRITE),
            CUDA_SUCCESS);
  EXPECT_EQ(cuMemsetD32_v2(again, 9, 1), CUDA_SUCCESS);
  EXPECT_EQ(read(base + piece), 9u);

  EXPECT_EQ(cuMemRelease(memory), CUDA_SUCCESS);
  EXPECT_EQ(cuMemRelease(memory), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(read(base), 7u) << "mappings keep it";
  CUmemGenericAllocationHandle found;
  EXPECT_EQ(cuMemRetainAllocationHandle(
                &found, reinterpret_cast<void *>(base + piece + 8)),
            CUDA_SUCCESS);
  EXPECT_EQ(found, memory);
  EXPECT_EQ(cuMemRelease(found), CUDA_SUCCESS);

  EXPECT_EQ(cuMemAddressFree(base, 4 * piece), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemUnmap(base, piece / 2), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemUnmap(base, 2 * piece), CUDA_SUCCESS);
  EXPECT_EQ(cuMemUnmap(again, piece), CUDA_SUCCESS);
  EXPECT_EQ(cuMemAddressFree(base, piece), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemAddressFree(base, 4 * piece), CUDA_SUCCESS);
}

TEST_F(VirtualMemory, AccessIsGiven) {
  unsigned value;
  ASSERT_EQ(cuMemMap(base, 2 * piece, 0, memory, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuMemcpyDtoH_v2(&value, base, 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemcpyDtoH_v2(&value, base + 3 * piece, 4),
            CUDA_ERROR_INVALID_VALUE);
  unsigned long long flags = 9;
  EXPECT_EQ(cuMemGetAccess(&flags, &properties.location, base), CUDA_SUCCESS);
  EXPECT_EQ(flags, unsigned(CU_MEM_ACCESS_FLAGS_PROT_NONE));
  EXPECT_EQ(allow(base + piece, 2 * piece, CU_MEM_ACCESS_FLAGS_PROT_READWRITE),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(allow(base, 2 * piece, 2), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(allow(base, 2 * piece, CU_MEM_ACCESS_FLAGS_PROT_READWRITE),
            CUDA_SUCCESS);
  EXPECT_EQ(read(base), 0u) << "new memory is zero";
  EXPECT_EQ(cuMemGetAccess(&flags, &properties.location, base + piece),
            CUDA_SUCCESS);
  EXPECT_EQ(flags, unsigned(CU_MEM_ACCESS_FLAGS_PROT_READWRITE));
  unsigned type = 0;
  EXPECT_EQ(
      cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, base + 4),
      CUDA_SUCCESS);
  EXPECT_EQ(type, unsigned(CU_MEMORYTYPE_DEVICE));
  // A kernel that accesses memory without permission fails.
  EXPECT_EQ(allow(base, 2 * piece, CU_MEM_ACCESS_FLAGS_PROT_NONE),
            CUDA_SUCCESS);
  EXPECT_EQ(launchAdd(base, 1, 64), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST_F(VirtualMemory, GoesToOtherProcesses) {
  ASSERT_EQ(cuMemMap(base, 2 * piece, 0, memory, 0), CUDA_SUCCESS);
  ASSERT_EQ(allow(base, 2 * piece, CU_MEM_ACCESS_FLAGS_PROT_READWRITE),
            CUDA_SUCCESS);
  EXPECT_EQ(cuMemsetD32_v2(base, 11, 64), CUDA_SUCCESS);
  int file = -1;
  ASSERT_EQ(cuMemExportToShareableHandle(&file, memory, 1, 0), CUDA_SUCCESS);
  CUmemGenericAllocationHandle other;
  auto *descriptor = reinterpret_cast<void *>(intptr_t(file));
  ASSERT_EQ(cuMemImportFromShareableHandle(&other, descriptor, 1),
            CUDA_SUCCESS);
  EXPECT_EQ(close(file), 0);
  EXPECT_NE(other, memory);
  CUdeviceptr there = base + 2 * piece;
  ASSERT_EQ(cuMemMap(there, 2 * piece, 0, other, 0), CUDA_SUCCESS);
  ASSERT_EQ(allow(there, 2 * piece, CU_MEM_ACCESS_FLAGS_PROT_READWRITE),
            CUDA_SUCCESS);
  EXPECT_EQ(launchAdd(there, 3, 64), CUDA_SUCCESS);
  EXPECT_EQ(read(base + 4 * 63), 14u);

  int pipes[2];
  ASSERT_EQ(pipe(pipes), 0);
  descriptor = reinterpret_cast<void *>(intptr_t(pipes[0]));
  EXPECT_EQ(cuMemImportFromShareableHandle(&other, descriptor, 1),
            CUDA_ERROR_INVALID_VALUE);
  properties.requestedHandleTypes = 0;
  ASSERT_EQ(cuMemCreate(&other, piece, &properties, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuMemExportToShareableHandle(&file, other, 1, 0),
            CUDA_ERROR_INVALID_VALUE)
      << "was not asked for";
  close(pipes[0]);
  close(pipes[1]);
}

TEST_F(VirtualMemory, WrongArguments) {
  CUdeviceptr at;
  CUmemGenericAllocationHandle other;
  EXPECT_EQ(cuMemAddressReserve(&at, 4096, 0, 0, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemAddressReserve(&at, piece, 3, 0, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemAddressReserve(&at, size_t(1) << 60, 0, 0, 0),
            CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(cuMemCreate(&other, 4096, &properties, 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemCreate(&other, piece << 30, &properties, 0),
            CUDA_ERROR_OUT_OF_MEMORY);
  properties.location.id = 1;
  EXPECT_EQ(cuMemCreate(&other, piece, &properties, 0),
            CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(cuMemMap(base + 4096, piece, 0, memory, 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemMap(base + 3 * piece, 2 * piece, 0, memory, 0),
            CUDA_ERROR_INVALID_VALUE)
      << "sticks out of the addresses";
  EXPECT_EQ(cuMemMap(base, 2 * piece, piece, memory, 0),
            CUDA_ERROR_INVALID_VALUE)
      << "sticks out of the memory";
  EXPECT_EQ(cuMemMap(base, piece, 0, memory + 1000, 0),
            CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(cuMemMap(base + piece, 2 * piece, 0, memory, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuMemMap(base + 2 * piece, piece, 0, memory, 0),
            CUDA_ERROR_INVALID_VALUE)
      << "is mapped";
  EXPECT_EQ(cuMemMap(base, 2 * piece, 0, memory, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemFree_v2(base + piece), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemAddressReserve(&at, piece, 8 * piece, 0, 0), CUDA_SUCCESS);
  EXPECT_EQ(at % (8 * piece), 0u);
}
