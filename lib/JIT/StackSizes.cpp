//===- StackSizes.cpp - how much stack compiled code needs ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM can write the frames' sizes into the object, but leaves out functions
// with an alloca of run-time size. Their frames without it may be large, too.
//
//===----------------------------------------------------------------------===//

#include "ptxjit/JIT/Compiler.h"

#include "llvm/CodeGen/MachineFrameInfo.h"
#include "llvm/CodeGen/MachineFunctionPass.h"

using namespace llvm;

namespace {
class StackSizes : public MachineFunctionPass {
public:
  static char ID;
  explicit StackSizes(uint64_t &sum) : MachineFunctionPass(ID), sum(sum) {}
  StringRef getPassName() const override { return "Sizes of stack frames"; }
  void getAnalysisUsage(AnalysisUsage &usage) const override {
    usage.setPreservesAll();
    MachineFunctionPass::getAnalysisUsage(usage);
  }
  bool runOnMachineFunction(MachineFunction &function) override {
    sum += function.getFrameInfo().getStackSize() + countScalable(function);
    return false;
  }

private:
  /// What SVE's registers are spilled to, which LLVM does not count as part of
  /// the frame. Objects are as large as for vectors of 128 bits, and are a
  /// multiple of 16 bytes together.
  static uint64_t countScalable(const MachineFunction &function) {
    Attribute range =
        function.getFunction().getFnAttribute(Attribute::VScaleRange);
    if (!range.isValid())
      return 0;
    const MachineFrameInfo &frame = function.getFrameInfo();
    uint64_t bytes = 0;
    for (int i = frame.getObjectIndexBegin(); i < frame.getObjectIndexEnd();
         ++i)
      if (frame.hasScalableStackID(i) && !frame.isDeadObjectIndex(i))
        bytes += alignTo(frame.getObjectSize(i), frame.getObjectAlign(i));
    return alignTo(bytes, 16) * range.getVScaleRangeMin();
  }

  uint64_t &sum;
};
char StackSizes::ID = 0;
} // namespace

MachineFunctionPass *ptxjit::createStackSizesPass(uint64_t &sum) {
  return new StackSizes(sum);
}
