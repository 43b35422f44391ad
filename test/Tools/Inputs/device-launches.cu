// Kernels that launch kernels. device-launches.ptx is made of this by
//   nvcc -rdc=true -arch=compute_80 -ptx device-launches.cu
// The answers that the tests expect are those of an H100.

/// Takes the next place in out[1...]; out[0] counts them.
__device__ __noinline__ void note(int *out, int value) {
  out[1 + atomicAdd(out, 1)] = value;
}
__device__ __noinline__ void noteError(int *out) {
  note(out, 1000 + cudaGetLastError());
}

struct Large {
  double a[9];
  int *out;
};
extern "C" __global__ void mark(int *out, int value) { note(out, value); }
extern "C" __global__ void sum(Large large, int n) {
  double all = 0;
  for (int i = 0; i < 9; ++i)
    all += large.a[i];
  if (threadIdx.x == 0)
    note(large.out, int(all) + n);
}

/// A tree of binary launches: leaves add up their places.
extern "C" __global__ void tree(int *out, int place, int depth) {
  if (depth == 0) {
    atomicAdd(out, place);
    return;
  }
  if (threadIdx.x < 2)
    tree<<<1, 4>>>(out, 2 * place + int(threadIdx.x), depth - 1);
}

/// One chain of launches that is deeper than any stack.
extern "C" __global__ void chain(int *out, int depth) {
  if (depth == 0)
    note(out, 4711);
  else
    chain<<<1, 1>>>(out, depth - 1);
}
extern "C" __global__ void tailChain(int *out, int depth) {
  if (depth == 0)
    note(out, 4712);
  else
    tailChain<<<1, 1, 0, cudaStreamTailLaunch>>>(out, depth - 1);
}

/// Launches in a stream come one after the other, and the default stream of a
/// CTA is one.
extern "C" __global__ void inOrder(int *out) {
  for (int i = 0; i < 8; ++i)
    mark<<<1, 1>>>(out, i);
  Large large = {{1, 2, 3, 4, 5, 6, 7, 8, 9}, out};
  sum<<<1, 64>>>(large, 55);
}

/// Each thread launches, of several CTAs.
extern "C" __global__ void fromAll(int *out) {
  mark<<<1, 1>>>(out, int(blockIdx.x * blockDim.x + threadIdx.x));
}

extern "C" __global__ void byEvents(int *out) {
  cudaStream_t a, b, c;
  cudaEvent_t ready;
  cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&c, cudaStreamNonBlocking);
  cudaEventCreateWithFlags(&ready, cudaEventDisableTiming);
  mark<<<1, 1, 0, a>>>(out, 1);
  cudaEventRecord(ready, a);
  cudaStreamWaitEvent(b, ready, 0);
  mark<<<1, 1, 0, b>>>(out, 2);
  cudaEventRecord(ready, b);
  cudaStreamWaitEvent(c, ready, 0);
  cudaEventDestroy(ready);
  mark<<<1, 1, 0, c>>>(out, 3);
  cudaStreamDestroy(a);
  cudaStreamDestroy(b);
  cudaStreamDestroy(c);
}

extern "C" __global__ void tailOf(int *out, int value, int more) {
  note(out, value);
  if (more) {
    tailOf<<<1, 1, 0, cudaStreamTailLaunch>>>(out, value * 10, more - 1);
    mark<<<1, 1>>>(out, value * 10 + 5);
  }
}
extern "C" __global__ void tails(int *out) {
  tailOf<<<1, 1, 0, cudaStreamTailLaunch>>>(out, 1, 2);
  tailOf<<<1, 1, 0, cudaStreamTailLaunch>>>(out, 2, 1);
  mark<<<1, 1>>>(out, 7);
  mark<<<1, 1>>>(out, 8);
  mark<<<1, 1, 0, cudaStreamFireAndForget>>>(out, 9);
}

/// What was given to a stream is done in its order.
extern "C" __global__ void memory(int *out) {
  int *at = out + 16;
  at[0] = 42;
  cudaMemcpyAsync(at + 1, at, 4, cudaMemcpyDeviceToDevice, 0);
  cudaMemcpyAsync(at + 2, at + 1, 4, cudaMemcpyDefault, 0);
  cudaMemsetAsync(at + 3, 0x101, 4, 0);
  cudaMemset2DAsync(at + 4, 8, 2, 4, 2, 0);
  cudaMemcpy2DAsync(at + 5, 8, at + 4, 8, 4, 2, cudaMemcpyDeviceToDevice, 0);
  cudaMemset3DAsync(cudaPitchedPtr{at + 8, 8, 4, 1}, 3, cudaExtent{4, 1, 2}, 0);
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = cudaPitchedPtr{at + 8, 8, 4, 1};
  copy.dstPtr = cudaPitchedPtr{at + 8, 8, 4, 1};
  copy.dstPos = cudaPos{4, 0, 0};
  copy.extent = cudaExtent{4, 1, 2};
  copy.kind = cudaMemcpyDeviceToDevice;
  cudaMemcpy3DAsync(&copy, 0);
  noteError(out);
  note(out, 1000 + cudaMemcpyAsync(at, at, 4, cudaMemcpyHostToDevice, 0));
  note(out, 1000 + cudaMemcpy2DAsync(at, 2, at, 8, 4, 2,
                                     cudaMemcpyDeviceToDevice, 0));
  note(out, 1000 + cudaMemset2DAsync(at, 2, 3, 4, 2, 0));
  int *block = nullptr;
  note(out, 1000 + cudaMalloc((void **)&block, 64));
  note(out, block != nullptr);
  note(out, 1000 + cudaFree(block));
  note(out, 1000 + cudaMalloc((void **)&block, 1ull << 40));
  note(out, 1000 + cudaMalloc((void **)&block, 0));
}

extern "C" __global__ void bounded(int *) __launch_bounds__(64);
extern "C" __global__ void bounded(int *out) { note(out, 5); }
extern "C" __global__ void errors(int *out) {
  noteError(out);
  mark<<<0, 1>>>(out, 1);
  note(out, 1000 + cudaPeekAtLastError());
  noteError(out);
  noteError(out);
  mark<<<1, 1025>>>(out, 1);
  noteError(out);
  mark<<<dim3(1, 65536), 1>>>(out, 1);
  noteError(out);
  mark<<<1, dim3(1, 1, 65)>>>(out, 1);
  noteError(out);
  bounded<<<1, 65>>>(out);
  noteError(out);
  mark<<<1, 1, 300 << 10>>>(out, 1);
  noteError(out);
  mark<<<1, 1, 0, (cudaStream_t)0x12345670>>>(out, 1);
  noteError(out);
  cudaStream_t stream;
  cudaEvent_t event;
  note(out, 1000 + cudaStreamCreateWithFlags(&stream, 5));
  note(out, 1000 + cudaEventCreateWithFlags(&event, 0));
  cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  note(out, 1000 + cudaEventRecord(event, cudaStreamTailLaunch));
  note(out, 1000 + cudaStreamWaitEvent(cudaStreamFireAndForget, event, 0));
  note(out, 1000 + cudaStreamDestroy(0));
  note(out, 1000 + cudaEventDestroy(0));
  noteError(out);
  bounded<<<1, 1>>>(out);
}

/// The last error belongs to a thread.
extern "C" __global__ void errorOfThread(int *out) {
  if (threadIdx.x == 1)
    mark<<<0, 1>>>(out, 1);
  __syncthreads();
  out[threadIdx.x] = cudaPeekAtLastError();
}

extern "C" __global__ void bad(int *out) {
  mark<<<1, 1>>>((int *)8, 1);
  mark<<<1, 1>>>(out, 1);
}
extern "C" __global__ void badCopy(int *out) {
  cudaMemcpyAsync(out, (int *)8, 4, cudaMemcpyDeviceToDevice, 0);
}
extern "C" __global__ void noKernel(int *out) {
  void *none = out;
  cudaGetParameterBufferV2(none, dim3(1, 1, 1), dim3(1, 1, 1), 0);
}
extern "C" __global__ void noBuffer(int *out) { cudaLaunchDeviceV2(out, 0); }

/// The older pair of functions.
extern "C" __global__ void olderForm(int *out) {
  void *buffer = cudaGetParameterBuffer(64, 16);
  *(int **)buffer = out;
  *(int *)((char *)buffer + 8) = 77;
  note(out, 1000 + cudaLaunchDevice((void *)mark, buffer, dim3(1, 1, 1),
                                    dim3(1, 1, 1), 0, 0));
}
