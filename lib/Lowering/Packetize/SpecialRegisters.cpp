//===- SpecialRegisters.cpp - special registers ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Clusters.h"
#include "Dispatch.h"
#include "LaneLoops.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

/// %tid in one dimension: that of lane 0 if `lanes` is 0, else those of the
/// lanes of chunk `c`.
static Value emitTid(WarpBuilder &warp, unsigned dim, unsigned lanes,
                     unsigned c) {
  ChunkBuilder v(warp.b, warp.loc, warp.target, lanes);
  Value thread = v.splat(warp.kernel.linear);
  if (lanes)
    thread = v.add(thread, warp.laneNumbers(c));
  const ShapeContext &context = warp.shapes.getContext();
  unsigned x = context.block[0], y = context.block[1];
  if (context.anyBlock && dim == 0 && y == 1) // one row
    return thread;
  // An extent, or the product of those of x and y.
  auto extent = [&](unsigned d) {
    if (!context.anyBlock)
      return v.intConstant(32, d == 0 ? x : d == 1 ? y : x * y);
    ChunkBuilder s = warp.scalar();
    Value n = d < 2 ? warp.blockExtent(d)
                    : s.mul(warp.blockExtent(0), warp.blockExtent(1));
    return v.splat(n);
  };
  auto divide = [&](Value a, unsigned d) {
    bool isOne = d == 0 ? x == 1 : x * y == 1;
    return isOne ? a : v.make<arith::DivUIOp>(a, extent(d));
  };
  auto rest = [&](Value a, unsigned d) {
    return v.make<arith::RemUIOp>(a, extent(d));
  };
  switch (dim) {
  case 0:
    return rest(thread, 0);
  case 1:
    return rest(divide(thread, 0), 1);
  default:
    return divide(thread, 2);
  }
}

/// %nwarpid: the warps of 32 threads, however many threads run together.
static Value countWarps(WarpBuilder &warp) {
  ChunkBuilder s = warp.scalar();
  const ShapeContext &context = warp.shapes.getContext();
  if (!context.anyBlock)
    return s.intConstant(32, (context.threads() + 31) / 32);
  return s.shrBy(s.add(warp.threadCount(), s.intConstant(32, 31)), 5, false);
}

/// Element `lane` (i32) of a constant table of 32-bit values.
static Value lookUp(WarpBuilder &warp, const LanePattern &table, Value lane) {
  SmallVector<int32_t> elements;
  for (int64_t element : table)
    elements.push_back(int32_t(element));
  auto type = VectorType::get(32, warp.b.getI32Type());
  Value all = warp.create<arith::ConstantOp>(
      DenseElementsAttr::get(type, ArrayRef(elements)));
  return extractLane(warp, all, lane);
}

static LogicalResult emitSRegister(WarpBuilder &warp, SRegOp op) {
  SpecialRegister reg = op.getReg();
  ChunkBuilder s = warp.scalar();
  auto fromContext = [&](size_t offset, unsigned width) {
    warp.setBase(op, warp.loadContext(offset, warp.b.getIntegerType(width)));
    return success();
  };
  auto laneMask = [&](auto bitsOf) {
    if (warp.perThread()) {
      LanePattern bits;
      for (unsigned i = 0; i < 32; ++i)
        bits[i] = bitsOf(uint64_t(i));
      warp.setBase(op, lookUp(warp, bits, warp.laneOfThread()));
      return success();
    }
    SmallVector<Value, 8> chunks;
    for (unsigned c = 0; c < warp.numChunks(); ++c) {
      LanePattern bits;
      for (unsigned i = 0; i < 32; ++i)
        bits[i] = bitsOf(uint64_t(i));
      chunks.push_back(warp.patternVector(bits, c, 32));
    }
    warp.setChunks(op, chunks);
    return success();
  };
  auto clock = [&](unsigned shift) {
    Value time =
        warp.callHelper(offsetof(PtxjitHelpers, time), {}, warp.b.getI64Type());
    if (shift)
      time = s.shrBy(time, shift, false);
    warp.setBase(op,
                 s.resize(time, op.getType().getIntOrFloatBitWidth(), false));
    return success();
  };
  switch (reg) {
  case SpecialRegister::TidX:
  case SpecialRegister::TidY:
  case SpecialRegister::TidZ: {
    unsigned dim = unsigned(reg) - unsigned(SpecialRegister::TidX);
    if (warp.shapeOf(op).hasBase()) {
      warp.setBase(op, emitTid(warp, dim, 0, 0));
      return success();
    }
    SmallVector<Value, 8> chunks;
    for (unsigned c = 0; c < warp.numChunks(); ++c)
      chunks.push_back(emitTid(warp, dim, warp.target.chunk, c));
    warp.setChunks(op, chunks);
    return success();
  }
  case SpecialRegister::NtidX:
  case SpecialRegister::NtidY:
  case SpecialRegister::NtidZ: {
    unsigned dim = unsigned(reg) - unsigned(SpecialRegister::NtidX);
    warp.setBase(op, warp.blockExtent(dim));
    return success();
  }
  case SpecialRegister::CtaidX:
  case SpecialRegister::CtaidY:
  case SpecialRegister::CtaidZ:
    warp.setBase(
        op,
        warp.kernel.ctaid[unsigned(reg) - unsigned(SpecialRegister::CtaidX)]);
    return success();
  case SpecialRegister::NctaidX:
  case SpecialRegister::NctaidY:
  case SpecialRegister::NctaidZ:
    warp.setBase(
        op,
        warp.kernel.nctaid[unsigned(reg) - unsigned(SpecialRegister::NctaidX)]);
    return success();
  case SpecialRegister::LaneId:
    warp.setBase(op,
                 warp.perThread() ? warp.laneOfThread() : s.intConstant(32, 0));
    return success();
  case SpecialRegister::WarpId:
    warp.setBase(op, warp.perThread() ? s.shrBy(warp.kernel.linear, 5, false)
                                      : warp.kernel.strand);
    return success();
  case SpecialRegister::NWarpId:
    warp.setBase(op, countWarps(warp));
    return success();
  case SpecialRegister::SmId:
    return fromContext(offsetof(PtxjitKernelContext, smid), 32);
  case SpecialRegister::NSmId:
    return fromContext(offsetof(PtxjitKernelContext, nsmid), 32);
  case SpecialRegister::GridId:
    return fromContext(offsetof(PtxjitKernelContext, gridid), 64);
  case SpecialRegister::CurrentGraphExec:
    return fromContext(offsetof(PtxjitKernelContext, graphExec), 64);
  case SpecialRegister::TotalSmemSize:
  case SpecialRegister::AggrSmemSize:
    return fromContext(offsetof(PtxjitKernelContext, totalShared), 32);
  case SpecialRegister::DynamicSmemSize:
    return fromContext(offsetof(PtxjitKernelContext, dynamicShared), 32);
  case SpecialRegister::ReservedSmemOffsetEnd:
  case SpecialRegister::ReservedSmemOffsetCap:
    warp.setBase(op, s.intConstant(32, PTXJIT_SHARED_BASE));
    return success();
  case SpecialRegister::ReservedSmemOffset1:
    warp.setBase(op, s.intConstant(32, PTXJIT_SHARED_GROUPS));
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
    return emitClusterRegister(warp, op);
  case SpecialRegister::ReservedSmemOffsetBegin:
  case SpecialRegister::ReservedSmemOffset0:
  default: // counters and driver-set registers
    warp.setBase(op, s.intConstant(ChunkBuilder::widthOf(op), 0));
    return success();
  }
}

void ptxjit::addSpecialRegisterEmitters(Dispatch &dispatch) {
  dispatch.add<emitSRegister>();
}
