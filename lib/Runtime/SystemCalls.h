//===- SystemCalls.h - assert, printf and malloc of kernels -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_RUNTIME_SYSTEMCALLS_H
#define PTXJIT_LIB_RUNTIME_SYSTEMCALLS_H

#include "FaultScope.h"
#include "ptxjit/Runtime/KernelABI.h"
#include <cstdint>
#include <cstring>

namespace ptxjit {

/// The arguments and the result of one call of a PtxjitSystemFunction.
struct SystemCall {
  /// Host addresses, PTXJIT_SYSTEM_LANES apart, the arguments' first.
  const uint64_t *places;
  bool isNarrow; ///< PTXJIT_SYSTEM_NARROW
  KernelCall caller;

  template <typename T> static T readAt(uint64_t place) {
    T value;
    std::memcpy(&value, reinterpret_cast<const void *>(place), sizeof(value));
    return value;
  }
  template <typename T> T read(unsigned i) const {
    return readAt<T>(placeOf(i));
  }
  uint64_t placeOf(unsigned i) const { return places[i * PTXJIT_SYSTEM_LANES]; }
  uint64_t readPointer(unsigned i) const {
    return isNarrow ? read<uint32_t>(i) : read<uint64_t>(i);
  }
  void write(unsigned i, uint64_t value, unsigned bytes) const {
    std::memcpy(reinterpret_cast<void *>(placeOf(i)), &value, bytes);
  }
};

/// The number of a function's parameters, which is the place of its result.
unsigned countParams(PtxjitSystemFunction function);

/// `__assertfail` of one thread: prints a line to stderr, in CUDA's form. Does
/// not end the launch, since more lanes of the warp may have failed.
///
/// \param onlySame  prints only if the assertion is the one that failed first.
void tellAssertion(const PtxjitKernelContext &context, const SystemCall &call,
                   bool onlySame);

/// `vprintf`: one write to stdout, so that texts of calls do not mix. The
/// result is the number of arguments, or -1 without a format.
void printFormatted(const SystemCall &call);

/// `malloc` and `free` of kernels. `malloc` returns null if the heap is full;
/// `free` ignores addresses that are not allocated.
void allocateOnHeap(const SystemCall &call);
void freeOnHeap(const SystemCall &call);

/// The functions from PTXJIT_SYSTEM_SET_CONDITION to
/// PTXJIT_SYSTEM_UPDATE_NODES.
void callGraphs(uint32_t function, const SystemCall &call);

/// While this lives, output of kernels on the calling thread is dropped: they
/// run again only to locate a fault.
class MutedKernels {
public:
  MutedKernels();
  ~MutedKernels();
  /// Whether one lives on the calling thread.
  static bool areMuted();
};

} // namespace ptxjit

#endif
