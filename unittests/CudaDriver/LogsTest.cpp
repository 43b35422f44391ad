//===- LogsTest.cpp - errors that programs read ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DriverFixture.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {
/// Makes the driver report an error that contains `name`.
void fail(const std::string &name) {
  std::string text = ".version 8.0\n.target sm_80\n.address_size 64\n" + name;
  CUmodule module;
  EXPECT_EQ(cuModuleLoadData(&module, text.c_str()), CUDA_ERROR_INVALID_PTX);
}

std::string dump(CUlogIterator *iterator, size_t size = 25600,
                 CUresult expected = CUDA_SUCCESS) {
  std::vector<char> buffer(size, 'x');
  EXPECT_EQ(cuLogsDumpToMemory(iterator, buffer.data(), &size, 0), expected);
  EXPECT_EQ(std::strlen(buffer.data()), size);
  return buffer.data();
}

bool has(const std::string &text, const char *part) {
  return text.find(part) != std::string::npos;
}
} // namespace

using Logs = Driver;

TEST_F(Logs, AreReadFromAPointOn) {
  fail("before");
  CUlogIterator at;
  ASSERT_EQ(cuLogsCurrent(&at, 0), CUDA_SUCCESS);
  EXPECT_EQ(dump(&at), "");
  fail("first");
  fail("second");
  CUlogIterator again = at;
  std::string text = dump(&at);
  EXPECT_FALSE(has(text, "before"));
  EXPECT_TRUE(has(text, "first"));
  EXPECT_TRUE(has(text, "second"));
  EXPECT_EQ(text.back(), '\n');
  EXPECT_EQ(dump(&at), "") << "the iterator has moved on";
  EXPECT_TRUE(has(dump(nullptr), "before"));

  // The newest messages that fit, and a note.
  std::string last = text.substr(text.rfind("PTX is refused"));
  CUlogIterator small = again;
  std::string cut = dump(&small, last.size() + 60);
  EXPECT_TRUE(has(cut, "dropped"));
  EXPECT_TRUE(has(cut, "second"));
  EXPECT_FALSE(has(cut, "first"));
  small = again;
  EXPECT_EQ(dump(&small, 10, CUDA_ERROR_INVALID_VALUE), "");
  EXPECT_EQ(small, again);
}

TEST_F(Logs, GoToFiles) {
  CUlogIterator at;
  ASSERT_EQ(cuLogsCurrent(&at, 0), CUDA_SUCCESS);
  fail("tofile");
  std::string path =
      ::testing::TempDir() + "ptxjit-log-" + std::to_string(getpid()) + ".txt";
  EXPECT_EQ(cuLogsDumpToFile(&at, path.c_str(), 0), CUDA_SUCCESS);
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_TRUE(has(text.str(), "tofile"));
  std::remove(path.c_str());
  EXPECT_EQ(cuLogsDumpToFile(&at, "/nowhere/at/all", 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuLogsDumpToFile(&at, nullptr, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuLogsCurrent(&at, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuLogsCurrent(nullptr, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Logs, OldMessagesAreDropped) {
  CUlogIterator at;
  ASSERT_EQ(cuLogsCurrent(&at, 0), CUDA_SUCCESS);
  fail("oldest");
  for (int i = 0; i < 300; ++i)
    fail("filling" + std::string(100, 'g'));
  std::string text = dump(&at);
  EXPECT_TRUE(has(text, "dropped"));
  EXPECT_FALSE(has(text, "oldest"));
  EXPECT_LE(text.size(), 25600u);
}

TEST_F(Logs, CallbacksGetEachMessage) {
  struct Seen {
    std::vector<std::string> texts;
    CUlogsCallbackHandle handle = nullptr;
  } seen;
  auto note = [](void *data, int level, char *message, size_t length) {
    auto *seen = static_cast<Seen *>(data);
    EXPECT_EQ(level, CU_LOG_LEVEL_ERROR);
    EXPECT_EQ(std::strlen(message), length);
    seen->texts.push_back(message);
    if (seen->texts.size() == 2) // it may call these functions
      EXPECT_EQ(cuLogsUnregisterCallback(seen->handle), CUDA_SUCCESS);
  };
  ASSERT_EQ(cuLogsRegisterCallback(note, &seen, &seen.handle), CUDA_SUCCESS);
  fail("one");
  std::thread([] {
    ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
    const void *table;
    CUuuid id{};
    EXPECT_EQ(cuGetExportTable(&table, &id), CUDA_ERROR_NOT_FOUND);
  }).join();
  fail("three");
  ASSERT_EQ(seen.texts.size(), 2u);
  EXPECT_TRUE(has(seen.texts[0], "one"));
  EXPECT_TRUE(has(seen.texts[1], "static runtime"));
  EXPECT_EQ(cuLogsUnregisterCallback(seen.handle), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuLogsRegisterCallback(nullptr, nullptr, nullptr),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Driver, AtomicsOfTheHostAreThoseOfPtx) {
  unsigned capabilities[3] = {};
  int operations[] = {CU_ATOMIC_OPERATION_INTEGER_ADD,
                      CU_ATOMIC_OPERATION_INTEGER_INCREMENT,
                      CU_ATOMIC_OPERATION_FLOAT_MIN};
  EXPECT_EQ(cuDeviceGetHostAtomicCapabilities(capabilities, operations, 3, 0),
            CUDA_SUCCESS);
  EXPECT_EQ(capabilities[0], 0x1fu);
  EXPECT_EQ(capabilities[1], 0x0eu);
  EXPECT_EQ(capabilities[2], 0u);
  operations[2] = 13;
  EXPECT_EQ(cuDeviceGetHostAtomicCapabilities(capabilities, operations, 3, 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDeviceGetHostAtomicCapabilities(capabilities, operations, 0, 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDeviceGetHostAtomicCapabilities(capabilities, operations, 1, 7),
            CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(cuFlushGPUDirectRDMAWrites(0, 100), CUDA_SUCCESS);
  EXPECT_EQ(cuFlushGPUDirectRDMAWrites(0, 1), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Driver, CooperativeLaunchesOnAListOfOneDevice) {
  CUstream stream;
  ASSERT_EQ(cuStreamCreate(&stream, 0), CUDA_SUCCESS);
  CUDA_LAUNCH_PARAMS each{get("count"), 1, 1, 1, 1, 1, 1, 0, stream, nullptr};
  CUDA_LAUNCH_PARAMS two[] = {each, each};
  EXPECT_EQ(cuLaunchCooperativeKernelMultiDevice(&each, 1, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuLaunchCooperativeKernelMultiDevice(two, 2, 0),
            CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(cuLaunchCooperativeKernelMultiDevice(two, 0, 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuLaunchCooperativeKernelMultiDevice(&each, 1, 4),
            CUDA_ERROR_INVALID_VALUE);
  each.hStream = nullptr;
  EXPECT_EQ(cuLaunchCooperativeKernelMultiDevice(&each, 1, 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
  unsigned counter = 0;
  CUdeviceptr at;
  ASSERT_EQ(cuModuleGetGlobal_v2(&at, nullptr, module, "counter"),
            CUDA_SUCCESS);
  EXPECT_EQ(cuMemcpyDtoH_v2(&counter, at, 4), CUDA_SUCCESS);
  EXPECT_EQ(counter, 8u);
  EXPECT_EQ(cuStreamDestroy_v2(stream), CUDA_SUCCESS);
}

TEST_F(Driver, LibrariesHaveNoUnifiedFunctions) {
  CUlibrary library;
  void *function;
  ASSERT_EQ(cuLibraryLoadData(&library, kKernels, nullptr, nullptr, 0, nullptr,
                              nullptr, 0),
            CUDA_SUCCESS);
  EXPECT_EQ(cuLibraryGetUnifiedFunction(&function, library, "add"),
            CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(cuLibraryGetUnifiedFunction(&function, nullptr, "add"),
            CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuLibraryGetUnifiedFunction(nullptr, library, "add"),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuLibraryUnload(library), CUDA_SUCCESS);
}

TEST(ModuleLoadingDeathTest, EagerIsAskedFor) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  auto loading = [](const char *asked) {
    setenv("CUDA_MODULE_LOADING", asked, 1);
    int mode = 0;
    _exit(cuModuleGetLoadingMode(&mode) ? 9 : mode);
  };
  EXPECT_EXIT(loading("EAGER"),
              ::testing::ExitedWithCode(CU_MODULE_EAGER_LOADING), "");
  EXPECT_EXIT(loading("LAZY"),
              ::testing::ExitedWithCode(CU_MODULE_LAZY_LOADING), "");
}
