//===- Cpu.h - what the runtime needs of a CPU's architecture ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CpuX86.cpp and CpuAArch64.cpp implement this; the build takes one of them.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_RUNTIME_CPU_H
#define PTXJIT_LIB_RUNTIME_CPU_H

#include <cstdint>
#include <ucontext.h>

#if !defined(__x86_64__)
#include <csetjmp>
#endif

namespace ptxjit {

//===----------------------------------------------------------------------===//
// Stacks
//===----------------------------------------------------------------------===//

/// Saves the registers that a call preserves on this stack, and its pointer in
/// `*save`; continues where the stack `to` was suspended. The floating-point
/// mode stays.
extern "C" void ptxjitSwitchStack(void **save, void *to);

/// Builds a frame on a new stack that ends at `top`, for the first switch to
/// it: calls entry(argument), which must not return. \returns the stack's
/// pointer.
void *buildFirstFrame(char *top, void (*entry)(void *), void *argument);

//===----------------------------------------------------------------------===//
// Signals
//===----------------------------------------------------------------------===//

/// Where a signal interrupted the thread, and the stack it was on then.
uint64_t programCounter(const ucontext_t &state);
uint64_t stackPointer(const ucontext_t &state);

/// A place in a function to jump to, without the signal mask. It is set by
/// PTXJIT_SET_PLACE(place), which is false, and true after
/// PTXJIT_JUMP(place, ...). The function must not have returned then.
#if defined(__x86_64__)
struct JumpPlace {
  void *words[5];
};
#define PTXJIT_SET_PLACE(place) __builtin_setjmp((place).words)
#define PTXJIT_JUMP(place) __builtin_longjmp((place).words, 1)
#else
// clang has the builtins for some architectures only.
struct JumpPlace {
  jmp_buf words;
};
#define PTXJIT_SET_PLACE(place) _setjmp((place).words)
#define PTXJIT_JUMP(place) _longjmp((place).words, 1)
#endif

//===----------------------------------------------------------------------===//
// Floating point
//===----------------------------------------------------------------------===//

/// The calling thread's rounding mode, and what it does with subnormals, as the
/// CPU's control register has them.
uint64_t getFloatMode();
void setFloatMode(uint64_t mode);

/// The mode in which kernels run: IEEE's defaults.
extern const uint64_t kKernelFloatMode;

//===----------------------------------------------------------------------===//
// The rest
//===----------------------------------------------------------------------===//

/// Tells the CPU that the thread is spinning.
void pauseSpinning();

/// Orders stores past the caches before all later stores.
void orderStreamedStores();

/// Asks Linux to let this process use the tile registers of AMX. It does not if
/// the CPU has none, or if a thread's signal stack is too small for them.
bool mayUseTiles();

/// Debian's name of the architecture's library folder.
extern const char *const kLibraryFolder;

} // namespace ptxjit

#endif
