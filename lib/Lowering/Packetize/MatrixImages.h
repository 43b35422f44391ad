//===- MatrixImages.h - fragments as multiplications read them --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_LOWERING_PACKETIZE_MATRIXIMAGES_H
#define PTXJIT_LIB_LOWERING_PACKETIZE_MATRIXIMAGES_H

#include "WarpMemory.h"

#include "ptxjit/Device/Functions.h"

namespace ptxjit {

/// Registers of an instruction that are an operand or a tile of one.
struct Fragment {
  ptx::MmaOp op;
  unsigned operand; ///< number of the first
  mlir::ValueRange registers;
  unsigned countUsers() const;
};

/// What `make` writes of the fragment, or wrote before in this block or one
/// around it, with the same `function`.
mlir::Value imageOf(WarpBuilder &warp, const Fragment &fragment,
                    const device::Function &function, int64_t bytes,
                    llvm::function_ref<void(mlir::Value image)> make);
/// Gives back images that no instruction of the block needs any more.
void dropImages(WarpBuilder &warp);
/// Registers side by side: where they are, or copied to `taken`.
mlir::Value registersOf(WarpBuilder &warp, const Fragment &fragment,
                        int64_t registerBytes, StackBuffer &taken);

} // namespace ptxjit

#endif
