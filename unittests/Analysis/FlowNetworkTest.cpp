//===- FlowNetworkTest.cpp - minimum cuts ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../lib/Analysis/FlowNetwork.h"

#include <gtest/gtest.h>

#include <random>

using namespace ptxjit;

namespace {
struct Edge {
  unsigned from, to;
  uint64_t capacity;
};
constexpr unsigned kSource = 0, kSink = 1;

llvm::BitVector cut(unsigned numNodes, llvm::ArrayRef<Edge> edges) {
  FlowNetwork network(numNodes);
  for (const Edge &edge : edges)
    network.addEdge(edge.from, edge.to, edge.capacity);
  return network.cut(kSource, kSink);
}

/// What the edges carry that lead to the side of the sink.
uint64_t costOf(const llvm::BitVector &side, llvm::ArrayRef<Edge> edges) {
  uint64_t cost = 0;
  for (const Edge &edge : edges)
    if (!side[edge.from] && side[edge.to])
      cost += edge.capacity;
  return cost;
}
} // namespace

TEST(FlowNetwork, TakesTheNarrowestPlace) {
  llvm::BitVector side =
      cut(4, {{kSource, 2, 5}, {2, 3, 1}, {3, kSink, FlowNetwork::kUnlimited}});
  EXPECT_FALSE(side[kSource] || side[2]);
  EXPECT_TRUE(side[kSink] && side[3]);
}

TEST(FlowNetwork, OfEqualCutsTakesTheLastOne) {
  llvm::BitVector side =
      cut(4, {{kSource, 2, 3}, {2, 3, 3}, {3, kSink, 3}, {2, 3, 1}});
  EXPECT_TRUE(side[kSink]);
  EXPECT_EQ(side.count(), 1u);
}

TEST(FlowNetwork, WithoutAWayTheSinkIsAlone) {
  EXPECT_EQ(cut(3, {{kSource, 2, 3}}).count(), 1u);
}

TEST(FlowNetwork, CutsAreMinimal) {
  constexpr unsigned kNodes = 7;
  std::mt19937 random(1);
  for (unsigned turn = 0; turn < 200; ++turn) {
    llvm::SmallVector<Edge> edges;
    for (unsigned from = 0; from < kNodes; ++from)
      for (unsigned to = 0; to < kNodes; ++to)
        if (from != to && random() % 2)
          edges.push_back({from, to, 1 + random() % 9});
    llvm::BitVector side = cut(kNodes, edges);
    ASSERT_TRUE(side[kSink] && !side[kSource]);
    uint64_t least = ~uint64_t(0);
    for (unsigned inner = 0; inner < 1u << (kNodes - 2); ++inner) {
      llvm::BitVector other(kNodes);
      other.set(kSink);
      for (unsigned node = 2; node < kNodes; ++node)
        if (inner >> (node - 2) & 1)
          other.set(node);
      least = std::min(least, costOf(other, edges));
    }
    EXPECT_EQ(costOf(side, edges), least) << "turn " << turn;
  }
}
