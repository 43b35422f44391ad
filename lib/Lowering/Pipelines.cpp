//===- Pipelines.cpp - the stages of the compiler -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Lowering/Pipelines.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "ptxjit/Analysis/InferShape.h"
#include "ptxjit/Lowering/Passes.h"

using namespace mlir;
using namespace ptxjit;

void ptxjit::buildNormalizePipeline(OpPassManager &pm) {
  pm.addPass(createInlineCallsPass());
  OpPassManager &func = pm.nest<ptx::FuncOp>();
  func.addPass(createRefuseUnloweredPass());
  func.addPass(createExpandInstructionsPass());
  func.addPass(createPromoteLocalsPass());
  func.addPass(createExpandGuardsPass());
  func.addPass(createUnifyExitsPass());
  func.addPass(createPromoteRegistersPass());
  func.addPass(createFoldAssertionsPass());
  // No canonicalizer here: on graphs with many tangled loops that of LLVM 22
  // frees operations that are still in its worklist (found by random programs;
  // test/Execution/tangled-loops.ptx). It runs later, on regions.
  func.addPass(createCSEPass());
}

template <typename OpT>
static std::unique_ptr<Pass> setTarget(std::unique_ptr<Pass> pass,
                                       const KernelTarget &target) {
  static_cast<TargetPass<OpT> &>(*pass).setTarget(target);
  return pass;
}

/// The most times that the canonicalizer goes through a kernel. Two do for all
/// kernels of the benchmark. Each further one removes results that nobody uses
/// from one more level of nested conditionals, and LLVM removes those, too.
static constexpr int64_t kMostCanonicalizations = 4;

void ptxjit::buildStructurePipeline(OpPassManager &pm,
                                    const KernelTarget &target) {
  OpPassManager &func = pm.nest<ptx::FuncOp>();
  func.addPass(createStructureControlFlowPass());
  GreedyRewriteConfig config;
  config.setMaxIterations(kMostCanonicalizations);
  func.addPass(createCanonicalizerPass(config, {kMergesEqualLoopValues.str()}));
  // Code that is wanted fast is as small without: 64 bytes of the benchmark's
  // 457 KB.
  if (!target.quick)
    func.addPass(createCSEPass());
  func.addPass(setTarget<ptx::FuncOp>(createAbsorbTailsPass(), target));
  func.addPass(createInsertYieldsPass());
  func.addPass(setTarget<ptx::FuncOp>(createOrderSharedPass(), target));
  func.addPass(createInterleaveLocalsPass());
  func.addPass(createSettleSumsPass());
}

void ptxjit::buildMaskPipeline(OpPassManager &pm, const KernelTarget &target) {
  OpPassManager &func = pm.nest<ptx::FuncOp>();
  func.addPass(setTarget<ptx::FuncOp>(createInterchangeTurnsPass(), target));
  func.addPass(setTarget<ptx::FuncOp>(createJamLoopsPass(), target));
  func.addPass(setTarget<ptx::FuncOp>(createSimplifyIndicesPass(), target));
  func.addPass(setTarget<ptx::FuncOp>(createJoinGuardsPass(), target));
  func.addPass(setTarget<ptx::FuncOp>(createPrefetchCtasPass(), target));
  func.addPass(setTarget<ptx::FuncOp>(createSplitInductionsPass(), target));
  func.addPass(setTarget<ptx::FuncOp>(createPrefetchTurnsPass(), target));
  func.addPass(setTarget<ptx::FuncOp>(createHoistLoadsPass(), target));
  func.addPass(setTarget<ptx::FuncOp>(createLinearizePass(), target));
}

void ptxjit::buildPacketizePipeline(OpPassManager &pm,
                                    const KernelTarget &target) {
  pm.nest<ptx::FuncOp>().addPass(
      setTarget<ptx::FuncOp>(createCombineAccessesPass(), target));
  pm.addPass(setTarget<ModuleOp>(createPacketizePass(), target));
  // Code that is wanted fast has as few instructions without this pass, which
  // takes a tenth of its time. For other code, the size decides on the effort.
  if (!target.quick)
    pm.addPass(createCSEPass());
}

void ptxjit::buildLowerToLLVMPipeline(OpPassManager &pm) {
  pm.addPass(createLowerToLLVMPass());
  // Debug scopes tell faults, debuggers and profilers the PTX line of an
  // address.
  pm.addPass(LLVM::createDIScopeForLLVMFuncOpPass());
}

namespace {

/// The options of a stage: those of a KernelTarget, named like those of passes.
struct StageOptions : PassPipelineOptions<StageOptions> {
  PTXJIT_DECLARE_TARGET_OPTIONS
};

using ReportFn = function_ref<LogicalResult(const Twine &)>;
using BuildFn = void (*)(OpPassManager &, const KernelTarget &);

/// Registers a stage that has a KernelTarget as options. `build` is not called
/// if the options are invalid.
void registerStage(StringRef flag, StringRef description, BuildFn build) {
  registerPassPipeline(
      flag, description,
      [build](OpPassManager &pm, StringRef text, ReportFn report) {
        StageOptions options;
        if (failed(options.parseFromString(text)))
          return failure();
        auto target = options.getTarget();
        if (!target)
          return report(llvm::toString(target.takeError()));
        build(pm, *target);
        return success();
      },
      [](function_ref<void(const mlir::detail::PassOptions &)> show) {
        show(StageOptions());
      });
}

void buildToLLVM(OpPassManager &pm, const KernelTarget &target) {
  buildNormalizePipeline(pm);
  buildStructurePipeline(pm, target);
  buildMaskPipeline(pm, target);
  buildPacketizePipeline(pm, target);
  buildLowerToLLVMPipeline(pm);
}

} // namespace

void ptxjit::registerPipelines() {
  registerPtxJitPasses();
  PassPipelineRegistration<>("ptx-normalize", "registers to SSA, no guards",
                             buildNormalizePipeline);
  registerStage("ptx-structure", "control flow to regions",
                buildStructurePipeline);
  registerStage("ptx-mask", "divergence to masks", buildMaskPipeline);
  registerStage("ptx-to-llvm", "all stages", buildToLLVM);
}

void ptxjit::registerLoweringDialects(DialectRegistry &registry) {
  registry.insert<ptx::PtxDialect, arith::ArithDialect, cf::ControlFlowDialect,
                  scf::SCFDialect, math::MathDialect, vector::VectorDialect,
                  LLVM::LLVMDialect>();
  registerShapeRules(registry);
}
