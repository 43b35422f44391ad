// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a C++ engineer writes instead of CUB's algorithms. Prints a line for
// each: name, ms, verdict.
//   ptx-jit-bench-cub MS [NAME]
#include "cases.h"
#include <omp.h>
using namespace cases;
typedef std::vector<uint32_t> Words;
static void reduce(const char *name, double ms) {
  auto in = floats(N);
  double want = 0;
  for (float f : in)
    want += f;
  float s = 0;
  measure(
      name, ms,
      [&] {
        s = 0;
        const float *p = in.data();
#pragma omp parallel for simd reduction(+ : s)
        for (int i = 0; i < N; ++i)
          s += p[i];
      },
      [&] { return near(s, want); });
}
// The part of thread `t` of `p`.
static int begin_of(int n, int t, int p) { return (int64_t)n * t / p; }
static void scan(const char *name, double ms) {
  Words in = words(N), out(N);
  auto run = [&] {
    Words sums(omp_get_max_threads() + 1);
#pragma omp parallel
    {
      int t = omp_get_thread_num(), p = omp_get_num_threads();
      int lo = begin_of(N, t, p), hi = begin_of(N, t + 1, p);
      uint32_t s = 0;
      for (int i = lo; i < hi; ++i)
        s += in[i];
      sums[t + 1] = s;
#pragma omp barrier
      s = 0;
      for (int i = 0; i <= t; ++i)
        s += sums[i];
      for (int i = lo; i < hi; ++i)
        out[i] = s += in[i];
    }
  };
  measure(name, ms, run, [&] { return check_scan(in.data(), out.data()); });
}
// Counts first, so that each thread knows where its own begin.
static void select(const char *name, double ms) {
  Words in = words(N), out(N + 1);
  int count = 0;
  auto run = [&] {
    std::vector<int> counts(omp_get_max_threads() + 1);
#pragma omp parallel
    {
      int t = omp_get_thread_num(), p = omp_get_num_threads(), n = 0;
      int lo = begin_of(N, t, p), hi = begin_of(N, t + 1, p);
      for (int i = lo; i < hi; ++i)
        n += Odd{}(in[i]);
      counts[t + 1] = n;
#pragma omp barrier
      n = 0;
      for (int i = 0; i <= t; ++i)
        n += counts[i];
      // A chosen branch costs more than a store that is overwritten. The last
      // store of a part must not meet the first of the next.
      int end = n + counts[t + 1];
      for (int i = lo; i < hi && n < end; ++i) {
        out[n] = in[i];
        n += Odd{}(in[i]);
      }
      if (t == p - 1)
        count = end;
    }
  };
  measure(name, ms, run,
          [&] { return check_select(in.data(), out.data(), count); });
}
// An LSD radix sort with digits of 8 bits, in which values may go along.
template <bool Values>
static void radix(const Words &in, Words *keys, Words *from, Words &counts) {
#pragma omp parallel
  {
    int t = omp_get_thread_num(), p = omp_get_num_threads();
    int lo = begin_of(SORT, t, p), hi = begin_of(SORT, t + 1, p);
    for (int pass = 0; pass < 4; ++pass) {
      const uint32_t *k = pass ? keys[(pass + 1) & 1].data() : in.data();
      const uint32_t *v = from[(pass + 1) & 1].data();
      uint32_t *ok = keys[pass & 1].data(), *ov = from[pass & 1].data();
      uint32_t h[256] = {}, at = 0;
      for (int i = lo; i < hi; ++i)
        ++h[k[i] >> 8 * pass & 255];
      memcpy(&counts[t * 256], h, sizeof h);
#pragma omp barrier
      for (int d = 0; d < 256; ++d)
        for (int q = 0; q < p; ++q) {
          if (q == t)
            h[d] = at;
          at += counts[q * 256 + d];
        }
      for (int i = lo; i < hi; ++i) {
        uint32_t to = h[k[i] >> 8 * pass & 255]++;
        ok[to] = k[i];
        if (Values)
          ov[to] = pass ? v[i] : i;
      }
#pragma omp barrier
    }
  }
}
template <bool Values> static void sort(const char *name, double ms) {
  Words in = words(SORT), counts(omp_get_max_threads() * 256);
  Words keys[2] = {Words(SORT), Words(SORT)};
  Words from[2] = {Words(Values ? SORT : 0), Words(Values ? SORT : 0)};
  measure(
      name, ms, [&] { radix<Values>(in, keys, from, counts); },
      [&] {
        return check_sort(in.data(), keys[1].data(),
                          Values ? from[1].data() : nullptr);
      });
}
int main(int argc, char **argv) {
  double ms = argc > 1 ? atof(argv[1]) : 300;
  const struct {
    const char *name;
    void (*run)(const char *, double);
  } all[] = {{"reduce", reduce},
             {"scan", scan},
             {"select", select},
             {"sort", sort<false>},
             {"pairs", sort<true>}};
  for (auto &c : all)
    if (argc < 3 || !strcmp(argv[2], c.name))
      c.run(c.name, ms);
}
