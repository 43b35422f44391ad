//===- MulticastTest.cpp - memory of several devices at one address -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../FourDevices.h"
#include "ptxjit/CudaDriver/CudaABI.h"

#include <atomic>
#include <gtest/gtest.h>
#include <string>
#include <thread>
#include <vector>

namespace {
constexpr size_t kBytes = size_t(2) << 20;
const std::string kLoad = "multimem.ld_reduce.weak.global.add.u32 %r2, [%rd1];"
                          "st.global.u32 [%rd2], %r2;";
const std::string kStore = "multimem.st.weak.global.u32 [%rd1], 8;";

/// A multicast object of four devices, mapped, with memory of each.
class Multicast : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
    ASSERT_EQ(cuCtxCreate_v2(&context, 0, 0), CUDA_SUCCESS);
    CUmulticastObjectProp prop{4, 2 * kBytes, 0, 0};
    ASSERT_EQ(cuMulticastCreate(&object, &prop), CUDA_SUCCESS);
    ASSERT_EQ(cuMemAddressReserve(&multi, 2 * kBytes, 0, 0, 0), CUDA_SUCCESS);
    for (int i = 0; i < 4; ++i) {
      ASSERT_EQ(cuMulticastAddDevice(object, i), CUDA_SUCCESS);
      makeMemory(i, handles[i], memory[i]);
    }
  }
  void TearDown() override {
    if (isMapped)
      EXPECT_EQ(cuMemUnmap(multi, 2 * kBytes), CUDA_SUCCESS);
    if (object)
      EXPECT_EQ(cuMemRelease(object), CUDA_SUCCESS);
    EXPECT_EQ(cuMemAddressFree(multi, 2 * kBytes), CUDA_SUCCESS);
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(cuMemUnmap(memory[i], kBytes), CUDA_SUCCESS);
      EXPECT_EQ(cuMemRelease(handles[i]), CUDA_SUCCESS);
      EXPECT_EQ(cuMemAddressFree(memory[i], kBytes), CUDA_SUCCESS);
    }
    EXPECT_EQ(cuCtxDestroy_v2(context), CUDA_SUCCESS);
    cuCtxSetCurrent(nullptr);
  }
  static void makeMemory(int device, CUmemGenericAllocationHandle &handle,
                         CUdeviceptr &pointer) {
    CUmemAllocationProp prop{};
    prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    prop.location = {CU_MEM_LOCATION_TYPE_DEVICE, device};
    CUmemAccessDesc access{prop.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    ASSERT_EQ(cuMemCreate(&handle, kBytes, &prop, 0), CUDA_SUCCESS);
    ASSERT_EQ(cuMemAddressReserve(&pointer, kBytes, 0, 0, 0), CUDA_SUCCESS);
    ASSERT_EQ(cuMemMap(pointer, kBytes, 0, handle, 0), CUDA_SUCCESS);
    ASSERT_EQ(cuMemSetAccess(pointer, kBytes, &access, 1), CUDA_SUCCESS);
  }
  void map() {
    ASSERT_EQ(cuMemMap(multi, 2 * kBytes, 0, object, 0), CUDA_SUCCESS);
    isMapped = true;
    allow(CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  }
  void allow(int flags) {
    CUmemAccessDesc access{{CU_MEM_LOCATION_TYPE_DEVICE, 0}, flags};
    ASSERT_EQ(cuMemSetAccess(multi, 2 * kBytes, &access, 1), CUDA_SUCCESS);
  }
  void bindAll() {
    for (int i = 0; i < 4; ++i)
      ASSERT_EQ(cuMulticastBindMem(object, 0, handles[i], 0, kBytes, 0),
                CUDA_SUCCESS);
  }
  /// Runs `body` for 60 of 64 threads. %rd1 is the multicast address of the
  /// thread's 16 bytes, %rd2 that of 16 bytes for results.
  void run(const std::string &body, CUresult expected = CUDA_SUCCESS,
           CUdeviceptr at = 0) {
    launch(body, at);
    EXPECT_EQ(cuCtxSynchronize(), expected);
    if (expected == CUDA_SUCCESS)
      return;
    EXPECT_EQ(cuCtxDestroy_v2(context), CUDA_SUCCESS); // it is lost
    ASSERT_EQ(cuCtxCreate_v2(&context, 0, 0), CUDA_SUCCESS);
  }
  void launch(const std::string &body, CUdeviceptr at = 0) {
    std::string text = ".version 8.6\n.target sm_100a\n.address_size 64\n"
                       ".visible .entry k(.param .u64 m, .param .u64 o)\n"
                       "{ .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .f32 %f<9>;\n"
                       ".reg .b64 %rd<9>; .reg .pred %p;\n"
                       "ld.param.u64 %rd1, [m]; ld.param.u64 %rd2, [o];\n"
                       "mov.u32 %r1, %tid.x; setp.ge.u32 %p, %r1, 60;\n"
                       "@%p ret;\n"
                       "mad.wide.u32 %rd1, %r1, 16, %rd1;\n"
                       "mad.wide.u32 %rd2, %r1, 16, %rd2;\n" +
                       body + "\nret; }\n";
    CUmodule module;
    CUfunction function;
    CUdeviceptr m = at ? at : multi, o = memory[0] + kBytes / 2;
    void *params[] = {&m, &o};
    ASSERT_EQ(cuModuleLoadData(&module, text.c_str()), CUDA_SUCCESS) << text;
    ASSERT_EQ(cuModuleGetFunction(&function, module, "k"), CUDA_SUCCESS);
    ASSERT_EQ(cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, nullptr, params,
                             nullptr),
              CUDA_SUCCESS);
  }
  /// Fills the first words of a device's memory.
  void fill(int device, unsigned value) {
    EXPECT_EQ(cuMemsetD32_v2(memory[device], value, 256), CUDA_SUCCESS);
  }
  std::vector<unsigned> read(CUdeviceptr from) {
    std::vector<unsigned> words(4 * 60);
    EXPECT_EQ(cuMemcpyDtoH_v2(words.data(), from, 4 * words.size()),
              CUDA_SUCCESS);
    return words;
  }
  unsigned result(unsigned word = 0) {
    std::vector<unsigned> words = read(memory[0] + kBytes / 2);
    for (unsigned i = 0; i < 60; ++i)
      EXPECT_EQ(words[4 * i + word], words[word]) << i;
    return words[word];
  }
  CUcontext context = nullptr;
  CUmemGenericAllocationHandle object = 0, handles[4] = {};
  CUdeviceptr multi = 0, memory[4] = {};
  bool isMapped = false;
};
} // namespace

TEST_F(Multicast, LoadsCombineAllDevices) {
  map(); // what is bound later is seen, too
  bindAll();
  for (int i = 0; i < 4; ++i)
    fill(i, unsigned(i) + 1);
  run("multimem.ld_reduce.relaxed.sys.global.add.u32 %r2, [%rd1];"
      "st.global.u32 [%rd2], %r2;"
      "multimem.ld_reduce.weak.global.min.u32 %r2, [%rd1+4];"
      "st.global.u32 [%rd2+4], %r2;"
      "multimem.ld_reduce.weak.global.xor.b32 %r2, [%rd1+8];"
      "st.global.u32 [%rd2+8], %r2;"
      "multimem.ld_reduce.weak.global.max.s32 %r2, [%rd1+12];"
      "st.global.u32 [%rd2+12], %r2;");
  EXPECT_EQ(result(0), 10u);
  EXPECT_EQ(result(1), 1u);
  EXPECT_EQ(result(2), 4u);
  EXPECT_EQ(result(3), 4u);
  for (int i = 0; i < 4; ++i)
    fill(i, 0x3f800000); // 1
  run("multimem.ld_reduce.weak.global.add.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];"
      "st.global.v4.f32 [%rd2], {%f1, %f2, %f3, %f4};");
  EXPECT_EQ(result(0), 0x40800000u);
  EXPECT_EQ(result(3), 0x40800000u);
}

TEST_F(Multicast, SumsAreRoundedAsAsked) {
  map();
  bindAll();
  fill(0, 0x68006800); // 2048
  for (int i : {1, 2, 3})
    fill(i, 0x3c003c00); // 1
  run("multimem.ld_reduce.weak.global.add.f16x2 %r2, [%rd1];"
      "st.global.u32 [%rd2], %r2;"
      "multimem.ld_reduce.weak.global.add.acc::f32.f16x2 %r2, [%rd1];"
      "st.global.u32 [%rd2+4], %r2;");
  EXPECT_EQ(result(0), 0x68006800u); // each 1 is lost
  EXPECT_EQ(result(1), 0x68026802u); // 2051 is 2052
  fill(0, 0x38b83e7e);
  for (int i : {1, 2, 3})
    fill(i, 0x38b80000); // 1, -1, 0, 0 of e4m3
  run("multimem.ld_reduce.weak.global.add.e4m3x4 %r2, [%rd1];"
      "st.global.u32 [%rd2], %r2;");
  EXPECT_EQ(result(0), 0x48c83e7eu); // 4, -4
  for (int i = 0; i < 4; ++i)
    fill(i, 0x7e7e7e7e);
  run("multimem.ld_reduce.weak.global.add.acc::f16.e4m3x4 %r2, [%rd1];"
      "st.global.u32 [%rd2], %r2;");
  EXPECT_EQ(result(0), 0x7e7e7e7eu); // the largest number
}

TEST_F(Multicast, StoresAndUpdatesReachAllDevices) {
  map();
  bindAll();
  for (int i = 0; i < 4; ++i)
    fill(i, unsigned(i));
  run("multimem.st.relaxed.sys.global.u32 [%rd1], 77;"
      "multimem.red.relaxed.sys.global.add.u32 [%rd1+4], 100;"
      "mov.b32 %f1, 0f40000000;"
      "multimem.st.weak.global.v2.f32 [%rd1+8], {%f1, %f1};");
  for (int i = 0; i < 4; ++i) {
    std::vector<unsigned> words = read(memory[i]);
    for (unsigned lane = 0; lane < 60; ++lane) {
      EXPECT_EQ(words[4 * lane], 77u);
      EXPECT_EQ(words[4 * lane + 1], 100u + unsigned(i));
      EXPECT_EQ(words[4 * lane + 3], 0x40000000u);
    }
    unsigned behind; // no thread has got so far
    EXPECT_EQ(cuMemcpyDtoH_v2(&behind, memory[i] + 960, 4), CUDA_SUCCESS);
    EXPECT_EQ(behind, unsigned(i));
  }
}

TEST_F(Multicast, BoundPiecesAndOffsets) {
  // Two devices have memory at the object's second half, bound by address.
  for (int i : {1, 2}) {
    ASSERT_EQ(cuMulticastBindAddr(object, kBytes, memory[i], kBytes, 0),
              CUDA_SUCCESS);
    fill(i, 5);
  }
  map();
  run(kLoad, CUDA_SUCCESS, multi + kBytes);
  EXPECT_EQ(result(), 10u);
  EXPECT_EQ(cuMulticastUnbind(object, 2, kBytes, kBytes), CUDA_SUCCESS);
  EXPECT_EQ(cuMulticastUnbind(object, 2, kBytes, kBytes),
            CUDA_ERROR_INVALID_VALUE);
  run(kLoad, CUDA_SUCCESS, multi + kBytes);
  EXPECT_EQ(result(), 5u);
  // Any other address is that of one memory.
  run(kLoad, CUDA_SUCCESS, memory[2]);
  EXPECT_EQ(result(), 5u);
  // Nothing is bound at the first half.
  run(kLoad, CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST_F(Multicast, AccessRights) {
  ASSERT_EQ(cuMemMap(multi, 2 * kBytes, 0, object, 0), CUDA_SUCCESS);
  isMapped = true;
  bindAll();
  for (int i = 0; i < 4; ++i)
    fill(i, 3);
  run(kLoad, CUDA_ERROR_ILLEGAL_ADDRESS); // nothing is allowed yet
  allow(CU_MEM_ACCESS_FLAGS_PROT_READ);
  run(kLoad);
  EXPECT_EQ(result(), 12u);
  run(kStore, CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(read(memory[3])[0], 3u);
  allow(CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  run(kStore);
  EXPECT_EQ(read(memory[3])[0], 8u);
  run("st.global.u32 [%rd1], 1;", CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST_F(Multicast, KeepsMemoryThatIsBound) {
  // Neither its handle nor its address is needed any more.
  size_t before, bound, after, total;
  ASSERT_EQ(cuMemGetInfo_v2(&before, &total), CUDA_SUCCESS);
  CUmemGenericAllocationHandle other;
  CUdeviceptr pointer;
  makeMemory(0, other, pointer);
  map();
  ASSERT_EQ(cuMulticastBindMem(object, kBytes, other, 0, kBytes, 0),
            CUDA_SUCCESS);
  EXPECT_EQ(cuMemsetD32_v2(pointer, 6, 256), CUDA_SUCCESS);
  EXPECT_EQ(cuMemUnmap(pointer, kBytes), CUDA_SUCCESS);
  EXPECT_EQ(cuMemRelease(other), CUDA_SUCCESS);
  EXPECT_EQ(cuMemAddressFree(pointer, kBytes), CUDA_SUCCESS);
  ASSERT_EQ(cuMemGetInfo_v2(&bound, &total), CUDA_SUCCESS);
  EXPECT_EQ(bound, before - kBytes);
  run(kLoad, CUDA_SUCCESS, multi + kBytes);
  EXPECT_EQ(result(), 6u);
  // Mappings keep the object.
  EXPECT_EQ(cuMemRelease(object), CUDA_SUCCESS);
  EXPECT_EQ(cuMulticastAddDevice(object, 0), CUDA_ERROR_INVALID_VALUE);
  object = 0;
  run(kLoad, CUDA_SUCCESS, multi + kBytes);
  EXPECT_EQ(result(), 6u);
  EXPECT_EQ(cuMemUnmap(multi, 2 * kBytes), CUDA_SUCCESS);
  isMapped = false;
  ASSERT_EQ(cuMemGetInfo_v2(&after, &total), CUDA_SUCCESS);
  EXPECT_EQ(after, before);
  run(kLoad, CUDA_ERROR_ILLEGAL_ADDRESS, multi + kBytes);
}

TEST_F(Multicast, UnbindingWaitsForKernels) {
  map();
  bindAll();
  fill(0, 0);
  // 60 threads add up to 2000 times.
  const std::string loop = "mov.u32 %r3, 0;\n"
                           "again: multimem.red.global.add.u32 [%rd1], 1;\n"
                           "add.u32 %r3, %r3, 1;\n"
                           "setp.lt.u32 %p, %r3, 2000;\n@%p bra again;";
  launch(loop);
  EXPECT_EQ(cuMulticastUnbind(object, 0, 0, kBytes), CUDA_SUCCESS);
  EXPECT_EQ(read(memory[0])[0], 2000u);
  launch(loop);
  EXPECT_EQ(cuMemUnmap(multi, 2 * kBytes), CUDA_SUCCESS);
  isMapped = false;
  EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
  EXPECT_EQ(read(memory[0])[0], 2000u);
}

TEST_F(Multicast, BindingBesideRunningKernels) {
  map();
  ASSERT_EQ(cuMulticastBindMem(object, 0, handles[1], 0, kBytes, 0),
            CUDA_SUCCESS);
  fill(1, 0);
  std::atomic<bool> isDone{false};
  std::thread binder([&] {
    while (!isDone) {
      EXPECT_EQ(cuMulticastBindMem(object, kBytes, handles[2], 0, kBytes, 0),
                CUDA_SUCCESS);
      EXPECT_EQ(cuMulticastUnbind(object, 2, kBytes, kBytes), CUDA_SUCCESS);
    }
  });
  for (int i = 0; i < 20; ++i)
    run("multimem.red.global.add.u32 [%rd1], 1;" + kLoad);
  isDone = true;
  binder.join();
  EXPECT_EQ(result(), 20u);
}

TEST_F(Multicast, WrongCalls) {
  CUmulticastObjectProp prop{5, kBytes, 0, 0};
  CUmemGenericAllocationHandle other;
  size_t granularity = 0;
  EXPECT_EQ(cuMulticastCreate(&other, &prop), CUDA_ERROR_INVALID_DEVICE);
  prop.numDevices = 2;
  EXPECT_EQ(cuMulticastGetGranularity(&granularity, &prop, 0), CUDA_SUCCESS);
  EXPECT_EQ(granularity, kBytes);
  EXPECT_EQ(cuMulticastGetGranularity(&granularity, &prop, 2),
            CUDA_ERROR_INVALID_VALUE);
  prop.size = 4096;
  EXPECT_EQ(cuMulticastCreate(&other, &prop), CUDA_ERROR_INVALID_VALUE);
  prop.size = kBytes;
  prop.handleTypes = 1;
  EXPECT_EQ(cuMulticastCreate(&other, &prop), CUDA_ERROR_NOT_SUPPORTED);
  prop.handleTypes = 0;
  ASSERT_EQ(cuMulticastCreate(&other, &prop), CUDA_SUCCESS);
  EXPECT_EQ(cuMulticastAddDevice(other, 4), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(cuMulticastAddDevice(handles[0], 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMulticastAddDevice(other, 1), CUDA_SUCCESS);
  EXPECT_EQ(cuMulticastAddDevice(other, 1), CUDA_ERROR_INVALID_VALUE);
  // Not all devices are there.
  EXPECT_EQ(cuMulticastBindMem(other, 0, handles[1], 0, kBytes, 0),
            CUDA_ERROR_NOT_READY);
  EXPECT_EQ(cuMemMap(multi, kBytes, 0, other, 0), CUDA_ERROR_NOT_READY);
  EXPECT_EQ(cuMulticastAddDevice(other, 2), CUDA_SUCCESS);
  EXPECT_EQ(cuMulticastAddDevice(other, 3), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMulticastBindMem(other, 0, handles[0], 0, kBytes, 0),
            CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(cuMulticastBindMem(other, 0, other, 0, kBytes, 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMulticastBindMem(other, kBytes, handles[1], 0, kBytes, 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMulticastBindMem(other, 0, handles[1], kBytes, kBytes, 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMulticastBindMem(other, 0, handles[1], 0, kBytes, 1),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMulticastBindMem(other, 0, handles[1], 0, kBytes, 0),
            CUDA_SUCCESS);
  EXPECT_EQ(cuMulticastBindMem(other, 0, handles[1], 0, kBytes, 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMulticastBindAddr(other, 0, multi, kBytes, 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMulticastBindAddr(other, 0, memory[1] + 4096, kBytes, 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMulticastBindMem(other, SIZE_MAX - kBytes + 1, handles[1], 0,
                               kBytes, 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMulticastBindMem(other, 0, handles[1], SIZE_MAX - kBytes + 1,
                               kBytes, 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMulticastBindMem(other, 0, handles[1], 0, 0, 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMulticastUnbind(other, 0, 0, kBytes), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(cuMulticastUnbind(other, 1, 0, 2 * kBytes),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMulticastUnbind(handles[1], 1, 0, kBytes),
            CUDA_ERROR_INVALID_VALUE);
  // It has no properties of memory, and goes to no other process.
  CUmemAllocationProp memoryProp;
  int file;
  EXPECT_EQ(cuMemGetAllocationPropertiesFromHandle(&memoryProp, other),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemExportToShareableHandle(
                &file, other, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemRelease(other), CUDA_SUCCESS);
  EXPECT_EQ(cuMulticastBindMem(other, 0, handles[1], 0, kBytes, 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMulticastUnbind(other, 1, 0, kBytes), CUDA_ERROR_INVALID_VALUE);
  // Copies cannot use multicast addresses.
  map();
  unsigned word;
  EXPECT_EQ(cuMemcpyDtoH_v2(&word, multi, 4), CUDA_ERROR_INVALID_VALUE);
  int isSupported = 0;
  EXPECT_EQ(cuDeviceGetAttribute(&isSupported,
                                 CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED, 3),
            CUDA_SUCCESS);
  EXPECT_EQ(isSupported, 1);
}

TEST_F(Multicast, MemoryThatCannotBeBound) {
  CUmemGenericAllocationHandle host;
  CUmemAllocationProp prop{};
  prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  prop.location = {CU_MEM_LOCATION_TYPE_HOST, 0};
  ASSERT_EQ(cuMemCreate(&host, kBytes, &prop, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuMulticastBindMem(object, 0, host, 0, kBytes, 0),
            CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(cuMemRelease(host), CUDA_SUCCESS);
  CUdeviceptr plain, pooled;
  ASSERT_EQ(cuMemAlloc_v2(&plain, 2 * kBytes), CUDA_SUCCESS);
  ASSERT_EQ(cuMemAllocAsync(&pooled, kBytes, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cuMulticastBindAddr(object, 0, plain, kBytes, 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMulticastBindAddr(object, 0, pooled, kBytes, 0),
            CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(cuMemFree_v2(plain), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFree_v2(pooled), CUDA_SUCCESS);
}
