//===- TextureTest.cpp - layout and handles of textures -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Runtime/TextureTable.h"

#include <gtest/gtest.h>
#include <set>
#include <thread>
#include <vector>

using namespace ptxjit;

// If a line here must change, so must PTXJIT_KERNEL_ABI_VERSION.
TEST(Texture, Layout) {
  EXPECT_EQ(sizeof(PtxjitSampler), 40u);
  EXPECT_EQ(offsetof(PtxjitSampler, addressModes), 0u);
  EXPECT_EQ(offsetof(PtxjitSampler, isLinear), 3u);
  EXPECT_EQ(offsetof(PtxjitSampler, isMipLinear), 4u);
  EXPECT_EQ(offsetof(PtxjitSampler, isNormalized), 5u);
  EXPECT_EQ(offsetof(PtxjitSampler, isSeamless), 6u);
  EXPECT_EQ(offsetof(PtxjitSampler, maxAnisotropy), 7u);
  EXPECT_EQ(offsetof(PtxjitSampler, isTrilinear), 8u);
  EXPECT_EQ(offsetof(PtxjitSampler, forcesUnnormalized), 9u);
  EXPECT_EQ(offsetof(PtxjitSampler, levelBias), 12u);
  EXPECT_EQ(offsetof(PtxjitSampler, minLevel), 16u);
  EXPECT_EQ(offsetof(PtxjitSampler, maxLevel), 20u);
  EXPECT_EQ(offsetof(PtxjitSampler, border), 24u);
  EXPECT_EQ(sizeof(PtxjitImageLevel), 40u);
  EXPECT_EQ(offsetof(PtxjitImageLevel, texels), 0u);
  EXPECT_EQ(offsetof(PtxjitImageLevel, rowBytes), 8u);
  EXPECT_EQ(offsetof(PtxjitImageLevel, sliceBytes), 16u);
  EXPECT_EQ(offsetof(PtxjitImageLevel, width), 24u);
  EXPECT_EQ(offsetof(PtxjitImageLevel, height), 28u);
  EXPECT_EQ(offsetof(PtxjitImageLevel, depth), 32u);
  EXPECT_EQ(sizeof(PtxjitTexture), 784u);
  EXPECT_EQ(offsetof(PtxjitTexture, kind), 0u);
  EXPECT_EQ(offsetof(PtxjitTexture, shape), 8u);
  EXPECT_EQ(offsetof(PtxjitTexture, isLayered), 9u);
  EXPECT_EQ(offsetof(PtxjitTexture, type), 10u);
  EXPECT_EQ(offsetof(PtxjitTexture, channels), 11u);
  EXPECT_EQ(offsetof(PtxjitTexture, levels), 12u);
  EXPECT_EQ(offsetof(PtxjitTexture, samples), 13u);
  EXPECT_EQ(offsetof(PtxjitTexture, isFraction), 14u);
  EXPECT_EQ(offsetof(PtxjitTexture, isSRGB), 15u);
  EXPECT_EQ(offsetof(PtxjitTexture, layers), 16u);
  EXPECT_EQ(offsetof(PtxjitTexture, sampleBytes), 20u);
  EXPECT_EQ(offsetof(PtxjitTexture, sampler), 24u);
  EXPECT_EQ(offsetof(PtxjitTexture, level), 64u);
  EXPECT_EQ(PTXJIT_MOST_LEVELS, 18u);
  EXPECT_LE(sizeof(PtxjitOpaque), PTXJIT_OPAQUE_BYTES);
  EXPECT_EQ(offsetof(PtxjitOpaque, kind), 0u);
  EXPECT_EQ(offsetof(PtxjitOpaque, bound), 8u);
  EXPECT_EQ(offsetof(PtxjitOpaque, sampler), 16u);
  EXPECT_EQ(PTXJIT_OPAQUE_ALIGN, 16u);
}

TEST(Texture, Values) {
  EXPECT_EQ(PTXJIT_OPAQUE_TEXTURE, 0x54585445);
  EXPECT_EQ(PTXJIT_OPAQUE_SURFACE, 0x46525553);
  EXPECT_EQ(PTXJIT_OPAQUE_TEXREF, 0x46525854);
  EXPECT_EQ(PTXJIT_OPAQUE_SAMPLERREF, 0x46525053);
  EXPECT_EQ(PTXJIT_OPAQUE_SURFREF, 0x46525355);
  EXPECT_EQ(PTXJIT_ADDRESS_CLAMP_OGL, 4);
  EXPECT_EQ(PTXJIT_TEXEL_F32, 7);
  EXPECT_EQ(PTXJIT_IMAGE_CUBE, 4);
  EXPECT_EQ(PTXJIT_GEOMETRY_A2DMS, 8);
  EXPECT_EQ(PTXJIT_SURFACE_REDUCE, 6);
  EXPECT_EQ(PTXJIT_ELEMENT_S64, 10);
  EXPECT_EQ(PTXJIT_QUERY_MEMORY_LAYOUT, 14);
}

static PtxjitTexture makeTexture(uint32_t layers) {
  PtxjitTexture texture{};
  texture.kind = PTXJIT_OPAQUE_TEXTURE;
  texture.levels = 1;
  texture.layers = layers;
  return texture;
}

TEST(TextureTable, HandlesAreLowAddressesOfCopies) {
  std::set<uint64_t> handles;
  for (uint32_t i = 0; i < 500; ++i) {
    uint64_t handle = createTexture(makeTexture(i));
    ASSERT_NE(handle, 0u);
    EXPECT_LT(handle + sizeof(PtxjitTexture), uint64_t(1) << 32);
    EXPECT_EQ(handle % 64, 0u);
    EXPECT_TRUE(handles.insert(handle).second);
    PtxjitTexture *texture = findTexture(handle);
    ASSERT_EQ(reinterpret_cast<uint64_t>(texture), handle);
    EXPECT_EQ(texture->layers, i);
  }
  for (uint64_t handle : handles)
    EXPECT_TRUE(destroyTexture(handle));
}

TEST(TextureTable, DestroyedHandlesAreNone) {
  uint64_t handle = createTexture(makeTexture(1));
  auto *slot = findTexture(handle);
  ASSERT_NE(slot, nullptr);
  EXPECT_TRUE(destroyTexture(handle));
  EXPECT_FALSE(destroyTexture(handle));
  EXPECT_EQ(findTexture(handle), nullptr);
  EXPECT_EQ(slot->kind, uint64_t(PTXJIT_OPAQUE_NONE)) << "it stays mapped";
  // Others are used before it.
  std::vector<uint64_t> others;
  for (int i = 0; i < 31; ++i)
    others.push_back(createTexture(makeTexture(2)));
  EXPECT_EQ(slot->kind, uint64_t(PTXJIT_OPAQUE_NONE));
  for (uint64_t other : others) {
    EXPECT_NE(other, handle);
    EXPECT_TRUE(destroyTexture(other));
  }
}

TEST(TextureTable, OtherNumbersAreNoHandles) {
  uint64_t handle = createTexture(makeTexture(1));
  int local = 0;
  for (uint64_t wrong : {uint64_t(0), uint64_t(1), handle + 8, ~uint64_t(0),
                         reinterpret_cast<uint64_t>(&local)}) {
    EXPECT_EQ(findTexture(wrong), nullptr);
    EXPECT_FALSE(destroyTexture(wrong));
  }
  EXPECT_TRUE(destroyTexture(handle));
}

TEST(TextureTable, SlotsAreUsedAgain) {
  std::set<uint64_t> handles;
  for (int i = 0; i < 2000; ++i) {
    uint64_t handle = createTexture(makeTexture(1));
    handles.insert(handle);
    ASSERT_TRUE(destroyTexture(handle));
  }
  EXPECT_LT(handles.size(), 1000u);
}

TEST(TextureTable, ThreadsShareIt) {
  std::vector<std::thread> threads;
  for (uint32_t t = 0; t < 4; ++t)
    threads.emplace_back([t] {
      for (int i = 0; i < 500; ++i) {
        uint64_t handle = createTexture(makeTexture(t));
        ASSERT_NE(findTexture(handle), nullptr);
        EXPECT_EQ(findTexture(handle)->layers, t);
        EXPECT_TRUE(destroyTexture(handle));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}
