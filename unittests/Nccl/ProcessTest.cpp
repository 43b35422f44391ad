//===- ProcessTest.cpp - ranks in several processes -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tests run this program several times. The processes find each other by a
// file, into which the first one writes the unique id. The disabled tests are
// what these processes do; mpirun runs them, too (test/Nccl).
//
//===----------------------------------------------------------------------===//

#include "Ranks.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <netinet/in.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace ncclmodel;

//===----------------------------------------------------------------------===//
// One of the processes
//===----------------------------------------------------------------------===//

/// The value of the first of these variables that is set.
static int readNumber(const std::vector<const char *> &names, int none) {
  for (const char *name : names)
    if (const char *text = std::getenv(name))
      return std::atoi(text);
  return none;
}

namespace {
struct Place {
  int process =
      readNumber({"NCCL_TEST_PROCESS", "OMPI_COMM_WORLD_RANK", "PMI_RANK"}, 0);
  int processes = readNumber(
      {"NCCL_TEST_PROCESSES", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}, 1);
  int ranksEach = readNumber({"NCCL_TEST_RANKS"}, 1);

  int ranks() const { return processes * ranksEach; }
  std::vector<int> local() const {
    std::vector<int> ranks;
    for (int i = 0; i < ranksEach; ++i)
      ranks.push_back(process * ranksEach + i);
    return ranks;
  }
};
} // namespace

/// The id that the first process makes.
static ncclUniqueId shareId(const Place &place) {
  ncclUniqueId id = {};
  const char *setting = std::getenv("NCCL_TEST_FILE");
  std::string path = setting ? setting : "nccl-test-id";
  if (place.process == 0) {
    EXPECT_EQ(ncclGetUniqueId(&id), ncclSuccess);
    std::ofstream(path + ".new", std::ios::binary).write(id.internal, 128);
    EXPECT_EQ(std::rename((path + ".new").c_str(), path.c_str()), 0);
    return id;
  }
  for (int i = 0; i < 30000; ++i) {
    std::ifstream file(path, std::ios::binary);
    if (file && file.read(id.internal, 128))
      return id;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ADD_FAILURE() << "there is no id";
  return id;
}

TEST(NcclProcess, DISABLED_Collectives) {
  Place place;
  Ranks ranks(place.ranks(), shareId(place), place.local());
  ASSERT_FALSE(HasFailure());
  for (Kind kind : kKinds) {
    for (size_t elements : {0, 1, 1003})
      ranks.checkAll(kind, elements);
    // In pieces of a message.
    for (bool inPlace : {false, true})
      ranks.check({kind, ncclFloat32, ncclSum, place.ranks() - 1, 300007,
                   place.ranks()},
                  inPlace && kind != Kind::AlltoAll);
  }
}

TEST(NcclProcess, DISABLED_Children) {
  Place place;
  Ranks ranks(place.ranks(), shareId(place), place.local());
  ASSERT_FALSE(HasFailure());
  std::vector<ncclComm_t> children(place.local().size());
  ASSERT_EQ(ncclGroupStart(), ncclSuccess);
  for (size_t i = 0; i < children.size(); ++i)
    EXPECT_EQ(ncclCommSplit(ranks.comm(i), 0, -place.local()[i], &children[i],
                            nullptr),
              ncclSuccess);
  ASSERT_EQ(ncclGroupEnd(), ncclSuccess) << ncclGetLastError(nullptr);
  Buffer data(children.size() * 4);
  ASSERT_EQ(ncclGroupStart(), ncclSuccess);
  for (size_t i = 0; i < children.size(); ++i) {
    data.as<int>()[i] = 1 + place.local()[i];
    EXPECT_EQ(ncclAllReduce(data.as<int>() + i, data.as<int>() + i, 1,
                            ncclInt32, ncclSum, children[i], ranks.stream(i)),
              ncclSuccess);
  }
  ASSERT_EQ(ncclGroupEnd(), ncclSuccess);
  ranks.synchronize();
  for (size_t i = 0; i < children.size(); ++i) {
    EXPECT_EQ(data.as<int>()[i], place.ranks() * (place.ranks() + 1) / 2);
    EXPECT_EQ(ncclCommDestroy(children[i]), ncclSuccess);
  }
}

/// The ids are not shared: NCCL_COMM_ID makes them equal. One is good for
/// several communicators, one after the other.
TEST(NcclProcess, DISABLED_Meet) {
  Place place;
  // The others come first.
  std::this_thread::sleep_for(
      std::chrono::milliseconds(place.process == 0 ? 200 : 0));
  for (int turn = 0; turn < 3; ++turn) {
    ncclUniqueId id;
    ASSERT_EQ(ncclGetUniqueId(&id), ncclSuccess);
    Ranks ranks(place.ranks(), id, place.local());
    ASSERT_FALSE(HasFailure());
    ranks.check({Kind::AllReduce, ncclFloat32, ncclSum, 0, 1003, place.ranks()},
                /*inPlace=*/false);
  }
}

TEST(NcclProcess, DISABLED_LostPeer) {
  Place place;
  Ranks ranks(place.ranks(), shareId(place), place.local());
  ASSERT_FALSE(HasFailure());
  if (place.process == 1)
    _exit(0);
  Buffer data(Bytes(4));
  ASSERT_EQ(ncclAllReduce(data.data(), data.data(), 1, ncclInt32, ncclSum,
                          ranks.comm(0), ranks.stream(0)),
            ncclSuccess);
  ranks.synchronize();
  ncclResult_t state;
  EXPECT_EQ(ncclCommGetAsyncError(ranks.comm(0), &state), ncclSuccess);
  EXPECT_EQ(state, ncclRemoteError);
}

//===----------------------------------------------------------------------===//
// All of them
//===----------------------------------------------------------------------===//

namespace {
/// A process that runs a disabled test of this program.
class Child {
public:
  /// \param environment  assignments
  Child(const std::string &test, const std::vector<std::string> &environment,
        std::string output)
      : output(std::move(output)) {
    std::string filter = "--gtest_filter=NcclProcess.DISABLED_" + test;
    std::string program = "/proc/self/exe";
    std::string all = "--gtest_also_run_disabled_tests";
    char *arguments[] = {program.data(), all.data(), filter.data(), nullptr};
    std::vector<char *> variables;
    for (char **each = environ; *each; ++each)
      variables.push_back(*each);
    for (const std::string &each : environment)
      variables.push_back(const_cast<char *>(each.c_str()));
    variables.push_back(nullptr);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 1, this->output.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&files, 1, 2);
    EXPECT_EQ(posix_spawn(&pid, program.c_str(), &files, nullptr, arguments,
                          variables.data()),
              0);
    posix_spawn_file_actions_destroy(&files);
  }
  /// \returns whether the test succeeded.
  bool wait() {
    using namespace std::chrono;
    auto end = steady_clock::now() + minutes(5);
    int status = 0;
    while (waitpid(pid, &status, WNOHANG) == 0) {
      if (steady_clock::now() > end)
        kill(pid, SIGKILL);
      std::this_thread::sleep_for(milliseconds(2));
    }
    std::ifstream file(output);
    std::string text(std::istreambuf_iterator<char>(file), {});
    std::remove(output.c_str());
    EXPECT_EQ(status, 0) << text;
    return status == 0;
  }

private:
  std::string output;
  pid_t pid = 0;
};
} // namespace

/// Runs a test in several processes. \param variable  an assignment, or empty
/// \returns whether all succeeded.
static bool runProcesses(const std::string &test, int processes, int ranksEach,
                         const std::string &variable = "") {
  std::string file = ::testing::TempDir() + "nccl-";
  file += std::to_string(getpid()) + test;
  std::vector<Child> children;
  for (int process = 0; process < processes; ++process)
    children.emplace_back(
        test,
        std::vector<std::string>{"NCCL_TEST_PROCESS=" + std::to_string(process),
                                 "NCCL_TEST_PROCESSES=" +
                                     std::to_string(processes),
                                 "NCCL_TEST_RANKS=" + std::to_string(ranksEach),
                                 "NCCL_TEST_FILE=" + file, variable},
        file + std::to_string(process));
  bool succeeded = true;
  for (Child &child : children)
    succeeded &= child.wait();
  std::remove(file.c_str());
  return succeeded;
}

TEST(NcclProcesses, HaveARankEach) {
  EXPECT_TRUE(runProcesses("Collectives", 3, 1));
}
TEST(NcclProcesses, HaveTwoRanksEach) {
  EXPECT_TRUE(runProcesses("Collectives", 2, 2));
}
TEST(NcclProcesses, MakeChildren) {
  EXPECT_TRUE(runProcesses("Children", 2, 1));
  EXPECT_TRUE(runProcesses("Children", 2, 2));
}

/// A port that nobody listens at.
static int findPort() {
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof(address);
  auto *system = reinterpret_cast<sockaddr *>(&address);
  EXPECT_EQ(bind(listener, system, length), 0);
  EXPECT_EQ(getsockname(listener, system, &length), 0);
  close(listener);
  return ntohs(address.sin_port);
}
static std::string makeSetting() {
  return "NCCL_COMM_ID=127.0.0.1:" + std::to_string(findPort());
}

TEST(NcclProcesses, MeetWhereAVariableSays) {
  EXPECT_TRUE(runProcesses("Meet", 3, 1, makeSetting()));
  EXPECT_TRUE(runProcesses("Meet", 2, 2, makeSetting()));
}
TEST(NcclProcesses, ThatEndAreNoticed) {
  EXPECT_TRUE(runProcesses("LostPeer", 2, 1));
}
