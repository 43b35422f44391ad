//===- LaunchOrder.cpp - launches that go before others -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Runtime/LaunchOrder.h"

#include <algorithm>
#include <cassert>
#include <chrono>

using namespace ptxjit;

void LaunchOrder::enter(int priority, int change) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    waiting[size_t(priority - kHighestPriority)] += unsigned(change);
    auto it = std::find_if(waiting.begin(), waiting.end(),
                           [](unsigned launches) { return launches != 0; });
    first = kHighestPriority + int(it - waiting.begin());
  }
  changed.notify_all();
}

LaunchOrder::Entry::Entry(LaunchOrder *order, int priority)
    : order(order), priority(priority) {
  assert(priority >= kHighestPriority && priority <= kLowestPriority);
  if (!isUrgent())
    return;
  isInside = true;
  order->enter(priority, 1);
}

void LaunchOrder::Entry::leave() {
  if (isInside.load(std::memory_order_relaxed) && isInside.exchange(false))
    order->enter(priority, -1);
}

void LaunchOrder::Entry::awaitTurn() {
  assert(order && "only launches with an order are told to yield");
  constexpr auto patience = std::chrono::milliseconds(100);
  std::unique_lock<std::mutex> lock(order->mutex);
  while (mustYield()) {
    uint64_t before = order->started;
    bool isFirst = order->changed.wait_for(
        lock, patience, [this] { return order->first >= priority; });
    if (!isFirst && order->started == before)
      stalled = before;
  }
}
