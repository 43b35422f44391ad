//===- Report.h - results of calls, and failures ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_TOOLS_PTXSTRESS_REPORT_H
#define PTXJIT_TOOLS_PTXSTRESS_REPORT_H

#include "ptxjit/CudaDriver/CudaABI.h"

#include <initializer_list>
#include <string>

namespace stress {

/// What a thread is doing. Failures say so.
struct Place {
  unsigned thread = 0;
  unsigned long step = 0;
  const char *operation = "set up";
};
/// That of the calling thread.
Place &here();

/// How to repeat the run, for failures. Set before threads begin.
void setRepetition(const std::string &command);

/// Prints what was wrong, where, and how to repeat the run. Ends the process,
/// since other threads are in the midst of calls.
[[noreturn]] void fail(const std::string &what);

/// Fails unless `result`, of `call`, is one of those that are allowed.
void expect(const char *call, CUresult result,
            std::initializer_list<CUresult> allowed);

} // namespace stress

/// Expects that a call of the driver succeeds.
#define STRESS_OK(call) ::stress::expect(#call, call, {CUDA_SUCCESS})
/// Expects one of the results that are listed.
#define STRESS_ONE_OF(call, ...) ::stress::expect(#call, call, {__VA_ARGS__})

#endif
