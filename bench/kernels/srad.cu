// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Diffusion that removes speckles from an image, as in Rodinia's srad: the
// statistics of the image, then coefficients and the update, tile by tile.
constexpr int TILE = 16;
extern "C" __global__ void srad_extract(const float *image, float *j, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    j[i] = expf(image[i] / 255.0f);
}
__device__ void add_up(float *a, float *b) { // 256 threads
  for (int d = 128; d; d >>= 1) {
    __syncthreads();
    if (threadIdx.x < d) {
      a[threadIdx.x] += a[threadIdx.x + d];
      b[threadIdx.x] += b[threadIdx.x + d];
    }
  }
}
extern "C" __global__ void srad_sums(const float *j, float *sums, int n) {
  __shared__ float a[256], b[256];
  float s = 0.0f, q = 0.0f;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
    s += j[i];
    q += j[i] * j[i];
  }
  a[threadIdx.x] = s, b[threadIdx.x] = q;
  add_up(a, b);
  if (threadIdx.x == 0)
    sums[blockIdx.x] = a[0], sums[gridDim.x + blockIdx.x] = b[0];
}
// One block, for as many partial sums as it has threads.
extern "C" __global__ void srad_spread(const float *sums, float *q0, int n) {
  __shared__ float a[256], b[256];
  a[threadIdx.x] = sums[threadIdx.x];
  b[threadIdx.x] = sums[256 + threadIdx.x];
  add_up(a, b);
  if (threadIdx.x == 0) {
    float mean = a[0] / n;
    *q0 = (b[0] / n - mean * mean) / (mean * mean);
  }
}
extern "C" __global__ void srad_slopes(const float *j, const float *q0,
                                       float *dn, float *ds, float *dw,
                                       float *de, float *c, int w, int h) {
  __shared__ float t[TILE + 2][TILE + 2];
  int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  int i = y * w + x;
  t[ty][tx] = j[i];
  if (ty == 1)
    t[0][tx] = j[y ? i - w : i];
  if (ty == TILE)
    t[TILE + 1][tx] = j[y < h - 1 ? i + w : i];
  if (tx == 1)
    t[ty][0] = j[x ? i - 1 : i];
  if (tx == TILE)
    t[ty][TILE + 1] = j[x < w - 1 ? i + 1 : i];
  __syncthreads();
  float m = t[ty][tx], n = t[ty - 1][tx] - m, s = t[ty + 1][tx] - m,
        west = t[ty][tx - 1] - m, east = t[ty][tx + 1] - m;
  float g2 = (n * n + s * s + west * west + east * east) / (m * m);
  float l = (n + s + west + east) / m;
  float den = 1.0f + 0.25f * l;
  float q = (0.5f * g2 - 0.0625f * l * l) / (den * den);
  float f = 1.0f / (1.0f + (q - *q0) / (*q0 * (1.0f + *q0)));
  dn[i] = n, ds[i] = s, dw[i] = west, de[i] = east;
  c[i] = fminf(fmaxf(f, 0.0f), 1.0f);
}
extern "C" __global__ void srad_update(float *j, const float *dn,
                                       const float *ds, const float *dw,
                                       const float *de, const float *c, int w,
                                       int h, float lambda) {
  __shared__ float t[TILE + 1][TILE + 1];
  int tx = threadIdx.x, ty = threadIdx.y;
  int x = blockIdx.x * TILE + tx, y = blockIdx.y * TILE + ty, i = y * w + x;
  t[ty][tx] = c[i];
  if (ty == TILE - 1)
    t[TILE][tx] = c[y < h - 1 ? i + w : i];
  if (tx == TILE - 1)
    t[ty][TILE] = c[x < w - 1 ? i + 1 : i];
  __syncthreads();
  float d = t[ty][tx] * (dn[i] + dw[i]) + t[ty + 1][tx] * ds[i] +
            t[ty][tx + 1] * de[i];
  j[i] += 0.25f * lambda * d;
}
