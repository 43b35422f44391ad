//===- CompileProgress.cpp - says what a long compilation does ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompileProgress.h"

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <unistd.h>

using namespace ptxjit;
using Clock = std::chrono::steady_clock;

namespace {

/// The compilations that somebody waits for, and a thread that shows the oldest
/// of them.
class Display {
public:
  static Display &get() {
    // Never destroyed: its thread outlives static objects.
    static Display *display = new Display;
    return *display;
  }

  bool isWanted() const { return patience.has_value(); }

  void enter(const char *kernel) {
    std::lock_guard<std::mutex> lock(mutex);
    running.emplace(kernel, Compilation{kernel, "", Clock::now()});
    if (!hasThread)
      std::thread([this] { work(); }).detach();
    hasThread = true;
    changed.notify_all();
  }

  void leave(const char *kernel) {
    std::lock_guard<std::mutex> lock(mutex);
    running.erase(kernel);
    if (running.empty())
      clear();
  }

  void setStage(const char *kernel, const char *stage) {
    std::lock_guard<std::mutex> lock(mutex);
    auto it = running.find(kernel);
    if (it == running.end())
      return;
    it->second.stage = stage;
    // A stage that ends before the thread looks again is shown all the same.
    show();
  }

private:
  struct Compilation {
    std::string name, stage;
    Clock::time_point start;
  };

  Display() {
    const char *text = std::getenv("PTXJIT_PROGRESS");
    char *end = nullptr;
    double seconds = text ? std::strtod(text, &end) : 1;
    bool isNumber = !text || (end != text && !*end && seconds >= 0);
    if (isatty(STDERR_FILENO) && isNumber)
      patience = seconds;
  }

  void work() {
    std::unique_lock<std::mutex> lock(mutex);
    while (true) {
      if (running.empty())
        changed.wait(lock);
      else
        changed.wait_for(lock, std::chrono::milliseconds(100));
      show();
    }
  }

  void show() {
    const Compilation *oldest = nullptr;
    for (const auto &[kernel, compilation] : running)
      if (!oldest || compilation.start < oldest->start)
        oldest = &compilation;
    if (!oldest)
      return;
    std::chrono::duration<double> taken = Clock::now() - oldest->start;
    if (taken.count() < *patience)
      return;
    // Who waits for a thread beside the program has not seen the stage begin.
    const std::string &stage = oldest->stage;
    std::fprintf(stderr, "\r\033[Kptx-jit: compiling %.60s: %.0f s%s%s",
                 oldest->name.c_str(), taken.count(), stage.empty() ? "" : ", ",
                 stage.c_str());
    isShown = true;
  }

  void clear() {
    if (isShown)
      std::fputs("\r\033[K", stderr);
    isShown = false;
  }

  std::optional<double> patience; ///< seconds; none: nothing is shown
  std::mutex mutex;
  std::condition_variable changed;
  std::map<const char *, Compilation> running;
  bool hasThread = false, isShown = false;
};

} // namespace

CompileProgress::CompileProgress(const char *kernel)
    : kernel(Display::get().isWanted() ? kernel : nullptr) {
  if (this->kernel)
    Display::get().enter(kernel);
}

CompileProgress::~CompileProgress() {
  if (kernel)
    Display::get().leave(kernel);
}

void CompileProgress::began(const char *kernel, const char *stage) {
  if (Display::get().isWanted())
    Display::get().setStage(kernel, stage);
}
