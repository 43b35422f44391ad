// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The algorithms of Rodinia, and a softmax of long rows, for CPUs; built with
// -ffast-math and -fveclib=libmvec.
#include "../driver/fns.h"
#include "../driver/sizes.h"
#include <algorithm>
#include <cblas.h>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>
namespace bench {
using namespace sz;
typedef float *__restrict fp;
void native_hotspot(void **b) {
  const int n = HOT;
  auto power = (const float *)b[0];
  for (int s = 0; s < HOTSTEPS; ++s) {
    auto in = (const float *)b[s ? 3 - (s & 1) : 1];
    auto out = (float *)b[2 + (s & 1)];
#pragma omp parallel for
    for (int y = 0; y < n; ++y) {
      const float *p = in + y * n, *up = y ? p - n : p,
                  *down = y < n - 1 ? p + n : p;
      auto cell = [&](int x, int west, int east) {
        float t = p[x];
        out[y * n + x] =
            t +
            HOTRATE * (power[y * n + x] + (up[x] + down[x] - 2 * t) * HOTRX +
                       (p[west] + p[east] - 2 * t) * HOTRX + (80 - t) * HOTRZ);
      };
      cell(0, 0, 1), cell(n - 1, n - 2, n - 1);
#pragma omp simd
      for (int x = 1; x < n - 1; ++x)
        cell(x, x - 1, x + 1);
    }
  }
}
void native_pathfinder(void **b) {
  const int n = PATHCOLS;
  auto wall = (const int *)b[0];
#pragma omp parallel
  for (int r = 1; r < PATHROWS; ++r) {
    auto p = r > 1 ? (const int *)b[1 + (r & 1)] : wall;
    auto q = (int *)b[2 - (r & 1)];
    const int *w = wall + (size_t)r * n;
#pragma omp for simd
    for (int x = 1; x < n - 1; ++x)
      q[x] = w[x] + std::min(std::min(p[x - 1], p[x]), p[x + 1]);
#pragma omp single
    {
      q[0] = w[0] + std::min(p[0], p[1]);
      q[n - 1] = w[n - 1] + std::min(p[n - 2], p[n - 1]);
    }
  }
}
// A row of differences to the four neighbours and of coefficients.
static void slopes(void **b, int y, float q0) {
  const int n = SRAD;
  fp j = (fp)b[1] + y * n, dn = (fp)b[2] + y * n, ds = (fp)b[3] + y * n,
     dw = (fp)b[4] + y * n, de = (fp)b[5] + y * n, c = (fp)b[6] + y * n;
  const float *up = y ? j - n : j, *down = y < n - 1 ? j + n : j;
  auto cell = [&](int x, int w, int e) {
    float m = j[x], r = 1 / m;
    float north = up[x] - m, south = down[x] - m, west = j[w] - m,
          east = j[e] - m;
    float g =
        (north * north + south * south + west * west + east * east) * r * r;
    float l = (north + south + west + east) * r, den = 1 + 0.25f * l;
    float q = (0.5f * g - 0.0625f * l * l) / (den * den);
    float f = 1 / (1 + (q - q0) / (q0 * (1 + q0)));
    dn[x] = north, ds[x] = south, dw[x] = west, de[x] = east;
    c[x] = std::min(std::max(f, 0.0f), 1.0f);
  };
  cell(0, 0, 1), cell(n - 1, n - 2, n - 1);
#pragma omp simd
  for (int x = 1; x < n - 1; ++x)
    cell(x, x - 1, x + 1);
}
static void diffuse(void **b, int y) {
  const int n = SRAD;
  fp j = (fp)b[1] + y * n, dn = (fp)b[2] + y * n, ds = (fp)b[3] + y * n,
     dw = (fp)b[4] + y * n, de = (fp)b[5] + y * n, c = (fp)b[6] + y * n;
  const float *down = y < n - 1 ? c + n : c;
  auto cell = [&](int x, int e) {
    j[x] += 0.25f * SRADLAMBDA *
            (c[x] * (dn[x] + dw[x]) + down[x] * ds[x] + c[e] * de[x]);
  };
  cell(n - 1, n - 1);
#pragma omp simd
  for (int x = 0; x < n - 1; ++x)
    cell(x, x + 1);
}
void native_srad(void **b) {
  const int n = SRAD * SRAD;
  fp image = (fp)b[0], j = (fp)b[1];
#pragma omp parallel for simd
  for (int i = 0; i < n; ++i)
    j[i] = expf(image[i] * (1 / 255.0f));
  for (int s = 0; s < SRADSTEPS; ++s) {
    float sum = 0, squares = 0;
#pragma omp parallel for simd reduction(+ : sum, squares)
    for (int i = 0; i < n; ++i)
      sum += j[i], squares += j[i] * j[i];
    float mean = sum / n, q0 = (squares / n - mean * mean) / (mean * mean);
#pragma omp parallel for
    for (int y = 0; y < SRAD; ++y)
      slopes(b, y, q0);
#pragma omp parallel for
    for (int y = 0; y < SRAD; ++y)
      diffuse(b, y);
  }
}
// By blocks, so that nearly all the work is the library's GEMM.
void native_lud(void **b) {
  constexpr int n = LUD, B = 64;
  auto m = (float *)b[1];
  memcpy(m, b[0], (size_t)n * n * 4);
  for (int at = 0; at < n; at += B) {
    float *d = m + (size_t)at * n + at, *row = d + B, *col = d + B * n;
    for (int k = 0; k < B; ++k)
      for (int i = k + 1; i < B; ++i) {
        float f = d[i * n + k] /= d[k * n + k];
#pragma omp simd
        for (int j = k + 1; j < B; ++j)
          d[i * n + j] -= f * d[k * n + j];
      }
    int rest = n - at - B;
    if (!rest)
      break;
    cblas_strsm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit,
                B, rest, 1, d, n, row, n);
    cblas_strsm(CblasRowMajor, CblasRight, CblasUpper, CblasNoTrans,
                CblasNonUnit, rest, B, 1, d, n, col, n);
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rest, rest, B, -1,
                col, n, row, n, 1, col + B, n);
  }
}
// Tiles along diagonals, each row by row.
void native_nw(void **b) {
  constexpr int w = NW + 1, T = 128, tiles = NW / T;
  auto s = (int *)b[0];
  auto like = (const int *)b[1];
#pragma omp parallel
  for (int d = 0; d < 2 * tiles - 1; ++d) {
#pragma omp for schedule(dynamic)
    for (int bx = std::max(0, d - tiles + 1); bx <= std::min(d, tiles - 1);
         ++bx)
      for (int y = (d - bx) * T + 1; y <= (d - bx + 1) * T; ++y) {
        int *p = s + y * w, left = p[bx * T];
        const int *up = p - w, *r = like + y * w;
        for (int x = bx * T + 1; x <= (bx + 1) * T; ++x)
          p[x] = left =
              std::max(std::max(up[x - 1] + r[x], up[x] - NWGAP), left - NWGAP);
      }
  }
}
void native_streamcluster(void **b) {
  auto coord = (const float *)b[0], weight = (const float *)b[1],
       cost = (const float *)b[2];
  auto centre = (const int *)b[3];
  auto moves = (uint8_t *)b[5];
  constexpr int T = 1024;
  float gain[SCK + 1] = {};
#pragma omp parallel for reduction(+ : gain)
  for (int at = 0; at < SCN; at += T) {
    float d[T] = {};
    for (int k = 0; k < SCDIM; ++k) {
      const float *p = coord + (size_t)k * SCN, x = p[77];
#pragma omp simd
      for (int i = 0; i < T; ++i)
        d[i] += (p[at + i] - x) * (p[at + i] - x);
    }
    for (int i = at; i < at + T; ++i) {
      float e = d[i - at] * weight[i] - cost[i];
      moves[i] = e < 0;
      gain[e < 0 ? SCK : centre[i]] += e < 0 ? e : -e;
    }
  }
  memcpy(b[6], gain, sizeof gain);
}
void native_kmeans(void **b) {
  auto points = (const float *)b[0], centres = (const float *)b[2];
  auto nearest = (int *)b[3];
#pragma omp parallel for
  for (int i = 0; i < KMN; ++i) {
    const float *p = points + (size_t)i * KMDIM;
    float least = 3.4e38f;
    int best = 0;
    for (int c = 0; c < KMK; ++c) {
      const float *q = centres + c * KMDIM;
      float d = 0;
#pragma omp simd reduction(+ : d)
      for (int k = 0; k < KMDIM; ++k)
        d += (p[k] - q[k]) * (p[k] - q[k]);
      if (d < least)
        least = d, best = c;
    }
    nearest[i] = best;
  }
}
void native_backprop(void **b) {
  fp input = (fp)b[0], weights = (fp)b[1], out = (fp)b[3];
  float sum[BPH] = {};
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < BPN; ++i)
    for (int h = 0; h < BPH; ++h)
      sum[h] += input[i] * weights[(size_t)i * BPH + h];
  for (int h = 0; h < BPH; ++h)
    out[h] = 1 / (1 + expf(-sum[h]));
}
void native_lavamd(void **b) {
  constexpr int e = LAVAEDGE, P = LAVAPER, n = e * e * e * P;
  fp pos = (fp)b[0], charge = (fp)b[1], force = (fp)b[2];
  // A structure of arrays, which suits SIMD.
  static float X[n], Y[n], Z[n], V[n];
  for (int i = 0; i < n; ++i)
    X[i] = pos[4 * i], Y[i] = pos[4 * i + 1], Z[i] = pos[4 * i + 2],
    V[i] = pos[4 * i + 3];
#pragma omp parallel for schedule(dynamic, 4)
  for (int box = 0; box < e * e * e; ++box) {
    int x = box % e, y = box / e % e, z = box / e / e;
    int x0 = std::max(x - 1, 0), x1 = std::min(x + 1, e - 1);
    for (int i = box * P; i < (box + 1) * P; ++i) {
      float fx = 0, fy = 0, fz = 0, fv = 0;
      for (int oz = std::max(z - 1, 0); oz <= std::min(z + 1, e - 1); ++oz)
        for (int oy = std::max(y - 1, 0); oy <= std::min(y + 1, e - 1); ++oy) {
          // The boxes of a row are neighbours in memory.
          int from = ((oz * e + oy) * e + x0) * P,
              to = ((oz * e + oy) * e + x1 + 1) * P;
#pragma omp simd reduction(+ : fx, fy, fz, fv)
          for (int j = from; j < to; ++j) {
            float r = V[i] + V[j] - (X[i] * X[j] + Y[i] * Y[j] + Z[i] * Z[j]);
            float v = charge[j] * expf(-0.5f * r);
            fx += 2 * v * (X[i] - X[j]), fy += 2 * v * (Y[i] - Y[j]),
                fz += 2 * v * (Z[i] - Z[j]), fv += v;
          }
        }
      force[4 * i] = fx, force[4 * i + 1] = fy, force[4 * i + 2] = fz,
                force[4 * i + 3] = fv;
    }
  }
}
void native_softmax_vec(void **b) {
  fp x = (fp)b[0], y = (fp)b[1];
#pragma omp parallel for
  for (int r = 0; r < SVROWS; ++r) {
    fp p = x + (size_t)r * SVCOLS, q = y + (size_t)r * SVCOLS;
    float m = p[0], s = 0;
    for (int i = 0; i < SVCOLS; ++i)
      m = p[i] > m ? p[i] : m;
    for (int i = 0; i < SVCOLS; ++i)
      s += q[i] = expf(p[i] - m);
    s = 1.0f / s;
    for (int i = 0; i < SVCOLS; ++i)
      q[i] *= s;
  }
}
} // namespace bench
