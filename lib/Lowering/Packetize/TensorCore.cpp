//===- TensorCore.cpp - multiplications in tensor memory ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mostly one elected thread issues such an instruction, whose shapes and types
// are in descriptors that are known when the kernel runs. So the runtime issues
// it for each active lane. It names the function of the device library that
// multiplies.
//
//===----------------------------------------------------------------------===//

#include "Addresses.h"
#include "Dispatch.h"
#include "Fragments.h"
#include "LaneRecords.h"

#include "ptxjit/Device/Functions.h"
#include "ptxjit/Dialect/TensorCore.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

//===----------------------------------------------------------------------===//
// Multiplications
//===----------------------------------------------------------------------===//

static const device::Function &kernelOf(const TensorMultiply &multiply,
                                        const KernelTarget &target) {
  if (multiply.kind == MmaKind::I8)
    return target.tiles         ? device::tensor_tiles_bytes
           : target.dotProducts ? device::tensor_dot_bytes
                                : device::tensor_bytes;
  if (multiply.isSparse)
    return device::tensor_sparse_floats;
  if (!target.fastMatrices || !target.fastProducts)
    return device::tensor_floats;
  return target.tiles ? device::tensor_tiles_floats
                      : device::tensor_fast_floats;
}

static PtxjitMultiplyKind kindOf(MmaKind kind) {
  static_assert(unsigned(MmaKind::F8F6F4) == PTXJIT_KIND_F8F6F4 &&
                unsigned(MmaKind::MXF8F6F4) == PTXJIT_KIND_MXF8F6F4 &&
                unsigned(MmaKind::MXF4) == PTXJIT_KIND_MXF4 &&
                unsigned(MmaKind::MXF4NVF4) == PTXJIT_KIND_MXF4NVF4 &&
                unsigned(MmaKind::F16) == PTXJIT_KIND_F16 &&
                unsigned(MmaKind::TF32) == PTXJIT_KIND_TF32 &&
                unsigned(MmaKind::I8) == PTXJIT_KIND_I8);
  return PtxjitMultiplyKind(kind);
}

static uint64_t constantFlags(const TensorMultiply &multiply) {
  return (multiply.isForPair ? PTXJIT_MULTIPLY_PAIR : 0) |
         (multiply.isWeightStationary ? PTXJIT_MULTIPLY_STATIONARY : 0) |
         (multiply.isSparse ? PTXJIT_MULTIPLY_SPARSE : 0) |
         (multiply.shiftsRows ? PTXJIT_MULTIPLY_SHIFTS : 0) |
         (multiply.aIsInTensorMemory ? PTXJIT_MULTIPLY_A_IN_MEMORY : 0);
}

/// The flags in each lane of chunk `c`, i8.
static Value flagsOf(WarpBuilder &warp, const TensorMultiply &multiply,
                     unsigned c) {
  ChunkBuilder s = warp.lanes();
  uint64_t flags = constantFlags(multiply);
  return s.select(warp.chunk(multiply.accumulates, c),
                  s.intConstant(8, flags | PTXJIT_MULTIPLY_ACCUMULATES),
                  s.intConstant(8, flags));
}

static LogicalResult emitMultiply(WarpBuilder &warp,
                                  const TensorMultiply &multiply, Value mask) {
  using Record = PtxjitTensorMultiply;
  Value kernel = addressOfDevice(warp, kernelOf(multiply, warp.target));
  LaneRecords records(warp, sizeof(Record));
  records.addPointer(offsetof(Record, kernel), kernel);
  records.addConstant(offsetof(Record, kind), 8, kindOf(multiply.kind));
  records.addConstant(offsetof(Record, scaleBlock), 8, multiply.scaleBlock);
  auto add = [&](size_t offset, unsigned bits, Value operand) {
    if (operand)
      records.addOperand(offset, bits, operand);
    else
      records.addConstant(offset, bits, 0);
  };
  add(offsetof(Record, a), 64, multiply.a);
  add(offsetof(Record, b), 64, multiply.b);
  add(offsetof(Record, zeroColumns), 64, multiply.zeroColumns);
  add(offsetof(Record, d), 32, multiply.d);
  add(offsetof(Record, metadata), 32, multiply.metadata);
  add(offsetof(Record, scaleA), 32, multiply.scaleA);
  add(offsetof(Record, scaleB), 32, multiply.scaleB);
  add(offsetof(Record, instruction), 32, multiply.instruction);
  add(offsetof(Record, inputShift), 8, multiply.inputShift);
  for (unsigned i = 0; i < 8; ++i)
    add(offsetof(Record, disabledLanes) + 4 * i, 32,
        i < multiply.disabledLanes.size() ? multiply.disabledLanes[i]
                                          : Value());
  records.addLanes(offsetof(Record, flags), 8,
                   [&](unsigned c) { return flagsOf(warp, multiply, c); });
  records.callForEach(offsetof(PtxjitHelpers, multiplyTensors), mask);
  return success();
}
static LogicalResult emitMma(WarpBuilder &warp, Tcgen05MmaOp op) {
  return emitMultiply(warp, op.getMultiply(), op.getMask());
}
static LogicalResult emitMmaTmem(WarpBuilder &warp, Tcgen05MmaTmemOp op) {
  return emitMultiply(warp, op.getMultiply(), op.getMask());
}

//===----------------------------------------------------------------------===//
// Copies and shifts
//===----------------------------------------------------------------------===//

static LogicalResult emitCp(WarpBuilder &warp, Tcgen05CpOp op) {
  using Record = PtxjitCellCopy;
  LaneRecords records(warp, sizeof(Record));
  records.addOperand(offsetof(Record, address), 32, op.getInputs()[0]);
  records.addOperand(offsetof(Record, matrix), 64, op.getInputs()[1]);
  auto orNone = [](auto attribute) {
    return attribute ? unsigned(*attribute) + 1 : 0;
  };
  records.addConstant(offsetof(Record, shape), 8, unsigned(op.getShape()));
  records.addConstant(offsetof(Record, spread), 8, orNone(op.getSpread()));
  records.addConstant(offsetof(Record, packed), 8, orNone(op.getPacked()));
  records.addConstant(offsetof(Record, isForPair), 8,
                      op.getGroup() == CtaGroup::Two);
  records.callForEach(offsetof(PtxjitHelpers, copyCells), op.getMask());
  return success();
}

static LogicalResult emitShift(WarpBuilder &warp, Tcgen05ShiftOp op) {
  forEachLane(warp, op.getMask(), [&](LoopLane &lane) {
    ChunkBuilder s = warp.scalar();
    warp.callHelper(offsetof(PtxjitHelpers, shiftCells),
                    {warp.kernel.strand, lane.number,
                     s.resize(lane.get(op.getInputs()[0]), 32, false),
                     s.intConstant(32, op.getGroup() == CtaGroup::Two)});
  });
  return success();
}

//===----------------------------------------------------------------------===//
// Commits
//===----------------------------------------------------------------------===//

static LogicalResult emitCommit(WarpBuilder &warp, Tcgen05CommitOp op) {
  LaneAddress mbarrier = resolve(warp, op.getInputs()[0], op.getSpace(), 0);
  forEachLane(warp, op.getMask(), [&](LoopLane &lane) {
    ChunkBuilder s = warp.scalar();
    Value chosen = op.getMulticast()
                       ? s.resize(lane.get(op.getInputs()[1]), 32, false)
                       : s.intConstant(32, 0);
    warp.callHelper(offsetof(PtxjitHelpers, commitTensors),
                    {warp.kernel.strand, lane.number, lane.get(mbarrier),
                     chosen, s.intConstant(32, op.getMulticast())});
  });
  return success();
}

void ptxjit::addTensorCoreEmitters(Dispatch &dispatch) {
  dispatch.add<emitMma>();
  dispatch.add<emitMmaTmem>();
  dispatch.add<emitCp>();
  dispatch.add<emitShift>();
  dispatch.add<emitCommit>();
}
