#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Installs what is missing, builds, and runs real CUDA kernels on the CPU:
# results checked against plain C++, times beside a single-threaded C++ loop,
# and a picture.
set -eu
cd "$(dirname "$0")/.."
utils/build.sh release
picture=build/release/mandelbrot.ppm
PTXJIT_CACHE=off build/release/bin/ptx-jit-demo bench/kernels/ptx "$picture"
