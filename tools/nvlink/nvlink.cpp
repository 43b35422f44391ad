//===- nvlink.cpp - links device code in place of NVIDIA's linker ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvcc runs it on the object files of a program that is compiled separately. It
// takes the PTX in them, tests that it can be linked, and writes a text with
// all modules, which libcuda.so.1 loads. Errors have the words of NVIDIA's
// nvlink.
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Images/DeviceLink.h"
#include "ptxjit/ToolSupport/CommandLine.h"
#include "ptxjit/ToolSupport/GpuNames.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"

#include <optional>

using namespace ptxjit;
using namespace ptxjit::tools;
using llvm::StringRef;
using llvm::Twine;

namespace {
enum class OptionId : unsigned {
#define NVLINK_OPTION(NAME, KIND, LONG, SHORT, VALUE, ALLOWED, HELP) NAME,
#include "Options.def"
};
} // namespace

static const OptionSpec kOptions[] = {
#define NVLINK_OPTION(NAME, KIND, LONG, SHORT, VALUE, ALLOWED, HELP)           \
  {unsigned(OptionId::NAME),                                                   \
   OptionKind::KIND,                                                           \
   LONG,                                                                       \
   SHORT,                                                                      \
   VALUE,                                                                      \
   ALLOWED,                                                                    \
   HELP},
#include "Options.def"
};

static const char kUsage[] = "\nUsage  : nvlink [options] <objects>\n\n"
                             "Links PTX in object files, archives, fat "
                             "binaries and what ptxas of ptx-jit\n"
                             "writes. The result is PTX, too. The options are "
                             "those of NVIDIA's nvlink.\n";

/// The exit codes of NVIDIA's nvlink.
static constexpr int kFailure = 1, kUndefined = 255;

static bool fail(Messages &messages, const Twine &text) {
  messages.say(Severity::Fatal, text);
  return false;
}

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

/// The device of "sm_90a": major and minor number.
static std::optional<Profile> readDevice(StringRef arch) {
  StringRef digits = arch.split('_').second.rtrim("af");
  unsigned number;
  if (digits.getAsInteger(10, number))
    return std::nullopt;
  return Profile{int(number / 10), int(number % 10)};
}

static bool check(const CommandLine &options, Messages &messages) {
  StringRef arch = options.get(OptionId::Arch);
  if (arch.empty())
    return fail(messages, "Unknown arch name '(null)'");
  if (options.has(OptionId::Dlto) || options.has(OptionId::LinkTimeOpt) ||
      arch.starts_with("lto_"))
    return fail(messages, "LTO IR cannot be linked here; compile without "
                          "-dlto, to PTX: -gencode arch=compute_NN,"
                          "code=compute_NN");
  if (options.has(OptionId::DumpCallgraph) ||
      options.has(OptionId::DumpCallgraphRaw))
    return fail(messages, "dump-callgraph is not supported");
  if (options.has(OptionId::HostLinkerScript))
    return fail(messages, "gen-host-linker-script is not supported");
  if (options.has(OptionId::Time))
    return fail(messages, "time is not supported");
  if (!arch.starts_with("compute_") && !options.has(OptionId::OutputFile))
    return fail(messages, "Must specify output file with -o option");
  return true;
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

static bool addFile(StringRef path, const CommandLine &options,
                    DeviceLink &link, Messages &messages) {
  auto file = llvm::MemoryBuffer::getFile(path);
  if (!file)
    return fail(messages, "Could not open input file '" + path + "'");
  std::string diagnostics;
  bool isGood =
      link.add(std::string_view((*file)->getBuffer()), path.str(), diagnostics);
  if (!diagnostics.empty() && !(isGood && options.has(OptionId::NoArchWarning)))
    messages.sayAll(diagnostics);
  if (!isGood && !messages.hasErrors())
    return fail(messages, "Could not read input file '" + path + "'");
  return isGood;
}

/// Finds the archive of a library; empty if there is none.
static std::string findLibrary(StringRef name,
                               llvm::ArrayRef<std::string> folders) {
  for (const std::string &folder : folders) {
    std::string path = (folder + "/lib" + name + ".a").str();
    if (llvm::sys::fs::is_regular_file(path))
      return path;
  }
  return "";
}

static bool addInputs(const CommandLine &options, DeviceLink &link,
                      Messages &messages) {
  bool isGood = true;
  llvm::StringSet<> archives;
  // A linker takes a member of an archive for what is undefined, so once. nvcc
  // names cudadevrt, and so do programs.
  auto isTaken = [&](StringRef path) {
    llvm::SmallString<128> real;
    return path.ends_with(".a") && !llvm::sys::fs::real_path(path, real) &&
           !archives.insert(real).second;
  };
  for (const std::string &path : options.getInputs())
    if (!isTaken(path))
      isGood &= addFile(path, options, link, messages);
  for (const std::string &name : options.getAll(OptionId::Library)) {
    // Most libraries are the host's, so that one which is missing is no error.
    std::string path = findLibrary(name, options.getAll(OptionId::LibraryPath));
    if (!path.empty() && !isTaken(path))
      isGood &= addFile(path, options, link, messages);
  }
  return isGood;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// Writes what crt/link.stub of CUDA includes: the host's code of each linked
/// file hands its wrapper over by a function of that name.
static bool writeNames(const CommandLine &options, const DeviceLink &link,
                       Messages &messages) {
  if (!options.has(OptionId::RegisterLinkBinaries))
    return true;
  std::string text = "#define NUM_PRELINKED_OBJECTS " +
                     std::to_string(link.getModules().size()) + "\n";
  for (const std::string &name : link.getModules())
    text += "DEFINE_REGISTER_FUNC(" + name + ")\n";
  return writeFile(options.get(OptionId::RegisterLinkBinaries), text, messages);
}

/// Says why the modules cannot be linked. \returns the exit code.
static int explain(llvm::ArrayRef<LinkProblem> problems, Messages &messages) {
  using Kind = LinkProblem::Kind;
  bool areAllUndefined = true;
  for (const LinkProblem &problem : problems) {
    areAllUndefined &= problem.kind == Kind::Undefined;
    if (problem.kind == Kind::Undefined)
      messages.say(Severity::Error, "Undefined reference to '" +
                                        problem.symbol + "' in '" +
                                        problem.module + "'");
    else if (problem.kind == Kind::Multiple)
      messages.say(Severity::Error,
                   "Multiple definition of '" + problem.symbol + "' in '" +
                       problem.module + "', first defined in '" +
                       problem.first + "'");
    else
      messages.say(Severity::Error, problem.text);
  }
  if (areAllUndefined)
    return kUndefined;
  messages.say(Severity::Fatal, "merge_elf failed");
  return kFailure;
}

static int link(const CommandLine &options, Messages &messages) {
  if (!check(options, messages))
    return kFailure;
  StringRef arch = options.get(OptionId::Arch);
  std::optional<Profile> device = readDevice(arch);
  if (!device) {
    fail(messages, "Unknown arch name '" + arch + "'");
    return kFailure;
  }
  DeviceLink link(*device, ("sm_" + arch.split('_').second).str());
  if (!addInputs(options, link, messages) || messages.hasErrors() ||
      !writeNames(options, link, messages))
    return kFailure;
  // For a virtual architecture, programs link when they start.
  if (arch.starts_with("compute_"))
    return 0;
  if (options.has(OptionId::Verbose) && !options.has(OptionId::NoInfos))
    for (const std::string &name : link.getNames())
      messages.say(Severity::Info, "Linking '" + name + "'");
  std::vector<LinkProblem> problems;
  std::string text = link.link(problems, options.has(OptionId::Relocatable));
  if (!problems.empty())
    return explain(problems, messages);
  text += '\0';
  return writeFile(options.get(OptionId::OutputFile), text, messages)
             ? 0
             : kFailure;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  Messages messages("nvlink");
  CommandLine options(kOptions);
  if (!options.read(std::vector<std::string>(argv + 1, argv + argc), messages))
    return kFailure;
  messages.setOptions(options.has(OptionId::NoWarnings),
                      options.has(OptionId::WarningsAreErrors));
  if (options.has(OptionId::Version))
    printVersion("nvlink", "NVIDIA (R) Cuda linker",
                 "It links PTX; it makes no machine code.");
  else if (options.has(OptionId::Help) || options.isEmpty())
    options.printHelp(kUsage);
  else
    return link(options, messages);
  return 0;
}
