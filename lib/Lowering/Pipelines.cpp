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
#include "ptxjit/Analysis/InferShape.h"
#include "ptxjit/Lowering/BlockOption.h"
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
  CombineAccessesPassOptions combine;
  combine.block.assign(shape.block.begin(), shape.block.end());
  combine.smallGrid = shape.smallGrid;
  combine.perThread = shape.perThread;
  pm.nest<ptx::FuncOp>().addPass(createCombineAccessesPass(combine));
  pm.addPass(createPacketizePass(options));
  pm.addPass(createCSEPass());
}

void ptxjit::buildLowerToLLVMPipeline(OpPassManager &pm) {
  pm.addPass(createLowerToLLVMPass());
  // For faults, debuggers and profilers: which PTX line an address belongs to.
  pm.addPass(LLVM::createDIScopeForLLVMFuncOpPass());
}

namespace {

/// LaunchShape and ChunkTarget as options; those of the passes, by their names.
struct MaskOptions : PassPipelineOptions<MaskOptions> {
  ListOption<unsigned> block{*this, "block",
                             llvm::cl::desc("block extents x,y,z")};
  Option<bool> perThread{*this, "per-thread",
                         llvm::cl::desc("threads run one by one")};
};

struct ToLLVMOptions : PassPipelineOptions<ToLLVMOptions> {
  ListOption<unsigned> block{*this, "block",
                             llvm::cl::desc("block extents x,y,z")};
  Option<bool> perThread{*this, "per-thread",
                         llvm::cl::desc("threads run one by one")};
  Option<bool> fission{*this, "fission",
                       llvm::cl::desc("split kernels at their barriers")};
  Option<bool> smallGrid{
      *this, "small-grid",
      llvm::cl::desc("grid extent times block extent fits in 31 bits"),
      llvm::cl::init(LaunchShape().smallGrid)};
  Option<unsigned> chunk{*this, "chunk",
                         llvm::cl::desc("lanes per vector: 1, 4, 8 or 16"),
                         llvm::cl::init(ChunkTarget().chunk)};
  Option<bool> embeddedRounding{*this, "embedded-rounding",
                                llvm::cl::desc("AVX-512 embedded rounding")};
  Option<bool> dotProducts{*this, "dot-products",
                           llvm::cl::desc("AVX-512 VNNI and BF16")};
  Option<bool> fastMatrices{
      *this, "fast-matrices",
      llvm::cl::desc("multiplications of matrices as the CPU does them")};
};

using ReportFn = function_ref<LogicalResult(const Twine &)>;

/// A stage with options, which `build` makes if the block is a block.
template <typename Options>
void registerStage(StringRef flag, StringRef description,
                   void (*build)(OpPassManager &, const LaunchShape &,
                                 const Options &)) {
  registerPassPipeline(
      flag, description,
      [build](OpPassManager &pm, StringRef text, ReportFn report) {
        Options options;
        if (failed(options.parseFromString(text)))
          return failure();
        LaunchShape shape;
        auto block = readBlock(options.block);
        if (!block)
          return report(llvm::toString(block.takeError()));
        shape.block = *block;
        shape.perThread = options.perThread;
        build(pm, shape, options);
        return success();
      },
      [](function_ref<void(const mlir::detail::PassOptions &)> show) {
        show(Options());
      });
}

void buildMask(OpPassManager &pm, const LaunchShape &shape,
               const MaskOptions &) {
  buildMaskPipeline(pm, shape);
}

void buildToLLVM(OpPassManager &pm, const LaunchShape &launch,
                 const ToLLVMOptions &options) {
  LaunchShape shape = launch;
  shape.fission = options.fission;
  shape.smallGrid = options.smallGrid;
  ChunkTarget target;
  target.chunk = options.chunk;
  target.embeddedRounding = options.embeddedRounding;
  target.dotProducts = options.dotProducts;
  target.fastMatrices = options.fastMatrices;
  buildNormalizePipeline(pm);
  buildStructurePipeline(pm);
  buildMaskPipeline(pm, shape);
  buildPacketizePipeline(pm, shape, target);
  buildLowerToLLVMPipeline(pm);
}

} // namespace

void ptxjit::registerPipelines() {
  registerPtxJitPasses();
  PassPipelineRegistration<>("ptx-normalize", "registers to SSA, no guards",
                             buildNormalizePipeline);
  PassPipelineRegistration<>("ptx-structure", "control flow to regions",
                             buildStructurePipeline);
  registerStage<MaskOptions>("ptx-mask", "divergence to masks", buildMask);
  registerStage<ToLLVMOptions>("ptx-to-llvm", "all stages", buildToLLVM);
}

void ptxjit::registerLoweringDialects(DialectRegistry &registry) {
  registry.insert<ptx::PtxDialect, arith::ArithDialect, cf::ControlFlowDialect,
                  scf::SCFDialect, math::MathDialect, vector::VectorDialect,
                  LLVM::LLVMDialect>();
  registerShapeRules(registry);
}
