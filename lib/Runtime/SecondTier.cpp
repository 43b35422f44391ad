//===- SecondTier.cpp - better code, compiled beside the program ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SecondTier.h"
#include "CompileLog.h"
#include "ptxjit/Runtime/CompilerLoader.h"
#include "ptxjit/Runtime/Log.h"

#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <unistd.h>

using namespace ptxjit;

namespace {

/// Compiles one kernel after the other, on one thread.
class Queue {
public:
  static Queue &get() {
    // Never destroyed: its thread outlives static objects.
    static Queue *queue = new Queue;
    return *queue;
  }

  void add(std::function<void()> job) {
    if (isForked())
      return;
    std::lock_guard<std::mutex> lock(mutex);
    if (isClosed)
      return;
    jobs.push_back(std::move(job));
    if (!hasThread)
      start();
    changed.notify_all();
  }

private:
  /// The program's signals are for its own threads. The signals of crashes are
  /// not blocked, since the guard of the compiler handles them.
  void start() {
    sigset_t others, saved;
    sigfillset(&others);
    for (int crash : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT})
      sigdelset(&others, crash);
    pthread_sigmask(SIG_SETMASK, &others, &saved);
    std::thread([this] { work(); }).detach();
    pthread_sigmask(SIG_SETMASK, &saved, nullptr);
    hasThread = true;
  }

  void work() {
    std::unique_lock<std::mutex> lock(mutex);
    while (true) {
      changed.wait(lock, [this] { return !jobs.empty(); });
      auto job = std::move(jobs.front());
      jobs.pop_front();
      isBusy = true;
      lock.unlock();
      closeAtExit();
      job();
      job = nullptr; // may own the last reference to an image
      lock.lock();
      isBusy = false;
      changed.notify_all();
    }
  }

  /// LLVM's static objects are destroyed at exit, and the handler registered
  /// last is called first. So the compiler is opened before.
  static void closeAtExit() {
    std::string ignored;
    loadCompiler(ignored);
    static std::once_flag once;
    std::call_once(once, [] { std::atexit([] { get().close(); }); });
  }

  /// Drops the jobs that have not begun, and waits for the one that has: a
  /// compilation cannot be stopped, and the cache keeps its result.
  void close() {
    if (isForked())
      return;
    std::unique_lock<std::mutex> lock(mutex);
    isClosed = true;
    jobs.clear();
    changed.wait(lock, [this] { return !isBusy; });
  }

  /// A forked process has no thread, and maybe a locked mutex.
  bool isForked() const { return getpid() != owner; }

  const pid_t owner = getpid();
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::function<void()>> jobs;
  bool hasThread = false, isBusy = false, isClosed = false;
};

} // namespace

SecondTier::~SecondTier() {
  std::string ignored;
  if (PtxjitImage *made = getImage())
    loadCompiler(ignored)->destroyImage(made);
}

void SecondTier::ask() {
  if (!isAsked.exchange(true))
    Queue::get().add([self = shared_from_this()] { self->compile(); });
}

void SecondTier::compile() {
  std::string problem;
  PtxjitSink ignored{};
  const PtxjitCompiler *compiler = loadCompiler(problem);
  if (!compiler)
    return;
  // The text has been accepted, so it is read without its bodies.
  PtxjitModule *module = compiler->parse(
      request.text->data(), request.text->size(), request.fileName.c_str(),
      /*checkBodies=*/0, ignored, nullptr);
  if (!module)
    return;
  PtxjitImage *made =
      compiler->compile(module, request.kernel.c_str(), &request.spec, ignored);
  compiler->destroyModule(module);
  if (!made) {
    log(LogKind::Compile,
        "found no better code for " + request.kernel + "; the first one stays");
    return;
  }
  logCompiled(*made, request.spec, "beside the program");
  if (request.cache)
    request.cache->keepImage(request.textHash, request.kernel, request.spec,
                             *made);
  image.store(made, std::memory_order_release);
}
