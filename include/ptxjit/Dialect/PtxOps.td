//===- PtxOps.td - the whole dialect in one file --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Includes the structural ops and every chapter of the ISA table.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_DIALECT_PTXOPS_TD
#define PTXJIT_DIALECT_PTXOPS_TD
include "ptxjit/Dialect/PtxStructure.td"
include "ptxjit/Dialect/PtxInteger.td"
include "ptxjit/Dialect/PtxFloat.td"
include "ptxjit/Dialect/PtxCompare.td"
include "ptxjit/Dialect/PtxMove.td"
include "ptxjit/Dialect/PtxMemory.td"
include "ptxjit/Dialect/PtxControl.td"
include "ptxjit/Dialect/PtxSync.td"
include "ptxjit/Dialect/PtxAdvice.td"
include "ptxjit/Dialect/PtxMbarrier.td"
include "ptxjit/Dialect/PtxBulk.td"
include "ptxjit/Dialect/PtxCluster.td"
include "ptxjit/Dialect/PtxMultimem.td"
include "ptxjit/Dialect/PtxVideo.td"
include "ptxjit/Dialect/PtxMatrix.td"
include "ptxjit/Dialect/PtxWgmma.td"
include "ptxjit/Dialect/PtxTcgen05.td"
include "ptxjit/Dialect/PtxTensorCopy.td"
include "ptxjit/Dialect/PtxTexture.td"
#endif
