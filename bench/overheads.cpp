//===- overheads.cpp - times of launches and barriers ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures kernels that do almost nothing else.
//
//===----------------------------------------------------------------------===//

#include "Measure.h"

#include "ptxjit/Runtime/LoadedModule.h"

#include <cstdio>
#include <cstdlib>
#include <string>

using bench::check;

static const char *const kKernels = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry empty() { ret; }
// Each thread counts in shared memory, with a barrier in each turn or without.
.shared .align 4 .b8 cells[4096];
.visible .entry turns(.param .u32 n)
{
  .reg .b32 %i, %n, %t, %x; .reg .b64 %a, %b; .reg .pred %p;
  ld.param.u32 %n, [n];
  mov.u32 %t, %tid.x;
  mov.u64 %b, cells;
  mad.wide.u32 %a, %t, 4, %b;
  mov.u32 %i, 0;
LOOP:
  ld.shared.u32 %x, [%a];
  add.u32 %x, %x, %i;
  st.shared.u32 [%a], %x;
  add.u32 %i, %i, 1;
  setp.lt.u32 %p, %i, %n;
  @%p bra LOOP;
  ret;
}
.visible .entry barriers(.param .u32 n)
{
  .reg .b32 %i, %n, %t, %x; .reg .b64 %a, %b; .reg .pred %p;
  ld.param.u32 %n, [n];
  mov.u32 %t, %tid.x;
  mov.u64 %b, cells;
  mad.wide.u32 %a, %t, 4, %b;
  mov.u32 %i, 0;
LOOP:
  ld.shared.u32 %x, [%a];
  add.u32 %x, %x, %i;
  st.shared.u32 [%a], %x;
  bar.sync 0;
  add.u32 %i, %i, 1;
  setp.lt.u32 %p, %i, %n;
  @%p bra LOOP;
  ret;
}
)";

/// Best time of a launch and a synchronization, in nanoseconds.
static double timeLaunch(CUfunction function, unsigned grid, unsigned block,
                         void **params, int runs) {
  return bench::findBestTime(runs, [&] {
    check(cuLaunchKernel(function, grid, 1, 1, block, 1, 1, 0, nullptr, params,
                         nullptr),
          "cuLaunchKernel");
    check(cuCtxSynchronize(), "cuCtxSynchronize");
  });
}

/// Best time of 20,000 turns of one CTA, in nanoseconds per turn and warp.
static double timeTurns(ptxjit::LoadedModule &module, const char *kernel,
                        uint32_t warps, PtxjitMode mode) {
  uint32_t turns = 20000, block[3] = {warps * 32, 1, 1};
  ptxjit::KernelOptions options;
  options.atLeast = mode;
  std::string diagnostics;
  double best = bench::findBestTime(20, [&] {
    ptxjit::LaunchStatus status = module.launch(
        kernel, {1, 1, 1}, block, &turns, 0, 1, options, diagnostics);
    if (status != ptxjit::LaunchStatus::Ok) {
      std::fputs(diagnostics.c_str(), stderr);
      std::exit(1);
    }
  });
  return best / turns / warps;
}

/// Prints what a barrier adds to a turn in which each thread counts in shared
/// memory.
static void printBarriers() {
  std::string diagnostics;
  auto module =
      ptxjit::LoadedModule::load(kKernels, "overheads.ptx", diagnostics);
  std::printf("\n| warps | no barrier | fission | fibers | threads |\n"
              "|---:|---:|---:|---:|---:|\n");
  for (uint32_t warps : {1u, 2u, 8u, 32u}) {
    std::printf("| %u | %.1f ns", warps,
                timeTurns(*module, "turns", warps, PTXJIT_MODE_WARP_LOOP));
    for (PtxjitMode mode :
         {PTXJIT_MODE_FISSION, PTXJIT_MODE_FIBERS, PTXJIT_MODE_THREADS})
      std::printf(" | %.1f ns", timeTurns(*module, "barriers", warps, mode));
    std::printf(" |\n");
  }
}

int main() {
  CUcontext context;
  CUmodule module;
  CUfunction empty;
  check(cuInit(0), "cuInit");
  check(cuCtxCreate_v2(&context, 0, 0), "cuCtxCreate");
  check(cuModuleLoadData(&module, kKernels), "cuModuleLoadData");
  check(cuModuleGetFunction(&empty, module, "empty"), "cuModuleGetFunction");
  std::printf("| what | time |\n|---|---:|\n");
  for (unsigned grid : {1u, 64u})
    std::printf("| launch and synchronise, %u CTA%s of 256 threads | %.1f us "
                "|\n",
                grid, grid > 1 ? "s" : "",
                timeLaunch(empty, grid, 256, nullptr, 2000) / 1000);
  printBarriers();
  return 0;
}
