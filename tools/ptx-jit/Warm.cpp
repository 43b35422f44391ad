//===- Warm.cpp - compile kernels ahead of time ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Warm.h"
#include "Diagnostics.h"
#include "Program.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <functional>
#include <mutex>
#include <thread>
#include <unistd.h>

using namespace ptxjit;

namespace {
/// Loads a module. Every thread loads its own, since a module compiles one
/// kernel at a time.
using Loader = std::function<Result<Module>()>;

/// A kernel to be compiled for one shape of block.
struct Task {
  size_t module; ///< index of its loader
  std::string kernel;
  Dim3 block;
};

/// Tells how far the work is: on a terminal in a line that is overwritten, else
/// in a line for each kernel. Thread-safe.
class Progress {
public:
  explicit Progress(size_t total) : total(total) {}
  void tellDone(const std::string &what);
  void tellError(const Error &error);
  /// Removes the line from the terminal.
  void finish();

private:
  std::mutex mutex;
  size_t total, done = 0;
  const bool isTerminal = isatty(STDOUT_FILENO);
};

/// Compiles tasks in several threads.
class Warmer {
public:
  Warmer(const std::vector<Loader> &loaders, const std::vector<Task> &tasks)
      : loaders(loaders), tasks(tasks), progress(tasks.size()) {}
  void run(unsigned jobs);
  std::atomic<size_t> numCompiled{0}, numFound{0}, numFailed{0};

private:
  void work();
  /// Does a task. `module` is the one of the thread's last task.
  Error compile(const Task &task, size_t &loaded, std::optional<Module> &module,
                bool &isFound);

  const std::vector<Loader> &loaders;
  const std::vector<Task> &tasks;
  std::atomic<size_t> next{0};
  Progress progress;
};
} // namespace

//===----------------------------------------------------------------------===//
// Progress
//===----------------------------------------------------------------------===//

static constexpr const char *kClearLine = "\r\033[K";

void Progress::tellDone(const std::string &what) {
  std::lock_guard<std::mutex> lock(mutex);
  // A line that is longer than the terminal is wide would not be overwritten.
  constexpr int width = 60;
  ++done;
  if (isTerminal)
    std::printf("%s[%zu/%zu] %.*s", kClearLine, done, total, width,
                what.c_str());
  else
    std::printf("[%zu/%zu] %s\n", done, total, what.c_str());
  std::fflush(stdout);
}

void Progress::tellError(const Error &error) {
  finish();
  std::lock_guard<std::mutex> lock(mutex);
  print(error);
}

void Progress::finish() {
  std::lock_guard<std::mutex> lock(mutex);
  if (isTerminal)
    std::printf("%s", kClearLine);
  std::fflush(stdout);
}

//===----------------------------------------------------------------------===//
// Which kernels
//===----------------------------------------------------------------------===//

static uint64_t countThreads(const Dim3 &block) {
  return uint64_t(block.x) * block.y * block.z;
}

static bool operator==(const Dim3 &a, const Dim3 &b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

/// Chooses the blocks that a kernel is compiled for.
static std::vector<Dim3> chooseBlocks(const Kernel &kernel,
                                      const std::vector<Dim3> &given) {
  Dim3 required = kernel.getRequiredBlock(), most = kernel.getMaxBlock();
  if (required.x)
    return {required};
  std::vector<Dim3> blocks;
  if (most.x)
    blocks.push_back(most);
  for (const Dim3 &block : given)
    if (!most.x ||
        (countThreads(block) <= countThreads(most) && !(block == most)))
      blocks.push_back(block);
  if (blocks.empty())
    blocks = {32, 128, 256};
  return blocks;
}

/// Appends a loader for each module of a file.
static Error addLoaders(const std::string &path, std::vector<Loader> &loaders) {
  auto read = llvm::MemoryBuffer::getFile(path);
  if (!read)
    return Error(ErrorCode::NotFound, path + ": " + read.getError().message());
  std::shared_ptr<llvm::MemoryBuffer> file = std::move(*read);
  llvm::StringRef bytes = file->getBuffer();
  if (isProgram(bytes)) {
    auto modules = findModules(bytes, path);
    if (!modules)
      return modules.getError();
    for (FatBinaries &binaries : *modules)
      loaders.push_back([file, binaries = std::move(binaries)] {
        return Module::loadFatBinaries(binaries);
      });
    return Error();
  }
  loaders.push_back([file, path] {
    return Module::load(std::string_view(file->getBuffer()), path);
  });
  return Error();
}

/// Appends a task for each kernel and block of a module.
static Error addTasks(const Loader &load, size_t index,
                      const std::vector<Dim3> &given,
                      std::vector<Task> &tasks) {
  auto module = load();
  if (!module)
    return module.getError();
  std::fputs(module->getWarnings().c_str(), stderr);
  for (const std::string &name : module->getKernelNames()) {
    auto kernel = module->getKernel(name);
    for (const Dim3 &block : chooseBlocks(*kernel, given))
      tasks.push_back({index, name, block});
  }
  return Error();
}

//===----------------------------------------------------------------------===//
// Work
//===----------------------------------------------------------------------===//

Error Warmer::compile(const Task &task, size_t &loaded,
                      std::optional<Module> &module, bool &isFound) {
  if (!module || loaded != task.module) {
    auto fresh = loaders[task.module]();
    if (!fresh)
      return fresh.getError();
    module = *fresh;
    loaded = task.module;
  }
  auto kernel = module->getKernel(task.kernel);
  if (!kernel)
    return kernel.getError();
  auto info = kernel->compileForBlock(task.block);
  if (!info)
    return info.getError();
  if (info->isDegraded)
    return Error(ErrorCode::CompilerFailed,
                 "kernel '" + task.kernel +
                     "': LLVM failed on it; slow fallback code is not kept");
  isFound = info->codegen == 0;
  return Error();
}

static std::string describe(const Task &task) {
  return task.kernel + " for blocks of " + std::to_string(task.block.x) + "," +
         std::to_string(task.block.y) + "," + std::to_string(task.block.z);
}

void Warmer::work() {
  size_t loaded = 0;
  std::optional<Module> module;
  for (size_t i = next++; i < tasks.size(); i = next++) {
    bool isFound = false;
    if (Error error = compile(tasks[i], loaded, module, isFound)) {
      ++numFailed;
      progress.tellError(error);
    } else {
      ++(isFound ? numFound : numCompiled);
    }
    progress.tellDone(describe(tasks[i]));
  }
}

void Warmer::run(unsigned jobs) {
  std::vector<std::thread> threads;
  for (size_t i = 1; i < std::min<size_t>(jobs, tasks.size()); ++i)
    threads.emplace_back([this] { work(); });
  work();
  for (std::thread &thread : threads)
    thread.join();
  progress.finish();
}

int ptxjit::warmCache(const std::vector<std::string> &files,
                      const WarmOptions &options) {
  std::vector<Loader> loaders;
  std::vector<Task> tasks;
  size_t numRefused = 0;
  auto check = [&](const Error &error) {
    if (!error)
      return;
    ++numRefused;
    print(error);
  };
  for (const std::string &path : files)
    check(addLoaders(path, loaders));
  for (size_t i = 0; i < loaders.size(); ++i)
    check(addTasks(loaders[i], i, options.blocks, tasks));
  unsigned cores = std::max(std::thread::hardware_concurrency(), 1u);
  Warmer warmer(loaders, tasks);
  warmer.run(options.jobs ? std::min(options.jobs, cores) : cores);
  std::printf("%zu compiled, %zu found in the cache, %zu failed\n",
              warmer.numCompiled.load(), warmer.numFound.load(),
              warmer.numFailed.load());
  uint64_t unwritten = Cache::countUnwritten();
  if (unwritten)
    std::fprintf(stderr,
                 "ptx-jit: %llu entries could not be written to the cache (is "
                 "the disk full?)\n",
                 (unsigned long long)unwritten);
  return numRefused || warmer.numFailed || unwritten ? 1 : 0;
}
