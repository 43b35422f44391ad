//===- LaunchOrder.h - launches that go before others -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_RUNTIME_LAUNCHORDER_H
#define PTXJIT_RUNTIME_LAUNCHORDER_H

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace ptxjit {

/// Highest and lowest priority of a launch: lower numbers go first, as in CUDA.
constexpr int kHighestPriority = -5, kLowestPriority = 0;

/// The order of launches that share cores. While a launch has CTAs that have
/// not started, launches of lower priority start none; CTAs that run are not
/// interrupted. So does a GPU. Thread-safe.
class LaunchOrder {
public:
  /// A launch, from its beginning until its last CTA has started.
  class Entry {
  public:
    /// \param order     null: the launch goes before none, and after none.
    /// \param priority  kHighestPriority to kLowestPriority.
    Entry(LaunchOrder *order, int priority);
    ~Entry() { leave(); }
    Entry(const Entry &) = delete;
    Entry &operator=(const Entry &) = delete;

    /// Tells that CTAs have started. Launches of lower priority wait only as
    /// long as this happens now and then: see awaitTurn().
    void advance() {
      if (isUrgent())
        order->started.fetch_add(1, std::memory_order_relaxed);
    }
    /// All CTAs have started.
    void leave();

    /// Whether other launches go before this one.
    bool mustYield() const {
      return order && order->first.load(std::memory_order_relaxed) < priority &&
             order->started.load(std::memory_order_relaxed) != stalled;
    }
    /// Waits until no launch goes before this one. If those that do start no
    /// CTA for a tenth of a second, it goes on all the same, until they do:
    /// their CTAs may wait for what this launch writes.
    /// \pre No worker of this launch runs.
    void awaitTurn();

  private:
    bool isUrgent() const { return order && priority < kLowestPriority; }

    LaunchOrder *order;
    int priority;
    std::atomic<bool> isInside{false};
    /// The value of `started` at which this launch no longer waited.
    uint64_t stalled = ~uint64_t(0);
  };

private:
  void enter(int priority, int change);

  std::mutex mutex;
  std::condition_variable changed;
  /// Launches of each priority with CTAs that have not started, without those
  /// of the lowest.
  std::array<unsigned, size_t(kLowestPriority - kHighestPriority)> waiting{};
  /// The highest priority of these.
  std::atomic<int> first{kLowestPriority};
  std::atomic<uint64_t> started{0}; ///< counts CTAs of these
};

} // namespace ptxjit

#endif
