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
} // namespace bench::sz
