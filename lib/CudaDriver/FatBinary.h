//===- FatBinary.h - containers of device code ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What nvcc embeds in programs: a wrapper that points to containers, which hold
// PTX (compressed or not) and machine code for several architectures. The
// format is as seen in programs that nvcc makes.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_CUDADRIVER_FATBINARY_H
#define PTXJIT_LIB_CUDADRIVER_FATBINARY_H

#include <cstddef>
#include <string>
#include <vector>

namespace ptxjit::cuda {

enum class ImageKind { Text, FatBinary, Wrapper, MachineCode };

/// What an image is, by its first bytes.
ImageKind kindOf(const void *image);

/// The PTX texts that a device of capability major.minor takes from a container
/// or wrapper: the best of each container. A wrapper of separately compiled
/// code has several containers. What there is instead of PTX that fits, and
/// what is damaged, is told in `diagnostics`.
std::vector<std::string> readFatBinary(const void *image, int major, int minor,
                                       std::string &diagnostics);

} // namespace ptxjit::cuda

#endif
