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

std::optional<Induction> ptxjit::findInduction(scf::WhileOp loop,
                                               unsigned argument) {
  assert(testsLast(loop) && "its other region passes arguments on");
  auto passed = cast<BlockArgument>(loop.getYieldOp().getOperand(argument));
  unsigned result = passed.getArgNumber();
  auto addition = getPassedOn(loop, result).getDefiningOp<AddIntOp>();
  if (!addition || addition.getSat() || isPacked(addition.getTy()))
    return std::nullopt;
  Value old = loop.getBeforeArguments()[argument];
  Value step = addition.getA() == old   ? addition.getB()
               : addition.getB() == old ? addition.getA()
                                        : Value();
  if (!step || !loop.isDefinedOutsideOfLoop(step))
    return std::nullopt;
  return Induction{argument, result, addition, step};
}
