// A tour of the runtime interface, as a program has it.
#include "check.h"
#include <vector>

__constant__ float scale[2];
__device__ int counter = 5;
__managed__ int sharedCounter = 3;

template <typename T> __global__ void axpy(T a, const T *x, T *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = a * x[i] * scale[1] + y[i];
  if (i == 0) {
    atomicAdd(&counter, 1);
    atomicAdd(&sharedCounter, 10);
    printf("hello from the device, %d\n", n);
  }
}

int main() {
  const int n = 1000;
  std::vector<double> in(n), out(n);
  for (int i = 0; i < n; ++i)
    in[i] = i;
  double *x, *y;
  CHECK(cudaMalloc(&x, n * sizeof(double)));
  CHECK(cudaMalloc(&y, n * sizeof(double)));
  float scales[2] = {1, 2};
  CHECK(cudaMemcpyToSymbol(scale, scales, sizeof(scales)));
  CHECK(cudaMemcpy(x, in.data(), n * sizeof(double), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(y, 0, n * sizeof(double)));
  printf("managed before: %d\n", sharedCounter);

  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  CHECK(cudaEventRecord(begin));
  axpy<<<(n + 255) / 256, 256>>>(3.0, x, y, n);
  CHECK(cudaGetLastError());
  CHECK(cudaEventRecord(end));
  CHECK(cudaEventSynchronize(end));
  float ms = -1;
  CHECK(cudaEventElapsedTime(&ms, begin, end));
  CHECK(cudaMemcpy(out.data(), y, n * sizeof(double), cudaMemcpyDeviceToHost));
  int wrong = ms < 0, count = 0;
  for (int i = 0; i < n; ++i)
    wrong += out[i] != 6.0 * i;
  CHECK(cudaMemcpyFromSymbol(&count, counter, sizeof(count)));
  printf("%d wrong, counter %d, managed %d\n", wrong, count, sharedCounter);

  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t instance;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  axpy<<<4, 256, 0, stream>>>(1.0, x, y, n);
  CHECK(cudaMemcpyAsync(out.data(), y, n * sizeof(double),
                        cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&instance, graph, 0));
  for (int i = 0; i < 3; ++i)
    CHECK(cudaGraphLaunch(instance, stream));
  CHECK(cudaStreamSynchronize(stream));
  printf("by graph: %g\n", out[10]);

  axpy<<<1, 2000>>>(1.0, x, y, n);
  printf("%s\n", cudaGetErrorName(cudaGetLastError()));
  axpy<<<1, 32>>>(1.0, (double *)8, y, n);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  printf("%s\n", cudaGetErrorName(cudaMalloc(&x, 4)));
}
