//===- Interpreter.cpp - threads, memory and control of the oracle --------===//
//
// Each thread runs until it ends or waits. When all wait, warp collectives
// whose members have come are carried out, then barriers; if nothing can go on,
// that is a deadlock and an error.
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

/// Instructions that a thread runs in one turn.
static constexpr unsigned kTurn = 1 << 10;
/// Turns after which the next CTA starts beside one that has not ended.
static constexpr uint64_t kRoundsAlone = 64;
/// Turns without any CTA ending after which the launch is given up.
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
    frame.localBase = llvm::alignTo(t.frame().localEnd, 16);
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

/// A turn for each thread that can go on. \returns whether all have ended.
FailureOr<bool> Cta::runRound() {
  bool running = false;
  for (unsigned i : order) {
    if (threads[i].state == Thread::Running && failed(runThread(threads[i])))
      return failure();
    running |= threads[i].state == Thread::Running;
  }
  // Also while others run: they may wait, in a loop, for those that come on.
  if (resolveWarps() || resolveBarriers() || running)
    return false;
  if (llvm::all_of(threads, [](Thread &t) { return t.state == Thread::Done; }))
    return true;
  for (Thread &t : threads)
    if (t.state == Thread::Waiting)
      return t.waitsAt->emitError()
             << "deadlock: thread " << t.linear << " waits here for ever";
  return true;
}

LogicalResult Cta::runThread(Thread &t) {
  // In turns: it may wait in a loop for another thread.
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
    return success(); // slots hold 0 at the start
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
  if (isa<BarOp, BarrierOp>(op) || isWarpCollective(&op))
    return wait(t, op);
  if (isa<NanosleepOp>(op))
    return success();
  if (isa<MembarOp, FenceOp>(op))
    return success(); // one thread at a time: always in order
  if (auto mask = dyn_cast<ActivemaskOp>(op)) {
    set(t, mask.getD(), Bits(1) << (t.linear % 32));
    return success();
  }
  llvm::SmallVector<Bits, 4> in, out;
  for (Value v : op.getOperands())
    in.push_back(get(t, v));
  if (evaluateInteger(&op, in, out) || evaluateLogic(&op, in, out) ||
      evaluateFloat(&op, in, out) || evaluateConvert(&op, in, out) ||
      evaluateMove(&op, in, out)) {
    for (auto [v, bits] : llvm::zip(op.getResults(), out))
      set(t, v, bits);
    return success();
  }
  return memory(t, op);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

uint64_t Cta::windowOf(Thread &t, Space space) {
  switch (space) {
  case Space::Shared:
  case Space::SharedCta:
  case Space::SharedCluster:
    return reinterpret_cast<uint64_t>(shared.data());
  case Space::Local:
    return reinterpret_cast<uint64_t>(t.local.data());
  case Space::Param:
  case Space::ParamEntry:
    return reinterpret_cast<uint64_t>(launch.params);
  default:
    return 0;
  }
}

/// The host address of `bytes` bytes, or a diagnostic: an access must be
/// aligned to its size (ISA, "addresses as operands").
FailureOr<uint64_t> Cta::resolveAddress(Thread &t, Operation &op, Bits address,
                                        std::optional<Space> space,
                                        int64_t offset, unsigned bytes) {
  address += uint64_t(offset);
  if (address % bytes != 0)
    return op.emitError("misaligned address");
  bool param = space == Space::Param || space == Space::ParamFunc;
  if (param && address >= kCallVariables)
    return address - kCallVariables + windowOf(t, Space::Local);
  return address + windowOf(t, space.value_or(Space::Generic));
}

template <typename T> T readAt(uint64_t address) {
  T value;
  std::memcpy(&value, reinterpret_cast<void *>(address), sizeof(T));
  return value;
}
Bits loadBits(uint64_t address, unsigned bytes) {
  Bits bits = 0;
  std::memcpy(&bits, reinterpret_cast<void *>(address), bytes);
  return bits;
}
void storeBits(uint64_t address, unsigned bytes, Bits bits) {
  std::memcpy(reinterpret_cast<void *>(address), &bits, bytes);
}

/// a + b of f16, bf16 or pairs of them; NaN is 0x7fff.
Bits addHalves(ScalarType type, Bits a, Bits b) {
  ScalarType part = getPartType(type);
  Bits d = 0;
  for (unsigned at = 0; at < getBitWidth(type); at += 16) {
    auto make = [&](Bits x) {
      return llvm::APFloat(semanticsOf(part),
                           llvm::APInt(16, x >> at, false, true));
    };
    llvm::APFloat x = make(a);
    x.add(make(b), llvm::RoundingMode::NearestTiesToEven);
    d |= (x.isNaN() ? 0x7fff : x.bitcastToAPInt().getZExtValue()) << at;
  }
  return d;
}

Bits atomicResult(AtomicOp op, ScalarType type, Bits old, Bits b, Bits c) {
  unsigned n = getBitWidth(type);
  llvm::APInt x(n, old, false, true), y(n, b, false, true);
  bool s = isSignedInt(type);
  switch (op) {
  case AtomicOp::Add:
    if (type == ScalarType::F32)
      return llvm::bit_cast<uint32_t>(llvm::bit_cast<float>(uint32_t(old)) +
                                      llvm::bit_cast<float>(uint32_t(b)));
    if (type == ScalarType::F64)
      return llvm::bit_cast<uint64_t>(llvm::bit_cast<double>(old) +
                                      llvm::bit_cast<double>(b));
    if (!isSignedInt(type) && !isUnsignedInt(type))
      return addHalves(type, old, b);
    return (x + y).getZExtValue();
  case AtomicOp::Min:
    return (s ? x.slt(y) : x.ult(y)) ? old : b;
  case AtomicOp::Max:
    return (s ? x.sgt(y) : x.ugt(y)) ? old : b;
  case AtomicOp::Inc:
    return x.uge(y) ? 0 : (x + 1).getZExtValue();
  case AtomicOp::Dec:
    return x.isZero() || x.ugt(y) ? b : (x - 1).getZExtValue();
  case AtomicOp::And:
    return old & b;
  case AtomicOp::Or:
    return old | b;
  case AtomicOp::Xor:
    return old ^ b;
  case AtomicOp::Exch:
    return b;
  case AtomicOp::Cas:
    return old == b ? c : old;
  }
  llvm_unreachable("all operations handled");
}

Bits Cta::addressOf(Thread &t, AddressOfOp op) {
  auto module = program.kernel->getParentOfType<ModuleOp>();
  auto it = program.places.find(op.getSymbol());
  if (it == program.places.end()) {
    auto func = module.lookupSymbol<FuncOp>(op.getSymbol());
    return func ? PTXJIT_FUNCTION_ADDRESS(
                      uint64_t(llvm::find(program.functions, func) -
                               program.functions.begin()))
                : launch.resolve(launch.user, op.getSymbol().str().c_str());
  }
  switch (module.lookupSymbol<VarOp>(op.getSymbol()).getSpace()) {
  case Space::Local:
    return uint64_t(it->second) + t.frame().localBase;
  case Space::Param:
    return uint64_t(it->second) + t.frame().localBase + kCallVariables;
  default:
    return uint64_t(it->second);
  }
}

LogicalResult Cta::memory(Thread &t, Operation &op) {
  auto widthOf = [](Value v) { return v.getType().getIntOrFloatBitWidth(); };
  if (auto param = dyn_cast<ParamAddressOp>(op)) {
    Frame &frame = t.frame();
    set(t, param,
        param.getIsResult() ? frame.results[param.getIndex()]
        : t.frames.size() > 1
            ? frame.args[param.getIndex()]
            : Bits(cast<ParamAttr>(frame.func.getParams()[param.getIndex()])
                       .getOffset()));
    return success();
  }
  if (auto address = dyn_cast<AddressOfOp>(op)) {
    set(t, address, addressOf(t, address));
    return success();
  }
  if (auto alloca = dyn_cast<AllocaOp>(op)) {
    uint64_t align = alloca.getB() ? get(t, alloca.getB()) : 8;
    uint64_t start = llvm::alignTo(t.frame().localEnd, align);
    uint64_t bytes = get(t, alloca.getA());
    if (bytes > t.local.size() || start + bytes > t.local.size())
      return op.emitError("stack overflow");
    t.frame().localEnd = start + bytes;
    set(t, alloca.getD(), start);
    return success();
  }
  if (auto save = dyn_cast<StackSaveOp>(op)) {
    set(t, save.getD(), t.frame().localEnd);
    return success();
  }
  if (auto restore = dyn_cast<StackRestoreOp>(op)) {
    t.frame().localEnd = get(t, restore.getA());
    return success();
  }
  if (auto cvta = dyn_cast<CvtaOp>(op)) {
    uint64_t window = windowOf(t, cvta.getSpace());
    Bits a = get(t, cvta.getA());
    set(t, cvta.getD(), cvta.getTo() ? a - window : a + window);
    return success();
  }
  if (auto ld = dyn_cast<LdOp>(op)) {
    unsigned bytes = widthOf(ld.getD().front()) / 8;
    FailureOr<uint64_t> at =
        resolveAddress(t, op, get(t, ld.getA()), ld.getSpace(), ld.getOffset(),
                       bytes * ld.getD().size());
    if (failed(at))
      return failure();
    for (auto [i, v] : llvm::enumerate(ld.getD()))
      set(t, v, loadBits(*at + i * bytes, bytes));
    return success();
  }
  if (auto st = dyn_cast<StOp>(op)) {
    unsigned bytes = widthOf(st.getB().front()) / 8;
    FailureOr<uint64_t> at =
        resolveAddress(t, op, get(t, st.getA()), st.getSpace(), st.getOffset(),
                       bytes * st.getB().size());
    if (failed(at))
      return failure();
    for (auto [i, v] : llvm::enumerate(st.getB()))
      storeBits(*at + i * bytes, bytes, get(t, v));
    return success();
  }
  if (auto atom = dyn_cast<AtomOp>(op)) {
    unsigned bytes = getBitWidth(atom.getTy()) / 8;
    FailureOr<uint64_t> at = resolveAddress(
        t, op, get(t, atom.getA()), atom.getSpace(), atom.getOffset(), bytes);
    if (failed(at))
      return failure();
    Bits old = loadBits(*at, bytes);
    Bits c = atom.getC() ? get(t, atom.getC()) : 0;
    storeBits(
        *at, bytes,
        atomicResult(atom.getOp(), atom.getTy(), old, get(t, atom.getB()), c));
    set(t, atom.getD(), old);
    return success();
  }
  if (auto red = dyn_cast<RedOp>(op)) {
    unsigned bytes = getBitWidth(red.getTy()) / 8;
    FailureOr<uint64_t> at = resolveAddress(
        t, op, get(t, red.getA()), red.getSpace(), red.getOffset(), bytes);
    if (failed(at))
      return failure();
    storeBits(*at, bytes,
              atomicResult(red.getOp(), red.getTy(), loadBits(*at, bytes),
                           get(t, red.getB()), 0));
    return success();
  }
  if (auto copy = dyn_cast<CpAsyncOp>(op))
    return copyAsync(t, copy);
  if (isa<AdviceOp>(op)) {
    for (Value result : op.getResults())
      set(t, result, 0);
    return success();
  }
  return op.emitError() << "'" << op.getName().stripDialect()
                        << "' is not supported by the reference interpreter "
                           "yet";
}

/// Done at once, which the ISA allows: `size` bytes, then zeros.
LogicalResult Cta::copyAsync(Thread &t, CpAsyncOp op) {
  unsigned bytes = op.getBytes();
  uint64_t size = op.getSize() ? get(t, op.getSize()) : bytes;
  if (op.getIgnore() && get(t, op.getIgnore()))
    size = 0;
  FailureOr<uint64_t> to = resolveAddress(
      t, *op.getOperation(), get(t, op.getDst()), op.getSpace(), 0, bytes);
  FailureOr<uint64_t> from = resolveAddress(
      t, *op.getOperation(), get(t, op.getSrc()), Space::Global, 0, bytes);
  if (failed(to) || failed(from))
    return failure();
  for (unsigned i = 0; i < bytes; ++i)
    storeBits(*to + i, 1, i < size ? loadBits(*from + i, 1) : 0);
  return success();
}

//===----------------------------------------------------------------------===//
// Special registers
//===----------------------------------------------------------------------===//

Bits Cta::specialRegister(Thread &t, SpecialRegister reg) {
  unsigned lane = t.linear % 32;
  auto [x, y, z] = launch.block;
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
  case SpecialRegister::DynamicSmemSize:
    return launch.dynamicShared;
  case SpecialRegister::ClusterIdX:
  case SpecialRegister::ClusterIdY:
  case SpecialRegister::ClusterIdZ:
    return id[unsigned(reg) - unsigned(SpecialRegister::ClusterIdX)];
  case SpecialRegister::NClusterIdX:
  case SpecialRegister::NClusterIdY:
  case SpecialRegister::NClusterIdZ:
    return launch.grid[unsigned(reg) - unsigned(SpecialRegister::NClusterIdX)];
  case SpecialRegister::ClusterNctaidX:
  case SpecialRegister::ClusterNctaidY:
  case SpecialRegister::ClusterNctaidZ:
  case SpecialRegister::ClusterNctarank:
    return 1;
  case SpecialRegister::AggrSmemSize:
  case SpecialRegister::TotalSmemSize:
    return program.sharedEnd - PTXJIT_SHARED_BASE + launch.dynamicShared;
  default: // identities and clocks: any value is right
    return 0;
  }
}

//===----------------------------------------------------------------------===//
// Entry
//===----------------------------------------------------------------------===//

/// Local memory of a thread whose kernel calls functions.
static constexpr int64_t kStackBytes = 16 << 10;

/// Numbers the values and lays out the variables of all functions.
static Program makeProgram(ModuleOp module, FuncOp kernel) {
  Program program;
  program.kernel = kernel;
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

LogicalResult ptxjit::interpret(ModuleOp module, llvm::StringRef kernel,
                                const PtxjitReferenceLaunch &launch) {
  auto func = module.lookupSymbol<FuncOp>(kernel);
  if (!func || func.isBodiless())
    return module.emitError() << "there is no kernel '" << kernel << "'";
  Program program = makeProgram(module, func);
  std::mt19937_64 random(launch.seed);
  // CTAs start in index order. One that does not end soon may wait for a later
  // one, which then starts beside it.
  const auto &grid = launch.grid;
  uint64_t total = uint64_t(grid[0]) * grid[1] * grid[2], next = 0;
  std::vector<std::unique_ptr<Cta>> active;
  for (uint64_t idle = 0; next < total || !active.empty(); ++idle) {
    if (next < total && (active.empty() || idle % kRoundsAlone == 0)) {
      uint32_t id[3] = {uint32_t(next % grid[0]),
                        uint32_t(next / grid[0] % grid[1]),
                        uint32_t(next / grid[0] / grid[1])};
      active.push_back(std::make_unique<Cta>(program, launch, random));
      active.back()->start(id);
      ++next;
    }
    for (size_t i = 0; i < active.size();) {
      FailureOr<bool> ended = active[i]->runRound();
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
      return func.emitError("threads wait for ever, or nearly so");
  }
  return success();
}
