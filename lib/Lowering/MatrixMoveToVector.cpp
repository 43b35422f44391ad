//===- MatrixMoveToVector.cpp - fragments from and to memory --------------===//

#include "Packetizer.h"

#include "ptxjit/Dialect/Matrix.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;
using arith::CmpIPredicate;

//===----------------------------------------------------------------------===//
// ldmatrix
//===----------------------------------------------------------------------===//

/// What lane `lane` reads of row `row`: `element[row][col]`, of 2 bytes or of
/// 1, at place 0 to 3 of register `r` of a matrix. ISA: "ldmatrix".
static unsigned sourceByte(const MatrixMove &move, unsigned r, unsigned lane,
                           unsigned byte) {
  unsigned g = lane / 4, t = lane % 4;
  if (move.format == MatrixMove::B16)
    return move.transposes ? 16 * (2 * t + byte / 2) + 2 * g + byte % 2
                           : 16 * g + 4 * t + byte;
  if (move.rows == 16)
    return 16 * (4 * t + byte) + g + 8 * r;
  return 16 * g + 4 * t + byte;
}

/// 16 elements of 6 or 4 bits as bytes.
Value Packetizer::unpackRow(Value row, MatrixMove::Format format) {
  unsigned bits = format == MatrixMove::B6 ? 6 : 4;
  auto bytesOf = VectorType::get(16, b.getI8Type());
  auto pairsOf = VectorType::get(16, b.getI16Type());
  // The two bytes that hold element e, shifted so that it is lowest.
  SmallVector<int32_t> low, high;
  SmallVector<int16_t> shifts;
  for (unsigned e = 0; e < 16; ++e) {
    low.push_back(int32_t(bits * e / 8));
    high.push_back(int32_t(std::min(bits * e / 8 + 1, 15u)));
    shifts.push_back(int16_t(bits * e % 8));
  }
  Value bytes = LLVM::BitcastOp::create(b, loc, bytesOf, row);
  auto widen = [&](ArrayRef<int32_t> from) -> Value {
    Value chosen = LLVM::ShuffleVectorOp::create(b, loc, bytes, bytes, from);
    return arith::ExtUIOp::create(b, loc, pairsOf, chosen);
  };
  auto all = [&](int16_t value) -> Value {
    return arith::ConstantOp::create(b, loc,
                                     DenseElementsAttr::get(pairsOf, value));
  };
  Value pairs = arith::OrIOp::create(
      b, loc, widen(low), arith::ShLIOp::create(b, loc, widen(high), all(8)));
  Value amounts = arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(pairsOf, ArrayRef<int16_t>(shifts)));
  pairs = arith::ShRUIOp::create(b, loc, pairs, amounts);
  pairs = arith::AndIOp::create(b, loc, pairs, all(int16_t((1 << bits) - 1)));
  Value codes = arith::TruncIOp::create(b, loc, bytesOf, pairs);
  return LLVM::BitcastOp::create(b, loc, row.getType(), codes);
}

/// Vectors in a row; a power of two of them.
static Value concatenate(OpBuilder &b, Location loc, SmallVector<Value> parts) {
  while (parts.size() > 1) {
    SmallVector<Value> joined;
    for (unsigned i = 0; i < parts.size(); i += 2) {
      auto type = cast<VectorType>(parts[i].getType());
      SmallVector<int32_t> all;
      for (int32_t k = 0; k < 2 * type.getDimSize(0); ++k)
        all.push_back(k);
      joined.push_back(
          LLVM::ShuffleVectorOp::create(b, loc, parts[i], parts[i + 1], all));
    }
    parts = joined;
  }
  return parts.front();
}

/// Lanes that name no row may hold anything.
void Packetizer::testRows(const LaneAddress &address, Value a,
                          const MatrixMove &move, Value mask) {
  unsigned rows = move.count * move.rows;
  if (!perThread()) {
    emitAlignmentTest(address, a, move.space, 0, 16, mask,
                      uint32_t((uint64_t(1) << rows) - 1));
    return;
  }
  ChunkBuilder s = scalar();
  Value names =
      s.cmp(CmpIPredicate::ult, laneOfThread(), s.intConstant(32, rows));
  auto test = scf::IfOp::create(b, loc, names, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(test.thenBlock());
  enterScope();
  emitAlignmentTest(address, a, move.space, 0, 16, mask);
  leaveScope();
}

/// The lanes' addresses in memory, those of lanes that are off being of memory
/// that may be read and written.
Value Packetizer::rowAddresses(Operation *op, Value a, const MatrixMove &move,
                               Value mask) {
  LaneAddress address = resolve(a, move.space, 0);
  testRows(address, a, move, mask);
  if (perThread()) {
    Value buffer = exchangeBuffer(0);
    Value window = windowBase(move.space);
    storeRegister(op, buffer, 0, a);
    Type words = VectorType::get(32, b.getI64Type());
    if (window) {
      Value all = LLVM::LoadOp::create(b, loc, words, buffer, 64);
      ChunkBuilder k(b, loc, target, 32);
      LLVM::StoreOp::create(b, loc, k.add(all, k.splat(window)), buffer, 64);
    }
    return buffer;
  }
  Value buffer = exchangeBuffer(0);
  bool masked = needsMask(mask);
  storeLanes(buffer, 64, [&](unsigned c) {
    Value at = address.vectors(c);
    if (!masked)
      return at;
    Value safe =
        LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), exchangeBuffer(1));
    return lanes().select(maskChunk(mask, c), at, lanes().splat(safe));
  });
  return buffer;
}

/// `count` rows of 16 bytes from the one on whose address lane `first` names,
/// in vectors that follow each other.
SmallVector<Value> Packetizer::loadRows(const MatrixRows &from, unsigned first,
                                        unsigned count) {
  auto rowType = VectorType::get(4, b.getI32Type());
  SmallVector<Value> rows;
  if (from.addresses) {
    auto ptr = LLVM::LLVMPointerType::get(b.getContext());
    for (unsigned i = first; i < first + count; ++i) {
      Value at =
          LLVM::LoadOp::create(b, loc, ptr, placeIn(from.addresses, 8 * i), 8);
      rows.push_back(LLVM::LoadOp::create(b, loc, rowType, at, 16));
    }
    return rows;
  }
  // Known distances: no addresses in memory, and neighbours in one load.
  const LanePattern &pattern = *from.known.pattern;
  bool together = true;
  for (unsigned i = first; i + 1 < first + count; ++i)
    together &= pattern[i + 1] == pattern[i] + 16;
  unsigned step = together && count > 1 ? 4 : 1;
  auto type = VectorType::get(4 * step, b.getI32Type());
  for (unsigned i = first; i < first + count; i += step) {
    Value at = scalar().add(from.known.base,
                            scalar().intConstant(64, uint64_t(pattern[i])));
    rows.push_back(LLVM::LoadOp::create(b, loc, type, toPointer(at), 16));
  }
  return rows;
}

LogicalResult Packetizer::emitLdMatrix(LdMatrixOp op) {
  MatrixMove move = decodeMatrixMove(op.getInstruction());
  Value a = op.getInputs().front();
  MatrixRows source;
  source.known = resolve(a, move.space, 0);
  if (source.known.base && source.known.pattern && !source.known.ok &&
      !needsMask(op.getMask()) && !perThread())
    testRows(source.known, a, move, op.getMask());
  else
    source.addresses = rowAddresses(op, a, move, op.getMask());
  std::shared_ptr<MatrixBuffer> fragment;
  auto registerType = VectorType::get(32, b.getI32Type());
  bool isPacked =
      move.format == MatrixMove::B6 || move.format == MatrixMove::B4;
  for (unsigned m = 0; m < move.count; ++m) {
    SmallVector<Value> rows;
    if (isPacked)
      for (unsigned i = 0; i < move.rows; ++i)
        rows.push_back(unpackRow(loadRows(source, m * move.rows + i, 1).front(),
                                 move.format));
    else
      rows = loadRows(source, m * move.rows, move.rows);
    Value matrix = concatenate(b, loc, rows);
    auto bytesType = VectorType::get(move.rows * 16, b.getI8Type());
    for (unsigned r = 0; r < move.registersEach(); ++r) {
      Value value = matrix;
      SmallVector<int32_t> from;
      for (unsigned i = 0; i < 128; ++i)
        from.push_back(int32_t(sourceByte(move, r, i / 4, i % 4)));
      bool inOrder = move.rows == 8;
      for (unsigned i = 0; i < 128; ++i)
        inOrder &= from[i] == int32_t(i);
      if (!inOrder) {
        Value bytes = LLVM::BitcastOp::create(b, loc, bytesType, matrix);
        bytes = LLVM::ShuffleVectorOp::create(b, loc, bytes, bytes, from);
        value = LLVM::BitcastOp::create(b, loc, registerType, bytes);
      }
      unsigned index = m * move.registersEach() + r;
      Value result = op.getD()[index];
      if (!isOnlyMultiplied(result)) {
        setRegister(result, value);
        continue;
      }
      if (!fragment)
        fragment = shareBuffer(op.getD().size() * kRegisterBytes);
      Value place = placeIn(fragment->pointer, index * kRegisterBytes);
      LLVM::StoreOp::create(b, loc, value, place, 128);
      stored[result] = {place, index, fragment};
    }
  }
  return success();
}

/// The lanes of `v`, in one vector of 32.
void Packetizer::setRegister(Value v, Value all) {
  if (perThread()) {
    Value own = extractLane(all, laneOfThread());
    setBase(v, scalar().bitcast(own, v.getType()));
    return;
  }
  SmallVector<Value, 8> chunks;
  for (unsigned c = 0; c < numChunks(); ++c) {
    SmallVector<int32_t> part;
    for (unsigned i = 0; i < target.chunk; ++i)
      part.push_back(int32_t(c * target.chunk + i));
    Value some = LLVM::ShuffleVectorOp::create(b, loc, all, all, part);
    chunks.push_back(lanes().bitcast(some, v.getType()));
  }
  setChunks(v, chunks);
}

//===----------------------------------------------------------------------===//
// stmatrix, movmatrix
//===----------------------------------------------------------------------===//

/// Lanes [first, end) that a kernel serves.
SmallVector<Value, 2> Packetizer::ownLanes() {
  ChunkBuilder s = scalar();
  if (!perThread())
    return {s.intConstant(32, 0), s.intConstant(32, 32)};
  Value lane = laneOfThread();
  return {lane, s.add(lane, s.intConstant(32, 1))};
}

LogicalResult Packetizer::emitStMatrix(StMatrixOp op) {
  MatrixMove move = decodeMatrixMove(op.getInstruction());
  Value addresses =
      rowAddresses(op, op.getInputs().front(), move, op.getMask());
  MatrixBuffer buffer = takeBuffer(move.count * kRegisterBytes);
  for (auto [i, v] : llvm::enumerate(op.getInputs().drop_front()))
    storeRegister(op, buffer.pointer, i, v);
  ChunkBuilder s = scalar();
  unsigned kind = !move.transposes ? 0 : move.format == MatrixMove::B16 ? 1 : 2;
  SmallVector<Value> arguments = {addresses, buffer.pointer,
                                  s.intConstant(32, move.count),
                                  s.intConstant(32, kind)};
  arguments.append(ownLanes());
  callByReference("ptxjit_fragment_store_rows", arguments);
  freeBuffers.push_back(buffer);
  return success();
}

/// ISA: "movmatrix". Half h of lane 4 * g + t is the element of row 2 * t + h
/// and column g.
LogicalResult Packetizer::emitMovMatrix(MovMatrixOp op) {
  MatrixBuffer buffer = takeBuffer(kRegisterBytes);
  storeRegister(op, buffer.pointer, 0, op.getInputs().front());
  auto halves = VectorType::get(64, b.getI16Type());
  Value all = LLVM::LoadOp::create(b, loc, halves, buffer.pointer, 128);
  SmallVector<int32_t> from;
  for (int32_t i = 0; i < 64; ++i)
    from.push_back(8 * (i % 8) + i / 8);
  all = LLVM::ShuffleVectorOp::create(b, loc, all, all, from);
  setRegister(op.getD().front(),
              LLVM::BitcastOp::create(
                  b, loc, VectorType::get(32, b.getI32Type()), all));
  freeBuffers.push_back(buffer);
  return success();
}

//===----------------------------------------------------------------------===//
// wmma.load, wmma.store
//===----------------------------------------------------------------------===//

/// Where elements of a fragment are is ours to choose: as in those of mma, tile
/// after tile (docs/TensorCores.md). Loads or stores `registers`.
void Packetizer::moveWmma(Operation *op, const WmmaMove &move, Value address,
                          Value stride, Value registers, Value mask,
                          bool isStore) {
  ChunkBuilder s = scalar();
  unsigned bits = move.elementBits();
  // Smaller elements lie as in memory: their dwords are moved.
  unsigned unit = bits < 8 ? 32 : bits, bytes = unit / 8;
  unsigned perUnit = unit / bits;
  Value elements =
      stride ? s.resize(uniformOperand(stride), 64, false)
             : s.intConstant(64, move.isCol ? move.rows() : move.cols());
  Value slow = s.mul(elements, s.intConstant(64, bits));
  slow = s.shrBy(slow, 3, false);
  Value fast = s.intConstant(64, bytes);
  Value rowStride = move.isCol ? fast : slow;
  Value colStride = move.isCol ? slow : fast;
  // B is seen by columns.
  bool byColumns = move.operand == WmmaMove::B;
  Value across = byColumns ? colStride : rowStride;
  Value along = byColumns ? rowStride : colStride;
  unsigned acrossBlocks = (byColumns ? move.n : move.m) / 8;
  bool isC = move.operand == WmmaMove::C;
  unsigned each = isC && unit >= 32 ? 1 : std::max(32 / unit, 1u);
  // Of C a lane has two elements in a row, in two registers if they are large.
  unsigned pairs = isC && unit >= 32 ? 2 : 1;
  unsigned length = isC ? 8 : 4 * each;
  unsigned alongBlocks = (isC ? move.n : move.k / perUnit) / length;
  unsigned acrossStep = byColumns ? alongBlocks : pairs;
  unsigned alongStep = byColumns ? 1 : acrossBlocks * pairs;
  LaneAddress resolved = resolve(address, move.space, 0);
  emitAlignmentTest(resolved, address, move.space, 0, bytes, mask);
  Value base = resolved.base && (!resolved.pattern)
                   ? resolved.base
                   : extractLane(resolved.vectors(0), s.intConstant(32, 0));
  for (unsigned j = 0; j < pairs; ++j) {
    Value from = j ? s.add(base, along) : base;
    SmallVector<Value> arguments = {
        placeIn(registers, int64_t(j) * 32 * each * bytes),
        LLVM::IntToPtrOp::create(
            b, loc, LLVM::LLVMPointerType::get(b.getContext()), from),
        across, along};
    for (unsigned n : {acrossBlocks, alongBlocks, acrossStep, alongStep, each,
                       pairs * each, length})
      arguments.push_back(s.intConstant(32, n));
    arguments.append(ownLanes());
    callByReference(isStore ? "ptxjit_fragment_store_" + Twine(bytes)
                            : "ptxjit_fragment_load_" + Twine(bytes),
                    arguments);
  }
}

/// Runs `body` if any lane takes part.
void Packetizer::ifActive(Value mask, llvm::function_ref<void()> body) {
  if (!mask || perThread() || shapeOf(mask).isUniform())
    return body();
  ChunkBuilder s = scalar();
  Value any = s.cmp(CmpIPredicate::ne, activeBits(mask), s.intConstant(32, 0));
  auto active = scf::IfOp::create(b, loc, any, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(active.thenBlock());
  body();
}

LogicalResult Packetizer::emitWmmaLoad(WmmaLoadOp op) {
  WmmaMove move = decodeWmmaMove(op.getInstruction());
  auto inputs = op.getInputs();
  int64_t registerBytes = kRegisterBytes * (move.elementBits() == 64 ? 2 : 1);
  MatrixBuffer buffer = takeBuffer(move.registers * registerBytes);
  ifActive(op.getMask(), [&] {
    moveWmma(op, move, inputs.front(), inputs.size() > 1 ? inputs[1] : Value(),
             buffer.pointer, op.getMask(), /*isStore=*/false);
  });
  for (auto [i, v] : llvm::enumerate(op.getD()))
    loadRegister(v, buffer.pointer, unsigned(i) % move.parts());
  freeBuffers.push_back(buffer);
  return success();
}

LogicalResult Packetizer::emitWmmaStore(WmmaStoreOp op) {
  WmmaMove move = decodeWmmaMove(op.getInstruction());
  auto inputs = op.getInputs();
  int64_t registerBytes = kRegisterBytes * (move.elementBits() == 64 ? 2 : 1);
  MatrixBuffer buffer = takeBuffer(move.registers * registerBytes);
  for (unsigned i = 0; i < move.registers; ++i)
    storeRegister(op, buffer.pointer, i, inputs[1 + i]);
  ifActive(op.getMask(), [&] {
    unsigned strideAt = 1 + move.registers;
    moveWmma(op, move, inputs.front(),
             inputs.size() > strideAt ? inputs[strideAt] : Value(),
             buffer.pointer, op.getMask(), /*isStore=*/true);
  });
  freeBuffers.push_back(buffer);
  return success();
}
