//===- Streams.cpp - streams, and what the host does in them --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Client.h"

using namespace stress;

/// Lets another stream order the work on a buffer.
void stress::moveBuffer(Client &client) {
  Buffer *buffer = client.pickBuffer();
  Stream other = client.pickStream();
  // Memory of a pool is freed in a stream of its device.
  if (!buffer || (buffer->isPooled() && other.device != buffer->device))
    return;
  client.order(buffer->stream, other);
  buffer->stream = other;
}

/// Destroys a stream that may have work, and makes another one, which goes on
/// with the buffers.
void stress::replaceStream(Client &client) {
  Stream &stream = client.pickOwnStream();
  Stream old = stream;
  stream = client.makeStream(old.device);
  client.order(old, stream);
  for (Buffer &buffer : client.buffers)
    if (buffer.stream.handle == old.handle)
      buffer.stream = stream;
  STRESS_OK(cuStreamDestroy_v2(old.handle));
}

void stress::queryStream(Client &client) {
  Stream stream = client.pickStream();
  client.use(stream);
  STRESS_ONE_OF(cuStreamQuery(stream.handle), CUDA_SUCCESS,
                CUDA_ERROR_NOT_READY);
}

void stress::waitForStream(Client &client) {
  Stream stream = client.pickStream();
  client.use(stream);
  STRESS_OK(cuStreamSynchronize(stream.handle));
}

void stress::waitForContext(Client &client) {
  client.world.makeCurrent(client.pick(client.world.options.devices));
  STRESS_OK(cuCtxSynchronize());
}

void stress::callHost(Client &client) {
  Stream stream = client.pickStream();
  client.use(stream);
  auto call = [](void *data) {
    ++*static_cast<std::atomic<unsigned long> *>(data);
  };
  STRESS_OK(cuLaunchHostFunc(stream.handle, call, &client.hostCallsMade));
  ++client.hostCalls;
}

void stress::callBack(Client &client) {
  Stream stream = client.pickStream();
  client.use(stream);
  auto call = [](CUstream, CUresult status, void *data) {
    if (status == CUDA_SUCCESS)
      ++*static_cast<std::atomic<unsigned long> *>(data);
  };
  STRESS_OK(cuStreamAddCallback(stream.handle, call, &client.hostCallsMade, 0));
  ++client.hostCalls;
}

/// A stream waits for a value that another stream writes.
void stress::waitForValue(Client &client) {
  Stream writer = client.pickStream(), waiter = client.pickStream();
  unsigned value = client.pickValue() & 0x7fffffff;
  bool isLess = client.pick(2);
  CUdeviceptr word = 0;
  client.use(writer);
  STRESS_OK(cuMemAllocAsync(&word, 8, writer.handle));
  client.order(writer, waiter);
  client.use(writer);
  STRESS_OK(cuStreamWriteValue32_v2(writer.handle, word, value, 0));
  client.use(waiter);
  STRESS_OK(cuStreamWaitValue32_v2(waiter.handle, word, value,
                                   isLess ? CU_STREAM_WAIT_VALUE_GEQ
                                          : CU_STREAM_WAIT_VALUE_EQ));
  client.order(waiter, writer);
  STRESS_OK(cuMemFreeAsync(word, writer.handle));
}

void stress::askStream(Client &client) {
  const Stream &stream = client.pickOwnStream();
  int priority = 0;
  unsigned flags = 0;
  unsigned long long id = 0;
  CUcontext context = nullptr;
  CUdevice device = -1;
  CUstreamCaptureStatus status;
  CUlaunchAttributeValue value{};
  client.use(stream);
  STRESS_OK(cuStreamGetPriority(stream.handle, &priority));
  STRESS_OK(cuStreamGetFlags(stream.handle, &flags));
  STRESS_OK(cuStreamGetId(stream.handle, &id));
  STRESS_OK(cuStreamGetCtx(stream.handle, &context));
  STRESS_OK(cuStreamGetDevice(stream.handle, &device));
  STRESS_OK(cuStreamIsCapturing(stream.handle, &status));
  if (context != client.world.contexts[stream.device] ||
      device != CUdevice(stream.device) ||
      status != CU_STREAM_CAPTURE_STATUS_NONE)
    fail("a stream has another context, or is capturing");
  value.priority = priority;
  STRESS_OK(cuStreamSetAttribute(stream.handle, CU_LAUNCH_ATTRIBUTE_PRIORITY,
                                 &value));
  STRESS_OK(cuStreamGetAttribute(stream.handle, CU_LAUNCH_ATTRIBUTE_PRIORITY,
                                 &value));
}
