//===- Identifiers.cpp - names of PTX in C --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompiledModule.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cxxabi.h>
#include <iterator>
#include <map>
#include <set>

using namespace ptxjit;

/// Words that are no names in C or C++, as far as somebody may have given them
/// to a kernel or a parameter, and names of our own.
static const char *const kTaken[] = {
    "alignas",  "alignof",  "and",      "asm",       "auto",   "bool",
    "break",    "case",     "catch",    "char",      "class",  "compl",
    "const",    "continue", "default",  "delete",    "do",     "double",
    "else",     "enum",     "explicit", "export",    "extern", "false",
    "float",    "for",      "friend",   "goto",      "if",     "inline",
    "int",      "long",     "mutable",  "namespace", "new",    "not",
    "operator", "or",       "private",  "protected", "public", "register",
    "restrict", "return",   "short",    "signed",    "sizeof", "static",
    "struct",   "switch",   "template", "this",      "throw",  "true",
    "try",      "typedef",  "typeid",   "typename",  "union",  "unsigned",
    "using",    "virtual",  "void",     "volatile",  "while",  "xor",
    "launch",   "block_",   "load",     "unload"};

std::string ptxjit::toIdentifier(const std::string &name) {
  std::string out;
  for (char c : name)
    out += std::isalnum(uint8_t(c)) ? c : '_';
  if (out.empty() || std::isdigit(uint8_t(out[0])))
    out.insert(0, "_");
  bool isTaken =
      std::find(std::begin(kTaken), std::end(kTaken), out) != std::end(kTaken);
  return isTaken ? out + "_" : out;
}

/// The qualified name that C++ has mangled, without parameters of the function
/// and of templates; `name` if it is not mangled.
static std::string demangle(const std::string &name) {
  if (name.compare(0, 2, "_Z") != 0)
    return name; // "f" would be a mangled type
  int status = 0;
  char *text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  std::string plain = status == 0 && text ? text : name;
  std::free(text);
  if (status != 0)
    return name;
  plain = plain.substr(0, plain.find_first_of("(<"));
  // A function template's result type stands in front.
  return plain.substr(plain.rfind(' ') + 1);
}

std::vector<std::string>
ptxjit::toIdentifiers(const std::vector<std::string> &names) {
  std::vector<std::string> result;
  std::map<std::string, int> uses;
  for (const std::string &name : names)
    ++uses[result.emplace_back(toIdentifier(demangle(name)))];
  std::set<std::string> taken;
  for (size_t i = 0; i < names.size(); ++i) {
    if (uses[result[i]] > 1)
      result[i] = toIdentifier(names[i]);
    while (!taken.insert(result[i]).second)
      result[i] += "_";
  }
  return result;
}
