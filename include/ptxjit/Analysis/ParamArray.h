//===- ParamArray.h - arrays behind pointer parameters ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_ANALYSIS_PARAMARRAY_H
#define PTXJIT_ANALYSIS_PARAMARRAY_H

#include "ptxjit/Analysis/Shape.h"
#include "llvm/ADT/DenseMap.h"

namespace ptxjit {

/// An array, behind a pointer parameter, for which code asks at the launch
/// whether it is larger than the caches.
struct ParamArray {
  uint32_t param = 0; ///< offset of the parameter, in bytes
  /// Bytes that each thread reads or writes there; 0 if a loop decides.
  uint32_t bytesPerThread = 0;
};

/// The most arrays of a kernel that it writes, and as many that it reads.
inline constexpr unsigned kMostParamArrays = 8;

/// The size of an element that is loaded or stored.
inline uint64_t bytesOfElement(mlir::Value element) {
  return element.getType().getIntOrFloatBitWidth() / 8;
}

/// The offset of the pointer parameter that a global address is based on, for
/// an access of such elements; nothing if it is not known.
std::optional<uint32_t> findParamArray(ptx::FuncOp func, mlir::Value address,
                                       std::optional<ptx::Space> space,
                                       mlir::Value element,
                                       const ShapeAnalysis &shapes);

/// Accesses of a kernel to some of its arrays.
class ParamArrayAccesses {
public:
  llvm::ArrayRef<ParamArray> getArrays() const { return arrays; }
  /// The index of the array that `access` accesses; nothing if it is none of
  /// those that were added.
  std::optional<unsigned> arrayOf(mlir::Operation *access) const;

protected:
  /// Adds an access to the array of `param`, which gets `bytesPerThread` if it
  /// is new. \returns the array, until the next call; null, and adds nothing,
  /// if there are kMostParamArrays others.
  ParamArray *add(mlir::Operation *access, uint32_t param,
                  uint32_t bytesPerThread);

  llvm::SmallVector<ParamArray> arrays;
  llvm::DenseMap<mlir::Operation *, unsigned> accesses; ///< to their arrays
};

} // namespace ptxjit

#endif
