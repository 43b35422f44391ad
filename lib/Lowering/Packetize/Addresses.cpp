//===- Addresses.cpp - the addresses of a warp access ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Addresses.h"
#include "Conditions.h"
#include "Dispatch.h"
#include "ThreadStack.h"
#include "ptxjit/Analysis/IndexedAddress.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

Value ptxjit::hostAddressOf(WarpBuilder &warp, const LanePlaces &places,
                            Value place) {
  ChunkBuilder s = warp.scalar();
  Value bytes = s.shlBy(s.resize(place, 64, /*isSigned=*/true),
                        llvm::Log2_32(places.scale));
  return s.add(places.origin(), bytes);
}

/// Instructions scale indices by up to 8.
static constexpr unsigned kLargestStep = 8;

LanePointers::LanePointers(WarpBuilder &warp, const LaneAddress &address,
                           unsigned c)
    : warp(warp), narrow(address.places ? &*address.places : nullptr) {
  if (narrow && narrow->scale > kLargestStep)
    narrow = nullptr;
  vector = narrow ? narrow->vectors(c) : address.vectors(c);
}

Value LanePointers::at(int64_t offset) const {
  ChunkBuilder s = warp.scalar(), v = warp.lanes();
  auto moved = [&](ChunkBuilder in, Value from) {
    return offset ? in.add(from, in.intConstant(64, uint64_t(offset))) : from;
  };
  if (!narrow)
    return warp.toPointer(moved(v, vector));
  Type pointer = LLVM::LLVMPointerType::get(warp.b.getContext());
  return warp.create<LLVM::GEPOp>(v.vec(pointer),
                                  warp.b.getIntegerType(narrow->scale * 8),
                                  warp.toPointer(moved(s, narrow->origin())),
                                  ArrayRef<LLVM::GEPArg>{vector});
}

AccessShape ptxjit::shapeOf(const LaneAddress &address) {
  AccessShape shape;
  shape.hasBase = bool(address.base);
  shape.pattern = address.pattern;
  shape.conditional = bool(address.ok);
  shape.mayPart = address.mayPart;
  shape.groups = address.groups;
  return shape;
}

bool ptxjit::isOwned(std::optional<Space> space) {
  switch (space.value_or(Space::Generic)) {
  case Space::Shared:
  case Space::SharedCta:
  case Space::SharedCluster:
  case Space::Local:
    return true;
  default:
    return false;
  }
}

Value ptxjit::windowBase(WarpBuilder &warp, std::optional<Space> space) {
  switch (space.value_or(Space::Generic)) {
  case Space::Shared:
  case Space::SharedCta:
  case Space::SharedCluster:
    return warp.kernel.sharedWindow;
  case Space::Param:
  case Space::ParamEntry:
  case Space::ParamFunc:
    return warp.kernel.paramsBase;
  case Space::Local:
    return warp.kernel.localBase;
  default:
    return Value();
  }
}

/// Can the distances between lanes differ from their pattern because 32 bits
/// wrapped around? Not in windows (see resolve), which are small, unless the
/// pattern reaches 2^30 bytes.
static bool wrapsAround(const Shape &shape, unsigned width, bool inWindow) {
  if (!shape.pattern || width == 64)
    return false;
  auto isNear = [](int64_t p) { return std::abs(p) < int64_t(1) << 30; };
  return !(inWindow && llvm::all_of(*shape.pattern, isNear)) &&
         ShapeAnalysis::mayWrap(shape, width, /*isSigned=*/inWindow);
}

LaneAddress ptxjit::addressInSpace(WarpBuilder &warp, Value address,
                                   int64_t offset, bool inWindow,
                                   unsigned placeBits) {
  const Shape &shape = warp.shapeOf(address);
  unsigned width = ChunkBuilder::widthOf(address);
  bool wraps = wrapsAround(shape, width, inWindow);
  auto extend = [=](ChunkBuilder c, Value x) {
    if (placeBits < width)
      x = c.resize(x, placeBits, false);
    return c.resize(x, 64, /*isSigned=*/inWindow);
  };
  LaneAddress out;
  if (shape.hasBase()) {
    ChunkBuilder s = warp.scalar();
    out.base = extend(s, warp.base(address));
    if (offset)
      out.base = s.add(out.base, s.intConstant(64, uint64_t(offset)));
    if (shape.pattern)
      out.pattern = *shape.pattern;
    out.ok = warp.values.condition(address);
    out.mayPart = shape.parted;
    if (wraps)
      out.ok = warp.both(out.ok, wrapTest(warp, warp.base(address),
                                          *shape.pattern, width,
                                          /*isSigned=*/inWindow));
  }
  if (shape.hasGroups() && !warp.perThread())
    out.groups = {*shape.groups, shape.pattern ? *shape.pattern : LanePattern{},
                  shape.conditional || wraps};
  out.vectors = [=, &warp](unsigned c) {
    ChunkBuilder v = warp.lanes();
    return v.add(extend(v, warp.chunk(address, c)),
                 v.intConstant(64, uint64_t(offset)));
  };
  return out;
}

LaneAddress ptxjit::placeInWindow(WarpBuilder &warp, const LaneAddress &address,
                                  Value window, unsigned scale,
                                  const LanePattern &places) {
  LaneAddress out = address;
  out.groups.reset();
  out.places.reset();
  unsigned shift = llvm::Log2_32(scale);
  if (address.base) {
    ChunkBuilder s = warp.scalar();
    out.base = s.add(window, s.shlBy(address.base, shift));
    out.pattern.emplace(places);
    for (unsigned i = 0; address.pattern && i < 32; ++i)
      (*out.pattern)[i] += (*address.pattern)[i] * scale;
  }
  out.vectors = [=, &warp](unsigned c) {
    ChunkBuilder v = warp.lanes();
    Value at = v.add(v.splat(window), warp.patternVector(places, c, 64));
    return v.add(v.shlBy(address.vectors(c), shift), at);
  };
  return out;
}

/// The places of host addresses that are made from indices, `offset` bytes
/// behind `address`.
static std::optional<LanePlaces>
placesOfIndices(WarpBuilder &warp, Value address, int64_t offset) {
  if (warp.perThread() || warp.shapeOf(address).isUniform())
    return std::nullopt;
  std::optional<IndexedAddress> indexed = findIndex(address, warp.shapes);
  // Another part of a split kernel may have made some of it.
  auto isMade = [&](const IndexedAddress::Term &term) {
    return warp.isMade(term.value);
  };
  if (!indexed || !warp.isMade(indexed->index) ||
      !llvm::all_of(indexed->terms, isMade))
    return std::nullopt;
  // Unsigned places count from the middle.
  constexpr uint64_t kMiddle = uint64_t(1) << 31;
  Value index = indexed->index;
  unsigned scale = indexed->scale;
  bool isSigned = indexed->isSigned;
  auto origin = [=, &warp, terms = indexed->terms] {
    ChunkBuilder s = warp.scalar();
    Value sum =
        s.intConstant(64, uint64_t(offset) + (isSigned ? 0 : kMiddle * scale));
    for (const IndexedAddress::Term &term : terms)
      sum =
          s.add(s.shlBy(warp.base(term.value), llvm::Log2_32(term.scale)), sum);
    return sum;
  };
  auto vectors = [=, &warp](unsigned c) {
    ChunkBuilder v = warp.lanes();
    Value own = warp.chunk(index, c);
    return isSigned ? own : v.bitXor(own, v.intConstant(32, kMiddle));
  };
  return LanePlaces{origin, scale, /*areNear=*/false, vectors};
}

LaneAddress ptxjit::resolve(WarpBuilder &warp, Value address,
                            std::optional<Space> space, int64_t offset) {
  Value window = windowBase(warp, space);
  unsigned placeBits = ChunkBuilder::widthOf(address);
  if (auto widened = address.getDefiningOp<arith::ExtUIOp>();
      widened && window) {
    // Another part of a split kernel may have made the narrow value, so that
    // only the widened one is available.
    if (warp.isMade(widened.getIn()))
      address = widened.getIn();
    placeBits = ChunkBuilder::widthOf(widened.getIn());
  }
  LaneAddress at = addressInSpace(warp, address, offset,
                                  /*inWindow=*/bool(window), placeBits);
  if (!window) {
    at.places = placesOfIndices(warp, address, offset);
    return at;
  }
  if (space == Space::Local && !warp.perThread()) {
    LanePattern frames;
    for (unsigned i = 0; i < 32; ++i)
      frames[i] = i * warp.layout.localBytes;
    return placeInWindow(warp, at, window, 1, frames);
  }
  LaneAddress out = at;
  if (at.base)
    out.base = warp.scalar().add(at.base, window);
  out.vectors = [=, &warp](unsigned c) {
    ChunkBuilder v = warp.lanes();
    return v.add(at.vectors(c), v.splat(window));
  };
  if (placeBits != 32)
    return out;
  auto origin = [=, &warp] {
    ChunkBuilder s = warp.scalar();
    return s.add(window, s.intConstant(64, uint64_t(offset)));
  };
  auto vectors = [=, &warp](unsigned c) {
    return warp.lanes().resize(warp.chunk(address, c), 32, false);
  };
  out.places = {origin, 1, /*areNear=*/true, vectors};
  return out;
}

static LogicalResult emitAddressOf(WarpBuilder &warp, AddressOfOp op) {
  VarOp var = warp.layout.findVariable(op.getSymbol());
  std::optional<int64_t> place = warp.layout.find(op.getSymbol());
  if (!var || !place)
    return op.emitError() << "the address of '" << op.getSymbol()
                          << "' cannot be taken yet: function addresses are "
                             "not supported";
  ChunkBuilder s = warp.scalar();
  if (var.getSpace() != Space::Global && var.getSpace() != Space::Const) {
    Value offset = s.intConstant(64, uint64_t(*place));
    if (warp.perThread() && var.getSpace() == Space::Local)
      offset = frameAddress(warp, var);
    else if (var.getSpace() == Space::Shared && warp.kernel.rankBits)
      offset = s.add(offset, warp.kernel.rankBits);
    warp.setBase(op, offset);
    return success();
  }
  Value slot =
      s.add(warp.kernel.globalsTable, s.intConstant(64, uint64_t(*place) * 8));
  auto load =
      warp.create<LLVM::LoadOp>(warp.b.getI64Type(), warp.toPointer(slot));
  load.setInvariant(true);
  warp.setBase(op, load);
  return success();
}

/// Generic, `.global` and `.const` addresses are host addresses. Addresses of
/// `.shared`, `.param` and `.local` are offsets in windows.
static LogicalResult emitCvta(WarpBuilder &warp, CvtaOp op) {
  auto convert = [&](ChunkBuilder c, Value address, Value window) {
    unsigned width = ChunkBuilder::widthOf(address);
    Value wide = c.resize(address, 64, false);
    if (window)
      wide = op.getTo() ? c.sub(wide, window) : c.add(wide, window);
    return c.resize(wide, width, false);
  };
  Value window = windowBase(warp, op.getSpace());
  if (op.getSpace() != Space::Local || warp.perThread()) {
    warp.values.setCondition(op.getD(), warp.values.condition(op.getA()));
    if (warp.shapeOf(op.getD()).hasBase())
      warp.setBase(op.getD(),
                   convert(warp.scalar(), warp.base(op.getA()), window));
    if (warp.shapeOf(op.getD()).hasBase() &&
        !warp.shapeOf(op.getD()).conditional)
      return success();
  }
  SmallVector<Value, 8> chunks;
  for (unsigned c = 0; c < warp.numChunks(); ++c) {
    Value splat = window ? warp.lanes().splat(window) : Value();
    if (op.getSpace() == Space::Local) {
      LanePattern frames;
      for (unsigned i = 0; i < 32; ++i)
        frames[i] = i * warp.layout.localBytes;
      splat = warp.lanes().add(splat, warp.patternVector(frames, c, 64));
    }
    chunks.push_back(convert(warp.lanes(), warp.chunk(op.getA(), c), splat));
  }
  warp.setChunks(op.getD(), chunks);
  return success();
}

/// In a kernel, the offset in the window of parameters. In a called function,
/// the address that its caller has passed.
static LogicalResult emitParamAddress(WarpBuilder &warp, ParamAddressOp op) {
  if (!warp.func.getEntry()) {
    size_t results = op.getIsResult() ? warp.func.getParams().size() : 0;
    warp.setBase(op, warp.kernel.formals[results + op.getIndex()]);
    return success();
  }
  auto formal = cast<ParamAttr>(warp.func.getParams()[op.getIndex()]);
  warp.setBase(op, warp.scalar().intConstant(64, uint64_t(formal.getOffset())));
  return success();
}

void ptxjit::addAddressEmitters(Dispatch &dispatch) {
  dispatch.add<emitAddressOf>();
  dispatch.add<emitCvta>();
  dispatch.add<emitParamAddress>();
}
