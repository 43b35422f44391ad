// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Forces between particles of neighbouring boxes, as in Rodinia's lavaMD: a
// block for each box brings the boxes around it to shared memory in turn.
constexpr int PER = 100; // particles of a box
extern "C" __global__ void lavamd(const float4 *pos, const float *charge,
                                  float4 *force, int edge, float a2) {
  __shared__ float4 mine[PER], other[PER];
  __shared__ float q[PER];
  int x = blockIdx.x % edge, y = blockIdx.x / edge % edge,
      z = blockIdx.x / edge / edge;
  int home = blockIdx.x * PER;
  for (int i = threadIdx.x; i < PER; i += blockDim.x) {
    mine[i] = pos[home + i];
    force[home + i] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  }
  for (int k = 0; k < 27; ++k) {
    int nx = x + k % 3 - 1, ny = y + k / 3 % 3 - 1, nz = z + k / 9 - 1;
    if (nx < 0 || ny < 0 || nz < 0 || nx >= edge || ny >= edge || nz >= edge)
      continue;
    int there = ((nz * edge + ny) * edge + nx) * PER;
    __syncthreads();
    for (int i = threadIdx.x; i < PER; i += blockDim.x) {
      other[i] = pos[there + i];
      q[i] = charge[there + i];
    }
    __syncthreads();
    for (int i = threadIdx.x; i < PER; i += blockDim.x) {
      float4 a = mine[i], f = force[home + i];
      for (int j = 0; j < PER; ++j) {
        float4 b = other[j];
        float r2 = a.w + b.w - (a.x * b.x + a.y * b.y + a.z * b.z);
        float v = expf(-a2 * r2), s = 2.0f * v * q[j];
        f.w += q[j] * v;
        f.x += s * (a.x - b.x);
        f.y += s * (a.y - b.y);
        f.z += s * (a.z - b.z);
      }
      force[home + i] = f;
    }
  }
}
