//===- ClusterToVector.cpp - clusters, and whose address it is ------------===//

#include "Packetizer.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;
using arith::CmpIPredicate;

LogicalResult Packetizer::emitByLane(
    Operation &op,
    llvm::function_ref<Value(ChunkBuilder &k, ValueRange)> make) {
  Value result = op.getResult(0);
  SmallVector<Value> operands;
  if (shapeOf(result).isUniform()) {
    for (Value operand : op.getOperands())
      operands.push_back(base(operand));
    ChunkBuilder s = scalar();
    setBase(result, make(s, operands));
    return success();
  }
  SmallVector<Value, 8> chunks;
  for (unsigned c = 0; c < numChunks(); ++c) {
    operands.clear();
    for (Value operand : op.getOperands())
      operands.push_back(chunk(operand, c));
    ChunkBuilder v = lanes();
    chunks.push_back(make(v, operands));
  }
  setChunks(result, chunks);
  return success();
}

LogicalResult Packetizer::emitClusterOp(Operation &op, bool &handled) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
      .Case([&](BarrierClusterOp o) { return emitBarrierCluster(o); })
      .Case([&](MapaOp o) { return emitMapa(o); })
      .Case([&](GetCtaRankOp o) { return emitGetCtaRank(o); })
      .Case([&](IsSpacepOp o) { return emitIsSpacep(o); })
      .Default([&](Operation *) {
        handled = false;
        return success();
      });
}

//===----------------------------------------------------------------------===//
// Ranks
//===----------------------------------------------------------------------===//

/// i64: where the memory of a CTA begins in its cluster's.
Value Packetizer::rankOffset(Value rank) {
  ChunkBuilder s = scalar();
  return s.shlBy(s.resize(rank, 64, false), PTXJIT_SHARED_BITS);
}

/// i32: CTAs of a cluster.
Value Packetizer::clusterSize() {
  ChunkBuilder s = scalar();
  Value size;
  for (unsigned d = 0; d < 3; ++d) {
    Value extent = loadContext(
        offsetof(PtxjitKernelContext, clusterDim) + 4 * d, b.getI32Type());
    size = size ? s.make<arith::MulIOp>(size, extent) : extent;
  }
  return size;
}

LogicalResult Packetizer::emitClusterRegister(SRegOp op) {
  SpecialRegister reg = op.getReg();
  ChunkBuilder s = scalar();
  auto dim = [&](SpecialRegister first) {
    return unsigned(reg) - unsigned(first);
  };
  auto extent = [&](unsigned d) {
    return loadContext(offsetof(PtxjitKernelContext, clusterDim) + 4 * d,
                       b.getI32Type());
  };
  auto set = [&](Value value) {
    setBase(op, s.resize(value, ChunkBuilder::widthOf(op), false));
    return success();
  };
  switch (reg) {
  case SpecialRegister::ClusterIdX:
  case SpecialRegister::ClusterIdY:
  case SpecialRegister::ClusterIdZ: {
    unsigned d = dim(SpecialRegister::ClusterIdX);
    return set(s.make<arith::DivUIOp>(ctaid[d], extent(d)));
  }
  case SpecialRegister::NClusterIdX:
  case SpecialRegister::NClusterIdY:
  case SpecialRegister::NClusterIdZ: {
    unsigned d = dim(SpecialRegister::NClusterIdX);
    return set(s.make<arith::DivUIOp>(nctaid[d], extent(d)));
  }
  case SpecialRegister::ClusterNctaidX:
  case SpecialRegister::ClusterNctaidY:
  case SpecialRegister::ClusterNctaidZ:
    return set(extent(dim(SpecialRegister::ClusterNctaidX)));
  case SpecialRegister::ClusterCtaidX:
  case SpecialRegister::ClusterCtaidY:
  case SpecialRegister::ClusterCtaidZ: {
    unsigned d = dim(SpecialRegister::ClusterCtaidX);
    return set(s.make<arith::RemUIOp>(ctaid[d], extent(d)));
  }
  case SpecialRegister::ClusterNctarank:
    return set(clusterSize());
  case SpecialRegister::ClusterCtarank:
    return set(loadContext(offsetof(PtxjitKernelContext, clusterRank),
                           b.getI32Type()));
  default: {
    Value given = loadContext(offsetof(PtxjitKernelContext, explicitCluster),
                              b.getI32Type());
    setBase(op, s.cmp(CmpIPredicate::ne, given, s.intConstant(32, 0)));
    return success();
  }
  }
}

LogicalResult Packetizer::emitBarrierCluster(BarrierClusterOp op) {
  bool waits = op.getMode() == ClusterBarrier::Wait;
  callHelper(offsetof(PtxjitHelpers, clusterBarrier),
             {strand, scalar().intConstant(32, waits)});
  return success();
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

LogicalResult Packetizer::emitMapa(MapaOp op) {
  bool generic = !op.getSpace();
  return emitByLane(*op, [&](ChunkBuilder &k, ValueRange in) {
    Value window = k.splat(sharedWindow);
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

LogicalResult Packetizer::emitGetCtaRank(GetCtaRankOp op) {
  bool generic = !op.getSpace();
  return emitByLane(*op, [&](ChunkBuilder &k, ValueRange in) {
    Value a = k.resize(in[0], 64, false);
    if (generic)
      a = k.sub(a, k.splat(sharedWindow));
    return k.resize(k.shrBy(a, PTXJIT_SHARED_BITS, false), 32, false);
  });
}

/// begin <= address < begin + bytes; these two are i64 scalars.
Value Packetizer::isWithin(ChunkBuilder &k, Value address, Value begin,
                           Value bytes) {
  return k.cmp(CmpIPredicate::ult, k.sub(address, k.splat(begin)),
               k.splat(bytes));
}

/// i64: where a CTA's shared data end in its window.
Value Packetizer::sharedBytes() {
  ChunkBuilder s = scalar();
  Value used =
      loadContext(offsetof(PtxjitKernelContext, totalShared), b.getI32Type());
  return s.add(s.resize(used, 64, false),
               s.intConstant(64, PTXJIT_SHARED_BASE));
}

Value Packetizer::isInSpace(ChunkBuilder &k, Value address, Space space) {
  ChunkBuilder s = scalar();
  auto constant = [&](uint64_t n) { return s.intConstant(64, n); };
  switch (space) {
  case Space::Shared:
  case Space::SharedCta:
    return isWithin(k, address, sharedBase, sharedBytes());
  case Space::SharedCluster: {
    // Between the parts of the CTAs lies nothing, or other memory.
    uint64_t part = (uint64_t(1) << PTXJIT_SHARED_BITS) - 1;
    Value place = k.sub(address, k.splat(sharedWindow));
    Value used =
        k.cmp(CmpIPredicate::ult, k.bitAnd(place, k.intConstant(64, part)),
              k.splat(sharedBytes()));
    return k.bitAnd(
        used, isWithin(k, address, sharedWindow, rankOffset(clusterSize())));
  }
  case Space::Local:
    if (perThread()) { // on the thread's own stack, of all that lie in a row
      Value stride = loadContext(offsetof(PtxjitKernelContext, localStride),
                                 b.getI64Type());
      Value bottom =
          s.add(localBase, s.mul(stride, s.resize(strand, 64, false)));
      return isWithin(k, address, bottom, stride);
    }
    return isWithin(k, address, localBase,
                    constant(PTXJIT_LOCAL_BYTES(uint64_t(layout.localBytes))));
  case Space::Const: {
    Value any = k.splat(s.intConstant(1, 0));
    for (auto [i, global] : llvm::enumerate(layout.globals)) {
      VarOp variable = global;
      if (variable.getSpace() != Space::Const)
        continue;
      auto begin = LLVM::LoadOp::create(
          b, loc, b.getI64Type(),
          toPointer(s.add(globalsTable, constant(i * sizeof(uint64_t)))));
      begin.setInvariant(true);
      any = k.bitOr(any, isWithin(k, address, begin,
                                  constant(uint64_t(variable.getBytes()))));
    }
    return any;
  }
  case Space::Global: { // all that is nothing else; holds a kernel's parameters
    Value any;
    for (Space other : {Space::SharedCluster, Space::Local, Space::Const}) {
      Value is = isInSpace(k, address, other);
      any = any ? k.bitOr(any, is) : is;
    }
    return k.bitNot(any);
  }
  default: // of the kernel
    return isWithin(k, address, paramsBase,
                    constant(uint64_t(layout.paramBytes)));
  }
}

LogicalResult Packetizer::emitIsSpacep(IsSpacepOp op) {
  return emitByLane(*op, [&](ChunkBuilder &k, ValueRange in) {
    return isInSpace(k, k.resize(in[0], 64, false), op.getSpace());
  });
}
