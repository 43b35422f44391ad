//===- CommandLine.cpp - command lines of NVIDIA's tools ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/ToolSupport/CommandLine.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/StringSaver.h"
#include "llvm/Support/raw_ostream.h"

using namespace ptxjit::tools;
using llvm::StringRef;
using llvm::Twine;
using Kind = OptionKind;

/// Limits options files, since one may name another without end.
static constexpr unsigned kMostFiles = 64;

/// \param name  without its first dash.
const OptionSpec *CommandLine::findOption(StringRef name) const {
  bool isLong = name.consume_front("-");
  for (const OptionSpec &option : specs)
    if (!name.empty() && name == (isLong ? option.longName : option.shortName))
      return &option;
  return nullptr;
}

static bool isNumber(StringRef text) {
  int64_t number;
  return !text.getAsInteger(10, number);
}

/// Why the option does not take `value`; empty if it does.
static std::string refuse(const OptionSpec &option, StringRef value) {
  switch (option.kind) {
  case Kind::Boolean:
    if (value != "true" && value != "false")
      return ("'" + value + "': expected true or false").str();
    break;
  case Kind::Number:
  case Kind::Level:
  case Kind::Bits:
    if (!isNumber(value))
      return ("'" + value + "': expected a number").str();
    break;
  case Kind::Registers:
    if (!isNumber(value) && value != "archmax" && value != "archmin")
      return ("Invalid value '" + value + "' for option '" + option.longName +
              "'")
          .str();
    break;
  default:
    break;
  }
  if (!option.allowed.empty() &&
      !option.allowed.contains(("," + value + ",").str()))
    return ("Value '" + value + "' is not defined for option '" +
            option.longName + "'")
        .str();
  return "";
}

static bool fail(Messages &messages, const Twine &text) {
  messages.say(Severity::Fatal, text);
  return false;
}

bool CommandLine::keep(const OptionSpec &option, const std::string &value,
                       Messages &messages) {
  std::string why = refuse(option, value);
  if (!why.empty())
    return fail(messages, why);
  std::vector<std::string> &kept = values[option.id];
  switch (option.kind) {
  case Kind::Whole:
    kept.push_back(value);
    return true;
  case Kind::List:
  case Kind::Path:
  case Kind::File:
    break;
  default:
    if (!kept.empty() && kept.back() != value)
      messages.say(Severity::Warning,
                   "incompatible redefinition for option '" + option.longName +
                       "', the last value of this option was used");
    kept.assign(1, value);
    return true;
  }
  for (StringRef part : llvm::split(value, ',')) {
    kept.push_back(part.str());
    if (option.kind == Kind::File && !readFile(part.str(), messages))
      return false;
  }
  return true;
}

/// May the value stand directly behind the short name?
static bool mayJoin(Kind kind) {
  return kind == Kind::Level || kind == Kind::Bits || kind == Kind::Path;
}

/// Finds the option that `word` names, and the value that it has.
CommandLine::Found CommandLine::find(StringRef word) const {
  Found found;
  auto [name, value] = word.drop_front().split('=');
  found.name = name.str();
  found.value = value.str();
  found.hasValue = word.contains('=');
  found.option = findOption(name);
  if (found.option || word.size() < 2 || word.starts_with("--"))
    return found;
  const OptionSpec *joined = findOption(word.substr(1, 1));
  if (!joined || !mayJoin(joined->kind))
    return found;
  return {joined, joined->shortName.str(), word.drop_front(2).str(), true};
}

bool CommandLine::readWord(llvm::ArrayRef<std::string> &words,
                           Messages &messages) {
  StringRef word = words.front();
  words = words.drop_front();
  if (!word.starts_with("-") || word == "-") {
    inputs.push_back(word.str());
    return true;
  }
  Found found = find(word);
  if (!found.option)
    return fail(messages, "Unknown option '" + found.name + "'");
  Kind kind = found.option->kind;
  if (kind == Kind::Flag && found.hasValue)
    return fail(messages, "no argument expected after '-" + found.name + "'");
  if (kind == Kind::Flag || found.hasValue)
    return keep(*found.option, found.value, messages);
  if (kind == Kind::Level && found.name == found.option->shortName)
    return true; // its value is never the next word
  if (words.empty())
    return fail(messages, "argument expected after '-" + found.name + "'");
  std::string next = words.front();
  words = words.drop_front();
  return keep(*found.option, next, messages);
}

bool CommandLine::readFile(const std::string &path, Messages &messages) {
  if (++filesOpened > kMostFiles)
    return fail(messages, "Too many options file opened '" + path + "'");
  auto file = llvm::MemoryBuffer::getFile(path);
  if (!file)
    return fail(messages, "Could not open options file '" + path + "'");
  llvm::BumpPtrAllocator memory;
  llvm::StringSaver saver(memory);
  llvm::SmallVector<const char *> words;
  llvm::cl::TokenizeGNUCommandLine((*file)->getBuffer(), saver, words);
  return read(std::vector<std::string>(words.begin(), words.end()), messages);
}

bool CommandLine::read(llvm::ArrayRef<std::string> words, Messages &messages) {
  while (!words.empty())
    if (!readWord(words, messages))
      return false;
  return true;
}

void CommandLine::printHelp(StringRef usage) const {
  llvm::raw_ostream &os = llvm::outs();
  os << usage << "\nOptions\n=======\n\n";
  for (const OptionSpec &option : specs) {
    if (option.help.empty())
      continue;
    os << "--" << option.longName;
    if (!option.value.empty())
      os << ' ' << option.value;
    os << "  (-" << option.shortName << ")\n        " << option.help << ".\n\n";
  }
}

void ptxjit::tools::printVersion(StringRef tool, StringRef inPlace,
                                 StringRef note) {
  llvm::outs() << tool << ": ptx-jit " PTXJIT_VERSION ", in place of "
               << inPlace << '\n'
               << note << '\n'
               << "Options and answers are those of\n"
                  "Cuda compilation tools, release 13.0, V13.0.88\n";
}

bool ptxjit::tools::writeFile(StringRef path, StringRef bytes,
                              Messages &messages) {
  std::error_code error;
  llvm::raw_fd_ostream file(path, error, llvm::sys::fs::OF_None);
  if (error)
    return fail(messages, "Output file '" + path + "' could not be opened");
  file << bytes;
  file.close();
  if (!file.has_error())
    return true;
  fail(messages, "Output file '" + path +
                     "' could not be written: " + file.error().message());
  file.clear_error();
  return false;
}
