//===- OpFactsTest.cpp - each op states what passes rely on ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes ask ops for facts by trait and interface (PtxInterfaces.td). If the
// definition of an op forgot a fact, passes would believe that it does not hold
// and might generate wrong code. So each op states which of several facts
// holds.
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Analysis/InferShape.h"
#include "ptxjit/Lowering/Pipelines.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

namespace {

/// The facts that an op states, and the rules for them.
class Facts {
public:
  explicit Facts(RegisteredOperationName op) : op(op) {}

  /// \returns a sentence for each rule that the op breaks.
  std::vector<std::string> findMissing() const {
    std::vector<std::string> missing;
    auto require = [&](bool holds, const char *what) {
      if (!holds)
        missing.push_back(op.getStringRef().str() + what);
    };
    if (hasResults())
      require(hasRule() || isLaneWise() || variesByLane(),
              " has neither a shape rule nor LaneWise nor VariesByLane");
    require(!variesByLane() || !(hasRule() || isLaneWise()),
            " is VariesByLane and has a shape all the same");
    require(!isLaneWise() || isPure(), " is LaneWise, but has effects");
    if (!isPure() && !isStructure()) {
      require(countWays() == 1, " does not say in one way what it is to other "
                                "threads (CommunicatingOpInterface ... "
                                "UnseenByOthers)");
      require(isMasked() != needsNoMask(),
              " is not one of MaskedOpInterface and NeedsNoMask");
    }
    if (hasSpace() && !isStructure())
      require(op.hasInterface<SpaceOpInterface>(),
              " has an attribute `space`, but no SpaceOpInterface");
    if (hasSpace() && !isPure() && !isStructure())
      require(op.hasInterface<AccessOpInterface>() != op.hasTrait<OtherBytes>(),
              " is not one of AccessOpInterface and OtherBytes");
    return missing;
  }

private:
  bool hasResults() const { return !op.hasTrait<OpTrait::ZeroResults>(); }
  bool hasRule() const { return op.hasInterface<InferShapeInterface>(); }
  bool isLaneWise() const { return op.hasTrait<LaneWise>(); }
  bool variesByLane() const { return op.hasTrait<VariesByLane>(); }
  bool isPure() const {
    return op.hasTrait<OpTrait::AlwaysSpeculatableImplTrait>();
  }
  bool isMasked() const { return op.hasInterface<MaskedOpInterface>(); }
  bool needsNoMask() const { return op.hasTrait<NeedsNoMask>(); }
  /// Is it a symbol (function, variable), a terminator, or an op that only
  /// contains others?
  bool isStructure() const {
    return op.hasInterface<SymbolOpInterface>() ||
           op.hasTrait<OpTrait::IsTerminator>() ||
           op.hasTrait<OpTrait::HasRecursiveMemoryEffects>();
  }
  bool hasSpace() const {
    return llvm::is_contained(op.getAttributeNames(), "space");
  }
  /// How many statements the op makes on what it is to other threads.
  unsigned countWays() const {
    return op.hasInterface<CommunicatingOpInterface>() +
           op.hasInterface<CtaBarrierOpInterface>() +
           op.hasInterface<WarpCollectiveOpInterface>() +
           op.hasTrait<ClusterWideBarrier>() + op.hasTrait<WarpgroupBarrier>() +
           op.hasTrait<WholeWarp>() + op.hasTrait<OrdersMemory>() +
           op.hasTrait<UnseenByOthers>();
  }

  RegisteredOperationName op;
};

class OpFacts : public ::testing::Test {
protected:
  void SetUp() override {
    DialectRegistry registry;
    registerLoweringDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }
  Facts factsOf(StringRef name) {
    return Facts(*RegisteredOperationName::lookup(name, &context));
  }

  MLIRContext context;
};

} // namespace

TEST_F(OpFacts, EachOpStatesThem) {
  unsigned ops = 0;
  for (RegisteredOperationName op : context.getRegisteredOperations()) {
    if (op.getDialectNamespace() != PtxDialect::getDialectNamespace())
      continue;
    ++ops;
    for (const std::string &missing : Facts(op).findMissing())
      ADD_FAILURE() << missing;
  }
  EXPECT_GT(ops, 100u);
}

// Ops of other dialects state none of these facts.
TEST_F(OpFacts, MissingOnesAreFound) {
  EXPECT_EQ(factsOf("arith.subi").findMissing().size(), 1u); // its shape
  EXPECT_EQ(factsOf("cf.assert").findMissing().size(), 2u);  // threads, mask
}
