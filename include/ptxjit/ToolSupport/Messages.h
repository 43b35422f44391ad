//===- Messages.h - messages in the words of NVIDIA's tools -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs that call ptxas or nvlink look for certain words in the output, so
// errors, warnings and remarks have the form of NVIDIA's.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_TOOLSUPPORT_MESSAGES_H
#define PTXJIT_TOOLSUPPORT_MESSAGES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"

namespace ptxjit::tools {

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
  /// \param tool  the name that messages begin with; a literal.
  explicit Messages(llvm::StringRef tool) : tool(tool) {}

  void say(Severity severity, const llvm::Twine &text, const Place &place = {});
  /// Prints lines below the last message.
  void more(const llvm::Twine &text);
  /// Prints the messages of a room without LLVM. Each begins with "error: " or
  /// "warning: "; other lines belong to the last one.
  void sayAll(llvm::StringRef diagnostics);

  /// Sets what happens to warnings from now on. Warnings about the options come
  /// earlier and are always printed.
  void setOptions(bool withoutWarnings, bool warningsAreErrors);
  bool hasErrors() const { return errors; }

private:
  llvm::StringRef tool;
  bool quiet = false, strict = false, errors = false;
};

} // namespace ptxjit::tools

#endif
