//===- DeviceHeap.h - the heap behind kernels' malloc -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_RUNTIME_DEVICEHEAP_H
#define PTXJIT_RUNTIME_DEVICEHEAP_H

#include "ptxjit/Runtime/Memory.h"

namespace ptxjit {

/// The heap behind `malloc` and `free` of kernels, one for the process. As on
/// GPUs it has 8 MB until the host asks for more. Thread-safe.
namespace heap {
/// Returns 16-byte aligned memory, or null. In the low range each block takes
/// whole pages.
void *allocate(size_t bytes, AddressRange range = AddressRange::All);
/// Frees a block. False if the heap has no such block.
bool release(void *pointer);
/// Sets how many bytes may be in use; at least those in use now.
void setLimit(size_t bytes);
size_t getUsed();
} // namespace heap

} // namespace ptxjit

#endif
