//===- External.cpp - memory of files, semaphores, user objects, logs -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Client.h"

#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace stress;

/// Copies a buffer through memory of a file, which is closed meanwhile.
void stress::copyThroughFile(Client &client) {
  Buffer *from = client.pickBuffer(), *to = client.pickBuffer();
  if (!from)
    return;
  constexpr size_t page = 4096;
  CUDA_EXTERNAL_MEMORY_HANDLE_DESC description{};
  description.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
  description.handle.fd = memfd_create("stress", MFD_CLOEXEC);
  description.size = page;
  if (ftruncate(description.handle.fd, page) != 0)
    fail("there is no memory for a file");
  CUexternalMemory memory = nullptr;
  CUDA_EXTERNAL_MEMORY_BUFFER_DESC part{};
  part.size = kBytes;
  CUdeviceptr mapped = 0;
  client.use(to->stream);
  // The descriptor is the driver's from now on.
  STRESS_OK(cuImportExternalMemory(&memory, &description));
  STRESS_OK(cuExternalMemoryGetMappedBuffer(&mapped, memory, &part));
  STRESS_OK(cuDestroyExternalMemory(memory));
  client.copyInOrder(*from, *to, [&](CUstream stream) {
    STRESS_OK(cuMemcpyAsync(mapped, from->memory, kBytes, stream));
    STRESS_OK(cuMemcpyAsync(to->memory, mapped, kBytes, stream));
  });
  client.use(to->stream);
  STRESS_OK(cuStreamSynchronize(to->stream.handle));
  STRESS_OK(cuMemFree_v2(mapped));
}

/// A stream waits for a semaphore that another one signals.
void stress::signalSemaphore(Client &client) {
  Stream writer = client.pickStream(), waiter = client.pickStream();
  CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC description{};
  description.type = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD;
  description.handle.fd = eventfd(0, EFD_CLOEXEC);
  CUexternalSemaphore semaphore = nullptr;
  CUDA_EXTERNAL_SEMAPHORE_PARAMS params{};
  STRESS_OK(cuImportExternalSemaphore(&semaphore, &description));
  client.use(writer);
  STRESS_OK(
      cuSignalExternalSemaphoresAsync(&semaphore, &params, 1, writer.handle));
  client.use(waiter);
  STRESS_OK(
      cuWaitExternalSemaphoresAsync(&semaphore, &params, 1, waiter.handle));
  STRESS_OK(cuStreamSynchronize(waiter.handle));
  STRESS_OK(cuDestroyExternalSemaphore(semaphore));
}

/// A graph has an object, which goes with it.
void stress::keepUserObject(Client &client) {
  auto destroy = [](void *data) {
    ++*static_cast<std::atomic<unsigned long> *>(data);
  };
  Stream stream = client.pickStream();
  CUgraph graph = nullptr;
  CUgraphNode node = nullptr;
  CUgraphExec exec = nullptr;
  CUuserObject object = nullptr;
  client.use(stream);
  STRESS_OK(cuGraphCreate(&graph, 0));
  STRESS_OK(cuUserObjectCreate(&object, &client.hostCallsMade, destroy, 1,
                               CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
  STRESS_OK(
      cuGraphRetainUserObject(graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE));
  ++client.hostCalls;
  STRESS_OK(cuGraphAddEmptyNode(&node, graph, nullptr, 0));
  STRESS_OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
  STRESS_OK(cuGraphDestroy(graph));
  STRESS_OK(cuGraphLaunch(exec, stream.handle));
  STRESS_OK(cuGraphExecDestroy(exec));
}

/// Errors of other threads come to the callback, too.
void stress::watchLogs(Client &client) {
  CUlogsCallbackHandle handle = nullptr;
  CUlogIterator place = 0;
  char text[256];
  size_t bytes = sizeof(text);
  client.world.makeCurrent(client.pick(client.world.options.devices));
  STRESS_OK(cuLogsRegisterCallback([](void *, int, char *, size_t) {}, nullptr,
                                   &handle));
  STRESS_OK(cuLogsCurrent(&place, 0));
  STRESS_OK(cuLogsDumpToMemory(nullptr, text, &bytes, 0));
  STRESS_OK(cuLogsUnregisterCallback(handle));
}
