//===- GraphDevice.cpp - graphs that kernels launch and change ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceNode.h"
#include "GraphPlan.h"
#include "ptxjit/Runtime/GraphCalls.h"

#include <condition_variable>
#include <cstring>

using namespace ptxjit;
using namespace ptxjit::cuda;

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

namespace {
struct LiveNodes {
  std::mutex mutex;
  std::map<uint64_t, DeviceNode *> all; ///< by handle; none is used again
};
} // namespace

static LiveNodes &liveNodes() {
  static auto *nodes = new LiveNodes; // graphs outlive statics
  return *nodes;
}

DeviceNode::DeviceNode() : handle(getState().nextId++) {
  LiveNodes &live = liveNodes();
  std::lock_guard<std::mutex> lock(live.mutex);
  live.all[handle] = this;
}
DeviceNode::~DeviceNode() {
  LiveNodes &live = liveNodes();
  std::lock_guard<std::mutex> lock(live.mutex);
  live.all.erase(handle);
}

void DeviceNode::load(Work newWork) {
  std::lock_guard<std::mutex> lock(mutex);
  work = std::move(newWork);
}
DeviceNode::Work DeviceNode::get() const {
  std::lock_guard<std::mutex> lock(mutex);
  return work;
}
void DeviceNode::enable(bool isEnabled) {
  std::lock_guard<std::mutex> lock(mutex);
  work.isEnabled = isEnabled;
}
void DeviceNode::setGrid(const Grid &grid) {
  std::lock_guard<std::mutex> lock(mutex);
  work.grid = grid;
}
bool DeviceNode::setParams(size_t offset, const void *from, size_t bytes) {
  std::lock_guard<std::mutex> lock(mutex);
  if (offset > work.bytes || bytes > work.bytes - offset)
    return false;
  if (bytes)
    std::memcpy(reinterpret_cast<char *>(work.values.data()) + offset, from,
                bytes);
  return true;
}

bool cuda::updateDeviceNode(uint64_t handle,
                            const std::function<bool(DeviceNode &)> &body) {
  LiveNodes &live = liveNodes();
  std::lock_guard<std::mutex> lock(live.mutex);
  auto it = live.all.find(handle);
  return it != live.all.end() && body(*it->second);
}

void cuda::describeUpdatable(const LaunchAttributes &attributes,
                             CUlaunchAttributeValue &value) {
  const DeviceNode *node = attributes.deviceNode.get();
  value.deviceUpdatableKernelNode = {
      node != nullptr,
      reinterpret_cast<CUgraphDeviceNode>(node ? node->handle : 0)};
}

CUresult cuda::makeUpdatable(CUlaunchAttributeValue &value,
                             LaunchAttributes &attributes) {
  int wanted = value.deviceUpdatableKernelNode.deviceUpdatable;
  if ((wanted != 0 && wanted != 1) || (!wanted && attributes.deviceNode))
    return CUDA_ERROR_INVALID_VALUE;
  if (wanted && !attributes.deviceNode)
    attributes.deviceNode = std::make_shared<DeviceNode>();
  if (wanted)
    describeUpdatable(attributes, value);
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// What all kernels may do
//===----------------------------------------------------------------------===//

// Values of cudaError_t.
static constexpr uint32_t kSuccess = 0, kInvalidValue = 1,
                          kTooManyLaunches = 69;

namespace {
/// For kernels that run in no graph. They cannot launch graphs.
class PlainCalls : public GraphCalls {
public:
  bool setCondition(uint64_t handle, uint32_t value) override {
    return cuda::setCondition(handle, value);
  }
  uint32_t launch(uint64_t, uint64_t) override { return kInvalidValue; }
  uint64_t getCurrent() override { return 0; }
  bool enableNode(uint64_t handle, bool isEnabled) override {
    return updateDeviceNode(handle, [&](DeviceNode &node) {
      node.enable(isEnabled);
      return true;
    });
  }
  bool setNodeGrid(uint64_t handle, const Grid &grid) override {
    return isValidGrid(grid) && updateDeviceNode(handle, [&](DeviceNode &node) {
             node.setGrid(grid);
             return true;
           });
  }
  bool setNodeParams(uint64_t handle, size_t offset, const void *from,
                     size_t bytes) override {
    return updateDeviceNode(handle, [&](DeviceNode &node) {
      return node.setParams(offset, from, bytes);
    });
  }
};
} // namespace

static thread_local RunningGraph current;

const RunningGraph &cuda::runningGraph() { return current; }

RunningGraphScope::RunningGraphScope(const RunningGraph &graph)
    : outer(std::exchange(current, graph)) {}
RunningGraphScope::~RunningGraphScope() { current = outer; }

GraphCalls &cuda::graphCalls() {
  static auto *plain = new PlainCalls;
  return current.calls ? *current.calls : *plain;
}

//===----------------------------------------------------------------------===//
// Launches by kernels
//===----------------------------------------------------------------------===//

bool Turn::tryTake() {
  std::lock_guard<std::mutex> lock(mutex);
  return !std::exchange(isTaken, true);
}
void Turn::take() {
  std::unique_lock<std::mutex> lock(mutex);
  released.wait(lock, [this] { return !isTaken; });
  isTaken = true;
}
void Turn::release() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    isTaken = false;
  }
  released.notify_one();
}

namespace {
using PlanRef = std::shared_ptr<const InstancePlan>;

/// The graphs that have been launched inside of a graph, or beside it, and have
/// to end before something else begins.
class Environment {
public:
  void enter() {
    std::lock_guard<std::mutex> lock(mutex);
    ++inside;
  }
  void leave() {
    std::lock_guard<std::mutex> lock(mutex);
    if (--inside == 0)
      empty.notify_all();
  }
  void wait() {
    std::unique_lock<std::mutex> lock(mutex);
    empty.wait(lock, [this] { return inside == 0; });
  }

private:
  std::mutex mutex;
  std::condition_variable empty;
  unsigned inside = 0;
};

void runBehindEachOther(PlanRef first, Context &context, Environment &around);

/// One run of an instance.
class GraphRun : public PlainCalls {
public:
  GraphRun(const InstancePlan &plan, Context &context, Environment &around)
      : plan(plan), context(context), around(around) {}

  /// Runs the graph, and what it fires and forgets. \returns its tail launches.
  /// \pre The caller has taken the plan's turn, which ends here.
  std::vector<PlanRef> run() {
    RunningGraphScope scope({this, priority});
    plan.run(context);
    own.wait();
    plan.turn->release();
    return std::move(tails);
  }

  uint64_t getCurrent() override { return plan.deviceHandle; }
  uint32_t launch(uint64_t exec, uint64_t stream) override {
    PlanRef plan = findDevicePlan(exec);
    if (!plan)
      return kInvalidValue;
    // cudaStreamGraphTailLaunch and so on of cuda_device_runtime_api.h.
    switch (stream) {
    case uint64_t(1) << 56:
      return launchBehind(std::move(plan));
    case uint64_t(2) << 56:
      return launchIn(own, std::move(plan));
    case uint64_t(3) << 56:
      return launchIn(around, std::move(plan));
    }
    return kInvalidValue;
  }

private:
  uint32_t launchBehind(PlanRef plan) {
    constexpr size_t kMost = 255; // CUDA's limit
    std::lock_guard<std::mutex> lock(mutex);
    if (tails.size() == kMost)
      return kTooManyLaunches;
    tails.push_back(std::move(plan));
    return kSuccess;
  }
  uint32_t launchIn(Environment &environment, PlanRef plan) {
    constexpr unsigned kMost = 120; // CUDA's limit
    {
      std::lock_guard<std::mutex> lock(mutex);
      if (numLaunches == kMost)
        return kTooManyLaunches;
      if (!plan->turn->tryTake()) // it runs already, maybe this is it
        return kInvalidValue;
      ++numLaunches;
    }
    environment.enter();
    runOnSpareThread([plan = std::move(plan), &context = context, &environment,
                      priority = priority] {
      RunningGraphScope scope({nullptr, priority});
      runBehindEachOther(plan, context, environment);
      environment.leave();
    });
    return kSuccess;
  }

  const InstancePlan &plan;
  Context &context;
  Environment &around; ///< of the graph that has launched this one
  Environment own;
  std::mutex mutex;
  std::vector<PlanRef> tails;
  unsigned numLaunches = 0;
  /// That with which this graph was launched; those that it launches get it.
  const std::optional<int> priority = runningGraph().priority;
};

/// Runs a graph, then its tail launches, those that these make first. \pre The
/// caller has taken the turn of the first.
void runBehindEachOther(PlanRef first, Context &context, Environment &around) {
  std::vector<PlanRef> next = {std::move(first)}; // the last one comes first
  for (bool isTaken = true; !next.empty(); isTaken = false) {
    PlanRef plan = std::move(next.back());
    next.pop_back();
    if (!isTaken)
      plan->turn->take();
    std::vector<PlanRef> tails = GraphRun(*plan, context, around).run();
    if (!context.stickyError)
      next.insert(next.end(), tails.rbegin(), tails.rend());
  }
}
} // namespace

void cuda::runInstance(const std::shared_ptr<const InstancePlan> &plan,
                       Context &context) {
  Environment around;
  plan->turn->take();
  runBehindEachOther(plan, context, around);
  around.wait();
}
