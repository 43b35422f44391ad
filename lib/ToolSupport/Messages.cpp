//===- Messages.cpp - messages in the words of NVIDIA's tools -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/ToolSupport/Messages.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace ptxjit::tools;
using llvm::StringRef;

static const char *nameOf(Severity severity) {
  switch (severity) {
  case Severity::Info:
    return "info    ";
  case Severity::Warning:
    return "warning ";
  case Severity::Error:
    return "error   ";
  case Severity::Fatal:
    return "fatal   ";
  }
  return "";
}

/// White space for the part of a line before `column`, so that a caret behind
/// it is in the right column. Tabs stay tabs.
static std::string blanksBefore(StringRef text, unsigned column) {
  std::string blanks;
  for (char c : text.take_front(column - 1))
    blanks += c == '\t' ? '\t' : ' ';
  return blanks;
}

void Messages::say(Severity severity, const llvm::Twine &text,
                   const Place &place) {
  if (severity == Severity::Warning && quiet)
    return;
  if (severity == Severity::Warning && strict)
    severity = Severity::Error;
  errors |= severity >= Severity::Error;
  llvm::raw_ostream &os = llvm::errs();
  os << tool << ' ';
  if (place.line)
    os << place.file << ", line " << place.line << "; ";
  os << nameOf(severity) << ": " << text << '\n';
  StringRef line = place.text.rtrim();
  if (place.column && !line.empty())
    os << "    " << line << "\n    " << blanksBefore(line, place.column)
       << "^\n";
}

void Messages::more(const llvm::Twine &text) {
  llvm::errs() << "    " << text << '\n';
}

void Messages::sayAll(StringRef diagnostics) {
  for (StringRef line : llvm::split(diagnostics.rtrim('\n'), '\n'))
    if (line.consume_front("error: "))
      say(Severity::Error, line);
    else if (line.consume_front("warning: "))
      say(Severity::Warning, line);
    else
      more(line.trim());
}

void Messages::setOptions(bool withoutWarnings, bool warningsAreErrors) {
  quiet = withoutWarnings;
  strict = warningsAreErrors;
}
