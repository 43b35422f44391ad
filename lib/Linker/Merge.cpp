//===- Merge.cpp - merges two symbols of the same name --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks that two declarations of a name agree, and chooses the one that stays.
//
//===----------------------------------------------------------------------===//

#include "LinkerImpl.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

bool ptxjit::isDefined(FuncOp func) {
  return !func.isBodiless() || func->hasAttr("ptx.outlined") ||
         func->hasAttr(kAliasAttr);
}

Linkage ptxjit::linkageOf(Operation *symbol) {
  auto var = dyn_cast<VarOp>(symbol);
  std::optional<StringRef> word =
      var ? var.getLinkage() : cast<FuncOp>(symbol).getLinkage();
  if (!word || (var && var.getOwner()))
    return Linkage::Local;
  if (!var && !isDefined(cast<FuncOp>(symbol)))
    return Linkage::Extern; // `.visible .func f();` defines nothing
  return llvm::StringSwitch<Linkage>(*word)
      // `.extern` on a function with a body has no effect.
      .Case("extern", var ? Linkage::Extern : Linkage::Visible)
      .Case("weak", Linkage::Weak)
      .Case("common", Linkage::Common)
      .Default(Linkage::Visible);
}

static StringRef nameOf(Operation *symbol) {
  return SymbolTable::getSymbolName(symbol).getValue();
}

/// Emits an error at `fresh` with a note at `old`. Their locations tell the
/// modules.
static LogicalResult refuse(Operation *old, Operation *fresh,
                            const Twine &message, const Twine &note) {
  InFlightDiagnostic error = fresh->emitError()
                             << "'" << nameOf(fresh) << "' " << message;
  error.attachNote(old->getLoc()) << note;
  return error;
}

static std::string bytesOf(int64_t bytes) {
  return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

//===----------------------------------------------------------------------===//
// Agreement
//===----------------------------------------------------------------------===//

static bool sameSizes(ArrayAttr x, ArrayAttr y) {
  return x.size() == y.size() && llvm::all_of(llvm::zip(x, y), [](auto pair) {
           auto [a, b] = pair;
           return cast<ParamAttr>(a).getBytes() ==
                  cast<ParamAttr>(b).getBytes();
         });
}

static LogicalResult checkFunctions(FuncOp old, FuncOp fresh) {
  if (old.getEntry() != fresh.getEntry())
    return refuse(old, fresh,
                  fresh.getEntry()
                      ? "is a kernel here, and a function elsewhere"
                      : "is a function here, and a kernel elsewhere",
                  "declared here");
  if (!sameSizes(old.getParams(), fresh.getParams()))
    return refuse(old, fresh,
                  "has other parameters here than in another module",
                  "declared here");
  if (!sameSizes(old.getResults(), fresh.getResults()))
    return refuse(old, fresh, "has another result here than in another module",
                  "declared here");
  return success();
}

static LogicalResult checkVariables(VarOp old, VarOp fresh) {
  if (old.getSpace() != fresh.getSpace())
    return refuse(old, fresh,
                  "is in ." + stringifySpace(fresh.getSpace()) +
                      " space here, and in ." + stringifySpace(old.getSpace()) +
                      " elsewhere",
                  "declared here");
  bool isOpen = old.getBytes() == 0 || fresh.getBytes() == 0; // `.extern x[]`
  bool isCommon =
      linkageOf(old) == Linkage::Common || linkageOf(fresh) == Linkage::Common;
  if (old.getBytes() != fresh.getBytes() && !isOpen && !isCommon)
    return refuse(old, fresh,
                  "has " + bytesOf(fresh.getBytes()) + " here, and " +
                      bytesOf(old.getBytes()) + " in another module",
                  "declared here");
  return success();
}

/// Only one of several `.common` variables may have an initial value, and no
/// other one may be larger.
static LogicalResult checkCommon(VarOp old, VarOp fresh) {
  if (old.getInit() && fresh.getInit())
    return refuse(old, fresh, "is '.common' and has a value twice",
                  "the first value is here");
  VarOp small = old.getBytes() < fresh.getBytes() ? old : fresh;
  if (old.getBytes() != fresh.getBytes() && small.getInit())
    return refuse(old, fresh,
                  "is '.common', and its value belongs to a smaller variable",
                  "declared here");
  return success();
}

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

static FailureOr<VarOp> mergeCommon(VarOp old, VarOp fresh) {
  if (failed(checkCommon(old, fresh)))
    return failure();
  bool takesFresh = fresh.getBytes() > old.getBytes() ||
                    (fresh.getBytes() == old.getBytes() && fresh.getInit());
  return takesFresh ? fresh : old;
}

/// Checks that a definition is not smaller than a `.common` variable of its
/// name.
static LogicalResult checkRoom(Operation *old, Operation *fresh,
                               Operation *winner) {
  auto oldVar = dyn_cast<VarOp>(old), freshVar = dyn_cast<VarOp>(fresh);
  if (!oldVar)
    return success();
  VarOp other = winner == old ? freshVar : oldVar;
  if (linkageOf(other) == Linkage::Common &&
      other.getBytes() > cast<VarOp>(winner).getBytes())
    return refuse(old, fresh,
                  "is '.common' with more bytes than the definition",
                  "declared here");
  return success();
}

static FailureOr<Operation *> choose(Operation *old, Operation *fresh) {
  Linkage was = linkageOf(old), is = linkageOf(fresh);
  if (was == Linkage::Visible && is == Linkage::Visible)
    return refuse(old, fresh, "is defined in two modules",
                  "first defined here");
  if (was == Linkage::Common && is == Linkage::Common) {
    FailureOr<VarOp> chosen = mergeCommon(cast<VarOp>(old), cast<VarOp>(fresh));
    if (failed(chosen))
      return failure();
    return chosen->getOperation();
  }
  // Of two declarations, take the one that has a size.
  auto oldVar = dyn_cast<VarOp>(old);
  bool isOpen = oldVar && was == Linkage::Extern && is == Linkage::Extern &&
                oldVar.getBytes() == 0;
  Operation *winner = is > was || isOpen ? fresh : old;
  if (failed(checkRoom(old, fresh, winner)))
    return failure();
  return winner;
}

FailureOr<Operation *> ptxjit::merge(Operation *old, Operation *fresh) {
  auto oldVar = dyn_cast<VarOp>(old), freshVar = dyn_cast<VarOp>(fresh);
  if (bool(oldVar) != bool(freshVar))
    return refuse(old, fresh,
                  freshVar ? "is a variable here, and a function elsewhere"
                           : "is a function here, and a variable elsewhere",
                  "declared here");
  if (failed(oldVar ? checkVariables(oldVar, freshVar)
                    : checkFunctions(cast<FuncOp>(old), cast<FuncOp>(fresh))))
    return failure();
  FailureOr<Operation *> winner = choose(old, fresh);
  if (succeeded(winner) && oldVar)
    cast<VarOp>(*winner).setAlign(
        std::max(oldVar.getAlign(), freshVar.getAlign()));
  return winner;
}
