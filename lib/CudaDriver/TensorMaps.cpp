//===- TensorMaps.cpp - makes the maps that kernels copy tensors by -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rules are those that the CUDA Driver API documents for the parameters of
// these calls. Rules that it leaves open and we chose are marked "chosen": they
// refuse early what each copy would refuse (Runtime/TensorRules.h).
//
//===----------------------------------------------------------------------===//

#include "State.h"
#include "ptxjit/Runtime/TensorRules.h"

#include <algorithm>
#include <cstring>
#include <iterator>

using namespace ptxjit;
using namespace ptxjit::cuda;

namespace {
enum class Call { Tiled, Im2col, Im2colWide };

/// The parameters of a call. Dimension 0 is the innermost one.
struct Request {
  Call call;
  CUtensorMap *map;
  CUtensorMapDataType type;
  unsigned rank;
  void *address;
  const uint64_t *sizes;   ///< elements
  const uint64_t *strides; ///< bytes, of dimensions from 1 on
  const uint32_t *elementStrides;
  CUtensorMapInterleave interleave;
  CUtensorMapSwizzle swizzle;
  CUtensorMapL2promotion promotion;
  CUtensorMapFloatOOBfill fill;
  const uint32_t *box = nullptr; ///< Tiled: elements
  /// Not Tiled: offsets of the box's corners in dimensions from 1 on.
  const int *lower = nullptr, *upper = nullptr;
  uint32_t channels = 0, pixels = 0; ///< not Tiled
  CUtensorMapIm2ColWideMode mode = CU_TENSOR_MAP_IM2COL_WIDE_MODE_W;

  bool isTiled() const { return call == Call::Tiled; }
  bool isWide() const { return call == Call::Im2colWide; }
  bool isPadded() const {
    return type == CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B ||
           type == CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B;
  }
  /// What the address and the strides are multiples of, in bytes.
  unsigned alignment() const {
    return isPadded() || interleave == CU_TENSOR_MAP_INTERLEAVE_32B ? 32 : 16;
  }
  /// The elements in a row of the box.
  uint32_t columns() const { return isTiled() ? box[0] : channels; }
  /// The number of dimensions that the corners have.
  unsigned corners() const { return isTiled() ? 0 : isWide() ? 1 : rank - 2; }
  /// The first dimension whose element stride counts.
  unsigned firstStrided() const { return interleave ? 0 : 1; }
};

/// CUDA numbers the pairs of swizzle and atomicity.
struct SwizzlePair {
  PtxjitTensorSwizzle swizzle;
  PtxjitTensorAtomicity atomicity;
  unsigned bytes; ///< the longest row
};
} // namespace

/// By CUtensorMapDataType. The ISA numbers the types in another order.
static const PtxjitTensorType kTypes[] = {
    PTXJIT_TENSOR_U8,        PTXJIT_TENSOR_U16,     PTXJIT_TENSOR_U32,
    PTXJIT_TENSOR_S32,       PTXJIT_TENSOR_U64,     PTXJIT_TENSOR_S64,
    PTXJIT_TENSOR_F16,       PTXJIT_TENSOR_F32,     PTXJIT_TENSOR_F64,
    PTXJIT_TENSOR_BF16,      PTXJIT_TENSOR_F32_FTZ, PTXJIT_TENSOR_TF32,
    PTXJIT_TENSOR_TF32_FTZ,  PTXJIT_TENSOR_B4X16,   PTXJIT_TENSOR_B4X16_P64,
    PTXJIT_TENSOR_B6X16_P32,
};
/// By CUtensorMapInterleave.
static const PtxjitTensorInterleave kInterleaves[] = {
    PTXJIT_TENSOR_INTERLEAVE_NONE,
    PTXJIT_TENSOR_INTERLEAVE_16B,
    PTXJIT_TENSOR_INTERLEAVE_32B,
};
/// By CUtensorMapSwizzle.
static const SwizzlePair kSwizzles[] = {
    {PTXJIT_TENSOR_SWIZZLE_NONE, PTXJIT_TENSOR_ATOM_16B, ~0u},
    {PTXJIT_TENSOR_SWIZZLE_32B, PTXJIT_TENSOR_ATOM_16B, 32},
    {PTXJIT_TENSOR_SWIZZLE_64B, PTXJIT_TENSOR_ATOM_16B, 64},
    {PTXJIT_TENSOR_SWIZZLE_128B, PTXJIT_TENSOR_ATOM_16B, 128},
    {PTXJIT_TENSOR_SWIZZLE_128B, PTXJIT_TENSOR_ATOM_32B, 128},
    {PTXJIT_TENSOR_SWIZZLE_128B, PTXJIT_TENSOR_ATOM_32B_FLIP_8B, 128},
    {PTXJIT_TENSOR_SWIZZLE_128B, PTXJIT_TENSOR_ATOM_64B, 128},
};
/// By CUtensorMapFloatOOBfill.
static const PtxjitTensorFill kFills[] = {PTXJIT_TENSOR_FILL_ZERO,
                                          PTXJIT_TENSOR_FILL_NAN};
/// By CUtensorMapIm2ColWideMode.
static const PtxjitTensorKind kWideKinds[] = {PTXJIT_TENSOR_IM2COL_W,
                                              PTXJIT_TENSOR_IM2COL_W128};

static PtxjitTensorKind kindOf(const Request &request) {
  switch (request.call) {
  case Call::Tiled:
    return PTXJIT_TENSOR_TILED;
  case Call::Im2col:
    return PTXJIT_TENSOR_IM2COL;
  case Call::Im2colWide:
    return kWideKinds[request.mode];
  }
  __builtin_unreachable();
}

static bool isAligned(const void *pointer, unsigned bytes) {
  return reinterpret_cast<uintptr_t>(pointer) % bytes == 0;
}

//===----------------------------------------------------------------------===//
// Rules: each returns what is wrong with a request; null: nothing
//===----------------------------------------------------------------------===//

using Rule = const char *(*)(const Request &request);

static const char *checkNumbers(const Request &request) {
  if (unsigned(request.type) >= std::size(kTypes))
    return "there is no such element type";
  if (unsigned(request.interleave) >= std::size(kInterleaves))
    return "there is no such interleave layout";
  if (unsigned(request.swizzle) >= std::size(kSwizzles))
    return "there is no such swizzle";
  if (unsigned(request.promotion) > CU_TENSOR_MAP_L2_PROMOTION_L2_256B)
    return "there is no such L2 promotion";
  if (unsigned(request.fill) >= std::size(kFills))
    return "there is no such fill";
  if (unsigned(request.mode) >= std::size(kWideKinds))
    return "there is no such im2col mode";
  return nullptr;
}

static const char *checkRank(const Request &request) {
  if (request.rank < 1 || request.rank > 5)
    return "a rank that is not 1 to 5";
  if (!request.isTiled() && request.rank < 3)
    return "an im2col tensor of fewer than 3 dimensions";
  if (request.interleave && request.rank < 3)
    return "an interleaved tensor of fewer than 3 dimensions";
  return nullptr;
}

/// A tensor of one dimension has no strides. Its address may be null: CUTLASS
/// sets the addresses of grouped matrices later.
static const char *checkPointers(const Request &request) {
  if (!request.map || !isAligned(request.map, 64))
    return "a tensor map that is not at a multiple of 64 bytes";
  if (!request.sizes || !request.elementStrides ||
      (!request.strides && request.rank > 1))
    return "a null array of dimensions or strides";
  if (request.isTiled() ? !request.box : !request.lower || !request.upper)
    return "a null array of the box";
  if (!isAligned(request.address, request.alignment()))
    return "a tensor address of the wrong alignment";
  return nullptr;
}

static const char *checkSizes(const Request &request) {
  for (unsigned d = 0; d < request.rank; ++d)
    if (request.sizes[d] < 1 || request.sizes[d] > uint64_t(1) << 32)
      return "a tensor size that is not 1 to 2^32";
  if (request.isPadded() && request.sizes[0] % 128)
    return "a row of padded elements that is no multiple of 128";
  if (request.type == CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B &&
      request.sizes[0] % 2)
    return "an odd number of 4-bit elements in a row";
  return nullptr;
}

/// The formula that the API gives for strides is that of a dense tensor, and no
/// rule (chosen): rows may overlap, and CUTLASS and others have strides of 0.
static const char *checkStrides(const Request &request) {
  for (unsigned d = 1; d < request.rank; ++d) {
    if (request.strides[d - 1] % request.alignment())
      return "a tensor stride that is no multiple of 16, or of 32";
    if (request.strides[d - 1] >= uint64_t(1) << 40)
      return "a tensor stride of 2^40 bytes or more";
  }
  for (unsigned d = request.firstStrided(); d < request.rank; ++d)
    if (request.elementStrides[d] < 1 || request.elementStrides[d] > 8)
      return "an element stride that is not 1 to 8";
  return nullptr;
}

static const char *checkBox(const Request &request) {
  for (unsigned d = 0; request.isTiled() && d < request.rank; ++d)
    if (request.box[d] < 1 || request.box[d] > 256)
      return "a box extent that is not 1 to 256";
  return nullptr;
}

/// The API has upper limits only. That the numbers are not 0 is chosen.
static const char *checkPixels(const Request &request) {
  if (request.isTiled())
    return nullptr;
  if (request.channels < 1 || request.channels > 256)
    return "a number of channels that is not 1 to 256";
  bool hasPixels = kindOf(request) != PTXJIT_TENSOR_IM2COL_W128;
  if (hasPixels && (request.pixels < 1 || request.pixels > 1024))
    return "a number of pixels that is not 1 to 1024";
  return nullptr;
}

/// The box reaches from the tensor's first element plus `lower` to its last one
/// plus `upper`.
static const char *checkCorners(const Request &request) {
  // By rank: the more offsets, the fewer bits each has.
  static const int ends[] = {1 << 15, 1 << 7, 1 << 4};
  for (unsigned i = 0; i < request.corners(); ++i) {
    int end = request.isWide() ? ends[0] : ends[request.rank - 3];
    int lower = request.lower[i], upper = request.upper[i];
    if (std::min(lower, upper) < -end || std::max(lower, upper) >= end)
      return "a corner of the box that is out of range";
    if (int64_t(request.sizes[i + 1]) + upper - lower < 1)
      return "a box without pixels";
  }
  return nullptr;
}

static const char *checkInterleave(const Request &request) {
  if (request.interleave &&
      request.type == CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B)
    return "an interleaved tensor of 6-bit elements";
  // The API does not say so of wide maps, which have no such swizzle.
  if (request.interleave == CU_TENSOR_MAP_INTERLEAVE_32B && !request.isWide() &&
      request.swizzle != CU_TENSOR_MAP_SWIZZLE_32B)
    return "32-byte interleave without 32-byte swizzle";
  return nullptr;
}

/// The API gives the multiple of 16 for tiled maps. That it holds for others,
/// too, is chosen.
static const char *checkRow(const Request &request) {
  if (request.isPadded() && request.columns() != 128)
    return "a box row of padded elements that has not 128 of them";
  if (request.interleave)
    return nullptr;
  unsigned bits =
      request.columns() * ptxjitTensorElementBits(kTypes[request.type]);
  if (bits % 128)
    return "a box row that is no multiple of 16 bytes";
  if (bits / 8 > kSwizzles[request.swizzle].bytes)
    return "a box row that is longer than the swizzle";
  return nullptr;
}

static const char *checkSwizzle(const Request &request) {
  const SwizzlePair &pair = kSwizzles[request.swizzle];
  bool is128 = pair.swizzle == PTXJIT_TENSOR_SWIZZLE_128B;
  bool hasAtoms = pair.atomicity == PTXJIT_TENSOR_ATOM_16B ||
                  pair.atomicity == PTXJIT_TENSOR_ATOM_32B;
  if (request.isWide() &&
      !(pair.swizzle == PTXJIT_TENSOR_SWIZZLE_64B || (is128 && hasAtoms)))
    return "a swizzle that wide im2col maps do not have";
  if (!request.isPadded() || pair.swizzle == PTXJIT_TENSOR_SWIZZLE_NONE)
    return nullptr;
  if (request.type == CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B)
    hasAtoms |= pair.atomicity == PTXJIT_TENSOR_ATOM_64B;
  return is128 && hasAtoms ? nullptr
                           : "a swizzle that padded elements do not have";
}

static const char *checkFill(const Request &request) {
  if (request.fill && !tensor::isFloat(kTypes[request.type]))
    return "NaN fill of elements that are no floats";
  return nullptr;
}

/// The first rules make sure that later ones may read the arrays and tables.
static const char *findFault(const Request &request) {
  for (Rule rule : {checkNumbers, checkRank, checkPointers, checkSizes,
                    checkStrides, checkBox, checkPixels, checkCorners,
                    checkInterleave, checkRow, checkSwizzle, checkFill})
    if (const char *fault = rule(request))
      return fault;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Maps
//===----------------------------------------------------------------------===//

/// Makes a map of a request without faults. The L2 promotion has no effect.
static PtxjitTensorMap encode(const Request &request) {
  PtxjitTensorMap map{};
  map.address = reinterpret_cast<uint64_t>(request.address);
  for (unsigned d = 0; d < request.rank; ++d) {
    map.sizes[d] = request.sizes[d];
    map.elementStrides[d] =
        d < request.firstStrided() ? 1 : uint8_t(request.elementStrides[d]);
    if (d)
      map.strides[d - 1] = request.strides[d - 1];
    if (request.isTiled())
      map.box[d] = uint16_t(request.box[d]);
  }
  for (unsigned i = 0; i < request.corners(); ++i) {
    map.lower[i] = int16_t(request.lower[i]);
    map.upper[i] = int16_t(request.upper[i]);
  }
  map.rank = uint8_t(request.rank);
  map.kind = kindOf(request);
  map.type = kTypes[request.type];
  map.interleave = kInterleaves[request.interleave];
  map.swizzle = kSwizzles[request.swizzle].swizzle;
  map.atomicity = kSwizzles[request.swizzle].atomicity;
  map.fill = kFills[request.fill];
  map.channels = uint16_t(request.channels);
  if (map.kind != PTXJIT_TENSOR_IM2COL_W128)
    map.pixels = uint16_t(request.pixels);
  return map;
}

static void writeMap(CUtensorMap *out, PtxjitTensorMap map) {
  static_assert(sizeof(CUtensorMap) == sizeof(PtxjitTensorMap));
  map.magic = PTXJIT_TENSOR_MAP_MAGIC;
  map.checksum = ptxjitTensorChecksum(&map);
  std::memcpy(out, &map, sizeof(map));
}

/// Shows why a call fails, since its result does not say it.
static CUresult refuse(const char *fault) {
  log(LogKind::Api, std::string("tensor map: ") + fault);
  return CUDA_ERROR_INVALID_VALUE;
}

static CUresult makeMap(const Request &request) {
  if (!getState().initialized)
    return CUDA_ERROR_NOT_INITIALIZED;
  if (const char *fault = findFault(request))
    return refuse(fault);
  writeMap(request.map, encode(request));
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuTensorMapEncodeTiled,
                (CUtensorMap * map, CUtensorMapDataType type, unsigned rank,
                 void *address, const uint64_t *sizes, const uint64_t *strides,
                 const uint32_t *box, const uint32_t *elementStrides,
                 CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                 CUtensorMapL2promotion promotion,
                 CUtensorMapFloatOOBfill fill),
                map, type, rank, address, sizes, strides, box, elementStrides,
                interleave, swizzle, promotion, fill) {
  Request request{Call::Tiled, map,     type,      rank,
                  address,     sizes,   strides,   elementStrides,
                  interleave,  swizzle, promotion, fill};
  request.box = box;
  return makeMap(request);
}

/// The API calls the offsets {D, H, W}. As CUTLASS does, we number them like
/// the dimensions, W first.
PTXJIT_CUDA_API(cuTensorMapEncodeIm2col,
                (CUtensorMap * map, CUtensorMapDataType type, unsigned rank,
                 void *address, const uint64_t *sizes, const uint64_t *strides,
                 const int *lower, const int *upper, uint32_t channels,
                 uint32_t pixels, const uint32_t *elementStrides,
                 CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                 CUtensorMapL2promotion promotion,
                 CUtensorMapFloatOOBfill fill),
                map, type, rank, address, sizes, strides, lower, upper,
                channels, pixels, elementStrides, interleave, swizzle,
                promotion, fill) {
  Request request{Call::Im2col, map,     type,      rank,
                  address,      sizes,   strides,   elementStrides,
                  interleave,   swizzle, promotion, fill};
  request.lower = lower;
  request.upper = upper;
  request.channels = channels;
  request.pixels = pixels;
  return makeMap(request);
}

PTXJIT_CUDA_API(
    cuTensorMapEncodeIm2colWide,
    (CUtensorMap * map, CUtensorMapDataType type, unsigned rank, void *address,
     const uint64_t *sizes, const uint64_t *strides, int lower, int upper,
     uint32_t channels, uint32_t pixels, const uint32_t *elementStrides,
     CUtensorMapInterleave interleave, CUtensorMapIm2ColWideMode mode,
     CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
     CUtensorMapFloatOOBfill fill),
    map, type, rank, address, sizes, strides, lower, upper, channels, pixels,
    elementStrides, interleave, mode, swizzle, promotion, fill) {
  Request request{Call::Im2colWide, map,     type,      rank,
                  address,          sizes,   strides,   elementStrides,
                  interleave,       swizzle, promotion, fill};
  request.lower = &lower;
  request.upper = &upper;
  request.channels = channels;
  request.pixels = pixels;
  request.mode = mode;
  return makeMap(request);
}

PTXJIT_CUDA_API(cuTensorMapReplaceAddress, (CUtensorMap * out, void *address),
                out, address) {
  if (!getState().initialized)
    return CUDA_ERROR_NOT_INITIALIZED;
  if (!out || !isAligned(out, 64))
    return refuse("a tensor map that is not at a multiple of 64 bytes");
  PtxjitTensorMap map;
  std::memcpy(&map, out, sizeof(map));
  if (!tensor::isIntact(map))
    return refuse("not a tensor map, or a torn one");
  bool isWide = map.interleave == PTXJIT_TENSOR_INTERLEAVE_32B;
  if (!isAligned(address, isWide || tensor::isPadded(map) ? 32 : 16))
    return refuse("a tensor address of the wrong alignment");
  map.address = reinterpret_cast<uint64_t>(address);
  writeMap(out, map);
  return CUDA_SUCCESS;
}
