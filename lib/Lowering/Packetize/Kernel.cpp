//===- Kernel.cpp - the packetizer pass -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Accesses.h"
#include "Calls.h"
#include "CtaSweep.h"
#include "Dispatch.h"
#include "Fission.h"
#include "MatrixHomes.h"
#include "Regions.h"
#include "ThreadStack.h"
#include "Turns.h"
#include "WarpTeams.h"
#include "ptxjit/Lowering/Passes.h"
#include "ptxjit/Lowering/Pipelines.h"
#include "ptxjit/Lowering/Remarks.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Iterators.h"
#include "llvm/Support/SaveAndRestore.h"

namespace ptxjit {
#define GEN_PASS_DEF_PACKETIZEPASS
#include "ptxjit/Lowering/Passes.h.inc"
} // namespace ptxjit

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

/// Opens the body of a function and emits its prologue. Further code goes
/// behind it.
static Block *enterFunction(WarpBuilder &warp, LLVM::LLVMFuncOp out) {
  Block *entry = out.addEntryBlock(warp.b);
  warp.b.setInsertionPointToStart(entry);
  warp.create<LLVM::ReturnOp>(ValueRange());
  warp.b.setInsertionPoint(entry->getTerminator());
  warp.buildPrologue(entry->getArgument(0));
  return entry;
}

/// Emits the loop over the warps, which run `ops`. Teams cover all warps of the
/// CTA, so they need an entry point that is called for the whole CTA.
/// \param mustSweep  the order among the CTAs does not matter, and a call runs
///   several.
static LogicalResult emitWarpLoop(WarpBuilder &warp, Block *entry,
                                  ArrayRef<Operation *> ops,
                                  bool mustSweep = false) {
  const ShapeContext &context = warp.shapes.getContext();
  bool sweeps = mustSweep || maySweep(warp, ops);
  // Warps that run one after another share one frame of local memory.
  if (mayFormTeams(context, warp.target) && !warp.layout.localBytes) {
    TeamPlanner planner(warp.func, warp.shapes, warp.target);
    TeamPlan plan = planner.plan(ops);
    auto teams = [&] {
      auto nothing = [] { return success(); };
      return emitTeams(warp, plan, ops, {nothing, nothing});
    };
    if (plan.warps > 1 && (plan.straight || mustSweep) && sweeps &&
        !sweepsRows(context)) {
      entry->getParentOp()->setAttr(kSweepsAttr, warp.b.getUnitAttr());
      enterSweptCtas(warp);
      return teams();
    }
    if (plan.warps > 1 && !plan.straight && !mustSweep)
      return teams();
  }
  if (sweeps) {
    entry->getParentOp()->setAttr(kSweepsAttr, warp.b.getUnitAttr());
    return emitSweep(warp, entry->getArgument(1), entry->getArgument(2), ops);
  }
  Value number = warp.create<arith::ConstantIntOp>(0, 32);
  if (context.threads() > context.lanes) {
    Value one = warp.create<arith::ConstantIntOp>(1, 32);
    auto loop = warp.create<scf::ForOp>(entry->getArgument(1),
                                        entry->getArgument(2), one);
    number = loop.getInductionVar();
    warp.b.setInsertionPointToStart(loop.getBody());
  }
  warp.enterStrand(number);
  keepSumsAtHome(warp);
  return emitScope(warp, ops);
}

/// Emits a kernel that runs turn by turn, in both of its forms.
static LogicalResult emitTurns(WarpBuilder &warp, Block *entry,
                               TurnForms &forms) {
  assert(warp.target.wholeCta && "the turns are of all warps");
  entry->getParentOp()->setAttr(kTurnsAttr, warp.b.getUnitAttr());
  // Each form makes its own values.
  auto emitApart = [&](function_ref<LogicalResult()> emit) {
    llvm::SaveAndRestore ctaid(warp.kernel.ctaid[0]);
    WarpValues::Forms before = warp.values.getForms();
    LogicalResult status = emit();
    warp.values.swapForms(before);
    return status;
  };
  // The choice is the same in all warps, so any of them can tell.
  Value mayTurn;
  auto emitChoice = [&] {
    llvm::SaveAndRestore repeated(warp.isRepeated, true);
    warp.enterStrand(warp.create<arith::ConstantIntOp>(0, 32));
    LogicalResult status = emitScope(warp, forms.front);
    if (succeeded(status))
      mayTurn = warp.base(forms.choice.getCondition());
    return status;
  };
  auto emitTurn = [&] {
    return emitWarpLoop(warp, entry, forms.inTurn, /*mustSweep=*/true);
  };
  auto emitTurnByTurn = [&] { return emitTurnLoop(warp, emitTurn); };
  auto emitWhole = [&] {
    return emitSweep(warp, entry->getArgument(1), entry->getArgument(2),
                     forms.whole);
  };
  if (failed(emitApart(emitChoice)))
    return failure();
  auto choice = warp.create<scf::IfOp>(mayTurn, /*withElseRegion=*/true);
  warp.b.setInsertionPoint(choice.thenYield());
  if (failed(emitApart(emitTurnByTurn)))
    return failure();
  warp.b.setInsertionPoint(choice.elseYield());
  return emitApart(emitWhole);
}

/// Emits the entry point of a kernel: void (context, first warp, end).
/// \param levels  how to split the kernel at its barriers; null: not at all.
static LogicalResult emitKernel(WarpBuilder &warp, const CtaLevel *levels) {
  auto ptr = LLVM::LLVMPointerType::get(warp.b.getContext());
  Type i32 = warp.b.getI32Type();
  auto type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(warp.b.getContext()), {ptr, i32, i32});
  auto out = warp.create<LLVM::LLVMFuncOp>(
      ("ptxjit_kernel." + warp.func.getSymName()).str(), type);
  Block *entry = enterFunction(warp, out);

  auto setArrays = [&](StringRef name, ArrayRef<ParamArray> arrays) {
    SmallVector<int32_t> fields;
    for (const ParamArray &array : arrays)
      fields.append({int32_t(array.param), int32_t(array.bytesPerThread)});
    out->setAttr(name, warp.b.getDenseI32ArrayAttr(fields));
  };
  auto &arrays = warp.state<ParamArrays>();
  setArrays(kWrittenAttr, arrays.stores.getArrays());
  if (arrays.loads && !arrays.loads->getArrays().empty())
    setArrays(kFetchedAttr, arrays.loads->getArrays());

  Block &body = warp.func.getBody().front();
  if (levels) {
    FailureOr<int64_t> frameBytes = emitSplitKernel(warp, *levels, body);
    if (failed(frameBytes))
      return failure();
    warp.frameBytes = uint64_t(*frameBytes);
    out->setAttr(kFrameBytesAttr, warp.b.getI64IntegerAttr(*frameBytes));
    return success();
  }
  if (std::optional<TurnForms> forms = findTurnForms(body))
    return emitTurns(warp, entry, *forms);
  SmallVector<Operation *> ops;
  for (Operation &op : body.without_terminator())
    ops.push_back(&op);
  return emitWarpLoop(warp, entry, ops);
}

/// Emits a function that is called.
static LogicalResult emitFunction(WarpBuilder &warp) {
  Block *entry = enterFunction(warp, declareFunction(warp, warp.func));
  warp.kernel.strand = warp.kernel.linear = entry->getArgument(1);
  warp.kernel.formals.assign(entry->args_begin() + 2, entry->args_end());
  emitStackTest(warp, Value());
  return emitBlock(warp, warp.func.getBody().front());
}

namespace {
struct PacketizePass : public ptxjit::impl::PacketizePassBase<PacketizePass> {
  using Base::Base;

  /// Erases dead ops, users first. CSE cannot be left to do it: it would use a
  /// dead value instead of the equal one that rare code has made anew.
  static void eraseDead(ModuleOp module) {
    module.walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
      if (isOpTriviallyDead(op))
        op->erase();
    });
  }

  /// The layouts of the kernels: one, where a kernel is compiled.
  static SmallVector<KernelLayout, 1> layOutKernels(ModuleOp module) {
    ModuleVariables variables(module);
    SmallVector<KernelLayout, 1> layouts;
    for (FuncOp func : module.getOps<FuncOp>())
      if (func.getEntry() && !func.isBodiless())
        layouts.emplace_back(variables, func);
    return layouts;
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto target = requireTarget();
    if (failed(target))
      return signalPassFailure();
    if (perThread)
      target->chunk = 1;
    Dispatch dispatch(perThread);
    SmallVector<KernelLayout, 1> layouts = layOutKernels(module);
    auto *ofKernel = layouts.begin();
    for (FuncOp func : llvm::make_early_inc_range(module.getOps<FuncOp>())) {
      if (func.isBodiless() || (!func.getEntry() && !perThread))
        continue;
      // A function finds variables where the kernel that calls it has them.
      auto *layout = func.getEntry()
                         ? ofKernel++
                         : llvm::find_if(layouts, [&](const KernelLayout &l) {
                             return l.mayCall(func.getSymName());
                           });
      assert((!func.getEntry() || layout != layouts.end()) &&
             "each kernel has a layout");
      if (layout == layouts.end()) // nothing calls the function any more
        continue;
      ShapeAnalysis shapes(func, target->getShapeContext());
      std::optional<CtaLevel> levels;
      if (fission)
        levels.emplace(func, shapes);
      if (levels && !levels->whyNot().empty()) {
        func.emitError("cannot be split at its barriers: ") << levels->whyNot();
        return signalPassFailure();
      }
      WarpBuilder warp(func, *layout, shapes, *target, dispatch);
      if (failed(func.getEntry() ? emitKernel(warp, levels ? &*levels : nullptr)
                                 : emitFunction(warp)))
        return signalPassFailure();
      AccessCounts &accesses = warp.state<AccessCounts>();
      remarkCounts(
          func, "ptx-packetize",
          {{"accesses", accesses.all},
           {"that may go lane by lane", accesses.slow},
           {"bytes that a CTA keeps across barriers", warp.frameBytes}});
    }
    // Only the compiled functions remain in the module.
    for (Operation &op : llvm::make_early_inc_range(*module.getBody()))
      if (isa<FuncOp, VarOp>(op))
        op.erase();
    eraseDead(module);
  }
};
} // namespace
