//===- GreenContexts.cpp - shares of the multiprocessors ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A green context is a part of the primary context, with streams of its own. A
// launch in such a stream is worked on by as many threads as its share of the
// multiprocessors is of all, at least by one.
//
//===----------------------------------------------------------------------===//

#include "State.h"

#include <algorithm>
#include <cstring>
#include <oneapi/tbb/info.h>

using namespace ptxjit;
using namespace ptxjit::cuda;

//===----------------------------------------------------------------------===//
// Resources
//===----------------------------------------------------------------------===//

/// Multiprocessors that a green context may be made of.
struct cuda::ResourceDescription {
  Multiprocessors share;
};

namespace {
/// What CUdevResource::internal contains.
struct Origin {
  uint32_t magic;
  uint32_t isPart; ///< a result of a split, which is not to be split again
  uint64_t split;  ///< number of the split that made it; 0: none
  Multiprocessors share;
};

/// The sizes of parts that CUDA documents for an architecture.
struct Granularity {
  unsigned least, multiple;
};
} // namespace

static constexpr uint32_t kMagic = 0x736d3031;

static Multiprocessors allMultiprocessors() {
  return {0, uint32_t(getAttribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT))};
}

static Granularity granularity(unsigned flags) {
  int major = getProfile().major;
  if (flags & CU_DEV_SM_RESOURCE_SPLIT_MAX_POTENTIAL_CLUSTER_SIZE)
    return {PTXJIT_MOST_CLUSTER_CTAS, 8};
  if (major < 8 || flags & CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING)
    return {2, 2};
  return major < 9 ? Granularity{4, 2} : Granularity{8, 8};
}

static void describe(CUdevResource &resource, const Origin &origin,
                     const Granularity &unit) {
  static_assert(sizeof(Origin) <= sizeof(resource.internal));
  std::memset(&resource, 0, sizeof(resource));
  resource.type = CU_DEV_RESOURCE_TYPE_SM;
  std::memcpy(resource.internal, &origin, sizeof(origin));
  resource.sm = {origin.share.count, unit.least, unit.multiple};
}

/// Reads a resource that a program passes.
static CUresult parse(const CUdevResource &resource, Origin &origin) {
  if (resource.type != CU_DEV_RESOURCE_TYPE_SM)
    return CUDA_ERROR_INVALID_RESOURCE_TYPE;
  std::memcpy(&origin, resource.internal, sizeof(origin));
  bool isOurs =
      origin.magic == kMagic && origin.share.count == resource.sm.smCount;
  return isOurs ? CUDA_SUCCESS : CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION;
}

static CUresult give(CUdevResource *resource, int type,
                     const Multiprocessors &share) {
  if (!resource)
    return CUDA_ERROR_INVALID_VALUE;
  if (type != CU_DEV_RESOURCE_TYPE_SM)
    return CUDA_ERROR_INVALID_RESOURCE_TYPE;
  describe(*resource,
           {kMagic, false, 0, share.count ? share : allMultiprocessors()},
           granularity(0));
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuDeviceGetDevResource,
                (CUdevice device, CUdevResource *resource, int type), device,
                resource, type) {
  if (CUresult error = checkDevice(device))
    return error;
  return give(resource, type, {});
}

PTXJIT_CUDA_API(cuDevSmResourceSplitByCount,
                (CUdevResource * groups, unsigned *count,
                 const CUdevResource *input, CUdevResource *remaining,
                 unsigned flags, unsigned least),
                groups, count, input, remaining, flags, least) {
  constexpr unsigned kClusters =
      CU_DEV_SM_RESOURCE_SPLIT_MAX_POTENTIAL_CLUSTER_SIZE;
  if (!getState().initialized)
    return CUDA_ERROR_NOT_INITIALIZED;
  if (!count || !input || flags > 3 ||
      (flags & kClusters && getProfile().major < 9))
    return CUDA_ERROR_INVALID_VALUE;
  Origin origin;
  if (CUresult error = parse(*input, origin))
    return error;
  Multiprocessors rest = origin.share;
  if (least > rest.count)
    return CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION;
  Granularity unit = granularity(flags);
  unsigned each = std::max(least, unit.least);
  each = (each + unit.multiple - 1) / unit.multiple * unit.multiple;
  unsigned most = rest.count / each;
  if (origin.isPart || !most)
    return CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION;
  *count = groups ? std::min(*count, most) : most;
  if (!groups)
    return CUDA_SUCCESS;
  uint64_t split = getState().nextId++;
  for (unsigned i = 0; i < *count; ++i) {
    describe(groups[i], {kMagic, true, split, {rest.first, each}}, unit);
    rest = {rest.first + each, rest.count - each};
  }
  if (!remaining)
    return CUDA_SUCCESS;
  describe(*remaining, {kMagic, true, split, rest}, unit);
  if (!rest.count)
    remaining->type = CU_DEV_RESOURCE_TYPE_INVALID;
  return CUDA_SUCCESS;
}

/// The union of parts of one split. If they are no neighbours, numbers of
/// multiprocessors count on from the first part.
static CUresult join(const CUdevResource *resources, unsigned count,
                     Multiprocessors &share) {
  std::vector<Multiprocessors> parts;
  Origin first{};
  for (unsigned i = 0; i < count; ++i) {
    Origin origin;
    if (CUresult error = parse(resources[i], origin))
      return error;
    if (!i)
      first = origin;
    if (i && (!origin.split || origin.split != first.split))
      return CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION;
    parts.push_back(origin.share);
  }
  std::sort(parts.begin(), parts.end(),
            [](auto &a, auto &b) { return a.first < b.first; });
  share = {parts[0].first, 0};
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i && parts[i].first < parts[i - 1].first + parts[i - 1].count)
      return CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION;
    share.count += parts[i].count;
  }
  return CUDA_SUCCESS;
}

// CUDA has no function that destroys a description.
PTXJIT_CUDA_API(cuDevResourceGenerateDesc,
                (CUdevResourceDesc * out, CUdevResource *resources,
                 unsigned count),
                out, resources, count) {
  if (!getState().initialized)
    return CUDA_ERROR_NOT_INITIALIZED;
  if (!out || !resources || !count)
    return CUDA_ERROR_INVALID_VALUE;
  auto description = std::make_unique<ResourceDescription>();
  if (CUresult error = join(resources, count, description->share))
    return error;
  *out = reinterpret_cast<CUdevResourceDesc>(
      getState().resourceDescriptions.add(std::move(description)));
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Green contexts
//===----------------------------------------------------------------------===//

/// Finds a green context. A null handle is the current one.
static CUresult findGreen(CUgreenCtx handle, Context *&green) {
  if (!getState().initialized)
    return CUDA_ERROR_NOT_INITIALIZED;
  green = handle ? reinterpret_cast<Context *>(handle) : currentGreen();
  bool isValid = green && getState().contexts.contains(green) && green->primary;
  return isValid ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

/// The same, where null is no green context.
static CUresult findGivenGreen(CUgreenCtx handle, Context *&green) {
  if (!getState().initialized)
    return CUDA_ERROR_NOT_INITIALIZED;
  return handle ? findGreen(handle, green) : CUDA_ERROR_INVALID_CONTEXT;
}

PTXJIT_CUDA_API(cuGreenCtxCreate,
                (CUgreenCtx * out, CUdevResourceDesc desc, CUdevice device,
                 unsigned flags),
                out, desc, device, flags) {
  if (CUresult error = checkDevice(device))
    return error;
  if (!out || flags != CU_GREEN_CTX_DEFAULT_STREAM ||
      !getState().resourceDescriptions.contains(desc))
    return CUDA_ERROR_INVALID_VALUE;
  CUcontext primary;
  if (CUresult error = cuDevicePrimaryCtxRetain(&primary, device))
    return error;
  std::unique_ptr<Context> green = makeContext(device, 0);
  green->primary = reinterpret_cast<Context *>(primary);
  green->share = reinterpret_cast<ResourceDescription *>(desc)->share;
  green->defaultStream.context = green->primary;
  green->defaultStream.green = green.get();
  *out =
      reinterpret_cast<CUgreenCtx>(getState().contexts.add(std::move(green)));
  return CUDA_SUCCESS;
}

/// Its streams stay, but only for calls to learn that the context is gone.
static void destroyGreen(Context &green) {
  synchronizeContext(green);
  getState().streams.forEach([&](StreamObject &stream) {
    if (stream.green == &green) {
      stream.isOrphan = true;
      stream.green = nullptr;
    }
  });
  getState().contexts.remove(&green);
}

void cuda::destroyGreenContextsOf(Context &primary) {
  std::vector<Context *> greens;
  getState().contexts.forEach([&](Context &context) {
    if (context.primary == &primary)
      greens.push_back(&context);
  });
  for (Context *green : greens)
    destroyGreen(*green);
}

PTXJIT_CUDA_API(cuGreenCtxDestroy, (CUgreenCtx handle), handle) {
  Context *green;
  if (CUresult error = findGivenGreen(handle, green))
    return error;
  if (currentContext() == green)
    cuCtxPopCurrent_v2(nullptr);
  CUdevice device = green->device;
  destroyGreen(*green);
  return cuDevicePrimaryCtxRelease_v2(device);
}

PTXJIT_CUDA_API(cuCtxFromGreenCtx, (CUcontext * out, CUgreenCtx handle), out,
                handle) {
  Context *green;
  if (CUresult error = findGivenGreen(handle, green))
    return error;
  if (!out)
    return CUDA_ERROR_INVALID_VALUE;
  *out = reinterpret_cast<CUcontext>(green);
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuGreenCtxGetId, (CUgreenCtx handle, unsigned long long *id),
                handle, id) {
  Context *green;
  if (CUresult error = findGreen(handle, green))
    return error;
  if (!id)
    return CUDA_ERROR_INVALID_VALUE;
  *id = green->id;
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuGreenCtxStreamCreate,
                (CUstream * out, CUgreenCtx handle, unsigned flags,
                 int priority),
                out, handle, flags, priority) {
  Context *green;
  if (CUresult error = findGivenGreen(handle, green))
    return error;
  if (!out || flags != CU_STREAM_NON_BLOCKING)
    return CUDA_ERROR_INVALID_VALUE;
  *out = reinterpret_cast<CUstream>(addStream(*green, flags, priority));
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// What a context may use
//===----------------------------------------------------------------------===//

Multiprocessors cuda::shareOf(const StreamObject &stream) {
  return (stream.green ? stream.green : stream.context)->share;
}

unsigned cuda::workersOf(const Multiprocessors &share) {
  unsigned all = threadsOfDevice();
  if (!share.count)
    return all;
  unsigned cores = all ? all : unsigned(tbb::info::default_concurrency());
  return std::max(1u, cores * share.count / allMultiprocessors().count);
}

PTXJIT_CUDA_API(cuCtxGetDevResource,
                (CUcontext handle, CUdevResource *resource, int type), handle,
                resource, type) {
  if (!getState().initialized)
    return CUDA_ERROR_NOT_INITIALIZED;
  if (!getState().contexts.contains(handle))
    return CUDA_ERROR_INVALID_CONTEXT;
  return give(resource, type, reinterpret_cast<Context *>(handle)->share);
}
PTXJIT_CUDA_API(cuGreenCtxGetDevResource,
                (CUgreenCtx handle, CUdevResource *resource, int type), handle,
                resource, type) {
  Context *green;
  if (CUresult error = findGivenGreen(handle, green))
    return error;
  return give(resource, type, green->share);
}

PTXJIT_CUDA_API(cuDeviceGetExecAffinitySupport,
                (int *isSupported, int type, CUdevice device), isSupported,
                type, device) {
  if (CUresult error = checkDevice(device))
    return error;
  if (!isSupported || type != CU_EXEC_AFFINITY_TYPE_SM_COUNT)
    return CUDA_ERROR_INVALID_VALUE;
  *isSupported = 1;
  return CUDA_SUCCESS;
}
PTXJIT_CUDA_API(cuCtxGetExecAffinity,
                (CUexecAffinityParam * affinity, int type), affinity, type) {
  Context *context, *part;
  if (CUresult error = enterPart(context, part))
    return error;
  if (!affinity)
    return CUDA_ERROR_INVALID_VALUE;
  if (type != CU_EXEC_AFFINITY_TYPE_SM_COUNT)
    return CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
  affinity->type = type;
  affinity->param.smCount.val =
      part->share.count ? part->share.count : allMultiprocessors().count;
  return CUDA_SUCCESS;
}
