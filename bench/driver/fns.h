// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Declares native implementations (native/) and references
// (driver/*reference.cpp). Each gets the buffers of the case, in order.
#pragma once
// clang-format off: it would move these lines each time.
#define BENCH_FNS(X) \
  X(vecadd_small) X(vecadd) X(saxpy) X(triad) X(transpose) \
  X(reduce) X(scan) X(histogram) X(jacobi2d) X(stencil3d) \
  X(conv3x3) X(rgb2gray) X(nbody) X(blackscholes) X(mandelbrot) \
  X(sgemm) X(softmax) X(layernorm) X(gelu) X(spmv) \
  X(sort) X(sha256) X(mcpi) X(bfs) X(attention) \
  X(hgemm_bf16) X(igemm_s8) \
  X(hotspot) X(pathfinder) X(srad) X(lud) X(nw) \
  X(streamcluster) X(kmeans) X(backprop) X(lavamd) X(conv2d) \
  X(atax) X(corr) X(fdtd2d) X(softmax_vec)
// clang-format on
namespace bench {
#define X(n)                                                                   \
  void native_##n(void **);                                                    \
  void ref_##n(void **);
BENCH_FNS(X)
#undef X
// Hand-vectorised for AVX-512 (native/tuned.cpp); null elsewhere.
#if defined(__AVX512F__) && defined(__AVX512VBMI__)
void tuned_triad(void **);
void tuned_nbody(void **);
void tuned_mandelbrot(void **);
void tuned_sha256(void **);
void tuned_transpose(void **);
void tuned_rgb2gray(void **);
#else
constexpr void (*tuned_triad)(void **) = nullptr;
constexpr void (*tuned_nbody)(void **) = nullptr;
constexpr void (*tuned_mandelbrot)(void **) = nullptr;
constexpr void (*tuned_sha256)(void **) = nullptr;
constexpr void (*tuned_transpose)(void **) = nullptr;
constexpr void (*tuned_rgb2gray)(void **) = nullptr;
#endif
} // namespace bench
