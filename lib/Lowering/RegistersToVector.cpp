//===- RegistersToVector.cpp - special registers and addresses ------------===//

#include "Packetizer.h"

#include "ptxjit/Runtime/KernelABI.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

//===----------------------------------------------------------------------===//
// Special registers
//===----------------------------------------------------------------------===//

/// %tid in one dimension: of lane 0 (lanes == 0), or of all lanes of a chunk.
Value Packetizer::emitTid(unsigned dim, unsigned lanes, unsigned c) {
  ChunkBuilder v(b, loc, target, lanes);
  Value thread = v.splat(linear);
  if (lanes)
    thread = v.add(thread, laneNumbers(c));
  auto [x, y, z] = shapes.getContext().block;
  auto divide = [&](Value a, unsigned n) {
    return n == 1 ? a : v.make<arith::DivUIOp>(a, v.intConstant(32, n));
  };
  auto rest = [&](Value a, unsigned n) {
    return v.make<arith::RemUIOp>(a, v.intConstant(32, n));
  };
  switch (dim) {
  case 0:
    return rest(thread, x);
  case 1:
    return rest(divide(thread, x), y);
  default:
    return divide(thread, x * y);
  }
}

LogicalResult Packetizer::emitSRegister(SRegOp op) {
  SpecialRegister reg = op.getReg();
  ChunkBuilder s = scalar();
  auto fromContext = [&](size_t offset, unsigned width) {
    setBase(op, loadContext(offset, b.getIntegerType(width)));
    return success();
  };
  auto laneMask = [&](auto bitsOf) {
    if (perThread()) {
      LanePattern bits;
      for (unsigned i = 0; i < 32; ++i)
        bits[i] = bitsOf(uint64_t(i));
      setBase(op, lookUp(bits, laneOfThread()));
      return success();
    }
    SmallVector<Value, 8> chunks;
    for (unsigned c = 0; c < numChunks(); ++c) {
      LanePattern bits;
      for (unsigned i = 0; i < 32; ++i)
        bits[i] = bitsOf(uint64_t(i));
      chunks.push_back(patternVector(bits, c, 32));
    }
    setChunks(op, chunks);
    return success();
  };
  auto clock = [&](unsigned shift) {
    Value time = callHelper(offsetof(PtxjitHelpers, time), {}, b.getI64Type());
    if (shift)
      time = s.shrBy(time, shift, false);
    setBase(op, s.resize(time, op.getType().getIntOrFloatBitWidth(), false));
    return success();
  };
  switch (reg) {
  case SpecialRegister::TidX:
  case SpecialRegister::TidY:
  case SpecialRegister::TidZ: {
    unsigned dim = unsigned(reg) - unsigned(SpecialRegister::TidX);
    if (shapeOf(op).hasBase()) {
      setBase(op, emitTid(dim, 0, 0));
      return success();
    }
    SmallVector<Value, 8> chunks;
    for (unsigned c = 0; c < numChunks(); ++c)
      chunks.push_back(emitTid(dim, target.chunk, c));
    setChunks(op, chunks);
    return success();
  }
  case SpecialRegister::NtidX:
  case SpecialRegister::NtidY:
  case SpecialRegister::NtidZ: {
    unsigned dim = unsigned(reg) - unsigned(SpecialRegister::NtidX);
    setBase(op, s.intConstant(32, shapes.getContext().block[dim]));
    return success();
  }
  case SpecialRegister::CtaidX:
  case SpecialRegister::CtaidY:
  case SpecialRegister::CtaidZ:
    setBase(op, ctaid[unsigned(reg) - unsigned(SpecialRegister::CtaidX)]);
    return success();
  case SpecialRegister::NctaidX:
  case SpecialRegister::NctaidY:
  case SpecialRegister::NctaidZ:
    setBase(op, nctaid[unsigned(reg) - unsigned(SpecialRegister::NctaidX)]);
    return success();
  case SpecialRegister::LaneId:
    setBase(op, perThread() ? laneOfThread() : s.intConstant(32, 0));
    return success();
  case SpecialRegister::WarpId:
    setBase(op, perThread() ? s.shrBy(linear, 5, false) : strand);
    return success();
  case SpecialRegister::NWarpId:
    setBase(op, s.intConstant(32, (shapes.getContext().threads() + 31) / 32));
    return success();
  case SpecialRegister::SmId:
    return fromContext(offsetof(PtxjitKernelContext, smid), 32);
  case SpecialRegister::NSmId:
    return fromContext(offsetof(PtxjitKernelContext, nsmid), 32);
  case SpecialRegister::GridId:
    return fromContext(offsetof(PtxjitKernelContext, gridid), 64);
  case SpecialRegister::TotalSmemSize:
  case SpecialRegister::AggrSmemSize:
    return fromContext(offsetof(PtxjitKernelContext, totalShared), 32);
  case SpecialRegister::DynamicSmemSize:
    return fromContext(offsetof(PtxjitKernelContext, dynamicShared), 32);
  case SpecialRegister::ReservedSmemOffsetEnd:
  case SpecialRegister::ReservedSmemOffsetCap:
    setBase(op, s.intConstant(32, PTXJIT_SHARED_BASE));
    return success();
  case SpecialRegister::ReservedSmemOffset1:
    setBase(op, s.intConstant(32, PTXJIT_SHARED_GROUPS));
    return success();
  case SpecialRegister::LanemaskEq:
    return laneMask([](uint64_t i) { return 1ull << i; });
  case SpecialRegister::LanemaskLe:
    return laneMask([](uint64_t i) { return (2ull << i) - 1; });
  case SpecialRegister::LanemaskLt:
    return laneMask([](uint64_t i) { return (1ull << i) - 1; });
  case SpecialRegister::LanemaskGe:
    return laneMask([](uint64_t i) { return 0xffffffffull & (~0ull << i); });
  case SpecialRegister::LanemaskGt:
    return laneMask([](uint64_t i) { return 0xffffffffull & (~1ull << i); });
  case SpecialRegister::Clock:
  case SpecialRegister::Clock64:
  case SpecialRegister::GlobalTimer:
  case SpecialRegister::GlobalTimerLo:
    return clock(0);
  case SpecialRegister::ClockHi:
  case SpecialRegister::GlobalTimerHi:
    return clock(32);
  case SpecialRegister::EnvReg1:
    return fromContext(offsetof(PtxjitKernelContext, gridWorkspace) + 4, 32);
  case SpecialRegister::EnvReg2:
    return fromContext(offsetof(PtxjitKernelContext, gridWorkspace), 32);
  case SpecialRegister::ClusterIdX:
  case SpecialRegister::ClusterIdY:
  case SpecialRegister::ClusterIdZ:
  case SpecialRegister::NClusterIdX:
  case SpecialRegister::NClusterIdY:
  case SpecialRegister::NClusterIdZ:
  case SpecialRegister::ClusterNctaidX:
  case SpecialRegister::ClusterNctaidY:
  case SpecialRegister::ClusterNctaidZ:
  case SpecialRegister::ClusterNctarank:
  case SpecialRegister::ClusterCtaidX:
  case SpecialRegister::ClusterCtaidY:
  case SpecialRegister::ClusterCtaidZ:
  case SpecialRegister::ClusterCtarank:
  case SpecialRegister::IsExplicitCluster:
    return emitClusterRegister(op);
  case SpecialRegister::ReservedSmemOffsetBegin:
  case SpecialRegister::ReservedSmemOffset0:
  case SpecialRegister::CurrentGraphExec:
  default: // counters and driver-set registers
    setBase(op, s.intConstant(ChunkBuilder::widthOf(op), 0));
    return success();
  }
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

LogicalResult Packetizer::emitAddressOf(AddressOfOp op) {
  auto module = func->getParentOfType<ModuleOp>();
  auto var = module.lookupSymbol<VarOp>(op.getSymbol());
  std::optional<int64_t> place = layout.find(op.getSymbol());
  if (!var || !place)
    return op.emitError() << "the address of '" << op.getSymbol()
                          << "' cannot be taken yet: function addresses are "
                             "not supported";
  ChunkBuilder s = scalar();
  if (var.getSpace() != Space::Global && var.getSpace() != Space::Const) {
    Value offset = s.intConstant(64, uint64_t(*place));
    if (perThread() && var.getSpace() == Space::Local)
      offset = frameAddress(var);
    else if (var.getSpace() == Space::Shared && rankBits)
      offset = s.add(offset, rankBits);
    setBase(op, offset);
    return success();
  }
  Value slot = s.add(globalsTable, s.intConstant(64, uint64_t(*place) * 8));
  auto load = LLVM::LoadOp::create(b, loc, b.getI64Type(), toPointer(slot));
  load.setInvariant(true);
  setBase(op, load);
  return success();
}

/// Generic addresses are host addresses; so are those of .global and .const.
/// The windows of .shared, .param and .local begin at a base.
LogicalResult Packetizer::emitCvta(CvtaOp op) {
  auto convert = [&](ChunkBuilder c, Value address, Value window) {
    unsigned width = ChunkBuilder::widthOf(address);
    Value wide = c.resize(address, 64, false);
    if (window)
      wide = op.getTo() ? c.sub(wide, window) : c.add(wide, window);
    return c.resize(wide, width, false);
  };
  Value window = windowBase(op.getSpace());
  if (op.getSpace() != Space::Local || perThread()) {
    Value ok = values[op.getA()].ok; // not in one line: the map may grow
    values[op.getD()].ok = ok;
    if (shapeOf(op.getD()).hasBase())
      setBase(op.getD(), convert(scalar(), base(op.getA()), window));
    if (shapeOf(op.getD()).hasBase() && !shapeOf(op.getD()).conditional)
      return success();
  }
  SmallVector<Value, 8> chunks;
  for (unsigned c = 0; c < numChunks(); ++c) {
    Value splat = window ? lanes().splat(window) : Value();
    if (op.getSpace() == Space::Local) {
      LanePattern frames;
      for (unsigned i = 0; i < 32; ++i)
        frames[i] = i * layout.localBytes;
      splat = lanes().add(splat, patternVector(frames, c, 64));
    }
    chunks.push_back(convert(lanes(), chunk(op.getA(), c), splat));
  }
  setChunks(op.getD(), chunks);
  return success();
}
