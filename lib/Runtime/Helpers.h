//===- Helpers.h - threads that help with a launch --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_RUNTIME_HELPERS_H
#define PTXJIT_LIB_RUNTIME_HELPERS_H

#include <functional>
#include <memory>

namespace ptxjit {

/// Asks TBB's threads to run body(1) … body(count), each once. Whoever comes
/// while this lives takes part; nobody waits for those that have not come,
/// which may be long where the cores are busy.
class Helpers {
public:
  Helpers(unsigned count, std::function<void(unsigned)> body);
  /// Lets nobody in any more, and waits for those that are inside.
  ~Helpers();
  Helpers(const Helpers &) = delete;
  Helpers &operator=(const Helpers &) = delete;

private:
  struct Door;
  std::shared_ptr<Door> door;
};

} // namespace ptxjit

#endif
