//===- MachineCodeWriter.h - files of machine code --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_UNITTESTS_CUDADRIVER_MACHINECODEWRITER_H
#define PTXJIT_UNITTESTS_CUDADRIVER_MACHINECODEWRITER_H

#include <algorithm>
#include <cstdint>
#include <elf.h>
#include <iterator>
#include <string>
#include <vector>

/// Makes an ELF file as NVIDIA's assembler does, with symbols and a note, but
/// without code. `note` has the options of the assembler.
inline std::string makeMachineCode(unsigned arch,
                                   const std::vector<std::string> &kernels,
                                   const std::string &note = "") {
  struct Section {
    std::string name;
    uint32_t type;
    std::string content;
  };
  auto bytesOf = [](const auto &value) {
    return std::string(reinterpret_cast<const char *>(&value), sizeof(value));
  };
  std::string strings(1, '\0'), symbols(sizeof(Elf64_Sym), '\0');
  auto addSymbol = [&](const std::string &name, uint8_t other) {
    Elf64_Sym symbol{};
    symbol.st_name = uint32_t(strings.size());
    symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
    symbol.st_other = other;
    symbol.st_shndx = 1;
    symbols += bytesOf(symbol);
    strings += name + '\0';
  };
  for (const std::string &kernel : kernels)
    addSymbol(kernel, 0x10);
  addSymbol("device_function", 0);
  std::vector<Section> sections{{".symtab", SHT_SYMTAB, symbols},
                                {".strtab", SHT_STRTAB, strings},
                                {".note.nv.tkinfo", SHT_NOTE, note},
                                {".names", SHT_STRTAB, ""}};
  std::string names(1, '\0'), headers(sizeof(Elf64_Shdr), '\0'), body;
  for (const Section &section : sections)
    names += section.name + '\0';
  sections.back().content = names;
  uint32_t nameAt = 1;
  for (const Section &section : sections) {
    Elf64_Shdr header{};
    header.sh_name = nameAt;
    header.sh_type = section.type;
    header.sh_offset = sizeof(Elf64_Ehdr) + body.size();
    header.sh_size = section.content.size();
    header.sh_link = section.type == SHT_SYMTAB ? 2 : 0;
    headers += bytesOf(header);
    body += section.content;
    nameAt += uint32_t(section.name.size() + 1);
  }
  constexpr unsigned char ident[] = {0x7f,        'E', 'L',  'F', ELFCLASS64,
                                     ELFDATA2LSB, 1,   0x41, 8};
  Elf64_Ehdr header{};
  std::copy(std::begin(ident), std::end(ident), header.e_ident);
  header.e_type = ET_EXEC;
  header.e_machine = EM_CUDA;
  header.e_flags = arch << 8;
  header.e_shoff = sizeof(header) + body.size();
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = uint16_t(sections.size() + 1);
  header.e_shstrndx = uint16_t(sections.size());
  return bytesOf(header) + body + headers;
}

#endif
