//===- ShapeText.cpp - shapes described in words --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Analysis/ShapeText.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/Twine.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

static StringRef describeUniformity(Uniformity uniformity) {
  switch (uniformity) {
  case Uniformity::Grid:
    return "the same in the grid";
  case Uniformity::Cta:
    return "the same in the CTA";
  case Uniformity::Warp:
    return "the same in the warp";
  case Uniformity::Lane:
    return "varies";
  }
  llvm_unreachable("all are named");
}

/// The first offsets of a pattern that is not linear: "{4 x 0, 4 x 32, ...}".
static std::string listLanes(const LanePattern &pattern) {
  constexpr unsigned most = 8;
  std::string text;
  unsigned shown = 0, i = 0;
  for (; i < 32 && shown < most; ++shown) {
    unsigned first = i;
    while (i < 32 && pattern[i] == pattern[first])
      ++i;
    text += shown ? ", " : "{";
    if (i - first > 1)
      text += std::to_string(i - first) + " x ";
    text += std::to_string(pattern[first]);
  }
  return text + (i < 32 ? ", ...}" : "}");
}

static std::string describePattern(const LanePattern &pattern) {
  int64_t step = pattern[1] - pattern[0];
  bool linear = true;
  for (unsigned i = 1; i < 32; ++i)
    linear &= pattern[i] == pattern[0] + step * int64_t(i);
  if (!linear)
    return "base + " + listLanes(pattern);
  if (step == 1)
    return "base + lane";
  return ("base + " + llvm::Twine(step) + " * lane").str();
}

static std::string describeGroups(const Shape &shape) {
  llvm::SmallSetVector<int64_t, 32> firsts(shape.groups->begin(),
                                           shape.groups->end());
  std::string text =
      (llvm::Twine(firsts.size()) + " groups of lanes, each ").str();
  return text + (shape.pattern ? describePattern(*shape.pattern)
                               : std::string("the same"));
}

std::string ptxjit::describeShape(const Shape &shape) {
  std::string text;
  if (shape.hasGroups())
    text = describeGroups(shape);
  else if (shape.pattern && shape.hasBase())
    text = describePattern(*shape.pattern);
  else
    return describeUniformity(shape.uniformity).str();
  if (shape.parted)
    text += ", unless lanes went different ways";
  else if (shape.conditional)
    text += ", unless a number wraps around";
  return text;
}

//===----------------------------------------------------------------------===//
// Reasons
//===----------------------------------------------------------------------===//

unsigned ptxjit::lineOf(Location location) {
  auto place = location->findInstanceOf<FileLineColLoc>();
  return place ? place.getLine() : 0;
}

namespace {
/// Follows varying values through their operands to the op where the variation
/// begins.
class Cause {
public:
  explicit Cause(const ShapeAnalysis &shapes) : shapes(shapes) {}

  std::string find(Value value);

private:
  /// Adds the values that vary to `open`. \returns whether there were any.
  bool follow(ValueRange values) {
    bool varies = false;
    for (Value v : values)
      if (shapes.get(v).isVarying() && !matchPattern(v, m_Constant())) {
        open.insert(v);
        varies = true;
      }
    return varies;
  }
  /// Follows the values that `value` depends on. \returns false if none of them
  /// varies: the variation begins here.
  bool followSources(Value value);
  bool followLoop(scf::WhileOp loop, BlockArgument argument);
  std::string describe(Value value);

  const ShapeAnalysis &shapes;
  llvm::SetVector<Value> open; ///< values that vary, in the order found
};

bool Cause::followLoop(scf::WhileOp loop, BlockArgument argument) {
  unsigned i = argument.getArgNumber();
  // A loop that is just being masked has arguments for which it yields nothing
  // yet, and others have new numbers.
  if (loop.getBeforeArguments().size() != loop.getYieldOp()->getNumOperands() ||
      loop.getAfterArguments().size() != loop.getConditionOp().getArgs().size())
    return false;
  if (argument.getOwner() == loop.getBeforeBody())
    return follow({loop.getInits()[i], loop.getYieldOp().getOperand(i)});
  return follow({loop.getConditionOp().getArgs()[i]});
}

bool Cause::followSources(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::WhileOp>(argument.getOwner()->getParentOp());
    return loop && followLoop(loop, argument);
  }
  auto result = cast<OpResult>(value);
  Operation *op = result.getOwner();
  unsigned number = result.getResultNumber();
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return follow({loop.getConditionOp().getArgs()[number]});
  if (auto choice = dyn_cast<scf::IfOp>(op)) {
    bool varies = false;
    for (Region &region : choice->getRegions())
      varies |= follow({region.front().getTerminator()->getOperand(number)});
    return varies;
  }
  return isMemoryEffectFree(op) && follow(op->getOperands());
}

std::string Cause::describe(Value value) {
  unsigned line = lineOf(value.getLoc());
  std::string at =
      line ? (" (line " + llvm::Twine(line) + ")").str() : std::string();
  Operation *op = value.getDefiningOp();
  if (!op || isa<scf::WhileOp>(op))
    return "lanes leave the loop in turns of their own" + at;
  if (isa<scf::IfOp>(op))
    return "lanes take different branches" + at;
  StringRef name = op->getName().stripDialect();
  if (isa<LdOp>(op))
    return "it comes from memory" + at;
  if (name.starts_with("atom"))
    return "it comes from an atomic update" + at;
  if (name.starts_with("shfl") || name.starts_with("vote") ||
      name.starts_with("match"))
    return "it comes from other lanes" + at;
  if (isa<SRegOp>(op))
    return "a special register varies" + at;
  if (auto test = dyn_cast<SetpOp>(op))
    return "lanes compare (" + describeShape(shapes.get(test.getA())) +
           ") with (" + describeShape(shapes.get(test.getB())) + ")" + at;
  return ("no pattern is known of '" + name + "'").str() + at;
}

std::string Cause::find(Value value) {
  if (!follow({value}))
    return "";
  for (unsigned i = 0; i < open.size(); ++i) // `open` grows meanwhile
    if (!followSources(open[i]))
      return describe(open[i]);
  return describe(open[0]); // the values depend on each other in a loop
}
} // namespace

std::string ptxjit::explainVarying(const ShapeAnalysis &shapes, Value value) {
  return Cause(shapes).find(value);
}
