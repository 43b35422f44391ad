//===- DevicesTest.cpp - several devices, as NVML reports them ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../FourDevices.h"
#include "ptxjit/CudaDriver/CudaABI.h"
#include "ptxjit/Nvml/NvmlABI.h"

#include <gtest/gtest.h>
#include <set>
#include <string>

TEST(NvmlDevices, HaveHandles) {
  ASSERT_EQ(nvmlInit_v2(), NVML_SUCCESS);
  unsigned count = 0;
  EXPECT_EQ(nvmlDeviceGetCount_v2(&count), NVML_SUCCESS);
  EXPECT_EQ(count, 4u);
  std::set<std::string> uuids;
  nvmlDevice_t devices[4], same;
  for (unsigned i = 0; i < 4; ++i) {
    char uuid[96];
    nvmlPciInfo_t pci;
    nvmlMemory_t memory;
    ASSERT_EQ(nvmlDeviceGetHandleByIndex_v2(i, &devices[i]), NVML_SUCCESS);
    EXPECT_EQ(nvmlDeviceGetUUID(devices[i], uuid, 96), NVML_SUCCESS);
    EXPECT_EQ(nvmlDeviceGetHandleByUUID(uuid, &same), NVML_SUCCESS);
    EXPECT_EQ(same, devices[i]);
    uuids.insert(uuid);
    EXPECT_EQ(nvmlDeviceGetPciInfo_v3(devices[i], &pci), NVML_SUCCESS);
    EXPECT_EQ(pci.bus, i);
    for (const char *id : {pci.busId, pci.busIdLegacy}) {
      EXPECT_EQ(nvmlDeviceGetHandleByPciBusId_v2(id, &same), NVML_SUCCESS);
      EXPECT_EQ(same, devices[i]);
    }
    EXPECT_EQ(nvmlDeviceGetMemoryInfo(devices[i], &memory), NVML_SUCCESS);
    EXPECT_LE(memory.used, memory.total);
  }
  EXPECT_EQ(uuids.size(), 4u);
  EXPECT_EQ(nvmlDeviceGetHandleByPciBusId_v2("0000:04:00.0", &same),
            NVML_ERROR_NOT_FOUND);
  EXPECT_EQ(nvmlDeviceGetHandleByIndex_v2(4, &same),
            NVML_ERROR_INVALID_ARGUMENT);

  // What one device has allocated counts there alone.
  CUcontext context;
  CUdeviceptr pointer;
  nvmlMemory_t before[2], after[2];
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(nvmlDeviceGetMemoryInfo(devices[i], &before[i]), NVML_SUCCESS);
  ASSERT_EQ(cuCtxCreate_v2(&context, 0, 1), CUDA_SUCCESS);
  ASSERT_EQ(cuMemAlloc_v2(&pointer, size_t(512) << 20), CUDA_SUCCESS);
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(nvmlDeviceGetMemoryInfo(devices[i], &after[i]), NVML_SUCCESS);
  EXPECT_GE(after[1].used + (128 << 20), before[1].used + (512 << 20));
  EXPECT_LE(after[0].used, before[0].used + (128 << 20));
  EXPECT_EQ(cuMemFree_v2(pointer), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxDestroy_v2(context), CUDA_SUCCESS);
  EXPECT_EQ(nvmlShutdown(), NVML_SUCCESS);
}

TEST(NvmlDevices, AreLinked) {
  ASSERT_EQ(nvmlInit_v2(), NVML_SUCCESS);
  nvmlDevice_t one, two, list[4] = {};
  ASSERT_EQ(nvmlDeviceGetHandleByIndex_v2(0, &one), NVML_SUCCESS);
  ASSERT_EQ(nvmlDeviceGetHandleByIndex_v2(2, &two), NVML_SUCCESS);
  int value = -1;
  EXPECT_EQ(nvmlDeviceGetP2PStatus(one, two, NVML_P2P_CAPS_INDEX_READ, &value),
            NVML_SUCCESS);
  EXPECT_EQ(value, NVML_P2P_STATUS_OK);
  EXPECT_EQ(
      nvmlDeviceGetP2PStatus(one, two, NVML_P2P_CAPS_INDEX_NVLINK, &value),
      NVML_SUCCESS);
  EXPECT_EQ(value, NVML_P2P_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(nvmlDeviceGetP2PStatus(one, two, 9, &value),
            NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(nvmlDeviceGetP2PStatus(one, one, 0, &value),
            NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(nvmlDeviceGetTopologyCommonAncestor(one, two, &value),
            NVML_SUCCESS);
  EXPECT_EQ(value, NVML_TOPOLOGY_NODE);
  unsigned count = 0;
  EXPECT_EQ(nvmlDeviceGetTopologyNearestGpus(two, value, &count, nullptr),
            NVML_SUCCESS);
  EXPECT_EQ(count, 3u);
  EXPECT_EQ(nvmlDeviceGetTopologyNearestGpus(two, value, &count, list),
            NVML_SUCCESS);
  EXPECT_EQ(list[0], one);
  count = 2;
  EXPECT_EQ(nvmlSystemGetTopologyGpuSet(0, &count, list),
            NVML_ERROR_INSUFFICIENT_SIZE);
  EXPECT_EQ(count, 4u);
  EXPECT_EQ(nvmlShutdown(), NVML_SUCCESS);
}

// Prints how many devices NVML shows, and the name of the last.
TEST(NvmlDevices, DISABLED_Print) {
  unsigned count = 0, index = 9;
  char name[96] = "";
  nvmlDevice_t last = nullptr;
  EXPECT_EQ(nvmlInit_v2(), NVML_SUCCESS);
  EXPECT_EQ(nvmlDeviceGetCount_v2(&count), NVML_SUCCESS);
  EXPECT_EQ(nvmlDeviceGetHandleByIndex_v2(count - 1, &last), NVML_SUCCESS);
  EXPECT_EQ(nvmlDeviceGetIndex(last, &index), NVML_SUCCESS);
  EXPECT_EQ(nvmlDeviceGetName(last, name, 96), NVML_SUCCESS);
  std::printf("%u %u %.7s\n", count, index, name);
}

TEST(NvmlDevices, AreNotHidden) {
  EXPECT_EQ(runItself("NvmlDevices.DISABLED_Print", "CUDA_VISIBLE_DEVICES=2,1"),
            "4 3 ptx-jit\n");
}
