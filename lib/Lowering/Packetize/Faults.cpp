//===- Faults.cpp - code that fails a launch ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Faults.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

void ptxjit::emitFault(WarpBuilder &warp, uint32_t status, Value lanes,
                       Value address) {
  ChunkBuilder s = warp.scalar();
  warp.callForGood(offsetof(PtxjitHelpers, fault),
                   {warp.kernel.strand, s.intConstant(32, status), lanes,
                    address ? address : s.intConstant(64, 0)});
}
