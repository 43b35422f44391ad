//===- TestRunner.h - execution tests inside PTX files ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A test is one comment line in a PTX file:
//
//   // run: KERNEL {grid=X,Y,Z} {block=X,Y,Z} {cluster=X,Y,Z} {shared=N}
//          ARG... {~ulps=N} {~rel=X} {~abs=X} {fails=TEXT} {racy}
//
// An ARG for each parameter is TYPE:VALUE, TYPE{VALUE,...}, or a buffer:
//   in=TYPE[v, v*n, ...]   given values; v*n is v repeated n times
//   out=TYPE[v, v, ...]    starts as zero, must end as given; `?` is anything
//   io=TYPE[v, ...]->[w, ...]
//   in=TYPE[GEN] / out=TYPE[ref] / io=TYPE[GEN]->[ref]
// GEN generates values, 256 unless :N (`ref`, too) follows:
//   zero, iota, random(SEED)
//   edges.a, .b, .c       16 edge values of the type: all pairs of them in a
//                         and b, a mixture in c
//   f16.a, bf16.a, f32.a and so on: the same for integers that hold such values
//   sweep                 floats from -8 to 8
//
// `ref` stands for what the reference interpreter computes. Every test runs on
// the interpreter, so given values check it, too. The exception are `racy`
// tests, which are right only if warps run side by side: the interpreter runs
// thread by thread. With `fails` the launch must fail with a message that
// contains TEXT. A block has as many threads as the longest buffer has elements
// (1024 at most) unless given. A test also fails if the kernel writes outside
// its buffers (WatchedMemory.h).
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_TOOLS_TESTRUNNER_H
#define PTXJIT_TOOLS_TESTRUNNER_H

#include "ptxjit/Runtime/KernelABI.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ptxjit {

struct TestOptions {
  std::vector<uint32_t> chunks; ///< empty: all widths, and all modes
  std::string cpu;
  unsigned threads = 0;
  unsigned repeat = 1;                        ///< of each compiled case
  PtxjitMode atLeast = PTXJIT_MODE_WARP_LOOP; ///< even if less would do
};

/// Runs all tests of `files`, each in several modes. Prints failures to stderr,
/// and a line `FILE: N passed, N failed` for each file to stdout.
/// \returns 0 if no test failed and each file has one that passed, else 1.
int runTests(const std::vector<std::string> &files, const TestOptions &options);

} // namespace ptxjit

#endif
