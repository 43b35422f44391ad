//===- LocalsByElement.cpp - local memory stored by element ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables that nobody sees as a frame (InterleaveLocals.cpp) are stored per
// warp as [granule][lane], in a second arena behind the 32 frames. So an access
// of all lanes at the same offset is contiguous. An element of several granules
// is accessed in pieces.
//
//===----------------------------------------------------------------------===//

#include "LocalsByElement.h"
#include "Accesses.h"
#include "Addresses.h"
#include "Alignment.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

/// The addresses of the granules that the lanes have `offset` bytes behind
/// `address`.
static LaneAddress interleavedAddress(WarpBuilder &warp, Value address,
                                      int64_t offset, int64_t granule) {
  ChunkBuilder s = warp.scalar();
  Value arena = s.add(warp.kernel.localBase,
                      s.intConstant(64, uint64_t(warp.layout.localBytes) * 32));
  LanePattern places;
  for (unsigned i = 0; i < 32; ++i)
    places[i] = i * granule;
  return placeInWindow(warp,
                       addressInSpace(warp, address, offset, /*inWindow=*/true),
                       arena, 32, places);
}

LogicalResult ptxjit::emitInterleavedLoad(WarpBuilder &warp, LdOp op) {
  int64_t granule = int64_t(*op.getGranule());
  int64_t offset = int64_t(op.getOffset());
  Type element = op.getD().front().getType();
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  unsigned count = op.getD().size(), pieces = unsigned(bytes / granule);
  emitAlignmentTest(
      warp, addressInSpace(warp, op.getA(), offset, /*inWindow=*/true),
      op.getA(), op.getSpace(), offset, bytes * count, op.getMask());
  Type piece =
      pieces == 1 ? element : warp.b.getIntegerType(unsigned(granule) * 8);
  for (unsigned e = 0; e < count; ++e) {
    SmallVector<SmallVector<Value>> loaded;
    for (unsigned p = 0; p < pieces; ++p) {
      LaneAddress address = interleavedAddress(
          warp, op.getA(), offset + e * bytes + p * granule, granule);
      WarpAccess access{address, piece, 1, op.getMask()};
      loaded.push_back(loadElements(
          warp, access, planFor(warp, op, access, /*isStore=*/false)));
    }
    SmallVector<Value, 8> chunks;
    for (unsigned c = 0; c < warp.numChunks(); ++c) {
      SmallVector<Value> parts;
      for (const SmallVector<Value> &flat : loaded)
        parts.push_back(flat[c]);
      Value whole = interleave(warp, parts);
      Type type = warp.lanes().vec(element);
      if (whole.getType() != type)
        whole = warp.create<LLVM::BitcastOp>(type, whole);
      chunks.push_back(whole);
    }
    warp.setChunks(op.getD()[e], chunks);
  }
  return success();
}

/// Piece `index` of `pieces` of the lanes' elements.
static Value pieceOf(WarpBuilder &warp, Value lanesOf, unsigned index,
                     unsigned pieces) {
  if (pieces == 1)
    return lanesOf;
  unsigned bits = ChunkBuilder::widthOf(lanesOf) / pieces;
  auto type =
      VectorType::get(warp.target.chunk * pieces, warp.b.getIntegerType(bits));
  Value all = warp.create<LLVM::BitcastOp>(type, lanesOf);
  SmallVector<int32_t> picked;
  for (unsigned i = 0; i < warp.target.chunk; ++i)
    picked.push_back(int32_t(i * pieces + index));
  return warp.create<LLVM::ShuffleVectorOp>(all, all, picked);
}

LogicalResult ptxjit::emitInterleavedStore(WarpBuilder &warp, StOp op) {
  int64_t granule = int64_t(*op.getGranule());
  int64_t offset = int64_t(op.getOffset());
  int64_t bytes = ChunkBuilder::widthOf(op.getB().front()) / 8;
  unsigned pieces = unsigned(bytes / granule);
  emitAlignmentTest(warp,
                    addressInSpace(warp, op.getA(), offset, /*inWindow=*/true),
                    op.getA(), op.getSpace(), offset,
                    bytes * int64_t(op.getB().size()), op.getMask());
  for (Value stored : op.getB()) {
    for (unsigned p = 0; p < pieces; ++p) {
      SmallVector<Value> flat;
      for (unsigned c = 0; c < warp.numChunks(); ++c)
        flat.push_back(pieceOf(warp, warp.chunk(stored, c), p, pieces));
      LaneAddress address =
          interleavedAddress(warp, op.getA(), offset, granule);
      WarpAccess access{address, ChunkBuilder::elementOf(flat.front()), 1,
                        op.getMask()};
      storeElements(warp, access, planFor(warp, op, access, /*isStore=*/true),
                    flat);
      offset += granule;
    }
  }
  return success();
}
