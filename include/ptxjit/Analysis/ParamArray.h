//===- ParamArray.h - arrays behind pointer parameters ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_ANALYSIS_PARAMARRAY_H
#define PTXJIT_ANALYSIS_PARAMARRAY_H

#include "ptxjit/Analysis/Shape.h"

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

/// The offset of the pointer parameter that a global address is based on, for
/// an access of elements of `bytes`; nothing if it is not known.
std::optional<uint32_t> findParamArray(ptx::FuncOp func, mlir::Value address,
                                       std::optional<ptx::Space> space,
                                       uint64_t bytes,
                                       const ShapeAnalysis &shapes);

} // namespace ptxjit

#endif
