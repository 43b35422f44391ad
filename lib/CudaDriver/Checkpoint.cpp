//===- Checkpoint.cpp - processes that stand still ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of the device is memory of the process, so there is nothing to move
// before a tool like CRIU stores the process: it only has to stand still. A
// process can lock itself. Others cannot be reached.
//
//===----------------------------------------------------------------------===//

#include "State.h"

#include <chrono>
#include <condition_variable>
#include <thread>
#include <unistd.h>

using namespace ptxjit;
using namespace ptxjit::cuda;

namespace {
struct Checkpoint {
  std::mutex mutex;
  std::condition_variable unlocked;
  int state = CU_PROCESS_STATE_RUNNING;
};
} // namespace

/// Never destroyed, like the State.
static Checkpoint &getCheckpoint() {
  static Checkpoint *checkpoint = new Checkpoint;
  return *checkpoint;
}

void cuda::awaitUnlock() {
  Checkpoint &checkpoint = getCheckpoint();
  std::unique_lock<std::mutex> lock(checkpoint.mutex);
  checkpoint.unlocked.wait(lock, [] { return !isLocked; });
}

static CUresult checkProcess(int pid) {
  if (isForked() || !getState().initialized)
    return CUDA_ERROR_NOT_INITIALIZED;
  if (isInHostFunction())
    return CUDA_ERROR_NOT_PERMITTED;
  if (pid <= 0)
    return CUDA_ERROR_INVALID_VALUE;
  if (pid == getpid())
    return CUDA_SUCCESS;
  log(LogKind::Error, "cuCheckpointProcess*: a process can lock and checkpoint "
                      "itself, no other one");
  return CUDA_ERROR_NOT_SUPPORTED;
}

/// Waits until no stream has work. \returns whether that was in time.
/// \param milliseconds  0: for ever.
static bool awaitAllWork(unsigned milliseconds) {
  auto end = std::chrono::steady_clock::now() +
             std::chrono::milliseconds(milliseconds);
  while (!unfinishedWork().empty()) {
    if (milliseconds && std::chrono::steady_clock::now() > end)
      return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

/// Goes from one state to another. \returns CUDA_ERROR_ILLEGAL_STATE if the
/// process is in neither.
static CUresult advance(int from, int to) {
  Checkpoint &checkpoint = getCheckpoint();
  std::lock_guard<std::mutex> lock(checkpoint.mutex);
  if (checkpoint.state != from)
    return CUDA_ERROR_ILLEGAL_STATE;
  checkpoint.state = to;
  isLocked = to != CU_PROCESS_STATE_RUNNING;
  if (!isLocked)
    checkpoint.unlocked.notify_all();
  return CUDA_SUCCESS;
}

// These functions must work while all others wait, so they are plain ones.

PTXJIT_CUDA_PLAIN_API(cuCheckpointProcessGetState, (int pid, int *state), pid,
                      state) {
  if (CUresult error = checkProcess(pid))
    return error;
  if (!state)
    return CUDA_ERROR_INVALID_VALUE;
  Checkpoint &checkpoint = getCheckpoint();
  std::lock_guard<std::mutex> lock(checkpoint.mutex);
  *state = checkpoint.state;
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_PLAIN_API(cuCheckpointProcessLock,
                      (int pid, CUcheckpointLockArgs *args), pid, args) {
  if (CUresult error = checkProcess(pid))
    return error;
  if (CUresult error =
          advance(CU_PROCESS_STATE_RUNNING, CU_PROCESS_STATE_LOCKED))
    return error;
  if (awaitAllWork(args ? args->timeoutMs : 0))
    return CUDA_SUCCESS;
  (void)advance(CU_PROCESS_STATE_LOCKED, CU_PROCESS_STATE_RUNNING);
  return CUDA_ERROR_NOT_READY;
}

PTXJIT_CUDA_PLAIN_API(cuCheckpointProcessCheckpoint, (int pid, void *args), pid,
                      args) {
  if (CUresult error = checkProcess(pid))
    return error;
  return advance(CU_PROCESS_STATE_LOCKED, CU_PROCESS_STATE_CHECKPOINTED);
}

PTXJIT_CUDA_PLAIN_API(cuCheckpointProcessRestore,
                      (int pid, CUcheckpointRestoreArgs *args), pid, args) {
  if (CUresult error = checkProcess(pid))
    return error;
  if (args && args->gpuPairsCount) {
    log(LogKind::Error,
        "cuCheckpointProcessRestore: the process cannot move to other devices");
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  return advance(CU_PROCESS_STATE_CHECKPOINTED, CU_PROCESS_STATE_LOCKED);
}

PTXJIT_CUDA_PLAIN_API(cuCheckpointProcessUnlock, (int pid, void *args), pid,
                      args) {
  if (CUresult error = checkProcess(pid))
    return error;
  return advance(CU_PROCESS_STATE_LOCKED, CU_PROCESS_STATE_RUNNING);
}
