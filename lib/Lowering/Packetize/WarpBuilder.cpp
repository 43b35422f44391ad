//===- WarpBuilder.cpp - code for one warp --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WarpBuilder.h"
#include "Clusters.h"
#include "ptxjit/Lowering/Pipelines.h"

#include <numeric>

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

WarpBuilder::WarpBuilder(FuncOp func, const KernelLayout &layout,
                         const ShapeAnalysis &shapes,
                         const KernelTarget &target, const Dispatch &dispatch)
    : func(func), layout(layout), shapes(shapes), target(target),
      dispatch(dispatch), normals(func), b(func), loc(func.getLoc()),
      values(*this) {
  assert(shapes.getContext().lanes % target.chunk == 0 &&
         "a warp is a number of whole chunks");
}

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

Value WarpBuilder::toPointer(Value address) {
  auto ptr = LLVM::LLVMPointerType::get(b.getContext());
  Type type = ptr;
  if (isa<VectorType>(address.getType()))
    type = VectorType::get(target.chunk, ptr);
  return create<LLVM::IntToPtrOp>(type, address);
}

Value WarpBuilder::both(Value x, Value y) {
  if (!x || !y)
    return x ? x : y;
  return create<arith::AndIOp>(x, y);
}

Value WarpBuilder::patternVector(const LanePattern &pattern, unsigned c,
                                 unsigned width) {
  assert(c < numChunks() && "a warp has no such chunk");
  SmallVector<APInt> elements;
  for (unsigned i = 0; i < target.chunk; ++i)
    elements.push_back(APInt(width, uint64_t(pattern[c * target.chunk + i]),
                             false, /*implicitTrunc=*/true));
  auto type = VectorType::get(target.chunk, b.getIntegerType(width));
  return create<arith::ConstantOp>(DenseElementsAttr::get(type, elements));
}

Value WarpBuilder::laneNumbers(unsigned c) {
  LanePattern numbers;
  std::iota(numbers.begin(), numbers.end(), 0);
  return patternVector(numbers, c, 32);
}

Value WarpBuilder::laneOfThread() {
  ChunkBuilder s = scalar();
  return s.bitAnd(kernel.linear, s.intConstant(32, 31));
}

//===----------------------------------------------------------------------===//
// The launch
//===----------------------------------------------------------------------===//

Value WarpBuilder::contextField(size_t offset) {
  auto ptr = LLVM::LLVMPointerType::get(b.getContext());
  return create<LLVM::GEPOp>(ptr, b.getI8Type(), kernel.context,
                             LLVM::GEPArg(int32_t(offset)));
}

Value WarpBuilder::loadContext(size_t offset, Type type) {
  auto load = create<LLVM::LoadOp>(type, contextField(offset));
  load.setInvariant(true);
  return load;
}

void WarpBuilder::buildPrologue(Value context) {
  Type i32 = b.getI32Type(), i64 = b.getI64Type();
  kernel.context = context;
  for (unsigned d = 0; d < 3; ++d) {
    kernel.ctaid[d] =
        loadContext(offsetof(PtxjitKernelContext, ctaid) + 4 * d, i32);
    kernel.nctaid[d] =
        loadContext(offsetof(PtxjitKernelContext, nctaid) + 4 * d, i32);
  }
  kernel.paramsBase = loadContext(offsetof(PtxjitKernelContext, params), i64);
  kernel.globalsTable =
      loadContext(offsetof(PtxjitKernelContext, globals), i64);
  kernel.sharedBase = loadContext(offsetof(PtxjitKernelContext, shared), i64);
  kernel.sharedWindow = kernel.sharedBase;
  if (layout.usesCluster) {
    Value rank = loadContext(offsetof(PtxjitKernelContext, clusterRank), i32);
    kernel.rankBits = rankOffset(*this, rank);
    kernel.sharedWindow = scalar().sub(kernel.sharedBase, kernel.rankBits);
  }
  kernel.localArena = kernel.localBase =
      loadContext(offsetof(PtxjitKernelContext, local), i64);
}

void WarpBuilder::enterStrand(Value number) {
  kernel.strand = number;
  ChunkBuilder s = scalar();
  if (layout.localBytes && !perThread()) {
    Value stride =
        loadContext(offsetof(PtxjitKernelContext, localStride), b.getI64Type());
    kernel.localBase =
        s.add(kernel.localArena, s.mul(stride, s.resize(number, 64, false)));
  }
  kernel.linear = s.shlBy(number, llvm::Log2_32(numLanes()));
}

Value WarpBuilder::blockExtent(unsigned dim) {
  const ShapeContext &context = shapes.getContext();
  if (!context.anyBlock || context.block[dim] == 1)
    return scalar().intConstant(32, context.block[dim]);
  return loadContext(offsetof(PtxjitKernelContext, ntid) +
                         dim * sizeof(uint32_t),
                     b.getI32Type());
}

Value WarpBuilder::threadCount() {
  ChunkBuilder s = scalar();
  return s.mul(s.mul(blockExtent(0), blockExtent(1)), blockExtent(2));
}

Value WarpBuilder::warpCount() {
  ChunkBuilder s = scalar();
  Value rounded = s.add(threadCount(), s.intConstant(32, numLanes() - 1));
  return s.shrBy(rounded, llvm::Log2_32(numLanes()), false);
}

Value WarpBuilder::callHelper(size_t offset, ArrayRef<Value> operands,
                              Type result) {
  auto ptr = LLVM::LLVMPointerType::get(b.getContext());
  Value table = loadContext(offsetof(PtxjitKernelContext, helpers), ptr);
  Value place = create<LLVM::GEPOp>(ptr, b.getI8Type(), table,
                                    LLVM::GEPArg(int32_t(offset)));
  auto helper = create<LLVM::LoadOp>(ptr, place);
  helper.setInvariant(true);
  SmallVector<Type> types = {ptr};
  SmallVector<Value> arguments = {helper, kernel.context};
  for (Value operand : operands) {
    types.push_back(operand.getType());
    arguments.push_back(operand);
  }
  auto type =
      LLVM::LLVMFunctionType::get(result ? result : b.getI32Type(), types);
  auto call = create<LLVM::CallOp>(type, arguments);
  call->setAttr(kHelperAttr,
                b.getI32IntegerAttr(int32_t(offset / sizeof(void *))));
  return call.getResult();
}

void WarpBuilder::callForGood(size_t offset, ArrayRef<Value> operands) {
  callHelper(offset, operands);
  // Regions cannot end here. At a trap, LLVM's optimizer ends the block.
  create<LLVM::Trap>();
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

void WarpBuilder::enterBlock() {
  ++depth;
  for (auto &[type, state] : states)
    state->enterBlock();
}

void WarpBuilder::leaveBlock() {
  assert(depth && "no block was entered");
  --depth;
  for (auto &[type, state] : states)
    state->leaveBlock();
}
