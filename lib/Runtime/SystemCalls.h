//===- SystemCalls.h - what CUDA's system does for kernels ------*- C++ -*-===//
//
// `places` are the addresses of a call's arguments and results, in the order of
// PtxjitSystemFunction.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_RUNTIME_SYSTEMCALLS_H
#define PTXJIT_LIB_RUNTIME_SYSTEMCALLS_H

#include <cstdint>

namespace ptxjit {

/// `__assertfail`: the launch fails, with the text of the assertion.
[[noreturn]] void failAssertion(int32_t thread, const uint64_t *places,
                                const void *returnAddress);

/// `vprintf`: one write to stdout, so that a call's text is never torn. The
/// result is the number of arguments, or -1 without a format.
void printFormatted(const uint64_t *places);

/// `malloc` and `free` of kernels: null where the heap is full; what was not
/// allocated is not freed.
void allocateOnHeap(const uint64_t *places);
void freeOnHeap(const uint64_t *places);

/// While it lives, what the calling thread's kernels print is dropped: they run
/// once more, to find a fault.
class MutedKernels {
public:
  MutedKernels();
  ~MutedKernels();
};

} // namespace ptxjit

#endif
