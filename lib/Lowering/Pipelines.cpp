//===- Pipelines.cpp - the stages of the compiler -------------------------===//

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
  // Not the canonicalizer: on graphs with many loops through each other LLVM
  // 22's frees operations that are still in its worklist (found by random
  // programs; test/Execution/tangled-loops.ptx). It runs on regions, below.
  func.addPass(createCSEPass());
}

void ptxjit::buildStructurePipeline(OpPassManager &pm) {
  OpPassManager &func = pm.nest<ptx::FuncOp>();
  func.addPass(createStructureControlFlowPass());
  func.addPass(createCanonicalizerPass());
  func.addPass(createCSEPass());
  func.addPass(createInsertYieldsPass());
  func.addPass(createInterleaveLocalsPass());
}

void ptxjit::buildMaskPipeline(OpPassManager &pm, const LaunchShape &shape) {
  LinearizePassOptions options;
  options.block.assign(shape.block.begin(), shape.block.end());
  options.perThread = shape.perThread;
  pm.nest<ptx::FuncOp>().addPass(createLinearizePass(options));
}

void ptxjit::buildPacketizePipeline(OpPassManager &pm, const LaunchShape &shape,
                                    const ChunkTarget &target) {
  PacketizePassOptions options;
  options.chunk = target.chunk;
  options.embeddedRounding = target.embeddedRounding;
  options.dotProducts = target.dotProducts;
  options.fastMatrices = target.fastMatrices;
  options.block.assign(shape.block.begin(), shape.block.end());
  options.smallGrid = shape.smallGrid;
  options.perThread = shape.perThread;
  options.fission = shape.fission;
  pm.addPass(createPacketizePass(options));
  pm.addPass(createCSEPass());
}

void ptxjit::buildLowerToLLVMPipeline(OpPassManager &pm) {
  pm.addPass(createLowerToLLVMPass());
  // For faults, debuggers and profilers: which PTX line an address belongs to.
  pm.addPass(LLVM::createDIScopeForLLVMFuncOpPass());
}

void ptxjit::registerPipelines() {
  registerPtxJitPasses();
  PassPipelineRegistration<>("ptx-normalize", "registers to SSA, no guards",
                             buildNormalizePipeline);
  PassPipelineRegistration<>("ptx-structure", "control flow to regions",
                             buildStructurePipeline);
  PassPipelineRegistration<>(
      "ptx-mask", "divergence to masks, 32x1x1 threads",
      [](OpPassManager &pm) { buildMaskPipeline(pm, LaunchShape()); });
  PassPipelineRegistration<>(
      "ptx-to-llvm", "all stages, chunk 8, 32x1x1 threads",
      [](OpPassManager &pm) {
        buildNormalizePipeline(pm);
        buildStructurePipeline(pm);
        buildMaskPipeline(pm, LaunchShape());
        buildPacketizePipeline(pm, LaunchShape(), ChunkTarget());
        buildLowerToLLVMPipeline(pm);
      });
}

void ptxjit::registerLoweringDialects(DialectRegistry &registry) {
  registry.insert<ptx::PtxDialect, arith::ArithDialect, cf::ControlFlowDialect,
                  scf::SCFDialect, math::MathDialect, vector::VectorDialect,
                  LLVM::LLVMDialect>();
}
