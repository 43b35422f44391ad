//===- TensorRules.h - which copies a tensor map allows ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rules that find out what is wrong with a copy of a box of a tensor. The
// runtime and the reference interpreter share them, since they are about the
// map and not about what a copy moves. What the ISA leaves open and we chose is
// marked "chosen".
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_RUNTIME_TENSORRULES_H
#define PTXJIT_RUNTIME_TENSORRULES_H

#include "ptxjit/Runtime/TensorMap.h"
#include <initializer_list>

namespace ptxjit {

/// A copy by `map`, as far as rules ask for it.
struct TensorRequest {
  PtxjitTensorMap map;
  PtxjitTensorMode mode = PTXJIT_TENSOR_MODE_TILE;
  unsigned dims = 1; ///< that the instruction names
  PtxjitTensorAction action = PTXJIT_TENSOR_LOAD;
  int32_t column = 0; ///< the coordinate in dimension 0
};

namespace tensor {

inline bool isTiled(const PtxjitTensorMap &map) {
  return map.kind == PTXJIT_TENSOR_TILED;
}
/// Whether the elements have padding in shared memory.
inline bool isPadded(const PtxjitTensorMap &map) {
  return map.type == PTXJIT_TENSOR_B4X16_P64 ||
         map.type == PTXJIT_TENSOR_B6X16_P32;
}
/// Whether the instruction gives four rows.
inline bool isByRow(PtxjitTensorMode mode) {
  return mode == PTXJIT_TENSOR_MODE_GATHER4 ||
         mode == PTXJIT_TENSOR_MODE_SCATTER4;
}
/// Elements of a row of the box. The stride in dimension 0 counts in
/// interleaved tensors only.
inline unsigned countColumns(const PtxjitTensorMap &map) {
  if (!isTiled(map))
    return map.channels;
  unsigned stride = map.interleave ? map.elementStrides[0] : 1;
  return (map.box[0] + stride - 1) / stride;
}

/// How a box must be aligned in shared memory, in bytes. ISA: "bounding box",
/// "swizzling modes".
inline unsigned alignmentOf(const PtxjitTensorMap &map) {
  switch (map.atomicity) {
  case PTXJIT_TENSOR_ATOM_32B:
  case PTXJIT_TENSOR_ATOM_32B_FLIP_8B:
    return 32;
  case PTXJIT_TENSOR_ATOM_64B:
    return 64;
  default:
    return 16;
  }
}

/// The kind of map that a mode is for.
inline PtxjitTensorKind kindOf(PtxjitTensorMode mode) {
  switch (mode) {
  case PTXJIT_TENSOR_MODE_IM2COL:
  case PTXJIT_TENSOR_MODE_IM2COL_NO_OFFSETS:
    return PTXJIT_TENSOR_IM2COL;
  case PTXJIT_TENSOR_MODE_IM2COL_W:
    return PTXJIT_TENSOR_IM2COL_W;
  case PTXJIT_TENSOR_MODE_IM2COL_W128:
    return PTXJIT_TENSOR_IM2COL_W128;
  default:
    return PTXJIT_TENSOR_TILED;
  }
}

//===----------------------------------------------------------------------===//
// Rules: each returns what is wrong with a copy; null: nothing
//===----------------------------------------------------------------------===//

using Rule = const char *(*)(const TensorRequest &copy);

/// Is `map` whole, and ours?
inline bool isIntact(const PtxjitTensorMap &map) {
  return map.magic == PTXJIT_TENSOR_MAP_MAGIC &&
         map.checksum == ptxjitTensorChecksum(&map);
}

inline const char *checkKind(const TensorRequest &copy) {
  if (!isIntact(copy.map))
    return "not a tensor map, or a torn one";
  if (copy.map.rank != copy.dims)
    return "the tensor map has another rank than the instruction";
  if (copy.map.kind != kindOf(copy.mode))
    return "the tensor map is not for this mode";
  return nullptr;
}

inline const char *checkTiledExtents(const TensorRequest &copy) {
  for (unsigned d = 0; d < copy.map.rank; ++d)
    if (copy.map.box[d] < 1 || copy.map.box[d] > 256)
      return "a box extent that is not 1 to 256";
  if (isByRow(copy.mode) && copy.map.box[1] != 1)
    return "a gather or scatter whose box has several rows";
  return nullptr;
}

inline const char *checkColumnExtents(const TensorRequest &copy) {
  const PtxjitTensorMap &map = copy.map;
  if (map.channels < 1 || map.channels > 256)
    return "a number of channels that is not 1 to 256";
  bool hasPixels = map.kind != PTXJIT_TENSOR_IM2COL_W128;
  if (hasPixels && (map.pixels < 1 || map.pixels > 1024))
    return "a number of pixels that is not 1 to 1024";
  return nullptr;
}

inline const char *checkExtents(const TensorRequest &copy) {
  const PtxjitTensorMap &map = copy.map;
  for (unsigned d = 0; d < map.rank; ++d)
    if (map.elementStrides[d] < 1 || map.elementStrides[d] > 8)
      return "an element stride that is not 1 to 8";
  if (const char *fault =
          isTiled(map) ? checkTiledExtents(copy) : checkColumnExtents(copy))
    return fault;
  if (countColumns(map) * ptxjitTensorElementBits(map.type) % 128)
    return "a box row that is no multiple of 16 bytes";
  return nullptr;
}

inline const char *checkPlaces(const TensorRequest &copy) {
  const PtxjitTensorMap &map = copy.map;
  bool isWide = map.interleave == PTXJIT_TENSOR_INTERLEAVE_32B;
  if (map.address % 16)
    return "a tensor address that is no multiple of 16";
  if ((isWide || isPadded(map)) && map.address % 32)
    return "a tensor address that is no multiple of 32";
  for (unsigned d = 1; d < map.rank; ++d)
    if (map.strides[d - 1] % (isWide ? 32 : 16))
      return isWide ? "a tensor stride that is no multiple of 32"
                    : "a tensor stride that is no multiple of 16";
  return nullptr;
}

/// ISA: "interleave layout", and the table "valid combinations of swizzle
/// atomicity with swizzle mode".
inline const char *checkLayout(const TensorRequest &copy) {
  const PtxjitTensorMap &map = copy.map;
  bool walksW = copy.mode == PTXJIT_TENSOR_MODE_IM2COL_W ||
                copy.mode == PTXJIT_TENSOR_MODE_IM2COL_W128;
  if (map.interleave > PTXJIT_TENSOR_INTERLEAVE_32B)
    return "there is no such interleave layout";
  if (map.interleave && map.rank < 3)
    return "an interleaved tensor of fewer than 3 dimensions";
  if (map.interleave && (walksW || isByRow(copy.mode)))
    return "a mode that has no interleaved tensors";
  if (map.swizzle > PTXJIT_TENSOR_SWIZZLE_96B)
    return "there is no such swizzle";
  if (map.atomicity > PTXJIT_TENSOR_ATOM_64B)
    return "there is no such atomicity";
  if (map.atomicity && map.swizzle != PTXJIT_TENSOR_SWIZZLE_128B)
    return "an atomicity of a swizzle other than 128B";
  return nullptr;
}

/// ISA: "restrictions of tensor copy instructions", on the direction from
/// shared to global memory: "the box must stay within the tensor's bounds".
inline const char *checkCorners(const TensorRequest &copy) {
  bool bounds = copy.mode == PTXJIT_TENSOR_MODE_IM2COL_NO_OFFSETS;
  for (unsigned i = 0; bounds && i + 2 < copy.map.rank; ++i)
    if (copy.map.lower[i] < 0 || copy.map.upper[i] > 0)
      return "a store to a box that leaves the tensor";
  return nullptr;
}

inline bool isFloat(unsigned type) {
  switch (type) {
  case PTXJIT_TENSOR_F16:
  case PTXJIT_TENSOR_BF16:
  case PTXJIT_TENSOR_F32:
  case PTXJIT_TENSOR_F32_FTZ:
  case PTXJIT_TENSOR_F64:
  case PTXJIT_TENSOR_TF32:
  case PTXJIT_TENSOR_TF32_FTZ:
    return true;
  default:
    return false;
  }
}

/// ISA: "restrictions of tensor copy instructions". A box of 64 bytes of 4-bit
/// elements, or of 96 bytes of 6-bit elements, has rows of 128 elements.
inline const char *checkPadding(const TensorRequest &copy) {
  const PtxjitTensorMap &map = copy.map;
  if (!isPadded(map))
    return nullptr;
  if (map.swizzle != PTXJIT_TENSOR_SWIZZLE_NONE &&
      map.swizzle != PTXJIT_TENSOR_SWIZZLE_128B)
    return "a swizzle that padded elements do not have";
  // CUDA: cuTensorMapEncodeTiled.
  if (map.atomicity == PTXJIT_TENSOR_ATOM_32B_FLIP_8B ||
      (map.atomicity == PTXJIT_TENSOR_ATOM_64B &&
       (map.type == PTXJIT_TENSOR_B4X16_P64 ||
        copy.action == PTXJIT_TENSOR_LOAD)))
    return "an atomicity that padded elements do not have";
  if (countColumns(map) != 128)
    return "a box row of padded elements that has not 128 of them";
  if (map.sizes[0] % 128)
    return "a tensor row of padded elements that is no multiple of 128";
  if (copy.column % 128)
    return "a coordinate of padded elements that is no multiple of 128";
  if (map.type == PTXJIT_TENSOR_B4X16_P64 && copy.action != PTXJIT_TENSOR_LOAD)
    return "a store of a type that only loads have";
  return nullptr;
}

/// The ISA forbids NaN fill for elements of fewer than 8 bits. It has no NaN
/// for integers (chosen: an error).
inline const char *checkType(const TensorRequest &copy) {
  const PtxjitTensorMap &map = copy.map;
  unsigned bits = ptxjitTensorElementBits(map.type);
  if (!bits)
    return "there is no such element type";
  if (map.fill > PTXJIT_TENSOR_FILL_NAN)
    return "there is no such fill";
  if (map.fill == PTXJIT_TENSOR_FILL_NAN && !isFloat(map.type))
    return "NaN fill of elements that are no floats";
  if (bits == 4 && copy.column % 2) // chosen
    return "an odd first coordinate of 4-bit elements";
  return nullptr;
}

/// ISA: "cp.reduce.async.bulk.tensor", the table of valid combinations of
/// operation and element type. It says nothing of `.inc` and `.dec` (a misprint
/// names `.add`), which other instructions have for u32.
inline bool canReduce(PtxjitTensorAction action, unsigned type) {
  auto isOneOf = [&](std::initializer_list<unsigned> types) {
    for (unsigned each : types)
      if (each == type)
        return true;
    return false;
  };
  unsigned bits = ptxjitTensorElementBits(type);
  switch (action) {
  case PTXJIT_TENSOR_ADD:
    return isOneOf({PTXJIT_TENSOR_U32, PTXJIT_TENSOR_S32, PTXJIT_TENSOR_U64,
                    PTXJIT_TENSOR_F32, PTXJIT_TENSOR_F32_FTZ, PTXJIT_TENSOR_F16,
                    PTXJIT_TENSOR_BF16});
  case PTXJIT_TENSOR_MIN:
  case PTXJIT_TENSOR_MAX:
    return isOneOf({PTXJIT_TENSOR_U32, PTXJIT_TENSOR_S32, PTXJIT_TENSOR_U64,
                    PTXJIT_TENSOR_S64, PTXJIT_TENSOR_F16, PTXJIT_TENSOR_BF16});
  case PTXJIT_TENSOR_INC:
  case PTXJIT_TENSOR_DEC:
    return type == PTXJIT_TENSOR_U32;
  case PTXJIT_TENSOR_AND:
  case PTXJIT_TENSOR_OR:
  case PTXJIT_TENSOR_XOR:
    return bits == 32 || bits == 64;
  default:
    return true;
  }
}

inline const char *checkReduction(const TensorRequest &copy) {
  if (!canReduce(copy.action, copy.map.type))
    return "elements of this type do not have this reduction";
  return nullptr;
}

} // namespace tensor

/// The NaN that a load puts in place of elements outside of the tensor. The ISA
/// says that it is a special one; the bits are chosen (docs/TensorCores.md).
/// \param type  a PtxjitTensorType.
inline uint64_t fillNaN(unsigned type) {
  switch (type) {
  case PTXJIT_TENSOR_F16:
    return 0x7eff;
  case PTXJIT_TENSOR_BF16:
    return 0x7fff;
  case PTXJIT_TENSOR_F64:
    return 0x7fffffffffffffff;
  default:
    return 0x7fffffff;
  }
}

/// What makes a copy illegal; null: nothing.
inline const char *findTensorFault(const TensorRequest &copy) {
  using namespace tensor;
  for (Rule rule : {checkKind, checkType, checkReduction, checkExtents,
                    checkPadding, checkLayout, checkCorners, checkPlaces})
    if (const char *fault = rule(copy))
      return fault;
  return nullptr;
}

} // namespace ptxjit

#endif
