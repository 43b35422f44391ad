//===- Task.h - an operation under way --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A task never blocks. advance() does what can be done now, on whatever thread
// calls it, so that one thread can run the tasks of all ranks of a process.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_NCCL_TASK_H
#define PTXJIT_LIB_NCCL_TASK_H

#include "Plan.h"

#include <functional>

namespace ptxjit::nccl {

/// The links of a rank.
struct Peers {
  Place place;
  /// By rank; null for the rank itself.
  std::vector<std::unique_ptr<Link>> links;
};

class Task {
public:
  /// Both must stay as long as the task. \param sequence  how many collectives
  /// came before.
  Task(const Operation &operation, const Peers &peers, uint64_t sequence);
  /// \returns whether anything was done. At a message of another operation it
  /// stops, and sets getError().
  bool advance();
  bool isDone() const { return done; }
  const std::string &getError() const { return error; }
  /// The operation, and the ranks that it waits for.
  std::string describe() const;
  /// A rank that this one waits for, and that is gone; -1 if there is none.
  int findLostPeer() const;

private:
  struct Part {
    Transfer transfer;
    size_t done;
  };
  bool startPhase();
  bool sendParts();
  bool receiveParts();
  bool reduceMessages();
  static bool areComplete(const std::vector<Part> &parts);
  bool isPhaseDone() const;
  bool isDrained() const;
  MessageHead headOf(const Transfer &transfer) const;
  bool accept(const MessageHead &head, const MessageHead &expected, int peer,
              size_t most);
  std::vector<int> waitedFor() const;

  const Operation &op;
  const Peers &peers;
  MessageHead head;
  std::unique_ptr<Plan> plan;
  Phase phase;
  std::vector<Part> sends, receives;
  std::vector<char> isBlocked; ///< by rank: an earlier part has to come first
  bool isReduced = false, isLast = false, done = false;
  std::string error;
};

} // namespace ptxjit::nccl

#endif
