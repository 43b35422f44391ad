//===- MovePages.h - moves memory in use to a file --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_RUNTIME_MOVEPAGES_H
#define PTXJIT_RUNTIME_MOVEPAGES_H

#include <cstddef>
#include <cstdint>

namespace ptxjit {

/// Moves pages of private memory to a file, which other processes can map. The
/// memory keeps its address and its contents. Threads and kernels may use it
/// meanwhile: a write to what is just being copied faults, and the handler
/// repeats it. (A system call that writes there then fails with EFAULT.)
/// \param offset  in the file, where there is room; whole pages.
/// \returns false if there is not enough memory. Some pages may have been
/// moved.
bool moveToFile(void *begin, size_t bytes, int file, uint64_t offset);

/// Has to be called before memory of moveToFile() is unmapped.
void forgetMoved(const void *begin);

/// Has a write to this address failed because it was being moved? For the fault
/// handler.
bool isMoved(uint64_t address);

} // namespace ptxjit

#endif
