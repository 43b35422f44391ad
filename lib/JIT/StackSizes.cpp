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
    sum += function.getFrameInfo().getStackSize();
    return false;
  }

private:
  uint64_t &sum;
};
char StackSizes::ID = 0;
} // namespace

MachineFunctionPass *ptxjit::createStackSizesPass(uint64_t &sum) {
  return new StackSizes(sum);
}
