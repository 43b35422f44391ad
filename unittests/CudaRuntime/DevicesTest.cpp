//===- DevicesTest.cpp - several devices, by the runtime ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../CudaDriver/FatBinaryWriter.h"
#include "../FourDevices.h"
#include "ptxjit/CudaRuntime/CudaRuntimeABI.h"

#include <gtest/gtest.h>
#include <thread>
#include <vector>

// CUDA's headers declare these functions; we may not ship them.
extern "C" {
void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **, const char *, char *, const char *, int,
                            void *, void *, void *, void *, int *);
void __cudaRegisterVar(void **, char *, char *, const char *, int, size_t, int,
                       int);
cudaError_t cudaLaunchKernel(const void *, dim3, dim3, void **, size_t,
                             CUstream);
cudaError_t cudaMalloc(void **, size_t);
cudaError_t cudaFree(void *);
cudaError_t cudaMemset(void *, int, size_t);
cudaError_t cudaMemcpy(void *, const void *, size_t, int);
cudaError_t cudaMemcpyPeer(void *, int, const void *, int, size_t);
cudaError_t cudaMemcpyFromSymbol(void *, const void *, size_t, size_t, int);
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *, const void *);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *, int);
cudaError_t cudaGetDeviceCount(int *);
cudaError_t cudaGetDevice(int *);
cudaError_t cudaSetDevice(int);
cudaError_t cudaSetValidDevices(int *, int);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaDeviceReset();
cudaError_t cudaGetLastError();
cudaError_t cudaDeviceCanAccessPeer(int *, int, int);
cudaError_t cudaDeviceEnablePeerAccess(int, unsigned);
cudaError_t cudaDeviceDisablePeerAccess(int);
cudaError_t cudaDeviceGetP2PAttribute(int *, int, int, int);
cudaError_t cudaStreamCreate(CUstream *);
cudaError_t cudaStreamSynchronize(CUstream);
cudaError_t cudaStreamDestroy(CUstream);
cudaError_t cudaIpcGetMemHandle(CUipcMemHandle *, void *);
cudaError_t cudaIpcOpenMemHandle(void **, CUipcMemHandle, unsigned);
cudaError_t cudaIpcCloseMemHandle(void *);
cudaError_t cudaIpcGetEventHandle(CUipcEventHandle *, CUevent);
}

namespace {
const char *const kText = R"(.version 8.0
.target sm_75
.address_size 64
.visible .global .align 4 .u32 counter = 5;
.visible .entry count() { red.global.add.u32 [counter], 1; ret; }
.visible .entry crash() { trap; }
)";

// Their addresses stand for kernels and a variable of the device.
void hostCount() {}
void hostCrash() {}
char hostCounter;

class RuntimeDevices : public ::testing::Test {
protected:
  void SetUp() override {
    fat.add(1, 75, kText, Zstd);
    wrapper.data = fat.get();
    handle = __cudaRegisterFatBinary(&wrapper);
    auto name = [](void (*f)()) { return reinterpret_cast<const char *>(f); };
    __cudaRegisterFunction(handle, name(hostCount), nullptr, "count", -1,
                           nullptr, nullptr, nullptr, nullptr, nullptr);
    __cudaRegisterFunction(handle, name(hostCrash), nullptr, "crash", -1,
                           nullptr, nullptr, nullptr, nullptr, nullptr);
    __cudaRegisterVar(handle, &hostCounter, nullptr, "counter", 0, 4, 0, 0);
    __cudaRegisterFatBinaryEnd(handle);
  }
  void TearDown() override {
    EXPECT_EQ(cudaSetDevice(0), 0);
    __cudaUnregisterFatBinary(handle);
  }
  static cudaError_t launch(void (*kernel)(), CUstream stream = nullptr) {
    return cudaLaunchKernel(reinterpret_cast<const void *>(kernel), {1, 1, 1},
                            {1, 1, 1}, nullptr, 0, stream);
  }
  static unsigned counter() {
    unsigned value = 0;
    EXPECT_EQ(cudaMemcpyFromSymbol(&value, &hostCounter, 4, 0,
                                   cudaMemcpyDeviceToHost),
              0);
    return value;
  }
  static int current() {
    int device = -1;
    EXPECT_EQ(cudaGetDevice(&device), 0);
    return device;
  }
  FatBinary fat;
  struct {
    uint32_t magic = 0x466243b1, version = 1;
    const void *data = nullptr;
    void *files = nullptr;
  } wrapper;
  void **handle = nullptr;
};
} // namespace

TEST_F(RuntimeDevices, EachThreadHasOne) {
  int count = 0;
  EXPECT_EQ(cudaGetDeviceCount(&count), 0);
  EXPECT_EQ(count, 4);
  EXPECT_EQ(current(), 0);
  EXPECT_EQ(cudaSetDevice(2), 0);
  EXPECT_EQ(current(), 2);
  std::thread([] {
    EXPECT_EQ(current(), 0);
    EXPECT_EQ(cudaSetDevice(3), 0);
    EXPECT_EQ(current(), 3);
  }).join();
  EXPECT_EQ(current(), 2);
  for (int wrong : {-1, 4})
    EXPECT_EQ(cudaSetDevice(wrong), 101);
  EXPECT_EQ(current(), 2);
  int valid[] = {1, 3};
  EXPECT_EQ(cudaSetValidDevices(valid, 2), 0);
  std::thread([] { EXPECT_EQ(current(), 1); }).join();
  EXPECT_EQ(cudaSetValidDevices(valid, 0), 0);
  std::thread([] { EXPECT_EQ(current(), 0); }).join();
  cudaDeviceProp properties;
  EXPECT_EQ(cudaGetDeviceProperties(&properties, 3), 0);
  EXPECT_EQ(properties.pciBusID, 3);
  EXPECT_EQ(cudaGetDeviceProperties(&properties, 4), 101);
}

TEST_F(RuntimeDevices, VariablesAndMemoryBelongToOne) {
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(cudaSetDevice(i), 0);
    for (int n = 0; n <= i; ++n)
      EXPECT_EQ(launch(hostCount), 0);
    void *data;
    cudaPointerAttributes attributes;
    ASSERT_EQ(cudaMalloc(&data, 64), 0);
    EXPECT_EQ(cudaPointerGetAttributes(&attributes, data), 0);
    EXPECT_EQ(attributes.device, i);
    EXPECT_EQ(cudaFree(data), 0);
  }
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(cudaSetDevice(i), 0);
    EXPECT_EQ(counter(), 6u + unsigned(i));
  }
}

TEST_F(RuntimeDevices, AResetIsOfOne) {
  void *data;
  EXPECT_EQ(cudaSetDevice(1), 0);
  ASSERT_EQ(cudaMalloc(&data, 64), 0);
  EXPECT_EQ(launch(hostCount), 0);
  EXPECT_EQ(cudaSetDevice(3), 0);
  EXPECT_EQ(launch(hostCrash), 0);
  EXPECT_NE(cudaDeviceSynchronize(), 0);
  EXPECT_NE(cudaMalloc(&data, 64), 0);
  EXPECT_EQ(current(), 3);
  EXPECT_EQ(cudaDeviceReset(), 0);
  EXPECT_EQ(current(), 3);
  EXPECT_EQ(cudaGetLastError(), 0);
  EXPECT_EQ(counter(), 5u); // fresh
  EXPECT_EQ(cudaSetDevice(1), 0);
  EXPECT_EQ(counter(), 6u);
}

TEST_F(RuntimeDevices, Peers) {
  int value = -1;
  void *one, *two;
  EXPECT_EQ(cudaDeviceCanAccessPeer(&value, 0, 1), 0);
  EXPECT_EQ(value, 1);
  EXPECT_EQ(cudaDeviceEnablePeerAccess(0, 0), 101); // no peer of its own
  EXPECT_EQ(cudaDeviceEnablePeerAccess(4, 0), 101);
  EXPECT_EQ(cudaDeviceDisablePeerAccess(1), 705);
  EXPECT_EQ(cudaDeviceEnablePeerAccess(1, 0), 0);
  EXPECT_EQ(cudaDeviceEnablePeerAccess(1, 0), 704);
  EXPECT_EQ(cudaDeviceDisablePeerAccess(1), 0);
  EXPECT_EQ(cudaDeviceGetP2PAttribute(&value, 3, 0, 1), 0);
  EXPECT_EQ(value, 1);
  ASSERT_EQ(cudaMalloc(&one, 64), 0);
  ASSERT_EQ(cudaMemset(one, 3, 64), 0);
  EXPECT_EQ(cudaSetDevice(1), 0);
  ASSERT_EQ(cudaMalloc(&two, 64), 0);
  EXPECT_EQ(cudaMemcpyPeer(two, 1, one, 0, 64), 0);
  EXPECT_EQ(cudaMemcpyPeer(two, 1, one, 4, 64), 101);
  EXPECT_EQ(cudaMemcpy(&value, two, 4, cudaMemcpyDeviceToHost), 0);
  EXPECT_EQ(value, 0x03030303);
  EXPECT_EQ(cudaFree(one), 0);
  EXPECT_EQ(cudaFree(two), 0);
  cudaGetLastError();
}

TEST_F(RuntimeDevices, IpcErrors) {
  void *data, *opened;
  CUipcMemHandle memory;
  CUipcEventHandle event;
  ASSERT_EQ(cudaMalloc(&data, 64), 0);
  EXPECT_EQ(cudaIpcGetMemHandle(&memory, data), 0);
  EXPECT_EQ(cudaIpcOpenMemHandle(&opened, memory, 1), 201);
  EXPECT_EQ(cudaIpcCloseMemHandle(data), 1);
  EXPECT_EQ(cudaIpcGetEventHandle(&event, nullptr), 400);
  EXPECT_EQ(cudaFree(data), 0);
  cudaGetLastError();
}
