//===- PerThread.h - variables of threads -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_RUNTIME_PERTHREAD_H
#define PTXJIT_RUNTIME_PERTHREAD_H

namespace ptxjit {

/// The calling thread's variable of type `T`, one for each `Tag`. It is
/// destroyed with the thread. The destructors of a program's static objects run
/// after that on the main thread, and may call us: they get a new variable,
/// which is never destroyed.
template <typename T, typename Tag> T &perThread() {
  static thread_local T *value = nullptr;
  struct Owner {
    ~Owner() {
      delete value;
      value = nullptr;
    }
    void own(T *made) { value = made; }
  };
  static thread_local Owner owner;
  if (!value)
    owner.own(new T);
  return *value;
}

} // namespace ptxjit

#endif
