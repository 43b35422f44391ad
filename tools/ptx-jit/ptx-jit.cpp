//===- ptx-jit.cpp - the command-line tool --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs, lists, checks, tests and links PTX files, and starts CUDA programs with
// our libraries. PTX goes through the runtime and the compiler library's C
// interface: this program does not use MLIR.
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "Exec.h"
#include "Link.h"
#include "TestRunner.h"
#include "ptxjit/Runtime/LoadedModule.h"
#include "ptxjit/Runtime/ReadFile.h"
#include "ptxjit/Runtime/TaskQueue.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"

#include <chrono>
#include <cstdio>
#include <cstring>

using namespace ptxjit;
namespace cl = llvm::cl;

static cl::OptionCategory category("ptx-jit options");
static cl::SubCommand runCommand("run", "Run a kernel");
static cl::SubCommand listCommand("list", "Show the kernels of a file");
static cl::SubCommand checkCommand("check",
                                   "Say for each file whether it is accepted");
static cl::SubCommand testCommand(
    "test", "Run the '// run:' lines of files at every chunk width and on the "
            "reference interpreter");

static cl::SubCommand linkCommand("link",
                                  "Make one image of modules that refer to "
                                  "each other");
// Only for --help: main() hands the arguments of `exec` to execProgram.
static cl::SubCommand execCommand("exec",
                                  "Start a CUDA program with our libraries in "
                                  "front");

static cl::opt<std::string> runFile(cl::Positional, cl::desc("FILE.ptx"),
                                    cl::Required, cl::sub(runCommand),
                                    cl::cat(category));
static cl::list<std::string> runArguments(cl::Positional, cl::desc("ARG..."),
                                          cl::sub(runCommand),
                                          cl::cat(category));
static cl::opt<std::string> listFile(cl::Positional, cl::desc("FILE.ptx"),
                                     cl::Required, cl::sub(listCommand),
                                     cl::cat(category));
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
static cl::opt<bool> quick("quick", cl::desc("Compile fast rather than well"),
                           cl::sub(runCommand), cl::cat(category));
static cl::opt<std::string> inject("inject-failure", cl::Hidden,
                                   cl::desc("Make LLVM fail at a stage"),
                                   cl::sub(runCommand), cl::cat(category));

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

static cl::opt<bool> updateTests(
    "update",
    cl::desc("Write what the reference interpreter computes for expected "
             "values that differ"),
    cl::sub(testCommand), cl::cat(category));
static cl::opt<std::string>
    junitFile("junit", cl::desc("Write the results as JUnit's XML"),
              cl::value_desc("file"), cl::sub(testCommand), cl::cat(category));

static bool readText(const std::string &path, std::string &text) {
  if (int error = readFile(path, text)) {
    std::fprintf(stderr, "ptx-jit: %s: %s\n", path.c_str(),
                 std::strerror(error));
    return false;
  }
  // A NUL ends the text, as it does for the driver's cuModuleLoadData.
  text.resize(std::strlen(text.c_str()));
  return true;
}

static std::unique_ptr<LoadedModule> loadFile(const std::string &path,
                                              uint32_t *numErrors = nullptr) {
  std::string text, diagnostics;
  if (numErrors)
    *numErrors = 1;
  if (!readText(path, text))
    return nullptr;
  auto module = LoadedModule::load(text, path, diagnostics, numErrors);
  std::fputs(diagnostics.c_str(), stderr);
  return module;
}

static int fail(const std::string &message) {
  std::fprintf(stderr, "ptx-jit: %s\n", message.c_str());
  return 1;
}

//===----------------------------------------------------------------------===//
// list, check, link
//===----------------------------------------------------------------------===//

static int list() {
  auto module = loadFile(listFile);
  if (!module)
    return 1;
  const PtxjitModuleInfo &info = module->getInfo();
  for (uint32_t k = 0; k < info.numKernels; ++k) {
    const PtxjitKernelInfo &kernel = info.kernels[k];
    std::printf("%s(", kernel.name);
    for (uint32_t i = 0; i < kernel.numParams; ++i) {
      const PtxjitParam &p = kernel.params[i];
      std::printf("%s.%s %s", i ? ", " : "", p.type, p.name);
      if (p.count != 1)
        std::printf("[%llu]", (unsigned long long)p.count);
    }
    std::printf(")");
    if (kernel.reqntid[0])
      std::printf(" reqntid %u,%u,%u", kernel.reqntid[0], kernel.reqntid[1],
                  kernel.reqntid[2]);
    if (kernel.maxntid[0])
      std::printf(" maxntid %u,%u,%u", kernel.maxntid[0], kernel.maxntid[1],
                  kernel.maxntid[2]);
    std::printf("\n");
  }
  return 0;
}

static int check() {
  bool allOk = true;
  for (const std::string &path : checkFiles) {
    uint32_t errors = 0;
    auto module = loadFile(path, &errors);
    if (module)
      std::printf("%s: ok\n", path.c_str());
    else
      std::printf("%s: refused (%u error%s)\n", path.c_str(), errors,
                  errors == 1 ? "" : "s");
    std::fflush(stdout);
    allOk &= module != nullptr;
  }
  return allOk ? 0 : 1;
}

static int link() {
  std::vector<NamedText> modules;
  for (const std::string &path : linkInputs) {
    modules.push_back({path, ""});
    if (!readText(path, modules.back().text))
      return 1;
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

static bool parseMode(PtxjitMode &mode) {
  mode = modeName == "threads"  ? PTXJIT_MODE_THREADS
         : modeName == "fibers" ? PTXJIT_MODE_FIBERS
                                : PTXJIT_MODE_WARP_LOOP;
  return mode != PTXJIT_MODE_WARP_LOOP || modeName == "auto";
}

static const PtxjitKernelInfo *chooseKernel(LoadedModule &module,
                                            std::string &error) {
  const PtxjitModuleInfo &info = module.getInfo();
  std::string names;
  for (uint32_t i = 0; i < info.numKernels; ++i)
    names += std::string(i ? ", " : "") + info.kernels[i].name;
  if (!kernelName.empty()) {
    const PtxjitKernelInfo *kernel = module.findKernel(kernelName);
    if (!kernel)
      error = "there is no kernel '" + kernelName + "'; the file has: " + names;
    return kernel;
  }
  if (info.numKernels == 1)
    return &info.kernels[0];
  error = info.numKernels ? "choose one with --kernel: " + names
                          : std::string("the file has no kernel");
  return nullptr;
}

/// Prints the reports of --explain and --remarks to stderr, if requested.
/// Returns false after an error.
static bool tellPasses(LoadedModule &module, const char *kernel,
                       const uint32_t (&block)[3],
                       const KernelOptions &options) {
  std::string text, diagnostics;
  for (auto [wanted, stage] : {std::pair(bool(explain), "explain"),
                               std::pair(bool(showRemarks), "remarks")})
    if (wanted &&
        !module.emit(kernel, block, stage, options, text, diagnostics)) {
      std::fputs(diagnostics.c_str(), stderr);
      return false;
    }
  std::fputs(text.c_str(), stderr);
  return true;
}

static int run() {
  uint32_t grid[3], block[3];
  std::vector<uint32_t> chunks;
  if (!parseExtents(gridText, grid))
    return fail("--grid=" + gridText + " is not X, X,Y or X,Y,Z");
  if (!parseExtents(blockText, block))
    return fail("--block=" + blockText + " is not X, X,Y or X,Y,Z");
  uint32_t cluster[3] = {0, 0, 0};
  if (!clusterText.empty() && !parseExtents(clusterText, cluster))
    return fail("--cluster=" + clusterText + " is not X, X,Y or X,Y,Z");
  if (!parseChunks(chunks) || chunks.size() > 1)
    return fail("--chunk must be 1, 4, 8 or 16");
  PtxjitMode atLeast;
  if (!parseMode(atLeast))
    return fail("--mode must be auto, fibers or threads");
  auto module = loadFile(runFile);
  if (!module)
    return 1;
  std::string error, diagnostics;
  const PtxjitKernelInfo *kernel = chooseKernel(*module, error);
  if (!kernel)
    return fail(error);
  LaunchShape shape{{grid[0], grid[1], grid[2]},
                    {block[0], block[1], block[2]},
                    {cluster[0], cluster[1], cluster[2]}};
  if (completeShape(*kernel, shape, error) != LaunchStatus::Ok)
    return fail(error);
  KernelOptions options;
  options.chunk = chunks.empty() ? 0 : chunks.front();
  options.cpu = cpuName.c_str();
  options.quick = quick;
  options.inject = inject.c_str();
  options.atLeast = atLeast;
  if (!emitStage.empty()) {
    std::string output;
    bool ok = module->emit(kernel->name, shape.block, emitStage, options,
                           output, diagnostics);
    std::fputs(diagnostics.c_str(), stderr);
    std::fwrite(output.data(), 1, output.size(), stdout);
    return ok ? 0 : 1;
  }
  ArgumentList arguments;
  arguments.range = module->getAddressRange();
  for (const std::string &text : runArguments)
    if (!arguments.add(text, error))
      return fail(error);
  std::vector<uint64_t> params;
  if (!arguments.layOut(*kernel, params, error))
    return fail(error);

  Grid extents{grid[0], grid[1], grid[2]};
  LaunchOptions launch;
  launch.cluster = {cluster[0], cluster[1], cluster[2]};
  using Clock = std::chrono::steady_clock;
  double best = 0;
  if (useReference) {
    auto start = Clock::now();
    bool ok = module->interpret(kernel->name, extents, block, params.data(),
                                sharedBytes, 0, diagnostics, launch);
    best =
        std::chrono::duration<double, std::milli>(Clock::now() - start).count();
    std::fputs(diagnostics.c_str(), stderr);
    if (!ok) {
      std::fputs(arguments.describePlaces().c_str(), stderr);
      return fail("the reference interpreter stopped");
    }
  } else {
    const PtxjitImage *image = module->compile(
        kernel->name, shape.block, shape.grid, options, diagnostics);
    std::fputs(diagnostics.c_str(), stderr);
    if (!image)
      return 1;
    if (image->degraded)
      std::fprintf(stderr,
                   "ptx-jit: warning: LLVM failed on this kernel; it runs from "
                   "slow fallback code\n");
    if (explain)
      std::fprintf(stderr, "%s: %s: %s\n", kernel->name,
                   describe(PtxjitMode(image->mode)), image->reason);
    if (!tellPasses(*module, kernel->name, shape.block, options))
      return 1;
    TaskQueue stream;
    LaunchStatus status = LaunchStatus::Ok;
    for (unsigned i = 0; i < repeat && status == LaunchStatus::Ok; ++i) {
      auto start = Clock::now();
      stream.submit([&] {
        status =
            module->launch(kernel->name, extents, block, params.data(),
                           sharedBytes, threads, options, diagnostics, launch);
      });
      stream.synchronize();
      double ms =
          std::chrono::duration<double, std::milli>(Clock::now() - start)
              .count();
      best = i == 0 ? ms : std::min(best, ms);
    }
    if (status != LaunchStatus::Ok) {
      std::fputs(diagnostics.c_str(), stderr);
      if (status == LaunchStatus::IllegalAddress)
        std::fputs(arguments.describePlaces().c_str(), stderr);
      return 1;
    }
    if (showTime)
      std::fprintf(stderr,
                   "parse %.2f ms, lower %.2f ms, optimize %.2f ms, codegen "
                   "%.2f ms, load %.2f ms; %u lanes per vector, %llu bytes of "
                   "code\n",
                   image->times.parse, image->times.lower,
                   image->times.optimize, image->times.codegen,
                   image->times.load, image->chunk,
                   (unsigned long long)image->codeBytes);
  }
  if (showTime)
    std::fprintf(stderr, "run %.3f ms\n", best);
  if (!arguments.checkEdges(kernel->name, error) || !arguments.finish(error))
    return fail(error);
  return 0;
}

static int test() {
  setenv("PTXJIT_CACHE", "off", 1); // tests are to reach the compiler
  TestOptions options;
  if (!parseChunks(options.chunks))
    return fail("--chunk must be a list of 1, 4, 8 and 16");
  PtxjitMode atLeast;
  if (!parseMode(atLeast))
    return fail("--mode must be auto, fibers or threads");
  options.cpu = cpuName;
  options.threads = threads;
  options.repeat = repeat;
  options.atLeast = atLeast;
  options.update = updateTests;
  options.junit = junitFile;
  return runTests({testFiles.begin(), testFiles.end()}, options);
}

int main(int argc, char **argv) {
  // The arguments of `exec` belong to the program: do not parse them.
  if (argc > 1 && std::strcmp(argv[1], "exec") == 0)
    return execProgram(argc - 2, argv + 2);
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  for (cl::SubCommand *command : {&runCommand, &listCommand, &checkCommand,
                                  &testCommand, &linkCommand, &execCommand})
    cl::HideUnrelatedOptions(category, *command);
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
      "starts a CUDA program with our libraries in front.\n");
  if (runCommand)
    return run();
  if (listCommand)
    return list();
  if (checkCommand)
    return check();
  if (testCommand)
    return test();
  if (linkCommand)
    return link();
  std::fprintf(stderr, "ptx-jit: expected a command: run, list, check, test, "
                       "link or exec (ptx-jit --help)\n");
  return 1;
}
