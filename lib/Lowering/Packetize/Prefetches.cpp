//===- Prefetches.cpp - lines that a warp will load soon ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Prefetches.h"
#include "Accesses.h"
#include "Dispatch.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

/// Bytes that a CPU loads at once, and the most of them for a row.
static constexpr int64_t kLine = 64;
static constexpr size_t kMostLines = 8;
/// How far ahead of a load lines are fetched: what a few CTAs of a row read.
static constexpr int64_t kAhead = 4096;

/// Offsets that lie a line apart, one for each line that the lanes are in; none
/// if these are many.
static SmallVector<int64_t, 8> linesOf(WarpBuilder &warp,
                                       const LaneAddress &address) {
  if (!address.pattern)
    return {0};
  SmallVector<int64_t, 8> lines;
  unsigned lanes = warp.numChunks() * warp.target.chunk;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    int64_t offset = (*address.pattern)[lane];
    if (llvm::none_of(lines, [&](int64_t line) {
          return offset >= line && offset - line < kLine;
        }))
      lines.push_back(offset);
  }
  if (lines.size() > kMostLines)
    lines.clear();
  return lines;
}

/// Fetches lines that are so far behind `base`.
static void fetchLines(WarpBuilder &warp, Value base, ArrayRef<int64_t> lines) {
  ChunkBuilder s = warp.scalar();
  for (int64_t line : lines) {
    Value at = line ? s.add(base, s.intConstant(64, uint64_t(line))) : base;
    // Into the second cache, to be read: the first one has the rows in use.
    warp.create<LLVM::Prefetch>(warp.toPointer(at), /*rw=*/0, /*hint=*/2,
                                /*cache=*/1);
  }
}

static LogicalResult emitPrefetchRow(WarpBuilder &warp, PrefetchRowOp op) {
  LaneAddress address = resolve(warp, op.getA(), Space::Global, op.getOffset());
  if (address.base)
    fetchLines(warp, address.base, linesOf(warp, address));
  return success();
}

void ptxjit::fetchAhead(WarpBuilder &warp, LdOp load,
                        const LaneAddress &address) {
  const ParamArrays &arrays = warp.state<ParamArrays>();
  std::optional<unsigned> array =
      arrays.loads ? arrays.loads->arrayOf(load) : std::nullopt;
  if (!array || !address.base)
    return;
  SmallVector<int64_t, 8> lines = linesOf(warp, address);
  if (lines.empty())
    return;
  for (int64_t &line : lines)
    line += kAhead;
  unsigned bit = unsigned(arrays.stores.getArrays().size()) + *array;
  ChunkBuilder s = warp.scalar();
  Value bits = warp.loadContext(offsetof(PtxjitKernelContext, largeArrays),
                                warp.b.getI64Type());
  Value own = s.bitAnd(bits, s.intConstant(64, uint64_t(1) << bit));
  auto ifLarge = warp.create<scf::IfOp>(
      s.cmp(arith::CmpIPredicate::ne, own, s.intConstant(64, 0)),
      /*withElse=*/false);
  OpBuilder::InsertionGuard guard(warp.b);
  warp.b.setInsertionPointToStart(ifLarge.thenBlock());
  fetchLines(warp, address.base, lines);
}

void ptxjit::addPrefetchEmitters(Dispatch &dispatch) {
  dispatch.add<emitPrefetchRow>();
}
