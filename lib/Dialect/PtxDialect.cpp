//===- PtxDialect.cpp - dialect registration, types, attributes -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Dialect/PtxOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "ptxjit/Dialect/FormTable.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace ptxjit::ptx;

#include "ptxjit/Dialect/PtxDialect.cpp.inc"
#include "ptxjit/Dialect/PtxEnums.cpp.inc"
#include "ptxjit/Dialect/PtxInterfaces.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "ptxjit/Dialect/PtxAttrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "ptxjit/Dialect/PtxTypes.cpp.inc"

void PtxDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ptxjit/Dialect/PtxAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "ptxjit/Dialect/PtxTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "ptxjit/Dialect/PtxStructure.cpp.inc"
      ,
#define GET_OP_LIST
#include "ptxjit/Dialect/PtxInteger.cpp.inc"
      ,
#define GET_OP_LIST
#include "ptxjit/Dialect/PtxFloat.cpp.inc"
      ,
#define GET_OP_LIST
#include "ptxjit/Dialect/PtxCompare.cpp.inc"
      ,
#define GET_OP_LIST
#include "ptxjit/Dialect/PtxMove.cpp.inc"
      ,
#define GET_OP_LIST
#include "ptxjit/Dialect/PtxMemory.cpp.inc"
      ,
#define GET_OP_LIST
#include "ptxjit/Dialect/PtxControl.cpp.inc"
      ,
#define GET_OP_LIST
#include "ptxjit/Dialect/PtxSync.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "ptxjit/Dialect/PtxMbarrier.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "ptxjit/Dialect/PtxBulk.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "ptxjit/Dialect/PtxCluster.cpp.inc"
      ,
#define GET_OP_LIST
#include "ptxjit/Dialect/PtxMultimem.cpp.inc"
      ,
#define GET_OP_LIST
#include "ptxjit/Dialect/PtxTensorCopy.cpp.inc"
      ,
#define GET_OP_LIST
#include "ptxjit/Dialect/PtxTensorCoreOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "ptxjit/Dialect/PtxTensorMemoryOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "ptxjit/Dialect/PtxTexture.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "ptxjit/Dialect/PtxMatrixOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "ptxjit/Dialect/PtxVideo.cpp.inc"
      >();
}

int64_t ParamAttr::getBytes() const {
  return getCount() * ((getBitWidth(getType()) + 7) / 8);
}
