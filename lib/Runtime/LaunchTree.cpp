//===- LaunchTree.cpp - a grid and all that it launches -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchTree.h"
#include "FaultScope.h"

#include <algorithm>
#include <cstring>
#include <iterator>

using namespace ptxjit;

//===----------------------------------------------------------------------===//
// Copies and fills
//===----------------------------------------------------------------------===//

/// Calls body(y, z) for all rows of a box.
template <typename Body>
static void forEachRow(const BoxExtent &extent, Body body) {
  for (uint64_t z = 0; z < extent.depth; ++z)
    for (uint64_t y = 0; y < extent.height; ++y)
      body(y, z);
}

static uint8_t *rowOf(const ByteBox &box, uint64_t y, uint64_t z) {
  return reinterpret_cast<uint8_t *>(box.address + y * box.pitch +
                                     z * box.slice);
}

static void runBox(const BoxCopy &copy) {
  forEachRow(copy.extent, [&](uint64_t y, uint64_t z) {
    std::memmove(rowOf(copy.to, y, z), rowOf(copy.from, y, z),
                 copy.extent.width);
  });
}

static void runBox(const BoxFill &fill) {
  forEachRow(fill.extent, [&](uint64_t y, uint64_t z) {
    std::memset(rowOf(fill.to, y, z), fill.value, fill.extent.width);
  });
}

/// Runs a copy or a fill. The addresses are the program's, and may be bad.
template <typename Box>
static LaunchStatus runGuardedBox(const Box &box, std::string &text) {
  const BoxExtent &extent = box.extent;
  if (!extent.width || !extent.height || !extent.depth)
    return LaunchStatus::Ok;
  auto body = [](void *box) { runBox(*static_cast<const Box *>(box)); };
  if (!runGuarded(body, const_cast<Box *>(&box)))
    return LaunchStatus::Ok;
  text += std::string("error: ") + describe(LaunchStatus::IllegalAddress) +
          " of a copy or fill that a kernel has asked for\n";
  return LaunchStatus::IllegalAddress;
}

//===----------------------------------------------------------------------===//
// The tree
//===----------------------------------------------------------------------===//

/// Adds a grid that has run. \param number  of the parent's task.
void LaunchTree::begin(DeviceStreams &streams, Node *parent, bool isTail,
                       uint32_t number) {
  nodes.push_back({});
  Node &node = nodes.back();
  node.parent = parent;
  node.isTail = isTail;
  node.number = number;
  node.self = std::prev(nodes.end());
  node.tasks = streams.takeTasks();
  for (DeviceTask &tail : streams.takeTails())
    node.tails.push_back(std::move(tail));
  auto count = uint32_t(node.tasks.size());
  node.left = count;
  node.missing.resize(count);
  node.next.resize(count);
  for (uint32_t i = 0; i < count; ++i) {
    const std::vector<uint32_t> &after = node.tasks[i].after;
    node.missing[i] = uint32_t(after.size());
    for (uint32_t before : after)
      node.next[before].push_back(i);
    if (after.empty())
      ready.push_back({&node, std::nullopt, i});
  }
  if (!count)
    end(&node);
}

/// \returns whether that was the last task of the grid.
bool LaunchTree::endTask(Node &node, uint32_t number) {
  for (uint32_t i : node.next[number])
    if (--node.missing[i] == 0)
      ready.push_back({&node, std::nullopt, i});
  return --node.left == 0;
}

/// Goes on after the last task of a grid: with its next tail, or with what
/// waited for the grid.
void LaunchTree::end(Node *node) {
  while (true) {
    Node *parent = node->parent;
    if (node->isTail) {
      // Its own tails come before the parent's other ones.
      parent->tails.insert(parent->tails.begin(),
                           std::make_move_iterator(node->tails.begin()),
                           std::make_move_iterator(node->tails.end()));
      nodes.erase(node->self);
    } else if (!node->tails.empty()) {
      ready.push_back({node, std::move(node->tails.front())});
      node->tails.pop_front();
      return;
    } else if (!parent) {
      isFinished = true;
      return;
    } else {
      bool wasLast = endTask(*parent, node->number);
      nodes.erase(node->self);
      if (!wasLast)
        return;
    }
    node = parent;
  }
}

LaunchStatus LaunchTree::runWork(const DeviceTask &task, DeviceStreams &streams,
                                 std::string &text) {
  if (const auto *launch = std::get_if<ChildLaunch>(&task.work))
    return runGrid(*launch, streams, text);
  if (const auto *copy = std::get_if<BoxCopy>(&task.work))
    return runGuardedBox(*copy, text);
  return runGuardedBox(std::get<BoxFill>(task.work), text);
}

/// Runs a task without the lock, then enters what follows from it.
void LaunchTree::runTask(Ready &task, std::unique_lock<std::mutex> &lock) {
  Node &node = *task.node; // which changes only after its tasks have ended
  const DeviceTask &work = task.tail ? *task.tail : node.tasks[task.number];
  DeviceStreams streams;
  std::string text;
  ++running;
  lock.unlock();
  LaunchStatus result = runWork(work, streams, text);
  lock.lock();
  --running;
  if (hasFailed()) {
    // Nothing more begins.
  } else if (result != LaunchStatus::Ok) {
    status = result;
    report = std::move(text);
  } else if (std::holds_alternative<ChildLaunch>(work.work)) {
    begin(streams, &node, task.tail.has_value(), task.number);
  } else if (task.tail || endTask(node, task.number)) {
    end(&node);
  }
  changed.notify_all();
}

/// Asks for as many threads as there is work for. Threads that were asked may
/// come late, or never.
void LaunchTree::inviteHelpers() {
  if (!invited && !inside)
    helpers.clear();
  unsigned present = 1 + invited + inside;
  if (ready.size() < 2 || present >= threads)
    return;
  unsigned count =
      unsigned(std::min<size_t>(ready.size() - 1, threads - present));
  invited += count;
  helpers.push_back(
      std::make_unique<Helpers>(count, [this](unsigned) { work(true); }));
}

void LaunchTree::work(bool isHelper) {
  std::unique_lock<std::mutex> lock(mutex);
  if (isHelper) {
    --invited;
    ++inside;
  }
  while (!isDone()) {
    if (!ready.empty() && !hasFailed()) {
      inviteHelpers();
      Ready task = std::move(ready.front());
      ready.pop_front();
      runTask(task, lock);
    } else if (isHelper) {
      break; // a helper that waits would be missing in a large grid
    } else {
      changed.wait(lock);
    }
  }
  inside -= isHelper;
}

LaunchStatus LaunchTree::run(DeviceStreams &streams, std::string &diagnostics) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    begin(streams, nullptr, /*isTail=*/false, 0);
  }
  work(/*isHelper=*/false);
  helpers.clear();
  diagnostics += report;
  return status;
}
