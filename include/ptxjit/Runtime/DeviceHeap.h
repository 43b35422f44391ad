//===- DeviceHeap.h - what kernels allocate ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_RUNTIME_DEVICEHEAP_H
#define PTXJIT_RUNTIME_DEVICEHEAP_H

#include "ptxjit/Runtime/Memory.h"

namespace ptxjit {

/// The heap behind `malloc` and `free` of kernels, one for the process. As on
/// GPUs, 8 MB until the host asks for more. Thread-safe.
namespace heap {
/// 16-byte aligned, or null. Each block of the low range takes whole pages.
void *allocate(size_t bytes, AddressRange range = AddressRange::All);
/// False if it is not the heap's, or was freed before.
bool release(void *pointer);
/// Bytes that may be in use at once.
void setLimit(size_t bytes);
size_t getUsed();
} // namespace heap

} // namespace ptxjit

#endif
