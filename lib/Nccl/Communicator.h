//===- Communicator.h - one rank of a communicator --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_NCCL_COMMUNICATOR_H
#define PTXJIT_LIB_NCCL_COMMUNICATOR_H

#include "Bootstrap.h"
#include "SharedLink.h"
#include "Task.h"

#include <condition_variable>
#include <deque>

namespace ptxjit::nccl {

/// One run of the operations that a launch hands to a stream.
struct Execution {
  explicit Execution(const std::vector<Operation> &operations)
      : operations(operations) {}
  const std::vector<Operation> &operations; ///< outlive the execution
  size_t started = 0;                       ///< how many became tasks
  std::atomic<bool> isDone{false};
};

/// What a program may set (ncclConfig_t) that has an effect.
struct Settings {
  bool isBlocking = true;
};

/// A reduction that a program has made.
struct CustomReduction {
  ncclDataType_t type;
  Scalar scalar;
};

/// A rank, behind a ncclComm_t. It runs its operations one after another, in
/// the order in which the program called them. Thread-safe.
class Communicator {
public:
  Communicator(int ranks, int rank, int device, CUcontext context,
               Settings settings);
  ~Communicator();

  /// Of a child they are known when its parent's ranks have met, which is
  /// before its state is ncclSuccess.
  int ranks, rank;
  const int device;
  CUcontext context; ///< in which the rank works
  const Settings settings;

  /// Finds the other ranks, and makes the links to them.
  ncclResult_t connect(Exchange &exchange, const Key &key);
  /// An exchange with ranks of this communicator over its links. Ascending.
  std::unique_ptr<Exchange> makeExchange(std::vector<int> members,
                                         IsCancelled isCancelled);

  /// ncclSuccess, ncclInProgress, or the error that ended the rank.
  ncclResult_t getState() const { return ncclResult_t(state.load()); }
  std::string getErrorText() const;
  /// Ends all operations with an error. The first error stays.
  /// \param isGone  it does not make children any more, either
  void setFailed(ncclResult_t result, const std::string &text,
                 bool isGone = true);
  /// Returns when nobody uses the buffers of a rank that has failed.
  void awaitQuiet();
  void setState(ncclResult_t result) { state = result; }
  bool isGivenUp() const { return gaveUp; }

  // -- The order of operations
  /// The number of a launch. Launches run in this order, even in different
  /// streams.
  uint64_t takeTicket();
  /// The stream has come to the operations. \param ticket  0: none, since they
  /// are those of a graph
  void arrive(std::shared_ptr<Execution> execution, uint64_t ticket);
  /// Does what can be done now, unless another thread is doing that. \returns
  /// whether anything was.
  bool advance();
  bool hasWork();
  /// Fails if a rank that is waited for is gone.
  void checkPeers();
  /// Tells the user who is waited for, if that was not said yet.
  void reportWait();
  bool isRemote() const { return !peers.place.isLocal; }

  /// Counts launches that are not finished.
  void beginLaunch();
  void endLaunch();
  void awaitLaunches();

  // -- Children. Ranks make them in the order of their calls.
  uint64_t takeChildTicket() { return childTicket++; }
  void awaitChildTurn(uint64_t ticket);
  void endChildTurn();

  std::atomic<bool> isFinalized{false}; ///< takes no further operations

  // -- Objects of the program
  std::mutex objectsMutex;
  std::map<int, CustomReduction> reductions;
  std::map<const void *, std::unique_ptr<char>> registrations;
  int nextReduction = ncclNumOps;

private:
  friend class Connector;
  void finishFront();

  std::atomic<int> state{ncclInProgress};
  std::atomic<bool> gaveUp{false};
  mutable std::mutex errorMutex; ///< also of `clique` and `inbox`
  std::string errorText;

  Peers peers;
  std::vector<std::unique_ptr<Link>> controls; ///< like Peers::links
  std::shared_ptr<Clique> clique;
  std::shared_ptr<Inbox> inbox;

  std::mutex queueMutex;
  uint64_t lastTicket = 0, nextTicket = 1;
  std::map<uint64_t, std::shared_ptr<Execution>> early; ///< by ticket
  std::deque<std::shared_ptr<Execution>> queue;

  std::mutex taskMutex; ///< of whoever advances
  std::unique_ptr<Task> task;
  uint64_t sequence = 0;
  bool isReported = false;

  std::mutex launchMutex;
  std::condition_variable launchEnded;
  unsigned launches = 0;

  std::atomic<uint64_t> childTicket{0};
  std::mutex childMutex;
  std::condition_variable childEnded;
  uint64_t childTurn = 0;
};

} // namespace ptxjit::nccl

#endif
