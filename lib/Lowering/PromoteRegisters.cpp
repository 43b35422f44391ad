//===- PromoteRegisters.cpp - registers to SSA ----------------------------===//

#include "ptxjit/Lowering/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "mlir/Transforms/Mem2Reg.h"

namespace ptxjit {
#define GEN_PASS_DEF_PROMOTEREGISTERSPASS
#include "ptxjit/Lowering/Passes.h.inc"
} // namespace ptxjit

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

namespace {
struct PromoteRegistersPass
    : public ptxjit::impl::PromoteRegistersPassBase<PromoteRegistersPass> {
  void runOnOperation() override {
    FuncOp func = getOperation();
    if (func.isDeclaration())
      return;
    SmallVector<PromotableAllocationOpInterface> slots;
    func.walk([&](RegOp reg) { slots.push_back(reg); });
    numRegisters += slots.size();
    OpBuilder builder(&func.getBody().front(), func.getBody().front().begin());
    DataLayout layout = DataLayout::closest(func);
    DominanceInfo dominance(func);
    if (!slots.empty())
      (void)tryToPromoteMemorySlots(slots, builder, layout, dominance);
    bool left = false;
    func.walk([&](RegOp reg) {
      if (reg->use_empty()) {
        reg->erase();
        return;
      }
      reg.emitOpError("register could not be promoted");
      left = true;
    });
    if (left)
      return signalPassFailure();
    func.walk([&](MovOp mov) {
      // Copies between types of one width were resolved by the parser.
      mov.getD().replaceAllUsesWith(mov.getA());
      mov.erase();
    });
  }
};
} // namespace
