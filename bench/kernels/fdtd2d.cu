// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waves in a plane, as in PolyBench's FDTD-2D: three sweeps for each time step.
extern "C" __global__ void fdtd_ey(const float *source, float *ey,
                                   const float *hz, int h, int w, int t) {
  int x = blockIdx.x * blockDim.x + threadIdx.x,
      y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h)
    return;
  if (y == 0)
    ey[x] = source[t];
  else
    ey[y * w + x] -= 0.5f * (hz[y * w + x] - hz[(y - 1) * w + x]);
}
extern "C" __global__ void fdtd_ex(float *ex, const float *hz, int h, int w) {
  int x = blockIdx.x * blockDim.x + threadIdx.x,
      y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h && x > 0)
    ex[y * w + x] -= 0.5f * (hz[y * w + x] - hz[y * w + x - 1]);
}
extern "C" __global__ void fdtd_hz(const float *ex, const float *ey, float *hz,
                                   int h, int w) {
  int x = blockIdx.x * blockDim.x + threadIdx.x,
      y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w - 1 && y < h - 1)
    hz[y * w + x] -= 0.7f * (ex[y * w + x + 1] - ex[y * w + x] +
                             ey[(y + 1) * w + x] - ey[y * w + x]);
}
