//===- CheckpointTest.cpp - processes that stand still, and core dumps ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DriverFixture.h"

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <unistd.h>

namespace {
using std::chrono::milliseconds;

class Checkpoint : public Driver {
protected:
  int state() {
    int state = -1;
    EXPECT_EQ(cuCheckpointProcessGetState(getpid(), &state), CUDA_SUCCESS);
    return state;
  }
};
} // namespace

TEST_F(Checkpoint, CallsWaitForTheUnlock) {
  int self = getpid();
  EXPECT_EQ(state(), CU_PROCESS_STATE_RUNNING);
  EXPECT_EQ(cuCheckpointProcessUnlock(self, nullptr), CUDA_ERROR_ILLEGAL_STATE);
  EXPECT_EQ(cuCheckpointProcessCheckpoint(self, nullptr),
            CUDA_ERROR_ILLEGAL_STATE);
  CUdeviceptr data;
  ASSERT_EQ(cuMemAlloc_v2(&data, 256), CUDA_SUCCESS);
  ASSERT_EQ(cuCheckpointProcessLock(self, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(state(), CU_PROCESS_STATE_LOCKED);
  std::atomic<bool> isFree{false};
  std::thread other([&] {
    EXPECT_EQ(cuMemFree_v2(data), CUDA_SUCCESS);
    isFree = true;
  });
  EXPECT_EQ(cuCheckpointProcessCheckpoint(self, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(state(), CU_PROCESS_STATE_CHECKPOINTED);
  EXPECT_EQ(cuCheckpointProcessLock(self, nullptr), CUDA_ERROR_ILLEGAL_STATE);
  EXPECT_EQ(cuCheckpointProcessUnlock(self, nullptr), CUDA_ERROR_ILLEGAL_STATE);
  std::this_thread::sleep_for(milliseconds(20));
  EXPECT_FALSE(isFree);
  EXPECT_EQ(cuCheckpointProcessRestore(self, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(state(), CU_PROCESS_STATE_LOCKED);
  EXPECT_EQ(cuCheckpointProcessUnlock(self, nullptr), CUDA_SUCCESS);
  other.join();
  EXPECT_TRUE(isFree);
}

TEST_F(Checkpoint, LocksWaitForWork) {
  CUstream stream;
  std::atomic<bool> gate{false};
  ASSERT_EQ(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  EXPECT_EQ(cuLaunchHostFunc(
                stream,
                [](void *gate) {
                  while (!*static_cast<std::atomic<bool> *>(gate))
                    std::this_thread::yield();
                },
                &gate),
            CUDA_SUCCESS);
  CUcheckpointLockArgs args{};
  args.timeoutMs = 5;
  EXPECT_EQ(cuCheckpointProcessLock(getpid(), &args), CUDA_ERROR_NOT_READY);
  EXPECT_EQ(state(), CU_PROCESS_STATE_RUNNING);
  gate = true;
  EXPECT_EQ(cuCheckpointProcessLock(getpid(), nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cuCheckpointProcessUnlock(getpid(), nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamDestroy_v2(stream), CUDA_SUCCESS);
}

TEST_F(Checkpoint, OtherProcessesAreOutOfReach) {
  int state;
  EXPECT_EQ(cuCheckpointProcessGetState(getppid(), &state),
            CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(cuCheckpointProcessLock(0, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuCheckpointProcessGetState(getpid(), nullptr),
            CUDA_ERROR_INVALID_VALUE);
}

//===----------------------------------------------------------------------===//
// Core dumps
//===----------------------------------------------------------------------===//

namespace {
CUresult set(int attribute, const char *text) {
  size_t size = std::strlen(text) + 1;
  return cuCoredumpSetAttribute(attribute, const_cast<char *>(text), &size);
}
CUresult set(int attribute, bool value) {
  size_t size = 1;
  return cuCoredumpSetAttribute(attribute, &value, &size);
}
} // namespace

using Coredump = Driver;

TEST_F(Coredump, TellsWhatFailedAndTheAllocations) {
  std::string pattern = ::testing::TempDir() + "ptxjit-core-%p-%h.txt";
  ASSERT_EQ(set(CU_COREDUMP_ENABLE_ON_EXCEPTION, true), CUDA_SUCCESS);
  ASSERT_EQ(set(CU_COREDUMP_TRIGGER_HOST, false), CUDA_SUCCESS);
  ASSERT_EQ(set(CU_COREDUMP_FILE, pattern.c_str()), CUDA_SUCCESS);
  char seen[1024];
  size_t size = sizeof(seen);
  EXPECT_EQ(cuCoredumpGetAttribute(CU_COREDUMP_FILE, seen, &size),
            CUDA_SUCCESS);
  EXPECT_EQ(seen, pattern);
  CUdeviceptr data;
  ASSERT_EQ(cuMemAlloc_v2(&data, 4321), CUDA_SUCCESS);
  EXPECT_EQ(launch("crash", 2, 32), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);

  char host[256] = {};
  ASSERT_EQ(gethostname(host, sizeof(host) - 1), 0);
  std::string path = ::testing::TempDir() + "ptxjit-core-" +
                     std::to_string(getpid()) + "-" + host + ".txt";
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  for (const char *part :
       {"ptx-jit core dump 1\n", "error 719 CUDA_ERROR_LAUNCH_FAILED",
        "launch crash grid 2,1,1 block 32,1,1", "a thread executed 'trap'",
        " 4321 device\n", " 4 variable\n", "end\n"})
    EXPECT_NE(text.str().find(part), std::string::npos) << part;
  std::remove(path.c_str());
}

TEST_F(Coredump, SettingsAreOfAContext) {
  bool enabled = true;
  int flags = CU_COREDUMP_SKIP_ABORT;
  size_t size = 0;
  EXPECT_EQ(cuCoredumpGetAttribute(CU_COREDUMP_FILE, nullptr, &size),
            CUDA_SUCCESS);
  EXPECT_EQ(size, 1024u);
  EXPECT_EQ(
      cuCoredumpGetAttribute(CU_COREDUMP_GENERATION_FLAGS, nullptr, &size),
      CUDA_SUCCESS);
  EXPECT_EQ(size, 4u);
  EXPECT_EQ(cuCoredumpSetAttribute(CU_COREDUMP_GENERATION_FLAGS, &flags, &size),
            CUDA_SUCCESS);
  EXPECT_EQ(set(CU_COREDUMP_ENABLE_ON_EXCEPTION, true), CUDA_SUCCESS);
  size = 1;
  EXPECT_EQ(cuCoredumpGetAttributeGlobal(CU_COREDUMP_ENABLE_ON_EXCEPTION,
                                         &enabled, &size),
            CUDA_SUCCESS);
  EXPECT_FALSE(enabled);
  EXPECT_EQ(
      cuCoredumpGetAttribute(CU_COREDUMP_ENABLE_ON_EXCEPTION, &enabled, &size),
      CUDA_SUCCESS);
  EXPECT_TRUE(enabled);

  EXPECT_EQ(set(CU_COREDUMP_PIPE, "pipe"), CUDA_ERROR_NOT_PERMITTED);
  EXPECT_EQ(set(CU_COREDUMP_FILE, ""), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(set(CU_COREDUMP_FILE, std::string(1024, 'x').c_str()),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(set(0, true), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(set(CU_COREDUMP_MAX, true), CUDA_ERROR_INVALID_VALUE);
  bool on = true;
  EXPECT_EQ(
      cuCoredumpSetAttributeGlobal(CU_COREDUMP_ENABLE_USER_TRIGGER, &on, &size),
      CUDA_ERROR_NOT_SUPPORTED);
  size = 2;
  char small[2];
  EXPECT_EQ(cuCoredumpGetAttribute(CU_COREDUMP_FILE, small, &size),
            CUDA_ERROR_INVALID_VALUE);
  flags = 1 << 20;
  size = 4;
  EXPECT_EQ(cuCoredumpSetAttribute(CU_COREDUMP_GENERATION_FLAGS, &flags, &size),
            CUDA_ERROR_INVALID_VALUE);
}

TEST(CoredumpDeathTest, TheEnvironmentOverrulesAndTheHostAborts) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  auto crash = [] {
    setenv("CUDA_ENABLE_COREDUMP_ON_EXCEPTION", "1", 1);
    setenv("CUDA_COREDUMP_FILE", "/dev/null", 1);
    CUcontext context;
    CUmodule module;
    CUfunction function;
    if (cuInit(0) || cuCtxCreate_v2(&context, 0, 0) ||
        cuModuleLoadData(&module, kKernels) ||
        cuModuleGetFunction(&function, module, "crash") ||
        set(CU_COREDUMP_FILE, "other") != CUDA_ERROR_NOT_PERMITTED)
      _exit(1);
    (void)cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr,
                         nullptr);
    (void)cuCtxSynchronize();
    _exit(2);
  };
  EXPECT_EXIT(crash(), ::testing::KilledBySignal(SIGABRT),
              "core dump: /dev/null");
}
