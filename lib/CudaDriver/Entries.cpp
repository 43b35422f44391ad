//===- Entries.cpp - the functions of the driver interface, by name -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Does not include CudaABI.h: functions are names here, without their types.
//
//===----------------------------------------------------------------------===//

#include "Entries.h"

#include <cstring>

using namespace ptxjit;
using namespace ptxjit::cuda;

// Every function of the interface is there. These are weak: the ones that
// another file defines take their place when the library is linked.
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

/// The version whose signature an entry has: functions for the caller's own
/// stream came later than those they belong to.
static int signatureOf(const Entry &entry) {
  int newest = 0;
  for (const Entry &other : kEntries)
    if (!other.perThread && other.since <= entry.since &&
        std::strcmp(other.name, entry.name) == 0)
      newest = other.since > newest ? other.since : newest;
  return newest;
}

/// Of two entries that both serve: the newer signature, and of two with the
/// same the one for the caller's own stream.
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
