// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GEMMs of libraries: f32 by the faster of OpenBLAS and oneDNN, or by the one
// that BENCH_GEMM names (openblas, onednn); bf16 and s8 by oneDNN.
#include "../driver/fns.h"
#include "../driver/sizes.h"
#include <algorithm>
#include <cblas.h>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <omp.h>
#include <oneapi/dnnl/dnnl.hpp>
#include <vector>
extern "C" void openblas_set_num_threads(int);
namespace bench {
using namespace sz;
static void dnnl_gemm(void **b, dnnl::memory::data_type in,
                      dnnl::memory::data_type out, bool bt) {
  using namespace dnnl;
  using tag = memory::format_tag;
  static engine eng(engine::kind::cpu, 0);
  static stream st(eng);
  memory::desc a({GEMM, GEMM}, in, tag::ab),
      w({GEMM, GEMM}, in, bt ? tag::ba : tag::ab),
      c({GEMM, GEMM}, out, tag::ab);
  static matmul mm(matmul::primitive_desc(matmul::desc(a, w, c), eng));
  mm.execute(st, {{DNNL_ARG_SRC, memory(a, eng, b[0])},
                  {DNNL_ARG_WEIGHTS, memory(w, eng, b[1])},
                  {DNNL_ARG_DST, memory(c, eng, b[2])}});
  st.wait();
}
static void onednn_sgemm(void **b) {
  dnnl_gemm(b, dnnl::memory::data_type::f32, dnnl::memory::data_type::f32,
            false);
}
static void openblas_sgemm(void **b) {
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, GEMM, GEMM, GEMM, 1,
              (float *)b[0], GEMM, (float *)b[1], GEMM, 0, (float *)b[2], GEMM);
}
// The shortest of some runs, after the first, which makes threads.
static double time_of(void (*f)(void **), void **b) {
  double best = 1e30;
  f(b);
  for (int i = 0; i < 5; ++i) {
    double t = omp_get_wtime();
    f(b);
    best = std::min(best, omp_get_wtime() - t);
  }
  return best;
}
void native_sgemm(void **b) {
  static const auto run = [&] {
    if (const char *name = getenv("BENCH_GEMM"))
      return strcmp(name, "openblas") ? onednn_sgemm : openblas_sgemm;
    return time_of(openblas_sgemm, b) < time_of(onednn_sgemm, b)
               ? openblas_sgemm
               : onednn_sgemm;
  }();
  run(b);
}
void native_hgemm_bf16(void **b) {
  dnnl_gemm(b, dnnl::memory::data_type::bf16, dnnl::memory::data_type::f32,
            true);
}
void native_igemm_s8(void **b) {
  dnnl_gemm(b, dnnl::memory::data_type::s8, dnnl::memory::data_type::s32, true);
}
// For each block of 64 queries: sgemm, softmax, sgemm.
void native_attention(void **b) {
  auto Q = (float *)b[0], K = (float *)b[1], V = (float *)b[2],
       O = (float *)b[3];
  openblas_set_num_threads(1);
#pragma omp parallel for schedule(dynamic)
  for (int t = 0; t < HEADS * SEQ / 64; ++t) {
    size_t q = (size_t)t * 64 * HD, h = q / (SEQ * HD) * SEQ * HD;
    static thread_local float S[64 * SEQ];
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, 64, SEQ, HD, 0.125f,
                Q + q, HD, K + h, HD, 0, S, SEQ);
    for (int r = 0; r < 64; ++r) {
      float *s = S + r * SEQ;
      float m = s[0], l = 0;
      for (int i = 0; i < SEQ; ++i)
        m = s[i] > m ? s[i] : m;
      for (int i = 0; i < SEQ; ++i)
        l += s[i] = expf(s[i] - m);
      l = 1 / l;
      for (int i = 0; i < SEQ; ++i)
        s[i] *= l;
    }
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, 64, HD, SEQ, 1, S,
                SEQ, V + h, HD, 0, O + q, HD);
  }
}
} // namespace bench
