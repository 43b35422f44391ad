//===- TensorCopies.cpp - tensor maps, and copies of boxes of tensors -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A copy lists the rows of its box in the order in which shared memory holds
// them (TensorBox.h), and then moves one element after the other. Every copy is
// complete when it has been issued, which the ISA allows. What the ISA leaves
// open and we chose is marked "chosen".
//
//===----------------------------------------------------------------------===//

#include "Cta.h"
#include "TensorBox.h"

#include "ptxjit/Dialect/FormTable.h"
#include "ptxjit/Runtime/KernelABI.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <cstring>

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;
using namespace ptxjit::reference;

//===----------------------------------------------------------------------===//
// Places of elements
//===----------------------------------------------------------------------===//

/// Reads `bits` bits that begin at bit number `from` of a row of bytes. Byte i
/// of the row is at address byteAt(i).
template <typename ByteAt>
static Bits readBits(ByteAt byteAt, uint64_t from, unsigned bits) {
  Bits value = 0;
  for (uint64_t i = 0; i < bits; ++i) {
    uint64_t at = from + i;
    value |= (loadBits(byteAt(at / 8), 1) >> (at % 8) & 1) << i;
  }
  return value;
}

/// The inverse of readBits().
template <typename ByteAt>
static void writeBits(ByteAt byteAt, uint64_t from, unsigned bits, Bits value) {
  for (uint64_t i = 0; i < bits; ++i) {
    uint64_t at = from + i, mask = uint64_t(1) << (at % 8);
    Bits byte = loadBits(byteAt(at / 8), 1);
    storeBits(byteAt(at / 8), 1, value >> i & 1 ? byte | mask : byte & ~mask);
  }
}

/// ISA: "swizzling modes". Moves an address of shared memory within its 128
/// bytes. The row of the pattern is given by the address, so it does not matter
/// where the box begins.
static uint64_t swizzle(const PtxjitTensorMap &map, uint64_t address) {
  uint64_t row = address >> 7;
  switch (map.swizzle) {
  case PTXJIT_TENSOR_SWIZZLE_32B:
    return address ^ (row & 1) << 4;
  case PTXJIT_TENSOR_SWIZZLE_64B:
    return address ^ (row & 3) << 4;
  case PTXJIT_TENSOR_SWIZZLE_128B:
    break;
  default: // chosen for the 96-byte swizzle: its pieces keep their places
    return address;
  }
  switch (map.atomicity) {
  case PTXJIT_TENSOR_ATOM_32B:
    return address ^ (row & 3) << 5;
  case PTXJIT_TENSOR_ATOM_32B_FLIP_8B: // chosen: the odd rows are flipped
    return address ^ (row & 3) << 5 ^ (row & 1) << 3;
  case PTXJIT_TENSOR_ATOM_64B:
    return address ^ (row & 1) << 6;
  default:
    return address ^ (row & 7) << 4;
  }
}

/// Returns at which bit of the box in shared memory an element begins, before
/// swizzling. ISA: "padding and alignment of sub-byte types".
static uint64_t bitInBox(const TensorBox &box, uint64_t row, unsigned column) {
  uint64_t begin = row * box.rowBytes() * 8;
  if (!box.isPadded())
    return begin + column * box.bits();
  if (!box.isLoad) // .b6p2x16: an element is the low bits of a byte
    return begin + column * 8;
  return begin + column / 16 * 128 + column % 16 * box.bits();
}

static Coordinates elementOf(const TensorBox &box, uint64_t row,
                             unsigned column) {
  Coordinates at = box.rows[row];
  at[0] += column * box.strideIn(0);
  return at;
}

static bool isInside(const TensorBox &box, const Coordinates &at) {
  for (unsigned d = 0; d < box.map.rank; ++d)
    if (at[d] < 0 || uint64_t(at[d]) >= box.map.sizes[d])
      return false;
  return true;
}

/// What a load puts in place of elements outside of the tensor.
static Bits fillOf(const PtxjitTensorMap &map) {
  return map.fill == PTXJIT_TENSOR_FILL_ZERO ? 0 : fillNaN(map.type);
}

namespace {
/// Bytes of global memory, in which an element begins at bit `bit`.
struct GlobalPlace {
  uint64_t first;
  unsigned bit;
  uint64_t operator()(uint64_t i) const { return first + i; }
};
/// Bytes of a box in shared memory.
struct SharedPlace {
  const TensorBox &box;
  uint64_t first;
  uint64_t operator()(uint64_t i) const { return swizzle(box.map, first + i); }
};
} // namespace

static InFlightDiagnostic reportAccess(Operation &op, uint64_t address) {
  return op.emitError() << "illegal memory access 0x"
                        << llvm::utohexstr(address, /*LowerCase=*/true);
}

/// Finds an element that is inside of the tensor.
static FailureOr<GlobalPlace> findElement(Operation &op, MemoryProbe &probe,
                                          const TensorBox &box,
                                          const Coordinates &at) {
  uint64_t bit = uint64_t(at[0]) * box.bits();
  GlobalPlace place{box.map.address + bit / 8, unsigned(bit % 8)};
  for (unsigned d = 1; d < box.map.rank; ++d)
    place.first += uint64_t(at[d]) * box.map.strides[d - 1];
  unsigned bytes = (place.bit + box.bits() + 7) / 8;
  if (!probe.isAccessible(place.first, bytes))
    return reportAccess(op, place.first);
  return place;
}

/// Finds a box in shared memory, all of which must be inside of a CTA's window.
FailureOr<uint64_t> Cta::findBox(Thread &t, Operation &op, Bits address,
                                 Space space, const TensorBox &box) {
  FailureOr<uint64_t> first =
      resolveAddress(t, op, address, space, 0, tensor::alignmentOf(box.map));
  if (failed(first))
    return failure();
  uint64_t offset = address & ((Bits(1) << PTXJIT_SHARED_BITS) - 1);
  uint64_t window = *first - offset;
  SharedPlace place{box, *first};
  for (uint64_t i = 0; i < box.sharedBytes(); ++i)
    if (place(i) - window >= uint64_t(program.sharedEnd) + launch.dynamicShared)
      return reportAccess(op, place(i));
  return first;
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// Returns the host address of a map, whose bytes may have any alignment.
FailureOr<uint64_t> Cta::findTensorMap(Thread &t, Operation &op, Bits address,
                                       std::optional<Space> space) {
  FailureOr<uint64_t> at = hostAddress(t, op, address, space);
  if (failed(at))
    return failure();
  if (!probe.isAccessible(*at, PTXJIT_TENSOR_MAP_BYTES))
    return reportAccess(op, *at);
  return at;
}

/// Reads the map and the other operands of a copy, except for places in shared
/// memory, and checks that the ISA allows it.
LogicalResult Cta::describeBox(Thread &t, Operation &op, TensorBox &box) {
  FailureOr<uint64_t> map =
      findTensorMap(t, op, get(t, box.copy.map), std::nullopt);
  if (failed(map))
    return failure();
  std::memcpy(&box.map, reinterpret_cast<void *>(*map), sizeof(box.map));
  for (auto [i, v] : llvm::enumerate(box.copy.coordinates)) {
    box.start[i] = int32_t(get(t, v));
    if (box.isByRow() && i > 0)
      box.gathered[i - 1] = int32_t(get(t, v));
  }
  for (auto [i, v] : llvm::enumerate(box.copy.offsets))
    box.offsets[i] = uint16_t(get(t, v));
  if (const char *fault = findFault(box))
    return op.emitError(fault);
  listRows(box);
  return success();
}

/// The nearest tf32 number of an f32 one; of two, the one with an even
/// mantissa. Infinities and NaNs stay what they are.
static Bits roundToTf32(Bits x) {
  if ((x >> 23 & 0xff) == 0xff)
    return x;
  Bits lost = x & 0x1fff, kept = x - lost;
  bool isUp = lost > 0x1000 || (lost == 0x1000 && (kept & 0x2000));
  return isUp ? kept + 0x2000 : kept;
}

/// Reads all elements of a box from global memory, row after row.
FailureOr<std::vector<Bits>> Cta::readTensor(Operation &op,
                                             const TensorBox &box) {
  std::vector<Bits> elements;
  for (uint64_t row = 0; row < box.rows.size(); ++row)
    for (unsigned column = 0; column < box.columns(); ++column) {
      Coordinates at = elementOf(box, row, column);
      if (!isInside(box, at)) {
        elements.push_back(fillOf(box.map));
        continue;
      }
      FailureOr<GlobalPlace> place = findElement(op, probe, box, at);
      if (failed(place))
        return failure();
      Bits element = readBits(*place, place->bit, box.bits());
      if (box.map.type == PTXJIT_TENSOR_TF32 ||
          box.map.type == PTXJIT_TENSOR_TF32_FTZ)
        element = roundToTf32(element);
      elements.push_back(element);
    }
  return elements;
}

/// Copies a box to shared memory, and counts its bytes on an mbarrier. Padding
/// keeps what it was: the ISA calls it uninitialized.
LogicalResult Cta::loadTensor(Thread &t, TensorLoadOp op) {
  TensorBox box;
  box.copy = op.getCopy();
  box.isLoad = true;
  if (failed(describeBox(t, *op, box)))
    return failure();
  FailureOr<std::vector<Bits>> elements = readTensor(*op, box);
  if (failed(elements))
    return failure();
  /// Copies to one destination.
  auto deliver = [&](Bits dst, Bits object) -> LogicalResult {
    FailureOr<uint64_t> first = findBox(t, *op, dst, Space::SharedCluster, box);
    if (failed(first))
      return failure();
    for (uint64_t i = 0; i < elements->size(); ++i)
      writeBits(SharedPlace{box, *first},
                bitInBox(box, i / box.columns(), i % box.columns()), box.bits(),
                (*elements)[i]);
    return updateMbarrier(t, *op, object, Space::SharedCluster, 0, 0, 0,
                          -int64_t(box.countedBytes()));
  };
  Bits dst = get(t, box.copy.shared), object = get(t, box.copy.mbarrier);
  if (!box.copy.ctas)
    return deliver(dst, object);
  return forEachCta(get(t, box.copy.ctas), dst, object, [&](Bits to, Bits own) {
    // `.cta_group::2`: the even or the odd CTA of the destination's pair
    // counts, whichever the instruction's mbarrier is in.
    Bits parity = Bits(1) << PTXJIT_SHARED_BITS;
    Bits paired = (own & ~parity) | (object & parity);
    return deliver(to, box.copy.isForPair ? paired : own);
  });
}

/// The type by which atomicResult() computes. Only the width matters to bitwise
/// operations.
static ScalarType scalarTypeOf(const TensorBox &box) {
  switch (box.map.type) {
  case PTXJIT_TENSOR_S32:
    return ScalarType::S32;
  case PTXJIT_TENSOR_U64:
    return ScalarType::U64;
  case PTXJIT_TENSOR_S64:
    return ScalarType::S64;
  case PTXJIT_TENSOR_F16:
    return ScalarType::F16;
  case PTXJIT_TENSOR_BF16:
    return ScalarType::BF16;
  case PTXJIT_TENSOR_F32:
  case PTXJIT_TENSOR_F32_FTZ:
  case PTXJIT_TENSOR_TF32:
  case PTXJIT_TENSOR_TF32_FTZ:
    return ScalarType::F32;
  case PTXJIT_TENSOR_F64:
    return ScalarType::F64;
  default:
    return ScalarType::U32;
  }
}

/// The value that a reduction stores where it finds `old`. Additions of f32.ftz
/// flush subnormal operands and results (chosen; copies keep all bits).
static Bits reduce(const TensorBox &box, Bits old, Bits b) {
  ScalarType type = scalarTypeOf(box);
  bool ftz =
      *box.reduction == AtomicOp::Add && box.map.type == PTXJIT_TENSOR_F32_FTZ;
  if (!ftz)
    return atomicResult(*box.reduction, type, old, b, 0);
  return flush(type, atomicResult(AtomicOp::Add, type, flush(type, old),
                                  flush(type, b), 0));
}

/// Copies a box from shared memory, or combines it with the tensor. Elements
/// outside of the tensor are skipped.
LogicalResult Cta::storeTensor(Thread &t, Operation &op, TensorBox &box) {
  if (failed(describeBox(t, op, box)))
    return failure();
  FailureOr<uint64_t> first =
      findBox(t, op, get(t, box.copy.shared), Space::Shared, box);
  if (failed(first))
    return failure();
  for (uint64_t row = 0; row < box.rows.size(); ++row)
    for (unsigned column = 0; column < box.columns(); ++column) {
      Coordinates at = elementOf(box, row, column);
      if (!isInside(box, at))
        continue;
      FailureOr<GlobalPlace> place = findElement(op, probe, box, at);
      if (failed(place))
        return failure();
      Bits value = readBits(SharedPlace{box, *first},
                            bitInBox(box, row, column), box.bits());
      if (box.reduction)
        value = reduce(box, readBits(*place, place->bit, box.bits()), value);
      writeBits(*place, place->bit, box.bits(), value);
    }
  return success();
}

//===----------------------------------------------------------------------===//
// Changes of maps
//===----------------------------------------------------------------------===//

/// Fields hold a value that is too large for them as their largest one, which
/// no copy accepts (chosen).
template <typename Field> static void put(Field &field, Bits value) {
  field = Field(std::min<Bits>(value, std::numeric_limits<Field>::max()));
}

/// ISA: "tensormap.replace".
static void replaceField(PtxjitTensorMap &map, TensorField field,
                         unsigned dimension, Bits value) {
  switch (field) {
  case TensorField::GlobalAddress:
    map.address = value;
    break;
  case TensorField::Rank: // "zero-based numbering"
    put(map.rank, value + 1);
    break;
  case TensorField::BoxDim:
    put(map.box[dimension], value);
    break;
  case TensorField::GlobalDim:
    map.sizes[dimension] = value;
    break;
  case TensorField::GlobalStride:
    map.strides[dimension] = value;
    break;
  case TensorField::ElementStride:
    put(map.elementStrides[dimension], value);
    break;
  case TensorField::ElementType:
    put(map.type, value);
    break;
  case TensorField::Interleave:
    put(map.interleave, value);
    break;
  case TensorField::Swizzle:
    put(map.swizzle, value);
    break;
  case TensorField::Atomicity:
    put(map.atomicity, value);
    break;
  case TensorField::Fill:
    put(map.fill, value);
    break;
  }
}

static bool isZero(const PtxjitTensorMap &map) {
  const PtxjitTensorMap zero{};
  return !std::memcmp(&map, &zero, sizeof(map));
}

/// Replaces a field of a map, which may also be 128 bytes of zeros (chosen).
LogicalResult Cta::replaceInTensorMap(Thread &t, TensorMapReplaceOp op) {
  SmallVector<Bits, 3> inputs;
  for (Value v : op.getInputs())
    inputs.push_back(get(t, v));
  FailureOr<uint64_t> place =
      findTensorMap(t, *op, inputs.front(), op.getSpace());
  if (failed(place))
    return failure();
  PtxjitTensorMap map;
  std::memcpy(&map, reinterpret_cast<void *>(*place), sizeof(map));
  if (!tensor::isIntact(map) && !isZero(map))
    return op.emitError("not a tensor map, or a torn one");
  bool hasOrdinal = inputs.size() == 3;
  Bits dimension = hasOrdinal ? inputs[1] : 0;
  unsigned count =
      op.getField() == TensorField::GlobalStride ? kMostDims - 1 : kMostDims;
  if (dimension >= count)
    return op.emitError("an ordinal of a dimension that has no stride");
  replaceField(map, op.getField(), unsigned(dimension), inputs.back());
  map.magic = PTXJIT_TENSOR_MAP_MAGIC;
  map.checksum = ptxjitTensorChecksum(&map);
  std::memcpy(reinterpret_cast<void *>(*place), &map, sizeof(map));
  return success();
}

/// ISA: "tensormap.cp_fenceproxy". Each thread of the warp copies the same
/// bytes, and threads run one at a time. So none has to wait for the others.
LogicalResult Cta::copyTensorMap(Thread &t, TensorMapCopyOp op) {
  FailureOr<uint64_t> to =
      findTensorMap(t, *op, get(t, op.getInputs()[0]), Space::Global);
  FailureOr<uint64_t> from =
      findTensorMap(t, *op, get(t, op.getInputs()[1]), Space::Shared);
  if (failed(to) || failed(from))
    return failure();
  std::memmove(reinterpret_cast<void *>(*to), reinterpret_cast<void *>(*from),
               PTXJIT_TENSOR_MAP_BYTES);
  return success();
}

//===----------------------------------------------------------------------===//
// Dispatch
//===----------------------------------------------------------------------===//

/// Runs an op of this file. \returns whether it is one.
FailureOr<bool> Cta::tensorOp(Thread &t, Operation &op) {
  auto done = [](LogicalResult result) -> FailureOr<bool> {
    if (failed(result))
      return failure();
    return true;
  };
  if (auto load = dyn_cast<TensorLoadOp>(op))
    return done(loadTensor(t, load));
  if (auto store = dyn_cast<TensorStoreOp>(op)) {
    TensorBox box;
    box.copy = store.getCopy();
    return done(storeTensor(t, op, box));
  }
  if (auto red = dyn_cast<TensorReduceOp>(op)) {
    TensorBox box;
    box.copy = red.getCopy();
    box.reduction = red.getOp();
    return done(storeTensor(t, op, box));
  }
  if (auto replace = dyn_cast<TensorMapReplaceOp>(op))
    return done(replaceInTensorMap(t, replace));
  if (auto copy = dyn_cast<TensorMapCopyOp>(op))
    return done(copyTensorMap(t, copy));
  return false;
}
