//===- KernelABIDemo.cpp - a kernel by hand -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel written in C++ that looks to the runtime like compiled code: it
// reaches everything through the context, but knows its block shape.
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Runtime/LaunchGrid.h"

#include <cstring>
#include <gtest/gtest.h>
#include <numeric>
#include <vector>

using namespace ptxjit;

namespace {
constexpr unsigned kBlock = 64; // known when the kernel is compiled

struct Params {
  float *y;
  const float *x;
  float a;
  uint32_t n;
};

/// Computes y[i] = a * x[i] + y[i] in one CTA: runs its warps from `begin` to
/// `end` - 1 one after another.
void saxpy(PtxjitKernelContext *context, uint32_t begin, uint32_t end) {
  Params params;
  std::memcpy(&params, context->params, sizeof params);
  for (unsigned warp = begin; warp < end; ++warp)
    for (unsigned lane = 0; lane < 32; ++lane) {
      uint32_t i = context->ctaid[0] * kBlock + warp * 32 + lane;
      if (i < params.n)
        params.y[i] = params.a * params.x[i] + params.y[i];
    }
}
} // namespace

TEST(KernelABIDemo, HandWrittenKernel) {
  const uint32_t n = 1000;
  std::vector<float> x(n), y(n, 1);
  std::iota(x.begin(), x.end(), 0.f);
  alignas(16) Params params{y.data(), x.data(), 2, n};
  KernelCode code;
  code.entry = saxpy;
  code.threads = kBlock;
  Grid grid{(n + kBlock - 1) / kBlock, 1, 1};
  ASSERT_EQ(launchGrid(code, grid, &params, 0, 0), LaunchStatus::Ok);
  for (uint32_t i = 0; i < n; ++i)
    ASSERT_EQ(y[i], 2.f * float(i) + 1.f);
}
