//===- PeerTest.cpp - memory of other devices -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../FourDevices.h"
#include "ptxjit/CudaDriver/CudaABI.h"

#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

namespace {
class Peers : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
    ASSERT_EQ(cuCtxCreate_v2(&one, 0, 0), CUDA_SUCCESS);
    ASSERT_EQ(cuMemAlloc_v2(&here, 4096), CUDA_SUCCESS);
    ASSERT_EQ(cuMemsetD32_v2(here, 1, 1024), CUDA_SUCCESS);
    ASSERT_EQ(cuCtxCreate_v2(&two, 0, 1), CUDA_SUCCESS);
    ASSERT_EQ(cuMemAlloc_v2(&there, 4096), CUDA_SUCCESS);
    ASSERT_EQ(cuMemsetD32_v2(there, 2, 1024), CUDA_SUCCESS);
  }
  void TearDown() override {
    EXPECT_EQ(cuMemFree_v2(here), CUDA_SUCCESS);
    EXPECT_EQ(cuMemFree_v2(there), CUDA_SUCCESS);
    EXPECT_EQ(cuCtxDestroy_v2(two), CUDA_SUCCESS);
    EXPECT_EQ(cuCtxDestroy_v2(one), CUDA_SUCCESS);
    cuCtxSetCurrent(nullptr);
  }
  CUcontext one = nullptr, two = nullptr;
  CUdeviceptr here = 0, there = 0;
};
} // namespace

TEST_F(Peers, AccessIsEnabledOnce) {
  int can = -1;
  EXPECT_EQ(cuDeviceCanAccessPeer(&can, 0, 3), CUDA_SUCCESS);
  EXPECT_EQ(can, 1);
  EXPECT_EQ(cuDeviceCanAccessPeer(&can, 3, 3), CUDA_SUCCESS);
  EXPECT_EQ(can, 0);
  EXPECT_EQ(cuDeviceCanAccessPeer(&can, 0, 4), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(cuDeviceCanAccessPeer(nullptr, 0, 1), CUDA_ERROR_INVALID_VALUE);

  EXPECT_EQ(cuCtxDisablePeerAccess(one), CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
  EXPECT_EQ(cuCtxEnablePeerAccess(one, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuCtxEnablePeerAccess(two, 0), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuCtxEnablePeerAccess(nullptr, 0), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuCtxEnablePeerAccess(one, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxEnablePeerAccess(one, 0),
            CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
  // Access in one direction says nothing about the other.
  ASSERT_EQ(cuCtxSetCurrent(one), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxDisablePeerAccess(two), CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
  ASSERT_EQ(cuCtxSetCurrent(two), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxDisablePeerAccess(one), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxDisablePeerAccess(one), CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);

  CUcontext same;
  ASSERT_EQ(cuCtxCreate_v2(&same, 0, 1), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxEnablePeerAccess(two, 0), CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
  EXPECT_EQ(cuCtxDestroy_v2(same), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxEnablePeerAccess(same, 0), CUDA_ERROR_INVALID_CONTEXT);
}

TEST_F(Peers, CopiesWaitForBothDevices) {
  // The other device sets its memory when it is told.
  CUdeviceptr flag;
  ASSERT_EQ(cuMemAlloc_v2(&flag, 4), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamWaitValue32_v2(nullptr, flag, 1, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuMemsetD32Async(there, 9, 1024, nullptr), CUDA_SUCCESS);
  std::thread host([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    *reinterpret_cast<std::atomic<unsigned> *>(flag) = 1;
  });
  ASSERT_EQ(cuCtxSetCurrent(one), CUDA_SUCCESS);
  EXPECT_EQ(cuMemcpyPeerAsync(here, one, there, two, 4096, nullptr),
            CUDA_SUCCESS);
  // What is issued to the other device now comes behind the copy.
  ASSERT_EQ(cuCtxSetCurrent(two), CUDA_SUCCESS);
  EXPECT_EQ(cuMemsetD32_v2(there, 4, 1024), CUDA_SUCCESS);
  unsigned value = 0;
  EXPECT_EQ(cuMemcpyDtoH_v2(&value, here + 4092, 4), CUDA_SUCCESS);
  EXPECT_EQ(value, 9u);
  host.join();
  EXPECT_EQ(cuMemFree_v2(flag), CUDA_SUCCESS);
}

TEST_F(Peers, Links) {
  int value = -1;
  EXPECT_EQ(cuDeviceGetP2PAttribute(
                &value, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 0, 1),
            CUDA_SUCCESS);
  EXPECT_EQ(value, 1);
  EXPECT_EQ(cuDeviceGetP2PAttribute(
                &value, CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK, 3, 1),
            CUDA_SUCCESS);
  EXPECT_EQ(value, 0);
  EXPECT_EQ(cuDeviceGetP2PAttribute(&value, 0, 0, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDeviceGetP2PAttribute(&value, 6, 0, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDeviceGetP2PAttribute(nullptr, 1, 0, 1),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDeviceGetP2PAttribute(&value, 1, 1, 1),
            CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(cuDeviceGetP2PAttribute(&value, 1, 1, -1),
            CUDA_ERROR_INVALID_DEVICE);
  unsigned bits[2] = {};
  int operations[2] = {CU_ATOMIC_OPERATION_INTEGER_ADD,
                       CU_ATOMIC_OPERATION_CAS};
  EXPECT_EQ(cuDeviceGetP2PAtomicCapabilities(bits, operations, 2, 0, 1),
            CUDA_SUCCESS);
  EXPECT_TRUE(bits[0] & CU_ATOMIC_CAPABILITY_REDUCTION);
  int major = 0; // atoms of 128 bits came with Hopper
  EXPECT_EQ(cuDeviceGetAttribute(
                &major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0),
            CUDA_SUCCESS);
  EXPECT_EQ((bits[1] & CU_ATOMIC_CAPABILITY_SCALAR_128) != 0, major >= 9);
  operations[1] = 13;
  EXPECT_EQ(cuDeviceGetP2PAtomicCapabilities(bits, operations, 2, 0, 1),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDeviceGetP2PAtomicCapabilities(bits, operations, 0, 0, 1),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDeviceGetP2PAtomicCapabilities(bits, operations, 1, 0, 0),
            CUDA_ERROR_INVALID_DEVICE);
}

TEST_F(Peers, Copies) {
  std::vector<unsigned> host(1024);
  auto expect = [&](CUdeviceptr from, unsigned value) {
    EXPECT_EQ(cuMemcpyDtoH_v2(host.data(), from, 4096), CUDA_SUCCESS);
    EXPECT_EQ(host, std::vector<unsigned>(1024, value));
  };
  EXPECT_EQ(cuMemcpyPeer(here, one, there, two, 4096), CUDA_SUCCESS);
  expect(here, 2);
  EXPECT_EQ(cuMemcpyPeer(here, nullptr, there, two, 4096),
            CUDA_ERROR_INVALID_CONTEXT);
  CUstream stream;
  ASSERT_EQ(cuCtxSetCurrent(one), CUDA_SUCCESS);
  EXPECT_EQ(cuMemsetD32_v2(here, 5, 1024), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamCreate(&stream, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuMemcpyPeerAsync(there, two, here, one, 4096, stream),
            CUDA_SUCCESS);
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
  expect(there, 5);
  CUDA_MEMCPY3D_PEER box{};
  box.srcMemoryType = box.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  box.srcDevice = there;
  box.srcContext = two;
  box.dstDevice = here;
  box.dstContext = one;
  box.WidthInBytes = 16;
  box.Height = 4;
  box.Depth = 2;
  box.srcPitch = box.dstPitch = 64;
  box.srcHeight = box.dstHeight = 8;
  EXPECT_EQ(cuMemsetD32_v2(here, 0, 1024), CUDA_SUCCESS);
  EXPECT_EQ(cuMemcpy3DPeerAsync(&box, stream), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
  EXPECT_EQ(cuMemcpyDtoH_v2(host.data(), here, 4096), CUDA_SUCCESS);
  EXPECT_EQ(host[3], 5u);
  EXPECT_EQ(host[4], 0u);
  EXPECT_EQ(host[128], 5u); // the second slice
  EXPECT_EQ(cuStreamDestroy_v2(stream), CUDA_SUCCESS);
}
