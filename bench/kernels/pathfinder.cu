// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cheapest way down a grid, as in Rodinia's pathfinder: each block takes
// several rows in shared memory, and its tile loses a column at each side.
constexpr int TILE = 256;
extern "C" __global__ void pathfinder(const int *wall, const int *src, int *dst,
                                      int cols, int first, int steps) {
  __shared__ int prev[TILE], cost[TILE];
  int tx = threadIdx.x, x0 = blockIdx.x * (TILE - 2 * steps) - steps;
  int x = x0 + tx;
  bool inside = x >= 0 && x < cols;
  if (inside)
    prev[tx] = src[x];
  __syncthreads();
  int west = max(tx - 1, max(0, -x0)), east = min(tx + 1, cols - 1 - x0);
  bool mine = false;
  for (int i = 0; i < steps; ++i) {
    mine = inside && tx > i && tx < TILE - 1 - i;
    if (mine) {
      int best = min(min(prev[west], prev[tx]), prev[east]);
      cost[tx] = best + wall[(first + i) * cols + x];
    }
    __syncthreads();
    if (i == steps - 1)
      break;
    if (mine)
      prev[tx] = cost[tx];
    __syncthreads();
  }
  if (mine)
    dst[x] = cost[tx];
}
