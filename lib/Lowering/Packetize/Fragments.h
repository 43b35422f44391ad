//===- Fragments.h - registers of fragments in memory -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device functions read and write the registers of fragments as arrays in
// memory, one element a lane.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_LOWERING_PACKETIZE_FRAGMENTS_H
#define PTXJIT_LIB_LOWERING_PACKETIZE_FRAGMENTS_H

#include "WarpMemory.h"

namespace ptxjit {

constexpr int64_t kRegisterBytes = 128; ///< 32 lanes of 32 bits

/// A register of a fragment that is in memory only.
struct StoredRegister {
  mlir::Value pointer;
  unsigned index = 0; ///< number of the register in its owner
  /// The buffer that holds the register. It is given back when its last
  /// register is dropped.
  std::shared_ptr<StackBuffer> owner;
};
/// All registers that are in memory only.
struct StoredRegisters : FamilyState {
  explicit StoredRegisters(WarpBuilder &) {}
  llvm::DenseMap<mlir::Value, StoredRegister> map;
};

/// Are all uses of `v` matrix multiplications of the same block and, in a split
/// kernel, of the same part?
bool isOnlyMultiplied(WarpBuilder &warp, mlir::Value v);

/// Stores the 32 lanes of `v` (4 or 8 bytes each) as register `index` of a
/// buffer, and loads them from there.
void storeRegister(WarpBuilder &warp, mlir::Operation *op, mlir::Value buffer,
                   unsigned index, mlir::Value v);
void loadRegister(WarpBuilder &warp, mlir::Value v, mlir::Value buffer,
                  unsigned index);
/// Sets `v` from a vector of 32 lanes.
void setRegister(WarpBuilder &warp, mlir::Value v, mlir::Value all);

/// An operand that has the same value in all lanes, as an integer of `bits`.
mlir::Value uniformOperand(WarpBuilder &warp, mlir::Value v,
                           unsigned bits = 32);
/// The lanes [first, end), i32, for which this strand calls a device function.
llvm::SmallVector<mlir::Value, 2> ownLanes(WarpBuilder &warp);

/// The address of a function of the device library.
mlir::Value addressOfDevice(WarpBuilder &warp,
                            const device::Function &function);
/// Calls a function of the device library whose operands are pointers and
/// integers.
void callDevice(WarpBuilder &warp, const device::Function &function,
                llvm::ArrayRef<mlir::Value> operands);

} // namespace ptxjit

#endif
