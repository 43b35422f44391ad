//===- ptx-jit.cpp - the command-line tool --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs, lists, checks, tests, links and compiles PTX files, looks after the
// cache of compiled kernels, and starts CUDA programs with our libraries, or
// says what is in the way. It is a client of the C++ interface (ptxjit.h), like
// programs of users; of LLVM it uses the support library, and the reader of ELF
// files.
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "CacheCommand.h"
#include "CompileCommand.h"
#include "Diagnostics.h"
#include "Doctor.h"
#include "Exec.h"
#include "Link.h"
#include "List.h"
#include "TestRunner.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>

using namespace ptxjit;
namespace cl = llvm::cl;

static cl::OptionCategory category("ptx-jit options");
static cl::SubCommand runCommand("run", "Run a kernel");
static cl::SubCommand listCommand("list", "Show the device code in PTX files, "
                                          "programs and libraries");
static cl::SubCommand checkCommand("check",
                                   "Say for each file whether it is accepted");
static cl::SubCommand testCommand(
    "test", "Run the '// run:' lines of files at every chunk width and on the "
            "reference interpreter");

static cl::SubCommand linkCommand("link",
                                  "Make one image of modules that refer to "
                                  "each other");
// Only for --help: main() hands on the arguments of these.
static cl::SubCommand execCommand("exec",
                                  "Start a CUDA program with our libraries in "
                                  "front");
static cl::SubCommand doctorCommand("doctor",
                                    "Say what keeps a CUDA program from "
                                    "running");

static cl::opt<std::string> runFile(cl::Positional, cl::desc("FILE.ptx"),
                                    cl::Required, cl::sub(runCommand),
                                    cl::cat(category));
static cl::list<std::string> runArguments(cl::Positional, cl::desc("ARG..."),
                                          cl::sub(runCommand),
                                          cl::cat(category));
static cl::list<std::string> listedFiles(cl::Positional, cl::desc("FILE..."),
                                         cl::OneOrMore, cl::sub(listCommand),
                                         cl::cat(category));
static cl::opt<bool>
    listKernels("kernels",
                cl::desc("Name the kernels of each image (those of PTX files "
                         "are shown in any case)"),
                cl::sub(listCommand), cl::cat(category));
static cl::list<std::string> checkFiles(cl::Positional, cl::desc("FILE..."),
                                        cl::OneOrMore, cl::sub(checkCommand),
                                        cl::cat(category));
static cl::list<std::string> linkInputs(cl::Positional, cl::desc("FILE..."),
                                        cl::OneOrMore, cl::sub(linkCommand),
                                        cl::cat(category));
static cl::opt<std::string> linkOutput("o", cl::desc("Output file"),
                                       cl::value_desc("file"), cl::init("-"),
                                       cl::sub(linkCommand), cl::cat(category));
static cl::list<std::string> testFiles(cl::Positional, cl::desc("FILE..."),
                                       cl::OneOrMore, cl::sub(testCommand),
                                       cl::cat(category));
static cl::opt<std::string>
    kernelName("kernel", cl::desc("Kernel to run (default: the only one)"),
               cl::value_desc("name"), cl::sub(runCommand), cl::cat(category));
static cl::opt<std::string> gridText("grid", cl::desc("Grid extents in CTAs"),
                                     cl::value_desc("X,Y,Z"), cl::init("1"),
                                     cl::sub(runCommand), cl::cat(category));
static cl::opt<std::string> blockText("block",
                                      cl::desc("Block extents in threads"),
                                      cl::value_desc("X,Y,Z"), cl::init("32"),
                                      cl::sub(runCommand), cl::cat(category));
static cl::opt<unsigned> sharedBytes("shared",
                                     cl::desc("Dynamic shared memory in bytes"),
                                     cl::value_desc("bytes"), cl::init(0),
                                     cl::sub(runCommand), cl::cat(category));
static cl::opt<std::string>
    clusterText("cluster", cl::desc("CTAs of a cluster: X, X,Y or X,Y,Z"),
                cl::value_desc("extents"), cl::sub(runCommand),
                cl::cat(category));
static cl::opt<std::string> emitStage(
    "emit",
    cl::desc("Write a stage of the compiler instead of running: ptx, "
             "normalized, structured, masked, vector, llvm, asm, obj"),
    cl::value_desc("stage"), cl::sub(runCommand), cl::cat(category));
static cl::opt<bool> showTime("time",
                              cl::desc("Say where the time goes, on stderr"),
                              cl::sub(runCommand), cl::cat(category));
static cl::opt<unsigned>
    repeat("repeat",
           cl::desc("Launch that many times (run --time: the best counts)"),
           cl::value_desc("n"), cl::init(1), cl::sub(runCommand),
           cl::sub(testCommand), cl::cat(category));
static cl::opt<unsigned> threads("threads",
                                 cl::desc("Worker threads (default: all)"),
                                 cl::value_desc("n"), cl::init(0),
                                 cl::sub(runCommand), cl::sub(testCommand),
                                 cl::cat(category));
static cl::opt<std::string>
    chunkText("chunk",
              cl::desc("Lanes per vector: 1, 4, 8 or 16 (test: a list)"),
              cl::value_desc("n"), cl::sub(runCommand), cl::sub(testCommand),
              cl::cat(category));
static cl::opt<std::string>
    cpuName("cpu", cl::desc("Compile for this LLVM CPU, x86-64-v3 say"),
            cl::value_desc("name"), cl::sub(runCommand), cl::sub(testCommand),
            cl::cat(category));
static cl::opt<bool>
    useReference("reference",
                 cl::desc("Run on the reference interpreter (slow, exact)"),
                 cl::sub(runCommand), cl::cat(category));
static cl::opt<bool> skipReference(
    "no-reference",
    cl::desc("Leave out the reference interpreter where a test says which "
             "values it expects"),
    cl::sub(testCommand), cl::cat(category));
static cl::opt<bool> quick("quick", cl::desc("Compile fast rather than well"),
                           cl::sub(runCommand), cl::cat(category));
static cl::opt<std::string> inject("inject-failure", cl::Hidden,
                                   cl::desc("Make LLVM fail at a stage"),
                                   cl::sub(runCommand), cl::sub(testCommand),
                                   cl::cat(category));

static cl::opt<bool>
    explain("explain",
            cl::desc("Say how the kernel's warps are run, and what became of "
                     "each access and divergent branch, and why"),
            cl::sub(runCommand), cl::cat(category));
static cl::opt<bool> showRemarks(
    "remarks",
    cl::desc("Say what is slow, or cloned, and why: gathers, branches on which "
             "lanes part, fibers"),
    cl::sub(runCommand), cl::cat(category));
static cl::opt<std::string> modeName(
    "mode",
    cl::desc("How warps are run: auto; fibers: each on its own stack, as those "
             "with barriers are; threads: each thread on its own stack"),
    cl::value_desc("mode"), cl::init("auto"), cl::sub(runCommand),
    cl::sub(testCommand), cl::cat(category));

static cl::opt<std::string> warpsName(
    "warps",
    cl::desc("How many threads run together: auto: by cost; wide: 32; narrow: "
             "fewer, where a kernel cannot tell"),
    cl::value_desc("width"), cl::init("auto"), cl::sub(runCommand),
    cl::sub(testCommand), cl::cat(category));

static cl::opt<bool> updateTests(
    "update",
    cl::desc("Write what the reference interpreter computes for expected "
             "values that differ"),
    cl::sub(testCommand), cl::cat(category));
static cl::opt<std::string>
    junitFile("junit", cl::desc("Write the results as JUnit's XML"),
              cl::value_desc("file"), cl::sub(testCommand), cl::cat(category));
static cl::opt<std::string> recordFile(
    "record",
    cl::desc("Run on the reference interpreter alone, and write the tests with "
             "its results as lines of JSON"),
    cl::value_desc("file"), cl::sub(testCommand), cl::cat(category));

static Result<Module> loadFile(const std::string &path) {
  auto module = Module::loadFile(path);
  if (module)
    std::fputs(module->getWarnings().c_str(), stderr);
  else
    fail(module.getError());
  return module;
}

//===----------------------------------------------------------------------===//
// check, link
//===----------------------------------------------------------------------===//

static int check() {
  bool allOk = true;
  for (const std::string &path : checkFiles) {
    auto module = loadFile(path);
    unsigned errors = module ? 0 : countDiagnostics(module.getError());
    if (module)
      std::printf("%s: ok\n", path.c_str());
    else
      std::printf("%s: refused (%u error%s)\n", path.c_str(), errors,
                  errors == 1 ? "" : "s");
    std::fflush(stdout);
    allOk &= bool(module);
  }
  return allOk ? 0 : 1;
}

static int link() {
  std::vector<NamedText> modules;
  for (const std::string &path : linkInputs) {
    auto file = llvm::MemoryBuffer::getFile(path);
    if (!file)
      return fail(path + ": " + file.getError().message());
    // A NUL ends the text, as it does for the driver's cuModuleLoadData.
    llvm::StringRef text = (*file)->getBuffer().split('\0').first;
    modules.push_back({path, text.str()});
  }
  return linkModules(modules, linkOutput);
}

//===----------------------------------------------------------------------===//
// run
//===----------------------------------------------------------------------===//

static bool parseChunks(std::vector<uint32_t> &chunks) {
  std::string text = chunkText;
  while (!text.empty()) {
    size_t comma = text.find(',');
    std::string part = text.substr(0, comma);
    text = comma == std::string::npos ? "" : text.substr(comma + 1);
    if (part != "1" && part != "4" && part != "8" && part != "16")
      return false;
    chunks.push_back(uint32_t(std::stoul(part)));
  }
  return true;
}

static bool parseMode(CompileOptions::Mode &mode) {
  using Mode = CompileOptions::Mode;
  mode = modeName == "threads"  ? Mode::Threads
         : modeName == "fibers" ? Mode::Fibers
                                : Mode::Auto;
  return mode != Mode::Auto || modeName == "auto";
}

static bool parseWarps(CompileOptions::Warps &warps) {
  using Warps = CompileOptions::Warps;
  warps = warpsName == "wide"     ? Warps::Wide
          : warpsName == "narrow" ? Warps::Narrow
                                  : Warps::Auto;
  return warps != Warps::Auto || warpsName == "auto";
}

/// Reads the extents and options of `run`. \returns false, with the reason in
/// `error`, if one is malformed.
static bool parseLaunch(LaunchConfig &config, CompileOptions &options,
                        std::string &error) {
  std::vector<uint32_t> chunks;
  config.dynamicSharedBytes = sharedBytes;
  config.numWorkers = threads;
  options.cpu = cpuName;
  options.isQuick = quick;
  options.failAt = inject;
  if (!parseExtents(gridText, config.grid))
    error = "--grid=" + gridText + " is not X, X,Y or X,Y,Z";
  else if (!parseExtents(blockText, config.block))
    error = "--block=" + blockText + " is not X, X,Y or X,Y,Z";
  else if (!clusterText.empty() && !parseExtents(clusterText, config.cluster))
    error = "--cluster=" + clusterText + " is not X, X,Y or X,Y,Z";
  else if (!parseChunks(chunks) || chunks.size() > 1)
    error = "--chunk must be 1, 4, 8 or 16";
  else if (!parseMode(options.mode))
    error = "--mode must be auto, fibers or threads";
  else if (!parseWarps(options.warps))
    error = "--warps must be auto, wide or narrow";
  if (!chunks.empty())
    options.chunk = chunks.front();
  return error.empty();
}

static Result<Kernel> chooseKernel(const Module &module) {
  std::vector<std::string> names = module.getKernelNames();
  std::string list = llvm::join(names, ", ");
  if (kernelName.empty() && names.size() == 1)
    return module.getKernel(names.front());
  if (kernelName.empty())
    return Error(ErrorCode::NotFound,
                 names.empty() ? "the file has no kernel"
                               : "choose one with --kernel: " + list);
  if (!llvm::is_contained(names, kernelName))
    return Error(ErrorCode::NotFound, "there is no kernel '" + kernelName +
                                          "'; the file has: " + list);
  return module.getKernel(kernelName);
}

static int emit(const Kernel &kernel, const LaunchConfig &config) {
  auto output = kernel.emit(emitStage, config);
  if (!output)
    return fail(output.getError());
  std::fwrite(output->data(), 1, output->size(), stdout);
  return 0;
}

/// Prints the reports of --explain and --remarks to stderr, if requested.
/// \returns the exit status.
static int tellPasses(const Kernel &kernel, const LaunchConfig &config) {
  for (auto [wanted, stage] : {std::pair(bool(explain), "explain"),
                               std::pair(bool(showRemarks), "remarks")}) {
    if (!wanted)
      continue;
    auto text = kernel.emit(stage, config);
    if (!text)
      return fail(text.getError());
    std::fputs(text->c_str(), stderr);
  }
  return 0;
}

namespace {
class Stopwatch {
public:
  /// Milliseconds since the beginning.
  double get() const {
    return std::chrono::duration<double, std::milli>(Clock::now() - start)
        .count();
  }

private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start = Clock::now();
};
} // namespace

/// Runs on the reference interpreter. \returns the exit status.
static int runReference(const Kernel &kernel, const LaunchConfig &config,
                        const std::vector<Argument> &arguments,
                        const std::string &places) {
  Stopwatch watch;
  Error error = kernel.interpret(config, arguments);
  double ms = watch.get();
  if (error.getCode() == ErrorCode::InvalidArgument)
    return fail(error);
  if (error) {
    print(error);
    std::fputs(places.c_str(), stderr);
    return fail("the reference interpreter stopped");
  }
  if (showTime)
    std::fprintf(stderr, "run %.3f ms\n", ms);
  return 0;
}

/// Launches --repeat times in a stream, up to the first error. `best` is the
/// shortest time, in ms.
static Error launch(const Kernel &kernel, const LaunchConfig &config,
                    const std::vector<Argument> &arguments, double &best) {
  Stream stream;
  for (unsigned i = 0; i < repeat; ++i) {
    Stopwatch watch;
    if (Error error = stream.launchList(kernel, config, arguments))
      return error;
    if (Error error = stream.synchronize())
      return error;
    best = i == 0 ? watch.get() : std::min(best, watch.get());
  }
  return Error();
}

/// Compiles and launches. \returns the exit status.
static int runCompiled(const Kernel &kernel, const LaunchConfig &config,
                       const std::vector<Argument> &arguments,
                       const std::string &places) {
  auto info = kernel.compile(config);
  if (!info)
    return fail(info.getError());
  if (info->isDegraded)
    std::fprintf(stderr,
                 "ptx-jit: warning: LLVM failed on this kernel; it runs from "
                 "slow fallback code\n");
  if (explain)
    std::fprintf(stderr, "%s: %s: %s\n", kernel.getName().c_str(),
                 info->mode.c_str(), info->reason.c_str());
  if (int status = tellPasses(kernel, config))
    return status;
  double best = 0;
  if (Error error = launch(kernel, config, arguments, best)) {
    print(error);
    if (error.getCode() == ErrorCode::IllegalAddress)
      std::fputs(places.c_str(), stderr);
    return 1;
  }
  if (showTime)
    std::fprintf(stderr,
                 "parse %.2f ms, lower %.2f ms, optimize %.2f ms, codegen "
                 "%.2f ms, load %.2f ms; %u lanes per vector, %zu bytes of "
                 "code; %zu instructions became %zu ops\nrun %.3f ms\n",
                 info->parse, info->lower, info->optimize, info->codegen,
                 info->load, info->chunk, info->codeBytes, info->instructions,
                 info->operations, best);
  return 0;
}

static int run() {
  LaunchConfig config;
  CompileOptions options;
  std::string error;
  if (!parseLaunch(config, options, error))
    return fail(error);
  auto module = loadFile(runFile);
  if (!module)
    return 1;
  auto chosen = chooseKernel(*module);
  if (!chosen)
    return fail(chosen.getError());
  Kernel kernel = chosen->withOptions(options);
  if (!emitStage.empty())
    return emit(kernel, config);
  ArgumentList list;
  list.isLow = module->needsLowMemory();
  for (const std::string &text : runArguments)
    if (!list.add(text, error))
      return fail(error);
  std::vector<Argument> arguments;
  if (!list.pass(kernel, arguments, error))
    return fail(error);
  auto runKernel = useReference ? runReference : runCompiled;
  if (int status = runKernel(kernel, config, arguments, list.describePlaces()))
    return status;
  if (!list.checkEdges(kernel.getName(), error) || !list.finish(error))
    return fail(error);
  return 0;
}

static int test() {
  setenv("PTXJIT_CACHE", "off", 1); // tests are to reach the compiler
  TestOptions options;
  if (!parseChunks(options.chunks))
    return fail("--chunk must be a list of 1, 4, 8 and 16");
  if (!parseMode(options.mode))
    return fail("--mode must be auto, fibers or threads");
  if (!parseWarps(options.warps))
    return fail("--warps must be auto, wide or narrow");
  options.cpu = cpuName;
  options.threads = threads;
  options.failAt = inject;
  options.repeat = repeat;
  options.skipReference = skipReference;
  options.update = updateTests;
  options.junit = junitFile;
  options.record = recordFile;
  return runTests({testFiles.begin(), testFiles.end()}, options);
}

/// Kernels that are tested, timed or looked at are compiled well, unless
/// --quick or the user says otherwise.
static void preferSecondTier() { setenv("PTXJIT_TIER", "second", 0); }

int main(int argc, char **argv) {
  // The arguments of `exec` belong to the program: do not parse them.
  if (argc > 1 && std::strcmp(argv[1], "exec") == 0)
    return execProgram(argc - 2, argv + 2);
  llvm::InitLLVM init(argc, argv);
  if (argc > 1 && std::strcmp(argv[1], "doctor") == 0)
    return examineProgram(argc - 2, argv + 2);
  cl::HideUnrelatedOptions(category);
  for (cl::SubCommand *command :
       {&runCommand, &listCommand, &checkCommand, &testCommand, &linkCommand,
        &execCommand, &doctorCommand})
    cl::HideUnrelatedOptions(category, *command);
  cl::HideUnrelatedOptions(getCacheCategory(), getCacheCommand());
  cl::HideUnrelatedOptions(getCompileCategory(), getCompileCommand());
  cl::SetVersionPrinter(
      [](llvm::raw_ostream &os) { os << "ptx-jit " PTXJIT_VERSION "\n"; });
  cl::ParseCommandLineOptions(
      argc, argv,
      "ptx-jit: NVIDIA PTX, run natively on CPUs\n\n"
      "An argument of 'run' is a scalar, TYPE:VALUE (u32:7, f32:1.5), an "
      "array\n"
      "or struct by value, TYPE{VALUE,...} (u64{1,2}), or a buffer,\n"
      "TYPE[N]=FILL with FILL one of zero, iota, const(V), random(SEED),\n"
      "@FILE, followed by any of ,print ,print=N ,out=FILE ,expect=FILE\n"
      ",rtol=X ,atol=X ,ulps=N ,misses=SHARE. buf:N is the Nth buffer once\n"
      "more.\n\n"
      "  ptx-jit run saxpy.ptx --grid=4 --block=256 f32:2 'f32[1024]=iota' \\\n"
      "      'f32[1024]=const(1),print=4' s32:1024\n\n"
      "  ptx-jit exec -- PROGRAM ARGS...\n\n"
      "starts a CUDA program with our libraries in front.\n\n"
      "  ptx-jit doctor -- PROGRAM\n\n"
      "says what keeps it from running so.\n\n"
      "  ptx-jit cache warm PROGRAM\n\n"
      "compiles its kernels into the cache.\n\n"
      "  ptx-jit compile FILE.ptx -o FILE.o\n\n"
      "compiles kernels for programs that ship without the compiler.\n");
  preferSecondTier();
  if (runCommand)
    return run();
  if (listCommand)
    return listFiles({listedFiles.begin(), listedFiles.end()}, listKernels);
  if (checkCommand)
    return check();
  if (testCommand)
    return test();
  if (linkCommand)
    return link();
  if (getCacheCommand())
    return runCache();
  if (getCompileCommand())
    return runCompile();
  std::fprintf(stderr, "ptx-jit: expected a command: run, list, check, test, "
                       "link, compile, cache, exec or doctor (ptx-jit "
                       "--help)\n");
  return 1;
}
