//===- TextureKernelTest.cpp - kernels read textures, write surfaces ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a program sees of its settings. Expected values follow from the rules
// of the CUDA C++ Programming Guide ("Texture Fetching"); places and weights
// are such that no rounding decides.
//
//===----------------------------------------------------------------------===//

#include "ptxjit/CudaDriver/CudaABI.h"

#include <array>
#include <gtest/gtest.h>
#include <numeric>
#include <string>
#include <vector>

namespace {

using Four = std::array<float, 4>;

/// A kernel whose threads read a place of `at`, fetch, and write to `out`.
std::string makeKernel(const std::string &name, const std::string &fetch) {
  return ".visible .entry " + name +
         "(.param .u64 object, .param .u64 at, .param .u64 out)\n"
         "{\n"
         "  .reg .b32 %r<8>; .reg .f32 %f<9>; .reg .b64 %rd<6>;\n"
         "  ld.param.u64 %rd1, [object]; ld.param.u64 %rd2, [at];\n"
         "  ld.param.u64 %rd3, [out];\n"
         "  mov.u32 %r1, %tid.x;\n"
         "  mad.wide.u32 %rd4, %r1, 16, %rd2;\n"
         "  mad.wide.u32 %rd5, %r1, 16, %rd3;\n"
         "  ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd4];\n"
         "  cvt.rzi.s32.f32 %r2, %f1; cvt.rzi.s32.f32 %r3, %f2;\n"
         "  cvt.rzi.s32.f32 %r4, %f4;\n" +
         fetch +
         "  st.global.v4.f32 [%rd5], {%f5, %f6, %f7, %f8};\n"
         "  ret;\n"
         "}\n";
}

std::string makeModule() {
  const std::string results = " {%f5, %f6, %f7, %f8}, ";
  std::string text = ".version 8.0\n.target sm_80\n.address_size 64\n"
                     ".global .texref picture;\n.global .surfref canvas;\n";
  auto addTexture = [&](const char *name, const char *what, const char *at) {
    text += makeKernel(name, std::string("  ") + what + results + "[%rd1, {" +
                                 at + "}];\n");
  };
  addTexture("line", "tex.1d.v4.f32.f32", "%f1");
  addTexture("plane", "tex.2d.v4.f32.f32", "%f1, %f2");
  addTexture("volume", "tex.3d.v4.f32.f32", "%f1, %f2, %f3, %f3");
  addTexture("layers", "tex.a2d.v4.f32.f32", "%r4, %f1, %f2, %f2");
  addTexture("cube", "tex.cube.v4.f32.f32", "%f1, %f2, %f3, %f3");
  addTexture("gather", "tld4.r.2d.v4.f32.f32", "%f1, %f2");
  addTexture("memory", "tex.1d.v4.f32.s32", "%r2");
  text += makeKernel("level", "  tex.level.2d.v4.f32.f32" + results +
                                  "[%rd1, {%f1, %f2}], %f3;\n");
  text += makeKernel("reference", "  tex.2d.v4.f32.f32" + results +
                                      "[picture, {%f1, %f2}];\n");
  text += makeKernel("integers",
                     "  tex.2d.v4.u32.f32 {%r4, %r5, %r6, %r7}, [%rd1, {%f1, "
                     "%f2}];\n"
                     "  cvt.rn.f32.u32 %f5, %r4; mov.f32 %f6, %f5;\n"
                     "  mov.f32 %f7, %f5; mov.f32 %f8, %f5;\n");
  // A surface's x is in bytes.
  const std::string rest = "  mov.f32 %f6, %f5; mov.f32 %f7, %f5;\n"
                           "  mov.f32 %f8, %f5;\n";
  text += makeKernel("store", "  shl.b32 %r2, %r2, 2; mov.b32 %r5, %f4;\n"
                              "  sust.b.2d.b32.zero [%rd1, {%r2, %r3}], "
                              "{%r5};\n"
                              "  mov.f32 %f5, %f4;\n" +
                                  rest);
  text += makeKernel("load", "  shl.b32 %r2, %r2, 2;\n"
                             "  suld.b.2d.b32.zero %r5, [%rd1, {%r2, %r3}];\n"
                             "  mov.b32 %f5, %r5;\n" +
                                 rest);
  text += makeKernel("paint", "  shl.b32 %r2, %r2, 2; mov.b32 %r5, %f4;\n"
                              "  sust.b.2d.b32.trap [canvas, {%r2, %r3}], "
                              "{%r5};\n"
                              "  mov.f32 %f5, %f4;\n" +
                                  rest);
  text += makeKernel("sizes", "  txq.width.b32 %r4, [%rd1];\n"
                              "  txq.height.b32 %r5, [%rd1];\n"
                              "  cvt.rn.f32.u32 %f5, %r4;\n"
                              "  cvt.rn.f32.u32 %f6, %r5;\n"
                              "  mov.f32 %f7, %f5; mov.f32 %f8, %f5;\n");
  return text;
}

class TextureKernels : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
    ASSERT_EQ(cuCtxCreate_v2(&context, 0, 0), CUDA_SUCCESS);
    ASSERT_EQ(cuModuleLoadData(&module, makeModule().c_str()), CUDA_SUCCESS);
  }
  void TearDown() override {
    EXPECT_EQ(cuCtxDestroy_v2(context), CUDA_SUCCESS);
  }
  /// Fetches at each place, by a thread each.
  std::vector<Four> fetch(const char *name, unsigned long long object,
                          const std::vector<Four> &places) {
    CUfunction function = nullptr;
    EXPECT_EQ(cuModuleGetFunction(&function, module, name), CUDA_SUCCESS);
    size_t bytes = places.size() * sizeof(Four);
    CUdeviceptr at = 0, out = 0;
    EXPECT_EQ(cuMemAlloc_v2(&at, bytes), CUDA_SUCCESS);
    EXPECT_EQ(cuMemAlloc_v2(&out, bytes), CUDA_SUCCESS);
    EXPECT_EQ(cuMemcpyHtoD_v2(at, places.data(), bytes), CUDA_SUCCESS);
    void *params[] = {&object, &at, &out};
    EXPECT_EQ(cuLaunchKernel(function, 1, 1, 1, unsigned(places.size()), 1, 1,
                             0, nullptr, params, nullptr),
              CUDA_SUCCESS);
    std::vector<Four> results(places.size());
    EXPECT_EQ(cuMemcpyDtoH_v2(results.data(), out, bytes), CUDA_SUCCESS);
    EXPECT_EQ(cuMemFree_v2(at), CUDA_SUCCESS);
    EXPECT_EQ(cuMemFree_v2(out), CUDA_SUCCESS);
    return results;
  }
  float fetchOne(const char *name, unsigned long long object,
                 const Four &place) {
    return fetch(name, object, {place})[0][0];
  }

  /// An array of floats 0, 1, 2, ... in all slices.
  static CUarray makeArray(size_t width, size_t height, size_t depth = 0,
                           unsigned flags = 0) {
    CUDA_ARRAY3D_DESCRIPTOR desc{width, height, depth, CU_AD_FORMAT_FLOAT,
                                 1,     flags};
    CUarray array = nullptr;
    EXPECT_EQ(cuArray3DCreate_v2(&array, &desc), CUDA_SUCCESS);
    fill(array, width, height ? height : 1, depth ? depth : 1, 0);
    return array;
  }
  static void fill(CUarray array, size_t width, size_t height, size_t depth,
                   float first) {
    std::vector<float> texels(width * height * depth);
    std::iota(texels.begin(), texels.end(), first);
    CUDA_MEMCPY3D box{};
    box.srcMemoryType = CU_MEMORYTYPE_HOST;
    box.srcHost = texels.data();
    box.srcPitch = width * 4;
    box.srcHeight = height;
    box.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    box.dstArray = array;
    box.WidthInBytes = width * 4;
    box.Height = height;
    box.Depth = depth;
    EXPECT_EQ(cuMemcpy3D_v2(&box), CUDA_SUCCESS);
  }
  static CUDA_TEXTURE_DESC reads(unsigned flags, CUaddress_mode mode,
                                 CUfilter_mode filter) {
    CUDA_TEXTURE_DESC desc{};
    desc.addressMode[0] = desc.addressMode[1] = desc.addressMode[2] = mode;
    desc.filterMode = filter;
    desc.flags = flags;
    return desc;
  }
  static CUtexObject make(const CUDA_RESOURCE_DESC &resource,
                          const CUDA_TEXTURE_DESC &desc = {}) {
    CUtexObject texture = 0;
    EXPECT_EQ(cuTexObjectCreate(&texture, &resource, &desc, nullptr),
              CUDA_SUCCESS);
    return texture;
  }
  static CUtexObject make(CUarray array, const CUDA_TEXTURE_DESC &desc = {}) {
    CUDA_RESOURCE_DESC resource{};
    resource.res.array.hArray = array;
    return make(resource, desc);
  }

  static constexpr unsigned kNormalized = CU_TRSF_NORMALIZED_COORDINATES;
  static constexpr auto kPoint = CU_TR_FILTER_MODE_POINT;
  static constexpr auto kLinear = CU_TR_FILTER_MODE_LINEAR;
  static constexpr auto kClamp = CU_TR_ADDRESS_MODE_CLAMP;
  CUcontext context = nullptr;
  CUmodule module = nullptr;
};

TEST_F(TextureKernels, NearestTexelsAreRead) {
  CUtexObject texture = make(makeArray(4, 3));
  EXPECT_EQ(fetchOne("plane", texture, {2.25f, 1.75f}), 6);
  EXPECT_EQ(fetchOne("plane", texture, {-3, -1}), 0);
  EXPECT_EQ(fetchOne("plane", texture, {9, 9}), 11);
  EXPECT_EQ(fetchOne("line", make(makeArray(5, 0)), {3.5f}), 3);
  EXPECT_EQ(fetchOne("volume", make(makeArray(4, 3, 2)), {1.5f, 2.5f, 1.5f}),
            21);
}

TEST_F(TextureKernels, TexelsAreMixed) {
  CUtexObject texture = make(makeArray(4, 3), reads(0, kClamp, kLinear));
  EXPECT_EQ(fetchOne("plane", texture, {1, 1}), 2.5f);
  EXPECT_EQ(fetchOne("plane", texture, {1.25f, 0.5f}), 0.75f);
  EXPECT_EQ(fetchOne("plane", texture, {0, 0}), 0);
  EXPECT_EQ(fetchOne("volume",
                     make(makeArray(4, 3, 2), reads(0, kClamp, kLinear)),
                     {1.5f, 2.5f, 1}),
            15);
}

TEST_F(TextureKernels, AddressModesAreObeyed) {
  CUarray array = makeArray(4, 4);
  auto at = [&](CUaddress_mode mode, float x) {
    CUDA_TEXTURE_DESC desc = reads(kNormalized, mode, kPoint);
    desc.borderColor[0] = 99;
    return fetchOne("plane", make(array, desc), {x, 0.125f});
  };
  EXPECT_EQ(at(CU_TR_ADDRESS_MODE_CLAMP, 1.375f), 3);
  EXPECT_EQ(at(CU_TR_ADDRESS_MODE_WRAP, 1.375f), 1);
  EXPECT_EQ(at(CU_TR_ADDRESS_MODE_WRAP, -0.375f), 2);
  EXPECT_EQ(at(CU_TR_ADDRESS_MODE_MIRROR, 1.375f), 2);
  EXPECT_EQ(at(CU_TR_ADDRESS_MODE_MIRROR, -0.375f), 1);
  EXPECT_EQ(at(CU_TR_ADDRESS_MODE_BORDER, 1.375f), 99);
  EXPECT_EQ(at(CU_TR_ADDRESS_MODE_BORDER, 0.375f), 1);
}

TEST_F(TextureKernels, IntegersAreReadAsFractionsOrAsTheyAre) {
  CUDA_ARRAY3D_DESCRIPTOR desc{2, 1, 0, CU_AD_FORMAT_UNSIGNED_INT8, 4, 0};
  CUarray array;
  ASSERT_EQ(cuArray3DCreate_v2(&array, &desc), CUDA_SUCCESS);
  const unsigned char texels[] = {0, 255, 51, 102, 7, 8, 9, 10};
  ASSERT_EQ(cuMemcpyHtoA_v2(array, 0, texels, 8), CUDA_SUCCESS);
  Four got = fetch("plane", make(array), {{0.5f, 0.5f}})[0];
  EXPECT_EQ(got[0], 0);
  EXPECT_EQ(got[1], 1);
  EXPECT_FLOAT_EQ(got[2], 0.2f);
  EXPECT_FLOAT_EQ(got[3], 0.4f);
  CUtexObject asIntegers =
      make(array, reads(CU_TRSF_READ_AS_INTEGER, kClamp, kPoint));
  EXPECT_EQ(fetchOne("integers", asIntegers, {1.5f, 0.5f}), 7);
}

TEST_F(TextureKernels, LayersAndFacesAreChosen) {
  CUtexObject layers = make(makeArray(4, 3, 2, CUDA_ARRAY3D_LAYERED));
  EXPECT_EQ(fetchOne("layers", layers, {1.5f, 0.5f, 0, 1}), 13);
  EXPECT_EQ(fetchOne("layers", layers, {1.5f, 0.5f, 0, 7}), 13) << "clamped";
  // All texels of a face have its number.
  CUDA_ARRAY3D_DESCRIPTOR desc{
      2, 2, 6, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_CUBEMAP};
  CUarray cube;
  ASSERT_EQ(cuArray3DCreate_v2(&cube, &desc), CUDA_SUCCESS);
  for (size_t face = 0; face < 6; ++face) {
    const std::array<float, 4> texels = {float(face), float(face), float(face),
                                         float(face)};
    CUDA_MEMCPY3D box{};
    box.srcMemoryType = CU_MEMORYTYPE_HOST;
    box.srcHost = texels.data();
    box.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    box.dstArray = cube;
    box.dstZ = face;
    box.WidthInBytes = 8;
    box.Height = 2;
    box.Depth = 1;
    ASSERT_EQ(cuMemcpy3D_v2(&box), CUDA_SUCCESS);
  }
  std::vector<Four> got = fetch("cube", make(cube),
                                {{1, 0.25f, 0.25f},
                                 {-1, 0.25f, 0.25f},
                                 {0.25f, 1, 0.25f},
                                 {0.25f, -1, 0.25f},
                                 {0.25f, 0.25f, 1},
                                 {0.25f, 0.25f, -1}});
  for (size_t face = 0; face < 6; ++face)
    EXPECT_EQ(got[face][0], float(face));
}

TEST_F(TextureKernels, LevelsAreChosen) {
  CUDA_ARRAY3D_DESCRIPTOR desc{4, 4, 0, CU_AD_FORMAT_FLOAT, 1, 0};
  CUmipmappedArray array;
  ASSERT_EQ(cuMipmappedArrayCreate(&array, &desc, 3), CUDA_SUCCESS);
  for (unsigned level = 0; level < 3; ++level) {
    CUarray part;
    ASSERT_EQ(cuMipmappedArrayGetLevel(&part, array, level), CUDA_SUCCESS);
    fill(part, 4 >> level, 4 >> level, 1, 100.0f * float(level));
  }
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
  resource.res.mipmap.hMipmappedArray = array;
  CUDA_TEXTURE_DESC reading = reads(kNormalized, kClamp, kPoint);
  reading.maxMipmapLevelClamp = 9;
  CUtexObject texture = make(resource, reading);
  EXPECT_EQ(fetchOne("level", texture, {0.875f, 0.125f, 0}), 3);
  EXPECT_EQ(fetchOne("level", texture, {0.875f, 0.125f, 1}), 101);
  EXPECT_EQ(fetchOne("level", texture, {0.875f, 0.125f, 5}), 200);
  reading.mipmapFilterMode = kLinear;
  EXPECT_EQ(fetchOne("level", make(resource, reading), {0.875f, 0.125f, 0.5f}),
            52);
  reading.minMipmapLevelClamp = 1;
  EXPECT_EQ(fetchOne("level", make(resource, reading), {0.875f, 0.125f, 0}),
            101);
}

TEST_F(TextureKernels, MemoryIsRead) {
  CUdeviceptr memory;
  std::vector<float> texels(64);
  std::iota(texels.begin(), texels.end(), 0.0f);
  ASSERT_EQ(cuMemAlloc_v2(&memory, 256), CUDA_SUCCESS);
  ASSERT_EQ(cuMemcpyHtoD_v2(memory, texels.data(), 256), CUDA_SUCCESS);
  CUDA_RESOURCE_DESC linear{}, plane{};
  linear.resType = CU_RESOURCE_TYPE_LINEAR;
  linear.res.linear = {memory, CU_AD_FORMAT_FLOAT, 2, 256};
  Four got = fetch("memory", make(linear), {{5}})[0];
  EXPECT_EQ(got[0], 10);
  EXPECT_EQ(got[1], 11);
  plane.resType = CU_RESOURCE_TYPE_PITCH2D;
  plane.res.pitch2D = {memory, CU_AD_FORMAT_FLOAT, 1, 10, 4, 64};
  EXPECT_EQ(fetchOne("plane", make(plane), {9.5f, 2.5f}), 41);
  EXPECT_EQ(fetchOne("plane", make(plane), {12, 2.5f}), 41) << "clamped";
}

TEST_F(TextureKernels, FourTexelsAreGathered) {
  CUtexObject texture = make(makeArray(4, 4, 0, CUDA_ARRAY3D_TEXTURE_GATHER));
  Four got = fetch("gather", texture, {{2, 1}})[0];
  EXPECT_EQ(got, (Four{5, 6, 2, 1}));
}

TEST_F(TextureKernels, SizesAreKnown) {
  Four got = fetch("sizes", make(makeArray(4, 3)), {{}})[0];
  EXPECT_EQ(got[0], 4);
  EXPECT_EQ(got[1], 3);
}

TEST_F(TextureKernels, SurfacesAreWrittenAndRead) {
  CUarray array = makeArray(4, 3, 0, CUDA_ARRAY3D_SURFACE_LDST);
  CUDA_RESOURCE_DESC resource{};
  resource.res.array.hArray = array;
  CUsurfObject surface;
  ASSERT_EQ(cuSurfObjectCreate(&surface, &resource), CUDA_SUCCESS);
  EXPECT_EQ(fetchOne("load", surface, {2, 1}), 6);
  EXPECT_EQ(fetchOne("load", surface, {4, 1}), 0) << "outside";
  fetch("store", surface, {{1, 2, 0, 42}, {4, 0, 0, 43}, {0, 3, 0, 44}});
  float texels[12];
  ASSERT_EQ(cuMemcpyAtoH_v2(texels, array, 0, 48), CUDA_SUCCESS);
  for (int i = 0; i < 12; ++i)
    EXPECT_EQ(texels[i], i == 9 ? 42.0f : float(i));
  EXPECT_EQ(fetchOne("plane", make(array), {1.5f, 2.5f}), 42)
      << "a texture of the same array sees it";
}

TEST_F(TextureKernels, ReferencesAreBound) {
  CUtexref reference;
  ASSERT_EQ(cuModuleGetTexRef(&reference, module, "picture"), CUDA_SUCCESS);
  EXPECT_EQ(fetchOne("reference", 0, {0.5f, 0.5f}), 0) << "nothing is bound";
  ASSERT_EQ(
      cuTexRefSetArray(reference, makeArray(4, 3), CU_TRSA_OVERRIDE_FORMAT),
      CUDA_SUCCESS);
  EXPECT_EQ(fetchOne("reference", 0, {2.5f, 1.5f}), 6);
  ASSERT_EQ(cuTexRefSetFilterMode(reference, kLinear), CUDA_SUCCESS);
  EXPECT_EQ(fetchOne("reference", 0, {1, 1}), 2.5f);
  ASSERT_EQ(cuTexRefSetFlags(reference, kNormalized), CUDA_SUCCESS);
  ASSERT_EQ(cuTexRefSetFilterMode(reference, kPoint), CUDA_SUCCESS);
  ASSERT_EQ(cuTexRefSetAddressMode(reference, 0, CU_TR_ADDRESS_MODE_WRAP),
            CUDA_SUCCESS);
  EXPECT_EQ(fetchOne("reference", 0, {1.375f, 0.5f}), 5);
}

TEST_F(TextureKernels, ReferencesOfSurfacesAreBound) {
  CUsurfref reference;
  CUarray array = makeArray(4, 3, 0, CUDA_ARRAY3D_SURFACE_LDST);
  ASSERT_EQ(cuModuleGetSurfRef(&reference, module, "canvas"), CUDA_SUCCESS);
  ASSERT_EQ(cuSurfRefSetArray(reference, array, 0), CUDA_SUCCESS);
  fetch("paint", 0, {{3, 1, 0, 42}});
  float texel;
  ASSERT_EQ(cuMemcpyAtoH_v2(&texel, array, 28, 4), CUDA_SUCCESS);
  EXPECT_EQ(texel, 42);
}

} // namespace
