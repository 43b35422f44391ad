//===- RefuseUnlowered.cpp - refuse what cannot be executed ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Dialect/FormTable.h"
#include "ptxjit/Dialect/PtxDialect.h"
#include "ptxjit/Dialect/PtxOps.h"
#include "ptxjit/Lowering/Passes.h"

namespace ptxjit {
#define GEN_PASS_DEF_REFUSEUNLOWEREDPASS
#include "ptxjit/Lowering/Passes.h.inc"
} // namespace ptxjit

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

namespace {
struct RefuseUnloweredPass
    : public ptxjit::impl::RefuseUnloweredPassBase<RefuseUnloweredPass> {
  using Base::Base;

  /// ISA, ".target": under map_f64_to_f32, arithmetic of f64 is that of f32, on
  /// the lower half of 64 bits. Moves, loads and stores are not affected.
  LogicalResult refuseMapped() {
    auto isF64 = [](Type type) { return type.isF64(); };
    auto result = getOperation().walk([&](Operation *op) {
      if (!isa_and_nonnull<PtxDialect>(op->getDialect()) ||
          isa<RegOp, ReadOp, WriteOp, LdOp, StOp, MovOp>(op) ||
          (llvm::none_of(op->getOperandTypes(), isF64) &&
           llvm::none_of(op->getResultTypes(), isF64)))
        return WalkResult::advance();
      op->emitError() << "instructions of .f64 cannot be executed yet under "
                         "'map_f64_to_f32'; see \".target\"";
      return WalkResult::interrupt();
    });
    return failure(result.wasInterrupted());
  }

  void runOnOperation() override {
    auto module = getOperation()->getParentOfType<ModuleOp>();
    if (module->hasAttr(kMapF64Attr) && failed(refuseMapped()))
      return signalPassFailure();
    auto result = getOperation().walk([](UnloweredOp op) {
      StringRef opcode = op.getInstruction().split('.').first;
      InFlightDiagnostic diag = op.emitError();
      diag << "instruction '" << op.getInstruction()
           << "' cannot be executed yet";
      for (const FormSpec &form : getFormsOfOpcode(opcode))
        if (StringRef(form.opName) == UnloweredOp::getOperationName()) {
          diag << "; see section \"" << form.isaAnchor << "\"";
          break;
        }
      return WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
