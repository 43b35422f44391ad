//===- DeviceHeap.h - what kernels allocate ---------------------*- C++ -*-===//

#ifndef PTXJIT_RUNTIME_DEVICEHEAP_H
#define PTXJIT_RUNTIME_DEVICEHEAP_H

#include <cstddef>

namespace ptxjit {

/// The heap behind `malloc` and `free` of kernels, one for the process. As on
/// GPUs, 8 MB until the host asks for more. Thread-safe.
namespace heap {
/// 16-byte aligned, or null.
void *allocate(size_t bytes);
/// False if it is not the heap's, or was freed before.
bool release(void *pointer);
/// Bytes that may be in use at once.
void setLimit(size_t bytes);
size_t getUsed();
} // namespace heap

} // namespace ptxjit

#endif
