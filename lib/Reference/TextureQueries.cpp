//===- TextureQueries.cpp - properties of textures and surfaces -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NVIDIA's driver answers queries of extents only, and what it answers is what
// this file does. The other queries follow the ISA's text.
//
//===----------------------------------------------------------------------===//

#include "Cta.h"
#include "TextureImage.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;
using namespace ptxjit::reference;

/// The enumerator of OpenCL, which NVIDIA's compilers use: cl_channel_type.
static Bits channelType(const PtxjitTexture &image) {
  switch (image.type) {
  case PTXJIT_TEXEL_S8:
    return image.isFraction ? 0x10d0 : 0x10d7;
  case PTXJIT_TEXEL_S16:
    return image.isFraction ? 0x10d1 : 0x10d8;
  case PTXJIT_TEXEL_S32:
    return 0x10d9;
  case PTXJIT_TEXEL_U8:
    return image.isFraction ? 0x10d2 : 0x10da;
  case PTXJIT_TEXEL_U16:
    return image.isFraction ? 0x10d3 : 0x10db;
  case PTXJIT_TEXEL_U32:
    return 0x10dc;
  case PTXJIT_TEXEL_F16:
    return 0x10dd;
  default:
    return 0x10de;
  }
}

/// cl_channel_order: R, RG or RGBA.
static Bits channelOrder(const PtxjitTexture &image) {
  return image.channels == 1 ? 0x10b0 : image.channels == 2 ? 0x10b2 : 0x10b5;
}

/// ISA: "txq": an enumeration in the order of the text.
static Bits addressMode(uint8_t mode) {
  switch (mode) {
  case PTXJIT_ADDRESS_WRAP:
    return 0;
  case PTXJIT_ADDRESS_MIRROR:
    return 1;
  case PTXJIT_ADDRESS_CLAMP_OGL:
    return 2;
  case PTXJIT_ADDRESS_CLAMP:
    return 3;
  default:
    return 4;
  }
}

/// A property of an image. Dimensions that it has not got are 0; layers count
/// as depth.
static Bits queryImage(const PtxjitTexture &image, unsigned level,
                       TextureQuery query) {
  bool isRow =
      image.shape == PTXJIT_IMAGE_1D || image.shape == PTXJIT_IMAGE_LINEAR;
  switch (query) {
  case TextureQuery::Width:
    return image.level[level].width;
  case TextureQuery::Height:
    return isRow ? 0 : image.level[level].height;
  case TextureQuery::Depth:
    if (image.isLayered)
      return image.layers;
    return image.shape == PTXJIT_IMAGE_3D ? image.level[level].depth : 0;
  case TextureQuery::ChannelDataType:
    return channelType(image);
  case TextureQuery::ChannelOrder:
    return channelOrder(image);
  case TextureQuery::NormalizedCoords:
    return image.sampler.isNormalized;
  case TextureQuery::ArraySize:
    return image.isLayered ? image.layers : 0;
  case TextureQuery::NumMipmapLevels:
    return image.levels > 1 ? image.levels : 0;
  case TextureQuery::NumSamples:
    return image.samples > 1 ? image.samples : 0;
  case TextureQuery::MemoryLayout:
    return image.shape == PTXJIT_IMAGE_LINEAR;
  default:
    llvm_unreachable("properties of samplers are asked for elsewhere");
  }
}

/// A property of a sampler. Null if it is one of images.
static std::optional<Bits> querySampler(const PtxjitSampler &sampler,
                                        TextureQuery query) {
  switch (query) {
  case TextureQuery::ForceUnnormalizedCoords:
    return sampler.forcesUnnormalized;
  case TextureQuery::FilterMode:
    return sampler.isLinear;
  case TextureQuery::AddrMode0:
    return addressMode(sampler.addressModes[0]);
  case TextureQuery::AddrMode1:
    return addressMode(sampler.addressModes[1]);
  case TextureQuery::AddrMode2:
    return addressMode(sampler.addressModes[2]);
  default:
    return std::nullopt;
  }
}

/// Without an image of the right kind, or beyond its levels, answers are 0.
LogicalResult Cta::queryTexture(Thread &t, Operation &op,
                                const TextureAccess &access, TextureQuery query,
                                bool isSurface) {
  FailureOr<OpaqueHandle> found = findOpaque(t, op, access.handle);
  if (failed(found))
    return failure();
  bool hasImage = isSurface ? found->hasSurface() : found->hasTexture();
  int64_t level = access.level ? int32_t(get(t, access.level)) : 0;
  Bits answer = 0;
  if (std::optional<Bits> property = querySampler(found->sampler, query)) {
    if (hasImage || found->kind == PTXJIT_OPAQUE_SAMPLERREF)
      answer = *property;
  } else if (hasImage && level >= 0 && level < found->image.levels) {
    answer = queryImage(found->image, unsigned(level), query);
  }
  set(t, op.getResult(0), answer);
  return success();
}

/// Any number may be asked about.
LogicalResult Cta::isOpaque(Thread &t, IstypepOp op) {
  uint64_t address = toHost(t, get(t, op.getAccess().handle));
  uint64_t wanted =
      op.getType() == ptx::OpaqueType::Texref       ? PTXJIT_OPAQUE_TEXREF
      : op.getType() == ptx::OpaqueType::Samplerref ? PTXJIT_OPAQUE_SAMPLERREF
                                                    : PTXJIT_OPAQUE_SURFREF;
  bool isKnown = probe.isAccessible(address, sizeof(wanted)) &&
                 loadBits(address, sizeof(wanted)) == wanted;
  set(t, op->getResult(0), isKnown);
  return success();
}
