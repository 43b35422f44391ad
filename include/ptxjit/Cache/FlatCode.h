//===- FlatCode.h - makes bytes that run anywhere of an object --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_CACHE_FLATCODE_H
#define PTXJIT_CACHE_FLATCODE_H

#include <cstdint>
#include <optional>
#include <string>

namespace ptxjit {

/// Flat code runs at addresses that are multiples of this.
inline constexpr uint64_t kCodeAlign = 4096;

/// The code and constants of a kernel, complete: they refer to each other by
/// distances alone.
struct FlatCode {
  std::string bytes;
  uint16_t machine = 0;                  ///< EM_X86_64 or EM_AARCH64
  uint64_t entry = 0;                    ///< offset of the symbol
  uint64_t codeBegin = 0, codeBytes = 0; ///< the symbol's section
};

/// Lays out a self-contained object file (relocatable ELF) of any machine that
/// the compiler knows. Kernels have no undefined symbols and no absolute
/// addresses, so this needs little of a linker.
/// \returns none if the object is of another kind, or needs a relocation or
///   section that is not supported.
std::optional<FlatCode> flatten(const std::string &object,
                                const std::string &symbol);

} // namespace ptxjit

#endif
