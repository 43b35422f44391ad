//===- FatBinary.h - reads containers of device code ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvcc embeds device code in programs: a wrapper points to containers, which
// hold PTX (compressed or not) and machine code for several architectures. The
// format was found by looking at programs that nvcc made.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_CUDADRIVER_FATBINARY_H
#define PTXJIT_LIB_CUDADRIVER_FATBINARY_H

#include <cstddef>
#include <string>
#include <vector>

namespace ptxjit::cuda {

enum class ImageKind { Text, FatBinary, Wrapper, MachineCode };

/// Finds the kind of an image from its first four bytes.
ImageKind kindOf(const void *image);

/// Returns the PTX texts that a device of capability major.minor would take
/// from a container or wrapper: the best one of each container. A wrapper of
/// separately compiled code has several containers. `diagnostics` says what is
/// damaged, and if no PTX fits, what there is instead.
std::vector<std::string> readFatBinary(const void *image, int major, int minor,
                                       std::string &diagnostics);

} // namespace ptxjit::cuda

#endif
