//===- Fiber.cpp - switches between stacks of one thread ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fiber.h"
#include "ptxjit/Runtime/PerThread.h"

#include <iterator>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>
#include <vector>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PTXJIT_ASAN 1
#include <pthread.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if __has_feature(thread_sanitizer)
#define PTXJIT_TSAN 1
#include <sanitizer/tsan_interface.h>
#endif
#endif

using namespace ptxjit;

//===----------------------------------------------------------------------===//
// The switch
//===----------------------------------------------------------------------===//

// Saves the registers that a call preserves on the old stack, and continues
// where the new stack was suspended. All fibers share MXCSR and the x87 control
// word.
extern "C" void ptxjitSwitchStack(void **save, void *to);
extern "C" void ptxjitStartFiber();

#if defined(__x86_64__)
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

/// Builds a frame from which ptxjitSwitchStack jumps to ptxjitStartFiber.
static void *buildFirstFrame(char *top, void (*entry)(void *), void *argument) {
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
#elif defined(__aarch64__)
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

static void *buildFirstFrame(char *top, void (*entry)(void *), void *argument) {
  auto *frame = reinterpret_cast<void **>(top) - 20;
  for (int i = 0; i < 20; ++i)
    frame[i] = nullptr;
  frame[0] = reinterpret_cast<void *>(entry);             // x19
  frame[1] = argument;                                    // x20
  frame[11] = reinterpret_cast<void *>(ptxjitStartFiber); // x30
  return frame;
}
#else
#error "fibers are written for x86-64 and AArch64"
#endif

//===----------------------------------------------------------------------===//
// Stacks
//===----------------------------------------------------------------------===//

/// The most address space that a thread keeps for its next launch, in bytes.
static constexpr size_t kMostKept = size_t(32) << 20;

/// Stacks without an owner. To map new ones, and to commit their pages, costs
/// as much as a small kernel does.
struct FiberStacks::Kept {
  struct Block {
    char *base;
    size_t stride, total, guard;
  };
  std::vector<Block> blocks;
  size_t bytes = 0;

  ~Kept() {
    for (const Block &block : blocks)
      munmap(block.base, block.total);
  }
};

/// Takes stacks of the same shape that the thread has kept.
bool FiberStacks::takeKept() {
  Kept &kept = perThread<Kept, FiberStacks>();
  for (auto block = kept.blocks.rbegin(); block != kept.blocks.rend(); ++block)
    if (block->stride == stride && block->total == total &&
        block->guard == guard) {
      base = block->base;
      kept.bytes -= total;
      kept.blocks.erase(std::next(block).base());
      return true;
    }
  return false;
}

/// Keeps the stacks for others, and gives up the oldest ones.
bool FiberStacks::keep() {
  if (range == AddressRange::Low || total > kMostKept)
    return false;
  Kept &kept = perThread<Kept, FiberStacks>();
  while (kept.bytes + total > kMostKept) {
    Kept::Block &oldest = kept.blocks.front();
    munmap(oldest.base, oldest.total);
    kept.bytes -= oldest.total;
    kept.blocks.erase(kept.blocks.begin());
  }
  kept.blocks.push_back({base, stride, total, guard});
  kept.bytes += total;
  return true;
}

FiberStacks::~FiberStacks() {
  if (base && !keep())
    munmap(base, total);
}

bool FiberStacks::allocate(unsigned count, size_t bytes, bool guarded,
                           AddressRange where) {
  range = where;
  size_t page = size_t(sysconf(_SC_PAGESIZE));
  guard = guarded ? page : 0;
  stride = (bytes + page - 1) / page * page + guard;
  total = stride * count;
  if (range == AddressRange::All && takeKept())
    return true;
  void *memory = mapPages(total, PROT_READ | PROT_WRITE, range, MAP_STACK);
  if (!memory)
    return false;
  base = static_cast<char *>(memory);
  for (unsigned i = 0; guarded && i < count; ++i)
    if (mprotect(base + i * stride, page, PROT_NONE)) {
      munmap(std::exchange(base, nullptr), total);
      return false;
    }
  return true;
}

bool FiberStacks::isGuardPage(uint64_t address) const {
  uint64_t offset = address - reinterpret_cast<uint64_t>(base);
  return offset < total && offset % stride < guard;
}

/// Stacks start at different offsets in a page, since equal ones would compete
/// for the same cache lines.
static size_t colorOf(unsigned index) { return index % 16 * 192; }

void FiberStacks::prepare(unsigned index, FiberState &state,
                          void (*entry)(void *), void *argument) {
  abandonFiber(state);
  state.stackBottom = base + index * stride;
  state.stackSize = stride;
  state.stackPointer = buildFirstFrame(
      base + (index + 1) * stride - colorOf(index), entry, argument);
#if PTXJIT_TSAN
  state.tsanFiber = __tsan_create_fiber(0);
#endif
}

//===----------------------------------------------------------------------===//
// Switching
//===----------------------------------------------------------------------===//

void ptxjit::switchFiber(FiberState &from, FiberState &to) {
#if PTXJIT_ASAN
  __sanitizer_start_switch_fiber(&from.fakeStack, to.stackBottom, to.stackSize);
#endif
#if PTXJIT_TSAN
  __tsan_switch_to_fiber(to.tsanFiber, 0);
#endif
  ptxjitSwitchStack(&from.stackPointer, to.stackPointer);
#if PTXJIT_ASAN
  __sanitizer_finish_switch_fiber(from.fakeStack, nullptr, nullptr);
#endif
}

void ptxjit::enterFiber(FiberState &self) {
#if PTXJIT_ASAN
  __sanitizer_finish_switch_fiber(self.fakeStack, nullptr, nullptr);
#endif
  (void)self;
}

void ptxjit::abandonFiber(FiberState &state) {
#if PTXJIT_TSAN
  if (state.tsanFiber)
    __tsan_destroy_fiber(state.tsanFiber);
#endif
  state = FiberState();
}

void ptxjit::returnToThread(FiberState &thread) {
#if PTXJIT_TSAN
  __tsan_switch_to_fiber(thread.tsanFiber, 0);
#endif
#if PTXJIT_ASAN
  __sanitizer_start_switch_fiber(nullptr, thread.stackBottom, thread.stackSize);
  __sanitizer_finish_switch_fiber(thread.fakeStack, nullptr, nullptr);
#endif
  (void)thread;
}

void ptxjit::adoptThread(FiberState &state) {
#if PTXJIT_TSAN
  state.tsanFiber = __tsan_get_current_fiber();
#endif
#if PTXJIT_ASAN
  pthread_attr_t attributes;
  void *bottom = nullptr;
  size_t bytes = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
    pthread_attr_getstack(&attributes, &bottom, &bytes);
    pthread_attr_destroy(&attributes);
  }
  state.stackBottom = bottom;
  state.stackSize = bytes;
#endif
  (void)state;
}
