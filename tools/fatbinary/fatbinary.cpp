//===- fatbinary.cpp - makes fat binaries in place of NVIDIA's tool -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvcc runs it on the PTX of its compiler, and on what ptxas and nvlink have
// made, and puts the result into the host's code. What ours make is PTX, so
// that all entries are PTX.
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Images/FatBinaryWriter.h"
#include "ptxjit/Images/HostObject.h"
#include "ptxjit/Runtime/CodeOutline.h"
#include "ptxjit/ToolSupport/CommandLine.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace ptxjit;
using namespace ptxjit::tools;
using llvm::StringRef;
using llvm::Twine;

namespace {
enum class OptionId : unsigned {
#define FATBINARY_OPTION(NAME, KIND, LONG, SHORT, VALUE, ALLOWED, HELP) NAME,
#include "Options.def"
};

/// The value of `--image3`.
struct ImageSpec {
  StringRef kind, sm, file;
};
} // namespace

static const OptionSpec kOptions[] = {
#define FATBINARY_OPTION(NAME, KIND, LONG, SHORT, VALUE, ALLOWED, HELP)        \
  {unsigned(OptionId::NAME),                                                   \
   OptionKind::KIND,                                                           \
   LONG,                                                                       \
   SHORT,                                                                      \
   VALUE,                                                                      \
   ALLOWED,                                                                    \
   HELP},
#include "Options.def"
};

static const char kUsage[] = "\nUsage  : fatbinary [options]\n\n"
                             "Makes fat binaries of PTX, and of what ptxas and "
                             "nvlink of ptx-jit write.\n"
                             "The options are those of NVIDIA's fatbinary.\n";

/// The exit code of NVIDIA's fatbinary after an error.
static constexpr int kFailure = 1;

static bool fail(Messages &messages, const Twine &text) {
  messages.say(Severity::Fatal, text);
  return false;
}

static bool readSpec(StringRef text, ImageSpec &spec, Messages &messages) {
  for (StringRef part : llvm::split(text, ',')) {
    auto [key, value] = part.split('=');
    if (key == "kind")
      spec.kind = value;
    else if (key == "sm")
      spec.sm = value;
    else if (key == "file")
      spec.file = value;
    else
      return fail(messages, "Unknown keyword '" + key + "' in image3");
  }
  if (spec.kind == "lto" || spec.kind == "ltoir")
    return fail(messages, "LTO IR in '" + spec.file +
                              "' cannot be read here; compile without -dlto");
  if (spec.kind != "ptx" && spec.kind != "elf")
    return fail(messages, "Missing or unknown kind in image3");
  if (spec.sm.empty())
    return fail(messages, "Missing sm in image3");
  return true;
}

/// Reads "90a".
static bool readArch(StringRef sm, NewEntry &entry, Messages &messages) {
  StringRef digits = sm;
  if (sm.ends_with("a") || sm.ends_with("f")) {
    entry.suffix = sm.back();
    digits = sm.drop_back();
  }
  if (digits.getAsInteger(10, entry.arch) || entry.arch == 0)
    return fail(messages, "invalid architecture '" + sm + "'");
  return true;
}

/// Takes PTX, which may have a NUL behind it, as ptxas writes it.
static bool readText(const ImageSpec &spec, NewEntry &entry,
                     Messages &messages) {
  auto file = llvm::MemoryBuffer::getFile(spec.file);
  if (!file)
    return fail(messages, "Could not open input file '" + spec.file + "'");
  StringRef bytes = (*file)->getBuffer();
  entry.text = bytes.split('\0').first.str();
  if (kindOfFile(std::string_view(bytes)) == FileKind::MachineCode)
    return fail(messages,
                "'" + spec.file +
                    "' has machine code, which no CPU can run; use PTX, or "
                    "what ptxas of ptx-jit writes");
  if (outlineText(entry.text).version.empty())
    return fail(messages, "could not find ptx version in '" + spec.file + "'");
  return true;
}

static bool isPacked(const CommandLine &options) {
  return options.has(OptionId::CompressAll) ||
         (options.get(OptionId::Compress, "true") == "true" &&
          options.get(OptionId::CompressMode, "default") != "none");
}

/// Makes the container. nvcc hands the same text over as `elf` and as `ptx`,
/// which is one entry.
static bool makeContainer(const CommandLine &options, std::string &container,
                          Messages &messages) {
  FatBinaryWriter writer;
  llvm::SmallVector<NewEntry> entries;
  for (const std::string &text : options.getAll(OptionId::Image3)) {
    ImageSpec spec;
    NewEntry entry;
    if (!readSpec(text, spec, messages) ||
        !readArch(spec.sm, entry, messages) || !readText(spec, entry, messages))
      return false;
    bool isKnown = llvm::any_of(entries, [&](const NewEntry &other) {
      return other.arch == entry.arch && other.suffix == entry.suffix &&
             other.text == entry.text;
    });
    if (isKnown)
      continue;
    entry.name = options.get(OptionId::Ident).str();
    entry.options = options.get(OptionId::CmdLine).str();
    entry.hasDebug = options.has(OptionId::Debug);
    entry.isPacked = isPacked(options);
    writer.add(entry);
    entries.push_back(std::move(entry));
  }
  container = writer.finish();
  return true;
}

static bool check(const CommandLine &options, Messages &messages) {
  if (options.has(OptionId::Bits32))
    return fail(messages, "Programs of 32 bits are not supported");
  if (!options.getInputs().empty())
    return fail(messages,
                "Unexpected argument '" + options.getInputs().front() + "'");
  if (options.has(OptionId::Image2))
    return fail(messages, "image2 is not supported; name PTX by image3");
  return true;
}

static bool makeFatBinary(const CommandLine &options, Messages &messages) {
  std::string container;
  if (!check(options, messages) || !makeContainer(options, container, messages))
    return false;
  if (options.has(OptionId::Create) &&
      !writeFile(options.get(OptionId::Create), container, messages))
    return false;
  if (!options.has(OptionId::EmbeddedFatbin))
    return true;
  FatBinaryUse use = options.has(OptionId::Link) ? FatBinaryUse::Linked
                     : options.has(OptionId::DeviceC)
                         ? FatBinaryUse::Relocatable
                         : FatBinaryUse::Whole;
  return writeFile(
      options.get(OptionId::EmbeddedFatbin),
      embedContainer(container, use, !options.has(OptionId::NoAsm)), messages);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  Messages messages("fatbinary");
  CommandLine options(kOptions);
  if (!options.read(std::vector<std::string>(argv + 1, argv + argc), messages))
    return kFailure;
  if (options.has(OptionId::Version))
    printVersion("fatbinary", "NVIDIA (R) Cuda fat binary constructor",
                 "It takes PTX, and what ptxas of ptx-jit writes.");
  else if (options.has(OptionId::Help) || options.isEmpty())
    options.printHelp(kUsage);
  else
    return makeFatBinary(options, messages) ? 0 : kFailure;
  return 0;
}
