//===- RuntimeTest.cpp - objects that are right, and others ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The objects are made by hand, with kernels in C++.
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Ahead/AheadABI.h"
#include "ptxjit/Cache/Records.h"
#include "ptxjit/ptxjit-runtime.h"

#include <atomic>
#include <cstring>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

using namespace ptxjit;

namespace {
struct Params {
  std::atomic<uint32_t> *calls;
  uint32_t add;
};

/// Counts its threads, as code for any block does, and adds to a variable.
void count(PtxjitKernelContext *context, uint32_t, uint32_t) {
  Params params;
  std::memcpy(&params, context->params, sizeof(params));
  *params.calls += context->ntid[0] * context->ntid[1] * context->ntid[2];
  auto *variable =
      reinterpret_cast<std::atomic<uint32_t> *>(context->globals[0]);
  *variable += params.add;
}

class Runtime : public testing::Test {
protected:
  Runtime() {
    variable.name = "v";
    variable.bytes = variable.align = 4;
    variable.init = initial;
    variable.initBytes = sizeof(initial);
    kernel.name = "count";
    kernel.paramBytes = sizeof(Params);
    info.kernels = &kernel;
    info.variables = &variable;
    info.numKernels = info.numVariables = 1;
    info.addressBits = 64;
    info.version = info.target = "";
    PtxjitImage image{};
    image.kernel = image.symbol = image.reason = "count";
    image.sharedEnd = PTXJIT_SHARED_BASE;
    image.strandThreads = 32;
    image.globals = &variable;
    image.numGlobals = 1;
    imageRecord = encode(image);
    moduleRecord = encode(info);
    variants[0] = variantOf(0, PTXJIT_ANY_BLOCK_NONE);
    variants[0].block[0] = 64;
    variants[0].block[1] = 2;
    variants[0].block[2] = 1;
    variants[1] = variantOf(0, PTXJIT_ANY_BLOCK_ROW);
    std::memcpy(object.magic, PTXJIT_AHEAD_MAGIC, sizeof(object.magic));
    object.version = PTXJIT_AHEAD_ABI_VERSION;
    object.kernelABI = PTXJIT_KERNEL_ABI_VERSION;
    object.compilerABI = PTXJIT_COMPILER_ABI_VERSION;
    object.recordFormat = kRecordFormat;
    object.producer = "a test";
    object.fileName = "test.ptx";
    object.text = object.features = "";
    object.cpu = "some-cpu";
    object.numVariants = 2;
    object.variants = variants;
    object.module = bytesOf(moduleRecord);
    object.moduleBytes = moduleRecord.size();
  }
  ~Runtime() override { ptxjitUnload(&object); }

  PtxjitError launch(PtxjitLaunch launch) {
    return ptxjitLaunchKernel(&object, 0, &launch, &params, sizeof(params));
  }
  std::string message() { return ptxjitGetLastError(); }
  static const uint8_t *bytesOf(const std::string &text) {
    return reinterpret_cast<const uint8_t *>(text.data());
  }
  PtxjitVariant variantOf(uint32_t number, PtxjitAnyBlock anyBlock) {
    PtxjitVariant variant{};
    variant.image = bytesOf(imageRecord);
    variant.imageBytes = imageRecord.size();
    variant.code = reinterpret_cast<const uint8_t *>(&count);
    variant.kernel = number;
    variant.anyBlock = anyBlock;
    variant.isSmallGrid = 1;
    return variant;
  }

  const uint8_t initial[4] = {5, 0, 0, 0};
  PtxjitVariable variable{};
  PtxjitKernelInfo kernel{};
  PtxjitModuleInfo info{};
  std::string imageRecord, moduleRecord;
  PtxjitVariant variants[2];
  PtxjitObject object{};
  std::atomic<uint32_t> calls{0};
  Params params{&calls, 1};
};
} // namespace

TEST_F(Runtime, RunsKernelsAndKeepsVariables) {
  ASSERT_EQ(ptxjitLoad(&object), PTXJIT_OK) << message();
  EXPECT_EQ(launch(ptxjitLaunchOf(10, 32)), PTXJIT_OK) << message();
  EXPECT_EQ(calls, 320u);
  PtxjitLaunch other{};
  other.grid = {3, 2, 0};
  other.block = {64, 2, 0};
  EXPECT_EQ(launch(other), PTXJIT_OK) << message();
  EXPECT_EQ(calls, 320u + 6 * 128);
  void *address = nullptr;
  size_t bytes = 0;
  ASSERT_EQ(ptxjitFindVariable(&object, "v", &address, &bytes), PTXJIT_OK);
  EXPECT_EQ(bytes, 4u);
  EXPECT_EQ(*static_cast<uint32_t *>(address), 5u + 16);
  // A new load has initial values.
  ptxjitUnload(&object);
  ASSERT_EQ(ptxjitFindVariable(&object, "v", &address, nullptr), PTXJIT_OK);
  EXPECT_EQ(*static_cast<uint32_t *>(address), 5u);
}

TEST_F(Runtime, LoadsOnceForManyThreads) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      for (int k = 0; k < 50; ++k)
        EXPECT_EQ(launch(ptxjitLaunchOf(2, 32)), PTXJIT_OK);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(calls, 8u * 50 * 64);
}

TEST_F(Runtime, RefusesObjectsOfOtherVersions) {
  object.version = 99;
  EXPECT_EQ(ptxjitLoad(&object), PTXJIT_ERROR_VERSION);
  EXPECT_NE(message().find("for version 99 of the interface of objects"),
            std::string::npos)
      << message();
  object.version = PTXJIT_AHEAD_ABI_VERSION;
  object.kernelABI += 1;
  EXPECT_EQ(launch(ptxjitLaunchOf(1, 32)), PTXJIT_ERROR_VERSION);
  EXPECT_NE(message().find("compiled by a test for version"), std::string::npos)
      << message();
  object.kernelABI -= 1;
  object.compilerABI -= 1;
  EXPECT_EQ(ptxjitLoad(&object), PTXJIT_ERROR_VERSION);
  object.compilerABI += 1;
  object.recordFormat += 1;
  EXPECT_EQ(ptxjitLoad(&object), PTXJIT_ERROR_VERSION);
  object.recordFormat -= 1;
  object.magic[0] = 'Q';
  EXPECT_EQ(ptxjitLoad(&object), PTXJIT_ERROR_VERSION);
  EXPECT_EQ(message(), "this is no object of 'ptx-jit compile'");
  object.magic[0] = PTXJIT_AHEAD_MAGIC[0];
  EXPECT_EQ(ptxjitLoad(&object), PTXJIT_OK);
}

TEST_F(Runtime, RefusesOtherCpus) {
  object.features = "telepathy";
  EXPECT_EQ(ptxjitLoad(&object), PTXJIT_ERROR_CPU);
  EXPECT_EQ(message(), "the kernels of 'test.ptx' were compiled for CPU "
                       "'some-cpu'; this machine lacks telepathy");
  object.features = "";
  object.sveBits = 4096;
  EXPECT_EQ(launch(ptxjitLaunchOf(1, 32)), PTXJIT_ERROR_CPU);
  EXPECT_EQ(calls, 0u);
}

TEST_F(Runtime, RefusesDamagedRecords) {
  for (uint64_t bytes = 0; bytes < moduleRecord.size(); bytes += 7) {
    object.moduleBytes = bytes;
    EXPECT_EQ(ptxjitLoad(&object), PTXJIT_ERROR_VERSION) << bytes;
  }
  object.moduleBytes = moduleRecord.size();
  for (uint64_t bytes = 0; bytes < imageRecord.size(); bytes += 7) {
    variants[1].imageBytes = bytes;
    EXPECT_EQ(ptxjitLoad(&object), PTXJIT_ERROR_VERSION) << bytes;
  }
  variants[1] = variantOf(7, PTXJIT_ANY_BLOCK_ROW);
  EXPECT_EQ(ptxjitLoad(&object), PTXJIT_ERROR_VERSION);
  EXPECT_EQ(message(), "the object of 'test.ptx' is damaged");
}

TEST_F(Runtime, RefusesWrongLaunches) {
  auto refuses = [&](PtxjitLaunch wrong, const char *text) {
    EXPECT_EQ(launch(wrong), PTXJIT_ERROR_INVALID_ARGUMENT);
    EXPECT_NE(message().find(text), std::string::npos) << message();
  };
  refuses(ptxjitLaunchOf(0, 32), "a grid has at most");
  refuses(ptxjitLaunchOf(1, 0), PTXJIT_BLOCK_RULE);
  refuses(ptxjitLaunchOf(1, 2000), PTXJIT_BLOCK_RULE);
  PtxjitLaunch square = ptxjitLaunchOf(1, 8);
  square.block.y = 8;
  refuses(square, "kernel 'count': it was not compiled for blocks of 8 x 8 x 1 "
                  "threads, but for 64 x 2 x 1, N x 1 x 1");
  refuses(ptxjitLaunchOf(0x7fffffff, 1024), "compile with --large-grids");
  PtxjitLaunch clusters = ptxjitLaunchOf(3, 32);
  clusters.cluster.x = 2;
  refuses(clusters, "do not fit a grid");
  PtxjitLaunch good = ptxjitLaunchOf(1, 32);
  EXPECT_EQ(ptxjitLaunchKernel(&object, 1, &good, &params, sizeof(params)),
            PTXJIT_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(ptxjitLaunchKernel(&object, 0, &good, &params, 8),
            PTXJIT_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(ptxjitLaunchKernel(&object, 0, &good, nullptr, sizeof(params)),
            PTXJIT_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(ptxjitLaunchKernel(&object, 0, nullptr, &params, sizeof(params)),
            PTXJIT_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(ptxjitLaunchKernel(nullptr, 0, &good, &params, sizeof(params)),
            PTXJIT_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(calls, 0u);
}

TEST_F(Runtime, RefusesWrongNames) {
  void *address = this;
  EXPECT_EQ(ptxjitFindVariable(&object, "w", &address, nullptr),
            PTXJIT_ERROR_NOT_FOUND);
  EXPECT_EQ(message(), "there is no variable 'w'");
  EXPECT_EQ(ptxjitFindVariable(&object, nullptr, &address, nullptr),
            PTXJIT_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(ptxjitFindVariable(&object, "v", nullptr, nullptr),
            PTXJIT_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(address, this);
  ptxjitUnload(nullptr);
}

TEST_F(Runtime, TextsBelongToTheirThread) {
  EXPECT_EQ(launch(ptxjitLaunchOf(0, 1)), PTXJIT_ERROR_INVALID_ARGUMENT);
  std::thread([] { EXPECT_STREQ(ptxjitGetLastError(), ""); }).join();
  EXPECT_STRNE(ptxjitGetLastError(), "");
  EXPECT_STREQ(ptxjitDescribeError(PTXJIT_ERROR_DEADLOCK), "deadlock");
  EXPECT_STREQ(ptxjitDescribeError(PtxjitError(77)), "unknown error");
}
