//===- GraphNodeKinds.h - the kinds of nodes in graphs ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kind of node states the type of a node's parameters (`Value`), makes an
// operation from them (`make`), and reads them back (`read`). The functions of
// the interface are the same for all kinds: the templates below. GraphNodes.cpp
// gives them the interface's names.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_CUDADRIVER_GRAPHNODEKINDS_H
#define PTXJIT_LIB_CUDADRIVER_GRAPHNODEKINDS_H

#include "Graph.h"

#include <type_traits>

namespace ptxjit::cuda {

/// Where the parameters of an existing node may be changed.
enum class Changes { Nowhere, InInstances, Everywhere };

template <CUgraphNodeType type, typename T,
          Changes changes = Changes::Everywhere>
struct NodeKind {
  using Value = T;
  /// Structures are passed by address, handles and addresses by value.
  using Argument = std::conditional_t<std::is_scalar_v<T>, T, const T *>;
  static constexpr CUgraphNodeType kType = type;
  static constexpr Changes kChanges = changes;
};

struct KernelNode
    : NodeKind<CU_GRAPH_NODE_TYPE_KERNEL, CUDA_KERNEL_NODE_PARAMS> {
  static CUresult make(const Value &value, OperationRef &operation);
  /// Replaces the parameters of a launch, which keeps its attributes.
  static CUresult remake(const Operation &old, const Value &value,
                         OperationRef &operation);
  static void read(const Operation &operation, Value &value);
};
/// The first version of the parameters, which has neither `kern` nor `ctx`: the
/// structure of a program ends there.
struct OldKernelNode : KernelNode {
  static CUresult make(const Value &value, OperationRef &operation);
  static CUresult remake(const Operation &old, const Value &value,
                         OperationRef &operation);
  static void read(const Operation &operation, Value &value);
};
struct CopyNode : NodeKind<CU_GRAPH_NODE_TYPE_MEMCPY, CUDA_MEMCPY3D> {
  static CUresult make(const Value &value, OperationRef &operation);
  static void read(const Operation &operation, Value &value);
};
struct FillNode : NodeKind<CU_GRAPH_NODE_TYPE_MEMSET, CUDA_MEMSET_NODE_PARAMS> {
  static CUresult make(const Value &value, OperationRef &operation);
  static void read(const Operation &operation, Value &value);
};
struct HostNode : NodeKind<CU_GRAPH_NODE_TYPE_HOST, CUDA_HOST_NODE_PARAMS> {
  static CUresult make(const Value &value, OperationRef &operation);
  static void read(const Operation &operation, Value &value);
};
struct ChildNode
    : NodeKind<CU_GRAPH_NODE_TYPE_GRAPH, CUgraph, Changes::InInstances> {
  static CUresult make(CUgraph graph, OperationRef &operation);
  static void read(const Operation &operation, CUgraph &graph);
};
struct RecordNode : NodeKind<CU_GRAPH_NODE_TYPE_EVENT_RECORD, CUevent> {
  static CUresult make(CUevent event, OperationRef &operation);
  static void read(const Operation &operation, CUevent &event);
};
struct WaitNode : NodeKind<CU_GRAPH_NODE_TYPE_WAIT_EVENT, CUevent> {
  static CUresult make(CUevent event, OperationRef &operation);
  static void read(const Operation &operation, CUevent &event);
};
/// Made by cuGraphAddMemAllocNode, since the memory depends on earlier nodes.
struct AllocNode : NodeKind<CU_GRAPH_NODE_TYPE_MEM_ALLOC,
                            CUDA_MEM_ALLOC_NODE_PARAMS, Changes::Nowhere> {
  static void read(const Operation &operation, Value &value);
};
/// Made by cuGraphAddMemFreeNode, since it matters whose memory it is.
struct FreeNode
    : NodeKind<CU_GRAPH_NODE_TYPE_MEM_FREE, CUdeviceptr, Changes::Nowhere> {
  static void read(const Operation &operation, CUdeviceptr &pointer);
};
struct BatchNode
    : NodeKind<CU_GRAPH_NODE_TYPE_BATCH_MEM_OP, CUDA_BATCH_MEM_OP_NODE_PARAMS> {
  static CUresult make(const Value &value, OperationRef &operation);
  static void read(const Operation &operation, Value &value);
};

struct SignalNode
    : NodeKind<CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL, CUDA_EXT_SEM_NODE_PARAMS> {
  static CUresult make(const Value &value, OperationRef &operation);
  static void read(const Operation &operation, Value &value);
};
struct SemaphoreWaitNode
    : NodeKind<CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT, CUDA_EXT_SEM_NODE_PARAMS> {
  static CUresult make(const Value &value, OperationRef &operation);
  static void read(const Operation &operation, Value &value);
};

/// Makes the operation of a new node.
template <typename Kind>
CUresult makeNode(typename Kind::Argument from, OperationRef &operation) {
  if constexpr (std::is_scalar_v<typename Kind::Value>)
    return Kind::make(from, operation);
  else
    return from ? Kind::make(*from, operation) : CUDA_ERROR_INVALID_VALUE;
}

/// Makes the operation that replaces the one of a node.
template <typename Kind>
CUresult remakeNode(CUgraphNode handle, typename Kind::Argument from,
                    OperationRef &operation) {
  if constexpr (!std::is_base_of_v<KernelNode, Kind>) {
    return makeNode<Kind>(from, operation);
  } else {
    GraphNode *node;
    if (CUresult error = enterNode(handle, Kind::kType, node))
      return error;
    return from ? Kind::remake(*node->operation, *from, operation)
                : CUDA_ERROR_INVALID_VALUE;
  }
}

template <typename Kind>
CUresult addNodeOf(CUgraphNode *out, CUgraph graph,
                   const CUgraphNode *dependencies, size_t count,
                   typename Kind::Argument from) {
  OperationRef operation;
  if (CUresult error = makeNode<Kind>(from, operation))
    return error;
  return addNode(out, graph, dependencies, count, std::move(operation));
}

/// Reads the parameters that a node was made from.
template <typename Kind>
CUresult readNode(CUgraphNode handle, typename Kind::Value *value) {
  GraphNode *node;
  if (CUresult error = enterNode(handle, Kind::kType, node))
    return error;
  if (!value)
    return CUDA_ERROR_INVALID_VALUE;
  Kind::read(*node->operation, *value);
  return CUDA_SUCCESS;
}

/// Replaces the operation of a node in its graph.
template <typename Kind>
CUresult changeNode(CUgraphNode node, typename Kind::Argument from) {
  OperationRef operation;
  if (CUresult error = remakeNode<Kind>(node, from, operation))
    return error;
  return setOperation(node, std::move(operation));
}

/// Replaces the operation of a node in an instance of its graph.
template <typename Kind>
CUresult changeNode(CUgraphExec exec, CUgraphNode node,
                    typename Kind::Argument from) {
  OperationRef operation;
  if (CUresult error = remakeNode<Kind>(node, from, operation))
    return error;
  return setOperation(exec, node, std::move(operation));
}

} // namespace ptxjit::cuda

#endif
