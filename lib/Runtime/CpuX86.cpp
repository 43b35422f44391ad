//===- CpuX86.cpp - what the runtime needs of an x86-64 CPU ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cpu.h"

#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace ptxjit;

//===----------------------------------------------------------------------===//
// Stacks
//===----------------------------------------------------------------------===//

extern "C" void ptxjitStartFiber();

asm(R"(
  .text
  .globl ptxjitSwitchStack
  .hidden ptxjitSwitchStack
  .type ptxjitSwitchStack, @function
ptxjitSwitchStack:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  popq %rcx
  jmpq *%rcx
  .size ptxjitSwitchStack, .-ptxjitSwitchStack

  .globl ptxjitStartFiber
  .hidden ptxjitStartFiber
  .type ptxjitStartFiber, @function
ptxjitStartFiber:
  movq %r13, %rdi
  xorl %ebp, %ebp
  callq *%r12
  ud2
  .size ptxjitStartFiber, .-ptxjitStartFiber
)");

// The frame is one from which ptxjitSwitchStack jumps to ptxjitStartFiber.
void *ptxjit::buildFirstFrame(char *top, void (*entry)(void *),
                              void *argument) {
  auto *frame = reinterpret_cast<void **>(top) - 9;
  frame[0] = nullptr;                         // r15
  frame[1] = nullptr;                         // r14
  frame[2] = argument;                        // r13
  frame[3] = reinterpret_cast<void *>(entry); // r12
  frame[4] = nullptr;                         // rbx
  frame[5] = nullptr;                         // rbp
  frame[6] = reinterpret_cast<void *>(ptxjitStartFiber);
  // Unused; they align the stack to 16 bytes in ptxjitStartFiber.
  frame[7] = frame[8] = nullptr;
  return frame;
}

//===----------------------------------------------------------------------===//
// The rest
//===----------------------------------------------------------------------===//

uint64_t ptxjit::programCounter(const ucontext_t &state) {
  return uint64_t(state.uc_mcontext.gregs[REG_RIP]);
}
uint64_t ptxjit::stackPointer(const ucontext_t &state) {
  return uint64_t(state.uc_mcontext.gregs[REG_RSP]);
}

const uint64_t ptxjit::kKernelFloatMode = 0x1f80; // exceptions are masked
uint64_t ptxjit::getFloatMode() { return _mm_getcsr(); }
void ptxjit::setFloatMode(uint64_t mode) { _mm_setcsr(unsigned(mode)); }

void ptxjit::pauseSpinning() { _mm_pause(); }

void ptxjit::orderStreamedStores() { _mm_sfence(); }

bool ptxjit::mayUseTiles() {
  // Names of <asm/prctl.h>, which older headers lack.
  constexpr int kRequestPermission = 0x1023, kTileData = 18;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

const char *const ptxjit::kLibraryFolder = "/usr/lib/x86_64-linux-gnu";
