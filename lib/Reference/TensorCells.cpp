//===- TensorCells.cpp - ISA "tcgen05.cp", "tcgen05.shift" ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies and shifts are done when they are issued, which the ISA allows. So
// `tcgen05.commit` has nothing to wait for.
//
//===----------------------------------------------------------------------===//

#include "Cta.h"
#include "TensorDescriptors.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;
using namespace ptxjit::reference;

/// ISA: "CTA pair". Returns the memories that an instruction accesses: those of
/// this CTA, or those of the even CTA and the odd one.
FailureOr<std::vector<CoreMemory>> Cta::coresOf(Operation &op, bool isForPair) {
  auto coreOf = [&](Cta &cta) {
    size_t bytes = size_t(program.sharedEnd) + launch.dynamicShared;
    return CoreMemory{llvm::ArrayRef(cta.shared.data(), bytes),
                      &cta.tensorMemory};
  };
  if (!isForPair)
    return std::vector<CoreMemory>{coreOf(*this)};
  if (cluster.size() % 2 != 0)
    return op.emitError("a cluster of an odd number of CTAs has no pairs");
  return std::vector<CoreMemory>{coreOf(*cluster[rank & ~1u]),
                                 coreOf(*cluster[rank | 1u])};
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

namespace {
/// Rows of shared memory, and how many 16 bytes each has.
struct CopyShape {
  unsigned rows, pieces;
};
} // namespace

static CopyShape shapeOf(CellCopyShape shape) {
  switch (shape) {
  case CellCopyShape::R128B256:
    return {128, 2};
  case CellCopyShape::R4B256:
    return {4, 2};
  case CellCopyShape::R128B128:
    return {128, 1};
  case CellCopyShape::R64B128:
    return {64, 1};
  case CellCopyShape::R32B128:
    return {32, 1};
  }
  llvm_unreachable("not a shape");
}

/// Returns the lanes that get a row, relative to that of the address.
static SmallVector<unsigned, 4> lanesOf(Tcgen05CpOp op, unsigned row) {
  if (op.getShape() == CellCopyShape::R4B256) // one in the lanes of each warp
    return {row * 32};
  if (!op.getSpread())
    return {row};
  // The halves of the rows go to both warps of a pair: warps 0 and 2 are one,
  // or warps 0 and 1.
  unsigned half = row / 32, lane = row % 32;
  switch (*op.getSpread()) {
  case CellSpread::All:
    return {lane, lane + 32, lane + 64, lane + 96};
  case CellSpread::Alternating:
    return {lane + half * 32, lane + half * 32 + 64};
  case CellSpread::Adjacent:
    return {lane + half * 64, lane + half * 64 + 32};
  }
  llvm_unreachable("not a spread");
}

/// Reads 4 cells. ISA: "optional decompression": elements of 4 or 6 bits become
/// bytes, in which those of 4 have two bits of padding below.
static FailureOr<std::array<uint32_t, 4>>
readCells(Operation &op, const CoreMemory &memory, uint64_t address,
          std::optional<PackedType> packed) {
  unsigned bits = !packed ? 8 : *packed == PackedType::B4 ? 4 : 6;
  std::array<uint32_t, 4> cells{};
  for (unsigned i = 0; i < 16; ++i) {
    FailureOr<Bits> element = memory.readShared(op, address, i * bits, bits);
    if (failed(element))
      return failure();
    uint32_t byte = uint32_t(*element) << (bits == 4 ? 2 : 0);
    cells[i / 4] |= byte << (i % 4 * 8);
  }
  return cells;
}

/// Copies within one CTA.
static LogicalResult copyCells(Tcgen05CpOp op, const CoreMemory &memory,
                               Bits address, const SharedTile &tile) {
  auto [rows, pieces] = shapeOf(op.getShape());
  unsigned column = columnOf(address);
  if (failed(memory.requireColumns(*op, column, pieces * 4)))
    return failure();
  for (unsigned row = 0; row < rows; ++row)
    for (unsigned piece = 0; piece < pieces; ++piece) {
      auto cells =
          readCells(*op, memory, tile.unitAt(row, piece * 16), op.getPacked());
      if (failed(cells))
        return failure();
      for (unsigned offset : lanesOf(op, row)) {
        unsigned lane = laneOf(address) + offset;
        if (lane >= TensorMemory::kLanes)
          return op.emitError()
                 << "there is no lane " << lane << " of tensor memory";
        for (unsigned i = 0; i < 4; ++i)
          memory.tensor->cell(lane, column + piece * 4 + i) = (*cells)[i];
      }
    }
  return success();
}

/// ISA: "tcgen05.cp". Each CTA of a pair copies from its own shared memory.
LogicalResult Cta::copyToCells(Thread &t, Tcgen05CpOp op) {
  Bits address = get(t, op.getInputs()[0]);
  SharedTile tile(get(t, op.getInputs()[1]), ElementFormat(),
                  /*isAcross=*/false);
  if (const char *fault =
          tile.findFault(/*bytesOfK=*/shapeOf(op.getShape()).pieces * 16))
    return op.emitError(fault);
  FailureOr<std::vector<CoreMemory>> ctas =
      coresOf(*op, op.getGroup() == CtaGroup::Two);
  if (failed(ctas))
    return failure();
  for (const CoreMemory &cta : *ctas)
    if (failed(copyCells(op, cta, address, tile)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Shifts
//===----------------------------------------------------------------------===//

/// ISA: "tcgen05.shift". The implicit shape is 31x256b. Chosen: down is to
/// lower lanes, so that the last lane keeps its row.
LogicalResult Cta::shiftCells(Thread &t, Tcgen05ShiftOp op) {
  Bits address = get(t, op.getInputs()[0]);
  unsigned firstLane = laneOf(address), firstColumn = columnOf(address);
  if (firstLane % 32 != 0 || firstLane >= TensorMemory::kLanes)
    return op.emitError() << "a shift must not start in lane " << firstLane
                          << " of tensor memory";
  FailureOr<std::vector<CoreMemory>> ctas =
      coresOf(*op, op.getGroup() == CtaGroup::Two);
  if (failed(ctas))
    return failure();
  for (const CoreMemory &cta : *ctas) {
    if (failed(cta.requireColumns(*op, firstColumn, 8)))
      return failure();
    for (unsigned lane = firstLane; lane < firstLane + 31; ++lane)
      for (unsigned column = firstColumn; column < firstColumn + 8; ++column)
        cta.tensor->cell(lane, column) = cta.tensor->cell(lane + 1, column);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Commits
//===----------------------------------------------------------------------===//

/// ISA: "tcgen05.commit". The operations before are done.
LogicalResult Cta::commitTensorOps(Thread &t, Tcgen05CommitOp op) {
  Bits object = get(t, op.getInputs()[0]);
  if (!op.getMulticast())
    return updateMbarrier(t, *op, object, op.getSpace(), 0, /*arrivals=*/1, 0,
                          0);
  if (!op.getSpace()) // the address is generic
    object = fromGeneric(t, Space::Shared, object);
  Bits chosen = get(t, op.getInputs()[1]) & 0xffff;
  return forEachCta(chosen, 0, object, [&](Bits, Bits own) -> LogicalResult {
    return updateMbarrier(t, *op, own, Space::SharedCluster, 0, /*arrivals=*/1,
                          0, 0);
  });
}

//===----------------------------------------------------------------------===//
// Dispatch
//===----------------------------------------------------------------------===//

/// Runs an op that one thread issues for tensor cores. \returns whether it is
/// one.
FailureOr<bool> Cta::tensorCoreOp(Thread &t, Operation &op) {
  auto done = [](LogicalResult result) -> FailureOr<bool> {
    if (failed(result))
      return failure();
    return true;
  };
  if (auto mma = dyn_cast<Tcgen05MmaOp>(op))
    return done(multiplyTensors(t, op, mma.getMultiply()));
  if (auto mma = dyn_cast<Tcgen05MmaTmemOp>(op))
    return done(multiplyTensors(t, op, mma.getMultiply()));
  if (auto copy = dyn_cast<Tcgen05CpOp>(op))
    return done(copyToCells(t, copy));
  if (auto shift = dyn_cast<Tcgen05ShiftOp>(op))
    return done(shiftCells(t, shift));
  if (auto commit = dyn_cast<Tcgen05CommitOp>(op))
    return done(commitTensorOps(t, commit));
  return false;
}
