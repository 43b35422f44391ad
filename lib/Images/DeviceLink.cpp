//===- DeviceLink.cpp - links device code for a device --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Images/DeviceLink.h"
#include "ptxjit/Images/HostObject.h"
#include "ptxjit/Runtime/CompilerLoader.h"

#include <algorithm>
#include <utility>

using namespace ptxjit;

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

/// Has a container code that the device could run, machine code included?
bool DeviceLink::hasCode(
    const std::vector<std::string_view> &containers) const {
  bool found = false;
  for (std::string_view container : containers)
    visitEntries(container, [&](const ImageEntry &entry) {
      bool isOfFamily = int(entry.arch / 10) == device.major &&
                        int(entry.arch % 10) <= device.minor;
      bool isPtx = entry.kind == ImageEntry::Kind::Ptx;
      found |= isPtx ? isUsable(entry, device) : isOfFamily;
    });
  return found;
}

bool DeviceLink::addContainers(const std::vector<std::string_view> &containers,
                               const std::string &name,
                               std::string &diagnostics) {
  if (containers.empty())
    return true;
  if (hasCode(containers))
    return extractFromContainers(containers, name, texts, diagnostics,
                                 device) == ImageStatus::Good;
  diagnostics +=
      "warning: SM Arch ('" + arch + "') not found in '" + name + "'\n";
  return true;
}

bool DeviceLink::addArchive(std::string_view file, const std::string &name,
                            std::string &diagnostics) {
  bool isGood = true;
  bool isWhole = visitMembers(
      file, [&](std::string_view bytes, const std::string &member) {
        // A zero has to be behind its end, not the next member.
        std::string copy(bytes);
        isGood &= add(copy, name + ":" + member, diagnostics);
      });
  if (!isWhole)
    diagnostics += "error: the archive '" + name + "' is damaged\n";
  return isGood && isWhole;
}

bool DeviceLink::add(std::string_view file, const std::string &name,
                     std::string &diagnostics) {
  switch (kindOfFile(file)) {
  case FileKind::Text:
    return splitImage(file.data(), name, texts, diagnostics) ==
           ImageStatus::Good;
  case FileKind::Container:
    return addContainers({file}, name, diagnostics);
  case FileKind::MachineCode:
    refuseMachineCode(file, diagnostics, device);
    diagnostics += "  it is in " + name + "\n";
    return false;
  case FileKind::Object: {
    HostObject object = readHostObject(file);
    modules.insert(modules.end(), object.modules.begin(), object.modules.end());
    return addContainers(object.containers, name, diagnostics);
  }
  case FileKind::Archive:
    return addArchive(file, name, diagnostics);
  case FileKind::Program:
  case FileKind::Other:
    break;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Problems
//===----------------------------------------------------------------------===//

/// Cuts `text` at `separator`. \returns false if it has none.
static bool cut(std::string_view text, std::string_view separator,
                std::string_view &before, std::string_view &behind) {
  size_t at = text.find(separator);
  if (at == text.npos)
    return false;
  before = text.substr(0, at);
  behind = text.substr(at + separator.size());
  return true;
}

/// The text between the first two quotes; empty if there are none.
static std::string_view quoted(std::string_view text) {
  std::string_view before, behind, name, rest;
  return cut(text, "'", before, behind) && cut(behind, "'", name, rest)
             ? name
             : std::string_view();
}

/// Drops line and column of "a.ptx:5:1".
static std::string moduleOf(std::string_view place) {
  for (unsigned i = 0; i < 2; ++i)
    place = place.substr(0, place.rfind(':'));
  return std::string(place);
}

static bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != text.npos;
}

/// Understands the messages of the Linker room about names.
static LinkProblem readError(std::string_view place, std::string_view message) {
  LinkProblem problem;
  problem.module = moduleOf(place);
  problem.symbol = quoted(message);
  if (contains(message, "is used, but defined nowhere"))
    problem.kind = LinkProblem::Kind::Undefined;
  else if (contains(message, "is defined in two modules"))
    problem.kind = LinkProblem::Kind::Multiple;
  return problem;
}

/// Splits the compiler's diagnostics: each error begins with its place, and
/// goes on with the line, a caret and notes.
static std::vector<LinkProblem> readProblems(std::string_view diagnostics) {
  std::vector<LinkProblem> problems;
  while (!diagnostics.empty()) {
    std::string_view line = diagnostics.substr(0, diagnostics.find('\n'));
    diagnostics.remove_prefix(std::min(line.size() + 1, diagnostics.size()));
    std::string_view place, message;
    if (cut(line, ": error: ", place, message))
      problems.push_back(readError(place, message));
    else if (problems.empty())
      problems.emplace_back();
    else if (cut(line, ": note: first defined here", place, message))
      problems.back().first = moduleOf(place);
    std::string &text = problems.back().text;
    text += (text.empty() ? "" : "\n") + std::string(line);
  }
  return problems;
}

/// Parses a text with all its bodies. \returns what the compiler complains of.
static std::string findErrors(const std::string &text) {
  std::string diagnostics;
  const PtxjitCompiler *compiler = loadCompiler(diagnostics);
  if (!compiler)
    return diagnostics;
  diagnostics.clear();
  PtxjitSink sink{[](void *user, const char *piece, size_t size) {
                    static_cast<std::string *>(user)->append(piece, size);
                  },
                  &diagnostics};
  uint32_t errors = 0;
  PtxjitModule *module = compiler->parse(text.c_str(), text.size(), "<linked>",
                                         /*checkBodies=*/1, sink, &errors);
  if (!module)
    return diagnostics.empty() ? "the compiler failed" : diagnostics;
  compiler->destroyModule(module);
  return "";
}

std::vector<std::string> DeviceLink::getNames() const {
  std::vector<std::string> names;
  for (const NamedText &text : texts)
    names.push_back(text.name);
  return names;
}

std::string DeviceLink::link(std::vector<LinkProblem> &problems,
                             bool mayBeOpen) const {
  if (texts.empty())
    return ".version 9.0\n.target " + arch + "\n.address_size 64\n";
  // An image even of one module, so that dropLinkedParts() knows it.
  std::string image = joinTexts(texts, /*evenOfOne=*/true);
  problems = readProblems(findErrors(image));
  if (mayBeOpen)
    problems.erase(std::remove_if(problems.begin(), problems.end(),
                                  [](const LinkProblem &problem) {
                                    return problem.kind ==
                                           LinkProblem::Kind::Undefined;
                                  }),
                   problems.end());
  return problems.empty() ? std::move(image) : std::string();
}
