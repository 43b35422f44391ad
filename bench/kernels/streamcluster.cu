// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a new centre would gain, as in Rodinia's streamcluster: the distance of
// each point to it, and what each open centre would lose.
constexpr int DIM = 64;
// A row of `lower` for each centre, and one for the new centre.
extern "C" __global__ void pgain(const float *coord, const float *weight,
                                 const float *cost, const int *centre,
                                 float *lower, unsigned char *moves, int n,
                                 int centres, int x) {
  __shared__ float at[DIM];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x < DIM)
    at[threadIdx.x] = coord[threadIdx.x * n + x];
  __syncthreads();
  if (i >= n)
    return;
  float d = 0.0f;
  for (int k = 0; k < DIM; ++k) {
    float e = coord[k * n + i] - at[k];
    d += e * e;
  }
  d *= weight[i];
  for (int k = 0; k <= centres; ++k)
    lower[k * n + i] = 0.0f;
  moves[i] = d < cost[i];
  if (d < cost[i])
    lower[centres * n + i] = d - cost[i];
  else
    lower[centre[i] * n + i] = cost[i] - d;
}
// A block for each row.
extern "C" __global__ void pgain_sum(const float *lower, float *gain, int n) {
  __shared__ float part[256];
  float s = 0.0f;
  for (int i = threadIdx.x; i < n; i += 256)
    s += lower[blockIdx.x * n + i];
  part[threadIdx.x] = s;
  for (int d = 128; d; d >>= 1) {
    __syncthreads();
    if (threadIdx.x < d)
      part[threadIdx.x] += part[threadIdx.x + d];
  }
  if (threadIdx.x == 0)
    gain[blockIdx.x] = part[0];
}
