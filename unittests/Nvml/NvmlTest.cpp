//===- NvmlTest.cpp - the management library ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Nvml/NvmlABI.h"
#include <cstring>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <string>

namespace {
class Nvml : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(nvmlInit_v2(), NVML_SUCCESS);
    ASSERT_EQ(nvmlDeviceGetHandleByIndex_v2(0, &device), NVML_SUCCESS);
  }
  void TearDown() override { EXPECT_EQ(nvmlShutdown(), NVML_SUCCESS); }
  nvmlDevice_t device = nullptr;
};
} // namespace

TEST(NvmlBefore, NothingIsAnswered) {
  unsigned count;
  EXPECT_EQ(nvmlDeviceGetCount_v2(&count), NVML_ERROR_UNINITIALIZED);
  EXPECT_EQ(nvmlShutdown(), NVML_ERROR_UNINITIALIZED);
  EXPECT_STREQ(nvmlErrorString(NVML_ERROR_UNINITIALIZED), "Uninitialized");
}

TEST_F(Nvml, FindsTheDevice) {
  unsigned count = 0, index = 9;
  char uuid[96];
  nvmlPciInfo_t pci;
  nvmlDevice_t same = nullptr;
  EXPECT_EQ(nvmlDeviceGetCount_v2(&count), NVML_SUCCESS);
  EXPECT_EQ(count, 1u);
  EXPECT_EQ(nvmlDeviceGetHandleByIndex_v2(1, &same),
            NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(nvmlDeviceGetIndex(device, &index), NVML_SUCCESS);
  EXPECT_EQ(index, 0u);
  ASSERT_EQ(nvmlDeviceGetUUID(device, uuid, sizeof(uuid)), NVML_SUCCESS);
  EXPECT_EQ(std::strlen(uuid), 40u) << uuid;
  EXPECT_EQ(nvmlDeviceGetUUID(device, uuid, 40), NVML_ERROR_INSUFFICIENT_SIZE);
  EXPECT_EQ(nvmlDeviceGetHandleByUUID(uuid, &same), NVML_SUCCESS);
  EXPECT_EQ(same, device);
  EXPECT_EQ(nvmlDeviceGetHandleByUUID("GPU-", &same), NVML_ERROR_NOT_FOUND);
  ASSERT_EQ(nvmlDeviceGetPciInfo_v3(device, &pci), NVML_SUCCESS);
  EXPECT_STREQ(pci.busId, "00000000:00:00.0");
  EXPECT_STREQ(pci.busIdLegacy, "0000:00:00.0");
  EXPECT_EQ(nvmlDeviceGetHandleByPciBusId_v2(pci.busId, &same), NVML_SUCCESS);
  EXPECT_EQ(same, device);
}

TEST_F(Nvml, OlderStructuresAreNotOverrun) {
  nvmlPciInfo_t pci;
  std::memset(&pci, 0x55, sizeof(pci));
  EXPECT_EQ(nvmlDeviceGetPciInfo_v2(device, &pci), NVML_SUCCESS);
  EXPECT_EQ(pci.pciSubSystemId, 0u);
  EXPECT_EQ(pci.busId[0], 0x55);
}

TEST_F(Nvml, SaysWhatTheDriverSays) {
  int major = 0, minor = -1, version = 0;
  unsigned architecture = 0;
  char name[96], driver[80];
  nvmlMemory_t memory{};
  nvmlMemory_v2_t second{};
  EXPECT_EQ(nvmlDeviceGetCudaComputeCapability(device, &major, &minor),
            NVML_SUCCESS);
  EXPECT_EQ(major, 8);
  EXPECT_EQ(minor, 0);
  EXPECT_EQ(nvmlDeviceGetArchitecture(device, &architecture), NVML_SUCCESS);
  EXPECT_EQ(architecture, 7u);
  EXPECT_EQ(nvmlDeviceGetName(device, name, sizeof(name)), NVML_SUCCESS);
  EXPECT_STREQ(name, "ptx-jit CPU (sm_80)");
  EXPECT_EQ(nvmlSystemGetCudaDriverVersion_v2(&version), NVML_SUCCESS);
  EXPECT_EQ(version / 1000, 13);
  EXPECT_EQ(nvmlSystemGetDriverVersion(driver, sizeof(driver)), NVML_SUCCESS);
  EXPECT_EQ(nvmlDeviceGetMemoryInfo(device, &memory), NVML_SUCCESS);
  EXPECT_GT(memory.total, 1ull << 20);
  EXPECT_EQ(memory.free + memory.used, memory.total);
  EXPECT_EQ(nvmlDeviceGetMemoryInfo_v2(device, &second),
            NVML_ERROR_ARGUMENT_VERSION_MISMATCH);
  second.version = NVML_MEMORY_V2;
  EXPECT_EQ(nvmlDeviceGetMemoryInfo_v2(device, &second), NVML_SUCCESS);
  EXPECT_EQ(second.total, memory.total);
}

TEST_F(Nvml, WrongArgumentsAreErrors) {
  unsigned count;
  EXPECT_EQ(nvmlDeviceGetCount_v2(nullptr), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(nvmlDeviceGetIndex(nullptr, &count), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(nvmlDeviceGetIndex(reinterpret_cast<nvmlDevice_t>(77), &count),
            NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(nvmlDeviceGetName(device, nullptr, 9), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(nvmlDeviceGetMemoryInfo_v2(device, nullptr),
            NVML_ERROR_INVALID_ARGUMENT);
}

TEST_F(Nvml, WhatHasNoMeaningIsNotSupported) {
  void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_NOLOAD);
  ASSERT_NE(library, nullptr) << dlerror();
  auto get = reinterpret_cast<int (*)(nvmlDevice_t, int, unsigned *)>(
      dlsym(library, "nvmlDeviceGetTemperature"));
  ASSERT_NE(get, nullptr);
  unsigned celsius;
  EXPECT_EQ(get(device, 0, &celsius), NVML_ERROR_NOT_SUPPORTED);
  dlclose(library);
}
