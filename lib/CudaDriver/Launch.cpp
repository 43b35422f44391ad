//===- Launch.cpp - kernels and launches ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceNode.h"
#include "Graph.h"
#include "KernelServices.h"
#include "ptxjit/CudaDriver/KernelParam.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <vector>

using namespace ptxjit;
using namespace ptxjit::cuda;

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

CUresult cuda::findFunction(CUfunction handle, Function *&function) {
  function = reinterpret_cast<Function *>(handle);
  return getState().functions.contains(function) ? CUDA_SUCCESS
                                                 : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuda::enterFunction(CUfunction handle, Function *&function) {
  Context *context;
  if (!getState().initialized)
    return CUDA_ERROR_NOT_INITIALIZED;
  if (CUresult error = findFunction(handle, function))
    return error;
  return function->context ? enterOwner(function->context, context)
                           : enter(context);
}

PTXJIT_CUDA_API(cuKernelGetAttribute,
                (int *value, int attribute, CUkernel kernel, CUdevice device),
                value, attribute, kernel, device) {
  if (CUresult error = checkDevice(device))
    return error;
  return cuFuncGetAttribute(value, attribute,
                            reinterpret_cast<CUfunction>(kernel));
}
PTXJIT_CUDA_API(cuKernelSetAttribute,
                (int attribute, int value, CUkernel kernel, CUdevice device),
                attribute, value, kernel, device) {
  if (CUresult error = checkDevice(device))
    return error;
  return cuFuncSetAttribute(reinterpret_cast<CUfunction>(kernel), attribute,
                            value);
}
PTXJIT_CUDA_API(cuKernelSetCacheConfig,
                (CUkernel kernel, int config, CUdevice device), kernel, config,
                device) {
  if (CUresult error = checkDevice(device))
    return error;
  return cuFuncSetCacheConfig(reinterpret_cast<CUfunction>(kernel), config);
}

PTXJIT_CUDA_API(cuFuncGetName, (const char **name, CUfunction handle), name,
                handle) {
  Function *function;
  if (!name)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = findFunction(handle, function))
    return error;
  *name = function->kernel->name;
  return CUDA_SUCCESS;
}
PTXJIT_CUDA_API(cuKernelGetName, (const char **name, CUkernel kernel), name,
                kernel) {
  return cuFuncGetName(name, reinterpret_cast<CUfunction>(kernel));
}
PTXJIT_CUDA_API(cuFuncGetModule, (CUmodule * module, CUfunction handle), module,
                handle) {
  Function *function;
  if (!module)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = findFunction(handle, function))
    return error;
  *module = static_cast<CUmodule>(function->owner);
  return CUDA_SUCCESS;
}
PTXJIT_CUDA_API(cuFuncGetParamInfo,
                (CUfunction handle, size_t index, size_t *offset, size_t *size),
                handle, index, offset, size) {
  Function *function;
  if (CUresult error = findFunction(handle, function))
    return error;
  if (!offset || index >= function->kernel->numParams)
    return CUDA_ERROR_INVALID_VALUE;
  const PtxjitParam &param = function->kernel->params[index];
  *offset = param.offset;
  if (size)
    *size = size_t(param.elementBytes) * param.count;
  return CUDA_SUCCESS;
}
PTXJIT_CUDA_API(cuKernelGetParamInfo,
                (CUkernel kernel, size_t index, size_t *offset, size_t *size),
                kernel, index, offset, size) {
  return cuFuncGetParamInfo(reinterpret_cast<CUfunction>(kernel), index, offset,
                            size);
}
PTXJIT_CUDA_EXPORT CUresult cuPtxjitGetKernelParam(CUkernel kernel,
                                                   size_t index,
                                                   PtxjitKernelParam *out) {
  Function *function;
  if (CUresult error =
          findFunction(reinterpret_cast<CUfunction>(kernel), function))
    return error;
  if (!out || index >= function->kernel->numParams)
    return CUDA_ERROR_INVALID_VALUE;
  const PtxjitParam &param = function->kernel->params[index];
  size_t count = size_t(param.count);
  *out = {param.name, param.type, count, param.offset,
          param.elementBytes * count};
  return CUDA_SUCCESS;
}
PTXJIT_CUDA_API(cuFuncIsLoaded, (int *state, CUfunction handle), state,
                handle) {
  Function *function;
  if (!state)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = findFunction(handle, function))
    return error;
  *state = 1;
  return CUDA_SUCCESS;
}
PTXJIT_CUDA_API(cuFuncLoad, (CUfunction handle), handle) {
  Function *function;
  return findFunction(handle, function);
}
PTXJIT_CUDA_API(cuFuncSetSharedMemConfig, (CUfunction handle, int config),
                handle, config) {
  Function *function;
  if (CUresult error = findFunction(handle, function))
    return error;
  return config < 0 || config > 2 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuFuncSetCacheConfig,
                (CUfunction handle, [[maybe_unused]] int ignored1), handle,
                ignored1) {
  Function *function;
  return enterFunction(handle, function);
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// Copies the arguments of a launch into a block with the layout of the kernel.
static CUresult collectParams(const PtxjitKernelInfo &kernel, void **params,
                              void **extra, std::vector<uint64_t> &block) {
  block.assign(kernel.paramBytes / 8 + 3, 0);
  auto *bytes = reinterpret_cast<uint8_t *>(block.data());
  if (params && extra)
    return CUDA_ERROR_INVALID_VALUE;
  if (extra) {
    const void *buffer = nullptr;
    size_t size = 0;
    for (; *extra != CU_LAUNCH_PARAM_END; extra += 2)
      if (extra[0] == CU_LAUNCH_PARAM_BUFFER_POINTER)
        buffer = extra[1];
      else if (extra[0] == CU_LAUNCH_PARAM_BUFFER_SIZE)
        size = *static_cast<size_t *>(extra[1]);
      else
        return CUDA_ERROR_INVALID_VALUE;
    if (!buffer || size < kernel.paramBytes)
      return CUDA_ERROR_INVALID_VALUE;
    std::memcpy(bytes, buffer, kernel.paramBytes);
    return CUDA_SUCCESS;
  }
  if (kernel.numParams && !params)
    return CUDA_ERROR_INVALID_VALUE;
  for (uint32_t i = 0; i < kernel.numParams; ++i) {
    const PtxjitParam &param = kernel.params[i];
    if (!params[i])
      return CUDA_ERROR_INVALID_VALUE;
    std::memcpy(bytes + param.offset, params[i],
                size_t(param.elementBytes) * param.count);
  }
  return CUDA_SUCCESS;
}

static CUresult resultOf(LaunchStatus status) {
  switch (status) {
  case LaunchStatus::Ok:
    return CUDA_SUCCESS;
  case LaunchStatus::Trap:
    return CUDA_ERROR_LAUNCH_FAILED;
  case LaunchStatus::Deadlock:
    return CUDA_ERROR_LAUNCH_TIMEOUT;
  case LaunchStatus::Illegal:
    return CUDA_ERROR_ILLEGAL_INSTRUCTION;
  case LaunchStatus::StackOverflow:
    return CUDA_ERROR_HARDWARE_STACK_ERROR;
  case LaunchStatus::IllegalAddress:
    return CUDA_ERROR_ILLEGAL_ADDRESS;
  case LaunchStatus::MisalignedAddress:
    return CUDA_ERROR_MISALIGNED_ADDRESS;
  case LaunchStatus::Assert:
    return CUDA_ERROR_ASSERT;
  case LaunchStatus::InvalidValue:
    return CUDA_ERROR_INVALID_VALUE;
  case LaunchStatus::InvalidCluster:
    return CUDA_ERROR_INVALID_CLUSTER_SIZE;
  case LaunchStatus::OutOfResources:
    return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
  }
  return CUDA_ERROR_UNKNOWN;
}

static CUresult checkShape(const Function &function, LaunchShape &shape,
                           unsigned shared) {
  const PtxjitKernelInfo &kernel = *function.kernel;
  if (!shape.cluster.x && !kernel.cluster[0]) {
    auto &required = function.requiredCluster;
    shape.cluster = {uint32_t(required[0]), uint32_t(required[1]),
                     uint32_t(required[2])};
  }
  std::string why;
  LaunchStatus status = ptxjit::completeShape(kernel, shape, why);
  if (status != LaunchStatus::Ok) {
    log(LogKind::Error, std::string("launch of '") + kernel.name + "': " + why);
    return resultOf(status);
  }
  const auto &[grid, block, cluster] = shape;
  if (cluster.x * cluster.y * cluster.z > maxClusterCtas(function)) {
    log(LogKind::Error,
        std::string("launch of '") + kernel.name +
            "': clusters of more than 8 CTAs are to be allowed by "
            "CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED");
    return CUDA_ERROR_INVALID_CLUSTER_SIZE;
  }
  assert(ptxjitIsBlock(block) && "a complete shape");
  if (!isValidGrid(grid) ||
      block[0] * block[1] * block[2] > mostThreads(kernel))
    return CUDA_ERROR_INVALID_VALUE;
  unsigned most = std::max(
      unsigned(getAttribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK)),
      kernel.sharedBytes + unsigned(function.maxDynamicShared));
  return shared + uint64_t(kernel.sharedBytes) > most ? CUDA_ERROR_INVALID_VALUE
                                                      : CUDA_SUCCESS;
}

/// All CTAs of a cooperative launch must be resident at once. Here any number
/// could be, but programs rely on what the occupancy functions report.
static CUresult checkCooperative(const Function &function,
                                 const LaunchShape &shape, unsigned shared,
                                 const Multiprocessors &share) {
  const auto &[grid, block, cluster] = shape;
  auto all = unsigned(getAttribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
  uint64_t most = uint64_t(share.count ? share.count : all) *
                  uint64_t(residentCtas(
                      function, int(block[0] * block[1] * block[2]), shared));
  uint64_t wanted = uint64_t(grid.x) * grid.y * grid.z;
  if (wanted <= most)
    return CUDA_SUCCESS;
  log(LogKind::Error, std::string("cooperative launch of '") +
                          function.kernel->name +
                          "': " + std::to_string(wanted) + " CTAs, but the " +
                          (share.count ? "context" : "device") + " holds " +
                          std::to_string(most) + " at once");
  return CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
}

namespace {
/// A launch of a compiled kernel, with its arguments.
struct LaunchOperation : Operation {
  CUDA_KERNEL_NODE_PARAMS given{}; ///< as the program passed them
  LaunchAttributes attributes;
  std::shared_ptr<ptxjit::LoadedModule> code;
  const ptxjit::CompiledKernel *compiled = nullptr;
  const PtxjitKernelInfo *kernel = nullptr;
  LaunchShape shape{};
  unsigned shared = 0;
  LaunchOptions options;
  std::vector<uint64_t> values;
  std::vector<void *> pointers; ///< to each argument in `values`

  CUgraphNodeType type() const override { return CU_GRAPH_NODE_TYPE_KERNEL; }
  bool isShort() const override {
    return !options.cooperative && code->isShort(*compiled, shape.grid);
  }
  bool isBrief() const override {
    return !options.cooperative && code->isBrief(*compiled, shape.grid);
  }
  void run(Context &context) const override {
    // Logged here, so that launches from graphs are shown, too.
    const PtxjitImage &image = compiled->getImage();
    if (isLogged(LogKind::Launch))
      log(LogKind::Launch,
          std::string(kernel->name) + ptxjit::describe(shape) + ": " +
              ptxjit::describe(PtxjitMode(image.mode), image.strandThreads) +
              ", " + image.reason);
    KernelServices services(context, code);
    LaunchOptions now = options;
    now.services = &services;
    now.graphs = &graphCalls();
    now.order = &getDevice(context.device).order;
    now.priority = runningGraph().priority.value_or(options.priority);
    std::string report;
    const Grid *grid = &shape.grid;
    const uint64_t *params = values.data();
    DeviceNode::Work updated;
    if (attributes.deviceNode) {
      updated = attributes.deviceNode->get();
      if (!updated.isEnabled)
        return;
      grid = &updated.grid;
      params = updated.values.data();
    }
    LaunchStatus status =
        code->launchCompiled(*compiled, shape.block, *grid, params, shared,
                             workersOf(options.multiprocessors), report, now);
    if (status == LaunchStatus::Ok)
      return;
    context.stickyError = resultOf(status);
    report.erase(report.find_last_not_of('\n') + 1);
    log(LogKind::Error, report);
    dumpFailure(context, resultOf(status), kernel->name + describe(shape),
                report);
  }
};
} // namespace

/// The context where a kernel of a library runs; null: the caller has none.
static Context *contextOf(const CUDA_KERNEL_NODE_PARAMS &params) {
  auto *named = reinterpret_cast<Context *>(params.ctx);
  return getState().contexts.contains(named) ? named : currentContext();
}

/// Finds the code of a function, with the variables of the device where it will
/// run. \param context  null: it is not given.
static CUresult findCode(const Function &function, const Context *context,
                         std::shared_ptr<ptxjit::LoadedModule> &code) {
  const Context *own = function.context;
  if (own && context && own->device != context->device)
    return CUDA_ERROR_INVALID_HANDLE;
  const Context *used = context ? context : own;
  code = function.code->on(used ? used->device : 0);
  return CUDA_SUCCESS;
}

CUresult cuda::makeLaunch(const CUDA_KERNEL_NODE_PARAMS &params,
                          const LaunchAttributes &attributes,
                          OperationRef &operation, Context *context) {
  Function *function;
  auto launch = std::make_shared<LaunchOperation>();
  launch->given = params;
  if (!params.func)
    launch->given.func = reinterpret_cast<CUfunction>(params.kern);
  if (CUresult error = findFunction(launch->given.func, function))
    return error;
  if (!function->context) {
    context = context ? context : contextOf(params);
    launch->given.ctx = reinterpret_cast<CUcontext>(context);
  }
  if (CUresult error = findCode(*function, context, launch->code))
    return error;
  launch->kernel = function->kernel;
  launch->shape = {{params.gridDimX, params.gridDimY, params.gridDimZ},
                   {params.blockDimX, params.blockDimY, params.blockDimZ},
                   attributes.cluster};
  launch->shared = params.sharedMemBytes;
  if (CUresult error = checkShape(*function, launch->shape, launch->shared))
    return error;
  launch->attributes = attributes;
  launch->options = attributes;
  auto *named = reinterpret_cast<Context *>(params.ctx);
  if (named && getState().contexts.contains(named))
    launch->options.multiprocessors = named->share;
  if (attributes.cooperative)
    if (CUresult error =
            checkCooperative(*function, launch->shape, launch->shared,
                             launch->options.multiprocessors))
      return error;
  launch->options.cluster = launch->shape.cluster;
  launch->options.bytesBehind = bytesBehind;
  if (CUresult error = collectParams(*function->kernel, params.kernelParams,
                                     params.extra, launch->values))
    return error;
  auto *bytes = reinterpret_cast<uint8_t *>(launch->values.data());
  for (uint32_t i = 0; i < function->kernel->numParams; ++i)
    launch->pointers.push_back(bytes + function->kernel->params[i].offset);
  // Compiled before it is submitted, so that the caller gets the error.
  std::string diagnostics, name = function->kernel->name;
  launch->compiled =
      launch->code->compile(name, launch->shape.block, launch->shape.grid,
                            KernelOptions(), diagnostics);
  if (!launch->compiled) {
    log(LogKind::Error, diagnostics);
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  operation = std::move(launch);
  return CUDA_SUCCESS;
}

CUDA_KERNEL_NODE_PARAMS cuda::launchParams(const Operation &operation) {
  auto &launch = static_cast<const LaunchOperation &>(operation);
  CUDA_KERNEL_NODE_PARAMS params = launch.given;
  params.kern = nullptr;
  params.extra = nullptr;
  params.kernelParams = const_cast<void **>(launch.pointers.data());
  return params;
}

void cuda::loadDeviceNode(const Operation &operation, bool isEnabled) {
  auto &launch = static_cast<const LaunchOperation &>(operation);
  launch.attributes.deviceNode->load(
      {isEnabled, launch.shape.grid, launch.values, launch.kernel->paramBytes});
}

LaunchAttributes cuda::launchAttributes(const Operation &operation) {
  return static_cast<const LaunchOperation &>(operation).attributes;
}

void cuda::applyAttribute(const CUlaunchAttribute &attribute,
                          LaunchAttributes &attributes) {
  if (attribute.id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
    attributes.cooperative = attribute.value.cooperative;
  if (attribute.id == CU_LAUNCH_ATTRIBUTE_PRIORITY)
    attributes.priority = nearestPriority(attribute.value.priority);
  auto &cluster = attribute.value.clusterDim;
  if (attribute.id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
    attributes.cluster = {cluster.x, cluster.y, cluster.z};
}

static CUresult launch(const CUDA_KERNEL_NODE_PARAMS &params,
                       CUstream streamHandle, LaunchAttributes attributes) {
  Context *context;
  StreamObject *stream;
  OperationRef operation;
  if (CUresult error = enterStream(streamHandle, context, stream))
    return error;
  if (attributes.deviceNode && !stream->capture)
    return CUDA_ERROR_INVALID_VALUE; // only graphs have nodes
  if (!attributes.priority)
    attributes.priority = stream->priority;
  attributes.multiprocessors = shareOf(*stream);
  if (CUresult error = makeLaunch(params, attributes, operation, context))
    return error;
  return enqueue(*context, *stream, std::move(operation));
}

PTXJIT_CUDA_STREAM_API(cuLaunchKernel, _ptsz,
                       (CUfunction function, unsigned gx, unsigned gy,
                        unsigned gz, unsigned bx, unsigned by, unsigned bz,
                        unsigned shared, CUstream stream, void **params,
                        void **extra),
                       function, gx, gy, gz, bx, by, bz, shared, stream, params,
                       extra) {
  return launch({function, gx, gy, gz, bx, by, bz, shared, params, extra,
                 nullptr, nullptr},
                stream, LaunchAttributes());
}

PTXJIT_CUDA_STREAM_API(cuLaunchCooperativeKernel, _ptsz,
                       (CUfunction function, unsigned gx, unsigned gy,
                        unsigned gz, unsigned bx, unsigned by, unsigned bz,
                        unsigned shared, CUstream stream, void **params),
                       function, gx, gy, gz, bx, by, bz, shared, stream,
                       params) {
  LaunchAttributes attributes;
  attributes.cooperative = true;
  return launch({function, gx, gy, gz, bx, by, bz, shared, params, nullptr,
                 nullptr, nullptr},
                stream, attributes);
}

// Each launch must be on a device of its own, of which there is one.
PTXJIT_CUDA_API(cuLaunchCooperativeKernelMultiDevice,
                (CUDA_LAUNCH_PARAMS * launches, unsigned count, unsigned flags),
                launches, count, flags) {
  if (!getState().initialized)
    return CUDA_ERROR_NOT_INITIALIZED;
  if (!launches || !count || flags > 3)
    return CUDA_ERROR_INVALID_VALUE;
  if (count > 1)
    return CUDA_ERROR_INVALID_DEVICE;
  const CUDA_LAUNCH_PARAMS &l = *launches;
  if (!l.hStream || l.hStream == CU_STREAM_LEGACY ||
      l.hStream == CU_STREAM_PER_THREAD)
    return CUDA_ERROR_INVALID_VALUE;
  return cuLaunchCooperativeKernel(
      l.function, l.gridDimX, l.gridDimY, l.gridDimZ, l.blockDimX, l.blockDimY,
      l.blockDimZ, l.sharedMemBytes, l.hStream, l.kernelParams);
}

/// The event that a launch records when its CTAs have begun, or have let
/// dependent launches begin; null if the attribute is none of these. We record
/// it when the launch has ended, which both allow. A launch behind another in a
/// stream begins when that has ended, too, so `griddepcontrol` never waits.
static CUevent eventOf(const CUlaunchAttribute &attribute) {
  if (attribute.id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT)
    return attribute.value.programmaticEvent.event;
  if (attribute.id == CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT)
    return attribute.value.launchCompletionEvent.event;
  return nullptr;
}

PTXJIT_CUDA_STREAM_API(cuLaunchKernelEx, _ptsz,
                       (const CUlaunchConfig *config, CUfunction function,
                        void **params, void **extra),
                       config, function, params, extra) {
  if (!config || (config->numAttrs && !config->attrs))
    return CUDA_ERROR_INVALID_VALUE;
  LaunchAttributes attributes;
  std::vector<CUevent> events;
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    CUlaunchAttribute &attribute = config->attrs[i];
    if (attribute.id == CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE)
      if (CUresult error = makeUpdatable(attribute.value, attributes))
        return error;
    applyAttribute(attribute, attributes);
    if (CUevent event = eventOf(config->attrs[i]))
      events.push_back(event);
  }
  for (CUevent event : events)
    if (!getState().events.contains(event))
      return CUDA_ERROR_INVALID_HANDLE;
  CUresult error =
      launch({function, config->gridDimX, config->gridDimY, config->gridDimZ,
              config->blockDimX, config->blockDimY, config->blockDimZ,
              config->sharedMemBytes, params, extra, nullptr, nullptr},
             config->hStream, attributes);
  for (CUevent event : events)
    if (!error)
      error = cuEventRecord(event, config->hStream);
  return error;
}
