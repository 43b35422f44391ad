//===- Messages.h - messages in the words of NVIDIA's ptxas -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs that call ptxas look for certain words in its output, so errors,
// warnings and remarks have the form of NVIDIA's.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_TOOLS_PTXAS_MESSAGES_H
#define PTXJIT_TOOLS_PTXAS_MESSAGES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"

namespace ptxjit::ptxas {

enum class Severity { Info, Warning, Error, Fatal };

/// A place in an input; none if `line` is 0.
struct Place {
  llvm::StringRef file = {};
  unsigned line = 0;         ///< from 1
  unsigned column = 0;       ///< from 1; 0: unknown
  llvm::StringRef text = {}; ///< the line, shown with a caret; or empty
};

/// Prints messages to stderr, one a line:
///
///     ptxas k.ptx, line 4; error   : 'nop' is not the name of an instruction
///
/// If the column is known the line of the text follows, with a caret below it.
class Messages {
public:
  void say(Severity severity, const llvm::Twine &text, const Place &place = {});
  /// Prints lines below the last message.
  void more(const llvm::Twine &text);

  /// Sets what happens to warnings from now on. Warnings about the options come
  /// earlier and are always printed.
  void setOptions(bool withoutWarnings, bool warningsAreErrors);
  bool hasErrors() const { return errors; }

private:
  bool quiet = false, strict = false, errors = false;
};

} // namespace ptxjit::ptxas

#endif
