//===- cuobjdump.cpp - shows device code in place of NVIDIA's tool --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// It lists, shows and saves the PTX in programs, libraries, object files,
// archives, fat binaries, and what ptxas and nvlink of ptx-jit write. Output is
// that of NVIDIA's cuobjdump. Machine code is listed and saved only.
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Images/HostObject.h"
#include "ptxjit/Runtime/CodeOutline.h"
#include "ptxjit/Runtime/FatBinary.h"
#include "ptxjit/Runtime/LinkedText.h"
#include "ptxjit/ToolSupport/CommandLine.h"
#include "ptxjit/ToolSupport/GpuNames.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace ptxjit;
using namespace ptxjit::tools;
using llvm::StringRef;
using llvm::Twine;

namespace {
enum class OptionId : unsigned {
#define CUOBJDUMP_OPTION(NAME, KIND, LONG, SHORT, VALUE, ALLOWED, HELP) NAME,
#include "Options.def"
};

/// Shows the device code of one file.
class FileDumper {
public:
  FileDumper(const CommandLine &options, Messages &messages,
             const std::string &path)
      : options(options), messages(messages), path(path) {}
  bool dump(std::string_view file);

private:
  using Kind = ImageEntry::Kind;

  bool dumpPart(std::string_view file);
  bool dumpArchive(std::string_view file);
  bool dumpText(std::string_view file);
  bool dumpMachineCode(std::string_view file);
  bool dumpContainer(std::string_view container);
  bool dumpEntry(const ImageEntry &entry);
  void printHeader(const ImageEntry &entry) const;
  bool listEntry(const ImageEntry &entry);
  bool extractEntry(const ImageEntry &entry);
  /// The kind of code that is listed or saved, if it is one.
  bool isWanted(const ImageEntry &entry) const;
  std::string nameEntry(const ImageEntry &entry) const;
  bool fail(const Twine &text) {
    messages.say(Severity::Fatal, text);
    return false;
  }

  const CommandLine &options;
  Messages &messages;
  std::string path;
  std::string member; ///< of an archive, not yet printed
  unsigned count = 0; ///< entries of the kind that is listed, so far
  bool hasCode = false;
};
} // namespace

static const OptionSpec kOptions[] = {
#define CUOBJDUMP_OPTION(NAME, KIND, LONG, SHORT, VALUE, ALLOWED, HELP)        \
  {unsigned(OptionId::NAME),                                                   \
   OptionKind::KIND,                                                           \
   LONG,                                                                       \
   SHORT,                                                                      \
   VALUE,                                                                      \
   ALLOWED,                                                                    \
   HELP},
#include "Options.def"
};

static const char kUsage[] = "\nUsage  : cuobjdump [options] <file>\n\n"
                             "Lists, shows and saves PTX in programs, "
                             "libraries, object files, archives,\n"
                             "fat binaries, and what ptxas and nvlink of "
                             "ptx-jit write. The options are\n"
                             "those of NVIDIA's cuobjdump.\n";

/// The exit codes of NVIDIA's cuobjdump.
static constexpr int kFailure = 1, kNoCode = 255;

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

static std::string archOf(const ImageEntry &entry) {
  return "sm_" + std::to_string(entry.arch) + entry.suffix;
}

static bool isList(const CommandLine &options) {
  return options.has(OptionId::ListPtx) || options.has(OptionId::ListElf);
}

static bool isExtract(const CommandLine &options) {
  return options.has(OptionId::ExtractPtx) || options.has(OptionId::ExtractElf);
}

bool FileDumper::isWanted(const ImageEntry &entry) const {
  bool isPtx = options.has(OptionId::ExtractPtx) ||
               (!isExtract(options) && options.has(OptionId::ListPtx));
  return entry.kind == (isPtx ? Kind::Ptx : Kind::MachineCode);
}

/// "a.sm_90.ptx" if the code is of a source "a.cu", "prog.1.sm_90.ptx" if that
/// is not known.
std::string FileDumper::nameEntry(const ImageEntry &entry) const {
  StringRef source(entry.name.data(), entry.name.size());
  std::string name =
      source.empty() ? (llvm::sys::path::stem(path) + "." + Twine(count)).str()
                     : llvm::sys::path::stem(source).str();
  return name + "." + archOf(entry) +
         (entry.kind == Kind::Ptx ? ".ptx" : ".cubin");
}

void FileDumper::printHeader(const ImageEntry &entry) const {
  bool isPtx = entry.kind == Kind::Ptx;
  llvm::raw_ostream &os = llvm::outs();
  os << "\nFatbin " << (isPtx ? "ptx" : "elf") << " code:\n================\n"
     << "arch = " << archOf(entry) << "\ncode version = [" << entry.versionMajor
     << ',' << entry.versionMinor << "]\n"
     << "host = linux\ncompile_size = 64bit\n";
  if (entry.hasDebug)
    os << "has debug info\n";
  if (entry.packing != ImageEntry::Packing::None)
    os << "compressed\n";
  if (!entry.name.empty())
    os << "identifier = " << entry.name << '\n';
  if (isPtx && entry.options.data()) // empty ones, too
    os << "ptxasOptions = " << entry.options << '\n';
}

bool FileDumper::listEntry(const ImageEntry &entry) {
  llvm::outs() << (entry.kind == Kind::Ptx ? "PTX" : "ELF") << " file "
               << llvm::format("%4u", count) << ": " << nameEntry(entry)
               << '\n';
  return true;
}

bool FileDumper::extractEntry(const ImageEntry &entry) {
  bool isPtx = entry.kind == Kind::Ptx;
  std::string name = nameEntry(entry), bytes;
  bool isChosen = llvm::any_of(
      options.getAll(isPtx ? OptionId::ExtractPtx : OptionId::ExtractElf),
      [&](StringRef part) {
        return part == "all" || StringRef(name).contains(part);
      });
  if (!isChosen)
    return true;
  if (!unpack(entry, bytes))
    return fail(name + " in '" + path + "' cannot be unpacked");
  llvm::outs() << "Extracting " << (isPtx ? "PTX" : "ELF") << " file"
               << (isPtx ? " and ptxas options" : "")
               << llvm::format(" %4u", count) << ": " << name;
  if (isPtx)
    llvm::outs() << " -arch=" << archOf(entry) << ' ' << entry.options;
  llvm::outs() << '\n';
  return writeFile(name, bytes, messages);
}

bool FileDumper::dumpEntry(const ImageEntry &entry) {
  StringRef arch = options.get(OptionId::Arch);
  if ((entry.kind != Kind::Ptx && entry.kind != Kind::MachineCode) ||
      (!arch.empty() && arch != archOf(entry)))
    return true;
  bool isFile = isList(options) || isExtract(options);
  if (isFile && !isWanted(entry))
    return true;
  count += isFile;
  if (isExtract(options))
    return extractEntry(entry);
  if (isList(options))
    return listEntry(entry);
  printHeader(entry);
  if (entry.kind != Kind::Ptx || !options.has(OptionId::Ptx))
    return true;
  std::string text;
  if (!unpack(entry, text))
    return fail("PTX in '" + path + "' cannot be unpacked");
  llvm::outs() << text << '\n';
  return true;
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

bool FileDumper::dumpContainer(std::string_view container) {
  bool isGood = true;
  hasCode = true;
  if (!member.empty() && !isExtract(options))
    llvm::outs() << "\nmember " << std::exchange(member, "") << ":\n";
  size_t bytes = visitEntries(
      container, [&](const ImageEntry &entry) { isGood &= dumpEntry(entry); });
  if (!bytes)
    return fail("Invalid fatbin header in '" + path + "'");
  return isGood;
}

/// Reads "sm_90a".
static void setTarget(ImageEntry &entry, StringRef target) {
  target.consume_front("sm_");
  (void)target.consumeInteger(10, entry.arch);
  entry.suffix = target.str();
}

/// Shows a text as if it were in a fat binary; a linked one, its modules.
bool FileDumper::dumpText(std::string_view file) {
  std::string text(file.substr(0, file.find('\0')));
  std::vector<LinkedPart> parts;
  if (!isLinkedText(text))
    parts.push_back({path, text, 0});
  else if (!splitText(text, parts))
    return fail("'" + path + "' is a damaged linked image");
  bool isGood = true;
  hasCode = true;
  for (const LinkedPart &part : parts) {
    CodeOutline outline = outlineText(part.text);
    ImageEntry entry;
    entry.kind = Kind::Ptx;
    setTarget(entry, outline.target);
    auto [major, minor] = StringRef(outline.version).split('.');
    (void)major.getAsInteger(10, entry.versionMajor);
    (void)minor.getAsInteger(10, entry.versionMinor);
    entry.hasDebug = outline.hasDebug;
    entry.payload = part.text;
    entry.unpackedBytes = part.text.size();
    isGood &= dumpEntry(entry);
  }
  return isGood;
}

/// Lists or saves machine code without a container.
bool FileDumper::dumpMachineCode(std::string_view file) {
  hasCode = true;
  CodeOutline outline;
  ImageEntry entry;
  (void)outlineMachineCode(file, outline); // what cannot be read is not named
  entry.kind = Kind::MachineCode;
  setTarget(entry, outline.target);
  entry.name = path;
  entry.payload = file;
  entry.unpackedBytes = file.size();
  return !isList(options) && !isExtract(options) ? true : dumpEntry(entry);
}

bool FileDumper::dumpArchive(std::string_view file) {
  std::string archive = path;
  bool isGood = true;
  bool isWhole =
      visitMembers(file, [&](std::string_view bytes, const std::string &name) {
        member = archive + ":" + name;
        isGood &= dumpPart(bytes);
      });
  return isWhole ? isGood : fail("'" + path + "' is a damaged archive");
}

bool FileDumper::dumpPart(std::string_view file) {
  bool isGood = true;
  switch (kindOfFile(file)) {
  case FileKind::Text:
    return dumpText(file);
  case FileKind::Container:
    return dumpContainer(file);
  case FileKind::Object:
  case FileKind::Program: {
    HostObject object = readHostObject(file);
    for (std::string_view container : object.wholeContainers)
      isGood &= dumpContainer(container);
    if (object.wholeContainers.empty() || options.has(OptionId::All))
      for (std::string_view container : object.containers)
        isGood &= dumpContainer(container);
    return isGood;
  }
  case FileKind::Archive:
    return dumpArchive(file);
  case FileKind::MachineCode:
    return dumpMachineCode(file);
  case FileKind::Other:
    break;
  }
  return true;
}

bool FileDumper::dump(std::string_view file) {
  bool isGood = dumpPart(file);
  if (!hasCode)
    messages.say(Severity::Info,
                 "File '" + path + "' does not contain device code");
  else if ((isList(options) || isExtract(options)) && count == 0)
    messages.say(Severity::Info, Twine("No ") +
                                     (options.has(OptionId::ListPtx) ||
                                              options.has(OptionId::ExtractPtx)
                                          ? "PTX"
                                          : "ELF") +
                                     " file found to extract from '" + path +
                                     "'. You may try with -all option.");
  return isGood && hasCode;
}

//===----------------------------------------------------------------------===//
// The command line
//===----------------------------------------------------------------------===//

static bool fail(Messages &messages, const Twine &text) {
  messages.say(Severity::Fatal, text);
  return false;
}

static bool check(const CommandLine &options, Messages &messages) {
  for (OptionId id :
       {OptionId::Elf, OptionId::Symbols, OptionId::Resources, OptionId::Sass,
        OptionId::ExtractText, OptionId::ListText})
    if (options.has(id))
      return fail(messages,
                  Twine("'") + kOptions[unsigned(id)].shortName +
                      "' is about machine code, which ptx-jit neither makes "
                      "nor reads; -ptx shows what it runs");
  for (OptionId id : {OptionId::Function, OptionId::FunctionIndex})
    if (options.has(id))
      return fail(messages, Twine("'") + kOptions[unsigned(id)].shortName +
                                "' is not supported");
  return true;
}

static int dumpFiles(const CommandLine &options, Messages &messages) {
  if (!check(options, messages))
    return kFailure;
  int result = 0;
  for (const std::string &name : options.getInputs()) {
    llvm::SmallString<256> path(name);
    llvm::sys::fs::make_absolute(path);
    auto file = llvm::MemoryBuffer::getFile(name);
    if (!file) {
      fail(messages, "Could not open input file '" + path + "'");
      return kFailure;
    }
    FileDumper dumper(options, messages, path.str().str());
    if (!dumper.dump(std::string_view((*file)->getBuffer())))
      result = messages.hasErrors() ? kFailure : kNoCode;
  }
  return result;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  Messages messages("cuobjdump");
  CommandLine options(kOptions);
  if (!options.read(std::vector<std::string>(argv + 1, argv + argc), messages))
    return kFailure;
  if (options.has(OptionId::Version))
    printVersion("cuobjdump", "NVIDIA (R) fat binary listing tool",
                 "It shows PTX; machine code it can only list.");
  else if (options.has(OptionId::Help) || options.getInputs().empty())
    options.printHelp(kUsage);
  else
    return dumpFiles(options, messages);
  return 0;
}
