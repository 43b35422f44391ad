//===- Calls.cpp - calls of functions and of the system -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Calls.h"
#include "Addresses.h"
#include "Dispatch.h"
#include "Faults.h"
#include "LaneLoops.h"
#include "Masks.h"
#include "WarpMemory.h"

#include "ptxjit/Dialect/SystemFunctions.h"
#include "ptxjit/Lowering/Pipelines.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

//===----------------------------------------------------------------------===//
// Functions of the program
//===----------------------------------------------------------------------===//

LLVM::LLVMFuncOp ptxjit::declareFunction(WarpBuilder &warp, FuncOp callee) {
  auto module = warp.func->getParentOfType<ModuleOp>();
  std::string symbol = ("ptxjit_function." + callee.getSymName()).str();
  if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(symbol))
    return known;
  auto ptr = LLVM::LLVMPointerType::get(warp.b.getContext());
  SmallVector<Type> types = {ptr, warp.b.getI32Type()};
  types.append(callee.getParams().size() + callee.getResults().size(),
               warp.b.getI64Type());
  OpBuilder::InsertionGuard guard(warp.b);
  warp.b.setInsertionPointToStart(module.getBody());
  return LLVM::LLVMFuncOp::create(
      warp.b, callee.getLoc(), symbol,
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(warp.b.getContext()),
                                  types));
}

/// Emits one call of the runtime for the lanes of a mask, which asks for its
/// arguments behind `arguments`.
static void callSystem(WarpBuilder &warp, Operation *call, Value mask,
                       uint32_t function, Value arguments) {
  ChunkBuilder s = warp.scalar();
  uint32_t narrow = hasNarrowAddresses(call) ? PTXJIT_SYSTEM_NARROW : 0;
  // A thread with a strand of its own is lane 0 of it.
  Value lanes = warp.perThread() ? s.intConstant(32, 1) : warp.activeBits(mask);
  Value done =
      warp.callHelper(offsetof(PtxjitHelpers, system),
                      {warp.kernel.strand, s.intConstant(32, function | narrow),
                       lanes, arguments});
  done.getDefiningOp()->setAttr(
      kSystemAttr,
      warp.b.getI32IntegerAttr(int32_t(function & ~PTXJIT_SYSTEM_SAME)));
}

static void failAssertion(WarpBuilder &warp, Value mask) {
  emitFault(warp, PTXJIT_KERNEL_ASSERT, warp.activeBits(mask), Value());
}

/// Emits one call of the runtime for all lanes, with the addresses of their
/// arguments and results.
static LogicalResult emitSystemCall(WarpBuilder &warp, CallOp call,
                                    PtxjitSystemFunction function) {
  SmallVector<Value> formals(call.getArgs());
  llvm::append_range(formals, call.getResults());
  static_assert(PTXJIT_SYSTEM_LANES == 32);
  constexpr int64_t bytesEach = PTXJIT_SYSTEM_LANES * sizeof(uint64_t);
  StackBuffer places =
      takeBuffer(warp, int64_t(PTXJIT_SYSTEM_MOST_PARAMS) * bytesEach);
  for (auto [i, formal] : llvm::enumerate(formals)) {
    LaneAddress address = resolve(warp, formal, Space::Local, 0);
    storeLanes(warp, placeIn(warp, places.pointer, int64_t(i) * bytesEach), 64,
               [&](unsigned c) { return address.vectors(c); });
  }
  callSystem(warp, call, call.getMask(), function, places.pointer);
  giveBack(warp, places);
  // By now all lanes have reported their failures.
  if (function == PTXJIT_SYSTEM_ASSERT)
    ifActive(warp, call.getMask(),
             [&] { failAssertion(warp, call.getMask()); });
  return success();
}

static LogicalResult emitAssertFail(WarpBuilder &warp, AssertFailOp op) {
  ifActive(warp, op.getMask(), [&] {
    Value arguments[] = {op.getMessage(), op.getFile(), op.getLine(),
                         op.getFunction(), op.getCharSize()};
    constexpr int64_t bytesEach = sizeof(uint64_t);
    StackBuffer buffer =
        takeBuffer(warp, int64_t(std::size(arguments)) * bytesEach);
    for (auto [i, argument] : llvm::enumerate(arguments))
      warp.create<LLVM::StoreOp>(
          warp.scalar().resize(warp.base(argument), 64, false),
          placeIn(warp, buffer.pointer, int64_t(i) * bytesEach));
    callSystem(warp, op, op.getMask(),
               PTXJIT_SYSTEM_ASSERT | PTXJIT_SYSTEM_SAME, buffer.pointer);
    giveBack(warp, buffer);
    failAssertion(warp, op.getMask());
  });
  return success();
}

/// Emits a call of a function that this module does not define.
static LogicalResult emitExternalCall(WarpBuilder &warp, CallOp call,
                                      FuncOp callee) {
  const SystemFunction *known = findSystemFunction(callee.getSymName());
  if (!known)
    return call.emitError()
           << "function '" << *call.getCallee()
           << "' has no body in this module, and the system has "
              "none of that name";
  if (!known->isDeclaredBy(callee))
    return call.emitError() << "'" << *call.getCallee()
                            << "' is declared with other parameters than the "
                               "system's function has";
  return emitSystemCall(warp, call, PtxjitSystemFunction(known->number));
}

static LogicalResult emitCall(WarpBuilder &warp, CallOp call) {
  auto callee = warp.func->getParentOfType<ModuleOp>().lookupSymbol<FuncOp>(
      call.getCalleeAttr().getAttr());
  if (callee.isBodiless())
    return emitExternalCall(warp, call, callee);
  if (!warp.perThread())
    return call.emitError(
        "a call is left in a kernel whose lanes run together");
  ChunkBuilder s = warp.scalar();
  SmallVector<Value> arguments = {warp.kernel.context, warp.kernel.strand};
  for (Value place :
       llvm::concat<const Value>(SmallVector<Value>(call.getArgs()),
                                 SmallVector<Value>(call.getResults())))
    arguments.push_back(s.resize(warp.base(place), 64, false));
  warp.create<LLVM::CallOp>(declareFunction(warp, callee), arguments);
  return success();
}

static LogicalResult emitRaise(WarpBuilder &warp, RaiseOp op) {
  // Some lane is active, or this code would not run.
  emitFault(warp, PTXJIT_KERNEL_TRAP, warp.activeBits(op.getMask()), Value());
  return success();
}

static LogicalResult emitLeave(WarpBuilder &warp, LeaveOp) {
  warp.callForGood(offsetof(PtxjitHelpers, leave), {warp.kernel.strand});
  return success();
}

void ptxjit::addCallEmitters(Dispatch &dispatch) {
  dispatch.add<emitAssertFail>();
  dispatch.add<emitCall>();
  dispatch.add<emitRaise>();
  dispatch.add<emitLeave>();
}
