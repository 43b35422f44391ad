//===- TensorCopy.cpp - copies boxes of tensors ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A copy visits the rows of its box (TensorWalk.h). A run of rows that lie
// inside of the tensor, in which each element takes whole bytes, is moved at
// once (TensorRows.h). All other rows go through a buffer, one by one. What the
// ISA leaves open and we chose is marked "chosen".
//
//===----------------------------------------------------------------------===//

#include "TensorCopy.h"
#include "ClusterWindows.h"
#include "Mbarrier.h"
#include "TensorReduce.h"
#include "TensorRows.h"
#include "TensorWalk.h"
#include "ptxjit/Runtime/TensorRules.h"

#include <cstring>
#include <limits>

using namespace ptxjit;

/// 256 elements of 8 bytes.
static constexpr size_t kMostRowBytes = 2048;
/// Padded elements: 16 of them in a unit of 16 bytes.
static constexpr unsigned kUnit = 16;

namespace {
class BoxCopy {
public:
  BoxCopy(PtxjitKernelContext &context, const PtxjitTensorMap &map,
          const PtxjitTensorCopy &copy, const KernelCall &caller);
  void run();

private:
  void runAt(uint64_t shared, uint64_t mbarrier);
  void loadRows(const SharedRows &rows, const RowRun &run, Span inside);
  void storeRows(const SharedRows &rows, const RowRun &run, Span inside);
  void loadRow(const SharedRows &row, const char *from);
  void loadPaddedRow(const SharedRows &row, const char *from);
  void fillRow(const SharedRows &row);
  void storeRow(const SharedRows &row, char *to);
  void fetchElements(char *to, const SharedRows &row) const;

  bool isPadded() const { return tensor::isPadded(map); }
  /// Whether a load rounds elements of f32 to tf32.
  bool isRounded() const {
    return action() == PTXJIT_TENSOR_LOAD &&
           (map.type == PTXJIT_TENSOR_TF32 ||
            map.type == PTXJIT_TENSOR_TF32_FTZ);
  }
  PtxjitTensorAction action() const { return PtxjitTensorAction(copy.action); }
  /// The host address of an element whose coordinates may be outside.
  char *placeOf(const Coordinates &at) const;
  /// Fills a row with what stands for elements outside of the tensor.
  void fill(char *row) const;
  Span columnsInside() const {
    return insideOf(copy.at[0], columnStep, columns, map.sizes[0]);
  }
  void checkAlignment(uint64_t address, unsigned bytes) const;

  PtxjitKernelContext &context;
  const PtxjitTensorMap &map;
  const PtxjitTensorCopy &copy;
  const KernelCall &caller;
  const TensorWalk walk;
  const unsigned bits;    ///< of an element in global memory
  const unsigned columns; ///< elements of a row
  const size_t rowBytes;  ///< in shared memory
  int64_t columnStep = 1; ///< in elements of the tensor
  const Span inColumns;   ///< the columns that are inside of the tensor
  const bool isWholeRow;  ///< rows inside are the same bytes on both sides
};
} // namespace

static int64_t stepOf(const PtxjitTensorMap &map) {
  return tensor::isTiled(map) && map.interleave ? map.elementStrides[0] : 1;
}

BoxCopy::BoxCopy(PtxjitKernelContext &context, const PtxjitTensorMap &map,
                 const PtxjitTensorCopy &copy, const KernelCall &caller)
    : context(context), map(map), copy(copy), caller(caller), walk(map, copy),
      bits(ptxjitTensorElementBits(map.type)),
      columns(tensor::countColumns(map)),
      rowBytes(isPadded() ? columns : columns * bits / 8),
      columnStep(stepOf(map)), inColumns(columnsInside()),
      isWholeRow(!isPadded() && !isRounded() && columnStep == 1 &&
                 inColumns.size() == int64_t(columns)) {}

char *BoxCopy::placeOf(const Coordinates &at) const {
  // The product of bits may be negative; coordinates of elements of fewer than
  // 8 bits begin at whole bytes.
  uint64_t place = map.address + uint64_t(at[0] * int64_t(bits) / 8);
  for (unsigned d = 1; d < map.rank; ++d)
    place += uint64_t(at[d]) * map.strides[d - 1];
  return reinterpret_cast<char *>(place);
}

void BoxCopy::checkAlignment(uint64_t address, unsigned bytes) const {
  if (address % bytes)
    FaultScope::leave(LaunchStatus::MisalignedAddress, address, caller);
}

void BoxCopy::run() {
  checkAlignment(copy.shared, tensor::alignmentOf(map));
  checkAlignment(copy.mbarrier, 8);
  if (!(copy.to & PTXJIT_TENSOR_TO_MANY))
    return runAt(copy.shared, copy.mbarrier);
  ClusterWindows windows(context);
  uint32_t parity = windows.rankOf(copy.mbarrier) & 1;
  windows.forEach(copy.ctas, [&](uint32_t rank) {
    bool isForPair = copy.to & PTXJIT_TENSOR_PAIR;
    uint32_t counts = isForPair ? (rank & ~1u) | parity : rank;
    runAt(windows.sameIn(rank, copy.shared),
          windows.sameIn(counts, copy.mbarrier));
  });
}

void BoxCopy::runAt(uint64_t shared, uint64_t mbarrier) {
  uint64_t own = reinterpret_cast<uint64_t>(context.shared);
  SharedRows rows{reinterpret_cast<char *>(shared),
                  ClusterWindows::offsetIn(own, shared), rowBytes,
                  Swizzle(map)};
  walk.forEachRun([&](const RowRun &run) {
    // Which rows are inside of the tensor in all dimensions but the innermost.
    Span inside{0, int64_t(run.count)};
    if (map.rank > 1)
      inside =
          insideOf(run.first[1], run.step, int64_t(run.count), map.sizes[1]);
    for (unsigned d = 2; d < map.rank; ++d)
      if (run.first[d] < 0 || uint64_t(run.first[d]) >= map.sizes[d])
        inside = {0, 0};
    if (inColumns.isEmpty())
      inside = {0, 0};
    if (copy.action == PTXJIT_TENSOR_LOAD)
      loadRows(rows, run, inside);
    else
      storeRows(rows, run, inside);
    rows = rows.behind(run.count);
  });
  if (copy.action != PTXJIT_TENSOR_LOAD)
    return;
  // Bytes outside of the tensor count, but no padding does.
  uint64_t bytes = uint64_t(walk.countRows()) * columns * bits / 8;
  updateMbarrier(&context, mbarrier, 0, 0, -int32_t(bytes));
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

void BoxCopy::loadRows(const SharedRows &rows, const RowRun &run, Span inside) {
  auto from = [&](int64_t i) {
    Coordinates at = run.first;
    at[1] += i * run.step;
    return placeOf(at);
  };
  if (isWholeRow && !inside.isEmpty())
    placeRows(rows.behind(size_t(inside.begin)), from(inside.begin),
              run.step * int64_t(map.strides[0]), size_t(inside.size()));
  for (int64_t i = 0; i < int64_t(run.count); ++i) {
    SharedRows row = rows.behind(size_t(i));
    if (i < inside.begin || i >= inside.end)
      fillRow(row);
    else if (isPadded())
      loadPaddedRow(row, from(i));
    else if (!isWholeRow)
      loadRow(row, from(i));
    else
      i = inside.end - 1; // these have been moved
  }
}

void BoxCopy::fill(char *row) const {
  if (map.fill == PTXJIT_TENSOR_FILL_ZERO) {
    std::memset(row, 0, rowBytes);
    return;
  }
  uint64_t nan = fillNaN(map.type);
  for (size_t i = 0; i < columns; ++i)
    std::memcpy(row + i * (bits / 8), &nan, bits / 8);
}

/// A row that is outside of the tensor.
void BoxCopy::fillRow(const SharedRows &row) {
  alignas(64) char data[kMostRowBytes];
  fill(data);
  if (isPadded())
    loadPaddedRow(row, data);
  else
    placeRows(row, data, 0, 1);
}

/// Rounds f32 numbers to nearest even. Infinities and NaNs keep their bits.
static void roundToTf32(char *row, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    uint32_t x;
    std::memcpy(&x, row + 4 * i, sizeof(x));
    if ((x & 0x7f800000u) != 0x7f800000u)
      x = (x + 0xfffu + (x >> 13 & 1)) & ~0x1fffu;
    std::memcpy(row + 4 * i, &x, sizeof(x));
  }
}

/// A row of which a part is inside of the tensor, or not all elements are
/// loaded. `from` is the place of column 0.
void BoxCopy::loadRow(const SharedRows &row, const char *from) {
  alignas(64) char data[kMostRowBytes];
  fill(data);
  if (columnStep != 1) {
    for (int64_t i = inColumns.begin; i < inColumns.end; ++i)
      std::memcpy(data + i * (bits / 8), from + i * columnStep * (bits / 8),
                  bits / 8);
  } else {
    int64_t begin = inColumns.begin * bits / 8, end = inColumns.end * bits / 8;
    std::memcpy(data + begin, from + begin, size_t(end - begin));
    if (inColumns.end * bits % 8) // half a byte
      data[end] = char(from[end] & 0xf);
  }
  if (isRounded())
    roundToTf32(data, columns);
  placeRows(row, data, 0, 1);
}

/// Padding keeps what it was: the ISA calls it uninitialized.
void BoxCopy::loadPaddedRow(const SharedRows &row, const char *from) {
  size_t bytes = kUnit * bits / 8;
  for (size_t i = 0; i < columns; i += kUnit) {
    uint64_t place = row.swizzle(row.address + i) - row.address;
    std::memcpy(row.place + int64_t(place), from + i * bits / 8, bytes);
  }
}

//===----------------------------------------------------------------------===//
// Stores and reductions
//===----------------------------------------------------------------------===//

void BoxCopy::storeRows(const SharedRows &rows, const RowRun &run,
                        Span inside) {
  auto to = [&](int64_t i) {
    Coordinates at = run.first;
    at[1] += i * run.step;
    return placeOf(at);
  };
  if (inside.isEmpty())
    return;
  if (isWholeRow && copy.action == PTXJIT_TENSOR_STORE)
    return fetchRows(to(inside.begin), run.step * int64_t(map.strides[0]),
                     rows.behind(size_t(inside.begin)), size_t(inside.size()));
  for (int64_t i = inside.begin; i < inside.end; ++i)
    storeRow(rows.behind(size_t(i)), to(i));
}

/// Fetches the elements of a row, without padding.
void BoxCopy::fetchElements(char *to, const SharedRows &row) const {
  fetchRows(to, 0, row, 1);
  if (!isPadded())
    return;
  // `.b6p2x16`: an element is the low 6 bits of a byte. Four make 3 bytes.
  for (size_t i = 0; i < columns / 4; ++i) {
    uint32_t four = 0;
    for (unsigned k = 0; k < 4; ++k)
      four |= uint32_t(to[4 * i + k] & 0x3f) << (6 * k);
    std::memcpy(to + 3 * i, &four, 3);
  }
}

/// `to` is the place of column 0.
void BoxCopy::storeRow(const SharedRows &row, char *to) {
  alignas(64) char data[kMostRowBytes];
  fetchElements(data, row);
  int64_t first = inColumns.begin * bits / 8, size = bits / 8;
  if (copy.action != PTXJIT_TENSOR_STORE)
    return reduceElements(map.type, action(), to + first * columnStep,
                          size_t(columnStep * size), data + first,
                          size_t(inColumns.size()));
  if (columnStep != 1) {
    for (int64_t i = inColumns.begin; i < inColumns.end; ++i)
      std::memcpy(to + i * columnStep * size, data + i * size, size_t(size));
    return;
  }
  int64_t end = inColumns.end * bits / 8;
  std::memcpy(to + first, data + first, size_t(end - first));
  if (inColumns.end * bits % 8) // half a byte
    to[end] = char((to[end] & 0xf0) | (data[end] & 0xf));
}

//===----------------------------------------------------------------------===//
// The interface
//===----------------------------------------------------------------------===//

void ptxjit::copyTensor(PtxjitKernelContext &context,
                        const PtxjitTensorCopy &copy,
                        const KernelCall &caller) {
  FaultScope::Reading reading(caller);
  TensorRequest request;
  std::memcpy(&request.map, reinterpret_cast<const void *>(copy.map),
              sizeof(request.map));
  request.mode = PtxjitTensorMode(copy.mode);
  request.dims = copy.dims;
  request.action = PtxjitTensorAction(copy.action);
  request.column = copy.at[0];
  if (const char *reason = findTensorFault(request))
    FaultScope::leaveIllegal(reason, caller);
  BoxCopy(context, request.map, copy, caller).run();
}

/// A value that is too large for its field becomes the field's largest one,
/// which no copy accepts (chosen).
template <typename Field> static void put(Field &field, uint64_t value) {
  field = Field(std::min<uint64_t>(value, std::numeric_limits<Field>::max()));
}

static void setField(PtxjitTensorMap &map, PtxjitTensorField field,
                     unsigned dimension, uint64_t value) {
  switch (field) {
  case PTXJIT_TENSOR_FIELD_ADDRESS:
    map.address = value;
    return;
  case PTXJIT_TENSOR_FIELD_RANK:
    return put(map.rank, value + 1);
  case PTXJIT_TENSOR_FIELD_BOX:
    return put(map.box[dimension], value);
  case PTXJIT_TENSOR_FIELD_SIZE:
    map.sizes[dimension] = value;
    return;
  case PTXJIT_TENSOR_FIELD_STRIDE:
    map.strides[dimension] = value;
    return;
  case PTXJIT_TENSOR_FIELD_ELEMENT_STRIDE:
    return put(map.elementStrides[dimension], value);
  case PTXJIT_TENSOR_FIELD_TYPE:
    return put(map.type, value);
  case PTXJIT_TENSOR_FIELD_INTERLEAVE:
    return put(map.interleave, value);
  case PTXJIT_TENSOR_FIELD_SWIZZLE:
    return put(map.swizzle, value);
  case PTXJIT_TENSOR_FIELD_ATOMICITY:
    return put(map.atomicity, value);
  case PTXJIT_TENSOR_FIELD_FILL:
    return put(map.fill, value);
  }
}

void ptxjit::replaceInTensorMap(uint64_t address, PtxjitTensorField field,
                                unsigned dimension, uint64_t value,
                                const KernelCall &caller) {
  FaultScope::Reading reading(caller);
  PtxjitTensorMap map;
  std::memcpy(&map, reinterpret_cast<const void *>(address), sizeof(map));
  const PtxjitTensorMap unset{};
  if (!tensor::isIntact(map) && std::memcmp(&map, &unset, sizeof(map)) != 0)
    FaultScope::leaveIllegal("not a tensor map, or a torn one", caller);
  unsigned count = field == PTXJIT_TENSOR_FIELD_STRIDE ? 4 : 5;
  if (dimension >= count)
    FaultScope::leaveIllegal("an ordinal of a dimension that has no stride",
                             caller);
  setField(map, field, dimension, value);
  map.magic = PTXJIT_TENSOR_MAP_MAGIC;
  map.checksum = ptxjitTensorChecksum(&map);
  std::memcpy(reinterpret_cast<void *>(address), &map, sizeof(map));
}
