// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A filter of 3 x 3 constants on the inner cells, as in PolyBench's 2DCONV.
extern "C" __global__ void conv2d(const float *a, float *b, int h, int w) {
  int x = blockIdx.x * blockDim.x + threadIdx.x,
      y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1)
    return;
  const float *p = a + y * w + x;
  b[y * w + x] = 0.2f * p[-w - 1] - 0.3f * p[-w] + 0.4f * p[-w + 1] +
                 0.5f * p[-1] + 0.6f * p[0] + 0.7f * p[1] - 0.8f * p[w - 1] -
                 0.9f * p[w] + 0.1f * p[w + 1];
}
