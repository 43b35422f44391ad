// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LU decomposition in place by blocks of 16, as in Rodinia's lud: the diagonal
// block, then its row and column of blocks, then the rest of the matrix.
constexpr int B = 16;
extern "C" __global__ void lud_copy(const float4 *in, float4 *m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  m[i] = in[i];
}
extern "C" __global__ void lud_diagonal(float *m, int n, int at) { // B threads
  __shared__ float s[B][B];
  int t = threadIdx.x;
  m += at * n + at;
  for (int i = 0; i < B; ++i)
    s[i][t] = m[i * n + t];
  __syncthreads();
  for (int i = 0; i < B - 1; ++i) {
    if (t > i) { // A column of L, a row an iteration.
      for (int k = 0; k < i; ++k)
        s[t][i] -= s[t][k] * s[k][i];
      s[t][i] /= s[i][i];
    }
    __syncthreads();
    if (t > i) // The next row of U.
      for (int k = 0; k < i + 1; ++k)
        s[i + 1][t] -= s[i + 1][k] * s[k][t];
    __syncthreads();
  }
  for (int i = 1; i < B; ++i)
    m[i * n + t] = s[i][t];
}
// 2 * B threads: half of them solve for a block of the row, half for one of the
// column.
extern "C" __global__ void lud_perimeter(float *m, int n, int at) {
  __shared__ float dia[B][B], row[B][B], col[B][B];
  int t = threadIdx.x % B, away = (blockIdx.x + 1) * B;
  m += at * n + at;
  if (threadIdx.x < B) {
    for (int i = 0; i < B / 2; ++i)
      dia[i][t] = m[i * n + t];
    for (int i = 0; i < B; ++i)
      row[i][t] = m[i * n + away + t];
  } else {
    for (int i = B / 2; i < B; ++i)
      dia[i][t] = m[i * n + t];
    for (int i = 0; i < B; ++i)
      col[i][t] = m[(away + i) * n + t];
  }
  __syncthreads();
  if (threadIdx.x < B) {
    for (int i = 1; i < B; ++i)
      for (int k = 0; k < i; ++k)
        row[i][t] -= dia[i][k] * row[k][t];
  } else {
    for (int i = 0; i < B; ++i) {
      for (int k = 0; k < i; ++k)
        col[t][i] -= col[t][k] * dia[k][i];
      col[t][i] /= dia[i][i];
    }
  }
  __syncthreads();
  if (threadIdx.x < B)
    for (int i = 1; i < B; ++i)
      m[i * n + away + t] = row[i][t];
  else
    for (int i = 0; i < B; ++i)
      m[(away + i) * n + t] = col[i][t];
}
extern "C" __global__ void lud_internal(float *m, int n, int at) {
  __shared__ float row[B][B], col[B][B];
  int tx = threadIdx.x, ty = threadIdx.y;
  int x = (blockIdx.x + 1) * B + tx, y = (blockIdx.y + 1) * B + ty;
  m += at * n + at;
  row[ty][tx] = m[ty * n + x];
  col[ty][tx] = m[y * n + tx];
  __syncthreads();
  float s = 0.0f;
  for (int k = 0; k < B; ++k)
    s += col[ty][k] * row[k][tx];
  m[y * n + x] -= s;
}
