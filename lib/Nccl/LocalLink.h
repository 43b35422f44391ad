//===- LocalLink.h - messages inside of a process ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_NCCL_LOCALLINK_H
#define PTXJIT_LIB_NCCL_LOCALLINK_H

#include "Link.h"

#include <array>
#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <tuple>

namespace ptxjit::nccl {

/// Names a communicator among all processes.
using Key = std::array<uint64_t, 2>;

/// The messages from one rank to another, as pointers to the sender's data. One
/// thread sends, one receives.
struct Mailbox {
  static constexpr unsigned kSlots = 8;
  std::array<Message, kSlots> slots;
  std::atomic<uint64_t> sent{0}, released{0};
  std::atomic<bool> isClosed{false}; ///< the sender has given up
};

/// The ranks of one communicator that are in this process.
class Clique {
public:
  /// The clique of a communicator, which its ranks share.
  static std::shared_ptr<Clique> get(const Key &key);

  /// \param channel  0: data; 1: what the library itself exchanges.
  Mailbox &mailbox(int from, int to, int channel);
  /// Keeps the others from reading what a rank has sent, since it has given up.
  /// \param isGone  it does not make children any more, either
  void setFailed(int rank, bool isGone);
  /// Runs `body` for the first rank that calls this; others wait for it.
  /// \returns what it returned, to all.
  bool runOnce(const std::function<bool()> &body);
  /// What runOnce() made for all ranks.
  std::shared_ptr<void> shared;
  /// Held shared while a rank may read what others have sent. Who holds it
  /// alone knows that nobody does.
  std::shared_mutex reading;

private:
  std::mutex mutex, onceMutex;
  std::map<std::tuple<int, int, int>, std::unique_ptr<Mailbox>> mailboxes;
  bool hasRun = false, result = false;
};

std::unique_ptr<Link> makeLocalLink(std::shared_ptr<Clique> clique, int rank,
                                    int peer, int channel);

} // namespace ptxjit::nccl

#endif
