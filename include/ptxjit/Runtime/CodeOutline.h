//===- CodeOutline.h - which kernels an image has ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For lists and messages, about code that need not be PTX, or need not be
// right. Nothing is compiled, and nothing in the image is believed.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_RUNTIME_CODEOUTLINE_H
#define PTXJIT_RUNTIME_CODEOUTLINE_H

#include <string>
#include <string_view>
#include <vector>

namespace ptxjit {

struct CodeOutline {
  std::string target;  ///< "sm_90a"; empty if the image does not say
  std::string version; ///< of PTX: "9.0"
  bool hasDebug = false, hasLines = false;
  std::vector<std::string> kernels; ///< each once, as the image has them
};

/// Is it machine code for a GPU (ELF), maybe with its end missing?
bool isMachineCode(std::string_view image);

/// Reads the directives of a PTX text, without parsing it.
CodeOutline outlineText(std::string_view text);

/// Reads headers and symbols of machine code. \returns false if it is damaged;
/// the outline then has what could be read.
bool outlineMachineCode(std::string_view image, CodeOutline &outline);

} // namespace ptxjit

#endif
