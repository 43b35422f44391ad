// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The nearest of some centres for each point, as in Rodinia's kmeans. The
// points are transposed first, so that threads read neighbours.
extern "C" __global__ void kmeans_transpose(const float *in, float *out, int n,
                                            int dim) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    for (int k = 0; k < dim; ++k)
      out[k * n + i] = in[i * dim + k];
}
extern "C" __global__ void kmeans(const float *points, const float *centres,
                                  int *nearest, int n, int dim, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int best = 0;
  float least = 3.4e38f;
  for (int c = 0; c < count; ++c) {
    float d = 0.0f;
    for (int k = 0; k < dim; ++k) {
      float e = points[k * n + i] - centres[c * dim + k];
      d += e * e;
    }
    if (d < least)
      least = d, best = c;
  }
  nearest[i] = best;
}
