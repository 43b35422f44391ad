//===- CallToVector.cpp - calls, stacks, and what ends a launch -----------===//

#include "Packetizer.h"

#include "mlir/IR/Matchers.h"
#include "ptxjit/Runtime/KernelABI.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;
using arith::CmpIPredicate;

//===----------------------------------------------------------------------===//
// Functions of the program
//===----------------------------------------------------------------------===//

/// A function gets the context, the number of its strand and the addresses of
/// its arguments and results in `.local` space.
LLVM::LLVMFuncOp Packetizer::declareFunction(FuncOp callee) {
  auto module = func->getParentOfType<ModuleOp>();
  std::string symbol = ("ptxjit_function." + callee.getSymName()).str();
  if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(symbol))
    return known;
  auto ptr = LLVM::LLVMPointerType::get(b.getContext());
  SmallVector<Type> types = {ptr, b.getI32Type()};
  types.append(callee.getParams().size() + callee.getResults().size(),
               b.getI64Type());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(module.getBody());
  return LLVM::LLVMFuncOp::create(
      b, callee.getLoc(), symbol,
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()),
                                  types));
}

namespace {
/// A function that the system supplies, and the bytes of what it takes.
struct SystemFunction {
  StringRef name;
  PtxjitSystemFunction function;
  SmallVector<int64_t> params, results;
};
constexpr int64_t kPointer = 0; ///< as many bytes as an address has
} // namespace

/// CUDA programs declare these only.
static const SystemFunction *findSystemFunction(StringRef name) {
  static const SystemFunction functions[] = {
      {"__assertfail",
       PTXJIT_SYSTEM_ASSERT,
       {kPointer, kPointer, 4, kPointer, kPointer},
       {}},
      {"vprintf", PTXJIT_SYSTEM_PRINT, {kPointer, kPointer}, {4}},
      {"malloc", PTXJIT_SYSTEM_MALLOC, {kPointer}, {kPointer}},
      {"free", PTXJIT_SYSTEM_FREE, {kPointer}, {}},
  };
  const auto *it = llvm::find_if(
      functions, [&](const SystemFunction &f) { return f.name == name; });
  return it == std::end(functions) ? nullptr : it;
}

static bool hasNarrowAddresses(Operation *op) {
  auto module = op->getParentOfType<ModuleOp>();
  auto size = module->getAttrOfType<IntegerAttr>(kAddressSizeAttr);
  return size && size.getInt() == 32;
}

static bool takes(FuncOp callee, ArrayAttr formals, ArrayRef<int64_t> bytes) {
  int64_t pointer = hasNarrowAddresses(callee) ? 4 : 8;
  return llvm::equal(
      formals.getAsRange<ParamAttr>(), bytes, [&](ParamAttr formal, int64_t n) {
        return formal.getBytes() == (n == kPointer ? pointer : n);
      });
}

/// Calls what this module does not define.
LogicalResult Packetizer::emitExternalCall(CallOp call, FuncOp callee) {
  const SystemFunction *known = findSystemFunction(callee.getSymName());
  if (!known)
    return call.emitError()
           << "function '" << *call.getCallee()
           << "' has no body in this module, and the system has "
              "none of that name";
  if (!takes(callee, callee.getParams(), known->params) ||
      !takes(callee, callee.getResults(), known->results))
    return call.emitError() << "'" << *call.getCallee()
                            << "' is declared with other parameters than the "
                               "system's function has";
  return emitSystemCall(call, known->function);
}

LogicalResult Packetizer::emitCall(CallOp call) {
  auto callee = func->getParentOfType<ModuleOp>().lookupSymbol<FuncOp>(
      call.getCalleeAttr().getAttr());
  if (callee.isBodiless())
    return emitExternalCall(call, callee);
  if (!perThread())
    return call.emitError(
        "a call is left in a kernel whose lanes run together");
  ChunkBuilder s = scalar();
  SmallVector<Value> arguments = {context, strand};
  for (Value place :
       llvm::concat<const Value>(SmallVector<Value>(call.getArgs()),
                                 SmallVector<Value>(call.getResults())))
    arguments.push_back(s.resize(base(place), 64, false));
  LLVM::CallOp::create(b, loc, declareFunction(callee), arguments);
  return success();
}

/// One call of the runtime for each lane, with the addresses of its arguments
/// and results.
LogicalResult Packetizer::emitSystemCall(CallOp call,
                                         PtxjitSystemFunction function) {
  SmallVector<Value> formals(call.getArgs());
  llvm::append_range(formals, call.getResults());
  SmallVector<LaneAddress, 0> places;
  for (Value formal : formals)
    places.push_back(resolve(formal, Space::Local, 0));
  Value list = exchangeBuffer(0);
  uint32_t narrow = hasNarrowAddresses(call) ? PTXJIT_SYSTEM_NARROW : 0;
  for (unsigned c = 0; c < numChunks(); ++c) {
    SmallVector<Value> at;
    for (LaneAddress &place : places)
      at.push_back(place.vectors(c));
    forEachLane(c, call.getMask(), {}, [&](Value lane, ValueRange) {
      ChunkBuilder s = scalar();
      for (auto [i, address] : llvm::enumerate(at))
        LLVM::StoreOp::create(b, loc, extractLane(address, lane),
                              lanePlace(list, 64, int32_t(i)));
      Value inWarp = s.add(lane, s.intConstant(32, c * target.chunk));
      callHelper(offsetof(PtxjitHelpers, system),
                 {strand, s.intConstant(32, function | narrow), inWarp, list});
      return SmallVector<Value>();
    });
  }
  // All lanes have told of their failure by now.
  if (function == PTXJIT_SYSTEM_ASSERT)
    ifActive(call.getMask(), [&] {
      emitFault(PTXJIT_KERNEL_ASSERT, activeBits(call.getMask()), Value());
    });
  return success();
}

//===----------------------------------------------------------------------===//
// Failures
//===----------------------------------------------------------------------===//

/// `lanes` (i32 bits) are those that fail; `address` (i64) may be null.
void Packetizer::emitFault(uint32_t status, Value lanes, Value address) {
  ChunkBuilder s = scalar();
  callHelper(offsetof(PtxjitHelpers, fault),
             {strand, s.intConstant(32, status), lanes,
              address ? address : s.intConstant(64, 0)});
}

LogicalResult Packetizer::emitRaise(RaiseOp op) {
  // Some lane is active, or this code would not run.
  emitFault(PTXJIT_KERNEL_TRAP, activeBits(op.getMask()), Value());
  return success();
}

//===----------------------------------------------------------------------===//
// The stack
//===----------------------------------------------------------------------===//

/// Is there room for `bytes` (i64; null: none) and the next frame?
void Packetizer::emitStackTest(Value bytes) {
  ChunkBuilder s = scalar();
  auto ptr = LLVM::LLVMPointerType::get(b.getContext());
  Value top = LLVM::PtrToIntOp::create(b, loc, b.getI64Type(),
                                       LLVM::StackSaveOp::create(b, loc, ptr));
  Value stride =
      loadContext(offsetof(PtxjitKernelContext, localStride), b.getI64Type());
  Value bottom = s.add(localBase, s.mul(stride, s.resize(strand, 64, false)));
  Value room =
      s.sub(top, s.add(bottom, s.intConstant(64, layout.stackReserve())));
  Value full =
      s.cmp(CmpIPredicate::slt, room, bytes ? bytes : s.intConstant(64, 0));
  if (bytes) // as a signed number it may be anything
    full =
        s.bitOr(full, s.cmp(CmpIPredicate::slt, bytes, s.intConstant(64, 0)));
  auto overflow = scf::IfOp::create(b, loc, full, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(overflow.thenBlock());
  emitFault(PTXJIT_KERNEL_STACK_OVERFLOW, s.intConstant(32, 1), Value());
}

/// ISA: "stack manipulation". Only where each thread has a stack.
LogicalResult Packetizer::emitStackOp(Operation &op) {
  ChunkBuilder s = scalar();
  auto ptr = LLVM::LLVMPointerType::get(b.getContext());
  auto toLocal = [&](Value pointer, Value as) {
    Value address = LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), pointer);
    setBase(as, s.resize(s.sub(address, localBase), ChunkBuilder::widthOf(as),
                         false));
    return success();
  };
  if (auto alloca = dyn_cast<AllocaOp>(op)) {
    Value bytes = s.resize(base(alloca.getA()), 64, false);
    emitStackTest(bytes);
    APInt align(32, 8);
    bool ok =
        !alloca.getB() || matchPattern(alloca.getB(), m_ConstantInt(&align));
    if (!ok || !align.isPowerOf2() || align.ugt(1 << 16))
      return op.emitError(
          "the alignment of 'alloca' must be a constant power of "
          "two up to 65536");
    return toLocal(LLVM::AllocaOp::create(b, loc, ptr, b.getI8Type(), bytes,
                                          unsigned(align.getZExtValue())),
                   alloca.getD());
  }
  if (auto save = dyn_cast<StackSaveOp>(op))
    return toLocal(LLVM::StackSaveOp::create(b, loc, ptr), save.getD());
  auto restore = cast<StackRestoreOp>(op);
  Value address = s.add(s.resize(base(restore.getA()), 64, false), localBase);
  LLVM::StackRestoreOp::create(b, loc, toPointer(address));
  return success();
}

/// Where each thread has a stack, that is where its variables are.
Value Packetizer::frameAddress(VarOp var) {
  Value &address = stackVariables[var.getSymName()];
  if (address)
    return address;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointAfterValue(localBase);
  auto ptr = LLVM::LLVMPointerType::get(b.getContext());
  Value one = arith::ConstantIntOp::create(b, loc, 1, 32);
  Value memory = LLVM::AllocaOp::create(
      b, loc, ptr,
      LLVM::LLVMArrayType::get(b.getI8Type(), uint64_t(var.getBytes())), one,
      unsigned(std::max<int64_t>(var.getAlign(), 16)));
  address = scalar().sub(
      LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), memory), localBase);
  return address;
}
