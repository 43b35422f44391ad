//===- Client.cpp - what one thread has -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Client.h"

#include <chrono>
#include <thread>

using namespace stress;

OperationKind stress::operationKinds[] = {
#define OPERATION(name, weight) {#name, weight, name},
#include "Operations.def"
#undef OPERATION
};
const size_t stress::numOperationKinds =
    sizeof(operationKinds) / sizeof(operationKinds[0]);

/// Weights of all operations; those that are not asked for have none.
static std::vector<double> getWeights(const std::string &only) {
  std::vector<double> weights;
  for (const OperationKind &kind : operationKinds) {
    bool isWanted =
        only.empty() ||
        ("," + only + ",").find("," + std::string(kind.name) + ",") !=
            std::string::npos;
    weights.push_back(isWanted ? kind.weight : 0);
  }
  return weights;
}

Client::Client(World &world, unsigned number)
    : world(world), number(number), random(world.options.seed * 1000 + number) {
  std::vector<double> weights = getWeights(world.options.only);
  operations =
      std::discrete_distribution<size_t>(weights.begin(), weights.end());
}

void Client::run() {
  const Options &options = world.options;
  auto last =
      std::chrono::steady_clock::now() + std::chrono::seconds(options.seconds);
  here().thread = number;
  begin();
  while (options.seconds ? std::chrono::steady_clock::now() < last
                         : steps < options.operations)
    step();
  here().operation = "tear down";
  operation = "tear down";
  end();
}

void Client::begin() {
  const Options &options = world.options;
  unsigned others = options.streams / 2 / options.threads;
  for (unsigned i = 0; i < others + 1; ++i)
    own.push_back(makeStream((number + i) % options.devices));
}

void Client::step() {
  OperationKind &kind = operationKinds[operations(random)];
  here().operation = kind.name;
  here().step = steps;
  operation = kind.name;
  kind.function(*this);
  kind.made.fetch_add(1, std::memory_order_relaxed);
  ++steps;
}

void Client::end() {
  while (!buffers.empty()) {
    verify(buffers.back());
    dropBuffer(*this);
  }
  while (!events.empty())
    dropEvent(*this);
  while (!modules.empty())
    dropModule(*this);
  for (const Stream &stream : own)
    STRESS_OK(cuStreamDestroy_v2(stream.handle));
  for (unsigned i = 0; i < world.options.devices; ++i) {
    world.makeCurrent(i);
    STRESS_OK(cuCtxSynchronize());
  }
  // The destructor of a user object runs some time after its graph has gone.
  while (hostCallsMade < hostCalls)
    std::this_thread::yield();
  if (hostCallsMade != hostCalls)
    fail(std::to_string(hostCallsMade) + " of " + std::to_string(hostCalls) +
         " functions of the host were called");
}

Stream Client::pickStream() {
  unsigned device = pick(world.options.devices);
  switch (pick(12)) {
  case 0:
    return {CU_STREAM_PER_THREAD, device};
  case 1:
    return {CU_STREAM_LEGACY, device};
  case 2:
  case 3:
  case 4:
    return pickOwnStream();
  default:
    return world.streams[pick(unsigned(world.streams.size()))];
  }
}

Buffer *Client::pickBuffer() {
  return buffers.empty() ? nullptr : &buffers[pick(unsigned(buffers.size()))];
}

Stream Client::makeStream(unsigned device) {
  Stream stream{nullptr, device};
  use(stream);
  unsigned flags = pick(2) ? CU_STREAM_NON_BLOCKING : 0;
  if (pick(2))
    STRESS_OK(cuStreamCreate(&stream.handle, flags));
  else
    STRESS_OK(
        cuStreamCreateWithPriority(&stream.handle, flags, 1 - int(pick(8))));
  return stream;
}

void Client::order(const Stream &earlier, const Stream &later) {
  CUevent event = nullptr;
  use(earlier);
  STRESS_OK(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
  STRESS_OK(cuEventRecord(event, earlier.handle));
  use(later);
  STRESS_OK(cuStreamWaitEvent(later.handle, event, 0));
  STRESS_OK(cuEventDestroy_v2(event));
}

void Client::launch(Kernel kernel, unsigned grid, unsigned block,
                    const Stream &stream, std::vector<void *> params) {
  CUfunction function = world.get(kernel);
  use(stream);
  switch (pick(4)) {
  case 0: {
    CUlaunchAttribute attribute{};
    attribute.id = CU_LAUNCH_ATTRIBUTE_PRIORITY;
    attribute.value.priority = -int(pick(3));
    CUlaunchConfig config{grid,          1,          1, block, 1, 1, 0,
                          stream.handle, &attribute, 1};
    STRESS_OK(cuLaunchKernelEx(&config, function, params.data(), nullptr));
    break;
  }
  case 1:
    STRESS_OK(cuLaunchCooperativeKernel(function, grid, 1, 1, block, 1, 1, 0,
                                        stream.handle, params.data()));
    break;
  default:
    STRESS_OK(cuLaunchKernel(function, grid, 1, 1, block, 1, 1, 0,
                             stream.handle, params.data(), nullptr));
  }
}

void Client::verify(Buffer &buffer) {
  std::vector<unsigned> words(kWords);
  use(buffer.stream);
  STRESS_OK(cuMemcpyDtoHAsync_v2(words.data(), buffer.memory, kBytes,
                                 buffer.stream.handle));
  STRESS_OK(cuStreamSynchronize(buffer.stream.handle));
  for (unsigned i = 0; i < kWords; ++i)
    if (words[i] != buffer.content.at(i))
      fail("word " + std::to_string(i) + " of a buffer is " +
           std::to_string(words[i]) + " instead of " +
           std::to_string(buffer.content.at(i)));
}
