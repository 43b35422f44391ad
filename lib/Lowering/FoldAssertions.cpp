//===- FoldAssertions.cpp - assertions without arguments in memory --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels with assertions have hundreds of them. Each hands five numbers to
// `__assertfail` in variables, which 32 lanes would write, though they are
// known when the kernel is compiled.
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Dialect/PtxOps.h"
#include "ptxjit/Dialect/SystemFunctions.h"
#include "ptxjit/Lowering/Passes.h"
#include "ptxjit/Lowering/Remarks.h"
#include "ptxjit/Runtime/KernelABI.h"

#include "mlir/IR/Matchers.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace ptxjit {
#define GEN_PASS_DEF_FOLDASSERTIONSPASS
#include "ptxjit/Lowering/Passes.h.inc"
} // namespace ptxjit

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

namespace {

/// The parameters of `__assertfail`.
constexpr unsigned kNumParams = 5;

class FoldAssertionsPass
    : public ptxjit::impl::FoldAssertionsPassBase<FoldAssertionsPass> {
public:
  using Base::Base;
  void runOnOperation() override;

private:
  StOp findStore(CallOp call, unsigned index);
  using Arguments = SmallVector<Value, kNumParams>;
  Arguments findArguments(CallOp call);
  void eraseStores(ArrayRef<AddressOfOp> ofVariable);

  FuncOp findAssertFail();

  llvm::SetVector<CallOp> assertions;
  /// By variable: the ops that take its address.
  DenseMap<Attribute, SmallVector<AddressOfOp, 2>> addresses;
};

} // namespace

/// Is the value a constant, or the address of a variable that all threads have
/// at the same place?
static bool isKnown(Value value) {
  for (;;) {
    if (auto mov = value.getDefiningOp<MovOp>())
      value = mov.getA();
    else if (auto cvta = value.getDefiningOp<CvtaOp>();
             cvta && (cvta.getSpace() == Space::Global ||
                      cvta.getSpace() == Space::Const))
      value = cvta.getA();
    else
      return matchPattern(value, m_Constant()) ||
             value.getDefiningOp<AddressOfOp>();
  }
}

/// Finds the store of an argument: the last one in front of the call, in its
/// block. Null if the value is not known, or if something else may write it.
/// (The copies of a function's body share its variables. Each has an assertion
/// in the block of its stores.)
StOp FoldAssertionsPass::findStore(CallOp call, unsigned index) {
  auto own = call.getArgs()[index].getDefiningOp<AddressOfOp>();
  if (!own)
    return {};
  StOp last;
  SmallVector<StOp> others;
  llvm::SmallPtrSet<Block *, 4> blocks; // of assertions
  for (AddressOfOp address : addresses[own.getSymbolAttr()])
    for (Operation *user : address->getUsers()) {
      if (auto other = dyn_cast<CallOp>(user);
          other && assertions.contains(other)) {
        blocks.insert(other->getBlock());
        continue;
      }
      auto store = dyn_cast<StOp>(user);
      if (!store || store.getA() != address || store.getOffset())
        return {};
      if (store->getBlock() != call->getBlock())
        others.push_back(store);
      else if (store->isBeforeInBlock(call) &&
               (!last || last->isBeforeInBlock(store)))
        last = store;
    }
  if (llvm::any_of(others, [&](StOp store) {
        return !blocks.contains(store->getBlock());
      }))
    return {};
  bool isKnownStore = last && !last.getMask() && last.getB().size() == 1 &&
                      last.getB().front().getType().isInteger() &&
                      isKnown(last.getB().front());
  return isKnownStore ? last : StOp();
}

/// The arguments of an assertion; nothing if one of them is not known.
FoldAssertionsPass::Arguments FoldAssertionsPass::findArguments(CallOp call) {
  Arguments arguments;
  for (unsigned i = 0; i < kNumParams; ++i) {
    StOp store = findStore(call, i);
    if (!store)
      return {};
    arguments.push_back(store.getB().front());
  }
  return arguments;
}

static void replace(CallOp call, ArrayRef<Value> arguments) {
  OpBuilder b(call);
  AssertFailOp::create(b, call.getLoc(), arguments[0], arguments[1],
                       arguments[2], arguments[3], arguments[4],
                       /*mask=*/Value());
  call.erase();
}

/// Erases the stores of variables that nothing reads any more.
void FoldAssertionsPass::eraseStores(ArrayRef<AddressOfOp> ofVariable) {
  SmallVector<StOp> stores;
  for (AddressOfOp address : ofVariable)
    for (Operation *user : address->getUsers()) {
      auto store = dyn_cast<StOp>(user);
      if (!store || store.getA() != address)
        return;
      stores.push_back(store);
    }
  for (StOp store : stores)
    store.erase();
}

/// The runtime's `__assertfail`, if the module declares it; null otherwise.
FuncOp FoldAssertionsPass::findAssertFail() {
  auto module = getOperation()->getParentOfType<ModuleOp>();
  for (FuncOp func : module.getOps<FuncOp>()) {
    const SystemFunction *known =
        func.isBodiless() ? findSystemFunction(func.getSymName()) : nullptr;
    if (known && known->number == PTXJIT_SYSTEM_ASSERT &&
        known->isDeclaredBy(func))
      return func;
  }
  return {};
}

void FoldAssertionsPass::runOnOperation() {
  FuncOp func = getOperation();
  FuncOp assertFail = findAssertFail();
  assertions.clear();
  func.walk([&](CallOp call) {
    if (assertFail && call.getCallee() == assertFail.getSymName())
      assertions.insert(call);
  });
  if (assertions.empty())
    return;
  addresses.clear();
  func.walk([&](AddressOfOp address) {
    addresses[address.getSymbolAttr()].push_back(address);
  });
  llvm::SmallSetVector<Attribute, 16> variables; // of arguments
  for (CallOp call : assertions)
    for (Value place : call.getArgs())
      if (auto address = place.getDefiningOp<AddressOfOp>())
        variables.insert(address.getSymbolAttr());
  SmallVector<Arguments> found = llvm::map_to_vector(
      assertions, [&](CallOp call) { return findArguments(call); });
  unsigned numFolded = 0;
  for (auto [call, values] : llvm::zip_equal(assertions, found))
    if (!values.empty()) {
      replace(call, values);
      ++numFolded;
    }
  for (Attribute variable : variables)
    eraseStores(addresses[variable]);
  remarkCounts(func, "ptx-fold-assertions",
               {{"assertions whose arguments are known", numFolded}});
}
