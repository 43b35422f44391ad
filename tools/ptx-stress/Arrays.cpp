//===- Arrays.cpp - arrays and textures -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Client.h"

using namespace stress;

// An array has all words of a buffer.
static constexpr unsigned kWidth = 32, kHeight = kWords / kWidth;
static constexpr size_t kRowBytes = kWidth * sizeof(unsigned);

static CUarray makeArray() {
  CUarray array = nullptr;
  CUDA_ARRAY_DESCRIPTOR description{kWidth, kHeight,
                                    CU_AD_FORMAT_UNSIGNED_INT32, 1};
  STRESS_OK(cuArrayCreate_v2(&array, &description));
  return array;
}

static CUDA_MEMCPY2D describeCopy() {
  CUDA_MEMCPY2D copy{};
  copy.srcPitch = copy.dstPitch = copy.WidthInBytes = kRowBytes;
  copy.Height = kHeight;
  return copy;
}

static void fillArray(CUarray array, const Buffer &from, CUstream stream) {
  CUDA_MEMCPY2D copy = describeCopy();
  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = from.memory;
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.dstArray = array;
  STRESS_OK(cuMemcpy2DAsync_v2(&copy, stream));
}

static void readArray(CUarray array, const Buffer &to, CUstream stream) {
  CUDA_MEMCPY2D copy = describeCopy();
  copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.srcArray = array;
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = to.memory;
  STRESS_OK(cuMemcpy2DAsync_v2(&copy, stream));
}

void stress::copyThroughArray(Client &client) {
  Buffer *from = client.pickBuffer(), *to = client.pickBuffer();
  if (!from)
    return;
  client.use(to->stream);
  CUarray array = makeArray();
  client.copyInOrder(*from, *to, [&](CUstream stream) {
    fillArray(array, *from, stream);
    readArray(array, *to, stream);
  });
  client.use(to->stream);
  STRESS_OK(cuStreamSynchronize(to->stream.handle));
  STRESS_OK(cuArrayDestroy(array));
}

void stress::readTexture(Client &client) {
  Buffer *from = client.pickBuffer(), *to = client.pickBuffer();
  if (!from)
    return;
  client.use(to->stream);
  CUarray array = makeArray();
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_ARRAY;
  resource.res.array.hArray = array;
  CUDA_TEXTURE_DESC description{};
  description.flags = CU_TRSF_READ_AS_INTEGER;
  CUtexObject texture = 0;
  STRESS_OK(cuTexObjectCreate(&texture, &resource, &description, nullptr));
  client.copyInOrder(*from, *to, [&](CUstream stream) {
    fillArray(array, *from, stream);
    client.launch(Kernel::texels, 4, 128, to->stream, {&to->memory, &texture});
  });
  client.use(to->stream);
  STRESS_OK(cuStreamSynchronize(to->stream.handle));
  STRESS_OK(cuTexObjectDestroy(texture));
  STRESS_OK(cuArrayDestroy(array));
}

/// Writes a level, and reads it again.
void stress::makeMipmaps(Client &client) {
  client.world.makeCurrent(client.pick(client.world.options.devices));
  CUDA_ARRAY3D_DESCRIPTOR description{
      kWidth, kHeight, 0, CU_AD_FORMAT_UNSIGNED_INT32, 1, 0};
  CUmipmappedArray mipmaps = nullptr;
  CUarray level = nullptr;
  STRESS_OK(cuMipmappedArrayCreate(&mipmaps, &description, 3));
  STRESS_OK(cuMipmappedArrayGetLevel(&level, mipmaps, 1));
  std::vector<unsigned> words(kWidth / 2 * kHeight / 2, client.pickValue());
  std::vector<unsigned> found(words.size());
  CUDA_MEMCPY2D copy{};
  copy.srcPitch = copy.dstPitch = copy.WidthInBytes = kRowBytes / 2;
  copy.Height = kHeight / 2;
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = words.data();
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.dstArray = level;
  STRESS_OK(cuMemcpy2D_v2(&copy));
  copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.srcArray = level;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = found.data();
  STRESS_OK(cuMemcpy2D_v2(&copy));
  if (found != words)
    fail("a level of a mipmapped array has other texels");
  STRESS_OK(cuMipmappedArrayDestroy(mipmaps));
}
