// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// OpenMP's functions where code is built for one thread (-fopenmp-simd).
#pragma once
inline int omp_get_max_threads() { return 1; }
inline int omp_get_num_threads() { return 1; }
inline int omp_get_thread_num() { return 0; }
