// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A back end runs a case's launches on device copies of its buffers.
#pragma once
#include "cases.h"
#include <memory>
namespace bench {
struct Backend {
  virtual ~Backend() = default;
  virtual void prepare(const Case &,
                       Bufs host) = 0; // compile, allocate, upload; timed apart
  virtual void run() = 0;              // all launches, returns when done
  virtual void
  download(Bufs host) = 0; // make results visible in the host buffers
};
std::unique_ptr<Backend> make_opencl(const std::string &root);
std::unique_ptr<Backend> make_cuda(const std::string &root);
std::unique_ptr<Backend> make_emu() __attribute__((weak)); // only in build/emu
[[noreturn]] void fail(const std::string &);
std::string slurp(const std::string &path);
} // namespace bench
