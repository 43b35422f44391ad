//===- SpareBuffer.h - buffers that threads keep ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_RUNTIME_SPAREBUFFER_H
#define PTXJIT_LIB_RUNTIME_SPAREBUFFER_H

#include "Spares.h"
#include "ptxjit/Runtime/Memory.h"

#include <utility>

namespace ptxjit {

/// A buffer of `Bytes` bytes of any content. The thread that destroys it keeps
/// the memory for its next one.
template <size_t Bytes> class SpareBuffer {
public:
  SpareBuffer() = default;
  SpareBuffer(const SpareBuffer &) = delete;
  SpareBuffer &operator=(const SpareBuffer &) = delete;
  ~SpareBuffer() {
    if (buffer)
      OfThread::keep(std::move(buffer));
  }

  /// Makes sure that there is memory.
  /// \returns null if there is none.
  void *allocate() {
    if (buffer)
      return buffer.get();
    auto spare = OfThread::take([](const DeviceBuffer &) { return true; });
    buffer = spare ? std::move(*spare) : makeDeviceBuffer(Bytes);
    return buffer.get();
  }
  /// Null before `allocate`.
  void *get() const { return buffer.get(); }

private:
  using OfThread = Spares<DeviceBuffer, SpareBuffer>;

  DeviceBuffer buffer;
};

} // namespace ptxjit

#endif
