//===- FlatCode.cpp - makes bytes that run anywhere of an object ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Cache/FlatCode.h"

#include "Relocations.h"

#include <cstring>
#include <elf.h>
#include <vector>

using namespace ptxjit;

/// Returns what completes relocations of a machine; null if none does.
static bool (*relocatorOf(uint16_t machine))(const Relocation &) {
  return machine == EM_X86_64    ? relocateX86
         : machine == EM_AARCH64 ? relocateAArch64
                                 : nullptr;
}

namespace {
/// One object while it is laid out. Every offset in it is checked, so that a
/// damaged file is refused even if its checksum is right.
class Placer {
public:
  Placer(const std::string &object, const std::string &symbol)
      : object(object), symbol(symbol) {}
  bool readHeaders();
  uint16_t getMachine() const { return machine; }
  /// Assigns an offset in memory to each section that is needed. \returns the
  /// size of all; 0: the object is not supported.
  size_t layOut();
  void copyTo(uint8_t *memory);
  bool relocate(uint8_t *memory);
  bool findSymbol(uint64_t &offset, uint64_t &codeBegin, uint64_t &codeBytes);

private:
  template <typename T> bool readAt(uint64_t offset, T &value) const {
    if (offset > object.size() || object.size() - offset < sizeof(T))
      return false;
    std::memcpy(&value, object.data() + offset, sizeof(T));
    return true;
  }
  bool contains(const Elf64_Shdr &section) const {
    return section.sh_offset <= object.size() &&
           section.sh_size <= object.size() - section.sh_offset;
  }
  bool readSymbol(uint64_t index, Elf64_Sym &out) const {
    return index < symbols.sh_size / sizeof(Elf64_Sym) &&
           readAt(symbols.sh_offset + index * sizeof(Elf64_Sym), out);
  }
  bool apply(uint8_t *memory, const Elf64_Shdr &target, uint64_t at,
             const Elf64_Rela &rela);

  const std::string &object, &symbol;
  uint16_t machine = EM_NONE;
  std::vector<Elf64_Shdr> sections;
  std::vector<uint64_t> places; ///< offsets of sections in memory; ~0: none
  Elf64_Shdr symbols{}, names{};
};
} // namespace

bool Placer::readHeaders() {
  Elf64_Ehdr header;
  if (!readAt(0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_type != ET_REL ||
      !relocatorOf(header.e_machine) ||
      header.e_shentsize != sizeof(Elf64_Shdr))
    return false;
  machine = header.e_machine;
  sections.resize(header.e_shnum);
  for (size_t i = 0; i < sections.size(); ++i) {
    Elf64_Shdr &section = sections[i];
    if (!readAt(header.e_shoff + i * sizeof(section), section) ||
        (section.sh_type != SHT_NOBITS && !contains(section)))
      return false;
    if (section.sh_type == SHT_SYMTAB)
      symbols = section;
  }
  if (symbols.sh_type != SHT_SYMTAB || symbols.sh_link >= sections.size())
    return false;
  names = sections[symbols.sh_link];
  return true;
}

size_t Placer::layOut() {
  constexpr size_t most = size_t(1) << 30;
  size_t end = 0;
  places.assign(sections.size(), ~uint64_t(0));
  for (size_t i = 0; i < sections.size(); ++i) {
    const Elf64_Shdr &section = sections[i];
    if (!(section.sh_flags & SHF_ALLOC))
      continue;
    uint64_t align = section.sh_addralign ? section.sh_addralign : 1;
    // Code and constants share pages; kernels have no writable data.
    if ((section.sh_flags & SHF_WRITE) || align > kCodeAlign ||
        (align & (align - 1)) || section.sh_size > most)
      return 0;
    end = (end + align - 1) / align * align;
    places[i] = end;
    end += section.sh_size;
    if (end > most)
      return 0;
  }
  return end;
}

void Placer::copyTo(uint8_t *memory) {
  for (size_t i = 0; i < sections.size(); ++i)
    if (places[i] != ~uint64_t(0) && sections[i].sh_type != SHT_NOBITS)
      std::memcpy(memory + places[i], object.data() + sections[i].sh_offset,
                  sections[i].sh_size);
}

bool Placer::apply(uint8_t *memory, const Elf64_Shdr &target, uint64_t at,
                   const Elf64_Rela &rela) {
  Elf64_Sym symbol;
  if (!readSymbol(ELF64_R_SYM(rela.r_info), symbol) ||
      symbol.st_shndx >= sections.size() ||
      places[symbol.st_shndx] == ~uint64_t(0))
    return false; // undefined, absolute, or in a section without memory
  uint64_t value =
      places[symbol.st_shndx] + symbol.st_value + uint64_t(rela.r_addend);
  if (rela.r_offset > target.sh_size)
    return false;
  uint64_t place = at + rela.r_offset;
  return relocatorOf(machine)({uint32_t(ELF64_R_TYPE(rela.r_info)),
                               memory + place, target.sh_size - rela.r_offset,
                               place, value});
}

bool Placer::relocate(uint8_t *memory) {
  for (const Elf64_Shdr &section : sections) {
    if (section.sh_type != SHT_RELA || section.sh_info >= sections.size() ||
        places[section.sh_info] == ~uint64_t(0))
      continue;
    for (uint64_t at = 0; at + sizeof(Elf64_Rela) <= section.sh_size;
         at += sizeof(Elf64_Rela)) {
      Elf64_Rela rela;
      if (!readAt(section.sh_offset + at, rela) ||
          !apply(memory, sections[section.sh_info], places[section.sh_info],
                 rela))
        return false;
    }
  }
  return true;
}

bool Placer::findSymbol(uint64_t &offset, uint64_t &codeBegin,
                        uint64_t &codeBytes) {
  Elf64_Sym found;
  for (uint64_t i = 0; readSymbol(i, found); ++i) {
    uint64_t at = names.sh_offset + found.st_name;
    bool same = found.st_name < names.sh_size &&
                object.compare(at, symbol.size() + 1, symbol.c_str(),
                               symbol.size() + 1) == 0;
    if (!same || found.st_shndx >= sections.size() ||
        places[found.st_shndx] == ~uint64_t(0))
      continue;
    codeBegin = places[found.st_shndx];
    codeBytes = sections[found.st_shndx].sh_size;
    offset = codeBegin + found.st_value;
    return found.st_value < codeBytes;
  }
  return false;
}

std::optional<FlatCode> ptxjit::flatten(const std::string &object,
                                        const std::string &symbol) {
  Placer placer(object, symbol);
  if (!placer.readHeaders())
    return std::nullopt;
  FlatCode code;
  code.machine = placer.getMachine();
  size_t bytes = placer.layOut();
  if (!bytes || !placer.findSymbol(code.entry, code.codeBegin, code.codeBytes))
    return std::nullopt;
  code.bytes.resize(bytes);
  auto *memory = reinterpret_cast<uint8_t *>(code.bytes.data());
  placer.copyTo(memory);
  if (!placer.relocate(memory))
    return std::nullopt;
  return code;
}
