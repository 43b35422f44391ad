//===- HostObjectTest.cpp - object files and archives, also damaged -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Images/HostObject.h"
#include "ptxjit/Images/FatBinaryWriter.h"
#include "gtest/gtest.h"

#include <cstring>
#include <elf.h>

using namespace ptxjit;

template <typename T> static void put(std::string &bytes, const T &value) {
  bytes.append(reinterpret_cast<const char *>(&value), sizeof(value));
}

static std::string makeContainer() {
  FatBinaryWriter writer;
  NewEntry entry;
  entry.text = ".version 8.0\n.target sm_80\n";
  entry.arch = 80;
  writer.add(entry);
  return writer.finish();
}

/// An object file with a container in __nv_relfatbin, one in .nv_fatbin, and
/// the symbols of a wrapper, of a local one, and of one elsewhere.
static std::string makeObject() {
  std::string container = makeContainer();
  std::string names("\0__nv_relfatbin\0.nv_fatbin\0.symtab\0.strtab\0", 44);
  std::string strings("\0__fatbinwrap_1_a\0__fatbinwrap_2_b\0"
                      "__fatbinwrap_3_c\0",
                      52);
  std::string symbols(sizeof(Elf64_Sym), '\0');
  auto addSymbol = [&](uint32_t name, unsigned char bind, uint16_t section) {
    Elf64_Sym symbol{};
    symbol.st_name = name;
    symbol.st_info = ELF64_ST_INFO(bind, STT_OBJECT);
    symbol.st_shndx = section;
    put(symbols, symbol);
  };
  addSymbol(1, STB_GLOBAL, 1);
  addSymbol(18, STB_LOCAL, 1);
  addSymbol(35, STB_GLOBAL, SHN_UNDEF);

  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_type = ET_REL;
  header.e_machine = EM_X86_64;
  header.e_shentsize = sizeof(Elf64_Shdr);
  std::string body;
  std::vector<Elf64_Shdr> sections(1);
  auto addSection = [&](uint32_t name, uint32_t type, const std::string &bytes,
                        uint32_t link) {
    Elf64_Shdr section{};
    section.sh_name = name;
    section.sh_type = type;
    section.sh_offset = sizeof(header) + body.size();
    section.sh_size = bytes.size();
    section.sh_link = link;
    sections.push_back(section);
    body += bytes;
  };
  addSection(1, SHT_PROGBITS, container, 0);
  addSection(16, SHT_PROGBITS, container + container, 0);
  addSection(27, SHT_SYMTAB, symbols, 4);
  addSection(35, SHT_STRTAB, strings, 0);
  addSection(35, SHT_STRTAB, names, 0);
  header.e_shoff = sizeof(header) + body.size();
  header.e_shnum = uint16_t(sections.size());
  header.e_shstrndx = uint16_t(sections.size() - 1);
  std::string file;
  put(file, header);
  file += body;
  for (const Elf64_Shdr &section : sections)
    put(file, section);
  return file;
}

TEST(HostObject, SectionsAndNames) {
  std::string file = makeObject();
  EXPECT_EQ(kindOfFile(file), FileKind::Object);
  HostObject object = readHostObject(file);
  ASSERT_EQ(object.containers.size(), 1u);
  EXPECT_EQ(object.containers[0], makeContainer());
  EXPECT_EQ(object.wholeContainers.size(), 2u);
  EXPECT_EQ(object.modules, std::vector<std::string>{"_1_a"});
}

/// Nothing is read outside of a file (which sanitizers would see).
TEST(HostObject, DamagedFiles) {
  std::string file = makeObject();
  for (size_t size = 0; size < file.size(); ++size) {
    std::string part = file.substr(0, size);
    (void)kindOfFile(part);
    (void)readHostObject(part);
  }
  for (size_t at = 0; at < file.size(); ++at)
    for (char value : {'\0', '\x7f', '\xff'}) {
      std::string changed = file;
      changed[at] = value;
      (void)kindOfFile(changed);
      (void)readHostObject(changed);
    }
}

TEST(HostObject, Kinds) {
  EXPECT_EQ(kindOfFile(""), FileKind::Other);
  EXPECT_EQ(kindOfFile("abc"), FileKind::Other);
  EXPECT_EQ(kindOfFile("int main() {}\n"), FileKind::Other);
  EXPECT_EQ(kindOfFile("// PTX\n.version 8.0\n"), FileKind::Text);
  EXPECT_EQ(kindOfFile("// ptx-jit linked image, "), FileKind::Text);
  EXPECT_EQ(kindOfFile(makeContainer()), FileKind::Container);
  EXPECT_EQ(kindOfFile("!<arch>\n"), FileKind::Archive);
  EXPECT_EQ(kindOfFile("\x7f"
                       "ELF"),
            FileKind::Other);
}

/// A member's header.
static std::string describe(const std::string &name, size_t bytes) {
  char header[61];
  std::snprintf(header, sizeof(header), "%-16s%-12s%-6s%-6s%-8s%-10zu`\n",
                name.c_str(), "0", "0", "0", "644", bytes);
  return header;
}

TEST(HostObject, Archives) {
  std::string archive = "!<arch>\n" + describe("/", 4) + "abcd" +
                        describe("//", 18) + "a_long_name.o/\nb/\n" +
                        describe("one.o/", 3) + "one\n" + describe("/0", 2) +
                        "22" + describe("/99", 0);
  std::vector<std::pair<std::string, std::string>> found;
  auto visit = [&](std::string_view bytes, const std::string &name) {
    found.emplace_back(name, bytes);
  };
  EXPECT_TRUE(visitMembers(archive, visit));
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0], (std::pair<std::string, std::string>("one.o", "one")));
  EXPECT_EQ(found[1],
            (std::pair<std::string, std::string>("a_long_name.o", "22")));
  EXPECT_EQ(found[2].first, "");
  EXPECT_TRUE(visitMembers("!<arch>\n", visit));
  EXPECT_FALSE(visitMembers("", visit));
  EXPECT_FALSE(visitMembers("!<arch>\nabc", visit));
  EXPECT_FALSE(visitMembers("!<arch>\n" + describe("a/", 5) + "abcd", visit));
  for (size_t size = 0; size < archive.size(); ++size)
    (void)visitMembers(archive.substr(0, size), visit);
}
