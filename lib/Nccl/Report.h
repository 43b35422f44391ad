//===- Report.h - messages to the user --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_NCCL_REPORT_H
#define PTXJIT_LIB_NCCL_REPORT_H

#include "ptxjit/Nccl/NcclABI.h"

#include <chrono>
#include <string>

namespace ptxjit::nccl {

/// After this time the user is told who is waited for.
constexpr std::chrono::seconds kPatience(10);

/// Writes a line to stderr. Takes what printf() takes.
[[gnu::format(printf, 1, 2)]] void report(const char *format, ...);

/// Records an error for ncclGetLastError(), and shows it if NCCL_DEBUG is WARN
/// or more. \returns `result`.
[[gnu::format(printf, 2, 3)]] ncclResult_t fail(ncclResult_t result,
                                                const char *format, ...);

/// Records an error that another thread has shown. \returns `result`.
ncclResult_t failAgain(ncclResult_t result, const std::string &text);

/// Does NCCL_DEBUG ask for warnings?
bool isVerbose();

} // namespace ptxjit::nccl

#endif
