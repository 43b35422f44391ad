//===- RuntimeAccess.h - accesses that the runtime does ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime does accesses to textures and by `multimem`, for all lanes of a
// warp at once. Their structs (KernelABI.h) differ in what the lanes hand over,
// and have the fields `rows`, `lanes` and `active` and a last word of opcode
// bytes, from `action` on, in common.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_LOWERING_PACKETIZE_RUNTIMEACCESS_H
#define PTXJIT_LIB_LOWERING_PACKETIZE_RUNTIMEACCESS_H

#include "WarpMemory.h"

#include <cstddef>
#include <cstring>

namespace ptxjit {

/// Stores a field of a struct that is at the start of a buffer.
inline void storeField(WarpBuilder &warp, const StackBuffer &buffer,
                       size_t offset, mlir::Value value) {
  warp.create<mlir::LLVM::StoreOp>(
      value, placeIn(warp, buffer.pointer, int64_t(offset)));
}

/// Fills in the fields that all such structs have, and calls the runtime.
/// \param buffer  begins with the struct, whose other fields are stored.
/// \param rows    where the elements of the lanes are.
/// \param mask    of the op; see WarpBuilder::activeBits.
/// \param how     the bytes from `action` on.
/// \param helper  the offset in PtxjitHelpers.
template <typename Access>
void callForLanes(WarpBuilder &warp, const StackBuffer &buffer,
                  mlir::Value rows, mlir::Value mask, const Access &how,
                  size_t helper) {
  ChunkBuilder s = warp.scalar();
  auto store = [&](size_t offset, mlir::Value value) {
    storeField(warp, buffer, offset, value);
  };
  store(offsetof(Access, rows), rows);
  store(offsetof(Access, lanes),
        s.intConstant(32, warp.shapes.getContext().lanes));
  mlir::Value active = warp.activeBits(mask);
  if (warp.perThread()) // one lane, whose row has one element
    active = s.bitAnd(active, s.intConstant(32, 1));
  store(offsetof(Access, active), active);
  uint64_t bytes;
  static_assert(sizeof(Access) - offsetof(Access, action) == sizeof(bytes));
  std::memcpy(&bytes, &how.action, sizeof(bytes));
  store(offsetof(Access, action), s.intConstant(64, bytes));
  warp.callHelper(helper, {warp.kernel.strand, buffer.pointer});
}

} // namespace ptxjit

#endif
