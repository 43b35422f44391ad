//===- Link.h - several modules as one image --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_TOOLS_PTXJIT_LINK_H
#define PTXJIT_TOOLS_PTXJIT_LINK_H

#include "ptxjit/Runtime/LinkedText.h"

#include <string>
#include <vector>

namespace ptxjit {

/// `ptx-jit link FILE...`: writes an image of the modules, which is loaded like
/// any PTX, to `output` (`-`: stdout). Fails if they cannot be linked.
/// \returns the exit status.
int linkModules(const std::vector<NamedText> &modules,
                const std::string &output);

} // namespace ptxjit

#endif
