// What the programs of this folder do with a runtime error: say it and stop.
#ifndef TEST_CUDARUNTIME_CHECK_H
#define TEST_CUDARUNTIME_CHECK_H

#include <cstdio>
#include <cuda_runtime.h>

#define CHECK(call)                                                            \
  do {                                                                         \
    cudaError_t error = (call);                                                \
    if (error) {                                                               \
      printf("%s: %s\n", #call, cudaGetErrorString(error));                    \
      return 1;                                                                \
    }                                                                          \
  } while (0)

#endif
