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
#include "LaneLoops.h"
#include "WarpMemory.h"
#include "ptxjit/Runtime/TensorMap.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

/// The number of lane `lane` of chunk `c` in the strand, i32.
static Value laneInStrand(WarpBuilder &warp, unsigned c, Value lane) {
  ChunkBuilder s = warp.scalar();
  return s.add(lane, s.intConstant(32, c * warp.target.chunk));
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

namespace {
/// A field of PtxjitTensorCopy.
struct Field {
  size_t offset;
  /// Its value in all lanes of a chunk. Null: `constant`.
  Value lanes;
  unsigned bits = 8;
  uint64_t constant = 0;
};
} // namespace

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

/// The fields that the instruction itself says.
static SmallVector<Field> constantFields(const TensorCopy &copy,
                                         PtxjitTensorAction action) {
  unsigned to = (copy.ctas ? PTXJIT_TENSOR_TO_MANY : 0) |
                (copy.isForPair ? PTXJIT_TENSOR_PAIR : 0);
  return {
      {offsetof(PtxjitTensorCopy, mode), Value(), 8, uint64_t(copy.mode)},
      {offsetof(PtxjitTensorCopy, dims), Value(), 8, copy.dims},
      {offsetof(PtxjitTensorCopy, action), Value(), 8, uint64_t(action)},
      {offsetof(PtxjitTensorCopy, to), Value(), 8, to},
  };
}

/// The fields that are operands, for chunk `c`.
static SmallVector<Field> operandFields(WarpBuilder &warp,
                                        const TensorCopy &copy, unsigned c) {
  SmallVector<Field> fields;
  for (auto [i, v] : llvm::enumerate(copy.coordinates))
    fields.push_back(
        {offsetof(PtxjitTensorCopy, at) + 4 * i, warp.chunk(v, c), 32});
  for (auto [i, v] : llvm::enumerate(copy.offsets))
    fields.push_back(
        {offsetof(PtxjitTensorCopy, offsets) + 2 * i, warp.chunk(v, c), 16});
  if (copy.ctas)
    fields.push_back(
        {offsetof(PtxjitTensorCopy, ctas), warp.chunk(copy.ctas, c), 16});
  return fields;
}

static void storeField(WarpBuilder &warp, Value record, const Field &field,
                       Value lane) {
  ChunkBuilder s = warp.scalar();
  Value value = field.lanes ? s.resize(extractLane(warp, field.lanes, lane),
                                       field.bits, false)
                            : s.intConstant(field.bits, field.constant);
  warp.create<LLVM::StoreOp>(
      value, placeIn(warp, record, int64_t(field.offset)), field.bits / 8);
}

static LogicalResult emitCopy(WarpBuilder &warp, const TensorCopy &copy,
                              PtxjitTensorAction action, Value mask) {
  bool isLoad = action == PTXJIT_TENSOR_LOAD;
  LaneAddress map = resolve(warp, copy.map, std::nullopt, 0);
  LaneAddress shared = resolve(
      warp, copy.shared, isLoad ? Space::SharedCluster : Space::Shared, 0);
  LaneAddress tracked;
  if (isLoad)
    tracked = resolve(warp, copy.mbarrier, Space::SharedCluster, 0);
  static_assert(sizeof(PtxjitTensorCopy) <= 32 * sizeof(uint64_t));
  Value record = exchangeBuffer(warp, 0);
  for (unsigned c = 0; c < warp.numChunks(); ++c) {
    SmallVector<Field> fields = constantFields(copy, action);
    llvm::append_range(fields, operandFields(warp, copy, c));
    fields.push_back({offsetof(PtxjitTensorCopy, map), map.vectors(c), 64});
    fields.push_back(
        {offsetof(PtxjitTensorCopy, shared), shared.vectors(c), 64});
    fields.push_back({offsetof(PtxjitTensorCopy, mbarrier),
                      isLoad ? tracked.vectors(c) : Value(), 64});
    forEachLane(warp, c, mask, {}, [&](Value lane, ValueRange) {
      for (const Field &field : fields)
        storeField(warp, record, field, lane);
      warp.callHelper(
          offsetof(PtxjitHelpers, copyTensor),
          {warp.kernel.strand, laneInStrand(warp, c, lane), record});
      return SmallVector<Value>();
    });
  }
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
  for (unsigned c = 0; c < warp.numChunks(); ++c) {
    Value places = map.vectors(c), values = warp.chunk(inputs.back(), c);
    Value dimensions = hasDimension ? warp.chunk(inputs[1], c) : Value();
    forEachLane(warp, c, op.getMask(), {}, [&](Value lane, ValueRange) {
      ChunkBuilder s = warp.scalar();
      Value dimension =
          dimensions ? s.resize(extractLane(warp, dimensions, lane), 32, false)
                     : s.intConstant(32, 0);
      warp.callHelper(offsetof(PtxjitHelpers, replaceInTensorMap),
                      {warp.kernel.strand, laneInStrand(warp, c, lane),
                       extractLane(warp, places, lane),
                       s.intConstant(32, uint64_t(op.getField())), dimension,
                       s.resize(extractLane(warp, values, lane), 64, false)});
      return SmallVector<Value>();
    });
  }
  return success();
}

/// Threads whose operands differ have undefined behaviour, so one thread copies
/// for the warp.
static LogicalResult emitTensorMapCopy(WarpBuilder &warp, TensorMapCopyOp op) {
  LaneAddress to = resolve(warp, op.getInputs()[0], Space::Global, 0),
              from = resolve(warp, op.getInputs()[1], Space::Shared, 0);
  for (unsigned c = 0; c < warp.numChunks(); ++c) {
    Value toLanes = to.vectors(c), fromLanes = from.vectors(c);
    forEachLane(warp, c, op.getMask(), {}, [&](Value lane, ValueRange) {
      Type bytes =
          VectorType::get({PTXJIT_TENSOR_MAP_BYTES}, warp.b.getI8Type());
      Value map = warp.create<LLVM::LoadOp>(
          bytes, warp.toPointer(extractLane(warp, fromLanes, lane)), 1);
      warp.create<LLVM::StoreOp>(
          map, warp.toPointer(extractLane(warp, toLanes, lane)), 1);
      return SmallVector<Value>();
    });
  }
  return success();
}

void ptxjit::addTensorCopyEmitters(Dispatch &dispatch) {
  dispatch.add<emitTensorLoad>();
  dispatch.add<emitTensorStore>();
  dispatch.add<emitTensorReduce>();
  dispatch.add<emitTensorMapReplace>();
  dispatch.add<emitTensorMapCopy>();
}
