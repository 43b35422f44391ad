// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A back end runs the launches of a case on device copies of its buffers.
#pragma once
#include "cases.h"
#include <memory>
namespace bench {
struct Backend {
  virtual ~Backend() = default;
  // Compiles, allocates and uploads; timed separately.
  virtual void prepare(const Case &, Bufs host) = 0;
  // Runs all launches and returns when they are done.
  virtual void run() = 0;
  // Makes the results visible in the host buffers.
  virtual void download(Bufs host) = 0;
};
std::unique_ptr<Backend> make_opencl(const std::string &root);
std::unique_ptr<Backend> make_cuda(const std::string &root);
std::unique_ptr<Backend> make_emu() __attribute__((weak)); // only in build/emu
[[noreturn]] void fail(const std::string &);
std::string slurp(const std::string &path);
} // namespace bench
