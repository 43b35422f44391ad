//===- Entries.cpp - functions that are not written -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Includes no header of the interface that declares them: functions are names
// here.
//
//===----------------------------------------------------------------------===//

#if PTXJIT_CUDART_VERSION == 12
#include "ptxjit/CudaRuntime/Names12.h"
#endif
#include <cstdio>

static int reportUnsupported(const char *name) {
  std::fprintf(stderr, "ptx-jit: %s is not supported\n", name);
  return 801; // cudaErrorNotSupported
}

// Every function of the interface is there. These are weak: the ones that
// another file defines take their place when the library is linked.
#define PTXJIT_UNWRITTEN(name, text)                                           \
  extern "C" __attribute__((visibility("default"), weak)) int name() {         \
    return reportUnsupported(text);                                            \
  }
#define ENTRY(name) PTXJIT_UNWRITTEN(name, #name)
#include "Entries.def"
#if PTXJIT_CUDART_VERSION == 12
// Here the plain names are meant.
#undef cudaGetDeviceProperties
#undef cudaGraphAddNode
#undef cudaSignalExternalSemaphoresAsync
#undef cudaSignalExternalSemaphoresAsync_ptsz
#undef cudaWaitExternalSemaphoresAsync
#undef cudaWaitExternalSemaphoresAsync_ptsz
#include "Entries12.def"
#endif
#undef ENTRY
