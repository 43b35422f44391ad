//===- TensorCopies.cpp - copies of boxes of tensors ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mostly one elected thread issues a copy, whose box the tensor map describes
// when the kernel runs. So the runtime does the copy of each active lane
// (PtxjitHelpers::copyTensor).
//
//===----------------------------------------------------------------------===//

#include "Addresses.h"
#include "Dispatch.h"
#include "LaneRecords.h"
#include "ptxjit/Runtime/TensorMap.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

static PtxjitTensorAction actionOf(AtomicOp op) {
  switch (op) {
  case AtomicOp::Add:
    return PTXJIT_TENSOR_ADD;
  case AtomicOp::Min:
    return PTXJIT_TENSOR_MIN;
  case AtomicOp::Max:
    return PTXJIT_TENSOR_MAX;
  case AtomicOp::Inc:
    return PTXJIT_TENSOR_INC;
  case AtomicOp::Dec:
    return PTXJIT_TENSOR_DEC;
  case AtomicOp::And:
    return PTXJIT_TENSOR_AND;
  case AtomicOp::Or:
    return PTXJIT_TENSOR_OR;
  case AtomicOp::Xor:
    return PTXJIT_TENSOR_XOR;
  default:
    llvm_unreachable("no form has this reduction");
  }
}

/// Adds the fields that the instruction itself says.
static void addConstants(LaneRecords &records, const TensorCopy &copy,
                         PtxjitTensorAction action) {
  using Record = PtxjitTensorCopy;
  unsigned to = (copy.ctas ? PTXJIT_TENSOR_TO_MANY : 0) |
                (copy.isForPair ? PTXJIT_TENSOR_PAIR : 0);
  records.addConstant(offsetof(Record, mode), 8, uint64_t(copy.mode));
  records.addConstant(offsetof(Record, dims), 8, copy.dims);
  records.addConstant(offsetof(Record, action), 8, uint64_t(action));
  records.addConstant(offsetof(Record, to), 8, to);
}

/// Adds the fields that are operands.
static void addOperands(LaneRecords &records, const TensorCopy &copy) {
  using Record = PtxjitTensorCopy;
  for (auto [i, v] : llvm::enumerate(copy.coordinates))
    records.addOperand(offsetof(Record, at) + 4 * i, 32, v);
  for (auto [i, v] : llvm::enumerate(copy.offsets))
    records.addOperand(offsetof(Record, offsets) + 2 * i, 16, v);
  if (copy.ctas)
    records.addOperand(offsetof(Record, ctas), 16, copy.ctas);
}

static LogicalResult emitCopy(WarpBuilder &warp, const TensorCopy &copy,
                              PtxjitTensorAction action, Value mask) {
  using Record = PtxjitTensorCopy;
  bool isLoad = action == PTXJIT_TENSOR_LOAD;
  LaneRecords records(warp, sizeof(Record));
  addConstants(records, copy, action);
  addOperands(records, copy);
  auto addAddress = [&](size_t offset, Value address,
                        std::optional<Space> space) {
    LaneAddress place = resolve(warp, address, space, 0);
    records.addLanes(offset, 64,
                     [place](unsigned c) { return place.vectors(c); });
  };
  addAddress(offsetof(Record, map), copy.map, std::nullopt);
  addAddress(offsetof(Record, shared), copy.shared,
             isLoad ? Space::SharedCluster : Space::Shared);
  if (isLoad)
    addAddress(offsetof(Record, mbarrier), copy.mbarrier, Space::SharedCluster);
  else
    records.addConstant(offsetof(Record, mbarrier), 64, 0);
  records.callForEach(offsetof(PtxjitHelpers, copyTensor), mask);
  return success();
}

static LogicalResult emitTensorLoad(WarpBuilder &warp, TensorLoadOp op) {
  return emitCopy(warp, op.getCopy(), PTXJIT_TENSOR_LOAD, op.getMask());
}
static LogicalResult emitTensorStore(WarpBuilder &warp, TensorStoreOp op) {
  return emitCopy(warp, op.getCopy(), PTXJIT_TENSOR_STORE, op.getMask());
}
static LogicalResult emitTensorReduce(WarpBuilder &warp, TensorReduceOp op) {
  return emitCopy(warp, op.getCopy(), actionOf(op.getOp()), op.getMask());
}

//===----------------------------------------------------------------------===//
// Tensor maps
//===----------------------------------------------------------------------===//

static LogicalResult emitTensorMapReplace(WarpBuilder &warp,
                                          TensorMapReplaceOp op) {
  OperandRange inputs = op.getInputs();
  LaneAddress map = resolve(warp, inputs.front(), op.getSpace(), 0);
  bool hasDimension = inputs.size() == 3;
  forEachLane(warp, op.getMask(), [&](LoopLane &lane) {
    ChunkBuilder s = warp.scalar();
    Value dimension = hasDimension ? s.resize(lane.get(inputs[1]), 32, false)
                                   : s.intConstant(32, 0);
    warp.callHelper(offsetof(PtxjitHelpers, replaceInTensorMap),
                    {warp.kernel.strand, lane.number, lane.get(map),
                     s.intConstant(32, uint64_t(op.getField())), dimension,
                     s.resize(lane.get(inputs.back()), 64, false)});
  });
  return success();
}

/// Threads whose operands differ have undefined behaviour, so one thread copies
/// for the warp.
static LogicalResult emitTensorMapCopy(WarpBuilder &warp, TensorMapCopyOp op) {
  LaneAddress to = resolve(warp, op.getInputs()[0], Space::Global, 0),
              from = resolve(warp, op.getInputs()[1], Space::Shared, 0);
  forEachLane(warp, op.getMask(), [&](LoopLane &lane) {
    Type bytes = VectorType::get({PTXJIT_TENSOR_MAP_BYTES}, warp.b.getI8Type());
    Value map =
        warp.create<LLVM::LoadOp>(bytes, warp.toPointer(lane.get(from)), 1);
    warp.create<LLVM::StoreOp>(map, warp.toPointer(lane.get(to)), 1);
  });
  return success();
}

void ptxjit::addTensorCopyEmitters(Dispatch &dispatch) {
  dispatch.add<emitTensorLoad>();
  dispatch.add<emitTensorStore>();
  dispatch.add<emitTensorReduce>();
  dispatch.add<emitTensorMapReplace>();
  dispatch.add<emitTensorMapCopy>();
}
