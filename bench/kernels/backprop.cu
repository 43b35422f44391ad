// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The forward pass of a layer with 16 units, as in Rodinia's backprop: products
// in shared memory, summed as a tree, and the sums of the blocks.
constexpr int H = 16;
extern "C" __global__ void backprop_layer(const float *input,
                                          const float *weights, float *part) {
  __shared__ float in[H], w[H][H];
  int tx = threadIdx.x, ty = threadIdx.y, by = blockIdx.y;
  if (tx == 0)
    in[ty] = input[by * H + ty];
  __syncthreads();
  w[ty][tx] = weights[(by * H + ty) * H + tx] * in[ty];
  __syncthreads();
  for (int d = 1; d < H; d *= 2) {
    if (ty % (2 * d) == 0)
      w[ty][tx] += w[ty + d][tx];
    __syncthreads();
  }
  if (ty == 0)
    part[by * H + tx] = w[0][tx];
}
// A block for each unit.
extern "C" __global__ void backprop_sum(const float *part, float *out, int n) {
  __shared__ float sh[256];
  float s = 0.0f;
  for (int i = threadIdx.x; i < n; i += 256)
    s += part[i * H + blockIdx.x];
  sh[threadIdx.x] = s;
  for (int d = 128; d; d >>= 1) {
    __syncthreads();
    if (threadIdx.x < d)
      sh[threadIdx.x] += sh[threadIdx.x + d];
  }
  if (threadIdx.x == 0)
    out[blockIdx.x] = 1.0f / (1.0f + expf(-sh[0]));
}
