//===- StressTest.cpp - many threads, many streams ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each thread performs random operations on streams and buffers of its own, and
// keeps track of what each buffer will hold. The test runs for two seconds with
// four threads; PTXJIT_STRESS_SECONDS and PTXJIT_STRESS_THREADS change that.
//
//===----------------------------------------------------------------------===//

#include "DriverFixture.h"

#include <chrono>
#include <cstdlib>
#include <random>
#include <thread>
#include <vector>

namespace {

constexpr unsigned kStreams = 8, kWords = 257;

unsigned fromEnvironment(const char *name, unsigned otherwise) {
  const char *text = std::getenv(name);
  return text ? unsigned(std::atoi(text)) : otherwise;
}

/// The part of one thread. Its functions return false, with the reason in
/// `failure`, if something went wrong.
class Client {
public:
  Client(CUcontext context, CUfunction add, unsigned seed)
      : context(context), add(add), random(seed) {}

  bool run(std::chrono::steady_clock::time_point end) {
    if (!ok(cuCtxSetCurrent(context)))
      return false;
    for (CUstream &stream : streams)
      if (!ok(cuStreamCreate(&stream, pick(2) ? CU_STREAM_NON_BLOCKING : 0)))
        return false;
    for (; std::chrono::steady_clock::now() < end; ++steps)
      if (!step())
        return false;
    while (!buffers.empty())
      if (!check(0) || !drop(0))
        return false;
    for (CUstream stream : streams)
      if (!ok(cuStreamDestroy_v2(stream)))
        return false;
    return true;
  }
  unsigned steps = 0;
  std::string failure;

private:
  struct Buffer {
    CUdeviceptr memory;
    CUstream stream;   ///< orders all work on the buffer
    unsigned expected; ///< each word, after that work
    bool pooled;
  };

  bool step() {
    if (buffers.empty() || (buffers.size() < 24 && pick(6) == 0))
      return create();
    size_t i = pick(unsigned(buffers.size()));
    switch (pick(10)) {
    case 0:
      return set(i);
    case 1:
    case 2:
      return launch(buffers[i], 1 + pick(100), buffers[i].stream);
    case 3:
      return copy(i, pick(unsigned(buffers.size())));
    case 4:
      return check(i);
    case 5:
      return graph(i);
    case 6:
      return move(i);
    case 7:
      return upload(i);
    case 8:
      return pick(4) ? true : drop(i);
    default:
      return pick(40) ? true : ok(cuCtxSynchronize());
    }
  }

  bool create() {
    Buffer buffer{0, streams[pick(kStreams)], 0, pick(2) == 1};
    CUresult made = buffer.pooled ? cuMemAllocAsync(&buffer.memory, kWords * 4,
                                                    buffer.stream)
                                  : cuMemAlloc_v2(&buffer.memory, kWords * 4);
    buffers.push_back(buffer);
    return ok(made) && set(buffers.size() - 1);
  }
  bool drop(size_t i) {
    Buffer buffer = buffers[i];
    buffers[i] = buffers.back();
    buffers.pop_back();
    if (buffer.pooled)
      return ok(cuMemFreeAsync(buffer.memory, buffer.stream));
    return ok(cuStreamSynchronize(buffer.stream)) &&
           ok(cuMemFree_v2(buffer.memory));
  }
  bool set(size_t i) {
    Buffer &buffer = buffers[i];
    buffer.expected = random();
    return ok(cuMemsetD32Async(buffer.memory, buffer.expected, kWords,
                               buffer.stream));
  }
  bool upload(size_t i) {
    Buffer &buffer = buffers[i];
    buffer.expected = random();
    std::vector<unsigned> words(kWords, buffer.expected);
    return ok(cuMemcpyHtoDAsync_v2(buffer.memory, words.data(), kWords * 4,
                                   buffer.stream)) &&
           (pick(2) || ok(cuStreamSynchronize(buffer.stream)));
  }
  bool launch(Buffer &buffer, unsigned value, CUstream stream) {
    unsigned n = kWords;
    void *params[] = {&buffer.memory, &value, &n};
    buffer.expected += value;
    return ok(
        cuLaunchKernel(add, 5, 1, 1, 64, 1, 1, 0, stream, params, nullptr));
  }
  /// Makes `later` wait for the work that `earlier` has now.
  bool order(CUstream earlier, CUstream later) {
    CUevent event;
    return ok(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING)) &&
           ok(cuEventRecord(event, earlier)) &&
           ok(cuStreamWaitEvent(later, event, 0)) &&
           ok(cuEventDestroy_v2(event));
  }
  bool copy(size_t from, size_t to) {
    Buffer &a = buffers[from], &b = buffers[to];
    b.expected = a.expected;
    return order(a.stream, b.stream) &&
           ok(cuMemcpyDtoDAsync_v2(b.memory, a.memory, kWords * 4, b.stream)) &&
           order(b.stream, a.stream);
  }
  bool move(size_t i) {
    CUstream other = streams[pick(kStreams)];
    bool moved = order(buffers[i].stream, other);
    buffers[i].stream = other;
    return moved;
  }
  bool check(size_t i) {
    std::vector<unsigned> words(kWords);
    if (!ok(cuMemcpyDtoHAsync_v2(words.data(), buffers[i].memory, kWords * 4,
                                 buffers[i].stream)) ||
        !ok(cuStreamSynchronize(buffers[i].stream)))
      return false;
    for (unsigned word : words)
      if (word != buffers[i].expected) {
        failure = "a buffer holds " + std::to_string(word) + " instead of " +
                  std::to_string(buffers[i].expected);
        return false;
      }
    return true;
  }
  /// Captures a few launches as a graph and runs it twice.
  bool graph(size_t i) {
    Buffer &buffer = buffers[i];
    CUgraph graph;
    CUgraphExec exec;
    if (!ok(cuStreamBeginCapture_v2(buffer.stream,
                                    CU_STREAM_CAPTURE_MODE_RELAXED)))
      return false;
    unsigned before = buffer.expected;
    for (unsigned n = 1 + pick(3); n > 0; --n)
      if (!launch(buffer, n, buffer.stream))
        return false;
    buffer.expected += buffer.expected - before;
    return ok(cuStreamEndCapture(buffer.stream, &graph)) &&
           ok(cuGraphInstantiateWithFlags(&exec, graph, 0)) &&
           ok(cuGraphLaunch(exec, buffer.stream)) &&
           ok(cuGraphDestroy(graph)) &&
           ok(cuGraphLaunch(exec, buffer.stream)) &&
           ok(cuGraphExecDestroy(exec));
  }

  bool ok(CUresult result) {
    const char *name = "?";
    if (result == CUDA_SUCCESS)
      return true;
    cuGetErrorName(result, &name);
    failure = name;
    return false;
  }
  unsigned pick(unsigned n) { return unsigned(random() % n); }

  CUcontext context;
  CUfunction add;
  std::mt19937 random;
  CUstream streams[kStreams] = {};
  std::vector<Buffer> buffers;
};

} // namespace

TEST_F(Driver, ManyThreadsDriveManyStreams) {
  unsigned threads = fromEnvironment("PTXJIT_STRESS_THREADS", 4);
  auto end = std::chrono::steady_clock::now() +
             std::chrono::seconds(fromEnvironment("PTXJIT_STRESS_SECONDS", 2));
  std::vector<Client> clients;
  for (unsigned i = 0; i < threads; ++i)
    clients.emplace_back(context, get("add"), i + 1);
  std::vector<std::thread> running;
  for (Client &client : clients)
    running.emplace_back([&] { EXPECT_TRUE(client.run(end)); });
  unsigned steps = 0;
  for (unsigned i = 0; i < threads; ++i) {
    running[i].join();
    EXPECT_EQ(clients[i].failure, "");
    steps += clients[i].steps;
  }
  EXPECT_GT(steps, 100u);
  RecordProperty("steps", int(steps));
}
