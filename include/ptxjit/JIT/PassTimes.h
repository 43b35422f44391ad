//===- PassTimes.h - how long each pass takes -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_JIT_PASSTIMES_H
#define PTXJIT_JIT_PASSTIMES_H

namespace ptxjit {

/// Whether compilations print the time of each pass to stderr: the environment
/// variable PTXJIT_TIME_PASSES is set, to something else than 0. It is read
/// once. The first call also tells LLVM's code generator.
bool measuresPasses();

} // namespace ptxjit

#endif
