//===- NewerApi.cpp - functions of NCCL 2.29 and 2.30 ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs that are linked with a newer NCCL (PyTorch 2.15) load only if their
// functions exist. They are refused, since ncclGetVersion promises 2.28.
//
//===----------------------------------------------------------------------===//

#include "Groups.h"
#include "Report.h"

using namespace ptxjit::nccl;

// Declared without their types, since they look at no argument.
#define REFUSED(name)                                                          \
  PTXJIT_NCCL_EXPORT ncclResult_t name() {                                     \
    return fail(ncclInvalidUsage, "%s: not in this version of NCCL", #name);   \
  }
REFUSED(ncclCommGetUniqueId)
REFUSED(ncclCommGrow)
REFUSED(ncclCommMemStats)
REFUSED(ncclCommResume)
REFUSED(ncclCommSuspend)
REFUSED(ncclGetLsaMultimemDevicePointer)
REFUSED(ncclGetPeerDevicePointer)
REFUSED(ncclPutSignal)
REFUSED(ncclSignal)
REFUSED(ncclWaitSignal)
REFUSED(ncclWinGetUserPtr)
#undef REFUSED
