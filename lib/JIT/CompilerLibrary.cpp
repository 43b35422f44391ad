//===- CompilerLibrary.cpp - the C interface of the compiler --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements libptxjit-compiler.so (CompilerABI.h).
//
//===----------------------------------------------------------------------===//

#include "Compilation.h"
#include "ptxjit/JIT/DebugLines.h"
#include "ptxjit/Reference/Interpreter.h"
#include "llvm/ADT/STLExtras.h"

using namespace ptxjit;

static void report(PtxjitSink sink, const llvm::Twine &message) {
  SinkStream(sink) << "error: " << message << '\n';
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

static PtxjitModule *parseModule(const char *text, size_t size,
                                 const char *fileName, int checkBodies,
                                 PtxjitSink diagnostics, uint32_t *numErrors) {
  PtxjitModule *module = nullptr;
  llvm::Error error = runProtected([&]() -> llvm::Error {
    module = readModule({text, size}, fileName, checkBodies != 0, diagnostics,
                        numErrors)
                 .release();
    return llvm::Error::success();
  });
  if (!error)
    return module;
  report(diagnostics, llvm::toString(std::move(error)));
  if (numErrors)
    *numErrors = 1;
  return nullptr;
}

static void destroyModule(PtxjitModule *module) { delete module; }
static const PtxjitModuleInfo *getInfo(const PtxjitModule *module) {
  return &module->info;
}

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

static bool checkSpecialization(const PtxjitSpecialization &spec,
                                PtxjitSink sink) {
  KernelTarget target(spec);
  if (!target.chunk)
    target.chunk = KernelTarget().chunk; // any valid chunk
  if (llvm::Error error = checkTarget(target)) {
    report(sink, llvm::toString(std::move(error)));
    return false;
  }
  return true;
}

/// Fills in the image of a finished job with all but addresses.
static void fillImage(Compilation &job) {
  ImageStorage &image = *job.image;
  auto lines = readLines({job.object.data(), job.object.size()});
  if (lines)
    image.lineTable = std::move(*lines);
  else
    llvm::consumeError(lines.takeError()); // faults are reported without lines
  constexpr uint64_t most = uint64_t(64) << 20;
  image.stackBytes += uint32_t(std::min(job.stackBytes, most));
  image.kernelName = job.kernelName();
  image.kernel = image.kernelName.c_str();
  image.lines = image.lineTable.data();
  image.numLines = image.lineTable.size();
  image.objectFile = std::move(job.object);
  image.object = reinterpret_cast<const uint8_t *>(image.objectFile.data());
  image.objectBytes = image.objectFile.size();
  image.symbolName = job.symbol();
  image.symbol = image.symbolName.c_str();
  image.times = job.times;
}

/// Loads the code of an image that is filled in.
static llvm::Error loadImage(ImageStorage &image) {
  Stopwatch watch;
  auto code = LoadedCode::load(image.objectFile, image.symbolName);
  if (!code)
    return code.takeError();
  image.code = std::move(*code);
  image.entry = image.code->entry;
  image.codeBegin = image.code->codeBegin;
  image.codeBytes = image.code->codeBytes;
  image.times.load = watch.lap();
  return llvm::Error::success();
}

namespace {
enum class Attempt : uint8_t {
  First,
  Scalar,   ///< vector code was too large
  Fallback, ///< quick, as scalar code if that was not tried before, or else
            ///< with one lane per vector
};
/// What becomes of an image.
enum class Use : uint8_t {
  Run,
  Keep, ///< as an object, which this machine may not be able to run
};
} // namespace

/// Makes one attempt to compile.
static llvm::Expected<std::unique_ptr<ImageStorage>>
compileOnce(const PtxjitModule &module, const char *kernel,
            const PtxjitSpecialization &spec, PtxjitSink diagnostics, Use use,
            Attempt attempt) {
  auto image = std::make_unique<ImageStorage>();
  auto job = std::make_unique<Compilation>(module, kernel, spec, diagnostics);
  job->image = image.get();
  job->isTooLarge = attempt == Attempt::Scalar;
  job->isTranslation = use == Use::Keep;
  if (attempt == Attempt::Fallback) {
    job->isFallback = true;
    if (spec.quick || spec.chunk)
      job->spec.chunk = 1;
    job->spec.quick = 1;
    job->spec.inject = nullptr;
    image->degraded = 1;
  }
  llvm::Error error = runProtected([&] { return job->run(); });
  if (!error)
    fillImage(*job);
  if (!error && use == Use::Run)
    error = loadImage(*image);
  if (!error)
    return std::move(image);
  if (error.isA<CompilerGaveUp>()) {
    // The failed run is abandoned, with all objects that it may point to.
    (void)job.release();
    (void)image.release();
  }
  return std::move(error);
}

static PtxjitImage *makeImage(const PtxjitModule *module, const char *kernel,
                              const PtxjitSpecialization *spec,
                              PtxjitSink diagnostics, Use use) {
  if (!checkSpecialization(*spec, diagnostics))
    return nullptr;
  auto tryTo = [&](Attempt attempt) {
    return compileOnce(*module, kernel, *spec, diagnostics, use, attempt);
  };
  auto image = tryTo(Attempt::First);
  if (!image && image.errorIsA<CodeTooLarge>()) {
    llvm::consumeError(image.takeError());
    image = tryTo(Attempt::Scalar);
  }
  if (image)
    return image->release();
  llvm::Error error = image.takeError();
  if (error.isA<CompilerGaveUp>()) {
    auto second = tryTo(Attempt::Fallback);
    if (second) {
      llvm::consumeError(std::move(error));
      return second->release();
    }
    llvm::consumeError(second.takeError()); // the first failure says more
  }
  report(diagnostics,
         llvm::Twine("kernel '") + kernel +
             "' could not be compiled: " + llvm::toString(std::move(error)));
  return nullptr;
}

static PtxjitImage *compile(const PtxjitModule *module, const char *kernel,
                            const PtxjitSpecialization *spec,
                            PtxjitSink diagnostics) {
  return makeImage(module, kernel, spec, diagnostics, Use::Run);
}

static PtxjitImage *translate(const PtxjitModule *module, const char *kernel,
                              const PtxjitSpecialization *spec,
                              PtxjitSink diagnostics) {
  return makeImage(module, kernel, spec, diagnostics, Use::Keep);
}

static int assembleText(const char *assembly, const char *cpu,
                        PtxjitSink object, PtxjitSink diagnostics) {
  llvm::SmallVector<char> bytes;
  llvm::Error error = runProtected([&]() -> llvm::Error {
    auto target = selectCpu(cpu, 0);
    return target ? assemble(assembly, *target, bytes) : target.takeError();
  });
  if (error) {
    report(diagnostics, llvm::toString(std::move(error)));
    return 1;
  }
  SinkStream(object) << llvm::StringRef(bytes.data(), bytes.size());
  return 0;
}

static void destroyImage(PtxjitImage *image) {
  delete static_cast<ImageStorage *>(image);
}

static int emit(const PtxjitModule *module, const char *kernel,
                const PtxjitSpecialization *spec, const char *stage,
                PtxjitSink output, PtxjitSink diagnostics) {
  static constexpr llvm::StringLiteral stages[] = {
      "ptx",  "normalized", "structured", "masked",  "vector",
      "llvm", "asm",        "obj",        "explain", "remarks"};
  if (!llvm::is_contained(stages, llvm::StringRef(stage))) {
    report(diagnostics, llvm::Twine("unknown stage '") + stage +
                            "', expected ptx, normalized, structured, masked, "
                            "vector, llvm, asm, obj, explain or remarks");
    return 1;
  }
  if (!checkSpecialization(*spec, diagnostics))
    return 1;
  std::unique_ptr<Compilation> job;
  auto tryTo = [&](bool isTooLarge) {
    job = std::make_unique<Compilation>(*module, kernel, *spec, diagnostics);
    job->stopAt = stage;
    job->isTooLarge = isTooLarge;
    return runProtected([&] { return job->run(); });
  };
  llvm::Error error = tryTo(false);
  if (error.isA<CodeTooLarge>()) {
    llvm::consumeError(std::move(error));
    error = tryTo(true);
  }
  if (error) {
    if (error.isA<CompilerGaveUp>())
      (void)job.release(); // abandoned
    report(diagnostics, llvm::toString(std::move(error)));
    return 1;
  }
  SinkStream(output) << job->text;
  return 0;
}

static int interpretKernel(const PtxjitModule *module, const char *kernel,
                           const PtxjitReferenceLaunch *launch,
                           PtxjitSink diagnostics) {
  bool ok = false;
  llvm::Error error = runProtected([&]() -> llvm::Error {
    Session session(module->text, module->fileName, diagnostics);
    auto ir = session.parse(optionsFor(*module, kernel));
    ok = mlir::succeeded(ir) &&
         mlir::succeeded(interpret(**ir, kernel, *launch));
    return llvm::Error::success();
  });
  if (error)
    report(diagnostics, llvm::toString(std::move(error)));
  return ok ? 0 : 1;
}

static int canRun(const char *cpu) {
  auto wanted = selectCpu(cpu, 0);
  if (wanted)
    return runsHere(*wanted);
  llvm::consumeError(wanted.takeError());
  return 0;
}

extern "C" __attribute__((visibility("default"))) const PtxjitCompiler *
ptxjitGetCompiler(uint32_t version) {
  static const PtxjitCompiler compiler = {PTXJIT_COMPILER_ABI_VERSION,
                                          setCrashGuard,
                                          setStageListener,
                                          parseModule,
                                          destroyModule,
                                          getInfo,
                                          compile,
                                          translate,
                                          destroyImage,
                                          assembleText,
                                          emit,
                                          interpretKernel,
                                          canRun};
  static const bool debugLines = [] {
    if (const char *names = std::getenv("PTXJIT_DEBUG_ONLY"))
      showDebugLines(names);
    return true;
  }();
  (void)debugLines;
  return version == PTXJIT_COMPILER_ABI_VERSION ? &compiler : nullptr;
}
