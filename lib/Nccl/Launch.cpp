//===- Launch.cpp - operations in streams and graphs ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stream gets two functions of the host: one says that it has come to the
// operations, the other one waits for them. All ranks of a group arrive before
// any of them waits. So even ranks in one stream, or in a graph that runs its
// nodes one by one, do not wait for each other in vain.
//
//===----------------------------------------------------------------------===//

#include "Engine.h"
#include "Groups.h"
#include "Report.h"

using namespace ptxjit::nccl;

namespace {
/// Makes a context current.
class ContextScope {
public:
  explicit ContextScope(CUcontext context)
      : error(cuCtxPushCurrent_v2(context)) {}
  ~ContextScope() {
    CUcontext ignored;
    if (!error)
      cuCtxPopCurrent_v2(&ignored);
  }
  ContextScope(const ContextScope &) = delete;
  ContextScope &operator=(const ContextScope &) = delete;
  const CUresult error;
};

/// Operations that a stream has been given, once or as nodes of a graph.
struct Issued {
  explicit Issued(Launch launch) : launch(std::move(launch)) {}
  const Launch launch;
  uint64_t ticket = 0; ///< 0: nodes of a graph
  CUgraph graph = nullptr;
  uint64_t capture = 0; ///< number of the capture

  /// What has arrived, and is still waited for.
  std::mutex mutex;
  std::deque<std::shared_ptr<Execution>> running;
};
} // namespace

//===----------------------------------------------------------------------===//
// In the stream
//===----------------------------------------------------------------------===//

static void arrive(Issued &issued) {
  auto execution = std::make_shared<Execution>(issued.launch.operations);
  {
    std::lock_guard<std::mutex> lock(issued.mutex);
    issued.running.push_back(execution);
  }
  Engine::get().arrive(issued.launch.comm, std::move(execution), issued.ticket);
}

static void await(Issued &issued) {
  std::shared_ptr<Execution> execution;
  {
    std::lock_guard<std::mutex> lock(issued.mutex);
    execution = std::move(issued.running.front());
    issued.running.pop_front();
  }
  Engine::get().await(*issued.launch.comm, *execution);
}

// Callbacks are called after errors, too, so that the peers learn of them.
static void arriveOnce(CUstream, CUresult status, void *data) {
  auto *issued = static_cast<Issued *>(data);
  if (status)
    issued->launch.comm->setFailed(
        ncclUnhandledCudaError,
        "the stream of rank " + std::to_string(issued->launch.comm->rank) +
            " failed with CUDA error " + std::to_string(int(status)));
  arrive(*issued);
}
static void awaitOnce(CUstream, CUresult, void *data) {
  std::unique_ptr<Issued> issued(static_cast<Issued *>(data));
  await(*issued);
  issued->launch.comm->endLaunch();
}
static void runOnce(CUstream stream, CUresult status, void *data) {
  arriveOnce(stream, status, data);
  awaitOnce(stream, status, data);
}

static void arriveNode(void *data) { arrive(*static_cast<Issued *>(data)); }
static void awaitNode(void *data) { await(*static_cast<Issued *>(data)); }
static void destroyIssued(void *data) { delete static_cast<Issued *>(data); }

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

/// Finds out whether the stream records a graph.
static CUresult findCapture(Issued &issued) {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  CUresult error =
      cuStreamGetCaptureInfo_v2(issued.launch.stream, &status, &issued.capture,
                                &issued.graph, nullptr, nullptr);
  if (!error && status == CU_STREAM_CAPTURE_STATUS_INVALIDATED)
    return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  if (error || status == CU_STREAM_CAPTURE_STATUS_NONE)
    issued.graph = nullptr;
  return error;
}

/// A flag of cuStreamUpdateCaptureDependencies.
static constexpr unsigned kAddDependencies = 0;

/// Hands the object to the graph that its stream records, which destroys it.
static CUresult giveToGraph(std::unique_ptr<Issued> issued) {
  CUuserObject object;
  CUgraph graph = issued->graph;
  CUresult error = cuUserObjectCreate(&object, issued.get(), destroyIssued, 1,
                                      CU_USER_OBJECT_NO_DESTRUCTOR_SYNC);
  if (error)
    return error;
  (void)issued.release();
  error = cuGraphRetainUserObject(graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE);
  if (error)
    cuUserObjectRelease(object, 1);
  return error;
}

/// Puts the waiting of a group's ranks behind the arrivals of all, as far as
/// they are in one graph.
static CUresult orderNodes(const std::vector<Issued *> &group) {
  std::vector<std::vector<CUgraphNode>> tips(group.size());
  for (size_t i = 0; i < group.size(); ++i) {
    ContextScope scope(group[i]->launch.comm->context);
    CUstreamCaptureStatus status;
    const CUgraphNode *nodes;
    size_t count;
    if (CUresult error = cuStreamGetCaptureInfo_v2(
            group[i]->launch.stream, &status, nullptr, nullptr, &nodes, &count))
      return error;
    tips[i].assign(nodes, nodes + count);
  }
  for (size_t i = 0; i < group.size(); ++i) {
    ContextScope scope(group[i]->launch.comm->context);
    for (size_t other = 0; other < group.size(); ++other) {
      if (other == i || group[other]->capture != group[i]->capture)
        continue;
      if (CUresult error = cuStreamUpdateCaptureDependencies(
              group[i]->launch.stream, tips[other].data(), tips[other].size(),
              kAddDependencies))
        return error;
    }
  }
  return CUDA_SUCCESS;
}

static CUresult addNodes(const std::vector<Issued *> &group,
                         CUhostFn function) {
  for (Issued *issued : group) {
    ContextScope scope(issued->launch.comm->context);
    if (CUresult error =
            cuLaunchHostFunc(issued->launch.stream, function, issued))
      return error;
  }
  return CUDA_SUCCESS;
}

static CUresult recordNodes(std::vector<std::unique_ptr<Issued>> owned) {
  std::vector<Issued *> group;
  for (std::unique_ptr<Issued> &issued : owned) {
    group.push_back(issued.get());
    ContextScope scope(issued->launch.comm->context);
    if (CUresult error = giveToGraph(std::move(issued)))
      return error;
  }
  CUresult error = addNodes(group, arriveNode);
  if (!error)
    error = orderNodes(group);
  return error ? error : addNodes(group, awaitNode);
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

/// Adds a callback. If that fails, the rank has failed, and it is called at
/// once.
static CUresult add(CUstreamCallback callback, Issued &issued) {
  const Launch &launch = issued.launch;
  ContextScope scope(launch.comm->context);
  CUresult error =
      scope.error ? scope.error
                  : cuStreamAddCallback(launch.stream, callback, &issued, 0);
  if (error) {
    launch.comm->setFailed(ncclUnhandledCudaError,
                           "an operation could not be put into its stream");
    callback(launch.stream, error, &issued);
  }
  return error;
}

static CUresult runInStreams(const std::vector<Issued *> &group) {
  CUresult result = CUDA_SUCCESS;
  for (Issued *issued : group) {
    issued->ticket = issued->launch.comm->takeTicket();
    issued->launch.comm->beginLaunch();
  }
  if (group.size() == 1)
    return add(runOnce, *group[0]);
  for (CUstreamCallback callback : {arriveOnce, awaitOnce})
    for (Issued *issued : group)
      if (CUresult error = add(callback, *issued))
        result = error;
  return result;
}

ncclResult_t ptxjit::nccl::launchAll(std::vector<Launch> launches) {
  std::vector<std::unique_ptr<Issued>> all;
  for (Launch &launch : launches) {
    all.push_back(std::make_unique<Issued>(std::move(launch)));
    ContextScope scope(all.back()->launch.comm->context);
    CUresult error = scope.error ? scope.error : findCapture(*all.back());
    if (error)
      return fail(ncclUnhandledCudaError,
                  "rank %d cannot use the stream: CUDA error %d",
                  all.back()->launch.comm->rank, int(error));
  }
  // Those in streams own themselves, until their work is done.
  std::vector<std::unique_ptr<Issued>> recorded;
  std::vector<Issued *> streamed;
  for (auto &issued : all)
    if (issued->graph)
      recorded.push_back(std::move(issued));
    else
      streamed.push_back(issued.release());
  CUresult error =
      recorded.empty() ? CUDA_SUCCESS : recordNodes(std::move(recorded));
  if (!streamed.empty())
    if (CUresult other = runInStreams(streamed))
      error = other;
  if (error)
    return fail(ncclUnhandledCudaError, "the group failed with CUDA error %d",
                int(error));
  return ncclSuccess;
}
