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
#include <cassert>
#include <cstdio>
#include <cstring>

static const char *reasonAgainst(const char *symbol) {
#define UNSUPPORTED(name, reason)                                              \
  if (std::strcmp(symbol, #name) == 0)                                         \
    return reason;
#if PTXJIT_CUDART_VERSION == 12
#define UNSUPPORTED_12(name, reason) UNSUPPORTED(name, reason)
#else
#define UNSUPPORTED_12(name, reason)
#endif
#include "Unsupported.def"
#undef UNSUPPORTED
#undef UNSUPPORTED_12
  assert(false && "Unsupported.def says why a function is missing");
  return "it is not implemented";
}

static int reportUnsupported(const char *symbol) {
  std::fprintf(stderr, "ptx-jit: %s is not supported: %s\n", symbol,
               reasonAgainst(symbol));
  return 801; // cudaErrorNotSupported
}

// All functions of the interface are defined here, as weak symbols. The linker
// replaces them by the definitions in other files.
#define PTXJIT_UNWRITTEN(symbol)                                               \
  extern "C" __attribute__((visibility("default"), weak)) int symbol() {       \
    return reportUnsupported(#symbol);                                         \
  }
#define ENTRY(name) PTXJIT_UNWRITTEN(name)
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
