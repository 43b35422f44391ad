//===- TextureAccess.cpp - textures and surfaces for kernels --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds what handles refer to. Mostly all lanes of a warp have the same
// texture; else each of the textures is accessed for its lanes.
//
//===----------------------------------------------------------------------===//

#include "TextureAccess.h"

using namespace ptxjit;

void TextureLanes::fail(PtxjitKernelStatus status, uint64_t address,
                        unsigned lane) const {
  KernelCall call = {caller.thread + int32_t(lane), caller.returnAddress};
  FaultScope::leave(LaunchStatus(status), address, call);
}

//===----------------------------------------------------------------------===//
// Handles
//===----------------------------------------------------------------------===//

/// Reads give 0, and writes are dropped, as on GPUs.
static const PtxjitTexture kNoTexture{};

static bool isTexture(uint64_t kind) {
  return kind == PTXJIT_OPAQUE_TEXTURE || kind == PTXJIT_OPAQUE_SURFACE;
}

/// What a handle that is not 0 refers to. \param call  lives in a
/// FaultScope::Reading: a bad address is the kernel's fault.
static const PtxjitOpaque &readHandle(uint64_t handle, const KernelCall &call) {
  if (handle % PTXJIT_OPAQUE_ALIGN != 0)
    FaultScope::leave(LaunchStatus(PTXJIT_KERNEL_ILLEGAL_ADDRESS), handle,
                      call);
  const auto &opaque = *reinterpret_cast<const PtxjitOpaque *>(handle);
  if (opaque.kind == PTXJIT_OPAQUE_NONE)
    FaultScope::leaveIllegal("the texture or surface has been destroyed", call);
  if (!isTexture(opaque.kind) && opaque.kind != PTXJIT_OPAQUE_TEXREF &&
      opaque.kind != PTXJIT_OPAQUE_SAMPLERREF &&
      opaque.kind != PTXJIT_OPAQUE_SURFREF)
    FaultScope::leave(LaunchStatus(PTXJIT_KERNEL_ILLEGAL_ADDRESS), handle,
                      call);
  return opaque;
}

static const PtxjitTexture &findTexture(uint64_t handle,
                                        const KernelCall &call) {
  if (!handle)
    return kNoTexture;
  const PtxjitOpaque &opaque = readHandle(handle, call);
  if (isTexture(opaque.kind))
    return reinterpret_cast<const PtxjitTexture &>(opaque);
  return opaque.bound ? *reinterpret_cast<const PtxjitTexture *>(opaque.bound)
                      : kNoTexture;
}

/// The sampler behind a handle of its own. The texture says whether coordinates
/// are fractions. ISA: "texture and surface properties".
static PtxjitSampler findSampler(uint64_t handle, const PtxjitTexture &texture,
                                 const KernelCall &call) {
  PtxjitSampler sampler = kNoTexture.sampler;
  if (handle) {
    const PtxjitOpaque &opaque = readHandle(handle, call);
    sampler = opaque.kind == PTXJIT_OPAQUE_SAMPLERREF
                  ? opaque.sampler
                  : findTexture(handle, call).sampler;
  }
  sampler.isNormalized =
      texture.sampler.isNormalized && !sampler.forcesUnnormalized;
  return sampler;
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// The lanes of `rest` that have the same handles as `lane`.
static uint32_t findSame(const PtxjitTextureAccess &access, uint32_t rest,
                         unsigned lane) {
  uint32_t same = 0;
  for (; rest; rest &= rest - 1) {
    auto other = unsigned(__builtin_ctz(rest));
    bool isSame =
        access.handles[other] == access.handles[lane] &&
        (!access.samplers || access.samplers[other] == access.samplers[lane]);
    same |= uint32_t(isSame) << other;
  }
  return same;
}

/// istypep: is the handle the address of a variable of that type? What is not
/// aligned is none.
static void testKind(const TextureLanes &lanes, uint64_t handle) {
  static constexpr PtxjitOpaqueKind kKinds[] = {
      PTXJIT_OPAQUE_TEXREF, PTXJIT_OPAQUE_SAMPLERREF, PTXJIT_OPAQUE_SURFREF};
  bool isKind = handle && handle % PTXJIT_OPAQUE_ALIGN == 0 &&
                reinterpret_cast<const PtxjitOpaque *>(handle)->kind ==
                    kKinds[lanes.access.variant];
  lanes.forEach([&](unsigned lane) {
    lanes.row(PTXJIT_TEXTURE_ROW_DATA, lane) = isKind;
  });
}

static void accessSame(const TextureLanes &lanes) {
  switch (lanes.access.action) {
  case PTXJIT_TEXTURE_SAMPLE:
    return sampleTexture(lanes);
  case PTXJIT_TEXTURE_GATHER:
    return gatherTexels(lanes);
  case PTXJIT_TEXTURE_QUERY:
    return queryTexture(lanes);
  default:
    return accessSurface(lanes);
  }
}

void ptxjit::accessTexture(const PtxjitTextureAccess &access,
                           const KernelCall &caller) {
  for (uint32_t rest = access.active; rest;) {
    auto lane = unsigned(__builtin_ctz(rest));
    uint32_t same = findSame(access, rest, lane);
    rest &= ~same;
    KernelCall call = {caller.thread + int32_t(lane), caller.returnAddress};
    FaultScope::Reading reading(call);
    uint64_t handle = access.handles[lane];
    if (access.action == PTXJIT_TEXTURE_IS_KIND) {
      testKind({access, kNoTexture, {}, same, caller}, handle);
      continue;
    }
    const PtxjitTexture &texture = findTexture(handle, call);
    PtxjitSampler sampler =
        access.samplers ? findSampler(access.samplers[lane], texture, call)
                        : texture.sampler;
    accessSame({access, texture, sampler, same, caller});
  }
}

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

/// OpenCL's numbers. ISA: "channel data type and channel order fields".
static uint32_t channelDataType(const PtxjitTexture &texture) {
  static constexpr uint32_t kIntegers[] = {0x10da, 0x10db, 0x10dc, 0x10d7,
                                           0x10d8, 0x10d9, 0x10dd, 0x10de};
  switch (texture.isFraction ? texture.type : PTXJIT_TEXEL_F32) {
  case PTXJIT_TEXEL_U8:
    return 0x10d2; // CL_UNORM_INT8
  case PTXJIT_TEXEL_U16:
    return 0x10d3;
  case PTXJIT_TEXEL_S8:
    return 0x10d0; // CL_SNORM_INT8
  case PTXJIT_TEXEL_S16:
    return 0x10d1;
  default:
    return kIntegers[texture.type];
  }
}

static uint32_t channelOrder(const PtxjitTexture &texture) {
  return texture.channels == 1   ? 0x10b0
         : texture.channels == 2 ? 0x10b2
                                 : 0x10b5;
}

/// In the order of the ISA: wrap, mirror, clamp_ogl, clamp_to_edge,
/// clamp_to_border.
static uint32_t addressModeNumber(uint8_t mode) {
  static constexpr uint32_t kNumbers[] = {0, 3, 1, 4, 2};
  return kNumbers[mode];
}

static uint32_t answerQuery(const TextureLanes &lanes, PtxjitTextureQuery query,
                            uint32_t levelNumber) {
  const PtxjitTexture &texture = lanes.texture;
  const PtxjitSampler &sampler = lanes.sampler;
  static constexpr PtxjitImageLevel kNoLevel{};
  const PtxjitImageLevel &level =
      levelNumber < texture.levels ? texture.level[levelNumber] : kNoLevel;
  bool isFlat = texture.shape <= PTXJIT_IMAGE_1D;
  switch (query) {
  case PTXJIT_QUERY_WIDTH:
    return level.width;
  case PTXJIT_QUERY_HEIGHT: // missing dimensions have no extent
    return isFlat ? 0 : level.height;
  case PTXJIT_QUERY_DEPTH: // of layered textures, CUDA tells their layers
    return texture.isLayered                  ? texture.layers
           : texture.shape == PTXJIT_IMAGE_3D ? level.depth
                                              : 0;
  case PTXJIT_QUERY_CHANNEL_DATA_TYPE:
    return texture.levels ? channelDataType(texture) : 0;
  case PTXJIT_QUERY_CHANNEL_ORDER:
    return texture.levels ? channelOrder(texture) : 0;
  case PTXJIT_QUERY_NORMALIZED_COORDS:
    return sampler.isNormalized;
  case PTXJIT_QUERY_FORCE_UNNORMALIZED_COORDS:
    return sampler.forcesUnnormalized;
  case PTXJIT_QUERY_FILTER_MODE:
    return sampler.isLinear;
  case PTXJIT_QUERY_ADDRESS_MODE_0:
  case PTXJIT_QUERY_ADDRESS_MODE_1:
  case PTXJIT_QUERY_ADDRESS_MODE_2:
    return addressModeNumber(
        sampler.addressModes[query - PTXJIT_QUERY_ADDRESS_MODE_0]);
  case PTXJIT_QUERY_ARRAY_SIZE:
    return texture.isLayered ? texture.layers : 0;
  case PTXJIT_QUERY_NUM_MIPMAP_LEVELS:
    return texture.levels > 1 ? texture.levels : 0;
  case PTXJIT_QUERY_NUM_SAMPLES:
    return texture.samples > 1 ? texture.samples : 0;
  case PTXJIT_QUERY_MEMORY_LAYOUT:
    return texture.shape == PTXJIT_IMAGE_LINEAR;
  }
  __builtin_unreachable();
}

void ptxjit::queryTexture(const TextureLanes &lanes) {
  auto query = PtxjitTextureQuery(lanes.access.variant);
  lanes.forEach([&](unsigned lane) {
    uint32_t level = lanes.has(PTXJIT_TEXTURE_AT_LEVEL)
                         ? lanes.row(PTXJIT_TEXTURE_ROW_LEVEL, lane)
                         : 0;
    lanes.row(PTXJIT_TEXTURE_ROW_DATA, lane) = answerQuery(lanes, query, level);
  });
}
