//===- CompileLog.h - lines about compiled kernels --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_RUNTIME_COMPILELOG_H
#define PTXJIT_LIB_RUNTIME_COMPILELOG_H

#include "ptxjit/Runtime/CompilerABI.h"

namespace ptxjit {

/// Logs how long the stages of a compilation took, and what they made.
/// \param where  "", or a remark for the end of the line.
void logCompiled(const PtxjitImage &image, const PtxjitSpecialization &spec,
                 const char *where = "");
/// Logs that a kernel was found in the cache on disk.
void logCached(const PtxjitImage &image, const PtxjitSpecialization &spec);

} // namespace ptxjit

#endif
