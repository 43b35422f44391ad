//===- ThreadStack.cpp - thread stacks in thread mode ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In thread mode each thread is a strand of its own. Its stack also holds its
// local memory.
//
//===----------------------------------------------------------------------===//

#include "ThreadStack.h"
#include "Dispatch.h"
#include "Faults.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;
using arith::CmpIPredicate;

void ptxjit::emitStackTest(WarpBuilder &warp, Value bytes) {
  ChunkBuilder s = warp.scalar();
  auto ptr = LLVM::LLVMPointerType::get(warp.b.getContext());
  Value top = warp.create<LLVM::PtrToIntOp>(
      warp.b.getI64Type(), warp.create<LLVM::StackSaveOp>(ptr));
  Value stride = warp.loadContext(offsetof(PtxjitKernelContext, localStride),
                                  warp.b.getI64Type());
  Value bottom = s.add(warp.kernel.localBase,
                       s.mul(stride, s.resize(warp.kernel.strand, 64, false)));
  Value room =
      s.sub(top, s.add(bottom, s.intConstant(64, warp.layout.stackReserve())));
  Value full =
      s.cmp(CmpIPredicate::slt, room, bytes ? bytes : s.intConstant(64, 0));
  if (bytes) // a large unsigned size is negative
    full =
        s.bitOr(full, s.cmp(CmpIPredicate::slt, bytes, s.intConstant(64, 0)));
  auto overflow = warp.create<scf::IfOp>(full, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(warp.b);
  warp.b.setInsertionPointToStart(overflow.thenBlock());
  emitFault(warp, PTXJIT_KERNEL_STACK_OVERFLOW, s.intConstant(32, 1), Value());
}

namespace {
struct StackVariables : FamilyState {
  explicit StackVariables(WarpBuilder &) {}
  llvm::StringMap<Value> addresses;
};
} // namespace

Value ptxjit::frameAddress(WarpBuilder &warp, VarOp var) {
  Value &address = warp.state<StackVariables>().addresses[var.getSymName()];
  if (address)
    return address;
  OpBuilder::InsertionGuard guard(warp.b);
  warp.b.setInsertionPointAfterValue(warp.kernel.localBase);
  auto ptr = LLVM::LLVMPointerType::get(warp.b.getContext());
  Value one = warp.create<arith::ConstantIntOp>(1, 32);
  Value memory = warp.create<LLVM::AllocaOp>(
      ptr,
      LLVM::LLVMArrayType::get(warp.b.getI8Type(), uint64_t(var.getBytes())),
      one, unsigned(std::max<int64_t>(var.getAlign(), 16)));
  address = warp.scalar().sub(
      warp.create<LLVM::PtrToIntOp>(warp.b.getI64Type(), memory),
      warp.kernel.localBase);
  return address;
}

/// Sets `as` to the address of a pointer in `.local` space.
static void setLocal(WarpBuilder &warp, Value as, Value pointer) {
  ChunkBuilder s = warp.scalar();
  Value address = warp.create<LLVM::PtrToIntOp>(warp.b.getI64Type(), pointer);
  warp.setBase(as, s.resize(s.sub(address, warp.kernel.localBase),
                            ChunkBuilder::widthOf(as), false));
}

/// ISA: "stack manipulation".
static LogicalResult emitAlloca(WarpBuilder &warp, AllocaOp op) {
  Value bytes = warp.scalar().resize(warp.base(op.getA()), 64, false);
  emitStackTest(warp, bytes);
  APInt align(32, 8);
  bool ok = !op.getB() || matchPattern(op.getB(), m_ConstantInt(&align));
  if (!ok || !align.isPowerOf2() || align.ugt(1 << 16))
    return op.emitError("the alignment of 'alloca' must be a constant power of "
                        "two up to 65536");
  auto ptr = LLVM::LLVMPointerType::get(warp.b.getContext());
  setLocal(warp, op.getD(),
           warp.create<LLVM::AllocaOp>(ptr, warp.b.getI8Type(), bytes,
                                       unsigned(align.getZExtValue())));
  return success();
}

static LogicalResult emitStackSave(WarpBuilder &warp, StackSaveOp op) {
  auto ptr = LLVM::LLVMPointerType::get(warp.b.getContext());
  setLocal(warp, op.getD(), warp.create<LLVM::StackSaveOp>(ptr));
  return success();
}

static LogicalResult emitStackRestore(WarpBuilder &warp, StackRestoreOp op) {
  ChunkBuilder s = warp.scalar();
  Value address =
      s.add(s.resize(warp.base(op.getA()), 64, false), warp.kernel.localBase);
  warp.create<LLVM::StackRestoreOp>(warp.toPointer(address));
  return success();
}

void ptxjit::addStackEmitters(Dispatch &dispatch) {
  dispatch.add<emitAlloca>();
  dispatch.add<emitStackSave>();
  dispatch.add<emitStackRestore>();
}
