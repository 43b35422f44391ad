//===- Clusters.cpp - ranks and addresses in clusters ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Clusters.h"
#include "Dispatch.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;
using arith::CmpIPredicate;

LogicalResult ptxjit::emitByLane(
    WarpBuilder &warp, Operation *op,
    llvm::function_ref<Value(ChunkBuilder &k, ValueRange)> make) {
  Value result = op->getResult(0);
  SmallVector<Value> operands;
  if (warp.shapeOf(result).isUniform()) {
    for (Value operand : op->getOperands())
      operands.push_back(warp.base(operand));
    ChunkBuilder s = warp.scalar();
    warp.setBase(result, make(s, operands));
    return success();
  }
  SmallVector<Value, 8> chunks;
  for (unsigned c = 0; c < warp.numChunks(); ++c) {
    operands.clear();
    for (Value operand : op->getOperands())
      operands.push_back(warp.chunk(operand, c));
    ChunkBuilder v = warp.lanes();
    chunks.push_back(make(v, operands));
  }
  warp.setChunks(result, chunks);
  return success();
}

//===----------------------------------------------------------------------===//
// Ranks
//===----------------------------------------------------------------------===//

Value ptxjit::rankOffset(WarpBuilder &warp, Value rank) {
  ChunkBuilder s = warp.scalar();
  return s.shlBy(s.resize(rank, 64, false), PTXJIT_SHARED_BITS);
}

Value ptxjit::clusterSize(WarpBuilder &warp) {
  ChunkBuilder s = warp.scalar();
  Value size;
  for (unsigned d = 0; d < 3; ++d) {
    Value extent = warp.loadContext(
        offsetof(PtxjitKernelContext, clusterDim) + 4 * d, warp.b.getI32Type());
    size = size ? s.make<arith::MulIOp>(size, extent) : extent;
  }
  return size;
}

LogicalResult ptxjit::emitClusterRegister(WarpBuilder &warp, SRegOp op) {
  SpecialRegister reg = op.getReg();
  ChunkBuilder s = warp.scalar();
  auto dim = [&](SpecialRegister first) {
    return unsigned(reg) - unsigned(first);
  };
  auto extent = [&](unsigned d) {
    return warp.loadContext(offsetof(PtxjitKernelContext, clusterDim) + 4 * d,
                            warp.b.getI32Type());
  };
  auto set = [&](Value value) {
    warp.setBase(op, s.resize(value, ChunkBuilder::widthOf(op), false));
    return success();
  };
  switch (reg) {
  case SpecialRegister::ClusterIdX:
  case SpecialRegister::ClusterIdY:
  case SpecialRegister::ClusterIdZ: {
    unsigned d = dim(SpecialRegister::ClusterIdX);
    return set(s.make<arith::DivUIOp>(warp.kernel.ctaid[d], extent(d)));
  }
  case SpecialRegister::NClusterIdX:
  case SpecialRegister::NClusterIdY:
  case SpecialRegister::NClusterIdZ: {
    unsigned d = dim(SpecialRegister::NClusterIdX);
    return set(s.make<arith::DivUIOp>(warp.kernel.nctaid[d], extent(d)));
  }
  case SpecialRegister::ClusterNctaidX:
  case SpecialRegister::ClusterNctaidY:
  case SpecialRegister::ClusterNctaidZ:
    return set(extent(dim(SpecialRegister::ClusterNctaidX)));
  case SpecialRegister::ClusterCtaidX:
  case SpecialRegister::ClusterCtaidY:
  case SpecialRegister::ClusterCtaidZ: {
    unsigned d = dim(SpecialRegister::ClusterCtaidX);
    return set(s.make<arith::RemUIOp>(warp.kernel.ctaid[d], extent(d)));
  }
  case SpecialRegister::ClusterNctarank:
    return set(clusterSize(warp));
  case SpecialRegister::ClusterCtarank:
    return set(warp.loadContext(offsetof(PtxjitKernelContext, clusterRank),
                                warp.b.getI32Type()));
  default: {
    Value given = warp.loadContext(
        offsetof(PtxjitKernelContext, explicitCluster), warp.b.getI32Type());
    warp.setBase(op, s.cmp(CmpIPredicate::ne, given, s.intConstant(32, 0)));
    return success();
  }
  }
}

static LogicalResult emitBarrierCluster(WarpBuilder &warp,
                                        BarrierClusterOp op) {
  bool waits = op.getMode() == ClusterBarrier::Wait;
  warp.callHelper(offsetof(PtxjitHelpers, clusterBarrier),
                  {warp.kernel.strand, warp.scalar().intConstant(32, waits)});
  return success();
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

static LogicalResult emitMapa(WarpBuilder &warp, MapaOp op) {
  bool generic = !op.getSpace();
  return emitByLane(warp, op, [&](ChunkBuilder &k, ValueRange in) {
    Value window = k.splat(warp.kernel.sharedWindow);
    Value a = k.resize(in[0], 64, false);
    if (generic)
      a = k.sub(a, window);
    uint64_t own = (uint64_t(1) << PTXJIT_SHARED_BITS) - 1;
    Value rank = k.shlBy(k.resize(in[1], 64, false), PTXJIT_SHARED_BITS);
    Value place = k.bitOr(k.bitAnd(a, k.intConstant(64, own)), rank);
    if (generic)
      place = k.add(place, window);
    return k.resize(place, ChunkBuilder::widthOf(op.getD()), false);
  });
}

static LogicalResult emitGetCtaRank(WarpBuilder &warp, GetCtaRankOp op) {
  bool generic = !op.getSpace();
  return emitByLane(warp, op, [&](ChunkBuilder &k, ValueRange in) {
    Value a = k.resize(in[0], 64, false);
    if (generic)
      a = k.sub(a, k.splat(warp.kernel.sharedWindow));
    return k.resize(k.shrBy(a, PTXJIT_SHARED_BITS, false), 32, false);
  });
}

/// Is begin <= address < begin + bytes? Both bounds are i64 scalars.
static Value isWithin(WarpBuilder &warp, ChunkBuilder &k, Value address,
                      Value begin, Value bytes) {
  return k.cmp(CmpIPredicate::ult, k.sub(address, k.splat(begin)),
               k.splat(bytes));
}

/// The offset in its window at which the shared data of a CTA end, i64.
static Value sharedBytes(WarpBuilder &warp) {
  ChunkBuilder s = warp.scalar();
  Value used = warp.loadContext(offsetof(PtxjitKernelContext, totalShared),
                                warp.b.getI32Type());
  return s.add(s.resize(used, 64, false),
               s.intConstant(64, PTXJIT_SHARED_BASE));
}

static Value isInSpace(WarpBuilder &warp, ChunkBuilder &k, Value address,
                       Space space) {
  ChunkBuilder s = warp.scalar();
  auto constant = [&](uint64_t n) { return s.intConstant(64, n); };
  switch (space) {
  case Space::Shared:
  case Space::SharedCta:
    return isWithin(warp, k, address, warp.kernel.sharedBase,
                    sharedBytes(warp));
  case Space::SharedCluster: {
    // The gaps between the parts of the CTAs are unused, or other memory.
    uint64_t part = (uint64_t(1) << PTXJIT_SHARED_BITS) - 1;
    Value place = k.sub(address, k.splat(warp.kernel.sharedWindow));
    Value used =
        k.cmp(CmpIPredicate::ult, k.bitAnd(place, k.intConstant(64, part)),
              k.splat(sharedBytes(warp)));
    return k.bitAnd(used, isWithin(warp, k, address, warp.kernel.sharedWindow,
                                   rankOffset(warp, clusterSize(warp))));
  }
  case Space::Local:
    if (warp.perThread()) { // the thread's own stack
      Value stride = warp.loadContext(
          offsetof(PtxjitKernelContext, localStride), warp.b.getI64Type());
      Value bottom =
          s.add(warp.kernel.localBase,
                s.mul(stride, s.resize(warp.kernel.strand, 64, false)));
      return isWithin(warp, k, address, bottom, stride);
    }
    return isWithin(
        warp, k, address, warp.kernel.localBase,
        constant(PTXJIT_LOCAL_BYTES(uint64_t(warp.layout.localBytes))));
  case Space::Const: {
    Value any = k.splat(s.intConstant(1, 0));
    for (auto [i, global] : llvm::enumerate(warp.layout.globals)) {
      VarOp variable = global;
      if (variable.getSpace() != Space::Const)
        continue;
      auto begin = warp.create<LLVM::LoadOp>(
          warp.b.getI64Type(),
          warp.toPointer(
              s.add(warp.kernel.globalsTable, constant(i * sizeof(uint64_t)))));
      begin.setInvariant(true);
      any = k.bitOr(any, isWithin(warp, k, address, begin,
                                  constant(uint64_t(variable.getBytes()))));
    }
    return any;
  }
  case Space::Global: { // all other memory, with kernel parameters
    Value any;
    for (Space other : {Space::SharedCluster, Space::Local, Space::Const}) {
      Value is = isInSpace(warp, k, address, other);
      any = any ? k.bitOr(any, is) : is;
    }
    return k.bitNot(any);
  }
  default: // the parameters of the kernel
    return isWithin(warp, k, address, warp.kernel.paramsBase,
                    constant(uint64_t(warp.layout.paramBytes)));
  }
}

static LogicalResult emitIsSpacep(WarpBuilder &warp, IsSpacepOp op) {
  return emitByLane(warp, op, [&](ChunkBuilder &k, ValueRange in) {
    return isInSpace(warp, k, k.resize(in[0], 64, false), op.getSpace());
  });
}

void ptxjit::addClusterEmitters(Dispatch &dispatch) {
  dispatch.add<emitBarrierCluster>();
  dispatch.add<emitMapa>();
  dispatch.add<emitGetCtaRank>();
  dispatch.add<emitIsSpacep>();
}
