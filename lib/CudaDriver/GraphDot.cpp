//===- GraphDot.cpp - prints graphs for Graphviz --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuGraphDebugDotPrint prints a graph's nodes and edges in the DOT language,
// with the names and shapes of kernels. A child graph, or a body of a
// conditional node, is a box of its own.
//
//===----------------------------------------------------------------------===//

#include "Graph.h"

#include <cstring>
#include <fstream>
#include <sstream>

using namespace ptxjit;
using namespace ptxjit::cuda;

static const char *kindOf(CUgraphNodeType type) {
  switch (type) {
  case CU_GRAPH_NODE_TYPE_KERNEL:
    return "KERNEL";
  case CU_GRAPH_NODE_TYPE_MEMCPY:
    return "MEMCPY";
  case CU_GRAPH_NODE_TYPE_MEMSET:
    return "MEMSET";
  case CU_GRAPH_NODE_TYPE_HOST:
    return "HOST";
  case CU_GRAPH_NODE_TYPE_GRAPH:
    return "GRAPH";
  case CU_GRAPH_NODE_TYPE_EMPTY:
    return "EMPTY";
  case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
    return "WAIT EVENT";
  case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
    return "EVENT RECORD";
  case CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL:
    return "EXT SEMAS SIGNAL";
  case CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT:
    return "EXT SEMAS WAIT";
  case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
    return "MEM ALLOC";
  case CU_GRAPH_NODE_TYPE_MEM_FREE:
    return "MEM FREE";
  case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
    return "BATCH MEM OP";
  case CU_GRAPH_NODE_TYPE_CONDITIONAL:
    return "CONDITIONAL";
  }
  return "NODE";
}

static void describeKernel(const Operation &operation, bool verbose,
                           std::ostream &out) {
  CUDA_KERNEL_NODE_PARAMS p = launchParams(operation);
  Function *function;
  bool isLoaded = findFunction(p.func, function) == CUDA_SUCCESS;
  out << "\\n"
      << (isLoaded ? function->kernel->name : "?") << "\\n<<<" << p.gridDimX
      << "," << p.gridDimY << "," << p.gridDimZ << "; " << p.blockDimX << ","
      << p.blockDimY << "," << p.blockDimZ << "; " << p.sharedMemBytes << ">>>";
  if (!verbose || !isLoaded)
    return;
  for (uint32_t i = 0; i < function->kernel->numParams; ++i) {
    const PtxjitParam &param = function->kernel->params[i];
    uint64_t value = 0;
    if (param.count != 1 || param.elementBytes > sizeof(value))
      continue;
    std::memcpy(&value, p.kernelParams[i], param.elementBytes);
    out << "\\n" << param.type << " 0x" << std::hex << value << std::dec;
  }
}

static void describeCopy(const Operation &operation, std::ostream &out) {
  CUDA_MEMCPY3D p = copyParams(operation);
  auto name = [](int type) {
    return type == CU_MEMORYTYPE_HOST     ? "host"
           : type == CU_MEMORYTYPE_DEVICE ? "device"
           : type == CU_MEMORYTYPE_ARRAY  ? "array"
                                          : "unified";
  };
  out << "\\n"
      << name(p.srcMemoryType) << " to " << name(p.dstMemoryType) << "\\n"
      << p.WidthInBytes << " x " << p.Height << " x " << p.Depth;
}

static void describeSet(const Operation &operation, std::ostream &out) {
  CUDA_MEMSET_NODE_PARAMS p = setParams(operation);
  out << "\\n0x" << std::hex << p.value << std::dec << "\\n"
      << p.elementSize * p.width << " x " << p.height;
}

static void describeConditional(const Operation &operation, bool verbose,
                                std::ostream &out) {
  CUDA_CONDITIONAL_NODE_PARAMS p = conditionalParams(operation);
  const char *names[] = {"IF", "WHILE", "SWITCH"};
  out << "\\n" << names[p.type];
  if (verbose)
    out << "\\nhandle 0x" << std::hex << p.handle << std::dec << "\\nbodies "
        << p.size;
}

static std::string labelOf(const GraphNode &node, unsigned flags) {
  std::ostringstream out;
  bool verbose = flags & CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE;
  CUgraphNodeType type = node.operation->type();
  out << node.id << ": " << kindOf(type);
  if (type == CU_GRAPH_NODE_TYPE_KERNEL)
    describeKernel(*node.operation, verbose, out);
  else if (type == CU_GRAPH_NODE_TYPE_MEMCPY)
    describeCopy(*node.operation, out);
  else if (type == CU_GRAPH_NODE_TYPE_MEMSET)
    describeSet(*node.operation, out);
  else if (type == CU_GRAPH_NODE_TYPE_CONDITIONAL)
    describeConditional(
        *node.operation,
        verbose || flags & CU_GRAPH_DEBUG_DOT_FLAGS_CONDITIONAL_NODE_PARAMS,
        out);
  if (verbose || flags & CU_GRAPH_DEBUG_DOT_FLAGS_HANDLES)
    out << "\\nhandle " << &node;
  return out.str();
}

/// Prints a graph. `prefix` keeps its nodes apart from those of other graphs.
static void print(const Graph &graph, const std::string &prefix, unsigned flags,
                  std::ostream &out) {
  out << "subgraph cluster_" << prefix << " {\n  label=\"graph_" << prefix
      << "\";\n";
  auto name = [&](const GraphNode &node) {
    return "\"graph_" + prefix + "_node_" + std::to_string(node.id) + "\"";
  };
  for (const auto &node : graph.nodes)
    out << "  " << name(*node) << " [shape=box, label=\""
        << labelOf(*node, flags) << "\"];\n";
  for (const auto &node : graph.nodes)
    for (const GraphNode *before : node->dependencies)
      out << "  " << name(*before) << " -> " << name(*node) << ";\n";
  out << "}\n";
  for (const auto &node : graph.nodes) {
    const NestedOperation *nested = nestedIn(*node->operation);
    if (!nested)
      continue;
    std::string inside = prefix + "_" + std::to_string(node->id);
    for (const Graph *child : nested->getGraphs()) {
      print(*child, inside, flags, out);
      inside += "_b"; // the next body of the same node
    }
  }
}

PTXJIT_CUDA_API(cuGraphDebugDotPrint,
                (CUgraph handle, const char *path, unsigned flags), handle,
                path, flags) {
  Graph *graph;
  if (CUresult error = enterGraph(handle, graph))
    return error;
  if (!path)
    return CUDA_ERROR_INVALID_VALUE;
  std::ofstream file(path);
  file << "digraph dot {\n";
  print(*graph, "1", flags, file);
  file << "}\n";
  file.close();
  return file ? CUDA_SUCCESS : CUDA_ERROR_OPERATING_SYSTEM;
}
