//===- Cache.h - look after compiled kernels on disk ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The commands return the exit status, and tell errors on stderr.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_TOOLS_PTXJIT_CACHE_H
#define PTXJIT_TOOLS_PTXJIT_CACHE_H

#include "ptxjit/ptxjit.h"

namespace ptxjit {

/// `ptx-jit cache list`: prints each entry, and totals.
int listCache(const Cache &cache);

/// `ptx-jit cache verify`: names the entries that are damaged, or of another
/// build. \returns 1 if any is damaged.
int verifyCache(const Cache &cache);

/// Which entries `ptx-jit cache prune` removes, beside those that are damaged
/// or of another build.
struct PruneLimits {
  std::optional<uint64_t> mostDays;  ///< those not used for so long
  std::optional<uint64_t> mostBytes; ///< the least recently used beyond that
};

/// Reads a number of bytes, "1000", "64K", "512M" or "2G". \returns false if
/// `text` is malformed.
bool parseBytes(const std::string &text, uint64_t &bytes);

/// `ptx-jit cache prune`: removes entries. \returns 1 if one cannot be removed.
int pruneCache(const Cache &cache, const PruneLimits &limits);

} // namespace ptxjit

#endif
