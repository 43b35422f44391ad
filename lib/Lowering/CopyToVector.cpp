//===- CopyToVector.cpp - cp.async per warp -------------------------------===//
//
// ISA: "cp.async". Done at once, lane after lane: rows of 16 bytes move whole,
// where gathers and scatters would take them apart.
//
//===----------------------------------------------------------------------===//

#include "Packetizer.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;
using arith::CmpIPredicate;

/// Does lane i have address base + i * `bytes`, whatever happens?
static bool isRow(const LaneAddress &address, int64_t bytes) {
  if (!address.base || !address.pattern || address.ok)
    return false;
  for (auto [i, offset] : llvm::enumerate(*address.pattern))
    if (offset != int64_t(i) * bytes)
      return false;
  return true;
}

/// What lanes read that copy nothing.
Value Packetizer::zeroBytes() {
  if (zeros)
    return zeros;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(context.getParentBlock());
  auto ptr = LLVM::LLVMPointerType::get(b.getContext());
  auto type = VectorType::get(4, b.getI32Type());
  Value one = arith::ConstantIntOp::create(b, loc, 1, 32);
  zeros = LLVM::AllocaOp::create(b, loc, ptr, type, one, 16);
  Value zero =
      arith::ConstantOp::create(b, loc, cast<TypedAttr>(b.getZeroAttr(type)));
  LLVM::StoreOp::create(b, loc, zero, zeros, 16);
  return zeros;
}

/// The lanes of `partly` (i32, a bit each): byte by byte.
void Packetizer::copyPartly(Value partly, Value to, Value from, Value sizes) {
  ChunkBuilder s = scalar();
  auto ptr = LLVM::LLVMPointerType::get(b.getContext());
  Value zero = s.intConstant(32, 0), one = s.intConstant(32, 1);
  Value any = s.cmp(CmpIPredicate::ne, partly, zero);
  auto some = scf::IfOp::create(b, loc, any, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(some.thenBlock());
  Value end = s.intConstant(32, shapes.getContext().lanes);
  auto lanesLoop = scf::ForOp::create(b, loc, zero, end, one);
  b.setInsertionPointToStart(lanesLoop.getBody());
  Value lane = lanesLoop.getInductionVar();
  Value isMine = s.bitAnd(s.shr(partly, lane, false), one);
  // A lane that has no part copies 0 bytes.
  Value size = s.mul(loadLane(sizes, 32, lane), isMine);
  Value target = loadLane(to, 64, lane), source = loadLane(from, 64, lane);
  auto bytes = scf::ForOp::create(b, loc, zero, size, one);
  b.setInsertionPointToStart(bytes.getBody());
  Value offset = s.resize(bytes.getInductionVar(), 64, false);
  auto at = [&](Value base) {
    return LLVM::IntToPtrOp::create(b, loc, ptr, s.add(base, offset));
  };
  Value byte = LLVM::LoadOp::create(b, loc, b.getI8Type(), at(source), 1);
  LLVM::StoreOp::create(b, loc, byte, at(target), 1);
}

LogicalResult Packetizer::emitCpAsync(CpAsyncOp op) {
  unsigned bytes = unsigned(op.getBytes());
  Value mask = op.getMask();
  LaneAddress from = resolve(op.getSrc(), Space::Global, 0);
  LaneAddress to = resolve(op.getDst(), op.getSpace(), 0);
  emitAlignmentTest(from, op.getSrc(), Space::Global, 0, bytes, mask);
  emitAlignmentTest(to, op.getDst(), op.getSpace(), 0, bytes, mask);
  auto ptr = LLVM::LLVMPointerType::get(b.getContext());
  unsigned numLanes = shapes.getContext().lanes;
  bool isSized = op.getSize() || op.getIgnore();
  bool isPlain = !isSized && !needsMask(mask) && !perThread();
  if (isPlain && isRow(from, bytes) && isRow(to, bytes)) {
    auto type = VectorType::get(16, b.getI32Type());
    ChunkBuilder s = scalar();
    for (unsigned at = 0; at < 32 * bytes; at += 64) {
      Value offset = s.intConstant(64, at);
      Value row = LLVM::LoadOp::create(
          b, loc, type, toPointer(s.add(from.base, offset)), bytes);
      LLVM::StoreOp::create(b, loc, row, toPointer(s.add(to.base, offset)),
                            bytes);
    }
    return success();
  }

  // Addresses through memory; lanes without a part copy zeros aside.
  ChunkBuilder v = lanes();
  bool masked = needsMask(mask) && !perThread();
  Value aside = exchangeBuffer(2);
  auto integer = [&](Value pointer) {
    return LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), pointer);
  };
  auto sizeOf = [&](unsigned c) {
    Value size = op.getSize()
                     ? v.umin(chunk(op.getSize(), c), v.intConstant(32, bytes))
                     : v.intConstant(32, bytes);
    if (op.getIgnore())
      size = v.select(chunk(op.getIgnore(), c), v.intConstant(32, 0), size);
    return size;
  };
  MatrixBuffer sources = takeBuffer(32 * 8), targets = takeBuffer(32 * 8);
  storeLanes(targets.pointer, 64, [&](unsigned c) {
    Value at = to.vectors(c);
    return masked ? v.select(maskChunk(mask, c), at, v.splat(integer(aside)))
                  : at;
  });
  storeLanes(sources.pointer, 64, [&](unsigned c) {
    Value at = from.vectors(c), zero;
    if (masked || isSized)
      zero = v.splat(integer(zeroBytes()));
    if (isSized)
      at = v.select(
          v.cmp(CmpIPredicate::eq, sizeOf(c), v.intConstant(32, bytes)), at,
          zero);
    return masked ? v.select(maskChunk(mask, c), at, zero) : at;
  });
  Type row = bytes == 16  ? Type(VectorType::get(4, b.getI32Type()))
             : bytes == 8 ? Type(b.getI64Type())
                          : Type(b.getI32Type());
  for (unsigned lane = 0; lane < numLanes; ++lane) {
    Value source = LLVM::LoadOp::create(b, loc, ptr,
                                        placeIn(sources.pointer, 8 * lane), 8);
    Value target = LLVM::LoadOp::create(b, loc, ptr,
                                        placeIn(targets.pointer, 8 * lane), 8);
    Value data = LLVM::LoadOp::create(b, loc, row, source, bytes);
    LLVM::StoreOp::create(b, loc, data, target, bytes);
  }
  if (isSized) {
    // Those that copy less than all, which is rare.
    MatrixBuffer sizes = takeBuffer(32 * 4);
    storeLanes(sizes.pointer, 32, sizeOf);
    storeLanes(sources.pointer, 64,
               [&](unsigned c) { return from.vectors(c); });
    Value partly = laneBits([&](unsigned c) {
      Value size = sizeOf(c);
      Value some =
          v.bitAnd(v.cmp(CmpIPredicate::ne, size, v.intConstant(32, 0)),
                   v.cmp(CmpIPredicate::ne, size, v.intConstant(32, bytes)));
      return masked ? v.bitAnd(some, maskChunk(mask, c)) : some;
    });
    copyPartly(partly, targets.pointer, sources.pointer, sizes.pointer);
    freeBuffers.push_back(sizes);
  }
  freeBuffers.push_back(sources);
  freeBuffers.push_back(targets);
  return success();
}
