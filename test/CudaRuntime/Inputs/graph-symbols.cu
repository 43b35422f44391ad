// Graphs whose nodes copy to and from variables of the device.
#include "check.h"

__device__ int cells[4];
__global__ void addIndex() { cells[threadIdx.x] += threadIdx.x; }

int main() {
  int in[4] = {1, 2, 3, 4}, other[4] = {10, 10, 10, 10}, out[4] = {};
  cudaGraph_t graph;
  cudaGraphNode_t to, kernel, from;
  cudaGraphExec_t instance;
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphAddMemcpyNodeToSymbol(&to, graph, nullptr, 0, cells, in, 16, 0,
                                       cudaMemcpyHostToDevice));
  cudaKernelNodeParams params = {};
  params.func = (void *)addIndex;
  params.gridDim = dim3(1);
  params.blockDim = dim3(4);
  CHECK(cudaGraphAddKernelNode(&kernel, graph, &to, 1, &params));
  CHECK(cudaGraphAddMemcpyNodeFromSymbol(&from, graph, &kernel, 1, out, cells,
                                         16, 0, cudaMemcpyDeviceToHost));
  CHECK(cudaGraphInstantiate(&instance, graph, 0));
  CHECK(cudaGraphLaunch(instance, 0));
  CHECK(cudaDeviceSynchronize());
  printf("%d %d %d %d\n", out[0], out[1], out[2], out[3]);
  CHECK(cudaGraphExecMemcpyNodeSetParamsToSymbol(instance, to, cells, other, 16,
                                                 0, cudaMemcpyHostToDevice));
  CHECK(cudaGraphLaunch(instance, 0));
  CHECK(cudaDeviceSynchronize());
  printf("%d %d %d %d\n", out[0], out[1], out[2], out[3]);
  printf("%s\n", cudaGetErrorName(cudaGraphMemcpyNodeSetParamsToSymbol(
                     to, cells, in, 17, 0, cudaMemcpyHostToDevice)));
}
