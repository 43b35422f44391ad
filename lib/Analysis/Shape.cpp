//===- Shape.cpp - how values vary over the lanes of a warp ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Analysis/AddressFlow.h"
#include "ptxjit/Analysis/InferShape.h"

#include "ShapeRange.h"
#include "ShapeRules.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

unsigned ptxjit::getTid(const ShapeContext &context, unsigned dim,
                        unsigned linear) {
  switch (dim) {
  case 0:
    return linear % context.block[0];
  case 1:
    return linear / context.block[0] % context.block[1];
  default:
    return linear / (context.block[0] * context.block[1]);
  }
}

/// The shape of the results of an op without a shape rule.
static Shape inferByTraits(Operation &op, ShapeInference &inference) {
  bool isLaneWise = isa_and_present<PtxDialect>(op.getDialect())
                        ? op.hasTrait<LaneWise>()
                        : isMemoryEffectFree(&op) && op.getNumOperands() > 0;
  return isLaneWise ? inference.merge(op.getOperands()) : Shape();
}

ShapeAnalysis::ShapeAnalysis(FuncOp func, const ShapeContext &context)
    : shapes(std::make_unique<ShapeInference>(context)) {
  assert(RegisteredOperationName::lookup(SRegOp::getOperationName(),
                                         func.getContext())
             ->hasInterface<InferShapeInterface>() &&
         "registerShapeRules has not been called");
  if (context.lanes == 1)
    return;
  for (Block &block : func.getBody())
    visitBlock(block);
}

ShapeAnalysis::~ShapeAnalysis() = default;

const Shape &ShapeAnalysis::get(Value value) const {
  return shapes->get(value);
}

const ShapeContext &ShapeAnalysis::getContext() const {
  return shapes->getContext();
}

void ShapeAnalysis::visitBlock(Block &block) {
  for (Operation &op : block)
    visit(op);
}

void ShapeAnalysis::visit(Operation &op) {
  if (isa<scf::IfOp>(op))
    return visitIf(op);
  if (isa<scf::WhileOp>(op))
    return visitWhile(op);
  if (auto each = dyn_cast<EachLaneOp>(op))
    setInputs(each);
  for (Region &region : op.getRegions())
    for (Block &block : region)
      visitBlock(block);
  if (op.getNumResults() == 0)
    return;
  auto rule = dyn_cast<InferShapeInterface>(op);
  Shape shape = rule ? rule.inferShape(*shapes) : inferByTraits(op, *shapes);
  // If conditional patterns cancel out to zero, there is no pattern left that a
  // test could check.
  if (shape.conditional && !shape.pattern && shape.hasBase())
    shape = Shape::varying(shape.min, shape.max);
  for (Value result : op.getResults())
    shapes->set(result, shape);
}

/// In the body there is one lane at a time.
void ShapeAnalysis::setInputs(EachLaneOp op) {
  for (auto [arg, input] :
       llvm::zip(op.getBody().getArguments(), op.getInputs())) {
    const Shape &shape = get(input);
    Shape own = Shape::uniform(Uniformity::Warp);
    own.min = shape.min;
    own.max = shape.max;
    shapes->set(arg, own);
  }
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

/// Does a pattern of an operand with this role lead to a pattern of the result?
static bool carriesPattern(AddressRole role) {
  return role != AddressRole::None && role != AddressRole::Bits;
}

/// Is the value used as an address of a load or store, directly or after
/// integer arithmetic and control flow?
static bool feedsAddress(Value value) {
  constexpr unsigned most = 200; // values to look at
  llvm::SetVector<Value> found;
  found.insert(value);
  for (unsigned i = 0; i < found.size() && i < most; ++i)
    for (OpOperand &use : found[i].getUses()) {
      Operation *user = use.getOwner();
      unsigned number = use.getOperandNumber();
      if (isa<LdOp, StOp>(user)) {
        if (number == 0)
          return true;
      } else if (auto loop = dyn_cast<scf::WhileOp>(user)) {
        found.insert(loop.getBeforeArguments()[number]);
      } else if (isa<scf::ConditionOp>(user)) {
        if (number > 0) { // operand 0 is the condition
          found.insert(user->getParentOp()->getResult(number - 1));
          found.insert(cast<scf::WhileOp>(user->getParentOp())
                           .getAfterArguments()[number - 1]);
        }
      } else if (isa<scf::YieldOp>(user)) {
        if (auto loop = dyn_cast<scf::WhileOp>(user->getParentOp()))
          found.insert(loop.getBeforeArguments()[number]);
        else
          found.insert(user->getParentOp()->getResult(number));
      } else if (carriesPattern(getAddressRole(use))) {
        found.insert(user->getResult(0));
      }
    }
  return false;
}

/// Sets the shape of a result of control flow. Lanes that took different paths,
/// or left a loop in different iterations, mostly still have values of one
/// pattern. If the value becomes an address, a run-time test is worth its cost:
/// the shape becomes conditional instead of varying.
void ShapeAnalysis::updateResult(Value result, Shape shape) {
  if (shape.isVarying() && shape.likely && !shape.groups &&
      getContext().lanes > 1 && result.getType().isInteger() &&
      widthOf(result) >= 32 && widthOf(result) <= 64 && feedsAddress(result)) {
    shape.uniformity = Uniformity::Warp;
    shape.pattern = std::exchange(shape.likely, nullptr);
    shape.conditional = shape.parted = true;
  }
  shapes->set(result, shape);
}

void ShapeAnalysis::visitIf(Operation &op) {
  auto ifOp = cast<scf::IfOp>(op);
  for (Region &region : op.getRegions())
    for (Block &block : region)
      visitBlock(block);
  if (op.getNumResults() == 0)
    return;
  Uniformity at = get(ifOp.getCondition()).pattern
                      ? Uniformity::Lane
                      : get(ifOp.getCondition()).uniformity;
  auto thens = ifOp.thenYield().getOperands();
  auto elses = ifOp.elseYield().getOperands();
  for (auto [result, a, b] : llvm::zip(op.getResults(), thens, elses))
    updateResult(result, a == b ? get(a) : shapes->join(get(a), get(b), at));
}

void ShapeAnalysis::visitWhile(Operation &op) {
  auto loop = cast<scf::WhileOp>(op);
  Block &before = loop.getBefore().front();
  Block &after = loop.getAfter().front();
  auto condition = cast<scf::ConditionOp>(before.getTerminator());
  auto yield = cast<scf::YieldOp>(after.getTerminator());
  for (auto [arg, init] : llvm::zip(before.getArguments(), loop.getInits()))
    shapes->set(arg, get(init));
  for (unsigned round = 0;; ++round) {
    visitBlock(before);
    for (auto [arg, value] :
         llvm::zip(after.getArguments(), condition.getArgs()))
      shapes->set(arg, get(value));
    visitBlock(after);
    bool changed = false;
    // All threads that are still in the loop have done the same number of
    // iterations: all lanes of a warp, or all threads for which the condition
    // is uniform.
    const Shape &goesOn = get(condition.getCondition());
    Uniformity rounds =
        goesOn.isUniform() ? goesOn.uniformity : Uniformity::Warp;
    for (auto [arg, init, next] : llvm::zip(
             before.getArguments(), loop.getInits(), yield.getOperands())) {
      Shape shape = shapes->join(get(arg), get(next), rounds);
      shape = shapes->join(shape, get(init), rounds);
      if (round > 0 && !(shape == get(arg)))
        setFullRange(shape, widthOf(arg));
      changed |= shapes->set(arg, shape);
    }
    if (!changed)
      break;
  }
  const Shape &cond = get(condition.getCondition());
  Uniformity at = cond.pattern ? Uniformity::Lane : cond.uniformity;
  for (auto [result, value] : llvm::zip(op.getResults(), condition.getArgs())) {
    Shape shape = get(value);
    bool invariant = !loop->isAncestor(value.getParentBlock()->getParentOp());
    if (!invariant)
      shape = shapes->join(shape, shape, at);
    updateResult(result, shape);
  }
}
