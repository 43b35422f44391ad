//===- Dependencies.cpp - what a program loads when it starts -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Dependencies.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

#include <unistd.h>

using namespace ptxjit;
using llvm::StringRef;
using ElfFile = llvm::object::ELFFile<llvm::object::ELF64LE>;

// Programs of this machine, and the system's dynamic linker, since that of a
// program may be anything.
#if defined(__x86_64__)
static constexpr uint16_t kMachine = llvm::ELF::EM_X86_64;
static constexpr StringRef kLinker = "/lib64/ld-linux-x86-64.so.2";
#elif defined(__aarch64__)
static constexpr uint16_t kMachine = llvm::ELF::EM_AARCH64;
static constexpr StringRef kLinker = "/lib/ld-linux-aarch64.so.1";
#endif

//===----------------------------------------------------------------------===//
// Kinds of files
//===----------------------------------------------------------------------===//

/// The dynamic table of a file; empty if there is none, or if it is damaged.
/// (ELFFile::dynamicEntries() trusts the offset.)
static llvm::ArrayRef<ElfFile::Elf_Dyn>
dynamicTable(StringRef file, llvm::ArrayRef<ElfFile::Elf_Phdr> headers) {
  for (const auto &header : headers) {
    uint64_t offset = header.p_offset, bytes = header.p_filesz;
    if (header.p_type != llvm::ELF::PT_DYNAMIC || offset % 8 != 0 ||
        offset > file.size() || bytes > file.size() - offset)
      continue;
    const auto *first =
        reinterpret_cast<const ElfFile::Elf_Dyn *>(file.data() + offset);
    return llvm::ArrayRef(first, bytes / sizeof(*first));
  }
  return {};
}

/// Is it marked as a program, not a library? Both have the type ET_DYN.
static bool isPie(llvm::ArrayRef<ElfFile::Elf_Dyn> table) {
  return llvm::any_of(table, [](const auto &entry) {
    return entry.getTag() == llvm::ELF::DT_FLAGS_1 &&
           entry.getVal() & llvm::ELF::DF_1_PIE;
  });
}

FileKind ptxjit::kindOfFile(StringRef file) {
  if (!file.starts_with("\x7f"
                        "ELF"))
    return FileKind::NoElf;
  if (file.size() <= llvm::ELF::EI_DATA ||
      file[llvm::ELF::EI_CLASS] != llvm::ELF::ELFCLASS64 ||
      file[llvm::ELF::EI_DATA] != llvm::ELF::ELFDATA2LSB)
    return FileKind::Foreign;
  auto elf = ElfFile::create(file);
  if (!elf) {
    llvm::consumeError(elf.takeError());
    return FileKind::Foreign;
  }
  auto headers = elf->program_headers();
  if (!headers) {
    llvm::consumeError(headers.takeError());
    return FileKind::Foreign;
  }
  if (elf->getHeader().e_machine != kMachine)
    return FileKind::Foreign;
  bool hasLinker = llvm::any_of(*headers, [](const auto &header) {
    return header.p_type == llvm::ELF::PT_INTERP;
  });
  bool isProgram = elf->getHeader().e_type == llvm::ELF::ET_EXEC ||
                   isPie(dynamicTable(file, *headers));
  return isProgram && !hasLinker ? FileKind::Static : FileKind::Dynamic;
}

//===----------------------------------------------------------------------===//
// Dependencies
//===----------------------------------------------------------------------===//

/// Runs the dynamic linker, which lists what it would load. \returns its output
/// and its complaints.
static std::string runLinker(const std::string &program) {
  llvm::SmallString<128> path;
  if (llvm::sys::fs::createTemporaryFile("ptx-jit-doctor", "txt", path))
    return "there is no room for temporary files";
  llvm::FileRemover remover(path);
  std::vector<StringRef> environment{"LD_TRACE_LOADED_OBJECTS=1"};
  for (char **variable = environ; *variable; ++variable)
    environment.push_back(*variable);
  std::string why;
  // Both streams in one file, in their order.
  int status = llvm::sys::ExecuteAndWait(
      kLinker, {kLinker, program}, llvm::ArrayRef<StringRef>(environment),
      {StringRef(""), path.str(), path.str()}, /*SecondsToWait=*/60, 0, &why);
  auto output = llvm::MemoryBuffer::getFile(path);
  // Its own exit status of 127 counts as a failure to start it.
  if (!output || (status < 0 && (*output)->getBuffer().empty()))
    return "the dynamic linker fails: " + why;
  return (*output)->getBuffer().str();
}

std::vector<Dependency>
ptxjit::findDependencies(const std::string &program,
                         std::vector<std::string> &problems) {
  std::vector<Dependency> found;
  std::string output = runLinker(program);
  for (StringRef line : llvm::split(output, '\n')) {
    // "\tNAME => PATH (ADDRESS)", "\tNAME => not found" or "\tPATH (ADDRESS)"
    if (!line.consume_front("\t")) {
      if (!line.empty())
        problems.push_back(line.str());
      continue;
    }
    auto [name, path] = line.split(" => ");
    if (path == "not found") {
      found.push_back({name.str(), ""});
      continue;
    }
    StringRef file = (path.empty() ? name : path).rsplit(" (").first;
    if (!file.contains('/') || name.contains("/ld-linux"))
      continue; // of the kernel, or the linker itself
    StringRef base = path.empty() ? file.rsplit('/').second : name;
    found.push_back({base.str(), file.str()});
  }
  return found;
}
