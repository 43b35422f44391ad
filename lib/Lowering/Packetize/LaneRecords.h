//===- LaneRecords.h - records that helpers get of each lane ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_LOWERING_PACKETIZE_LANERECORDS_H
#define PTXJIT_LIB_LOWERING_PACKETIZE_LANERECORDS_H

#include "LaneLoops.h"

#include <functional>

namespace ptxjit {

/// Calls a helper of the runtime for each active lane, with a struct of
/// operands in memory: helper(context, strand, lane, record).
class LaneRecords {
public:
  /// \param bytes  the size of a record, at most 32 * 8.
  LaneRecords(WarpBuilder &warp, size_t bytes);

  // Fields: where they are in the record, and their bits.
  void addConstant(size_t offset, unsigned bits, uint64_t value);
  void addPointer(size_t offset, mlir::Value pointer);
  void addOperand(size_t offset, unsigned bits, mlir::Value operand);
  /// \param chunk  returns the values in the lanes of a chunk.
  void addLanes(size_t offset, unsigned bits,
                std::function<mlir::Value(unsigned c)> chunk);

  /// \param helper  its offset in PtxjitHelpers.
  void callForEach(size_t helper, mlir::Value mask);

private:
  struct Field {
    size_t offset;
    unsigned bits;
    std::function<mlir::Value(unsigned c)> lanes; ///< if they differ
    mlir::Value value;                            ///< else
  };
  void store(mlir::Value record, const Field &field, mlir::Value value);

  WarpBuilder &warp;
  llvm::SmallVector<Field, 24> fields;
};

} // namespace ptxjit

#endif
