//===- ArrayTest.cpp - arrays, textures and surfaces of the runtime -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/CudaRuntime/CudaRuntimeABI.h"

#include <gtest/gtest.h>
#include <numeric>
#include <vector>

extern "C" {
cudaError_t cudaMalloc(void **, size_t);
cudaError_t cudaFree(void *);
cudaError_t cudaMemcpy(void *, const void *, size_t, int);
cudaError_t cudaMemcpy2D(void *, size_t, const void *, size_t, size_t, size_t,
                         int);
cudaError_t cudaMemset(void *, int, size_t);
cudaError_t cudaMallocArray(CUarray *, const cudaChannelFormatDesc *, size_t,
                            size_t, unsigned);
cudaError_t cudaMalloc3DArray(CUarray *, const cudaChannelFormatDesc *,
                              cudaExtent, unsigned);
cudaError_t cudaMallocMipmappedArray(CUmipmappedArray *,
                                     const cudaChannelFormatDesc *, cudaExtent,
                                     unsigned, unsigned);
cudaError_t cudaGetMipmappedArrayLevel(CUarray *, CUmipmappedArray, unsigned);
cudaError_t cudaFreeArray(CUarray);
cudaError_t cudaFreeMipmappedArray(CUmipmappedArray);
cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc *, cudaExtent *, unsigned *,
                             CUarray);
cudaError_t cudaArrayGetPlane(CUarray *, CUarray, unsigned);
cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc *, CUarray);
cudaChannelFormatDesc cudaCreateChannelDesc(int, int, int, int, int);
cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *,
                                                 const cudaChannelFormatDesc *,
                                                 int);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *, int);
cudaError_t cudaMemcpyToArray(CUarray, size_t, size_t, const void *, size_t,
                              int);
cudaError_t cudaMemcpyToArrayAsync(CUarray, size_t, size_t, const void *,
                                   size_t, int, CUstream);
cudaError_t cudaMemcpyFromArray(void *, CUarray, size_t, size_t, size_t, int);
cudaError_t cudaMemcpyFromArrayAsync(void *, CUarray, size_t, size_t, size_t,
                                     int, CUstream);
cudaError_t cudaMemcpyArrayToArray(CUarray, size_t, size_t, CUarray, size_t,
                                   size_t, size_t, int);
cudaError_t cudaMemcpy2DToArray(CUarray, size_t, size_t, const void *, size_t,
                                size_t, size_t, int);
cudaError_t cudaMemcpy2DToArray_ptds(CUarray, size_t, size_t, const void *,
                                     size_t, size_t, size_t, int);
cudaError_t cudaMemcpy2DToArrayAsync(CUarray, size_t, size_t, const void *,
                                     size_t, size_t, size_t, int, CUstream);
cudaError_t cudaMemcpy2DFromArray(void *, size_t, CUarray, size_t, size_t,
                                  size_t, size_t, int);
cudaError_t cudaMemcpy2DFromArrayAsync(void *, size_t, CUarray, size_t, size_t,
                                       size_t, size_t, int, CUstream);
cudaError_t cudaMemcpy2DArrayToArray(CUarray, size_t, size_t, CUarray, size_t,
                                     size_t, size_t, size_t, int);
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms *);
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms *, CUstream);
cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms *);
#if PTXJIT_CUDART_VERSION >= 13
cudaError_t cudaMemcpy3DBatchAsync(size_t, CUDA_MEMCPY3D_BATCH_OP *,
                                   unsigned long long, CUstream);
#else
cudaError_t cudaMemcpy3DBatchAsync(size_t, CUDA_MEMCPY3D_BATCH_OP *, size_t *,
                                   unsigned long long, CUstream);
#endif
cudaError_t cudaStreamCreate(CUstream *);
cudaError_t cudaStreamSynchronize(CUstream);
cudaError_t cudaGraphCreate(CUgraph *, unsigned);
cudaError_t cudaGraphAddMemcpyNode(CUgraphNode *, CUgraph, const CUgraphNode *,
                                   size_t, const cudaMemcpy3DParms *);
cudaError_t cudaGraphMemcpyNodeGetParams(CUgraphNode, cudaMemcpy3DParms *);
cudaError_t cudaCreateTextureObject(CUtexObject *, const cudaResourceDesc *,
                                    const cudaTextureDesc *,
                                    const CUDA_RESOURCE_VIEW_DESC *);
cudaError_t cudaDestroyTextureObject(CUtexObject);
cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc *, CUtexObject);
cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc *, CUtexObject);
cudaError_t cudaGetTextureObjectResourceViewDesc(CUDA_RESOURCE_VIEW_DESC *,
                                                 CUtexObject);
cudaError_t cudaCreateSurfaceObject(CUsurfObject *, const cudaResourceDesc *);
cudaError_t cudaDestroySurfaceObject(CUsurfObject);
cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc *, CUsurfObject);
}

namespace {

using Bytes = std::vector<unsigned char>;
constexpr cudaChannelFormatDesc kByte{8, 0, 0, 0,
                                      cudaChannelFormatKindUnsigned};
constexpr cudaChannelFormatDesc kFloat{32, 0, 0, 0, cudaChannelFormatKindFloat};
constexpr cudaChannelFormatDesc kInt4{32, 32, 32, 32,
                                      cudaChannelFormatKindSigned};

Bytes count(size_t bytes, unsigned char first = 0) {
  Bytes all(bytes);
  std::iota(all.begin(), all.end(), first);
  return all;
}
CUarray makeArray(const cudaChannelFormatDesc &desc, size_t width,
                  size_t height, unsigned flags = 0) {
  CUarray array = nullptr;
  EXPECT_EQ(cudaMallocArray(&array, &desc, width, height, flags), 0);
  return array;
}
CUarray makeBox(const cudaChannelFormatDesc &desc, cudaExtent extent,
                unsigned flags = 0) {
  CUarray array = nullptr;
  EXPECT_EQ(cudaMalloc3DArray(&array, &desc, extent, flags), 0);
  return array;
}

class RuntimeArrays : public ::testing::Test {
protected:
  void TearDown() override { cudaGetLastError(); }
};

TEST_F(RuntimeArrays, FormatsAreReadBack) {
  for (const cudaChannelFormatDesc &desc :
       {kByte, kFloat, kInt4, cudaCreateChannelDesc(16, 16, 0, 0, 2),
        cudaCreateChannelDesc(8, 8, 8, 8, 7),
        cudaCreateChannelDesc(16, 16, 0, 0, 15),
        cudaCreateChannelDesc(8, 8, 0, 0, 0)}) {
    CUarray array = makeArray(desc, 4, 4);
    cudaChannelFormatDesc back{}, again{};
    cudaExtent extent{};
    unsigned flags = 99;
    EXPECT_EQ(cudaArrayGetInfo(&back, &extent, &flags, array), 0);
    EXPECT_EQ(cudaGetChannelDesc(&again, array), 0);
    EXPECT_EQ(back.x, desc.x);
    EXPECT_EQ(back.y, desc.y);
    EXPECT_EQ(back.z, desc.z);
    EXPECT_EQ(back.w, desc.w);
    EXPECT_EQ(back.f, desc.f);
    EXPECT_EQ(again.f, desc.f);
    EXPECT_EQ(extent.width, 4u);
    EXPECT_EQ(extent.height, 4u);
    EXPECT_EQ(extent.depth, 0u);
    EXPECT_EQ(flags, 0u);
    EXPECT_EQ(cudaFreeArray(array), 0);
  }
}

TEST_F(RuntimeArrays, WrongFormatsAreRefused) {
  CUarray array;
  auto make = [&](int x, int y, int z, int w, int kind) {
    cudaChannelFormatDesc desc{x, y, z, w, kind};
    return cudaMallocArray(&array, &desc, 4, 4, 0);
  };
  EXPECT_EQ(make(32, 32, 32, 0, 0), 20); // cudaErrorInvalidChannelDescriptor
  EXPECT_EQ(make(32, 16, 0, 0, 0), 20);
  EXPECT_EQ(make(0, 8, 0, 0, 0), 20);
  EXPECT_EQ(make(8, 0, 0, 0, 2), 20) << "there is no float of 8 bits";
  EXPECT_EQ(make(64, 0, 0, 0, 0), 20);
  EXPECT_EQ(make(8, 0, 0, 0, 3), 20);
  EXPECT_EQ(make(8, 0, 0, 0, 99), 20);
  EXPECT_EQ(make(8, 8, 8, 8, 17), 801) << "compressed";
  EXPECT_EQ(cudaMallocArray(&array, nullptr, 4, 4, 0), 1);
  EXPECT_EQ(cudaMallocArray(&array, &kByte, 0, 4, 0), 1);
  EXPECT_EQ(cudaMallocArray(nullptr, &kByte, 4, 4, 0), 1);
  EXPECT_EQ(cudaFreeArray(nullptr), 0);
  EXPECT_EQ(cudaFreeMipmappedArray(nullptr), 0);
  array = makeArray(kByte, 4, 4);
  EXPECT_EQ(cudaArrayGetPlane(&array, array, 0), 1);
  EXPECT_EQ(cudaFreeArray(array), 0);
  EXPECT_EQ(cudaFreeArray(array), 400); // cudaErrorInvalidResourceHandle
  EXPECT_EQ(cudaPeekAtLastError(), 400);
}

TEST_F(RuntimeArrays, LimitsAreReported) {
  cudaDeviceProp properties;
  ASSERT_EQ(cudaGetDeviceProperties(&properties, 0), 0);
  EXPECT_EQ(properties.maxTexture1D, 131072);
  EXPECT_EQ(properties.maxTexture2DLinear[2], 2097120);
  EXPECT_EQ(properties.maxTexture3DAlt[2], 32768);
  EXPECT_EQ(properties.maxSurfaceCubemapLayered[1], 2046);
  EXPECT_EQ(properties.surfaceAlignment, 512u);
  size_t elements = 0;
  EXPECT_EQ(cudaDeviceGetTexture1DLinearMaxWidth(&elements, &kFloat, 0), 0);
  EXPECT_EQ(elements, size_t(1) << 28);
  EXPECT_EQ(cudaDeviceGetTexture1DLinearMaxWidth(&elements, nullptr, 0), 1);
}

TEST_F(RuntimeArrays, PlanesAreCopied) {
  CUarray array = makeArray(kByte, 6, 4), other = makeArray(kByte, 8, 5);
  Bytes all = count(24), back(24);
  EXPECT_EQ(cudaMemcpy2DToArray(array, 0, 0, all.data(), 6, 6, 4,
                                cudaMemcpyHostToDevice),
            0);
  EXPECT_EQ(cudaMemcpy2DArrayToArray(other, 1, 2, array, 2, 1, 3, 2,
                                     cudaMemcpyDeviceToDevice),
            0);
  EXPECT_EQ(cudaMemcpy2DFromArray(back.data(), 3, other, 1, 2, 3, 2,
                                  cudaMemcpyDeviceToHost),
            0);
  EXPECT_EQ(Bytes(back.begin(), back.begin() + 6),
            Bytes({8, 9, 10, 14, 15, 16}));
  CUstream stream;
  ASSERT_EQ(cudaStreamCreate(&stream), 0);
  Bytes second = count(24, 50);
  EXPECT_EQ(cudaMemcpy2DToArrayAsync(array, 0, 0, second.data(), 6, 6, 4,
                                     cudaMemcpyDefault, stream),
            0);
  EXPECT_EQ(cudaMemcpy2DFromArrayAsync(back.data(), 6, array, 0, 0, 6, 4,
                                       cudaMemcpyDefault, stream),
            0);
  EXPECT_EQ(cudaStreamSynchronize(stream), 0);
  EXPECT_EQ(back, second);
  EXPECT_EQ(cudaMemcpy2DToArray_ptds(array, 0, 0, all.data(), 6, 6, 4,
                                     cudaMemcpyHostToDevice),
            0);
  EXPECT_EQ(cudaMemcpy2DToArray(array, 0, 0, all.data(), 5, 6, 4,
                                cudaMemcpyHostToDevice),
            12); // cudaErrorInvalidPitchValue
  EXPECT_EQ(cudaMemcpy2DToArray(array, 1, 0, all.data(), 6, 6, 4,
                                cudaMemcpyHostToDevice),
            1);
  EXPECT_EQ(cudaMemcpy2DToArray(array, 0, 0, all.data(), 6, 6, 4, 7), 21);
  EXPECT_EQ(cudaMemcpy2DToArray(nullptr, 0, 0, all.data(), 6, 6, 4,
                                cudaMemcpyHostToDevice),
            400);
}

TEST_F(RuntimeArrays, BytesGoOnInTheNextRow) {
  CUarray array = makeArray(kByte, 6, 4), line = makeArray(kByte, 40, 0);
  Bytes all = count(24), back(24);
  EXPECT_EQ(
      cudaMemcpyToArray(array, 0, 0, all.data(), 24, cudaMemcpyHostToDevice),
      0);
  EXPECT_EQ(
      cudaMemcpyFromArray(back.data(), array, 4, 1, 14, cudaMemcpyDeviceToHost),
      0);
  EXPECT_EQ(Bytes(back.begin(), back.begin() + 14), count(14, 10));
  EXPECT_EQ(cudaMemcpyArrayToArray(line, 3, 0, array, 2, 0, 20,
                                   cudaMemcpyDeviceToDevice),
            0);
  EXPECT_EQ(cudaMemcpyFromArrayAsync(back.data(), line, 3, 0, 20,
                                     cudaMemcpyDeviceToHost, nullptr),
            0);
  EXPECT_EQ(cudaStreamSynchronize(nullptr), 0);
  EXPECT_EQ(Bytes(back.begin(), back.begin() + 20), count(20, 2));
  EXPECT_EQ(cudaMemcpyToArrayAsync(array, 5, 0, all.data(), 19,
                                   cudaMemcpyHostToDevice, nullptr),
            0);
  EXPECT_EQ(
      cudaMemcpyFromArray(back.data(), array, 5, 0, 19, cudaMemcpyDeviceToHost),
      0);
  EXPECT_EQ(Bytes(back.begin(), back.begin() + 19), count(19));
  EXPECT_EQ(
      cudaMemcpyToArray(array, 1, 0, all.data(), 24, cudaMemcpyHostToDevice),
      1);
  EXPECT_EQ(
      cudaMemcpyToArray(array, 6, 0, all.data(), 1, cudaMemcpyHostToDevice), 1);
  EXPECT_EQ(
      cudaMemcpyToArray(array, 0, 4, all.data(), 1, cudaMemcpyHostToDevice), 1);
}

// As NVIDIA's sample volumeFiltering has it. An H100 gives these codes.
TEST_F(RuntimeArrays, OneRowNeedsNoPitch) {
  CUarray array = makeArray(kByte, 16, 8);
  Bytes all = count(64), back(64);
  void *memory;
  ASSERT_EQ(cudaMalloc(&memory, 64), 0);
  auto expect = [&](size_t pitch, size_t rows, int planes, int box) {
    EXPECT_EQ(cudaMemcpy2DToArray(array, 0, 0, all.data(), pitch, 16, rows,
                                  cudaMemcpyHostToDevice),
              planes);
    EXPECT_EQ(cudaMemcpy2DFromArray(back.data(), pitch, array, 0, 0, 16, rows,
                                    cudaMemcpyDeviceToHost),
              planes);
    EXPECT_EQ(cudaMemcpy2D(memory, pitch, all.data(), 16, 16, rows,
                           cudaMemcpyHostToDevice),
              planes);
    EXPECT_EQ(cudaMemcpy2D(memory, 16, all.data(), pitch, 16, rows,
                           cudaMemcpyHostToDevice),
              planes);
    cudaMemcpy3DParms params{};
    params.srcPtr = {all.data(), pitch, 16, 2};
    params.dstArray = array;
    params.extent = {16, rows, 1};
    params.kind = cudaMemcpyHostToDevice;
    EXPECT_EQ(cudaMemcpy3D(&params), box);
  };
  expect(0, 1, 0, 0);
  EXPECT_EQ(Bytes(back.begin(), back.begin() + 16), count(16));
  expect(0, 2, 12, 12); // cudaErrorInvalidPitchValue
  expect(4, 1, 1, 1);
  expect(4, 2, 12, 1);
  EXPECT_EQ(cudaFree(memory), 0);
}

TEST_F(RuntimeArrays, BytesAreCopiedAsAWholeOrNotAtAll) {
  CUarray array = makeArray(kByte, 6, 4);
  Bytes all = count(24, 1), none(24), back(24);
  ASSERT_EQ(
      cudaMemcpyToArray(array, 0, 0, none.data(), 24, cudaMemcpyHostToDevice),
      0);
  void *memory;
  ASSERT_EQ(cudaMalloc(&memory, 20), 0);
  ASSERT_EQ(cudaMemcpy(memory, all.data(), 20, cudaMemcpyHostToDevice), 0);
  // The first row would fit: rows 1 and 3 are copied in parts of their own.
  for (int kind : {cudaMemcpyDeviceToDevice, cudaMemcpyDefault})
    EXPECT_EQ(cudaMemcpyToArray(array, 3, 0, memory, 21, kind), 1);
  EXPECT_EQ(cudaMemcpyToArrayAsync(array, 3, 0, memory, 21,
                                   cudaMemcpyDeviceToDevice, nullptr),
            1);
  EXPECT_EQ(
      cudaMemcpyFromArray(back.data(), array, 0, 0, 24, cudaMemcpyDeviceToHost),
      0);
  EXPECT_EQ(back, none);
  EXPECT_EQ(cudaMemcpyFromArray(memory, array, 3, 0, 21, cudaMemcpyDefault), 1);
  EXPECT_EQ(cudaMemcpy(back.data(), memory, 20, cudaMemcpyDeviceToHost), 0);
  EXPECT_EQ(Bytes(back.begin(), back.begin() + 20), count(20, 1));
  EXPECT_EQ(
      cudaMemcpyToArray(array, 3, 0, memory, 20, cudaMemcpyDeviceToDevice), 0);
  EXPECT_EQ(
      cudaMemcpyFromArray(back.data(), array, 3, 0, 20, cudaMemcpyDeviceToHost),
      0);
  EXPECT_EQ(Bytes(back.begin(), back.begin() + 20), count(20, 1));
  // No memory at all.
  EXPECT_EQ(
      cudaMemcpyToArray(array, 3, 0, all.data(), 20, cudaMemcpyDeviceToDevice),
      1);
  EXPECT_EQ(cudaMemcpyToArray(array, 3, 0, nullptr, 20, cudaMemcpyDefault), 1);
  EXPECT_EQ(cudaFree(memory), 0);
}

TEST_F(RuntimeArrays, ExtentsOfBoxesAreElements) {
  CUarray array = makeBox(kFloat, {5, 3, 2});
  Bytes all = count(5 * 4 * 3 * 2), back(2 * 4 * 2);
  cudaMemcpy3DParms in{};
  in.srcPtr = {all.data(), 20, 5, 3};
  in.dstArray = array;
  in.extent = {5, 3, 2};
  in.kind = cudaMemcpyHostToDevice;
  EXPECT_EQ(cudaMemcpy3D(&in), 0);
  cudaMemcpy3DParms out{};
  out.srcArray = array;
  out.srcPos = {3, 1, 1};
  out.dstPtr = {back.data(), 8, 2, 2};
  out.extent = {2, 2, 1};
  out.kind = cudaMemcpyDeviceToHost;
  EXPECT_EQ(cudaMemcpy3DAsync(&out, nullptr), 0);
  EXPECT_EQ(cudaStreamSynchronize(nullptr), 0);
  for (size_t y = 0; y < 2; ++y)
    for (size_t x = 0; x < 8; ++x)
      EXPECT_EQ(back[y * 8 + x], 60 + (y + 1) * 20 + 12 + x);
  // Places in memory are bytes.
  out.dstPos.x = 4;
  out.dstPtr.pitch = 16;
  out.extent = {1, 1, 1};
  EXPECT_EQ(cudaMemcpy3D(&out), 0);
  EXPECT_EQ(back[4], 60 + 20 + 12);
  out.srcPos.x = 5;
  EXPECT_EQ(cudaMemcpy3D(&out), 1);
  out.srcPtr.ptr = back.data();
  EXPECT_EQ(cudaMemcpy3D(&out), 1) << "an array and memory";
  in.extent.width = SIZE_MAX / 2;
  EXPECT_EQ(cudaMemcpy3D(&in), 1);
  cudaMemcpy3DParms across{};
  across.srcArray = array;
  across.dstArray = makeBox(kByte, {5, 3, 2});
  across.extent = {1, 1, 1};
  across.kind = cudaMemcpyDeviceToDevice;
  EXPECT_EQ(cudaMemcpy3D(&across), 1) << "elements of other sizes";
}

TEST_F(RuntimeArrays, DevicesAreNamed) {
  CUarray array = makeArray(kFloat, 4, 0);
  float all[4] = {1, 2, 3, 4}, back[4] = {};
  cudaMemcpy3DPeerParms peer{};
  peer.srcPtr = {all, 16, 16, 1};
  peer.dstArray = array;
  peer.extent = {4, 1, 1};
  EXPECT_EQ(cudaMemcpy3DPeer(&peer), 0);
  EXPECT_EQ(cudaMemcpyFromArray(back, array, 0, 0, 16, cudaMemcpyDefault), 0);
  EXPECT_EQ(back[3], 4);
  peer.dstDevice = 1;
  EXPECT_EQ(cudaMemcpy3DPeer(&peer), 101);
  EXPECT_EQ(cudaMemcpy3DPeer(nullptr), 1);
}

TEST_F(RuntimeArrays, BatchesCountElements) {
  CUarray array = makeArray(kFloat, 4, 2);
  float all[8] = {1, 2, 3, 4, 5, 6, 7, 8}, back[8] = {};
  CUDA_MEMCPY3D_BATCH_OP copy{};
  copy.src.type = CU_MEMCPY_OPERAND_TYPE_POINTER;
  copy.src.op.ptr.ptr = reinterpret_cast<CUdeviceptr>(all);
  copy.dst.type = CU_MEMCPY_OPERAND_TYPE_ARRAY;
  copy.dst.op.array.array = array;
  copy.extent = {4, 2, 1};
  copy.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
  CUstream stream;
  ASSERT_EQ(cudaStreamCreate(&stream), 0);
#if PTXJIT_CUDART_VERSION >= 13
  EXPECT_EQ(cudaMemcpy3DBatchAsync(1, &copy, 0, stream), 0);
#else
  size_t failed;
  EXPECT_EQ(cudaMemcpy3DBatchAsync(1, &copy, &failed, 0, stream), 0);
#endif
  EXPECT_EQ(cudaStreamSynchronize(stream), 0);
  EXPECT_EQ(cudaMemcpyFromArray(back, array, 0, 0, 32, cudaMemcpyDeviceToHost),
            0);
  EXPECT_EQ(back[7], 8);
}

TEST_F(RuntimeArrays, NodesOfGraphsAreReadBack) {
  CUarray array = makeArray(kFloat, 4, 2);
  float all[8];
  cudaMemcpy3DParms in{}, back{};
  in.srcPtr = {all, 16, 4, 2};
  in.dstArray = array;
  in.dstPos = {1, 1, 0};
  in.extent = {3, 1, 1};
  in.kind = cudaMemcpyHostToDevice;
  CUgraph graph;
  CUgraphNode node;
  ASSERT_EQ(cudaGraphCreate(&graph, 0), 0);
  ASSERT_EQ(cudaGraphAddMemcpyNode(&node, graph, nullptr, 0, &in), 0);
  ASSERT_EQ(cudaGraphMemcpyNodeGetParams(node, &back), 0);
  EXPECT_EQ(back.dstArray, array);
  EXPECT_EQ(back.dstPtr.ptr, nullptr);
  EXPECT_EQ(back.dstPos.x, 1u);
  EXPECT_EQ(back.srcPtr.ptr, all);
  EXPECT_EQ(back.extent.width, 3u);
  EXPECT_EQ(back.kind, cudaMemcpyHostToDevice);
}

TEST_F(RuntimeArrays, MipmapsHaveLevels) {
  CUmipmappedArray array;
  CUarray level;
  cudaExtent extent;
  ASSERT_EQ(cudaMallocMipmappedArray(&array, &kByte, {8, 4, 0}, 3, 0), 0);
  ASSERT_EQ(cudaGetMipmappedArrayLevel(&level, array, 2), 0);
  EXPECT_EQ(cudaArrayGetInfo(nullptr, &extent, nullptr, level), 0);
  EXPECT_EQ(extent.width, 2u);
  EXPECT_EQ(extent.height, 1u);
  EXPECT_EQ(cudaGetMipmappedArrayLevel(&level, array, 3), 1);
  EXPECT_EQ(cudaFreeMipmappedArray(array), 0);
  EXPECT_EQ(cudaFreeMipmappedArray(array), 400);
}

TEST_F(RuntimeArrays, TexturesAreReadBack) {
  cudaResourceDesc resource{}, resourceBack;
  void *memory;
  ASSERT_EQ(cudaMalloc(&memory, 4096), 0);
  resource.resType = CU_RESOURCE_TYPE_PITCH2D;
  resource.res.pitch2D = {memory, kFloat, 10, 6, 64};
  cudaTextureDesc desc{}, descBack;
  desc.addressMode[1] = CU_TR_ADDRESS_MODE_BORDER;
  desc.filterMode = CU_TR_FILTER_MODE_LINEAR;
  desc.readMode = cudaReadModeElementType;
  desc.normalizedCoords = 1;
  desc.sRGB = 1;
  desc.disableTrilinearOptimization = 1;
  desc.maxAnisotropy = 4;
  desc.borderColor[2] = 0.5f;
  desc.mipmapLevelBias = 1.5f;
  CUtexObject texture;
  ASSERT_EQ(cudaCreateTextureObject(&texture, &resource, &desc, nullptr), 0);
  ASSERT_EQ(cudaGetTextureObjectResourceDesc(&resourceBack, texture), 0);
  EXPECT_EQ(resourceBack.resType, CU_RESOURCE_TYPE_PITCH2D);
  EXPECT_EQ(resourceBack.res.pitch2D.devPtr, memory);
  EXPECT_EQ(resourceBack.res.pitch2D.desc.f, cudaChannelFormatKindFloat);
  EXPECT_EQ(resourceBack.res.pitch2D.pitchInBytes, 64u);
  ASSERT_EQ(cudaGetTextureObjectTextureDesc(&descBack, texture), 0);
  EXPECT_EQ(descBack.addressMode[1], CU_TR_ADDRESS_MODE_BORDER);
  EXPECT_EQ(descBack.filterMode, CU_TR_FILTER_MODE_LINEAR);
  EXPECT_EQ(descBack.readMode, cudaReadModeElementType);
  EXPECT_EQ(descBack.normalizedCoords, 1);
  EXPECT_EQ(descBack.sRGB, 1);
  EXPECT_EQ(descBack.disableTrilinearOptimization, 1);
  EXPECT_EQ(descBack.seamlessCubemap, 0);
  EXPECT_EQ(descBack.maxAnisotropy, 4u);
  EXPECT_EQ(descBack.borderColor[2], 0.5f);
  EXPECT_EQ(descBack.mipmapLevelBias, 1.5f);
  CUDA_RESOURCE_VIEW_DESC view;
  EXPECT_EQ(cudaGetTextureObjectResourceViewDesc(&view, texture), 1);
  EXPECT_EQ(cudaDestroyTextureObject(texture), 0);
  EXPECT_EQ(cudaDestroyTextureObject(texture), 1);
  EXPECT_EQ(cudaGetTextureObjectResourceDesc(&resourceBack, texture), 1);
}

TEST_F(RuntimeArrays, ReadModesAreChecked) {
  auto make = [](const cudaChannelFormatDesc &format, int readMode,
                 CUfilter_mode filter) {
    CUtexObject texture;
    cudaResourceDesc resource{};
    resource.resType = CU_RESOURCE_TYPE_ARRAY;
    resource.res.array.array = makeArray(format, 4, 4);
    cudaTextureDesc desc{};
    desc.readMode = readMode;
    desc.filterMode = filter;
    int error = cudaCreateTextureObject(&texture, &resource, &desc, nullptr);
    return error ? error : int(cudaDestroyTextureObject(texture));
  };
  constexpr auto point = CU_TR_FILTER_MODE_POINT;
  constexpr auto linear = CU_TR_FILTER_MODE_LINEAR;
  EXPECT_EQ(make(kByte, cudaReadModeNormalizedFloat, linear), 0);
  EXPECT_EQ(make(kByte, cudaReadModeElementType, point), 0);
  EXPECT_EQ(make(kFloat, cudaReadModeElementType, linear), 0);
  EXPECT_EQ(make(kInt4, cudaReadModeElementType, point), 0);
  // cudaErrorInvalidFilterSetting, cudaErrorInvalidNormSetting
  EXPECT_EQ(make(kByte, cudaReadModeElementType, linear), 26);
  EXPECT_EQ(make(kInt4, cudaReadModeElementType, linear), 26);
  EXPECT_EQ(make(kInt4, cudaReadModeNormalizedFloat, point), 27);
  EXPECT_EQ(make(kByte, 2, point), 1);
}

TEST_F(RuntimeArrays, SurfacesAreReadBack) {
  cudaResourceDesc resource{}, back;
  CUsurfObject surface;
  resource.resType = CU_RESOURCE_TYPE_ARRAY;
  resource.res.array.array = nullptr;
  EXPECT_EQ(cudaCreateSurfaceObject(&surface, &resource), 1);
  resource.res.array.array = makeArray(kByte, 4, 4, CUDA_ARRAY3D_SURFACE_LDST);
  ASSERT_EQ(cudaCreateSurfaceObject(&surface, &resource), 0);
  ASSERT_EQ(cudaGetSurfaceObjectResourceDesc(&back, surface), 0);
  EXPECT_EQ(back.res.array.array, resource.res.array.array);
  EXPECT_EQ(cudaDestroySurfaceObject(surface), 0);
  EXPECT_EQ(cudaDestroySurfaceObject(surface), 1);
  EXPECT_EQ(cudaCreateSurfaceObject(&surface, nullptr), 1);
}

} // namespace
