// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cases whose accesses or control flow depend on data.
#include "../driver/fns.h"
#include "../driver/sizes.h"
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <omp.h>
#include <vector>
namespace bench {
using namespace sz;
void native_spmv(void **b) {
  auto ptr = (const int *__restrict)b[0];
  auto col = (const int *__restrict)b[1];
  auto v = (const float *__restrict)b[2];
  auto x = (const float *__restrict)b[3];
  auto y = (float *__restrict)b[4];
#pragma omp parallel for
  for (int r = 0; r < SPROWS; ++r) {
    float s = 0;
    for (int j = ptr[r]; j < ptr[r + 1]; ++j)
      s += v[j] * x[col[j]];
    y[r] = s;
  }
}
// A parallel LSD radix sort in 4 passes of 8 bits, usual for u32 keys.
void native_sort(void **b) {
  auto src = (const uint32_t *)b[0];
  auto dst = (uint32_t *)b[1];
  static std::vector<uint32_t> tmp(SORT), hist(64 * 256);
  uint32_t *out[4] = {tmp.data(), dst, tmp.data(), dst};
#pragma omp parallel
  {
    int t = omp_get_thread_num(), p = omp_get_num_threads();
    size_t lo = (size_t)SORT * t / p, hi = (size_t)SORT * (t + 1) / p;
    const uint32_t *in = src;
    for (int pass = 0; pass < 4; ++pass) {
      uint32_t h[256] = {};
      int sh = pass * 8;
      for (size_t i = lo; i < hi; ++i)
        ++h[in[i] >> sh & 255];
      memcpy(&hist[t * 256], h, 1024);
#pragma omp barrier
      uint32_t at = 0;
      for (int d = 0; d < 256; ++d)
        for (int q = 0; q < p; ++q) {
          if (q == t)
            h[d] = at;
          at += hist[q * 256 + d];
        }
      uint32_t *o = out[pass];
      for (size_t i = lo; i < hi; ++i)
        o[h[in[i] >> sh & 255]++] = in[i];
#pragma omp barrier
      in = o;
    }
  }
}
// Top-down, with a queue per thread.
void native_bfs(void **b) {
  auto ptr = (const int *)b[0];
  auto adj = (const int *)b[1];
  auto d = (int *)b[2];
  auto q = (int *)b[3];
  auto r = (int *)b[4];
  int n = 1, next = 0, level = 0;
  q[0] = 0;
#pragma omp parallel
  {
    std::vector<int> mine;
#pragma omp for
    for (int i = 0; i < BFSN; ++i)
      d[i] = i ? -1 : 0;
    while (n) {
      mine.clear();
#pragma omp for schedule(dynamic, 256)
      for (int i = 0; i < n; ++i)
        for (int e = ptr[q[i]]; e < ptr[q[i] + 1]; ++e) {
          int v = adj[e], want = -1;
          if (__atomic_load_n(&d[v], __ATOMIC_RELAXED) < 0 &&
              __atomic_compare_exchange_n(&d[v], &want, level + 1, false,
                                          __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            mine.push_back(v);
        }
      int at = __atomic_fetch_add(&next, (int)mine.size(), __ATOMIC_RELAXED);
      memcpy(r + at, mine.data(), mine.size() * 4);
#pragma omp barrier
#pragma omp single
      {
        std::swap(q, r);
        n = next, next = 0;
        ++level;
      }
    }
  }
}
} // namespace bench
