//===- Warm.h - compile kernels ahead of time -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_TOOLS_PTXJIT_WARM_H
#define PTXJIT_TOOLS_PTXJIT_WARM_H

#include "ptxjit/ptxjit.h"

namespace ptxjit {

struct WarmOptions {
  /// Extents of blocks for kernels without `.reqntid`.
  std::vector<Dim3> blocks;
  unsigned jobs = 0; ///< kernels to compile at once, up to the cores; 0: these
};

/// `ptx-jit cache warm FILE...`: compiles all kernels of PTX files and programs
/// into the cache of this process, with the options of an ordinary launch. A
/// kernel is compiled for its `.reqntid`; without that, for its `.maxntid` and
/// for `options.blocks`, as far as it allows them; and if that is none, for 32,
/// 128 and 256 threads. Progress goes to stdout, errors to stderr.
/// \returns the exit status: 1 if a file cannot be read, or a kernel cannot be
///   compiled or kept.
int warmCache(const std::vector<std::string> &files,
              const WarmOptions &options);

} // namespace ptxjit

#endif
