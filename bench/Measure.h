//===- Measure.h - best times and failed calls of benchmarks ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_BENCH_MEASURE_H
#define PTXJIT_BENCH_MEASURE_H

#include "ptxjit/CudaDriver/CudaABI.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <limits>

namespace bench {

/// Ends the program if a call of the driver, which `what` names, has failed.
inline void check(CUresult result, const char *what) {
  if (result == CUDA_SUCCESS)
    return;
  std::fprintf(stderr, "%s: error %d\n", what, int(result));
  std::exit(1);
}

/// The shortest time of `runs` calls of f(), in nanoseconds.
template <typename F> double findBestTime(int runs, F f) {
  double best = std::numeric_limits<double>::max();
  for (int i = 0; i < runs; ++i) {
    auto start = std::chrono::steady_clock::now();
    f();
    std::chrono::duration<double, std::nano> time =
        std::chrono::steady_clock::now() - start;
    best = std::min(best, time.count());
  }
  return best;
}

} // namespace bench

#endif // PTXJIT_BENCH_MEASURE_H
