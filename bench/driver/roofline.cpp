// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Measures the machine's peak rates for 1 thread and for all threads: the best
// of many short runs. Prints TSV: row, unit, 1 thread, all threads. Compute
// rows count 32-bit lane operations per second; an FMA, a step of a dot product
// and a gathered element are one operation each.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <immintrin.h>
#include <omp.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
static double now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}
// Returns units per ns; f(thread) does `work` units.
static double rate(int threads, double work,
                   const std::function<void(int)> &f) {
  double best = 0;
  for (double start = now(); now() - start < 1.0;) {
    double t0[64], t1[64];
#pragma omp parallel num_threads(threads)
    {
      int t = omp_get_thread_num();
#pragma omp barrier
      t0[t] = now();
      f(t);
      t1[t] = now();
    }
    double lo = t0[0], hi = t1[0];
    for (int t = 1; t < threads; ++t)
      lo = t0[t] < lo ? t0[t] : lo, hi = t1[t] > hi ? t1[t] : hi;
    double r = work * threads / ((hi - lo) * 1e9);
    best = r > best ? r : best;
  }
  return best;
}
// Independent sums: enough to hide the latency, and they fit AVX2's registers.
#define EACH_SUM(X)                                                            \
  X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)
constexpr int SUMS = 12;
// Vectors of the CPU's full width.
#ifdef __AVX512F__
constexpr int W = 16;
using Register = __m512i;
#else
constexpr int W = 8;
using Register = __m256i;
#endif
template <class T, int N> using Vec __attribute__((ext_vector_type(N))) = T;
using F32 = Vec<float, W>;
using F64 = Vec<double, W / 2>;
using I32 = Vec<int, W>;
using U32 = Vec<unsigned, W>;
static F32 gather(const void *table, I32 index) {
#ifdef __AVX512F__
  return _mm512_i32gather_ps((__m512i)index, table, 4);
#else
  return _mm256_i32gather_ps((const float *)table, (__m256i)index, 4);
#endif
}
constexpr int IT = 200000;
template <class V, class Op> static void spin(V init, Op op) {
  V r[SUMS];
  for (auto &x : r)
    x = init;
  for (int i = 0; i < IT; ++i) {
#define S(k) asm volatile("" : "+v"(r[k] = op(r[k])));
    EACH_SUM(S)
#undef S
  }
}
#ifdef __AMX_TILE__
// Products of tiles of AMX, of which `multiply()` does eight.
template <class Op> static void spinTiles(Op multiply) {
  struct {
    uint8_t palette = 1, reserved[15] = {};
    uint16_t rowBytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
    uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
  } shapes;
  alignas(64) static const uint8_t data[1024] = {};
  _tile_loadconfig(&shapes);
  _tile_loadd(6, data, 64);
  _tile_loadd(7, data, 64);
  for (int i = 0; i < IT / 10; ++i)
    multiply();
  _tile_release();
}
#endif
int main() {
  int all = omp_get_max_threads();
  auto row = [&](const char *n, const char *unit, double work,
                 std::function<void(int)> f) {
    double a = rate(1, work, f), b = rate(all, work, f);
    printf("%s\t%s\t%.2f\t%.2f\n", n, unit, a, b);
    fflush(stdout);
  };
  const double lanes = double(SUMS) * W * IT;
  row("f32", "Glane/s", lanes, [](int) {
    F32 a = 1e-9f;
    spin(F32(0), [=](F32 x) { return __builtin_elementwise_fma(x, a, a); });
  });
  row("f64", "Glane/s", lanes / 2, [](int) {
    F64 a = 1e-9;
    spin(F64(0), [=](F64 x) { return __builtin_elementwise_fma(x, a, a); });
  });
#ifdef __AVX512BF16__
  row("bf16", "Glane/s", lanes, [](int) {
    __m512bh a = (__m512bh)_mm512_set1_epi16(0x3000);
    spin(_mm512_setzero_ps(),
         [=](__m512 x) { return _mm512_dpbf16_ps(x, a, a); });
  });
#endif
#ifdef __AVX512VNNI__
  row("int8", "Glane/s", lanes, [](int) {
    __m512i a = _mm512_set1_epi8(1);
    spin(_mm512_setzero_si512(),
         [=](__m512i x) { return _mm512_dpbusd_epi32(x, a, a); });
  });
#else // exact sums of bytes widen them to 16 bits and add pairs of products
  row("int16", "Glane/s", lanes, [](int) {
    __m256i a = _mm256_set1_epi16(1);
    spin(_mm256_setzero_si256(), [=](__m256i x) {
      return _mm256_add_epi32(x, _mm256_madd_epi16(x, a));
    });
  });
#endif
#ifdef __AMX_TILE__
  // Linux lets a process use tiles that asks for it: ARCH_REQ_XCOMP_PERM.
  if (syscall(SYS_arch_prctl, 0x1023, 18) == 0) {
    const double products = 8.0 * 16 * 16 * 16 * (IT / 10);
    row("bf16_tiles", "Glane/s", products, [](int) {
      spinTiles([] {
        _tile_dpbf16ps(0, 6, 7), _tile_dpbf16ps(1, 6, 7);
        _tile_dpbf16ps(2, 6, 7), _tile_dpbf16ps(3, 6, 7);
        _tile_dpbf16ps(4, 6, 7), _tile_dpbf16ps(5, 6, 7);
        _tile_dpbf16ps(0, 6, 7), _tile_dpbf16ps(1, 6, 7);
      });
    });
    row("int8_tiles", "Glane/s", products, [](int) {
      spinTiles([] {
        _tile_dpbssd(0, 6, 7), _tile_dpbssd(1, 6, 7);
        _tile_dpbssd(2, 6, 7), _tile_dpbssd(3, 6, 7);
        _tile_dpbssd(4, 6, 7), _tile_dpbssd(5, 6, 7);
        _tile_dpbssd(0, 6, 7), _tile_dpbssd(1, 6, 7);
      });
    });
  }
#endif
  row("i32add", "Glane/s", lanes, [](int) {
    U32 a = 0x01010101;
    spin(a, [=](U32 x) { return x + a; });
  });
  row("i32mul", "Glane/s", lanes, [](int) {
    U32 a = 0x03030303;
    spin(a, [=](U32 x) { return x * a; });
  });
  row("sqrt", "Glane/s", lanes / 10, [](int) {
    F32 r[SUMS];
    for (auto &x : r)
      x = 1.5f;
    for (int i = 0; i < IT / 10; ++i)
      for (auto &x : r) {
        x = __builtin_elementwise_sqrt(x);
        asm volatile("" : "+v"(x));
      }
  });
  size_t big = 256ul << 20;
  char *mem[64];
  for (int t = 0; t < all; ++t) {
    mem[t] = (char *)aligned_alloc(2 << 20, big * 3);
    madvise(mem[t], big * 3, MADV_HUGEPAGE);
    memset(mem[t], 1, big * 3);
  }
  auto read = [&](size_t bytes, int reps) {
    return [=](int t) {
      Register s[8] = {};
      constexpr size_t step = sizeof(Register);
      for (int k = 0; k < reps; ++k)
        for (size_t i = 0; i < bytes; i += 8 * step)
          for (int j = 0; j < 8; ++j) {
            s[j] |= *(const Register *)(mem[t] + i + step * j);
            asm volatile("" : "+v"(s[j]));
          }
    };
  };
  row("l1", "GB/s", 32768.0 * 4000, read(32768, 4000));
  row("l2", "GB/s", 524288.0 * 200, read(524288, 200));
  row("l3", "GB/s", 8e6 / 512 * 512 * 8, read((size_t)8e6 / 512 * 512, 8));
  // DRAM rows: 64 MiB per array as in the cases, split over the threads.
  const size_t arr = 64ul << 20;
  auto dram = [&](const char *n, int arrays, auto step) {
    auto f = [&](int) {
      int p = omp_get_num_threads(), t = omp_get_thread_num();
      size_t end = arr * (t + 1) / p / sizeof(F32);
      for (size_t i = arr * t / p / sizeof(F32); i < end; ++i)
        step(i);
      _mm_sfence();
    };
    printf("%s\tGB/s\t%.2f\t%.2f\n", n, rate(1, (double)arrays * arr, f),
           rate(all, (double)arrays * arr / all, f));
    fflush(stdout);
  };
  auto A = (F32 *)mem[0], Bp = (F32 *)(mem[0] + arr),
       C = (F32 *)(mem[0] + 2 * arr);
  const F32 k = 1e-3f;
  dram("dram_read", 1, [=](size_t i) {
    F32 v = A[i];
    asm volatile("" : "+v"(v));
  });
  dram("dram_triad", 3,
       [=](size_t i) { A[i] = __builtin_elementwise_fma(C[i], k, Bp[i]); });
  dram("dram_triad_nt", 3, [=](size_t i) {
    F32 v = __builtin_elementwise_fma(C[i], k, Bp[i]);
    __builtin_nontemporal_store(v, A + i);
  });
  dram("dram_copy_nt", 2, [=](size_t i) {
    F32 v = Bp[i];
    __builtin_nontemporal_store(v, A + i);
  });
  dram("dram_update", 3,
       [=](size_t i) { A[i] = __builtin_elementwise_fma(A[i], k, Bp[i]); });
  row("gather", "Glane/s", W * 1e6, [&](int t) {
    // Random elements of a 1 MiB table.
    U32 x;
    for (int l = 0; l < W; ++l)
      x[l] = W - 1 - l + t;
    F32 s = 0;
    for (int i = 0; i < 1000000; ++i) {
      x = x * 1664525u + 1013904223u;
      s += gather(mem[t], (I32)(x >> 14));
    }
    asm volatile("" ::"v"(s));
  });
  // Scalar increments of four tables of 256 entries.
  row("l1upd", "Gop/s", 64e6, [&](int t) {
    static uint32_t h[64][4][256];
    auto x = (const uint8_t *)mem[t];
    auto p = h[t];
    for (size_t i = 0; i < 4096; ++i)
      mem[t][i] = (char)(i * 197 + (i >> 3));
    for (size_t k = 0; k < 64000000 / 4096; ++k)
      for (size_t i = 0; i < 4096; i += 4)
        ++p[0][x[i]], ++p[1][x[i + 1]], ++p[2][x[i + 2]], ++p[3][x[i + 3]];
    asm volatile("" ::: "memory");
  });
}
