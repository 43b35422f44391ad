//===- RefuseUnlowered.cpp - instructions that nothing executes yet -------===//

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

  void runOnOperation() override {
    auto module = getOperation()->getParentOfType<ModuleOp>();
    auto size = module->getAttrOfType<IntegerAttr>(kAddressSizeAttr);
    if (size && size.getInt() != 64) {
      getOperation().emitError()
          << "modules of '.address_size 32' cannot be executed: memory has "
             "addresses of 64 bits";
      return signalPassFailure();
    }
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
