//===- CpuAArch64.cpp - what the runtime needs of an AArch64 CPU ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cpu.h"

using namespace ptxjit;

//===----------------------------------------------------------------------===//
// Stacks
//===----------------------------------------------------------------------===//

extern "C" void ptxjitStartFiber();

asm(R"(
  .text
  .globl ptxjitSwitchStack
  .hidden ptxjitSwitchStack
  .type ptxjitSwitchStack, %function
ptxjitSwitchStack:
  sub sp, sp, #160
  stp x19, x20, [sp, #0]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x19, x20, [sp, #0]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #160
  br x30
  .size ptxjitSwitchStack, .-ptxjitSwitchStack

  .globl ptxjitStartFiber
  .hidden ptxjitStartFiber
  .type ptxjitStartFiber, %function
ptxjitStartFiber:
  mov x0, x20
  blr x19
  brk #0
  .size ptxjitStartFiber, .-ptxjitStartFiber
)");

// The frame is one from which ptxjitSwitchStack jumps to ptxjitStartFiber.
void *ptxjit::buildFirstFrame(char *top, void (*entry)(void *),
                              void *argument) {
  auto *frame = reinterpret_cast<void **>(top) - 20;
  for (int i = 0; i < 20; ++i)
    frame[i] = nullptr;
  frame[0] = reinterpret_cast<void *>(entry);             // x19
  frame[1] = argument;                                    // x20
  frame[11] = reinterpret_cast<void *>(ptxjitStartFiber); // x30
  return frame;
}

//===----------------------------------------------------------------------===//
// The rest
//===----------------------------------------------------------------------===//

uint64_t ptxjit::programCounter(const ucontext_t &state) {
  return state.uc_mcontext.pc;
}
uint64_t ptxjit::stackPointer(const ucontext_t &state) {
  return state.uc_mcontext.sp;
}

const uint64_t ptxjit::kKernelFloatMode = 0;
uint64_t ptxjit::getFloatMode() {
  uint64_t mode;
  asm volatile("mrs %0, fpcr" : "=r"(mode));
  return mode;
}
void ptxjit::setFloatMode(uint64_t mode) {
  asm volatile("msr fpcr, %0" : : "r"(mode));
}

void ptxjit::pauseSpinning() { asm volatile("isb" ::: "memory"); }

// Stores past the caches are ordered like others, by whoever ends the launch.
void ptxjit::orderStreamedStores() {}

bool ptxjit::mayUseTiles() { return false; }

const char *const ptxjit::kLibraryFolder = "/usr/lib/aarch64-linux-gnu";
