//===- Task.cpp - an operation under way ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Task.h"

#include <algorithm>
#include <cstring>

using namespace ptxjit::nccl;

Task::Task(const Operation &operation, const Peers &peers, uint64_t sequence)
    : op(operation), peers(peers), plan(makePlan(operation, peers.place)),
      isBlocked(peers.links.size()) {
  head.sequence = sequence;
  head.kind = uint8_t(op.kind);
  if (op.kind != Operation::Kind::PointToPoint) {
    head.type = uint8_t(op.type);
    head.reduction = uint8_t(op.reduction);
    head.root = op.root;
    head.count = op.count;
  }
  head.scalar = op.scalar.read();
  startPhase();
}

/// \returns false if there is no further phase.
bool Task::startPhase() {
  phase = Phase();
  sends.clear();
  receives.clear();
  isReduced = false;
  isLast = !plan->next(phase);
  for (const Transfer &transfer : phase.sends)
    sends.push_back({transfer, 0});
  for (const Transfer &transfer : phase.receives)
    receives.push_back({transfer, 0});
  return !isLast;
}

bool Task::advance() {
  bool progress = false;
  while (!done && error.empty()) {
    bool moved = sendParts();
    moved |= receiveParts();
    moved |= reduceMessages();
    progress |= moved;
    if (isLast) {
      if (!isDrained())
        return progress;
      done = true;
      return true;
    }
    if (isPhaseDone() && (!phase.drains || isDrained())) {
      startPhase();
      progress = true;
    } else if (!moved) {
      return progress;
    }
  }
  return progress;
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

MessageHead Task::headOf(const Transfer &transfer) const {
  MessageHead result = head;
  if (op.kind == Operation::Kind::PointToPoint)
    result.count = transfer.bytes;
  return result;
}

static bool isSameOperation(const MessageHead &a, const MessageHead &b) {
  return a.sequence == b.sequence && a.kind == b.kind && a.type == b.type &&
         a.reduction == b.reduction && a.root == b.root && a.count == b.count;
}

static std::string spell(const MessageHead &head) {
  auto kind = Operation::Kind(head.kind);
  std::string text = nameOf(kind);
  if (kind == Operation::Kind::PointToPoint)
    return text + " of " + std::to_string(head.count) + " bytes";
  text += " number " + std::to_string(head.sequence) + " of " +
          std::to_string(head.count) + " elements of type " +
          std::to_string(head.type) + ", reduction " +
          std::to_string(head.reduction);
  return head.root < 0 ? text : text + ", root " + std::to_string(head.root);
}

bool Task::accept(const MessageHead &received, const MessageHead &expected,
                  int peer, size_t most) {
  if (isSameOperation(received, expected) && received.bytes <= most)
    return true;
  error = "rank " + std::to_string(peer) + " calls " + spell(received) +
          ", and rank " + std::to_string(peers.place.rank) + " calls " +
          spell(expected);
  return false;
}

bool Task::sendParts() {
  bool progress = false;
  std::fill(isBlocked.begin(), isBlocked.end(), 0);
  for (Part &part : sends) {
    const Transfer &transfer = part.transfer;
    Message message{headOf(transfer), nullptr};
    while (part.done < transfer.bytes && !isBlocked[transfer.peer]) {
      message.head.bytes =
          std::min(transfer.bytes - part.done, peers.place.largest);
      message.data = transfer.data + part.done;
      isBlocked[transfer.peer] = !peers.links[transfer.peer]->trySend(message);
      if (isBlocked[transfer.peer])
        break;
      part.done += message.head.bytes;
      progress = true;
    }
  }
  return progress;
}

bool Task::receiveParts() {
  bool progress = false;
  std::fill(isBlocked.begin(), isBlocked.end(), 0);
  for (Part &part : receives) {
    const Transfer &transfer = part.transfer;
    Link &link = *peers.links[transfer.peer];
    while (part.done < transfer.bytes && !isBlocked[transfer.peer]) {
      const Message *message = link.peek();
      isBlocked[transfer.peer] = !message;
      if (!message)
        break;
      if (!accept(message->head, headOf(transfer), transfer.peer,
                  transfer.bytes - part.done))
        return progress;
      std::memcpy(transfer.data + part.done, message->data,
                  message->head.bytes);
      part.done += message->head.bytes;
      link.release();
      progress = true;
    }
  }
  return progress;
}

/// Reduces as soon as the messages of all peers are there, which come behind
/// those that are only received.
bool Task::reduceMessages() {
  if (!phase.reduces || isReduced || !areComplete(receives))
    return false;
  std::vector<Operand> operands(peers.links.size());
  operands[size_t(peers.place.rank)] = {phase.own, head.scalar};
  size_t bytes = phase.count * sizeOf(op.type);
  for (size_t peer = 0; peer < operands.size(); ++peer) {
    if (!peers.links[peer])
      continue;
    const Message *message = peers.links[peer]->peek();
    if (!message)
      return false;
    if (!accept(message->head, head, int(peer), bytes))
      return false;
    operands[peer] = {message->data, message->head.scalar};
  }
  reduce(op.type, op.reduction, operands, phase.out, phase.count);
  for (auto &link : peers.links)
    if (link)
      link->release();
  isReduced = true;
  return true;
}

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

bool Task::areComplete(const std::vector<Part> &parts) {
  return std::all_of(parts.begin(), parts.end(), [](const Part &part) {
    return part.done == part.transfer.bytes;
  });
}

bool Task::isPhaseDone() const {
  return areComplete(sends) && areComplete(receives) &&
         (!phase.reduces || isReduced);
}

bool Task::isDrained() const {
  return std::all_of(peers.links.begin(), peers.links.end(),
                     [](auto &link) { return !link || link->isDrained(); });
}

std::vector<int> Task::waitedFor() const {
  std::vector<int> ranks;
  auto add = [&](int rank) {
    if (std::find(ranks.begin(), ranks.end(), rank) == ranks.end())
      ranks.push_back(rank);
  };
  for (const auto *parts : {&sends, &receives})
    for (const Part &part : *parts)
      if (part.done != part.transfer.bytes)
        add(part.transfer.peer);
  for (size_t peer = 0; peer < peers.links.size(); ++peer) {
    Link *link = peers.links[peer].get();
    if (link && ((phase.reduces && !isReduced && !link->peek()) ||
                 (isLast && !link->isDrained())))
      add(int(peer));
  }
  return ranks;
}

int Task::findLostPeer() const {
  for (int peer : waitedFor()) {
    Link &link = *peers.links[size_t(peer)];
    // It may have sent all that is needed before it ended.
    if (link.isPeerGone() && !link.peek())
      return peer;
  }
  return -1;
}

std::string Task::describe() const {
  std::string list;
  for (int peer : waitedFor())
    list += (list.empty() ? "" : ", ") + std::to_string(peer);
  bool isCollective = op.kind != Operation::Kind::PointToPoint;
  return (isCollective ? spell(head) : nameOf(op.kind)) + " waits for rank " +
         (list.empty() ? "?" : list);
}
