//===- Dispatch.cpp - the table of emitters -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Dispatch.h"

using namespace ptxjit;

Dispatch::Dispatch(bool perThread) {
  for (auto *addEmitters : {addIntegerEmitters,      addByteDotEmitters,
                            addFloatEmitters,        addComparisonEmitters,
                            addMoveEmitters,         addConversionEmitters,
                            addVideoEmitters,        addRegionEmitters,
                            addAccessEmitters,       addAddressEmitters,
                            addAsyncCopyEmitters,    addAtomicEmitters,
                            addBarrierEmitters,      addPrefetchEmitters,
                            addTurnEmitters,         addBulkCopyEmitters,
                            addCallEmitters,         addClusterEmitters,
                            addCollectiveEmitters,   addMaskEmitters,
                            addMatrixMoveEmitters,   addMatrixProductEmitters,
                            addMbarrierEmitters,     addSpecialRegisterEmitters,
                            addTensorCopyEmitters,   addTensorCoreEmitters,
                            addTensorMemoryEmitters, addMultimemEmitters,
                            addTextureEmitters,      addWarpgroupEmitters})
    addEmitters(*this);
  if (perThread) {
    addStackEmitters(*this);
    addThreadCollectiveEmitters(*this);
  }
}
