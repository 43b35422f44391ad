//===- Interpreter.cpp - threads and control flow -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each thread runs in turns until it ends or waits. After each round of turns,
// warp collectives whose members have all come are carried out, then barriers.
// If nothing can go on, that is an error: a deadlock.
//
//===----------------------------------------------------------------------===//

#include "Cta.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "ptxjit/Dialect/FormTable.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/bit.h"
#include <array>
#include <cstring>
#include <memory>
#include <numeric>
#include <random>

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;
using namespace ptxjit::reference;

/// Instructions of one turn.
static constexpr unsigned kTurn = 1 << 10;
/// Rounds after which the next cluster starts beside those that have not ended.
static constexpr uint64_t kRoundsAlone = 64;
/// Rounds without the end of a cluster after which the launch is given up.
static constexpr uint64_t kMostRounds = 1 << 17;

//===----------------------------------------------------------------------===//
// Scheduling
//===----------------------------------------------------------------------===//

void Cta::start(const uint32_t (&ctaid)[3]) {
  std::memcpy(id, ctaid, sizeof(id));
  shared.assign(program.sharedEnd + launch.dynamicShared + 16, 0);
  threads.assign(threadsPerCta(), Thread());
  order.resize(threads.size());
  std::iota(order.begin(), order.end(), 0);
  if (launch.seed)
    std::shuffle(order.begin(), order.end(), random);
  for (auto [i, t] : llvm::enumerate(threads)) {
    t.linear = i;
    t.local.assign(program.localBytes + 16, 0);
    (void)enter(t, program.kernel, program.kernel);
  }
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

LogicalResult Cta::enter(Thread &t, FuncOp func, Operation *at) {
  Frame frame;
  frame.func = func;
  frame.values.assign(program.counts.lookup(func), 0);
  Block &entry = func.getBody().front();
  frame.pc = {&entry, entry.begin()};
  if (!t.frames.empty())
    frame.localBase = llvm::alignTo(t.frame().localEnd, 128);
  frame.localEnd = frame.localBase + program.frameBytes.lookup(func);
  if (frame.localEnd > t.local.size())
    return at->emitError("stack overflow");
  t.frames.push_back(std::move(frame));
  return success();
}

LogicalResult Cta::call(Thread &t, CallOp op) {
  FuncOp callee;
  if (op.getTarget()) {
    uint64_t index = (get(t, op.getTarget()) - PTXJIT_FUNCTION_ADDRESS(0)) /
                     (PTXJIT_FUNCTION_ADDRESS(1) - PTXJIT_FUNCTION_ADDRESS(0));
    if (index >= program.functions.size())
      return op.emitError("call of an address that is no function's");
    callee = program.functions[index];
  } else {
    callee = op->getParentOfType<ModuleOp>().lookupSymbol<FuncOp>(
        op.getCalleeAttr().getAttr());
  }
  if (callee.isBodiless())
    return op.emitError("'") << callee.getSymName() << "' has no body";
  llvm::SmallVector<Bits, 4> args, results;
  for (Value v : op.getArgs())
    args.push_back(get(t, v));
  for (Value v : op.getResults())
    results.push_back(get(t, v));
  if (failed(enter(t, callee, op)))
    return failure();
  t.frame().args = args;
  t.frame().results = results;
  return success();
}

//===----------------------------------------------------------------------===//
// Turns
//===----------------------------------------------------------------------===//

FailureOr<Progress> Cta::runRound() {
  bool running = false;
  for (unsigned i : order) {
    if (threads[i].state == Thread::Running && failed(runThread(threads[i])))
      return failure();
    running |= threads[i].state == Thread::Running;
  }
  // Also while threads run: they may poll for a store of a waiting thread.
  FailureOr<bool> resolved = resolveWarps();
  if (failed(resolved))
    return failure();
  if (*resolved || resolveBarriers() || resolveWarpgroups() || running)
    return Progress::Some;
  return hasEnded() ? Progress::Ended : Progress::Stuck;
}

bool Cta::hasEnded() const {
  return llvm::all_of(threads,
                      [](const Thread &t) { return t.state == Thread::Done; });
}

LogicalResult Cta::reportDeadlock() {
  for (Thread &t : threads)
    if (t.state == Thread::Waiting)
      return t.waitsAt->emitError()
             << "deadlock: thread " << t.linear << " waits here for ever";
  return failure();
}

LogicalResult Cta::runThread(Thread &t) {
  // A turn is limited, since the thread may poll for a store of another one.
  for (unsigned steps = 0; t.state == Thread::Running && steps < kTurn;
       ++steps) {
    Frame &frame = t.frame();
    if (frame.pc.at == frame.pc.block->end()) {
      frame.pc = frame.returns.pop_back_val();
      continue;
    }
    Operation &op = *frame.pc.at;
    ++frame.pc.at;
    if (failed(step(t, op)))
      return failure();
  }
  return success();
}

LogicalResult Cta::step(Thread &t, Operation &op) {
  if (isa<RetOp>(op) && t.frames.size() > 1) {
    t.frames.pop_back();
    return success();
  }
  if (isa<RetOp, ExitOp>(op)) {
    t.state = Thread::Done;
    return success();
  }
  if (auto callOp = dyn_cast<CallOp>(op))
    return call(t, callOp);
  if (auto bra = dyn_cast<BraOp>(op)) {
    branch(t, bra.getDest());
    return success();
  }
  if (auto cond = dyn_cast<cf::CondBranchOp>(op)) {
    branch(t, get(t, cond.getCondition()) & 1 ? cond.getTrueDest()
                                              : cond.getFalseDest());
    return success();
  }
  if (auto brx = dyn_cast<BrxOp>(op)) {
    Bits index = get(t, brx.getA());
    if (index >= brx.getTargets().size())
      return op.emitError("the index is beyond the list of targets");
    branch(t, brx.getTargets()[index]);
    return success();
  }
  if (isa<TrapOp>(op))
    return op.emitError("trap");
  if (auto guard = dyn_cast<GuardOp>(op)) {
    if (get(t, guard.getPredicate()) & 1) {
      t.frame().returns.push_back(t.frame().pc);
      branch(t, &guard.getBody().front());
    }
    return success();
  }
  if (isa<RegOp>(op))
    return success(); // slots start as 0
  if (auto read = dyn_cast<ReadOp>(op)) {
    set(t, read.getValue(), get(t, read.getSlot()));
    return success();
  }
  if (auto write = dyn_cast<WriteOp>(op)) {
    set(t, write.getSlot(), get(t, write.getValue()));
    return success();
  }
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    if (auto i = dyn_cast<IntegerAttr>(constant.getValue()))
      set(t, constant, i.getValue().getZExtValue());
    else
      set(t, constant,
          cast<FloatAttr>(constant.getValue())
              .getValue()
              .bitcastToAPInt()
              .getZExtValue());
    return success();
  }
  if (auto sreg = dyn_cast<SRegOp>(op)) {
    set(t, sreg, specialRegister(t, sreg.getReg()));
    return success();
  }
  if (isa<BarOp, BarrierOp, WgmmaWaitOp>(op) || isWarpCollective(&op))
    return wait(t, op);
  if (auto barrier = dyn_cast<BarrierClusterOp>(op))
    return barrierCluster(t, barrier);
  if (isa<NanosleepOp>(op))
    return success();
  if (isa<MembarOp, FenceOp>(op))
    return success(); // threads run one at a time, so memory is in order
  if (auto mask = dyn_cast<ActivemaskOp>(op)) {
    set(t, mask.getD(), Bits(1) << (t.linear % 32));
    return success();
  }
  llvm::SmallVector<Bits, 4> in, out;
  for (Value v : op.getOperands())
    in.push_back(get(t, v));
  if (evaluateInteger(&op, in, out) || evaluateLogic(&op, in, out) ||
      evaluateFloat(&op, in, out) || evaluateConvert(&op, in, out) ||
      evaluateMove(&op, in, out) || evaluateVideo(&op, in, out)) {
    for (auto [v, bits] : llvm::zip(op.getResults(), out))
      set(t, v, bits);
    return success();
  }
  if (clusterOp(t, op))
    return success();
  for (auto run : {&Cta::asynchronous, &Cta::tensorOp, &Cta::tensorCoreOp,
                   &Cta::textureOp}) {
    FailureOr<bool> done = (this->*run)(t, op);
    if (failed(done) || *done)
      return done;
  }
  return memory(t, op);
}

//===----------------------------------------------------------------------===//
// Special registers
//===----------------------------------------------------------------------===//

Bits Cta::specialRegister(Thread &t, SpecialRegister reg) {
  unsigned lane = t.linear % 32;
  auto [x, y, z] = launch.block;
  if (std::optional<Bits> value = clusterRegister(reg))
    return *value;
  switch (reg) {
  case SpecialRegister::TidX:
    return t.linear % x;
  case SpecialRegister::TidY:
    return t.linear / x % y;
  case SpecialRegister::TidZ:
    return t.linear / (x * y);
  case SpecialRegister::NtidX:
    return x;
  case SpecialRegister::NtidY:
    return y;
  case SpecialRegister::NtidZ:
    return z;
  case SpecialRegister::CtaidX:
    return id[0];
  case SpecialRegister::CtaidY:
    return id[1];
  case SpecialRegister::CtaidZ:
    return id[2];
  case SpecialRegister::NctaidX:
    return launch.grid[0];
  case SpecialRegister::NctaidY:
    return launch.grid[1];
  case SpecialRegister::NctaidZ:
    return launch.grid[2];
  case SpecialRegister::LaneId:
    return lane;
  case SpecialRegister::WarpId:
    return t.linear / 32;
  case SpecialRegister::NWarpId:
    return (threadsPerCta() + 31) / 32;
  case SpecialRegister::NSmId:
    return 1;
  case SpecialRegister::LanemaskEq:
    return 1u << lane;
  case SpecialRegister::LanemaskLe:
    return (Bits(2) << lane) - 1;
  case SpecialRegister::LanemaskLt:
    return (Bits(1) << lane) - 1;
  case SpecialRegister::LanemaskGe:
    return 0xffffffffu & ~((Bits(1) << lane) - 1);
  case SpecialRegister::LanemaskGt:
    return 0xffffffffu & ~((Bits(2) << lane) - 1);
  case SpecialRegister::ReservedSmemOffsetEnd:
  case SpecialRegister::ReservedSmemOffsetCap:
    return PTXJIT_SHARED_BASE;
  case SpecialRegister::ReservedSmemOffset1:
    return PTXJIT_SHARED_GROUPS;
  case SpecialRegister::DynamicSmemSize:
    return launch.dynamicShared;
  case SpecialRegister::AggrSmemSize:
  case SpecialRegister::TotalSmemSize:
    return program.sharedEnd - PTXJIT_SHARED_BASE + launch.dynamicShared;
  case SpecialRegister::Clock:
  case SpecialRegister::Clock64:
  case SpecialRegister::GlobalTimer:
  case SpecialRegister::GlobalTimerLo:
    return ticks += 4096; // programs wait for clocks to advance
  default:                // any value is correct
    return 0;
  }
}

//===----------------------------------------------------------------------===//
// Entry
//===----------------------------------------------------------------------===//

/// Local memory per thread for frames of functions and `alloca`.
static constexpr int64_t kStackBytes = 16 << 10;

/// Numbers the values and lays out the variables of all functions.
static Program makeProgram(ModuleOp module, FuncOp kernel) {
  Program program;
  program.kernel = kernel;
  auto size = module->getAttrOfType<IntegerAttr>(kAddressSizeAttr);
  program.isNarrow = size && size.getInt() == 32;
  for (FuncOp func : module.getOps<FuncOp>()) {
    program.functions.push_back(func);
    unsigned &count = program.counts[func];
    func.walk([&](Operation *op) {
      for (Value v : op->getResults())
        program.numbers.try_emplace(v, count++);
      if (isa<CallOp, AllocaOp>(op))
        program.localBytes = kStackBytes;
    });
  }
  int64_t shared = PTXJIT_SHARED_BASE;
  llvm::SmallVector<VarOp> dynamic;
  for (VarOp var : module.getOps<VarOp>()) {
    FuncOp owner =
        var.getOwner() ? module.lookupSymbol<FuncOp>(*var.getOwner()) : kernel;
    if (owner.getEntry() && owner != kernel)
      continue;
    bool isShared = var.getSpace() == Space::Shared;
    if (isShared && var.getBytes() == 0) {
      dynamic.push_back(var);
    } else if (isShared || var.getSpace() == Space::Local ||
               var.getSpace() == Space::Param) {
      int64_t &end = isShared ? shared : program.frameBytes[owner];
      end = llvm::alignTo(end, var.getAlign());
      program.places[var.getSymName()] = end;
      end += var.getBytes();
    }
  }
  for (auto &entry : program.frameBytes)
    entry.second = llvm::alignTo(entry.second, 16);
  program.localBytes += program.frameBytes.lookup(kernel);
  program.sharedEnd = llvm::alignTo(shared, 128);
  for (VarOp var : dynamic)
    program.places[var.getSymName()] = program.sharedEnd;
  return program;
}

namespace {
/// Runs a launch. Clusters start in index order. One that does not end soon may
/// wait for a later one, so the next one is started beside it.
class Grid {
public:
  Grid(const Program &program, const PtxjitReferenceLaunch &launch)
      : program(program), launch(launch), random(launch.seed) {
    for (unsigned d = 0; d < 3; ++d)
      clusters[d] = launch.grid[d] / launch.cluster[d];
  }

  LogicalResult run() {
    uint64_t total = uint64_t(clusters[0]) * clusters[1] * clusters[2];
    uint64_t next = 0;
    for (uint64_t idle = 0; next < total || !active.empty(); ++idle) {
      if (next < total && (active.empty() || idle % kRoundsAlone == 0))
        start(next++);
      for (size_t i = 0; i < active.size();) {
        FailureOr<bool> ended = runRound(*active[i]);
        if (failed(ended))
          return failure();
        if (*ended) {
          active.erase(active.begin() + ptrdiff_t(i));
          idle = 0;
        } else {
          ++i;
        }
      }
      if (idle > kMostRounds)
        return FuncOp(program.kernel)
            .emitError("threads wait for ever, or nearly so");
    }
    return success();
  }

private:
  void start(uint64_t index) {
    auto cluster = std::make_unique<Cluster>();
    auto [cx, cy, cz] = launch.cluster;
    uint32_t first[3] = {uint32_t(index % clusters[0]) * cx,
                         uint32_t(index / clusters[0] % clusters[1]) * cy,
                         uint32_t(index / clusters[0] / clusters[1]) * cz};
    for (unsigned rank = 0; rank < cx * cy * cz; ++rank) {
      uint32_t id[3] = {first[0] + rank % cx, first[1] + rank / cx % cy,
                        first[2] + rank / (cx * cy)};
      cluster->push_back(std::make_unique<Cta>(program, launch, random, probe,
                                               *cluster, rank));
      cluster->back()->start(id);
    }
    active.push_back(std::move(cluster));
  }

  /// \returns whether all CTAs of the cluster have ended.
  FailureOr<bool> runRound(Cluster &cluster) {
    bool any = false, ended = true;
    for (auto &cta : cluster) {
      FailureOr<Progress> progress = cta->runRound();
      if (failed(progress))
        return failure();
      any |= *progress == Progress::Some;
      ended &= *progress == Progress::Ended;
      if (*progress == Progress::Ended && failed(cta->checkColumns()))
        return failure();
    }
    if (ended)
      return true;
    if (llvm::all_of(cluster,
                     [](auto &cta) { return cta->allArrivedAtCluster(); })) {
      for (auto &cta : cluster)
        cta->releaseFromCluster();
      return false;
    }
    if (any)
      return false;
    for (auto &cta : cluster)
      if (!cta->hasEnded())
        return cta->reportDeadlock();
    return failure();
  }

  const Program &program;
  const PtxjitReferenceLaunch &launch;
  std::mt19937_64 random;
  MemoryProbe probe;
  uint32_t clusters[3];
  std::vector<std::unique_ptr<Cluster>> active;
};
} // namespace

LogicalResult ptxjit::interpret(ModuleOp module, llvm::StringRef kernel,
                                const PtxjitReferenceLaunch &launch) {
  auto func = module.lookupSymbol<FuncOp>(kernel);
  if (!func || func.isBodiless())
    return module.emitError() << "there is no kernel '" << kernel << "'";
  for (unsigned d = 0; d < 3; ++d)
    if (launch.cluster[d] == 0 || launch.grid[d] % launch.cluster[d])
      return func.emitError("the cluster's extents do not divide the grid's");
  Program program = makeProgram(module, func);
  return Grid(program, launch).run();
}
