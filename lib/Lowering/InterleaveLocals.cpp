//===- InterleaveLocals.cpp - store local variables by element ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A local variable needs an ordinary frame if its address escapes. This pass
// marks the accesses of the other variables, whose elements are stored side by
// side for the lanes of a warp.
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Lowering/Passes.h"
#include "ptxjit/Lowering/Remarks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "ptxjit/Analysis/AddressFlow.h"
#include "ptxjit/Dialect/FormTable.h"
#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "interleave-locals"

namespace ptxjit {
#define GEN_PASS_DEF_INTERLEAVELOCALSPASS
#include "ptxjit/Lowering/Passes.h.inc"
} // namespace ptxjit

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

/// The most granules that one element may span. More cost more than they save.
static constexpr int64_t kMostPieces = 4;

namespace {
/// What is known of an object, which is a part of local memory. Objects that
/// one address may mean are judged together.
struct LocalObject {
  bool escapes = false;
  SmallVector<Operation *> accesses;
};

/// Follows the addresses of a kernel's local variables.
class LocalAddresses {
public:
  explicit LocalAddresses(FuncOp func) : func(func) {}
  /// \returns the number of accesses marked.
  unsigned run();

private:
  struct Variable {
    SmallVector<AddressOfOp> addresses;
    SmallVector<int64_t> begins; ///< offsets of its objects, sorted
    unsigned firstObject = 0;
  };

  void findVariables();
  void findObjects(Variable &variable, VarOp var);
  void enter(const Variable &variable, AddressOfOp address);
  void derive(Value value, unsigned object);
  void follow(Value value, unsigned object);
  void followUse(OpOperand &use, unsigned object);
  void followYield(OpOperand &use, unsigned object);
  void addAccess(OpOperand &use, std::optional<Space> space,
                 std::optional<Order> order, unsigned object);
  void checkMerge(Value merged, ValueRange sources);
  void checkMerges();
  unsigned mark(ArrayRef<Operation *> accesses);

  FuncOp func;
  llvm::MapVector<StringAttr, Variable> variables;
  SmallVector<LocalObject> objects;
  llvm::IntEqClasses same; ///< objects that one address may mean
  llvm::DenseMap<Value, unsigned> objectOf;
  SmallVector<Value> work;
};
} // namespace

//===----------------------------------------------------------------------===//
// Objects
//===----------------------------------------------------------------------===//

/// The constant that is added to `use`, if any.
static std::optional<int64_t> addedConstant(OpOperand &use) {
  Operation *op = use.getOwner();
  APInt constant;
  if (isa<AddIntOp, arith::AddIOp>(op) &&
      matchPattern(op->getOperand(1 - use.getOperandNumber()),
                   m_ConstantInt(&constant)))
    return constant.getSExtValue();
  return std::nullopt;
}

/// The offset to which a use of a depot's address points. Nothing if the
/// address is used in another way.
static std::optional<int64_t> placeOf(OpOperand &use) {
  std::optional<int64_t> place = addedConstant(use);
  bool isAddress = use.getOperandNumber() == 0;
  if (auto ld = dyn_cast<LdOp>(use.getOwner()))
    place = int64_t(ld.getOffset());
  if (auto st = dyn_cast<StOp>(use.getOwner()); st && isAddress)
    place = int64_t(st.getOffset());
  return place && *place >= 0 ? place : std::nullopt;
}

/// The uses of an address, and of the generic address that is made of it.
static SmallVector<OpOperand *> usesOf(AddressOfOp address) {
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : address->getUses()) {
    if (auto generic = dyn_cast<CvtaOp>(use.getOwner()))
      for (OpOperand &inner : generic->getUses())
        uses.push_back(&inner);
    else
      uses.push_back(&use);
  }
  return uses;
}

/// nvcc and clang put all variables of a function into one, which they name
/// `__local_depot`. To form an address they first add the offset of the
/// variable. So the offsets that occur are the boundaries of objects. In other
/// variables nothing tells which object a sum points to.
void LocalAddresses::findObjects(Variable &variable, VarOp var) {
  variable.begins = {0};
  if (!var.getSymName().contains("__local_depot"))
    return;
  SmallVector<int64_t> begins = {0};
  for (AddressOfOp address : variable.addresses)
    for (OpOperand *use : usesOf(address)) {
      std::optional<int64_t> place = placeOf(*use);
      if (!place)
        return;
      if (addedConstant(*use))
        begins.push_back(*place);
    }
  llvm::sort(begins);
  begins.erase(llvm::unique(begins), begins.end());
  variable.begins = begins;
}

void LocalAddresses::findVariables() {
  SmallVector<AddressOfOp> addresses;
  func.walk([&](AddressOfOp op) { addresses.push_back(op); });
  if (addresses.empty())
    return;
  SymbolTable symbols(func->getParentOfType<ModuleOp>());
  auto lookup = [&](StringAttr name) { return symbols.lookup<VarOp>(name); };
  for (AddressOfOp op : addresses) {
    StringAttr name = op.getSymbolAttr().getAttr();
    if (VarOp var = lookup(name); var && var.getSpace() == Space::Local)
      variables[name].addresses.push_back(op);
  }
  for (auto &[name, variable] : variables) {
    findObjects(variable, lookup(name));
    variable.firstObject = objects.size();
    objects.resize(objects.size() + variable.begins.size());
  }
  same.grow(objects.size());
}

void LocalAddresses::enter(const Variable &variable, AddressOfOp address) {
  if (variable.begins.size() == 1)
    return derive(address, variable.firstObject);
  for (OpOperand *use : usesOf(address)) {
    const auto *behind = llvm::upper_bound(variable.begins, *placeOf(*use));
    unsigned object =
        variable.firstObject + unsigned(behind - variable.begins.begin()) - 1;
    if (use->get() == address)
      followUse(*use, object);
    else
      objects[object].escapes = true;
  }
}

//===----------------------------------------------------------------------===//
// Uses
//===----------------------------------------------------------------------===//

/// Notes that `value` may be an address in `object`.
void LocalAddresses::derive(Value value, unsigned object) {
  auto [it, isNew] = objectOf.try_emplace(value, object);
  if (isNew)
    work.push_back(value);
  else
    same.join(it->second, object);
}

void LocalAddresses::addAccess(OpOperand &use, std::optional<Space> space,
                               std::optional<Order> order, unsigned object) {
  bool plain = space == Space::Local && isWeak(order);
  if (use.getOperandNumber() == 0 && plain)
    objects[object].accesses.push_back(use.getOwner());
  else
    objects[object].escapes = true;
}

/// Follows a value that leaves a region to the result of the op, or to the next
/// iteration.
void LocalAddresses::followYield(OpOperand &use, unsigned object) {
  Operation *op = use.getOwner(), *parent = op->getParentOp();
  unsigned n = use.getOperandNumber();
  if (isa<scf::IfOp>(parent))
    return derive(parent->getResult(n), object);
  auto loop = cast<scf::WhileOp>(parent);
  if (isa<scf::YieldOp>(op))
    return derive(loop.getBeforeArguments()[n], object);
  derive(loop.getAfterArguments()[n - 1], object); // operand 0 is the condition
  derive(loop.getResult(n - 1), object);
}

void LocalAddresses::followUse(OpOperand &use, unsigned object) {
  Operation *op = use.getOwner();
  unsigned n = use.getOperandNumber();
  if (auto ld = dyn_cast<LdOp>(op))
    return addAccess(use, ld.getSpace(), ld.getOrder(), object);
  if (auto st = dyn_cast<StOp>(op))
    return addAccess(use, st.getSpace(), st.getOrder(), object);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return derive(loop.getBeforeArguments()[n], object);
  if (isa<scf::YieldOp, scf::ConditionOp>(op))
    return followYield(use, object);
  if (isa<SetpOp>(op))
    return; // a comparison does not access memory
  AddressRole role = getAddressRole(use);
  if (role == AddressRole::Base || role == AddressRole::Bits)
    derive(op->getResult(0), object);
  else
    objects[object].escapes = true;
}

void LocalAddresses::follow(Value value, unsigned object) {
  for (OpOperand &use : value.getUses())
    followUse(use, object);
}

//===----------------------------------------------------------------------===//
// Values of several origins
//===----------------------------------------------------------------------===//

/// If an address may also come from elsewhere it may mean memory that is not
/// known here. Then the object must be in a frame.
void LocalAddresses::checkMerge(Value merged, ValueRange sources) {
  auto it = objectOf.find(merged);
  if (it == objectOf.end())
    return;
  for (Value source : sources)
    if (!objectOf.contains(source) && !source.getDefiningOp<UndefOp>() &&
        !matchPattern(source, m_Constant()))
      objects[it->second].escapes = true;
}

void LocalAddresses::checkMerges() {
  func.walk([&](Operation *op) {
    if (auto select = dyn_cast<SelectLikeOpInterface>(op))
      checkMerge(op->getResult(0),
                 {select.getTrueValue(), select.getFalseValue()});
    if (auto branch = dyn_cast<scf::IfOp>(op))
      for (OpResult result : branch.getResults())
        checkMerge(result,
                   {branch.thenYield().getOperand(result.getResultNumber()),
                    branch.elseYield().getOperand(result.getResultNumber())});
    if (auto loop = dyn_cast<scf::WhileOp>(op))
      for (BlockArgument argument : loop.getBeforeArguments())
        checkMerge(argument,
                   {loop.getInits()[argument.getArgNumber()],
                    loop.getYieldOp().getOperand(argument.getArgNumber())});
  });
}

//===----------------------------------------------------------------------===//
// The decision
//===----------------------------------------------------------------------===//

static int64_t elementBytes(Operation *access) {
  auto ld = dyn_cast<LdOp>(access);
  return getBitWidth(ld ? ld.getTy() : cast<StOp>(access).getTy()) / 8;
}

/// Marks accesses with their granule. \returns the number of accesses marked:
/// all, or none.
unsigned LocalAddresses::mark(ArrayRef<Operation *> accesses) {
  int64_t least = INT64_MAX, most = 0;
  for (Operation *access : accesses) {
    least = std::min(least, elementBytes(access));
    most = std::max(most, elementBytes(access));
  }
  if (accesses.empty() || most > least * kMostPieces)
    return 0;
  for (Operation *access : accesses) {
    auto granule = Builder(access).getI64IntegerAttr(least);
    if (auto ld = dyn_cast<LdOp>(access))
      ld.setGranuleAttr(granule);
    else
      cast<StOp>(access).setGranuleAttr(granule);
  }
  return accesses.size();
}

unsigned LocalAddresses::run() {
  findVariables();
  for (auto &[name, variable] : variables)
    for (AddressOfOp address : variable.addresses)
      enter(variable, address);
  while (!work.empty()) {
    Value value = work.pop_back_val();
    follow(value, objectOf.lookup(value));
  }
  checkMerges();
  same.compress();
  SmallVector<LocalObject> classes(same.getNumClasses());
  for (auto [i, object] : llvm::enumerate(objects)) {
    LocalObject &whole = classes[same[i]];
    whole.escapes |= object.escapes;
    whole.accesses.append(object.accesses);
  }
  unsigned marked = 0;
  for (const LocalObject &whole : classes) {
    LDBG() << "an object with " << whole.accesses.size() << " accesses "
           << (whole.escapes ? "escapes" : "lies by element");
    if (!whole.escapes)
      marked += mark(whole.accesses);
  }
  return marked;
}

namespace {
struct InterleaveLocalsPass
    : public ptxjit::impl::InterleaveLocalsPassBase<InterleaveLocalsPass> {
  void runOnOperation() override {
    unsigned numAccesses = LocalAddresses(getOperation()).run();
    remarkCounts(getOperation(), "ptx-interleave-locals",
                 {{"accesses of local memory by element", numAccesses}});
  }
};
} // namespace
