// system-calls.ptx is made of this by nvcc -arch=sm_80 -ptx.
#include <cstdio>

extern "C" __global__ void prints(int n) {
  int t = threadIdx.x;
  int r = printf("[%d] %5.2f %s %c %llu %p %% %08x|%-6d|%*d %ld\n", t, t * 0.5,
                 t % 2 ? "odd" : "even", 'a' + t, 1ull << (40 + t), (void *)16,
                 t * 17, t, 5, t, -5L);
  if (t == n)
    printf("%d arguments, %s %q %e %.3s.\n", r, (const char *)0, 1e100,
           "abcdef");
}

// What the heap gives is each thread's own until it is freed, and no more.
extern "C" __global__ void allocates(int *out, int count) {
  int t = threadIdx.x;
  int *mine = (int *)malloc(count * sizeof(int));
  if (!mine) {
    out[t] = -1;
    return;
  }
  for (int i = 0; i < count; ++i)
    mine[i] = t * i;
  __syncthreads();
  int sum = 0;
  for (int i = 0; i < count; ++i)
    sum += mine[i];
  free(mine);
  free(mine);
  out[t] = sum;
}

// The fault is looked for by running this once more: it prints once.
extern "C" __global__ void prints_and_fails(int *out) {
  printf("before\n");
  *out = 1;
}
