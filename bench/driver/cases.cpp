// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The list of cases: buffers, launches, checks and costs.
#include "cases.h"
#include "fills.h"
#include "fns.h"
#include "sizes.h"
namespace bench {
using namespace sz;
// 1 to 31 entries per row, in uniformly random columns.
const Csr &spmv_matrix() {
  static Csr m = [] {
    Csr m;
    m.ptr.push_back(0);
    for (int r = 0; r < SPROWS; ++r) {
      int k = 1 + mix(70, r) % 31;
      for (int j = 0; j < k; ++j)
        m.col.push_back(mix(71, m.col.size()) % SPROWS);
      m.ptr.push_back(m.col.size());
    }
    return m;
  }();
  return m;
}
// A symmetric random graph with BFSDEG neighbours per vertex on average.
const Csr &bfs_graph() {
  static Csr g = [] {
    const int m = BFSN * BFSDEG / 2;
    auto end = [](int i, int s) { return int(mix(80 + s, i) % BFSN); };
    Csr g;
    g.ptr.assign(BFSN + 1, 0);
    g.col.resize(2 * m);
    for (int i = 0; i < m; ++i)
      ++g.ptr[end(i, 0) + 1], ++g.ptr[end(i, 1) + 1];
    for (int i = 0; i < BFSN; ++i)
      g.ptr[i + 1] += g.ptr[i];
    std::vector<int> at(g.ptr.begin(), g.ptr.end() - 1);
    for (int i = 0; i < m; ++i) {
      int a = end(i, 0), b = end(i, 1);
      g.col[at[a]++] = b, g.col[at[b]++] = a;
    }
    return g;
  }();
  return g;
}
int bfs_levels() {
  static int n = [] {
    const Csr &g = bfs_graph();
    std::vector<char> seen(BFSN);
    std::vector<int> q{0}, r;
    seen[0] = 1;
    int l = 0;
    for (; !q.empty(); ++l, q.swap(r)) {
      r.clear();
      for (int u : q)
        for (int e = g.ptr[u]; e < g.ptr[u + 1]; ++e)
          if (!seen[g.col[e]])
            seen[g.col[e]] = 1, r.push_back(g.col[e]);
    }
    return l;
  }();
  return n;
}
static std::vector<Launch> sort_launches() {
  std::vector<Launch> l{{"bitonic_local", {SORT / 1024}, {512}, {B(0), B(1)}}};
  for (int k = 2048; k <= SORT; k <<= 1) {
    for (int j = k / 2; j >= 1024; j >>= 1)
      l.push_back({"bitonic_global", {SORT / 512}, {256}, {B(1), I(k), I(j)}});
    l.push_back({"bitonic_merge", {SORT / 1024}, {512}, {B(1), I(k)}});
  }
  return l;
}
static std::vector<Launch> bfs_launches() {
  int lv = bfs_levels();
  std::vector<Launch> l{{"bfs_init",
                         {BFSN / 256},
                         {256},
                         {B(2), B(3), B(5), I(BFSN), I(lv), I(0)}}};
  for (int i = 0; i < lv; ++i)
    l.push_back(
        {"bfs_level",
         {128},
         {256},
         {B(0), B(1), B(2), B(3 + (i & 1)), B(4 - (i & 1)), B(5), I(i)}});
  return l;
}
#define FN(n) native_##n
#define REF(n) ref_##n
std::vector<Case> &cases() {
  static std::vector<Case> all = [] {
    const size_t n4 = (size_t)N * 4, img = (size_t)TR * TR,
                 g2 = (size_t)GEMM * GEMM, rc = (size_t)ROWS * COLS;
    const double dn = N, dimg = img, g3 = 2.0 * GEMM * GEMM * GEMM, drc = rc;
    const Csr &sp = spmv_matrix();
    const double nnz = sp.col.size();
    const size_t at = (size_t)HEADS * SEQ * HD;
    const Check f{1, Type::F32, 1e-5, 1e-6, 0};
    auto chk = [](int b, Type t, double r = 0, double a = 0, size_t c = 0) {
      return std::vector<Check>{{b, t, r, a, c}};
    };
    std::vector<Buffer> gemm{{"A", g2 * 4, f32(1, -1, 1, g2)},
                             {"B", g2 * 4, f32(2, -1, 1, g2)},
                             {"C", g2 * 4, {}}};
    std::vector<Buffer> spb{
        {"ptr", sp.ptr.size() * 4, copy(sp.ptr)},
        {"col", sp.col.size() * 4, copy(sp.col)},
        {"val", sp.col.size() * 4, f32(72, -1, 1, sp.col.size())},
        {"x", (size_t)SPROWS * 4, f32(73, -1, 1, SPROWS)},
        {"y", (size_t)SPROWS * 4, {}}};
    const double spbytes = nnz * 8 + SPROWS * 12.0;
    std::vector<Case> c;
    c.push_back(
        {"vecadd_small",
         "vecadd",
         true,
         {{"a", NSMALL * 4, f32(1, -1, 1, NSMALL)},
          {"b", NSMALL * 4, f32(2, -1, 1, NSMALL)},
          {"c", NSMALL * 4, {}}},
         {{"vecadd", {NSMALL / 256}, {256}, {B(0), B(1), B(2), I(NSMALL)}}},
         chk(2, Type::F32, 1e-6, 0),
         FN(vecadd_small),
         nullptr,
         REF(vecadd_small),
         12.0 * NSMALL,
         NSMALL,
         NSMALL,
         "l2"});
    c.push_back({"vecadd",
                 "vecadd",
                 true,
                 {{"a", n4, f32(1, -1, 1, N)},
                  {"b", n4, f32(2, -1, 1, N)},
                  {"c", n4, {}}},
                 {{"vecadd", {N / 256}, {256}, {B(0), B(1), B(2), I(N)}}},
                 chk(2, Type::F32, 1e-6, 0),
                 FN(vecadd),
                 nullptr,
                 REF(vecadd),
                 12 * dn,
                 dn,
                 dn,
                 "f32"});
    c.push_back({"saxpy",
                 "saxpy",
                 true,
                 {{"x", n4, f32(1, -1, 1, N)}, {"y", n4, f32(2, -1, 1, N)}},
                 {{"saxpy", {N / 256}, {256}, {F(1.5f), B(0), B(1), I(N)}}},
                 chk(1, Type::F32, 1e-5, 1e-6),
                 FN(saxpy),
                 nullptr,
                 REF(saxpy),
                 12 * dn,
                 2 * dn,
                 dn,
                 "f32"});
    c.push_back({"triad",
                 "triad",
                 true,
                 {{"b", n4, f32(1, -1, 1, N)},
                  {"c", n4, f32(2, -1, 1, N)},
                  {"a", n4, {}}},
                 {{"triad", {256}, {256}, {B(0), B(1), F(3.0f), B(2), I(N)}}},
                 chk(2, Type::F32, 1e-5, 1e-6),
                 FN(triad),
                 tuned_triad,
                 REF(triad),
                 12 * dn,
                 2 * dn,
                 dn,
                 "f32"});
    c.push_back(
        {"transpose",
         "transpose",
         true,
         {{"in", img * 4, f32(3, -1, 1, img)}, {"out", img * 4, {}}},
         {{"transpose", {TR / 32, TR / 32}, {32, 8}, {B(0), B(1), I(TR)}}},
         chk(1, Type::U32),
         FN(transpose),
         tuned_transpose,
         REF(transpose),
         8 * dimg,
         0,
         0,
         "f32"});
    c.push_back(
        {"reduce",
         "reduce",
         true,
         {{"in", n4, f32(4, 0, 1, N)}, {"part", 1024 * 4, {}}, {"out", 4, {}}},
         {{"reduce", {1024}, {256}, {B(0), B(1), I(N)}},
          {"reduce", {1}, {1024}, {B(1), B(2), I(1024)}}},
         chk(2, Type::F32, 1e-4, 0),
         FN(reduce),
         nullptr,
         REF(reduce),
         4 * dn,
         dn,
         dn,
         "f32"});
    c.push_back({"scan",
                 "scan",
                 true,
                 {{"in", n4, u32(5, 255, N)},
                  {"out", n4, {}},
                  {"sums", N / 1024 * 4, {}}},
                 {{"scan_block", {N / 1024}, {256}, {B(0), B(1), B(2)}},
                  {"scan_sums", {1}, {1024}, {B(2), I(N / 1024)}},
                  {"scan_add", {N / 1024}, {256}, {B(1), B(2)}}},
                 chk(1, Type::U32),
                 FN(scan),
                 nullptr,
                 REF(scan),
                 8 * dn,
                 dn,
                 dn,
                 "f32"});
    c.push_back({"histogram",
                 "histogram",
                 true,
                 {{"in", HIST, u32(6, ~0u, HIST / 4)}, {"bins", 1024, {}}},
                 {{"hist_zero", {1}, {256}, {B(1)}},
                  {"histogram", {256}, {256}, {B(0), B(1), I(HIST / 4)}}},
                 chk(1, Type::U32),
                 FN(histogram),
                 nullptr,
                 REF(histogram),
                 (double)HIST,
                 (double)HIST,
                 (double)HIST,
                 "l1upd"});
    c.push_back(
        {"jacobi2d",
         "jacobi2d",
         true,
         {{"in", img * 4, f32(7, -1, 1, img)}, {"out", img * 4, {}}},
         {{"jacobi2d", {TR / 32, TR / 8}, {32, 8}, {B(0), B(1), I(TR), I(TR)}}},
         chk(1, Type::F32, 1e-5, 1e-6),
         FN(jacobi2d),
         nullptr,
         REF(jacobi2d),
         8 * dimg,
         5 * dimg,
         5 * dimg,
         "f32"});
    c.push_back({"stencil3d",
                 "stencil3d",
                 true,
                 {{"in", n4, f32(8, -1, 1, N)}, {"out", n4, {}}},
                 {{"stencil3d",
                   {S3 / 32, S3 / 4, S3 / 16},
                   {32, 4},
                   {B(0), B(1), I(S3)}}},
                 chk(1, Type::F32, 1e-5, 1e-6),
                 FN(stencil3d),
                 nullptr,
                 REF(stencil3d),
                 8 * dn,
                 8 * dn,
                 7 * dn,
                 "f32"});
    c.push_back({"conv3x3",
                 "conv3x3",
                 true,
                 {{"in", img * 4, f32(9, -1, 1, img)},
                  {"filter", 36, f32(10, -1, 1, 9)},
                  {"out", img * 4, {}}},
                 {{"conv3x3",
                   {TR / 32, TR / 8},
                   {32, 8},
                   {B(0), B(1), B(2), I(TR), I(TR)}}},
                 chk(2, Type::F32, 1e-4, 1e-5),
                 FN(conv3x3),
                 nullptr,
                 REF(conv3x3),
                 8 * dimg,
                 18 * dimg,
                 9 * dimg,
                 "f32"});
    c.push_back(
        {"rgb2gray",
         "rgb2gray",
         true,
         {{"rgb", img * 3, u32(11, ~0u, img * 3 / 4)}, {"gray", img, {}}},
         {{"rgb2gray",
           {(unsigned)img / 256},
           {256},
           {B(0), B(1), I((int)img)}}},
         chk(1, Type::U8),
         FN(rgb2gray),
         tuned_rgb2gray,
         REF(rgb2gray),
         4 * dimg,
         6 * dimg,
         3 * dimg,
         "f32"});
    c.push_back(
        {"nbody",
         "nbody",
         true,
         {{"pos", NBODY * 16, f32(12, 0, 1, NBODY * 4)},
          {"acc", NBODY * 16, {}}},
         {{"nbody", {NBODY / 256}, {256}, {B(0), B(1), I(NBODY), F(0.01f)}}},
         chk(1, Type::F32, 2e-4, 2e-1),
         FN(nbody),
         tuned_nbody,
         REF(nbody),
         NBODY * 32.0,
         20.0 * NBODY * NBODY,
         14.0 * NBODY * NBODY,
         "f32"});
    c.push_back({"blackscholes",
                 "blackscholes",
                 true,
                 {{"S", BS * 4, f32(13, 5, 30, BS)},
                  {"X", BS * 4, f32(14, 1, 100, BS)},
                  {"T", BS * 4, f32(15, .25f, 10, BS)},
                  {"call", BS * 4, {}},
                  {"put", BS * 4, {}}},
                 {{"blackscholes",
                   {BS / 256},
                   {256},
                   {B(0), B(1), B(2), B(3), B(4), F(0.02f), F(0.3f), I(BS)}}},
                 {{3, Type::F32, 1e-4, 1e-4, 0}, {4, Type::F32, 1e-4, 1e-4, 0}},
                 FN(blackscholes),
                 nullptr,
                 REF(blackscholes),
                 20.0 * BS,
                 60.0 * BS,
                 75.0 * BS,
                 "f32"});
    c.push_back({"mandelbrot",
                 "mandelbrot",
                 true,
                 {{"out", MANDEL * MANDEL * 4, {}}},
                 {{"mandelbrot",
                   {MANDEL / 32, MANDEL / 8},
                   {32, 8},
                   {B(0), I(MANDEL), I(MANDEL), F(-2.0f), F(-1.25f),
                    F(2.5f / MANDEL), F(2.5f / MANDEL), I(MAXIT)}}},
                 chk(0, Type::U32, -0.01),
                 FN(mandelbrot),
                 tuned_mandelbrot,
                 REF(mandelbrot),
                 MANDEL * MANDEL * 4.0,
                 135953916.0 * 7,
                 135953916.0 * 5 /* counted iterations */,
                 "f32"});
    auto g = [&](const char *nm, Dim gr, Dim bl) {
      c.push_back({nm,
                   "sgemm",
                   true,
                   gemm,
                   {{nm, gr, bl, {B(0), B(1), B(2), I(GEMM)}}},
                   chk(2, Type::F32, 1e-3, 1e-3),
                   FN(sgemm),
                   nullptr,
                   REF(sgemm),
                   12.0 * g2,
                   g3,
                   g3 / 2,
                   "f32"});
    };
    g("sgemm_naive", {GEMM / 32, GEMM / 8}, {32, 8});
    g("sgemm_tiled", {GEMM / 16, GEMM / 16}, {16, 16});
    g("sgemm_reg", {GEMM / 128, GEMM / 128}, {256});
    c.push_back({"softmax",
                 "softmax",
                 true,
                 {{"in", rc * 4, f32(16, -4, 4, rc)}, {"out", rc * 4, {}}},
                 {{"softmax", {ROWS}, {256}, {B(0), B(1), I(COLS)}}},
                 chk(1, Type::F32, 1e-4, 1e-7),
                 FN(softmax),
                 nullptr,
                 REF(softmax),
                 8 * drc,
                 14 * drc,
                 12 * drc,
                 "f32"});
    c.push_back({"layernorm",
                 "layernorm",
                 true,
                 {{"in", rc * 4, f32(17, -4, 4, rc)},
                  {"g", COLS * 4, f32(18, .5f, 2, COLS)},
                  {"b", COLS * 4, f32(19, -1, 1, COLS)},
                  {"out", rc * 4, {}}},
                 {{"layernorm",
                   {ROWS},
                   {256},
                   {B(0), B(1), B(2), B(3), I(COLS), F(1e-5f)}}},
                 chk(3, Type::F32, 1e-4, 1e-5),
                 FN(layernorm),
                 nullptr,
                 REF(layernorm),
                 8 * drc,
                 8 * drc,
                 5 * drc,
                 "f32"});
    c.push_back({"gelu",
                 "gelu",
                 true,
                 {{"in", n4, f32(20, -6, 6, N)}, {"out", n4, {}}},
                 {{"gelu", {N / 256}, {256}, {B(0), B(1), I(N)}}},
                 chk(1, Type::F32, 1e-4, 1e-5),
                 FN(gelu),
                 nullptr,
                 REF(gelu),
                 8 * dn,
                 20 * dn,
                 20 * dn,
                 "f32"});
    c.push_back({"spmv_scalar",
                 "spmv",
                 true,
                 spb,
                 {{"spmv_scalar",
                   {SPROWS / 256},
                   {256},
                   {B(0), B(1), B(2), B(3), B(4), I(SPROWS)}}},
                 chk(4, Type::F32, 1e-4, 1e-5),
                 FN(spmv),
                 nullptr,
                 REF(spmv),
                 spbytes,
                 2 * nnz,
                 nnz,
                 "gather"});
    c.push_back({"spmv_vector",
                 "spmv",
                 true,
                 spb,
                 {{"spmv_vector",
                   {SPROWS / 8},
                   {256},
                   {B(0), B(1), B(2), B(3), B(4), I(SPROWS)}}},
                 chk(4, Type::F32, 1e-4, 1e-5),
                 FN(spmv),
                 nullptr,
                 REF(spmv),
                 spbytes,
                 2 * nnz,
                 nnz,
                 "gather"});
    c.push_back({"bitonic",
                 "bitonic",
                 true,
                 {{"in", SORT * 4, u32(21, ~0u, SORT)}, {"out", SORT * 4, {}}},
                 sort_launches(),
                 chk(1, Type::U32),
                 FN(sort),
                 nullptr,
                 REF(sort),
                 8.0 * SORT,
                 0,
                 105.0 * SORT * 2,
                 "f32"});
    c.push_back({"sha256",
                 "sha256",
                 true,
                 {{"msg", (size_t)SHA * 64, u32(22, ~0u, SHA * 16)},
                  {"dig", (size_t)SHA * 32, {}}},
                 {{"sha256", {SHA / 256}, {256}, {B(0), B(1), I(SHA)}}},
                 chk(1, Type::U32),
                 FN(sha256),
                 tuned_sha256,
                 REF(sha256),
                 SHA * 96.0,
                 SHA * 64.0 * 34,
                 SHA * (64.0 * 20 + 48 * 11),
                 "f32"});
    c.push_back({"mcpi",
                 "mcpi",
                 true,
                 {{"hits", 4, {}}},
                 {{"mcpi_zero", {1}, {1}, {B(0)}},
                  {"mcpi", {MCT / 256}, {256}, {B(0), I(12345), I(MCIT)}}},
                 chk(0, Type::U32, 1e-5),
                 FN(mcpi),
                 nullptr,
                 REF(mcpi),
                 4,
                 (double)MCT * MCIT * 84,
                 (double)MCT * MCIT * (10 * 9 + 18),
                 "f32"});
    c.push_back({"bfs",
                 "bfs",
                 true,
                 {{"ptr", (BFSN + 1) * 4, copy(bfs_graph().ptr)},
                  {"adj", bfs_graph().col.size() * 4, copy(bfs_graph().col)},
                  {"dist", BFSN * 4, {}},
                  {"qa", BFSN * 4, {}},
                  {"qb", BFSN * 4, {}},
                  {"size", 1024, {}}},
                 bfs_launches(),
                 chk(2, Type::U32),
                 FN(bfs),
                 nullptr,
                 REF(bfs),
                 bfs_graph().col.size() * 4.0 + BFSN * 24.0,
                 0,
                 (double)bfs_graph().col.size(),
                 "gather"});
    c.push_back({"attention",
                 "attention",
                 true,
                 {{"Q", at * 4, f32(23, -1, 1, at)},
                  {"K", at * 4, f32(24, -1, 1, at)},
                  {"V", at * 4, f32(25, -1, 1, at)},
                  {"O", at * 4, {}}},
                 {{"attention",
                   {SEQ / 128, HEADS},
                   {128},
                   {B(0), B(1), B(2), B(3), I(SEQ), F(0.125f)}}},
                 chk(3, Type::F32, 1e-3, 1e-4),
                 FN(attention),
                 nullptr,
                 REF(attention),
                 at * 16.0,
                 4.0 * HEADS * SEQ * SEQ * HD,
                 (2.0 * HD + 12) * HEADS * SEQ * SEQ,
                 "f32"});
    c.push_back({"hgemm_bf16",
                 "hgemm_bf16",
                 false,
                 {{"A", g2 * 2, b16(26, g2)},
                  {"B", g2 * 2, b16(27, g2)},
                  {"C", g2 * 4, {}}},
                 {{"hgemm_bf16",
                   {GEMM / 128, GEMM / 128},
                   {256},
                   {B(0), B(1), B(2), I(GEMM), I(GEMM)}}},
                 chk(2, Type::F32, 1e-3, 2e-3),
                 FN(hgemm_bf16),
                 nullptr,
                 REF(hgemm_bf16),
                 8.0 * g2,
                 g3,
                 g3 / 4,
                 "bf16"});
    c.push_back({"igemm_s8",
                 "igemm_s8",
                 false,
                 {{"A", g2, u32(28, ~0u, g2 / 4)},
                  {"B", g2, u32(29, ~0u, g2 / 4)},
                  {"C", g2 * 4, {}}},
                 {{"igemm_s8",
                   {GEMM / 128, GEMM / 128},
                   {256},
                   {B(0), B(1), B(2), I(GEMM), I(GEMM)}}},
                 chk(2, Type::U32),
                 FN(igemm_s8),
                 nullptr,
                 REF(igemm_s8),
                 6.0 * g2,
                 g3,
                 g3 / 8,
                 "int8"});
    add_public(c);
    return c;
  }();
  return all;
}
} // namespace bench
