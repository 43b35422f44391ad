// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// References: obvious code, sums in double, no tuning.
#include "cases.h"
#include "fns.h"
#include "sizes.h"
#include <algorithm>
#include <cmath>
namespace bench {
using namespace sz;
#define PF(i, n)                                                               \
  _Pragma("omp parallel for schedule(dynamic, 256)") for (int i = 0; i < (n);  \
                                                          ++i)
typedef float *fp;
typedef uint32_t *up;
static void add(Bufs b, int n) {
  fp x = (fp)b[0], y = (fp)b[1], z = (fp)b[2];
  PF(i, n) z[i] = x[i] + y[i];
}
void ref_vecadd_small(Bufs b) { add(b, NSMALL); }
void ref_vecadd(Bufs b) { add(b, N); }
void ref_saxpy(Bufs b) {
  fp x = (fp)b[0], y = (fp)b[1];
  PF(i, N) y[i] = (float)(1.5 * x[i] + y[i]);
}
void ref_triad(Bufs b) {
  fp x = (fp)b[0], y = (fp)b[1], z = (fp)b[2];
  PF(i, N) z[i] = (float)(x[i] + 3.0 * y[i]);
}
void ref_transpose(Bufs b) {
  fp x = (fp)b[0], y = (fp)b[1];
  PF(i, TR)
  for (int j = 0; j < TR; ++j)
    y[(size_t)i * TR + j] = x[(size_t)j * TR + i];
}
void ref_reduce(Bufs b) {
  fp x = (fp)b[0];
  double s = 0;
  for (int i = 0; i < N; ++i)
    s += x[i];
  *(fp)b[2] = s;
}
void ref_scan(Bufs b) {
  up x = (up)b[0], y = (up)b[1];
  uint32_t s = 0;
  for (int i = 0; i < N; ++i)
    y[i] = s += x[i];
}
void ref_histogram(Bufs b) {
  auto x = (uint8_t *)b[0];
  up h = (up)b[1];
  memset(h, 0, 1024);
  for (int i = 0; i < HIST; ++i)
    ++h[x[i]];
}
void ref_jacobi2d(Bufs b) {
  fp x = (fp)b[0], y = (fp)b[1];
  PF(r, TR) for (int c = 0; c < TR; ++c) {
    size_t i = (size_t)r * TR + c;
    y[i] = !r || !c || r == TR - 1 || c == TR - 1
               ? x[i]
               : (float)(0.2 * ((double)x[i] + x[i - 1] + x[i + 1] + x[i - TR] +
                                x[i + TR]));
  }
}
void ref_stencil3d(Bufs b) {
  fp x = (fp)b[0], y = (fp)b[1];
  const int n = S3, p = n * n;
  PF(z, n) for (int r = 0; r < n; ++r) for (int c = 0; c < n; ++c) {
    int i = z * p + r * n + c;
    y[i] = !z || !r || !c || z == n - 1 || r == n - 1 || c == n - 1
               ? x[i]
               : (float)(0.4 * x[i] +
                         0.1 * ((double)x[i - 1] + x[i + 1] + x[i - n] +
                                x[i + n] + x[i - p] + x[i + p]));
  }
}
void ref_conv3x3(Bufs b) {
  fp x = (fp)b[0], f = (fp)b[1], y = (fp)b[2];
  PF(r, TR) for (int c = 0; c < TR; ++c) {
    double s = 0;
    for (int j = -1; j < 2; ++j)
      for (int i = -1; i < 2; ++i)
        if (r + j >= 0 && r + j < TR && c + i >= 0 && c + i < TR)
          s += (double)f[(j + 1) * 3 + i + 1] * x[(size_t)(r + j) * TR + c + i];
    y[(size_t)r * TR + c] = s;
  }
}
void ref_rgb2gray(Bufs b) {
  auto x = (uint8_t *)b[0], y = (uint8_t *)b[1];
  PF(i, TR * TR)
  y[i] = (x[3 * i] * 77 + x[3 * i + 1] * 150 + x[3 * i + 2] * 29 + 128) >> 8;
}
void ref_nbody(Bufs b) {
  fp p = (fp)b[0], a = (fp)b[1];
  PF(i, NBODY) {
    double s[3] = {};
    for (int j = 0; j < NBODY; ++j) {
      double d[3], r = 0.01f;
      for (int k = 0; k < 3; ++k)
        d[k] = (double)p[4 * j + k] - p[4 * i + k], r += d[k] * d[k];
      double w = p[4 * j + 3] / (r * std::sqrt(r));
      for (int k = 0; k < 3; ++k)
        s[k] += w * d[k];
    }
    for (int k = 0; k < 3; ++k)
      a[4 * i + k] = s[k];
    a[4 * i + 3] = 0;
  }
}
static double cnd(double d) {
  double k = 1 / (1 + 0.2316419 * std::fabs(d));
  double c = 0.39894228040143267794 * std::exp(-0.5 * d * d) * k *
             (0.31938153 +
              k * (-0.356563782 +
                   k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))));
  return d > 0 ? 1 - c : c;
}
void ref_blackscholes(Bufs b) {
  fp S = (fp)b[0], X = (fp)b[1], T = (fp)b[2], C = (fp)b[3], P = (fp)b[4];
  const double r = 0.02f, v = 0.3f;
  PF(i, BS) {
    double s = S[i], x = X[i], t = T[i], q = std::sqrt(t),
           d1 = (std::log(s / x) + (r + .5 * v * v) * t) / (v * q),
           d2 = d1 - v * q, e = std::exp(-r * t);
    C[i] = s * cnd(d1) - x * e * cnd(d2),
    P[i] = x * e * (1 - cnd(d2)) - s * (1 - cnd(d1));
  }
}
void ref_mandelbrot(Bufs b) {
  up o = (up)b[0];
  PF(i, MANDEL * MANDEL) {
    float cx = -2.0f + (i % MANDEL) * (2.5f / MANDEL),
          cy = -1.25f + (i / MANDEL) * (2.5f / MANDEL), zx = 0, zy = 0;
    int k = 0;
    for (; k < MAXIT && zx * zx + zy * zy <= 4; ++k) {
      float t = zx * zx - zy * zy + cx;
      zy = 2 * zx * zy + cy, zx = t;
    }
    o[i] = k;
  }
}
void ref_sgemm(Bufs b) {
  fp A = (fp)b[0], B = (fp)b[1], C = (fp)b[2];
  PF(i, GEMM) {
    std::vector<double> s(GEMM);
    for (int k = 0; k < GEMM; ++k)
      for (int j = 0; j < GEMM; ++j)
        s[j] += (double)A[i * GEMM + k] * B[k * GEMM + j];
    for (int j = 0; j < GEMM; ++j)
      C[i * GEMM + j] = s[j];
  }
}
void ref_softmax(Bufs b) {
  fp x = (fp)b[0], y = (fp)b[1];
  PF(r, ROWS) {
    fp p = x + (size_t)r * COLS, q = y + (size_t)r * COLS;
    double m = *std::max_element(p, p + COLS), s = 0;
    for (int i = 0; i < COLS; ++i)
      s += std::exp(p[i] - m);
    for (int i = 0; i < COLS; ++i)
      q[i] = std::exp(p[i] - m) / s;
  }
}
void ref_layernorm(Bufs b) {
  fp x = (fp)b[0], g = (fp)b[1], h = (fp)b[2], y = (fp)b[3];
  PF(r, ROWS) {
    fp p = x + (size_t)r * COLS, q = y + (size_t)r * COLS;
    double s = 0, v = 0;
    for (int i = 0; i < COLS; ++i)
      s += p[i];
    s /= COLS;
    for (int i = 0; i < COLS; ++i)
      v += (p[i] - s) * (p[i] - s);
    for (int i = 0; i < COLS; ++i)
      q[i] = (p[i] - s) / std::sqrt(v / COLS + 1e-5f) * g[i] + h[i];
  }
}
void ref_gelu(Bufs b) {
  fp x = (fp)b[0], y = (fp)b[1];
  PF(i, N) {
    double v = x[i];
    y[i] = 0.5 * v * (1 + std::tanh(0.7978845608 * (v + 0.044715 * v * v * v)));
  }
}
void ref_spmv(Bufs b) {
  auto ptr = (int *)b[0], col = (int *)b[1];
  fp v = (fp)b[2], x = (fp)b[3], y = (fp)b[4];
  PF(r, SPROWS) {
    double s = 0;
    for (int j = ptr[r]; j < ptr[r + 1]; ++j)
      s += (double)v[j] * x[col[j]];
    y[r] = s;
  }
}
void ref_sort(Bufs b) {
  memcpy(b[1], b[0], SORT * 4);
  std::sort((up)b[1], (up)b[1] + SORT);
}
static const uint32_t K[64] = {
#include "../kernels/sha256_k.inc"
};
static uint32_t rot(uint32_t x, int n) { return x >> n | x << (32 - n); }
void ref_sha256(Bufs b) {
  up m = (up)b[0], o = (up)b[1];
  PF(i, SHA) {
    uint32_t w[64], h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                            0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19},
                    s[8];
    for (int t = 0; t < 64; ++t)
      w[t] =
          t < 16
              ? m[16 * (size_t)i + t]
              : w[t - 16] +
                    (rot(w[t - 15], 7) ^ rot(w[t - 15], 18) ^ w[t - 15] >> 3) +
                    w[t - 7] +
                    (rot(w[t - 2], 17) ^ rot(w[t - 2], 19) ^ w[t - 2] >> 10);
    memcpy(s, h, 32);
    for (int t = 0; t < 64; ++t) {
      uint32_t t1 = s[7] + (rot(s[4], 6) ^ rot(s[4], 11) ^ rot(s[4], 25)) +
                    ((s[4] & s[5]) ^ (~s[4] & s[6])) + K[t] + w[t];
      uint32_t t2 = (rot(s[0], 2) ^ rot(s[0], 13) ^ rot(s[0], 22)) +
                    ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
      memmove(s + 1, s, 28), s[4] += t1, s[0] = t1 + t2;
    }
    for (int j = 0; j < 8; ++j)
      o[8 * (size_t)i + j] = h[j] + s[j];
  }
}
void ref_mcpi(Bufs b) {
  uint32_t hits = 0;
#pragma omp parallel for reduction(+ : hits)
  for (int t = 0; t < MCT; ++t)
    for (int it = 0; it < MCIT; ++it) {
      uint32_t c[4] = {(uint32_t)it, 0, (uint32_t)t, 0}, k0 = 12345,
               k1 = 0x9e3779b9u;
      for (int r = 0; r < 10; ++r, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u) {
        uint64_t p = 0xD2511F53ull * c[0], q = 0xCD9E8D57ull * c[2];
        c[0] = (q >> 32) ^ c[1] ^ k0, c[1] = q, c[2] = (p >> 32) ^ c[3] ^ k1,
        c[3] = p;
      }
      double f[4];
      for (int i = 0; i < 4; ++i)
        f[i] = (c[i] >> 8) / 16777216.0;
      hits += (f[0] * f[0] + f[1] * f[1] < 1) + (f[2] * f[2] + f[3] * f[3] < 1);
    }
  *(up)b[0] = hits;
}
void ref_bfs(Bufs b) {
  auto ptr = (int *)b[0], adj = (int *)b[1], d = (int *)b[2];
  std::fill(d, d + BFSN, -1);
  d[0] = 0;
  std::vector<int> q{0};
  for (size_t i = 0; i < q.size(); ++i)
    for (int e = ptr[q[i]]; e < ptr[q[i] + 1]; ++e)
      if (d[adj[e]] < 0)
        d[adj[e]] = d[q[i]] + 1, q.push_back(adj[e]);
}
void ref_attention(Bufs b) {
  fp Q = (fp)b[0], K = (fp)b[1], V = (fp)b[2], O = (fp)b[3];
  PF(hr, HEADS * SEQ) {
    size_t head = (size_t)(hr / SEQ) * SEQ * HD;
    fp q = Q + (size_t)hr * HD;
    std::vector<double> p(SEQ);
    double m = -1e300, l = 0, o[HD] = {};
    for (int j = 0; j < SEQ; ++j) {
      double a = 0;
      for (int d = 0; d < HD; ++d)
        a += (double)q[d] * K[head + j * HD + d];
      m = std::max(m, p[j] = a * 0.125);
    }
    for (int j = 0; j < SEQ; ++j) {
      double e = std::exp(p[j] - m);
      l += e;
      for (int d = 0; d < HD; ++d)
        o[d] += e * V[head + j * HD + d];
    }
    for (int d = 0; d < HD; ++d)
      O[(size_t)hr * HD + d] = o[d] / l;
  }
}
void ref_hgemm_bf16(Bufs b) {
  auto A = (uint16_t *)b[0], B = (uint16_t *)b[1];
  fp C = (fp)b[2];
  std::vector<float> a(GEMM * GEMM), w(GEMM * GEMM);
  for (int i = 0; i < GEMM * GEMM; ++i)
    a[i] = from_bf16(A[i]), w[i] = from_bf16(B[i]);
  PF(i, GEMM) for (int j = 0; j < GEMM; ++j) {
    double s = 0;
    for (int k = 0; k < GEMM; ++k)
      s += (double)a[i * GEMM + k] * w[j * GEMM + k];
    C[i * GEMM + j] = s;
  }
}
void ref_igemm_s8(Bufs b) {
  auto A = (int8_t *)b[0], B = (int8_t *)b[1];
  auto C = (int *)b[2];
  PF(i, GEMM) for (int j = 0; j < GEMM; ++j) {
    int s = 0;
    for (int k = 0; k < GEMM; ++k)
      s += A[i * GEMM + k] * B[j * GEMM + k];
    C[i * GEMM + j] = s;
  }
}
} // namespace bench
