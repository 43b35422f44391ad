//===- TensorBox.cpp - boxes of tensors of the reference interpreter ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Says which rows a box has. What the ISA leaves open and we chose is marked
// "chosen".
//
//===----------------------------------------------------------------------===//

#include "TensorBox.h"

using namespace ptxjit;
using namespace ptxjit::ptx;
using namespace ptxjit::reference;

static PtxjitTensorAction actionOf(const TensorBox &box) {
  if (!box.reduction)
    return box.isLoad ? PTXJIT_TENSOR_LOAD : PTXJIT_TENSOR_STORE;
  switch (*box.reduction) {
  case AtomicOp::Add:
    return PTXJIT_TENSOR_ADD;
  case AtomicOp::Min:
    return PTXJIT_TENSOR_MIN;
  case AtomicOp::Max:
    return PTXJIT_TENSOR_MAX;
  case AtomicOp::Inc:
    return PTXJIT_TENSOR_INC;
  case AtomicOp::Dec:
    return PTXJIT_TENSOR_DEC;
  case AtomicOp::And:
    return PTXJIT_TENSOR_AND;
  case AtomicOp::Or:
    return PTXJIT_TENSOR_OR;
  case AtomicOp::Xor:
    return PTXJIT_TENSOR_XOR;
  default:
    llvm_unreachable("no form has this reduction");
  }
}

const char *reference::findFault(const TensorBox &box) {
  return findTensorFault({box.map, PtxjitTensorMode(box.copy.mode),
                          box.copy.dims, actionOf(box), int32_t(box.start[0])});
}

//===----------------------------------------------------------------------===//
// Rows of a box
//===----------------------------------------------------------------------===//

/// ISA: "tiled mode". The box is a dense array in shared memory.
static void listTile(TensorBox &box) {
  unsigned count = 1;
  for (unsigned d = 1; d < box.map.rank; ++d)
    count *= box.countIn(d);
  for (unsigned i = 0; i < count; ++i) {
    Coordinates row = box.start;
    for (unsigned d = 1, rest = i; d < box.map.rank; ++d) {
      row[d] += rest % box.countIn(d) * box.strideIn(d);
      rest /= box.countIn(d);
    }
    box.rows.push_back(row);
  }
}

/// ISA: "tile::scatter4 and tile::gather4 modes". The four rows follow each
/// other in shared memory.
static void listGathered(TensorBox &box) {
  for (int64_t row : box.gathered)
    box.rows.push_back({box.start[0], row});
}

/// ISA: "im2col mode". Goes to the next position of the filter within the
/// corners of the box. Dimensions up to `last` are walked; behind the end of
/// all follows the next image, with the other dimensions unchanged.
static void step(const TensorBox &box, Coordinates &at, unsigned last,
                 int64_t offset) {
  const PtxjitTensorMap &map = box.map;
  for (unsigned d = 1; d <= last; ++d) {
    at[d] += box.strideIn(d);
    if (at[d] <= int64_t(map.sizes[d]) - 1 + map.upper[d - 1] + offset)
      return;
    at[d] = map.lower[d - 1] + offset;
  }
  ++at[map.rank - 1];
}

static void listIm2col(TensorBox &box) {
  unsigned last = box.map.rank - 2;
  Coordinates at = box.start;
  for (unsigned i = 0; i < box.map.pixels; ++i) {
    Coordinates row = at;
    for (unsigned d = 1; d <= last; ++d)
      row[d] += box.offsets[d - 1];
    box.rows.push_back(row);
    step(box, at, last, 0);
  }
}

/// ISA: "im2col::w and im2col::w::128 modes". The walk is along w only, and
/// goes on in the next image, h and d being constant. `wOffset` moves the start
/// and both corners. Halo pixels follow all pixels (`::w`), or each 32 of them
/// (`::w::128`). They are the next ones of the walk, and the pixels behind them
/// begin with the same ones (chosen).
static void listIm2colW(TensorBox &box) {
  auto [halo, offset, unused] = box.offsets;
  bool is128 = box.copy.mode == TensorMode::Im2colW128;
  Coordinates at = box.start;
  at[1] += offset;
  for (unsigned group = 0; group < (is128 ? 4 : 1); ++group) {
    for (unsigned i = 0; i < (is128 ? 32 : box.map.pixels); ++i) {
      box.rows.push_back(at);
      step(box, at, 1, offset);
    }
    Coordinates beyond = at;
    for (int64_t i = 0; i < halo; ++i) {
      box.rows.push_back(beyond);
      step(box, beyond, 1, offset);
    }
  }
}

void reference::listRows(TensorBox &box) {
  switch (box.copy.mode) {
  case TensorMode::Tile:
    return listTile(box);
  case TensorMode::Gather4:
  case TensorMode::Scatter4:
    return listGathered(box);
  case TensorMode::Im2col:
  case TensorMode::Im2colNoOffsets:
    return listIm2col(box);
  case TensorMode::Im2colW:
  case TensorMode::Im2colW128:
    return listIm2colW(box);
  }
}
