//===- Entries.cpp - the functions of the driver interface, by name -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file does not include CudaABI.h: it declares functions without their
// types.
//
//===----------------------------------------------------------------------===//

#include "Entries.h"

#include <cassert>
#include <cstring>

using namespace ptxjit;
using namespace ptxjit::cuda;

// All functions of the interface are defined here, as weak symbols. The linker
// replaces them by the definitions in other files.
#define ENTRY(name, since, symbol)                                             \
  extern "C" __attribute__((visibility("default"), weak)) int symbol() {       \
    return reportUnsupported(#symbol);                                         \
  }
#define ENTRY_PER_THREAD(name, since, symbol) ENTRY(name, since, symbol)
#include "Entries.def"
#undef ENTRY
#undef ENTRY_PER_THREAD

static const Entry kEntries[] = {
#define ENTRY(name, since, symbol) {#name, since, false, symbol},
#define ENTRY_PER_THREAD(name, since, symbol) {#name, since, true, symbol},
#include "Entries.def"
#undef ENTRY
#undef ENTRY_PER_THREAD
};

/// Why a function of the table is not supported; null if it is no such
/// function.
static const char *findReason(const char *symbol) {
#define UNSUPPORTED(name, reason)                                              \
  if (std::strcmp(symbol, #name) == 0)                                         \
    return reason;
#include "Unsupported.def"
#undef UNSUPPORTED
  return nullptr;
}

const char *cuda::reasonAgainst(const char *symbol) {
  const char *reason = findReason(symbol);
  assert(reason && "Unsupported.def says why a function is missing");
  return reason ? reason : "it is not implemented";
}

/// The CUDA version that introduced the signature of an entry. The variants for
/// the caller's own stream came later than the functions that they belong to.
static int signatureOf(const Entry &entry) {
  int newest = 0;
  for (const Entry &other : kEntries)
    if (!other.perThread && other.since <= entry.since &&
        std::strcmp(other.name, entry.name) == 0)
      newest = other.since > newest ? other.since : newest;
  return newest;
}

/// Which of two suitable entries is better: the one with the newer signature,
/// or if these are the same the one for the caller's own stream.
static bool isBetter(const Entry &entry, const Entry &best) {
  int mine = signatureOf(entry), other = signatureOf(best);
  return mine != other ? mine > other : entry.perThread;
}

const Entry *cuda::findEntry(const char *name, int version, bool perThread,
                             bool &isKnown) {
  const Entry *best = nullptr;
  isKnown = false;
  for (const Entry &entry : kEntries) {
    if (std::strcmp(entry.name, name) != 0)
      continue;
    isKnown = true;
    bool serves = entry.since <= version && (!entry.perThread || perThread);
    if (serves && (!best || isBetter(entry, *best)))
      best = &entry;
  }
  return best;
}
