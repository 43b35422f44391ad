//===- Helpers.h - TBB threads that help with a launch ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_RUNTIME_HELPERS_H
#define PTXJIT_LIB_RUNTIME_HELPERS_H

#include <functional>
#include <memory>

namespace ptxjit {

/// Asks TBB's threads to run body(1) … body(count), each at most once. Threads
/// that come while this lives take part. Nobody waits for a thread that has not
/// come, which may take long on busy cores.
class Helpers {
public:
  Helpers(unsigned count, std::function<void(unsigned)> body);
  /// Stops threads from joining, and waits for those that have joined.
  ~Helpers();
  Helpers(const Helpers &) = delete;
  Helpers &operator=(const Helpers &) = delete;

private:
  struct Door;
  std::shared_ptr<Door> door;
};

} // namespace ptxjit

#endif
