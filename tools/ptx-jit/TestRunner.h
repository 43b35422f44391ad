//===- TestRunner.h - execution tests inside PTX files ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the tests of a file (TestNotation.h) on the reference interpreter, at
// every chunk width and in every mode.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_TOOLS_TESTRUNNER_H
#define PTXJIT_TOOLS_TESTRUNNER_H

#include "ptxjit/ptxjit.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ptxjit {

struct TestOptions {
  std::vector<uint32_t> chunks; ///< empty: all widths, and all modes
  std::string cpu;
  unsigned threads = 0;
  unsigned repeat = 1; ///< runs of each compiled case
  CompileOptions::Mode mode = CompileOptions::Mode::Auto;
  CompileOptions::Warps warps = CompileOptions::Warps::Auto; ///< Auto: both
  std::string failAt; ///< CompileOptions::failAt of all modes
  /// Leaves out the reference interpreter where nothing is compared with it,
  /// and its results are asked for neither by `update` nor by `record`.
  bool skipReference = false;
  /// Expected values that differ become those of the reference interpreter, or
  /// of the first compiled mode where a test is racy.
  bool update = false;
  std::string junit; ///< a file for results as JUnit's XML; empty: none
  /// A file for the tests with what the reference interpreter computes
  /// (TestRecord.h); tests then run on it alone. Empty: none.
  std::string record;
};

/// Runs all tests of `files`, each in several modes. A test fails, too, if LLVM
/// fails on its kernel: what then ran is not the code that was to be tested.
/// Prints failures to stderr, and a line `FILE: N passed, N failed` for each
/// file to stdout.
/// \returns 0 if no test failed and each file has one that passed, else 1.
int runTests(const std::vector<std::string> &files, const TestOptions &options);

} // namespace ptxjit

#endif
