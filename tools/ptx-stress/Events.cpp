//===- Events.cpp - events that live for several operations ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Client.h"

using namespace stress;

/// Null if there is none.
static OwnEvent *pickEvent(Client &client) {
  return client.events.empty()
             ? nullptr
             : &client.events[client.pick(unsigned(client.events.size()))];
}

void stress::makeEvent(Client &client) {
  if (client.events.size() >= 16)
    return dropEvent(client);
  OwnEvent event{nullptr, client.pick(client.world.options.devices)};
  client.world.makeCurrent(event.device);
  STRESS_OK(cuEventCreate(&event.handle, client.pick(4)));
  client.events.push_back(event);
}

/// Streams of other devices refuse an event.
void stress::recordEvent(Client &client) {
  OwnEvent *event = pickEvent(client);
  if (!event)
    return;
  Stream stream = client.pickStream();
  client.use(stream);
  CUresult right =
      stream.device == event->device ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
  STRESS_ONE_OF(cuEventRecord(event->handle, stream.handle), right);
}

void stress::awaitEvent(Client &client) {
  OwnEvent *event = pickEvent(client);
  if (!event)
    return;
  Stream stream = client.pickStream();
  client.use(stream);
  STRESS_OK(cuStreamWaitEvent(stream.handle, event->handle, 0));
}

void stress::queryEvent(Client &client) {
  if (OwnEvent *event = pickEvent(client))
    STRESS_ONE_OF(cuEventQuery(event->handle), CUDA_SUCCESS,
                  CUDA_ERROR_NOT_READY);
}

void stress::waitForEvent(Client &client) {
  if (OwnEvent *event = pickEvent(client))
    STRESS_OK(cuEventSynchronize(event->handle));
}

/// Some events were never recorded, or take no time.
void stress::measureTime(Client &client) {
  OwnEvent *first = pickEvent(client), *last = pickEvent(client);
  float milliseconds = 0;
  if (first)
    STRESS_ONE_OF(
        cuEventElapsedTime_v2(&milliseconds, first->handle, last->handle),
        CUDA_SUCCESS, CUDA_ERROR_NOT_READY, CUDA_ERROR_INVALID_HANDLE);
}

/// Streams may still have to reach the event, or wait for it.
void stress::dropEvent(Client &client) {
  OwnEvent *event = pickEvent(client);
  if (!event)
    return;
  STRESS_OK(cuEventDestroy_v2(event->handle));
  *event = client.events.back();
  client.events.pop_back();
}

/// An event that marks the work of a whole context, for which another one
/// waits. Refused while a stream of the contexts records a graph, which is then
/// invalid.
void stress::recordContext(Client &client) {
  OwnEvent *event = pickEvent(client);
  if (!event)
    return;
  const std::vector<CUcontext> &contexts = client.world.contexts;
  client.world.makeCurrent(event->device);
  STRESS_ONE_OF(cuCtxRecordEvent(contexts[event->device], event->handle),
                CUDA_SUCCESS, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  STRESS_ONE_OF(cuCtxWaitEvent(contexts[client.pick(unsigned(contexts.size()))],
                               event->handle),
                CUDA_SUCCESS, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
}
