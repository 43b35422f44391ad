//===- FlowNetwork.cpp - minimum cuts -------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dinic's algorithm: flow is pushed along shortest paths until there are none.
//
//===----------------------------------------------------------------------===//

#include "FlowNetwork.h"

#include "llvm/ADT/STLExtras.h"

using namespace ptxjit;

static constexpr unsigned kUnreached = ~0u;

void FlowNetwork::addEdge(unsigned from, unsigned to, uint64_t capacity) {
  assert(capacity && capacity <= kUnlimited && "sums do not overflow");
  nodes[from].push_back(unsigned(edges.size()));
  edges.push_back({to, capacity});
  nodes[to].push_back(unsigned(edges.size()));
  edges.push_back({from, 0});
}

/// Numbers the nodes by their distance from the source. \returns whether the
/// sink can be reached.
bool FlowNetwork::findLevels(unsigned source, unsigned sink) {
  level.assign(nodes.size(), kUnreached);
  next.assign(nodes.size(), 0);
  level[source] = 0;
  llvm::SmallVector<unsigned> queue{source};
  for (unsigned i = 0; i < queue.size(); ++i)
    for (unsigned number : nodes[queue[i]])
      if (const Edge &edge = edges[number];
          edge.left && level[edge.to] == kUnreached) {
        level[edge.to] = level[queue[i]] + 1;
        queue.push_back(edge.to);
      }
  return level[sink] != kUnreached;
}

/// Pushes what one path of the present levels can carry; 0: there is none.
uint64_t FlowNetwork::push(unsigned source, unsigned sink) {
  llvm::SmallVector<unsigned> path; // edges
  unsigned node = source;
  while (node != sink) {
    llvm::ArrayRef<unsigned> all = nodes[node];
    while (next[node] < all.size() &&
           !(edges[all[next[node]]].left &&
             level[edges[all[next[node]]].to] == level[node] + 1))
      ++next[node];
    if (next[node] < all.size()) {
      path.push_back(all[next[node]]);
      node = edges[path.back()].to;
    } else if (path.empty()) {
      return 0;
    } else { // a dead end
      node = edges[path.pop_back_val() ^ 1].to;
      ++next[node];
    }
  }
  uint64_t amount = kUnlimited;
  for (unsigned number : path)
    amount = std::min(amount, edges[number].left);
  for (unsigned number : path) {
    edges[number].left -= amount;
    edges[number ^ 1].left += amount;
  }
  return amount;
}

llvm::BitVector FlowNetwork::cut(unsigned source, unsigned sink) {
  while (findLevels(source, sink))
    while ([[maybe_unused]] uint64_t amount = push(source, sink))
      assert(amount < kUnlimited && "the cut is finite");
  // Nodes from which more could flow to the sink.
  llvm::BitVector side(unsigned(nodes.size()));
  llvm::SmallVector<unsigned> queue{sink};
  side.set(sink);
  while (!queue.empty())
    for (unsigned number : nodes[queue.pop_back_val()])
      if (unsigned from = edges[number].to;
          edges[number ^ 1].left && !side[from]) {
        side.set(from);
        queue.push_back(from);
      }
  return side;
}
