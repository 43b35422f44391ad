//===- Copies.cpp - copies in all directions ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Client.h"

using namespace stress;

static std::vector<unsigned> makeWords(const Content &content) {
  std::vector<unsigned> words(kWords);
  for (unsigned i = 0; i < kWords; ++i)
    words[i] = content.at(i);
  return words;
}

/// Picks two buffers, which may be the same.
static bool pickTwo(Client &client, Buffer *&from, Buffer *&to) {
  from = client.pickBuffer();
  to = client.pickBuffer();
  return from;
}

/// The words may go as soon as the call returns.
void stress::upload(Client &client) {
  Buffer *buffer = client.pickBuffer();
  if (!buffer)
    return;
  buffer->content = {client.pickValue(), client.pickValue()};
  std::vector<unsigned> words = makeWords(buffer->content);
  client.use(buffer->stream);
  STRESS_OK(cuMemcpyHtoDAsync_v2(buffer->memory, words.data(), kBytes,
                                 buffer->stream.handle));
}

void stress::uploadPinned(Client &client) {
  Buffer *buffer = client.pickBuffer();
  if (!buffer)
    return;
  buffer->content = {client.pickValue(), client.pickValue()};
  client.use(buffer->stream);
  unsigned *words = nullptr;
  STRESS_OK(cuMemAllocHost_v2(reinterpret_cast<void **>(&words), kBytes));
  for (unsigned i = 0; i < kWords; ++i)
    words[i] = buffer->content.at(i);
  STRESS_OK(cuMemcpyHtoDAsync_v2(buffer->memory, words, kBytes,
                                 buffer->stream.handle));
  STRESS_OK(cuStreamSynchronize(buffer->stream.handle));
  STRESS_OK(cuMemFreeHost(words));
}

void stress::uploadAndWait(Client &client) {
  Buffer *buffer = client.pickBuffer();
  if (!buffer)
    return;
  client.use(buffer->stream);
  STRESS_OK(cuStreamSynchronize(buffer->stream.handle));
  buffer->content = {client.pickValue(), client.pickValue()};
  std::vector<unsigned> words = makeWords(buffer->content);
  STRESS_OK(cuMemcpyHtoD_v2(buffer->memory, words.data(), kBytes));
}

void stress::copyBuffer(Client &client) {
  Buffer *from, *to;
  if (!pickTwo(client, from, to))
    return;
  bool isGeneral = client.pick(2);
  client.copyInOrder(*from, *to, [&](CUstream stream) {
    if (isGeneral)
      STRESS_OK(cuMemcpyAsync(to->memory, from->memory, kBytes, stream));
    else
      STRESS_OK(cuMemcpyDtoDAsync_v2(to->memory, from->memory, kBytes, stream));
  });
}

void stress::copyBetweenDevices(Client &client) {
  Buffer *from, *to;
  if (!pickTwo(client, from, to))
    return;
  const std::vector<CUcontext> &contexts = client.world.contexts;
  client.copyInOrder(*from, *to, [&](CUstream stream) {
    STRESS_OK(cuMemcpyPeerAsync(to->memory, contexts[to->device], from->memory,
                                contexts[from->device], kBytes, stream));
  });
}

/// The left half of all rows, and then the right one.
void stress::copyRows(Client &client) {
  Buffer *from, *to;
  if (!pickTwo(client, from, to))
    return;
  client.copyInOrder(*from, *to, [&](CUstream stream) {
    CUDA_MEMCPY2D copy{};
    copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.srcDevice = from->memory;
    copy.dstDevice = to->memory;
    copy.srcPitch = copy.dstPitch = 128;
    copy.WidthInBytes = 64;
    copy.Height = kBytes / 128;
    for (size_t x : {0, 64}) {
      copy.srcXInBytes = copy.dstXInBytes = x;
      STRESS_OK(cuMemcpy2DAsync_v2(&copy, stream));
    }
  });
}

void stress::copyBox(Client &client) {
  Buffer *from, *to;
  if (!pickTwo(client, from, to))
    return;
  bool isPeer = client.pick(2);
  CUDA_MEMCPY3D_PEER peer{};
  peer.srcMemoryType = peer.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  peer.srcDevice = from->memory;
  peer.dstDevice = to->memory;
  peer.srcPitch = peer.dstPitch = peer.WidthInBytes = 64;
  peer.srcHeight = peer.dstHeight = peer.Height = 4;
  peer.Depth = kBytes / 256;
  CUDA_MEMCPY3D copy{};
  copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = from->memory;
  copy.dstDevice = to->memory;
  copy.srcPitch = copy.dstPitch = copy.WidthInBytes = 64;
  copy.srcHeight = copy.dstHeight = copy.Height = 4;
  copy.Depth = peer.Depth;
  peer.srcContext = client.world.contexts[from->device];
  peer.dstContext = client.world.contexts[to->device];
  client.copyInOrder(*from, *to, [&](CUstream stream) {
    if (isPeer)
      STRESS_OK(cuMemcpy3DPeerAsync(&peer, stream));
    else
      STRESS_OK(cuMemcpy3DAsync_v2(&copy, stream));
  });
}

/// The two halves of a buffer as a batch.
void stress::copyBatch(Client &client) {
  Buffer *from, *to;
  if (!pickTwo(client, from, to) || to->stream.handle == CU_STREAM_LEGACY ||
      to->stream.handle == CU_STREAM_PER_THREAD)
    return;
  client.copyInOrder(*from, *to, [&](CUstream stream) {
    CUdeviceptr targets[] = {to->memory, to->memory + kBytes / 2};
    CUdeviceptr sources[] = {from->memory, from->memory + kBytes / 2};
    size_t sizes[] = {kBytes / 2, kBytes / 2};
    CUmemcpyAttributes attributes{};
    attributes.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
    size_t start = 0;
    STRESS_OK(cuMemcpyBatchAsync_v2(targets, sources, sizes, 2, &attributes,
                                    &start, 1, stream));
  });
}

/// Without a stream: the caller waits for the work on both buffers before.
void stress::copyAndWait(Client &client) {
  Buffer *from, *to;
  if (!pickTwo(client, from, to))
    return;
  for (Buffer *buffer : {from, to}) {
    client.use(buffer->stream);
    STRESS_OK(cuStreamSynchronize(buffer->stream.handle));
  }
  STRESS_OK(cuMemcpy(to->memory, from->memory, kBytes));
  // A copy on the device may return before it is done.
  STRESS_OK(cuStreamSynchronize(CU_STREAM_LEGACY));
  to->content = from->content;
}
