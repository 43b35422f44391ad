//===- GraphBranchTest.cpp - what runs at the same time -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphFixture.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <random>
#include <thread>

namespace {
class GraphBranches : public GraphDriver {
protected:
  CUgraphNode addHost(std::vector<CUgraphNode> before, CUhostFn fn,
                      void *user) {
    CUDA_HOST_NODE_PARAMS host{fn, user};
    CUgraphNode out = nullptr;
    EXPECT_EQ(
        cuGraphAddHostNode(&out, graph, before.data(), before.size(), &host),
        CUDA_SUCCESS);
    return out;
  }
};

/// Where threads wait for each other, but not for ever.
struct Meeting {
  std::mutex mutex;
  std::condition_variable changed;
  unsigned missing;
  explicit Meeting(unsigned missing) : missing(missing) {}
  void arrive() {
    std::unique_lock<std::mutex> lock(mutex);
    --missing;
    changed.notify_all();
    changed.wait_for(lock, std::chrono::seconds(60),
                     [this] { return !missing; });
  }
  bool wasHeld() {
    std::lock_guard<std::mutex> lock(mutex);
    return !missing;
  }
};
} // namespace

TEST_F(GraphBranches, HostFunctionsMeet) {
  Meeting meeting(3);
  auto arrive = [](void *user) { static_cast<Meeting *>(user)->arrive(); };
  CUgraphNode root = add(graph, {}, "bump", at(0), 1u);
  std::vector<CUgraphNode> branches;
  for (int i = 0; i < 3; ++i)
    branches.push_back(addHost({root}, arrive, &meeting));
  add(graph, branches, "bump", at(0), 1u);
  run(instantiate());
  EXPECT_TRUE(meeting.wasHeld());
  EXPECT_EQ(read(0), 2u);
}

TEST_F(GraphBranches, OfChildrenMeet) {
  Meeting meeting(2);
  auto arrive = [](void *user) { static_cast<Meeting *>(user)->arrive(); };
  addHost({}, arrive, &meeting);
  CUgraph child = graph;
  ASSERT_EQ(cuGraphCreate(&graph, 0), CUDA_SUCCESS);
  CUgraphNode out;
  for (int i = 0; i < 2; ++i)
    ASSERT_EQ(cuGraphAddChildGraphNode(&out, graph, nullptr, 0, child),
              CUDA_SUCCESS);
  run(instantiate());
  EXPECT_TRUE(meeting.wasHeld());
}

TEST_F(GraphBranches, KernelsWaitForEachOther) {
  add(graph, {}, "meet", at(0), at(1));
  add(graph, {}, "meet", at(1), at(0));
  run(instantiate());
  EXPECT_EQ(read(0) + read(1), 2u);
}

TEST_F(GraphBranches, KernelsOfStreamsWaitForEachOther) {
  CUstream other;
  ASSERT_EQ(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  for (unsigned i = 0; i < 2; ++i) {
    CUdeviceptr mine = at(i), its = at(1 - i);
    void *params[] = {&mine, &its};
    CUDA_KERNEL_NODE_PARAMS kernel = describe("meet", params);
    ASSERT_EQ(cuLaunchKernel(kernel.func, 1, 1, 1, 1, 1, 1, 0,
                             i ? stream : other, params, nullptr),
              CUDA_SUCCESS);
  }
  EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
  EXPECT_EQ(read(0) + read(1), 2u);
}

TEST_F(GraphBranches, KeepTheOrderOfEdges) {
  struct Node {
    std::atomic<bool> isDone{false};
    std::vector<Node *> before;
    std::atomic<unsigned> *early;
  };
  constexpr size_t kNodes = 120;
  std::vector<Node> nodes(kNodes);
  std::vector<CUgraphNode> handles;
  std::atomic<unsigned> early{0};
  std::mt19937 random;
  for (size_t i = 0; i < kNodes; ++i) {
    std::vector<CUgraphNode> before;
    nodes[i].early = &early;
    for (size_t j = i > 12 ? i - 12 : 0; j < i; ++j)
      if (random() % 6 == 0) {
        before.push_back(handles[j]);
        nodes[i].before.push_back(&nodes[j]);
      }
    handles.push_back(addHost(
        before,
        [](void *user) {
          auto &node = *static_cast<Node *>(user);
          for (Node *earlier : node.before)
            *node.early += !earlier->isDone;
          node.isDone = true;
        },
        &nodes[i]));
    // Kernels between them, which are soon known to be short.
    if (i % 5 == 0)
      add(graph, {handles.back()}, "bump", at(0), 1u);
  }
  CUgraphExec exec = instantiate();
  for (unsigned turn = 1; turn <= 20; ++turn) {
    for (Node &node : nodes)
      node.isDone = false;
    run(exec);
    EXPECT_EQ(early, 0u);
    EXPECT_TRUE(std::all_of(nodes.begin(), nodes.end(),
                            [](Node &node) { return node.isDone.load(); }));
    EXPECT_EQ(read(0), turn * kNodes / 5);
  }
}

TEST_F(GraphBranches, EndAfterAFailure) {
  CUDA_KERNEL_NODE_PARAMS crash{
      get("crash"), 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr, nullptr};
  CUgraphNode node;
  ASSERT_EQ(cuGraphAddKernelNode_v2(&node, graph, nullptr, 0, &crash),
            CUDA_SUCCESS);
  std::atomic<unsigned> late{0};
  auto count = [](void *user) {
    ++*static_cast<std::atomic<unsigned> *>(user);
  };
  addHost({node}, count, &late);
  for (int i = 0; i < 4; ++i)
    add(graph, {}, "bump", at(0), 1u);
  CUgraphExec exec = instantiate();
  EXPECT_EQ(cuGraphLaunch(exec, stream), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_EQ(late, 0u);
}

TEST_F(GraphBranches, LaunchesOfAnInstanceRunOneByOne) {
  struct Count {
    std::atomic<int> inside{0}, most{0};
  } count;
  addHost(
      {},
      [](void *user) {
        auto &count = *static_cast<Count *>(user);
        count.most = std::max(count.most.load(), ++count.inside);
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        --count.inside;
      },
      &count);
  CUgraphExec exec = instantiate();
  CUstream other;
  ASSERT_EQ(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  std::vector<std::thread> threads;
  for (CUstream to : {stream, other})
    threads.emplace_back([&, to] {
      EXPECT_EQ(cuCtxSetCurrent(context), CUDA_SUCCESS);
      for (int i = 0; i < 20; ++i)
        EXPECT_EQ(cuGraphLaunch(exec, to), CUDA_SUCCESS);
    });
  for (std::thread &thread : threads)
    thread.join();
  // What is under way ends without the instance.
  EXPECT_EQ(cuGraphExecDestroy(exec), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
  EXPECT_EQ(count.most, 1);
}

TEST_F(GraphBranches, KernelsHavePriorities) {
  CUgraphNode node = add(graph, {}, "bump", at(0), 1u);
  CUlaunchAttributeValue value{};
  value.priority = -3;
  ASSERT_EQ(
      cuGraphKernelNodeSetAttribute(node, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value),
      CUDA_SUCCESS);
  value.priority = 0;
  ASSERT_EQ(
      cuGraphKernelNodeGetAttribute(node, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value),
      CUDA_SUCCESS);
  EXPECT_EQ(value.priority, -3);
  add(graph, {}, "bump", at(0), 2u);
  run(instantiate(CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY));
  EXPECT_EQ(read(0), 3u);
  // Captured kernels have the priority of their stream.
  CUstream urgent;
  CUgraph captured;
  size_t count = 1;
  ASSERT_EQ(cuStreamCreateWithPriority(&urgent, CU_STREAM_NON_BLOCKING, -2),
            CUDA_SUCCESS);
  ASSERT_EQ(cuStreamBeginCapture_v2(urgent, CU_STREAM_CAPTURE_MODE_RELAXED),
            CUDA_SUCCESS);
  ASSERT_EQ(launch("count", 1, 1, nullptr, urgent), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamEndCapture(urgent, &captured), CUDA_SUCCESS);
  ASSERT_EQ(cuGraphGetNodes(captured, &node, &count), CUDA_SUCCESS);
  ASSERT_EQ(
      cuGraphKernelNodeGetAttribute(node, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value),
      CUDA_SUCCESS);
  EXPECT_EQ(value.priority, -2);
}
