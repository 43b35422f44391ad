//===- Options.cpp - the command line of ptxas ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/StringSaver.h"
#include "llvm/Support/raw_ostream.h"

using namespace ptxjit::ptxas;
using llvm::StringRef;
using llvm::Twine;

namespace {
enum class Kind {
  Flag,      ///< no value
  Boolean,   ///< true or false
  Number,    ///< a decimal integer
  Level,     ///< a number; directly behind the short name: -O2
  Registers, ///< a number, archmax or archmin
  Text,
  List, ///< elements between commas; may be given several times
};
/// Limits options files, since one may name another without end.
constexpr unsigned kMostFiles = 64;
} // namespace

struct ptxjit::ptxas::OptionSpec {
  OptionId id;
  Kind kind;
  StringRef longName, shortName, value, allowed, help;
};

static const OptionSpec kOptions[] = {
#define PTXAS_OPTION(NAME, KIND, LONG, SHORT, VALUE, ALLOWED, HELP)            \
  {OptionId::NAME, Kind::KIND, LONG, SHORT, VALUE, ALLOWED, HELP},
#include "Options.def"
};

/// \param name  without its first dash.
static const OptionSpec *findOption(StringRef name) {
  bool isLong = name.consume_front("-");
  for (const OptionSpec &option : kOptions)
    if (name == (isLong ? option.longName : option.shortName))
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

bool Options::keep(const OptionSpec &option, const std::string &value,
                   Messages &messages) {
  std::string why = refuse(option, value);
  if (!why.empty())
    return fail(messages, why);
  std::vector<std::string> &kept = values[option.id];
  if (option.kind != Kind::List) {
    if (!kept.empty() && kept.back() != value)
      messages.say(Severity::Warning,
                   "incompatible redefinition for option '" + option.longName +
                       "', the last value of this option was used");
    kept.assign(1, value);
    return true;
  }
  for (StringRef part : llvm::split(value, ',')) {
    kept.push_back(part.str());
    if (option.id == OptionId::OptionsFile && !readFile(part.str(), messages))
      return false;
  }
  return true;
}

bool Options::readWord(llvm::ArrayRef<std::string> &words, Messages &messages) {
  StringRef word = words.front();
  words = words.drop_front();
  if (!word.starts_with("-") || word == "-") {
    inputs.push_back(word.str());
    return true;
  }
  auto [name, value] = word.drop_front().split('=');
  bool hasValue = word.contains('=');
  const OptionSpec *option = findOption(name);
  if (!option && name.starts_with("O")) {
    option = findOption("O");
    value = word.drop_front(2);
    hasValue = true;
  }
  if (!option)
    return fail(messages, "Unknown option '" + name + "'");
  if (option->kind == Kind::Flag && hasValue)
    return fail(messages, "no argument expected after '-" + name + "'");
  if (option->kind == Kind::Flag)
    return keep(*option, "", messages);
  if (!hasValue && name == "O") // its value is never the next word
    return true;
  if (hasValue)
    return keep(*option, value.str(), messages);
  if (words.empty())
    return fail(messages, "argument expected after '-" + name + "'");
  std::string next = words.front();
  words = words.drop_front();
  return keep(*option, next, messages);
}

bool Options::readFile(const std::string &path, Messages &messages) {
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

bool Options::read(llvm::ArrayRef<std::string> words, Messages &messages) {
  while (!words.empty())
    if (!readWord(words, messages))
      return false;
  return true;
}

StringRef Options::get(OptionId id, StringRef otherwise) const {
  auto it = values.find(id);
  return it == values.end() ? otherwise : StringRef(it->second.back());
}

llvm::ArrayRef<std::string> Options::getAll(OptionId id) const {
  auto it = values.find(id);
  if (it == values.end())
    return {};
  return it->second;
}

void ptxjit::ptxas::printHelp() {
  llvm::raw_ostream &os = llvm::outs();
  os << "\nUsage  : ptxas [options] <ptx file>,...\n\n"
        "Checks PTX and hands it on as it is: libcuda.so.1 of ptx-jit loads\n"
        "what this writes, and compiles kernels when they are launched. The\n"
        "options are those of NVIDIA's ptxas. What is said \"of machine "
        "code\"\n"
        "is taken and has no effect.\n\nOptions\n=======\n\n";
  for (const OptionSpec &option : kOptions) {
    os << "--" << option.longName;
    if (!option.value.empty())
      os << ' ' << option.value;
    os << "  (-" << option.shortName << ")\n        " << option.help << ".\n\n";
  }
}
