//===- Children.cpp - communicators made from others ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Groups.h"
#include "Report.h"

#include <algorithm>

using namespace ptxjit::nccl;

namespace {
using Rank = std::shared_ptr<Communicator>;

/// The turn of a child among those of its parent.
class Turn {
public:
  Turn(Communicator &parent, uint64_t ticket) : parent(parent) {
    parent.awaitChildTurn(ticket);
  }
  ~Turn() { parent.endChildTurn(); }
  Turn(const Turn &) = delete;
  Turn &operator=(const Turn &) = delete;

private:
  Communicator &parent;
};
} // namespace

/// Makes this rank's part of a communicator of `members`, which are ranks of
/// the parent, in the new order.
static ncclResult_t connectMembers(Communicator &parent, Communicator &child,
                                   const std::vector<int> &members) {
  auto self = std::find(members.begin(), members.end(), parent.rank);
  child.ranks = int(members.size());
  child.rank = int(self - members.begin());
  auto exchange =
      parent.makeExchange(members, [&child] { return child.isGivenUp(); });
  return child.connect(*exchange, makeKey());
}

/// Asks all ranks of the parent for their colors. \returns those with the own
/// color, in the new order; none on failure.
static std::vector<int> findMembers(Communicator &parent, int color, int key,
                                    const IsCancelled &isCancelled) {
  std::vector<int> everyone(static_cast<size_t>(parent.ranks));
  for (size_t rank = 0; rank < everyone.size(); ++rank)
    everyone[rank] = int(rank);
  RankInfo mine;
  mine.color = color;
  mine.order = key;
  std::string error;
  std::vector<RankInfo> all =
      parent.makeExchange(everyone, isCancelled)->allGather(mine, error);
  if (all.empty())
    fail(ncclRemoteError, "ncclCommSplit: %s", error.c_str());
  std::vector<int> members;
  for (size_t rank = 0; rank < all.size(); ++rank)
    if (all[rank].color == color)
      members.push_back(int(rank));
  std::stable_sort(members.begin(), members.end(), [&](int a, int b) {
    return all[size_t(a)].order < all[size_t(b)].order;
  });
  return members;
}

/// Makes a rank of a child, whose place is not known yet.
static ncclResult_t makeChild(const char *name, const Communicator &parent,
                              const ncclConfig_t *config, Rank &child) {
  Settings settings = parent.settings;
  if (ncclResult_t error = readConfig(name, config, settings))
    return error;
  child = std::make_shared<Communicator>(1, 0, parent.device, parent.context,
                                         settings);
  return ncclSuccess;
}

PTXJIT_NCCL_API(ncclCommSplit,
                (ncclComm_t handle, int color, int key, ncclComm_t *out,
                 ncclConfig_t *config),
                handle, color, key, out, config) {
  static constexpr char name[] = "ncclCommSplit";
  Rank parent, child;
  if (ncclResult_t error = enter(handle, name, parent))
    return refuse(error);
  if (!out || (color < 0 && color != NCCL_SPLIT_NOCOLOR))
    return refuse(fail(ncclInvalidArgument, "%s: color %d", name, color));
  *out = nullptr;
  if (ncclResult_t error = makeChild(name, *parent, config, child))
    return refuse(error);
  uint64_t ticket = parent->takeChildTicket();
  if (color == NCCL_SPLIT_NOCOLOR)
    return submitInit(child, [=]() -> ncclResult_t {
      Turn turn(*parent, ticket);
      bool found = !findMembers(*parent, color, key, [=] {
                      return parent->isGivenUp();
                    }).empty();
      return found ? ncclSuccess : ncclRemoteError;
    });
  return startRank(out, child, [=](Communicator &child) -> ncclResult_t {
    Turn turn(*parent, ticket);
    std::vector<int> members = findMembers(*parent, color, key, [&] {
      return child.isGivenUp() || parent->isGivenUp();
    });
    return members.empty() ? ncclRemoteError
                           : connectMembers(*parent, child, members);
  });
}

PTXJIT_NCCL_API(ncclCommShrink,
                (ncclComm_t handle, int *excluded, int excludedCount,
                 ncclComm_t *out, ncclConfig_t *config, int flags),
                handle, excluded, excludedCount, out, config, flags) {
  static constexpr char name[] = "ncclCommShrink";
  Rank parent, child;
  bool stops = flags == NCCL_SHRINK_ABORT;
  // What stops may have failed before.
  if (ncclResult_t error =
          stops ? find(handle, name, parent) : enter(handle, name, parent))
    return refuse(error);
  if (!out || !excluded || excludedCount < 1 || (flags && !stops))
    return refuse(fail(ncclInvalidArgument, "%s: %d ranks, flags %d", name,
                       excludedCount, flags));
  *out = nullptr;
  std::vector<int> members;
  for (int rank = 0; rank < parent->ranks; ++rank)
    if (std::find(excluded, excluded + excludedCount, rank) ==
        excluded + excludedCount)
      members.push_back(rank);
  bool isValid =
      int(members.size()) + excludedCount == parent->ranks &&
      std::find(members.begin(), members.end(), parent->rank) != members.end();
  if (!isValid)
    return refuse(fail(ncclInvalidArgument,
                       "%s: the list has this rank, a rank that does not "
                       "exist, or one twice",
                       name));
  if (ncclResult_t error = makeChild(name, *parent, config, child))
    return refuse(error);
  if (stops)
    parent->setFailed(ncclInvalidUsage, "the communicator was shrunk", false);
  uint64_t ticket = parent->takeChildTicket();
  return startRank(out, child, [=](Communicator &child) -> ncclResult_t {
    Turn turn(*parent, ticket);
    return connectMembers(*parent, child, members);
  });
}
