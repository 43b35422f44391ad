//===- UserObjects.cpp - objects that graphs keep alive -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UserObjects.h"
#include "Graph.h"

using namespace ptxjit::cuda;

void UserObject::retain(uint64_t count) {
  std::lock_guard<std::mutex> lock(mutex);
  references += count;
}

bool UserObject::release(uint64_t count) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (count > references)
      return false;
    references -= count;
    if (references > 0)
      return true;
  }
  std::unique_ptr<UserObject> last = getState().userObjects.remove(this);
  destroy(data);
  return true;
}

void UserReferences::share(const UserReferences &other) {
  for (auto [object, count] : other.counts) {
    object->retain(1);
    add(object, 1);
  }
}

UserReferences::~UserReferences() {
  for (auto [object, count] : counts)
    object->release(count);
}

bool UserReferences::release(UserObject *object, uint64_t count) {
  auto it = counts.find(object);
  if (it == counts.end() || count > it->second)
    return false;
  it->second -= count;
  if (it->second == 0)
    counts.erase(it);
  return object->release(count);
}

/// Finds the object behind a handle, and checks that `count` is at least 1.
static CUresult enterObject(CUuserObject handle, unsigned count,
                            UserObject *&object) {
  Context *context;
  if (CUresult error = enter(context))
    return error;
  object = reinterpret_cast<UserObject *>(handle);
  bool isObject = getState().userObjects.contains(object);
  return isObject && count > 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

PTXJIT_CUDA_API(cuUserObjectCreate,
                (CUuserObject * out, void *data, CUhostFn destroy,
                 unsigned references, unsigned flags),
                out, data, destroy, references, flags) {
  Context *context;
  if (CUresult error = enter(context))
    return error;
  if (!out || !destroy || references == 0 || references > INT32_MAX ||
      flags != CU_USER_OBJECT_NO_DESTRUCTOR_SYNC)
    return CUDA_ERROR_INVALID_VALUE;
  *out = reinterpret_cast<CUuserObject>(getState().userObjects.add(
      std::make_unique<UserObject>(data, destroy, references)));
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuUserObjectRetain, (CUuserObject handle, unsigned count),
                handle, count) {
  UserObject *object;
  if (CUresult error = enterObject(handle, count, object))
    return error;
  object->retain(count);
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuUserObjectRelease, (CUuserObject handle, unsigned count),
                handle, count) {
  UserObject *object;
  if (CUresult error = enterObject(handle, count, object))
    return error;
  return object->release(count) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

PTXJIT_CUDA_API(cuGraphRetainUserObject,
                (CUgraph graphHandle, CUuserObject handle, unsigned count,
                 unsigned flags),
                graphHandle, handle, count, flags) {
  Graph *graph;
  UserObject *object;
  if (CUresult error = enterGraph(graphHandle, graph))
    return error;
  if (CUresult error = enterObject(handle, count, object))
    return error;
  if (flags & ~CU_GRAPH_USER_OBJECT_MOVE)
    return CUDA_ERROR_INVALID_VALUE;
  if (!(flags & CU_GRAPH_USER_OBJECT_MOVE)) // else the caller's own
    object->retain(count);
  graph->users.add(object, count);
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuGraphReleaseUserObject,
                (CUgraph graphHandle, CUuserObject handle, unsigned count),
                graphHandle, handle, count) {
  Graph *graph;
  UserObject *object;
  if (CUresult error = enterGraph(graphHandle, graph))
    return error;
  if (CUresult error = enterObject(handle, count, object))
    return error;
  return graph->users.release(object, count) ? CUDA_SUCCESS
                                             : CUDA_ERROR_INVALID_VALUE;
}
