#include "../check.h"
#include "separate.h"

__device__ int total = 5;
static __device__ int seen = 100;
static __device__ __noinline__ void note(int x) { atomicAdd(&seen, x); }

extern "C" __global__ void run(int *out) {
  int i = threadIdx.x;
  int x = addScale(i, i & 3);
  for (const Step &step : steps) {
    x = step.apply(x);
    atomicAdd(step.counter, 1);
  }
  atomicAdd(&visits, 1);
  note(1);
  out[i] = larger(x, 20);
}

int main() {
  int *out, host[32], number;
  CHECK(cudaMalloc(&out, sizeof(host)));
  run<<<1, 32>>>(out);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int i = 0; i < 32; ++i) {
    int x = i * (i % 4 + 1);
    int expected = 2 * x * 2 * x > 20 ? 2 * x * 2 * x : 20;
    wrong += host[i] != expected;
  }
  printf("%d wrong\n", wrong);
  CHECK(cudaMemcpyFromSymbol(&number, total, sizeof(number)));
  printf("total %d\n", number);
  CHECK(cudaMemcpyFromSymbol(&number, seen, sizeof(number)));
  printf("seen %d here, %d in steps.cu\n", number, readSeenOfSteps());
  printf("visits %d\n", visits);
  return 0;
}
