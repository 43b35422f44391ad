//===- External.cpp - external memory and semaphores ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Most structures are those of the driver.
//
//===----------------------------------------------------------------------===//

#include "Runtime.h"

using namespace ptxjit;
using namespace ptxjit::cudart;

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

PTXJIT_CUDART_API(cudaImportExternalMemory,
                  (CUexternalMemory * out,
                   const CUDA_EXTERNAL_MEMORY_HANDLE_DESC *desc),
                  out, desc) {
  return cuImportExternalMemory(out, desc);
}
PTXJIT_CUDART_API(cudaExternalMemoryGetMappedBuffer,
                  (void **out, CUexternalMemory memory,
                   const CUDA_EXTERNAL_MEMORY_BUFFER_DESC *desc),
                  out, memory, desc) {
  return cuExternalMemoryGetMappedBuffer(reinterpret_cast<CUdeviceptr *>(out),
                                         memory, desc);
}
PTXJIT_CUDART_API(cudaExternalMemoryGetMappedMipmappedArray,
                  (CUmipmappedArray * out, CUexternalMemory memory,
                   const cudaExternalMemoryMipmappedArrayDesc *desc),
                  out, memory, desc) {
  if (!desc)
    return cudaErrorInvalidValue;
  const auto &[width, height, depth] = desc->extent;
  CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC same{};
  same.offset = desc->offset;
  same.numLevels = desc->numLevels;
  same.arrayDesc = {width, height, depth, CU_AD_FORMAT_FLOAT, 1, desc->flags};
  if (int error = toDriver(desc->formatDesc, same.arrayDesc.Format,
                           same.arrayDesc.NumChannels))
    return error;
  return cuExternalMemoryGetMappedMipmappedArray(out, memory, &same);
}
PTXJIT_CUDART_API(cudaDestroyExternalMemory, (CUexternalMemory memory),
                  memory) {
  return cuDestroyExternalMemory(memory);
}

//===----------------------------------------------------------------------===//
// Semaphores
//===----------------------------------------------------------------------===//

PTXJIT_CUDART_API(cudaImportExternalSemaphore,
                  (CUexternalSemaphore * out,
                   const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC *desc),
                  out, desc) {
  return cuImportExternalSemaphore(out, desc);
}
PTXJIT_CUDART_API(cudaDestroyExternalSemaphore, (CUexternalSemaphore semaphore),
                  semaphore) {
  return cuDestroyExternalSemaphore(semaphore);
}
PTXJIT_CUDART_STREAM_API(cudaSignalExternalSemaphoresAsync, _ptsz,
                         (const CUexternalSemaphore *semaphores,
                          const CUDA_EXTERNAL_SEMAPHORE_PARAMS *params,
                          unsigned count, CUstream stream),
                         semaphores, params, count, stream) {
  return cuSignalExternalSemaphoresAsync(semaphores, params, count,
                                         streamOf(stream));
}
PTXJIT_CUDART_STREAM_API(cudaWaitExternalSemaphoresAsync, _ptsz,
                         (const CUexternalSemaphore *semaphores,
                          const CUDA_EXTERNAL_SEMAPHORE_PARAMS *params,
                          unsigned count, CUstream stream),
                         semaphores, params, count, stream) {
  return cuWaitExternalSemaphoresAsync(semaphores, params, count,
                                       streamOf(stream));
}

//===----------------------------------------------------------------------===//
// Nodes of graphs
//===----------------------------------------------------------------------===//

PTXJIT_CUDART_API(cudaGraphAddExternalSemaphoresSignalNode,
                  (CUgraphNode * out, CUgraph graph,
                   const CUgraphNode *dependencies, size_t count,
                   const CUDA_EXT_SEM_NODE_PARAMS *params),
                  out, graph, dependencies, count, params) {
  return cuGraphAddExternalSemaphoresSignalNode(out, graph, dependencies, count,
                                                params);
}
PTXJIT_CUDART_API(cudaGraphAddExternalSemaphoresWaitNode,
                  (CUgraphNode * out, CUgraph graph,
                   const CUgraphNode *dependencies, size_t count,
                   const CUDA_EXT_SEM_NODE_PARAMS *params),
                  out, graph, dependencies, count, params) {
  return cuGraphAddExternalSemaphoresWaitNode(out, graph, dependencies, count,
                                              params);
}
PTXJIT_CUDART_API(cudaGraphExternalSemaphoresSignalNodeGetParams,
                  (CUgraphNode node, CUDA_EXT_SEM_NODE_PARAMS *params), node,
                  params) {
  return cuGraphExternalSemaphoresSignalNodeGetParams(node, params);
}
PTXJIT_CUDART_API(cudaGraphExternalSemaphoresWaitNodeGetParams,
                  (CUgraphNode node, CUDA_EXT_SEM_NODE_PARAMS *params), node,
                  params) {
  return cuGraphExternalSemaphoresWaitNodeGetParams(node, params);
}
PTXJIT_CUDART_API(cudaGraphExternalSemaphoresSignalNodeSetParams,
                  (CUgraphNode node, const CUDA_EXT_SEM_NODE_PARAMS *params),
                  node, params) {
  return cuGraphExternalSemaphoresSignalNodeSetParams(node, params);
}
PTXJIT_CUDART_API(cudaGraphExternalSemaphoresWaitNodeSetParams,
                  (CUgraphNode node, const CUDA_EXT_SEM_NODE_PARAMS *params),
                  node, params) {
  return cuGraphExternalSemaphoresWaitNodeSetParams(node, params);
}
PTXJIT_CUDART_API(cudaGraphExecExternalSemaphoresSignalNodeSetParams,
                  (CUgraphExec exec, CUgraphNode node,
                   const CUDA_EXT_SEM_NODE_PARAMS *params),
                  exec, node, params) {
  return cuGraphExecExternalSemaphoresSignalNodeSetParams(exec, node, params);
}
PTXJIT_CUDART_API(cudaGraphExecExternalSemaphoresWaitNodeSetParams,
                  (CUgraphExec exec, CUgraphNode node,
                   const CUDA_EXT_SEM_NODE_PARAMS *params),
                  exec, node, params) {
  return cuGraphExecExternalSemaphoresWaitNodeSetParams(exec, node, params);
}
