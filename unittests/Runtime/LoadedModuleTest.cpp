//===- LoadedModuleTest.cpp - modules: load, compile, launch --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Runtime/LoadedModule.h"
#include "../../lib/Runtime/CompileProgress.h"
#include "../../lib/Runtime/CompileQueue.h"
#include "ptxjit/Runtime/CompilerLoader.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <future>
#include <gtest/gtest.h>
#include <map>
#include <mutex>
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
  const CompiledKernel *first =
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

TEST(LoadedModule, ATwinHasVariablesOfItsOwn) {
  auto module = load(R"(.version 8.0
.target sm_80
.address_size 64
.global .u32 own = 5;
.global .u64 pointer = own;
.global .attribute(.managed) .u32 shared = 5;
.visible .entry count()
{
  .reg .b64 %rd<2>;
  ld.global.u64 %rd1, [pointer];
  red.global.add.u32 [%rd1], 1;
  red.global.add.u32 [shared], 1;
  ret;
}
)");
  auto twin = module->makeTwin();
  uint32_t block[3] = {1, 1, 1};
  std::string diagnostics;
  auto read = [](LoadedModule &from, const char *name) {
    return *reinterpret_cast<uint32_t *>(from.resolve(name));
  };
  for (LoadedModule *each : {module.get(), twin.get(), twin.get()})
    EXPECT_EQ(
        each->launch("count", {1, 1, 1}, block, nullptr, 0, 1, {}, diagnostics),
        LaunchStatus::Ok);
  EXPECT_EQ(read(*module, "own"), 6u);
  EXPECT_EQ(read(*twin, "own"), 7u);
  EXPECT_EQ(twin->resolve("shared"), module->resolve("shared"));
  module.reset(); // the twin keeps what they share
  EXPECT_EQ(read(*twin, "shared"), 8u);
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

namespace {
/// Counts the compilations of each kernel, and holds those of some kernels when
/// they begin. There is one at a time. Its state is never destroyed, since
/// compilations beside the program may come late.
class Gate {
public:
  Gate() {
    std::lock_guard<std::mutex> lock(mutex);
    closed.clear();
    begun.clear();
    std::string error;
    loadCompiler(error)->setListener(pass);
  }
  ~Gate() {
    std::string error;
    loadCompiler(error)->setListener(CompileProgress::began);
  }

  void close(const std::string &kernel) {
    std::lock_guard<std::mutex> lock(mutex);
    closed[kernel] = true;
  }
  void open(const std::string &kernel) {
    std::lock_guard<std::mutex> lock(mutex);
    closed[kernel] = false;
    changed.notify_all();
  }
  /// Waits until compilations of a kernel have begun. False: they do not.
  bool waitFor(const std::string &kernel, int number = 1) {
    std::unique_lock<std::mutex> lock(mutex);
    return changed.wait_for(lock, std::chrono::seconds(20),
                            [&] { return begun[kernel] >= number; });
  }
  int count(const std::string &kernel) {
    std::lock_guard<std::mutex> lock(mutex);
    return begun[kernel];
  }

private:
  static void pass(const char *kernel, const char *stage) {
    if (std::strcmp(stage, "parse") != 0)
      return;
    std::unique_lock<std::mutex> lock(mutex);
    ++begun[kernel];
    changed.notify_all();
    changed.wait(lock, [&] { return !closed[kernel]; });
  }

  static inline std::mutex &mutex = *new std::mutex;
  static inline std::condition_variable &changed = *new std::condition_variable;
  static inline auto &closed = *new std::map<std::string, bool>;
  static inline auto &begun = *new std::map<std::string, int>;
};

/// Two kernels whose names no other test has, as a text that no cache has.
struct Pair {
  Pair() {
    static int count = 0;
    auto now = std::chrono::system_clock::now().time_since_epoch().count();
    std::string id = std::to_string(now) + "_" + std::to_string(++count);
    a = "a" + id;
    b = "b" + id;
    text = ".version 8.0\n.target sm_80\n.address_size 64\n"
           ".visible .entry " +
           a + "() { ret; }\n.visible .entry " + b + "() { ret; }\n";
  }
  std::string a, b, text;
};

bool launchOne(LoadedModule &module, const std::string &kernel,
               std::string *errors = nullptr) {
  std::string diagnostics;
  uint32_t block[3] = {1, 1, 1};
  bool ok = module.launch(kernel, {1, 1, 1}, block, nullptr, 0, 1, {},
                          diagnostics) == LaunchStatus::Ok;
  if (errors)
    *errors = diagnostics;
  return ok;
}
} // namespace

namespace {
/// Runs `launch` on four threads, which all need `kernel` while it is being
/// compiled.
template <typename Fn>
void launchWhileCompiling(Gate &gate, const std::string &kernel, Fn launch) {
  gate.close(kernel);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back(launch);
  EXPECT_TRUE(gate.waitFor(kernel));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  gate.open(kernel);
  for (std::thread &t : threads)
    t.join();
}
} // namespace

TEST(LoadedModule, KernelsAreCompiledSideBySide) {
  Pair pair;
  auto module = load(pair.text.c_str());
  Gate gate;
  gate.close(pair.a);
  gate.close(pair.b);
  std::thread a([&] { EXPECT_TRUE(launchOne(*module, pair.a)); });
  std::thread b([&] { EXPECT_TRUE(launchOne(*module, pair.b)); });
  EXPECT_TRUE(gate.waitFor(pair.a));
  EXPECT_TRUE(gate.waitFor(pair.b));
  gate.open(pair.a);
  gate.open(pair.b);
  a.join();
  b.join();
}

TEST(LoadedModule, LaunchesDoNotWaitForOtherKernels) {
  Pair pair;
  auto module = load(pair.text.c_str());
  Gate gate;
  gate.close(pair.a);
  EXPECT_TRUE(launchOne(*module, pair.b));
  std::thread a([&] { EXPECT_TRUE(launchOne(*module, pair.a)); });
  EXPECT_TRUE(gate.waitFor(pair.a));
  std::atomic<bool> done{false};
  std::thread b([&] {
    EXPECT_TRUE(launchOne(*module, pair.b));
    done = true;
  });
  for (int i = 0; i < 2000 && !done; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_TRUE(done);
  gate.open(pair.a);
  a.join();
  b.join();
}

TEST(LoadedModule, WhatIsBeingCompiledIsWaitedFor) {
  Pair pair;
  auto module = load(pair.text.c_str());
  Gate gate;
  launchWhileCompiling(gate, pair.a,
                       [&] { EXPECT_TRUE(launchOne(*module, pair.a)); });
  EXPECT_EQ(gate.count(pair.a), 1);
}

TEST(LoadedModule, ThoseWhoWaitGetTheErrors) {
  // The bodies of a large text are first read by the compilation.
  Pair pair;
  std::string text = pair.text + ".visible .entry bad() { foo; }\n";
  text.append(size_t(1) << 20, '\n');
  auto module = load(text.c_str());
  Gate gate;
  launchWhileCompiling(gate, "bad", [&] {
    std::string errors;
    EXPECT_FALSE(launchOne(*module, "bad", &errors));
    EXPECT_NE(errors.find("foo"), std::string::npos) << errors;
  });
  EXPECT_TRUE(launchOne(*module, pair.b));
}

namespace {
std::unique_ptr<LoadedModule> loadAhead(const std::string &text,
                                        Tier tier = Tier::Auto) {
  KernelOptions options;
  options.tier = tier;
  options.ahead = true;
  std::string diagnostics;
  auto module =
      LoadedModule::load(text, "test.ptx", diagnostics, nullptr, options);
  EXPECT_NE(module, nullptr) << diagnostics;
  return module;
}

const CompiledKernel *compileFor(LoadedModule &module,
                                 const std::string &kernel, uint32_t threads,
                                 Tier tier = Tier::Auto) {
  KernelOptions options;
  options.tier = tier;
  std::string diagnostics;
  uint32_t block[3] = {threads, 1, 1};
  const CompiledKernel *code =
      module.compile(kernel, block, {1, 1, 1}, options, diagnostics);
  EXPECT_NE(code, nullptr) << diagnostics;
  return code;
}

/// Keeps the threads beside the program from beginning anything.
class BusyQueue {
public:
  BusyQueue() {
    std::shared_future<void> end = over.get_future().share();
    for (unsigned i = 0; i <= std::thread::hardware_concurrency(); ++i)
      CompileQueue::get().add([end] { end.wait(); });
  }
  /// Returns when all jobs have ended, or have at least begun.
  void finish() {
    over.set_value();
    std::promise<void> last;
    CompileQueue::get().add([&] { last.set_value(); }, /*isUrgent=*/false);
    last.get_future().wait();
  }

private:
  std::promise<void> over;
};
} // namespace

TEST(LoadedModule, KernelsAreCompiledWhenTheModuleIsLoaded) {
  for (Tier tier : {Tier::Auto, Tier::First, Tier::Second}) {
    Gate gate;
    Pair pair;
    auto module = loadAhead(pair.text, tier);
    EXPECT_TRUE(gate.waitFor(pair.a));
    EXPECT_TRUE(gate.waitFor(pair.b));
    for (const std::string &kernel : {pair.a, pair.b}) {
      const CompiledKernel *code = compileFor(*module, kernel, 256, tier);
      EXPECT_EQ(code->getImage().isFirstTier, tier != Tier::Second);
      EXPECT_EQ(gate.count(kernel), 1);
    }
  }
}

TEST(LoadedModule, LaunchesWaitForWhatHasBegunAhead) {
  Pair pair;
  Gate gate;
  gate.close(pair.a);
  auto module = loadAhead(pair.text);
  EXPECT_TRUE(gate.waitFor(pair.a));
  std::atomic<bool> done{false};
  std::thread waiting([&] {
    compileFor(*module, pair.a, 256);
    done = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(done);
  gate.open(pair.a);
  waiting.join();
  EXPECT_EQ(gate.count(pair.a), 1);
}

TEST(LoadedModule, LaunchesTakeOverWhatHasNotBegunAhead) {
  Gate gate;
  BusyQueue queue;
  Pair pair;
  auto module = loadAhead(pair.text);
  compileFor(*module, pair.b, 256);
  EXPECT_EQ(gate.count(pair.b), 1);
  EXPECT_EQ(gate.count(pair.a), 0);
  queue.finish();
  compileFor(*module, pair.a, 256);
  EXPECT_EQ(gate.count(pair.a), 1);
  EXPECT_EQ(gate.count(pair.b), 1);
}

TEST(LoadedModule, UnloadedModulesAreNotCompiledAhead) {
  Gate gate;
  BusyQueue queue;
  Pair pair;
  loadAhead(pair.text);
  queue.finish();
  EXPECT_EQ(gate.count(pair.a), 0);
  EXPECT_EQ(gate.count(pair.b), 0);
  for (int i = 0; i < 20; ++i) // while it is being compiled
    loadAhead(Pair().text);
}

TEST(LoadedModule, KernelsAreCompiledAheadForTheirOwnBlocks) {
  Pair pair;
  std::string c = pair.a + "c", d = pair.a + "d";
  std::string text = pair.text + ".visible .entry " + c +
                     "() .reqntid 96 { ret; }\n.visible .entry " + d +
                     "() .maxntid 512 { ret; }\n";
  Gate gate;
  auto module = loadAhead(text);
  EXPECT_TRUE(gate.waitFor(c));
  EXPECT_TRUE(gate.waitFor(d));
  compileFor(*module, c, 96);
  compileFor(*module, d, 512);
  EXPECT_EQ(gate.count(c), 1);
  EXPECT_EQ(gate.count(d), 1);
  // Another block is compiled when it is launched.
  compileFor(*module, d, 32);
  EXPECT_EQ(gate.count(d), 2);
}

namespace {
/// Each thread adds up 0 to n - 1, as nothing folds that into a formula.
const char *const kSums = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry sums(.param .u64 out, .param .u32 n)
{
  .reg .b32 %r<6>; .reg .b64 %rd<2>; .reg .pred %p;
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, 0;
  mov.u32 %r3, 0;
LOOP:
  xor.b32 %r4, %r3, %r2;
  add.u32 %r2, %r4, %r2;
  add.u32 %r3, %r3, 1;
  setp.lt.u32 %p, %r3, %r1;
  @%p bra LOOP;
  mov.u32 %r5, %tid.x;
  mad.wide.u32 %rd1, %r5, 4, %rd1;
  st.global.u32 [%rd1], %r2;
  ret;
}
)";

uint32_t sumOf(uint32_t n) {
  uint32_t sum = 0;
  for (uint32_t i = 0; i < n; ++i)
    sum += i ^ sum;
  return sum;
}

const Grid kManyCtas = {2000, 1, 1};

/// The sums, as a text that no cache has.
std::unique_ptr<LoadedModule> loadNewSums() {
  static int count = 0;
  auto now = std::chrono::system_clock::now().time_since_epoch().count();
  std::string text = kSums;
  text += "// " + std::to_string(now) + "." + std::to_string(++count) + "\n";
  return load(text.c_str());
}

KernelOptions withTier(Tier tier) {
  KernelOptions options;
  options.tier = tier;
  return options;
}
} // namespace

TEST(LoadedModule, TiersAreCodeOfTheirOwn) {
  auto module = loadNewSums();
  std::string diagnostics;
  uint32_t block[3] = {32, 1, 1};
  auto compile = [&](Tier tier) {
    return module->compile("sums", block, kManyCtas, withTier(tier),
                           diagnostics);
  };
  const CompiledKernel *first = compile(Tier::First);
  ASSERT_NE(first, nullptr) << diagnostics;
  EXPECT_EQ(compile(Tier::Auto), first); // enough for now
  const CompiledKernel *second = compile(Tier::Second);
  ASSERT_NE(second, nullptr) << diagnostics;
  EXPECT_NE(second, first);
  EXPECT_EQ(compile(Tier::Auto), second);
  EXPECT_EQ(compile(Tier::First), first);
}

// A launch of few CTAs with loops cannot go on with better code.
TEST(LoadedModule, FewLongCtasAreCompiledWell) {
  auto module = loadNewSums();
  std::string diagnostics;
  uint32_t block[3] = {32, 1, 1};
  const CompiledKernel *code = module->compile(
      "sums", block, {1, 1, 1}, withTier(Tier::Auto), diagnostics);
  ASSERT_NE(code, nullptr) << diagnostics;
  EXPECT_FALSE(code->getImage().isFirstTier);
  EXPECT_TRUE(code->getImage().hasLoops);
  auto counter = load(kCounter);
  code = counter->compile("count", block, {1, 1, 1}, withTier(Tier::Auto),
                          diagnostics);
  ASSERT_NE(code, nullptr) << diagnostics;
  EXPECT_TRUE(code->getImage().isFirstTier);
  EXPECT_FALSE(code->getImage().hasLoops);
}

TEST(LoadedModule, LongRunsGetBetterCode) {
  auto module = loadNewSums();
  std::string diagnostics;
  uint32_t out[32], block[3] = {32, 1, 1};
  struct {
    uint32_t *out;
    uint32_t n = 20000;
  } params{out};
  auto compile = [&] {
    return module->compile("sums", block, kManyCtas, withTier(Tier::Auto),
                           diagnostics);
  };
  const CompiledKernel *first = compile();
  ASSERT_NE(first, nullptr) << diagnostics;
  EXPECT_TRUE(first->getImage().isFirstTier);
  auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  const uint32_t expected = sumOf(params.n);
  // What was compiled first may be launched for ever.
  while (compile() == first && std::chrono::steady_clock::now() < end) {
    std::memset(out, 0, sizeof(out));
    ASSERT_EQ(module->launchCompiled(*first, block, kManyCtas, &params, 0, 0,
                                     diagnostics),
              LaunchStatus::Ok)
        << diagnostics;
    for (uint32_t value : out)
      ASSERT_EQ(value, expected);
  }
  EXPECT_NE(compile(), first);
  EXPECT_EQ(compile(), module->compile("sums", block, kManyCtas,
                                       withTier(Tier::Second), diagnostics));
}

TEST(LoadedModule, IsDestroyedWhileBetterCodeIsMade) {
  uint32_t out[32], block[3] = {32, 1, 1};
  struct {
    uint32_t *out;
    uint32_t n = 50000;
  } params{out};
  for (int i = 0; i < 3; ++i) {
    auto module = loadNewSums();
    std::string diagnostics;
    ASSERT_EQ(module->launch("sums", kManyCtas, block, &params, 0, 0,
                             withTier(Tier::Auto), diagnostics),
              LaunchStatus::Ok)
        << diagnostics;
  }
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
