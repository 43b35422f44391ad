// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Alignment of two sequences, as in Rodinia's Needleman-Wunsch: a launch for
// each diagonal of 16 x 16 blocks, and within a block a diagonal at a time.
constexpr int B = 16;
__device__ void align(int *score, const int *like, int w, int gap, int bx,
                      int by) {
  __shared__ int s[B + 1][B + 1], r[B][B];
  int t = threadIdx.x;
  int corner = by * B * w + bx * B; // up and left of the block
  for (int i = 0; i < B; ++i)
    r[i][t] = like[corner + (i + 1) * w + t + 1];
  if (t == 0)
    s[0][0] = score[corner];
  s[t + 1][0] = score[corner + (t + 1) * w];
  s[0][t + 1] = score[corner + t + 1];
  __syncthreads();
  for (int d = 0; d < B; ++d) {
    if (t <= d) {
      int x = t + 1, y = d - t + 1;
      s[y][x] = max(s[y - 1][x - 1] + r[y - 1][x - 1],
                    max(s[y][x - 1] - gap, s[y - 1][x] - gap));
    }
    __syncthreads();
  }
  for (int d = B - 2; d >= 0; --d) {
    if (t <= d) {
      int x = t + B - d, y = B - t;
      s[y][x] = max(s[y - 1][x - 1] + r[y - 1][x - 1],
                    max(s[y][x - 1] - gap, s[y - 1][x] - gap));
    }
    __syncthreads();
  }
  for (int i = 0; i < B; ++i)
    score[corner + (i + 1) * w + t + 1] = s[i + 1][t + 1];
}
// The diagonals up to the longest, of as many blocks as the grid has.
extern "C" __global__ void nw_grow(int *score, const int *like, int w,
                                   int gap) {
  align(score, like, w, gap, blockIdx.x, gridDim.x - 1 - blockIdx.x);
}
// The diagonals after it.
extern "C" __global__ void nw_shrink(int *score, const int *like, int w,
                                     int gap, int blocks) {
  align(score, like, w, gap, blockIdx.x + blocks - gridDim.x,
        blocks - 1 - blockIdx.x);
}
