//===- Records.h - modules and kernels as bytes -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is known of modules and of compiled kernels, for files.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_CACHE_RECORDS_H
#define PTXJIT_CACHE_RECORDS_H

#include "ptxjit/Runtime/CompilerABI.h"

#include <deque>
#include <memory>
#include <string>

namespace ptxjit {

/// Must be raised when the records, or their meaning, change.
inline constexpr unsigned kRecordFormat = 2;

/// Owns the objects that the pointers of a record point to.
struct RecordStorage {
  std::deque<std::string> strings;
  std::deque<std::shared_ptr<void>> arrays;
};

/// All fields of a module but its text and the name of its file.
std::string encode(const PtxjitModuleInfo &module);
/// All fields of an image but addresses, times, `degraded`, and what only
/// `translate` tells.
std::string encode(const PtxjitImage &image);

/// Read these again, where the same kRecordFormat has been written for the same
/// version of CompilerABI.h. \returns false if the bytes are no such record.
bool decode(std::string bytes, PtxjitModuleInfo &module,
            RecordStorage &storage);
bool decode(std::string bytes, PtxjitImage &image, RecordStorage &storage);

} // namespace ptxjit

#endif
