//===- SharedMatrix.h - matrices in shared memory --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where matrix descriptors say that the elements of A and B are.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_DEVICE_SHAREDMATRIX_H
#define PTXJIT_LIB_DEVICE_SHAREDMATRIX_H

#include "MatrixElements.h"

namespace ptxjit::device {

template <int... I> inline U32<sizeof...(I)> countUp(Sequence<int, I...>) {
  return U32<sizeof...(I)>{I...};
}
/// 0, 1, ... N - 1.
template <int N> inline U32<N> countUp() {
  return countUp(__make_integer_seq<Sequence, int, N>{});
}

/// A matrix in shared memory. ISA: "matrix descriptor", and the canonical
/// layouts. A row is a row of A or a column of B; it has 32 bytes along k, or
/// 64 of a B that is multiplied with a sparse A.
class SharedMatrix {
public:
  SharedMatrix() = default;
  SharedMatrix(uint64_t descriptor, bool alongRows)
      : start(field(descriptor, 0)), leading(field(descriptor, 16)),
        stride(field(descriptor, 32)),
        phase(uint32_t(descriptor >> 49 & 7) << 7), alongRows(alongRows) {
    // 0: none, 1: 128 bytes, 2: 64, 3: 32.
    uint32_t mode = uint32_t(descriptor >> 62);
    widthLog = mode ? 8 - mode : 4;
  }

  /// Where the pieces of 8 rows with `Count` / 8 pieces each lie from each
  /// other: row by row, or if elements follow each other along the rows, the
  /// pieces of `Count` elements of k.
  template <int Count> U32<Count> offsets() const {
    U32<Count> i = countUp<Count>();
    if (alongRows)
      return i / 8 * (isPlain() ? leading : stride) + (i % 8 << widthLog);
    U32<Count> row = i / (Count / 8), byte = i % (Count / 8) * 16;
    return (row << widthLog) + (byte >> widthLog) * leading +
           (byte & ((1u << widthLog) - 1));
  }
  /// How far the pieces of rows 8 * `group` on lie behind those of row 0.
  uint32_t distance(uint32_t group) const {
    if (!alongRows)
      return group * stride;
    uint32_t byte = 16 * group;
    return (byte >> widthLog) * (isPlain() ? stride : leading) +
           (byte & ((1u << widthLog) - 1));
  }
  /// Whether the pieces of each group lie as those of group 0 do: the swizzle
  /// does not depend on the group.
  bool repeats() const {
    return isPlain() || (!alongRows && stride % (8u << widthLog) == 0);
  }
  /// ISA: "swizzling modes". Places in shared memory; a swizzle exchanges the
  /// pieces of a row of `width` bytes, by the number of the row in the pattern.
  template <int N> U32<N> places(U32<N> offsets) const {
    U32<N> address = offsets + start;
    uint32_t pieces = (1u << widthLog) - 16;
    return address ^ ((address - phase) >> 3 & pieces);
  }

  /// Whether rows along k begin a pattern of the swizzle of 128 bytes: the
  /// rows 8 * i + r are whole rows r of one, if the matrix has 128 bytes of k.
  bool beginsPattern() const {
    return widthLog == 7 && !alongRows && phase == 0 && start % 1024 == 0 &&
           stride % 1024 == 0;
  }
  uint32_t getStart() const { return start; }

  /// The address behind the matrix, of `rows` rows of `bytes` bytes along k.
  uint64_t end(uint32_t rows, uint32_t bytes) const {
    uint32_t width = 1u << widthLog;
    uint32_t across = alongRows ? 2 * rows : bytes;
    uint64_t blocks = (across - 1) / width;
    uint64_t groups = ((alongRows ? bytes / 2 : rows) - 1) / 8;
    uint64_t last = alongRows && isPlain() ? blocks * stride + groups * leading
                                           : blocks * leading + groups * stride;
    last += 7 * width + (across < width ? across : width);
    // Swizzles exchange the pieces of `width` bytes.
    return (start + last + width - 1) / width * width;
  }

private:
  static uint32_t field(uint64_t descriptor, int bit) {
    return uint32_t(descriptor >> bit & 0x3fff) << 4;
  }
  bool isPlain() const { return widthLog == 4; }

  uint32_t start, leading, stride, phase, widthLog;
  bool alongRows;
};

/// Loads the pieces of a matrix, for 8 rows at a time.
template <int Count> class Pieces {
public:
  Pieces() = default;
  // Device code has no memcpy; a copy would be a loop over bytes.
  Pieces(const Pieces &) = delete;

  /// Goes to the first 8 rows of a matrix.
  void open(const char *memory, SharedMatrix of) {
    first = shared = memory;
    matrix = of;
    repeats = matrix.repeats();
    offsets = matrix.template offsets<Count>();
    find(0);
  }

  /// Goes to rows 8 * `group` on.
  void goTo(uint32_t group) {
    uint32_t distance = matrix.distance(group);
    if (repeats)
      first = shared + distance;
    else
      find(distance);
  }
  template <typename V> V load(int i) const {
    static_assert(sizeof(V) == 16);
    V v;
    __builtin_memcpy(&v, first + places[i], sizeof(V));
    return v;
  }

private:
  void find(uint32_t distance) {
    *(U32<Count> *)places = matrix.places<Count>(offsets + distance);
    // Loading a place is faster than taking it out of a vector.
    asm("" : "+m"(places));
  }

  const char *first, *shared;
  SharedMatrix matrix;
  bool repeats;
  U32<Count> offsets;
  alignas(128) uint32_t places[Count];
};

} // namespace ptxjit::device

#endif
