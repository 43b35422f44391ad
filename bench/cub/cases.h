// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cases that CUB and native code have in common: sizes, inputs and the loop
// that times them.
#pragma once
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
namespace cases {
constexpr int N = 1 << 24;    // reduce, scan and select
constexpr int SORT = 1 << 22; // sort and pairs
inline std::vector<uint32_t> words(int n) {
  std::vector<uint32_t> v(n);
  uint64_t z = 0;
  for (auto &w : v) {
    uint64_t x = z += 0x9E3779B97F4A7C15ull;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
    w = (x ^ (x >> 27)) >> 32;
  }
  return v;
}
inline std::vector<float> floats(int n) {
  auto w = words(n);
  std::vector<float> v(n);
  for (int i = 0; i < n; ++i)
    v[i] = (w[i] >> 8) / 16777216.0f;
  return v;
}
// Half of all words, without a pattern.
struct Odd {
#ifdef __CUDACC__
  __host__ __device__
#endif
      bool operator()(uint32_t w) const {
    return w & 1;
  }
};
// Reports the shortest of the runs within `ms`, at least two.
template <class Run, class Check>
void measure(const char *name, double ms, Run run, Check check) {
  using Clock = std::chrono::steady_clock;
  auto since = [](Clock::time_point t) {
    return std::chrono::duration<double, std::milli>(Clock::now() - t).count();
  };
  run();
  bool good = check();
  double best = 1e30;
  auto start = Clock::now();
  for (int i = 0; i < 2 || since(start) < ms; ++i) {
    auto t = Clock::now();
    run();
    best = std::min(best, since(t));
  }
  printf("%s\t%.5f\t%s\n", name, best, good ? "ok" : "WRONG");
}
inline bool near(float got, double want) {
  return std::abs(got - want) <= 1e-4 * want;
}
inline bool check_scan(const uint32_t *in, const uint32_t *out) {
  uint32_t s = 0;
  for (int i = 0; i < N; ++i)
    if (out[i] != (s += in[i]))
      return false;
  return true;
}
inline bool check_select(const uint32_t *in, const uint32_t *out, int count) {
  int n = 0;
  for (int i = 0; i < N; ++i)
    if (Odd{}(in[i]) && (n >= count || out[n++] != in[i]))
      return false;
  return n == count;
}
// The value that goes with a key tells where the key was.
inline bool check_sort(const uint32_t *in, const uint32_t *keys,
                       const uint32_t *from) {
  std::vector<uint32_t> want(in, in + SORT);
  std::sort(want.begin(), want.end());
  if (memcmp(want.data(), keys, SORT * 4ul))
    return false;
  for (int i = 0; from && i < SORT; ++i)
    if (in[from[i]] != keys[i] ||
        (i && keys[i] == keys[i - 1] && from[i] <= from[i - 1]))
      return false;
  return true;
}
} // namespace cases
