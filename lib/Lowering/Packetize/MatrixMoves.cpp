//===- MatrixMoves.cpp - moves of matrix fragments ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Accesses.h"
#include "Addresses.h"
#include "Alignment.h"
#include "Dispatch.h"
#include "Fragments.h"
#include "LaneLoops.h"
#include "Masks.h"

#include "ptxjit/Dialect/Matrix.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;
using arith::CmpIPredicate;

//===----------------------------------------------------------------------===//
// ldmatrix
//===----------------------------------------------------------------------===//

/// The byte of a matrix that becomes byte `byte` of register `r` of lane
/// `lane`. The rows of a matrix have 16 bytes each. ISA: "ldmatrix".
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

/// Unpacks a row of 16 elements of 6 or 4 bits to bytes.
static Value unpackRow(WarpBuilder &warp, Value row,
                       MatrixMove::Format format) {
  unsigned bits = format == MatrixMove::B6 ? 6 : 4;
  auto bytesOf = VectorType::get(16, warp.b.getI8Type());
  auto pairsOf = VectorType::get(16, warp.b.getI16Type());
  // Take the two bytes that hold element e, shifted so that it is lowest.
  SmallVector<int32_t> low, high;
  SmallVector<int16_t> shifts;
  for (unsigned e = 0; e < 16; ++e) {
    low.push_back(int32_t(bits * e / 8));
    high.push_back(int32_t(std::min(bits * e / 8 + 1, 15u)));
    shifts.push_back(int16_t(bits * e % 8));
  }
  Value bytes = warp.create<LLVM::BitcastOp>(bytesOf, row);
  auto widen = [&](ArrayRef<int32_t> from) -> Value {
    Value chosen = warp.create<LLVM::ShuffleVectorOp>(bytes, bytes, from);
    return warp.create<arith::ExtUIOp>(pairsOf, chosen);
  };
  auto all = [&](int16_t value) -> Value {
    return warp.create<arith::ConstantOp>(
        DenseElementsAttr::get(pairsOf, value));
  };
  Value pairs = warp.create<arith::OrIOp>(
      widen(low), warp.create<arith::ShLIOp>(widen(high), all(8)));
  Value amounts = warp.create<arith::ConstantOp>(
      DenseElementsAttr::get(pairsOf, ArrayRef<int16_t>(shifts)));
  pairs = warp.create<arith::ShRUIOp>(pairs, amounts);
  pairs = warp.create<arith::AndIOp>(pairs, all(int16_t((1 << bits) - 1)));
  Value codes = warp.create<arith::TruncIOp>(bytesOf, pairs);
  return warp.create<LLVM::BitcastOp>(row.getType(), codes);
}

/// Concatenates vectors; their number is a power of two.
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

/// Tests the alignment of the rows. Lanes that name no row may hold anything.
static void testRows(WarpBuilder &warp, const LaneAddress &address, Value a,
                     const MatrixMove &move, Value mask) {
  unsigned rows = move.count * move.rows;
  if (!warp.perThread()) {
    emitAlignmentTest(warp, address, a, move.space, 0, 16, mask,
                      uint32_t((uint64_t(1) << rows) - 1));
    return;
  }
  ChunkBuilder s = warp.scalar();
  Value names =
      s.cmp(CmpIPredicate::ult, warp.laneOfThread(), s.intConstant(32, rows));
  auto test = warp.create<scf::IfOp>(names, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(warp.b);
  warp.b.setInsertionPointToStart(test.thenBlock());
  warp.enterBlock();
  emitAlignmentTest(warp, address, a, move.space, 0, 16, mask);
  warp.leaveBlock();
}

/// Writes the addresses of the lanes to memory, and returns where. Inactive
/// lanes get the address of memory that may be read and written.
static Value rowAddresses(WarpBuilder &warp, Operation *op, Value a,
                          const MatrixMove &move, Value mask) {
  LaneAddress address = resolve(warp, a, move.space, 0);
  testRows(warp, address, a, move, mask);
  if (warp.perThread()) {
    Value buffer = exchangeBuffer(warp, 0);
    Value window = windowBase(warp, move.space);
    storeRegister(warp, op, buffer, 0, a);
    Type words = VectorType::get(32, warp.b.getI64Type());
    if (window) {
      Value all = warp.create<LLVM::LoadOp>(words, buffer, 64);
      ChunkBuilder k(warp.b, warp.loc, warp.target, 32);
      warp.create<LLVM::StoreOp>(k.add(all, k.splat(window)), buffer, 64);
    }
    return buffer;
  }
  Value buffer = exchangeBuffer(warp, 0);
  bool masked = warp.needsMask(mask);
  storeLanes(warp, buffer, 64, [&](unsigned c) {
    Value at = address.vectors(c);
    if (!masked)
      return at;
    Value safe = warp.create<LLVM::PtrToIntOp>(warp.b.getI64Type(),
                                               exchangeBuffer(warp, 1));
    return warp.lanes().select(warp.maskChunk(mask, c), at,
                               warp.lanes().splat(safe));
  });
  return buffer;
}

namespace {
/// Where the rows of 16 bytes lie that the lanes name: their addresses in
/// memory or, if that is null, at known distances.
struct MatrixRows {
  Value addresses;
  LaneAddress known;
};
} // namespace

/// Loads `count` rows of 16 bytes from the one that lane `first` names on, as
/// vectors that follow each other.
static SmallVector<Value> loadRows(WarpBuilder &warp, const MatrixRows &from,
                                   unsigned first, unsigned count) {
  auto rowType = VectorType::get(4, warp.b.getI32Type());
  SmallVector<Value> rows;
  if (from.addresses) {
    auto ptr = LLVM::LLVMPointerType::get(warp.b.getContext());
    for (unsigned i = first; i < first + count; ++i) {
      Value at = warp.create<LLVM::LoadOp>(
          ptr, placeIn(warp, from.addresses, 8 * i), 8);
      rows.push_back(warp.create<LLVM::LoadOp>(rowType, at, 16));
    }
    return rows;
  }
  // With known distances no addresses go through memory, and neighbours are one
  // load.
  const LanePattern &pattern = *from.known.pattern;
  bool together = true;
  for (unsigned i = first; i + 1 < first + count; ++i)
    together &= pattern[i + 1] == pattern[i] + 16;
  unsigned step = together && count > 1 ? 4 : 1;
  auto type = VectorType::get(4 * step, warp.b.getI32Type());
  for (unsigned i = first; i < first + count; i += step) {
    Value at = warp.scalar().add(
        from.known.base, warp.scalar().intConstant(64, uint64_t(pattern[i])));
    rows.push_back(warp.create<LLVM::LoadOp>(type, warp.toPointer(at), 16));
  }
  return rows;
}

static LogicalResult emitLdMatrix(WarpBuilder &warp, LdMatrixOp op) {
  MatrixMove move = op.getMove();
  remarkAccess(warp, op, "rows of a fragment", SlowBecause::No);
  Value a = op.getInputs().front();
  MatrixRows source;
  source.known = resolve(warp, a, move.space, 0);
  if (source.known.base && source.known.pattern && !source.known.ok &&
      !warp.needsMask(op.getMask()) && !warp.perThread())
    testRows(warp, source.known, a, move, op.getMask());
  else
    source.addresses = rowAddresses(warp, op, a, move, op.getMask());
  std::shared_ptr<StackBuffer> fragment;
  auto registerType = VectorType::get(32, warp.b.getI32Type());
  bool isPacked =
      move.format == MatrixMove::B6 || move.format == MatrixMove::B4;
  for (unsigned m = 0; m < move.count; ++m) {
    SmallVector<Value> rows;
    if (isPacked)
      for (unsigned i = 0; i < move.rows; ++i)
        rows.push_back(unpackRow(
            warp, loadRows(warp, source, m * move.rows + i, 1).front(),
            move.format));
    else
      rows = loadRows(warp, source, m * move.rows, move.rows);
    Value matrix = concatenate(warp.b, warp.loc, rows);
    auto bytesType = VectorType::get(move.rows * 16, warp.b.getI8Type());
    for (unsigned r = 0; r < move.registersEach(); ++r) {
      Value value = matrix;
      SmallVector<int32_t> from;
      for (unsigned i = 0; i < 128; ++i)
        from.push_back(int32_t(sourceByte(move, r, i / 4, i % 4)));
      bool inOrder = move.rows == 8;
      for (unsigned i = 0; i < 128; ++i)
        inOrder &= from[i] == int32_t(i);
      if (!inOrder) {
        Value bytes = warp.create<LLVM::BitcastOp>(bytesType, matrix);
        bytes = warp.create<LLVM::ShuffleVectorOp>(bytes, bytes, from);
        value = warp.create<LLVM::BitcastOp>(registerType, bytes);
      }
      unsigned index = m * move.registersEach() + r;
      Value result = op.getD()[index];
      if (!isOnlyMultiplied(warp, result)) {
        setRegister(warp, result, value);
        continue;
      }
      if (!fragment)
        fragment = shareBuffer(warp, op.getD().size() * kRegisterBytes);
      Value place = placeIn(warp, fragment->pointer, index * kRegisterBytes);
      warp.create<LLVM::StoreOp>(value, place, 128);
      warp.state<StoredRegisters>().map[result] = {place, index, fragment};
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// stmatrix, movmatrix
//===----------------------------------------------------------------------===//

static LogicalResult emitStMatrix(WarpBuilder &warp, StMatrixOp op) {
  MatrixMove move = op.getMove();
  remarkAccess(warp, op, "rows of a fragment", SlowBecause::No);
  Value addresses =
      rowAddresses(warp, op, op.getInputs().front(), move, op.getMask());
  StackBuffer buffer = takeBuffer(warp, move.count * kRegisterBytes);
  for (auto [i, v] : llvm::enumerate(op.getInputs().drop_front()))
    storeRegister(warp, op, buffer.pointer, i, v);
  ChunkBuilder s = warp.scalar();
  unsigned kind = !move.transposes ? 0 : move.format == MatrixMove::B16 ? 1 : 2;
  SmallVector<Value> arguments = {addresses, buffer.pointer,
                                  s.intConstant(32, move.count),
                                  s.intConstant(32, kind)};
  arguments.append(ownLanes(warp));
  callDevice(warp, device::fragment_store_rows, arguments);
  giveBack(warp, buffer);
  return success();
}

/// ISA: "movmatrix". Half h of lane 4 * g + t becomes the element of row 2 * t
/// + h and column g.
static LogicalResult emitMovMatrix(WarpBuilder &warp, MovMatrixOp op) {
  StackBuffer buffer = takeBuffer(warp, kRegisterBytes);
  storeRegister(warp, op, buffer.pointer, 0, op.getInputs().front());
  auto halves = VectorType::get(64, warp.b.getI16Type());
  Value all = warp.create<LLVM::LoadOp>(halves, buffer.pointer, 128);
  SmallVector<int32_t> from;
  for (int32_t i = 0; i < 64; ++i)
    from.push_back(8 * (i % 8) + i / 8);
  all = warp.create<LLVM::ShuffleVectorOp>(all, all, from);
  setRegister(warp, op.getD().front(),
              warp.create<LLVM::BitcastOp>(
                  VectorType::get(32, warp.b.getI32Type()), all));
  giveBack(warp, buffer);
  return success();
}

//===----------------------------------------------------------------------===//
// wmma.load, wmma.store
//===----------------------------------------------------------------------===//

/// The device functions that move elements of `bytes` bytes.
static const device::Function &loadFunction(unsigned bytes) {
  switch (bytes) {
  case 1:
    return device::fragment_load_1;
  case 2:
    return device::fragment_load_2;
  case 4:
    return device::fragment_load_4;
  case 8:
    return device::fragment_load_8;
  }
  llvm_unreachable("no element has this size");
}
static const device::Function &storeFunction(unsigned bytes) {
  switch (bytes) {
  case 2:
    return device::fragment_store_2;
  case 4:
    return device::fragment_store_4;
  case 8:
    return device::fragment_store_8;
  }
  llvm_unreachable("no sum has this size");
}

/// Loads or stores the `registers` of a fragment. The ISA leaves open where its
/// elements are; they are where those of mma are, tile after tile
/// (docs/TensorCores.md).
static void moveWmma(WarpBuilder &warp, Operation *op, const WmmaMove &move,
                     Value address, Value stride, Value registers, Value mask,
                     bool isStore) {
  ChunkBuilder s = warp.scalar();
  unsigned bits = move.elementBits();
  // Elements of less than 8 bits lie as in memory, so whole dwords are moved.
  unsigned unit = bits < 8 ? 32 : bits, bytes = unit / 8;
  unsigned perUnit = unit / bits;
  Value elements =
      stride ? s.resize(uniformOperand(warp, stride), 64, false)
             : s.intConstant(64, move.isCol ? move.rows() : move.cols());
  Value slow = s.mul(elements, s.intConstant(64, bits));
  slow = s.shrBy(slow, 3, false);
  Value fast = s.intConstant(64, bytes);
  Value rowStride = move.isCol ? fast : slow;
  Value colStride = move.isCol ? slow : fast;
  // The registers of B hold columns.
  bool byColumns = move.operand == WmmaMove::B;
  Value across = byColumns ? colStride : rowStride;
  Value along = byColumns ? rowStride : colStride;
  unsigned acrossBlocks = (byColumns ? move.n : move.m) / 8;
  bool isC = move.operand == WmmaMove::C;
  unsigned each = isC && unit >= 32 ? 1 : std::max(32 / unit, 1u);
  // A lane has two neighbouring elements of C, in two registers if they have 32
  // bits or more.
  unsigned pairs = isC && unit >= 32 ? 2 : 1;
  unsigned length = isC ? 8 : 4 * each;
  unsigned alongBlocks = (isC ? move.n : move.k / perUnit) / length;
  unsigned acrossStep = byColumns ? alongBlocks : pairs;
  unsigned alongStep = byColumns ? 1 : acrossBlocks * pairs;
  LaneAddress resolved = resolve(warp, address, move.space, 0);
  emitAlignmentTest(warp, resolved, address, move.space, 0, bytes, mask);
  Value base =
      resolved.base && (!resolved.pattern)
          ? resolved.base
          : extractLane(warp, resolved.vectors(0), s.intConstant(32, 0));
  for (unsigned j = 0; j < pairs; ++j) {
    Value from = j ? s.add(base, along) : base;
    SmallVector<Value> arguments = {
        placeIn(warp, registers, int64_t(j) * 32 * each * bytes),
        warp.create<LLVM::IntToPtrOp>(
            LLVM::LLVMPointerType::get(warp.b.getContext()), from),
        across, along};
    for (unsigned n : {acrossBlocks, alongBlocks, acrossStep, alongStep, each,
                       pairs * each, length})
      arguments.push_back(s.intConstant(32, n));
    arguments.append(ownLanes(warp));
    callDevice(warp, isStore ? storeFunction(bytes) : loadFunction(bytes),
               arguments);
  }
}

static LogicalResult emitWmmaLoad(WarpBuilder &warp, WmmaLoadOp op) {
  WmmaMove move = op.getMove();
  remarkAccess(warp, op, "elements of a fragment", SlowBecause::No);
  auto inputs = op.getInputs();
  int64_t registerBytes = kRegisterBytes * (move.elementBits() == 64 ? 2 : 1);
  StackBuffer buffer = takeBuffer(warp, move.registers() * registerBytes);
  ifActive(warp, op.getMask(), [&] {
    moveWmma(warp, op, move, inputs.front(),
             inputs.size() > 1 ? inputs[1] : Value(), buffer.pointer,
             op.getMask(), /*isStore=*/false);
  });
  for (auto [i, v] : llvm::enumerate(op.getD()))
    loadRegister(warp, v, buffer.pointer, unsigned(i) % move.parts());
  giveBack(warp, buffer);
  return success();
}

static LogicalResult emitWmmaStore(WarpBuilder &warp, WmmaStoreOp op) {
  WmmaMove move = op.getMove();
  remarkAccess(warp, op, "elements of a fragment", SlowBecause::No);
  auto inputs = op.getInputs();
  int64_t registerBytes = kRegisterBytes * (move.elementBits() == 64 ? 2 : 1);
  StackBuffer buffer = takeBuffer(warp, move.registers() * registerBytes);
  for (unsigned i = 0; i < move.registers(); ++i)
    storeRegister(warp, op, buffer.pointer, i, inputs[1 + i]);
  ifActive(warp, op.getMask(), [&] {
    unsigned strideAt = 1 + move.registers();
    moveWmma(warp, op, move, inputs.front(),
             inputs.size() > strideAt ? inputs[strideAt] : Value(),
             buffer.pointer, op.getMask(), /*isStore=*/true);
  });
  giveBack(warp, buffer);
  return success();
}

void ptxjit::addMatrixMoveEmitters(Dispatch &dispatch) {
  dispatch.add<emitLdMatrix>();
  dispatch.add<emitStMatrix>();
  dispatch.add<emitMovMatrix>();
  dispatch.add<emitWmmaLoad>();
  dispatch.add<emitWmmaStore>();
}
