//===- Linker.cpp - links several modules into one ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// First, symbols that belong to one module get unique names. After that,
// symbols of the same name are the same entity and are merged into one;
// references find it by its name.
//
//===----------------------------------------------------------------------===//

#include "LinkerImpl.h"

#include "ptxjit/Dialect/SystemFunctions.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

namespace {
class ModuleLinker {
public:
  explicit ModuleLinker(MutableArrayRef<OwningOpRef<ModuleOp>> modules)
      : modules(modules) {}
  FailureOr<OwningOpRef<ModuleOp>> link();

private:
  void countNames();
  void renameLocals(ModuleOp module, size_t number);
  LogicalResult add(Operation *symbol);
  void drop(Operation *symbol);
  void resolveAliases();

  MutableArrayRef<OwningOpRef<ModuleOp>> modules;
  OwningOpRef<ModuleOp> whole;
  /// The number of modules that declare a name.
  llvm::StringMap<unsigned> uses;
  /// The symbols so far that take part in linking.
  llvm::StringMap<Operation *> globals;
};
} // namespace

static StringAttr nameOf(Operation *symbol) {
  return SymbolTable::getSymbolName(symbol);
}

/// Renames the symbols in all references inside of `top`.
static void
replaceReferences(Operation *top,
                  const llvm::DenseMap<StringAttr, StringAttr> &names) {
  AttrTypeReplacer replacer;
  replacer.addReplacement(
      [&](SymbolRefAttr reference) -> std::optional<Attribute> {
        auto it = names.find(reference.getRootReference());
        if (it == names.end())
          return std::nullopt;
        return FlatSymbolRefAttr::get(it->second);
      });
  replacer.recursivelyReplaceElementsIn(top, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/false);
}

//===----------------------------------------------------------------------===//
// Symbols of one module
//===----------------------------------------------------------------------===//

static bool isOfFunction(Operation &symbol) {
  auto var = dyn_cast<VarOp>(symbol);
  return var && var.getOwner();
}

/// Variables inside functions do not count: they exist only if the body was
/// parsed, and names must not depend on that.
void ModuleLinker::countNames() {
  for (auto &module : modules)
    for (Operation &symbol : module->getOps())
      if (!isOfFunction(symbol))
        ++uses[nameOf(&symbol).getValue()];
}

void ModuleLinker::renameLocals(ModuleOp module, size_t number) {
  llvm::DenseMap<StringAttr, StringAttr> names;
  auto rename = [&](Operation &symbol, const Twine &name) {
    auto fresh = StringAttr::get(module.getContext(), name);
    names[nameOf(&symbol)] = fresh;
    SymbolTable::setSymbolName(&symbol, fresh);
  };
  for (Operation &symbol : module.getOps())
    if (!isOfFunction(symbol) && linkageOf(&symbol) == Linkage::Local &&
        uses[nameOf(&symbol).getValue()] > 1)
      rename(symbol, nameOf(&symbol).getValue() + "::" + Twine(number));
  // The names of a function's variables begin with its name.
  for (Operation &symbol : module.getOps())
    if (isOfFunction(symbol)) {
      StringRef owner = *cast<VarOp>(symbol).getOwner();
      auto it = names.find(StringAttr::get(module.getContext(), owner));
      if (it != names.end())
        rename(symbol, it->second.getValue() +
                           nameOf(&symbol).getValue().drop_front(owner.size()));
    }
  if (!names.empty())
    replaceReferences(module, names);
}

//===----------------------------------------------------------------------===//
// Symbols of all modules
//===----------------------------------------------------------------------===//

/// Erases a symbol, and the variables inside it if it is a function.
void ModuleLinker::drop(Operation *symbol) {
  if (isa<FuncOp>(symbol))
    for (VarOp var :
         llvm::to_vector(cast<ModuleOp>(symbol->getParentOp()).getOps<VarOp>()))
      if (var.getOwner() == nameOf(symbol).getValue())
        var.erase();
  symbol->erase();
}

LogicalResult ModuleLinker::add(Operation *symbol) {
  if (linkageOf(symbol) != Linkage::Local) {
    Operation *&known = globals[nameOf(symbol).getValue()];
    if (known) {
      FailureOr<Operation *> winner = merge(known, symbol);
      if (failed(winner))
        return failure();
      Operation *loser = *winner == known ? symbol : known;
      known = *winner;
      drop(loser);
      if (loser == symbol)
        return success();
    }
    known = symbol;
  }
  symbol->moveBefore(whole->getBody(), whole->getBody()->end());
  return success();
}

/// Replaces references to aliases by the aliased functions. (Modules other than
/// the one with the `.alias` refer to the alias by its name.)
void ModuleLinker::resolveAliases() {
  llvm::DenseMap<StringAttr, StringAttr> names;
  for (FuncOp func : whole->getOps<FuncOp>())
    if (auto aliasee = func->getAttrOfType<FlatSymbolRefAttr>(kAliasAttr))
      names[func.getSymNameAttr()] = aliasee.getAttr();
  if (!names.empty())
    replaceReferences(*whole, names);
}

/// Is a symbol that no module defines supplied by the launch or the runtime?
static bool isSupplied(Operation *symbol) {
  if (auto var = dyn_cast<VarOp>(symbol))
    return var.getSpace() == Space::Shared && !var.getBytes(); // by the launch
  return findSystemFunction(nameOf(symbol).getValue()) != nullptr;
}

LogicalResult ptxjit::checkResolved(ModuleOp module, bool functions) {
  SmallVector<Operation *> open;
  for (Operation &symbol : module.getOps())
    if (linkageOf(&symbol) == Linkage::Extern && !isSupplied(&symbol) &&
        (functions || isa<VarOp>(symbol)))
      open.push_back(&symbol);
  if (open.empty())
    return success();
  llvm::DenseSet<StringAttr> used;
  module.walk([&](Operation *op) {
    op->getAttrDictionary().walk([&](SymbolRefAttr reference) {
      used.insert(reference.getRootReference());
    });
  });
  bool ok = true;
  for (Operation *symbol : open)
    if (used.contains(nameOf(symbol))) {
      symbol->emitError() << (isa<VarOp>(symbol) ? "variable" : "function")
                          << " '" << nameOf(symbol).getValue()
                          << "' is used, but defined nowhere";
      ok = false;
    }
  return success(ok);
}

FailureOr<OwningOpRef<ModuleOp>> ModuleLinker::link() {
  whole = ModuleOp::create(modules.front()->getLoc());
  if (failed(mergeHeaders(modules, *whole)))
    return failure();
  countNames();
  bool ok = true;
  for (auto [i, module] : llvm::enumerate(modules)) {
    renameLocals(*module, i + 1);
    // Functions first: dropping one also drops its variables.
    for (FuncOp func : llvm::to_vector(module->getOps<FuncOp>()))
      ok &= succeeded(add(func));
    for (VarOp var : llvm::to_vector(module->getOps<VarOp>()))
      ok &= succeeded(add(var));
  }
  if (!ok)
    return failure();
  resolveAliases();
  if (failed(checkResolved(*whole, /*functions=*/true)))
    return failure();
  return std::move(whole);
}

FailureOr<OwningOpRef<ModuleOp>>
ptxjit::linkModules(MutableArrayRef<OwningOpRef<ModuleOp>> modules) {
  return ModuleLinker(modules).link();
}
