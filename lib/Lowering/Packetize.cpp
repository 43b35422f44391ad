//===- Packetize.cpp - threads to lanes: structure ------------------------===//

#include "CombineAccesses.h"
#include "Packetizer.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/Matchers.h"
#include "ptxjit/Lowering/BlockOption.h"
#include "ptxjit/Lowering/Passes.h"
#include "ptxjit/Runtime/KernelABI.h"

#include "llvm/ADT/ScopeExit.h"
#include <numeric>

namespace ptxjit {
#define GEN_PASS_DEF_PACKETIZEPASS
#include "ptxjit/Lowering/Passes.h.inc"
} // namespace ptxjit

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;
using arith::CmpIPredicate;

Packetizer::Packetizer(FuncOp func, const KernelLayout &layout,
                       const ShapeAnalysis &shapes, const CtaLevel *levels,
                       const ChunkTarget &target, const EmitterTable &emitters)
    : func(func), layout(layout), shapes(shapes), levels(levels),
      target(target), emitters(emitters), b(func), loc(func.getLoc()) {}

/// Code from here on is for the strand of that number (i32).
void Packetizer::enterWarp(Value number) {
  strand = number;
  ChunkBuilder s = scalar();
  if (layout.localBytes && !perThread()) {
    Value stride =
        loadContext(offsetof(PtxjitKernelContext, localStride), b.getI64Type());
    localBase = s.add(localArena, s.mul(stride, s.resize(strand, 64, false)));
  }
  linear = perThread() ? strand : s.shlBy(strand, 5);
}

LogicalResult Packetizer::runKernel(StringRef symbol) {
  auto ptr = LLVM::LLVMPointerType::get(b.getContext());
  auto type =
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()),
                                  {ptr, b.getI32Type(), b.getI32Type()});
  auto out = LLVM::LLVMFuncOp::create(b, loc, symbol, type);
  Block *entry = out.addEntryBlock(b);
  context = entry->getArgument(0);
  b.setInsertionPointToStart(entry);
  LLVM::ReturnOp::create(b, loc, ValueRange());
  b.setInsertionPoint(entry->getTerminator());
  buildPrologue();

  Block &body = func.getBody().front();
  if (levels) {
    if (failed(emitSplitKernel(body)))
      return failure();
    out->setAttr(kFrameBytesAttr, b.getI64IntegerAttr(frameBytes));
    return success();
  }
  unsigned lanes = shapes.getContext().lanes;
  Value number = arith::ConstantIntOp::create(b, loc, 0, 32);
  if (shapes.getContext().threads() > lanes) {
    Value one = arith::ConstantIntOp::create(b, loc, 1, 32);
    auto loop = scf::ForOp::create(b, loc, entry->getArgument(1),
                                   entry->getArgument(2), one);
    number = loop.getInductionVar();
    b.setInsertionPointToStart(loop.getBody());
  }
  enterWarp(number);
  homes.emplace(func);
  return emitBlock(body);
}

LogicalResult Packetizer::runFunction() {
  LLVM::LLVMFuncOp out = declareFunction(func);
  Block *entry = out.addEntryBlock(b);
  context = entry->getArgument(0);
  strand = linear = entry->getArgument(1);
  formals.assign(entry->args_begin() + 2, entry->args_end());
  b.setInsertionPointToStart(entry);
  LLVM::ReturnOp::create(b, loc, ValueRange());
  b.setInsertionPoint(entry->getTerminator());
  buildPrologue();
  emitStackTest(Value());
  return emitBlock(func.getBody().front());
}

Value Packetizer::contextField(size_t offset) {
  auto ptr = LLVM::LLVMPointerType::get(b.getContext());
  return LLVM::GEPOp::create(b, loc, ptr, b.getI8Type(), context,
                             LLVM::GEPArg(int32_t(offset)));
}

Value Packetizer::loadContext(size_t offset, Type type) {
  auto load = LLVM::LoadOp::create(b, loc, type, contextField(offset));
  load.setInvariant(true);
  return load;
}

void Packetizer::buildPrologue() {
  Type i32 = b.getI32Type(), i64 = b.getI64Type();
  for (unsigned d = 0; d < 3; ++d) {
    ctaid[d] = loadContext(offsetof(PtxjitKernelContext, ctaid) + 4 * d, i32);
    nctaid[d] = loadContext(offsetof(PtxjitKernelContext, nctaid) + 4 * d, i32);
  }
  paramsBase = loadContext(offsetof(PtxjitKernelContext, params), i64);
  globalsTable = loadContext(offsetof(PtxjitKernelContext, globals), i64);
  sharedBase = loadContext(offsetof(PtxjitKernelContext, shared), i64);
  sharedWindow = sharedBase;
  if (layout.usesCluster) {
    ChunkBuilder s = scalar();
    rankBits = rankOffset(
        loadContext(offsetof(PtxjitKernelContext, clusterRank), i32));
    sharedWindow = s.sub(sharedBase, rankBits);
  }
  localArena = localBase =
      loadContext(offsetof(PtxjitKernelContext, local), i64);
}

//===----------------------------------------------------------------------===//
// The map
//===----------------------------------------------------------------------===//

void Packetizer::setChunks(Value v, ArrayRef<Value> chunks) {
  values[v].chunks.assign(chunks.begin(), chunks.end());
  if (perThread())
    setBase(v, extractLane(chunks.front(), scalar().intConstant(32, 0)));
}

bool Packetizer::isMade(Value v) const {
  auto found = values.find(v);
  return found != values.end() &&
         (found->second.base || !found->second.chunks.empty());
}

Value Packetizer::patternVector(const LanePattern &pattern, unsigned c,
                                unsigned width) {
  SmallVector<APInt> elements;
  for (unsigned i = 0; i < target.chunk; ++i)
    elements.push_back(APInt(width, uint64_t(pattern[c * target.chunk + i]),
                             false, /*implicitTrunc=*/true));
  auto type = VectorType::get(target.chunk, b.getIntegerType(width));
  return arith::ConstantOp::create(b, loc,
                                   DenseElementsAttr::get(type, elements));
}

/// Element `lane` (i32) of a constant table of 32-bit values.
Value Packetizer::lookUp(const LanePattern &table, Value lane) {
  SmallVector<int32_t> elements;
  for (int64_t element : table)
    elements.push_back(int32_t(element));
  auto type = VectorType::get(32, b.getI32Type());
  Value all = arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(type, ArrayRef(elements)));
  return extractLane(all, lane);
}

Value Packetizer::laneNumbers(unsigned c) {
  LanePattern numbers;
  std::iota(numbers.begin(), numbers.end(), 0);
  return patternVector(numbers, c, 32);
}

/// How many ops rare code makes anew for one address.
static constexpr unsigned kRareChain = 8;

/// As chunk, but made where the builder is, for rare code: so that what runs
/// often neither makes it nor keeps it in registers. Null if another part of
/// the kernel has made `v`.
Value Packetizer::chunkAnew(Value v, unsigned c, unsigned depth) {
  auto found = values.find(v);
  if (found == values.end())
    return Value();
  const Packed packed = found->second;
  if (packed.base && !packed.ok) {
    Value splat = lanes().splat(packed.base);
    unsigned width = ChunkBuilder::widthOf(packed.base);
    const LanePattern *pattern = shapeOf(v).pattern;
    return pattern ? lanes().add(splat, patternVector(*pattern, c, width))
                   : splat;
  }
  Operation *op = packed.ok && depth ? v.getDefiningOp() : nullptr;
  Emitter emitter = op ? emitters.lookup(op) : nullptr;
  if (!emitter)
    return packed.chunks[c];
  SmallVector<Value> operands, results;
  for (Value operand : op->getOperands()) {
    operands.push_back(chunkAnew(operand, c, depth - 1));
    if (!operands.back())
      return packed.chunks[c];
  }
  ChunkBuilder builder = lanes();
  if (failed(emitter(builder, op, operands, results)))
    return packed.chunks[c];
  return results[cast<OpResult>(v).getResultNumber()];
}

Value Packetizer::chunk(Value v, unsigned c) {
  if (inRareCode)
    return chunkAnew(v, c, kRareChain);
  assert(isMade(v) && "the value has no code in this part of the kernel");
  Packed &packed = values[v];
  if (!packed.chunks.empty())
    return packed.chunks[c];
  // Made behind the base, so that it serves all uses.
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointAfterValue(packed.base);
  Value splat = lanes().splat(packed.base);
  const LanePattern *pattern = shapeOf(v).pattern;
  SmallVector<Value, 8> chunks;
  for (unsigned i = 0; i < numChunks(); ++i)
    chunks.push_back(
        pattern ? lanes().add(splat,
                              patternVector(*pattern, i,
                                            ChunkBuilder::widthOf(packed.base)))
                : splat);
  values[v].chunks = chunks;
  return chunks[c];
}

Value Packetizer::both(Value x, Value y) {
  if (!x || !y)
    return x ? x : y;
  return arith::AndIOp::create(b, loc, x, y);
}

/// Scalar test that base + pattern stays within `width` bits in all lanes.
Value Packetizer::wrapTest(Value base, const LanePattern &pattern,
                           unsigned width, bool isSigned) {
  // The base counts, too: it may be no lane's.
  int64_t low = std::min<int64_t>(*llvm::min_element(pattern), 0),
          high = std::max<int64_t>(*llvm::max_element(pattern), 0);
  ChunkBuilder s = scalar();
  if (isSigned) {
    int64_t top = int64_t(~uint64_t(0) >> (65 - width)), bottom = -top - 1;
    return both(
        s.cmp(CmpIPredicate::sle, base, s.intConstant(width, top - high)),
        s.cmp(CmpIPredicate::sge, base, s.intConstant(width, bottom - low)));
  }
  uint64_t top = ~uint64_t(0) >> (64 - width);
  return both(s.cmp(CmpIPredicate::ule, base, s.intConstant(width, top - high)),
              s.cmp(CmpIPredicate::uge, base, s.intConstant(width, -low)));
}

/// When the pattern of an op's result holds, in terms of its operands'.
Value Packetizer::okOf(Operation &op) {
  Value ok;
  for (Value operand : op.getOperands())
    ok = both(ok, values[operand].ok);
  auto widened = [&](Value operand, bool isSigned) {
    const Shape &shape = shapeOf(operand);
    unsigned width = ChunkBuilder::widthOf(operand);
    if (ShapeAnalysis::mayWrap(shape, width, isSigned))
      ok = both(ok, wrapTest(base(operand), *shape.pattern, width, isSigned));
  };
  if (auto mul = dyn_cast<MulIntOp>(op); mul && mul.getPart() == Part::Wide) {
    widened(mul.getA(), isSignedInt(mul.getTy()));
    widened(mul.getB(), isSignedInt(mul.getTy()));
  } else if (auto mad = dyn_cast<MadIntOp>(op);
             mad && mad.getPart() == Part::Wide) {
    widened(mad.getA(), isSignedInt(mad.getTy()));
    widened(mad.getB(), isSignedInt(mad.getTy()));
  } else if (auto cvt = dyn_cast<CvtOp>(op)) {
    if (getBitWidth(cvt.getTy()) > getBitWidth(cvt.getTy2()))
      widened(cvt.getA(), isSignedInt(cvt.getTy2()));
  } else if (isa<arith::ExtSIOp, arith::ExtUIOp>(op)) {
    widened(op.getOperand(0), isa<arith::ExtSIOp>(op));
  }
  return ok;
}

//===----------------------------------------------------------------------===//
// Block boundaries
//===----------------------------------------------------------------------===//

void Packetizer::flattenTypes(Value v, SmallVectorImpl<Type> &types) {
  const Shape &shape = shapeOf(v);
  if (shape.hasBase())
    types.push_back(v.getType());
  if (shape.conditional && shape.hasBase())
    types.push_back(b.getI1Type());
  if (shape.hasBase() && !shape.conditional)
    return;
  types.append(numChunks(), lanes().vec(v.getType()));
}

/// Do all lanes of `v` have `first` and that pattern?
Value Packetizer::patternTest(Value v, Value first,
                              const LanePattern &pattern) {
  unsigned width = ChunkBuilder::widthOf(v);
  Value bits = laneBits([&](unsigned c) {
    ChunkBuilder l = lanes();
    Value expected = l.add(l.splat(first), patternVector(pattern, c, width));
    return l.cmp(CmpIPredicate::eq, chunk(v, c), expected);
  });
  ChunkBuilder s = scalar();
  return s.cmp(CmpIPredicate::eq, bits, s.intConstant(32, 0xffffffff));
}

/// `v` in the form that the shape of `as` asks for.
void Packetizer::flatten(Value v, Value as, SmallVectorImpl<Value> &flat) {
  const Shape &shape = shapeOf(as), &own = shapeOf(v);
  if (shape.conditional && shape.hasBase()) {
    bool holds = own.hasBase() && own.pattern == shape.pattern;
    Value first = own.hasBase()
                      ? base(v)
                      : extractLane(chunk(v, 0), scalar().intConstant(32, 0));
    Value ok = holds           ? values[v].ok
               : own.hasBase() ? arith::ConstantIntOp::create(b, loc, 0, 1)
                               : patternTest(v, first, *shape.pattern);
    flat.push_back(first);
    flat.push_back(ok ? ok : arith::ConstantIntOp::create(b, loc, 1, 1));
  } else if (shape.hasBase()) {
    flat.push_back(base(v));
    return;
  }
  for (unsigned c = 0; c < numChunks(); ++c)
    flat.push_back(chunk(v, c));
}

/// Takes the values of `v` from the front of `flat`.
void Packetizer::unflatten(Value v, ValueRange &flat) {
  const Shape &shape = shapeOf(v);
  Packed packed;
  auto take = [&] {
    Value front = flat.front();
    flat = flat.drop_front();
    return front;
  };
  if (shape.hasBase())
    packed.base = take();
  if (shape.conditional && shape.hasBase())
    packed.ok = take();
  if (!shape.hasBase() || shape.conditional)
    for (unsigned c = 0; c < numChunks(); ++c)
      packed.chunks.push_back(take());
  values[v] = std::move(packed);
}

LogicalResult Packetizer::emitIf(scf::IfOp op) {
  if (!shapeOf(op.getCondition()).isUniform())
    return op.emitError("a divergent conditional is not masked");
  SmallVector<Type> types;
  for (Value result : op.getResults())
    flattenTypes(result, types);
  bool hasElse = !op.getElseRegion().empty();
  auto out = scf::IfOp::create(b, loc, types, base(op.getCondition()),
                               /*addThenBlock=*/true, /*addElseBlock=*/hasElse);
  for (unsigned side = 0; side < (hasElse ? 2u : 1u); ++side) {
    OpBuilder::InsertionGuard guard(b);
    Region &from = op->getRegion(side);
    Block &to = out->getRegion(side).front();
    if (!to.empty())
      to.back().erase(); // the implicit yield
    b.setInsertionPointToEnd(&to);
    if (failed(emitBlock(from.front())))
      return failure();
    SmallVector<Value> yields;
    auto yield = cast<scf::YieldOp>(from.front().getTerminator());
    for (auto [value, result] : llvm::zip(yield.getOperands(), op.getResults()))
      flatten(value, result, yields);
    scf::YieldOp::create(b, loc, yields);
  }
  ValueRange flat = out.getResults();
  for (Value result : op.getResults())
    unflatten(result, flat);
  return success();
}

LogicalResult Packetizer::emitWhile(scf::WhileOp op) {
  Block &before = op.getBefore().front(), &after = op.getAfter().front();
  auto condition = cast<scf::ConditionOp>(before.getTerminator());
  auto yield = cast<scf::YieldOp>(after.getTerminator());
  if (!shapeOf(condition.getCondition()).isUniform())
    return op.emitError("a divergent loop is not masked");
  SmallVector<Type> argTypes, resultTypes;
  SmallVector<Value> inits;
  CarriedTiles carried = enterLoop(op);
  auto isCarried = [&](Value v) { return carried.values.contains(v); };
  for (auto [arg, init] : llvm::zip(before.getArguments(), op.getInits())) {
    if (isCarried(arg))
      continue;
    flattenTypes(arg, argTypes);
    flatten(init, arg, inits);
  }
  // After-arguments and results both take what the condition forwards; each has
  // its own shape (a result may vary where the value in the loop does not), so
  // the values are forwarded once for each.
  for (Value v : after.getArguments())
    if (!isCarried(v))
      flattenTypes(v, resultTypes);
  unsigned numAfter = resultTypes.size();
  for (Value v : op.getResults())
    if (!isCarried(v))
      flattenTypes(v, resultTypes);
  auto out = scf::WhileOp::create(b, loc, resultTypes, inits);
  {
    OpBuilder::InsertionGuard guard(b);
    SmallVector<Location> locs(argTypes.size(), loc);
    Block *block = b.createBlock(&out.getBefore(), {}, argTypes, locs);
    ValueRange flat = block->getArguments();
    for (Value arg : before.getArguments())
      if (!isCarried(arg))
        unflatten(arg, flat);
    keepArguments(carried, before.getArguments(), /*ofCondition=*/false);
    if (failed(emitBlock(before)))
      return failure();
    SmallVector<Value> forwarded;
    for (auto [value, arg] :
         llvm::zip(condition.getArgs(), after.getArguments()))
      if (!isCarried(arg))
        flatten(value, arg, forwarded);
    for (auto [value, result] : llvm::zip(condition.getArgs(), op.getResults()))
      if (!isCarried(result))
        flatten(value, result, forwarded);
    scf::ConditionOp::create(b, loc, base(condition.getCondition()), forwarded);
  }
  {
    OpBuilder::InsertionGuard guard(b);
    SmallVector<Location> locs(resultTypes.size(), loc);
    Block *block = b.createBlock(&out.getAfter(), {}, resultTypes, locs);
    ValueRange flat = block->getArguments();
    for (Value arg : after.getArguments())
      if (!isCarried(arg))
        unflatten(arg, flat);
    keepArguments(carried, after.getArguments(), /*ofCondition=*/true);
    if (failed(emitBlock(after)))
      return failure();
    SmallVector<Value> next;
    for (auto [value, arg] :
         llvm::zip(yield.getOperands(), before.getArguments()))
      if (!isCarried(arg))
        flatten(value, arg, next);
    scf::YieldOp::create(b, loc, next);
  }
  ValueRange flat = out.getResults().drop_front(numAfter);
  for (Value result : op.getResults())
    if (!isCarried(result))
      unflatten(result, flat);
  keepResults(carried, op.getResults());
  return success();
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

void Packetizer::enterScope() {
  tested.enterBlock();
  enterMatrixScope();
}
void Packetizer::leaveScope() {
  tested.leaveBlock();
  leaveMatrixScope();
}

LogicalResult Packetizer::emitBlock(Block &block) {
  enterScope();
  auto leave = llvm::make_scope_exit([&] { leaveScope(); });
  for (Operation &op : block) {
    Location outer = loc;
    loc = op.getLoc();
    LogicalResult result = emitOp(op);
    loc = outer;
    if (failed(result))
      return failure();
  }
  return success();
}

LogicalResult Packetizer::emitOp(Operation &op) {
  if (isa<scf::YieldOp, scf::ConditionOp, RetOp>(op))
    return success();
  if (auto ifOp = dyn_cast<scf::IfOp>(op))
    return emitIf(ifOp);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return emitWhile(loop);
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    setBase(constant, arith::ConstantOp::create(b, loc, constant.getValue()));
    return success();
  }
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    // As ShapeAnalysis sees it: the choice does not matter.
    Value x = select.getTrueValue(), y = select.getFalseValue();
    Value known = x == y || y.getDefiningOp<UndefOp>() ? x
                  : x.getDefiningOp<UndefOp>()         ? y
                                                       : Value();
    if (known) {
      Packed packed = values[known];
      values[select] = std::move(packed);
      return success();
    }
  }
  bool handled = false;
  if (failed(emitSpecial(op, handled)))
    return failure();
  if (handled)
    return success();
  if (Emitter emitter = emitters.lookup(&op))
    return emitPlain(op, emitter);
  if (auto call = dyn_cast<CallOp>(op))
    return emitCall(call);
  auto forms = getFormsOfOp(op.getName().getStringRef());
  return op.emitError() << "'" << op.getName().stripDialect()
                        << "' cannot be executed yet; see "
                        << (forms.empty() ? "the ISA"
                                          : forms.front().isaAnchor);
}

/// An op without effects: once on scalars if the results have a base, else (or
/// if that may fail to hold) per chunk.
LogicalResult Packetizer::emitPlain(Operation &op, Emitter emitter) {
  const Shape shape = shapeOf(op.getResult(0));
  SmallVector<SmallVector<Value, 8>, 2> chunks(op.getNumResults());
  if (shape.hasBase()) {
    ChunkBuilder s = scalar();
    Type type = op.getResult(0).getType();
    // Its operands may vary.
    if (op.getNumResults() == 1 && type.isInteger() &&
        shape.isKnown(type.getIntOrFloatBitWidth())) {
      setBase(op.getResult(0),
              s.intConstant(type.getIntOrFloatBitWidth(), shape.low));
      return success();
    }
    SmallVector<Value> operands, results;
    for (Value operand : op.getOperands())
      operands.push_back(base(operand));
    if (failed(emitter(s, &op, operands, results)))
      return failure();
    for (auto [result, value] : llvm::zip(op.getResults(), results))
      setBase(result, value);
    if (!shape.conditional)
      return success();
    values[op.getResult(0)].ok = okOf(op);
  }
  for (unsigned c = 0; c < numChunks(); ++c) {
    SmallVector<Value> operands, results;
    for (Value operand : op.getOperands())
      operands.push_back(chunk(operand, c));
    ChunkBuilder v = lanes();
    if (failed(emitter(v, &op, operands, results)))
      return failure();
    for (auto [list, value] : llvm::zip(chunks, results))
      list.push_back(value);
  }
  for (auto [result, list] : llvm::zip(op.getResults(), chunks))
    setChunks(result, list);
  return success();
}

LogicalResult Packetizer::emitSpecial(Operation &op, bool &handled) {
  handled = true;
  if (auto sreg = dyn_cast<SRegOp>(op))
    return emitSRegister(sreg);
  if (auto address = dyn_cast<AddressOfOp>(op))
    return emitAddressOf(address);
  if (auto cvta = dyn_cast<CvtaOp>(op))
    return emitCvta(cvta);
  if (auto ld = dyn_cast<LdOp>(op))
    return emitLoad(ld);
  if (auto st = dyn_cast<StOp>(op))
    return emitStore(st);
  if (isa<AtomOp, RedOp, AtomVectorOp, RedVectorOp, MultimemRedOp>(op))
    return emitAtomic(op);
  if (auto wide = dyn_cast<AtomWideOp>(op))
    return emitAtomicWide(wide);
  if (auto copy = dyn_cast<CpAsyncOp>(op))
    return emitCpAsync(copy);
  if (auto raise = dyn_cast<RaiseOp>(op))
    return emitRaise(raise);
  if (perThread() && isa<AllocaOp, StackSaveOp, StackRestoreOp>(op))
    return emitStackOp(op);
  if (isa<LeaveOp>(op)) {
    callHelper(offsetof(PtxjitHelpers, leave), {strand});
    return success();
  }
  if (isa<MembarOp, FenceOp>(op)) {
    LLVM::FenceOp::create(b, loc, LLVM::AtomicOrdering::seq_cst, "");
    return success();
  }
  if (isa<AnyOp, AllOp>(op)) {
    emitAnyAll(op);
    return success();
  }
  if (auto mask = dyn_cast<EntryMaskOp>(op)) {
    emitEntryMask(mask);
    return success();
  }
  if (auto param = dyn_cast<ParamAddressOp>(op); param && !func.getEntry()) {
    size_t results = param.getIsResult() ? func.getParams().size() : 0;
    setBase(param, formals[results + param.getIndex()]);
    return success();
  } else if (param) {
    auto formal = cast<ParamAttr>(func.getParams()[param.getIndex()]);
    setBase(param,
            arith::ConstantIntOp::create(b, loc, formal.getOffset(), 64));
    return success();
  }
  for (auto emit : {&Packetizer::emitClusterOp, &Packetizer::emitMbarrier,
                    &Packetizer::emitBulk, &Packetizer::emitMatrix}) {
    handled = true;
    if (failed((this->*emit)(op, handled)))
      return failure();
    if (handled)
      return success();
  }
  handled = true;
  return emitCollective(op, handled);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct PacketizePass : public ptxjit::impl::PacketizePassBase<PacketizePass> {
  using Base::Base;

  /// Takes out what nobody has asked for, users first. CSE would not: where
  /// rare code has made a value anew it would take the dead one instead.
  static void eraseDead(ModuleOp module) {
    module.walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
      if (isOpTriviallyDead(op))
        op->erase();
    });
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto extents = readBlock(block);
    if (!extents) {
      module.emitError(llvm::toString(extents.takeError()));
      return signalPassFailure();
    }
    ShapeContext context;
    context.block = *extents;
    context.smallGrid = smallGrid;
    context.lanes = perThread ? 1 : 32;
    ChunkTarget target{perThread ? 1u : unsigned(chunk), embeddedRounding,
                       dotProducts, fastMatrices};
    bool widthOk = chunk == 1 || chunk == 4 || chunk == 8 || chunk == 16;
    if (!widthOk) {
      module.emitError("chunk must be 1, 4, 8 or 16");
      return signalPassFailure();
    }
    EmitterTable emitters;
    for (FuncOp func : llvm::make_early_inc_range(module.getOps<FuncOp>())) {
      if (func.isBodiless() || (!func.getEntry() && !perThread))
        continue;
      KernelLayout layout(module, func);
      auto analysis = std::make_unique<ShapeAnalysis>(func, context);
      if (combineAccesses(func, *analysis))
        analysis = std::make_unique<ShapeAnalysis>(func, context);
      ShapeAnalysis &shapes = *analysis;
      std::optional<CtaLevel> levels;
      if (fission)
        levels.emplace(func, shapes);
      if (levels && !levels->whyNot().empty()) {
        func.emitError("cannot be split at its barriers: ") << levels->whyNot();
        return signalPassFailure();
      }
      Packetizer packetizer(func, layout, shapes, levels ? &*levels : nullptr,
                            target, emitters);
      if (failed(func.getEntry()
                     ? packetizer.runKernel(
                           ("ptxjit_kernel." + func.getSymName()).str())
                     : packetizer.runFunction()))
        return signalPassFailure();
    }
    // Functions and variables have served; only compiled kernels remain.
    for (Operation &op : llvm::make_early_inc_range(*module.getBody()))
      if (isa<FuncOp, VarOp>(op))
        op.erase();
    eraseDead(module);
  }
};
} // namespace
