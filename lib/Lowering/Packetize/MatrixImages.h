//===- MatrixImages.h - images of the fragments of A and B ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_LOWERING_PACKETIZE_MATRIXIMAGES_H
#define PTXJIT_LIB_LOWERING_PACKETIZE_MATRIXIMAGES_H

#include "WarpMemory.h"

#include "ptxjit/Device/Functions.h"

namespace ptxjit {

/// The registers of an instruction that are an operand, or a tile of one.
struct Fragment {
  ptx::MmaOp op;
  unsigned operand; ///< number of the first register
  mlir::ValueRange registers;
  unsigned countUsers() const;
};

/// The image that `function` makes of the fragment. It is reused if this block,
/// or one around it, has one. Otherwise `make` is called to write it to a new
/// buffer of `bytes` bytes.
mlir::Value imageOf(WarpBuilder &warp, const Fragment &fragment,
                    const device::Function &function, int64_t bytes,
                    llvm::function_ref<void(mlir::Value image)> make);
/// Gives back the images of the innermost block whose users have all been
/// emitted.
void dropImages(WarpBuilder &warp);
/// A buffer with the registers of the fragment side by side: the one in which
/// they are already, or `taken`, into which they are copied.
mlir::Value registersOf(WarpBuilder &warp, const Fragment &fragment,
                        int64_t registerBytes, StackBuffer &taken);

} // namespace ptxjit

#endif
