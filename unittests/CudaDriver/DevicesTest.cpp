//===- DevicesTest.cpp - several devices ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../FourDevices.h"
#include "ptxjit/CudaDriver/CudaABI.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace {
const char *const kText = R"(.version 8.0
.target sm_80
.address_size 64
.visible .global .align 4 .u32 own = 7;
.visible .global .attribute(.managed) .align 4 .u32 shared = 9;
.visible .entry count()
{
  red.global.add.u32 [own], 1;
  red.global.add.u32 [shared], 1;
  ret;
}
.visible .entry crash() { trap; }
// How many CTAs run at the same time, at most.
.visible .global .align 4 .u32 running, most, sink;
.visible .entry meet()
{
  .reg .b32 %r<4>; .reg .f32 %f; .reg .pred %p;
  atom.global.add.u32 %r1, [running], 1;
  add.u32 %r1, %r1, 1;
  red.global.max.u32 [most], %r1;
  mov.u32 %r2, 0; mov.f32 %f, 1.0;
again:
  fma.rn.f32 %f, %f, %f, 1.0;
  add.u32 %r2, %r2, 1;
  setp.lt.u32 %p, %r2, 20000;
  @%p bra again;
  st.global.f32 [sink], %f;
  red.global.add.u32 [running], -1;
  ret;
}
)";

/// Has a context on each of the four devices, none of which is current.
class Devices : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
    for (int i = 0; i < 4; ++i) {
      ASSERT_EQ(cuCtxCreate_v2(&contexts[i], 0, i), CUDA_SUCCESS);
      ASSERT_EQ(cuCtxPopCurrent_v2(nullptr), CUDA_SUCCESS);
    }
  }
  void TearDown() override {
    for (CUcontext context : contexts)
      EXPECT_EQ(cuCtxDestroy_v2(context), CUDA_SUCCESS);
    EXPECT_EQ(cuCtxSetCurrent(nullptr), CUDA_SUCCESS);
  }
  void use(int device) {
    ASSERT_EQ(cuCtxSetCurrent(contexts[device]), CUDA_SUCCESS);
  }
  size_t freeMemory(int device) {
    size_t free = 0, total = 0;
    use(device);
    EXPECT_EQ(cuMemGetInfo_v2(&free, &total), CUDA_SUCCESS);
    return free;
  }
  static unsigned read(CUdeviceptr address) {
    unsigned value = 0;
    EXPECT_EQ(cuMemcpyDtoH_v2(&value, address, 4), CUDA_SUCCESS);
    return value;
  }
  CUcontext contexts[4] = {};
};
} // namespace

TEST_F(Devices, HaveTheirShareOfTheCores) {
  unsigned share = std::max(1u, std::thread::hardware_concurrency() / 4);
  CUdeviceptr most[4];
  for (int i = 0; i < 4; ++i) {
    CUmodule module;
    CUfunction meet;
    use(i);
    ASSERT_EQ(cuModuleLoadData(&module, kText), CUDA_SUCCESS);
    ASSERT_EQ(cuModuleGetFunction(&meet, module, "meet"), CUDA_SUCCESS);
    ASSERT_EQ(cuModuleGetGlobal_v2(&most[i], nullptr, module, "most"),
              CUDA_SUCCESS);
    ASSERT_EQ(
        cuLaunchKernel(meet, 400, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr),
        CUDA_SUCCESS);
  }
  for (int i = 0; i < 4; ++i) {
    use(i);
    EXPECT_GE(read(most[i]), 1u);
    EXPECT_LE(read(most[i]), share);
  }
}

TEST_F(Devices, AreToldApart) {
  int count = 0;
  ASSERT_EQ(cuDeviceGetCount(&count), CUDA_SUCCESS);
  ASSERT_EQ(count, 4);
  std::set<std::string> uuids, buses;
  size_t sum = 0;
  for (int i = 0; i < 4; ++i) {
    CUdevice device = -1;
    CUuuid uuid;
    char bus[32];
    int number = -1;
    size_t bytes = 0;
    EXPECT_EQ(cuDeviceGet(&device, i), CUDA_SUCCESS);
    EXPECT_EQ(device, i);
    EXPECT_EQ(cuDeviceGetUuid_v2(&uuid, i), CUDA_SUCCESS);
    uuids.insert(std::string(uuid.bytes, 16));
    EXPECT_EQ(cuDeviceGetPCIBusId(bus, sizeof(bus), i), CUDA_SUCCESS);
    buses.insert(bus);
    EXPECT_EQ(cuDeviceGetByPCIBusId(&device, bus), CUDA_SUCCESS);
    EXPECT_EQ(device, i);
    EXPECT_EQ(cuDeviceGetAttribute(&number, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, i),
              CUDA_SUCCESS);
    EXPECT_EQ(number, i);
    EXPECT_EQ(cuDeviceTotalMem_v2(&bytes, i), CUDA_SUCCESS);
    sum += bytes;
  }
  EXPECT_EQ(uuids.size(), 4u);
  EXPECT_EQ(buses.size(), 4u);
  EXPECT_LE(sum,
            size_t(sysconf(_SC_PHYS_PAGES)) * size_t(sysconf(_SC_PAGESIZE)));
  CUdevice device;
  CUcontext context;
  for (int wrong : {-1, 4, 1000}) {
    EXPECT_EQ(cuDeviceGet(&device, wrong), CUDA_ERROR_INVALID_DEVICE);
    EXPECT_EQ(cuCtxCreate_v2(&context, 0, wrong), CUDA_ERROR_INVALID_DEVICE);
    EXPECT_EQ(cuDevicePrimaryCtxRetain(&context, wrong),
              CUDA_ERROR_INVALID_DEVICE);
    EXPECT_EQ(cuDeviceTotalMem_v2(&sum, wrong), CUDA_ERROR_INVALID_DEVICE);
  }
  EXPECT_EQ(cuDeviceGetByPCIBusId(&device, "0000:04:00.0"),
            CUDA_ERROR_INVALID_DEVICE);
}

TEST_F(Devices, ObjectsKnowTheirDevice) {
  use(2);
  CUdevice device = -1;
  EXPECT_EQ(cuCtxGetDevice(&device), CUDA_SUCCESS);
  EXPECT_EQ(device, 2);
  EXPECT_EQ(cuCtxGetDevice_v2(&device, contexts[3]), CUDA_SUCCESS);
  EXPECT_EQ(device, 3);
  CUdeviceptr pointer;
  ASSERT_EQ(cuMemAlloc_v2(&pointer, 100), CUDA_SUCCESS);
  CUstream stream;
  ASSERT_EQ(cuStreamCreate(&stream, 0), CUDA_SUCCESS);
  use(0);
  int ordinal = -1;
  EXPECT_EQ(cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                                  pointer),
            CUDA_SUCCESS);
  EXPECT_EQ(ordinal, 2);
  EXPECT_EQ(cuStreamGetDevice(stream, &device), CUDA_SUCCESS);
  EXPECT_EQ(device, 2);
  EXPECT_EQ(cuMemFree_v2(pointer), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamDestroy_v2(stream), CUDA_SUCCESS);
}

TEST_F(Devices, MemoryIsCountedForEach) {
  // Other processes may take memory meanwhile, but hardly as much.
  constexpr size_t kBytes = size_t(512) << 20, kNoise = size_t(128) << 20;
  size_t before[4], after[4];
  for (int i = 0; i < 4; ++i)
    before[i] = freeMemory(i);
  CUdeviceptr pointer;
  use(1);
  ASSERT_EQ(cuMemAlloc_v2(&pointer, kBytes), CUDA_SUCCESS);
  for (int i = 0; i < 4; ++i)
    after[i] = freeMemory(i);
  EXPECT_LE(after[1] + kBytes, before[1] + kNoise);
  for (int i : {0, 2, 3})
    EXPECT_GE(after[i] + kNoise, before[i]) << i;
  use(3);
  EXPECT_EQ(cuMemFree_v2(pointer), CUDA_SUCCESS);
  EXPECT_GE(freeMemory(1) + kNoise, before[1]);

  size_t total;
  EXPECT_EQ(cuDeviceTotalMem_v2(&total, 1), CUDA_SUCCESS);
  use(1);
  EXPECT_EQ(cuMemAlloc_v2(&pointer, total + 1), CUDA_ERROR_OUT_OF_MEMORY);
  // Managed memory may be larger than the device's.
  EXPECT_EQ(cuMemAllocManaged(&pointer, total + 1, 1), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFree_v2(pointer), CUDA_SUCCESS);
}

TEST_F(Devices, PrimaryContextsAreApart) {
  CUcontext one, three, again;
  for (int i = 0; i < 4; ++i) // what other tests have left
    EXPECT_EQ(cuDevicePrimaryCtxReset_v2(i), CUDA_SUCCESS);
  ASSERT_EQ(cuDevicePrimaryCtxRetain(&one, 1), CUDA_SUCCESS);
  ASSERT_EQ(cuDevicePrimaryCtxRetain(&three, 3), CUDA_SUCCESS);
  EXPECT_NE(one, three);
  unsigned flags;
  int active;
  EXPECT_EQ(cuDevicePrimaryCtxSetFlags_v2(3, 4), CUDA_SUCCESS);
  EXPECT_EQ(cuDevicePrimaryCtxGetState(1, &flags, &active), CUDA_SUCCESS);
  EXPECT_EQ(flags, 0u);
  EXPECT_EQ(active, 1);
  EXPECT_EQ(cuDevicePrimaryCtxGetState(2, &flags, &active), CUDA_SUCCESS);
  EXPECT_EQ(active, 0);
  ASSERT_EQ(cuCtxSetCurrent(one), CUDA_SUCCESS);
  EXPECT_EQ(cuDevicePrimaryCtxReset_v2(1), CUDA_SUCCESS);
  // A context of another device may get its address, but not its place.
  ASSERT_EQ(cuDevicePrimaryCtxRetain(&again, 2), CUDA_SUCCESS);
  CUdevice device;
  EXPECT_EQ(cuCtxGetDevice(&device), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  ASSERT_EQ(cuCtxSetCurrent(three), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxGetDevice(&device), CUDA_SUCCESS);
  EXPECT_EQ(device, 3);
  EXPECT_EQ(cuDevicePrimaryCtxRelease_v2(2), CUDA_SUCCESS);
  EXPECT_EQ(cuDevicePrimaryCtxRelease_v2(3), CUDA_SUCCESS);
  EXPECT_EQ(cuDevicePrimaryCtxRelease_v2(3), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuDevicePrimaryCtxSetFlags_v2(3, 0), CUDA_SUCCESS);
}

TEST_F(Devices, LibrariesHaveVariablesOnEach) {
  CUlibrary library;
  CUkernel kernel;
  CUdeviceptr own[4], shared[4];
  ASSERT_EQ(cuLibraryLoadData(&library, kText, nullptr, nullptr, 0, nullptr,
                              nullptr, 0),
            CUDA_SUCCESS);
  ASSERT_EQ(cuLibraryGetKernel(&kernel, library, "count"), CUDA_SUCCESS);
  for (int i = 0; i < 4; ++i) {
    use(i);
    ASSERT_EQ(cuLibraryGetGlobal(&own[i], nullptr, library, "own"),
              CUDA_SUCCESS);
    ASSERT_EQ(cuLibraryGetManaged(&shared[i], nullptr, library, "shared"),
              CUDA_SUCCESS);
    EXPECT_EQ(shared[i], shared[0]);
    for (int j = 0; j < i; ++j)
      EXPECT_NE(own[i], own[j]);
    // The context is taken from the stream, or is the current one.
    for (int n = 0; n <= i; ++n)
      EXPECT_EQ(cuLaunchKernel(reinterpret_cast<CUfunction>(kernel), 1, 1, 1, 1,
                               1, 1, 0, nullptr, nullptr, nullptr),
                CUDA_SUCCESS);
    EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
  }
  CUstream stream;
  ASSERT_EQ(cuStreamCreate(&stream, 0), CUDA_SUCCESS);
  use(0);
  EXPECT_EQ(cuLaunchKernel(reinterpret_cast<CUfunction>(kernel), 1, 1, 1, 1, 1,
                           1, 0, stream, nullptr, nullptr),
            CUDA_SUCCESS);
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
  EXPECT_EQ(read(own[0]), 8u);
  EXPECT_EQ(read(own[1]), 9u);
  EXPECT_EQ(read(own[2]), 10u);
  EXPECT_EQ(read(own[3]), 12u);
  EXPECT_EQ(read(shared[0]), 20u);
  int device = -1;
  EXPECT_EQ(cuPointerGetAttribute(&device, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                                  own[3]),
            CUDA_SUCCESS);
  EXPECT_EQ(device, 3);
  EXPECT_EQ(cuLibraryUnload(library), CUDA_SUCCESS);
  EXPECT_EQ(cuPointerGetAttribute(&device, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                                  own[3]),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Devices, AResetMakesVariablesFresh) {
  CUlibrary library;
  CUkernel kernel;
  CUdeviceptr own, shared;
  CUcontext primary;
  ASSERT_EQ(cuLibraryLoadData(&library, kText, nullptr, nullptr, 0, nullptr,
                              nullptr, 0),
            CUDA_SUCCESS);
  ASSERT_EQ(cuLibraryGetKernel(&kernel, library, "count"), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxDestroy_v2(contexts[1]), CUDA_SUCCESS);
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(cuDevicePrimaryCtxRetain(&primary, 1), CUDA_SUCCESS);
    ASSERT_EQ(cuCtxSetCurrent(primary), CUDA_SUCCESS);
    EXPECT_EQ(cuLaunchKernel(reinterpret_cast<CUfunction>(kernel), 1, 1, 1, 1,
                             1, 1, 0, nullptr, nullptr, nullptr),
              CUDA_SUCCESS);
    ASSERT_EQ(cuLibraryGetGlobal(&own, nullptr, library, "own"), CUDA_SUCCESS);
    ASSERT_EQ(cuLibraryGetManaged(&shared, nullptr, library, "shared"),
              CUDA_SUCCESS);
    EXPECT_EQ(read(own), 8u);
    EXPECT_EQ(read(shared), 10u + unsigned(i));
    EXPECT_EQ(cuDevicePrimaryCtxReset_v2(1), CUDA_SUCCESS);
  }
  EXPECT_EQ(cuLibraryUnload(library), CUDA_SUCCESS);
  ASSERT_EQ(cuCtxCreate_v2(&contexts[1], 0, 1), CUDA_SUCCESS);
}

TEST_F(Devices, AResetKeepsManagedVariablesOfOthersKnown) {
  CUlibrary library;
  CUdeviceptr own, shared;
  CUcontext primary;
  unsigned type = 0;
  ASSERT_EQ(cuLibraryLoadData(&library, kText, nullptr, nullptr, 0, nullptr,
                              nullptr, 0),
            CUDA_SUCCESS);
  use(0);
  ASSERT_EQ(cuLibraryGetManaged(&shared, nullptr, library, "shared"),
            CUDA_SUCCESS);
  ASSERT_EQ(cuLibraryGetGlobal(&own, nullptr, library, "own"), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxDestroy_v2(contexts[1]), CUDA_SUCCESS);
  ASSERT_EQ(cuDevicePrimaryCtxRetain(&primary, 1), CUDA_SUCCESS);
  ASSERT_EQ(cuCtxSetCurrent(primary), CUDA_SUCCESS);
  ASSERT_EQ(cuLibraryGetGlobal(&own, nullptr, library, "own"), CUDA_SUCCESS);
  EXPECT_EQ(cuDevicePrimaryCtxReset_v2(1), CUDA_SUCCESS);
  use(0);
  EXPECT_EQ(
      cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, shared),
      CUDA_SUCCESS);
  EXPECT_EQ(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, own),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuLibraryUnload(library), CUDA_SUCCESS);
  ASSERT_EQ(cuCtxCreate_v2(&contexts[1], 0, 1), CUDA_SUCCESS);
}

TEST_F(Devices, FunctionsAndEventsStayOnTheirDevice) {
  CUmodule module;
  CUfunction function;
  CUstream here, there;
  CUevent event, other;
  use(0);
  ASSERT_EQ(cuModuleLoadData(&module, kText), CUDA_SUCCESS);
  ASSERT_EQ(cuModuleGetFunction(&function, module, "count"), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamCreate(&here, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuEventCreate(&event, 0), CUDA_SUCCESS);
  use(1);
  ASSERT_EQ(cuStreamCreate(&there, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuEventCreate(&other, 0), CUDA_SUCCESS);
  EXPECT_EQ(
      cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, there, nullptr, nullptr),
      CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuEventRecord(event, there), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuEventRecord(event, here), CUDA_SUCCESS);
  EXPECT_EQ(cuEventRecord(other, there), CUDA_SUCCESS);
  // Streams may wait for events of any device.
  EXPECT_EQ(cuStreamWaitEvent(there, event, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamSynchronize(there), CUDA_SUCCESS);
  float time;
  EXPECT_EQ(cuEventSynchronize(event), CUDA_SUCCESS);
  EXPECT_EQ(cuEventElapsedTime(&time, event, other), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(Devices, GraphsUseSeveral) {
  CUlibrary library;
  CUkernel kernel;
  CUdeviceptr own[2];
  CUstream streams[2];
  CUevent events[2];
  ASSERT_EQ(cuLibraryLoadData(&library, kText, nullptr, nullptr, 0, nullptr,
                              nullptr, 0),
            CUDA_SUCCESS);
  ASSERT_EQ(cuLibraryGetKernel(&kernel, library, "count"), CUDA_SUCCESS);
  for (int i = 0; i < 2; ++i) {
    use(i);
    ASSERT_EQ(cuLibraryGetGlobal(&own[i], nullptr, library, "own"),
              CUDA_SUCCESS);
    ASSERT_EQ(cuStreamCreate(&streams[i], 0), CUDA_SUCCESS);
    ASSERT_EQ(cuEventCreate(&events[i], 0), CUDA_SUCCESS);
  }
  auto launch = [&](int i) {
    EXPECT_EQ(cuLaunchKernel(reinterpret_cast<CUfunction>(kernel), 1, 1, 1, 1,
                             1, 1, 0, streams[i], nullptr, nullptr),
              CUDA_SUCCESS);
  };
  CUgraph graph;
  CUgraphExec exec;
  ASSERT_EQ(cuStreamBeginCapture_v2(streams[0], CU_STREAM_CAPTURE_MODE_GLOBAL),
            CUDA_SUCCESS);
  launch(0);
  EXPECT_EQ(cuEventRecord(events[0], streams[0]), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamWaitEvent(streams[1], events[0], 0), CUDA_SUCCESS);
  launch(1);
  launch(1);
  EXPECT_EQ(cuEventRecord(events[1], streams[1]), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamWaitEvent(streams[0], events[1], 0), CUDA_SUCCESS);
  launch(0);
  ASSERT_EQ(cuStreamEndCapture(streams[0], &graph), CUDA_SUCCESS);
  ASSERT_EQ(cuGraphInstantiateWithFlags(&exec, graph, 0), CUDA_SUCCESS);
  use(0); // whichever device is current
  for (int n = 0; n < 3; ++n)
    EXPECT_EQ(cuGraphLaunch(exec, streams[0]), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamSynchronize(streams[0]), CUDA_SUCCESS);
  EXPECT_EQ(read(own[0]), 13u);
  EXPECT_EQ(read(own[1]), 13u);
  EXPECT_EQ(cuGraphExecDestroy(exec), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphDestroy(graph), CUDA_SUCCESS);
  EXPECT_EQ(cuLibraryUnload(library), CUDA_SUCCESS);
}

TEST_F(Devices, AFailureStaysOnItsDevice) {
  CUmodule module;
  CUfunction crash;
  use(3);
  ASSERT_EQ(cuModuleLoadData(&module, kText), CUDA_SUCCESS);
  ASSERT_EQ(cuModuleGetFunction(&crash, module, "crash"), CUDA_SUCCESS);
  EXPECT_EQ(
      cuLaunchKernel(crash, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr),
      CUDA_SUCCESS);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);
  use(2);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
  CUdeviceptr pointer;
  EXPECT_EQ(cuMemAlloc_v2(&pointer, 16), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFree_v2(pointer), CUDA_SUCCESS);
}

TEST_F(Devices, PoolsBelongToOne) {
  CUmemoryPool pools[4], pool;
  for (int i = 0; i < 4; ++i) {
    ASSERT_EQ(cuDeviceGetDefaultMemPool(&pools[i], i), CUDA_SUCCESS);
    for (int j = 0; j < i; ++j)
      EXPECT_NE(pools[i], pools[j]);
  }
  EXPECT_EQ(cuDeviceSetMemPool(0, pools[1]), CUDA_ERROR_INVALID_VALUE);
  CUmemPoolProps props{};
  props.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  props.location = {CU_MEM_LOCATION_TYPE_DEVICE, 4};
  EXPECT_EQ(cuMemPoolCreate(&pool, &props), CUDA_ERROR_INVALID_DEVICE);
  props.location.id = 2;
  ASSERT_EQ(cuMemPoolCreate(&pool, &props), CUDA_SUCCESS);
  use(0);
  CUdeviceptr pointer = 0;
  ASSERT_EQ(cuMemAllocFromPoolAsync(&pointer, 64, pool, nullptr), CUDA_SUCCESS);
  int device = -1;
  EXPECT_EQ(cuPointerGetAttribute(&device, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                                  pointer),
            CUDA_SUCCESS);
  EXPECT_EQ(device, 2);
  EXPECT_EQ(cuMemFreeAsync(pointer, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamSynchronize(nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cuDeviceSetMemPool(2, pool), CUDA_SUCCESS);
  EXPECT_EQ(cuMemPoolDestroy(pool), CUDA_SUCCESS);
  EXPECT_EQ(cuDeviceGetMemPool(&pool, 2), CUDA_SUCCESS);
  EXPECT_EQ(pool, pools[2]); // the default one again
}

TEST_F(Devices, WorkBesideEachOther) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([this, i] {
      CUmodule module;
      CUfunction function;
      CUdeviceptr own;
      use(i);
      for (int n = 0; n < 20; ++n) {
        ASSERT_EQ(cuModuleLoadData(&module, kText), CUDA_SUCCESS);
        ASSERT_EQ(cuModuleGetFunction(&function, module, "count"),
                  CUDA_SUCCESS);
        ASSERT_EQ(cuModuleGetGlobal_v2(&own, nullptr, module, "own"),
                  CUDA_SUCCESS);
        ASSERT_EQ(cuLaunchKernel(function, 100, 1, 1, 32, 1, 1, 0, nullptr,
                                 nullptr, nullptr),
                  CUDA_SUCCESS);
        EXPECT_EQ(read(own), 3207u);
        EXPECT_EQ(cuModuleUnload(module), CUDA_SUCCESS);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST_F(Devices, AGreenContextLetsGoOfItsOwnDevice) {
  auto isActive = [](CUdevice device) {
    unsigned flags;
    int active = -1;
    EXPECT_EQ(cuDevicePrimaryCtxGetState(device, &flags, &active),
              CUDA_SUCCESS);
    return active == 1;
  };
  CUcontext primary;
  CUdevResource all{};
  CUdevResourceDesc description;
  CUgreenCtx green;
  ASSERT_EQ(cuDevicePrimaryCtxRetain(&primary, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuDeviceGetDevResource(2, &all, CU_DEV_RESOURCE_TYPE_SM),
            CUDA_SUCCESS);
  ASSERT_EQ(cuDevResourceGenerateDesc(&description, &all, 1), CUDA_SUCCESS);
  ASSERT_EQ(
      cuGreenCtxCreate(&green, description, 2, CU_GREEN_CTX_DEFAULT_STREAM),
      CUDA_SUCCESS);
  EXPECT_TRUE(isActive(2));
  EXPECT_EQ(cuGreenCtxDestroy(green), CUDA_SUCCESS);
  EXPECT_FALSE(isActive(2));
  EXPECT_TRUE(isActive(0));
  EXPECT_EQ(cuDevicePrimaryCtxRelease_v2(0), CUDA_SUCCESS);
}

//===----------------------------------------------------------------------===//
// The environment
//===----------------------------------------------------------------------===//

// Prints the buses of the devices, or the name of cuInit's error.
TEST(Environment, DISABLED_Print) {
  const char *name;
  CUresult error = cuInit(0);
  int count = 0, bus;
  if (error && !cuGetErrorName(error, &name))
    std::printf("%s\n", name);
  if (error || cuDeviceGetCount(&count))
    return;
  for (int i = 0; i < count; ++i)
    if (!cuDeviceGetAttribute(&bus, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, i))
      std::printf("%d%s", bus, i + 1 < count ? " " : "\n");
}

static std::string visible(const std::string &list) {
  return runItself("Environment.DISABLED_Print",
                   "CUDA_VISIBLE_DEVICES='" + list + "'");
}

TEST(Environment, VisibleDevices) {
  const char *none = "CUDA_ERROR_NO_DEVICE\n";
  EXPECT_EQ(visible("2,0"), "2 0\n");
  EXPECT_EQ(visible(" 3, 1"), "3 1\n");
  EXPECT_EQ(visible(""), none);
  EXPECT_EQ(visible("-1"), none);
  EXPECT_EQ(visible("NoDevFiles"), none);
  EXPECT_EQ(visible("1,-1,2"), "1\n"); // the wrong one ends the list
  EXPECT_EQ(visible("0,4,1"), "0\n");
  EXPECT_EQ(visible("1,99999999999999999999"), "1\n");
  EXPECT_EQ(visible("0,1,0"), none); // twice
  EXPECT_EQ(visible("GPU-72,GPU-70747"), "2 0\n");
  EXPECT_EQ(visible("GPU-7"), none); // all begin so
  EXPECT_EQ(visible("1,GPU-71"), none);
}

TEST(Environment, NumberOfDevices) {
  auto count = [](const std::string &text) {
    return runItself("Environment.DISABLED_Print",
                     "PTXJIT_DEVICES='" + text + "'");
  };
  EXPECT_EQ(count("2"), "0 1\n");
  for (const char *wrong : {"0", "65", "-1", "two", "2x", ""})
    EXPECT_EQ(count(wrong), "ptx-jit: PTXJIT_DEVICES is '" +
                                std::string(wrong) +
                                "', which is no number from 1 to 64: 1\n0\n");
}
