//===- Mbarrier.cpp - updates mbarrier objects ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mbarrier.h"

#include "ptxjit/Runtime/KernelABI.h"
#include <atomic>

using namespace ptxjit;

namespace {
/// The fields of an mbarrier object. Counts wrap; the ISA leaves counts beyond
/// their range undefined.
struct State {
  uint32_t pending, expected;
  int32_t tx;
  bool odd;

  explicit State(uint64_t word)
      : pending(uint32_t(word) & kCount),
        expected(uint32_t(word >> PTXJIT_MBARRIER_EXPECTED_SHIFT) & kCount),
        tx(int32_t(int64_t(word << (64 - PTXJIT_MBARRIER_TX_SHIFT -
                                    PTXJIT_MBARRIER_TX_BITS)) >>
                   (64 - PTXJIT_MBARRIER_TX_BITS))),
        odd(word >> PTXJIT_MBARRIER_PHASE_SHIFT) {}

  uint64_t pack() const {
    uint64_t bytes = uint64_t(tx) & ((1u << PTXJIT_MBARRIER_TX_BITS) - 1);
    return uint64_t(pending & kCount) |
           uint64_t(expected & kCount) << PTXJIT_MBARRIER_EXPECTED_SHIFT |
           bytes << PTXJIT_MBARRIER_TX_SHIFT |
           uint64_t(odd) << PTXJIT_MBARRIER_PHASE_SHIFT;
  }

private:
  static constexpr uint32_t kCount = (1u << PTXJIT_MBARRIER_COUNT_BITS) - 1;
};
} // namespace

static uint64_t update(uint64_t word, uint32_t arrivals, uint32_t drops,
                       int32_t tx) {
  State state(word);
  state.tx += tx;
  state.expected -= drops;
  state.pending -= arrivals;
  // Expecting more bytes never completes a phase.
  bool mayEnd = arrivals || tx < 0;
  State next(state.pack());
  if (mayEnd && next.pending == 0 && next.tx == 0) {
    next.odd = !next.odd;
    next.pending = next.expected;
  }
  return next.pack();
}

uint64_t ptxjit::updateMbarrier(PtxjitKernelContext *, uint64_t address,
                                uint32_t arrivals, uint32_t drops, int32_t tx) {
  auto &word = *reinterpret_cast<std::atomic<uint64_t> *>(address);
  uint64_t old = word.load(std::memory_order_relaxed);
  while (!word.compare_exchange_weak(old, update(old, arrivals, drops, tx),
                                     std::memory_order_acq_rel,
                                     std::memory_order_relaxed))
    ;
  return old;
}
