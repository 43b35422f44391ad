//===- TensorMemory.cpp - ISA "tensor memory" -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses complete as soon as the lanes of a warp have come, which the ISA
// allows.
//
//===----------------------------------------------------------------------===//

#include "TensorMemory.h"
#include "Cta.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;
using namespace ptxjit::reference;

bool TensorMemory::isAllocated(unsigned column) const {
  for (auto [first, count] : allocations)
    if (column >= first && column < first + count)
      return true;
  return false;
}

std::optional<unsigned> TensorMemory::findFree(unsigned columns) const {
  for (unsigned first = 0; first + columns <= kColumns; first += 32) {
    bool isFree = true;
    for (unsigned column = first; column < first + columns; column += 32)
      isFree &= !isAllocated(column);
    if (isFree)
      return first;
  }
  return std::nullopt;
}

bool reference::isTensorMemoryOp(Operation *op) {
  return isa<Tcgen05AllocOp, Tcgen05DeallocOp, Tcgen05RelinquishOp, Tcgen05LdOp,
             Tcgen05LdRedOp, Tcgen05StOp>(op);
}

/// Some thread of the warp: all have the same operands, but for registers.
static Thread &anyOf(llvm::ArrayRef<Thread *> lanes) {
  return **llvm::find_if(lanes, [](Thread *t) { return t != nullptr; });
}

//===----------------------------------------------------------------------===//
// Columns
//===----------------------------------------------------------------------===//

/// ISA: tcgen05.alloc "blocks if the requested amount is not available".
bool Cta::waitsForColumns(Thread &t) const {
  if (!isa<Tcgen05AllocOp>(t.waitsAt) || tensorMemory.hasRelinquished)
    return false;
  Bits columns = t.waitInputs[1];
  return columns <= TensorMemory::kColumns &&
         !tensorMemory.findFree(unsigned(columns));
}

LogicalResult Cta::allocateColumns(Tcgen05AllocOp op, Thread &t) {
  Bits columns = t.waitInputs[1];
  if (columns != 32 && columns != 64 && columns != 128 && columns != 256 &&
      columns != 512)
    return op.emitError() << "cannot allocate " << unsigned(columns)
                          << " columns of tensor memory";
  if (tensorMemory.hasRelinquished)
    return op.emitError("the CTA has no permit to allocate tensor memory");
  unsigned first = *tensorMemory.findFree(unsigned(columns));
  tensorMemory.allocations[first] = unsigned(columns);
  for (unsigned lane = 0; lane < TensorMemory::kLanes; ++lane)
    for (unsigned column = first; column < first + columns; ++column)
      tensorMemory.cell(lane, column) = 0;
  auto place =
      resolveAddress(t, *op, t.waitInputs[0], op.getSpace(), 0, /*bytes=*/4);
  if (failed(place))
    return failure();
  storeBits(*place, 4, first);
  return success();
}

LogicalResult Cta::deallocateColumns(Tcgen05DeallocOp op, Thread &t) {
  auto found = tensorMemory.allocations.find(unsigned(t.waitInputs[0]));
  if (found == tensorMemory.allocations.end() ||
      found->second != unsigned(t.waitInputs[1]))
    return op.emitError("no such columns of tensor memory are allocated");
  tensorMemory.allocations.erase(found);
  return success();
}

LogicalResult Cta::checkColumns() {
  if (tensorMemory.allocations.empty())
    return success();
  FuncOp kernel = program.kernel;
  return kernel.emitError() << "columns of tensor memory from "
                            << tensorMemory.allocations.begin()->first
                            << " on are not deallocated";
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// The row and the column of a register's cell, and which half it is in. ISA:
/// the figures of "tcgen05-data-movement-shape": a fragment has a row of 32 or
/// 16 lanes, in which the threads of a quad, or of the whole warp, follow each
/// other.
static std::array<unsigned, 3> cellOf(CellShape shape, unsigned lane,
                                      unsigned r) {
  switch (shape) {
  case CellShape::R32B32:
    return {lane, r, 0};
  case CellShape::R16B64: // odd threads have the lower 8 rows
    return {lane / 4 + (lane % 2 ? 8u : 0u), r * 2 + lane % 4 / 2, 0};
  case CellShape::R16B128: // registers alternate between upper and lower rows
    return {lane / 4 + r % 2 * 8, r / 2 * 4 + lane % 4, 0};
  case CellShape::R16B256: // pairs of registers alternate
    return {lane / 4 + r / 2 % 2 * 8, r / 4 * 8 + lane % 4 * 2 + r % 2, 0};
  case CellShape::R16B32x2:
    return {lane % 16, r, lane / 16};
  }
  llvm_unreachable("not a shape");
}

LogicalResult Cta::accessCells(Operation &op, const CellAccess &access,
                               Thread &t, unsigned r, Bits &value,
                               bool isStore) {
  unsigned lane = t.linear % 32, warp = t.linear / 32 % 4;
  Bits address = t.waitInputs[0];
  unsigned firstLane = unsigned(address >> 16 & 0xffff);
  unsigned firstColumn = unsigned(address & 0xffff);
  bool isWhole = access.shape == CellShape::R32B32;
  if (firstLane != warp * 32 && (isWhole || firstLane != warp * 32 + 16))
    return op.emitError() << "thread " << t.linear << " must not access lane "
                          << firstLane << " of tensor memory";
  auto [row, column, half] = cellOf(access.shape, lane, r);
  unsigned perRegister = access.isPacked ? 2 : 1;
  column = firstColumn + column * perRegister +
           (half ? unsigned(t.waitInputs[1]) : 0);
  for (unsigned i = 0; i < perRegister; ++i) {
    if (column + i >= TensorMemory::kColumns ||
        !tensorMemory.isAllocated(column + i))
      return op.emitError()
             << "column " << column + i << " of tensor memory is not allocated";
    uint32_t &cell = tensorMemory.cell(firstLane + row, column + i);
    if (!access.isPacked) {
      if (isStore)
        cell = uint32_t(value);
      value = cell;
    } else if (isStore) {
      cell = uint32_t(value >> (16 * i) & 0xffff);
    } else {
      value |= Bits(cell & 0xffff) << (16 * i);
    }
  }
  return success();
}

/// ISA: tcgen05.ld.red reduces "the data that is loaded across columns in each
/// lane", which is chosen to be all registers of a thread.
LogicalResult Cta::loadReduced(Tcgen05LdRedOp op,
                               llvm::ArrayRef<Thread *> lanes) {
  CellAccess access = op.getAccess();
  for (Thread *t : lanes) {
    if (!t)
      continue;
    SmallVector<Bits, 128> values;
    for (Value d : op.getD().drop_back()) {
      Bits value = 0;
      if (failed(accessCells(*op, access, *t, unsigned(values.size()), value,
                             /*isStore=*/false)))
        return failure();
      values.push_back(value);
      set(*t, d, value);
    }
    Bits reduced = values.front();
    if (op.getTy() == ScalarType::F32)
      reduced = extremeOf(op.getOp(), op.getAbs(), op.getNan(), values);
    else
      for (Bits value : values)
        reduced = atomicResult(op.getOp(), op.getTy(), reduced, value, 0);
    set(*t, op.getD().back(), reduced);
  }
  return success();
}

LogicalResult Cta::tensorMemoryOp(Operation &op,
                                  llvm::ArrayRef<Thread *> lanes) {
  if (auto alloc = dyn_cast<Tcgen05AllocOp>(op))
    return allocateColumns(alloc, anyOf(lanes));
  if (auto dealloc = dyn_cast<Tcgen05DeallocOp>(op))
    return deallocateColumns(dealloc, anyOf(lanes));
  if (isa<Tcgen05RelinquishOp>(op)) {
    tensorMemory.hasRelinquished = true;
    return success();
  }
  if (auto red = dyn_cast<Tcgen05LdRedOp>(op))
    return loadReduced(red, lanes);
  auto ld = dyn_cast<Tcgen05LdOp>(op);
  CellAccess access = ld ? ld.getAccess() : cast<Tcgen05StOp>(op).getAccess();
  unsigned before = access.split ? 2 : 1; // operands before the registers
  size_t registers = ld ? ld.getD().size() : access.registers.size();
  for (Thread *t : lanes)
    for (size_t r = 0; t && r < registers; ++r) {
      Bits value = ld ? 0 : t->waitInputs[before + r];
      if (failed(accessCells(op, access, *t, unsigned(r), value, !ld)))
        return failure();
      if (ld)
        set(*t, ld.getD()[r], value);
    }
  return success();
}
