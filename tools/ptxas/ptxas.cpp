//===- ptxas.cpp - checks PTX in place of NVIDIA's assembler --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Triton, torch.compile and XLA run NVIDIA's assembler on the PTX that they
// make, and pass its output to the driver. This program replaces the assembler:
// it takes the same options and reports errors in the same words. Its output is
// the PTX text with a NUL behind it, which libcuda.so.1 loads as a module.
//
// It has a folder of its own, so that it never hides NVIDIA's ptxas; `ptx-jit
// exec` puts that folder in front.
//
//===----------------------------------------------------------------------===//

#include "Assembly.h"
#include "Options.h"

#include "ptxjit/Dialect/Targets.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace ptxjit::ptxas;
using namespace ptxjit::tools;
using llvm::StringRef;

/// The exit code of NVIDIA's ptxas after an error. Triton takes it as invalid
/// PTX.
static constexpr int kFailure = 255;

static const OptionSpec kOptions[] = {
#define PTXAS_OPTION(NAME, KIND, LONG, SHORT, VALUE, ALLOWED, HELP)            \
  {unsigned(OptionId::NAME),                                                   \
   OptionKind::KIND,                                                           \
   LONG,                                                                       \
   SHORT,                                                                      \
   VALUE,                                                                      \
   ALLOWED,                                                                    \
   HELP},
#include "Options.def"
};

static const char kUsage[] =
    "\nUsage  : ptxas [options] <ptx file>,...\n\n"
    "Checks PTX and hands it on as it is: libcuda.so.1 of ptx-jit loads\n"
    "what this writes, and compiles kernels when they are launched. The\n"
    "options are those of NVIDIA's ptxas. What is said \"of machine code\"\n"
    "is taken and has no effect.\n";

static void listVersions() {
  for (unsigned major = 1; auto last = ptxjit::ptx::getLastMinor(major);
       ++major)
    for (unsigned minor = 0; minor <= *last; ++minor)
      llvm::outs() << major << '.' << minor << '\n';
}

static bool isOneOf(StringRef word, llvm::ArrayRef<StringRef> list) {
  return llvm::is_contained(list, word);
}

/// Refuses values that Options accepts but NVIDIA's ptxas does not, in its
/// words.
static bool checkValues(const CommandLine &options, Messages &messages) {
  StringRef fast = options.get(OptionId::FastCompile, "0");
  if (!isOneOf(fast, {"0", "min", "mid", "max"})) {
    messages.say(Severity::Fatal, "Invalid value for --Ofast-compile/-Ofc (" +
                                      fast +
                                      "), is not 'max', 'mid', 'min', or '0'");
    return false;
  }
  int64_t level = 0;
  (void)options.get(OptionId::OptLevel, "0").getAsInteger(10, level);
  if (options.has(OptionId::Debug) && level > 0) {
    messages.say(Severity::Fatal, "Optimized debugging not supported");
    return false;
  }
  for (OptionId id : {OptionId::DefLoadCache, OptionId::ForceLoadCache})
    if (StringRef word = options.get(id, "ca");
        !isOneOf(word, {"ca", "cg", "cs", "lu", "cv"}))
      messages.say(Severity::Error,
                   "Invalid default cache modifier on load specified: " + word);
  for (OptionId id : {OptionId::DefStoreCache, OptionId::ForceStoreCache})
    if (StringRef word = options.get(id, "wb");
        !isOneOf(word, {"wb", "cg", "cs", "wt"}))
      messages.say(Severity::Error,
                   "Invalid default cache modifier on store specified: " +
                       word);
  return true;
}

static int assemble(const CommandLine &options, Messages &messages) {
  if (!checkValues(options, messages))
    return kFailure;
  Assembly assembly(options, messages);
  if (options.has(OptionId::InputString))
    assembly.add("application ptx input", options.get(OptionId::InputString));
  for (const std::string &path : options.getInputs()) {
    auto file = llvm::MemoryBuffer::getFileOrSTDIN(path);
    if (file)
      assembly.add(path == "-" ? "<stdin>" : path, (*file)->getBuffer());
    else
      messages.say(Severity::Fatal,
                   "Input file '" + path + "' could not be opened");
  }
  if (!assembly.finish())
    return kFailure;
  // For a virtual architecture the text is only checked.
  if (options.get(OptionId::GpuName).starts_with("compute_"))
    return 0;
  StringRef path = options.get(OptionId::OutputFile, "elf.o");
  std::string text = assembly.getText().str() + '\0';
  return writeFile(path, text, messages) ? 0 : kFailure;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  Messages messages("ptxas");
  CommandLine options(kOptions);
  if (!options.read(std::vector<std::string>(argv + 1, argv + argc), messages))
    return kFailure;
  messages.setOptions(options.has(OptionId::NoWarnings),
                      options.has(OptionId::WarningsAreErrors));
  if (options.has(OptionId::Version))
    printVersion("ptxas", "NVIDIA (R) Ptx optimizing assembler",
                 "It checks PTX and hands it on; it makes no machine code.");
  else if (options.has(OptionId::ListVersions))
    listVersions();
  else if (options.has(OptionId::Help) ||
           (options.getInputs().empty() && !options.has(OptionId::InputString)))
    options.printHelp(kUsage);
  else
    return assemble(options, messages);
  return 0;
}
