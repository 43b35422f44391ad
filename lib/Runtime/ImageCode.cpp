//===- ImageCode.cpp - launches of compiled images ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Runtime/ImageCode.h"

#include <cstring>

using namespace ptxjit;

KernelCode ptxjit::describeCode(const PtxjitImage &image,
                                const uint32_t block[3]) {
  KernelCode code;
  code.entry = image.entry;
  code.codeBegin = image.codeBegin;
  code.codeBytes = image.codeBytes;
  code.sharedEnd = image.sharedEnd;
  code.localBytes = image.localBytes;
  code.stackBytes = image.stackBytes;
  code.frameBytes = image.frameBytes;
  code.threads = block[0] * block[1] * block[2];
  std::memcpy(code.block, block, sizeof(code.block));
  code.mode = PtxjitMode(image.mode);
  code.strandThreads = image.strandThreads;
  code.waits = PtxjitWaits(image.waits);
  code.readsMultiprocessor = image.readsMultiprocessor;
  code.sweeps = PtxjitSweep(image.sweeps);
  return code;
}
