//===- HostWork.cpp - work of the host in streams and graphs --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/HostWork/HostWork.h"

#include <cstdio>
#include <exception>
#include <memory>

using namespace ptxjit;

ContextScope::ContextScope(CUcontext context)
    : error(context ? cuCtxPushCurrent_v2(context) : CUDA_SUCCESS),
      isPushed(context && !error) {}

ContextScope::~ContextScope() {
  CUcontext ignored;
  if (isPushed)
    cuCtxPopCurrent_v2(&ignored);
}

CUresult ptxjit::findContext(CUcontext &context) {
  if (CUresult error = cuInit(0))
    return error;
  if (CUresult error = cuCtxGetCurrent(&context))
    return error;
  if (context)
    return CUDA_SUCCESS;
  CUresult error = cuDevicePrimaryCtxRetain(&context, 0);
  return error ? error : cuCtxSetCurrent(context);
}

static CUresult findGraph(CUstream stream, CUgraph &graph) {
  graph = nullptr;
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  CUresult error = cuStreamGetCaptureInfo_v2(stream, &status, nullptr, &graph,
                                             nullptr, nullptr);
  if (!error && status == CU_STREAM_CAPTURE_STATUS_INVALIDATED)
    return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  if (error || status == CU_STREAM_CAPTURE_STATUS_NONE)
    graph = nullptr;
  return error;
}

bool ptxjit::isCaptured(CUstream stream) {
  CUgraph graph;
  return findGraph(stream, graph) || graph;
}

static void run(const HostWork &work) {
  try {
    work();
  } catch (const std::exception &error) {
    std::fprintf(stderr,
                 "ptx-jit: a call of a math library failed in its stream: %s\n",
                 error.what());
  }
}

// Callbacks are called after errors, too, so that the work is freed.
static void runOnce(CUstream, CUresult status, void *data) {
  std::unique_ptr<HostWork> work(static_cast<HostWork *>(data));
  if (!status)
    run(*work);
}
static void runNode(void *data) { run(*static_cast<HostWork *>(data)); }
static void destroyWork(void *data) { delete static_cast<HostWork *>(data); }

/// Adds a node to the graph that the stream records, and hands it the work.
static CUresult record(CUstream stream, CUgraph graph,
                       std::unique_ptr<HostWork> work) {
  CUuserObject object;
  CUresult error = cuUserObjectCreate(&object, work.get(), destroyWork, 1,
                                      CU_USER_OBJECT_NO_DESTRUCTOR_SYNC);
  if (error)
    return error;
  HostWork *node = work.release();
  error = cuGraphRetainUserObject(graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE);
  if (error) {
    cuUserObjectRelease(object, 1);
    return error;
  }
  return cuLaunchHostFunc(stream, runNode, node);
}

CUresult ptxjit::enqueue(CUstream stream, HostWork work) {
  auto owned = std::make_unique<HostWork>(std::move(work));
  CUgraph graph;
  if (CUresult error = findGraph(stream, graph))
    return error;
  if (graph)
    return record(stream, graph, std::move(owned));
  CUresult error = cuStreamAddCallback(stream, runOnce, owned.get(), 0);
  if (!error)
    (void)owned.release();
  return error;
}
