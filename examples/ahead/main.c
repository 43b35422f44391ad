/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Runs kernels that were compiled ahead of time. */
#include "kernels.h"

#include <stdio.h>
#include <stdlib.h>

static int check(PtxjitError error) {
  if (error)
    fprintf(stderr, "%s\n", ptxjitGetLastError());
  return error != PTXJIT_OK;
}

int main(void) {
  /* Says early if this machine or library cannot run the kernels. */
  if (check(kernels_load()))
    return 1;

  enum { n = 1000 };
  float *x = malloc(n * sizeof(float)), *y = malloc(n * sizeof(float));
  for (int i = 0; i < n; ++i) {
    x[i] = (float)i;
    y[i] = 1;
  }
  /* Pointers are numbers in PTX. 4 blocks of 256 threads: */
  PtxjitLaunch launch = ptxjitLaunchOf(4, 256);
  if (check(kernels_saxpy(launch, 2, (uintptr_t)x, (uintptr_t)y, n)))
    return 1;
  printf("y[999] = %g\n", y[999]);

  float *total = kernels_get_total();
  if (!total || check(kernels_sum(launch, (uintptr_t)y, n)))
    return 1;
  printf("total = %g\n", *total);

  /* A kernel that fails ends its launch, not the program. */
  if (check(kernels_sum(launch, 16, n)))
    printf("the program goes on\n");
  free(x);
  free(y);
  return 0;
}
