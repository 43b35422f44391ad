//===- Entries.cpp - functions that are not written -----------------------===//
//
// Includes no header of the interface: functions are names here.
//
//===----------------------------------------------------------------------===//

#include <cstdio>

static int reportUnsupported(const char *name) {
  std::fprintf(stderr, "ptx-jit: %s is not supported\n", name);
  return 801; // cudaErrorNotSupported
}

// Every function of the interface is there. These are weak: the ones that
// another file defines take their place when the library is linked.
#define ENTRY(name)                                                            \
  extern "C" __attribute__((visibility("default"), weak)) int name() {         \
    return reportUnsupported(#name);                                           \
  }
#include "Entries.def"
#undef ENTRY
