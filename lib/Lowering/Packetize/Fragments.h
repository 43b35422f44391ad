//===- Fragments.h - registers of fragments in memory -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device functions read and write the registers of fragments as arrays of
// lanes.
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
  unsigned index = 0; ///< in its owner
  /// What it is part of; given back when no register is needed any more.
  std::shared_ptr<StackBuffer> owner;
};
/// Registers that are in memory only.
struct StoredRegisters : FamilyState {
  explicit StoredRegisters(WarpBuilder &) {}
  llvm::DenseMap<mlir::Value, StoredRegister> map;
};

/// Is it nothing but an operand of multiplications, here? Those behind a
/// barrier may be in another part.
bool isOnlyMultiplied(WarpBuilder &warp, mlir::Value v);

/// Register `index` of a buffer: the 32 lanes of `v`, of 4 or 8 bytes.
void storeRegister(WarpBuilder &warp, mlir::Operation *op, mlir::Value buffer,
                   unsigned index, mlir::Value v);
void loadRegister(WarpBuilder &warp, mlir::Value v, mlir::Value buffer,
                  unsigned index);
/// `v` becomes `all`, a vector of 32.
void setRegister(WarpBuilder &warp, mlir::Value v, mlir::Value all);

/// An operand that is the same in all lanes, as i32.
mlir::Value uniformOperand(WarpBuilder &warp, mlir::Value v);
/// Lanes [first, end) that a call of a device function serves, i32.
llvm::SmallVector<mlir::Value, 2> ownLanes(WarpBuilder &warp);

/// Calls a function of the device library on memory.
void callDevice(WarpBuilder &warp, const device::Function &function,
                llvm::ArrayRef<mlir::Value> operands);

} // namespace ptxjit

#endif
