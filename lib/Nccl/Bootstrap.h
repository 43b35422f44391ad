//===- Bootstrap.h - how ranks find each other ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A unique id is the address of a socket, and a secret. The process that makes
// the id serves the socket: each rank of the new communicator connects, and the
// ranks exchange who they are. After that they use their links.
//
// NCCL_COMM_ID is the address of a socket that rank 0 serves. All processes
// make the same id from it, and may use it for one communicator after the
// other.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_NCCL_BOOTSTRAP_H
#define PTXJIT_LIB_NCCL_BOOTSTRAP_H

#include "LocalLink.h"
#include "ptxjit/Nccl/NcclABI.h"

#include <vector>

namespace ptxjit::nccl {

/// What ranks tell each other when a communicator is made. Travels between
/// processes.
struct RankInfo {
  Key process{};        ///< the same only in one process
  uint64_t machine = 0; ///< the same if shared memory can be used
  Key key{};            ///< of a child: rank 0 chooses it
  int32_t mpiRank = -1; ///< in MPI_COMM_WORLD; -1: cannot use MPI
  int32_t pid = 0;
  int32_t inbox = -1;           ///< Inbox::getDescriptor()
  int32_t color = 0, order = 0; ///< of ncclCommSplit
  int32_t failed = 0;
  int32_t wantsMpi = 0; ///< even to processes of this machine
  int32_t reserved = 0;
};

/// Who this process is.
RankInfo describeProcess();
Key makeKey();

/// Can be asked whether to go on waiting.
using IsCancelled = std::function<bool()>;

/// Ranks that exchange what they know. All must call allGather() equally often.
class Exchange {
public:
  virtual ~Exchange() = default;
  /// Blocks until all have called it. \returns the infos of all, by rank; none
  /// if a rank has given up, and sets `error`.
  virtual std::vector<RankInfo> allGather(const RankInfo &mine,
                                          std::string &error) = 0;
};

/// Makes an id. If NCCL_COMM_ID is not set a thread of its own serves it.
ncclResult_t makeUniqueId(ncclUniqueId &id, std::string &error);
/// Connects a rank to who serves the id. Rank 0 begins to do so, if that is its
/// task; then the others wait for it for a minute.
std::unique_ptr<Exchange> connectTo(const ncclUniqueId &id, int ranks, int rank,
                                    IsCancelled isCancelled,
                                    std::string &error);

} // namespace ptxjit::nccl

#endif
