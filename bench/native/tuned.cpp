// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Versions vectorised by hand for 16 lanes. They are close to the machine's
// limit, as SPMD code in the style of ISPC can be.
#include "../driver/fns.h"
#include "../driver/sizes.h"
#include <cstdint>
#include <immintrin.h>
#if defined(__AVX512F__) && defined(__AVX512VBMI__)
namespace bench {
using namespace sz;
typedef float f16 __attribute__((ext_vector_type(16)));
typedef int32_t i16 __attribute__((ext_vector_type(16)));
typedef uint32_t u16 __attribute__((ext_vector_type(16)));
static const i16 lane = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
// Streaming stores, which do not read the line first.
void tuned_triad(void **b) {
  auto x = (const f16 *)b[0];
  auto y = (const f16 *)b[1];
  auto z = (f16 *)b[2];
#pragma omp parallel for
  for (int i = 0; i < N / 16; ++i)
    __builtin_nontemporal_store(x[i] + 3.0f * y[i], z + i);
}
// One stage of a 16x16 transposition in registers.
template <int S> static inline void exchange(__m512 *r) {
  alignas(64) int lo[16], hi[16];
  for (int l = 0; l < 16; ++l)
    lo[l] = (l & S) ? 16 + (l & ~S) : l, hi[l] = (l & S) ? 16 + l : l | S;
  __m512i x = _mm512_load_si512(lo), y = _mm512_load_si512(hi);
  for (int i = 0; i < 16; ++i)
    if (!(i & S)) {
      __m512 a = r[i], b = r[i | S];
      r[i] = _mm512_permutex2var_ps(a, x, b),
      r[i | S] = _mm512_permutex2var_ps(a, y, b);
    }
}
// Strips of 64x16: long reads, and streaming stores of whole lines.
void tuned_transpose(void **b) {
  auto x = (const float *)b[0];
  auto y = (float *)b[1];
#pragma omp parallel for
  for (int c = 0; c < TR; c += 64)
    for (int r = 0; r < TR; r += 16)
      for (int k = 0; k < 64; k += 16) {
        __m512 t[16];
        for (int i = 0; i < 16; ++i)
          t[i] = _mm512_load_ps(x + (size_t)(r + i) * TR + c + k);
        exchange<1>(t), exchange<2>(t), exchange<4>(t), exchange<8>(t);
        for (int i = 0; i < 16; ++i)
          _mm512_stream_ps(y + (size_t)(c + k + i) * TR + r, t[i]);
      }
}
void tuned_nbody(void **b) {
  auto p = (const float *)b[0];
  auto a = (float *)b[1];
  constexpr int V = 2;
#pragma omp parallel for
  for (int i = 0; i < NBODY; i += 16 * V) {
    f16 px[V], py[V], pz[V], ax[V] = {}, ay[V] = {}, az[V] = {};
    for (int v = 0; v < V; ++v)
      for (int l = 0; l < 16; ++l) {
        auto s = p + 4 * (i + v * 16 + l);
        px[v][l] = s[0], py[v][l] = s[1], pz[v][l] = s[2];
      }
    for (int j = 0; j < NBODY; ++j) {
      float qx = p[4 * j], qy = p[4 * j + 1], qz = p[4 * j + 2],
            qw = p[4 * j + 3];
#pragma clang loop unroll(full)
      for (int v = 0; v < V; ++v) {
        f16 dx = qx - px[v], dy = qy - py[v], dz = qz - pz[v],
            r = dx * dx + dy * dy + dz * dz + 0.01f;
        f16 e = (f16)_mm512_rsqrt14_ps((__m512)r);
        e = e * (1.5f - 0.5f * r * e * e);
        f16 s = qw * e * e * e;
        ax[v] += s * dx, ay[v] += s * dy, az[v] += s * dz;
      }
    }
    for (int v = 0; v < V; ++v)
      for (int l = 0; l < 16; ++l) {
        auto o = a + 4 * (i + v * 16 + l);
        o[0] = ax[v][l], o[1] = ay[v][l], o[2] = az[v][l], o[3] = 0;
      }
  }
}
void tuned_mandelbrot(void **b) {
  auto o = (uint32_t *)b[0];
  constexpr int V = 4;
#pragma omp parallel for schedule(dynamic, 8)
  for (int y = 0; y < MANDEL; ++y) {
    float cy = -1.25f + y * (2.5f / MANDEL);
    for (int x = 0; x < MANDEL; x += 16 * V) {
      f16 cx[V], zx[V] = {}, zy[V] = {};
      i16 n[V] = {};
      for (int v = 0; v < V; ++v)
        cx[v] = -2.0f + __builtin_convertvector(lane + (x + v * 16), f16) *
                            (2.5f / MANDEL);
      for (int k = 0; k < MAXIT; k += 4) {
        i16 any = {};
#pragma clang loop unroll(full)
        for (int u = 0; u < 4; ++u)
#pragma clang loop unroll(full)
          for (int v = 0; v < V; ++v) {
            f16 p = zx[v] * zx[v], q = zy[v] * zy[v];
            i16 in = p + q <= 4.0f; // above 2, |z| only grows: z needs no mask
            n[v] -= in, zy[v] = 2.0f * zx[v] * zy[v] + cy,
                        zx[v] = p - q + cx[v];
            if (u == 3)
              any |= in;
          }
        if (!_mm512_test_epi32_mask((__m512i)any, (__m512i)any))
          break;
      }
      for (int v = 0; v < V; ++v)
        *(i16 *)(o + y * MANDEL + x + v * 16) = n[v];
    }
  }
}
static const uint32_t K[64] = {
#include "../kernels/sha256_k.inc"
};
static inline u16 rot(u16 x, int n) { return x >> n | x << (32 - n); }
void tuned_sha256(void **b) {
  auto m = (const uint32_t *)b[0];
  auto o = (uint32_t *)b[1];
#pragma omp parallel for
  for (int i = 0; i < SHA; i += 16) {
    u16 w[16];
    static const uint32_t h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372,
                                  0xa54ff53a, 0x510e527f, 0x9b05688c,
                                  0x1f83d9ab, 0x5be0cd19};
    for (int j = 0; j < 16; ++j)
      w[j] = (u16)_mm512_i32gather_epi32((__m512i)(lane * 16),
                                         m + 16 * (size_t)i + j, 4);
    u16 A = h[0], B = h[1], C = h[2], D = h[3], E = h[4], F = h[5], G = h[6],
        H = h[7];
#pragma clang loop unroll(full)
    for (int t = 0; t < 64; ++t) {
      if (t >= 16) {
        u16 x = w[(t + 1) & 15], y = w[(t + 14) & 15];
        w[t & 15] += (rot(x, 7) ^ rot(x, 18) ^ x >> 3) + w[(t + 9) & 15] +
                     (rot(y, 17) ^ rot(y, 19) ^ y >> 10);
      }
      u16 t1 = H + (rot(E, 6) ^ rot(E, 11) ^ rot(E, 25)) +
               ((E & F) ^ (~E & G)) + K[t] + w[t & 15],
          t2 = (rot(A, 2) ^ rot(A, 13) ^ rot(A, 22)) +
               ((A & B) ^ (A & C) ^ (B & C));
      H = G, G = F, F = E, E = D + t1, D = C, C = B, B = A, A = t1 + t2;
    }
    u16 s[8] = {A, B, C, D, E, F, G, H};
    for (int j = 0; j < 8; ++j)
      _mm512_i32scatter_epi32(o + 8 * (size_t)i + j, (__m512i)(lane * 8),
                              (__m512i)(s[j] + h[j]), 4);
  }
}
// 64 pixels a step. Byte permutations select the channels.
void tuned_rgb2gray(void **b) {
  auto x = (const uint8_t *)b[0];
  auto y = (uint8_t *)b[1];
  alignas(64) uint8_t lo[3][64], hi[3][64];
  for (int c = 0; c < 3; ++c)
    for (int i = 0; i < 64; ++i) {
      int s = 3 * i + c;
      lo[c][i] = s & 127, hi[c][i] = s < 128 ? i : 64 + (s - 128);
    }
#pragma omp parallel for
  for (int i = 0; i < TR * TR; i += 64) {
    __m512i a = _mm512_loadu_si512(x + 3 * i),
            d = _mm512_loadu_si512(x + 3 * i + 64),
            e = _mm512_loadu_si512(x + 3 * i + 128), ch[3];
    for (int c = 0; c < 3; ++c)
      ch[c] = _mm512_permutex2var_epi8(
          _mm512_permutex2var_epi8(a, _mm512_load_si512(lo[c]), d),
          _mm512_load_si512(hi[c]), e);
    auto half = [&](int h) {
      auto w = [&](int c, int k) {
        return _mm512_mullo_epi16(
            _mm512_cvtepu8_epi16(h ? _mm512_extracti64x4_epi64(ch[c], 1)
                                   : _mm512_castsi512_si256(ch[c])),
            _mm512_set1_epi16(k));
      };
      return _mm512_cvtepi16_epi8(_mm512_srli_epi16(
          _mm512_add_epi16(_mm512_add_epi16(w(0, 77), w(1, 150)),
                           _mm512_add_epi16(w(2, 29), _mm512_set1_epi16(128))),
          8));
    };
    _mm256_storeu_si256((__m256i *)(y + i), half(0)),
        _mm256_storeu_si256((__m256i *)(y + i + 32), half(1));
  }
}
} // namespace bench
#endif
