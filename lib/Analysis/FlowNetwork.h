//===- FlowNetwork.h - minimum cuts -----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_ANALYSIS_FLOWNETWORK_H
#define PTXJIT_LIB_ANALYSIS_FLOWNETWORK_H

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <limits>

namespace ptxjit {

/// A network of edges with capacities, between a source and a sink.
class FlowNetwork {
public:
  static constexpr uint64_t kUnlimited =
      std::numeric_limits<uint64_t>::max() / 4;

  explicit FlowNetwork(unsigned numNodes) : nodes(numNodes) {}

  /// \pre 0 < capacity <= kUnlimited.
  void addEdge(unsigned from, unsigned to, uint64_t capacity);
  /// Finds a minimum cut. \pre No path of unlimited edges leads from `source`
  /// to `sink`. \returns the nodes on the side of the sink, as few as possible.
  llvm::BitVector cut(unsigned source, unsigned sink);

private:
  struct Edge {
    unsigned to;
    uint64_t left; ///< of the capacity
  };
  bool findLevels(unsigned source, unsigned sink);
  uint64_t push(unsigned source, unsigned sink);

  llvm::SmallVector<llvm::SmallVector<unsigned, 4>, 0> nodes; ///< edges, by no.
  llvm::SmallVector<Edge, 0> edges; ///< each one is followed by its reverse
  llvm::SmallVector<unsigned, 0> level, next;
};

} // namespace ptxjit

#endif
