//===- ImageTexts.h - the PTX in what programs load and link ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver, nvlink and libnvJitLink take the same inputs: PTX, what our ptxas
// and nvlink make of it, fat binaries, object files and archives.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_IMAGES_IMAGETEXTS_H
#define PTXJIT_IMAGES_IMAGETEXTS_H

#include "ptxjit/Runtime/FatBinary.h"
#include "ptxjit/Runtime/LinkedText.h"

#include <string>
#include <string_view>
#include <vector>

namespace ptxjit {

enum class ImageStatus {
  Good,
  Damaged, ///< a linked image that is damaged, or of another version
  NoText,  ///< it has no PTX that the device takes
};

/// Extracts the PTX modules of an image in memory: PTX text, a linked image
/// (LinkedText.h), a fat binary or its wrapper. Modules without a name of their
/// own are named `name`.
/// \param diagnostics  gets errors, and where the image comes from.
ImageStatus extractTexts(const void *image, const std::string &name,
                         std::vector<NamedText> &texts,
                         std::string &diagnostics,
                         Profile device = getProfile());

/// Splits a linked image into its modules; other text is one module.
ImageStatus splitImage(const char *text, const std::string &name,
                       std::vector<NamedText> &texts, std::string &diagnostics);

/// Extracts the modules of containers that lie in a file.
ImageStatus extractFromContainers(std::vector<std::string_view> containers,
                                  const std::string &name,
                                  std::vector<NamedText> &texts,
                                  std::string &diagnostics,
                                  Profile device = getProfile());

/// The same of all containers in an object file or an archive.
/// CUDA's own runtime for kernels that launch kernels (libcudadevrt.a) has no
/// modules: ours takes its place.
ImageStatus extractFromFile(std::string_view file, const std::string &name,
                            std::vector<NamedText> &texts,
                            std::string &diagnostics,
                            Profile device = getProfile());

} // namespace ptxjit

#endif
