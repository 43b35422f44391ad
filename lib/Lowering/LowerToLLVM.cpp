//===- LowerToLLVM.cpp - convert all ops to the llvm dialect --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Lowering/Passes.h"
#include "ptxjit/Lowering/Remarks.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Rewrite/PatternApplicator.h"
#include "mlir/Transforms/DialectConversion.h"

namespace ptxjit {
#define GEN_PASS_DEF_LOWERTOLLVMPASS
#include "ptxjit/Lowering/Passes.h.inc"
} // namespace ptxjit

using namespace mlir;

/// Replaces structured control flow by branches. Each op splits its block, and
/// all ops behind it move to another one. So the last op of a block is replaced
/// first: else the time would grow with the square of the block's length, as it
/// does in MLIR's pass, which also keeps a record of each op that moves. The
/// patterns expect regions of one block, so outer ops are replaced before inner
/// ones.
static LogicalResult lowerControlFlow(ModuleOp module) {
  RewritePatternSet list(module.getContext());
  populateSCFToControlFlowConversionPatterns(list);
  FrozenRewritePatternSet patterns(std::move(list));
  PatternApplicator applicator(patterns);
  applicator.applyDefaultCostModel();
  SmallVector<Operation *> ops;
  module.walk<WalkOrder::PreOrder, ReverseIterator>([&](Operation *op) {
    if (isa<scf::SCFDialect>(op->getDialect()) &&
        !op->hasTrait<OpTrait::IsTerminator>())
      ops.push_back(op);
  });
  PatternRewriter rewriter(module.getContext());
  for (Operation *op : ops) {
    rewriter.setInsertionPoint(op);
    if (failed(applicator.matchAndRewrite(op, rewriter)))
      return op->emitError("this control flow cannot be lowered");
  }
  return success();
}

namespace {
/// Replaces ops that LLVM has under another name, with the same operands and
/// types. Nine ops of ten are such. MLIR's conversion asks for each whether it
/// is legal and which patterns there are, and notes how to undo them: that was
/// a third of the time of all lowering. What is left is left to it.
class Renamer {
public:
  explicit Renamer(MLIRContext *context) : context(context) {
    add<arith::AddIOp, LLVM::AddOp>();
    add<arith::SubIOp, LLVM::SubOp>();
    add<arith::MulIOp, LLVM::MulOp>();
    add<arith::AndIOp, LLVM::AndOp>();
    add<arith::OrIOp, LLVM::OrOp>();
    add<arith::XOrIOp, LLVM::XOrOp>();
    add<arith::ShLIOp, LLVM::ShlOp>();
    add<arith::ShRSIOp, LLVM::AShrOp>();
    add<arith::ShRUIOp, LLVM::LShrOp>();
    add<arith::ExtSIOp, LLVM::SExtOp>();
    add<arith::ExtUIOp, LLVM::ZExtOp>();
    add<arith::TruncIOp, LLVM::TruncOp>();
    add<arith::BitcastOp, LLVM::BitcastOp>();
    add<arith::SelectOp, LLVM::SelectOp>();
    add<arith::AddFOp, LLVM::FAddOp>();
    add<arith::SubFOp, LLVM::FSubOp>();
    add<arith::MulFOp, LLVM::FMulOp>();
    add<arith::NegFOp, LLVM::FNegOp>();
    add<math::FmaOp, LLVM::FMAOp>();
  }

  void run(ModuleOp module) {
    IRRewriter rewriter(context);
    module.walk([&](Operation *op) {
      rewriter.setInsertionPoint(op);
      if (Operation *renamed = rename(rewriter, op))
        rewriter.replaceOp(op, renamed);
    });
  }

private:
  template <typename From, typename To> void add() {
    names.try_emplace(OperationName(From::getOperationName(), context),
                      OperationName(To::getOperationName(), context));
  }

  /// Do flags of the op ask for more than its name says?
  static bool hasFlags(Operation *op) {
    auto math = dyn_cast<arith::ArithFastMathInterface>(op);
    auto overflow = dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(op);
    return (math && math.getFastMathFlagsAttr() &&
            math.getFastMathFlagsAttr().getValue() !=
                arith::FastMathFlags::none) ||
           (overflow && overflow.getOverflowAttr() &&
            overflow.getOverflowAttr().getValue() !=
                arith::IntegerOverflowFlags::none);
  }

  /// The op that LLVM has instead, or null.
  Operation *rename(OpBuilder &b, Operation *op) const {
    Location loc = op->getLoc();
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      return LLVM::ConstantOp::create(b, loc, constant.getType(),
                                      constant.getValue());
    if (auto compare = dyn_cast<arith::CmpIOp>(op))
      return LLVM::ICmpOp::create(b, loc,
                                  LLVM::ICmpPredicate(compare.getPredicate()),
                                  compare.getLhs(), compare.getRhs());
    auto name = names.find(op->getName());
    if (name == names.end() || hasFlags(op))
      return nullptr;
    OperationState state(loc, name->second);
    state.addOperands(op->getOperands());
    state.addTypes(op->getResultTypes());
    return b.create(state);
  }

  MLIRContext *context;
  DenseMap<OperationName, OperationName> names;
};

// Both enums list the same predicates.
static_assert(
    unsigned(arith::CmpIPredicate::eq) == unsigned(LLVM::ICmpPredicate::eq) &&
    unsigned(arith::CmpIPredicate::sge) == unsigned(LLVM::ICmpPredicate::sge) &&
    unsigned(arith::CmpIPredicate::ult) == unsigned(LLVM::ICmpPredicate::ult) &&
    unsigned(arith::CmpIPredicate::uge) == unsigned(LLVM::ICmpPredicate::uge));

struct LowerToLLVMPass
    : public ptxjit::impl::LowerToLLVMPassBase<LowerToLLVMPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(lowerControlFlow(module)))
      return signalPassFailure();
    Renamer(&getContext()).run(module);
    LLVMTypeConverter types(&getContext());
    RewritePatternSet patterns(&getContext());
    arith::populateArithToLLVMConversionPatterns(types, patterns);
    cf::populateControlFlowToLLVMConversionPatterns(types, patterns);
    populateMathToLLVMConversionPatterns(types, patterns);
    populateVectorToLLVMConversionPatterns(types, patterns);
    LLVMConversionTarget target(getContext());
    target.addLegalOp<ModuleOp>();
    if (failed(applyFullConversion(module, target, std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
