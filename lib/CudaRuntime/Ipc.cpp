//===- Ipc.cpp - memory, events and pools of other processes --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime.h"

using namespace ptxjit;
using namespace ptxjit::cudart;

// The driver's handles are the runtime's.
PTXJIT_CUDART_API(cudaIpcGetMemHandle, (CUipcMemHandle * out, void *pointer),
                  out, pointer) {
  return cuIpcGetMemHandle(out, toDevice(pointer));
}
PTXJIT_CUDART_API(cudaIpcOpenMemHandle,
                  (void **out, CUipcMemHandle handle, unsigned flags), out,
                  handle, flags) {
  return cuIpcOpenMemHandle_v2(reinterpret_cast<CUdeviceptr *>(out), handle,
                               flags);
}
PTXJIT_CUDART_API(cudaIpcCloseMemHandle, (void *pointer), pointer) {
  return cuIpcCloseMemHandle(toDevice(pointer));
}
PTXJIT_CUDART_API(cudaIpcGetEventHandle,
                  (CUipcEventHandle * out, CUevent event), out, event) {
  return cuIpcGetEventHandle(out, event);
}
PTXJIT_CUDART_API(cudaIpcOpenEventHandle,
                  (CUevent * out, CUipcEventHandle handle), out, handle) {
  return cuIpcOpenEventHandle(out, handle);
}

PTXJIT_CUDART_API(cudaMemPoolExportToShareableHandle,
                  (void *out, CUmemoryPool pool, int type, unsigned flags), out,
                  pool, type, flags) {
  return cuMemPoolExportToShareableHandle(out, pool, type, flags);
}
PTXJIT_CUDART_API(cudaMemPoolImportFromShareableHandle,
                  (CUmemoryPool * out, void *descriptor, int type,
                   unsigned flags),
                  out, descriptor, type, flags) {
  return cuMemPoolImportFromShareableHandle(out, descriptor, type, flags);
}
PTXJIT_CUDART_API(cudaMemPoolExportPointer,
                  (CUmemPoolPtrExportData * out, void *pointer), out, pointer) {
  return cuMemPoolExportPointer(out, toDevice(pointer));
}
PTXJIT_CUDART_API(cudaMemPoolImportPointer,
                  (void **out, CUmemoryPool pool, CUmemPoolPtrExportData *data),
                  out, pool, data) {
  return cuMemPoolImportPointer(reinterpret_cast<CUdeviceptr *>(out), pool,
                                data);
}
