//===- MpiLink.cpp - messages by MPI --------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MpiLink.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <dlfcn.h>

using namespace ptxjit::nccl;

//===----------------------------------------------------------------------===//
// The plug-in
//===----------------------------------------------------------------------===//

/// The plug-in lies beside this library.
static std::string pluginPath() {
  Dl_info info;
  if (!dladdr(reinterpret_cast<void *>(&pluginPath), &info) || !info.dli_fname)
    return "libptxjit-nccl-mpi.so";
  std::string path = info.dli_fname;
  size_t slash = path.rfind('/');
  path.resize(slash == std::string::npos ? 0 : slash + 1);
  return path + "libptxjit-nccl-mpi.so";
}

static const PtxjitNcclMpi *loadPlugin(std::string &error) {
  static std::string problem;
  static const PtxjitNcclMpi *const plugin = []() -> const PtxjitNcclMpi * {
    void *library = dlopen(pluginPath().c_str(), RTLD_NOW | RTLD_GLOBAL);
    using Get = const PtxjitNcclMpi *(*)();
    auto get = library ? reinterpret_cast<Get>(dlsym(library, "ptxjitNcclMpi"))
                       : nullptr;
    if (!get) {
      problem = std::string("the MPI plug-in cannot be loaded: ") + dlerror();
      return nullptr;
    }
    const PtxjitNcclMpi *functions = get();
    if (functions->version == PTXJIT_NCCL_MPI_VERSION)
      return functions;
    problem = "the MPI plug-in has another version";
    return nullptr;
  }();
  error = problem;
  return plugin;
}

/// Was the process started by mpirun, mpiexec or srun?
static bool isMpiProcess() {
  for (const char *name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"})
    if (std::getenv(name))
      return true;
  return false;
}

int MpiGroup::findWorldRank(std::string &error) {
  // MPI would take a process of its own for a job of one process.
  if (!isMpiProcess()) {
    error = "the program was not started by mpirun";
    return -1;
  }
  const PtxjitNcclMpi *mpi = loadPlugin(error);
  if (!mpi)
    return -1;
  int rank = -1;
  const char *problem = mpi->join(&rank);
  if (!problem)
    return rank;
  error = problem;
  return -1;
}

std::shared_ptr<MpiGroup> MpiGroup::create(const std::vector<int> &worldRanks,
                                           int tag) {
  std::string error;
  const PtxjitNcclMpi *mpi = loadPlugin(error);
  void *handle =
      mpi ? mpi->create(worldRanks.data(), int(worldRanks.size()), tag)
          : nullptr;
  if (!handle)
    return nullptr;
  return std::shared_ptr<MpiGroup>(new MpiGroup(*mpi, handle, worldRanks));
}

MpiGroup::~MpiGroup() { mpi.destroy(handle); }

//===----------------------------------------------------------------------===//
// Links
//===----------------------------------------------------------------------===//

namespace ptxjit::nccl {
class MpiLink : public Link {
public:
  MpiLink(std::shared_ptr<MpiGroup> group, int process, int sendTag,
          int receiveTag)
      : group(std::move(group)), process(process), sendTag(sendTag),
        receiveTag(receiveTag) {}
  ~MpiLink() override {
    finishSends();
    // After an error MPI may still use the buffers, which are given up then.
    if (!sends.empty())
      (void)std::make_unique<std::deque<Sending>>(std::move(sends)).release();
    if (receiving)
      (void)std::make_unique<std::vector<char>>(std::move(buffer)).release();
  }

  bool trySend(const Message &message) override {
    finishSends();
    if (sends.size() == kMostSends)
      return false;
    Sending sending;
    sending.bytes.resize(sizeof(MessageHead) + message.head.bytes);
    std::memcpy(sending.bytes.data(), &message.head, sizeof(MessageHead));
    std::memcpy(sending.bytes.data() + sizeof(MessageHead), message.data,
                message.head.bytes);
    sending.request =
        group->mpi.send(group->handle, process, sendTag, sending.bytes.data(),
                        sending.bytes.size());
    if (!sending.request) {
      isBroken = true;
      return false;
    }
    sends.push_back(std::move(sending));
    return true;
  }
  // Sends need this process to go on, so an operation waits for them.
  bool isDrained() override {
    finishSends();
    return sends.empty();
  }
  const Message *peek() override {
    if (isReady)
      return &current;
    if (!receiving && !startReceive())
      return nullptr;
    if (!group->mpi.test(receiving))
      return nullptr;
    receiving = nullptr;
    isReady = true;
    std::memcpy(&current.head, buffer.data(), sizeof(MessageHead));
    current.data = buffer.data() + sizeof(MessageHead);
    return &current;
  }
  void release() override { isReady = false; }
  bool isPeerGone() override { return isBroken; }

private:
  struct Sending {
    std::vector<char> bytes;
    void *request = nullptr;
  };
  static constexpr size_t kMostSends = 4;

  void finishSends() {
    while (!sends.empty() && group->mpi.test(sends.front().request))
      sends.pop_front();
  }
  bool startReceive() {
    size_t bytes = 0;
    void *message =
        group->mpi.probe(group->handle, process, receiveTag, &bytes);
    if (!message)
      return false;
    buffer.resize(std::max(bytes, sizeof(MessageHead)));
    receiving = group->mpi.receive(message, buffer.data(), bytes);
    isBroken |= !receiving;
    return receiving != nullptr;
  }

  std::shared_ptr<MpiGroup> group;
  int process, sendTag, receiveTag;
  std::deque<Sending> sends;
  std::vector<char> buffer;
  void *receiving = nullptr;
  bool isReady = false, isBroken = false;
  Message current;
};
} // namespace ptxjit::nccl

std::unique_ptr<Link> MpiGroup::makeLink(const std::shared_ptr<MpiGroup> &group,
                                         int worldRank, int sendTag,
                                         int receiveTag) {
  auto &ranks = group->worldRanks;
  auto place = std::find(ranks.begin(), ranks.end(), worldRank);
  return std::make_unique<MpiLink>(group, int(place - ranks.begin()), sendTag,
                                   receiveTag);
}
