//===- Groups.cpp - groups of calls ---------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Groups.h"
#include "Report.h"

#include <algorithm>
#include <thread>

using namespace ptxjit::nccl;

using Kind = Operation::Kind;

namespace {
struct InitJob {
  std::shared_ptr<Communicator> comm;
  std::function<ncclResult_t()> run;
};
/// What a thread has called since ncclGroupStart().
struct Group {
  int depth = 0;
  ncclResult_t error = ncclSuccess; ///< of the first call that failed
  std::vector<InitJob> inits;
  std::vector<Launch> launches; ///< of one operation each
};
} // namespace

static thread_local Group group;

//===----------------------------------------------------------------------===//
// Communicators
//===----------------------------------------------------------------------===//

/// Makes communicators side by side, since each may wait for the others.
static ncclResult_t runInits(std::vector<InitJob> inits) {
  bool blocks = true;
  for (const InitJob &init : inits)
    blocks &= init.comm->settings.isBlocking;
  std::vector<ncclResult_t> results(inits.size(), ncclSuccess);
  std::vector<std::string> errors(inits.size());
  std::vector<std::thread> threads;
  for (size_t i = 0; i < inits.size(); ++i) {
    if (!blocks) {
      std::thread(std::move(inits[i].run)).detach();
      continue;
    }
    threads.emplace_back([&, i] {
      results[i] = inits[i].run();
      errors[i] = ncclGetLastError(nullptr);
    });
  }
  for (std::thread &thread : threads)
    thread.join();
  for (size_t i = 0; i < results.size(); ++i)
    if (results[i])
      return failAgain(results[i], errors[i]);
  return blocks ? ncclSuccess : ncclInProgress;
}

ncclResult_t ptxjit::nccl::submitInit(std::shared_ptr<Communicator> comm,
                                      std::function<ncclResult_t()> run) {
  if (group.depth) {
    group.inits.push_back({std::move(comm), std::move(run)});
    return ncclSuccess;
  }
  if (comm->settings.isBlocking)
    return run();
  std::thread(std::move(run)).detach();
  return ncclInProgress;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// Joins a group's sends and receives with those of the same rank and stream,
/// since they all go on at the same time.
static void append(Launch &launch, Operation operation) {
  std::vector<Operation> &all = launch.operations;
  bool isPointToPoint = operation.kind == Kind::PointToPoint;
  bool hasPointToPoint = !all.empty() && all.back().kind == Kind::PointToPoint;
  if (!isPointToPoint) { // collectives come first
    all.insert(all.end() - hasPointToPoint, std::move(operation));
    return;
  }
  if (!hasPointToPoint) {
    all.push_back(std::move(operation));
    return;
  }
  for (const Transfer &transfer : operation.sends)
    all.back().sends.push_back(transfer);
  for (const Transfer &transfer : operation.receives)
    all.back().receives.push_back(transfer);
}

/// Has what a rank sends to itself a receiver?
static bool isMatched(const Launch &launch) {
  const Operation &last = launch.operations.back();
  auto toSelf = [&](const std::vector<Transfer> &transfers) {
    std::vector<size_t> bytes;
    for (const Transfer &transfer : transfers)
      if (transfer.peer == launch.comm->rank)
        bytes.push_back(transfer.bytes);
    return bytes;
  };
  return toSelf(last.sends) == toSelf(last.receives);
}

static ncclResult_t launchGroup(std::vector<Launch> single) {
  std::vector<Launch> launches;
  for (Launch &each : single) {
    auto it =
        std::find_if(launches.begin(), launches.end(), [&](Launch &other) {
          return other.comm == each.comm && other.stream == each.stream;
        });
    if (it == launches.end()) {
      launches.push_back({each.comm, each.stream, {}});
      it = launches.end() - 1;
    }
    append(*it, std::move(each.operations.front()));
  }
  for (const Launch &launch : launches)
    if (!isMatched(launch))
      return fail(ncclInvalidUsage,
                  "rank %d sends to itself what it does not receive in the "
                  "same group",
                  launch.comm->rank);
  return launchAll(std::move(launches));
}

ncclResult_t ptxjit::nccl::submit(std::shared_ptr<Communicator> comm,
                                  CUstream stream, Operation operation) {
  std::vector<Launch> one(1);
  one[0].comm = std::move(comm);
  one[0].stream = stream;
  one[0].operations.push_back(std::move(operation));
  if (!group.depth)
    return launchGroup(std::move(one));
  group.launches.push_back(std::move(one[0]));
  return ncclSuccess;
}

ncclResult_t ptxjit::nccl::refuse(ncclResult_t result) {
  if (group.depth && !group.error)
    group.error = result;
  return result;
}

//===----------------------------------------------------------------------===//
// The interface
//===----------------------------------------------------------------------===//

PTXJIT_NCCL_API(ncclGroupStart, ()) {
  ++group.depth;
  return ncclSuccess;
}

PTXJIT_NCCL_API(ncclGroupEnd, ()) {
  if (group.depth == 0)
    return fail(ncclInvalidUsage, "ncclGroupEnd without ncclGroupStart");
  if (--group.depth)
    return ncclSuccess;
  Group ended = std::move(group);
  group = Group();
  // Others wait for these communicators even if a call of the group failed.
  ncclResult_t inits = ncclSuccess;
  if (!ended.inits.empty())
    inits = runInits(std::move(ended.inits));
  if (ended.error)
    return ended.error;
  if (inits && inits != ncclInProgress)
    return inits;
  ncclResult_t operations = ncclSuccess;
  if (!ended.launches.empty())
    operations = launchGroup(std::move(ended.launches));
  return operations ? operations : inits;
}

PTXJIT_NCCL_API(ncclGroupSimulateEnd, (ncclSimInfo_t * info), info) {
  if (group.depth == 0)
    return fail(ncclInvalidUsage,
                "ncclGroupSimulateEnd without ncclGroupStart");
  if (info && (info->magic != NCCL_SIM_INFO_MAGIC ||
               info->size < sizeof(ncclSimInfo_t)))
    return fail(ncclInvalidArgument,
                "ncclGroupSimulateEnd: the structure is not initialised");
  // A group ends without being run. Nothing is known of its time.
  if (--group.depth == 0)
    group = Group();
  if (info)
    info->estimatedTime = 0;
  return ncclSuccess;
}
