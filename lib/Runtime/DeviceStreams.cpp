//===- DeviceStreams.cpp - streams that kernels use -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceStreams.h"
#include "ptxjit/Runtime/CudaErrors.h"

#include <algorithm>

using namespace ptxjit;

/// Finds a stream in which events are possible.
DeviceStreams::Stream *DeviceStreams::find(uint64_t stream, uint64_t cta) {
  if (stream <= kPerThread)
    return &defaults[cta];
  auto it = streams.find(stream);
  return it == streams.end() ? nullptr : &it->second;
}

uint64_t DeviceStreams::createStream() {
  std::lock_guard<std::mutex> lock(mutex);
  streams[++lastHandle];
  return lastHandle;
}

/// The tasks of a stream are done all the same.
int DeviceStreams::destroyStream(uint64_t stream) {
  std::lock_guard<std::mutex> lock(mutex);
  return streams.erase(stream) ? cudaSuccess : cudaErrorInvalidValue;
}

uint64_t DeviceStreams::createEvent() {
  std::lock_guard<std::mutex> lock(mutex);
  events[++lastHandle];
  return lastHandle;
}

int DeviceStreams::destroyEvent(uint64_t event) {
  std::lock_guard<std::mutex> lock(mutex);
  return events.erase(event) ? cudaSuccess : cudaErrorInvalidValue;
}

int DeviceStreams::recordEvent(uint64_t event, uint64_t stream, uint64_t cta) {
  std::lock_guard<std::mutex> lock(mutex);
  auto it = events.find(event);
  Stream *from = find(stream, cta);
  if (it == events.end() || !from)
    return cudaErrorInvalidValue;
  it->second = from->last;
  return cudaSuccess;
}

int DeviceStreams::waitForEvent(uint64_t event, uint64_t stream, uint64_t cta) {
  std::lock_guard<std::mutex> lock(mutex);
  auto it = events.find(event);
  Stream *to = find(stream, cta);
  if (it == events.end() || !to)
    return cudaErrorInvalidValue;
  for (uint32_t task : it->second)
    if (std::find(to->last.begin(), to->last.end(), task) == to->last.end())
      to->last.push_back(task);
  return cudaSuccess;
}

int DeviceStreams::add(DeviceWork work, uint64_t stream, uint64_t cta) {
  std::lock_guard<std::mutex> lock(mutex);
  if (stream == kTail) {
    tails.push_back({std::move(work), {}});
    return cudaSuccess;
  }
  if (stream == kAtOnce) {
    tasks.push_back({std::move(work), {}});
    return cudaSuccess;
  }
  Stream *to = find(stream, cta);
  if (!to)
    return cudaErrorInvalidValue;
  auto number = uint32_t(tasks.size());
  tasks.push_back({std::move(work), std::move(to->last)});
  to->last = {number};
  return cudaSuccess;
}
