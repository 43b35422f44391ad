//===- overheads.cpp - what launches and barriers cost --------------------===//
//
// Times of kernels that do nothing else, through the driver interface.
//
//===----------------------------------------------------------------------===//

#include "ptxjit/CudaDriver/CudaABI.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

static const char *const kKernels = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry empty() { ret; }
.visible .entry barriers(.param .u32 n)
{
  .reg .b32 %i, %n; .reg .pred %p;
  ld.param.u32 %n, [n];
  mov.u32 %i, 0;
LOOP:
  bar.sync 0;
  add.u32 %i, %i, 1;
  setp.lt.u32 %p, %i, %n;
  @%p bra LOOP;
  ret;
}
)";

static void check(CUresult result, const char *what) {
  if (result == CUDA_SUCCESS)
    return;
  std::fprintf(stderr, "%s: error %d\n", what, int(result));
  std::exit(1);
}

/// Best time of a launch and a synchronise, in nanoseconds.
static double timeLaunch(CUfunction function, unsigned grid, unsigned block,
                         void **params, int runs) {
  double best = 1e300;
  for (int i = 0; i < runs; ++i) {
    auto start = std::chrono::steady_clock::now();
    check(cuLaunchKernel(function, grid, 1, 1, block, 1, 1, 0, nullptr, params,
                         nullptr),
          "cuLaunchKernel");
    check(cuCtxSynchronize(), "cuCtxSynchronize");
    best = std::min(best, std::chrono::duration<double, std::nano>(
                              std::chrono::steady_clock::now() - start)
                              .count());
  }
  return best;
}

int main() {
  CUcontext context;
  CUmodule module;
  CUfunction empty, barriers;
  check(cuInit(0), "cuInit");
  check(cuCtxCreate_v2(&context, 0, 0), "cuCtxCreate");
  check(cuModuleLoadData(&module, kKernels), "cuModuleLoadData");
  check(cuModuleGetFunction(&empty, module, "empty"), "cuModuleGetFunction");
  check(cuModuleGetFunction(&barriers, module, "barriers"),
        "cuModuleGetFunction");
  std::printf("| what | time |\n|---|---:|\n");
  for (unsigned grid : {1u, 64u})
    std::printf("| launch and synchronise, %u CTA%s of 256 threads | %.1f us "
                "|\n",
                grid, grid > 1 ? "s" : "",
                timeLaunch(empty, grid, 256, nullptr, 2000) / 1000);
  for (unsigned warps : {1u, 2u, 8u, 32u}) {
    unsigned few = 1000, many = 101000;
    void *first[] = {&few}, *second[] = {&many};
    double base = timeLaunch(barriers, 1, warps * 32, first, 20);
    double time = timeLaunch(barriers, 1, warps * 32, second, 20) - base;
    std::printf("| barrier, fibers, %u warp%s: each warp | %.1f ns |\n", warps,
                warps > 1 ? "s" : "", time / double(many - few) / warps);
  }
  return 0;
}
