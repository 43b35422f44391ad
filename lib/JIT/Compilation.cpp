//===- Compilation.cpp - one run of the compiler --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each run parses the module's text again, with the bodies that it needs, in an
// MLIRContext that no other one uses meanwhile: a context is abandoned when
// LLVM fails, and compilations run in parallel.
//
//===----------------------------------------------------------------------===//

#include "Compilation.h"
#include "ptxjit/Analysis/NarrowWarps.h"
#include "ptxjit/JIT/PassTimes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Support/Timing.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "ptxjit/Lowering/KernelLayout.h"
#include "ptxjit/Lowering/Remarks.h"
#include "llvm/Support/ErrorHandling.h"
#include <atomic>
#include <optional>

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

// Both enums list the same modes.
static_assert(uint32_t(ExecutionMode::WarpLoop) == PTXJIT_MODE_WARP_LOOP);
static_assert(uint32_t(ExecutionMode::Fission) == PTXJIT_MODE_FISSION);
static_assert(uint32_t(ExecutionMode::Fibers) == PTXJIT_MODE_FIBERS);
static_assert(uint32_t(ExecutionMode::Threads) == PTXJIT_MODE_THREADS);
static_assert(uint32_t(Waits::Never) == PTXJIT_WAITS_NEVER);
static_assert(uint32_t(Waits::ForCluster) == PTXJIT_WAITS_FOR_CLUSTER);
static_assert(uint32_t(Waits::ForGrid) == PTXJIT_WAITS_FOR_GRID);

char CodeTooLarge::ID;

/// The most ops of vector code, as the packetizer leaves them. Threads that
/// meet gain little from code for one thread at a time, so they may have more.
static constexpr uint64_t kMostVectorOps = 100000, kMostMeetingOps = 200000;

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

/// Who is told of stages.
static std::atomic<PtxjitStageFn> listener{nullptr};

void ptxjit::setStageListener(PtxjitStageFn function) { listener = function; }

/// Tells the listener which stage begins.
void Compilation::tell(const char *stage) {
  PtxjitStageFn told = listener;
  if (image && told)
    told(kernel.data(), stage);
}

/// Shows a stage that is the wanted one. \returns whether it is.
bool Compilation::stop(llvm::StringRef stage, ModuleOp ir) {
  if (stopAt != stage)
    return false;
  llvm::raw_string_ostream os(text);
  ir.print(os);
  return true;
}

/// Shows a stage that is made of the passes' remarks. \returns whether the
/// wanted stage is one.
bool Compilation::showRemarks() {
  if (stopAt == "explain")
    text = remarks.asTable(module.text);
  else if (stopAt == "remarks")
    text = remarks.asDiagnostics(/*statistics=*/false);
  return stopAt == "explain" || stopAt == "remarks";
}

/// For tests: fails as LLVM does in a fatal error or a crash.
void Compilation::injectFailure(llvm::StringRef stage) {
  llvm::StringRef wanted = spec.inject ? spec.inject : "";
  if (!wanted.consume_front(stage))
    return;
  if (wanted == "-crash")
    __builtin_trap();
  if (wanted.empty())
    llvm::report_fatal_error("failure injected at " + llvm::Twine(stage));
}

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

static llvm::Error failed(const char *stage) {
  return llvm::createStringError(llvm::Twine("stage '") + stage + "' failed");
}

/// Whether all that a kernel loads and stores are bytes.
static bool movesOnlyBytes(FuncOp func) {
  bool moves = false;
  auto isWide = [&](std::optional<Space> space, ValueRange elements) {
    if (space == Space::Param)
      return false;
    moves = true;
    return llvm::any_of(elements, [](Value element) {
      return element.getType().getIntOrFloatBitWidth() > 8;
    });
  };
  auto visit = [&](Operation *op) {
    bool stops = isa<AtomOp, RedOp>(op);
    if (auto ld = dyn_cast<LdOp>(op))
      stops = isWide(ld.getSpace(), ld.getD());
    else if (auto st = dyn_cast<StOp>(op))
      stops = isWide(st.getSpace(), st.getB());
    return stops ? WalkResult::interrupt() : WalkResult::advance();
  };
  return !func.walk(visit).wasInterrupted() && moves;
}

/// Registers of 128 bits have four lanes of 32 bits, but 16 of bytes, which are
/// then loaded and stored as one vector.
static unsigned chooseChunk(FuncOp func, const CpuTarget &cpu) {
  return cpu.vectorBits == 128 && movesOnlyBytes(func) ? 16 : cpu.chunk;
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
  if (stopAt == "explain" || stopAt == "remarks") {
    session->keepContext();
    remarks.listenTo(session->context);
  }
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
  if (!spec.chunk)
    cpu->chunk = chooseChunk(func, *cpu);
  bool isForeign = spec.cpu && *spec.cpu && !runsHere(*cpu);
  if (image && isForeign && !isTranslation)
    return llvm::createStringError("code for CPU '" + cpu->name +
                                   "' does not run on this machine");
  bool stopped = false;
  if (llvm::Error error = runStages(*session, **ir, *cpu, isScalar, stopped))
    return error;
  times.lower = watch.lap();
  if (stopped)
    return llvm::Error::success();
  injectFailure("lower");
  tell("optimize");
  return runLLVM(**ir, *cpu);
}

/// Runs the stages of MLIR. \param stopped  is set to whether the wanted stage
/// was one of them.
llvm::Error Compilation::runStages(Session &session, ModuleOp ir,
                                   const CpuTarget &cpu, bool isScalar,
                                   bool &stopped) {
  KernelTarget target(spec);
  target.chunk = cpu.chunk;
  target.embeddedRounding = cpu.embeddedRounding;
  // Tests ask other CPUs for vectors of four lanes, too.
  target.shortVectors = cpu.vectorBits == 128 || cpu.chunk == 4;
  target.scatters = cpu.scatters;
  target.compresses = cpu.compresses;
  target.slowGathers = cpu.slowGathers;
  target.plainStores = cpu.plainStores;
  target.fetchesAhead = cpu.fetchesAhead;
  target.pairSums = cpu.pairSums;
  target.byteSums = cpu.byteSums;
  target.bytePermutes = cpu.bytePermutes;
  target.permutedLanes = cpu.permutedLanes;
  target.neonDots = cpu.neonDots;
  target.neonMixedDots = cpu.neonMixedDots;
  target.dotProducts = cpu.dotProducts;
  target.fastProducts = cpu.fastProducts;
  target.halfProducts = cpu.halfProducts;
  target.tiles &= cpu.tiles;
  target.perThread = isScalar;
  stopped = true;
  if (image)
    image->instructions = countInstructions(ir);
  if (stop("ptx", ir))
    return llvm::Error::success();
  DefaultTimingManager timing; // prints when it ends
  timing.setEnabled(measuresPasses());
  timing.setDisplayMode(DefaultTimingManager::DisplayMode::List);
  TimingScope all = timing.getRootScope();
  auto stage = [&](const char *name, auto build) {
    PassManager pm(&session.context);
    TimingScope scope = all.nest(name);
    pm.enableTiming(scope);
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
  if (image)
    describeCode(ir);
  placeInImage(ir, module.text, module.fileName);
  if (auto error = stage("to-llvm",
                         [](PassManager &pm) { buildLowerToLLVMPipeline(pm); }))
    return error;
  stopped = false;
  return llvm::Error::success();
}

llvm::Error Compilation::runLLVM(ModuleOp ir, const CpuTarget &cpu) {
  Stopwatch watch;
  llvm::LLVMContext llvmContext;
  // optimize() verifies the code.
  std::unique_ptr<llvm::Module> code = translateModuleToLLVMIR(
      ir, llvmContext, "kernel", /*disableVerification=*/true);
  if (!code)
    return failed("translate");
  Effort effort = spec.quick ? Effort::Quick : chooseEffort(*code, perThread);
  auto machine = borrowTargetMachine(cpu, effort);
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

//===----------------------------------------------------------------------===//
// How warps are run
//===----------------------------------------------------------------------===//

/// Whether to make code for one thread at a time: a small part of the work of
/// vector code, for LLVM above all. Code that is wanted fast, and that of
/// kernels that are too large, is made so, unless it would have other results:
/// threads one by one are not active together.
bool Compilation::chooseScalar(ModuleOp ir) {
  if (spec.atLeast)
    return spec.atLeast == PTXJIT_MODE_THREADS;
  if (spec.anyBlock == PTXJIT_ANY_BLOCK_ALL) {
    if (reliesOnActiveLanes(ir)) // there the runtime knows which are
      spec.atLeast = PTXJIT_MODE_THREADS;
    return true;
  }
  if (spec.chunk) // a test's, or the fallback's
    return false;
  mayBeScalar = !reliesOnActiveLanes(ir);
  unsigned threads = spec.block[0] * spec.block[1] * spec.block[2];
  if (!mayBeScalar || mayExchangeInLockstep(ir, threads))
    spec.quick &= isFallback;
  bool isScalar = mayBeScalar && (spec.quick || isTooLarge);
  if (image && isScalar)
    image->isFirstTier = !isFallback && !isTooLarge;
  return isScalar;
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
    choice.reason = isTooLarge      ? "too large for vectors"
                    : spec.anyBlock ? "serves any block"
                                    : "compiled fast";
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

//===----------------------------------------------------------------------===//
// What the runtime is told
//===----------------------------------------------------------------------===//

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
  image->featureNames = cpu.testable;
  image->cpuFeatures = image->featureNames.c_str();
  image->sveBits = cpu.sveBits;
  for (VarOp var : layout.globals)
    image->variables.add(var);
  image->globals = image->variables.variables.data();
  image->numGlobals = image->variables.variables.size();
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

/// A bit for each number that calls have as attribute `name`.
static uint64_t collectNumbers(ModuleOp ir, llvm::StringRef name) {
  uint64_t bits = 0;
  ir.walk([&](LLVM::CallOp call) {
    if (auto number = call->getAttrOfType<IntegerAttr>(name))
      bits |= uint64_t(1) << number.getInt();
  });
  return bits;
}

/// Fills in what the packetizer has noted.
void Compilation::describeCode(ModuleOp ir) {
  auto code = ir.lookupSymbol<LLVM::LLVMFuncOp>(symbol());
  if (!code)
    return;
  if (auto bytes = code->getAttrOfType<IntegerAttr>(kFrameBytesAttr))
    image->frameBytes = bytes.getValue().getZExtValue();
  image->sweeps = code->hasAttr(kTurnsAttr)    ? PTXJIT_SWEEP_TURNS
                  : code->hasAttr(kSweepsAttr) ? PTXJIT_SWEEP_CTAS
                                               : PTXJIT_SWEEP_NONE;
  image->operations = countOps(ir);
  static_assert(sizeof(PtxjitHelpers) / sizeof(void *) <= 64 &&
                    PTXJIT_SYSTEM_END <= 64,
                "each has a bit");
  image->helpers = collectNumbers(ir, kHelperAttr);
  image->systemCalls = collectNumbers(ir, kSystemAttr);
  for (StringRef name : {kWrittenAttr, kFetchedAttr}) {
    auto fields = code->getAttrOfType<DenseI32ArrayAttr>(name);
    for (int64_t i = 0; fields && i < fields.size(); i += 2)
      image->paramArrays.push_back(
          {uint32_t(fields[i]), uint32_t(fields[i + 1])});
  }
  image->arrays = image->paramArrays.data();
  image->numArrays = uint32_t(image->paramArrays.size());
}
