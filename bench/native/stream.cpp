// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory-bound cases as a C++ engineer would write them: OpenMP, -O3
// -march=native, strict floating point except for sums.
#include "../driver/fns.h"
#include "../driver/sizes.h"
#include <cstdint>
#include <cstring>
#include <omp.h>
#include <vector>
namespace bench {
using namespace sz;
typedef float *__restrict fp;
static void add(void **b, int n) {
  fp x = (fp)b[0], y = (fp)b[1], z = (fp)b[2];
#pragma omp parallel for simd
  for (int i = 0; i < n; ++i)
    z[i] = x[i] + y[i];
}
// Too small for a parallel region to pay.
void native_vecadd_small(void **b) {
  fp x = (fp)b[0], y = (fp)b[1], z = (fp)b[2];
  for (int i = 0; i < NSMALL; ++i)
    z[i] = x[i] + y[i];
}
void native_vecadd(void **b) { add(b, N); }
void native_saxpy(void **b) {
  fp x = (fp)b[0], y = (fp)b[1];
#pragma omp parallel for simd
  for (int i = 0; i < N; ++i)
    y[i] = 1.5f * x[i] + y[i];
}
void native_triad(void **b) {
  fp x = (fp)b[0], y = (fp)b[1], z = (fp)b[2];
#pragma omp parallel for simd
  for (int i = 0; i < N; ++i)
    z[i] = x[i] + 3.0f * y[i];
}
// Through a small tile: reads and writes whole cache lines, without conflicts
// in cache sets.
void native_transpose(void **b) {
  fp x = (fp)b[0], y = (fp)b[1];
  constexpr int T = 32;
#pragma omp parallel for collapse(2)
  for (int r = 0; r < TR; r += T)
    for (int c = 0; c < TR; c += T) {
      float t[T][T + 1];
      for (int i = 0; i < T; ++i)
        for (int j = 0; j < T; ++j)
          t[i][j] = x[(size_t)(c + i) * TR + r + j];
      for (int i = 0; i < T; ++i)
        for (int j = 0; j < T; ++j)
          y[(size_t)(r + i) * TR + c + j] = t[j][i];
    }
}
void native_reduce(void **b) {
  fp x = (fp)b[0];
  float s = 0;
#pragma omp parallel for simd reduction(+ : s)
  for (int i = 0; i < N; ++i)
    s += x[i];
  *(fp)b[2] = s;
}
void native_scan(void **b) {
  auto x = (const uint32_t *__restrict)b[0];
  auto y = (uint32_t *__restrict)b[1];
  std::vector<uint32_t> off(omp_get_max_threads() + 1);
#pragma omp parallel
  {
    int t = omp_get_thread_num(), p = omp_get_num_threads();
    size_t lo = (size_t)N * t / p, hi = (size_t)N * (t + 1) / p;
    uint32_t s = 0;
#pragma omp simd reduction(+ : s)
    for (size_t i = lo; i < hi; ++i)
      s += x[i];
    off[t + 1] = s;
#pragma omp barrier
    s = 0;
    for (int i = 0; i <= t; ++i)
      s += off[i];
    for (size_t i = lo; i < hi; ++i)
      y[i] = s += x[i];
  }
}
void native_histogram(void **b) {
  auto x = (const uint8_t *__restrict)b[0];
  auto h = (uint32_t *)b[1];
  memset(h, 0, 1024);
#pragma omp parallel
  {
    uint32_t l[4][256] = {};
#pragma omp for
    for (int i = 0; i < HIST; i += 4)
      ++l[0][x[i]], ++l[1][x[i + 1]], ++l[2][x[i + 2]], ++l[3][x[i + 3]];
#pragma omp critical
    for (int i = 0; i < 256; ++i)
      h[i] += l[0][i] + l[1][i] + l[2][i] + l[3][i];
  }
}
void native_jacobi2d(void **b) {
  fp x = (fp)b[0], y = (fp)b[1];
#pragma omp parallel for
  for (int r = 0; r < TR; ++r) {
    fp p = x + (size_t)r * TR, q = y + (size_t)r * TR;
    if (r == 0 || r == TR - 1) {
      memcpy(q, p, TR * 4);
      continue;
    }
    q[0] = p[0], q[TR - 1] = p[TR - 1];
#pragma omp simd
    for (int c = 1; c < TR - 1; ++c)
      q[c] = 0.2f * (p[c] + p[c - 1] + p[c + 1] + p[c - TR] + p[c + TR]);
  }
}
void native_stencil3d(void **b) {
  fp x = (fp)b[0], y = (fp)b[1];
  constexpr int n = S3, P = n * n;
#pragma omp parallel for
  for (int z = 0; z < n; ++z)
    for (int r = 0; r < n; ++r) {
      fp p = x + z * P + r * n, q = y + z * P + r * n;
      if (!z || !r || z == n - 1 || r == n - 1) {
        memcpy(q, p, n * 4);
        continue;
      }
      q[0] = p[0], q[n - 1] = p[n - 1];
#pragma omp simd
      for (int c = 1; c < n - 1; ++c)
        q[c] = 0.4f * p[c] + 0.1f * (p[c - 1] + p[c + 1] + p[c - n] + p[c + n] +
                                     p[c - P] + p[c + P]);
    }
}
void native_conv3x3(void **b) {
  fp x = (fp)b[0], f = (fp)b[1], y = (fp)b[2];
  auto edge = [&](int r, int c) {
    float s = 0;
    for (int j = -1; j < 2; ++j)
      for (int i = -1; i < 2; ++i)
        if (r + j >= 0 && r + j < TR && c + i >= 0 && c + i < TR)
          s += f[(j + 1) * 3 + i + 1] * x[(size_t)(r + j) * TR + c + i];
    y[(size_t)r * TR + c] = s;
  };
#pragma omp parallel for
  for (int r = 0; r < TR; ++r) {
    if (r == 0 || r == TR - 1) {
      for (int c = 0; c < TR; ++c)
        edge(r, c);
      continue;
    }
    edge(r, 0), edge(r, TR - 1);
    fp p = x + (size_t)r * TR, q = y + (size_t)r * TR;
    float k[9];
    memcpy(k, f, 36);
#pragma omp simd
    for (int c = 1; c < TR - 1; ++c)
      q[c] = k[0] * p[c - TR - 1] + k[1] * p[c - TR] + k[2] * p[c - TR + 1] +
             k[3] * p[c - 1] + k[4] * p[c] + k[5] * p[c + 1] +
             k[6] * p[c + TR - 1] + k[7] * p[c + TR] + k[8] * p[c + TR + 1];
  }
}
void native_rgb2gray(void **b) {
  auto x = (const uint8_t *__restrict)b[0];
  auto y = (uint8_t *__restrict)b[1];
#pragma omp parallel for simd
  for (int i = 0; i < TR * TR; ++i)
    y[i] = (uint16_t)(x[3 * i] * 77 + x[3 * i + 1] * 150 + x[3 * i + 2] * 29 +
                      128) >>
           8;
}
} // namespace bench
