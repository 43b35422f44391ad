//===- Bootstrap.cpp - how ranks find each other --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bootstrap.h"
#include "Report.h"
#include "Sockets.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>
#include <thread>
#include <unistd.h>

using namespace ptxjit::nccl;

//===----------------------------------------------------------------------===//
// Who is who
//===----------------------------------------------------------------------===//

Key ptxjit::nccl::makeKey() {
  std::random_device random;
  auto word = [&] { return uint64_t(random()) << 32 | random(); };
  return {word(), word()};
}

static std::string readLink(const char *path) {
  char text[256];
  ssize_t length = readlink(path, text, sizeof(text));
  return std::string(text, length > 0 ? size_t(length) : 0);
}

/// Identifies the machine, as far as processes can reach each other's memory
/// and sockets: containers on one machine may count as several.
static uint64_t identifyMachine() {
  char host[256] = {};
  gethostname(host, sizeof(host) - 1);
  std::string boot;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), boot);
  std::string all = std::string(host) + "/" + boot + "/" +
                    readLink("/proc/self/ns/net") +
                    readLink("/proc/self/ns/pid") + std::to_string(getuid());
  uint64_t hash = 14695981039346656037u; // FNV-1a
  for (char c : all)
    hash = (hash ^ uint8_t(c)) * 1099511628211u;
  return hash;
}

RankInfo ptxjit::nccl::describeProcess() {
  static const Key random = makeKey();
  RankInfo info;
  info.pid = getpid();
  // A child of fork() is another process.
  info.process = {random[0], random[1] + uint64_t(info.pid)};
  info.machine = identifyMachine();
  return info;
}

//===----------------------------------------------------------------------===//
// Ids
//===----------------------------------------------------------------------===//

namespace {
/// What a ncclUniqueId contains.
struct IdContents {
  char magic[8];
  Key secret;
  uint64_t machine; ///< that serves it; 0: the address is good for all
  SocketAddress address;
  uint32_t isServedByRank0;
};
/// The first words of a rank to the server.
struct Hello {
  Key secret;
  int32_t ranks, rank;
};
} // namespace
static_assert(sizeof(IdContents) <= sizeof(ncclUniqueId));
static constexpr char kMagic[8] = {'p', 't', 'x', 'j', 'i', 't', '2', '8'};

static bool readId(const ncclUniqueId &id, IdContents &contents) {
  std::memcpy(&contents, id.internal, sizeof(contents));
  return std::memcmp(contents.magic, kMagic, sizeof(kMagic)) == 0;
}

//===----------------------------------------------------------------------===//
// The server
//===----------------------------------------------------------------------===//

namespace {
/// Serves one id: waits for the ranks, then hands each what all have sent, as
/// long as all go on.
class Server {
public:
  Server(Socket listener, Key secret)
      : listener(std::move(listener)), secret(secret) {}
  void run() {
    bool isComplete = acceptAll();
    listener = Socket(); // another communicator may want the port
    while (isComplete && serveRound())
      ;
  }

private:
  bool acceptAll() {
    auto first = std::chrono::steady_clock::time_point::max();
    while (ranks.empty() || missing) {
      Socket socket = listener.accept(ranks.empty() ? -1 : 1000);
      if (socket.isOpen() && !greet(std::move(socket)))
        return false;
      auto now = std::chrono::steady_clock::now();
      first = ranks.empty() ? now : std::min(first, now);
      if (missing && !isReported && now - first > kPatience)
        reportMissing();
      for (const Socket &rank : ranks)
        if (rank.isOpen() && rank.isLeft())
          return false; // it gave up
    }
    return true;
  }
  /// \returns false if the ranks contradict each other. Strangers are ignored.
  bool greet(Socket socket) {
    Hello hello;
    if (!socket.receive(&hello, sizeof(hello), 5000) || hello.secret != secret)
      return true;
    if (ranks.empty()) {
      ranks.resize(size_t(hello.ranks));
      missing = hello.ranks;
    }
    bool isNew = size_t(hello.ranks) == ranks.size() &&
                 size_t(hello.rank) < ranks.size() &&
                 !ranks[size_t(hello.rank)].isOpen();
    if (!isNew) {
      report("rank %d of %d takes part in a communicator of %zu ranks, in "
             "which that rank is not missing",
             hello.rank, hello.ranks, ranks.size());
      return false;
    }
    ranks[size_t(hello.rank)] = std::move(socket);
    --missing;
    return true;
  }
  void reportMissing() {
    isReported = true;
    std::string list;
    for (size_t rank = 0; rank < ranks.size(); ++rank)
      if (!ranks[rank].isOpen() && list.size() < 100)
        list += (list.empty() ? "" : ", ") + std::to_string(rank);
    report("a new communicator of %zu ranks still waits for rank %s",
           ranks.size(), list.c_str());
  }
  bool serveRound() {
    std::vector<RankInfo> infos(ranks.size());
    for (size_t rank = 0; rank < ranks.size(); ++rank)
      if (!ranks[rank].receive(&infos[rank], sizeof(RankInfo)))
        return false;
    for (Socket &rank : ranks)
      if (!rank.send(infos.data(), infos.size() * sizeof(RankInfo)))
        return false;
    return true;
  }

  Socket listener;
  Key secret;
  std::vector<Socket> ranks; ///< empty until the first one says how many
  int missing = 0;
  bool isReported = false;
};
} // namespace

static void serve(Socket listener, const Key &secret) {
  auto server = std::make_shared<Server>(std::move(listener), secret);
  std::thread([server] { server->run(); }).detach();
}

static void writeId(const IdContents &contents, ncclUniqueId &id) {
  std::memset(&id, 0, sizeof(id));
  std::memcpy(id.internal, &contents, sizeof(contents));
}

ncclResult_t ptxjit::nccl::makeUniqueId(ncclUniqueId &id, std::string &error) {
  IdContents contents{};
  std::memcpy(contents.magic, kMagic, sizeof(kMagic));
  const char *setting = std::getenv("NCCL_COMM_ID");
  if (setting && *setting) {
    if (!contents.address.parse(setting)) {
      error = std::string("NCCL_COMM_ID is '") + setting +
              "', not <IPv4 or host>:<port> or [<IPv6>]:<port>";
      return ncclInvalidArgument;
    }
    contents.isServedByRank0 = 1;
    // The same in all processes, so that it only keeps other programs away.
    std::memcpy(contents.secret.data(), kMagic, sizeof(kMagic));
    writeId(contents, id);
    return ncclSuccess;
  }
  contents.secret = makeKey();
  contents.machine = identifyMachine();
  Socket listener = Socket::listen(contents.address, error);
  if (!listener.isOpen())
    return ncclSystemError;
  writeId(contents, id);
  serve(std::move(listener), contents.secret);
  return ncclSuccess;
}

//===----------------------------------------------------------------------===//
// Ranks
//===----------------------------------------------------------------------===//

namespace {
class SocketExchange : public Exchange {
public:
  SocketExchange(Socket socket, int ranks, IsCancelled isCancelled)
      : socket(std::move(socket)), ranks(ranks),
        isCancelled(std::move(isCancelled)) {}
  std::vector<RankInfo> allGather(const RankInfo &mine,
                                  std::string &error) override {
    std::vector<RankInfo> all(static_cast<size_t>(ranks));
    if (socket.send(&mine, sizeof(mine)) &&
        socket.receive(all.data(), all.size() * sizeof(RankInfo), -1,
                       isCancelled))
      return all;
    error = "another rank gave up, or the process that made the unique id "
            "ended";
    return {};
  }

private:
  Socket socket;
  int ranks;
  IsCancelled isCancelled;
};
} // namespace

/// Connects when there is somebody, or gives up after a minute.
static Socket awaitServer(const SocketAddress &address, int rank,
                          const IsCancelled &isCancelled, std::string &error) {
  auto begin = std::chrono::steady_clock::now();
  bool isReported = false;
  while (true) {
    Socket socket = Socket::connect(address, error);
    auto waited = std::chrono::steady_clock::now() - begin;
    if (socket.isOpen() || isCancelled() || waited > std::chrono::minutes(1))
      return socket;
    if (!isReported && waited > kPatience)
      report("rank %d waits for rank 0 to listen at NCCL_COMM_ID", rank);
    isReported |= waited > kPatience;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

std::unique_ptr<Exchange> ptxjit::nccl::connectTo(const ncclUniqueId &id,
                                                  int ranks, int rank,
                                                  IsCancelled isCancelled,
                                                  std::string &error) {
  IdContents contents;
  if (!readId(id, contents)) {
    error = "the unique id does not come from this library";
    return nullptr;
  }
  if (contents.machine == identifyMachine())
    contents.address = contents.address.loopback();
  if (contents.isServedByRank0 && rank == 0) {
    Socket listener = Socket::listenAt(contents.address, error);
    if (!listener.isOpen())
      return nullptr;
    serve(std::move(listener), contents.secret);
  }
  Socket socket = contents.isServedByRank0 && rank != 0
                      ? awaitServer(contents.address, rank, isCancelled, error)
                      : Socket::connect(contents.address, error);
  Hello hello = {contents.secret, ranks, rank};
  if (!socket.isOpen())
    return nullptr;
  if (!socket.send(&hello, sizeof(hello))) {
    error = "the process that made the unique id does not answer";
    return nullptr;
  }
  return std::make_unique<SocketExchange>(std::move(socket), ranks,
                                          std::move(isCancelled));
}
