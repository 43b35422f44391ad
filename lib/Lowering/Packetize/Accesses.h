//===- Accesses.h - memory accesses of a warp -------------------*- C++ -*-===//

#ifndef PTXJIT_LIB_LOWERING_PACKETIZE_ACCESSES_H
#define PTXJIT_LIB_LOWERING_PACKETIZE_ACCESSES_H

#include "Addresses.h"

namespace ptxjit {

/// \returns chunk by chunk `count` vectors of lanes.
llvm::SmallVector<mlir::Value> loadElements(WarpBuilder &warp,
                                            const LaneAddress &address,
                                            mlir::Type element, unsigned count,
                                            mlir::Value mask, bool invariant);
/// `flat` has, chunk by chunk, the vectors of lanes for each element.
void storeElements(WarpBuilder &warp, const LaneAddress &address,
                   llvm::ArrayRef<mlir::Value> flat, mlir::Value mask);

/// One vector of what lane 0 has in all of `vectors`, then lane 1, ...
mlir::Value interleave(WarpBuilder &warp, llvm::ArrayRef<mlir::Value> vectors);

/// Elements that lie side by side in memory.
struct ElementRun {
  int64_t begin = 0; ///< byte offset of the first
  unsigned count = 0;
};
/// A run of what lanes of a chunk access: `elements` behind `base`, the
/// address of a lane of which `start` is the offset.
struct PlacedRun {
  ElementRun elements;
  mlir::Value base;
  int64_t start;
  uint32_t lanes;
};
/// Runs of what the lanes of chunk `c` access, at most `most` of them: of all
/// lanes together, or of each group. Empty if there are more.
llvm::SmallVector<PlacedRun, 4> placeRuns(WarpBuilder &warp,
                                          const LaneAddress &address,
                                          unsigned c, unsigned count,
                                          int64_t size, unsigned most);
/// Is it true that all lanes are active, and their addresses as was found? Null
/// if nothing needs a test.
mlir::Value isRegular(WarpBuilder &warp, const LaneAddress &address,
                      mlir::Value mask);

/// Of an element in memory.
inline int64_t bytesOf(mlir::Type element) {
  return element.getIntOrFloatBitWidth() / 8;
}

} // namespace ptxjit

#endif
