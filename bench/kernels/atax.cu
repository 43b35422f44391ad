// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// y = A^T (A x), as in PolyBench's ATAX: a thread for each row, then one for
// each column.
extern "C" __global__ void atax_rows(const float *a, const float *x, float *t,
                                     int rows, int cols) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows)
    return;
  float s = 0.0f;
  for (int j = 0; j < cols; ++j)
    s += a[i * cols + j] * x[j];
  t[i] = s;
}
extern "C" __global__ void atax_cols(const float *a, const float *t, float *y,
                                     int rows, int cols) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= cols)
    return;
  float s = 0.0f;
  for (int i = 0; i < rows; ++i)
    s += a[i * cols + j] * t[i];
  y[j] = s;
}
