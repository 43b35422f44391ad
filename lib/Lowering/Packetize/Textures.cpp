//===- Textures.cpp - textures and surfaces -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a handle refers to is known when the kernel runs: the dimensions, the
// format, how texels are filtered. So the runtime does an access for all lanes
// of a warp (PtxjitHelpers::accessTexture), from rows of operands in memory.
//
//===----------------------------------------------------------------------===//

#include "Dispatch.h"
#include "RuntimeAccess.h"
#include "ptxjit/Dialect/PtxOps.h"
#include "ptxjit/Runtime/Texture.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

// Values of these enumerations go to the runtime as they are.
static_assert(int(Geometry::A2MS) == PTXJIT_GEOMETRY_A2DMS &&
              int(Geometry::Cube) == PTXJIT_GEOMETRY_CUBE);
static_assert(int(LevelMode::Level) == PTXJIT_LEVEL_GIVEN &&
              int(LevelMode::Grad) == PTXJIT_LEVEL_GRADIENTS);
static_assert(int(SurfaceBounds::Zero) == PTXJIT_BOUNDS_ZERO &&
              int(SurfaceBounds::Clamp) == PTXJIT_BOUNDS_CLAMP);
static_assert(int(TextureQuery::MemoryLayout) == PTXJIT_QUERY_MEMORY_LAYOUT &&
              int(TextureQuery::FilterMode) == PTXJIT_QUERY_FILTER_MODE);
static_assert(int(AtomicOp::Add) == PTXJIT_SURFACE_ADD &&
              int(AtomicOp::Max) == PTXJIT_SURFACE_MAX &&
              int(AtomicOp::And) == PTXJIT_SURFACE_AND &&
              int(AtomicOp::Or) == PTXJIT_SURFACE_OR);

//===----------------------------------------------------------------------===//
// Calls of the runtime
//===----------------------------------------------------------------------===//

namespace {
/// Stores the operands of an access, calls the runtime, and loads the results.
class AccessCall {
public:
  AccessCall(WarpBuilder &warp, PtxjitTextureAction action,
             const TextureAccess &access);
  ~AccessCall() { giveBack(warp, buffer); }
  AccessCall(const AccessCall &) = delete;
  AccessCall &operator=(const AccessCall &) = delete;

  /// What the opcode says. The caller adds to it.
  PtxjitTextureAccess how{};

  void storeData(ValueRange data);
  void call(Value mask);
  /// The first row of results in the lanes of a chunk, i32.
  Value loadData(unsigned c) {
    return loadLanes(warp, row(PTXJIT_TEXTURE_ROW_DATA), 32, c);
  }
  /// Sets the values of results: elements, then perhaps a predicate.
  void setResults(ValueRange results);

private:
  int64_t laneCount() const { return warp.shapes.getContext().lanes; }
  Value row(unsigned number) {
    return placeIn(warp, buffer.pointer, kRows + number * 4 * laneCount());
  }
  void storeHandles(int64_t offset, Value handles);
  void storeRow(unsigned number, Value v);
  void storeRows(unsigned first, ValueRange values);

  // Where things are in the buffer: the struct, two rows of handles, rows.
  static constexpr int64_t kHandles = 128, kSamplers = kHandles + 32 * 8,
                           kRows = kSamplers + 32 * 8;
  static constexpr int64_t kBytes = kRows + PTXJIT_TEXTURE_ROWS * 32 * 4;
  static_assert(sizeof(PtxjitTextureAccess) <= kHandles);

  WarpBuilder &warp;
  const TextureAccess access;
  StackBuffer buffer;
};
} // namespace

AccessCall::AccessCall(WarpBuilder &warp, PtxjitTextureAction action,
                       const TextureAccess &access)
    : warp(warp), access(access), buffer(takeBuffer(warp, kBytes)) {
  how.action = action;
  how.geometry = uint8_t(access.geometry);
  how.count = 1;
  if (access.isFloat)
    how.flags |= PTXJIT_TEXTURE_FLOAT_AT;
  storeHandles(kHandles, access.handle);
  if (access.sampler)
    storeHandles(kSamplers, access.sampler);
  auto storeIfThere = [&](unsigned number, Value v) {
    if (v)
      storeRow(number, v);
  };
  storeIfThere(PTXJIT_TEXTURE_ROW_LAYER, access.layer);
  storeIfThere(PTXJIT_TEXTURE_ROW_SAMPLE, access.sample);
  storeIfThere(PTXJIT_TEXTURE_ROW_LEVEL, access.level);
  storeIfThere(PTXJIT_TEXTURE_ROW_COMPARE, access.compare);
  storeRows(PTXJIT_TEXTURE_ROW_AT, access.at);
  storeRows(PTXJIT_TEXTURE_ROW_DPDX, access.dPdx);
  storeRows(PTXJIT_TEXTURE_ROW_DPDY, access.dPdy);
  storeRows(PTXJIT_TEXTURE_ROW_OFFSETS, access.offsets);
  if (!access.offsets.empty())
    how.flags |= PTXJIT_TEXTURE_HAS_OFFSETS;
  if (access.compare)
    how.flags |= PTXJIT_TEXTURE_HAS_COMPARE;
}

void AccessCall::storeHandles(int64_t offset, Value handles) {
  storeLanes(warp, placeIn(warp, buffer.pointer, offset), 64,
             [&](unsigned c) { return warp.chunk(handles, c); });
}

/// Elements of 64 bits take two rows.
void AccessCall::storeRow(unsigned number, Value v) {
  ChunkBuilder l = warp.lanes();
  auto bits = [&](unsigned c) { return l.bitsOf(warp.chunk(v, c)); };
  storeLanes(warp, row(number), 32,
             [&](unsigned c) { return l.resize(bits(c), 32, false); });
  if (v.getType().getIntOrFloatBitWidth() != 64)
    return;
  storeLanes(warp, row(number + 1), 32, [&](unsigned c) {
    return l.resize(l.shrBy(bits(c), 32, false), 32, false);
  });
}

void AccessCall::storeRows(unsigned first, ValueRange values) {
  for (auto [i, v] : llvm::enumerate(values))
    storeRow(first + unsigned(i), v);
}

/// Rows that an element takes.
static unsigned countRows(Type element) {
  return element.getIntOrFloatBitWidth() == 64 ? 2 : 1;
}

void AccessCall::storeData(ValueRange data) {
  unsigned number = PTXJIT_TEXTURE_ROW_DATA;
  for (Value v : data) {
    storeRow(number, v);
    number += countRows(v.getType());
  }
  assert(number <= PTXJIT_TEXTURE_ROWS && "at most four words");
}

void AccessCall::call(Value mask) {
  using Access = PtxjitTextureAccess;
  storeField(warp, buffer, offsetof(Access, handles),
             placeIn(warp, buffer.pointer, kHandles));
  storeField(
      warp, buffer, offsetof(Access, samplers),
      access.sampler
          ? placeIn(warp, buffer.pointer, kSamplers)
          : warp.create<LLVM::ZeroOp>(buffer.pointer.getType()).getResult());
  callForLanes(warp, buffer, row(0), mask, how,
               offsetof(PtxjitHelpers, accessTexture));
}

void AccessCall::setResults(ValueRange results) {
  ChunkBuilder l = warp.lanes();
  unsigned number = PTXJIT_TEXTURE_ROW_DATA;
  for (Value result : results) {
    SmallVector<Value, 8> chunks;
    Type type = result.getType();
    for (unsigned c = 0; c < warp.numChunks(); ++c) {
      if (type.isInteger(1)) { // all texels are in memory
        chunks.push_back(l.splat(warp.scalar().intConstant(1, 1)));
        continue;
      }
      Value bits = loadLanes(warp, row(number), 32, c);
      if (countRows(type) == 2) {
        Value high =
            l.resize(loadLanes(warp, row(number + 1), 32, c), 64, false);
        bits = l.bitOr(l.resize(bits, 64, false), l.shlBy(high, 32));
      }
      bits = l.resize(bits, type.getIntOrFloatBitWidth(), false);
      chunks.push_back(l.bitcast(bits, type));
    }
    warp.setChunks(result, chunks);
    number += countRows(type);
  }
}

//===----------------------------------------------------------------------===//
// Textures
//===----------------------------------------------------------------------===//

static PtxjitTextureElement elementOf(ScalarType type) {
  switch (type) {
  case ScalarType::U32:
    return PTXJIT_ELEMENT_U32;
  case ScalarType::S32:
    return PTXJIT_ELEMENT_S32;
  case ScalarType::F32:
    return PTXJIT_ELEMENT_F32;
  case ScalarType::F16:
    return PTXJIT_ELEMENT_F16;
  case ScalarType::F16x2:
    return PTXJIT_ELEMENT_F16X2;
  case ScalarType::B8:
    return PTXJIT_ELEMENT_B8;
  case ScalarType::B16:
    return PTXJIT_ELEMENT_B16;
  case ScalarType::B32:
    return PTXJIT_ELEMENT_B32;
  case ScalarType::B64:
    return PTXJIT_ELEMENT_B64;
  case ScalarType::U64:
    return PTXJIT_ELEMENT_U64;
  case ScalarType::S64:
    return PTXJIT_ELEMENT_S64;
  default:
    llvm_unreachable("no form has this type");
  }
}

static LogicalResult emitTex(WarpBuilder &warp, TexOp op) {
  AccessCall call(warp, PTXJIT_TEXTURE_SAMPLE, op.getAccess());
  call.how.level = op.getLevel() ? uint8_t(*op.getLevel()) : 0;
  call.how.element = elementOf(op.getTy());
  call.how.count = uint8_t(op.getVec());
  call.call(op.getMask());
  call.setResults(op.getD());
  return success();
}

static LogicalResult emitGather(WarpBuilder &warp, Tld4Op op) {
  AccessCall call(warp, PTXJIT_TEXTURE_GATHER, op.getAccess());
  call.how.element = elementOf(op.getTy());
  call.how.count = 4;
  call.how.variant = uint8_t(op.getComponent());
  call.call(op.getMask());
  call.setResults(op.getD());
  return success();
}

/// `variant` says what is asked for.
static LogicalResult emitQuestion(WarpBuilder &warp, PtxjitTextureAction action,
                                  const TextureAccess &access, uint8_t variant,
                                  Value result, Value mask) {
  AccessCall call(warp, action, access);
  call.how.variant = variant;
  if (access.level)
    call.how.flags |= PTXJIT_TEXTURE_AT_LEVEL;
  call.call(mask);
  call.setResults(result);
  return success();
}
static LogicalResult emitTextureQuery(WarpBuilder &warp, TxqOp op) {
  return emitQuestion(warp, PTXJIT_TEXTURE_QUERY, op.getAccess(),
                      uint8_t(op.getQuery()), op.getD().front(), op.getMask());
}
static LogicalResult emitSurfaceQuery(WarpBuilder &warp, SuqOp op) {
  return emitQuestion(warp, PTXJIT_TEXTURE_QUERY, op.getAccess(),
                      uint8_t(op.getQuery()), op.getD().front(), op.getMask());
}

/// Predicates have no rows: the runtime answers with 0 or 1.
static LogicalResult emitTypeTest(WarpBuilder &warp, IstypepOp op) {
  AccessCall call(warp, PTXJIT_TEXTURE_IS_KIND, op.getAccess());
  call.how.variant = uint8_t(op.getType());
  call.call(op.getMask());
  ChunkBuilder l = warp.lanes();
  SmallVector<Value, 8> chunks;
  for (unsigned c = 0; c < warp.numChunks(); ++c)
    chunks.push_back(l.cmp(arith::CmpIPredicate::ne, call.loadData(c),
                           l.zero(warp.b.getI32Type())));
  warp.setChunks(op.getD().front(), chunks);
  return success();
}

//===----------------------------------------------------------------------===//
// Surfaces
//===----------------------------------------------------------------------===//

template <typename SurfaceOp>
static void describeSurface(PtxjitTextureAccess &how, SurfaceOp op) {
  how.element = elementOf(op.getTy());
  how.variant = uint8_t(op.getBounds());
  if (op.getElement() == SurfaceElement::Formatted)
    how.flags |= PTXJIT_SURFACE_FORMATTED;
}

static LogicalResult emitSurfaceLoad(WarpBuilder &warp, SuldOp op) {
  AccessCall call(warp, PTXJIT_SURFACE_LOAD, op.getAccess());
  describeSurface(call.how, op);
  call.how.count = op.getVec() ? uint8_t(*op.getVec()) : 1;
  call.call(op.getMask());
  call.setResults(op.getD());
  return success();
}

static LogicalResult emitSurfaceStore(WarpBuilder &warp, SustOp op) {
  TextureAccess access = op.getAccess();
  AccessCall call(warp, PTXJIT_SURFACE_STORE, access);
  describeSurface(call.how, op);
  call.how.count = op.getVec() ? uint8_t(*op.getVec()) : 1;
  call.storeData(access.data);
  call.call(op.getMask());
  return success();
}

static LogicalResult emitSurfaceReduction(WarpBuilder &warp, SuredOp op) {
  TextureAccess access = op.getAccess();
  AccessCall call(warp, PTXJIT_SURFACE_REDUCE, access);
  describeSurface(call.how, op);
  call.how.reduction = uint8_t(op.getOp());
  call.storeData(access.data);
  call.call(op.getMask());
  return success();
}

void ptxjit::addTextureEmitters(Dispatch &dispatch) {
  dispatch.add<emitTex>();
  dispatch.add<emitGather>();
  dispatch.add<emitTextureQuery>();
  dispatch.add<emitSurfaceQuery>();
  dispatch.add<emitTypeTest>();
  dispatch.add<emitSurfaceLoad>();
  dispatch.add<emitSurfaceStore>();
  dispatch.add<emitSurfaceReduction>();
}
