// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cases whose algorithms are those of public suites: Rodinia, PolyBench-GPU
// and the softmax of Triton's tutorial.
#include "cases.h"
#include "fills.h"
#include "fns.h"
#include "sizes.h"
#include <algorithm>
namespace bench {
using namespace sz;
static std::vector<Launch> hotspot_launches() {
  constexpr int steps = 2; // a launch
  constexpr unsigned kept = 16 - 2 * steps, blocks = (HOT + kept - 1) / kept;
  std::vector<Launch> l;
  for (int i = 0; i < HOTSTEPS / steps; ++i)
    l.push_back({"hotspot",
                 {blocks, blocks},
                 {16, 16},
                 {B(0), B(i ? 3 - (i & 1) : 1), B(2 + (i & 1)), I(HOT), I(HOT),
                  I(steps), F(HOTRATE), F(HOTRX), F(HOTRX), F(HOTRZ)}});
  return l;
}
static std::vector<Launch> pathfinder_launches() {
  std::vector<Launch> l;
  for (int row = 1, i = 0; row < PATHROWS; row += PATHSTEPS, ++i) {
    int steps = std::min(PATHSTEPS, PATHROWS - row);
    unsigned kept = 256 - 2 * steps;
    l.push_back({"pathfinder",
                 {(PATHCOLS + kept - 1) / kept},
                 {256},
                 {B(0), B(i ? 2 - (i & 1) : 0), B(1 + (i & 1)), I(PATHCOLS),
                  I(row), I(steps)}});
  }
  return l;
}
static std::vector<Launch> srad_launches() {
  const int n = SRAD * SRAD;
  const Dim tiles{SRAD / 16, SRAD / 16}, tile{16, 16};
  std::vector<Launch> l{{"srad_extract", {n / 256}, {256}, {B(0), B(1), I(n)}}};
  for (int i = 0; i < SRADSTEPS; ++i) {
    l.push_back({"srad_sums", {256}, {256}, {B(1), B(7), I(n)}});
    l.push_back({"srad_spread", {1}, {256}, {B(7), B(8), I(n)}});
    l.push_back({"srad_slopes",
                 tiles,
                 tile,
                 {B(1), B(8), B(2), B(3), B(4), B(5), B(6), I(SRAD), I(SRAD)}});
    l.push_back({"srad_update",
                 tiles,
                 tile,
                 {B(1), B(2), B(3), B(4), B(5), B(6), I(SRAD), I(SRAD),
                  F(SRADLAMBDA)}});
  }
  return l;
}
static std::vector<Launch> lud_launches() {
  std::vector<Launch> l{{"lud_copy", {LUD * LUD / 1024}, {256}, {B(0), B(1)}}};
  for (int at = 0; at < LUD; at += 16) {
    l.push_back({"lud_diagonal", {1}, {16}, {B(1), I(LUD), I(at)}});
    if (unsigned rest = (LUD - at) / 16 - 1) {
      l.push_back({"lud_perimeter", {rest}, {32}, {B(1), I(LUD), I(at)}});
      l.push_back(
          {"lud_internal", {rest, rest}, {16, 16}, {B(1), I(LUD), I(at)}});
    }
  }
  return l;
}
static std::vector<Launch> nw_launches() {
  const unsigned blocks = NW / 16;
  std::vector<Launch> l;
  for (unsigned i = 1; i <= blocks; ++i)
    l.push_back({"nw_grow", {i}, {16}, {B(0), B(1), I(NW + 1), I(NWGAP)}});
  for (unsigned i = blocks - 1; i; --i)
    l.push_back(
        {"nw_shrink", {i}, {16}, {B(0), B(1), I(NW + 1), I(NWGAP), I(blocks)}});
  return l;
}
static std::vector<Launch> fdtd_launches() {
  const Dim g{FDTD / 32, FDTD / 8}, b{32, 8};
  std::vector<Launch> l;
  for (int t = 0; t < FDTDSTEPS; ++t) {
    l.push_back({"fdtd_ey", g, b, {B(0), B(2), B(3), I(FDTD), I(FDTD), I(t)}});
    l.push_back({"fdtd_ex", g, b, {B(1), B(3), I(FDTD), I(FDTD)}});
    l.push_back({"fdtd_hz", g, b, {B(1), B(2), B(3), I(FDTD), I(FDTD)}});
  }
  return l;
}
// Large values on the diagonal, so that nothing needs to be exchanged.
static void fill_lud(void *p) {
  f32(104, -1, 1, (size_t)LUD * LUD)(p);
  for (int i = 0; i < LUD; ++i)
    ((float *)p)[(size_t)i * LUD + i] += 600;
}
// The first row and column are alignments with nothing.
static void fill_nw(void *p) {
  auto s = (int *)p;
  memset(s, 0, (size_t)(NW + 1) * (NW + 1) * 4);
  for (int i = 0; i <= NW; ++i)
    s[i] = s[(size_t)i * (NW + 1)] = -NWGAP * i;
}
#define FNS(n) native_##n, nullptr, ref_##n
static void add_rodinia(std::vector<Case> &c) {
  const size_t hot = (size_t)HOT * HOT, path = (size_t)PATHCOLS * PATHROWS,
               img = (size_t)SRAD * SRAD, lu = (size_t)LUD * LUD,
               nw = (size_t)(NW + 1) * (NW + 1), sc = (size_t)SCN * SCDIM,
               km = (size_t)KMN * KMDIM, bp = (size_t)BPN * BPH,
               lava = (size_t)LAVAEDGE * LAVAEDGE * LAVAEDGE * LAVAPER;
  const double pairs = (double)lava * LAVAPER * 27;
  c.push_back({"hotspot",
               "hotspot",
               false,
               {{"power", hot * 4, f32(100, 0, 0.5f, hot)},
                {"in", hot * 4, f32(101, 320, 340, hot)},
                {"even", hot * 4, {}},
                {"out", hot * 4, {}}},
               hotspot_launches(),
               {{3, Type::F32, 1e-5, 1e-3, 0}},
               FNS(hotspot),
               16.0 * hot,
               15.0 * HOTSTEPS * hot,
               12.0 * HOTSTEPS * hot,
               "f32"});
  c.push_back({"pathfinder",
               "pathfinder",
               false,
               {{"wall", path * 4, s32(102, 0, 10, path)},
                {"out", PATHCOLS * 4, {}},
                {"odd", PATHCOLS * 4, {}}},
               pathfinder_launches(),
               {{1, Type::U32, 0, 0, 0}},
               FNS(pathfinder),
               4.0 * path,
               3.0 * path,
               3.0 * path,
               "f32"});
  c.push_back({"srad",
               "srad",
               false,
               {{"image", img * 4, f32(103, 0, 255, img)},
                {"j", img * 4, {}},
                {"dn", img * 4, {}},
                {"ds", img * 4, {}},
                {"dw", img * 4, {}},
                {"de", img * 4, {}},
                {"c", img * 4, {}},
                {"sums", 512 * 4, {}},
                {"q0", 4, {}}},
               srad_launches(),
               {{1, Type::F32, 1e-4, 1e-4, 0}},
               FNS(srad),
               8.0 * img,
               40.0 * SRADSTEPS * img,
               40.0 * SRADSTEPS * img,
               "f32"});
  c.push_back({"lud",
               "lud",
               false,
               {{"in", lu * 4, fill_lud}, {"m", lu * 4, {}}},
               lud_launches(),
               {{1, Type::F32, 1e-3, 1e-5, 0}},
               FNS(lud),
               8.0 * lu,
               2.0 / 3 * LUD * lu,
               1.0 / 3 * LUD * lu,
               "f32"});
  c.push_back(
      {"nw",
       "nw",
       false,
       {{"score", nw * 4, fill_nw}, {"like", nw * 4, s32(105, -4, 16, nw)}},
       nw_launches(),
       {{0, Type::U32, 0, 0, 0}},
       FNS(nw),
       8.0 * nw,
       5.0 * nw,
       5.0 * nw,
       "f32"});
  c.push_back({"streamcluster",
               "streamcluster",
               false,
               {{"coord", sc * 4, f32(106, 0, 1, sc)},
                {"weight", SCN * 4, f32(107, 0.5f, 1.5f, SCN)},
                {"cost", SCN * 4, f32(108, 5, 16, SCN)},
                {"centre", SCN * 4, s32(109, 0, SCK, SCN)},
                {"lower", (size_t)SCN * (SCK + 1) * 4, {}},
                {"moves", SCN, {}},
                {"gain", (SCK + 1) * 4, {}}},
               {{"pgain",
                 {SCN / 256},
                 {256},
                 {B(0), B(1), B(2), B(3), B(4), B(5), I(SCN), I(SCK), I(77)}},
                {"pgain_sum", {SCK + 1}, {256}, {B(4), B(6), I(SCN)}}},
               {{5, Type::U8, -1e-3, 0, 0}, {6, Type::F32, 1e-3, 1e-3, 0}},
               FNS(streamcluster),
               4.0 * sc,
               3.0 * sc,
               2.0 * sc,
               "f32"});
  c.push_back({"kmeans",
               "kmeans",
               false,
               {{"in", km * 4, f32(110, 0, 1, km)},
                {"points", km * 4, {}},
                {"centres", KMK * KMDIM * 4, f32(111, 0, 1, KMK * KMDIM)},
                {"nearest", KMN * 4, {}}},
               {{"kmeans_transpose",
                 {KMN / 256},
                 {256},
                 {B(0), B(1), I(KMN), I(KMDIM)}},
                {"kmeans",
                 {KMN / 256},
                 {256},
                 {B(1), B(2), B(3), I(KMN), I(KMDIM), I(KMK)}}},
               {{3, Type::U32, -1e-4, 0, 0}},
               FNS(kmeans),
               4.0 * km,
               3.0 * KMK * km,
               2.0 * KMK * km,
               "f32"});
  c.push_back({"backprop",
               "backprop",
               false,
               {{"input", BPN * 4, f32(112, 0, 1, BPN)},
                {"weights", bp * 4, f32(113, -1 / 256.f, 1 / 256.f, bp)},
                {"part", bp / 16 * 4, {}},
                {"out", BPH * 4, {}}},
               {{"backprop_layer", {1, BPN / 16}, {16, 16}, {B(0), B(1), B(2)}},
                {"backprop_sum", {BPH}, {256}, {B(2), B(3), I(BPN / 16)}}},
               {{3, Type::F32, 1e-4, 0, 0}},
               FNS(backprop),
               4.0 * bp,
               2.0 * bp,
               1.0 * bp,
               "f32"});
  c.push_back({"lavamd",
               "lavamd",
               false,
               {{"pos", lava * 16, f32(114, 0.1f, 1, lava * 4)},
                {"charge", lava * 4, f32(115, 0.1f, 1, lava)},
                {"force", lava * 16, {}}},
               {{"lavamd",
                 {LAVAEDGE * LAVAEDGE * LAVAEDGE},
                 {128},
                 {B(0), B(1), B(2), I(LAVAEDGE), F(0.5f)}}},
               {{2, Type::F32, 1e-4, 1e-2, 0}},
               FNS(lavamd),
               36.0 * lava,
               30 * pairs,
               25 * pairs,
               "f32"});
}
static void add_polybench(std::vector<Case> &c) {
  const size_t img = (size_t)TR * TR, ax = (size_t)ATAX * ATAX,
               co = (size_t)CORR * CORR, fd = (size_t)FDTD * FDTD;
  c.push_back(
      {"conv2d",
       "conv2d",
       false,
       {{"in", img * 4, f32(120, -1, 1, img)}, {"out", img * 4, {}}},
       {{"conv2d", {TR / 32, TR / 8}, {32, 8}, {B(0), B(1), I(TR), I(TR)}}},
       {{1, Type::F32, 1e-4, 1e-5, 0}},
       FNS(conv2d),
       8.0 * img,
       18.0 * img,
       9.0 * img,
       "f32"});
  c.push_back({"atax",
               "atax",
               false,
               {{"a", ax * 4, f32(121, -1, 1, ax)},
                {"x", ATAX * 4, f32(122, 0, 1, ATAX)},
                {"t", ATAX * 4, {}},
                {"y", ATAX * 4, {}}},
               {{"atax_rows",
                 {ATAX / 256},
                 {256},
                 {B(0), B(1), B(2), I(ATAX), I(ATAX)}},
                {"atax_cols",
                 {ATAX / 256},
                 {256},
                 {B(0), B(2), B(3), I(ATAX), I(ATAX)}}},
               {{3, Type::F32, 1e-3, 1e-1, 0}},
               FNS(atax),
               4.0 * ax,
               4.0 * ax,
               2.0 * ax,
               "f32"});
  c.push_back(
      {"corr",
       "corr",
       false,
       {{"data", co * 4, f32(123, 0, 1, co)},
        {"mean", CORR * 4, {}},
        {"std", CORR * 4, {}},
        {"centred", co * 4, {}},
        {"sym", co * 4, {}}},
       {{"corr_mean", {CORR / 256}, {256}, {B(0), B(1), I(CORR), I(CORR)}},
        {"corr_std", {CORR / 256}, {256}, {B(0), B(1), B(2), I(CORR), I(CORR)}},
        {"corr_center",
         {CORR / 32, CORR / 8},
         {32, 8},
         {B(0), B(1), B(2), B(3), I(CORR), I(CORR)}},
        {"corr", {CORR / 256}, {256}, {B(3), B(4), I(CORR), I(CORR)}}},
       {{4, Type::F32, 1e-3, 1e-5, 0}},
       FNS(corr),
       8.0 * co,
       1.0 * CORR * co,
       0.5 * CORR * co,
       "f32"});
  c.push_back({"fdtd2d",
               "fdtd2d",
               false,
               {{"source", FDTDSTEPS * 4, f32(124, 0, 1, FDTDSTEPS)},
                {"ex", fd * 4, f32(125, -1, 1, fd)},
                {"ey", fd * 4, f32(126, -1, 1, fd)},
                {"hz", fd * 4, f32(127, -1, 1, fd)}},
               fdtd_launches(),
               {{1, Type::F32, 1e-4, 1e-5, 0},
                {2, Type::F32, 1e-4, 1e-5, 0},
                {3, Type::F32, 1e-4, 1e-5, 0}},
               FNS(fdtd2d),
               24.0 * fd,
               11.0 * FDTDSTEPS * fd,
               8.0 * FDTDSTEPS * fd,
               "f32"});
}
void add_public(std::vector<Case> &c) {
  add_rodinia(c);
  add_polybench(c);
  const size_t rc = (size_t)SVROWS * SVCOLS;
  c.push_back({"softmax_vec",
               "softmax_vec",
               false,
               {{"in", rc * 4, f32(128, -4, 4, rc)}, {"out", rc * 4, {}}},
               {{"softmax_vec", {SVROWS}, {128}, {B(0), B(1)}}},
               {{1, Type::F32, 1e-4, 1e-8, 0}},
               FNS(softmax_vec),
               8.0 * rc,
               14.0 * rc,
               12.0 * rc,
               "f32"});
}
} // namespace bench
