// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Row softmax in the form of Triton's: 128 threads hold a row of 2048 in
// registers, loaded as vectors; shuffles, and shared memory between warps.
constexpr int THREADS = 128, VECTORS = 4;
template <bool Max> __device__ float across(float v, float *sh) {
  for (int d = 16; d; d >>= 1) {
    float o = __shfl_xor_sync(0xffffffffu, v, d);
    v = Max ? fmaxf(v, o) : v + o;
  }
  if (threadIdx.x % 32 == 0)
    sh[threadIdx.x / 32] = v;
  __syncthreads();
  v = sh[threadIdx.x % (THREADS / 32)];
  for (int d = THREADS / 64; d; d >>= 1) {
    float o = __shfl_xor_sync(0xffffffffu, v, d);
    v = Max ? fmaxf(v, o) : v + o;
  }
  return v;
}
extern "C" __global__ void __launch_bounds__(THREADS)
    softmax_vec(const float4 *in, float4 *out) {
  __shared__ float most[THREADS / 32], sums[THREADS / 32];
  int row = blockIdx.x * THREADS * VECTORS;
  float4 v[VECTORS];
  float m = -3.4e38f, s = 0.0f;
  for (int i = 0; i < VECTORS; ++i) {
    v[i] = in[row + i * THREADS + threadIdx.x];
    m = fmaxf(m, fmaxf(fmaxf(v[i].x, v[i].y), fmaxf(v[i].z, v[i].w)));
  }
  // exp2 of a scaled difference is one instruction.
  const float log2e = 1.44269504f;
  m = across<true>(m, most) * log2e;
  for (int i = 0; i < VECTORS; ++i) {
    v[i].x = exp2f(v[i].x * log2e - m);
    v[i].y = exp2f(v[i].y * log2e - m);
    v[i].z = exp2f(v[i].z * log2e - m);
    v[i].w = exp2f(v[i].w * log2e - m);
    s += (v[i].x + v[i].y) + (v[i].z + v[i].w);
  }
  s = 1.0f / across<false>(s, sums);
  for (int i = 0; i < VECTORS; ++i)
    out[row + i * THREADS + threadIdx.x] =
        make_float4(v[i].x * s, v[i].y * s, v[i].z * s, v[i].w * s);
}
