// CUB chooses its algorithms by the architecture that the kernels were compiled
// for, and its scans look back through pairs of a flag and a value.
#include "check.h"

#include <algorithm>
#include <cub/cub.cuh>
#include <numeric>
#include <vector>

template <typename T> static std::vector<T> makeInput(size_t n) {
  std::vector<T> values(n);
  unsigned state = 1;
  for (T &value : values) {
    state = state * 1664525u + 1013904223u;
    value = T(state >> 8 & 0x7fff);
  }
  return values;
}

/// `call(temporary, bytes)` twice, as CUB wants it; what it wrote is `out`.
template <typename T, typename Call>
static int run(std::vector<T> &out, const T *device, Call call) {
  void *temporary = nullptr;
  size_t bytes = 0;
  CHECK(call(temporary, bytes));
  CHECK(cudaMalloc(&temporary, bytes));
  CHECK(call(temporary, bytes));
  CHECK(cudaMemcpy(out.data(), device, out.size() * sizeof(T),
                   cudaMemcpyDeviceToHost));
  CHECK(cudaFree(temporary));
  return 0;
}

template <typename T> static int check(const char *name, size_t n) {
  std::vector<T> in = makeInput<T>(n), out(n), expected(n);
  T *from, *to;
  CHECK(cudaMalloc(&from, n * sizeof(T)));
  CHECK(cudaMalloc(&to, n * sizeof(T)));
  CHECK(cudaMemcpy(from, in.data(), n * sizeof(T), cudaMemcpyHostToDevice));
  std::partial_sum(in.begin(), in.end(), expected.begin());
  if (run(out, to, [&](void *temporary, size_t &bytes) {
        return cub::DeviceScan::InclusiveSum(temporary, bytes, from, to,
                                             int(n));
      }))
    return 1;
  printf("scan of %zu %s: %s\n", n, name, out == expected ? "right" : "wrong");
  std::sort(in.begin(), in.end());
  if (run(out, to, [&](void *temporary, size_t &bytes) {
        return cub::DeviceRadixSort::SortKeys(temporary, bytes, from, to,
                                              int(n));
      }))
    return 1;
  printf("sort of %zu %s: %s\n", n, name, out == in ? "right" : "wrong");
  CHECK(cudaFree(from));
  CHECK(cudaFree(to));
  return 0;
}

int main() {
  int version = 0;
  CHECK(cub::PtxVersion(version));
  printf("PTX of %d\n", version);
  for (size_t n : {1, 1921, 200003})
    if (check<int>("int", n) || check<long long>("long long", n))
      return 1;
  return 0;
}
