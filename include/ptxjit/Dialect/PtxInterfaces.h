//===- PtxInterfaces.h - facts that passes ask of an op ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Traits of ptx ops, and the types that their interfaces use. Passes rely on
// these facts instead of lists of ops. PtxInterfaces.td declares the
// interfaces; the .td file of each chapter attaches them to the ops.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_DIALECT_PTXINTERFACES_H
#define PTXJIT_DIALECT_PTXINTERFACES_H

#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

#include "ptxjit/Dialect/PtxEnums.h.inc"

namespace ptxjit::ptx {

/// What an op reads when a loop repeats it and no other thread does anything in
/// between. A loop that may read the same value again may wait for others.
enum class Polling {
  /// The op cannot make a loop wait.
  Never,
  /// The same value, so the loop may wait.
  Same,
  /// The same value. The ISA also lets a compiler reuse the value of a weak
  /// load, so the loop may wait only if a barrier or fence in it forces each
  /// iteration to read again.
  SameIfReadAnew,
  /// The same value, unless the op is a compare-and-swap that compares with the
  /// value it read last: if that fails, another thread has made progress.
  SameUnlessChained,
};

/// The role of an operand in the address that an op computes.
enum class AddressRole {
  /// The operand is no part of an address.
  None,
  /// An address. The result is an address in the same object, at an offset.
  Base,
  /// An address. The result is an address in the same object, with some bits
  /// set or cleared. Distances between lanes are not kept.
  Bits,
  /// An address. The result is the same location as an address of another
  /// space.
  Converted,
  /// An offset, or a factor of an offset.
  Index,
};

/// An operand that an op extends to more bits.
struct Widening {
  unsigned operand; ///< the operand's number
  bool isSigned;    ///< sign extension; else zero extension
};

/// The bytes of memory that a lane accesses, and how.
struct ByteAccess {
  enum Kind {
    Read,
    Write,
    AsyncWrite, ///< no thread may rely on when it is done, but for barriers
    Atomic,
  };
  Kind kind;
  mlir::Value address; ///< in `space`
  int64_t offset;      ///< of the first byte, from the address
  uint64_t bytes;
  std::optional<Space> space; ///< none: generic
};

/// The results in a lane depend on nothing but the operands in that lane. Lanes
/// with equal operands have equal results.
template <typename ConcreteType>
class LaneWise : public mlir::OpTrait::TraitBase<ConcreteType, LaneWise> {};

/// Nothing is known about how the results vary over the lanes.
template <typename ConcreteType>
class VariesByLane
    : public mlir::OpTrait::TraitBase<ConcreteType, VariesByLane> {};

/// An op with effects that needs no mask. Either it does no harm in inactive
/// lanes, or it never stands under divergent control when that is linearized:
/// it is rewritten before, or its kernel runs thread by thread.
template <typename ConcreteType>
class NeedsNoMask : public mlir::OpTrait::TraitBase<ConcreteType, NeedsNoMask> {
};

/// An op on memory that AccessOpInterface cannot describe: the bytes that a
/// lane accesses are not contiguous, or belong to the warp as a whole, or are
/// accessed by others later.
template <typename ConcreteType>
class OtherBytes : public mlir::OpTrait::TraitBase<ConcreteType, OtherBytes> {};

/// A barrier for the threads of all CTAs of the cluster.
template <typename ConcreteType>
class ClusterWideBarrier
    : public mlir::OpTrait::TraitBase<ConcreteType, ClusterWideBarrier> {};

/// The warps of a warpgroup wait here for each other. All lanes of these warps
/// execute the op.
template <typename ConcreteType>
class WarpgroupBarrier
    : public mlir::OpTrait::TraitBase<ConcreteType, WarpgroupBarrier> {};

/// All lanes of the warp execute the op together; the behaviour is undefined if
/// some do not. (So no lane can be waiting while another is here.)
template <typename ConcreteType>
class WholeWarp : public mlir::OpTrait::TraitBase<ConcreteType, WholeWarp> {};

/// A WholeWarp that all warps of a warpgroup execute. They may wait here for
/// each other, too.
template <typename ConcreteType>
class MayMeetWarpgroup
    : public mlir::OpTrait::TraitBase<ConcreteType, MayMeetWarpgroup> {};

/// A fence: loads after it must read memory again.
template <typename ConcreteType>
class OrdersMemory
    : public mlir::OpTrait::TraitBase<ConcreteType, OrdersMemory> {};

/// An op with effects that no other thread can observe.
template <typename ConcreteType>
class UnseenByOthers
    : public mlir::OpTrait::TraitBase<ConcreteType, UnseenByOthers> {};

/// Other warps and CTAs may run at this op, so each warp needs its own stack.
template <typename ConcreteType>
class GivesWay : public mlir::OpTrait::TraitBase<ConcreteType, GivesWay> {};

/// Moves or reads the end of the thread's stack.
template <typename ConcreteType>
class UsesStack : public mlir::OpTrait::TraitBase<ConcreteType, UsesStack> {};

} // namespace ptxjit::ptx

#include "ptxjit/Dialect/PtxInterfaces.h.inc"

#endif
