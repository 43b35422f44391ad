//===- Prefetches.cpp - lines that a warp will load soon ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Accesses.h"
#include "Dispatch.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

/// Bytes that a CPU loads at once, and the most of them for a row.
static constexpr int64_t kLine = 64;
static constexpr size_t kMostLines = 8;

/// Offsets that lie a line apart, one for each line that the lanes are in.
static SmallVector<int64_t, 8> linesOf(const LaneAddress &address,
                                       unsigned lanes) {
  if (!address.pattern)
    return {0};
  SmallVector<int64_t, 8> lines;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    int64_t offset = (*address.pattern)[lane];
    if (llvm::none_of(lines, [&](int64_t line) {
          return offset >= line && offset - line < kLine;
        }))
      lines.push_back(offset);
  }
  return lines;
}

static LogicalResult emitPrefetchRow(WarpBuilder &warp, PrefetchRowOp op) {
  LaneAddress address = resolve(warp, op.getA(), Space::Global, op.getOffset());
  if (!address.base)
    return success();
  unsigned lanes = warp.numChunks() * warp.target.chunk;
  SmallVector<int64_t, 8> lines = linesOf(address, lanes);
  if (lines.size() > kMostLines)
    return success();
  ChunkBuilder s = warp.scalar();
  for (int64_t line : lines) {
    Value at = line ? s.add(address.base, s.intConstant(64, uint64_t(line)))
                    : address.base;
    // Into the second cache, to be read: the first one has the rows in use.
    warp.create<LLVM::Prefetch>(warp.toPointer(at), /*rw=*/0, /*hint=*/2,
                                /*cache=*/1);
  }
  return success();
}

void ptxjit::addPrefetchEmitters(Dispatch &dispatch) {
  dispatch.add<emitPrefetchRow>();
}
