//===- SecondTier.h - better code, compiled beside the program --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel's first code is compiled fast. When it has run for some time, a
// thread beside the program makes better code, for the CTAs and launches that
// begin after that.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_RUNTIME_SECONDTIER_H
#define PTXJIT_LIB_RUNTIME_SECONDTIER_H

#include "KernelCompiler.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <string>

namespace ptxjit {

/// The better code of one kernel. Thread-safe. Shared with the thread that
/// compiles it, so that the module may be destroyed at any time.
class SecondTier : public std::enable_shared_from_this<SecondTier> {
public:
  /// What is to be compiled.
  struct Request {
    std::shared_ptr<KernelCompiler> compiler;
    std::string kernel;
    PtxjitSpecialization spec; ///< without texts: for this machine
  };

  /// \param worth  the time for which the first code runs before better code is
  ///   asked for.
  SecondTier(Request request, std::chrono::nanoseconds worth)
      : request(std::move(request)), worth(worth.count()) {}

  /// Notes that launches of the first code took some time.
  void addRunTime(std::chrono::nanoseconds time) { spent += time.count(); }
  /// Asks for the code if it is worth it. \param running  for how long a launch
  /// that has not ended has run so far.
  void consider(std::chrono::nanoseconds running = {}) {
    if (!isAsked.load(std::memory_order_relaxed) &&
        spent.load(std::memory_order_relaxed) + running.count() >= worth)
      ask();
  }
  /// The code, which lives as long as this. Null while there is none.
  PtxjitImage *getImage() const {
    return image.load(std::memory_order_acquire);
  }

  const PtxjitSpecialization &getSpecialization() const { return request.spec; }

private:
  void ask();
  void compile();

  const Request request;
  const int64_t worth;           ///< nanoseconds
  std::atomic<int64_t> spent{0}; ///< nanoseconds
  std::atomic<bool> isAsked{false};
  std::atomic<PtxjitImage *> image{nullptr}; ///< owned by the compiler
};

} // namespace ptxjit

#endif
