// What the three files of the program share: variables and functions that one
// of them defines. Names of their own that are equal do not meet.
#ifndef TEST_CUDARUNTIME_SEPARATE_H
#define TEST_CUDARUNTIME_SEPARATE_H

struct Step {
  int (*apply)(int);
  int *counter;
};

extern __device__ int total;           // main.cu
extern __constant__ int scale[4];      // tables.cu
extern __device__ Step steps[2];       // tables.cu
extern __managed__ int visits;         // steps.cu
__device__ int addScale(int x, int i); // steps.cu
__device__ int twice(int x);           // steps.cu
__device__ int square(int x);          // tables.cu

/// In all three: `.weak` functions, of which one stays.
template <typename T> __device__ __noinline__ T larger(T a, T b) {
  return a > b ? a : b;
}

int readSeenOfSteps();

#endif
