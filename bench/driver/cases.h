// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The definition of the benchmark. Every case is data (buffers, launches,
// checks, cost model), so that any back end can run it.
#pragma once
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <vector>
namespace bench {
using Bufs = void **; // one pointer per buffer of the case
struct Dim {
  unsigned x = 1, y = 1, z = 1;
};
struct Arg {
  enum Kind { Buf, I32, F32 } kind;
  union {
    int32_t i;
    float f;
  };
};
inline Arg B(int i) {
  Arg a;
  a.kind = Arg::Buf;
  a.i = i;
  return a;
}
inline Arg I(int i) {
  Arg a;
  a.kind = Arg::I32;
  a.i = i;
  return a;
}
inline Arg F(float f) {
  Arg a;
  a.kind = Arg::F32;
  a.f = f;
  return a;
}
struct Launch {
  const char *entry;
  Dim grid, block;
  std::vector<Arg> args;
};
struct Buffer {
  const char *name;
  size_t bytes;
  std::function<void(void *)> fill; // none: zeros
};
enum class Type { F32, U32, U8 };
struct Check {
  int buf;
  Type type;
  double rtol, atol;
  size_t count; // 0: the whole buffer
};
struct Case {
  std::string name, module; // kernels/ptx/<module>.ptx, opencl/<module>.cl
  bool cl;                  // an OpenCL port exists
  std::vector<Buffer> bufs;
  std::vector<Launch> launches; // a timed run is all of them, in order
  std::vector<Check> checks;
  void (*native)(Bufs);
  void (*tuned)(Bufs); // hand-vectorised, or null
  void (*reference)(Bufs);
  double bytes;     // compulsory memory traffic
  double flops;     // conventional operation count, for GFLOP/s
  double slots;     // lane operations that take an FMA slot (FMA = 1)
  const char *peak; // roofline row that bounds the slots
};
std::vector<Case> &cases();
// Appends the cases of public suites (public-cases.cpp).
void add_public(std::vector<Case> &);

// Deterministic inputs: value i of stream s.
inline uint64_t mix(uint64_t s, uint64_t i) {
  uint64_t z = (s * 0x9E3779B97F4A7C15ull) ^ (i + 0x9E3779B97F4A7C15ull);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}
inline float unit(uint64_t s, uint64_t i) {
  return (mix(s, i) >> 40) * (1.0f / 16777216.0f);
}
inline uint16_t bf16(float f) {
  uint32_t u;
  memcpy(&u, &f, 4);
  return (u + 0x7fff + ((u >> 16) & 1)) >> 16;
}
inline float from_bf16(uint16_t h) {
  uint32_t u = (uint32_t)h << 16;
  float f;
  memcpy(&f, &u, 4);
  return f;
}
struct Csr {
  std::vector<int> ptr, col;
};
const Csr &spmv_matrix();
const Csr &bfs_graph();
int bfs_levels(); // number of level launches
} // namespace bench
