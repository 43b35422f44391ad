//===- Plan.cpp - the steps of an operation -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Plan.h"

#include <algorithm>
#include <cstring>

using namespace ptxjit::nccl;

using Kind = Operation::Kind;

const char *ptxjit::nccl::nameOf(Kind kind) {
  switch (kind) {
  case Kind::AllReduce:
    return "AllReduce";
  case Kind::Reduce:
    return "Reduce";
  case Kind::ReduceScatter:
    return "ReduceScatter";
  case Kind::Broadcast:
    return "Broadcast";
  case Kind::AllGather:
    return "AllGather";
  case Kind::AlltoAll:
    return "AlltoAll";
  case Kind::Gather:
    return "Gather";
  case Kind::Scatter:
    return "Scatter";
  case Kind::PointToPoint:
    return "Send/Recv";
  }
  return "an unknown operation";
}

uint64_t Scalar::read() const {
  uint64_t result = value;
  if (address)
    std::memcpy(&result, address, bytes);
  return result;
}

size_t ptxjit::nccl::sendBlocks(const Operation &operation, int rank,
                                int ranks) {
  switch (operation.kind) {
  case Kind::ReduceScatter:
  case Kind::AlltoAll:
    return size_t(ranks);
  case Kind::Broadcast:
    return rank == operation.root;
  case Kind::Scatter:
    return rank == operation.root ? size_t(ranks) : 0;
  case Kind::PointToPoint:
    return 0;
  default:
    return 1;
  }
}

size_t ptxjit::nccl::recvBlocks(const Operation &operation, int rank,
                                int ranks) {
  switch (operation.kind) {
  case Kind::AllGather:
  case Kind::AlltoAll:
    return size_t(ranks);
  case Kind::Reduce:
    return rank == operation.root;
  case Kind::Gather:
    return rank == operation.root ? size_t(ranks) : 0;
  case Kind::PointToPoint:
    return 0;
  default:
    return 1;
  }
}

static void copy(void *to, const void *from, size_t bytes) {
  if (to != from && bytes)
    std::memcpy(to, from, bytes);
}

//===----------------------------------------------------------------------===//
// Operations that only move data
//===----------------------------------------------------------------------===//

namespace {
class PlanBase : public Plan {
public:
  PlanBase(const Operation &operation, const Place &place)
      : op(operation), place(place) {}

protected:
  /// Calls body(peer) for each other rank, the next one first, so that not all
  /// ranks begin with the same one.
  template <typename Body> void forPeers(Body body) const {
    for (int i = 1; i < place.ranks; ++i)
      body((place.rank + i) % place.ranks);
  }
  // The links only read what is sent.
  void send(Phase &phase, int peer, const char *data, size_t bytes) const {
    if (bytes)
      phase.sends.push_back({peer, const_cast<char *>(data), bytes});
  }
  void receive(Phase &phase, int peer, char *data, size_t bytes) const {
    if (bytes)
      phase.receives.push_back({peer, data, bytes});
  }
  bool isRoot() const { return place.rank == op.root; }

  const Operation &op;
  const Place place;
};

/// All that is known at the begin, in one phase.
class MovePlan : public PlanBase {
public:
  using PlanBase::PlanBase;
  bool next(Phase &phase) override {
    if (isMade)
      return false;
    isMade = true;
    make(phase);
    return true;
  }

private:
  const char *sendBlock(int block) const {
    return op.send + size_t(block) * op.bytes();
  }
  char *recvBlock(int block) const {
    return op.recv + size_t(block) * op.bytes();
  }
  void make(Phase &phase) const {
    int me = place.rank;
    size_t bytes = op.bytes();
    switch (op.kind) {
    case Kind::Broadcast:
      if (!isRoot())
        return receive(phase, op.root, op.recv, bytes);
      copy(op.recv, op.send, bytes);
      return forPeers([&](int peer) { send(phase, peer, op.send, bytes); });
    case Kind::AllGather:
      copy(recvBlock(me), op.send, bytes);
      return forPeers([&](int peer) {
        send(phase, peer, op.send, bytes);
        receive(phase, peer, recvBlock(peer), bytes);
      });
    case Kind::AlltoAll:
      copy(recvBlock(me), sendBlock(me), bytes);
      return forPeers([&](int peer) {
        send(phase, peer, sendBlock(peer), bytes);
        receive(phase, peer, recvBlock(peer), bytes);
      });
    case Kind::Gather:
      if (!isRoot())
        return send(phase, op.root, op.send, bytes);
      copy(recvBlock(me), op.send, bytes);
      return forPeers(
          [&](int peer) { receive(phase, peer, recvBlock(peer), bytes); });
    case Kind::Scatter:
      if (!isRoot())
        return receive(phase, op.root, op.recv, bytes);
      copy(op.recv, sendBlock(me), bytes);
      return forPeers(
          [&](int peer) { send(phase, peer, sendBlock(peer), bytes); });
    default:
      return makePointToPoint(phase);
    }
  }
  /// What a rank sends to itself is copied; both lists have equally much of it.
  void makePointToPoint(Phase &phase) const {
    auto own = op.receives.begin();
    for (const Transfer &each : op.sends) {
      if (each.peer != place.rank) {
        send(phase, each.peer, each.data, each.bytes);
        continue;
      }
      while (own->peer != place.rank)
        ++own;
      copy(own->data, each.data, each.bytes);
      ++own;
    }
    for (const Transfer &each : op.receives)
      if (each.peer != place.rank)
        receive(phase, each.peer, each.data, each.bytes);
  }

  bool isMade = false;
};
} // namespace

//===----------------------------------------------------------------------===//
// Operations in blocks
//===----------------------------------------------------------------------===//

namespace {
/// Operations whose data are split into a block for each rank. Blocks are done
/// in pieces of a message, so that results go on while they are in a cache.
class BlockPlan : public PlanBase {
public:
  BlockPlan(const Operation &operation, const Place &place)
      : PlanBase(operation, place), size(sizeOf(op.type)),
        piece(place.largest / size) {
    // Blocks begin at cache lines; of little data there is one block.
    size_t each = (op.count + size_t(place.ranks) - 1) / size_t(place.ranks);
    block = op.kind == Kind::ReduceScatter ? op.count : (each + 63) / 64 * 64;
    total = op.kind == Kind::ReduceScatter ? op.count * size_t(place.ranks)
                                           : op.count;
  }
  /// A phase ends one piece, and begins the next one.
  bool next(Phase &phase) override {
    size_t pieces = (block + piece - 1) / piece;
    if (number > pieces)
      return false;
    if (number > 0)
      end(phase, number - 1);
    if (number < pieces)
      begin(phase, number);
    ++number;
    return true;
  }

private:
  /// A piece of a rank's block, in elements.
  struct Range {
    size_t begin, count;
  };
  Range range(int rank, size_t number) const {
    size_t first = size_t(rank) * block;
    size_t begin = std::min(first + number * piece, total);
    size_t end = std::min(first + std::min((number + 1) * piece, block), total);
    return {begin, std::max(begin, end) - begin};
  }
  const char *in(int rank, size_t number) const {
    return op.send + range(rank, number).begin * size;
  }
  char *out(int rank, size_t number) const {
    return op.recv + range(rank, number).begin * size;
  }
  size_t bytes(int rank, size_t number) const {
    return range(rank, number).count * size;
  }

  void begin(Phase &phase, size_t i) {
    if (op.kind == Kind::Broadcast)
      return beginBroadcast(phase, i);
    forPeers([&](int peer) { send(phase, peer, in(peer, i), bytes(peer, i)); });
    phase.count = range(place.rank, i).count;
    phase.reduces = phase.count != 0;
    phase.own = in(place.rank, i);
    if (op.kind == Kind::ReduceScatter)
      phase.out = op.recv + i * piece * size;
    else if (op.kind == Kind::AllReduce || isRoot())
      phase.out = out(place.rank, i);
    else
      phase.out = scratch(i);
  }
  void end(Phase &phase, size_t i) {
    int me = place.rank;
    if (op.kind == Kind::Broadcast)
      return endBroadcast(phase, i);
    if (op.kind == Kind::ReduceScatter)
      return;
    if (op.kind == Kind::AllReduce || isRoot())
      forPeers([&](int peer) {
        receive(phase, peer, out(peer, i), bytes(peer, i));
      });
    if (op.kind == Kind::AllReduce)
      forPeers([&](int peer) { send(phase, peer, out(me, i), bytes(me, i)); });
    else if (!isRoot())
      send(phase, op.root, scratch(i), bytes(me, i));
    phase.drains = op.kind == Kind::Reduce;
  }
  /// The root hands each rank a block, which that rank hands to all others.
  void beginBroadcast(Phase &phase, size_t i) const {
    int me = place.rank;
    if (!isRoot())
      return receive(phase, op.root, out(me, i), bytes(me, i));
    copy(out(me, i), in(me, i), bytes(me, i));
    forPeers([&](int peer) {
      copy(out(peer, i), in(peer, i), bytes(peer, i));
      send(phase, peer, in(peer, i), bytes(peer, i));
    });
  }
  void endBroadcast(Phase &phase, size_t i) const {
    int me = place.rank;
    forPeers([&](int peer) {
      if (isRoot())
        return send(phase, peer, in(me, i), bytes(me, i));
      receive(phase, peer, out(peer, i), bytes(peer, i));
      if (peer != op.root)
        send(phase, peer, out(me, i), bytes(me, i));
    });
  }
  /// Where a rank reduces what only the root keeps. The piece before may still
  /// be on its way.
  char *scratch(size_t i) {
    std::vector<char> &result = results[i % 2];
    if (result.empty())
      result.resize(piece * size);
    return result.data();
  }

  size_t size;       ///< of an element
  size_t piece;      ///< elements
  size_t block;      ///< elements of a rank
  size_t total;      ///< elements of all ranks
  size_t number = 0; ///< of the next phase
  std::vector<char> results[2];
};
} // namespace

std::unique_ptr<Plan> ptxjit::nccl::makePlan(const Operation &operation,
                                             const Place &place) {
  switch (operation.kind) {
  case Kind::AllReduce:
  case Kind::Reduce:
  case Kind::ReduceScatter:
    return std::make_unique<BlockPlan>(operation, place);
  case Kind::Broadcast:
    // In a process everybody reads the root's data. Else the root would copy
    // them for each rank.
    if (!place.isLocal && place.ranks > 2 && operation.bytes() > 32768)
      return std::make_unique<BlockPlan>(operation, place);
    [[fallthrough]];
  default:
    return std::make_unique<MovePlan>(operation, place);
  }
}
