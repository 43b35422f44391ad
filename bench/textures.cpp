//===- textures.cpp - reads of textures against C++ -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each thread reads one texel, or one mixture of four, of an image that is
// turned by an angle. The native code does the same in float, by a loop over
// rows with OpenMP. Prints a table.
//
//===----------------------------------------------------------------------===//

#include "Measure.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

using bench::check;

static constexpr int kEdge = 1024; ///< texels, and threads, of a side
static constexpr float kCos = 0.9f, kSin = 0.4f;

/// `READ` is replaced by the instruction.
static const char *const kKernel = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry turn(.param .u64 texture, .param .u64 out)
{
  .reg .b64 %texture, %out; .reg .b32 %x, %y, %n, %i;
  .reg .f32 %u, %v, %s, %t, %w, %d<4>;
  ld.param.u64 %texture, [texture];
  ld.param.u64 %out, [out];
  mov.u32 %x, %ctaid.x; mov.u32 %n, %ntid.x; mov.u32 %i, %tid.x;
  mad.lo.u32 %x, %x, %n, %i;
  mov.u32 %y, %ctaid.y; mov.u32 %n, %ntid.y; mov.u32 %i, %tid.y;
  mad.lo.u32 %y, %y, %n, %i;
  cvt.rn.f32.u32 %u, %x;
  cvt.rn.f32.u32 %v, %y;
  mul.f32 %s, %u, 0f3f666666;
  fma.rn.f32 %s, %v, 0fbecccccd, %s;
  mul.f32 %t, %u, 0f3ecccccd;
  fma.rn.f32 %t, %v, 0f3f666666, %t;
  READ
  mad.lo.u32 %i, %y, 1024, %x;
  mad.wide.u32 %out, %i, 4, %out;
  st.global.f32 [%out], %w;
  ret;
}
)";

/// The best time of some calls of f(), in nanoseconds a read.
template <typename F> static double timeReads(F f) {
  return bench::findBestTime(15, f) / (kEdge * kEdge);
}

//===----------------------------------------------------------------------===//
// Native code
//===----------------------------------------------------------------------===//

template <typename T> static float readAt(const T *image, int x, int y) {
  x = std::clamp(x, 0, kEdge - 1);
  y = std::clamp(y, 0, kEdge - 1);
  return float(image[y * kEdge + x]);
}

template <typename T, bool isLinear>
static void turnByHost(const T *image, float *out, float scale) {
#pragma omp parallel for
  for (int y = 0; y < kEdge; ++y)
    for (int x = 0; x < kEdge; ++x) {
      float u = float(x) * kCos - float(y) * kSin;
      float v = float(x) * kSin + float(y) * kCos;
      float value;
      if constexpr (isLinear) {
        float s = std::floor(u - 0.5f), t = std::floor(v - 0.5f);
        float a = u - 0.5f - s, b = v - 0.5f - t;
        int i = int(s), j = int(t);
        float above =
            readAt(image, i, j) * (1 - a) + readAt(image, i + 1, j) * a;
        float below =
            readAt(image, i, j + 1) * (1 - a) + readAt(image, i + 1, j + 1) * a;
        value = above * (1 - b) + below * b;
      } else {
        value = readAt(image, int(std::floor(u)), int(std::floor(v)));
      }
      out[y * kEdge + x] = value * scale;
    }
}

//===----------------------------------------------------------------------===//
// Textures
//===----------------------------------------------------------------------===//

static CUarray makeArray(CUarray_format format, const void *texels,
                         size_t rowBytes) {
  CUarray array;
  CUDA_ARRAY_DESCRIPTOR desc{kEdge, kEdge, format, 1};
  check(cuArrayCreate_v2(&array, &desc), "cuArrayCreate");
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = texels;
  copy.srcPitch = rowBytes;
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.dstArray = array;
  copy.WidthInBytes = rowBytes;
  copy.Height = kEdge;
  check(cuMemcpy2D_v2(&copy), "cuMemcpy2D");
  return array;
}

static double timeTexture(CUarray array, bool isLinear, const char *read) {
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_ARRAY;
  resource.res.array.hArray = array;
  CUDA_TEXTURE_DESC desc{};
  for (CUaddress_mode &mode : desc.addressMode)
    mode = CU_TR_ADDRESS_MODE_CLAMP;
  desc.filterMode =
      isLinear ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT;
  CUtexObject texture;
  check(cuTexObjectCreate(&texture, &resource, &desc, nullptr),
        "cuTexObjectCreate");
  std::string text = kKernel;
  text.replace(text.find("READ"), 4, read);
  CUmodule module;
  CUfunction function;
  CUdeviceptr out;
  check(cuModuleLoadData(&module, text.c_str()), "cuModuleLoadData");
  check(cuModuleGetFunction(&function, module, "turn"), "cuModuleGetFunction");
  check(cuMemAlloc_v2(&out, kEdge * kEdge * 4), "cuMemAlloc");
  void *params[] = {&texture, &out};
  double time = timeReads([&] {
    check(cuLaunchKernel(function, kEdge / 32, kEdge / 8, 1, 32, 8, 1, 0,
                         nullptr, params, nullptr),
          "cuLaunchKernel");
    check(cuCtxSynchronize(), "cuCtxSynchronize");
  });
  check(cuTexObjectDestroy(texture), "cuTexObjectDestroy");
  check(cuMemFree_v2(out), "cuMemFree");
  check(cuModuleUnload(module), "cuModuleUnload");
  return time;
}

template <typename T>
static void measure(const char *name, CUarray_format format, float scale) {
  std::vector<T> image(kEdge * kEdge);
  std::vector<float> out(kEdge * kEdge);
  for (size_t i = 0; i < image.size(); ++i)
    image[i] = T(i * 2654435761u >> 24);
  CUarray array = makeArray(format, image.data(), kEdge * sizeof(T));
  const char *read =
      "tex.2d.v4.f32.f32 {%w, %d1, %d2, %d3}, [%texture, {%s, %t}];";
  for (bool isLinear : {false, true}) {
    double ours = timeTexture(array, isLinear, read);
    double native = timeReads([&] {
      if (isLinear)
        turnByHost<T, true>(image.data(), out.data(), scale);
      else
        turnByHost<T, false>(image.data(), out.data(), scale);
    });
    std::printf("| %s | %s | %.2f ns | %.2f ns | %.1f |\n", name,
                isLinear ? "linear" : "nearest", ours, native, ours / native);
  }
  check(cuArrayDestroy(array), "cuArrayDestroy");
}

int main() {
  CUcontext context;
  check(cuInit(0), "cuInit");
  check(cuCtxCreate_v2(&context, 0, 0), "cuCtxCreate");
  std::printf("| texels | filter | ours | native | ratio |\n"
              "|---|---|---:|---:|---:|\n");
  measure<float>("f32", CU_AD_FORMAT_FLOAT, 1);
  measure<uint8_t>("u8 as fractions", CU_AD_FORMAT_UNSIGNED_INT8, 1 / 255.0f);
  return 0;
}
