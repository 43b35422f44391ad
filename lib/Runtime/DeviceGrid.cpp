//===- DeviceGrid.cpp - what a grid asks of the runtime -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of CUDA's cuda_device_runtime_api.h. Where CUDA's documentation
// leaves an answer open, it is that of an H100.
//
//===----------------------------------------------------------------------===//

#include "DeviceGrid.h"
#include "ptxjit/Runtime/CudaErrors.h"
#include "ptxjit/Runtime/DeviceHeap.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <new>
#include <utility>

using namespace ptxjit;

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// Finds the kernel whose address a thread has. Null if it is none's.
const PtxjitKernelInfo *DeviceGrid::findKernel(uint64_t address) const {
  constexpr uint64_t first = PTXJIT_FUNCTION_ADDRESS(0),
                     step = PTXJIT_FUNCTION_ADDRESS(1) - first;
  uint64_t index = (address - first) / step;
  if (address < first || (address - first) % step ||
      index >= module.numFunctions)
    return nullptr;
  const PtxjitKernelInfo *end = module.kernels + module.numKernels;
  const PtxjitKernelInfo *kernel =
      std::find_if(module.kernels, end, [&](const PtxjitKernelInfo &each) {
        return std::strcmp(each.name, module.functions[index]) == 0;
      });
  return kernel == end ? nullptr : kernel;
}

/// Keeps a launch until take(). \returns the address of its parameters.
uint64_t DeviceGrid::keep(std::unique_ptr<ChildLaunch> launch) {
  auto address = reinterpret_cast<uint64_t>(launch->params.data());
  std::lock_guard<std::mutex> lock(mutex);
  buffers[address] = std::move(launch);
  return address;
}

std::unique_ptr<ChildLaunch> DeviceGrid::take(uint64_t buffer) {
  std::lock_guard<std::mutex> lock(mutex);
  auto it = buffers.find(buffer);
  if (it == buffers.end())
    return nullptr;
  std::unique_ptr<ChildLaunch> launch = std::move(it->second);
  buffers.erase(it);
  return launch;
}

/// Completes the extents of a launch. \returns a CudaError.
int DeviceGrid::check(ChildLaunch &launch) const {
  const PtxjitKernelInfo &kernel = *launch.kernel;
  std::string why;
  if (completeShape(kernel, launch.shape, why) != LaunchStatus::Ok ||
      !isValidGrid(launch.shape.grid))
    return cudaErrorInvalidConfiguration;
  const uint32_t (&block)[3] = launch.shape.block;
  if (block[0] * block[1] * block[2] > mostThreads(kernel))
    return cudaErrorInvalidConfiguration;
  constexpr uint32_t largest = 227 << 10; // of any GPU
  uint32_t mostShared =
      services ? uint32_t(services->getAttribute(
                     kernel.name, KernelAttribute::MostDynamicShared))
               : largest;
  return launch.shared > mostShared ? cudaErrorInvalidConfiguration
                                    : cudaSuccess;
}

int &DeviceGrid::lastErrorOf(uint64_t cta, int32_t thread) {
  constexpr uint64_t mostThreads = 1024;
  return lastErrors[cta * mostThreads + uint64_t(thread)];
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

namespace ptxjit {

/// One call of a thread. Functions that return int return a CudaError.
class DeviceCall {
public:
  DeviceCall(DeviceGrid &grid, const SystemCall &call, uint64_t cta)
      : grid(grid), call(call), cta(cta) {}

  /// Does a call whose result is an address.
  uint64_t findAddress(PtxjitSystemFunction function);
  /// Does any other call but those for the last error.
  int run(PtxjitSystemFunction function);

  int getLastError(bool clear);
  void setLastError(int error);

private:
  /// As CUDA passes extents.
  struct Extents {
    uint32_t x, y, z;
  };
  struct PitchedPointer {
    uint64_t address, pitch, width, height;
  };
  struct Box {
    uint64_t x, y, z;
  };
  /// cudaMemcpy3DParms.
  struct Copy3D {
    uint64_t fromArray;
    Box fromAt;
    PitchedPointer from;
    uint64_t toArray;
    Box toAt;
    PitchedPointer to;
    Box extent;
    uint32_t kind;
  };
  static_assert(sizeof(Copy3D) == 160, "as in CUDA's header");

  uint64_t pointer(unsigned i) const { return call.readPointer(i); }
  uint32_t word(unsigned i) const { return call.read<uint32_t>(i); }
  int add(DeviceWork work, uint64_t stream) {
    return grid.streams.add(std::move(work), stream, cta);
  }
  [[noreturn]] void failAt(uint64_t address) const {
    FaultScope::leave(LaunchStatus::IllegalAddress, address, call.caller);
  }

  /// Stores a result where argument 0 points to.
  template <typename T> int answer(const T &value) {
    if (!pointer(0))
      return cudaErrorInvalidValue;
    FaultScope::Reading reading(call.caller);
    std::memcpy(reinterpret_cast<void *>(pointer(0)), &value, sizeof(value));
    return cudaSuccess;
  }

  const PtxjitKernelInfo &needKernel(uint64_t address) const;
  uint64_t makeBuffer(size_t bytes, std::unique_ptr<ChildLaunch> launch);
  uint64_t getBuffer();
  uint64_t getBufferFor();
  int launch(std::unique_ptr<ChildLaunch> launch, uint64_t stream);
  int launchBuffer();
  int launchAs();
  int getDeviceAttribute();
  int getLimit();
  int getFunctionAttributes();
  int getOccupancy();
  int allocate();
  int release();
  int createStream();
  int createEvent();
  int copy();
  int copy2D();
  int copy3D();
  int fill2D();
  int fill3D();

  DeviceGrid &grid;
  const SystemCall &call;
  uint64_t cta;
};

} // namespace ptxjit

int DeviceCall::getLastError(bool clear) {
  std::lock_guard<std::mutex> lock(grid.mutex);
  if (grid.lastErrors.empty())
    return cudaSuccess;
  int &error = grid.lastErrorOf(cta, call.caller.thread);
  return clear ? std::exchange(error, cudaSuccess) : error;
}

void DeviceCall::setLastError(int error) {
  std::lock_guard<std::mutex> lock(grid.mutex);
  grid.lastErrorOf(cta, call.caller.thread) = error;
}

/// A launch of what is no kernel is a bad access, as on hardware.
const PtxjitKernelInfo &DeviceCall::needKernel(uint64_t address) const {
  const PtxjitKernelInfo *kernel = grid.findKernel(address);
  if (!kernel)
    failAt(address);
  return *kernel;
}

uint64_t DeviceCall::makeBuffer(size_t bytes,
                                std::unique_ptr<ChildLaunch> launch) {
  launch->params.resize(bytes / sizeof(ParameterChunk) + 1);
  return grid.keep(std::move(launch));
}

/// cudaGetParameterBuffer(alignment, bytes): of an alignment up to that of
/// ParameterChunk. LaunchDevice names the kernel.
uint64_t DeviceCall::getBuffer() {
  constexpr uint64_t most = 32764; // of a kernel's parameters, in bytes
  if (pointer(0) > alignof(ParameterChunk) || pointer(1) > most)
    return 0;
  return makeBuffer(pointer(1), std::make_unique<ChildLaunch>());
}

/// cudaGetParameterBufferV2(kernel, grid, block, shared). The launch checks
/// the extents.
uint64_t DeviceCall::getBufferFor() {
  const PtxjitKernelInfo &kernel = needKernel(pointer(0));
  auto ctas = call.read<Extents>(1), threads = call.read<Extents>(2);
  auto launch = std::make_unique<ChildLaunch>();
  launch->kernel = &kernel;
  launch->shape = {{ctas.x, ctas.y, ctas.z}, {threads.x, threads.y, threads.z}};
  launch->shared = word(3);
  return makeBuffer(kernel.paramBytes, std::move(launch));
}

/// Launches what a buffer is for, which is then no buffer any more. Of several
/// threads that launch the same one, the others have a bad address.
int DeviceCall::launch(std::unique_ptr<ChildLaunch> launch, uint64_t stream) {
  int error = grid.check(*launch);
  return error ? error : add(std::move(*launch), stream);
}

/// cudaLaunchDeviceV2(buffer, stream).
int DeviceCall::launchBuffer() {
  std::unique_ptr<ChildLaunch> known = grid.take(pointer(0));
  bool isComplete = known && known->kernel;
  if (!isComplete) {
    known.reset();
    failAt(pointer(0));
  }
  return launch(std::move(known), pointer(1));
}

/// cudaLaunchDevice(kernel, buffer, grid, block, shared, stream).
int DeviceCall::launchAs() {
  const PtxjitKernelInfo &kernel = needKernel(pointer(0));
  std::unique_ptr<ChildLaunch> known = grid.take(pointer(1));
  bool isLarge = known && known->params.size() * sizeof(ParameterChunk) >=
                              kernel.paramBytes;
  if (!isLarge) {
    known.reset();
    failAt(pointer(1));
  }
  auto ctas = call.read<Extents>(2), threads = call.read<Extents>(3);
  known->kernel = &kernel;
  known->shape = {{ctas.x, ctas.y, ctas.z}, {threads.x, threads.y, threads.z}};
  known->shared = word(4);
  return launch(std::move(known), pointer(5));
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

int DeviceCall::getDeviceAttribute() {
  int value = 0;
  if (!grid.services)
    return cudaErrorNotSupported;
  int error = grid.services->getAttribute(int(word(1)), value);
  return error ? error : answer(value);
}

int DeviceCall::getLimit() {
  uint64_t value = 0;
  if (!grid.services)
    return cudaErrorNotSupported;
  int error = grid.services->getLimit(int(word(1)), value);
  return error ? error : answer(value);
}

/// cudaFuncGetAttributes(attributes, kernel). Hardware fills in the first
/// members only.
int DeviceCall::getFunctionAttributes() {
  struct Attributes {
    uint64_t shared, constant, local; ///< bytes
    int32_t mostThreads, registers, ptxVersion, binaryVersion;
  };
  if (!grid.services)
    return cudaErrorNotSupported;
  const PtxjitKernelInfo *kernel = grid.findKernel(pointer(1));
  if (!kernel)
    return cudaErrorInvalidValue;
  auto get = [&](KernelAttribute attribute) {
    return grid.services->getAttribute(kernel->name, attribute);
  };
  auto getBytes = [&](KernelAttribute attribute) {
    return uint64_t(get(attribute));
  };
  return answer(Attributes{
      getBytes(KernelAttribute::Shared), getBytes(KernelAttribute::Constant),
      getBytes(KernelAttribute::Local), get(KernelAttribute::MostThreads),
      get(KernelAttribute::Registers), get(KernelAttribute::PtxVersion),
      get(KernelAttribute::BinaryVersion)});
}

/// (int *ctas, kernel, int threads, size_t shared).
int DeviceCall::getOccupancy() {
  if (!grid.services)
    return cudaErrorNotSupported;
  const PtxjitKernelInfo &kernel = needKernel(pointer(1));
  auto threads = int32_t(word(2));
  if (threads <= 0) {
    answer(0);
    return cudaErrorInvalidValue;
  }
  return answer(threads > 1024 ? 0
                               : grid.services->countResidentCtas(
                                     kernel.name, threads, pointer(3)));
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

int DeviceCall::allocate() {
  if (!pointer(0) || !pointer(1))
    return cudaErrorInvalidValue;
  void *block = heap::allocate(pointer(1));
  return block ? answer(block) : int(cudaErrorMemoryAllocation);
}

int DeviceCall::release() {
  if (pointer(0) && !heap::release(reinterpret_cast<void *>(pointer(0))))
    failAt(pointer(0));
  return cudaSuccess;
}

/// Of the kinds of copies the device has those between its own memory.
static bool isKindOfDevice(uint32_t kind) {
  constexpr uint32_t deviceToDevice = 3, byAddress = 4;
  return kind == deviceToDevice || kind == byAddress;
}

/// (to, from, bytes, kind, stream).
int DeviceCall::copy() {
  if (!isKindOfDevice(word(3)))
    return cudaErrorInvalidMemcpyDirection;
  return add(
      BoxCopy{{pointer(0), 0, 0}, {pointer(1), 0, 0}, {pointer(2), 1, 1}},
      pointer(4));
}

/// (to, its pitch, from, its pitch, width, height, kind, stream).
int DeviceCall::copy2D() {
  if (!isKindOfDevice(word(6)))
    return cudaErrorInvalidMemcpyDirection;
  if (pointer(4) > pointer(1) || pointer(4) > pointer(3))
    return cudaErrorInvalidPitchValue;
  return add(BoxCopy{{pointer(0), pointer(1), 0},
                     {pointer(2), pointer(3), 0},
                     {pointer(4), pointer(5), 1}},
             pointer(7));
}

int DeviceCall::copy3D() {
  if (!pointer(0))
    return cudaErrorInvalidValue;
  Copy3D copy;
  {
    FaultScope::Reading reading(call.caller);
    std::memcpy(&copy, reinterpret_cast<const void *>(pointer(0)),
                sizeof(copy));
  }
  if (copy.fromArray || copy.toArray)
    return cudaErrorNotSupported;
  if (!isKindOfDevice(copy.kind))
    return cudaErrorInvalidMemcpyDirection;
  if (copy.extent.x > copy.from.pitch || copy.extent.x > copy.to.pitch)
    return cudaErrorInvalidPitchValue;
  auto boxOf = [](const PitchedPointer &memory, const Box &at) {
    uint64_t slice = memory.pitch * memory.height;
    return ByteBox{memory.address + at.x + at.y * memory.pitch + at.z * slice,
                   memory.pitch, slice};
  };
  return add(BoxCopy{boxOf(copy.to, copy.toAt),
                     boxOf(copy.from, copy.fromAt),
                     {copy.extent.x, copy.extent.y, copy.extent.z}},
             pointer(1));
}

/// (to, pitch, value, width, height, stream).
int DeviceCall::fill2D() {
  if (pointer(3) > pointer(1))
    return cudaErrorInvalidValue;
  return add(BoxFill{{pointer(0), pointer(1), 0},
                     {pointer(3), pointer(4), 1},
                     uint8_t(word(2))},
             pointer(5));
}

/// (to, value, extent, stream).
int DeviceCall::fill3D() {
  auto to = call.read<PitchedPointer>(0);
  auto extent = call.read<Box>(2);
  if (extent.x > to.pitch)
    return cudaErrorInvalidValue;
  return add(BoxFill{{to.address, to.pitch, to.pitch * to.height},
                     {extent.x, extent.y, extent.z},
                     uint8_t(word(1))},
             pointer(3));
}

//===----------------------------------------------------------------------===//
// Streams and events
//===----------------------------------------------------------------------===//

/// (stream, flags): all streams run beside each other, whatever the flags say.
int DeviceCall::createStream() {
  constexpr uint32_t nonBlocking = 1;
  if (!pointer(0) || word(1) > nonBlocking)
    return cudaErrorInvalidValue;
  return answer(grid.streams.createStream());
}

/// (event, flags): only events without times exist.
int DeviceCall::createEvent() {
  constexpr uint32_t disableTiming = 2;
  if (!pointer(0) || word(1) != disableTiming)
    return cudaErrorInvalidValue;
  return answer(grid.streams.createEvent());
}

//===----------------------------------------------------------------------===//
// Dispatch
//===----------------------------------------------------------------------===//

uint64_t DeviceCall::findAddress(PtxjitSystemFunction function) {
  switch (function) {
  case PTXJIT_SYSTEM_GET_ERROR_STRING:
    return reinterpret_cast<uint64_t>(describeError(int(word(0))));
  case PTXJIT_SYSTEM_GET_ERROR_NAME:
    return reinterpret_cast<uint64_t>(nameError(int(word(0))));
  case PTXJIT_SYSTEM_GET_BUFFER:
    return getBuffer();
  default:
    assert(function == PTXJIT_SYSTEM_GET_BUFFER_FOR);
    return getBufferFor();
  }
}

int DeviceCall::run(PtxjitSystemFunction function) {
  switch (function) {
  case PTXJIT_SYSTEM_GET_VERSION: {
    constexpr int version = 6000; // of the device's runtime, as CUDA 13 says
    return answer(version);
  }
  case PTXJIT_SYSTEM_GET_DEVICE:
    return answer(grid.services ? grid.services->getDevice() : 0);
  case PTXJIT_SYSTEM_GET_DEVICE_COUNT:
    return answer(grid.services ? grid.services->countDevices() : 1);
  case PTXJIT_SYSTEM_GET_DEVICE_ATTRIBUTE:
    return getDeviceAttribute();
  case PTXJIT_SYSTEM_GET_LIMIT:
    return getLimit();
  case PTXJIT_SYSTEM_GET_CACHE_CONFIG:
  case PTXJIT_SYSTEM_GET_SHARED_CONFIG:
    return answer(int32_t(0)); // no preference
  case PTXJIT_SYSTEM_GET_FUNCTION_ATTRIBUTES:
    return getFunctionAttributes();
  case PTXJIT_SYSTEM_GET_OCCUPANCY:
  case PTXJIT_SYSTEM_GET_OCCUPANCY_WITH_FLAGS:
    return getOccupancy();
  case PTXJIT_SYSTEM_DEVICE_MALLOC:
    return allocate();
  case PTXJIT_SYSTEM_DEVICE_FREE:
    return release();
  case PTXJIT_SYSTEM_CREATE_STREAM:
    return createStream();
  case PTXJIT_SYSTEM_DESTROY_STREAM:
    return grid.streams.destroyStream(pointer(0));
  case PTXJIT_SYSTEM_CREATE_EVENT:
    return createEvent();
  case PTXJIT_SYSTEM_DESTROY_EVENT:
    return grid.streams.destroyEvent(pointer(0));
  case PTXJIT_SYSTEM_RECORD_EVENT:
    return grid.streams.recordEvent(pointer(0), pointer(1), cta);
  case PTXJIT_SYSTEM_RECORD_EVENT_WITH_FLAGS:
    return word(2) ? int(cudaErrorInvalidValue)
                   : grid.streams.recordEvent(pointer(0), pointer(1), cta);
  case PTXJIT_SYSTEM_WAIT_FOR_EVENT:
    return grid.streams.waitForEvent(pointer(1), pointer(0), cta);
  case PTXJIT_SYSTEM_COPY:
    return copy();
  case PTXJIT_SYSTEM_COPY_2D:
    return copy2D();
  case PTXJIT_SYSTEM_COPY_3D:
    return copy3D();
  case PTXJIT_SYSTEM_FILL:
    return add(
        BoxFill{{pointer(0), 0, 0}, {pointer(2), 1, 1}, uint8_t(word(1))},
        pointer(3));
  case PTXJIT_SYSTEM_FILL_2D:
    return fill2D();
  case PTXJIT_SYSTEM_FILL_3D:
    return fill3D();
  case PTXJIT_SYSTEM_LAUNCH:
    return launchAs();
  case PTXJIT_SYSTEM_LAUNCH_BUFFER:
    return launchBuffer();
  default:
    assert(false && "not a function of the device's runtime");
    return cudaErrorUnknown;
  }
}

static bool returnsAddress(PtxjitSystemFunction function) {
  return function == PTXJIT_SYSTEM_GET_ERROR_STRING ||
         function == PTXJIT_SYSTEM_GET_ERROR_NAME ||
         function == PTXJIT_SYSTEM_GET_BUFFER ||
         function == PTXJIT_SYSTEM_GET_BUFFER_FOR;
}

void DeviceGrid::call(PtxjitSystemFunction function, const SystemCall &call,
                      uint64_t cta) {
  DeviceCall device(*this, call, cta);
  unsigned result = countParams(function);
  bool isQuestion = function == PTXJIT_SYSTEM_DEVICE_RUNTIME ||
                    function == PTXJIT_SYSTEM_PEEK_AT_LAST_ERROR;
  if (isQuestion) {
    bool clear = function == PTXJIT_SYSTEM_DEVICE_RUNTIME;
    call.write(result, uint64_t(device.getLastError(clear)), sizeof(int));
    return;
  }
  uint64_t address = 0;
  int error = cudaSuccess;
  try {
    if (returnsAddress(function))
      address = device.findAddress(function);
    else
      error = device.run(function);
  } catch (const std::bad_alloc &) {
    error = cudaErrorMemoryAllocation;
  }
  if (error)
    device.setLastError(error);
  if (returnsAddress(function))
    call.write(result, address, sizeof(address));
  else
    call.write(result, uint64_t(error), sizeof(error));
}
