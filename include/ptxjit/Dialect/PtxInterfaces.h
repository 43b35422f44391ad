//===- PtxInterfaces.h - what a pass may ask of an op -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Traits and interfaces of ptx ops: facts that passes rely on. The interfaces
// are in PtxInterfaces.td; which op has which, in the chapters' .td files.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_DIALECT_PTXINTERFACES_H
#define PTXJIT_DIALECT_PTXINTERFACES_H

#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

#include "ptxjit/Dialect/PtxEnums.h.inc"

namespace ptxjit::ptx {

/// What a loop finds that reads once more, if no other thread does anything
/// meanwhile.
enum class Polling {
  /// Something new: the loop does not wait for others.
  Never,
  /// The same, so the loop may wait.
  Same,
  /// The same. But the compiler may keep what it read, so that a loop is not
  /// meant to wait unless barriers or fences make each turn read anew.
  SameIfReadAnew,
  /// The same, unless what it compares with is what it read last: then another
  /// thread has got on if it fails.
  SameUnlessChained,
};

/// What an operand is to the address that an op computes.
enum class AddressRole {
  /// Nothing.
  None,
  /// An address: the result is one in the same object, at a distance.
  Base,
  /// An address: the result is one in the same object, with some bits forced.
  /// Distances between lanes are not kept.
  Bits,
  /// An address: the result is the same place as an address of another space.
  Converted,
  /// A distance, or a factor of one.
  Index,
};

/// An operand that an op extends to more bits.
struct Widening {
  unsigned operand; ///< its number
  bool isSigned;    ///< by its sign, or by zeros
};

/// What a lane does to bytes in memory.
struct ByteAccess {
  enum Kind {
    Read,
    Write,
    AsyncWrite, ///< nobody may count on when it is done, but for barriers
    Atomic,
  };
  Kind kind;
  mlir::Value address; ///< in `space`
  int64_t offset;      ///< of the first byte, from the address
  uint64_t bytes;
  std::optional<Space> space; ///< none: generic
};

/// Results of a lane follow from the operands in that lane and from nothing
/// else: where operands are the same, so are results.
template <typename ConcreteType>
class LaneWise : public mlir::OpTrait::TraitBase<ConcreteType, LaneWise> {};

/// Nothing is known of how results vary over the lanes.
template <typename ConcreteType>
class VariesByLane
    : public mlir::OpTrait::TraitBase<ConcreteType, VariesByLane> {};

/// An op with effects that does no harm in lanes that are off, or that never
/// stands under divergent control: it is rewritten before, or runs for threads
/// one by one.
template <typename ConcreteType>
class NeedsNoMask : public mlir::OpTrait::TraitBase<ConcreteType, NeedsNoMask> {
};

/// An op on memory that AccessOpInterface cannot describe: the bytes that a
/// lane touches do not lie side by side, or belong to the warp, or are touched
/// by others later.
template <typename ConcreteType>
class OtherBytes : public mlir::OpTrait::TraitBase<ConcreteType, OtherBytes> {};

/// A barrier for threads of all CTAs of the cluster.
template <typename ConcreteType>
class ClusterWideBarrier
    : public mlir::OpTrait::TraitBase<ConcreteType, ClusterWideBarrier> {};

/// All lanes of the warp carry it out together; if some are elsewhere, what the
/// program does is undefined. (So no lane waits while another is here.)
template <typename ConcreteType>
class WholeWarp : public mlir::OpTrait::TraitBase<ConcreteType, WholeWarp> {};

/// A fence: memory is read anew behind it.
template <typename ConcreteType>
class OrdersMemory
    : public mlir::OpTrait::TraitBase<ConcreteType, OrdersMemory> {};

/// An op with effects through which no other thread learns anything.
template <typename ConcreteType>
class UnseenByOthers
    : public mlir::OpTrait::TraitBase<ConcreteType, UnseenByOthers> {};

/// Other warps and CTAs may run here, so the warp has a stack of its own.
template <typename ConcreteType>
class GivesWay : public mlir::OpTrait::TraitBase<ConcreteType, GivesWay> {};

/// Changes or asks how far the thread's stack reaches.
template <typename ConcreteType>
class UsesStack : public mlir::OpTrait::TraitBase<ConcreteType, UsesStack> {};

} // namespace ptxjit::ptx

#include "ptxjit/Dialect/PtxInterfaces.h.inc"

#endif
