//===- Fault.cpp - describes faults for users -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Runtime/Fault.h"
#include "ptxjit/Runtime/LinkedText.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

using namespace ptxjit;

namespace {
/// A line of the PTX, and the source line that `.loc` names.
struct PtxPlace {
  std::string_view line;
  std::string source; ///< "file:line", or empty
};
} // namespace

static std::string_view trim(std::string_view text) {
  size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos)
    return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

/// Returns the "name" of `.file INDEX "name"`, from anywhere in the text.
static std::string findFile(std::string_view text, unsigned long index) {
  for (size_t at = text.find(".file"); at != std::string_view::npos;
       at = text.find(".file", at + 1)) {
    char *end = nullptr;
    const char *number = text.data() + at + 5;
    if (std::strtoul(number, &end, 10) != index || end == number)
      continue;
    size_t open = text.find('"', at), close = text.find('"', open + 1);
    if (close == std::string_view::npos)
      break;
    return std::string(text.substr(open + 1, close - open - 1));
  }
  return "file " + std::to_string(index);
}

/// Finds a line, counted from 1, and the last `.loc` before it.
static PtxPlace findPlace(std::string_view text, uint32_t line) {
  PtxPlace place;
  std::string_view loc;
  size_t at = 0;
  for (uint32_t n = 1; at < text.size(); ++n) {
    size_t end = std::min(text.find('\n', at), text.size());
    std::string_view whole = text.substr(at, end - at), current = trim(whole);
    if (n == line) {
      place.line = whole;
      break;
    }
    if (current.rfind(".loc ", 0) == 0 || current.rfind(".loc\t", 0) == 0)
      loc = current;
    else if (current.rfind('}', 0) == 0)
      loc = {}; // the next function may have no `.loc`
    at = end + 1;
  }
  if (!loc.empty()) {
    std::string words(loc.substr(4));
    char *rest = nullptr;
    unsigned long file = std::strtoul(words.c_str(), &rest, 10);
    place.source = findFile(text, file) + ":" +
                   std::to_string(std::strtoul(rest, nullptr, 10));
  }
  return place;
}

/// Returns the instruction from `column` (from 1) of a line to its `;`.
static std::string_view instructionAt(std::string_view line, uint32_t column) {
  line = line.substr(std::min<size_t>(column ? column - 1 : 0, line.size()));
  return trim(line.substr(0, line.find(';')));
}

/// Returns the state space of a memory instruction ("global", "shared", ...).
static std::string spaceOf(std::string_view instruction) {
  for (const char *space : {"global", "shared", "local", "param", "const"})
    if (instruction.find(std::string(".") + space) != std::string_view::npos)
      return space;
  return "generic";
}

/// Returns the bytes that the instruction accesses; 0 if its name has no size.
static unsigned bytesOf(std::string_view instruction) {
  size_t end = instruction.find_first_of(" \t", instruction.find_first_of('.'));
  std::string_view name = instruction.substr(0, end);
  unsigned vector = name.find(".v4.") != std::string_view::npos   ? 4
                    : name.find(".v2.") != std::string_view::npos ? 2
                                                                  : 1;
  size_t digits = name.find_last_not_of("0123456789");
  if (digits == std::string_view::npos || digits + 1 >= name.size())
    return 0;
  return vector *
         unsigned(std::strtoul(std::string(name.substr(digits + 1)).c_str(),
                               nullptr, 10)) /
         8;
}

const PtxjitLine *ptxjit::findLine(const Fault &fault,
                                   const PtxjitImage &image) {
  if (!fault.hasPlace || !image.numLines)
    return nullptr;
  const PtxjitLine *end = image.lines + image.numLines;
  const PtxjitLine *above = std::upper_bound(
      image.lines, end, fault.codeOffset,
      [](uint64_t offset, const PtxjitLine &l) { return offset < l.offset; });
  // Skip code that belongs to no line.
  while (above != image.lines && !(above - 1)->line)
    --above;
  return above == image.lines ? nullptr : above - 1;
}

namespace {
/// A line of a module.
struct ModuleLine {
  std::string_view text;
  std::string fileName;
  uint32_t line;
};
} // namespace

/// Turns a line of a linked image into a line of one of its modules.
static ModuleLine findModule(const char *text, const char *fileName,
                             uint32_t line) {
  std::vector<LinkedPart> parts;
  if (!splitText(text, parts))
    return {text, fileName, line};
  auto behind =
      std::find_if(parts.begin(), parts.end(), [&](const LinkedPart &part) {
        return part.lineBefore >= line;
      });
  if (behind == parts.begin())
    return {text, fileName, line};
  const LinkedPart &part = *std::prev(behind);
  return {part.text, part.name, line - part.lineBefore};
}

std::string ptxjit::describeFault(const Fault &fault, const PtxjitImage &image,
                                  const char *text, const char *fileName,
                                  const uint32_t block[3]) {
  std::string error = describe(fault.status);
  // Behind a colon stands what the error may mean. A detail says what it means.
  if (!fault.detail.empty())
    error = error.substr(0, error.find(':')) + ": " + fault.detail;
  std::string out = std::string("kernel '") + image.kernel + "': " + error;
  const PtxjitLine *line = findLine(fault, image);
  ModuleLine at = findModule(text, fileName, line ? line->line : 0);
  PtxPlace place = line ? findPlace(at.text, at.line) : PtxPlace();
  std::string_view instruction =
      line ? instructionAt(place.line, line->column) : std::string_view();
  bool isAccess = fault.status == LaunchStatus::IllegalAddress ||
                  fault.status == LaunchStatus::MisalignedAddress;
  if (isAccess && fault.hasAddress) {
    char number[32];
    std::snprintf(number, sizeof(number), " 0x%llx",
                  (unsigned long long)fault.address);
    out += number;
  }
  if (isAccess && instruction.substr(0, 5) == "wgmma") {
    out += " (.shared, the end of a matrix)";
  } else if (isAccess && !instruction.empty()) {
    out += " (." + spaceOf(instruction);
    if (unsigned bytes = bytesOf(instruction))
      out += ", " + std::to_string(bytes) + " bytes";
    out += ")";
  }
  auto triple = [](uint32_t x, uint32_t y, uint32_t z) {
    return "(" + std::to_string(x) + "," + std::to_string(y) + "," +
           std::to_string(z) + ")";
  };
  if (fault.status != LaunchStatus::OutOfResources &&
      fault.status != LaunchStatus::InvalidValue &&
      fault.status != LaunchStatus::InvalidCluster) {
    out += ", CTA " + triple(fault.ctaid[0], fault.ctaid[1], fault.ctaid[2]);
    uint32_t t = uint32_t(fault.thread);
    if (fault.thread >= 0)
      out += ", thread " + triple(t % block[0], t / block[0] % block[1],
                                  t / (block[0] * block[1]));
  }
  if (line) {
    out += "\n  " + at.fileName + ":" + std::to_string(at.line);
    if (!place.source.empty())
      out += " (" + place.source + ")";
    if (!instruction.empty())
      out += ": " + std::string(instruction) + ";";
  }
  return out;
}
