// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem sizes shared by the case list, the native code and the references.
#pragma once
namespace bench::sz {
constexpr int N = 1 << 24;      // 1-D streams (64 MiB per f32 array)
constexpr int NSMALL = 1 << 14; // launch-overhead case
constexpr int TR = 4096;        // transpose, jacobi2d, conv3x3, rgb2gray edge
constexpr int S3 = 256;         // stencil3d edge
constexpr int NBODY = 8192;
constexpr int BS = 1 << 22; // options
constexpr int MANDEL = 1024, MAXIT = 512;
constexpr int GEMM = 1024;
constexpr int ROWS = 8192, COLS = 1024; // softmax, layernorm
constexpr int SPROWS = 1 << 18;
constexpr int SORT = 1 << 20;
constexpr int SHA = 1 << 18;
constexpr int MCT = 1 << 14, MCIT = 256; // threads, iterations
constexpr int BFSN = 1 << 19, BFSDEG = 8;
constexpr int HEADS = 8, SEQ = 1024, HD = 64;
constexpr int HIST = 1 << 26; // bytes
// The cases of public suites.
constexpr int HOT = 1024, HOTSTEPS = 24;
constexpr int PATHCOLS = 1 << 17, PATHROWS = 100, PATHSTEPS = 20;
constexpr int SRAD = 1024, SRADSTEPS = 4;
constexpr float SRADLAMBDA = 0.5f;
constexpr int LUD = 1024;
constexpr int NW = 2048, NWGAP = 10;
constexpr int SCN = 1 << 18, SCDIM = 64, SCK = 16;
constexpr int KMN = 1 << 18, KMDIM = 32, KMK = 8;
constexpr int BPN = 1 << 19, BPH = 16;
constexpr int LAVAEDGE = 5, LAVAPER = 100;
constexpr int ATAX = 4096;
constexpr int CORR = 1024;
constexpr int FDTD = 1024, FDTDSTEPS = 16;
constexpr int SVROWS = 4096, SVCOLS = 2048;
// The chip of hotspot: 16 mm wide and high, 0.5 mm thick. The rate is the time
// step over a cell's heat capacity, the others are inverse heat resistances.
constexpr float HOTTHICK = 0.0005f, HOTCELL = 0.016f / HOT;
constexpr float HOTRATE = 0.001f / 3.0e6f / (HOTCELL * HOTCELL);
constexpr float HOTRX = 2 * 100 * HOTTHICK;
constexpr float HOTRZ = 100 * HOTCELL * HOTCELL / HOTTHICK;
} // namespace bench::sz
