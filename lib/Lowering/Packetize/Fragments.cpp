//===- Fragments.cpp - registers of fragments in memory -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fragments.h"
#include "LaneLoops.h"
#include "ThreadCollectives.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

void ptxjit::storeRegister(WarpBuilder &warp, Operation *op, Value buffer,
                           unsigned index, Value v) {
  unsigned width = v.getType().getIntOrFloatBitWidth(), bytes = width / 8;
  Value place = placeIn(warp, buffer, int64_t(index) * 32 * bytes);
  const auto &stored = warp.state<StoredRegisters>().map;
  if (auto it = stored.find(v); it != stored.end()) {
    Type all = VectorType::get(32, warp.b.getI32Type());
    Value value = warp.create<LLVM::LoadOp>(all, it->second.pointer, 128);
    warp.create<LLVM::StoreOp>(value, place, 128);
    return;
  }
  if (!warp.perThread()) {
    for (unsigned c = 0; c < warp.numChunks(); ++c)
      warp.create<LLVM::StoreOp>(
          warp.chunk(v, c), placeIn(warp, place, c * warp.target.chunk * bytes),
          warp.target.chunk * bytes);
    return;
  }
  Gathered gathered = gather(warp, op, Value(), v);
  Value values = placeIn(warp, gathered.data, offsetof(PtxjitGathered, values));
  Type words = VectorType::get(32, warp.b.getI64Type());
  Value all = warp.create<LLVM::LoadOp>(words, values, 8);
  if (width < 64)
    all = warp.create<arith::TruncIOp>(
        VectorType::get(32, warp.b.getIntegerType(width)), all);
  warp.create<LLVM::StoreOp>(all, place, 64);
}

void ptxjit::loadRegister(WarpBuilder &warp, Value v, Value buffer,
                          unsigned index) {
  unsigned bytes = v.getType().getIntOrFloatBitWidth() / 8;
  Value place = placeIn(warp, buffer, int64_t(index) * 32 * bytes);
  if (warp.perThread()) {
    auto ptr = LLVM::LLVMPointerType::get(warp.b.getContext());
    Value own = warp.create<LLVM::GEPOp>(ptr, v.getType(), place,
                                         LLVM::GEPArg(warp.laneOfThread()));
    warp.setBase(v, warp.create<LLVM::LoadOp>(v.getType(), own, bytes));
    return;
  }
  SmallVector<Value, 8> chunks;
  for (unsigned c = 0; c < warp.numChunks(); ++c)
    chunks.push_back(warp.create<LLVM::LoadOp>(
        warp.lanes().vec(v.getType()),
        placeIn(warp, place, c * warp.target.chunk * bytes),
        warp.target.chunk * bytes));
  warp.setChunks(v, chunks);
}

void ptxjit::setRegister(WarpBuilder &warp, Value v, Value all) {
  if (warp.perThread()) {
    Value own = extractLane(warp, all, warp.laneOfThread());
    warp.setBase(v, warp.scalar().bitcast(own, v.getType()));
    return;
  }
  SmallVector<Value, 8> chunks;
  for (unsigned c = 0; c < warp.numChunks(); ++c) {
    SmallVector<int32_t> part;
    for (unsigned i = 0; i < warp.target.chunk; ++i)
      part.push_back(int32_t(c * warp.target.chunk + i));
    Value some = warp.create<LLVM::ShuffleVectorOp>(all, all, part);
    chunks.push_back(warp.lanes().bitcast(some, v.getType()));
  }
  warp.setChunks(v, chunks);
}

bool ptxjit::isOnlyMultiplied(WarpBuilder &warp, Value v) {
  bool mayEnd = warp.part && warp.part->contains(v.getDefiningOp());
  return !warp.perThread() && llvm::all_of(v.getUsers(), [&](Operation *user) {
    return isa<MmaOp, WgmmaOp>(user) &&
           user->getBlock() == v.getParentBlock() &&
           (!mayEnd || warp.part->contains(user));
  });
}

Value ptxjit::uniformOperand(WarpBuilder &warp, Value v, unsigned bits) {
  ChunkBuilder s = warp.scalar();
  Value value = warp.perThread() || warp.shapeOf(v).isUniform()
                    ? warp.base(v)
                    : extractLane(warp, warp.chunk(v, 0), s.intConstant(32, 0));
  return s.resize(value, bits, false);
}

SmallVector<Value, 2> ptxjit::ownLanes(WarpBuilder &warp) {
  ChunkBuilder s = warp.scalar();
  if (!warp.perThread())
    return {s.intConstant(32, 0), s.intConstant(32, 32)};
  Value lane = warp.laneOfThread();
  return {lane, s.add(lane, s.intConstant(32, 1))};
}

/// The types of the parameters that a signature tells (Functions.def).
static SmallVector<Type> typesOf(OpBuilder &b, StringRef signature) {
  return llvm::map_to_vector(signature, [&](char letter) -> Type {
    if (letter == 'p')
      return LLVM::LLVMPointerType::get(b.getContext());
    return b.getIntegerType(letter == 'l' ? 64 : 32);
  });
}

/// Declares a function of the device library.
static void declareDevice(WarpBuilder &warp, const device::Function &function) {
  auto module = warp.func->getParentOfType<ModuleOp>();
  if (module.lookupSymbol(function.symbol))
    return;
  OpBuilder::InsertionGuard guard(warp.b);
  warp.b.setInsertionPointToStart(module.getBody());
  warp.create<LLVM::LLVMFuncOp>(
      function.symbol,
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(warp.b.getContext()),
                                  typesOf(warp.b, function.signature)));
}

Value ptxjit::addressOfDevice(WarpBuilder &warp,
                              const device::Function &function) {
  auto ptr = LLVM::LLVMPointerType::get(warp.b.getContext());
  declareDevice(warp, function);
  return warp.create<LLVM::AddressOfOp>(ptr, function.symbol);
}

void ptxjit::callDevice(WarpBuilder &warp, const device::Function &function,
                        ArrayRef<Value> operands) {
  assert(llvm::equal(ValueRange(operands).getTypes(),
                     typesOf(warp.b, function.signature)) &&
         "not the function's operands");
  declareDevice(warp, function);
  warp.create<LLVM::CallOp>(TypeRange(), function.symbol, operands);
}
