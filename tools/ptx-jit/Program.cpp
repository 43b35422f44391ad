//===- Program.cpp - the device code in programs --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The section .nvFatBinSegment of a program is an array of wrappers. Each has
// the address of a container. That of a file that was compiled separately lies
// in the section __nv_relfatbin. The program links these when it starts: their
// containers make one module, behind the container of the wrapper of version 2.
// Most programs are loaded anywhere, so that addresses stand in relocations.
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/Endian.h"

using namespace ptxjit;
using llvm::object::ELF64LE;
using llvm::support::endian::read32le;
using llvm::support::endian::read64le;

static constexpr uint32_t kWrapper = 0x466243b1;
static constexpr size_t kWrapperBytes = 24;

namespace {
using Section = llvm::object::ELFFile<ELF64LE>::Elf_Shdr;

struct Wrapper {
  uint32_t version;
  uint64_t container; ///< its address in the program
};

/// A program as the loader sees it.
class LoadedProgram {
public:
  static llvm::Expected<LoadedProgram> create(llvm::StringRef file);
  /// The modules of all wrappers.
  llvm::Expected<std::vector<FatBinaries>> findModules() const;

private:
  explicit LoadedProgram(llvm::object::ELFFile<ELF64LE> elf, uint32_t relative)
      : elf(std::move(elf)), relative(relative) {}
  llvm::Error readRelocations();
  /// Null if the program has no section of that name.
  llvm::Expected<const Section *> findSection(llvm::StringRef name) const;
  llvm::Expected<std::vector<Wrapper>> readWrappers() const;
  llvm::Expected<uint64_t> readPointer(uint64_t address) const;
  /// All bytes of the file from an address on.
  llvm::Expected<std::string_view> view(uint64_t address) const;
  llvm::Expected<FatBinaries> view(const std::vector<uint64_t> &module) const;

  llvm::object::ELFFile<ELF64LE> elf;
  uint32_t relative; ///< the machine's type of relocation: base + addend
  llvm::DenseMap<uint64_t, uint64_t> relocated; ///< pointers by their address
};
} // namespace

static llvm::Error makeError(const char *why) {
  return llvm::createStringError(why);
}

llvm::Expected<LoadedProgram> LoadedProgram::create(llvm::StringRef file) {
  auto elf = llvm::object::ELFFile<ELF64LE>::create(file);
  if (!elf)
    return elf.takeError();
  const auto &header = elf->getHeader();
  if (header.getFileClass() != llvm::ELF::ELFCLASS64 ||
      header.getDataEncoding() != llvm::ELF::ELFDATA2LSB)
    return makeError("not a program of 64 bits, little-endian");
  if (header.e_type != llvm::ELF::ET_EXEC && header.e_type != llvm::ELF::ET_DYN)
    return makeError("neither a program nor a shared library; of an object "
                     "file, take what is linked from it");
  uint32_t relative = header.e_machine == llvm::ELF::EM_AARCH64
                          ? llvm::ELF::R_AARCH64_RELATIVE
                          : llvm::ELF::R_X86_64_RELATIVE;
  LoadedProgram program(std::move(*elf), relative);
  if (llvm::Error error = program.readRelocations())
    return std::move(error);
  return std::move(program);
}

/// Relocations of the packed form (RELR) are not read: with them, the pointers
/// stand in the file.
llvm::Error LoadedProgram::readRelocations() {
  auto sections = elf.sections();
  if (!sections)
    return sections.takeError();
  for (const Section &section : *sections) {
    if (section.sh_type != llvm::ELF::SHT_RELA ||
        !(section.sh_flags & llvm::ELF::SHF_ALLOC))
      continue;
    auto list = elf.relas(section);
    if (!list)
      return list.takeError();
    for (const auto &relocation : *list)
      if (relocation.getType(/*isMips64EL=*/false) == relative)
        relocated[relocation.r_offset] = uint64_t(relocation.r_addend);
  }
  return llvm::Error::success();
}

llvm::Expected<std::string_view> LoadedProgram::view(uint64_t address) const {
  auto ignore = [](const llvm::Twine &) { return llvm::Error::success(); };
  auto begin = elf.toMappedAddr(address, ignore);
  if (!begin)
    return begin.takeError();
  const uint8_t *end = elf.base() + elf.getBufSize();
  return std::string_view(reinterpret_cast<const char *>(*begin),
                          size_t(end - *begin));
}

llvm::Expected<uint64_t> LoadedProgram::readPointer(uint64_t address) const {
  auto it = relocated.find(address);
  if (it != relocated.end())
    return it->second;
  auto bytes = view(address);
  if (!bytes)
    return bytes.takeError();
  if (bytes->size() < sizeof(uint64_t))
    return makeError("a pointer lies outside of the file");
  return read64le(bytes->data());
}

llvm::Expected<FatBinaries>
LoadedProgram::view(const std::vector<uint64_t> &module) const {
  FatBinaries binaries;
  for (uint64_t address : module) {
    auto bytes = view(address);
    if (!bytes)
      return bytes.takeError();
    binaries.push_back(*bytes);
  }
  return binaries;
}

llvm::Expected<const Section *>
LoadedProgram::findSection(llvm::StringRef name) const {
  auto sections = elf.sections();
  if (!sections)
    return sections.takeError();
  for (const Section &section : *sections) {
    auto found = elf.getSectionName(section);
    if (!found)
      return found.takeError();
    if (*found == name)
      return &section;
  }
  return nullptr;
}

llvm::Expected<std::vector<Wrapper>> LoadedProgram::readWrappers() const {
  auto section = findSection(".nvFatBinSegment");
  if (!section)
    return section.takeError();
  std::vector<Wrapper> wrappers;
  if (!*section)
    return wrappers;
  auto bytes = elf.getSectionContents(**section);
  if (!bytes)
    return bytes.takeError();
  for (size_t at = 0; at + kWrapperBytes <= bytes->size();
       at += kWrapperBytes) {
    const uint8_t *wrapper = bytes->data() + at;
    if (read32le(wrapper) != kWrapper)
      return makeError("its section .nvFatBinSegment is damaged");
    auto container = readPointer((*section)->sh_addr + at + 8);
    if (!container)
      return container.takeError();
    wrappers.push_back({read32le(wrapper + 4), *container});
  }
  return wrappers;
}

llvm::Expected<std::vector<FatBinaries>> LoadedProgram::findModules() const {
  auto wrappers = readWrappers();
  if (!wrappers)
    return wrappers.takeError();
  auto separate = findSection("__nv_relfatbin");
  if (!separate)
    return separate.takeError();
  std::vector<std::vector<uint64_t>> modules;
  std::vector<uint64_t> links, parts;
  for (const Wrapper &wrapper : *wrappers) {
    if (wrapper.version == 2)
      links.push_back(wrapper.container);
    else if (*separate &&
             wrapper.container - (*separate)->sh_addr < (*separate)->sh_size)
      parts.push_back(wrapper.container);
    else
      modules.push_back({wrapper.container});
  }
  // Each program that nvcc links has a wrapper of version 2, mostly for
  // nothing.
  if (!parts.empty()) {
    if (links.size() != 1)
      return makeError(
          "it was linked from several groups of separately compiled "
          "files, which cannot be told apart");
    modules.push_back(links);
    modules.back().insert(modules.back().end(), parts.begin(), parts.end());
  }
  std::vector<FatBinaries> found;
  for (const std::vector<uint64_t> &module : modules) {
    auto binaries = view(module);
    if (!binaries)
      return binaries.takeError();
    found.push_back(std::move(*binaries));
  }
  return found;
}

bool ptxjit::isProgram(llvm::StringRef file) {
  return file.starts_with(llvm::ELF::ElfMagic);
}

Result<std::vector<FatBinaries>> ptxjit::findModules(llvm::StringRef file,
                                                     const std::string &name) {
  auto fail = [&](llvm::Error error) {
    return Error(ErrorCode::NotFound,
                 name + ": " + llvm::toString(std::move(error)));
  };
  auto program = LoadedProgram::create(file);
  if (!program)
    return fail(program.takeError());
  auto modules = program->findModules();
  if (!modules)
    return fail(modules.takeError());
  if (modules->empty())
    return Error(ErrorCode::NotFound,
                 name + ": it has no device code (a section .nvFatBinSegment, "
                        "which nvcc makes)");
  return std::move(*modules);
}
