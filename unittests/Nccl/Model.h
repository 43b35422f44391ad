//===- Model.h - collectives, computed in the plainest way ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_UNITTESTS_NCCL_MODEL_H
#define PTXJIT_UNITTESTS_NCCL_MODEL_H

#include "ptxjit/Nccl/NcclABI.h"

#include <string>
#include <vector>

namespace ncclmodel {

using Bytes = std::vector<unsigned char>;

enum class Kind {
  AllReduce,
  Reduce,
  ReduceScatter,
  Broadcast,
  AllGather,
  AlltoAll,
  Gather,
  Scatter
};
constexpr Kind kKinds[] = {
    Kind::AllReduce, Kind::Reduce,   Kind::ReduceScatter, Kind::Broadcast,
    Kind::AllGather, Kind::AlltoAll, Kind::Gather,        Kind::Scatter};
inline bool isReduction(Kind kind) { return kind <= Kind::ReduceScatter; }
std::string nameOf(Kind kind);

/// The number of PreMulSum, which has none of its own.
constexpr int kPreMulSum = ncclNumOps;

size_t sizeOf(ncclDataType_t type);
/// The number behind the code of a float of 8 or 16 bits.
double decode(ncclDataType_t type, unsigned code);
/// The code of the number that is nearest to `value`.
unsigned encode(ncclDataType_t type, double value);

struct Collective {
  Kind kind;
  ncclDataType_t type;
  int op; ///< a ncclRedOp_t, or kPreMulSum
  int root;
  size_t count;
  int ranks;

  /// Elements of the two buffers of a rank.
  size_t sendCount() const;
  size_t recvCount() const;
  /// Where in-place buffers are the same: of the receive buffer if the send
  /// buffer is inside of it, else of the send buffer. Elements.
  size_t inPlaceOffset(int rank) const;
  bool hasInPlace() const { return kind != Kind::AlltoAll; }

  /// Some data of a rank, always the same.
  Bytes input(int rank) const;
  /// The factor of a rank for PreMulSum.
  Bytes factor(int rank) const;
  /// What the rank receives; empty if it receives nothing.
  Bytes expected(int rank) const;
  std::string describe() const;

private:
  Bytes reduceAll() const;
};

} // namespace ncclmodel

#endif
