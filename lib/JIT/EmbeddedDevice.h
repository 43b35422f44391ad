//===- EmbeddedDevice.h - the device library as bitcode ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares what the build generates from lib/Device: a list of bitcode files
// for each CPU level.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_JIT_EMBEDDEDDEVICE_H
#define PTXJIT_LIB_JIT_EMBEDDEDDEVICE_H

#include <cstddef>

struct EmbeddedBitcode {
  const unsigned char *data;
  size_t size;
};

// See DeviceLevel (ptxjit/JIT/Compiler.h).
extern const EmbeddedBitcode ptxjitDeviceV3[], ptxjitDeviceV4[],
    ptxjitDeviceV4Dot[], ptxjitDeviceNeon[], ptxjitDeviceNeonDot[],
    ptxjitDeviceNeonMatrix[];
extern const unsigned ptxjitDeviceV3Count, ptxjitDeviceV4Count,
    ptxjitDeviceV4DotCount, ptxjitDeviceNeonCount, ptxjitDeviceNeonDotCount,
    ptxjitDeviceNeonMatrixCount;

#endif
