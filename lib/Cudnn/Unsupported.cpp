//===- Unsupported.cpp - functions that nothing serves --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs that need them find them, and are told.
//
//===----------------------------------------------------------------------===//

#include "Status.h"

using namespace ptxjit::cudnn;

#define UNSUPPORTED(name, what)                                                \
  PTXJIT_CUDNN_EXPORT cudnnStatus_t name() {                                   \
    return run(__func__, [] { failUnsupported(what); });                       \
  }
#include "ptxjit/Cudnn/Unsupported.def"
#undef UNSUPPORTED
