//===- IndexedPointers.h - vectors of pointers behind one base --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_JIT_INDEXEDPOINTERS_H
#define PTXJIT_LIB_JIT_INDEXEDPOINTERS_H

#include "llvm/IR/Instructions.h"

#include <optional>

namespace ptxjit {

/// The instruction that makes `pointers` from one base and one vector of
/// indices; null if there is none.
inline llvm::GetElementPtrInst *asPlacesBehindBase(llvm::Value *pointers) {
  auto *places = llvm::dyn_cast<llvm::GetElementPtrInst>(pointers);
  bool isOne = places && places->getNumIndices() == 1 &&
               !places->getPointerOperandType()->isVectorTy();
  return isOne ? places : nullptr;
}

/// A vector of pointers, each an extended index behind one base.
struct IndexedPointers {
  llvm::GetElementPtrInst *places; ///< the pointers
  llvm::SExtInst *extension;       ///< of their indices
};

/// Finds out whether `pointers` are such a vector.
inline std::optional<IndexedPointers> asIndexedPointers(llvm::Value *pointers) {
  llvm::GetElementPtrInst *places = asPlacesBehindBase(pointers);
  if (!places)
    return std::nullopt;
  auto *extension = llvm::dyn_cast<llvm::SExtInst>(*places->idx_begin());
  if (!extension)
    return std::nullopt;
  return IndexedPointers{places, extension};
}

} // namespace ptxjit

#endif
