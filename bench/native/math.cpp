// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compute-bound cases that clang vectorises; built with -ffast-math and
// -fveclib=libmvec.
#include "../driver/fns.h"
#include "../driver/sizes.h"
#include <cmath>
#include <cstdint>
#include <cstring>
namespace bench {
using namespace sz;
typedef float *__restrict fp;
void native_nbody(void **b) {
  fp p = (fp)b[0], a = (fp)b[1];
  // A structure of arrays, which suits SIMD.
  static float X[NBODY], Y[NBODY], Z[NBODY], W[NBODY];
  for (int i = 0; i < NBODY; ++i)
    X[i] = p[4 * i], Y[i] = p[4 * i + 1], Z[i] = p[4 * i + 2],
    W[i] = p[4 * i + 3];
#pragma omp parallel for
  for (int i = 0; i < NBODY; ++i) {
    float ax = 0, ay = 0, az = 0, px = X[i], py = Y[i], pz = Z[i];
#pragma omp simd reduction(+ : ax, ay, az)
    for (int j = 0; j < NBODY; ++j) {
      float dx = X[j] - px, dy = Y[j] - py, dz = Z[j] - pz,
            inv = 1.0f / sqrtf(dx * dx + dy * dy + dz * dz + 0.01f),
            s = W[j] * inv * inv * inv;
      ax += s * dx, ay += s * dy, az += s * dz;
    }
    a[4 * i] = ax, a[4 * i + 1] = ay, a[4 * i + 2] = az, a[4 * i + 3] = 0;
  }
}
static inline float cnd(float d) {
  float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
  float c =
      0.39894228040143267794f * expf(-0.5f * d * d) *
      (k * (0.31938153f +
            k * (-0.356563782f +
                 k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
  return d > 0 ? 1.0f - c : c;
}
void native_blackscholes(void **b) {
  fp S = (fp)b[0], X = (fp)b[1], T = (fp)b[2], C = (fp)b[3], P = (fp)b[4];
  const float r = 0.02f, v = 0.3f;
#pragma omp parallel for simd
  for (int i = 0; i < BS; ++i) {
    float s = S[i], x = X[i], t = T[i], q = sqrtf(t),
          d1 = (logf(s / x) + (r + 0.5f * v * v) * t) / (v * q),
          d2 = d1 - v * q;
    float n1 = cnd(d1), n2 = cnd(d2), e = expf(-r * t);
    C[i] = s * n1 - x * e * n2, P[i] = x * e * (1.0f - n2) - s * (1.0f - n1);
  }
}
void native_mandelbrot(void **b) {
  auto o = (uint32_t *)b[0];
#pragma omp parallel for schedule(dynamic, 8)
  for (int y = 0; y < MANDEL; ++y)
    for (int x = 0; x < MANDEL; ++x) {
      float cx = -2.0f + x * (2.5f / MANDEL), cy = -1.25f + y * (2.5f / MANDEL),
            zx = 0, zy = 0;
      int k = 0;
      for (; k < MAXIT; ++k) {
        float p = zx * zx, q = zy * zy;
        if (p + q > 4.0f)
          break;
        zy = 2.0f * zx * zy + cy, zx = p - q + cx;
      }
      o[y * MANDEL + x] = k;
    }
}
void native_softmax(void **b) {
  fp x = (fp)b[0], y = (fp)b[1];
#pragma omp parallel for
  for (int r = 0; r < ROWS; ++r) {
    fp p = x + (size_t)r * COLS, q = y + (size_t)r * COLS;
    float m = p[0], s = 0;
    for (int i = 0; i < COLS; ++i)
      m = p[i] > m ? p[i] : m;
    for (int i = 0; i < COLS; ++i)
      s += q[i] = expf(p[i] - m);
    s = 1.0f / s;
    for (int i = 0; i < COLS; ++i)
      q[i] *= s;
  }
}
void native_layernorm(void **b) {
  fp x = (fp)b[0], g = (fp)b[1], h = (fp)b[2], y = (fp)b[3];
#pragma omp parallel for
  for (int r = 0; r < ROWS; ++r) {
    fp p = x + (size_t)r * COLS, q = y + (size_t)r * COLS;
    float s = 0, v = 0;
    for (int i = 0; i < COLS; ++i)
      s += p[i];
    s /= COLS;
    for (int i = 0; i < COLS; ++i)
      v += (p[i] - s) * (p[i] - s);
    float inv = 1.0f / sqrtf(v / COLS + 1e-5f);
    for (int i = 0; i < COLS; ++i)
      q[i] = (p[i] - s) * inv * g[i] + h[i];
  }
}
// Computes tanh by expf, which libmvec vectorises; clang does not map tanhf.
void native_gelu(void **b) {
  fp x = (fp)b[0], y = (fp)b[1];
#pragma omp parallel for simd
  for (int i = 0; i < N; ++i) {
    float v = x[i], u = 0.7978845608f * (v + 0.044715f * v * v * v);
    y[i] = v - v / (1.0f + expf(2.0f * u));
  }
}
static const uint32_t K[64] = {
#include "../kernels/sha256_k.inc"
};
static inline uint32_t rot(uint32_t x, int n) { return x >> n | x << (32 - n); }
void native_sha256(void **b) {
  auto m = (const uint32_t *__restrict)b[0];
  auto o = (uint32_t *__restrict)b[1];
#pragma omp parallel for
  for (int i = 0; i < SHA; ++i) {
    uint32_t w[16];
    const uint32_t h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                           0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    memcpy(w, m + 16 * (size_t)i, 64);
    uint32_t A = h[0], B = h[1], C = h[2], D = h[3], E = h[4], F = h[5],
             G = h[6], H = h[7];
#pragma clang loop unroll(full)
    for (int t = 0; t < 64; ++t) {
      if (t >= 16) {
        uint32_t x = w[(t + 1) & 15], y = w[(t + 14) & 15];
        w[t & 15] += (rot(x, 7) ^ rot(x, 18) ^ x >> 3) + w[(t + 9) & 15] +
                     (rot(y, 17) ^ rot(y, 19) ^ y >> 10);
      }
      uint32_t t1 = H + (rot(E, 6) ^ rot(E, 11) ^ rot(E, 25)) +
                    ((E & F) ^ (~E & G)) + K[t] + w[t & 15],
               t2 = (rot(A, 2) ^ rot(A, 13) ^ rot(A, 22)) +
                    ((A & B) ^ (A & C) ^ (B & C));
      H = G, G = F, F = E, E = D + t1, D = C, C = B, B = A, A = t1 + t2;
    }
    uint32_t s[8] = {A, B, C, D, E, F, G, H};
    for (int j = 0; j < 8; ++j)
      o[8 * (size_t)i + j] = h[j] + s[j];
  }
}
void native_mcpi(void **b) {
  uint32_t hits = 0;
#pragma omp parallel for reduction(+ : hits)
  for (int t = 0; t < MCT; ++t) {
    uint32_t mine = 0;
#pragma omp simd reduction(+ : mine)
    for (int it = 0; it < MCIT; ++it) {
      uint32_t c0 = it, c1 = 0, c2 = t, c3 = 0, k0 = 12345, k1 = 0x9e3779b9u;
      for (int r = 0; r < 10; ++r) {
        uint64_t p = 0xD2511F53ull * c0, q = 0xCD9E8D57ull * c2;
        c0 = (uint32_t)(q >> 32) ^ c1 ^ k0, c1 = (uint32_t)q,
        c2 = (uint32_t)(p >> 32) ^ c3 ^ k1, c3 = (uint32_t)p;
        k0 += 0x9E3779B9u, k1 += 0xBB67AE85u;
      }
      const float s = 1.0f / 16777216.0f;
      float x = (int)(c0 >> 8) * s, y = (int)(c1 >> 8) * s,
            u = (int)(c2 >> 8) * s, v = (int)(c3 >> 8) * s;
      mine += (x * x + y * y < 1.0f) + (u * u + v * v < 1.0f);
    }
    hits += mine;
  }
  *(uint32_t *)b[0] = hits;
}
} // namespace bench
