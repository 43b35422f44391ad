//===- CompileCommand.cpp - the command `compile` -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompileCommand.h"
#include "Arguments.h"
#include "Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

#include <fstream>

using namespace ptxjit;
namespace cl = llvm::cl;

static cl::OptionCategory category("ptx-jit compile options");
static cl::SubCommand
    compileCommand("compile", "Compile a file's kernels ahead of time, for "
                              "programs without the compiler");
static cl::opt<std::string> inputFile(cl::Positional, cl::desc("FILE.ptx"),
                                      cl::Required, cl::sub(compileCommand),
                                      cl::cat(category));
static cl::opt<std::string>
    outputFile("o", cl::desc("Object file; its header lies beside it"),
               cl::value_desc("FILE.o"), cl::Required, cl::sub(compileCommand),
               cl::cat(category));
static cl::opt<std::string> targetName(
    "target",
    cl::desc("x86_64-linux-gnu or aarch64-linux-gnu (default: of the CPU, or "
             "this machine)"),
    cl::value_desc("triple"), cl::sub(compileCommand), cl::cat(category));
static cl::opt<std::string>
    cpuName("cpu",
            cl::desc("LLVM's name of the least CPU that runs the kernels, or "
                     "native (default: x86-64-v3, neoverse-n1)"),
            cl::value_desc("name"), cl::sub(compileCommand), cl::cat(category));
static cl::list<std::string> blockTexts(
    "block",
    cl::desc("Block extents, of all kernels or of one; may be repeated "
             "(default: .reqntid, or code for any block)"),
    cl::value_desc("{KERNEL:}X,Y,Z"), cl::sub(compileCommand),
    cl::cat(category));
static cl::opt<std::string>
    objectName("name",
               cl::desc("What the header's names begin with (default: the "
                        "object's)"),
               cl::value_desc("name"), cl::sub(compileCommand),
               cl::cat(category));
static cl::opt<bool>
    keepText("keep-text",
             cl::desc("Keep the PTX in the object, so that errors quote it"),
             cl::sub(compileCommand), cl::cat(category));
static cl::opt<bool> largeGrids(
    "large-grids",
    cl::desc("Grids may have more than 2^31 threads in a dimension (slower)"),
    cl::sub(compileCommand), cl::cat(category));

cl::SubCommand &ptxjit::getCompileCommand() { return compileCommand; }
cl::OptionCategory &ptxjit::getCompileCategory() { return category; }

/// The file's name without folder and extension, as an identifier of C.
static std::string nameOf(llvm::StringRef path) {
  std::string name;
  for (char c : llvm::sys::path::stem(path))
    name += llvm::isAlnum(c) ? c : '_';
  return name.empty() || llvm::isDigit(name[0]) ? "_" + name : name;
}

/// Writes a file. \returns the exit status.
static int write(const std::string &path, const std::string &content) {
  std::ofstream file(path, std::ios::binary);
  file << content << std::flush;
  return file ? 0 : fail(path + ": cannot be written");
}

int ptxjit::runCompile() {
  AheadConfig config;
  config.name = objectName.empty() ? nameOf(outputFile) : objectName;
  config.target = targetName;
  config.cpu = cpuName;
  config.keepsText = keepText;
  config.hasLargeGrids = largeGrids;
  for (const std::string &text : blockTexts) {
    size_t colon = text.rfind(':');
    AheadConfig::Block block;
    block.kernel = text.substr(0, colon == text.npos ? 0 : colon);
    std::string extents = colon == text.npos ? text : text.substr(colon + 1);
    if (!parseExtents(extents, block.block))
      return fail("--block=" + text + " is not {KERNEL:}X, X,Y or X,Y,Z");
    config.blocks.push_back(block);
  }
  llvm::SmallString<128> header(outputFile);
  llvm::sys::path::replace_extension(header, ".h");
  if (header == outputFile)
    return fail("-o " + outputFile + " is the name of the header");
  auto module = Module::loadFile(inputFile);
  if (!module)
    return fail(module.getError());
  std::fputs(module->getWarnings().c_str(), stderr);
  auto files = module->compileAhead(config);
  if (!files)
    return fail(files.getError());
  std::fputs(files->warnings.c_str(), stderr);
  if (int status = write(outputFile, files->object))
    return status;
  return write(header.str().str(), files->header);
}
