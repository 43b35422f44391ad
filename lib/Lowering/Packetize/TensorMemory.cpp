//===- TensorMemory.cpp - tensor memory of a CTA --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime keeps tensor memory, and tests the addresses of accesses. A
// register of 32x32b is a part of a column, whose lanes are adjacent in memory.
// The device library moves the registers of other shapes.
//
//===----------------------------------------------------------------------===//

#include "Addresses.h"
#include "Dispatch.h"
#include "Fragments.h"
#include "LaneLoops.h"
#include "ThreadCollectives.h"
#include "WarpMemory.h"

#include "ptxjit/Device/Functions.h"
#include "ptxjit/Device/TensorMemory.h"
#include "ptxjit/Dialect/TensorMemory.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;
using arith::CmpIPredicate;

/// Waits for all threads of the warp, as `.sync.aligned` says.
static void meetWarp(WarpBuilder &warp, Operation *op) {
  if (warp.perThread())
    gather(warp, op, Value(), Value());
}

//===----------------------------------------------------------------------===//
// Columns
//===----------------------------------------------------------------------===//

/// Calls emit() once for the warp, between meetings of its threads.
static void onceForWarp(WarpBuilder &warp, Operation *op,
                        llvm::function_ref<void()> emit) {
  if (!warp.perThread()) {
    emit();
    return;
  }
  meetWarp(warp, op);
  ChunkBuilder s = warp.scalar();
  Value isFirst =
      s.cmp(CmpIPredicate::eq, warp.laneOfThread(), s.intConstant(32, 0));
  auto first = warp.create<scf::IfOp>(isFirst, /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard guard(warp.b);
    warp.b.setInsertionPointToStart(first.thenBlock());
    emit();
  }
  meetWarp(warp, op);
}

static Value manage(WarpBuilder &warp, PtxjitTensorMemoryAction action,
                    Value address = {}, Value columns = {}) {
  ChunkBuilder s = warp.scalar();
  Value zero = s.intConstant(32, 0);
  return warp.callHelper(offsetof(PtxjitHelpers, manageTensorMemory),
                         {warp.kernel.strand, s.intConstant(32, action),
                          address ? address : zero, columns ? columns : zero});
}

static LogicalResult emitAlloc(WarpBuilder &warp, Tcgen05AllocOp op) {
  LaneAddress place = resolve(warp, op.getInputs()[0], op.getSpace(), 0);
  Value to =
      extractLane(warp, place.vectors(0), warp.scalar().intConstant(32, 0));
  Value columns = uniformOperand(warp, op.getInputs()[1], 32);
  onceForWarp(warp, op, [&] {
    Value address =
        manage(warp, PTXJIT_TENSOR_MEMORY_ALLOCATE, Value(), columns);
    warp.create<LLVM::StoreOp>(address, warp.toPointer(to), 4);
  });
  return success();
}
static LogicalResult emitDealloc(WarpBuilder &warp, Tcgen05DeallocOp op) {
  Value address = uniformOperand(warp, op.getInputs()[0], 32);
  Value columns = uniformOperand(warp, op.getInputs()[1], 32);
  onceForWarp(warp, op, [&] {
    manage(warp, PTXJIT_TENSOR_MEMORY_DEALLOCATE, address, columns);
  });
  return success();
}
static LogicalResult emitRelinquish(WarpBuilder &warp, Tcgen05RelinquishOp op) {
  onceForWarp(warp, op, [&] { manage(warp, PTXJIT_TENSOR_MEMORY_RELINQUISH); });
  return success();
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

namespace {
/// Where an access finds its cells.
struct CellPlaces {
  Value cells;
  Value second; ///< the second half of 16x32bx2, else `cells`
};
} // namespace

static device::CellsShape shapeOf(CellShape shape) {
  switch (shape) {
  case CellShape::R32B32:
    return device::kCells32x32b;
  case CellShape::R16B64:
    return device::kCells16x64b;
  case CellShape::R16B128:
    return device::kCells16x128b;
  case CellShape::R16B256:
    return device::kCells16x256b;
  case CellShape::R16B32x2:
    return device::kCells16x32bx2;
  }
  llvm_unreachable("not a shape");
}

/// The columns that an access spans, of each half.
static unsigned countColumns(const CellAccess &access) {
  unsigned each = access.shape == CellShape::R16B64    ? 2
                  : access.shape == CellShape::R16B128 ? 4
                  : access.shape == CellShape::R16B256 ? 8
                                                       : 1;
  return each * access.count * (access.isPacked ? 2 : 1);
}

static CellPlaces findPlaces(WarpBuilder &warp, const CellAccess &access) {
  ChunkBuilder s = warp.scalar();
  auto ptr = LLVM::LLVMPointerType::get(warp.b.getContext());
  Value address = uniformOperand(warp, access.address, 32);
  Value columns = s.intConstant(32, countColumns(access));
  Value rows = s.intConstant(32, access.shape == CellShape::R32B32 ? 32 : 16);
  auto find = [&](Value at) {
    return warp.callHelper(offsetof(PtxjitHelpers, findCells),
                           {warp.kernel.strand, at, columns, rows}, ptr);
  };
  CellPlaces places;
  places.cells = places.second = find(address);
  if (access.split)
    places.second =
        find(s.add(address, uniformOperand(warp, access.split, 32)));
  return places;
}

/// Whether registers are parts of columns.
static bool isByColumn(const CellAccess &access) {
  return access.shape == CellShape::R32B32 && !access.isPacked;
}
/// Registers of a column are as far apart as 4 registers of 32 lanes.
static constexpr unsigned kRegistersOfColumn = 4;

static void moveCells(WarpBuilder &warp, const device::Function &function,
                      const StackBuffer &buffer, const CellPlaces &places,
                      const CellAccess &access, size_t registers) {
  ChunkBuilder s = warp.scalar();
  callDevice(warp, function,
             {buffer.pointer, places.cells, places.second,
              s.intConstant(32, shapeOf(access.shape)),
              s.intConstant(32, registers),
              s.intConstant(32, access.isPacked)});
}

static LogicalResult emitLd(WarpBuilder &warp, Tcgen05LdOp op) {
  CellAccess access = op.getAccess();
  meetWarp(warp, op);
  CellPlaces places = findPlaces(warp, access);
  if (isByColumn(access)) {
    for (auto [i, v] : llvm::enumerate(op.getD()))
      loadRegister(warp, v, places.cells, unsigned(i) * kRegistersOfColumn);
    return success();
  }
  StackBuffer buffer = takeBuffer(warp, int64_t(op.getD().size()) * 128);
  moveCells(warp, device::cells_load, buffer, places, access, op.getD().size());
  for (auto [i, v] : llvm::enumerate(op.getD()))
    loadRegister(warp, v, buffer.pointer, unsigned(i));
  giveBack(warp, buffer);
  return success();
}

static uint32_t reductionOf(Tcgen05LdRedOp op) {
  uint32_t how = op.getOp() == AtomicOp::Max ? device::kCellsMax : 0;
  if (op.getTy() == ScalarType::F32)
    how |= device::kCellsFloat;
  if (op.getTy() == ScalarType::S32)
    how |= device::kCellsSigned;
  if (op.getAbs())
    how |= device::kCellsAbs;
  if (op.getNan())
    how |= device::kCellsNaN;
  return how;
}

static LogicalResult emitLdRed(WarpBuilder &warp, Tcgen05LdRedOp op) {
  CellAccess access = op.getAccess();
  meetWarp(warp, op);
  CellPlaces places = findPlaces(warp, access);
  size_t registers = op.getD().size() - 1;
  StackBuffer buffer = takeBuffer(warp, int64_t(op.getD().size()) * 128);
  moveCells(warp, device::cells_load, buffer, places, access, registers);
  ChunkBuilder s = warp.scalar();
  callDevice(warp, device::cells_reduce,
             {buffer.pointer, s.intConstant(32, registers),
              s.intConstant(32, reductionOf(op))});
  for (auto [i, v] : llvm::enumerate(op.getD()))
    loadRegister(warp, v, buffer.pointer, unsigned(i));
  giveBack(warp, buffer);
  return success();
}

static LogicalResult emitSt(WarpBuilder &warp, Tcgen05StOp op) {
  CellAccess access = op.getAccess();
  meetWarp(warp, op);
  CellPlaces places = findPlaces(warp, access);
  if (isByColumn(access)) {
    for (auto [i, v] : llvm::enumerate(access.registers))
      storeRegister(warp, op, places.cells, unsigned(i) * kRegistersOfColumn,
                    v);
    return success();
  }
  StackBuffer buffer = takeBuffer(warp, int64_t(access.registers.size()) * 128);
  for (auto [i, v] : llvm::enumerate(access.registers))
    storeRegister(warp, op, buffer.pointer, unsigned(i), v);
  moveCells(warp, device::cells_store, buffer, places, access,
            access.registers.size());
  giveBack(warp, buffer);
  return success();
}

void ptxjit::addTensorMemoryEmitters(Dispatch &dispatch) {
  dispatch.add<emitAlloc>();
  dispatch.add<emitDealloc>();
  dispatch.add<emitRelinquish>();
  dispatch.add<emitLd>();
  dispatch.add<emitLdRed>();
  dispatch.add<emitSt>();
}
