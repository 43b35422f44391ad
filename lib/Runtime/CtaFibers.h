//===- CtaFibers.h - the warps of one CTA, each on a fiber ------*- C++ -*-===//

#ifndef PTXJIT_LIB_RUNTIME_CTAFIBERS_H
#define PTXJIT_LIB_RUNTIME_CTAFIBERS_H

#include "Fiber.h"
#include "ptxjit/Runtime/KernelABI.h"
#include <memory>

namespace ptxjit {

/// Runs CTAs of up to 32 warps one after another on the thread that made it,
/// and keeps their barriers. Stacks are kept from CTA to CTA.
///
/// ISA: "bar, barrier". Warps arrive as a whole: a warp counts 32 threads,
/// whatever part of it is active. Warps that have ended are not waited for.
class CtaFibers {
public:
  /// \param stackBytes  of each warp.
  CtaFibers(unsigned warps, size_t stackBytes);
  ~CtaFibers();

  /// Memory for the stacks is there.
  bool isValid() const { return valid; }

  /// Starts the CTA that `context` names and runs it until all warps have ended
  /// or, if it may be parked, all only give way to each other. The status is
  /// left in the context. \returns whether the CTA has ended.
  bool run(PtxjitKernelEntry entry, PtxjitKernelContext &context, bool mayPark);
  /// Goes on with a CTA that was parked. \returns as run().
  bool resume();

  uint32_t arrive(uint32_t warp, uint32_t id, uint32_t threads, uint32_t mode,
                  uint32_t votes, uint32_t active);
  void yield(uint32_t warp);

private:
  struct Barrier {
    uint32_t waiting = 0;  ///< warps, as bits
    uint32_t arrived = 0;  ///< threads
    uint32_t expected = 0; ///< threads; 0: all that are left
    uint32_t count = 0;    ///< threads that voted
    bool all = true;
  };
  struct Warp {
    FiberState fiber;
    FiberStack stack;
    CtaFibers *cta = nullptr;
    uint32_t index = 0;
    uint32_t result = 0; ///< of the barrier it waited at
  };

  static void warpMain(void *argument);
  void finish(Warp &warp);
  bool isComplete(const Barrier &barrier) const;
  void release(Barrier &barrier, uint32_t mode);
  /// The next warp that can go on behind `after`, in turn; null if none can.
  Warp *next(uint32_t after);
  void suspend(Warp &warp);
  bool finishRun();

  unsigned warps;
  bool valid = true;
  std::unique_ptr<Warp[]> fibers;
  FiberState scheduler;
  PtxjitKernelEntry entry = nullptr;
  PtxjitKernelContext *context = nullptr;
  uint32_t ready = 0, alive = 0; ///< warps, as bits
  bool mayPark = false;
  Warp *parkedAt = nullptr; ///< null unless parked
  unsigned idleYields = 0;  ///< since the last barrier or end of a warp
  Barrier barriers[16];
  uint32_t barrierModes[16] = {};
};

/// What the context of a kernel points to; `context->runtime` is a CtaFibers,
/// or null where warps run one after another.
extern const PtxjitHelpers kKernelHelpers;

} // namespace ptxjit

#endif
