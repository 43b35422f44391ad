//===- Engine.h - the threads that run operations ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stream that has come to operations waits for them, and meanwhile its thread
// runs tasks: first those of its own rank, then those of any other. So it does
// not matter how many threads there are, nor in which order they come. At most
// as many threads as there are cores work, the others sleep.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_NCCL_ENGINE_H
#define PTXJIT_LIB_NCCL_ENGINE_H

#include "Communicator.h"

namespace ptxjit::nccl {

class Engine {
public:
  static Engine &get();

  /// The stream of a rank has come to its operations.
  void arrive(const std::shared_ptr<Communicator> &rank,
              std::shared_ptr<Execution> execution, uint64_t ticket);
  /// Blocks until the operations are done.
  void await(Communicator &rank, Execution &execution);
  /// Called when they are.
  void finish(Execution &execution);
  /// Wakes threads that wait for news.
  void ring();

private:
  Engine();
  void work(Communicator &rank, Execution &execution);
  bool advanceOthers(bool &isRemote);
  void pause(uint64_t seen, bool isRemote, unsigned idle);
  std::vector<std::shared_ptr<Communicator>> getBusy();

  std::mutex mutex;
  std::vector<std::shared_ptr<Communicator>> busy; ///< have operations to do
  const unsigned mostWorkers;
  unsigned workers = 0;
  std::condition_variable seats; ///< an execution is done, or a worker leaves

  std::atomic<uint64_t> news{0};
  std::atomic<unsigned> sleepers{0};
  std::mutex bellMutex;
  std::condition_variable bell;
};

} // namespace ptxjit::nccl

#endif
