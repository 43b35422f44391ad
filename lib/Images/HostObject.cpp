//===- HostObject.cpp - device code in object files -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Images/HostObject.h"
#include "ptxjit/Runtime/CodeOutline.h"
#include "ptxjit/Runtime/FatBinary.h"
#include "ptxjit/Runtime/LinkedText.h"

#include <algorithm>
#include <ar.h>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <elf.h>

using namespace ptxjit;

static constexpr std::string_view kWrapperPrefix = "__fatbinwrap";

namespace {
/// Reads an ELF file of 64 bits, little-endian. Nothing in it is believed.
class ElfReader {
public:
  explicit ElfReader(std::string_view file) : file(file) {}
  /// \returns false if there are no section headers to read.
  bool open();
  unsigned getType() const { return header.e_type; }
  std::string_view findSection(std::string_view name) const;
  /// Visits the symbols that other files see.
  void visitDefined(const std::function<void(std::string_view)> &visit) const;

private:
  /// Copies a T, since archives do not align their members. False outside.
  template <typename T> bool get(uint64_t at, T &value) const {
    if (at > file.size() || sizeof(T) > file.size() - at)
      return false;
    std::memcpy(&value, file.data() + at, sizeof(T));
    return true;
  }
  std::string_view view(const Elf64_Shdr &section) const {
    if (section.sh_type == SHT_NOBITS || section.sh_offset > file.size() ||
        section.sh_size > file.size() - section.sh_offset)
      return {};
    return file.substr(section.sh_offset, section.sh_size);
  }
  std::string_view viewSection(size_t index) const {
    return index < sections.size() ? view(sections[index]) : std::string_view();
  }

  std::string_view file;
  Elf64_Ehdr header{};
  std::vector<Elf64_Shdr> sections;
};
} // namespace

static std::string_view nameAt(std::string_view strings, uint64_t at) {
  if (at >= strings.size())
    return {};
  strings.remove_prefix(at);
  return strings.substr(0, strings.find('\0'));
}

bool ElfReader::open() {
  if (!get(0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != ELFDATA2LSB ||
      header.e_shentsize != sizeof(Elf64_Shdr))
    return false;
  Elf64_Shdr section;
  if (!get(header.e_shoff, section))
    return false;
  // A file with many sections has their number in the first one.
  uint64_t count = header.e_shnum ? header.e_shnum : section.sh_size;
  count = std::min<uint64_t>(count, file.size() / sizeof(section));
  for (uint64_t i = 0;
       i < count && get(header.e_shoff + i * sizeof(section), section); ++i)
    sections.push_back(section);
  if (header.e_shstrndx == SHN_XINDEX && !sections.empty())
    header.e_shstrndx = uint16_t(sections[0].sh_link);
  return true;
}

std::string_view ElfReader::findSection(std::string_view name) const {
  std::string_view names = viewSection(header.e_shstrndx);
  for (const Elf64_Shdr &section : sections)
    if (nameAt(names, section.sh_name) == name)
      return view(section);
  return {};
}

void ElfReader::visitDefined(
    const std::function<void(std::string_view)> &visit) const {
  for (const Elf64_Shdr &section : sections) {
    if (section.sh_type != SHT_SYMTAB)
      continue;
    std::string_view symbols = view(section),
                     names = viewSection(section.sh_link);
    for (size_t at = 0; at + sizeof(Elf64_Sym) <= symbols.size();
         at += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol;
      std::memcpy(&symbol, symbols.data() + at, sizeof(symbol));
      if (symbol.st_shndx != SHN_UNDEF &&
          ELF64_ST_BIND(symbol.st_info) != STB_LOCAL)
        visit(nameAt(names, symbol.st_name));
    }
  }
}

FileKind ptxjit::kindOfFile(std::string_view file) {
  if (file.size() < 4)
    return FileKind::Other;
  if (file.substr(0, SARMAG) == ARMAG)
    return FileKind::Archive;
  switch (kindOfImage(file.data())) {
  case ImageKind::FatBinary:
    return FileKind::Container;
  case ImageKind::Wrapper:
    return FileKind::Other;
  case ImageKind::MachineCode:
    break;
  case ImageKind::Text:
    return isLinkedText(file) || !outlineText(file).version.empty()
               ? FileKind::Text
               : FileKind::Other;
  }
  if (isMachineCode(file))
    return FileKind::MachineCode;
  ElfReader elf(file);
  if (!elf.open())
    return FileKind::Other;
  return elf.getType() == ET_REL ? FileKind::Object : FileKind::Program;
}

static std::vector<std::string_view> listContainers(std::string_view bytes) {
  std::vector<std::string_view> containers;
  visitContainers(bytes, [&](std::string_view found) {
    size_t size = visitEntries(found, [](const ImageEntry &) {});
    if (size)
      containers.push_back(found.substr(0, size));
    return size;
  });
  return containers;
}

HostObject ptxjit::readHostObject(std::string_view file) {
  HostObject object;
  ElfReader elf(file);
  if (!elf.open())
    return object;
  object.containers = listContainers(elf.findSection("__nv_relfatbin"));
  object.wholeContainers = listContainers(elf.findSection(".nv_fatbin"));
  elf.visitDefined([&](std::string_view name) {
    if (name.substr(0, kWrapperPrefix.size()) == kWrapperPrefix)
      object.modules.emplace_back(name.substr(kWrapperPrefix.size()));
  });
  return object;
}

//===----------------------------------------------------------------------===//
// Archives
//===----------------------------------------------------------------------===//

/// A field of an archive's header, which blanks fill up.
template <size_t N> static std::string_view trim(const char (&field)[N]) {
  std::string_view text(field, N);
  size_t end = text.find_last_not_of(' ');
  return text.substr(0, end == text.npos ? 0 : end + 1);
}

/// A member's name: "a.o/", or the place of a longer one in the table: "/17".
static std::string nameOfMember(std::string_view name, std::string_view table) {
  if (name.size() > 1 && name[0] == '/') {
    size_t at = std::strtoull(std::string(name.substr(1)).c_str(), nullptr, 10);
    name = at < table.size() ? table.substr(at) : std::string_view();
    name = name.substr(0, name.find('\n'));
  }
  return std::string(name.substr(0, name.rfind('/')));
}

bool ptxjit::visitMembers(
    std::string_view archive,
    const std::function<void(std::string_view, const std::string &)> &visit) {
  if (archive.substr(0, SARMAG) != ARMAG)
    return false;
  std::string_view rest = archive.substr(SARMAG), table;
  while (!rest.empty()) {
    ar_hdr header;
    if (rest.size() < sizeof(header))
      return false;
    std::memcpy(&header, rest.data(), sizeof(header));
    rest.remove_prefix(sizeof(header));
    std::string size(trim(header.ar_size));
    uint64_t bytes = std::strtoull(size.c_str(), nullptr, 10);
    if (std::memcmp(header.ar_fmag, ARFMAG, sizeof(header.ar_fmag)) != 0 ||
        bytes > rest.size())
      return false;
    std::string_view name = trim(header.ar_name),
                     member = rest.substr(0, bytes);
    if (name == "//")
      table = member;
    else if (name != "/" && name != "/SYM64/")
      visit(member, nameOfMember(name, table));
    rest.remove_prefix(std::min<size_t>(rest.size(), bytes + bytes % 2));
  }
  return true;
}
