//===- CompileProgress.h - says what a long compilation does ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_RUNTIME_COMPILEPROGRESS_H
#define PTXJIT_LIB_RUNTIME_COMPILEPROGRESS_H

namespace ptxjit {

/// While this lives, a program waits for a kernel to be compiled. If stderr is
/// a terminal, and that takes longer than a second (or the seconds that
/// PTXJIT_PROGRESS names; `off`: never), a line there says which kernel it is,
/// for how long it has been compiled, and which stage it has reached.
class CompileProgress {
public:
  /// \param kernel  the pointer that PtxjitCompiler::compile gets.
  explicit CompileProgress(const char *kernel);
  ~CompileProgress();
  CompileProgress(const CompileProgress &) = delete;
  /// A PtxjitStageFn.
  static void began(const char *kernel, const char *stage);

private:
  const char *kernel; ///< null: nothing is shown
};

} // namespace ptxjit

#endif
