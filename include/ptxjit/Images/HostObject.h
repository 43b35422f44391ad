//===- HostObject.h - device code in object files ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvcc puts separately compiled device code into a section of the host's object
// file, and gives the wrapper around it a name that is unique. A linker of
// device code takes that code, and tells the host's code the names.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_IMAGES_HOSTOBJECT_H
#define PTXJIT_IMAGES_HOSTOBJECT_H

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace ptxjit {

enum class FileKind {
  Text,        ///< PTX or a linked image, as far as its first bytes tell
  Container,   ///< a fat binary
  MachineCode, ///< ELF for a GPU
  Object,      ///< ELF for a CPU: an object file
  Program,     ///< ELF for a CPU: a program or shared library
  Archive,
  Other
};
FileKind kindOfFile(std::string_view file);

/// The device code of an object file, program or library of the host.
struct HostObject {
  /// Containers of code that is to be linked: in the section __nv_relfatbin.
  std::vector<std::string_view> containers;
  /// Containers of code that is loaded as it is: in the section .nv_fatbin.
  std::vector<std::string_view> wholeContainers;
  /// Names of modules, as `--register-link-binaries` writes them:
  /// "_cb930f4b_4_a_cu_4b8d1af2".
  std::vector<std::string> modules;
};
/// Reads a file. What is damaged counts as missing.
HostObject readHostObject(std::string_view file);

/// Visits the members of an archive, with their names. \returns false if it is
/// damaged; members before the damage have been visited then.
bool visitMembers(std::string_view archive,
                  const std::function<void(std::string_view bytes,
                                           const std::string &name)> &visit);

} // namespace ptxjit

#endif
