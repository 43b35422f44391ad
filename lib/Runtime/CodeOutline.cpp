//===- CodeOutline.cpp - which kernels an image has -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Runtime/CodeOutline.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <elf.h>
#include <unordered_set>

using namespace ptxjit;

//===----------------------------------------------------------------------===//
// Texts
//===----------------------------------------------------------------------===//

namespace {
/// Splits PTX into words, which are names, directives and numbers, and single
/// other characters. Comments and strings are skipped.
class WordReader {
public:
  explicit WordReader(std::string_view text) : rest(text) {}
  /// Returns an empty word at the end.
  std::string_view next();

private:
  /// Drops everything up to the end of `end`, or to the end of the text.
  void skipPast(std::string_view end, size_t from) {
    size_t at = rest.find(end, from);
    rest.remove_prefix(at == rest.npos ? rest.size() : at + end.size());
  }
  std::string_view rest;
};
} // namespace

static bool isWord(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || c == '_' || c == '$' || c == '%' || c == '.';
}

std::string_view WordReader::next() {
  while (!rest.empty()) {
    if (rest.substr(0, 2) == "//") {
      skipPast("\n", 2);
    } else if (rest.substr(0, 2) == "/*") {
      skipPast("*/", 2);
    } else if (rest[0] == '"') {
      skipPast("\"", 1);
    } else if (rest[0] == ' ' || (rest[0] >= '\t' && rest[0] <= '\r')) {
      rest.remove_prefix(1);
    } else {
      size_t length = 0;
      while (length < rest.size() && isWord(rest[length]))
        ++length;
      std::string_view word = rest.substr(0, length ? length : 1);
      rest.remove_prefix(word.size());
      return word;
    }
  }
  return {};
}

namespace {
/// Collects names, each once.
class KernelNames {
public:
  /// Names that overlap could take far more memory than the image that they
  /// come from, so they get `mostBytes`.
  KernelNames(std::vector<std::string> &names, size_t mostBytes)
      : names(names), bytesLeft(mostBytes) {}
  /// \returns false if there is no room left.
  bool add(std::string_view name) {
    if (name.size() > bytesLeft)
      return false;
    bytesLeft -= name.size();
    if (!name.empty() && seen.insert(std::string(name)).second)
      names.emplace_back(name);
    return true;
  }

private:
  std::vector<std::string> &names;
  std::unordered_set<std::string> seen;
  size_t bytesLeft;
};
} // namespace

CodeOutline ptxjit::outlineText(std::string_view text) {
  CodeOutline outline;
  KernelNames names(outline.kernels, text.size());
  WordReader reader(text.substr(0, text.find('\0')));
  bool isTarget = false; // in the list behind `.target`
  for (std::string_view word = reader.next(); !word.empty();
       word = reader.next()) {
    if (isTarget && word != "," && word[0] != '.') {
      if (word.substr(0, 3) == "sm_")
        outline.target = word;
      outline.hasDebug |= word == "debug";
      continue;
    }
    isTarget = word == "," ? isTarget : word == ".target";
    if (word == ".version")
      outline.version = reader.next();
    else if (word == ".entry")
      names.add(reader.next());
    outline.hasLines |= word == ".loc";
  }
  return outline;
}

//===----------------------------------------------------------------------===//
// Machine code
//===----------------------------------------------------------------------===//

// Names of NVIDIA's that <elf.h> lacks.
static constexpr unsigned kEntryPoint = 0x10; ///< in a symbol's st_other
/// From this version of the ABI on, another byte of the flags has the
/// architecture.
static constexpr unsigned kAbiWithWideFlags = 8;

namespace {
/// Reads machine code of 64 bits, little-endian.
class MachineCodeReader {
public:
  explicit MachineCodeReader(std::string_view image) : image(image) {}
  bool read(CodeOutline &outline);

private:
  /// Copies a T, since images need not be aligned. False outside of the image.
  template <typename T> bool get(uint64_t at, T &value) const {
    if (at > image.size() || sizeof(T) > image.size() - at)
      return false;
    std::memcpy(&value, image.data() + at, sizeof(T));
    return true;
  }
  bool getSection(uint64_t index, Elf64_Shdr &section) const {
    return index < numSections &&
           get(header.e_shoff + index * sizeof(section), section);
  }
  /// The bytes of a section; null outside of the image.
  std::string_view view(const Elf64_Shdr &section) const {
    if (section.sh_offset > image.size() ||
        section.sh_size > image.size() - section.sh_offset)
      return {};
    return image.substr(section.sh_offset, section.sh_size);
  }
  bool readHeaders(std::string_view &names);
  bool readSymbols(const Elf64_Shdr &symbols, KernelNames &names) const;

  std::string_view image;
  Elf64_Ehdr header{};
  uint64_t numSections = 0;
};
} // namespace

/// The string at an offset of a table of strings; empty if there is none, or a
/// longer one than compilers make.
static std::string_view nameAt(std::string_view strings, uint64_t at) {
  constexpr size_t mostBytes = 1 << 16;
  if (at >= strings.size())
    return {};
  strings = strings.substr(at, mostBytes);
  size_t end = strings.find('\0');
  return strings.substr(0, end == strings.npos ? 0 : end);
}

static unsigned getArchitecture(const Elf64_Ehdr &header) {
  bool isWide = header.e_ident[EI_ABIVERSION] >= kAbiWithWideFlags;
  return (isWide ? header.e_flags >> 8 : header.e_flags) & 0xff;
}

/// Variants of an architecture differ in nothing but the assembler's options,
/// which a note keeps.
static std::string findVariant(std::string_view note,
                               const std::string &target) {
  std::string option = "-arch " + target;
  size_t at = note.find(option);
  if (at == note.npos || at + option.size() >= note.size())
    return "";
  char suffix = note[at + option.size()];
  return suffix == 'a' || suffix == 'f' ? std::string(1, suffix) : "";
}

bool MachineCodeReader::readSymbols(const Elf64_Shdr &symbols,
                                    KernelNames &names) const {
  Elf64_Shdr stringSection;
  if (!getSection(symbols.sh_link, stringSection))
    return false;
  std::string_view table = view(symbols), strings = view(stringSection);
  for (size_t at = 0; at + sizeof(Elf64_Sym) <= table.size();
       at += sizeof(Elf64_Sym)) {
    Elf64_Sym symbol;
    std::memcpy(&symbol, table.data() + at, sizeof(symbol));
    bool isKernel = ELF64_ST_TYPE(symbol.st_info) == STT_FUNC &&
                    (symbol.st_other & kEntryPoint) &&
                    symbol.st_shndx != SHN_UNDEF;
    if (isKernel && !names.add(nameAt(strings, symbol.st_name)))
      return false;
  }
  return table.size() == symbols.sh_size;
}

/// Reads the ELF header, and finds the names of sections.
bool MachineCodeReader::readHeaders(std::string_view &names) {
  Elf64_Shdr first, nameSection;
  if (!get(0, header) || header.e_shentsize != sizeof(Elf64_Shdr) ||
      !get(header.e_shoff, first))
    return false;
  // Images of many kernels have more sections than fields of the header can
  // say, and say it in the first section.
  numSections = header.e_shnum ? header.e_shnum : first.sh_size;
  uint64_t index =
      header.e_shstrndx == SHN_XINDEX ? first.sh_link : header.e_shstrndx;
  if (!getSection(index, nameSection))
    return false;
  names = view(nameSection);
  return !names.empty();
}

bool MachineCodeReader::read(CodeOutline &outline) {
  std::string_view names, note;
  bool isWhole = readHeaders(names);
  if (header.e_machine == EM_CUDA)
    outline.target = "sm_" + std::to_string(getArchitecture(header));
  Elf64_Shdr section, symbols{};
  for (uint64_t i = 0; isWhole && i < numSections; ++i) {
    if (!getSection(i, section)) {
      isWhole = false;
      break;
    }
    std::string_view name = nameAt(names, section.sh_name);
    outline.hasDebug |= name == ".debug_info";
    outline.hasLines |= name == ".debug_line";
    if (section.sh_type == SHT_SYMTAB)
      symbols = section;
    else if (name == ".note.nv.tkinfo")
      note = view(section);
  }
  outline.target += findVariant(note, outline.target);
  KernelNames kernels(outline.kernels, image.size());
  return isWhole && readSymbols(symbols, kernels);
}

bool ptxjit::isMachineCode(std::string_view image) {
  Elf64_Ehdr header;
  if (image.size() < offsetof(Elf64_Ehdr, e_version))
    return false;
  std::memcpy(&header, image.data(), offsetof(Elf64_Ehdr, e_version));
  return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
         header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_machine == EM_CUDA;
}

bool ptxjit::outlineMachineCode(std::string_view image, CodeOutline &outline) {
  return isMachineCode(image) && MachineCodeReader(image).read(outline);
}
