//===- LoadedModuleTest.cpp - modules: load, compile, launch --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Runtime/LoadedModule.h"

#include <atomic>
#include <cstring>
#include <gtest/gtest.h>
#include <thread>

using namespace ptxjit;

namespace {
const char *const kCounter = R"(.version 8.0
.target sm_80
.address_size 64
.global .u32 total = 5;
.visible .entry count(.param .u64 out)
{
  .reg .b32 %r<3>; .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [out];
  atom.global.add.u32 %r1, [total], 1;
  red.global.add.u32 [%rd1], 1;
  ret;
}
)";

std::unique_ptr<LoadedModule> load(const char *text) {
  std::string diagnostics;
  auto module = LoadedModule::load(text, "test.ptx", diagnostics);
  EXPECT_NE(module, nullptr) << diagnostics;
  return module;
}
} // namespace

TEST(LoadedModule, CompilesOncePerBlockShape) {
  auto module = load(kCounter);
  std::string diagnostics;
  uint32_t a[3] = {32, 1, 1}, b[3] = {64, 1, 1};
  const PtxjitImage *first =
      module->compile("count", a, {1, 1, 1}, {}, diagnostics);
  ASSERT_NE(first, nullptr) << diagnostics;
  EXPECT_EQ(first, module->compile("count", a, {9, 1, 1}, {}, diagnostics));
  EXPECT_NE(first, module->compile("count", b, {1, 1, 1}, {}, diagnostics));
}

TEST(LoadedModule, VariablesLiveBetweenLaunches) {
  auto module = load(kCounter);
  uint32_t out = 0, block[3] = {50, 1, 1};
  uint64_t params[2] = {reinterpret_cast<uint64_t>(&out), 0};
  std::string diagnostics;
  for (int i = 0; i < 3; ++i)
    ASSERT_EQ(module->launch("count", {4, 1, 1}, block, params, 0, 0, {},
                             diagnostics),
              LaunchStatus::Ok)
        << diagnostics;
  EXPECT_EQ(out, 600u);
  uint32_t total;
  std::memcpy(&total, reinterpret_cast<void *>(module->resolve("total")), 4);
  EXPECT_EQ(total, 605u);
  EXPECT_EQ(module->resolve("nothing"), 0u);
}

TEST(LoadedModule, CompiledByManyThreadsAtOnce) {
  auto module = load(kCounter);
  uint32_t out = 0;
  uint64_t params[2] = {reinterpret_cast<uint64_t>(&out), 0};
  std::vector<std::thread> threads;
  for (uint32_t t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      uint32_t block[3] = {t % 4 + 1, 1, 1};
      std::string diagnostics;
      EXPECT_EQ(module->launch("count", {10, 1, 1}, block, params, 0, 2, {},
                               diagnostics),
                LaunchStatus::Ok)
          << diagnostics;
    });
  for (std::thread &t : threads)
    t.join();
  EXPECT_EQ(out, 2 * 10 * (1 + 2 + 3 + 4u));
}

// The bodies of a large module are parsed when their kernels are compiled, and
// may declare variables.
TEST(LoadedModule, VariablesAreFoundWhileKernelsAreCompiled) {
  std::string text = ".version 8.0\n.target sm_80\n.address_size 64\n"
                     ".global .u32 total = 5;\n"
                     ".global .u64 place = total;\n";
  constexpr unsigned kKernels = 8;
  for (unsigned i = 0; i < kKernels; ++i)
    text += ".visible .entry k" + std::to_string(i) +
            "() {\n .global .u32 own = 7;\n .reg .b32 %r;\n"
            " ld.global.u32 %r, [own]; red.global.add.u32 [total], %r;\n"
            " ret;\n}\n";
  text.append(size_t(1) << 20, '\n');
  auto module = load(text.c_str());
  std::atomic<bool> done{false};
  std::vector<std::thread> readers, compilers;
  for (int t = 0; t < 2; ++t)
    readers.emplace_back([&] {
      while (!done) {
        uint64_t total = module->resolve("total"), place = 0;
        std::memcpy(&place, reinterpret_cast<void *>(module->resolve("place")),
                    sizeof(place));
        EXPECT_EQ(place, total);
        EXPECT_EQ(module->resolve("k0::nothing"), 0u);
        size_t bytes = 0;
        module->forEachVariable([&](uint64_t, size_t size) { bytes += size; });
        EXPECT_GE(bytes, 12u);
      }
    });
  for (unsigned t = 0; t < 2; ++t)
    compilers.emplace_back([&, t] {
      uint32_t block[3] = {1, 1, 1};
      for (unsigned i = t; i < kKernels; i += 2) {
        std::string diagnostics;
        EXPECT_EQ(module->launch("k" + std::to_string(i), {1, 1, 1}, block,
                                 nullptr, 0, 1, {}, diagnostics),
                  LaunchStatus::Ok)
            << diagnostics;
      }
    });
  for (std::thread &t : compilers)
    t.join();
  done = true;
  for (std::thread &t : readers)
    t.join();
  uint32_t total;
  std::memcpy(&total, reinterpret_cast<void *>(module->resolve("total")), 4);
  EXPECT_EQ(total, 5 + 7 * kKernels);
}

TEST(LoadedModule, UnknownKernel) {
  auto module = load(kCounter);
  uint32_t block[3] = {1, 1, 1};
  std::string diagnostics;
  EXPECT_NE(
      module->launch("other", {1, 1, 1}, block, nullptr, 0, 1, {}, diagnostics),
      LaunchStatus::Ok);
  EXPECT_NE(diagnostics.find("other"), std::string::npos);
  EXPECT_EQ(module->findKernel("other"), nullptr);
}

/// kCounter, followed by so many kernels that bodies are only parsed when they
/// are first used, and by `last`.
static std::string largeModule(const std::string &last) {
  std::string text = kCounter;
  for (int i = 0; text.size() < (1 << 20) + 1000; ++i)
    text += ".visible .entry filler" + std::to_string(i) +
            "(.param .u64 out)\n{\n  .reg .b32 %r<9>;\n"
            "  add.u32 %r1, %r2, 3; // a \"comment\" { \n  ret;\n}\n";
  return text + last;
}

TEST(LoadedModule, LargeTextsAreCheckedWhenTheyAreLoaded) {
  std::string diagnostics;
  EXPECT_NE(LoadedModule::load(largeModule(""), "large.ptx", diagnostics),
            nullptr)
      << diagnostics;
  auto refused = [](const char *last) {
    std::string diagnostics;
    EXPECT_EQ(LoadedModule::load(largeModule(last), "large.ptx", diagnostics),
              nullptr);
    return diagnostics;
  };
  EXPECT_NE(refused(".visible .entry k() { .pragma \"nounroll; ret; }\n}\n")
                .find("found a string that its line does not close"),
            std::string::npos);
  EXPECT_NE(refused(".visible .entry k() { ret; }\n.file 1 \"a.cu")
                .find("found a string that its line does not close"),
            std::string::npos);
  EXPECT_NE(refused(".visible .entry k() { ret; /* }\n")
                .find("found a comment that is never closed"),
            std::string::npos);
  EXPECT_NE(refused(".visible .entry k() { ret;\n")
                .find("the body of 'k' has no end"),
            std::string::npos);
  EXPECT_NE(refused(".visible .entry k() { ret; } }\n").find("found '}'"),
            std::string::npos);
  EXPECT_NE(refused("hello\n").find("found 'hello'"), std::string::npos);
  EXPECT_NE(refused(".visible .entry count(.param .u64 out) { ret; }\n")
                .find("'count' is declared twice"),
            std::string::npos);
}
