//===- Fission.cpp - a kernel in parts, split at its barriers -------------===//
//
// The regions around barriers stand outside, with what they depend on (see
// CtaLevel.h); everything between two barriers becomes a loop over the warps.
// Values of a warp that live from one part to another lie in the CTA's frame,
// or are computed once more where that is cheap.
//
//===----------------------------------------------------------------------===//

#include "Packetizer.h"

#include "ptxjit/Runtime/KernelABI.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

//===----------------------------------------------------------------------===//
// The frame
//===----------------------------------------------------------------------===//

/// i1 has no size in memory.
static Type storedType(Type type) {
  auto byte = [](Type t) { return IntegerType::get(t.getContext(), 8); };
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.getElementType().isInteger(1)
               ? VectorType::get(vector.getShape(),
                                 byte(vector.getElementType()))
               : type;
  return type.isInteger(1) ? byte(type) : type;
}
static int64_t bytesOf(Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.getNumElements() *
           int64_t(llvm::divideCeil(vector.getElementTypeBitWidth(), 8u));
  return int64_t(llvm::divideCeil(type.getIntOrFloatBitWidth(), 8u));
}

Value Packetizer::slotOwner(Value v) const {
  auto it = sharedSlots.find(v);
  return it == sharedSlots.end() ? v : slotOwner(it->second);
}

/// Keeps `v` in the place of `owner` from now on, if it is kept alike.
void Packetizer::shareSlot(Value v, Value owner) {
  SmallVector<Type> types, ownerTypes;
  if (levels->contains(v) || levels->contains(owner))
    return;
  flattenTypes(v, types);
  flattenTypes(owner, ownerTypes);
  if (types == ownerTypes)
    sharedSlots[v] = owner;
}

/// What goes round a loop stays where it is: an argument, what becomes of it by
/// the end of the turn, and the loop's result. They are never needed at once:
/// the next turn's value is written when this one's has been read.
void Packetizer::shareSlots(scf::WhileOp op) {
  DenseSet<Value> taken;
  for (auto [arg, next] :
       llvm::zip(op.getBeforeArguments(), op.getYieldOp().getOperands()))
    if (next.getParentBlock() == op.getAfterBody() &&
        isa<BlockArgument>(next) && taken.insert(next).second)
      shareSlot(next, arg);
  for (auto [arg, result] : llvm::zip(op.getAfterArguments(), op.getResults()))
    shareSlot(result, arg);
}

/// Where `v` is kept. A value of all warps lies side by side.
const Packetizer::FrameSlot &Packetizer::frameSlot(Value v) {
  v = slotOwner(v);
  auto [it, fresh] = frameSlots.try_emplace(v);
  if (!fresh)
    return it->second;
  SmallVector<Type> types;
  flattenTypes(v, types);
  for (Type type : types)
    it->second.bytes += llvm::alignTo(bytesOf(storedType(type)), 64);
  it->second.offset = frameBytes;
  frameBytes += it->second.bytes * ((shapes.getContext().threads() + 31) / 32);
  return it->second;
}

/// Byte `offset` of this warp's part of a slot.
Value Packetizer::framePlace(const FrameSlot &slot, int64_t offset) {
  auto ptr = LLVM::LLVMPointerType::get(b.getContext());
  ChunkBuilder s = scalar();
  Value warp = s.mul(s.resize(strand, 64, false),
                     s.intConstant(64, uint64_t(slot.bytes)));
  Value byte = s.add(warp, s.intConstant(64, uint64_t(slot.offset + offset)));
  return LLVM::GEPOp::create(b, loc, ptr, b.getI8Type(), frame,
                             LLVM::GEPArg(byte));
}

void Packetizer::storeFlat(ArrayRef<Value> flat, const FrameSlot &slot) {
  int64_t offset = 0;
  for (Value value : flat) {
    Type type = storedType(value.getType());
    if (type != value.getType())
      value = arith::ExtUIOp::create(b, loc, type, value);
    LLVM::StoreOp::create(b, loc, value, framePlace(slot, offset),
                          unsigned(std::min<int64_t>(bytesOf(type), 64)));
    offset += llvm::alignTo(bytesOf(type), 64);
  }
}

void Packetizer::loadFromFrame(Value v) {
  SmallVector<Type> types;
  flattenTypes(v, types);
  SmallVector<Value> flat;
  const FrameSlot &slot = frameSlot(v);
  int64_t offset = 0;
  for (Type type : types) {
    Type stored = storedType(type);
    Value value =
        LLVM::LoadOp::create(b, loc, stored, framePlace(slot, offset),
                             unsigned(std::min<int64_t>(bytesOf(stored), 64)));
    if (stored != type)
      value = arith::TruncIOp::create(b, loc, type, value);
    flat.push_back(value);
    offset += llvm::alignTo(bytesOf(stored), 64);
  }
  ValueRange range = flat;
  unflatten(v, range);
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

/// Makes a value of an earlier part available in this one.
LogicalResult Packetizer::materialize(Value v, SmallVectorImpl<Value> &made) {
  if (levels->contains(v) || llvm::is_contained(made, v))
    return success();
  if (!levels->isRecomputed(v)) {
    loadFromFrame(v);
    made.push_back(v);
    return success();
  }
  Operation *op = v.getDefiningOp();
  for (Value operand : op->getOperands())
    if (failed(materialize(operand, made)))
      return failure();
  llvm::append_range(made, op->getResults());
  return emitOp(*op);
}

/// What `ops` and `copies` use of values that other parts have made.
static SmallVector<Value> findLiveIns(ArrayRef<Operation *> ops,
                                      ArrayRef<FrameCopy> copies) {
  DenseSet<Value> inside;
  llvm::SetVector<Value> used;
  for (Operation *op : ops)
    op->walk([&](Operation *inner) {
      inside.insert(inner->result_begin(), inner->result_end());
      for (Region &region : inner->getRegions())
        for (Block &block : region)
          inside.insert(block.args_begin(), block.args_end());
      used.insert(inner->operand_begin(), inner->operand_end());
    });
  for (const FrameCopy &copy : copies)
    used.insert(copy.from);
  used.remove_if([&](Value v) { return inside.contains(v); });
  return used.takeVector();
}

/// for (warp = 0; warp < warps; ++warp) { ops; copies; }
LogicalResult Packetizer::emitPart(ArrayRef<Operation *> ops,
                                   const FrameCopies &copies) {
  if (ops.empty() && copies.list.empty())
    return success();
  scf::ForOp loop =
      buildCountedLoop((shapes.getContext().threads() + 31) / 32, {});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop.getBody()->getTerminator());
  enterWarp(loop.getInductionVar());
  enterScope();
  auto leave = llvm::make_scope_exit([&] { leaveScope(); });

  SmallVector<Value> made;
  for (Value v : findLiveIns(ops, copies.list))
    if (failed(materialize(v, made)))
      return failure();
  DenseSet<Operation *> inside(ops.begin(), ops.end());
  llvm::SaveAndRestore<const DenseSet<Operation *> *> current(part, &inside);
  for (Operation *op : ops) {
    llvm::SaveAndRestore<Location> place(loc, op->getLoc());
    if (failed(emitOp(*op)))
      return failure();
  }
  // All that is copied is read before anything is overwritten.
  SmallVector<SmallVector<Value>> flats;
  for (const FrameCopy &copy : copies.list)
    flatten(copy.from, copy.to, flats.emplace_back());
  for (auto [copy, flat] : llvm::zip(copies.list, flats))
    storeFlat(flat, frameSlot(copy.to));
  for (Operation *op : ops)
    for (Value result : op->getResults())
      if (!levels->isRecomputed(result) &&
          isUsedElsewhere(result, inside, copies.user)) {
        SmallVector<Value> flat;
        flatten(result, result, flat);
        storeFlat(flat, frameSlot(result));
      }
  // The next part has values of its own.
  for (Value v : made)
    values.erase(v);
  for (Operation *op : ops)
    for (Value result : op->getResults())
      values.erase(result);
  return success();
}

/// Is `v` used by an op that is not in (or inside one of) `part`, nor `served`?
bool Packetizer::isUsedElsewhere(Value v, const DenseSet<Operation *> &part,
                                 Operation *served) {
  Block *home = v.getParentBlock();
  return llvm::any_of(v.getUsers(), [&](Operation *user) {
    Operation *top = home->findAncestorOpInBlock(*user);
    return user != served && (!top || !part.contains(top));
  });
}

//===----------------------------------------------------------------------===//
// Control around the parts
//===----------------------------------------------------------------------===//

/// Nothing that other threads see, from `it` to the end of its block.
static bool isPure(Block::iterator it) {
  auto end = it->getBlock()->without_terminator().end();
  return std::all_of(it, end, [](Operation &op) {
    return isMemoryEffectFree(&op) && !op.getNumRegions();
  });
}

/// Ops of a block that holds barriers; `copies` are for its end.
LogicalResult Packetizer::emitSplitBlock(Block &block,
                                         const FrameCopies &copies) {
  SmallVector<Operation *> part;
  auto finishPart = [&](const FrameCopies &last) {
    LogicalResult result = emitPart(part, last);
    part.clear();
    return result;
  };
  for (Operation &op : block.without_terminator()) {
    if (CtaLevel::isBarrier(&op)) {
      // What does not mind on which side it is goes along with the others.
      bool divides = !llvm::all_of(part, isMemoryEffectFree) &&
                     !isPure(std::next(op.getIterator()));
      if (divides && failed(finishPart({})))
        return failure();
    } else if (auto ifOp = dyn_cast<scf::IfOp>(op);
               ifOp && levels->isSplit(ifOp)) {
      if (failed(finishPart({})) || failed(emitSplitIf(ifOp)))
        return failure();
    } else if (auto loop = dyn_cast<scf::WhileOp>(op);
               loop && levels->isSplit(loop)) {
      shareSlots(loop);
      FrameCopies inits{loop, {}};
      for (auto [init, arg] :
           llvm::zip(loop.getInits(), loop.getBeforeArguments()))
        addCopy(init, arg, inits);
      if (failed(finishPart(inits)) || failed(emitSplitWhile(loop)))
        return failure();
    } else if (levels->contains(&op)) {
      llvm::SaveAndRestore<Location> place(loc, op.getLoc());
      if (failed(emitOp(op)))
        return failure();
    } else {
      part.push_back(&op);
    }
  }
  return finishPart(copies);
}

void Packetizer::addCopy(Value from, Value to, FrameCopies &copies) {
  if (levels->contains(to) || to.use_empty())
    return;
  Value place = slotOwner(to);
  bool isThere =
      place == slotOwner(from) || llvm::any_of(copies.list, [&](FrameCopy c) {
        return slotOwner(c.to) == place;
      });
  if (!isThere)
    copies.list.push_back({from, to});
}

void Packetizer::flattenLevel(Value v, Value as, SmallVectorImpl<Value> &flat) {
  if (levels->contains(as))
    flatten(v, as, flat);
}

LogicalResult Packetizer::emitSplitIf(scf::IfOp op) {
  SmallVector<Type> types;
  for (Value result : op.getResults())
    if (levels->contains(result))
      flattenTypes(result, types);
  bool hasElse = !op.getElseRegion().empty();
  auto out = scf::IfOp::create(b, loc, types, base(op.getCondition()),
                               /*addThenBlock=*/true, /*addElseBlock=*/hasElse);
  for (unsigned side = 0; side < (hasElse ? 2u : 1u); ++side) {
    OpBuilder::InsertionGuard guard(b);
    Block &from = op->getRegion(side).front();
    Block &to = out->getRegion(side).front();
    if (!to.empty())
      to.back().erase(); // the implicit yield
    b.setInsertionPointToEnd(&to);
    auto yield = cast<scf::YieldOp>(from.getTerminator());
    FrameCopies copies{yield, {}};
    for (auto [value, result] : llvm::zip(yield.getOperands(), op.getResults()))
      addCopy(value, result, copies);
    if (failed(emitSplitBlock(from, copies)))
      return failure();
    SmallVector<Value> flat;
    for (auto [value, result] : llvm::zip(yield.getOperands(), op.getResults()))
      flattenLevel(value, result, flat);
    scf::YieldOp::create(b, loc, flat);
  }
  ValueRange flat = out.getResults();
  for (Value result : op.getResults())
    if (levels->contains(result))
      unflatten(result, flat);
  return success();
}

/// A block of the new loop, with arguments for those of `like` that are the
/// same in the CTA, behind `extra` others.
Block *Packetizer::createSplitBlock(Region &region, ArrayRef<Type> types,
                                    ValueRange like) {
  SmallVector<Location> locs(types.size(), loc);
  Block *block = b.createBlock(&region, {}, types, locs);
  ValueRange flat = block->getArguments();
  for (Value v : like)
    if (levels->contains(v))
      unflatten(v, flat);
  return block;
}

LogicalResult Packetizer::emitSplitWhile(scf::WhileOp op) {
  auto condition = op.getConditionOp();
  auto yield = op.getYieldOp();
  SmallVector<Type> argTypes, resultTypes;
  SmallVector<Value> inits;
  for (auto [arg, init] : llvm::zip(op.getBeforeArguments(), op.getInits()))
    if (levels->contains(arg)) {
      flattenTypes(arg, argTypes);
      flatten(init, arg, inits);
    }
  for (Value v : op.getAfterArguments())
    if (levels->contains(v))
      flattenTypes(v, resultTypes);
  unsigned numAfter = resultTypes.size();
  for (Value v : op.getResults())
    if (levels->contains(v))
      flattenTypes(v, resultTypes);
  auto out = scf::WhileOp::create(b, loc, resultTypes, inits);
  {
    OpBuilder::InsertionGuard guard(b);
    createSplitBlock(out.getBefore(), argTypes, op.getBeforeArguments());
    FrameCopies copies{condition, {}};
    for (auto [from, arg, result] : llvm::zip(
             condition.getArgs(), op.getAfterArguments(), op.getResults())) {
      addCopy(from, arg, copies);
      addCopy(from, result, copies);
    }
    if (failed(emitSplitBlock(*op.getBeforeBody(), copies)))
      return failure();
    SmallVector<Value> flat;
    for (auto [from, arg] :
         llvm::zip(condition.getArgs(), op.getAfterArguments()))
      flattenLevel(from, arg, flat);
    for (auto [from, result] : llvm::zip(condition.getArgs(), op.getResults()))
      flattenLevel(from, result, flat);
    scf::ConditionOp::create(b, loc, base(condition.getCondition()), flat);
  }
  {
    OpBuilder::InsertionGuard guard(b);
    createSplitBlock(out.getAfter(), resultTypes, op.getAfterArguments());
    FrameCopies copies{yield, {}};
    for (auto [from, arg] :
         llvm::zip(yield.getOperands(), op.getBeforeArguments()))
      addCopy(from, arg, copies);
    if (failed(emitSplitBlock(*op.getAfterBody(), copies)))
      return failure();
    SmallVector<Value> flat;
    for (auto [from, arg] :
         llvm::zip(yield.getOperands(), op.getBeforeArguments()))
      flattenLevel(from, arg, flat);
    scf::YieldOp::create(b, loc, flat);
  }
  ValueRange flat = out.getResults().drop_front(numAfter);
  for (Value result : op.getResults())
    if (levels->contains(result))
      unflatten(result, flat);
  return success();
}

LogicalResult Packetizer::emitSplitKernel(Block &body) {
  frame = loadContext(offsetof(PtxjitKernelContext, frame),
                      LLVM::LLVMPointerType::get(b.getContext()));
  enterScope();
  auto leave = llvm::make_scope_exit([&] { leaveScope(); });
  return emitSplitBlock(body, {});
}
