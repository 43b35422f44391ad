//===- DeviceApi.cpp - what kernels would communicate with ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With nccl_device.h kernels access the memory of other GPUs. The objects that
// they need for that cannot be made here.
//
//===----------------------------------------------------------------------===//

#include "Groups.h"
#include "Report.h"

using namespace ptxjit::nccl;

// Declared without their types, since they look at no argument.
#define REFUSED(name)                                                          \
  PTXJIT_NCCL_EXPORT ncclResult_t name() {                                     \
    return fail(ncclInvalidUsage,                                              \
                "%s: kernels cannot communicate on this device", #name);       \
  }
REFUSED(ncclDevCommCreate)
REFUSED(ncclDevCommDestroy)
REFUSED(ncclGinBarrierCreateRequirement)
REFUSED(ncclLLA2ACreateRequirement)
REFUSED(ncclLsaBarrierCreateRequirement)
#undef REFUSED
