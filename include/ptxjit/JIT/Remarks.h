//===- Remarks.h - shows what the passes tell -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_JIT_REMARKS_H
#define PTXJIT_JIT_REMARKS_H

#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace mlir {
class MLIRContext;
}

namespace ptxjit {

/// What was told, in the order of its places.
class RemarkList {
public:
  struct Entry {
    std::string file;
    unsigned line = 0, column = 0; ///< from 1; 0: it has no place
    std::string category;          ///< Lowering/Remarks.h
    std::string pass;              ///< that counts, in category "statistics"
    std::string code, shape, reason;
    bool missed = false;
  };

  /// Listens to the context's passes for as long as it lives.
  void listenTo(mlir::MLIRContext &context);

  /// As diagnostics, `FILE:LINE:COL: remark: gather: ... [access]`: what was
  /// missed, branches, the mode; and what passes have counted, if `statistics`.
  std::string asDiagnostics(bool statistics) const;
  /// A table of all accesses and divergent branches with what is known of
  /// addresses or predicates, the code, and the reason. \param text  of the
  /// module: its lines are quoted.
  std::string asTable(llvm::StringRef text) const;

  void add(Entry entry) { entries.push_back(std::move(entry)); }

private:
  std::vector<Entry> sorted() const;
  std::vector<Entry> entries;
};

} // namespace ptxjit

#endif
