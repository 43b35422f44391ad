//===- Remarks.h - collects and shows the passes' remarks -------*- C++ -*-===//
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
} // namespace mlir

namespace ptxjit {

/// The remarks of one compilation, shown in the order of their places.
class RemarkList {
public:
  struct Entry {
    std::string file;
    unsigned line = 0, column = 0; ///< from 1; 0: unknown
    std::string category;          ///< Lowering/Remarks.h
    std::string pass;              ///< whose counts these are, of "statistics"
    std::string code, shape, reason;
    bool missed = false;
  };

  /// Collects the remarks of the passes of the context, which has one thread
  /// from now on. The list must outlive them.
  void listenTo(mlir::MLIRContext &context);

  /// Prints diagnostics, `FILE:LINE:COL: remark: gather: ... [access]`: missed
  /// accesses, branches and the mode; with `statistics` also the passes'
  /// counts.
  std::string asDiagnostics(bool statistics) const;
  /// Prints all accesses and divergent branches below their lines: the code,
  /// the shape of the address or predicate, and the reason.
  /// \param text  the module, whose lines are quoted.
  std::string asTable(llvm::StringRef text) const;

  void add(Entry entry) { entries.push_back(std::move(entry)); }

private:
  std::vector<Entry> sorted() const;
  std::vector<Entry> entries;
};

} // namespace ptxjit

#endif
