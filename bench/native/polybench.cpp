// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The algorithms of PolyBench for CPUs; built with -ffast-math.
#include "../driver/fns.h"
#include "../driver/sizes.h"
#include <cblas.h>
#include <cmath>
#include <cstddef>
#include <vector>
namespace bench {
using namespace sz;
typedef float *__restrict fp;
void native_conv2d(void **b) {
#pragma omp parallel for
  for (int y = 1; y < TR - 1; ++y) {
    fp p = (fp)b[0] + (size_t)y * TR, q = (fp)b[1] + (size_t)y * TR;
#pragma omp simd
    for (int x = 1; x < TR - 1; ++x)
      q[x] = 0.2f * p[x - TR - 1] - 0.3f * p[x - TR] + 0.4f * p[x - TR + 1] +
             0.5f * p[x - 1] + 0.6f * p[x] + 0.7f * p[x + 1] -
             0.8f * p[x + TR - 1] - 0.9f * p[x + TR] + 0.1f * p[x + TR + 1];
  }
}
// Both products of a row while it is in cache.
void native_atax(void **b) {
  fp a = (fp)b[0], x = (fp)b[1], t = (fp)b[2], y = (fp)b[3];
  for (int j = 0; j < ATAX; ++j)
    y[j] = 0;
#pragma omp parallel for reduction(+ : y[ : ATAX])
  for (int i = 0; i < ATAX; ++i) {
    fp row = a + (size_t)i * ATAX;
    float s = 0;
#pragma omp simd reduction(+ : s)
    for (int j = 0; j < ATAX; ++j)
      s += row[j] * x[j];
    t[i] = s;
#pragma omp simd
    for (int j = 0; j < ATAX; ++j)
      y[j] += s * row[j];
  }
}
// Columns made comparable, then a library's product, of which it computes half.
void native_corr(void **b) {
  const int n = CORR;
  auto data = (const float *)b[0];
  auto mean = (float *)b[1], dev = (float *)b[2], c = (float *)b[3],
       sym = (float *)b[4];
#pragma omp parallel
  {
#pragma omp for
    for (int at = 0; at < n; at += 64) {
      float s[64] = {}, q[64] = {};
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < 64; ++j)
          s[j] += data[i * n + at + j];
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < 64; ++j) {
          float d = data[i * n + at + j] - s[j] / n;
          q[j] += d * d;
        }
      for (int j = 0; j < 64; ++j) {
        float d = sqrtf(q[j] / n);
        mean[at + j] = s[j] / n;
        dev[at + j] = d <= 0.005f ? 1 : d;
      }
    }
#pragma omp for
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        c[i * n + j] = (data[i * n + j] - mean[j]) / (sqrtf(n) * dev[j]);
  }
  cblas_ssyrk(CblasRowMajor, CblasUpper, CblasTrans, n, n, 1, c, n, 0, sym, n);
#pragma omp parallel for schedule(dynamic)
  for (int at = 0; at < n; at += 32)
    for (int to = 0; to <= at; to += 32)
      for (int i = at; i < at + 32; ++i)
        for (int j = to; j < to + 32; ++j)
          if (j <= i)
            sym[i * n + j] = i == j ? 1 : sym[j * n + i];
}
void native_fdtd2d(void **b) {
  const int n = FDTD;
  fp source = (fp)b[0], ex = (fp)b[1], ey = (fp)b[2], hz = (fp)b[3];
#pragma omp parallel
  for (int t = 0; t < FDTDSTEPS; ++t) {
#pragma omp for
    for (int y = 0; y < n; ++y) {
      fp e = ey + y * n, f = ex + y * n;
      const float *h = hz + y * n;
      for (int x = 0; x < n; ++x)
        e[x] = y ? e[x] - 0.5f * (h[x] - h[x - n]) : source[t];
      for (int x = 1; x < n; ++x)
        f[x] -= 0.5f * (h[x] - h[x - 1]);
    }
#pragma omp for
    for (int y = 0; y < n - 1; ++y) {
      fp h = hz + y * n;
      const float *e = ey + y * n, *f = ex + y * n;
      for (int x = 0; x < n - 1; ++x)
        h[x] -= 0.7f * (f[x + 1] - f[x] + e[x + n] - e[x]);
    }
  }
}
} // namespace bench
