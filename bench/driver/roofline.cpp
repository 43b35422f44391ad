// Measures the machine's ceilings for 1 thread and all threads, best of many
// short runs. TSV: row, unit, 1 thread, all threads. Compute rows are 32-bit
// lane operations per second (an FMA, a dot-product step, a gathered element
// count as one).
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <immintrin.h>
#include <omp.h>
#include <sys/mman.h>
static double now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}
// f(thread) does `work` units; returns units/ns
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
#define SIXTEEN(X)                                                             \
  X(0)                                                                         \
  X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14)   \
      X(15)
constexpr int IT = 200000;
template <class V, class Op> static void spin(V init, Op op) {
  V r[16];
  for (auto &x : r)
    x = init;
  for (int i = 0; i < IT; ++i) {
#define S(k) asm volatile("" : "+v"(r[k] = op(r[k])));
    SIXTEEN(S)
#undef S
  }
}
int main() {
  int all = omp_get_max_threads();
  auto row = [&](const char *n, const char *unit, double work,
                 std::function<void(int)> f) {
    double a = rate(1, work, f), b = rate(all, work, f);
    printf("%s\t%s\t%.2f\t%.2f\n", n, unit, a, b);
    fflush(stdout);
  };
  row("f32", "Glane/s", 256.0 * IT, [](int) {
    __m512 a = _mm512_set1_ps(1e-9f);
    spin(_mm512_setzero_ps(),
         [=](__m512 x) { return _mm512_fmadd_ps(x, a, a); });
  });
  row("f64", "Glane/s", 128.0 * IT, [](int) {
    __m512d a = _mm512_set1_pd(1e-9);
    spin(_mm512_setzero_pd(),
         [=](__m512d x) { return _mm512_fmadd_pd(x, a, a); });
  });
  row("bf16", "Glane/s", 256.0 * IT, [](int) {
    __m512bh a = (__m512bh)_mm512_set1_epi16(0x3000);
    spin(_mm512_setzero_ps(),
         [=](__m512 x) { return _mm512_dpbf16_ps(x, a, a); });
  });
  row("int8", "Glane/s", 256.0 * IT, [](int) {
    __m512i a = _mm512_set1_epi8(1);
    spin(_mm512_setzero_si512(),
         [=](__m512i x) { return _mm512_dpbusd_epi32(x, a, a); });
  });
  row("i32add", "Glane/s", 256.0 * IT, [](int) {
    __m512i a = _mm512_set1_epi8(1);
    spin(a, [=](__m512i x) { return _mm512_add_epi32(x, a); });
  });
  row("i32mul", "Glane/s", 256.0 * IT, [](int) {
    __m512i a = _mm512_set1_epi8(3);
    spin(a, [=](__m512i x) { return _mm512_mullo_epi32(x, a); });
  });
  row("sqrt", "Glane/s", 256.0 * IT / 10, [](int) {
    __m512 r[16];
    for (auto &x : r)
      x = _mm512_set1_ps(1.5f);
    for (int i = 0; i < IT / 10; ++i)
      for (auto &x : r) {
        x = _mm512_sqrt_ps(x);
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
      __m512i s[8] = {};
      for (int k = 0; k < reps; ++k)
        for (size_t i = 0; i < bytes; i += 512)
          for (int j = 0; j < 8; ++j) {
            s[j] =
                _mm512_or_si512(s[j], _mm512_load_si512(mem[t] + i + 64 * j));
            asm volatile("" : "+v"(s[j]));
          }
    };
  };
  row("l1", "GB/s", 32768.0 * 4000, read(32768, 4000));
  row("l2", "GB/s", 524288.0 * 200, read(524288, 200));
  row("l3", "GB/s", 8e6 / 512 * 512 * 8, read((size_t)8e6 / 512 * 512, 8));
  // DRAM rows: the cases' footprint, 64 MiB per array, split over the threads
  const size_t arr = 64ul << 20;
  auto dram = [&](const char *n, int arrays, auto step) {
    auto f = [&](int) {
      int p = omp_get_num_threads(), t = omp_get_thread_num();
      for (size_t i = arr * t / p / 64, end = arr * (t + 1) / p / 64; i < end;
           ++i)
        step(i);
      _mm_sfence();
    };
    printf("%s\tGB/s\t%.2f\t%.2f\n", n, rate(1, (double)arrays * arr, f),
           rate(all, (double)arrays * arr / all, f));
    fflush(stdout);
  };
  auto A = (__m512 *)mem[0], Bp = (__m512 *)(mem[0] + arr),
       C = (__m512 *)(mem[0] + 2 * arr);
  const __m512 k = _mm512_set1_ps(1e-3f);
  dram("dram_read", 1, [=](size_t i) {
    __m512 v = A[i];
    asm volatile("" : "+v"(v));
  });
  dram("dram_triad", 3,
       [=](size_t i) { A[i] = _mm512_fmadd_ps(C[i], k, Bp[i]); });
  dram("dram_triad_nt", 3, [=](size_t i) {
    _mm512_stream_ps((float *)(A + i), _mm512_fmadd_ps(C[i], k, Bp[i]));
  });
  dram("dram_copy_nt", 2,
       [=](size_t i) { _mm512_stream_ps((float *)(A + i), Bp[i]); });
  dram("dram_update", 3,
       [=](size_t i) { A[i] = _mm512_fmadd_ps(A[i], k, Bp[i]); });
  row("gather", "Glane/s", 16.0 * 1e6,
      [&](int t) { // random elements of a 1 MiB table
        __m512i x =
            _mm512_add_epi32(_mm512_set_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
                                              11, 12, 13, 14, 15),
                             _mm512_set1_epi32(t));
        __m512 s = _mm512_setzero_ps();
        for (int i = 0; i < 1000000; ++i) {
          x = _mm512_add_epi32(
              _mm512_mullo_epi32(x, _mm512_set1_epi32(1664525)),
              _mm512_set1_epi32(1013904223));
          s = _mm512_add_ps(
              s, _mm512_i32gather_ps(_mm512_srli_epi32(x, 14), mem[t], 4));
        }
        asm volatile("" ::"v"(s));
      });
  row("l1upd", "Gop/s", 64e6,
      [&](int t) { // scalar increments of four 256-entry tables
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
