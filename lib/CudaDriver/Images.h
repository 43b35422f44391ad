//===- Images.h - what programs load and link -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_CUDADRIVER_IMAGES_H
#define PTXJIT_LIB_CUDADRIVER_IMAGES_H

#include "ptxjit/CudaDriver/CudaABI.h"
#include "ptxjit/Runtime/LinkedText.h"

#include <string>
#include <vector>

namespace ptxjit::cuda {

/// The PTX modules of an image: text itself, what the linker made, a fat binary
/// or its wrapper. They are called after `name`.
/// \param diagnostics  for the program's error log.
CUresult extractTexts(const void *image, const std::string &name,
                      std::vector<NamedText> &texts, std::string &diagnostics);

/// A file's bytes, and a zero behind them. False if it cannot be read.
bool readFile(const char *path, std::string &bytes);

} // namespace ptxjit::cuda

#endif
