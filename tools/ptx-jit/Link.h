//===- Link.h - link several modules into one image -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_TOOLS_PTXJIT_LINK_H
#define PTXJIT_TOOLS_PTXJIT_LINK_H

// The form of linked texts is internal: the interface loads them like any PTX,
// but has no function that makes one. This header needs no library.
#include "ptxjit/Runtime/LinkedText.h"

#include <string>
#include <vector>

namespace ptxjit {

/// `ptx-jit link FILE...`: joins the modules to one image, which is a text that
/// is loaded like any PTX, and writes it to `output` (`-`: stdout). Diagnostics
/// go to stderr.
/// \returns the exit status: 1 if the modules cannot be linked or written.
int linkModules(const std::vector<NamedText> &modules,
                const std::string &output);

} // namespace ptxjit

#endif
