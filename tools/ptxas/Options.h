//===- Options.h - the command line of ptxas --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NVIDIA's ptxas has rules of its own for options: two dashes before a long
// name, one before a short name, and the value behind `=` or in the next word.
// Options.def lists the options.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_TOOLS_PTXAS_OPTIONS_H
#define PTXJIT_TOOLS_PTXAS_OPTIONS_H

#include "Messages.h"
#include "llvm/ADT/ArrayRef.h"
#include <map>
#include <string>
#include <vector>

namespace ptxjit::ptxas {

enum class OptionId {
#define PTXAS_OPTION(NAME, KIND, LONG, SHORT, VALUE, ALLOWED, HELP) NAME,
#include "Options.def"
};

struct OptionSpec;

/// The options from the command line and from its options files.
class Options {
public:
  /// Reads the words behind the program's name.
  /// \returns false, after an error message, if they are not valid.
  bool read(llvm::ArrayRef<std::string> words, Messages &messages);

  bool has(OptionId id) const { return values.count(id); }
  /// The value that was given last.
  llvm::StringRef get(OptionId id, llvm::StringRef otherwise = "") const;
  /// All elements of a list option, in order.
  llvm::ArrayRef<std::string> getAll(OptionId id) const;
  llvm::ArrayRef<std::string> getInputs() const { return inputs; }

private:
  bool readWord(llvm::ArrayRef<std::string> &words, Messages &messages);
  bool readFile(const std::string &path, Messages &messages);
  bool keep(const OptionSpec &option, const std::string &value,
            Messages &messages);

  std::map<OptionId, std::vector<std::string>> values;
  std::vector<std::string> inputs;
  unsigned filesOpened = 0;
};

/// Prints the text of `--help`.
void printHelp();

} // namespace ptxjit::ptxas

#endif
