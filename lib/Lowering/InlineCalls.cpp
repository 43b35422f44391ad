//===- InlineCalls.cpp - inline functions into kernels --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A warp in lockstep has one control flow, so functions become part of their
// kernel. An indirect call tests the address against each function that it may
// mean, and lanes with different targets diverge like at any other branch.
// Calls of recursive functions and of functions with `alloca` remain, and so do
// calls that would make the kernel too large.
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Lowering/Passes.h"
#include "ptxjit/Lowering/Remarks.h"
#include "ptxjit/Runtime/KernelABI.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "inline-calls"

namespace ptxjit {
#define GEN_PASS_DEF_INLINECALLSPASS
#include "ptxjit/Lowering/Passes.h.inc"
} // namespace ptxjit

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

namespace {
struct InlineCallsPass
    : public ptxjit::impl::InlineCallsPassBase<InlineCallsPass> {
  using Base::Base;

  void runOnOperation() override {
    symbols.emplace(getOperation());
    for (auto [i, func] : llvm::enumerate(getOperation().getOps<FuncOp>()))
      numbers[func] = i;
    findAddressTaken();
    for (FuncOp func : getOperation().getOps<FuncOp>()) {
      if (func.isBodiless())
        continue;
      resolveParamSpace(func);
      expandIndirectCalls(func);
    }
    for (VarOp var : getOperation().getOps<VarOp>())
      if (var.getSpace() == Space::Param)
        var.setSpace(Space::Local);
    lowerFunctionAddresses();
    for (FuncOp func : getOperation().getOps<FuncOp>())
      if (func.getEntry() && !func.isBodiless())
        inlineInto(func);
    eraseUncalled();
    remarkCounts(getOperation(), "ptx-inline-calls",
                 {{"calls replaced by a body", numInlined},
                  {"indirect calls resolved", numIndirect}});
  }

  FuncOp lookup(FlatSymbolRefAttr name) {
    return symbols->lookup<FuncOp>(name.getAttr());
  }

  //===--------------------------------------------------------------------===//
  // Addresses
  //===--------------------------------------------------------------------===//

  void findAddressTaken() {
    auto note = [&](FlatSymbolRefAttr name) {
      if (FuncOp func = lookup(name))
        addressTaken.insert(func);
    };
    getOperation().walk([&](Operation *op) {
      if (auto address = dyn_cast<AddressOfOp>(op))
        note(address.getSymbolAttr());
      if (auto var = dyn_cast<VarOp>(op); var && var.getRelocsAttr())
        for (Attribute reloc : var.getRelocsAttr())
          note(cast<FlatSymbolRefAttr>(cast<ArrayAttr>(reloc)[2]));
    });
  }

  Value functionAddress(OpBuilder &b, Location loc, Type type, FuncOp func) {
    return arith::ConstantOp::create(
        b, loc,
        b.getIntegerAttr(type, PTXJIT_FUNCTION_ADDRESS(numbers.lookup(func))));
  }

  void lowerFunctionAddresses() {
    SmallVector<AddressOfOp> addresses;
    getOperation().walk([&](AddressOfOp op) {
      if (lookup(op.getSymbolAttr()))
        addresses.push_back(op);
    });
    for (AddressOfOp op : addresses) {
      OpBuilder b(op);
      op.replaceAllUsesWith(functionAddress(b, op.getLoc(), op.getType(),
                                            lookup(op.getSymbolAttr())));
      op.erase();
    }
  }

  /// `.param` means the parameters of a kernel, or a variable that is passed
  /// between functions. The latter is local memory.
  static void resolveParamSpace(FuncOp func) {
    func.walk([&](SpaceOpInterface op) {
      std::optional<Space> space = op.getAddressSpace();
      if (space != Space::Param && space != Space::ParamFunc)
        return;
      // These ops mean the parameters of the kernel, in functions too.
      bool ofKernel = func.getEntry() || isa<CvtaOp, IsSpacepOp>(op);
      bool travels = !ofKernel || isa<StOp>(op) || space == Space::ParamFunc ||
                     isVariable(op->getOperand(0));
      if (travels)
        op.setAddressSpace(Space::Local);
    });
  }
  static bool isVariable(Value address) {
    while (auto add = address.getDefiningOp<arith::AddIOp>())
      address = add.getLhs();
    return address.getDefiningOp<AddressOfOp>() != nullptr;
  }

  //===--------------------------------------------------------------------===//
  // Indirect calls
  //===--------------------------------------------------------------------===//

  static bool sameFormals(ArrayAttr a, ArrayRef<Attribute> b) {
    return a.size() == b.size() && llvm::all_of(llvm::zip(a, b), [](auto pair) {
             return cast<ParamAttr>(std::get<0>(pair)).getBytes() ==
                    cast<ParamAttr>(std::get<1>(pair)).getBytes();
           });
  }

  /// The functions that an indirect call may mean.
  SmallVector<FuncOp> candidatesOf(CallOp call) {
    SmallVector<FuncOp> list;
    if (auto names = call.getCandidates()) {
      for (Attribute name : *names)
        if (FuncOp func = lookup(cast<FlatSymbolRefAttr>(name));
            !llvm::is_contained(list, func))
          list.push_back(func);
      return list;
    }
    auto params = cast<ArrayAttr>((*call.getFormals())[0]);
    auto results = cast<ArrayAttr>((*call.getFormals())[1]);
    for (FuncOp func : addressTaken)
      if (!func.getEntry() &&
          sameFormals(params, func.getParams().getValue()) &&
          sameFormals(results, func.getResults().getValue()))
        list.push_back(func);
    return list;
  }

  /// if (target == &f) f(); else if (target == &g) g(); else trap
  void expandIndirectCalls(FuncOp func) {
    SmallVector<CallOp> calls;
    func.walk([&](CallOp call) {
      if (call.getTarget())
        calls.push_back(call);
    });
    for (CallOp call : calls) {
      ++numIndirect;
      Location loc = call.getLoc();
      Block *block = call->getBlock();
      Block *behind = block->splitBlock(std::next(call->getIterator()));
      OpBuilder b(func.getContext());
      for (FuncOp callee : candidatesOf(call)) {
        b.setInsertionPointToEnd(block);
        Value same = arith::CmpIOp::create(
            b, loc, arith::CmpIPredicate::eq, call.getTarget(),
            functionAddress(b, loc, call.getTarget().getType(), callee));
        Block *then = b.createBlock(behind);
        auto direct = cast<CallOp>(b.clone(*call));
        direct.getTargetMutable().clear();
        direct.removeCandidatesAttr();
        direct.removeFormalsAttr();
        direct.setCalleeAttr(FlatSymbolRefAttr::get(callee));
        cf::BranchOp::create(b, loc, behind);
        Block *otherwise = b.createBlock(behind);
        b.setInsertionPointToEnd(block);
        cf::CondBranchOp::create(b, loc, same, then, otherwise);
        block = otherwise;
      }
      b.setInsertionPointToEnd(block);
      TrapOp::create(b, loc);
      call.erase();
    }
  }

  //===--------------------------------------------------------------------===//
  // Inlining
  //===--------------------------------------------------------------------===//

  /// What is known of a function whose own calls have been inlined.
  struct Body {
    unsigned ops = 0;
    /// What it gets from `alloca` is freed when it returns, so it must stay a
    /// function.
    bool usesStack = false;
  };

  static Body measure(FuncOp func) {
    Body body;
    func.walk([&](Operation *op) {
      ++body.ops;
      body.usesStack |= op->hasTrait<UsesStack>();
    });
    return body;
  }

  /// Inlines into the callees first, so that they are complete when they are
  /// copied.
  void inlineInto(FuncOp func) {
    if (!visited.insert(func).second)
      return;
    active.insert(func);
    SmallVector<CallOp> calls, chosen;
    func.walk([&](CallOp call) { calls.push_back(call); });
    for (CallOp call : calls)
      if (mayInline(func, call))
        chosen.push_back(call);
    // The last one first: what is behind a call moves to another block, and
    // would move again for each later call.
    for (CallOp call : llvm::reverse(chosen)) {
      ++numInlined;
      LDBG() << "inlines the call at " << call.getLoc();
      inlineCall(call, lookup(call.getCalleeAttr()));
    }
    bodies[func] = measure(func);
    active.remove(func);
  }

  /// Decides whether `call` becomes part of `func`, and counts its ops.
  bool mayInline(FuncOp func, CallOp call) {
    FuncOp callee = lookup(call.getCalleeAttr());
    if (callee.isBodiless())
      return false;
    inlineInto(callee);
    const Body &body = bodies[callee];
    if (active.contains(callee) || kept.contains(callee) || body.usesStack) {
      kept.insert(callee);
      return false;
    }
    if (sizes[func] + body.ops > sizeLimit)
      return false;
    sizes[func] += body.ops;
    return true;
  }

  /// Moves the registers of an inlined body to the caller and sets them to 0.
  /// Each call has registers of its own, which are 0 until they are written; in
  /// a loop they must not keep the values of the call before.
  static void clearRegisters(OpBuilder &b, Block *entry) {
    for (RegOp reg : llvm::make_early_inc_range(entry->getOps<RegOp>())) {
      reg->moveBefore(b.getBlock(), b.getInsertionPoint());
      auto type = cast<SlotType>(reg.getType()).getElement();
      Value zero = arith::ConstantOp::create(
          b, reg.getLoc(), cast<TypedAttr>(b.getZeroAttr(type)));
      WriteOp::create(b, reg.getLoc(), zero, reg.getSlot());
    }
  }

  void inlineCall(CallOp call, FuncOp callee) {
    Block *block = call->getBlock();
    Block *behind = block->splitBlock(std::next(call->getIterator()));
    IRMapping mapping;
    callee.getBody().cloneInto(block->getParent(), behind->getIterator(),
                               mapping);
    Block *entry = mapping.lookup(&callee.getBody().front());
    OpBuilder b = OpBuilder::atBlockEnd(block);
    clearRegisters(b, entry);
    cf::BranchOp::create(b, call.getLoc(), entry);
    for (Block &original : callee.getBody()) {
      Block *copy = mapping.lookup(&original);
      if (auto ret = dyn_cast<RetOp>(copy->getTerminator())) {
        b.setInsertionPoint(ret);
        cf::BranchOp::create(b, ret.getLoc(), behind);
        ret.erase();
      }
      copy->walk([&](ParamAddressOp formal) {
        auto places = formal.getIsResult() ? call.getResults() : call.getArgs();
        formal.replaceAllUsesWith(places[formal.getIndex()]);
        formal.erase();
      });
    }
    call.erase();
  }

  /// Erases functions that no kernel calls, and kernels without a body: a large
  /// module declares many, which the passes behind would visit.
  void eraseUncalled() {
    llvm::SetVector<FuncOp> called;
    for (FuncOp func : getOperation().getOps<FuncOp>())
      if (func.getEntry() && !func.isBodiless())
        called.insert(func);
    for (unsigned i = 0; i < called.size(); ++i) {
      FuncOp caller = called[i];
      caller.walk(
          [&](CallOp call) { called.insert(lookup(call.getCalleeAttr())); });
    }
    for (FuncOp func :
         llvm::make_early_inc_range(getOperation().getOps<FuncOp>()))
      if (!called.contains(func))
        func.erase();
  }

  std::optional<SymbolTable> symbols; ///< until functions are erased
  unsigned numInlined = 0, numIndirect = 0;
  DenseMap<FuncOp, unsigned> numbers, sizes;
  DenseMap<FuncOp, Body> bodies; ///< of complete functions
  llvm::SetVector<FuncOp> addressTaken, active;
  /// `kept` functions are not inlined: they are recursive, or use their stack.
  DenseSet<FuncOp> visited, kept;
};
} // namespace
