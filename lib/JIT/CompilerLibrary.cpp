//===- CompilerLibrary.cpp - the C interface of the compiler --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements libptxjit-compiler.so (CompilerABI.h). Each compilation parses the
// module's text again, with the bodies that it needs, in its own MLIRContext: a
// context is abandoned when LLVM fails, and compilations run in parallel.
//
//===----------------------------------------------------------------------===//

#include "Session.h"
#include "ptxjit/Analysis/ExecutionMode.h"
#include "ptxjit/Analysis/NarrowWarps.h"
#include "ptxjit/JIT/Compiler.h"
#include "ptxjit/JIT/DebugLines.h"
#include "ptxjit/JIT/Remarks.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "ptxjit/Dialect/FormTable.h"
#include "ptxjit/Lowering/KernelLayout.h"
#include "ptxjit/Lowering/Remarks.h"
#include "ptxjit/Reference/Interpreter.h"
#include "ptxjit/Runtime/Texture.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/ErrorHandling.h"
#include <atomic>
#include <chrono>
#include <deque>

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

/// The position in a list of names of one that is the value of a member.
static uint8_t findMember(llvm::ArrayRef<llvm::StringRef> names,
                          Attribute value) {
  const auto *found = llvm::find(names, cast<StringAttr>(value).getValue());
  assert(found != names.end() && "the parser knows the values");
  return uint8_t(found - names.begin());
}

/// Sets what a member of an opaque variable says of sampling. Members that
/// describe an image are left to the driver, which binds one.
static void setMember(PtxjitSampler &sampler, llvm::StringRef name,
                      Attribute value) {
  if (name == "filter_mode")
    sampler.isLinear = findMember({"nearest", "linear"}, value);
  else if (name == "force_unnormalized_coords")
    sampler.forcesUnnormalized = cast<IntegerAttr>(value).getInt() != 0;
  else if (name == "normalized_coords")
    sampler.isNormalized = cast<IntegerAttr>(value).getInt() != 0;
  else if (name.consume_front(
               "addr_mode_")) // in the order of PtxjitAddressMode
    sampler.addressModes[name.front() - '0'] = findMember(
        {"wrap", "clamp_to_edge", "mirror", "clamp_to_border", "clamp_ogl"},
        value);
}

/// The initial contents of a variable of an opaque type, or of an array of
/// them.
static std::vector<int8_t> makeOpaqueBytes(VarOp var) {
  static_assert(kOpaqueBytes == PTXJIT_OPAQUE_BYTES &&
                kOpaqueAlign == PTXJIT_OPAQUE_ALIGN &&
                sizeof(PtxjitOpaque) <= PTXJIT_OPAQUE_BYTES);
  static constexpr PtxjitOpaqueKind kKinds[] = {
      PTXJIT_OPAQUE_TEXREF, PTXJIT_OPAQUE_SAMPLERREF, PTXJIT_OPAQUE_SURFREF};
  auto members = var->getAttrOfType<ArrayAttr>("ptx.members");
  std::vector<int8_t> bytes(size_t(var.getBytes()));
  for (size_t i = 0; i < bytes.size() / kOpaqueBytes; ++i) {
    PtxjitOpaque opaque{};
    opaque.kind = kKinds[unsigned(*var.getOpaque())];
    opaque.sampler.maxLevel = float(PTXJIT_MOST_LEVELS);
    std::fill_n(opaque.sampler.addressModes, 3, PTXJIT_ADDRESS_CLAMP);
    if (members && i < members.size())
      for (NamedAttribute member : cast<DictionaryAttr>(members[i]))
        setMember(opaque.sampler, member.getName(), member.getValue());
    std::memcpy(&bytes[i * kOpaqueBytes], &opaque, sizeof(opaque));
  }
  return bytes;
}

namespace {

class Stopwatch {
public:
  double lap() {
    auto now = std::chrono::steady_clock::now();
    double ms = std::chrono::duration<double, std::milli>(now - last).count();
    last = now;
    return ms;
  }

private:
  std::chrono::steady_clock::time_point last = std::chrono::steady_clock::now();
};

/// Variables in the form of the C interface, with the memory they point to.
class VariableList {
public:
  void add(VarOp var) {
    PtxjitVariable v{};
    v.name = keep(var.getSymName());
    v.bytes = uint64_t(var.getBytes());
    v.align = uint64_t(var.getAlign());
    v.isConstant = var.getSpace() == Space::Const;
    v.isManaged = var->hasAttr("ptx.managed");
    if (auto init = var.getInit())
      bytes.emplace_back(init->begin(), init->end());
    if (var.getOpaque())
      bytes.push_back(makeOpaqueBytes(var));
    if (var.getInit() || var.getOpaque()) {
      v.init = reinterpret_cast<const uint8_t *>(bytes.back().data());
      v.initBytes = bytes.back().size();
    }
    if (auto list = var.getRelocs()) {
      relocs.emplace_back();
      for (Attribute a : *list) {
        auto fields = cast<ArrayAttr>(a);
        auto number = [&](unsigned i) {
          return cast<IntegerAttr>(fields[i]).getInt();
        };
        relocs.back().push_back(
            {uint64_t(number(0)), uint32_t(number(1)), uint32_t(number(4)),
             keep(cast<FlatSymbolRefAttr>(fields[2]).getValue()), number(3)});
      }
      v.relocs = relocs.back().data();
      v.numRelocs = relocs.back().size();
    }
    variables.push_back(v);
  }
  const char *keep(llvm::StringRef text) {
    return strings.emplace_back(text.str()).c_str();
  }
  std::vector<PtxjitVariable> variables;

private:
  std::deque<std::string> strings;
  std::deque<std::vector<int8_t>> bytes;
  std::deque<std::vector<PtxjitReloc>> relocs;
};

} // namespace

struct PtxjitModule {
  llvm::StringRef text; ///< the caller's
  std::string fileName;
  BodyEnds bodyEnds; ///< of skipped bodies
  VariableList variables;
  std::deque<std::vector<PtxjitParam>> params;
  std::vector<PtxjitKernelInfo> kernels;
  std::vector<const char *> functions;
  PtxjitModuleInfo info{};
};

namespace {
struct ImageStorage : PtxjitImage {
  std::string reasonText, kernelName, symbolName;
  llvm::SmallVector<char> objectFile;
  std::vector<PtxjitLine> lineTable;
  std::vector<PtxjitWrittenArray> writtenArrays;
  std::unique_ptr<LoadedCode> code;
  VariableList variables;
};
} // namespace

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

static void describeKernel(PtxjitModule &out, const ModuleVariables &variables,
                           FuncOp func) {
  PtxjitKernelInfo kernel{};
  kernel.name = out.variables.keep(func.getSymName());
  auto &params = out.params.emplace_back();
  for (Attribute a : func.getParams()) {
    auto p = cast<ParamAttr>(a);
    params.push_back({out.variables.keep(p.getName()),
                      out.variables.keep(stringifyScalarType(p.getType())),
                      uint32_t(std::max(1u, getBitWidth(p.getType()) / 8)),
                      uint32_t(p.getAlign()), uint32_t(p.getOffset()),
                      uint64_t(p.getCount())});
  }
  kernel.params = params.data();
  kernel.numParams = params.size();
  kernel.paramBytes = uint32_t(func.getParamBytes());
  auto extents = [&](llvm::StringRef name, uint32_t (&to)[3]) {
    auto directives = func.getDirectives();
    auto values = directives ? directives->getAs<DenseI64ArrayAttr>(name)
                             : DenseI64ArrayAttr();
    for (unsigned i = 0; values && i < 3; ++i)
      to[i] = i < values.size() ? uint32_t(values[i]) : 1;
  };
  extents("maxntid", kernel.maxntid);
  extents("reqntid", kernel.reqntid);
  extents("reqnctapercluster", kernel.cluster);
  uint32_t most[3] = {};
  extents("maxclusterrank", most);
  kernel.maxClusterRank = most[0];
  if (auto directives = func.getDirectives()) {
    kernel.explicitCluster = directives->contains("explicitcluster");
    kernel.blocksAreClusters = directives->contains("blocksareclusters");
  }
  KernelLayout layout(variables, func);
  kernel.sharedBytes = uint32_t(layout.sharedEnd - PTXJIT_SHARED_BASE);
  kernel.localBytes = uint32_t(layout.localBytes);
  out.kernels.push_back(kernel);
}

static void report(PtxjitSink sink, const llvm::Twine &message) {
  SinkStream(sink) << "error: " << message << '\n';
}

static PtxjitModule *readModule(llvm::StringRef source, const char *fileName,
                                int checkBodies, PtxjitSink diagnostics,
                                uint32_t *numErrors) {
  Session session(source, fileName, diagnostics);
  auto out = std::make_unique<PtxjitModule>();
  ParseOptions options;
  options.bodies = checkBodies;
  options.newEnds = &out->bodyEnds;
  auto module = session.parse(options);
  bool ok = succeeded(module) && succeeded(verify(**module));
  if (numErrors)
    *numErrors = ok ? 0 : std::max(session.numErrors, 1u);
  if (!ok)
    return nullptr;
  out->text = source;
  out->fileName = fileName;
  ModuleVariables variables(**module);
  for (FuncOp func : (*module)->getOps<FuncOp>()) {
    out->functions.push_back(out->variables.keep(func.getSymName()));
    if (func.getEntry())
      describeKernel(*out, variables, func);
  }
  for (VarOp var : (*module)->getOps<VarOp>())
    if ((var.getSpace() == Space::Global || var.getSpace() == Space::Const) &&
        var.getLinkage() != "extern") // an unused declaration
      out->variables.add(var);
  Operation *op = **module;
  out->info.text = out->text.data();
  out->info.fileName = out->fileName.c_str();
  out->info.version =
      out->variables.keep(op->getAttrOfType<StringAttr>(kVersionAttr));
  out->info.target =
      out->variables.keep(op->getAttrOfType<StringAttr>(kTargetAttr));
  out->info.addressBits =
      op->getAttrOfType<IntegerAttr>(kAddressSizeAttr).getInt();
  out->info.kernels = out->kernels.data();
  out->info.numKernels = out->kernels.size();
  out->info.functions = out->functions.data();
  out->info.numFunctions = out->functions.size();
  out->info.variables = out->variables.variables.data();
  out->info.numVariables = out->variables.variables.size();
  return out.release();
}

static PtxjitModule *parseModule(const char *text, size_t size,
                                 const char *fileName, int checkBodies,
                                 PtxjitSink diagnostics, uint32_t *numErrors) {
  PtxjitModule *module = nullptr;
  llvm::Error error = runProtected([&]() -> llvm::Error {
    module =
        readModule({text, size}, fileName, checkBodies, diagnostics, numErrors);
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

// Both enums list the same modes.
static_assert(uint32_t(ExecutionMode::WarpLoop) == PTXJIT_MODE_WARP_LOOP);
static_assert(uint32_t(ExecutionMode::Fission) == PTXJIT_MODE_FISSION);
static_assert(uint32_t(ExecutionMode::Fibers) == PTXJIT_MODE_FIBERS);
static_assert(uint32_t(ExecutionMode::Threads) == PTXJIT_MODE_THREADS);
static_assert(uint32_t(Waits::Never) == PTXJIT_WAITS_NEVER);
static_assert(uint32_t(Waits::ForCluster) == PTXJIT_WAITS_FOR_CLUSTER);
static_assert(uint32_t(Waits::ForGrid) == PTXJIT_WAITS_FOR_GRID);

/// Who is told of stages.
static std::atomic<PtxjitStageFn> listener{nullptr};

static void setListener(PtxjitStageFn function) { listener = function; }

/// The instructions of a parsed module: its ops without those that stand for
/// operands.
static uint64_t countInstructions(ModuleOp ir) {
  uint64_t count = 0;
  for (FuncOp func : ir.getOps<FuncOp>())
    func.getBody().walk([&](Operation *op) {
      count +=
          !op->hasTrait<OpTrait::ConstantLike>() &&
          !isa<RegOp, ReadOp, WriteOp, GuardOp, SRegOp, ParamAddressOp>(op);
    });
  return count;
}

static uint64_t countOps(ModuleOp ir) {
  uint64_t count = 0;
  ir.walk([&](Operation *) { ++count; });
  return count;
}

/// How to parse a module once more for one of its kernels.
static ParseOptions optionsFor(const PtxjitModule &module,
                               llvm::StringRef kernel) {
  ParseOptions options;
  options.onlyKernel = kernel;
  options.addressSize = module.info.addressBits;
  options.knownEnds = &module.bodyEnds;
  return options;
}

namespace {

/// A kernel's vector code has so many ops that LLVM would take minutes. The
/// kernel can be compiled for one thread at a time.
class CodeTooLarge : public llvm::ErrorInfo<CodeTooLarge> {
public:
  static char ID;
  void log(llvm::raw_ostream &os) const override {
    os << "the vector code is too large";
  }
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }
};
char CodeTooLarge::ID;

/// The most ops of vector code, as the packetizer leaves them. Threads that
/// meet gain little from code for one thread at a time, so they may have more.
constexpr uint64_t kMostVectorOps = 100000, kMostMeetingOps = 200000;

/// One run of the compiler, which may stop behind a stage to show its result.
struct Compilation {
  const PtxjitModule &module;
  llvm::StringRef kernel;
  PtxjitSpecialization spec;
  PtxjitSink diagnostics;
  /// Stage whose text is wanted; empty: compile to machine code in `object`.
  llvm::StringRef stopAt;
  std::string text;
  llvm::SmallVector<char> object;
  uint64_t stackBytes = 0; ///< of the object's functions (generateCode)
  ImageStorage *image = nullptr;
  PtxjitCompileTimes times{};
  RemarkList remarks; ///< filled for the stages made of remarks
  bool isFallback = false;
  /// Vector code was too large: code for one thread at a time.
  bool isTooLarge = false;
  /// Whether the kernel may be compiled for one thread at a time.
  bool mayBeScalar = false;
  /// Whether it is.
  bool perThread = false;

  llvm::Error run();
  std::string symbol() const { return "ptxjit_kernel." + kernel.str(); }

private:
  bool stop(llvm::StringRef stage, ModuleOp ir) {
    if (stopAt != stage)
      return false;
    llvm::raw_string_ostream os(text);
    ir.print(os);
    return true;
  }
  /// Shows a stage that is made of the passes' remarks. \returns whether the
  /// wanted stage is one.
  bool showRemarks() {
    if (stopAt == "explain")
      text = remarks.asTable(module.text);
    else if (stopAt == "remarks")
      text = remarks.asDiagnostics(/*statistics=*/false);
    return stopAt == "explain" || stopAt == "remarks";
  }
  llvm::Error runMlir(Session &session, ModuleOp ir, const CpuTarget &cpu,
                      bool isScalar, bool &stopped);
  /// Tells the listener which stage begins.
  void tell(const char *stage) {
    PtxjitStageFn told = listener;
    if (image && told)
      told(kernel.data(), stage);
  }
  bool chooseScalar(ModuleOp ir);
  ModeChoice chooseMode(FuncOp func, const KernelTarget &target);
  bool narrow(ModuleOp ir, KernelTarget &target);
  void describeMode(ModuleOp ir, const ModeChoice &choice);
  void describeMemory(ModuleOp ir, FuncOp func, const CpuTarget &cpu);
  void describeWritten(LLVM::LLVMFuncOp code);
  llvm::Error runLLVM(Session &session, ModuleOp ir, const CpuTarget &cpu);
  /// For tests: fails as LLVM does in a fatal error or a crash.
  void injectFailure(llvm::StringRef stage) {
    llvm::StringRef wanted = spec.inject ? spec.inject : "";
    if (!wanted.consume_front(stage))
      return;
    if (wanted == "-crash")
      __builtin_trap();
    if (wanted.empty())
      llvm::report_fatal_error("failure injected at " + llvm::Twine(stage));
  }
};

llvm::Error failed(const char *stage) {
  return llvm::createStringError(llvm::Twine("stage '") + stage + "' failed");
}

llvm::Error Compilation::run() {
  Stopwatch watch;
  tell("parse");
  // On the heap, and leaked if LLVM jumps out: see Protected.cpp.
  auto session =
      std::make_unique<Session>(module.text, module.fileName, diagnostics);
  auto ir = session->parse(optionsFor(module, kernel));
  if (mlir::failed(ir))
    return failed("parse");
  if (stopAt == "explain" || stopAt == "remarks")
    remarks.listenTo(session->context);
  times.parse = watch.lap();
  tell("lower");
  auto func = (*ir)->lookupSymbol<FuncOp>(kernel);
  if (!func || !func.getEntry() || func.isBodiless())
    return llvm::createStringError("there is no kernel '" + kernel + "'");
  bool isScalar = chooseScalar(**ir);
  if (isFallback && !isScalar)
    spec.chunk = 1;
  auto cpu = selectCpu(spec.cpu ? spec.cpu : "", spec.chunk);
  if (!cpu)
    return cpu.takeError();
  bool isForeign = spec.cpu && *spec.cpu && !runsHere(*cpu);
  if (image && isForeign)
    return llvm::createStringError("code for CPU '" + cpu->name +
                                   "' does not run on this machine");
  bool stopped = false;
  if (llvm::Error error = runMlir(*session, **ir, *cpu, isScalar, stopped))
    return error;
  times.lower = watch.lap();
  if (stopped)
    return llvm::Error::success();
  injectFailure("lower");
  tell("optimize");
  return runLLVM(*session, **ir, *cpu);
}

llvm::Error Compilation::runMlir(Session &session, ModuleOp ir,
                                 const CpuTarget &cpu, bool isScalar,
                                 bool &stopped) {
  KernelTarget target(spec);
  target.chunk = cpu.chunk;
  target.embeddedRounding = cpu.embeddedRounding;
  target.scatters = cpu.scatters;
  target.dotProducts = cpu.dotProducts;
  target.tiles &= cpu.tiles;
  target.perThread = isScalar;
  stopped = true;
  if (image)
    image->instructions = countInstructions(ir);
  if (stop("ptx", ir))
    return llvm::Error::success();
  auto stage = [&](const char *name, auto build) {
    PassManager pm(&session.context);
#ifdef NDEBUG
    pm.enableVerifier(false); // builds with assertions verify after each pass
#endif
    build(pm);
    return succeeded(pm.run(ir)) ? llvm::Error::success() : failed(name);
  };
  if (auto error = stage("normalize",
                         [](PassManager &pm) { buildNormalizePipeline(pm); }))
    return error;
  if (stop("normalized", ir))
    return llvm::Error::success();
  if (!narrow(ir, target))
    if (auto error = stage("structure", [&](PassManager &pm) {
          buildStructurePipeline(pm, target);
        }))
      return error;
  if (stop("structured", ir))
    return llvm::Error::success();
  auto func = ir.lookupSymbol<FuncOp>(kernel);
  ModeChoice choice = chooseMode(func, target);
  target.perThread |= choice.mode == ExecutionMode::Threads;
  perThread = target.perThread;
  uint64_t mostOps =
      areThreadsIndependent(func) ? kMostVectorOps : kMostMeetingOps;
  target.fission = choice.mode == ExecutionMode::Fission;
  target.wholeCta = target.fission || choice.mode == ExecutionMode::WarpLoop;
  if (image) {
    image->strandThreads = target.getShapeContext().lanes;
    describeMode(ir, choice);
    describeMemory(ir, func, cpu);
  }
  if (auto error = stage(
          "mask", [&](PassManager &pm) { buildMaskPipeline(pm, target); }))
    return error;
  if (stop("masked", ir))
    return llvm::Error::success();
  if (auto error = stage("packetize", [&](PassManager &pm) {
        buildPacketizePipeline(pm, target);
      }))
    return error;
  if (mayBeScalar && !target.perThread && countOps(ir) > mostOps)
    return llvm::make_error<CodeTooLarge>();
  if (stop("vector", ir) || showRemarks())
    return llvm::Error::success();
  if (auto code = ir.lookupSymbol<LLVM::LLVMFuncOp>(symbol()); image && code) {
    if (auto bytes = code->getAttrOfType<IntegerAttr>(kFrameBytesAttr))
      image->frameBytes = bytes.getValue().getZExtValue();
    describeWritten(code);
    image->sweeps = code->hasAttr(kSweepsAttr);
    image->operations = countOps(ir);
  }
  placeInImage(ir, module.text, module.fileName);
  if (auto error = stage("to-llvm",
                         [](PassManager &pm) { buildLowerToLLVMPipeline(pm); }))
    return error;
  stopped = false;
  return llvm::Error::success();
}

/// Whether to make code for one thread at a time: a small part of the work of
/// vector code, for LLVM above all. Code that is wanted fast, and that of
/// kernels that are too large, is made so, unless it would have other results:
/// threads one by one are not active together.
bool Compilation::chooseScalar(ModuleOp ir) {
  if (spec.atLeast)
    return spec.atLeast == PTXJIT_MODE_THREADS;
  if (spec.chunk) // a test's, or the fallback's
    return false;
  mayBeScalar = !reliesOnActiveLanes(ir);
  if (!mayBeScalar)
    spec.quick &= isFallback;
  bool isScalar = mayBeScalar && (spec.quick || isTooLarge);
  if (image && isScalar)
    image->isFirstTier = !isFallback && !isTooLarge;
  return isScalar;
}

void Compilation::describeWritten(LLVM::LLVMFuncOp code) {
  auto fields = code->getAttrOfType<DenseI32ArrayAttr>(kWrittenAttr);
  for (int64_t i = 0; fields && i < fields.size(); i += 2)
    image->writtenArrays.push_back(
        {uint32_t(fields[i]), uint32_t(fields[i + 1])});
  image->written = image->writtenArrays.data();
  image->numWritten = uint32_t(image->writtenArrays.size());
}

/// The stack of a strand without the frames of the compiled code: for the
/// runtime's helpers, and for recursion. Stacks are large, since only touched
/// pages take memory.
static uint32_t stackBytesOf(ModuleOp ir, const KernelLayout &layout,
                             uint32_t mode) {
  constexpr uint32_t kilobyte = 1 << 10;
  if (mode != PTXJIT_MODE_THREADS)
    return 256 * kilobyte;
  // Room for recursion as deep as programs expect of GPUs, and for `alloca`.
  bool calls = llvm::any_of(ir.getOps<FuncOp>(),
                            [](FuncOp func) { return !func.getEntry(); });
  bool grows = calls || ir.walk([](AllocaOp) {
                            return WalkResult::interrupt();
                          }).wasInterrupted();
  return (grows ? 512 : 64) * kilobyte +
         uint32_t(layout.localBytes) * (grows ? 16 : 2);
}

/// Does the kernel, or a function of its module, read `%smid`?
static bool readsMultiprocessor(ModuleOp ir) {
  return ir
      .walk([](SRegOp op) {
        return op.getReg() == SpecialRegister::SmId ? WalkResult::interrupt()
                                                    : WalkResult::advance();
      })
      .wasInterrupted();
}

void Compilation::describeMemory(ModuleOp ir, FuncOp func,
                                 const CpuTarget &cpu) {
  KernelLayout layout(ir, func);
  image->sharedEnd = layout.sharedEnd;
  image->localBytes = layout.localBytes;
  image->stackBytes = stackBytesOf(ir, layout, image->mode);
  image->chunk = image->strandThreads == 1 ? 1 : cpu.chunk;
  for (VarOp var : layout.globals)
    image->variables.add(var);
  image->globals = image->variables.variables.data();
  image->numGlobals = image->variables.variables.size();
}

/// Structures the kernel for narrow warps, if it gains by them and runs in
/// loops over them. \returns whether it does; else nothing has changed.
bool Compilation::narrow(ModuleOp ir, KernelTarget &target) {
  auto func = ir.lookupSymbol<FuncOp>(kernel);
  if (target.perThread || spec.atLeast || spec.warps == PTXJIT_WARPS_WIDE ||
      KernelLayout(ir, func).localBytes)
    return false;
  unsigned lanes = chooseLanes(func, target.getShapeContext(), target.chunk,
                               spec.warps == PTXJIT_WARPS_NARROW);
  if (lanes == kWarpLanes)
    return false;
  OwningOpRef<ModuleOp> copy = ir.clone();
  KernelTarget narrowed = target;
  narrowed.narrowLanes = lanes;
  PassManager pm(ir.getContext());
  buildStructurePipeline(pm, narrowed);
  if (mlir::failed(pm.run(*copy)))
    return false;
  ModeChoice choice = chooseExecutionMode(copy->lookupSymbol<FuncOp>(kernel),
                                          narrowed.getShapeContext());
  if (choice.mode != ExecutionMode::WarpLoop &&
      choice.mode != ExecutionMode::Fission)
    return false;
  ir.getBodyRegion().takeBody(copy->getBodyRegion());
  target = narrowed;
  return true;
}

ModeChoice Compilation::chooseMode(FuncOp func, const KernelTarget &target) {
  ModeChoice choice = chooseExecutionMode(func, target.getShapeContext());
  if (target.perThread && spec.atLeast != PTXJIT_MODE_THREADS) {
    // Local memory is on the stacks.
    bool isAlone =
        areThreadsIndependent(func) &&
        !KernelLayout(func->getParentOfType<ModuleOp>(), func).localBytes;
    choice.mode = isAlone ? ExecutionMode::WarpLoop : ExecutionMode::Threads;
    choice.reason = isTooLarge ? "too large for vectors" : "compiled fast";
  } else if (uint32_t(choice.mode) < spec.atLeast) {
    choice.mode = ExecutionMode(spec.atLeast);
    choice.reason = "asked for";
  }
  if (target.narrowLanes)
    choice.reason +=
        "; warps of " + std::to_string(target.narrowLanes) + " threads";
  bool slow = choice.mode == ExecutionMode::Fibers ||
              choice.mode == ExecutionMode::Threads;
  remarkDecision(func,
                 {kModeRemark, describe(choice.mode).str(), "", choice.reason,
                  /*missed=*/slow});
  return choice;
}

void Compilation::describeMode(ModuleOp ir, const ModeChoice &choice) {
  image->mode = uint32_t(choice.mode);
  image->hasLoops = ir.walk([](scf::WhileOp) {
                        return WalkResult::interrupt();
                      }).wasInterrupted();
  image->waits = uint32_t(choice.waits);
  image->readsMultiprocessor = readsMultiprocessor(ir);
  image->reasonText = choice.reason;
  image->reason = image->reasonText.c_str();
}

llvm::Error Compilation::runLLVM(Session &session, ModuleOp ir,
                                 const CpuTarget &cpu) {
  Stopwatch watch;
  llvm::LLVMContext llvmContext;
  std::unique_ptr<llvm::Module> code = translateModuleToLLVMIR(ir, llvmContext);
  if (!code)
    return failed("translate");
  Effort effort = spec.quick ? Effort::Quick : chooseEffort(*code, perThread);
  auto machine = createTargetMachine(cpu, effort);
  code->setDataLayout(machine->createDataLayout());
  code->setTargetTriple(machine->getTargetTriple());
  if (llvm::Error error = linkDeviceLibrary(*code, cpu))
    return error;
  injectFailure("optimize");
  if (llvm::Error error = optimize(*code, *machine, effort))
    return error;
  times.optimize = watch.lap();
  tell("codegen");
  if (stopAt == "llvm") {
    llvm::raw_string_ostream os(text);
    code->print(os, nullptr);
    return llvm::Error::success();
  }
  injectFailure("codegen");
  auto frames = generateCode(*code, *machine, stopAt == "asm", object);
  if (!frames)
    return frames.takeError();
  stackBytes = *frames;
  times.codegen = watch.lap();
  if (stopAt == "asm" || stopAt == "obj") {
    text.assign(object.begin(), object.end());
    return llvm::Error::success();
  }
  return checkSelfContained({object.data(), object.size()});
}

bool checkSpecialization(const PtxjitSpecialization &spec, PtxjitSink sink) {
  KernelTarget target(spec);
  if (!target.chunk)
    target.chunk = KernelTarget().chunk; // any valid chunk
  if (llvm::Error error = checkTarget(target)) {
    report(sink, llvm::toString(std::move(error)));
    return false;
  }
  return true;
}

} // namespace

/// Loads a finished job's object and fills in its image.
static llvm::Error loadImage(Compilation &job) {
  Stopwatch watch;
  ImageStorage &image = *job.image;
  auto code = LoadedCode::load(job.object, job.symbol());
  if (!code)
    return code.takeError();
  auto lines = readLines({job.object.data(), job.object.size()});
  if (lines)
    image.lineTable = std::move(*lines);
  else
    llvm::consumeError(lines.takeError()); // faults are reported without lines
  constexpr uint64_t most = uint64_t(64) << 20;
  image.stackBytes += uint32_t(std::min(job.stackBytes, most));
  image.code = std::move(*code);
  image.entry = image.code->entry;
  image.codeBegin = image.code->codeBegin;
  image.codeBytes = image.code->codeBytes;
  image.kernelName = job.kernel;
  image.kernel = image.kernelName.c_str();
  image.lines = image.lineTable.data();
  image.numLines = image.lineTable.size();
  image.objectFile = std::move(job.object);
  image.object = reinterpret_cast<const uint8_t *>(image.objectFile.data());
  image.objectBytes = image.objectFile.size();
  image.symbolName = job.symbol();
  image.symbol = image.symbolName.c_str();
  image.times = job.times;
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
} // namespace

/// Makes one attempt to compile.
static llvm::Expected<std::unique_ptr<ImageStorage>>
compileOnce(const PtxjitModule &module, const char *kernel,
            const PtxjitSpecialization &spec, PtxjitSink diagnostics,
            Attempt attempt) {
  auto image = std::make_unique<ImageStorage>();
  static_cast<PtxjitImage &>(*image) = {};
  auto job = std::make_unique<Compilation>(Compilation{
      module, kernel, spec, diagnostics, {}, {}, {}, {}, {}, {}, {}});
  job->image = image.get();
  job->isTooLarge = attempt == Attempt::Scalar;
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
    error = loadImage(*job);
  if (!error)
    return std::move(image);
  if (error.isA<CompilerGaveUp>()) {
    // The failed run is abandoned, with all objects that it may point to.
    (void)job.release();
    (void)image.release();
  }
  return std::move(error);
}

static PtxjitImage *compile(const PtxjitModule *module, const char *kernel,
                            const PtxjitSpecialization *spec,
                            PtxjitSink diagnostics) {
  if (!checkSpecialization(*spec, diagnostics))
    return nullptr;
  auto tryTo = [&](Attempt attempt) {
    return compileOnce(*module, kernel, *spec, diagnostics, attempt);
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
    job = std::make_unique<Compilation>(Compilation{
        *module, kernel, *spec, diagnostics, stage, {}, {}, {}, {}, {}, {}});
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
    ok = succeeded(ir) && succeeded(interpret(**ir, kernel, *launch));
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
                                          setListener,
                                          parseModule,
                                          destroyModule,
                                          getInfo,
                                          compile,
                                          destroyImage,
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
