//===- CommandLine.h - command lines of NVIDIA's tools ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NVIDIA's tools have rules of their own for options: two dashes before a long
// name, one before a short name, and the value behind `=` or in the next word.
// Each tool has a list of its options, and an enumeration that numbers them.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_TOOLSUPPORT_COMMANDLINE_H
#define PTXJIT_TOOLSUPPORT_COMMANDLINE_H

#include "ptxjit/ToolSupport/Messages.h"
#include "llvm/ADT/ArrayRef.h"
#include <map>
#include <string>
#include <vector>

namespace ptxjit::tools {

enum class OptionKind {
  Flag,      ///< no value
  Boolean,   ///< true or false
  Number,    ///< a decimal integer
  Level,     ///< a number; directly behind the short name: -O2
  Registers, ///< a number, archmax or archmin
  Text,
  Bits,  ///< one of some numbers; also directly behind the short name: -m64
  List,  ///< elements between commas; may be given several times
  Path,  ///< a list; also directly behind the short name: -L/usr/lib
  Whole, ///< a text, which may have commas; may be given several times
  File,  ///< a list of files, from which options are read
};

struct OptionSpec {
  unsigned id;
  OptionKind kind;
  llvm::StringRef longName, shortName;
  llvm::StringRef value;   ///< for `--help`; empty if there is none
  llvm::StringRef allowed; ///< ",a,b,": only these; "" allows any value
  llvm::StringRef help;    ///< a line; empty: not shown by `--help`
};

/// The options from a command line and from its options files.
class CommandLine {
public:
  explicit CommandLine(llvm::ArrayRef<OptionSpec> specs) : specs(specs) {}

  /// Reads the words behind the program's name.
  /// \returns false, after an error message, if they are not valid.
  bool read(llvm::ArrayRef<std::string> words, Messages &messages);

  template <typename Id> bool has(Id id) const {
    return values.count(unsigned(id));
  }
  /// The value that was given last.
  template <typename Id>
  llvm::StringRef get(Id id, llvm::StringRef otherwise = "") const {
    auto it = values.find(unsigned(id));
    return it == values.end() ? otherwise : llvm::StringRef(it->second.back());
  }
  /// All elements of a list, in order.
  template <typename Id> llvm::ArrayRef<std::string> getAll(Id id) const {
    auto it = values.find(unsigned(id));
    return it == values.end() ? llvm::ArrayRef<std::string>()
                              : llvm::ArrayRef<std::string>(it->second);
  }
  llvm::ArrayRef<std::string> getInputs() const { return inputs; }
  bool isEmpty() const { return values.empty() && inputs.empty(); }

  /// Prints the text of `--help`: `usage`, and a paragraph for each option.
  void printHelp(llvm::StringRef usage) const;

private:
  struct Found {
    const OptionSpec *option = nullptr;
    std::string name, value; ///< as they were written
    bool hasValue = false;
  };
  const OptionSpec *findOption(llvm::StringRef name) const;
  Found find(llvm::StringRef word) const;
  bool readWord(llvm::ArrayRef<std::string> &words, Messages &messages);
  bool readFile(const std::string &path, Messages &messages);
  bool keep(const OptionSpec &option, const std::string &value,
            Messages &messages);

  llvm::ArrayRef<OptionSpec> specs;
  std::map<unsigned, std::vector<std::string>> values;
  std::vector<std::string> inputs;
  unsigned filesOpened = 0;
};

/// Prints the answer to `--version`. Programs look for `release N.N` and
/// `VN.N.N`, which decide the versions of what they write.
/// \param tool     "ptxas"
/// \param inPlace  "NVIDIA (R) Ptx optimizing assembler"
/// \param note     a line about what it does instead
void printVersion(llvm::StringRef tool, llvm::StringRef inPlace,
                  llvm::StringRef note);

/// Writes a file. \returns false, after an error message, if that fails.
bool writeFile(llvm::StringRef path, llvm::StringRef bytes, Messages &messages);

} // namespace ptxjit::tools

#endif
