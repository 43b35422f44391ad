//===- Graph.h - graphs of operations, ready to run -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A graph is a list of steps on numbered tensors. Those between operations are
// never rounded: they are floats or doubles, like all that is computed.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_CUDNN_GRAPH_H
#define PTXJIT_LIB_CUDNN_GRAPH_H

#include "BackendNode.h"
#include "View.h"

#include <array>
#include <set>

namespace ptxjit::cudnn {

struct GraphTensor : Shape {
  int64_t uid = 0;
  bool isVirtual = false; ///< between operations only
  bool isByValue = false; ///< one element, in memory of the host
};

/// Reads a descriptor of a tensor, and checks it.
GraphTensor readTensor(const BackendNode &node);

/// What a run of a graph is given. The elements of tensors by value are copied.
struct Arguments {
  std::map<int64_t, void *> pointers;
  std::map<int64_t, std::array<char, 16>> values;
};

/// The tensors of a run, in the type to compute in.
template <typename T> class Values {
public:
  Values(const std::map<int64_t, GraphTensor> &tensors,
         const Arguments &arguments)
      : tensors(tensors), arguments(arguments) {}
  /// An operand: computed before, or read.
  View<T> read(int64_t uid);
  /// Where to compute a result.
  View<T> make(int64_t uid);
  /// What is at the place of a result before.
  View<T> readOld(int64_t uid) const;
  /// Sets a result that is in memory of another one.
  void set(int64_t uid, const View<T> &view) { views[uid] = view; }
  /// Writes a result to its place, if the program has one for it.
  void finish(int64_t uid);

private:
  const void *placeOf(int64_t uid) const;
  const std::map<int64_t, GraphTensor> &tensors;
  const Arguments &arguments;
  std::map<int64_t, View<T>> views;
};

/// An operation that is ready to run, in either type.
struct Step {
  std::function<void(Values<float> &)> inFloats;
  std::function<void(Values<double> &)> inDoubles;
};
/// \param function  a generic lambda on Values.
template <typename F> Step makeStep(F function) {
  return {[=](Values<float> &values) { function(values); },
          [=](Values<double> &values) { function(values); }};
}

/// Builds a graph: operations tell it their tensors.
class GraphBuilder {
public:
  /// An operand of an operation. \returns what is known of it.
  GraphTensor operand(const BackendNode &operation,
                      cudnnBackendAttributeName_t name);
  GraphTensor result(const BackendNode &operation,
                     cudnnBackendAttributeName_t name);
  void add(Step step) { steps.push_back(std::move(step)); }
  /// The operation is exact only in doubles.
  void wantDoubles() { isDouble = true; }

private:
  friend class Graph;
  const GraphTensor &note(const BackendNode &node);
  std::map<int64_t, GraphTensor> tensors;
  std::set<int64_t> results;
  std::vector<Step> steps;
  bool isDouble = false;
};

class Graph {
public:
  explicit Graph(GraphBuilder builder) : content(std::move(builder)) {}
  /// Checks that there is memory for each tensor that needs it.
  Arguments bind(const std::map<int64_t, void *> &pointers) const;
  void run(const Arguments &arguments) const;

private:
  template <typename T>
  void runIn(const Arguments &arguments,
             std::function<void(Values<T> &)> Step::*way) const;
  GraphBuilder content;
};

/// Makes a graph from its descriptor, or fails if an operation is unknown.
std::shared_ptr<const Graph> makeGraph(const BackendNode &node);

// The kinds of operations. Each adds steps.
void addConvolution(GraphBuilder &builder, const BackendNode &operation);
void addPointwise(GraphBuilder &builder, const BackendNode &operation);
void addMatmul(GraphBuilder &builder, const BackendNode &operation);
void addReduction(GraphBuilder &builder, const BackendNode &operation);
void addReshape(GraphBuilder &builder, const BackendNode &operation);

} // namespace ptxjit::cudnn

#endif
