//===- ArrayTest.cpp - CUDA arrays and their copies -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/CudaDriver/CudaABI.h"

#include <fstream>
#include <gtest/gtest.h>
#include <numeric>
#include <string>
#include <vector>

namespace {

using Bytes = std::vector<unsigned char>;

CUDA_ARRAY3D_DESCRIPTOR describe(size_t width, size_t height = 0,
                                 size_t depth = 0, unsigned flags = 0,
                                 CUarray_format format = CU_AD_FORMAT_FLOAT,
                                 unsigned channels = 1) {
  return {width, height, depth, format, channels, flags};
}

Bytes count(size_t bytes, unsigned char first = 0) {
  Bytes all(bytes);
  std::iota(all.begin(), all.end(), first);
  return all;
}

class Arrays : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
    ASSERT_EQ(cuCtxCreate_v2(&context, 0, 0), CUDA_SUCCESS);
  }
  void TearDown() override {
    EXPECT_EQ(cuCtxDestroy_v2(context), CUDA_SUCCESS);
  }
  CUarray make(const CUDA_ARRAY3D_DESCRIPTOR &desc) {
    CUarray array = nullptr;
    EXPECT_EQ(cuArray3DCreate_v2(&array, &desc), CUDA_SUCCESS);
    return array;
  }
  static CUresult tryMake(const CUDA_ARRAY3D_DESCRIPTOR &desc) {
    CUarray array = nullptr;
    CUresult result = cuArray3DCreate_v2(&array, &desc);
    if (!result)
      EXPECT_EQ(cuArrayDestroy(array), CUDA_SUCCESS);
    return result;
  }
  /// A copy of a whole box of packed bytes to an array, or back.
  static CUDA_MEMCPY3D boxOf(CUarray array, Bytes &host, size_t width,
                             size_t height, size_t depth, bool toArray) {
    CUDA_MEMCPY3D box{};
    box.WidthInBytes = width;
    box.Height = height;
    box.Depth = depth;
    box.srcMemoryType = toArray ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_ARRAY;
    box.dstMemoryType = toArray ? CU_MEMORYTYPE_ARRAY : CU_MEMORYTYPE_HOST;
    box.srcHost = box.dstHost = host.data();
    box.srcArray = box.dstArray = array;
    box.srcPitch = box.dstPitch = width;
    box.srcHeight = box.dstHeight = height;
    return box;
  }
  static void fill(CUarray array, Bytes host, size_t width, size_t height,
                   size_t depth) {
    CUDA_MEMCPY3D box = boxOf(array, host, width, height, depth, true);
    EXPECT_EQ(cuMemcpy3D_v2(&box), CUDA_SUCCESS);
  }
  static Bytes read(CUarray array, size_t width, size_t height, size_t depth) {
    Bytes host(width * height * depth);
    CUDA_MEMCPY3D box = boxOf(array, host, width, height, depth, false);
    EXPECT_EQ(cuMemcpy3D_v2(&box), CUDA_SUCCESS);
    return host;
  }

  CUcontext context = nullptr;
};

TEST_F(Arrays, DescriptionsAreReadBack) {
  for (const CUDA_ARRAY3D_DESCRIPTOR &desc :
       {describe(7), describe(7, 5), describe(7, 5, 3),
        describe(7, 0, 3, CUDA_ARRAY3D_LAYERED),
        describe(7, 5, 3, CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_SURFACE_LDST),
        describe(8, 8, 6, CUDA_ARRAY3D_CUBEMAP),
        describe(8, 8, 12, CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_LAYERED),
        describe(7, 5, 0, CUDA_ARRAY3D_TEXTURE_GATHER),
        describe(7, 5, 0, CUDA_ARRAY3D_DEPTH_TEXTURE),
        describe(7, 5, 0, 0, CU_AD_FORMAT_SNORM_INT16X2, 2)}) {
    CUarray array = make(desc);
    CUDA_ARRAY3D_DESCRIPTOR back;
    ASSERT_EQ(cuArray3DGetDescriptor_v2(&back, array), CUDA_SUCCESS);
    EXPECT_EQ(back.Width, desc.Width);
    EXPECT_EQ(back.Height, desc.Height);
    EXPECT_EQ(back.Depth, desc.Depth);
    EXPECT_EQ(back.Format, desc.Format);
    EXPECT_EQ(back.NumChannels, desc.NumChannels);
    EXPECT_EQ(back.Flags, desc.Flags);
    CUDA_ARRAY_DESCRIPTOR plane;
    ASSERT_EQ(cuArrayGetDescriptor_v2(&plane, array), CUDA_SUCCESS);
    EXPECT_EQ(plane.Width, desc.Width);
    EXPECT_EQ(plane.Height, desc.Height);
    EXPECT_EQ(cuArrayDestroy(array), CUDA_SUCCESS);
  }
}

TEST_F(Arrays, ImpossibleDescriptionsAreRefused) {
  constexpr CUresult wrong = CUDA_ERROR_INVALID_VALUE;
  constexpr CUresult unsupported = CUDA_ERROR_NOT_SUPPORTED;
  EXPECT_EQ(tryMake(describe(0)), wrong);
  EXPECT_EQ(tryMake(describe(4, 0, 4)), wrong) << "only layers may do that";
  EXPECT_EQ(tryMake(describe(4, 4, 0, CUDA_ARRAY3D_LAYERED)), wrong);
  EXPECT_EQ(tryMake(describe(4, 5, 6, CUDA_ARRAY3D_CUBEMAP)), wrong);
  EXPECT_EQ(tryMake(describe(4, 4, 5, CUDA_ARRAY3D_CUBEMAP)), wrong);
  EXPECT_EQ(
      tryMake(describe(4, 4, 8, CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_LAYERED)),
      wrong);
  EXPECT_EQ(tryMake(describe(4, 0, 0, CUDA_ARRAY3D_TEXTURE_GATHER)), wrong);
  EXPECT_EQ(tryMake(describe(4, 4, 4, CUDA_ARRAY3D_TEXTURE_GATHER)), wrong);
  EXPECT_EQ(tryMake(describe(4, 4, 0, 0x1000)), wrong);
  EXPECT_EQ(tryMake(describe(4, 4, 0, CUDA_ARRAY3D_SPARSE)), unsupported);
  EXPECT_EQ(tryMake(describe(4, 4, 0, CUDA_ARRAY3D_DEFERRED_MAPPING)),
            unsupported);
  EXPECT_EQ(tryMake(describe(4, 4, 0, 0, CU_AD_FORMAT_NV12, 3)), unsupported);
  EXPECT_EQ(tryMake(describe(4, 4, 0, 0, CU_AD_FORMAT_BC1_UNORM, 4)),
            unsupported);
  EXPECT_EQ(tryMake(describe(4, 4, 0, 0, CUarray_format(0x77), 1)), wrong);
  EXPECT_EQ(tryMake(describe(4, 4, 0, 0, CU_AD_FORMAT_FLOAT, 3)), wrong);
  EXPECT_EQ(tryMake(describe(4, 4, 0, 0, CU_AD_FORMAT_UNORM_INT8X2, 4)), wrong);
  EXPECT_EQ(cuArray3DCreate_v2(nullptr, nullptr), wrong);
}

TEST_F(Arrays, ExtentsHaveLimits) {
  constexpr auto u8 = CU_AD_FORMAT_UNSIGNED_INT8;
  struct {
    CUDA_ARRAY3D_DESCRIPTOR fits, exceeds;
  } const cases[] = {
      {describe(131072), describe(131073)},
      {describe(32768, 0, 0, CUDA_ARRAY3D_SURFACE_LDST),
       describe(32769, 0, 0, CUDA_ARRAY3D_SURFACE_LDST)},
      {describe(131072, 1), describe(131073, 1)},
      {describe(1, 65536), describe(1, 65537)},
      {describe(32768, 1, 0, CUDA_ARRAY3D_TEXTURE_GATHER),
       describe(32769, 1, 0, CUDA_ARRAY3D_TEXTURE_GATHER)},
      {describe(16384, 1, 1), describe(16385, 1, 1)},
      {describe(1, 1, 32768), describe(1, 1, 32769)},
      {describe(8192, 1, 16385), describe(8193, 1, 16385)},
      {describe(1, 0, 2048, CUDA_ARRAY3D_LAYERED),
       describe(1, 0, 2049, CUDA_ARRAY3D_LAYERED)},
      {describe(1, 1, 2048, CUDA_ARRAY3D_LAYERED),
       describe(1, 1, 2049, CUDA_ARRAY3D_LAYERED)},
      {describe(1, 1, 2046, CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_LAYERED, u8),
       describe(1, 1, 2052, CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_LAYERED, u8)}};
  for (const auto &row : cases) {
    EXPECT_EQ(tryMake(row.fits), CUDA_SUCCESS) << row.fits.Width;
    EXPECT_EQ(tryMake(row.exceeds), CUDA_ERROR_INVALID_VALUE)
        << row.exceeds.Width;
  }
  // Within the limits, but more than the machine has.
  CUDA_ARRAY3D_DESCRIPTOR large =
      describe(16384, 16384, 16384, 0, CU_AD_FORMAT_FLOAT, 4);
  CUmipmappedArray mipmap;
  EXPECT_EQ(tryMake(large), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(cuMipmappedArrayCreate(&mipmap, &large, 15),
            CUDA_ERROR_OUT_OF_MEMORY);
  size_t elements = 0;
  EXPECT_EQ(
      cuDeviceGetTexture1DLinearMaxWidth(&elements, CU_AD_FORMAT_FLOAT, 4, 0),
      CUDA_SUCCESS);
  EXPECT_EQ(elements, size_t(1) << 28);
  EXPECT_EQ(
      cuDeviceGetTexture1DLinearMaxWidth(&elements, CU_AD_FORMAT_FLOAT, 3, 0),
      CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Arrays, HandlesEnd) {
  CUarray array = make(describe(4, 4));
  EXPECT_EQ(cuArrayGetPlane(&array, array, 0), CUDA_ERROR_INVALID_VALUE);
  CUDA_ARRAY_SPARSE_PROPERTIES sparse;
  EXPECT_EQ(cuArrayGetSparseProperties(&sparse, array),
            CUDA_ERROR_INVALID_VALUE);
  CUDA_ARRAY_MEMORY_REQUIREMENTS required;
  EXPECT_EQ(cuArrayGetMemoryRequirements(&required, array, 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuArray3DGetDescriptor_v2(nullptr, array),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuArrayDestroy(array), CUDA_SUCCESS);
  EXPECT_EQ(cuArrayDestroy(array), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuArrayDestroy(nullptr), CUDA_ERROR_INVALID_HANDLE);
  CUDA_ARRAY3D_DESCRIPTOR desc;
  EXPECT_EQ(cuArray3DGetDescriptor_v2(&desc, array), CUDA_ERROR_INVALID_HANDLE);
  Bytes host(16);
  CUDA_MEMCPY3D box = boxOf(array, host, 16, 1, 1, true);
  EXPECT_EQ(cuMemcpy3D_v2(&box), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemcpyHtoA_v2(array, 0, host.data(), 16),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Arrays, ContextsTakeTheirArraysAlong) {
  CUcontext other;
  ASSERT_EQ(cuCtxCreate_v2(&other, 0, 0), CUDA_SUCCESS);
  CUarray array = make(describe(4, 4));
  CUmipmappedArray mipmapped;
  CUDA_ARRAY3D_DESCRIPTOR desc = describe(4, 4);
  ASSERT_EQ(cuMipmappedArrayCreate(&mipmapped, &desc, 2), CUDA_SUCCESS);
  ASSERT_EQ(cuCtxDestroy_v2(other), CUDA_SUCCESS);
  EXPECT_EQ(cuArrayDestroy(array), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuMipmappedArrayDestroy(mipmapped), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(Arrays, MipmapsHaveLevels) {
  CUDA_ARRAY3D_DESCRIPTOR desc = describe(20, 5, 3, CUDA_ARRAY3D_LAYERED);
  CUmipmappedArray array;
  CUarray level, again;
  ASSERT_EQ(cuMipmappedArrayCreate(&array, &desc, 99), CUDA_SUCCESS);
  const size_t widths[] = {20, 10, 5, 2, 1}, heights[] = {5, 2, 1, 1, 1};
  for (unsigned i = 0; i < 5; ++i) {
    CUDA_ARRAY3D_DESCRIPTOR back;
    ASSERT_EQ(cuMipmappedArrayGetLevel(&level, array, i), CUDA_SUCCESS);
    ASSERT_EQ(cuMipmappedArrayGetLevel(&again, array, i), CUDA_SUCCESS);
    EXPECT_EQ(level, again);
    ASSERT_EQ(cuArray3DGetDescriptor_v2(&back, level), CUDA_SUCCESS);
    EXPECT_EQ(back.Width, widths[i]);
    EXPECT_EQ(back.Height, heights[i]);
    EXPECT_EQ(back.Depth, 3u) << "layers do not shrink";
    fill(level, count(widths[i] * 4 * heights[i] * 3, i), widths[i] * 4,
         heights[i], 3);
  }
  for (unsigned i = 0; i < 5; ++i) {
    ASSERT_EQ(cuMipmappedArrayGetLevel(&level, array, i), CUDA_SUCCESS);
    EXPECT_EQ(read(level, widths[i] * 4, heights[i], 3),
              count(widths[i] * 4 * heights[i] * 3, i));
  }
  EXPECT_EQ(cuMipmappedArrayGetLevel(&level, array, 5),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuArrayDestroy(again), CUDA_ERROR_INVALID_HANDLE)
      << "a level goes with the others";
  EXPECT_EQ(cuMipmappedArrayDestroy(array), CUDA_SUCCESS);
  EXPECT_EQ(cuMipmappedArrayDestroy(array), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuMipmappedArrayGetLevel(&level, array, 0),
            CUDA_ERROR_INVALID_HANDLE);
  CUDA_ARRAY3D_DESCRIPTOR back;
  EXPECT_EQ(cuArray3DGetDescriptor_v2(&back, again), CUDA_ERROR_INVALID_HANDLE);
  desc = describe(32769);
  EXPECT_EQ(cuMipmappedArrayCreate(&array, &desc, 2), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Arrays, MipmapsOfVolumesShrinkInDepth) {
  CUDA_ARRAY3D_DESCRIPTOR desc = describe(4, 4, 16), back;
  CUmipmappedArray array;
  CUarray level;
  ASSERT_EQ(cuMipmappedArrayCreate(&array, &desc, 5), CUDA_SUCCESS);
  ASSERT_EQ(cuMipmappedArrayGetLevel(&level, array, 3), CUDA_SUCCESS);
  ASSERT_EQ(cuArray3DGetDescriptor_v2(&back, level), CUDA_SUCCESS);
  EXPECT_EQ(back.Width, 1u);
  EXPECT_EQ(back.Depth, 2u);
  EXPECT_EQ(cuMipmappedArrayDestroy(array), CUDA_SUCCESS);
}

TEST_F(Arrays, BoxesAreCopied) {
  // 5 x 3 elements of 8 bytes, 4 slices.
  CUarray array = make(describe(5, 3, 4, 0, CU_AD_FORMAT_UNSIGNED_INT32, 2));
  Bytes all = count(40 * 3 * 4);
  fill(array, all, 40, 3, 4);
  EXPECT_EQ(read(array, 40, 3, 4), all);
  // A part, to another place of another array.
  CUarray other =
      make(describe(6, 4, 3, CUDA_ARRAY3D_LAYERED, CU_AD_FORMAT_HALF, 4));
  CUDA_MEMCPY3D part{};
  part.srcMemoryType = part.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  part.srcArray = array;
  part.dstArray = other;
  part.srcXInBytes = 8;
  part.srcY = 1;
  part.srcZ = 2;
  part.dstXInBytes = 16;
  part.dstY = 2;
  part.dstZ = 1;
  part.WidthInBytes = 24;
  part.Height = 2;
  part.Depth = 2;
  EXPECT_EQ(cuMemcpy3D_v2(&part), CUDA_SUCCESS);
  Bytes there = read(other, 48, 4, 3);
  for (size_t z = 0; z < 3; ++z)
    for (size_t y = 0; y < 4; ++y)
      for (size_t x = 0; x < 48; ++x) {
        bool isPart = z >= 1 && y >= 2 && x >= 16 && x < 40;
        unsigned char expected =
            isPart ? all[(z + 1) * 120 + (y - 1) * 40 + x - 8] : 0;
        EXPECT_EQ(there[(z * 4 + y) * 48 + x], expected)
            << x << ' ' << y << ' ' << z;
      }
}

TEST_F(Arrays, CopiesStayInside) {
  CUarray array = make(describe(5, 3, 4, 0, CU_AD_FORMAT_FLOAT, 1));
  Bytes host(1000);
  CUDA_MEMCPY3D good = boxOf(array, host, 12, 2, 2, true);
  good.dstXInBytes = 8;
  good.dstY = 1;
  good.dstZ = 2;
  EXPECT_EQ(cuMemcpy3D_v2(&good), CUDA_SUCCESS);
  auto refuses = [&](auto change) {
    CUDA_MEMCPY3D bad = good;
    change(bad);
    return cuMemcpy3D_v2(&bad) == CUDA_ERROR_INVALID_VALUE;
  };
  EXPECT_TRUE(refuses([](auto &box) { box.dstXInBytes = 12; }));
  EXPECT_TRUE(refuses([](auto &box) { box.dstXInBytes = 6; }));
  EXPECT_TRUE(refuses([](auto &box) { box.WidthInBytes = 10; }));
  EXPECT_TRUE(refuses([](auto &box) { box.dstY = 2; }));
  EXPECT_TRUE(refuses([](auto &box) { box.dstZ = 3; }));
  EXPECT_TRUE(refuses([](auto &box) { box.dstLOD = 1; }));
  EXPECT_TRUE(refuses([](auto &box) { box.dstXInBytes = SIZE_MAX - 3; }));
  EXPECT_TRUE(refuses([](auto &box) { box.dstY = SIZE_MAX; }));
  EXPECT_TRUE(refuses([](auto &box) { box.dstZ = SIZE_MAX; }));
  EXPECT_TRUE(refuses([](auto &box) { box.dstArray = nullptr; }));
  // The sum of both distances wraps around to 0.
  EXPECT_TRUE(refuses([](auto &box) {
    box.srcPitch = size_t(1) << 32;
    box.srcHeight = 4;
    box.srcY = size_t(1) << 31;
    box.srcZ = size_t(1) << 29;
    box.Depth = 1;
  }));
  CUarray bytes = make(describe(40, 3, 0, 0, CU_AD_FORMAT_UNSIGNED_INT8));
  EXPECT_TRUE(refuses([&](auto &box) {
    box.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    box.srcArray = bytes;
    box.Depth = 1;
  })) << "elements of other sizes";
}

TEST_F(Arrays, PlanesAreCopied) {
  CUarray array = make(describe(6, 4, 0, 0, CU_AD_FORMAT_UNSIGNED_INT8));
  Bytes all = count(24), back(5 * 6);
  CUDA_MEMCPY2D plane{};
  plane.srcMemoryType = CU_MEMORYTYPE_HOST;
  plane.srcHost = all.data();
  plane.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  plane.dstArray = array;
  plane.WidthInBytes = 6;
  plane.Height = 4;
  EXPECT_EQ(cuMemcpy2D_v2(&plane), CUDA_SUCCESS);
  CUstream stream;
  ASSERT_EQ(cuStreamCreate(&stream, 0), CUDA_SUCCESS);
  CUDA_MEMCPY2D out{};
  out.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  out.srcArray = array;
  out.srcXInBytes = 2;
  out.srcY = 1;
  out.dstMemoryType = CU_MEMORYTYPE_HOST;
  out.dstHost = back.data();
  out.dstPitch = 6;
  out.WidthInBytes = 3;
  out.Height = 3;
  EXPECT_EQ(cuMemcpy2DAsync_v2(&out, stream), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
  for (size_t y = 0; y < 3; ++y)
    for (size_t x = 0; x < 6; ++x)
      EXPECT_EQ(back[y * 6 + x], x < 3 ? (y + 1) * 6 + x + 2 : 0);
  EXPECT_EQ(cuMemcpy2DUnaligned_v2(&out), CUDA_SUCCESS);
  out.Height = 4;
  EXPECT_EQ(cuMemcpy2DUnaligned_v2(&out), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Arrays, BytesGoOnInTheNextRow) {
  // Rows of 5 elements do not fill their pitch.
  CUarray array = make(describe(5, 4, 0, 0, CU_AD_FORMAT_UNSIGNED_INT16));
  Bytes all = count(40), back(40);
  EXPECT_EQ(cuMemcpyHtoA_v2(array, 0, all.data(), 40), CUDA_SUCCESS);
  EXPECT_EQ(read(array, 10, 4, 1), all);
  EXPECT_EQ(cuMemcpyAtoH_v2(back.data(), array, 6, 28), CUDA_SUCCESS);
  EXPECT_EQ(Bytes(back.begin(), back.begin() + 28), count(28, 6));
  CUdeviceptr memory;
  ASSERT_EQ(cuMemAlloc_v2(&memory, 40), CUDA_SUCCESS);
  EXPECT_EQ(cuMemcpyAtoD_v2(memory, array, 8, 32), CUDA_SUCCESS);
  EXPECT_EQ(cuMemcpyDtoA_v2(array, 0, memory, 32), CUDA_SUCCESS);
  Bytes moved = count(32, 8);
  moved.insert(moved.end(), all.begin() + 32, all.end());
  EXPECT_EQ(read(array, 10, 4, 1), moved);
  // To an array with other rows.
  CUarray line = make(describe(30, 0, 0, 0, CU_AD_FORMAT_HALF));
  EXPECT_EQ(cuMemcpyAtoA_v2(line, 4, array, 2, 36), CUDA_SUCCESS);
  EXPECT_EQ(cuMemcpyAtoHAsync_v2(back.data(), line, 4, 36, nullptr),
            CUDA_SUCCESS);
  EXPECT_EQ(Bytes(back.begin(), back.begin() + 36),
            Bytes(moved.begin() + 2, moved.begin() + 38));
  EXPECT_EQ(cuMemcpyHtoAAsync_v2(line, 0, all.data(), 40, nullptr),
            CUDA_SUCCESS);
  EXPECT_EQ(cuMemcpyAtoH_v2(back.data(), line, 0, 40), CUDA_SUCCESS);
  EXPECT_EQ(back, all);
  EXPECT_EQ(cuMemcpyHtoA_v2(array, 0, all.data(), 0), CUDA_SUCCESS);
  for (auto [offset, bytes] : std::initializer_list<std::pair<size_t, size_t>>{
           {0, 42}, {2, 40}, {1, 2}, {0, 3}, {42, 0}, {SIZE_MAX, 2}})
    EXPECT_EQ(cuMemcpyHtoA_v2(array, offset, all.data(), bytes),
              CUDA_ERROR_INVALID_VALUE);
  // If memory ends early, nothing is copied at all.
  CUarray large = make(describe(5, 100, 0, 0, CU_AD_FORMAT_UNSIGNED_INT16));
  EXPECT_EQ(cuMemsetD8_v2(memory, 77, 40), CUDA_SUCCESS);
  Bytes before = read(large, 10, 100, 1);
  EXPECT_EQ(cuMemcpyDtoA_v2(large, 2, memory, 900), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(read(large, 10, 100, 1), before);
  EXPECT_EQ(cuMemcpyHtoA_v2(large, 0, nullptr, 2), CUDA_ERROR_INVALID_VALUE);
  CUarray volume = make(describe(4, 4, 4));
  EXPECT_EQ(cuMemcpyHtoA_v2(volume, 0, all.data(), 4),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Arrays, ContextsAreNamed) {
  CUarray array = make(describe(16, 0, 0, 0, CU_AD_FORMAT_UNSIGNED_INT8));
  CUdeviceptr memory;
  ASSERT_EQ(cuMemAlloc_v2(&memory, 16), CUDA_SUCCESS);
  ASSERT_EQ(cuMemsetD8_v2(memory, 7, 16), CUDA_SUCCESS);
  CUDA_MEMCPY3D_PEER peer{};
  peer.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  peer.srcDevice = memory;
  peer.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  peer.dstArray = array;
  peer.WidthInBytes = 16;
  peer.Height = peer.Depth = 1;
  EXPECT_EQ(cuMemcpy3DPeer(&peer), CUDA_ERROR_INVALID_CONTEXT);
  peer.srcContext = context;
  EXPECT_EQ(cuMemcpy3DPeer(&peer), CUDA_SUCCESS);
  EXPECT_EQ(cuMemcpy3DPeerAsync(&peer, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(read(array, 16, 1, 1), Bytes(16, 7));
  EXPECT_EQ(cuMemcpy3DPeer(nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Arrays, BatchesCountElements) {
  CUarray array = make(describe(4, 3, 0, 0, CU_AD_FORMAT_FLOAT, 2));
  Bytes all = count(96), back(96);
  CUDA_MEMCPY3D_BATCH_OP copies[2]{};
  copies[0].src.type = CU_MEMCPY_OPERAND_TYPE_POINTER;
  copies[0].src.op.ptr.ptr = reinterpret_cast<CUdeviceptr>(all.data());
  copies[0].dst.type = CU_MEMCPY_OPERAND_TYPE_ARRAY;
  copies[0].dst.op.array.array = array;
  copies[0].extent = {4, 3, 1};
  copies[0].srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
  copies[1].src.type = CU_MEMCPY_OPERAND_TYPE_ARRAY;
  copies[1].src.op.array.array = array;
  copies[1].src.op.array.offset = {1, 1, 0};
  copies[1].dst.type = CU_MEMCPY_OPERAND_TYPE_POINTER;
  copies[1].dst.op.ptr.ptr = reinterpret_cast<CUdeviceptr>(back.data());
  copies[1].dst.op.ptr.rowLength = 5;
  copies[1].extent = {3, 2, 1};
  copies[1].srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
  CUstream stream;
  ASSERT_EQ(cuStreamCreate(&stream, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuMemcpy3DBatchAsync_v2(2, copies, 0, stream), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
  for (size_t y = 0; y < 2; ++y)
    for (size_t x = 0; x < 40; ++x)
      EXPECT_EQ(back[y * 40 + x], x < 24 ? (y + 1) * 32 + 8 + x : 0);
  size_t failed = 0;
  copies[1].src.op.array.offset.x = 2;
  EXPECT_EQ(cuMemcpy3DBatchAsync(2, copies, &failed, 0, stream),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(failed, 1u);
  EXPECT_EQ(cuMemcpy3DBatchAsync(2, copies, &failed, 1, stream),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(failed, SIZE_MAX);
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
}

TEST_F(Arrays, GraphsCopyThem) {
  CUarray array = make(describe(8, 2, 0, 0, CU_AD_FORMAT_UNSIGNED_INT8));
  Bytes first = count(16), second = count(16, 100);
  CUDA_MEMCPY3D box = boxOf(array, first, 8, 2, 1, true), back;
  CUgraph graph;
  CUgraphNode node;
  CUgraphExec exec;
  ASSERT_EQ(cuGraphCreate(&graph, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuGraphAddMemcpyNode(&node, graph, nullptr, 0, &box, context),
            CUDA_SUCCESS);
  ASSERT_EQ(cuGraphMemcpyNodeGetParams(node, &back), CUDA_SUCCESS);
  EXPECT_EQ(back.dstArray, array);
  std::string path = ::testing::TempDir() + "arrays.dot", text;
  EXPECT_EQ(cuGraphDebugDotPrint(graph, path.c_str(), 0), CUDA_SUCCESS);
  std::getline(std::ifstream(path), text, '\0');
  EXPECT_NE(text.find("host to array"), std::string::npos) << text;
  ASSERT_EQ(cuGraphInstantiateWithFlags(&exec, graph, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuGraphLaunch(exec, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(read(array, 8, 2, 1), first);
  box.srcHost = second.data();
  EXPECT_EQ(cuGraphExecMemcpyNodeSetParams(exec, node, &box, context),
            CUDA_SUCCESS);
  ASSERT_EQ(cuGraphLaunch(exec, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(read(array, 8, 2, 1), second);
  box.dstY = 1;
  EXPECT_EQ(cuGraphExecMemcpyNodeSetParams(exec, node, &box, context),
            CUDA_ERROR_INVALID_VALUE);
  // The graph keeps the texels alive.
  EXPECT_EQ(cuArrayDestroy(array), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphLaunch(exec, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
}

TEST_F(Arrays, CopiesAreCaptured) {
  CUarray array = make(describe(8, 2, 0, 0, CU_AD_FORMAT_UNSIGNED_INT8));
  Bytes all = count(16);
  CUstream stream;
  CUgraph graph;
  CUgraphExec exec;
  ASSERT_EQ(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED),
            CUDA_SUCCESS);
  EXPECT_EQ(cuMemcpyHtoAAsync_v2(array, 0, all.data(), 16, stream),
            CUDA_SUCCESS);
  ASSERT_EQ(cuStreamEndCapture(stream, &graph), CUDA_SUCCESS);
  EXPECT_EQ(read(array, 8, 2, 1), Bytes(16, 0));
  ASSERT_EQ(cuGraphInstantiateWithFlags(&exec, graph, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuGraphLaunch(exec, stream), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
  EXPECT_EQ(read(array, 8, 2, 1), all);
}

} // namespace
