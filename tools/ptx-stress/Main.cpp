//===- Main.cpp - random calls of the driver, from many threads -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   ptx-stress [--seed=N] [--seconds=N | --operations=N] [--threads=N]
//              [--streams=N] [--devices=N] [--patience=N] [--only=NAME,...]
//
// Each thread performs random operations (Operations.def) on objects of its own
// and in streams that all share, and keeps track of what its buffers hold. Ends
// with 1 at the first wrong result, and aborts if an operation takes longer
// than the patience. The calls of a thread depend on the seed; how those of
// several threads mix does not.
//
//===----------------------------------------------------------------------===//

#include "Client.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <sstream>
#include <thread>

using namespace stress;

namespace {
struct OptionName {
  const char *name;
  unsigned Options::*value;
};
} // namespace

static const OptionName optionNames[] = {
    {"--seed=", &Options::seed},
    {"--seconds=", &Options::seconds},
    {"--operations=", &Options::operations},
    {"--threads=", &Options::threads},
    {"--streams=", &Options::streams},
    {"--devices=", &Options::devices},
    {"--patience=", &Options::patience}};

/// \returns false if `text` is not an option.
static bool parseOption(Options &options, const char *text) {
  for (const OptionName &option : optionNames) {
    size_t length = std::strlen(option.name);
    if (std::strncmp(text, option.name, length) != 0)
      continue;
    char *end = nullptr;
    options.*option.value = unsigned(std::strtoul(text + length, &end, 10));
    return text[length] && !*end;
  }
  if (std::strncmp(text, "--only=", 7) != 0)
    return false;
  options.only = text + 7;
  return true;
}

/// \returns false if one of the names is no operation.
static bool checkNames(const std::string &names) {
  std::istringstream stream(names);
  for (std::string name; std::getline(stream, name, ',');) {
    auto isIt = [&](const OperationKind &kind) { return name == kind.name; };
    if (std::none_of(operationKinds, operationKinds + numOperationKinds,
                     isIt)) {
      std::fprintf(stderr, "ptx-stress: there is no operation '%s'\n",
                   name.c_str());
      return false;
    }
  }
  return true;
}

static bool parseOptions(Options &options, int count, char **arguments) {
  std::string command = arguments[0];
  for (int i = 1; i < count; ++i) {
    if (!parseOption(options, arguments[i])) {
      std::fprintf(stderr, "ptx-stress: '%s' is no option; known are",
                   arguments[i]);
      for (const OptionName &option : optionNames)
        std::fprintf(stderr, " %sN", option.name);
      std::fprintf(stderr, "\n");
      return false;
    }
    command += std::string(" ") + arguments[i];
  }
  if (!checkNames(options.only))
    return false;
  if (!options.threads || !options.devices || options.streams < 2) {
    std::fprintf(stderr, "ptx-stress: there must be a thread, a device and two "
                         "streams\n");
    return false;
  }
  setRepetition(command);
  return true;
}

/// Where a thread was when it was last seen.
namespace {
struct Watched {
  unsigned long steps = 0;
  std::chrono::steady_clock::time_point since;
};
} // namespace

/// Aborts if a thread does not come forward.
static void watch(const std::vector<std::unique_ptr<Client>> &clients,
                  std::vector<Watched> &seen, unsigned patience) {
  auto now = std::chrono::steady_clock::now();
  for (size_t i = 0; i < clients.size(); ++i) {
    unsigned long steps = clients[i]->steps;
    if (seen[i].steps != steps)
      seen[i] = {steps, now};
    if (now - seen[i].since < std::chrono::seconds(patience))
      continue;
    for (const auto &client : clients)
      std::fprintf(
          stderr, "ptx-stress: thread %u hangs in operation %lu (%s)\n",
          client->number, client->steps.load(), client->operation.load());
    std::abort();
  }
}

static void runAll(World &world) {
  std::vector<std::unique_ptr<Client>> clients;
  for (unsigned i = 0; i < world.options.threads; ++i)
    clients.push_back(std::make_unique<Client>(world, i));
  std::mutex mutex;
  std::condition_variable changed;
  size_t ended = 0;
  std::vector<std::thread> threads;
  for (const auto &client : clients)
    threads.emplace_back([&, &client = *client] {
      client.run();
      std::lock_guard<std::mutex> lock(mutex);
      ++ended;
      changed.notify_one();
    });
  std::vector<Watched> seen(clients.size(),
                            {0, std::chrono::steady_clock::now()});
  std::unique_lock<std::mutex> lock(mutex);
  while (!changed.wait_for(lock, std::chrono::seconds(1),
                           [&] { return ended == clients.size(); }))
    watch(clients, seen, world.options.patience);
  lock.unlock();
  for (std::thread &thread : threads)
    thread.join();
}

static void report() {
  unsigned long total = 0;
  std::string never;
  for (size_t i = 0; i < numOperationKinds; ++i) {
    total += operationKinds[i].made;
    if (!operationKinds[i].made)
      never += std::string(" ") + operationKinds[i].name;
  }
  std::fprintf(stderr, "%lu operations of %zu kinds%s%s\n", total,
               numOperationKinds,
               never.empty() ? "" : "; never:", never.c_str());
}

int main(int count, char **arguments) {
  Options options;
  if (!parseOptions(options, count, arguments))
    return 2;
  // Kernels print there.
  if (!std::freopen("/dev/null", "w", stdout))
    return 2;
  World world(options);
  runAll(world);
  world.tearDown();
  report();
  return 0;
}
