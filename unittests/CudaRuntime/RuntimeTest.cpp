//===- RuntimeTest.cpp - libcudart.so as nvcc's programs see it -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The test makes the calls that nvcc adds to programs, so that it needs no CUDA
// toolkit.
//
//===----------------------------------------------------------------------===//

#include "../CudaDriver/FatBinaryWriter.h"
#include "../ForkedChild.h"
#include "../StreamGate.h"
#include "ptxjit/CudaRuntime/CudaRuntimeABI.h"

#include <atomic>
#include <chrono>
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
void __cudaRegisterManagedVar(void **, void **, char *, const char *, int,
                              size_t, int, int);
char __cudaInitModule(void **handle);
cudaError_t __cudaGetKernel(CUkernel *, const void *);
cudaError_t __cudaLaunchKernel(CUkernel, dim3, dim3, void **, size_t, CUstream);
unsigned __cudaPushCallConfiguration(dim3, dim3, size_t, CUstream);
cudaError_t __cudaPopCallConfiguration(dim3 *, dim3 *, size_t *, CUstream *);
cudaError_t cudaLaunchKernel(const void *, dim3, dim3, void **, size_t,
                             CUstream);
cudaError_t cudaLaunchKernel_ptsz(const void *, dim3, dim3, void **, size_t,
                                  CUstream);
cudaError_t cudaLaunchCooperativeKernel(const void *, dim3, dim3, void **,
                                        size_t, CUstream);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *, const void *,
                                                          int, size_t);
cudaError_t cudaMalloc(void **, size_t);
cudaError_t cudaFree(void *);
cudaError_t cudaMemcpy(void *, const void *, size_t, int);
cudaError_t cudaMemcpy2D(void *, size_t, const void *, size_t, size_t, size_t,
                         int);
cudaError_t cudaMemset(void *, int, size_t);
cudaError_t cudaMemcpyToSymbol(const void *, const void *, size_t, size_t, int);
cudaError_t cudaMemcpyFromSymbol(void *, const void *, size_t, size_t, int);
cudaError_t cudaGetSymbolSize(size_t *, const void *);
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *, const void *);
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *, const void *);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *, int);
cudaError_t cudaSetDevice(int);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaDeviceReset();
cudaError_t cudaStreamCreate(CUstream *);
cudaError_t cudaStreamBeginCapture(CUstream, CUstreamCaptureMode);
cudaError_t cudaStreamEndCapture(CUstream, CUgraph *);
cudaError_t cudaGraphInstantiate(CUgraphExec *, CUgraph, unsigned long long);
cudaError_t cudaGraphLaunch(CUgraphExec, CUstream);
cudaError_t cudaStreamQuery(CUstream);
cudaError_t cudaStreamSynchronize(CUstream);
cudaError_t cudaDeviceGetNvSciSyncAttributes(void *, int, int);
const char *cudaGetErrorName(cudaError_t);
const char *cudaGetErrorString(cudaError_t);
}

namespace {

const char *const kText = R"(.version 8.0
.target sm_75
.address_size 64
.visible .global .align 4 .u32 counter = 5;
.visible .global .attribute(.managed) .align 4 .u32 both = 9;
.visible .const .align 4 .u32 step = 1;
.visible .entry add(.param .u64 data, .param .u32 n)
{
  .reg .b32 %r<6>; .reg .b64 %rd<4>; .reg .pred %p;
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
  mad.lo.u32 %r4, %r1, %r2, %r3;
  ld.param.u32 %r5, [n];
  ld.const.u32 %r1, [step];
  setp.eq.u32 %p, %r4, 0;
  @%p red.global.add.u32 [counter], %r1;
  @%p red.global.add.u32 [both], %r1;
  setp.ge.u32 %p, %r4, %r5;
  @%p ret;
  ld.param.u64 %rd1, [data];
  mad.wide.u32 %rd2, %r4, 4, %rd1;
  ld.global.u32 %r2, [%rd2];
  add.u32 %r2, %r2, %r1;
  st.global.u32 [%rd2], %r2;
  ret;
}
)";

/// Their addresses stand for kernels and variables of the device.
void hostAdd() {}
void hostMissing() {}
char hostCounter, hostStep;
unsigned *hostBoth = nullptr;

/// Registers a program's kernels and variables, as nvcc's code does before
/// main(), and unregisters them, as it does at exit.
class Runtime : public ::testing::Test {
protected:
  void SetUp() override {
    fat.add(1, 75, kText, Zstd);
    wrapper.data = fat.get();
    handle = __cudaRegisterFatBinary(&wrapper);
    auto name = [](void (*f)()) { return reinterpret_cast<const char *>(f); };
    __cudaRegisterFunction(handle, name(hostAdd), nullptr, "add", -1, nullptr,
                           nullptr, nullptr, nullptr, nullptr);
    __cudaRegisterFunction(handle, name(hostMissing), nullptr, "missing", -1,
                           nullptr, nullptr, nullptr, nullptr, nullptr);
    __cudaRegisterVar(handle, &hostCounter, nullptr, "counter", 0, 4, 0, 0);
    __cudaRegisterVar(handle, &hostStep, nullptr, "step", 0, 4, 1, 0);
    __cudaRegisterManagedVar(handle, reinterpret_cast<void **>(&hostBoth),
                             nullptr, "both", 0, 4, 0, 0);
    __cudaRegisterFatBinaryEnd(handle);
    cudaGetLastError();
    ASSERT_EQ(cudaMalloc(&data, 400), 0);
    ASSERT_EQ(cudaMemset(data, 0, 400), 0);
  }
  void TearDown() override {
    cudaFree(data);
    __cudaUnregisterFatBinary(handle);
  }
  static const void *add() { return reinterpret_cast<const void *>(hostAdd); }
  unsigned read(unsigned index = 0) {
    unsigned value = ~0u;
    EXPECT_EQ(cudaMemcpy(&value, static_cast<unsigned *>(data) + index, 4,
                         cudaMemcpyDeviceToHost),
              0);
    return value;
  }
  cudaError_t launch(CUstream stream = nullptr, unsigned block = 50) {
    void *args[] = {&data, &n};
    return cudaLaunchKernel(add(), {2, 1, 1}, {block, 1, 1}, args, 0, stream);
  }

  FatBinary fat;
  struct {
    uint32_t magic = 0x466243b1, version = 1;
    const void *data = nullptr;
    void *files = nullptr;
  } wrapper;
  void **handle = nullptr;
  void *data = nullptr;
  unsigned n = 100;
};

} // namespace

TEST_F(Runtime, KernelsAndVariablesAreFound) {
  unsigned two = 2, counter = 0;
  size_t bytes = 0;
  EXPECT_EQ(cudaMemcpyToSymbol(&hostStep, &two, 4, 0, cudaMemcpyHostToDevice),
            0);
  EXPECT_EQ(launch(), 0);
  EXPECT_EQ(read(99), 2u);
  EXPECT_EQ(cudaMemcpyFromSymbol(&counter, &hostCounter, 4, 0,
                                 cudaMemcpyDeviceToHost),
            0);
  EXPECT_EQ(counter, 7u);
  EXPECT_EQ(cudaGetSymbolSize(&bytes, &hostCounter), 0);
  EXPECT_EQ(bytes, 4u);
  EXPECT_EQ(cudaMemcpyFromSymbol(&counter, &hostCounter, 4, 1,
                                 cudaMemcpyDeviceToHost),
            1);
  EXPECT_EQ(cudaGetSymbolSize(&bytes, &bytes), 13); // cudaErrorInvalidSymbol
  cudaFuncAttributes attributes;
  EXPECT_EQ(cudaFuncGetAttributes(&attributes, add()), 0);
  EXPECT_EQ(attributes.maxThreadsPerBlock, 1024);
  EXPECT_EQ(attributes.ptxVersion, 75) << "that of the text";
  EXPECT_EQ(attributes.binaryVersion, 80) << "that of the device";
}

TEST_F(Runtime, ManagedVariablesAreTheHostsToo) {
  EXPECT_TRUE(__cudaInitModule(handle));
  ASSERT_NE(hostBoth, nullptr);
  EXPECT_EQ(*hostBoth, 9u);
  *hostBoth = 20;
  EXPECT_EQ(launch(), 0);
  EXPECT_EQ(cudaDeviceSynchronize(), 0);
  EXPECT_EQ(*hostBoth, 21u);
}

TEST_F(Runtime, LaunchesAsNvccWritesThem) {
  dim3 grid{}, block{};
  size_t shared = 1;
  CUstream stream = nullptr;
  EXPECT_EQ(__cudaPushCallConfiguration({2, 1, 1}, {50, 1, 1}, 0, nullptr), 0u);
  EXPECT_EQ(__cudaPopCallConfiguration(&grid, &block, &shared, &stream), 0);
  EXPECT_EQ(block.x, 50u);
  EXPECT_EQ(__cudaPopCallConfiguration(&grid, &block, &shared, &stream), 52);
  CUkernel kernel = nullptr;
  EXPECT_EQ(__cudaGetKernel(&kernel, add()), 0);
  void *args[] = {&data, &n};
  EXPECT_EQ(__cudaLaunchKernel(kernel, grid, block, args, shared, stream), 0);
  EXPECT_EQ(read(50), 1u);
}

TEST_F(Runtime, ErrorsAreRememberedOnce) {
  EXPECT_EQ(launch(nullptr, 2000), 9); // cudaErrorInvalidConfiguration
  EXPECT_EQ(cudaPeekAtLastError(), 9);
  EXPECT_EQ(cudaGetLastError(), 9);
  EXPECT_EQ(cudaGetLastError(), 0);
  EXPECT_STREQ(cudaGetErrorName(9), "cudaErrorInvalidConfiguration");
  EXPECT_STREQ(cudaGetErrorString(2), "out of memory");
  EXPECT_STREQ(cudaGetErrorName(12345), "unrecognized error code");
  void *args[] = {&data, &n};
  EXPECT_EQ(cudaLaunchKernel(reinterpret_cast<const void *>(hostMissing),
                             {1, 1, 1}, {1, 1, 1}, args, 0, nullptr),
            98);
  EXPECT_EQ(cudaLaunchKernel(&n, {1, 1, 1}, {1, 1, 1}, args, 0, nullptr), 98);
  EXPECT_EQ(cudaMemcpy(data, &n, 4, 7), 21);
  EXPECT_EQ(cudaMemcpy(&n, &n, 4, cudaMemcpyHostToDevice), 1);
  EXPECT_EQ(cudaMemcpy2D(data, 1, &n, 1, 2, 2, cudaMemcpyDefault), 12);
  EXPECT_EQ(cudaSetDevice(1), 101);
  EXPECT_EQ(cudaDeviceGetNvSciSyncAttributes(nullptr, 0, 0), 801);
  cudaGetLastError();
}

// So it is with NVIDIA's runtime 13.0 on an H200.
TEST_F(Runtime, WorkThatIsNotReadyIsNoError) {
  CUstream stream;
  ASSERT_EQ(cudaStreamCreate(&stream), 0);
  StreamGate gate(stream);
  EXPECT_EQ(cudaStreamQuery(stream), 600); // cudaErrorNotReady
  EXPECT_EQ(cudaPeekAtLastError(), 0);
  EXPECT_EQ(cudaSetDevice(1), 101);
  EXPECT_EQ(cudaStreamQuery(stream), 600); // cudaErrorNotReady
  EXPECT_EQ(cudaGetLastError(), 101) << "the error before stays";
  gate.open();
  EXPECT_EQ(cudaStreamSynchronize(stream), 0);
}

TEST_F(Runtime, KernelsWithoutTextAreNamedOnce) {
  FatBinary code;
  code.add(2, 90, "machine code");
  auto mine = wrapper;
  mine.data = code.get();
  static const char hostKernel = 0, hostOther = 0;
  void **image = __cudaRegisterFatBinary(&mine);
  for (auto [host, name] : {std::pair(&hostKernel, "lost_kernel"),
                            std::pair(&hostOther, "other_kernel")})
    __cudaRegisterFunction(image, host, nullptr, name, -1, nullptr, nullptr,
                           nullptr, nullptr, nullptr);
  testing::internal::CaptureStderr();
  // 209 is cudaErrorNoKernelImageForDevice.
  for (const char *host : {&hostKernel, &hostKernel, &hostOther}) {
    EXPECT_EQ(cudaLaunchKernel(host, {1, 1, 1}, {1, 1, 1}, nullptr, 0, nullptr),
              209);
    EXPECT_EQ(cudaGetLastError(), 209);
  }
  std::string log = testing::internal::GetCapturedStderr();
  for (const char *part :
       {"no PTX for sm_80", "'lost_kernel' cannot", "'other_kernel' cannot"}) {
    size_t at = log.find(part);
    EXPECT_NE(at, std::string::npos) << log;
    EXPECT_EQ(log.find(part, at + 1), std::string::npos) << log;
  }
  __cudaUnregisterFatBinary(image);
}

TEST_F(Runtime, FaultsAreOfTheirContextAlone) {
  CUcontext own, popped;
  ASSERT_EQ(cuCtxCreate_v2(&own, 0, 0), CUDA_SUCCESS);
  void *good = data;
  data = reinterpret_cast<void *>(uintptr_t(64));
  EXPECT_EQ(launch(), 0);
  EXPECT_EQ(cudaDeviceSynchronize(), 700); // cudaErrorIllegalAddress
  EXPECT_EQ(cudaGetLastError(), 700);
  EXPECT_EQ(cudaGetLastError(), 700) << "it stays";
  data = good;
  ASSERT_EQ(cuCtxPopCurrent_v2(&popped), CUDA_SUCCESS);
  EXPECT_EQ(launch(), 0);
  EXPECT_EQ(cudaPeekAtLastError(), 0);
  EXPECT_EQ(cudaGetLastError(), 0);
  EXPECT_EQ(cudaDeviceSynchronize(), 0);
  EXPECT_EQ(cuCtxDestroy_v2(own), CUDA_SUCCESS);
}

TEST_F(Runtime, ChildrenOfForkHaveNoDevice) {
  EXPECT_EQ(launch(), 0);
  int wrong = runInChild([&] {
    void *memory;
    int wrong = 0;
    // 3 is cudaErrorInitializationError.
    wrong += launch() != 3;
    wrong += cudaGetLastError() != 3;
    wrong += cudaMalloc(&memory, 4) != 3;
    wrong += cudaSetDevice(0) != 3;
    wrong += cudaDeviceSynchronize() != 3;
    wrong += cudaDeviceReset() != 3;
    wrong += cudaMemcpy(&memory, data, 4, cudaMemcpyDeviceToHost) != 3;
    __cudaUnregisterFatBinary(handle); // as programs do when they end
    return wrong;
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(launch(), 0);
  EXPECT_EQ(read(7), 2u);
}

TEST_F(Runtime, PointersSayWhatTheyAre) {
  cudaPointerAttributes attributes;
  EXPECT_EQ(cudaPointerGetAttributes(&attributes, data), 0);
  EXPECT_EQ(attributes.type, cudaMemoryTypeDevice);
  EXPECT_EQ(attributes.hostPointer, nullptr);
  EXPECT_EQ(cudaPointerGetAttributes(&attributes, &n), 0);
  EXPECT_EQ(attributes.type, cudaMemoryTypeUnregistered);
  EXPECT_EQ(attributes.devicePointer, nullptr);
}

TEST_F(Runtime, StreamsRecordGraphs) {
  CUstream stream;
  CUgraph graph;
  CUgraphExec exec;
  ASSERT_EQ(cudaStreamCreate(&stream), 0);
  ASSERT_EQ(cudaStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL), 0);
  EXPECT_EQ(launch(stream), 0);
  EXPECT_EQ(launch(stream), 0);
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), 0);
  EXPECT_EQ(cudaGraphInstantiate(&exec, graph, 0), 0);
  EXPECT_EQ(cudaGraphLaunch(exec, stream), 0);
  EXPECT_EQ(cudaStreamSynchronize(stream), 0);
  EXPECT_EQ(read(7), 2u);
}

TEST_F(Runtime, CooperativeLaunchesAreResidentAtOnce) {
  cudaDeviceProp properties;
  int ctas = 0;
  ASSERT_EQ(cudaGetDeviceProperties(&properties, 0), 0);
  ASSERT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&ctas, add(), 128, 0),
            0);
  unsigned most = unsigned(ctas * properties.multiProcessorCount);
  void *args[] = {&data, &n};
  EXPECT_EQ(cudaLaunchCooperativeKernel(add(), {most, 1, 1}, {128, 1, 1}, args,
                                        0, nullptr),
            0);
  EXPECT_EQ(cudaLaunchCooperativeKernel(add(), {most + 1, 1, 1}, {128, 1, 1},
                                        args, 0, nullptr),
            720); // cudaErrorCooperativeLaunchTooLarge
  EXPECT_EQ(cudaGetLastError(), 720);
  EXPECT_EQ(cudaGetLastError(), 0);
}

TEST_F(Runtime, PropertiesFollowTheDevice) {
  cudaDeviceProp properties;
  ASSERT_EQ(cudaGetDeviceProperties(&properties, 0), 0);
  EXPECT_EQ(properties.warpSize, 32);
  EXPECT_EQ(properties.major, 8);
  EXPECT_EQ(properties.maxThreadsDim[2], 64);
  EXPECT_GE(properties.multiProcessorCount, 4);
  EXPECT_EQ(properties.cooperativeLaunch, 1);
  EXPECT_EQ(sizeof(properties), PTXJIT_CUDART_VERSION == 12 ? 1032u : 1008u);
}

// The last test, since the reset frees all memory.
TEST_F(Runtime, ResetBeginsAnew) {
  EXPECT_EQ(cudaDeviceReset(), 0);
  EXPECT_EQ(cudaMalloc(&data, 400), 0);
  EXPECT_EQ(cudaMemset(data, 1, 400), 0);
  EXPECT_EQ(launch(), 0);
  EXPECT_EQ(read(), 0x01010102u);
}

// As if the program began again, once the work has ended.
TEST_F(Runtime, ResetWaitsAndRestoresVariables) {
  unsigned value = 0;
  CUstream stream;
  ASSERT_EQ(
      cudaMemcpyFromSymbol(&value, &hostStep, 4, 0, cudaMemcpyDeviceToHost), 0);
  const unsigned initial = value;
  unsigned changed = initial + 5;
  ASSERT_EQ(
      cudaMemcpyToSymbol(&hostStep, &changed, 4, 0, cudaMemcpyHostToDevice), 0);
  const unsigned both = *hostBoth;
  *hostBoth = both + 9;
  ASSERT_EQ(cudaStreamCreate(&stream), 0);
  std::atomic<bool> hasRun{false};
  ASSERT_EQ(cuLaunchHostFunc(
                stream,
                [](void *done) {
                  std::this_thread::sleep_for(std::chrono::milliseconds(30));
                  *static_cast<std::atomic<bool> *>(done) = true;
                },
                &hasRun),
            CUDA_SUCCESS);
  EXPECT_EQ(launch(stream), 0);
  EXPECT_EQ(cudaDeviceReset(), 0);
  EXPECT_TRUE(hasRun);
  EXPECT_NE(cudaStreamSynchronize(stream), 0) << "the stream is gone";
  cudaGetLastError();
  EXPECT_EQ(
      cudaMemcpyFromSymbol(&value, &hostStep, 4, 0, cudaMemcpyDeviceToHost), 0);
  EXPECT_EQ(value, initial);
  EXPECT_EQ(*hostBoth, both);
  EXPECT_EQ(cudaMalloc(&data, 400), 0);
  EXPECT_EQ(cudaMemset(data, 0, 400), 0);
  EXPECT_EQ(launch(), 0);
  EXPECT_EQ(read(), initial);
}
