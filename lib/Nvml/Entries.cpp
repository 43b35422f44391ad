//===- Entries.cpp - functions that are not written -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Includes no header that declares them: functions are names here.
//
//===----------------------------------------------------------------------===//

// Every function of the interface is there. These are weak: the ones that
// another file defines take their place when the library is linked.
#define ENTRY(name)                                                            \
  extern "C" __attribute__((visibility("default"), weak)) int name() {         \
    return 3; /* NVML_ERROR_NOT_SUPPORTED: what programs are prepared for */   \
  }
#include "Entries.def"
#undef ENTRY
