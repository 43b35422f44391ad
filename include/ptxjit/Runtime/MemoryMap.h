//===- MemoryMap.h - what lies at an address ---------------------*- C++
//-*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_RUNTIME_MEMORYMAP_H
#define PTXJIT_RUNTIME_MEMORYMAP_H

#include <cstddef>
#include <string>

namespace ptxjit {

struct Mapping {
  std::string file;       ///< that is mapped there; empty if none is
  size_t bytesBehind = 0; ///< that may be read from the address on
};

/// Asks the system, which takes up to a millisecond: for messages.
Mapping findMapping(const void *address);

/// The program of this process; empty if it cannot be found out.
std::string getProgramPath();

} // namespace ptxjit

#endif
