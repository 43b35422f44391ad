//===- SpareBuffer.h - buffers that threads keep ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_RUNTIME_SPAREBUFFER_H
#define PTXJIT_LIB_RUNTIME_SPAREBUFFER_H

#include "ptxjit/Runtime/Memory.h"
#include "ptxjit/Runtime/PerThread.h"

#include <utility>
#include <vector>

namespace ptxjit {

/// A buffer of `Bytes` bytes of any content. The thread that destroys it keeps
/// the memory for its next one: to map it, and to touch its pages for the first
/// time, takes longer than what a small launch does.
template <size_t Bytes> class SpareBuffer {
public:
  SpareBuffer() = default;
  SpareBuffer(const SpareBuffer &) = delete;
  SpareBuffer &operator=(const SpareBuffer &) = delete;
  ~SpareBuffer() {
    std::vector<DeviceBuffer> &spare = spareOfThread();
    if (buffer && spare.size() < kMostKept)
      spare.push_back(std::move(buffer));
  }

  /// Makes sure that there is memory.
  /// \returns null if there is none.
  void *allocate() {
    std::vector<DeviceBuffer> &spare = spareOfThread();
    if (!buffer && !spare.empty()) {
      buffer = std::move(spare.back());
      spare.pop_back();
    }
    if (!buffer)
      buffer = makeDeviceBuffer(Bytes);
    return buffer.get();
  }
  /// Null before `allocate`.
  void *get() const { return buffer.get(); }

private:
  static constexpr size_t kMostKept = 8;
  static std::vector<DeviceBuffer> &spareOfThread() {
    return perThread<std::vector<DeviceBuffer>, SpareBuffer>();
  }

  DeviceBuffer buffer;
};

} // namespace ptxjit

#endif
