//===- DeviceStreams.h - streams that kernels use ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_RUNTIME_DEVICESTREAMS_H
#define PTXJIT_LIB_RUNTIME_DEVICESTREAMS_H

#include "ptxjit/Runtime/LaunchShape.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <variant>
#include <vector>

namespace ptxjit {

/// A part of a kernel's parameters, with the alignment that CUDA gives them.
struct alignas(64) ParameterChunk {
  uint8_t bytes[64];
};

/// A launch by a kernel.
struct ChildLaunch {
  const PtxjitKernelInfo *kernel = nullptr;
  LaunchShape shape{};
  uint32_t shared = 0;                ///< dynamic, in bytes
  std::vector<ParameterChunk> params; ///< as launchGrid needs them
};

/// A box of bytes: rows that lie `pitch` bytes apart, and slices of rows.
struct ByteBox {
  uint64_t address;
  uint64_t pitch, slice; ///< bytes from row to row, and from slice to slice
};
struct BoxExtent {
  uint64_t width, height, depth; ///< bytes, rows, slices
};
struct BoxCopy {
  ByteBox to, from;
  BoxExtent extent;
};
struct BoxFill {
  ByteBox to;
  BoxExtent extent;
  uint8_t value;
};

/// Something that a stream of the device does.
using DeviceWork = std::variant<ChildLaunch, BoxCopy, BoxFill>;
/// The same, with its place among what a grid has asked for.
struct DeviceTask {
  DeviceWork work;
  /// Tasks of the same grid that come before it, by their numbers.
  std::vector<uint32_t> after;
};

/// The streams and events of a grid, and the tasks in them. A CTA has a default
/// stream of its own. All functions are thread-safe. Those that return int
/// return a number of CudaErrors.def.
///
/// The ISA does not say how kernels launch kernels. CUDA's programming guide
/// does: "CUDA Dynamic Parallelism".
class DeviceStreams {
public:
  /// Handles that CUDA has names for. Stream 0 and the next two are the
  /// default stream of the CTA.
  enum : uint64_t { kLegacy = 1, kPerThread = 2, kTail = 3, kAtOnce = 4 };

  uint64_t createStream();
  int destroyStream(uint64_t stream);
  uint64_t createEvent();
  int destroyEvent(uint64_t event);
  /// \param cta  the calling thread's, by its number in the grid.
  int recordEvent(uint64_t event, uint64_t stream, uint64_t cta);
  int waitForEvent(uint64_t event, uint64_t stream, uint64_t cta);
  /// Appends a task to a stream.
  int add(DeviceWork work, uint64_t stream, uint64_t cta);

  // Once the grid has run.
  bool isEmpty() const { return tasks.empty() && tails.empty(); }
  std::vector<DeviceTask> takeTasks() { return std::move(tasks); }
  /// The tasks that begin when all others have ended, each when the one before
  /// it has.
  std::vector<DeviceTask> takeTails() { return std::move(tails); }

private:
  struct Stream {
    /// What the next task comes after: the last task, and those of events.
    std::vector<uint32_t> last;
  };
  Stream *find(uint64_t stream, uint64_t cta);

  std::mutex mutex;
  uint64_t lastHandle = 256;                     ///< below are no handles
  std::unordered_map<uint64_t, Stream> streams;  ///< by handle
  std::unordered_map<uint64_t, Stream> defaults; ///< by CTA
  /// By handle: the tasks that an event waits for.
  std::unordered_map<uint64_t, std::vector<uint32_t>> events;
  std::vector<DeviceTask> tasks, tails;
};

} // namespace ptxjit

#endif
