//===- Messages.h - what ptxas says, in its own words -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs that call ptxas look for its words in what it prints, so errors,
// warnings and remarks have NVIDIA's form.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_TOOLS_PTXAS_MESSAGES_H
#define PTXJIT_TOOLS_PTXAS_MESSAGES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"

namespace ptxjit::ptxas {

enum class Severity { Info, Warning, Error, Fatal };

/// A place in the inputs; none if `line` is 0.
struct Place {
  llvm::StringRef file = {};
  unsigned line = 0;         ///< from 1
  unsigned column = 0;       ///< from 1; 0: of no column
  llvm::StringRef text = {}; ///< of the line, shown with a caret; or empty
};

/// Prints on stderr, one message a line:
///
///     ptxas k.ptx, line 4; error   : 'nop' is not the name of an instruction
///
/// With a column, the line follows and a caret under it.
class Messages {
public:
  void say(Severity severity, const llvm::Twine &text, const Place &place = {});
  /// Lines below the last message.
  void more(const llvm::Twine &text);

  /// Says what becomes of warnings from now on. Those about the options come
  /// before, and are always printed.
  void setOptions(bool withoutWarnings, bool warningsAreErrors);
  bool hasErrors() const { return errors; }

private:
  bool quiet = false, strict = false, errors = false;
};

} // namespace ptxjit::ptxas

#endif
