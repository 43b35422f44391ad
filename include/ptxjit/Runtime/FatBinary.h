//===- FatBinary.h - reads containers of device code ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvcc embeds device code in programs: a wrapper points to containers, which
// hold PTX (compressed or not) and machine code for several architectures. The
// format was found by looking at programs that nvcc made.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_RUNTIME_FATBINARY_H
#define PTXJIT_RUNTIME_FATBINARY_H

#include <string>
#include <string_view>
#include <vector>

namespace ptxjit {

/// The name of images that programs hand over in memory. Linked images contain
/// the names of their modules, and the cache finds them by the whole text.
inline constexpr const char *kUnnamedImage = "<image>";

enum class ImageKind { Text, FatBinary, Wrapper, MachineCode };

/// Finds the kind of an image from its first four bytes.
ImageKind kindOfImage(const void *image);

/// The compute capability that the device reports (PTXJIT_DEVICE, 8.0 by
/// default).
struct Profile {
  int major, minor;
};
Profile getProfile();

/// Returns the containers of an image in memory, which is one itself, or a
/// wrapper. A wrapper of separately compiled code has several.
std::vector<std::string_view> findContainers(const void *image);

/// Returns the PTX texts that the device would take from containers: the best
/// one of each. Bytes behind a container's end do no harm. `diagnostics` says
/// what is damaged, and if no PTX fits, what there is instead.
std::vector<std::string>
readContainers(const std::vector<std::string_view> &containers,
               std::string &diagnostics);

} // namespace ptxjit

#endif
