//===- Entries.cpp - functions that are not implemented -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file includes no header that declares the functions: it declares them
// without their types.
//
//===----------------------------------------------------------------------===//

// All functions of the interface are defined here, as weak symbols. The linker
// replaces them by the definitions in other files.
#define ENTRY(name)                                                            \
  extern "C" __attribute__((visibility("default"), weak)) int name() {         \
    return 3; /* NVML_ERROR_NOT_SUPPORTED: what programs are prepared for */   \
  }
#include "Entries.def"
#undef ENTRY
