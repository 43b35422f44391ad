//===- Ranks.h - ranks of this process, for tests ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_UNITTESTS_NCCL_RANKS_H
#define PTXJIT_UNITTESTS_NCCL_RANKS_H

#include "Model.h"

#include <gtest/gtest.h>
#include <memory>

namespace ncclmodel {

/// Memory of the current context's device.
class Buffer {
public:
  explicit Buffer(size_t bytes) : size(bytes) {
    if (bytes)
      EXPECT_EQ(cuMemAlloc_v2(&address, bytes), CUDA_SUCCESS);
  }
  explicit Buffer(const Bytes &bytes) : Buffer(bytes.size()) {
    std::copy(bytes.begin(), bytes.end(), data());
  }
  ~Buffer() {
    if (address)
      cuMemFree_v2(address);
  }
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;
  unsigned char *data() const {
    return reinterpret_cast<unsigned char *>(address);
  }
  template <typename T> T *as() const { return reinterpret_cast<T *>(address); }
  Bytes bytes() const { return Bytes(data(), data() + size); }

private:
  CUdeviceptr address = 0;
  size_t size;
};

/// Ranks of a communicator that are in this process, each with a stream.
class Ranks {
public:
  /// All ranks of a new communicator.
  explicit Ranks(int count);
  /// Some ranks of one that others have, too.
  Ranks(int count, const ncclUniqueId &id, std::vector<int> local);
  ~Ranks();
  Ranks(const Ranks &) = delete;
  Ranks &operator=(const Ranks &) = delete;

  int size() const { return count; }
  const std::vector<int> &local() const { return ranks; }
  ncclComm_t comm(size_t i) const { return comms[i]; }
  CUstream stream(size_t i) const { return streams[i]; }
  /// Makes the context of a rank current.
  void enter(size_t i) const { cuCtxSetCurrent(contexts[i]); }
  void synchronize() const;

  /// Runs a collective on all local ranks, and compares with the model.
  void check(const Collective &collective, bool inPlace) const;
  /// The same for all types and reductions that the kind distinguishes.
  void checkAll(Kind kind, size_t elements) const;

private:
  void makeStreams();
  int count;
  std::vector<int> ranks;
  std::vector<ncclComm_t> comms;
  std::vector<CUcontext> contexts;
  std::vector<CUstream> streams;
};

/// Calls the function of a collective.
ncclResult_t call(const Collective &collective, const void *send, void *recv,
                  ncclRedOp_t op, ncclComm_t comm, CUstream stream);

} // namespace ncclmodel

#endif
