// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Temperatures of a chip, as in Rodinia's hotspot: each block takes a few steps
// in shared memory on a tile that loses a ring at each step.
constexpr int TILE = 16;
extern "C" __global__ void hotspot(const float *power, const float *src,
                                   float *dst, int w, int h, int steps,
                                   float rate, float rx, float ry, float rz) {
  __shared__ float now[TILE][TILE], next[TILE][TILE], heat[TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y, kept = TILE - 2 * steps;
  int x0 = blockIdx.x * kept - steps, y0 = blockIdx.y * kept - steps;
  int x = x0 + tx, y = y0 + ty;
  bool inside = x >= 0 && y >= 0 && x < w && y < h;
  if (inside) {
    now[ty][tx] = src[y * w + x];
    heat[ty][tx] = power[y * w + x];
  }
  __syncthreads();
  // At the border of the chip the cell itself stands for its neighbour.
  int west = max(tx - 1, max(0, -x0)), east = min(tx + 1, w - 1 - x0);
  int north = max(ty - 1, max(0, -y0)), south = min(ty + 1, h - 1 - y0);
  bool mine = false;
  for (int i = 0; i < steps; ++i) {
    mine = inside && tx > i && tx < TILE - 1 - i && ty > i && ty < TILE - 1 - i;
    if (mine) {
      float t = now[ty][tx];
      next[ty][tx] =
          t + rate * (heat[ty][tx] +
                      (now[south][tx] + now[north][tx] - 2.0f * t) * ry +
                      (now[ty][east] + now[ty][west] - 2.0f * t) * rx +
                      (80.0f - t) * rz);
    }
    __syncthreads();
    if (i == steps - 1)
      break;
    if (mine)
      now[ty][tx] = next[ty][tx];
    __syncthreads();
  }
  if (mine)
    dst[y * w + x] = next[ty][tx];
}
