//===- Images.h - reads what programs load and link -------------*- C++ -*-===//
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

/// Extracts the PTX modules of an image: PTX text, a linked image
/// (LinkedText.h), a fat binary or its wrapper. Modules without a name of their
/// own are named `name`.
/// \param diagnostics  gets errors for the program's error log.
CUresult extractTexts(const void *image, const std::string &name,
                      std::vector<NamedText> &texts, std::string &diagnostics);

/// The same of the containers in an object file or an archive. CUDA's own
/// runtime for kernels that launch kernels (libcudadevrt.a) has no modules:
/// ours takes its place.
CUresult extractFromFile(const std::string &file, const std::string &name,
                         std::vector<NamedText> &texts,
                         std::string &diagnostics);

/// Reads a file. Like all of std::string, `bytes` has a zero behind its end.
/// \returns false if the file cannot be read.
bool readFile(const char *path, std::string &bytes);

} // namespace ptxjit::cuda

#endif
