//===- Launches.cpp - kernels that change buffers -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Client.h"

using namespace stress;

void stress::launchAdd(Client &client) {
  Buffer *buffer = client.pickBuffer();
  if (!buffer)
    return;
  unsigned value = client.pickValue();
  client.launch(Kernel::add, 4, 128, buffer->stream, {&buffer->memory, &value});
  buffer->content.first += value;
}

void stress::launchRamp(Client &client) {
  Buffer *buffer = client.pickBuffer();
  if (!buffer)
    return;
  unsigned value = client.pickValue();
  client.launch(Kernel::ramp, 16, 32, buffer->stream,
                {&buffer->memory, &value});
  buffer->content.step += value;
}

void stress::launchReverse(Client &client) {
  Buffer *buffer = client.pickBuffer();
  if (!buffer)
    return;
  client.launch(Kernel::reverse, 1, kWords, buffer->stream, {&buffer->memory});
  Content &content = buffer->content;
  content = {content.at(kWords - 1), 0 - content.step};
}

void stress::launchVote(Client &client) {
  Buffer *buffer = client.pickBuffer();
  if (!buffer)
    return;
  unsigned value = client.pickValue();
  client.launch(Kernel::vote, 8, 128, buffer->stream,
                {&buffer->memory, &value});
  buffer->content.first += 2 * value;
}

void stress::launchTotal(Client &client) {
  Buffer *from = client.pickBuffer(), *to = client.pickBuffer();
  if (!from || from == to)
    return;
  const Stream &stream = to->stream;
  CUdeviceptr scratch = 0;
  client.order(from->stream, stream);
  client.use(stream);
  STRESS_OK(cuMemAllocAsync(&scratch, 8, stream.handle));
  STRESS_OK(cuMemsetD32Async(scratch, 0, 2, stream.handle));
  client.launch(Kernel::total, 4, 128, stream,
                {&from->memory, &scratch, &to->memory});
  STRESS_OK(cuMemFreeAsync(scratch, stream.handle));
  client.order(stream, from->stream);
  to->content = {from->content.sum(), 0};
}

void stress::launchParent(Client &client) {
  Buffer *buffer = client.pickBuffer();
  if (!buffer)
    return;
  unsigned value = client.pickValue();
  client.use(buffer->stream);
  void *params[] = {&buffer->memory, &value};
  STRESS_OK(cuLaunchKernel(client.world.get(Kernel::parent), 1, 1, 1, 1, 1, 1,
                           0, buffer->stream.handle, params, nullptr));
  buffer->content.first += value;
}

void stress::launchPrint(Client &client) {
  unsigned value = client.pickValue();
  client.launch(Kernel::print, 1, 1 + client.pick(40), client.pickStream(),
                {&value});
}
