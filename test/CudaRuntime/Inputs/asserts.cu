// Threads 60 to 63 of 64 fail an assertion, in the last lanes of the second
// block; then the program learns of it.
#include <cassert>
#include <cstdio>

__global__ void testKernel(int n) {
  int gtid = blockIdx.x * blockDim.x + threadIdx.x;
  assert(gtid < n);
}

int main() {
  testKernel<<<2, 32>>>(60);
  cudaError_t error = cudaDeviceSynchronize();
  std::printf("%d: %s\n", int(error), cudaGetErrorString(error));
  return error == cudaErrorAssert ? 0 : 1;
}
