// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The correlation of the columns of a matrix, as in PolyBench's CORR: means,
// deviations, the columns made comparable, and their products.
extern "C" __global__ void corr_mean(const float *data, float *mean, int n,
                                     int m) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= m)
    return;
  float s = 0.0f;
  for (int i = 0; i < n; ++i)
    s += data[i * m + j];
  mean[j] = s / n;
}
extern "C" __global__ void corr_std(const float *data, const float *mean,
                                    float *std, int n, int m) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= m)
    return;
  float s = 0.0f;
  for (int i = 0; i < n; ++i) {
    float d = data[i * m + j] - mean[j];
    s += d * d;
  }
  s = sqrtf(s / n);
  std[j] = s <= 0.005f ? 1.0f : s;
}
extern "C" __global__ void corr_center(const float *data, const float *mean,
                                       const float *std, float *out, int n,
                                       int m) {
  int j = blockIdx.x * blockDim.x + threadIdx.x,
      i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < n && j < m)
    out[i * m + j] = (data[i * m + j] - mean[j]) / (sqrtf((float)n) * std[j]);
}
// A thread for each row of the result.
extern "C" __global__ void corr(const float *data, float *sym, int n, int m) {
  int a = blockIdx.x * blockDim.x + threadIdx.x;
  if (a >= m)
    return;
  sym[a * m + a] = 1.0f;
  for (int b = a + 1; b < m; ++b) {
    float s = 0.0f;
    for (int i = 0; i < n; ++i)
      s += data[i * m + a] * data[i * m + b];
    sym[a * m + b] = s;
    sym[b * m + a] = s;
  }
}
