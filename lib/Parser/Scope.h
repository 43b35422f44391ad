//===- Scope.h - the names of a module or function scope --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_PARSER_SCOPE_H
#define PTXJIT_LIB_PARSER_SCOPE_H

#include "mlir/IR/Attributes.h"
#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"
#include "ptxjit/Dialect/PtxDialect.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/SMLoc.h"
#include <vector>

namespace ptxjit {

/// The formals (ParamAttr) of a function or prototype.
struct Signature {
  llvm::SmallVector<mlir::Attribute> results, params;
};

/// The entity that a name stands for. Comments on fields tell the kinds of
/// symbols that use them.
struct Symbol {
  enum Kind {
    Register,
    Variable,
    Param,
    Label,
    Function,
    BranchTargets, ///< `.branchtargets`
    CallTargets,   ///< `.calltargets`
    Prototype,     ///< `.callprototype`
  } kind;
  llvm::SMLoc loc = {};
  ptx::ScalarType type = ptx::ScalarType::B32;
  /// Register: one slot for each vector element, or for each half of a 128-bit
  /// register. The first use makes it.
  llvm::SmallVector<mlir::Value, 1> slots = {};
  unsigned vectorSize = 1;
  /// Variable, Function: the name in the module's symbol table.
  std::string irName = {};
  mlir::Operation *op = nullptr; ///< Variable, Function
  /// Variable, Param: the state space.
  ptx::Space space = ptx::Space::Generic;
  int64_t elementBytes = 0;
  /// Param, and Register if it is a formal: the number of the formal.
  unsigned index = 0;
  bool isResult = false;
  bool isHandle = false; ///< Param: of an opaque type, a handle of 64 bits
  /// Label: its block, and whether the definition has been parsed.
  mlir::Block *block = nullptr;
  bool defined = false;
  /// BranchTargets, CallTargets: the names in the list.
  std::vector<std::pair<llvm::StringRef, llvm::SMLoc>> targets = {};
  /// Prototype.
  Signature signature = {};
};

/// The names of one `{}` level. `%r<N>` is kept as a range, because real
/// kernels declare tens of thousands of registers.
class Scope {
public:
  struct Range {
    unsigned count;
    ptx::ScalarType type;
    unsigned vectorSize;
    llvm::SMLoc loc;
  };

  /// \returns the new symbol; null if the name exists in this scope already.
  Symbol *declare(llvm::StringRef name, Symbol symbol) {
    auto [it, fresh] = names.try_emplace(name, std::move(symbol));
    return fresh ? &it->second : nullptr;
  }
  bool declareRange(llvm::StringRef prefix, Range range) {
    return ranges.try_emplace(prefix, range).second;
  }
  Symbol *lookup(llvm::StringRef name) {
    if (auto it = names.find(name); it != names.end())
      return &it->second;
    return ranges.empty() ? nullptr : lookupRange(name);
  }
  llvm::StringMap<Symbol> &getNames() { return names; }

private:
  Symbol *lookupRange(llvm::StringRef name) {
    size_t digits = name.size();
    while (digits && name[digits - 1] >= '0' && name[digits - 1] <= '9')
      --digits;
    // `%r10` may belong to `%r<11>` or to `%r1<1>`. `%r09` belongs to `%r0<10>`
    // if that exists; else it is `%r9`.
    for (bool padded : {false, true})
      for (size_t split = digits; split < name.size(); ++split) {
        llvm::StringRef number = name.drop_front(split);
        if ((number.size() > 1 && number[0] == '0') != padded)
          continue;
        if (Symbol *symbol = findInRange(name.take_front(split), number))
          return symbol;
      }
    return nullptr;
  }

  Symbol *findInRange(llvm::StringRef prefix, llvm::StringRef number) {
    auto it = ranges.find(prefix);
    unsigned index;
    if (it == ranges.end() || number.getAsInteger(10, index) ||
        index >= it->second.count)
      return nullptr;
    Symbol symbol{Symbol::Register, it->second.loc, it->second.type};
    symbol.vectorSize = it->second.vectorSize;
    std::string name = (prefix + llvm::Twine(index)).str();
    return &names.try_emplace(name, std::move(symbol)).first->second;
  }

  llvm::StringMap<Symbol> names;
  llvm::StringMap<Range> ranges;
};

} // namespace ptxjit

#endif
