//===- SystemCalls.h - what CUDA's system does for kernels ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_RUNTIME_SYSTEMCALLS_H
#define PTXJIT_LIB_RUNTIME_SYSTEMCALLS_H

#include "ptxjit/Runtime/KernelABI.h"
#include <cstdint>
#include <cstring>

namespace ptxjit {

/// The addresses of a call's arguments and results, in the order of
/// PtxjitSystemFunction.
struct SystemCall {
  const uint64_t *places;
  bool isNarrow; ///< PTXJIT_SYSTEM_NARROW

  template <typename T> static T readAt(uint64_t place) {
    T value;
    std::memcpy(&value, reinterpret_cast<const void *>(place), sizeof(value));
    return value;
  }
  template <typename T> T read(unsigned i) const {
    return readAt<T>(places[i]);
  }
  uint64_t readPointer(unsigned i) const {
    return isNarrow ? read<uint32_t>(i) : read<uint64_t>(i);
  }
  void write(unsigned i, uint64_t value, unsigned bytes) const {
    std::memcpy(reinterpret_cast<void *>(places[i]), &value, bytes);
  }
};

/// `__assertfail` of one thread: a line on stderr, in CUDA's form. The launch
/// does not end here, since more lanes of the warp may have to be told of.
///
/// \param onlySame  tells only of the assertion that has failed before, if one
///   has.
void tellAssertion(const PtxjitKernelContext &context, uint32_t thread,
                   const SystemCall &call, bool onlySame);

/// `vprintf`: one write to stdout, so that a call's text is never torn. The
/// result is the number of arguments, or -1 without a format.
void printFormatted(const SystemCall &call);

/// `malloc` and `free` of kernels: null where the heap is full; what was not
/// allocated is not freed.
void allocateOnHeap(const SystemCall &call);
void freeOnHeap(const SystemCall &call);

/// While it lives, what the calling thread's kernels print is dropped: they run
/// once more, to find a fault.
class MutedKernels {
public:
  MutedKernels();
  ~MutedKernels();
  /// Does one live on the calling thread?
  static bool areMuted();
};

} // namespace ptxjit

#endif
