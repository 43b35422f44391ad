//===- SystemCalls.h - what CUDA's system does for kernels ------*- C++ -*-===//

#ifndef PTXJIT_LIB_RUNTIME_SYSTEMCALLS_H
#define PTXJIT_LIB_RUNTIME_SYSTEMCALLS_H

#include <cstdint>

namespace ptxjit {

/// `__assertfail`: the launch fails, with the text of the assertion.
/// \param places  addresses of its arguments, see PTXJIT_SYSTEM_ASSERT.
[[noreturn]] void failAssertion(int32_t thread, const uint64_t *places,
                                const void *returnAddress);

} // namespace ptxjit

#endif
