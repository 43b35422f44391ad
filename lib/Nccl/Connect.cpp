//===- Connect.cpp - the links between the ranks of a communicator --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Communicator.h"
#include "MpiLink.h"
#include "Report.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <set>
#include <thread>

using namespace ptxjit::nccl;

/// In a process a message is a pointer, and only has to fit into a cache.
static constexpr size_t kLocalMessage = 1 << 20;

/// Does PTXJIT_NCCL_TRANSPORT=mpi ask for MPI on one machine, too?
static bool prefersMpi() {
  const char *setting = std::getenv("PTXJIT_NCCL_TRANSPORT");
  return setting && std::strcmp(setting, "mpi") == 0;
}

namespace ptxjit::nccl {
/// Makes the links of one rank.
class Connector {
public:
  Connector(Communicator &rank, Exchange &exchange)
      : me(rank), exchange(exchange) {}
  bool run(const Key &key, std::string &error) {
    std::shared_ptr<Inbox> inbox = Inbox::create(error);
    if (!inbox)
      return false;
    mine = describeProcess();
    mine.inbox = inbox->getDescriptor();
    mine.key = key;
    mine.wantsMpi = prefersMpi();
    all = exchange.allGather(mine, error);
    if (all.empty())
      return false;
    {
      // Another thread may abort the rank.
      std::lock_guard<std::mutex> lock(me.errorMutex);
      me.inbox = inbox;
      me.clique = Clique::get(all[0].key);
    }
    // All learn whether all have succeeded, and none goes on before.
    bool succeeded = (!needsMpi() || joinMpi(error)) && makeLinks(error);
    mine.failed = !succeeded;
    std::string exchangeError;
    std::vector<RankInfo> results = exchange.allGather(mine, exchangeError);
    if (!succeeded)
      return false;
    for (size_t rank = 0; rank < results.size(); ++rank)
      if (results[rank].failed && error.empty())
        error = "rank " + std::to_string(rank) + " cannot reach another rank";
    if (results.empty())
      error = exchangeError;
    return error.empty();
  }

private:
  enum class Way { Local, Shared, Mpi };
  static Way wayBetween(const RankInfo &a, const RankInfo &b) {
    if (a.process == b.process)
      return Way::Local;
    return a.machine == b.machine && !a.wantsMpi && !b.wantsMpi ? Way::Shared
                                                                : Way::Mpi;
  }
  /// The same answer on all ranks.
  bool needsMpi() const {
    for (const RankInfo &each : all)
      if (wayBetween(each, all[0]) == Way::Mpi)
        return true;
    return false;
  }
  bool joinMpi(std::string &error) {
    std::string problem;
    mine.mpiRank = MpiGroup::findWorldRank(problem);
    all = exchange.allGather(mine, error);
    if (all.empty())
      return false;
    std::set<int> processes;
    for (size_t rank = 0; rank < all.size(); ++rank) {
      if (all[rank].mpiRank < 0) {
        error = "ranks on different machines need MPI, which rank " +
                std::to_string(rank) + " cannot use" +
                (problem.empty() ? "" : ": " + problem);
        return false;
      }
      processes.insert(all[rank].mpiRank);
    }
    std::vector<int> ascending(processes.begin(), processes.end());
    bool isMade = me.clique->runOnce([&] {
      // The tag keeps communicators apart that are made at the same time.
      int tag = int(all[0].key[0] & 0x3fff);
      std::shared_ptr<MpiGroup> group = MpiGroup::create(ascending, tag);
      me.clique->shared = group;
      return group != nullptr;
    });
    if (!isMade)
      error = "MPI_Comm_create_group failed";
    return isMade;
  }

  bool makeLinks(std::string &error) {
    size_t ranks = all.size();
    me.peers.links.resize(ranks);
    me.controls.resize(ranks);
    bool isLocal = true;
    for (const RankInfo &each : all)
      isLocal &= each.process == all[0].process;
    me.peers.place = {me.rank, me.ranks,
                      isLocal ? kLocalMessage : kSharedMessage, isLocal};
    if (!isLocal && !me.inbox->open(me.ranks, error))
      return false;
    for (size_t peer = 0; peer < ranks; ++peer)
      if (peer != size_t(me.rank) && !makeLink(int(peer), error))
        return false;
    return true;
  }
  bool makeLink(int peer, std::string &error) {
    auto &data = me.peers.links[size_t(peer)],
         &control = me.controls[size_t(peer)];
    const RankInfo &info = all[size_t(peer)];
    switch (wayBetween(all[size_t(me.rank)], info)) {
    case Way::Local:
      data = makeLocalLink(me.clique, me.rank, peer, 0);
      control = makeLocalLink(me.clique, me.rank, peer, 1);
      return true;
    case Way::Shared: {
      std::shared_ptr<Process> &process = processes[info.pid];
      if (!process)
        process = std::make_shared<Process>(info.pid);
      return makeSharedLinks(me.inbox, me.rank, me.ranks,
                             {peer, process, info.inbox}, data, control, error);
    }
    case Way::Mpi:
      auto group = std::static_pointer_cast<MpiGroup>(me.clique->shared);
      data = MpiGroup::makeLink(group, info.mpiRank, tag(me.rank, peer, 0),
                                tag(peer, me.rank, 0));
      control = MpiGroup::makeLink(group, info.mpiRank, tag(me.rank, peer, 1),
                                   tag(peer, me.rank, 1));
      return true;
    }
    return false;
  }
  int tag(int from, int to, int channel) const {
    return (from * me.ranks + to) * 2 + channel;
  }

  Communicator &me;
  Exchange &exchange;
  RankInfo mine;
  std::vector<RankInfo> all;
  std::map<int, std::shared_ptr<Process>> processes; ///< by pid
};
} // namespace ptxjit::nccl

ncclResult_t Communicator::connect(Exchange &exchange, const Key &key) {
  std::string error;
  if (Connector(*this, exchange).run(key, error))
    return ncclSuccess;
  return fail(gaveUp ? ncclInvalidUsage : ncclSystemError, "rank %d of %d: %s",
              rank, ranks, error.c_str());
}

//===----------------------------------------------------------------------===//
// Exchanges over links
//===----------------------------------------------------------------------===//

namespace {
class LinkExchange : public Exchange {
public:
  LinkExchange(const std::vector<std::unique_ptr<Link>> &links, int rank,
               std::vector<int> members, IsCancelled isCancelled)
      : links(links), members(std::move(members)), rank(rank),
        isCancelled(std::move(isCancelled)) {}

  static_assert(sizeof(RankInfo) <= kSharedControlMessage);
  std::vector<RankInfo> allGather(const RankInfo &mine,
                                  std::string &error) override {
    std::vector<RankInfo> all(members.size());
    std::set<size_t> toSend, toReceive;
    for (size_t i = 0; i < members.size(); ++i) {
      if (members[i] == rank) {
        all[i] = mine;
        continue;
      }
      toSend.insert(i);
      toReceive.insert(i);
    }
    Message message;
    message.head.bytes = sizeof(mine);
    message.data = &mine;
    auto isSent = [&](size_t i) { return link(i).trySend(message); };
    auto isReceived = [&](size_t i) { return receive(link(i), all[i]); };
    auto isDrained = [&](size_t i) { return link(i).isDrained(); };
    std::set<size_t> toDrain = toSend;
    // A link has room for what is sent here, so that none waits for another.
    if (process(toSend, isSent, error) &&
        process(toReceive, isReceived, error) &&
        process(toDrain, isDrained, error))
      return all;
    return {};
  }

private:
  Link &link(size_t i) const { return *links[size_t(members[i])]; }
  static bool receive(Link &link, RankInfo &info) {
    const Message *message = link.peek();
    if (!message)
      return false;
    if (message->head.bytes == sizeof(info))
      std::memcpy(&info, message->data, sizeof(info));
    link.release();
    return true;
  }
  /// Does a step with each of `left`, until all are done.
  template <typename Step>
  bool process(std::set<size_t> &left, Step step, std::string &error) const {
    auto wait = std::chrono::microseconds(1);
    auto begin = std::chrono::steady_clock::now();
    bool isReported = false;
    while (true) {
      for (auto it = left.begin(); it != left.end();)
        it = step(*it) ? left.erase(it) : std::next(it);
      if (left.empty())
        return true;
      int peer = members[*left.begin()];
      bool isGone = link(*left.begin()).isPeerGone();
      if (isCancelled() || isGone) {
        error = isGone ? "rank " + std::to_string(peer) + " is gone"
                       : "the communicator was aborted";
        return false;
      }
      if (!isReported && std::chrono::steady_clock::now() - begin > kPatience) {
        isReported = true;
        report("rank %d waits for rank %d to make a new communicator, too",
               rank, peer);
      }
      std::this_thread::sleep_for(wait);
      wait = std::min(wait * 2, std::chrono::microseconds(1000));
    }
  }

  const std::vector<std::unique_ptr<Link>> &links;
  std::vector<int> members;
  int rank;
  IsCancelled isCancelled;
};
} // namespace

std::unique_ptr<Exchange> Communicator::makeExchange(std::vector<int> members,
                                                     IsCancelled isCancelled) {
  return std::make_unique<LinkExchange>(controls, rank, std::move(members),
                                        std::move(isCancelled));
}
