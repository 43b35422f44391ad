// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Times algorithms of CUB. Prints a line for each: name, ms, verdict.
//   cub MS [NAME]
#include "cases.h"
#include <cub/cub.cuh>
using namespace cases;
static void must(cudaError_t e) {
  if (e == cudaSuccess)
    return;
  fprintf(stderr, "cub: %s\n", cudaGetErrorString(e));
  exit(2);
}
template <class T> struct Array {
  T *p;
  size_t n;
  explicit Array(size_t n) : n(n) { must(cudaMalloc(&p, n * sizeof(T))); }
  explicit Array(const std::vector<T> &v) : Array(v.size()) {
    must(cudaMemcpy(p, v.data(), n * sizeof(T), cudaMemcpyHostToDevice));
  }
  ~Array() { cudaFree(p); }
  std::vector<T> get() const {
    std::vector<T> v(n);
    must(cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
    return v;
  }
};
// CUB is asked for the size of its own memory first. `call` gets both.
template <class Call, class Check>
static void time_call(const char *name, double ms, Call call, Check check) {
  size_t bytes = 0;
  must(call(nullptr, bytes));
  Array<char> own(bytes);
  measure(
      name, ms,
      [&] {
        must(call(own.p, bytes));
        must(cudaDeviceSynchronize());
      },
      check);
}
static void reduce(const char *name, double ms) {
  auto host = floats(N);
  double want = 0;
  for (float f : host)
    want += f;
  Array<float> in(host), out(1);
  time_call(
      name, ms,
      [&](void *own, size_t &bytes) {
        return cub::DeviceReduce::Sum(own, bytes, in.p, out.p, N);
      },
      [&] { return near(out.get()[0], want); });
}
static void scan(const char *name, double ms) {
  auto host = words(N);
  Array<uint32_t> in(host), out(N);
  time_call(
      name, ms,
      [&](void *own, size_t &bytes) {
        return cub::DeviceScan::InclusiveSum(own, bytes, in.p, out.p, N);
      },
      [&] { return check_scan(host.data(), out.get().data()); });
}
static void select(const char *name, double ms) {
  auto host = words(N);
  Array<uint32_t> in(host), out(N);
  Array<int> count(1);
  time_call(
      name, ms,
      [&](void *own, size_t &bytes) {
        return cub::DeviceSelect::If(own, bytes, in.p, out.p, count.p, N,
                                     Odd{});
      },
      [&] {
        return check_select(host.data(), out.get().data(), count.get()[0]);
      });
}
static void sort(const char *name, double ms) {
  auto host = words(SORT);
  Array<uint32_t> in(host), out(SORT);
  time_call(
      name, ms,
      [&](void *own, size_t &bytes) {
        return cub::DeviceRadixSort::SortKeys(own, bytes, in.p, out.p, SORT);
      },
      [&] { return check_sort(host.data(), out.get().data(), nullptr); });
}
static void pairs(const char *name, double ms) {
  auto host = words(SORT);
  std::vector<uint32_t> index(SORT);
  for (int i = 0; i < SORT; ++i)
    index[i] = i;
  Array<uint32_t> in(host), values(index), out(SORT), from(SORT);
  time_call(
      name, ms,
      [&](void *own, size_t &bytes) {
        return cub::DeviceRadixSort::SortPairs(own, bytes, in.p, out.p,
                                               values.p, from.p, SORT);
      },
      [&] {
        return check_sort(host.data(), out.get().data(), from.get().data());
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
             {"sort", sort},
             {"pairs", pairs}};
  for (auto &c : all)
    if (argc < 3 || !strcmp(argv[2], c.name))
      c.run(c.name, ms);
}
