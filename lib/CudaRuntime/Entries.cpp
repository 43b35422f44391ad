//===- Entries.cpp - functions that are not implemented -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file includes no header of the interface: it declares functions without
// their types.
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

// All functions of the interface are defined here, as weak symbols. The linker
// replaces them by the definitions in other files.
#define PTXJIT_UNWRITTEN(name, text)                                           \
  extern "C" __attribute__((visibility("default"), weak)) int name() {         \
    return reportUnsupported(text);                                            \
  }
#define ENTRY(name) PTXJIT_UNWRITTEN(name, #name)
#include "Entries.def"
#if PTXJIT_CUDART_VERSION == 12
// From here on the plain names mean the old forms.
#undef cudaGetDeviceProperties
#undef cudaGraphAddNode
#undef cudaSignalExternalSemaphoresAsync
#undef cudaSignalExternalSemaphoresAsync_ptsz
#undef cudaWaitExternalSemaphoresAsync
#undef cudaWaitExternalSemaphoresAsync_ptsz
#include "Entries12.def"
#endif
#undef ENTRY
