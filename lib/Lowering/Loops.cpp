//===- Loops.cpp - what structured loops do in each turn ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Loops.h"
#include "ptxjit/Dialect/FormTable.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

std::optional<FixedAddition> ptxjit::findFixedAddition(scf::WhileOp loop,
                                                       Value value) {
  auto addition = value.getDefiningOp<AddIntOp>();
  if (!addition || addition.getSat() || isPacked(addition.getTy()))
    return std::nullopt;
  Value a = addition.getA(), b = addition.getB();
  if (!loop.isDefinedOutsideOfLoop(a))
    std::swap(a, b);
  if (!loop.isDefinedOutsideOfLoop(a))
    return std::nullopt;
  return FixedAddition{addition, a, b};
}

std::optional<Induction> ptxjit::findInduction(scf::WhileOp loop,
                                               unsigned argument,
                                               unsigned mostSteps) {
  assert(testsLast(loop) && "its other region passes arguments on");
  auto passed = cast<BlockArgument>(loop.getYieldOp().getOperand(argument));
  Induction found{argument, passed.getArgNumber(), {}, {}};
  Value old = loop.getBeforeArguments()[argument];
  for (Value value = getPassedOn(loop, found.result); value != old;) {
    std::optional<FixedAddition> sum = findFixedAddition(loop, value);
    if (!sum || found.steps.size() == mostSteps)
      return std::nullopt;
    found.additions.push_back(sum->addition);
    found.steps.push_back(sum->fixed);
    value = sum->other;
  }
  if (found.steps.empty())
    return std::nullopt;
  std::reverse(found.additions.begin(), found.additions.end());
  std::reverse(found.steps.begin(), found.steps.end());
  return found;
}

std::optional<Bound> ptxjit::findBound(Value condition) {
  auto test = condition.getDefiningOp<SetpOp>();
  if (!test || test.getC() || test.getP().size() != 1)
    return std::nullopt;
  ScalarType type = test.getTy();
  unsigned width = test.getA().getType().getIntOrFloatBitWidth();
  if (!(isSignedInt(type) || isUnsignedInt(type)) || isPacked(type) ||
      (width != 32 && width != 64))
    return std::nullopt;
  switch (test.getCmp()) {
  case Compare::LT:
  case Compare::LO:
    return Bound{test.getA(), test.getB(), type, false};
  case Compare::LE:
  case Compare::LS:
    return Bound{test.getA(), test.getB(), type, true};
  case Compare::GT:
  case Compare::HI:
    return Bound{test.getB(), test.getA(), type, false};
  case Compare::GE:
  case Compare::HS:
    return Bound{test.getB(), test.getA(), type, true};
  default:
    return std::nullopt;
  }
}
