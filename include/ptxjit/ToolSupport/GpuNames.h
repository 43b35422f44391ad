//===- GpuNames.h - the devices that build tools know -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists for OptionSpec::allowed, which begins with a comma, of CUDA 13.0.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_TOOLSUPPORT_GPUNAMES_H
#define PTXJIT_TOOLSUPPORT_GPUNAMES_H

#define PTXJIT_COMPUTE_NAMES                                                   \
  "compute_100,compute_100a,compute_100f,compute_103,"                         \
  "compute_103a,compute_103f,compute_110,compute_110a,"                        \
  "compute_110f,compute_120,compute_120a,compute_120f,"                        \
  "compute_121,compute_121a,compute_121f,compute_75,compute_80,"               \
  "compute_86,compute_87,compute_88,compute_89,compute_90,"                    \
  "compute_90a,"
#define PTXJIT_LTO_NAMES                                                       \
  "lto_100,lto_100a,lto_100f,lto_103,lto_103a,lto_103f,lto_110,"               \
  "lto_110a,lto_110f,lto_120,lto_120a,lto_120f,lto_121,"                       \
  "lto_121a,lto_121f,lto_75,lto_80,lto_86,lto_87,lto_88,lto_89,"               \
  "lto_90,lto_90a,"
#define PTXJIT_SM_NAMES                                                        \
  "sm_100,sm_100a,sm_100f,sm_103,sm_103a,sm_103f,sm_110,"                      \
  "sm_110a,sm_110f,sm_120,sm_120a,sm_120f,sm_121,sm_121a,"                     \
  "sm_121f,sm_75,sm_80,sm_86,sm_87,sm_88,sm_89,sm_90,sm_90a,"
#define PTXJIT_GPU_NAMES                                                       \
  "," PTXJIT_COMPUTE_NAMES PTXJIT_LTO_NAMES PTXJIT_SM_NAMES

#endif
