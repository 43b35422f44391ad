//===- Multimem.cpp - accesses to the memory of several devices -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ISA: "multimem". An access is done element by element, each of which is
// atomic. The sum of a load begins with the first device that was bound, and
// is rounded after each addition: to the type of its elements, or that of the
// accumulator.
//
//===----------------------------------------------------------------------===//

#include "Multimem.h"
#include "Numbers.h"
#include "ptxjit/Runtime/Multicast.h"

#include <atomic>

using namespace ptxjit;

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// \param Sum  the type that sums are rounded to.
template <typename Number, typename Sum>
static typename Number::Value combine(unsigned operation,
                                      typename Number::Value x,
                                      typename Number::Value y) {
  switch (operation) {
  case PTXJIT_MULTIMEM_MIN:
    return least(x, y);
  case PTXJIT_MULTIMEM_MAX:
    return greatest(x, y);
  }
  if constexpr (std::is_integral_v<typename Number::Value>)
    switch (operation) {
    case PTXJIT_MULTIMEM_AND:
      return x & y;
    case PTXJIT_MULTIMEM_OR:
      return x | y;
    case PTXJIT_MULTIMEM_XOR:
      return x ^ y;
    }
  return Sum::decode(Sum::encode(sumOf(x, y)));
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

template <typename T> static std::atomic<T> &atomicAt(uint64_t address) {
  return *reinterpret_cast<std::atomic<T> *>(address);
}

/// Calls visit(T()) with the unsigned type of an element.
template <typename Visit> static void withBits(unsigned bytes, Visit visit) {
  switch (bytes) {
  case 1:
    return visit(uint8_t());
  case 2:
    return visit(uint16_t());
  case 4:
    return visit(uint32_t());
  default:
    return visit(uint64_t());
  }
}

/// The number at a place of an element.
template <typename Number, typename T>
static typename Number::Bits partOf(T element, unsigned part) {
  return typename Number::Bits(element >>
                               (8 * sizeof(typename Number::Bits) * part));
}

/// Calls visit(part) for each number of an element, and joins the results.
template <typename Number, typename T, typename Visit>
static T forEachPart(Visit visit) {
  using Bits = typename Number::Bits;
  T result = 0;
  for (unsigned part = 0; part < sizeof(T) / sizeof(Bits); ++part)
    result |= T(T(Bits(visit(part))) << (8 * sizeof(Bits) * part));
  return result;
}

/// Combines the elements of all memories.
template <typename Number, typename Sum, typename T>
static T loadReduced(unsigned operation, const Replicas &replicas,
                     uint64_t address) {
  T loaded[Replicas::kMost];
  for (unsigned i = 0; i < replicas.count; ++i)
    loaded[i] = atomicAt<T>(address + replicas.distances[i])
                    .load(std::memory_order_relaxed);
  if (replicas.count == 1) // also keeps the bits of a NaN
    return loaded[0];
  return forEachPart<Number, T>([&](unsigned part) {
    auto value = Number::decode(partOf<Number>(loaded[0], part));
    for (unsigned i = 1; i < replicas.count; ++i)
      value = combine<Number, Sum>(
          operation, value, Number::decode(partOf<Number>(loaded[i], part)));
    return Number::encode(value);
  });
}

template <typename Number, typename T>
static void update(unsigned operation, uint64_t address, T operand) {
  std::atomic<T> &element = atomicAt<T>(address);
  T old = element.load(std::memory_order_relaxed), fresh;
  do {
    fresh = forEachPart<Number, T>([&](unsigned part) {
      return Number::encode(combine<Number, Number>(
          operation, Number::decode(partOf<Number>(old, part)),
          Number::decode(partOf<Number>(operand, part))));
    });
  } while (!element.compare_exchange_weak(old, fresh));
}

namespace {
/// What a lane does with one element.
struct ElementAccess {
  const PtxjitMultimemAccess &how;
  const Replicas &replicas;
  uint64_t address;
  uint64_t &element;

  template <typename Number, typename Sum, typename T> void run() const {
    if (how.action == PTXJIT_MULTIMEM_LOAD) {
      element = loadReduced<Number, Sum, T>(how.operation, replicas, address);
      return;
    }
    for (unsigned i = 0; i < replicas.count; ++i) {
      uint64_t at = address + replicas.distances[i];
      if (how.action == PTXJIT_MULTIMEM_STORE)
        atomicAt<T>(at).store(T(element), std::memory_order_relaxed);
      else
        update<Number, T>(how.operation, at, T(element));
    }
  }
  /// Elements of floating-point numbers, which may be several.
  template <typename Number, typename Sum = Number> void runAs() const {
    withBits(how.bytes, [&](auto bits) {
      if constexpr (sizeof(bits) >= sizeof(typename Number::Bits))
        run<Number, Sum, decltype(bits)>();
      else
        __builtin_unreachable();
    });
  }
  template <typename Number, typename WideSum> void runWithSum() const {
    return how.isWide ? runAs<Number, WideSum>() : runAs<Number>();
  }
  void run() const;
};
} // namespace

void ElementAccess::run() const {
  switch (how.number) {
  case PTXJIT_NUMBER_UNSIGNED:
    return withBits(how.bytes, [&](auto bits) {
      using Number = IntegerNumber<decltype(bits)>;
      run<Number, Number, decltype(bits)>();
    });
  case PTXJIT_NUMBER_SIGNED:
    return withBits(how.bytes, [&](auto bits) {
      using Number = IntegerNumber<std::make_signed_t<decltype(bits)>>;
      run<Number, Number, decltype(bits)>();
    });
  case PTXJIT_NUMBER_F64:
    return runAs<F64Number>();
  case PTXJIT_NUMBER_F32:
    return runAs<F32Number>();
  case PTXJIT_NUMBER_F16:
    return runWithSum<F16Number, F32Number>();
  case PTXJIT_NUMBER_BF16:
    return runWithSum<BF16Number, F32Number>();
  case PTXJIT_NUMBER_E4M3:
    return runWithSum<E4M3Number, F16Number>();
  case PTXJIT_NUMBER_E5M2:
    return runWithSum<E5M2Number, F16Number>();
  }
  __builtin_unreachable();
}

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

/// \param replicas  those of an earlier lane's address, which are often the
/// same.
static void accessLane(const PtxjitMultimemAccess &access, unsigned lane,
                       Replicas &replicas, const KernelCall &call) {
  uint64_t address = access.addresses[lane];
  if (address % (uint64_t(access.bytes) * access.count) != 0)
    FaultScope::leave(LaunchStatus::MisalignedAddress, address, call);
  if (!replicas.contains(address))
    findReplicas(address, replicas);
  bool isAllowed = access.action == PTXJIT_MULTIMEM_LOAD || replicas.mayWrite;
  if (!isAllowed || replicas.count == 0)
    FaultScope::leave(LaunchStatus::IllegalAddress, address, call);
  FaultScope::Reading reading(call);
  for (unsigned i = 0; i < access.count; ++i)
    ElementAccess{access, replicas, address + uint64_t(i) * access.bytes,
                  access.rows[i * access.lanes + lane]}
        .run();
}

void ptxjit::accessMultimem(const PtxjitMultimemAccess &access,
                            const KernelCall &caller) {
  if (access.isOrdered)
    std::atomic_thread_fence(std::memory_order_seq_cst);
  Replicas replicas;
  for (uint32_t rest = access.active; rest; rest &= rest - 1) {
    auto lane = unsigned(__builtin_ctz(rest));
    accessLane(access, lane, replicas,
               {caller.thread + int32_t(lane), caller.returnAddress});
  }
  if (access.isOrdered)
    std::atomic_thread_fence(std::memory_order_seq_cst);
}
