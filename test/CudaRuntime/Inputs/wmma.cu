// Products of matrices by nvcuda::wmma, in all its shapes and layouts, compared
// with loops. Elements are small integers, so that every sum is exact.
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
#include <type_traits>

using namespace nvcuda;
using Row = wmma::row_major;
using Col = wmma::col_major;

template <class Layout>
__host__ __device__ int indexOf(int row, int col, int rows, int cols) {
  return std::is_same<Layout, Row>::value ? row * cols + col : col * rows + row;
}

template <class T, class Sum, int M, int N, int K, class LayoutA, class LayoutB>
__global__ void multiply(const T *a, const T *b, Sum *c, int m, int n, int k) {
  wmma::fragment<wmma::matrix_a, M, N, K, T, LayoutA> tileA;
  wmma::fragment<wmma::matrix_b, M, N, K, T, LayoutB> tileB;
  wmma::fragment<wmma::accumulator, M, N, K, Sum> sum;
  int row = blockIdx.y * M, col = blockIdx.x * N;
  wmma::fill_fragment(sum, Sum(0));
  for (int i = 0; i < k; i += K) {
    wmma::load_matrix_sync(tileA, a + indexOf<LayoutA>(row, i, m, k),
                           std::is_same<LayoutA, Row>::value ? k : m);
    wmma::load_matrix_sync(tileB, b + indexOf<LayoutB>(i, col, k, n),
                           std::is_same<LayoutB, Row>::value ? n : k);
    wmma::mma_sync(sum, tileA, tileB, sum);
  }
  for (int i = 0; i < sum.num_elements; ++i)
    sum.x[i] = sum.x[i] + sum.x[i];
  wmma::store_matrix_sync(c + row * n + col, sum, n, wmma::mem_row_major);
}

template <class T> double numberOf(T x) { return double(float(x)); }

template <class T, class Sum, int M, int N, int K, class LayoutA, class LayoutB>
int countWrong(const char *name) {
  int m = 2 * M, n = 2 * N, k = 4 * K, wrong = 0;
  T *a, *b;
  Sum *c;
  cudaMallocManaged(&a, m * k * sizeof(T));
  cudaMallocManaged(&b, k * n * sizeof(T));
  cudaMallocManaged(&c, m * n * sizeof(Sum));
  for (int i = 0; i < m * k; ++i)
    a[i] = T(float(i * 7 % 5));
  for (int i = 0; i < k * n; ++i)
    b[i] = T(float(i * 11 % 6));
  multiply<T, Sum, M, N, K, LayoutA, LayoutB>
      <<<dim3(2, 2), 32>>>(a, b, c, m, n, k);
  cudaError_t status = cudaDeviceSynchronize();
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int l = 0; l < k; ++l)
        sum += numberOf(a[indexOf<LayoutA>(i, l, m, k)]) *
               numberOf(b[indexOf<LayoutB>(l, j, k, n)]);
      wrong += numberOf(c[i * n + j]) != 2 * sum;
    }
  std::printf("%s: %s, %d wrong\n", name, cudaGetErrorName(status), wrong);
  return wrong;
}

int main() {
  int wrong = 0;
  wrong += countWrong<half, float, 16, 16, 16, Row, Row>("f16, f32 sums");
  wrong += countWrong<half, float, 8, 32, 16, Col, Col>("f16, wide");
  wrong += countWrong<half, half, 32, 8, 16, Row, Col>("f16, f16 sums");
  wrong += countWrong<__nv_bfloat16, float, 16, 16, 16, Col, Row>("bf16");
  wrong += countWrong<signed char, int, 16, 16, 16, Row, Col>("s8");
  wrong += countWrong<unsigned char, int, 32, 8, 16, Col, Row>("u8");
  wrong += countWrong<double, double, 8, 8, 4, Row, Col>("f64");
  return wrong != 0;
}
