//===- WarpMemory.cpp - memory on the warp's stack ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WarpMemory.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

namespace {
struct StackBuffers : FamilyState {
  explicit StackBuffers(WarpBuilder &) {}
  /// Buffers that were given back. The list is shared with the pointers of
  /// shareBuffer, which may outlive this state.
  std::shared_ptr<SmallVector<StackBuffer>> free =
      std::make_shared<SmallVector<StackBuffer>>();
  Value exchange[3]; ///< pointers; null until needed
};
} // namespace

Value ptxjit::allocateOnStack(WarpBuilder &warp, Type type, unsigned align) {
  OpBuilder::InsertionGuard guard(warp.b);
  warp.b.setInsertionPointToStart(warp.kernel.context.getParentBlock());
  auto ptr = LLVM::LLVMPointerType::get(warp.b.getContext());
  Value one = warp.create<arith::ConstantIntOp>(1, 32);
  return warp.create<LLVM::AllocaOp>(ptr, type, one, align);
}

StackBuffer ptxjit::takeBuffer(WarpBuilder &warp, int64_t bytes) {
  SmallVector<StackBuffer> &free = *warp.state<StackBuffers>().free;
  for (StackBuffer &buffer : free)
    if (buffer.bytes == bytes) {
      StackBuffer found = buffer;
      std::swap(buffer, free.back());
      free.pop_back();
      return found;
    }
  auto type = LLVM::LLVMArrayType::get(warp.b.getI8Type(), unsigned(bytes));
  return {allocateOnStack(warp, type, 128), bytes};
}

void ptxjit::giveBack(WarpBuilder &warp, const StackBuffer &buffer) {
  warp.state<StackBuffers>().free->push_back(buffer);
}

std::shared_ptr<StackBuffer> ptxjit::shareBuffer(WarpBuilder &warp,
                                                 int64_t bytes) {
  auto giveBackTo = [free =
                         warp.state<StackBuffers>().free](StackBuffer *buffer) {
    free->push_back(*buffer);
    delete buffer;
  };
  return {new StackBuffer(takeBuffer(warp, bytes)), giveBackTo};
}

Type ptxjit::storedType(const WarpBuilder &warp, Type type) {
  auto vector = dyn_cast<VectorType>(type);
  if (!type.isInteger(1) && !(vector && vector.getElementType().isInteger(1)))
    return type;
  Type byte = IntegerType::get(type.getContext(), 8);
  if (!vector)
    return byte;
  // AVX-512 stores and loads mask registers.
  unsigned lanes = unsigned(vector.getNumElements());
  return warp.target.scatters && lanes >= 8
             ? Type(IntegerType::get(type.getContext(), lanes))
             : VectorType::get(vector.getShape(), byte);
}

int64_t ptxjit::storedBytes(const WarpBuilder &warp, Type type) {
  type = storedType(warp, type);
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.getNumElements() *
           int64_t(llvm::divideCeil(vector.getElementTypeBitWidth(), 8u));
  return int64_t(llvm::divideCeil(type.getIntOrFloatBitWidth(), 8u));
}

unsigned ptxjit::storedAlign(const WarpBuilder &warp, Type type) {
  return unsigned(std::min<int64_t>(storedBytes(warp, type), kMostStoredAlign));
}

void ptxjit::storeWhole(WarpBuilder &warp, Value value, Value place) {
  Type type = value.getType(), stored = storedType(warp, type);
  if (stored != type)
    value = isa<VectorType>(type) && !isa<VectorType>(stored)
                ? Value(warp.create<LLVM::BitcastOp>(stored, value))
                : warp.create<arith::ExtUIOp>(stored, value);
  warp.create<LLVM::StoreOp>(value, place, storedAlign(warp, type));
}

Value ptxjit::loadWhole(WarpBuilder &warp, Type type, Value place) {
  Type stored = storedType(warp, type);
  Value value =
      warp.create<LLVM::LoadOp>(stored, place, storedAlign(warp, type));
  if (stored == type)
    return value;
  if (isa<VectorType>(type) && !isa<VectorType>(stored))
    return warp.create<LLVM::BitcastOp>(type, value);
  return warp.create<arith::TruncIOp>(type, value);
}

Value ptxjit::placeIn(WarpBuilder &warp, Value buffer, int64_t offset) {
  if (!offset)
    return buffer;
  auto ptr = LLVM::LLVMPointerType::get(warp.b.getContext());
  return warp.create<LLVM::GEPOp>(ptr, warp.b.getI8Type(), buffer,
                                  LLVM::GEPArg(int32_t(offset)));
}

Value ptxjit::exchangeBuffer(WarpBuilder &warp, unsigned which) {
  assert(which < 3 && "there are three");
  Value &buffer = warp.state<StackBuffers>().exchange[which];
  if (!buffer)
    buffer = allocateOnStack(
        warp, LLVM::LLVMArrayType::get(warp.b.getI64Type(), 32), 64);
  return buffer;
}

Value ptxjit::lanePlace(WarpBuilder &warp, Value buffer, unsigned width,
                        LLVM::GEPArg index) {
  auto ptr = LLVM::LLVMPointerType::get(warp.b.getContext());
  return warp.create<LLVM::GEPOp>(ptr, warp.b.getIntegerType(width), buffer,
                                  index);
}

void ptxjit::storeLanes(WarpBuilder &warp, Value buffer, unsigned width,
                        llvm::function_ref<Value(unsigned)> chunkOf) {
  for (unsigned c = 0; c < warp.numChunks(); ++c)
    warp.create<LLVM::StoreOp>(
        chunkOf(c),
        lanePlace(warp, buffer, width, int32_t(c * warp.target.chunk)),
        width / 8);
}

Value ptxjit::loadLanes(WarpBuilder &warp, Value buffer, unsigned width,
                        unsigned c) {
  return warp.create<LLVM::LoadOp>(
      warp.lanes().ints(width),
      lanePlace(warp, buffer, width, int32_t(c * warp.target.chunk)),
      width / 8);
}

Value ptxjit::loadLane(WarpBuilder &warp, Value buffer, unsigned width,
                       Value index) {
  return warp.create<LLVM::LoadOp>(warp.b.getIntegerType(width),
                                   lanePlace(warp, buffer, width, index));
}
