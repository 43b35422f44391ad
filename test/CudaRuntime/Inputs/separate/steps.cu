#include "separate.h"

static __device__ int seen = 200;
static __device__ __noinline__ void note(int x) { atomicSub(&seen, x); }

__managed__ int visits = 7;

__device__ int addScale(int x, int i) {
  note(2);
  return larger(x * scale[i], 0);
}
__device__ int twice(int x) { return 2 * x; }

static __global__ void read(int *out) { *out = seen; }

int readSeenOfSteps() {
  int *out, number = 0;
  if (cudaMalloc(&out, sizeof(number)))
    return -1;
  read<<<1, 1>>>(out);
  cudaMemcpy(&number, out, sizeof(number), cudaMemcpyDeviceToHost);
  return number;
}
