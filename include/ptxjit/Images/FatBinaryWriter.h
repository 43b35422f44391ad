//===- FatBinaryWriter.h - writes containers of device code -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The counterpart of Runtime/FatBinary.h.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_IMAGES_FATBINARYWRITER_H
#define PTXJIT_IMAGES_FATBINARYWRITER_H

#include <string>
#include <string_view>

namespace ptxjit {

/// A PTX text for a container.
struct NewEntry {
  std::string text;
  unsigned arch = 0;        ///< 90 for sm_90
  char suffix = 0;          ///< 'a', 'f', or 0
  std::string name = {};    ///< of the source file; may be empty
  std::string options = {}; ///< for NVIDIA's assembler; may be empty
  bool hasDebug = false;
  bool isPacked = true; ///< by zstd
};

/// Makes a container, one entry after the other.
class FatBinaryWriter {
public:
  void add(const NewEntry &entry);
  /// The container; a number of words of 64 bits.
  std::string finish() const;

private:
  std::string entries;
};

/// Where nvcc puts a container.
enum class FatBinaryUse {
  Whole,       ///< in .nv_fatbin
  Relocatable, ///< in __nv_relfatbin, with a name of its own (-dc)
  Linked       ///< in .nv_fatbin, with a list of the files (-dlink)
};

/// Returns the C text that nvcc includes into the host's code. It has the
/// container and its wrapper.
/// \param useAsm  the container is a string of assembler; else an array.
std::string embedContainer(std::string_view container, FatBinaryUse use,
                           bool useAsm);

} // namespace ptxjit

#endif
