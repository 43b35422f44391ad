//===- LocalToVector.cpp - local memory by element ------------------------===//
//
// Variables that nobody sees as a frame (InterleaveLocals.cpp) are stored, per
// warp, as [granule][lane], in a second arena behind the 32 frames: what all
// lanes keep at the same offset is one contiguous access. Elements of several
// granules fall into pieces.
//
//===----------------------------------------------------------------------===//

#include "Packetizer.h"

#include "ptxjit/Runtime/KernelABI.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

/// Where the lanes' granules `offset` bytes behind `address` lie.
LaneAddress Packetizer::interleavedAddress(Value address, int64_t offset,
                                           int64_t granule) {
  ChunkBuilder s = scalar();
  Value arena =
      s.add(localBase, s.intConstant(64, uint64_t(layout.localBytes) * 32));
  LanePattern places;
  for (unsigned i = 0; i < 32; ++i)
    places[i] = i * granule;
  return placeInWindow(addressInSpace(address, offset, /*inWindow=*/true),
                       arena, 32, places);
}

LogicalResult Packetizer::emitInterleavedLoad(LdOp op) {
  int64_t granule = int64_t(*op.getGranule());
  int64_t offset = int64_t(op.getOffset());
  Type element = op.getD().front().getType();
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  unsigned count = op.getD().size(), pieces = unsigned(bytes / granule);
  emitAlignmentTest(addressInSpace(op.getA(), offset, /*inWindow=*/true),
                    op.getA(), op.getSpace(), offset, bytes * count,
                    op.getMask());
  Type piece = pieces == 1 ? element : b.getIntegerType(unsigned(granule) * 8);
  for (unsigned e = 0; e < count; ++e) {
    SmallVector<SmallVector<Value>> loaded;
    for (unsigned p = 0; p < pieces; ++p)
      loaded.push_back(loadElements(
          interleavedAddress(op.getA(), offset + e * bytes + p * granule,
                             granule),
          piece, 1, op.getMask(), /*invariant=*/false));
    SmallVector<Value, 8> chunks;
    for (unsigned c = 0; c < numChunks(); ++c) {
      SmallVector<Value> parts;
      for (const SmallVector<Value> &flat : loaded)
        parts.push_back(flat[c]);
      Value whole = interleave(parts);
      Type type = lanes().vec(element);
      if (whole.getType() != type)
        whole = LLVM::BitcastOp::create(b, loc, type, whole);
      chunks.push_back(whole);
    }
    setChunks(op.getD()[e], chunks);
  }
  return success();
}

/// Piece `index` of the lanes' elements, of `pieces`.
Value Packetizer::pieceOf(Value lanesOf, unsigned index, unsigned pieces) {
  if (pieces == 1)
    return lanesOf;
  unsigned bits = ChunkBuilder::widthOf(lanesOf) / pieces;
  auto type = VectorType::get(target.chunk * pieces, b.getIntegerType(bits));
  Value all = LLVM::BitcastOp::create(b, loc, type, lanesOf);
  SmallVector<int32_t> picked;
  for (unsigned i = 0; i < target.chunk; ++i)
    picked.push_back(int32_t(i * pieces + index));
  return LLVM::ShuffleVectorOp::create(b, loc, all, all, picked);
}

LogicalResult Packetizer::emitInterleavedStore(StOp op) {
  int64_t granule = int64_t(*op.getGranule());
  int64_t offset = int64_t(op.getOffset());
  int64_t bytes = ChunkBuilder::widthOf(op.getB().front()) / 8;
  unsigned pieces = unsigned(bytes / granule);
  emitAlignmentTest(addressInSpace(op.getA(), offset, /*inWindow=*/true),
                    op.getA(), op.getSpace(), offset,
                    bytes * int64_t(op.getB().size()), op.getMask());
  for (Value stored : op.getB()) {
    for (unsigned p = 0; p < pieces; ++p) {
      SmallVector<Value> flat;
      for (unsigned c = 0; c < numChunks(); ++c)
        flat.push_back(pieceOf(chunk(stored, c), p, pieces));
      storeElements(interleavedAddress(op.getA(), offset, granule), flat,
                    op.getMask());
      offset += granule;
    }
  }
  return success();
}
