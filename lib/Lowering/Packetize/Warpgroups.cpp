//===- Warpgroups.cpp - multiplications of a warpgroup --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `wgmma` goes to a queue on the warp's stack (lib/Device/Wgmma.cpp). The
// runtime lets the warps of a warpgroup wait for each other, where the last one
// runs the queues of all. Threads with strands of their own run each
// multiplication at once, each for the whole warp, as any matrix instruction.
//
//===----------------------------------------------------------------------===//

#include "Warpgroups.h"
#include "Dispatch.h"
#include "Faults.h"
#include "Fragments.h"
#include "MatrixHomes.h"

#include "mlir/IR/Matchers.h"
#include "ptxjit/Device/Functions.h"
#include "ptxjit/Device/Wgmma.h"
#include "ptxjit/Dialect/Wgmma.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;
using arith::CmpIPredicate;

//===----------------------------------------------------------------------===//
// The queue
//===----------------------------------------------------------------------===//

namespace {
struct WgmmaQueue : FamilyState {
  explicit WgmmaQueue(WarpBuilder &) {}
  Value pointer; ///< null until needed
};
} // namespace

/// The warp's queue, which is empty when the kernel starts.
static Value queueOf(WarpBuilder &warp) {
  Value &queue = warp.state<WgmmaQueue>().pointer;
  if (queue)
    return queue;
  auto bytes =
      LLVM::LLVMArrayType::get(warp.b.getI8Type(), device::kWgmmaQueueBytes);
  queue = allocateOnStack(warp, bytes, 128);
  OpBuilder::InsertionGuard guard(warp.b);
  warp.b.setInsertionPointAfter(queue.getDefiningOp());
  warp.create<LLVM::StoreOp>(warp.scalar().intConstant(32, 0), queue, 4);
  return queue;
}

/// The number of the warp in its warpgroup, i32.
static Value warpInGroup(WarpBuilder &warp) {
  ChunkBuilder s = warp.scalar();
  Value number = warp.kernel.strand;
  if (warp.perThread())
    number = s.shrBy(number, 5, /*isSigned=*/false);
  return s.bitAnd(number, s.intConstant(32, 3));
}

void ptxjit::settleQueue(WarpBuilder &warp) {
  callDevice(warp, device::wgmma_settle, {queueOf(warp), warpInGroup(warp)});
}

/// Waits for the warpgroup, which then has run all queues.
static void meetWarpgroup(WarpBuilder &warp) {
  auto ptr = LLVM::LLVMPointerType::get(warp.b.getContext());
  Value queue =
      warp.perThread() ? Value(warp.create<LLVM::ZeroOp>(ptr)) : queueOf(warp);
  warp.callHelper(
      offsetof(PtxjitHelpers, warpgroupBarrier),
      {warp.kernel.strand, queue, addressOfDevice(warp, device::wgmma_run)});
}

//===----------------------------------------------------------------------===//
// wgmma
//===----------------------------------------------------------------------===//

static const device::Function &kernelOf(const WgmmaMultiply &multiply,
                                        const KernelTarget &target) {
  bool sparse = multiply.isSparse;
  bool fastTiles = target.tiles && target.fastMatrices && !sparse;
  switch (multiply.typeOfA) {
  case MatrixType::F16:
    if (fastTiles)
      return device::wgmma_tiles_f16;
    return sparse ? device::wgmma_sparse_f16 : device::wgmma_f16;
  case MatrixType::BF16:
    if (fastTiles)
      return device::wgmma_tiles_bf16;
    if (target.fastMatrices && target.fastProducts && !sparse)
      return device::wgmma_fast_bf16;
    return sparse ? device::wgmma_sparse_bf16 : device::wgmma_bf16;
  case MatrixType::TF32:
    return sparse ? device::wgmma_sparse_tf32 : device::wgmma_tf32;
  case MatrixType::E4M3:
  case MatrixType::E5M2:
    if (fastTiles)
      return device::wgmma_tiles_fp8;
    return sparse ? device::wgmma_sparse_fp8 : device::wgmma_fp8;
  case MatrixType::S8:
  case MatrixType::U8:
    if (target.tiles)
      return sparse ? device::wgmma_sparse_tiles_bytes
                    : device::wgmma_tiles_bytes;
    if (target.dotProducts)
      return sparse ? device::wgmma_sparse_dot_bytes : device::wgmma_dot_bytes;
    return sparse ? device::wgmma_sparse_bytes : device::wgmma_bytes;
  case MatrixType::B1:
    return device::wgmma_bits;
  default:
    llvm_unreachable("not a type of A");
  }
}

/// The flags that the modifiers say.
static uint32_t constantFlags(const WgmmaMultiply &multiply) {
  auto isOther = [](MatrixType type) {
    return type == MatrixType::S8 || type == MatrixType::E5M2;
  };
  uint32_t flags = 0;
  if (multiply.saturates)
    flags |= device::kWgmmaSaturates;
  if (multiply.typeOfD == MatrixType::F16)
    flags |= device::kWgmmaHalfSums;
  if (isOther(multiply.typeOfA))
    flags |= device::kWgmmaOtherA;
  if (isOther(multiply.typeOfB))
    flags |= device::kWgmmaOtherB;
  if (multiply.isSparse)
    flags |= device::kWgmmaSparse;
  return flags;
}

/// All flags, i32.
static Value flagsOf(WarpBuilder &warp, const WgmmaMultiply &multiply) {
  ChunkBuilder s = warp.scalar();
  Value flags = s.intConstant(32, constantFlags(multiply));
  auto addIf = [&](Value condition, uint32_t flag) {
    flags = s.bitOr(flags, s.select(condition, s.intConstant(32, flag),
                                    s.intConstant(32, 0)));
  };
  Value zero = s.intConstant(32, 0), one = s.intConstant(32, 1);
  auto isOdd = [&](Value operand) {
    return s.cmp(CmpIPredicate::ne,
                 s.bitAnd(uniformOperand(warp, operand), one), zero);
  };
  addIf(isOdd(multiply.accumulates), device::kWgmmaAccumulates);
  if (multiply.factorOfA) {
    Value differs =
        s.cmp(CmpIPredicate::ne, uniformOperand(warp, multiply.factorOfA),
              uniformOperand(warp, multiply.factorOfB));
    addIf(differs, device::kWgmmaNegates);
  }
  if (multiply.layoutOfA)
    addIf(isOdd(multiply.layoutOfA), device::kWgmmaAlongM);
  if (multiply.layoutOfB)
    addIf(isOdd(multiply.layoutOfB), device::kWgmmaAlongN);
  if (multiply.selector)
    addIf(isOdd(multiply.selector), device::kWgmmaSelector);
  return flags;
}

/// Waits for the warpgroup if the queue is full. All its warps come here with
/// equally many entries.
static void makeRoom(WarpBuilder &warp, Value queue) {
  ChunkBuilder s = warp.scalar();
  Value count = warp.create<LLVM::LoadOp>(warp.b.getI32Type(), queue, 4);
  Value isFull = s.cmp(CmpIPredicate::uge, count,
                       s.intConstant(32, device::kWgmmaEntries));
  auto full = warp.create<scf::IfOp>(isFull, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(warp.b);
  warp.b.setInsertionPointToStart(full.thenBlock());
  meetWarpgroup(warp);
}

/// Fails if a matrix of the multiplication that was issued last exceeds shared
/// memory.
static void testBounds(WarpBuilder &warp, Value queue, Value mask) {
  ChunkBuilder s = warp.scalar();
  Value outside = warp.create<LLVM::LoadOp>(warp.b.getI64Type(),
                                            placeIn(warp, queue, 8), 8);
  Value fails = s.cmp(CmpIPredicate::ne, outside, s.intConstant(64, 0));
  auto failure = warp.create<scf::IfOp>(fails, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(warp.b);
  warp.b.setInsertionPointToStart(failure.thenBlock());
  emitFault(warp, PTXJIT_KERNEL_ILLEGAL_ADDRESS, warp.activeBits(mask),
            outside);
}

namespace {
/// Emits one `wgmma`.
class WgmmaEmission {
public:
  WgmmaEmission(WarpBuilder &warp, WgmmaOp op)
      : warp(warp), op(op), multiply(op.getMultiply()) {}

  void run() {
    Value queue = queueOf(warp);
    if (!warp.perThread())
      makeRoom(warp, queue);
    TileForm form(op, /*isResult=*/false);
    StackBuffer home = homeFor(warp, op, TileValues(multiply.c), form,
                               matchPattern(multiply.accumulates, m_Zero()));
    issue(queue, home.pointer);
    testBounds(warp, queue, op.getMask());
    if (warp.perThread())
      settleQueue(warp);
    else if (leavesHome(warp, TileValues(op.getD())))
      // The sums are read before a wait, as where a loop hands them on. All
      // warps come here, so B is read once for all of them.
      meetWarpgroup(warp);
    if (!keepHome(warp, home, TileValues(op.getD()), form))
      dropHome(warp, home, form);
    for (const StackBuffer &buffer : taken)
      giveBack(warp, buffer);
  }

private:
  /// Stores registers to memory for this instruction. Null if there are none.
  Value store(ValueRange registers) {
    if (registers.empty())
      return warp.create<LLVM::ZeroOp>(
          LLVM::LLVMPointerType::get(warp.b.getContext()));
    taken.push_back(
        takeBuffer(warp, int64_t(registers.size()) * kRegisterBytes));
    for (auto [i, v] : llvm::enumerate(registers))
      storeRegister(warp, op, taken.back().pointer, i, v);
    return taken.back().pointer;
  }
  void issue(Value queue, Value home);

  WarpBuilder &warp;
  WgmmaOp op;
  WgmmaMultiply multiply;
  SmallVector<StackBuffer, 2> taken;
};
} // namespace

void WgmmaEmission::issue(Value queue, Value home) {
  ChunkBuilder s = warp.scalar();
  auto ptr = LLVM::LLVMPointerType::get(warp.b.getContext());
  Value shared = warp.loadContext(offsetof(PtxjitKernelContext, shared), ptr);
  Value sharedBytes = warp.loadContext(
      offsetof(PtxjitKernelContext, totalShared), warp.b.getI32Type());
  Value sharedEnd = s.add(sharedBytes, s.intConstant(32, PTXJIT_SHARED_BASE));
  Value registers = store(multiply.a);
  Value metadata =
      store(multiply.metadata ? ValueRange(multiply.metadata) : ValueRange());
  Value a = multiply.descriptorOfA
                ? uniformOperand(warp, multiply.descriptorOfA, 64)
                : s.intConstant(64, 0);
  callDevice(warp, device::wgmma_issue,
             {queue, addressOfDevice(warp, kernelOf(multiply, warp.target)),
              home, shared, sharedEnd, registers, a,
              uniformOperand(warp, multiply.descriptorOfB, 64), metadata,
              flagsOf(warp, multiply), s.intConstant(32, multiply.n)});
}

static LogicalResult emitWgmma(WarpBuilder &warp, WgmmaOp op) {
  WgmmaEmission(warp, op).run();
  return success();
}

/// Completes all multiplications, however many groups may remain incomplete.
static LogicalResult emitWgmmaWait(WarpBuilder &warp, WgmmaWaitOp) {
  meetWarpgroup(warp);
  return success();
}

/// Lets `to` be the same registers as `from`. WarpValues::setSame would pass a
/// base on, which the result of a `ptx.settle` gets no pattern for.
static void forward(WarpBuilder &warp, Value from, Value to) {
  if (warp.perThread()) {
    warp.setBase(to, warp.base(from));
    return;
  }
  SmallVector<Value, 8> chunks;
  for (unsigned c = 0; c < warp.numChunks(); ++c)
    chunks.push_back(warp.chunk(from, c));
  warp.setChunks(to, chunks);
}

static LogicalResult emitSettle(WarpBuilder &warp, SettleOp op) {
  if (!isAtHome(warp, op, TileValues(op.getD()))) {
    for (auto [from, to] : llvm::zip(op.getD(), op.getSettled()))
      forward(warp, from, to);
    return success();
  }
  TileForm form(op, /*isResult=*/false);
  StackBuffer home = homeFor(warp, op, TileValues(op.getD()), form);
  if (!keepHome(warp, home, TileValues(op.getSettled()), form))
    dropHome(warp, home, form);
  return success();
}

void ptxjit::addWarpgroupEmitters(Dispatch &dispatch) {
  dispatch.add<emitWgmma>();
  dispatch.add<emitWgmmaWait>();
  dispatch.add<emitSettle>();
}
