//===- IndexedPointers.h - vectors of pointers behind one base --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_JIT_INDEXEDPOINTERS_H
#define PTXJIT_LIB_JIT_INDEXEDPOINTERS_H

#include "llvm/IR/Instructions.h"

namespace ptxjit {

/// A vector of pointers, each an extended index behind one base.
struct IndexedPointers {
  llvm::GetElementPtrInst *places; ///< the pointers
  llvm::SExtInst *extension;       ///< of their indices
};

/// Finds out whether `pointers` are such a vector.
inline std::optional<IndexedPointers> asIndexedPointers(llvm::Value *pointers) {
  auto *places = llvm::dyn_cast<llvm::GetElementPtrInst>(pointers);
  if (!places || places->getNumIndices() != 1 ||
      places->getPointerOperandType()->isVectorTy())
    return std::nullopt;
  auto *extension = llvm::dyn_cast<llvm::SExtInst>(*places->idx_begin());
  if (!extension)
    return std::nullopt;
  return IndexedPointers{places, extension};
}

} // namespace ptxjit

#endif
