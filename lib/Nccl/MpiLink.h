//===- MpiLink.h - messages by MPI ------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_NCCL_MPILINK_H
#define PTXJIT_LIB_NCCL_MPILINK_H

#include "Link.h"
#include "MpiABI.h"

#include <vector>

namespace ptxjit::nccl {

/// Processes of MPI_COMM_WORLD that exchange messages.
class MpiGroup {
public:
  /// The process's rank in MPI_COMM_WORLD; -1 and `error` if MPI cannot be
  /// used.
  static int findWorldRank(std::string &error);
  /// \param worldRanks  ascending, the same in all of these processes
  static std::shared_ptr<MpiGroup> create(const std::vector<int> &worldRanks,
                                          int tag);
  ~MpiGroup();

  /// The link to a rank in another process. \param sendTag  the peer receives
  /// with it
  static std::unique_ptr<Link> makeLink(const std::shared_ptr<MpiGroup> &group,
                                        int worldRank, int sendTag,
                                        int receiveTag);

private:
  friend class MpiLink;
  MpiGroup(const PtxjitNcclMpi &mpi, void *handle, std::vector<int> worldRanks)
      : mpi(mpi), handle(handle), worldRanks(std::move(worldRanks)) {}
  const PtxjitNcclMpi &mpi;
  void *handle;
  std::vector<int> worldRanks;
};

} // namespace ptxjit::nccl

#endif
