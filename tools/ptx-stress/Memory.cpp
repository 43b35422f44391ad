//===- Memory.cpp - buffers in all kinds of memory ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Client.h"

using namespace stress;

/// Functions find the context of the buffer's device current. `release` is
/// called after all work on the buffer, unless it `isPooled`.
struct stress::MemoryKind {
  void (*allocate)(Buffer &buffer);
  void (*release)(Buffer &buffer);
  bool isPooled;
};

static void allocateDevice(Buffer &buffer) {
  STRESS_OK(cuMemAlloc_v2(&buffer.memory, kBytes));
}
static void allocateRows(Buffer &buffer) {
  size_t pitch = 0;
  STRESS_OK(cuMemAllocPitch_v2(&buffer.memory, &pitch, kBytes / 4, 4, 4));
  if (pitch != kBytes / 4)
    fail("the pitch is " + std::to_string(pitch));
}
static void allocateManaged(Buffer &buffer) {
  STRESS_OK(cuMemAllocManaged(&buffer.memory, kBytes, 1)); // for all streams
}
static void freeDevice(Buffer &buffer) {
  STRESS_OK(cuMemFree_v2(buffer.memory));
}

static void allocateHost(Buffer &buffer) {
  void *memory = nullptr;
  STRESS_OK(cuMemHostAlloc(&memory, kBytes, 3)); // portable, mapped
  STRESS_OK(cuMemHostGetDevicePointer_v2(&buffer.memory, memory, 0));
}
static void freeHost(Buffer &buffer) {
  STRESS_OK(cuMemFreeHost(reinterpret_cast<void *>(buffer.memory)));
}

static void registerHost(Buffer &buffer) {
  buffer.words.resize(kWords);
  STRESS_OK(cuMemHostRegister_v2(buffer.words.data(), kBytes, 3));
  STRESS_OK(
      cuMemHostGetDevicePointer_v2(&buffer.memory, buffer.words.data(), 0));
}
static void unregisterHost(Buffer &buffer) {
  STRESS_OK(cuMemHostUnregister(buffer.words.data()));
}

static void allocateInStream(Buffer &buffer) {
  STRESS_OK(cuMemAllocAsync(&buffer.memory, kBytes, buffer.stream.handle));
}
static void freeInStream(Buffer &buffer) {
  STRESS_OK(cuMemFreeAsync(buffer.memory, buffer.stream.handle));
}

static void allocateFromPool(Buffer &buffer) {
  CUmemPoolProps properties{};
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, int(buffer.device)};
  STRESS_OK(cuMemPoolCreate(&buffer.pool, &properties));
  STRESS_OK(cuMemAllocFromPoolAsync(&buffer.memory, kBytes, buffer.pool,
                                    buffer.stream.handle));
}
static void freeToPool(Buffer &buffer) {
  STRESS_OK(cuMemFreeAsync(buffer.memory, buffer.stream.handle));
  STRESS_OK(cuMemPoolDestroy(buffer.pool));
}

static void mapMemory(Buffer &buffer) {
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, int(buffer.device)};
  STRESS_OK(cuMemGetAllocationGranularity(&buffer.mapped, &properties, 0));
  STRESS_OK(cuMemAddressReserve(&buffer.memory, buffer.mapped, 0, 0, 0));
  STRESS_OK(cuMemCreate(&buffer.handle, buffer.mapped, &properties, 0));
  STRESS_OK(cuMemMap(buffer.memory, buffer.mapped, 0, buffer.handle, 0));
  CUmemAccessDesc access{properties.location,
                         CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  STRESS_OK(cuMemSetAccess(buffer.memory, buffer.mapped, &access, 1));
}
static void unmapMemory(Buffer &buffer) {
  STRESS_OK(cuMemUnmap(buffer.memory, buffer.mapped));
  STRESS_OK(cuMemRelease(buffer.handle));
  STRESS_OK(cuMemAddressFree(buffer.memory, buffer.mapped));
}

static const MemoryKind memoryKinds[] = {
    {allocateDevice, freeDevice, false},
    {allocateRows, freeDevice, false},
    {allocateManaged, freeDevice, false},
    {allocateHost, freeHost, false},
    {registerHost, unregisterHost, false},
    {allocateInStream, freeInStream, true},
    {allocateFromPool, freeToPool, true},
    {mapMemory, unmapMemory, false},
};

bool Buffer::isPooled() const { return kind->isPooled; }

void stress::makeBuffer(Client &client) {
  if (client.buffers.size() >= 24)
    return dropBuffer(client);
  Buffer buffer;
  buffer.stream = client.pickStream();
  buffer.kind =
      &memoryKinds[client.pick(sizeof(memoryKinds) / sizeof(memoryKinds[0]))];
  buffer.device = buffer.isPooled() ? buffer.stream.device
                                    : client.pick(client.world.options.devices);
  client.world.makeCurrent(buffer.device);
  buffer.kind->allocate(buffer);
  client.buffers.push_back(std::move(buffer));
  Buffer &made = client.buffers.back();
  made.content = {client.pickValue(), 0};
  client.use(made.stream);
  STRESS_OK(cuMemsetD32Async(made.memory, made.content.first, kWords,
                             made.stream.handle));
}

void Client::release(Buffer &buffer) {
  if (buffer.instance.exec)
    STRESS_OK(cuGraphExecDestroy(buffer.instance.exec));
  use(buffer.stream);
  if (!buffer.isPooled()) {
    STRESS_OK(cuStreamSynchronize(buffer.stream.handle));
    world.makeCurrent(buffer.device);
  }
  buffer.kind->release(buffer);
}

void stress::dropBuffer(Client &client) {
  Buffer *buffer = client.pickBuffer();
  if (!buffer)
    return;
  client.release(*buffer);
  std::swap(*buffer, client.buffers.back());
  client.buffers.pop_back();
}

void stress::verifyBuffer(Client &client) {
  if (Buffer *buffer = client.pickBuffer())
    client.verify(*buffer);
}

/// Memory that lives for a moment, of a pool that is destroyed while the stream
/// still uses it.
void stress::usePool(Client &client) {
  Buffer buffer;
  buffer.stream = client.pickStream();
  buffer.device = buffer.stream.device;
  client.use(buffer.stream);
  allocateFromPool(buffer);
  uint64_t threshold = client.pick(2) ? UINT64_MAX : 0, used = 0;
  STRESS_OK(cuMemPoolSetAttribute(
      buffer.pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
  STRESS_OK(cuMemsetD32Async(buffer.memory, 1, kWords, buffer.stream.handle));
  STRESS_OK(cuMemPoolGetAttribute(buffer.pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT,
                                  &used));
  if (used < kBytes)
    fail("a pool uses " + std::to_string(used) + " bytes");
  freeToPool(buffer);
}

void stress::trimPools(Client &client) {
  CUmemoryPool pool = nullptr;
  CUdevice device = CUdevice(client.pick(client.world.options.devices));
  client.world.makeCurrent(unsigned(device));
  STRESS_OK(cuDeviceGetDefaultMemPool(&pool, device));
  STRESS_OK(cuMemPoolTrimTo(pool, client.pick(2) << 16));
  STRESS_OK(cuDeviceGraphMemTrim(device));
  uint64_t reserved = 0;
  STRESS_OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT,
                                  &reserved));
}
