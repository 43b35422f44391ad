//===- TensorMapTest.cpp - cuTensorMap*: what is refused, what is made ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A limit is a restriction that the CUDA Driver API documents: a change of a
// valid call that breaks it, and a change to the nearest valid values.
//
//===----------------------------------------------------------------------===//

#include "ptxjit/CudaDriver/CudaABI.h"
#include "ptxjit/Runtime/TensorRules.h"

#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <string>

using namespace ptxjit;

namespace {
constexpr uint64_t kMost = uint64_t(1) << 32;

/// A call of one of the functions, at first with valid parameters.
struct Call {
  alignas(128) CUtensorMap place[2];
  CUtensorMap *map = place;
  CUtensorMapDataType type = CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
  unsigned rank = 3;
  uint64_t address = 0x7000;
  uint64_t sizes[5] = {64, 20, 10, 1, 1};
  uint64_t strides[4] = {256, 5120, 51200, 51200};
  uint32_t box[5] = {8, 4, 2, 1, 1};
  uint32_t elementStrides[5] = {1, 1, 1, 1, 1};
  int lower[3] = {-1, -2, -3}, upper[3] = {1, 2, 3};
  uint32_t channels = 8, pixels = 64;
  int interleave = 0, swizzle = 0, promotion = 0, fill = 0, mode = 0;
  /// What is passed, unless a test passes null.
  const uint64_t *sizesAt = sizes, *stridesAt = strides;
  const uint32_t *boxAt = box, *elementStridesAt = elementStrides;
  const int *lowerAt = lower, *upperAt = upper;

  Call() { std::memset(place, 0, sizeof(place)); }
  Call(const Call &) = delete;

  void *pointer() const { return reinterpret_cast<void *>(address); }
  CUresult tiled() {
    return cuTensorMapEncodeTiled(
        map, type, rank, pointer(), sizesAt, stridesAt, boxAt, elementStridesAt,
        CUtensorMapInterleave(interleave), CUtensorMapSwizzle(swizzle),
        CUtensorMapL2promotion(promotion), CUtensorMapFloatOOBfill(fill));
  }
  CUresult im2col() {
    return cuTensorMapEncodeIm2col(
        map, type, rank, pointer(), sizesAt, stridesAt, lowerAt, upperAt,
        channels, pixels, elementStridesAt, CUtensorMapInterleave(interleave),
        CUtensorMapSwizzle(swizzle), CUtensorMapL2promotion(promotion),
        CUtensorMapFloatOOBfill(fill));
  }
  CUresult wide() {
    return cuTensorMapEncodeIm2colWide(
        map, type, rank, pointer(), sizesAt, stridesAt, lower[0], upper[0],
        channels, pixels, elementStridesAt, CUtensorMapInterleave(interleave),
        CUtensorMapIm2ColWideMode(mode), CUtensorMapSwizzle(swizzle),
        CUtensorMapL2promotion(promotion), CUtensorMapFloatOOBfill(fill));
  }
  PtxjitTensorMap content() const {
    PtxjitTensorMap content;
    std::memcpy(&content, map, sizeof(content));
    return content;
  }
  void setType(int number) { type = CUtensorMapDataType(number); }
  /// 128 elements of 4 or 6 bits, padded in shared memory.
  void setPadded(int number) {
    setType(number);
    sizes[0] = 256;
    box[0] = channels = 128;
  }
};

/// The functions that a limit is one of.
enum Functions {
  Tiled = 1,
  Im2col = 2,
  Wide = 4,
  NotWide = 3,
  Im2cols = 6,
  All = 7
};
struct Limit {
  const char *name;
  int functions;
  void (*breakIt)(Call &call);
  void (*keepIt)(Call &call);
};
void PrintTo(const Limit &limit, std::ostream *out) { *out << limit.name; }

class TensorMapLimit : public testing::TestWithParam<Limit> {
protected:
  void SetUp() override { ASSERT_EQ(cuInit(0), CUDA_SUCCESS); }
  /// Changes a call of each function of the limit.
  static void check(void (*change)(Call &), CUresult expected) {
    int functions = GetParam().functions;
    Call tiled, im2col, wide;
    wide.swizzle = CU_TENSOR_MAP_SWIZZLE_128B;
    for (Call *call : {&tiled, &im2col, &wide})
      change(*call);
    if (functions & Tiled)
      EXPECT_EQ(tiled.tiled(), expected);
    if (functions & Im2col)
      EXPECT_EQ(im2col.im2col(), expected);
    if (functions & Wide)
      EXPECT_EQ(wide.wide(), expected);
    for (Call *call : {&tiled, &im2col, &wide})
      if (expected != CUDA_SUCCESS)
        EXPECT_EQ(call->place[0].opaque[0], 0u) << "writes nothing";
  }
};

const int kB4 = CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B;
const int kB4Padded = CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B;
const int kB6Padded = CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B;

void interleave32(Call &call) {
  call.interleave = CU_TENSOR_MAP_INTERLEAVE_32B;
  call.swizzle = CU_TENSOR_MAP_SWIZZLE_32B;
}

/// Changes are expressions of the call `c`.
#define LIMIT(name, functions, broken, kept)                                   \
  {#name, functions, [](Call &c) { broken; }, [](Call &c) { kept; }}

const Limit kLimits[] = {
    LIMIT(MapIsNotNull, All, c.map = nullptr, c.rank = 3),
    LIMIT(MapIsAtAMultipleOf64, All,
          c.map = reinterpret_cast<CUtensorMap *>(
              reinterpret_cast<char *>(c.place) + 32),
          c.map = reinterpret_cast<CUtensorMap *>(
              reinterpret_cast<char *>(c.place) + 64)),
    LIMIT(TypeExists, All, c.setType(16),
          (c.setType(0), c.box[0] = 16, c.channels = 16)),
    LIMIT(TypeIsNotNegative, All, c.setType(-1), c.setType(12)),
    LIMIT(RankIsNotZero, Tiled, c.rank = 0,
          (c.rank = 1, c.stridesAt = nullptr)),
    LIMIT(RankIsAtMost5, All, c.rank = 6, c.rank = 5),
    LIMIT(Im2colRankIsAtLeast3, Im2cols, c.rank = 2, c.rank = 3),
    LIMIT(InterleavedRankIsAtLeast3, Tiled, (c.rank = 2, c.interleave = 1),
          (c.rank = 3, c.interleave = 1)),
    LIMIT(PlainRankMayBe2, Tiled, (c.rank = 2, c.interleave = 2), c.rank = 2),
    LIMIT(AddressIsAMultipleOf16, All, c.address += 8, c.address += 16),
    LIMIT(Interleaved32AddressIsAMultipleOf32, NotWide,
          (interleave32(c), c.address += 16),
          (interleave32(c), c.address += 32)),
    LIMIT(WideInterleaved32AddressIsAMultipleOf32, Wide,
          (c.interleave = 2, c.address += 16),
          (c.interleave = 2, c.address += 32)),
    LIMIT(PaddedB4AddressIsAMultipleOf32, All,
          (c.setPadded(kB4Padded), c.address += 16),
          (c.setPadded(kB4Padded), c.address += 32)),
    LIMIT(PaddedB6AddressIsAMultipleOf32, All,
          (c.setPadded(kB6Padded), c.address += 16),
          (c.setPadded(kB6Padded), c.address += 32)),
    LIMIT(AddressMayBeNull, All, c.address = 1, c.address = 0),
    LIMIT(SizesAreNotNull, All, c.sizesAt = nullptr, c.rank = 3),
    LIMIT(SizesAreNotZero, All, c.sizes[2] = 0, c.sizes[2] = 1),
    LIMIT(SizesAreAtMost2To32, All, c.sizes[0] = kMost + 1, c.sizes[0] = kMost),
    LIMIT(SizesOfOtherDimsAreIgnored, All, (c.rank = 4, c.sizes[3] = 0),
          c.sizes[3] = 0),
    LIMIT(PaddedB4RowIsAMultipleOf128, All,
          (c.setPadded(kB4Padded), c.sizes[0] = 192),
          (c.setPadded(kB4Padded), c.sizes[0] = 128)),
    LIMIT(PaddedB6RowIsAMultipleOf128, All,
          (c.setPadded(kB6Padded), c.sizes[0] = 192),
          (c.setPadded(kB6Padded), c.sizes[0] = 128)),
    LIMIT(B4RowIsEven, All,
          (c.setType(kB4), c.box[0] = c.channels = 32, c.sizes[0] = 65),
          (c.setType(kB4), c.box[0] = c.channels = 32, c.sizes[0] = 66)),
    LIMIT(StridesAreNotNull, All, c.stridesAt = nullptr, c.rank = 3),
    LIMIT(StridesAreMultiplesOf16, All, c.strides[1] = 5128,
          c.strides[1] = 5136),
    LIMIT(StridesAreBelow2To40, All, c.strides[1] = kMost * 256,
          c.strides[1] = kMost * 256 - 16),
    LIMIT(StridesMayOverlap, All, c.strides[0] = 8,
          (c.strides[0] = 16, c.strides[1] = 0)),
    LIMIT(StridesOfOtherDimsAreIgnored, All, (c.rank = 4, c.strides[2] = 1),
          c.strides[2] = 1),
    LIMIT(Interleaved32StridesAreMultiplesOf32, NotWide,
          (interleave32(c), c.strides[0] = 16),
          (interleave32(c), c.strides[0] = 32)),
    LIMIT(PaddedB4StridesAreMultiplesOf32, All,
          (c.setPadded(kB4Padded), c.strides[0] = 144),
          (c.setPadded(kB4Padded), c.strides[0] = 160)),
    LIMIT(PaddedB6StridesAreMultiplesOf32, All,
          (c.setPadded(kB6Padded), c.strides[0] = 208),
          (c.setPadded(kB6Padded), c.strides[0] = 224)),
    LIMIT(ElementStridesAreNotNull, All, c.elementStridesAt = nullptr,
          c.rank = 3),
    LIMIT(ElementStridesAreNotZero, All, c.elementStrides[1] = 0,
          c.elementStrides[1] = 2),
    LIMIT(ElementStridesAreAtMost8, All, c.elementStrides[2] = 9,
          c.elementStrides[2] = 8),
    LIMIT(FirstElementStrideCountsIfInterleaved, All,
          (c.interleave = 1, c.elementStrides[0] = 0), c.elementStrides[0] = 0),
    LIMIT(FirstElementStrideIsAtMost8IfInterleaved, All,
          (c.interleave = 1, c.elementStrides[0] = 9), c.elementStrides[0] = 9),
    LIMIT(BoxIsNotNull, Tiled, c.boxAt = nullptr, c.rank = 3),
    LIMIT(BoxIsNotZero, Tiled, c.box[1] = 0, c.box[1] = 1),
    LIMIT(BoxIsAtMost256, Tiled, c.box[0] = 260, c.box[0] = 256),
    LIMIT(BoxIsAtMost256Everywhere, Tiled, c.box[2] = 257, c.box[2] = 256),
    LIMIT(BoxRowIsAMultipleOf16Bytes, All, c.box[0] = c.channels = 6,
          c.box[0] = c.channels = 4),
    LIMIT(InterleavedBoxRowMayBeAnySize, All, c.box[0] = c.channels = 6,
          (c.interleave = 1, c.box[0] = c.channels = 6)),
    LIMIT(B4BoxRowIsAMultipleOf16Bytes, All,
          (c.setType(kB4), c.box[0] = c.channels = 48),
          (c.setType(kB4), c.box[0] = c.channels = 64)),
    LIMIT(PaddedB4BoxRowIs128, All,
          (c.setPadded(kB4Padded), c.box[0] = c.channels = 256),
          c.setPadded(kB4Padded)),
    LIMIT(PaddedB6BoxRowIs128, All,
          (c.setPadded(kB6Padded), c.box[0] = c.channels = 64),
          c.setPadded(kB6Padded)),
    LIMIT(InterleaveExists, All, c.interleave = 3, c.interleave = 1),
    LIMIT(InterleaveIsNotNegative, All, c.interleave = -1, c.rank = 3),
    LIMIT(Interleave32HasSwizzle32, NotWide, (interleave32(c), c.swizzle = 2),
          interleave32(c)),
    LIMIT(Interleave16HasAnySwizzle, NotWide, (c.interleave = 2, c.swizzle = 3),
          (c.interleave = 1, c.swizzle = 3)),
    LIMIT(PaddedB6IsNotInterleaved, All,
          (c.setPadded(kB6Padded), c.interleave = 1), c.setPadded(kB6Padded)),
    LIMIT(PaddedB4MayBeInterleaved, All,
          (c.setPadded(kB4Padded), c.interleave = 3),
          (c.setPadded(kB4Padded), c.interleave = 1)),
    LIMIT(SwizzleExists, All, c.swizzle = 7, c.swizzle = 4),
    LIMIT(SwizzleIsNotNegative, All, c.swizzle = -1, c.swizzle = 3),
    LIMIT(RowOfSwizzle32IsAtMost32Bytes, NotWide,
          (c.swizzle = 1, c.box[0] = c.channels = 12), c.swizzle = 1),
    LIMIT(RowOfSwizzle64IsAtMost64Bytes, All,
          (c.swizzle = 2, c.box[0] = c.channels = 20),
          (c.swizzle = 2, c.box[0] = c.channels = 16)),
    LIMIT(RowOfSwizzle128IsAtMost128Bytes, All,
          (c.swizzle = 3, c.box[0] = c.channels = 36),
          (c.swizzle = 3, c.box[0] = c.channels = 32)),
    LIMIT(RowOfSwizzle128Atom32IsAtMost128Bytes, All,
          (c.swizzle = 4, c.box[0] = c.channels = 36),
          (c.swizzle = 4, c.box[0] = c.channels = 32)),
    LIMIT(RowOfSwizzle128Flip8IsAtMost128Bytes, NotWide,
          (c.swizzle = 5, c.box[0] = c.channels = 36),
          (c.swizzle = 5, c.box[0] = c.channels = 32)),
    LIMIT(RowOfSwizzle128Atom64IsAtMost128Bytes, NotWide,
          (c.swizzle = 6, c.box[0] = c.channels = 36),
          (c.swizzle = 6, c.box[0] = c.channels = 32)),
    LIMIT(InterleavedRowMayBeLonger, All,
          (c.swizzle = 3, c.box[0] = c.channels = 64),
          (c.interleave = 1, c.swizzle = 3, c.box[0] = c.channels = 64)),
    LIMIT(PaddedB6HasNoSwizzle32, NotWide,
          (c.setPadded(kB6Padded), c.swizzle = 1),
          (c.setPadded(kB6Padded), c.swizzle = 0)),
    LIMIT(PaddedB6HasNoSwizzle64, All, (c.setPadded(kB6Padded), c.swizzle = 2),
          (c.setPadded(kB6Padded), c.swizzle = 3)),
    LIMIT(PaddedB6HasNoFlip8, NotWide, (c.setPadded(kB6Padded), c.swizzle = 5),
          (c.setPadded(kB6Padded), c.swizzle = 4)),
    LIMIT(PaddedB6HasAtom64, NotWide, (c.setPadded(kB6Padded), c.swizzle = 7),
          (c.setPadded(kB6Padded), c.swizzle = 6)),
    LIMIT(PaddedB4HasNoSwizzle64, All, (c.setPadded(kB4Padded), c.swizzle = 2),
          (c.setPadded(kB4Padded), c.swizzle = 3)),
    LIMIT(PaddedB4HasNoFlip8, NotWide, (c.setPadded(kB4Padded), c.swizzle = 5),
          (c.setPadded(kB4Padded), c.swizzle = 4)),
    LIMIT(PaddedB4HasNoAtom64, NotWide, (c.setPadded(kB4Padded), c.swizzle = 6),
          (c.setPadded(kB4Padded), c.swizzle = 0)),
    LIMIT(WideHasASwizzle, Wide, c.swizzle = 0, c.swizzle = 2),
    LIMIT(WideHasNoSwizzle32, Wide, c.swizzle = 1, c.swizzle = 3),
    LIMIT(WideHasNoFlip8, Wide, c.swizzle = 5, c.swizzle = 4),
    LIMIT(WideHasNoAtom64, Wide, c.swizzle = 6, c.swizzle = 4),
    LIMIT(PromotionExists, All, c.promotion = 4, c.promotion = 3),
    LIMIT(PromotionIsNotNegative, All, c.promotion = -1, c.promotion = 1),
    LIMIT(FillExists, All, c.fill = 2, c.fill = 1),
    LIMIT(FillIsNotNegative, All, c.fill = -1, c.rank = 3),
    LIMIT(NanFillIsOfFloats, All,
          (c.fill = 1, c.setType(CU_TENSOR_MAP_DATA_TYPE_INT32)),
          (c.fill = 1, c.setType(CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ))),
    LIMIT(NanFillIsNotOfB4, All,
          (c.fill = 1, c.setType(kB4), c.box[0] = c.channels = 32),
          (c.setType(kB4), c.box[0] = c.channels = 32)),
    LIMIT(NanFillIsNotOfPaddedB6, All, (c.fill = 1, c.setPadded(kB6Padded)),
          c.setPadded(kB6Padded)),
    LIMIT(CornersAreNotNull, Im2col, c.lowerAt = nullptr, c.rank = 3),
    LIMIT(UpperCornersAreNotNull, Im2col, c.upperAt = nullptr, c.rank = 3),
    LIMIT(OneOffsetIsAtLeastMinus32768, Im2cols, c.lower[0] = -32769,
          c.lower[0] = -32768),
    LIMIT(OneOffsetIsAtMost32767, Im2cols, c.upper[0] = 32768,
          c.upper[0] = 32767),
    LIMIT(TwoOffsetsAreAtLeastMinus128, Im2col, (c.rank = 4, c.lower[1] = -129),
          (c.rank = 4, c.lower[1] = -128)),
    LIMIT(TwoOffsetsAreAtMost127, Im2col, (c.rank = 4, c.upper[0] = 128),
          (c.rank = 4, c.upper[0] = 127)),
    LIMIT(ThreeOffsetsAreAtLeastMinus16, Im2col, (c.rank = 5, c.lower[2] = -17),
          (c.rank = 5, c.lower[2] = -16)),
    LIMIT(ThreeOffsetsAreAtMost15, Im2col, (c.rank = 5, c.upper[1] = 16),
          (c.rank = 5, c.upper[1] = 15)),
    LIMIT(OffsetsOfOtherDimsAreIgnored, Im2col, (c.rank = 4, c.lower[1] = 1000),
          c.lower[1] = 1000),
    LIMIT(WideOffsetsDoNotDependOnRank, Wide, (c.rank = 5, c.upper[0] = 32768),
          (c.rank = 5, c.upper[0] = 32767)),
    LIMIT(BoxHasPixels, Im2cols, c.upper[0] = -21, c.upper[0] = -20),
    LIMIT(BoxHasPixelsInEachDim, Im2col, (c.rank = 4, c.upper[1] = -12),
          (c.rank = 4, c.upper[1] = -11)),
    LIMIT(ChannelsAreAtMost256, Im2cols,
          (c.setType(0), c.interleave = 1, c.channels = 272),
          (c.setType(0), c.interleave = 1, c.channels = 256)),
    LIMIT(ChannelsAreNotZero, Im2cols, c.channels = 0, c.channels = 4),
    LIMIT(PixelsAreAtMost1024, Im2cols, c.pixels = 1025, c.pixels = 1024),
    LIMIT(PixelsAreNotZero, Im2cols, c.pixels = 0, c.pixels = 1),
    LIMIT(PixelsOfW128AreIgnored, Wide, c.pixels = 1025,
          (c.pixels = 1025, c.mode = 1)),
    LIMIT(ModeExists, Wide, c.mode = 2, c.mode = 1),
    LIMIT(ModeIsNotNegative, Wide, c.mode = -1, c.mode = 0),
};
} // namespace

TEST_P(TensorMapLimit, Breaks) {
  check(GetParam().breakIt, CUDA_ERROR_INVALID_VALUE);
}
TEST_P(TensorMapLimit, Keeps) { check(GetParam().keepIt, CUDA_SUCCESS); }
INSTANTIATE_TEST_SUITE_P(Documented, TensorMapLimit, testing::ValuesIn(kLimits),
                         [](const auto &info) {
                           return std::string(info.param.name);
                         });

namespace {
class TensorMap : public testing::Test {
protected:
  void SetUp() override { ASSERT_EQ(cuInit(0), CUDA_SUCCESS); }
  /// The map is whole, and a load of that mode may use it.
  void expectUsable(PtxjitTensorMode mode) {
    PtxjitTensorMap map = call.content();
    EXPECT_EQ(map.magic, PTXJIT_TENSOR_MAP_MAGIC);
    EXPECT_EQ(map.checksum, ptxjitTensorChecksum(&map));
    EXPECT_STREQ(findTensorFault({map, mode, call.rank, PTXJIT_TENSOR_LOAD, 0}),
                 nullptr);
  }
  CUresult replace(uint64_t address) {
    return cuTensorMapReplaceAddress(call.map,
                                     reinterpret_cast<void *>(address));
  }
  Call call;
};
} // namespace

TEST_F(TensorMap, HoldsATile) {
  call.elementStrides[0] = 99;
  call.elementStrides[2] = 2;
  call.swizzle = CU_TENSOR_MAP_SWIZZLE_64B;
  call.fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA;
  ASSERT_EQ(call.tiled(), CUDA_SUCCESS);
  expectUsable(PTXJIT_TENSOR_MODE_TILE);
  PtxjitTensorMap map = call.content();
  EXPECT_EQ(map.address, 0x7000u);
  EXPECT_EQ(map.rank, 3);
  EXPECT_EQ(map.kind, PTXJIT_TENSOR_TILED);
  for (unsigned d = 0; d < 5; ++d) {
    EXPECT_EQ(map.sizes[d], d < 3 ? call.sizes[d] : 0u);
    EXPECT_EQ(map.box[d], d < 3 ? call.box[d] : 0u);
  }
  for (unsigned d = 0; d < 4; ++d)
    EXPECT_EQ(map.strides[d], d < 2 ? call.strides[d] : 0u);
  EXPECT_EQ(map.elementStrides[0], 1) << "ignored";
  EXPECT_EQ(map.elementStrides[1], 1);
  EXPECT_EQ(map.elementStrides[2], 2);
  EXPECT_EQ(map.type, PTXJIT_TENSOR_F32);
  EXPECT_EQ(map.swizzle, PTXJIT_TENSOR_SWIZZLE_64B);
  EXPECT_EQ(map.fill, PTXJIT_TENSOR_FILL_NAN);
  EXPECT_EQ(map.interleave, PTXJIT_TENSOR_INTERLEAVE_NONE);
  EXPECT_EQ(map.channels, 0);
  EXPECT_EQ(map.pixels, 0);
  EXPECT_EQ(map.lower[0], 0);
}

TEST_F(TensorMap, HoldsLargeNumbers) {
  call.setType(CU_TENSOR_MAP_DATA_TYPE_UINT8);
  call.sizes[0] = kMost;
  call.strides[1] = kMost * 256 - 16;
  call.box[0] = 256;
  ASSERT_EQ(call.tiled(), CUDA_SUCCESS);
  EXPECT_EQ(call.content().sizes[0], kMost);
  EXPECT_EQ(call.content().strides[1], kMost * 256 - 16);
  EXPECT_EQ(call.content().box[0], 256);
}

TEST_F(TensorMap, FirstElementStrideOfInterleavedTensorIsKept) {
  call.interleave = CU_TENSOR_MAP_INTERLEAVE_16B;
  call.elementStrides[0] = 2;
  ASSERT_EQ(call.tiled(), CUDA_SUCCESS);
  EXPECT_EQ(call.content().elementStrides[0], 2);
  EXPECT_EQ(call.content().interleave, PTXJIT_TENSOR_INTERLEAVE_16B);
  interleave32(call);
  ASSERT_EQ(call.tiled(), CUDA_SUCCESS);
  EXPECT_EQ(call.content().interleave, PTXJIT_TENSOR_INTERLEAVE_32B);
}

TEST_F(TensorMap, TypesHaveTheNumbersOfTheIsa) {
  const PtxjitTensorType expected[] = {
      PTXJIT_TENSOR_U8,       PTXJIT_TENSOR_U16,     PTXJIT_TENSOR_U32,
      PTXJIT_TENSOR_S32,      PTXJIT_TENSOR_U64,     PTXJIT_TENSOR_S64,
      PTXJIT_TENSOR_F16,      PTXJIT_TENSOR_F32,     PTXJIT_TENSOR_F64,
      PTXJIT_TENSOR_BF16,     PTXJIT_TENSOR_F32_FTZ, PTXJIT_TENSOR_TF32,
      PTXJIT_TENSOR_TF32_FTZ, PTXJIT_TENSOR_B4X16,   PTXJIT_TENSOR_B4X16_P64,
      PTXJIT_TENSOR_B6X16_P32};
  for (int type = 0; type < 16; ++type) {
    call.setPadded(type); // valid for each type
    ASSERT_EQ(call.tiled(), CUDA_SUCCESS) << type;
    EXPECT_EQ(call.content().type, expected[type]);
  }
}

TEST_F(TensorMap, SwizzleHasAnAtomicity) {
  const int expected[][2] = {
      {PTXJIT_TENSOR_SWIZZLE_NONE, PTXJIT_TENSOR_ATOM_16B},
      {PTXJIT_TENSOR_SWIZZLE_32B, PTXJIT_TENSOR_ATOM_16B},
      {PTXJIT_TENSOR_SWIZZLE_64B, PTXJIT_TENSOR_ATOM_16B},
      {PTXJIT_TENSOR_SWIZZLE_128B, PTXJIT_TENSOR_ATOM_16B},
      {PTXJIT_TENSOR_SWIZZLE_128B, PTXJIT_TENSOR_ATOM_32B},
      {PTXJIT_TENSOR_SWIZZLE_128B, PTXJIT_TENSOR_ATOM_32B_FLIP_8B},
      {PTXJIT_TENSOR_SWIZZLE_128B, PTXJIT_TENSOR_ATOM_64B}};
  for (call.swizzle = 0; call.swizzle < 7; ++call.swizzle) {
    ASSERT_EQ(call.tiled(), CUDA_SUCCESS) << call.swizzle;
    EXPECT_EQ(call.content().swizzle, expected[call.swizzle][0]);
    EXPECT_EQ(call.content().atomicity, expected[call.swizzle][1]);
  }
}

// The offsets are in the order of the dimensions, w first.
TEST_F(TensorMap, HoldsAColumn) {
  call.rank = 5;
  call.sizes[3] = 4;
  ASSERT_EQ(call.im2col(), CUDA_SUCCESS);
  expectUsable(PTXJIT_TENSOR_MODE_IM2COL);
  PtxjitTensorMap map = call.content();
  EXPECT_EQ(map.kind, PTXJIT_TENSOR_IM2COL);
  EXPECT_EQ(map.rank, 5);
  for (unsigned i = 0; i < 3; ++i) {
    EXPECT_EQ(map.lower[i], call.lower[i]);
    EXPECT_EQ(map.upper[i], call.upper[i]);
  }
  EXPECT_EQ(map.channels, 8);
  EXPECT_EQ(map.pixels, 64);
  EXPECT_EQ(map.box[0], 0);
}

// h has 10 elements, w has 20, so only w can lose 12 of them.
TEST_F(TensorMap, FirstOffsetIsOfW) {
  call.rank = 4;
  call.lower[0] = call.lower[1] = 0;
  call.upper[0] = -12;
  call.upper[1] = 0;
  EXPECT_EQ(call.im2col(), CUDA_SUCCESS);
  call.upper[0] = 0;
  call.upper[1] = -12;
  EXPECT_EQ(call.im2col(), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(TensorMap, HoldsAWideColumn) {
  call.rank = 4;
  call.swizzle = CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B;
  ASSERT_EQ(call.wide(), CUDA_SUCCESS);
  expectUsable(PTXJIT_TENSOR_MODE_IM2COL_W);
  EXPECT_EQ(call.content().kind, PTXJIT_TENSOR_IM2COL_W);
  EXPECT_EQ(call.content().lower[0], -1);
  EXPECT_EQ(call.content().upper[0], 1);
  EXPECT_EQ(call.content().lower[1], 0) << "h has no corners";
  EXPECT_EQ(call.content().pixels, 64);
  EXPECT_EQ(call.content().atomicity, PTXJIT_TENSOR_ATOM_32B);
  call.mode = CU_TENSOR_MAP_IM2COL_WIDE_MODE_W128;
  ASSERT_EQ(call.wide(), CUDA_SUCCESS);
  expectUsable(PTXJIT_TENSOR_MODE_IM2COL_W128);
  EXPECT_EQ(call.content().kind, PTXJIT_TENSOR_IM2COL_W128);
  EXPECT_EQ(call.content().pixels, 0);
}

TEST_F(TensorMap, AddressIsReplaced) {
  ASSERT_EQ(call.tiled(), CUDA_SUCCESS);
  PtxjitTensorMap before = call.content();
  EXPECT_EQ(replace(0x9010), CUDA_SUCCESS);
  expectUsable(PTXJIT_TENSOR_MODE_TILE);
  PtxjitTensorMap after = call.content();
  EXPECT_EQ(after.address, 0x9010u);
  after.address = before.address;
  after.checksum = before.checksum;
  EXPECT_EQ(std::memcmp(&before, &after, sizeof(before)), 0)
      << "all else is the same";
}

TEST_F(TensorMap, ReplacedAddressIsAligned) {
  ASSERT_EQ(call.tiled(), CUDA_SUCCESS);
  EXPECT_EQ(replace(0x9008), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(call.content().address, 0x7000u);
  interleave32(call);
  ASSERT_EQ(call.tiled(), CUDA_SUCCESS);
  EXPECT_EQ(replace(0x9010), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(replace(0x9020), CUDA_SUCCESS);
  Call padded;
  padded.setPadded(kB6Padded);
  ASSERT_EQ(padded.tiled(), CUDA_SUCCESS);
  EXPECT_EQ(
      cuTensorMapReplaceAddress(padded.map, reinterpret_cast<void *>(0x9010)),
      CUDA_ERROR_INVALID_VALUE);
}

TEST_F(TensorMap, AddressOfNoMapIsNotReplaced) {
  EXPECT_EQ(replace(0x9000), CUDA_ERROR_INVALID_VALUE) << "all zero";
  EXPECT_EQ(cuTensorMapReplaceAddress(nullptr, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(call.tiled(), CUDA_SUCCESS);
  call.place[0].opaque[15] ^= uint64_t(1) << 32; // torn
  EXPECT_EQ(replace(0x9000), CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(call.tiled(), CUDA_SUCCESS);
  std::memmove(reinterpret_cast<char *>(call.place) + 32, call.place,
               sizeof(CUtensorMap));
  call.map = reinterpret_cast<CUtensorMap *>(
      reinterpret_cast<char *>(call.place) + 32);
  EXPECT_EQ(replace(0x9000), CUDA_ERROR_INVALID_VALUE) << "not aligned";
}

TEST_F(TensorMap, FunctionsAreFoundByName) {
  auto find = [](const char *name, int version) {
    void *found = nullptr;
    EXPECT_EQ(cuGetProcAddress_v2(name, &found, version, 0, nullptr),
              CUDA_SUCCESS);
    return found;
  };
  EXPECT_EQ(find("cuTensorMapEncodeTiled", 12000),
            reinterpret_cast<void *>(cuTensorMapEncodeTiled));
  EXPECT_EQ(find("cuTensorMapEncodeIm2col", 12000),
            reinterpret_cast<void *>(cuTensorMapEncodeIm2col));
  EXPECT_EQ(find("cuTensorMapEncodeIm2colWide", 12080),
            reinterpret_cast<void *>(cuTensorMapEncodeIm2colWide));
  EXPECT_EQ(find("cuTensorMapReplaceAddress", 13000),
            reinterpret_cast<void *>(cuTensorMapReplaceAddress));
}

// In a process of its own, since other tests initialise the driver.
/// A kernel loads the box of a map that is its parameter, as
/// `__grid_constant__` variables are.
static const char *const kLoadsBox = R"(.version 8.6
.target sm_90
.address_size 64
.visible .entry load(.param .align 64 .b8 map[128], .param .u64 out)
{
  .shared .align 128 .b32 box[8];
  .shared .align 8 .b64 bar;
  .reg .b64 %map, %out, %o, %state; .reg .b32 %t, %a, %v;
  .reg .pred %first, %done;
  mov.b64 %map, map; cvta.param.u64 %map, %map; ld.param.u64 %out, [out];
  mov.u32 %t, %tid.x; setp.eq.u32 %first, %t, 0;
  @%first mbarrier.init.shared.b64 [bar], 1;
  @%first mbarrier.arrive.expect_tx.shared.b64 %state, [bar], 32;
  bar.sync 0;
  @%first cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [box], [%map, {6, 1}], [bar];
wait:
  mbarrier.try_wait.parity.shared.b64 %done, [bar], 0;
  @!%done bra wait;
  mov.u32 %a, box; shl.b32 %v, %t, 2; add.u32 %a, %a, %v;
  mul.wide.u32 %o, %t, 4; add.u64 %out, %out, %o;
  ld.shared.u32 %v, [%a]; st.global.u32 [%out], %v;
  ret;
})";

TEST_F(TensorMap, KernelLoadsABox) {
  CUcontext context = nullptr;
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  CUdeviceptr tensor = 0, out = 0;
  ASSERT_EQ(cuCtxCreate_v2(&context, 0, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuModuleLoadData(&module, kLoadsBox), CUDA_SUCCESS);
  ASSERT_EQ(cuModuleGetFunction(&function, module, "load"), CUDA_SUCCESS);
  ASSERT_EQ(cuMemAlloc_v2(&tensor, 24 * 4), CUDA_SUCCESS);
  ASSERT_EQ(cuMemAlloc_v2(&out, 8 * 4), CUDA_SUCCESS);
  auto *elements = reinterpret_cast<uint32_t *>(tensor);
  for (uint32_t i = 0; i < 24; ++i)
    elements[i] = i;
  Call call; // 8 x 3 elements
  call.type = CU_TENSOR_MAP_DATA_TYPE_UINT32;
  call.rank = 2;
  call.address = tensor;
  call.sizes[0] = 8, call.sizes[1] = 3;
  call.strides[0] = 32;
  call.box[0] = 4, call.box[1] = 2;
  ASSERT_EQ(call.tiled(), CUDA_SUCCESS);
  void *params[] = {call.map, &out};
  ASSERT_EQ(
      cuLaunchKernel(function, 1, 1, 1, 8, 1, 1, 0, nullptr, params, nullptr),
      CUDA_SUCCESS);
  ASSERT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
  const uint32_t expected[] = {14, 15, 0, 0, 22, 23, 0, 0};
  for (unsigned i = 0; i < 8; ++i)
    EXPECT_EQ(reinterpret_cast<uint32_t *>(out)[i], expected[i]) << i;
  EXPECT_EQ(cuCtxDestroy_v2(context), CUDA_SUCCESS);
}

// CUTLASS and Triton do this to maps of small tensors.
TEST_F(TensorMap, OneBitMayBeCleared) {
  Call call;
  call.address = ~uint64_t(0) << 4;
  ASSERT_EQ(call.tiled(), CUDA_SUCCESS);
  PtxjitTensorMap before = call.content();
  reinterpret_cast<uint64_t *>(call.map)[1] &= ~(uint64_t(1) << 21);
  PtxjitTensorMap after = call.content();
  EXPECT_EQ(std::memcmp(&before, &after, sizeof(before)), 0);
}

TEST(TensorMapDeathTest, DriverIsNotInitialised) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  auto body = [] {
    Call call;
    std::exit(call.tiled() == CUDA_ERROR_NOT_INITIALIZED &&
                      call.im2col() == CUDA_ERROR_NOT_INITIALIZED &&
                      call.wide() == CUDA_ERROR_NOT_INITIALIZED &&
                      cuTensorMapReplaceAddress(call.map, nullptr) ==
                          CUDA_ERROR_NOT_INITIALIZED
                  ? 0
                  : 1);
  };
  EXPECT_EXIT(body(), testing::ExitedWithCode(0), "");
}
