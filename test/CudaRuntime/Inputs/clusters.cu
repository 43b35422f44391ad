// Clusters and what is tracked by mbarriers, as libcu++ writes them. The PTX of
// the kernels is in test/Execution/libcu-barriers.ptx.
#include "check.h"

#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <vector>

namespace cg = cooperative_groups;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

/// Each CTA of a cluster has a part of the bins in its shared memory.
extern "C" __global__ void histogram(int *bins, int perCta, const int *in,
                                     int n) {
  extern __shared__ int own[];
  cg::cluster_group cluster = cg::this_cluster();
  for (int i = threadIdx.x; i < perCta; i += blockDim.x)
    own[i] = 0;
  cluster.sync();
  for (int i = cg::this_grid().thread_rank(); i < n;
       i += blockDim.x * gridDim.x) {
    int *remote = cluster.map_shared_rank(own, in[i] / perCta);
    atomicAdd(remote + in[i] % perCta, 1);
  }
  cluster.sync();
  for (int i = threadIdx.x; i < perCta; i += blockDim.x)
    atomicAdd(&bins[cluster.block_rank() * perCta + i], own[i]);
}

/// Arrivals and waits apart, and together.
extern "C" __global__ void neighbours(int *data) {
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ Barrier barrier;
  __shared__ int cells[256];
  if (threadIdx.x == 0)
    init(&barrier, blockDim.x);
  __syncthreads();
  int *mine = data + blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
  for (int i = 0; i < 8; ++i) {
    cells[threadIdx.x] = *mine + i;
    auto token = barrier.arrive();
    barrier.wait(std::move(token));
    sum += cells[(threadIdx.x + 33) % blockDim.x];
    barrier.arrive_and_wait();
  }
  *mine = sum;
}

/// A bulk copy that one thread issues.
extern "C" __global__ void twice(const int *in, int *out) {
  __shared__ alignas(16) int tile[1024];
  __shared__ Barrier barrier;
  if (threadIdx.x == 0)
    init(&barrier, blockDim.x);
  __syncthreads();
  Barrier::arrival_token token;
  if (threadIdx.x == 0) {
    cuda::memcpy_async(tile, in + blockIdx.x * 1024,
                       cuda::aligned_size_t<16>(sizeof(tile)), barrier);
    token = cuda::device::barrier_arrive_tx(barrier, 1, 0);
  } else {
    token = barrier.arrive();
  }
  barrier.wait(std::move(token));
  for (int i = threadIdx.x; i < 1024; i += blockDim.x)
    out[blockIdx.x * 1024 + i] = tile[i] * 2;
}

/// Copies two tiles ahead.
extern "C" __global__ void pipelined(const int *in, int *out, int tiles) {
  constexpr int stages = 2, size = 128;
  __shared__ int buffer[stages][size];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages>
      state;
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  int sum = 0;
  for (int tile = 0, fetched = 0; tile < tiles; ++tile) {
    for (; fetched < tiles && fetched < tile + stages; ++fetched) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, buffer[fetched % stages], in + fetched * size,
                         sizeof(int) * size, pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    sum += buffer[tile % stages][(threadIdx.x * 7 + tile) % size];
    pipe.consumer_release();
  }
  out[threadIdx.x] = sum;
}

static int runHistogram(const std::vector<int> &in, const int *deviceIn) {
  constexpr int bins = 512, ctas = 4;
  std::vector<int> expected(bins), got(bins);
  for (int value : in)
    ++expected[value];
  int *deviceBins;
  CHECK(cudaMalloc(&deviceBins, bins * sizeof(int)));
  CHECK(cudaMemset(deviceBins, 0, bins * sizeof(int)));
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = ctas;
  cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = 16;
  config.blockDim = 128;
  config.dynamicSmemBytes = bins / ctas * sizeof(int);
  config.attrs = &cluster;
  config.numAttrs = 1;
  int active = 0, largest = 0;
  CHECK(cudaOccupancyMaxActiveClusters(&active, histogram, &config));
  CHECK(cudaOccupancyMaxPotentialClusterSize(&largest, histogram, &config));
  printf("clusters: %s, up to %d CTAs\n", active > 0 ? "some" : "none",
         largest);
  CHECK(cudaLaunchKernelEx(&config, histogram, deviceBins, bins / ctas,
                           deviceIn, int(in.size())));
  CHECK(cudaMemcpy(got.data(), deviceBins, bins * sizeof(int),
                   cudaMemcpyDeviceToHost));
  printf("histogram %s\n", got == expected ? "right" : "wrong");
  config.gridDim = 6;
  printf("6 CTAs in clusters of 4: %s\n",
         cudaGetErrorName(cudaLaunchKernelEx(&config, histogram, deviceBins,
                                             bins / ctas, deviceIn, 0)));
  return 0;
}

int main() {
  constexpr int n = 8192;
  std::vector<int> in(n), got(n);
  for (int i = 0; i < n; ++i)
    in[i] = (i * 7919 + i / 13) % 512;
  int *a, *b;
  CHECK(cudaMalloc(&a, n * sizeof(int)));
  CHECK(cudaMalloc(&b, n * sizeof(int)));
  CHECK(cudaMemcpy(a, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  if (runHistogram(in, a))
    return 1;
  int wrong = 0;
  twice<<<8, 128>>>(a, b);
  CHECK(cudaMemcpy(got.data(), b, n * sizeof(int), cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i)
    wrong += got[i] != in[i] * 2;
  pipelined<<<1, 128>>>(a, b, 32);
  CHECK(cudaMemcpy(got.data(), b, 128 * sizeof(int), cudaMemcpyDeviceToHost));
  for (int t = 0; t < 128; ++t) {
    int sum = 0;
    for (int tile = 0; tile < 32; ++tile)
      sum += in[tile * 128 + (t * 7 + tile) % 128];
    wrong += got[t] != sum;
  }
  neighbours<<<4, 256>>>(a);
  CHECK(cudaMemcpy(got.data(), a, 1024 * sizeof(int), cudaMemcpyDeviceToHost));
  for (int i = 0; i < 1024; ++i)
    wrong += got[i] != 8 * in[i / 256 * 256 + (i + 33) % 256] + 28;
  printf("%d wrong\n", wrong);
}
