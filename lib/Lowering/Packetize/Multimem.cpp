//===- Multimem.cpp - multimem accesses to several devices ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which memory an address stands for is known when the kernel runs. So the
// runtime does an access for all lanes of a warp
// (PtxjitHelpers::accessMultimem), from rows of elements in memory.
//
//===----------------------------------------------------------------------===//

#include "Addresses.h"
#include "Dispatch.h"
#include "RuntimeAccess.h"
#include "ptxjit/Dialect/PtxOps.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

// Values go to the runtime as they are.
static_assert(int(AtomicOp::Add) == PTXJIT_MULTIMEM_ADD &&
              int(AtomicOp::Min) == PTXJIT_MULTIMEM_MIN &&
              int(AtomicOp::Max) == PTXJIT_MULTIMEM_MAX &&
              int(AtomicOp::And) == PTXJIT_MULTIMEM_AND &&
              int(AtomicOp::Or) == PTXJIT_MULTIMEM_OR &&
              int(AtomicOp::Xor) == PTXJIT_MULTIMEM_XOR);

static PtxjitMultimemNumber numberOf(std::optional<ScalarType> type,
                                     std::optional<MultimemFormat> format) {
  if (format)
    return *format == MultimemFormat::E4M3 || *format == MultimemFormat::E4M3x4
               ? PTXJIT_NUMBER_E4M3
               : PTXJIT_NUMBER_E5M2;
  switch (type.value_or(ScalarType::B32)) {
  case ScalarType::S32:
  case ScalarType::S64:
    return PTXJIT_NUMBER_SIGNED;
  case ScalarType::F64:
    return PTXJIT_NUMBER_F64;
  case ScalarType::F32:
    return PTXJIT_NUMBER_F32;
  case ScalarType::F16:
  case ScalarType::F16x2:
    return PTXJIT_NUMBER_F16;
  case ScalarType::BF16:
  case ScalarType::BF16x2:
    return PTXJIT_NUMBER_BF16;
  case ScalarType::E4M3x2:
    return PTXJIT_NUMBER_E4M3;
  case ScalarType::E5M2x2:
    return PTXJIT_NUMBER_E5M2;
  default:
    return PTXJIT_NUMBER_UNSIGNED;
  }
}

namespace {
/// Stores the operands of an access, calls the runtime, and loads the results.
class MultimemCall {
public:
  template <typename MultimemOp>
  MultimemCall(WarpBuilder &warp, PtxjitMultimemAction action, MultimemOp op,
               ValueRange elements)
      : warp(warp), buffer(takeBuffer(warp, kBytes)) {
    how.action = uint8_t(action);
    how.number = uint8_t(numberOf(op.getTy(), op.getFormat()));
    how.bytes = uint8_t(elements.front().getType().getIntOrFloatBitWidth() / 8);
    how.count = uint8_t(elements.size());
    how.isOrdered = op.getOrder().value_or(Order::Weak) != Order::Weak;
    LaneAddress address =
        resolve(warp, op.getA(), op.getSpace(), op.getOffset());
    storeLanes(warp, placeIn(warp, buffer.pointer, kAddresses), 64,
               [&](unsigned c) { return address.vectors(c); });
  }
  ~MultimemCall() { giveBack(warp, buffer); }
  MultimemCall(const MultimemCall &) = delete;
  MultimemCall &operator=(const MultimemCall &) = delete;

  /// What the opcode says. The caller adds to it.
  PtxjitMultimemAccess how{};

  void storeElements(ValueRange elements);
  void call(Value mask);
  void setResults(ValueRange results);

private:
  int64_t laneCount() const { return warp.shapes.getContext().lanes; }
  Value row(size_t number) {
    return placeIn(warp, buffer.pointer,
                   kRows + int64_t(number) * 8 * laneCount());
  }

  // Where things are in the buffer: the struct, addresses, rows.
  static constexpr int64_t kAddresses = 128, kRows = kAddresses + 32 * 8;
  static constexpr int64_t kBytes = kRows + 8 * 32 * 8;
  static_assert(sizeof(PtxjitMultimemAccess) <= kAddresses);

  WarpBuilder &warp;
  StackBuffer buffer;
};
} // namespace

void MultimemCall::storeElements(ValueRange elements) {
  ChunkBuilder l = warp.lanes();
  for (auto [i, v] : llvm::enumerate(elements))
    storeLanes(warp, row(i), 64, [&, v = v](unsigned c) {
      return l.resize(l.bitsOf(warp.chunk(v, c)), 64, false);
    });
}

void MultimemCall::call(Value mask) {
  storeField(warp, buffer, offsetof(PtxjitMultimemAccess, addresses),
             placeIn(warp, buffer.pointer, kAddresses));
  callForLanes(warp, buffer, row(0), mask, how,
               offsetof(PtxjitHelpers, accessMultimem));
}

void MultimemCall::setResults(ValueRange results) {
  ChunkBuilder l = warp.lanes();
  for (auto [i, result] : llvm::enumerate(results)) {
    Type type = result.getType();
    SmallVector<Value, 8> chunks;
    for (unsigned c = 0; c < warp.numChunks(); ++c)
      chunks.push_back(l.bitcast(l.resize(loadLanes(warp, row(i), 64, c),
                                          type.getIntOrFloatBitWidth(), false),
                                 type));
    warp.setChunks(result, chunks);
  }
}

static LogicalResult emitLoad(WarpBuilder &warp, MultimemLdOp op) {
  MultimemCall call(warp, PTXJIT_MULTIMEM_LOAD, op, op.getD());
  call.how.operation = uint8_t(op.getOp());
  call.how.isWide = op.getSum().has_value();
  call.call(op.getMask());
  call.setResults(op.getD());
  return success();
}

static LogicalResult emitStore(WarpBuilder &warp, MultimemStOp op) {
  MultimemCall call(warp, PTXJIT_MULTIMEM_STORE, op, op.getB());
  call.storeElements(op.getB());
  call.call(op.getMask());
  return success();
}

static LogicalResult emitReduction(WarpBuilder &warp, MultimemRedOp op) {
  MultimemCall call(warp, PTXJIT_MULTIMEM_REDUCE, op, op.getB());
  call.how.operation = uint8_t(op.getOp());
  call.storeElements(op.getB());
  call.call(op.getMask());
  return success();
}

void ptxjit::addMultimemEmitters(Dispatch &dispatch) {
  dispatch.add<emitLoad>();
  dispatch.add<emitStore>();
  dispatch.add<emitReduction>();
}
