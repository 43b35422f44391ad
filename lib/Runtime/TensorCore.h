//===- TensorCore.h - tensor memory and what multiplies in it ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_RUNTIME_TENSORCORE_H
#define PTXJIT_LIB_RUNTIME_TENSORCORE_H

#include "TensorDescriptors.h"
#include "TensorMemory.h"

namespace ptxjit {

/// The tensor memory of a CTA, and the multiplications that its threads have
/// issued. Those that add to the same sums one after the other wait until
/// something else happens (`settle`), and are then done as one run.
class TensorCore {
public:
  TensorMemory memory;

  /// Says where the CTA's window of shared memory is, and what is in it.
  void setShared(uint8_t *begin, uint64_t bytes) {
    shared = begin;
    sharedEnd = bytes;
  }
  /// Makes this one and `other`, of the next rank, a pair.
  void pairWith(TensorCore &other);
  /// Prepares for the next CTA.
  void reset();

  /// Issues a multiplication. Fails the launch if it is not valid.
  void issue(const PtxjitTensorMultiply &multiply, const KernelCall &caller);
  /// Does what has been issued, by this CTA or its pair.
  void settle() {
    flush();
    if (first)
      first->flush();
  }

  /// Reads what has been issued from memory, so that it may change. Others may
  /// see sums only behind settle().
  void pack() {
    packPending();
    if (first)
      first->packPending();
  }

  void copy(const PtxjitCellCopy &copy, const KernelCall &caller);
  /// ISA: "tcgen05.shift".
  void shift(uint32_t address, bool isForPair, const KernelCall &caller);

private:
  /// What is pending, but for what differs between CTAs and blocks.
  struct Pending {
    device::TensorRun run;
    device::TensorKernel kernel;
    TensorInstruction instruction;
    uint32_t entryCount = 0;
    /// Elements of k that the device library has packed; what it keeps of each
    /// CTA of a pair.
    uint32_t packedK = 0;
    struct Kept {
      uint32_t packedSteps, flags;
      uint8_t inputShift;
    } kept[2];
    uint8_t flags; ///< PTXJIT_MULTIPLY_*
    uint16_t lane; ///< of D
    uint32_t disabledLanes[8];

    bool isEmpty() const { return entryCount == 0 && packedK == 0; }
    bool continuesWith(const Pending &next) const;
  };
  class Issue;

  void flush() {
    if (!pending.isEmpty())
      runPending(device::TensorAction::Multiply);
  }
  void packPending();
  void runPending(device::TensorAction action);
  void runIn(TensorCore &core, uint32_t half, device::TensorAction action);
  void describeGroup(device::TensorRun &part, uint32_t group, uint32_t half);
  void runGroup(device::TensorRun &run);
  bool canPack() const;
  void copyOwn(const PtxjitCellCopy &copy, const KernelCall &caller);
  void shiftOwn(uint32_t lane, uint32_t column, const KernelCall &caller);
  char *getScratch(const KernelCall &caller);

  uint8_t *shared = nullptr;
  uint64_t sharedEnd = 0; ///< behind the last byte that the CTA has
  /// The CTA of even rank of the pair, which has its queue, and the other one.
  /// Null without a pair.
  TensorCore *first = nullptr, *second = nullptr;
  SpareBuffer<device::kTensorScratchBytes> scratch;
  Pending pending;
};

} // namespace ptxjit

#endif
