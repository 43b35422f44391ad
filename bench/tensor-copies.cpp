//===- tensor-copies.cpp - copies of tensors against memcpy ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One thread copies boxes of 128 x 64 elements of bf16, one after the other,
// into shared memory or from there, and waits for each. memcpy copies the same
// rows in the same run. Prints a table.
//
//===----------------------------------------------------------------------===//

#include "Measure.h"

#include <cstdint>
#include <cstdio>
#include <cstring>

using bench::check;

static const char *const kKernels = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry load(.param .align 64 .b8 map[128], .param .u32 n)
{
  .reg .b32 %i, %n, %tile, %bar, %y, %zero; .reg .b64 %map, %state;
  .reg .pred %p, %done;
  .shared .align 1024 .b8 tile[16384];
  .shared .align 8 .b64 bar;
  ld.param.u32 %n, [n];
  mov.u64 %map, map;
  cvta.param.u64 %map, %map;
  mov.u32 %tile, tile;
  mov.u32 %bar, bar;
  mov.u32 %zero, 0;
  mbarrier.init.shared.b64 [%bar], 1;
  mov.u32 %i, 0;
LOOP:
  and.b32 %y, %i, 3;
  shl.b32 %y, %y, 7;
  cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%tile], [%map, {%zero, %y}], [%bar];
  mbarrier.arrive.expect_tx.shared.b64 %state, [%bar], 16384;
WAIT:
  mbarrier.try_wait.shared.b64 %done, [%bar], %state;
  @!%done bra WAIT;
  add.u32 %i, %i, 1;
  setp.lt.u32 %p, %i, %n;
  @%p bra LOOP;
  ret;
}
.visible .entry store(.param .align 64 .b8 map[128], .param .u32 n)
{
  .reg .b32 %i, %n, %tile, %y, %zero; .reg .b64 %map;
  .reg .pred %p;
  .shared .align 1024 .b8 from[16384];
  ld.param.u32 %n, [n];
  mov.u64 %map, map;
  cvta.param.u64 %map, %map;
  mov.u32 %tile, from;
  mov.u32 %zero, 0;
  mov.u32 %i, 0;
LOOP:
  and.b32 %y, %i, 3;
  shl.b32 %y, %y, 7;
  cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%map, {%zero, %y}], [%tile];
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;
  add.u32 %i, %i, 1;
  setp.lt.u32 %p, %i, %n;
  @%p bra LOOP;
  ret;
}
)";

static constexpr unsigned kRows = 128, kRowBytes = 128, kBoxes = 4;
static constexpr unsigned kCopies = 20000;

/// The best time of some calls of f(), in nanoseconds a copy.
template <typename F> static double timeCopies(F f) {
  return bench::findBestTime(40, f) / kCopies;
}

/// Copies the rows of the boxes as the kernels do.
static void copyByHost(char *tensor, char *tile, size_t pitch, bool isLoad) {
  for (unsigned i = 0; i < kCopies; ++i) {
    char *box = tensor + i % kBoxes * kRows * pitch;
    if (pitch == kRowBytes) {
      std::memcpy(isLoad ? tile : box, isLoad ? box : tile, kRows * kRowBytes);
    } else {
      for (unsigned row = 0; row < kRows; ++row) {
        char *inTensor = box + row * pitch, *inTile = tile + row * kRowBytes;
        std::memcpy(isLoad ? inTile : inTensor, isLoad ? inTensor : inTile,
                    kRowBytes);
      }
    }
    asm volatile("" ::: "memory"); // no copy may be left out
  }
}

static CUtensorMap encode(CUdeviceptr tensor, size_t pitch,
                          CUtensorMapSwizzle swizzle) {
  constexpr uint32_t columns = kRowBytes / 2; // of 2 bytes
  CUtensorMap map;
  uint64_t extents[] = {columns, kRows * kBoxes}, strides[] = {pitch};
  uint32_t box[] = {columns, kRows}, steps[] = {1, 1};
  check(cuTensorMapEncodeTiled(
            &map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2,
            reinterpret_cast<void *>(tensor), extents, strides, box, steps,
            CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
            CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
        "cuTensorMapEncodeTiled");
  return map;
}

static void measure(CUmodule module, const char *kernel, size_t pitch,
                    CUtensorMapSwizzle swizzle, const char *swizzleName) {
  CUfunction function;
  CUdeviceptr tensor;
  check(cuModuleGetFunction(&function, module, kernel), "cuModuleGetFunction");
  check(cuMemAlloc_v2(&tensor, kBoxes * kRows * pitch), "cuMemAlloc");
  CUtensorMap map = encode(tensor, pitch, swizzle);
  unsigned copies = kCopies;
  void *params[] = {&map, &copies};
  double ours = timeCopies([&] {
    check(
        cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, params, nullptr),
        "cuLaunchKernel");
    check(cuCtxSynchronize(), "cuCtxSynchronize");
  });
  alignas(1024) static char tile[kRows * kRowBytes];
  double native = timeCopies([&] {
    copyByHost(reinterpret_cast<char *>(tensor), tile, pitch, kernel[0] == 'l');
  });
  std::printf("| %s | %s | %zu bytes | %.0f ns | %.0f ns | %.0f %% |\n", kernel,
              swizzleName, pitch, ours, native, 100 * native / ours);
  check(cuMemFree_v2(tensor), "cuMemFree");
}

int main() {
  CUcontext context;
  CUmodule module;
  check(cuInit(0), "cuInit");
  check(cuCtxCreate_v2(&context, 0, 0), "cuCtxCreate");
  check(cuModuleLoadData(&module, kKernels), "cuModuleLoadData");
  std::printf("| copy | swizzle | from row to row | ours | memcpy | memcpy's "
              "share |\n|---|---|---:|---:|---:|---:|\n");
  for (const char *kernel : {"load", "store"})
    for (size_t pitch : {size_t(128), size_t(4096)}) {
      measure(module, kernel, pitch, CU_TENSOR_MAP_SWIZZLE_NONE, "none");
      measure(module, kernel, pitch, CU_TENSOR_MAP_SWIZZLE_128B, "128 bytes");
    }
  return 0;
}
