//===- Fiber.cpp - switches between stacks of one thread ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fiber.h"
#include "Cpu.h"
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
  size_t page = pageBytes();
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
