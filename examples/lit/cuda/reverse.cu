// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel in CUDA: nvcc makes PTX, to which the tests below are added.
// REQUIRES: nvcc
// RUN: %nvcc -ptx -arch=compute_80 %s -o %t.ptx
// RUN: grep '^// run:' %s >> %t.ptx
// RUN: ptx-jit test %t.ptx

extern "C" __global__ void reverse(int *data, int n) {
  __shared__ int copy[256];
  int i = threadIdx.x;
  if (i < n)
    copy[i] = data[i];
  __syncthreads();
  if (i < n)
    data[i] = copy[n - 1 - i];
}

// run: reverse block=64 io=s32[1,2,3,4,5]->[5,4,3,2,1] s32:5
// run: reverse block=256 io=s32[iota:256]->[ref] s32:256
