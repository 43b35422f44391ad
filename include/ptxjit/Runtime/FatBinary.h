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

#include <cstddef>
#include <cstdint>
#include <functional>
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

/// An entry of a container: code for one architecture.
struct ImageEntry {
  enum class Kind { Ptx, MachineCode, LtoIr, Other };
  /// Code of LTO is packed in a way that is not known.
  enum class Packing { None, Lz4, Zstd, Unknown };

  Kind kind = Kind::Other;
  Packing packing = Packing::None;
  unsigned arch = 0;  ///< 80 for sm_80
  std::string suffix; ///< of the architecture: "", "a" or "f"
  unsigned versionMajor = 0, versionMinor = 0; ///< of PTX
  bool hasDebug = false;
  uint64_t unpackedBytes = 0;
  // These point into the container.
  std::string_view name;    ///< of the source file; mostly empty
  std::string_view options; ///< for NVIDIA's assembler; mostly empty
  std::string_view payload; ///< as it is stored
};

/// Does a device take the entry? It is PTX, and fits: plain PTX runs on its
/// own architecture and all later ones, `a` code on one, `f` code on a family.
bool isUsable(const ImageEntry &entry, Profile device = getProfile());

/// Gets the code of an entry: a text, without zeros at its end, or machine
/// code. \returns false if it is damaged, or packed in an unknown way.
bool unpack(const ImageEntry &entry, std::string &bytes);

/// Visits the entries of a container, up to the first that does not fit into
/// it. Bytes behind its end do no harm.
/// \returns how many bytes header and entries take; 0, if it is damaged.
size_t visitEntries(std::string_view container,
                    const std::function<void(const ImageEntry &)> &visit);

/// Visits the containers in any file: a program, an object file, an archive.
/// `visit` gets all bytes from the container on, and returns the result of
/// visitEntries() for them.
void visitContainers(std::string_view file,
                     const std::function<size_t(std::string_view)> &visit);

/// Removes all containers but the first if that has what our nvlink has linked
/// from the others (an image of LinkedText.h).
void dropLinkedParts(std::vector<std::string_view> &containers);

/// Returns the containers of an image in memory, which is one itself, or a
/// wrapper. A wrapper of separately compiled code has several, unless our
/// nvlink has linked them.
std::vector<std::string_view> findContainers(const void *image);

/// Returns the PTX texts that a device would take from containers: the best
/// one of each. Bytes behind a container's end do no harm. `diagnostics` says
/// what is damaged, and if no PTX fits, what there is instead, of which
/// kernels, and what to build.
std::vector<std::string>
readContainers(const std::vector<std::string_view> &containers,
               std::string &diagnostics, Profile device = getProfile());

/// The same of machine code without a container (ELF), which is never taken.
/// Its end may be missing.
void refuseMachineCode(std::string_view image, std::string &diagnostics,
                       Profile device = getProfile());

} // namespace ptxjit

#endif
