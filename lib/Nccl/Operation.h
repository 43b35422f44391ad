//===- Operation.h - what a rank is asked to do -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_NCCL_OPERATION_H
#define PTXJIT_LIB_NCCL_OPERATION_H

#include "Link.h"
#include "Reduce.h"

namespace ptxjit::nccl {

/// A factor of PreMulSum: a value, or where to find it when the collective
/// runs.
struct Scalar {
  uint64_t value = 0;
  const void *address = nullptr; ///< null: `value` counts
  size_t bytes = 0;
  uint64_t read() const;
};

/// Data for or from one peer.
struct Transfer {
  int peer = 0;
  char *data = nullptr; ///< what is sent is not written to
  size_t bytes = 0;
};

/// A collective, or all the sends and receives of a group. Buffers and counts
/// are those of the function that NCCL names so.
struct Operation {
  enum class Kind : uint8_t {
    AllReduce,
    Reduce,
    ReduceScatter,
    Broadcast,
    AllGather,
    AlltoAll,
    Gather,
    Scatter,
    PointToPoint,
  };
  Kind kind = Kind::PointToPoint;
  ncclDataType_t type = ncclInt8;
  ReduceKind reduction = ReduceKind::Sum;
  Scalar scalar;
  int root = -1;
  const char *send = nullptr;
  char *recv = nullptr;
  size_t count = 0;                      ///< elements
  std::vector<Transfer> sends, receives; ///< PointToPoint

  size_t bytes() const { return count * sizeOf(type); }
};

/// The function's name without "nccl".
const char *nameOf(Operation::Kind kind);

/// The bytes that `Kind` reads and writes on a rank, as multiples of `count`
/// elements. \param ranks  of the communicator
size_t sendBlocks(const Operation &operation, int rank, int ranks);
size_t recvBlocks(const Operation &operation, int rank, int ranks);

} // namespace ptxjit::nccl

#endif
