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

#include "ptxjit/Dialect/Targets.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace ptxjit::ptxas;
using llvm::StringRef;

/// The exit code of NVIDIA's ptxas after an error. Triton takes it as invalid
/// PTX.
static constexpr int kFailure = 255;

/// Programs look for `release N.N` and `VN.N.N`, which decide the version of
/// the PTX that they write.
static void printVersion() {
  llvm::outs() << "ptxas: ptx-jit " PTXJIT_VERSION
                  ", in place of NVIDIA (R) Ptx optimizing assembler\n"
                  "It checks PTX and hands it on; it makes no machine code.\n"
                  "Options and answers are those of\n"
                  "Cuda compilation tools, release 13.0, V13.0.88\n";
}

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
static bool checkValues(const Options &options, Messages &messages) {
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

static bool writeText(StringRef path, StringRef text, Messages &messages) {
  std::error_code error;
  llvm::raw_fd_ostream file(path, error, llvm::sys::fs::OF_None);
  if (error) {
    messages.say(Severity::Fatal,
                 "Output file '" + path + "' could not be opened");
    return false;
  }
  file << text << '\0';
  file.close();
  if (!file.has_error())
    return true;
  messages.say(Severity::Fatal,
               "Output file '" + path +
                   "' could not be written: " + file.error().message());
  file.clear_error();
  return false;
}

static int assemble(const Options &options, Messages &messages) {
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
  return writeText(path, assembly.getText(), messages) ? 0 : kFailure;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  Messages messages;
  Options options;
  if (!options.read(std::vector<std::string>(argv + 1, argv + argc), messages))
    return kFailure;
  messages.setOptions(options.has(OptionId::NoWarnings),
                      options.has(OptionId::WarningsAreErrors));
  if (options.has(OptionId::Version))
    printVersion();
  else if (options.has(OptionId::ListVersions))
    listVersions();
  else if (options.has(OptionId::Help) ||
           (options.getInputs().empty() && !options.has(OptionId::InputString)))
    printHelp();
  else
    return assemble(options, messages);
  return 0;
}
