//===- TextureTest.cpp - texture and surface objects, references ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kernels read is looked at in place: a handle is the address of a
// PtxjitTexture.
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Runtime/Texture.h"
#include "ptxjit/CudaDriver/CudaABI.h"

#include <atomic>
#include <cstring>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

namespace {

constexpr CUresult kWrong = CUDA_ERROR_INVALID_VALUE;

class Textures : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
    ASSERT_EQ(cuCtxCreate_v2(&context, 0, 0), CUDA_SUCCESS);
  }
  void TearDown() override {
    EXPECT_EQ(cuCtxDestroy_v2(context), CUDA_SUCCESS);
  }
  static CUarray makeArray(size_t width, size_t height = 0, size_t depth = 0,
                           unsigned flags = 0,
                           CUarray_format format = CU_AD_FORMAT_UNSIGNED_INT8,
                           unsigned channels = 1) {
    CUDA_ARRAY3D_DESCRIPTOR desc{width, height, depth, format, channels, flags};
    CUarray array = nullptr;
    EXPECT_EQ(cuArray3DCreate_v2(&array, &desc), CUDA_SUCCESS);
    return array;
  }
  static CUmipmappedArray makeMipmaps(size_t width, size_t height, size_t depth,
                                      unsigned flags, unsigned levels) {
    CUDA_ARRAY3D_DESCRIPTOR desc{
        width, height, depth, CU_AD_FORMAT_UNSIGNED_INT8, 4, flags};
    CUmipmappedArray array = nullptr;
    EXPECT_EQ(cuMipmappedArrayCreate(&array, &desc, levels), CUDA_SUCCESS);
    return array;
  }
  static CUDA_RESOURCE_DESC of(CUarray array) {
    CUDA_RESOURCE_DESC resource{};
    resource.resType = CU_RESOURCE_TYPE_ARRAY;
    resource.res.array.hArray = array;
    return resource;
  }
  static CUDA_RESOURCE_DESC of(CUmipmappedArray array) {
    CUDA_RESOURCE_DESC resource{};
    resource.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
    resource.res.mipmap.hMipmappedArray = array;
    return resource;
  }
  static CUDA_RESOURCE_DESC linear(CUdeviceptr memory, size_t bytes) {
    CUDA_RESOURCE_DESC resource{};
    resource.resType = CU_RESOURCE_TYPE_LINEAR;
    resource.res.linear = {memory, CU_AD_FORMAT_FLOAT, 2, bytes};
    return resource;
  }
  static CUDA_RESOURCE_DESC pitched(CUdeviceptr memory, size_t width,
                                    size_t height, size_t pitch) {
    CUDA_RESOURCE_DESC resource{};
    resource.resType = CU_RESOURCE_TYPE_PITCH2D;
    resource.res.pitch2D = {memory, CU_AD_FORMAT_FLOAT, 1, width, height,
                            pitch};
    return resource;
  }
  static CUdeviceptr allocate(size_t bytes) {
    CUdeviceptr memory = 0;
    EXPECT_EQ(cuMemAlloc_v2(&memory, bytes), CUDA_SUCCESS);
    return memory;
  }
  static CUresult tryMake(const CUDA_RESOURCE_DESC &resource,
                          const CUDA_TEXTURE_DESC &desc = {},
                          const CUDA_RESOURCE_VIEW_DESC *view = nullptr) {
    CUtexObject texture = 0;
    CUresult result = cuTexObjectCreate(&texture, &resource, &desc, view);
    if (!result)
      EXPECT_EQ(cuTexObjectDestroy(texture), CUDA_SUCCESS);
    return result;
  }
  /// What kernels read of a texture.
  static PtxjitTexture make(const CUDA_RESOURCE_DESC &resource,
                            const CUDA_TEXTURE_DESC &desc = {},
                            const CUDA_RESOURCE_VIEW_DESC *view = nullptr) {
    CUtexObject texture = 0;
    EXPECT_EQ(cuTexObjectCreate(&texture, &resource, &desc, view),
              CUDA_SUCCESS);
    PtxjitTexture copy{};
    if (texture)
      copy = *reinterpret_cast<const PtxjitTexture *>(texture);
    EXPECT_EQ(cuTexObjectDestroy(texture), CUDA_SUCCESS);
    return copy;
  }

  CUcontext context = nullptr;
};

TEST_F(Textures, ArraysAreDescribed) {
  CUarray array = makeArray(20, 5);
  PtxjitTexture texture = make(of(array));
  EXPECT_EQ(texture.kind, uint64_t(PTXJIT_OPAQUE_TEXTURE));
  EXPECT_EQ(texture.shape, PTXJIT_IMAGE_2D);
  EXPECT_FALSE(texture.isLayered);
  EXPECT_EQ(texture.type, PTXJIT_TEXEL_U8);
  EXPECT_EQ(texture.channels, 1);
  EXPECT_EQ(texture.levels, 1);
  EXPECT_EQ(texture.samples, 1);
  EXPECT_EQ(texture.layers, 1u);
  const PtxjitImageLevel &level = texture.level[0];
  EXPECT_EQ(level.width, 20u);
  EXPECT_EQ(level.height, 5u);
  EXPECT_EQ(level.depth, 1u);
  EXPECT_EQ(level.rowBytes % 32, 0u);
  // Texels are where copies put them.
  unsigned char row[20] = {0, 1, 2, 3};
  ASSERT_EQ(cuMemcpyHtoA_v2(array, 60, row, 20), CUDA_SUCCESS);
  EXPECT_EQ(std::memcmp(reinterpret_cast<const void *>(level.texels +
                                                       3 * level.rowBytes),
                        row, 20),
            0);
}

TEST_F(Textures, ShapesAreDescribed) {
  struct {
    CUarray array;
    PtxjitImageShape shape;
    bool isLayered;
    uint32_t width, height, depth, layers;
  } const cases[] = {
      {makeArray(9), PTXJIT_IMAGE_1D, false, 9, 1, 1, 1},
      {makeArray(9, 8, 7), PTXJIT_IMAGE_3D, false, 9, 8, 7, 1},
      {makeArray(9, 0, 7, CUDA_ARRAY3D_LAYERED), PTXJIT_IMAGE_1D, true, 9, 1, 1,
       7},
      {makeArray(9, 8, 7, CUDA_ARRAY3D_LAYERED), PTXJIT_IMAGE_2D, true, 9, 8, 1,
       7},
      {makeArray(9, 9, 6, CUDA_ARRAY3D_CUBEMAP), PTXJIT_IMAGE_CUBE, false, 9, 9,
       1, 1},
      {makeArray(9, 9, 18, CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_LAYERED),
       PTXJIT_IMAGE_CUBE, true, 9, 9, 1, 3}};
  for (const auto &row : cases) {
    PtxjitTexture texture = make(of(row.array));
    EXPECT_EQ(texture.shape, row.shape);
    EXPECT_EQ(texture.isLayered, row.isLayered);
    EXPECT_EQ(texture.layers, row.layers);
    EXPECT_EQ(texture.level[0].width, row.width);
    EXPECT_EQ(texture.level[0].height, row.height);
    EXPECT_EQ(texture.level[0].depth, row.depth);
    EXPECT_EQ(texture.level[0].sliceBytes,
              texture.level[0].rowBytes * row.height);
  }
}

TEST_F(Textures, SamplersAreDescribed) {
  CUDA_TEXTURE_DESC desc{};
  desc.addressMode[0] = CU_TR_ADDRESS_MODE_MIRROR;
  desc.addressMode[1] = CU_TR_ADDRESS_MODE_BORDER;
  desc.addressMode[2] = CU_TR_ADDRESS_MODE_WRAP;
  desc.filterMode = CU_TR_FILTER_MODE_LINEAR;
  desc.mipmapFilterMode = CU_TR_FILTER_MODE_LINEAR;
  desc.flags = CU_TRSF_NORMALIZED_COORDINATES | CU_TRSF_SRGB |
               CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION;
  desc.maxAnisotropy = 99;
  desc.mipmapLevelBias = 0.5f;
  desc.minMipmapLevelClamp = 1;
  desc.maxMipmapLevelClamp = 2;
  for (int i = 0; i < 4; ++i)
    desc.borderColor[i] = float(i);
  CUarray array = makeArray(8, 8, 0, 0, CU_AD_FORMAT_UNSIGNED_INT8, 4);
  PtxjitTexture texture = make(of(array), desc);
  EXPECT_TRUE(texture.isFraction);
  EXPECT_TRUE(texture.isSRGB);
  const PtxjitSampler &sampler = texture.sampler;
  EXPECT_EQ(sampler.addressModes[0], PTXJIT_ADDRESS_MIRROR);
  EXPECT_EQ(sampler.addressModes[1], PTXJIT_ADDRESS_BORDER);
  EXPECT_EQ(sampler.addressModes[2], PTXJIT_ADDRESS_WRAP);
  EXPECT_TRUE(sampler.isLinear);
  EXPECT_TRUE(sampler.isMipLinear);
  EXPECT_TRUE(sampler.isNormalized);
  EXPECT_TRUE(sampler.isTrilinear);
  EXPECT_FALSE(sampler.isSeamless);
  EXPECT_EQ(sampler.maxAnisotropy, 16);
  EXPECT_EQ(sampler.levelBias, 0.5f);
  EXPECT_EQ(sampler.minLevel, 1.0f);
  EXPECT_EQ(sampler.maxLevel, 2.0f);
  EXPECT_EQ(sampler.border[3], 3.0f);
  // Only fractions can wrap around.
  desc.flags = 0;
  texture = make(of(array), desc);
  EXPECT_EQ(texture.sampler.addressModes[0], PTXJIT_ADDRESS_CLAMP);
  EXPECT_EQ(texture.sampler.addressModes[1], PTXJIT_ADDRESS_BORDER);
  EXPECT_EQ(texture.sampler.addressModes[2], PTXJIT_ADDRESS_CLAMP);
  EXPECT_FALSE(texture.sampler.isNormalized);
  EXPECT_FALSE(texture.isSRGB);
  desc.maxAnisotropy = 0;
  EXPECT_EQ(make(of(array), desc).sampler.maxAnisotropy, 1);
}

TEST_F(Textures, NarrowIntegersAreFractionsUnlessReadAsIntegers) {
  CUDA_TEXTURE_DESC plain{}, asInteger{};
  asInteger.flags = CU_TRSF_READ_AS_INTEGER;
  struct {
    CUarray_format format;
    PtxjitTexelType type;
    bool isFraction, isFractionAsInteger;
  } const cases[] = {
      {CU_AD_FORMAT_UNSIGNED_INT8, PTXJIT_TEXEL_U8, true, false},
      {CU_AD_FORMAT_SIGNED_INT8, PTXJIT_TEXEL_S8, true, false},
      {CU_AD_FORMAT_UNSIGNED_INT16, PTXJIT_TEXEL_U16, true, false},
      {CU_AD_FORMAT_SIGNED_INT16, PTXJIT_TEXEL_S16, true, false},
      {CU_AD_FORMAT_UNSIGNED_INT32, PTXJIT_TEXEL_U32, false, false},
      {CU_AD_FORMAT_SIGNED_INT32, PTXJIT_TEXEL_S32, false, false},
      {CU_AD_FORMAT_HALF, PTXJIT_TEXEL_F16, false, false},
      {CU_AD_FORMAT_FLOAT, PTXJIT_TEXEL_F32, false, false},
      {CU_AD_FORMAT_UNORM_INT8X1, PTXJIT_TEXEL_U8, true, true},
      {CU_AD_FORMAT_SNORM_INT16X1, PTXJIT_TEXEL_S16, true, true}};
  for (const auto &row : cases) {
    CUarray array = makeArray(8, 8, 0, 0, row.format);
    EXPECT_EQ(make(of(array), plain).type, row.type);
    EXPECT_EQ(make(of(array), plain).isFraction, row.isFraction) << row.format;
    EXPECT_EQ(make(of(array), asInteger).isFraction, row.isFractionAsInteger)
        << row.format;
  }
}

/// As with NVIDIA's driver (an H100's), although the guide speaks of floats
/// only.
TEST_F(Textures, IntegersAreMixed) {
  CUDA_TEXTURE_DESC desc{};
  desc.filterMode = CU_TR_FILTER_MODE_LINEAR;
  EXPECT_EQ(tryMake(of(makeArray(8, 8)), desc), CUDA_SUCCESS);
  EXPECT_EQ(tryMake(of(makeArray(8, 8, 0, 0, CU_AD_FORMAT_HALF)), desc),
            CUDA_SUCCESS);
  EXPECT_EQ(
      tryMake(of(makeArray(8, 8, 0, 0, CU_AD_FORMAT_UNSIGNED_INT32)), desc),
      CUDA_SUCCESS);
  desc.flags = CU_TRSF_READ_AS_INTEGER;
  EXPECT_EQ(tryMake(of(makeArray(8, 8)), desc), CUDA_SUCCESS);
}

TEST_F(Textures, WrongDescriptionsAreRefused) {
  CUarray array = makeArray(8, 8);
  CUtexObject texture = 0;
  CUDA_RESOURCE_DESC resource = of(array);
  CUDA_TEXTURE_DESC desc{};
  EXPECT_EQ(cuTexObjectCreate(nullptr, &resource, &desc, nullptr), kWrong);
  EXPECT_EQ(cuTexObjectCreate(&texture, nullptr, &desc, nullptr), kWrong);
  EXPECT_EQ(cuTexObjectCreate(&texture, &resource, nullptr, nullptr), kWrong);
  resource.flags = 1;
  EXPECT_EQ(tryMake(resource), kWrong);
  resource = of(array);
  resource.resType = 4;
  EXPECT_EQ(tryMake(resource), kWrong);
  resource.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
  EXPECT_EQ(tryMake(resource), kWrong) << "an array is not mipmapped";
  EXPECT_EQ(tryMake(of(CUarray(nullptr))), kWrong);
  desc.flags = 0x80;
  EXPECT_EQ(tryMake(of(array), desc), kWrong);
  desc = {};
  desc.filterMode = CUfilter_mode(2);
  EXPECT_EQ(tryMake(of(array), desc), kWrong);
  desc = {};
  desc.addressMode[1] = CUaddress_mode(4);
  EXPECT_EQ(tryMake(of(array), desc), kWrong);
  desc = {};
  desc.flags = CU_TRSF_SEAMLESS_CUBEMAP;
  EXPECT_EQ(tryMake(of(array), desc), kWrong) << "it is no cube";
  EXPECT_EQ(tryMake(of(makeArray(8, 8, 6, CUDA_ARRAY3D_CUBEMAP)), desc),
            CUDA_SUCCESS);
  EXPECT_EQ(tryMake(of(makeMipmaps(8, 8, 0, 0, 2))), CUDA_SUCCESS)
      << "coordinates may be texels of the level";
  EXPECT_EQ(cuArrayDestroy(array), CUDA_SUCCESS);
  EXPECT_EQ(tryMake(of(array)), kWrong);
}

TEST_F(Textures, MemoryIsDescribed) {
  CUdeviceptr memory = allocate(4096);
  PtxjitTexture texture = make(linear(memory, 100));
  EXPECT_EQ(texture.shape, PTXJIT_IMAGE_LINEAR);
  EXPECT_EQ(texture.type, PTXJIT_TEXEL_F32);
  EXPECT_EQ(texture.channels, 2);
  EXPECT_EQ(texture.level[0].texels, memory);
  EXPECT_EQ(texture.level[0].width, 12u);
  EXPECT_EQ(texture.level[0].height, 1u);
  texture = make(pitched(memory, 10, 6, 64));
  EXPECT_EQ(texture.shape, PTXJIT_IMAGE_2D);
  EXPECT_EQ(texture.level[0].texels, memory);
  EXPECT_EQ(texture.level[0].width, 10u);
  EXPECT_EQ(texture.level[0].height, 6u);
  EXPECT_EQ(texture.level[0].rowBytes, 64u);
  // Neither filters nor modes matter to a row of memory.
  CUDA_TEXTURE_DESC desc{};
  desc.filterMode = CU_TR_FILTER_MODE_LINEAR;
  CUDA_RESOURCE_DESC integers = linear(memory, 64);
  integers.res.linear.format = CU_AD_FORMAT_SIGNED_INT32;
  desc.addressMode[0] = CUaddress_mode(77);
  EXPECT_FALSE(make(integers, desc).sampler.isLinear);
  EXPECT_EQ(make(integers, desc).sampler.addressModes[0], PTXJIT_ADDRESS_CLAMP);

  EXPECT_EQ(tryMake(linear(0, 64)), kWrong);
  EXPECT_EQ(tryMake(linear(memory, 7)), kWrong) << "less than an element";
  EXPECT_EQ(tryMake(linear(memory + 8, 64)), kWrong);
  EXPECT_EQ(tryMake(linear(memory, (size_t(1) << 31) + 8)), kWrong);
  int local[4];
  EXPECT_EQ(tryMake(linear(reinterpret_cast<CUdeviceptr>(local), 16)), kWrong);
  EXPECT_EQ(tryMake(pitched(memory, 0, 6, 64)), kWrong);
  EXPECT_EQ(tryMake(pitched(memory, 10, 0, 64)), kWrong);
  EXPECT_EQ(tryMake(pitched(memory, 10, 6, 48)), kWrong) << "not aligned";
  EXPECT_EQ(tryMake(pitched(memory, 17, 6, 64)), kWrong) << "rows overlap";
  EXPECT_EQ(tryMake(pitched(memory + 64, 10, 6, 64)), kWrong);
  EXPECT_EQ(tryMake(pitched(memory, 131073, 1, 1 << 20)), kWrong);
  EXPECT_EQ(tryMake(pitched(memory, 1, 65001, 32)), kWrong);
  EXPECT_EQ(tryMake(pitched(memory, 1, 1, 2097152)), kWrong);
  CUDA_RESOURCE_VIEW_DESC view{};
  view.width = 12;
  EXPECT_EQ(tryMake(linear(memory, 96), {}, &view), kWrong);
}

TEST_F(Textures, MemoryOfAnySizeIsAligned) {
  for (size_t bytes : {size_t(16), size_t(700), size_t(5000)}) {
    CUdeviceptr memory[3];
    for (CUdeviceptr &one : memory)
      EXPECT_EQ((one = allocate(bytes)) % 512, 0u);
    EXPECT_EQ(tryMake(linear(memory[1], bytes)), CUDA_SUCCESS);
  }
}

TEST_F(Textures, ViewsSelect) {
  CUDA_TEXTURE_DESC desc{};
  desc.flags = CU_TRSF_NORMALIZED_COORDINATES;
  CUmipmappedArray mipmaps = makeMipmaps(16, 16, 5, CUDA_ARRAY3D_LAYERED, 5);
  PtxjitTexture whole = make(of(mipmaps), desc);
  EXPECT_EQ(whole.levels, 5);
  EXPECT_EQ(whole.layers, 5u);
  EXPECT_EQ(whole.level[4].width, 1u);
  CUDA_RESOURCE_VIEW_DESC view{};
  view.width = view.height = 16;
  view.depth = 5;
  view.firstMipmapLevel = 1;
  view.lastMipmapLevel = 3;
  view.firstLayer = 2;
  view.lastLayer = 3;
  view.format = CU_RES_VIEW_FORMAT_UINT_1X32;
  PtxjitTexture part = make(of(mipmaps), desc, &view);
  EXPECT_EQ(part.levels, 3);
  EXPECT_EQ(part.layers, 2u);
  EXPECT_EQ(part.level[0].width, 8u);
  EXPECT_EQ(part.level[0].texels,
            whole.level[1].texels + 2 * whole.level[1].sliceBytes);
  EXPECT_EQ(part.level[2].texels,
            whole.level[3].texels + 2 * whole.level[3].sliceBytes);
  EXPECT_EQ(part.type, PTXJIT_TEXEL_U32);
  EXPECT_EQ(part.channels, 1);
  EXPECT_FALSE(part.isFraction);
  auto refuses = [&](auto change, CUresult error = kWrong) {
    CUDA_RESOURCE_VIEW_DESC bad = view;
    change(bad);
    return tryMake(of(mipmaps), desc, &bad) == error;
  };
  EXPECT_TRUE(refuses([](auto &bad) { bad.width = 8; }));
  EXPECT_TRUE(refuses([](auto &bad) { bad.height = 8; }));
  EXPECT_TRUE(refuses([](auto &bad) { bad.depth = 4; }));
  EXPECT_TRUE(refuses([](auto &bad) { bad.lastMipmapLevel = 5; }));
  EXPECT_TRUE(refuses([](auto &bad) { bad.firstMipmapLevel = 4; }));
  EXPECT_TRUE(refuses([](auto &bad) { bad.lastLayer = 5; }));
  EXPECT_TRUE(refuses([](auto &bad) { bad.firstLayer = 4; }));
  EXPECT_TRUE(
      refuses([](auto &bad) { bad.format = CU_RES_VIEW_FORMAT_FLOAT_4X32; }));
  EXPECT_TRUE(refuses([](auto &bad) { bad.format = 0x23; }));
  EXPECT_TRUE(
      refuses([](auto &bad) { bad.format = CU_RES_VIEW_FORMAT_UNSIGNED_BC1; },
              CUDA_ERROR_NOT_SUPPORTED));
  // Arrays have one level, and planes no layers.
  CUarray plane = makeArray(16, 16);
  view = {};
  view.width = view.height = 16;
  EXPECT_EQ(tryMake(of(plane), {}, &view), CUDA_SUCCESS);
  view.depth = 1;
  EXPECT_EQ(tryMake(of(plane), {}, &view), CUDA_SUCCESS);
  view.lastLayer = 1;
  EXPECT_EQ(tryMake(of(plane), {}, &view), kWrong);
  view.lastLayer = 0;
  view.lastMipmapLevel = 1;
  EXPECT_EQ(tryMake(of(plane), {}, &view), kWrong);
}

TEST_F(Textures, FormatsOfViewsAreThoseOfCuda) {
  struct {
    int format;
    PtxjitTexelType type;
    CUarray_format array;
    unsigned channels;
  } const cases[] = {
      {CU_RES_VIEW_FORMAT_UINT_4X8, PTXJIT_TEXEL_U8, CU_AD_FORMAT_FLOAT, 4},
      {CU_RES_VIEW_FORMAT_SINT_4X8, PTXJIT_TEXEL_S8, CU_AD_FORMAT_FLOAT, 4},
      {0x0c, PTXJIT_TEXEL_S16, CU_AD_FORMAT_FLOAT, 4}, // SINT_4X16
      {CU_RES_VIEW_FORMAT_SINT_1X32, PTXJIT_TEXEL_S32, CU_AD_FORMAT_FLOAT, 1},
      {0x14, PTXJIT_TEXEL_F16, CU_AD_FORMAT_FLOAT, 2}, // FLOAT_2X16
      {CU_RES_VIEW_FORMAT_FLOAT_1X32, PTXJIT_TEXEL_F32,
       CU_AD_FORMAT_UNSIGNED_INT32, 1}};
  for (const auto &row : cases) {
    bool isWide = row.format == 0x0c;
    CUarray array = makeArray(4, 4, 0, 0, row.array, isWide ? 2 : 1);
    CUDA_RESOURCE_VIEW_DESC view{};
    view.format = row.format;
    view.width = view.height = 4;
    PtxjitTexture texture = make(of(array), {}, &view);
    EXPECT_EQ(texture.type, row.type) << row.format;
    EXPECT_EQ(texture.channels, row.channels) << row.format;
  }
}

TEST_F(Textures, ViewsOfCubesCountFaces) {
  CUarray cubes =
      makeArray(8, 8, 24, CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_LAYERED);
  CUDA_RESOURCE_VIEW_DESC view{};
  view.width = view.height = 8;
  view.depth = 24;
  view.firstLayer = 6;
  view.lastLayer = 17;
  EXPECT_EQ(make(of(cubes), {}, &view).layers, 2u);
  view.lastLayer = 16;
  EXPECT_EQ(tryMake(of(cubes), {}, &view), kWrong);
}

TEST_F(Textures, DescriptionsAreReadBack) {
  CUDA_RESOURCE_DESC resource = of(makeArray(8, 8)), resourceBack;
  CUDA_TEXTURE_DESC desc{}, descBack;
  desc.maxAnisotropy = 7;
  CUDA_RESOURCE_VIEW_DESC view{}, viewBack;
  view.width = view.height = 8;
  view.format = CU_RES_VIEW_FORMAT_UINT_1X8;
  CUtexObject with, without;
  ASSERT_EQ(cuTexObjectCreate(&with, &resource, &desc, &view), CUDA_SUCCESS);
  ASSERT_EQ(cuTexObjectCreate(&without, &resource, &desc, nullptr),
            CUDA_SUCCESS);
  EXPECT_EQ(cuTexObjectGetResourceDesc(&resourceBack, with), CUDA_SUCCESS);
  EXPECT_EQ(resourceBack.res.array.hArray, resource.res.array.hArray);
  EXPECT_EQ(cuTexObjectGetTextureDesc(&descBack, with), CUDA_SUCCESS);
  EXPECT_EQ(descBack.maxAnisotropy, 7u);
  EXPECT_EQ(cuTexObjectGetResourceViewDesc(&viewBack, with), CUDA_SUCCESS);
  EXPECT_EQ(viewBack.format, CU_RES_VIEW_FORMAT_UINT_1X8);
  EXPECT_EQ(cuTexObjectGetResourceViewDesc(&viewBack, without), kWrong);
  EXPECT_EQ(cuTexObjectGetResourceDesc(nullptr, with), kWrong);
  EXPECT_EQ(cuSurfObjectDestroy(with), kWrong) << "it is a texture";
  EXPECT_EQ(cuTexObjectDestroy(with), CUDA_SUCCESS);
  EXPECT_EQ(cuTexObjectDestroy(with), kWrong);
  EXPECT_EQ(cuTexObjectGetTextureDesc(&descBack, with), kWrong);
  EXPECT_EQ(cuTexObjectDestroy(0), CUDA_SUCCESS) << "there is none";
  EXPECT_EQ(cuSurfObjectDestroy(0), CUDA_SUCCESS);
  EXPECT_EQ(cuTexObjectDestroy(12345), kWrong);
  EXPECT_EQ(cuTexObjectDestroy(without), CUDA_SUCCESS);
}

TEST_F(Textures, ContextsTakeTheirObjectsAlong) {
  CUcontext other;
  CUtexObject texture;
  ASSERT_EQ(cuCtxCreate_v2(&other, 0, 0), CUDA_SUCCESS);
  CUDA_RESOURCE_DESC resource = of(makeArray(8, 8));
  CUDA_TEXTURE_DESC desc{};
  ASSERT_EQ(cuTexObjectCreate(&texture, &resource, &desc, nullptr),
            CUDA_SUCCESS);
  ASSERT_EQ(cuCtxDestroy_v2(other), CUDA_SUCCESS);
  EXPECT_EQ(cuTexObjectDestroy(texture), kWrong);
  EXPECT_EQ(reinterpret_cast<const PtxjitTexture *>(texture)->kind,
            uint64_t(PTXJIT_OPAQUE_NONE));
}

TEST_F(Textures, OneOfManyThreadsDestroysAnObject) {
  CUDA_RESOURCE_DESC resource = of(makeArray(8, 8));
  CUDA_TEXTURE_DESC desc{};
  for (int round = 0; round < 50; ++round) {
    CUtexObject texture;
    ASSERT_EQ(cuTexObjectCreate(&texture, &resource, &desc, nullptr),
              CUDA_SUCCESS);
    std::atomic<int> destroyed{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back(
          [&] { destroyed += cuTexObjectDestroy(texture) == CUDA_SUCCESS; });
    for (std::thread &thread : threads)
      thread.join();
    EXPECT_EQ(destroyed, 1);
  }
}

TEST_F(Textures, SurfacesAreDescribed) {
  CUarray array = makeArray(8, 4, 3, CUDA_ARRAY3D_SURFACE_LDST,
                            CU_AD_FORMAT_UNORM_INT8X4, 4);
  CUDA_RESOURCE_DESC resource = of(array), back;
  CUsurfObject surface;
  ASSERT_EQ(cuSurfObjectCreate(&surface, &resource), CUDA_SUCCESS);
  const auto &seen = *reinterpret_cast<const PtxjitTexture *>(surface);
  EXPECT_EQ(seen.kind, uint64_t(PTXJIT_OPAQUE_SURFACE));
  EXPECT_EQ(seen.shape, PTXJIT_IMAGE_3D);
  EXPECT_EQ(seen.channels, 4);
  EXPECT_TRUE(seen.isFraction);
  EXPECT_EQ(seen.level[0].depth, 3u);
  EXPECT_EQ(cuSurfObjectGetResourceDesc(&back, surface), CUDA_SUCCESS);
  EXPECT_EQ(back.res.array.hArray, array);
  EXPECT_EQ(cuTexObjectDestroy(surface), kWrong) << "it is a surface";
  EXPECT_EQ(cuSurfObjectDestroy(surface), CUDA_SUCCESS);
  EXPECT_EQ(cuSurfObjectDestroy(surface), kWrong);
  resource = of(makeArray(8, 4));
  ASSERT_EQ(cuSurfObjectCreate(&surface, &resource), CUDA_SUCCESS)
      << "the flag is not needed, as on an H100";
  EXPECT_EQ(cuSurfObjectDestroy(surface), CUDA_SUCCESS);
  resource = of(makeMipmaps(8, 8, 0, CUDA_ARRAY3D_SURFACE_LDST, 2));
  EXPECT_EQ(cuSurfObjectCreate(&surface, &resource), kWrong);
  CUarray level;
  ASSERT_EQ(
      cuMipmappedArrayGetLevel(&level, resource.res.mipmap.hMipmappedArray, 1),
      CUDA_SUCCESS);
  resource = of(level);
  ASSERT_EQ(cuSurfObjectCreate(&surface, &resource), CUDA_SUCCESS);
  EXPECT_EQ(reinterpret_cast<const PtxjitTexture *>(surface)->level[0].width,
            4u);
  EXPECT_EQ(cuSurfObjectCreate(nullptr, &resource), kWrong);
  EXPECT_EQ(cuSurfObjectCreate(&surface, nullptr), kWrong);
}

//===----------------------------------------------------------------------===//
// References
//===----------------------------------------------------------------------===//

TEST_F(Textures, ReferencesKeepTheirSettings) {
  CUtexref reference;
  ASSERT_EQ(cuTexRefCreate(&reference), CUDA_SUCCESS);
  CUarray array = makeArray(8, 8), arrayBack;
  CUmipmappedArray mipmaps = makeMipmaps(8, 8, 0, 0, 2), mipmapsBack;
  CUdeviceptr memory = allocate(4096), address;
  size_t offset = 1;
  EXPECT_EQ(cuTexRefGetArray(&arrayBack, reference), kWrong);
  EXPECT_EQ(cuTexRefGetAddress_v2(&address, reference), kWrong);
  EXPECT_EQ(cuTexRefSetArray(reference, array, 0), kWrong);
  EXPECT_EQ(cuTexRefSetArray(reference, nullptr, CU_TRSA_OVERRIDE_FORMAT),
            kWrong);
  EXPECT_EQ(cuTexRefSetArray(reference, array, CU_TRSA_OVERRIDE_FORMAT),
            CUDA_SUCCESS);
  EXPECT_EQ(cuTexRefGetArray(&arrayBack, reference), CUDA_SUCCESS);
  EXPECT_EQ(arrayBack, array);
  CUarray_format format;
  int channels;
  EXPECT_EQ(cuTexRefGetFormat(&format, &channels, reference), CUDA_SUCCESS);
  EXPECT_EQ(format, CU_AD_FORMAT_UNSIGNED_INT8);
  EXPECT_EQ(channels, 1);
  EXPECT_EQ(
      cuTexRefSetMipmappedArray(reference, mipmaps, CU_TRSA_OVERRIDE_FORMAT),
      CUDA_SUCCESS);
  EXPECT_EQ(cuTexRefGetMipmappedArray(&mipmapsBack, reference), CUDA_SUCCESS);
  EXPECT_EQ(mipmapsBack, mipmaps);
  EXPECT_EQ(cuTexRefGetArray(&arrayBack, reference), kWrong);
  EXPECT_EQ(cuTexRefSetFormat(reference, CU_AD_FORMAT_FLOAT, 2), CUDA_SUCCESS);
  EXPECT_EQ(cuTexRefSetFormat(reference, CU_AD_FORMAT_FLOAT, 3), kWrong);
  EXPECT_EQ(cuTexRefSetAddress_v2(&offset, reference, memory + 16, 64),
            CUDA_SUCCESS);
  EXPECT_EQ(offset, 0u);
  EXPECT_EQ(cuTexRefGetAddress_v2(&address, reference), CUDA_SUCCESS);
  EXPECT_EQ(address, memory + 16);
  EXPECT_EQ(cuTexRefSetAddress_v2(nullptr, reference, memory + 4, 64), kWrong);
  EXPECT_EQ(cuTexRefSetAddress_v2(nullptr, reference, memory, 0), kWrong);
  CUDA_ARRAY_DESCRIPTOR plane{8, 8, CU_AD_FORMAT_HALF, 1};
  EXPECT_EQ(cuTexRefSetAddress2D_v3(reference, &plane, memory, 32),
            CUDA_SUCCESS);
  EXPECT_EQ(cuTexRefSetAddress2D_v2(reference, &plane, memory, 33), kWrong);
  EXPECT_EQ(cuTexRefSetAddress2D_v2(reference, nullptr, memory, 32), kWrong);
  EXPECT_EQ(cuTexRefGetAddress_v2(&address, reference), CUDA_SUCCESS);
  EXPECT_EQ(address, memory);

  CUaddress_mode mode;
  EXPECT_EQ(cuTexRefGetAddressMode(&mode, reference, 0), CUDA_SUCCESS);
  EXPECT_EQ(mode, CU_TR_ADDRESS_MODE_CLAMP);
  EXPECT_EQ(cuTexRefSetAddressMode(reference, 2, CU_TR_ADDRESS_MODE_MIRROR),
            CUDA_SUCCESS);
  EXPECT_EQ(cuTexRefGetAddressMode(&mode, reference, 2), CUDA_SUCCESS);
  EXPECT_EQ(mode, CU_TR_ADDRESS_MODE_MIRROR);
  EXPECT_EQ(cuTexRefSetAddressMode(reference, 3, mode), kWrong);
  EXPECT_EQ(cuTexRefGetAddressMode(&mode, reference, -1), kWrong);
  EXPECT_EQ(cuTexRefSetAddressMode(reference, 0, CUaddress_mode(4)), kWrong);
  CUfilter_mode filter;
  EXPECT_EQ(cuTexRefSetFilterMode(reference, CU_TR_FILTER_MODE_LINEAR),
            CUDA_SUCCESS);
  EXPECT_EQ(cuTexRefGetFilterMode(&filter, reference), CUDA_SUCCESS);
  EXPECT_EQ(filter, CU_TR_FILTER_MODE_LINEAR);
  EXPECT_EQ(cuTexRefSetFilterMode(reference, CUfilter_mode(7)), kWrong);
  EXPECT_EQ(cuTexRefSetMipmapFilterMode(reference, CU_TR_FILTER_MODE_LINEAR),
            CUDA_SUCCESS);
  EXPECT_EQ(cuTexRefGetMipmapFilterMode(&filter, reference), CUDA_SUCCESS);
  EXPECT_EQ(filter, CU_TR_FILTER_MODE_LINEAR);
  float a = 0, b = 0, color[4] = {1, 2, 3, 4}, colorBack[4];
  EXPECT_EQ(cuTexRefSetMipmapLevelBias(reference, 0.5f), CUDA_SUCCESS);
  EXPECT_EQ(cuTexRefGetMipmapLevelBias(&a, reference), CUDA_SUCCESS);
  EXPECT_EQ(a, 0.5f);
  EXPECT_EQ(cuTexRefSetMipmapLevelClamp(reference, 1, 2), CUDA_SUCCESS);
  EXPECT_EQ(cuTexRefGetMipmapLevelClamp(&a, &b, reference), CUDA_SUCCESS);
  EXPECT_EQ(a, 1.0f);
  EXPECT_EQ(b, 2.0f);
  int most = 0;
  EXPECT_EQ(cuTexRefSetMaxAnisotropy(reference, 8), CUDA_SUCCESS);
  EXPECT_EQ(cuTexRefGetMaxAnisotropy(&most, reference), CUDA_SUCCESS);
  EXPECT_EQ(most, 8);
  EXPECT_EQ(cuTexRefSetBorderColor(reference, color), CUDA_SUCCESS);
  EXPECT_EQ(cuTexRefGetBorderColor(colorBack, reference), CUDA_SUCCESS);
  EXPECT_EQ(colorBack[2], 3.0f);
  EXPECT_EQ(cuTexRefSetBorderColor(reference, nullptr), kWrong);
  unsigned flags = 0;
  EXPECT_EQ(cuTexRefSetFlags(reference, CU_TRSF_NORMALIZED_COORDINATES),
            CUDA_SUCCESS);
  EXPECT_EQ(cuTexRefSetFlags(reference, 0x100), kWrong);
  EXPECT_EQ(cuTexRefGetFlags(&flags, reference), CUDA_SUCCESS);
  EXPECT_EQ(flags, unsigned(CU_TRSF_NORMALIZED_COORDINATES));
  EXPECT_EQ(cuTexRefGetFlags(nullptr, reference), kWrong);
  EXPECT_EQ(cuTexRefDestroy(reference), CUDA_SUCCESS);
  EXPECT_EQ(cuTexRefDestroy(reference), kWrong);
  EXPECT_EQ(cuTexRefGetFlags(&flags, reference), kWrong);
  EXPECT_EQ(cuTexRefSetFlags(nullptr, 0), kWrong);
}

// A loader gives `.texref` and `.surfref` variables their kinds. Here plain
// variables have them.
const char *const kVariables = R"(.version 8.0
.target sm_80
.address_size 64
.visible .global .align 16 .b8 picture[64] = {0x54, 0x58, 0x52, 0x46};
.visible .global .align 16 .b8 canvas[64] = {0x55, 0x53, 0x52, 0x46};
.visible .global .align 16 .b8 other[64] = {1};
.visible .global .align 16 .b8 tiny[16] = {0x54, 0x58, 0x52, 0x46};
.visible .entry nothing() { ret; }
)";

TEST_F(Textures, ReferencesOfModulesFillTheirVariables) {
  CUmodule module;
  ASSERT_EQ(cuModuleLoadData(&module, kVariables), CUDA_SUCCESS);
  CUtexref reference, again;
  ASSERT_EQ(cuModuleGetTexRef(&reference, module, "picture"), CUDA_SUCCESS);
  ASSERT_EQ(cuModuleGetTexRef(&again, module, "picture"), CUDA_SUCCESS);
  EXPECT_EQ(reference, again);
  for (const char *name : {"canvas", "other", "tiny", "missing"})
    EXPECT_EQ(cuModuleGetTexRef(&again, module, name), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(cuModuleGetTexRef(&again, module, nullptr), kWrong);
  EXPECT_EQ(cuModuleGetTexRef(nullptr, module, "picture"), kWrong);
  CUdeviceptr address;
  ASSERT_EQ(cuModuleGetGlobal_v2(&address, nullptr, module, "picture"),
            CUDA_SUCCESS);
  const auto &variable = *reinterpret_cast<const PtxjitOpaque *>(address);
  ASSERT_NE(variable.bound, 0u);
  const auto &texture =
      *reinterpret_cast<const PtxjitTexture *>(variable.bound);
  EXPECT_EQ(texture.kind, uint64_t(PTXJIT_OPAQUE_TEXTURE));
  EXPECT_EQ(texture.levels, 0) << "nothing is bound";
  EXPECT_EQ(cuTexRefSetFilterMode(reference, CU_TR_FILTER_MODE_LINEAR),
            CUDA_SUCCESS);
  EXPECT_EQ(
      cuTexRefSetArray(reference, makeArray(8, 4), CU_TRSA_OVERRIDE_FORMAT),
      CUDA_SUCCESS);
  EXPECT_EQ(texture.levels, 1);
  EXPECT_EQ(texture.level[0].height, 4u);
  EXPECT_TRUE(texture.isFraction);
  EXPECT_TRUE(texture.sampler.isLinear);
  EXPECT_EQ(texture.sampler.addressModes[0], PTXJIT_ADDRESS_CLAMP);
  // Each call counts at once.
  EXPECT_EQ(cuTexRefSetFlags(reference, CU_TRSF_READ_AS_INTEGER |
                                            CU_TRSF_NORMALIZED_COORDINATES),
            CUDA_SUCCESS);
  EXPECT_FALSE(texture.isFraction);
  EXPECT_TRUE(texture.sampler.isLinear) << "integers are mixed, too";
  EXPECT_TRUE(texture.sampler.isNormalized);
  EXPECT_EQ(cuTexRefSetAddressMode(reference, 0, CU_TR_ADDRESS_MODE_WRAP),
            CUDA_SUCCESS);
  EXPECT_EQ(texture.sampler.addressModes[0], PTXJIT_ADDRESS_WRAP);
  CUdeviceptr memory = allocate(256);
  EXPECT_EQ(cuTexRefSetAddress_v2(nullptr, reference, memory, 256),
            CUDA_SUCCESS);
  EXPECT_EQ(texture.shape, PTXJIT_IMAGE_LINEAR);
  EXPECT_EQ(texture.level[0].width, 64u);
  EXPECT_EQ(cuTexRefSetFormat(reference, CU_AD_FORMAT_UNSIGNED_INT16, 4),
            CUDA_SUCCESS);
  EXPECT_EQ(texture.level[0].width, 32u);

  CUfunction function;
  ASSERT_EQ(cuModuleGetFunction(&function, module, "nothing"), CUDA_SUCCESS);
  EXPECT_EQ(cuParamSetTexRef(function, CU_PARAM_TR_DEFAULT, reference),
            CUDA_SUCCESS);
  EXPECT_EQ(cuParamSetTexRef(function, 0, reference), kWrong);
  EXPECT_EQ(cuParamSetTexRef(function, CU_PARAM_TR_DEFAULT, nullptr), kWrong);
  EXPECT_EQ(cuTexRefDestroy(reference), kWrong) << "goes with its module";
  EXPECT_EQ(cuModuleUnload(module), CUDA_SUCCESS);
  EXPECT_EQ(cuTexRefSetFlags(reference, 0), kWrong);
}

TEST_F(Textures, LibrariesHaveReferences) {
  CUlibrary library;
  CUmodule module;
  CUtexref reference;
  ASSERT_EQ(cuLibraryLoadData(&library, kVariables, nullptr, nullptr, 0,
                              nullptr, nullptr, 0),
            CUDA_SUCCESS);
  ASSERT_EQ(cuLibraryGetModule(&module, library), CUDA_SUCCESS);
  ASSERT_EQ(cuModuleGetTexRef(&reference, module, "picture"), CUDA_SUCCESS);
  CUarray array = makeArray(8, 4), back;
  EXPECT_EQ(cuTexRefSetArray(reference, array, CU_TRSA_OVERRIDE_FORMAT),
            CUDA_SUCCESS);
  // An array that is gone is an error of the next call, not a crash.
  EXPECT_EQ(cuArrayDestroy(array), CUDA_SUCCESS);
  EXPECT_EQ(cuTexRefGetArray(&back, reference), CUDA_SUCCESS);
  EXPECT_EQ(cuTexRefSetFlags(reference, CU_TRSF_READ_AS_INTEGER), kWrong);
  EXPECT_EQ(
      cuTexRefSetArray(reference, makeArray(2, 2), CU_TRSA_OVERRIDE_FORMAT),
      CUDA_SUCCESS);
  EXPECT_EQ(cuLibraryUnload(library), CUDA_SUCCESS);
  EXPECT_EQ(cuTexRefSetFlags(reference, 0), kWrong);
}

TEST_F(Textures, ReferencesOfSurfacesFillTheirVariables) {
  CUmodule module;
  CUsurfref reference;
  CUdeviceptr address;
  ASSERT_EQ(cuModuleLoadData(&module, kVariables), CUDA_SUCCESS);
  ASSERT_EQ(cuModuleGetSurfRef(&reference, module, "canvas"), CUDA_SUCCESS);
  ASSERT_EQ(cuModuleGetGlobal_v2(&address, nullptr, module, "canvas"),
            CUDA_SUCCESS);
  const auto &variable = *reinterpret_cast<const PtxjitOpaque *>(address);
  const auto &surface =
      *reinterpret_cast<const PtxjitTexture *>(variable.bound);
  EXPECT_EQ(surface.kind, uint64_t(PTXJIT_OPAQUE_SURFACE));
  CUarray array = makeArray(8, 4, 0, CUDA_ARRAY3D_SURFACE_LDST), back;
  EXPECT_EQ(cuSurfRefGetArray(&back, reference), kWrong);
  EXPECT_EQ(cuSurfRefSetArray(reference, array, 1), kWrong);
  EXPECT_EQ(cuSurfRefSetArray(reference, makeArray(8, 4), 0), kWrong);
  EXPECT_EQ(cuSurfRefSetArray(reference, nullptr, 0), kWrong);
  EXPECT_EQ(cuSurfRefSetArray(reference, array, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuSurfRefGetArray(&back, reference), CUDA_SUCCESS);
  EXPECT_EQ(back, array);
  EXPECT_EQ(surface.level[0].width, 8u);
  CUtexref wrong;
  EXPECT_EQ(cuModuleGetTexRef(&wrong, module, "canvas"), CUDA_ERROR_NOT_FOUND);
  unsigned flags;
  EXPECT_EQ(cuTexRefGetFlags(&flags, reinterpret_cast<CUtexref>(reference)),
            kWrong);
}

} // namespace
