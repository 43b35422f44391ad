//===- TextureReferences.cpp - references to textures and surfaces --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A reference owns a slot of Runtime/TextureTable.h, which its variable points
// to, and which each call fills anew. CUDA 13 declares these functions no more,
// but its driver still has them.
//
//===----------------------------------------------------------------------===//

#include "Textures.h"

#include "ptxjit/Runtime/TextureTable.h"

#include <algorithm>

using namespace ptxjit;
using namespace ptxjit::cuda;

namespace {
/// What a program has set.
struct Settings {
  std::optional<CUDA_RESOURCE_DESC> resource; ///< what is bound
  CUDA_TEXTURE_DESC desc{};
  CUarray_format format = CU_AD_FORMAT_FLOAT; ///< of linear memory
  unsigned channels = 1;

  Settings() {
    std::fill_n(desc.addressMode, 3, CU_TR_ADDRESS_MODE_CLAMP);
    desc.maxAnisotropy = 1;
  }
  bool binds(int type) const { return resource && resource->resType == type; }
};
} // namespace

struct cuda::TextureReference {
  Context *context = nullptr; ///< null: of a library
  bool isSurface = false;
  PtxjitOpaque *variable = nullptr; ///< null: made by cuTexRefCreate
  uint64_t slot = 0;
  Settings settings;

  ~TextureReference() {
    if (variable)
      variable->bound = 0;
    destroyTexture(slot);
  }
};

//===----------------------------------------------------------------------===//
// References
//===----------------------------------------------------------------------===//

/// Makes a reference that nothing is bound to. Null if there is no memory.
static TextureReference *makeReference(Context *context, bool isSurface,
                                       PtxjitOpaque *variable) {
  PtxjitTexture nothing{};
  nothing.kind = isSurface ? PTXJIT_OPAQUE_SURFACE : PTXJIT_OPAQUE_TEXTURE;
  auto reference = std::make_unique<TextureReference>();
  reference->context = context;
  reference->isSurface = isSurface;
  reference->slot = createTexture(nothing);
  if (!reference->slot)
    return nullptr;
  reference->variable = variable;
  if (variable)
    variable->bound = reference->slot;
  return getState().references.add(std::move(reference));
}

/// The variable of a reference, which its kind tells from other variables; null
/// if there is none.
static PtxjitOpaque *findVariable(ptxjit::LoadedModule &code, const char *name,
                                  bool isSurface) {
  uint64_t address = code.resolve(name);
  size_t bytes = 0;
  code.forEachVariable([&](uint64_t at, size_t size) {
    if (at == address)
      bytes = size;
  });
  if (!address || bytes < sizeof(PtxjitOpaque))
    return nullptr;
  auto *variable = reinterpret_cast<PtxjitOpaque *>(address);
  uint64_t kind = isSurface ? PTXJIT_OPAQUE_SURFREF : PTXJIT_OPAQUE_TEXREF;
  return variable->kind == kind ? variable : nullptr;
}

CUresult cuda::getReference(Module &module, const char *name, bool isSurface,
                            TextureReference *&reference) {
  static auto *mutex = new std::mutex; // of the references of all modules
  std::lock_guard<std::mutex> lock(*mutex);
  CUdevice device = module.context ? module.context->device : currentDevice();
  auto it = module.references.find({name, device});
  if (it != module.references.end()) {
    reference = it->second;
    return reference->isSurface == isSurface ? CUDA_SUCCESS
                                             : CUDA_ERROR_NOT_FOUND;
  }
  PtxjitOpaque *variable =
      findVariable(*module.code->on(device), name, isSurface);
  if (!variable)
    return CUDA_ERROR_NOT_FOUND;
  reference = makeReference(module.context, isSurface, variable);
  if (!reference)
    return CUDA_ERROR_OUT_OF_MEMORY;
  module.references.emplace(std::pair(name, device), reference);
  return CUDA_SUCCESS;
}

void cuda::destroyReference(TextureReference *reference) {
  getState().references.remove(reference);
}
void cuda::destroyReferencesOf(Context &context) {
  getState().references.removeIf([&](TextureReference &reference) {
    return reference.context == &context;
  });
}

/// Finds a reference and calls enterOwner().
static CUresult enterReference(const void *handle, bool isSurface,
                               TextureReference *&reference) {
  Context *context;
  if (!getState().initialized)
    return CUDA_ERROR_NOT_INITIALIZED;
  if (!getState().references.contains(handle))
    return CUDA_ERROR_INVALID_VALUE;
  reference = static_cast<TextureReference *>(const_cast<void *>(handle));
  if (reference->isSurface != isSurface)
    return CUDA_ERROR_INVALID_VALUE;
  return enterOwner(reference->context, context);
}

PTXJIT_CUDA_API(cuTexRefCreate, (CUtexref * out), out) {
  Context *context;
  if (CUresult error = enter(context))
    return error;
  if (!out)
    return CUDA_ERROR_INVALID_VALUE;
  auto *reference = makeReference(context, false, nullptr);
  if (!reference)
    return CUDA_ERROR_OUT_OF_MEMORY;
  *out = reinterpret_cast<CUtexref>(reference);
  return CUDA_SUCCESS;
}
PTXJIT_CUDA_API(cuTexRefDestroy, (CUtexref handle), handle) {
  TextureReference *reference;
  if (CUresult error = enterReference(handle, false, reference))
    return error;
  if (reference->variable) // goes with its module
    return CUDA_ERROR_INVALID_VALUE;
  destroyReference(reference);
  return CUDA_SUCCESS;
}

/// Was for launches before CUDA 4.0. A kernel uses its module's references, so
/// there is nothing to do.
PTXJIT_CUDA_API(cuParamSetTexRef,
                (CUfunction handle, int unit, CUtexref textureHandle), handle,
                unit, textureHandle) {
  Function *function;
  TextureReference *reference;
  if (CUresult error = findFunction(handle, function))
    return error;
  if (CUresult error = enterReference(textureHandle, false, reference))
    return error;
  return unit == CU_PARAM_TR_DEFAULT ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

//===----------------------------------------------------------------------===//
// Settings
//===----------------------------------------------------------------------===//

/// Fills the slot of a reference. Launches before this call must not see it, so
/// it waits for them.
static void fill(TextureReference &reference, const PtxjitTexture &texture) {
  Context *user = reference.context ? reference.context : currentContext();
  if (user)
    (void)awaitUsers(*user); // failed kernels have ended, too
  if (PtxjitTexture *slot = findTexture(reference.slot))
    *slot = texture;
}

static CUresult apply(TextureReference &reference, const Settings &settings) {
  PtxjitTexture texture{};
  texture.kind = PTXJIT_OPAQUE_TEXTURE;
  if (settings.resource) {
    const CUDA_RESOURCE_DESC &resource = *settings.resource;
    if (CUresult error = describeImage(resource, nullptr, texture))
      return error;
    if (CUresult error = describeReads(resource, settings.desc, texture))
      return error;
    fill(reference, texture);
  }
  reference.settings = settings;
  return CUDA_SUCCESS;
}

/// Calls `change(settings)`, and applies what it has made of them.
template <typename Change>
static CUresult changeSettings(CUtexref handle, Change change) {
  TextureReference *reference;
  if (CUresult error = enterReference(handle, false, reference))
    return error;
  Settings settings = reference->settings;
  if (CUresult error = change(settings))
    return error;
  return apply(*reference, settings);
}
/// Sets a value that may be anything.
template <typename T, typename Member>
static CUresult setValue(CUtexref handle, T value, Member member) {
  return changeSettings(handle, [&](Settings &settings) {
    settings.desc.*member = value;
    return CUDA_SUCCESS;
  });
}

static bool isFilter(CUfilter_mode mode) {
  return mode == CU_TR_FILTER_MODE_POINT || mode == CU_TR_FILTER_MODE_LINEAR;
}

PTXJIT_CUDA_API(cuTexRefSetArray,
                (CUtexref handle, CUarray array, unsigned flags), handle, array,
                flags) {
  if (flags != CU_TRSA_OVERRIDE_FORMAT)
    return CUDA_ERROR_INVALID_VALUE;
  return changeSettings(handle, [&](Settings &settings) {
    settings.resource = CUDA_RESOURCE_DESC{};
    settings.resource->resType = CU_RESOURCE_TYPE_ARRAY;
    settings.resource->res.array.hArray = array;
    return CUDA_SUCCESS;
  });
}
PTXJIT_CUDA_API(cuTexRefSetMipmappedArray,
                (CUtexref handle, CUmipmappedArray array, unsigned flags),
                handle, array, flags) {
  if (flags != CU_TRSA_OVERRIDE_FORMAT)
    return CUDA_ERROR_INVALID_VALUE;
  return changeSettings(handle, [&](Settings &settings) {
    settings.resource = CUDA_RESOURCE_DESC{};
    settings.resource->resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
    settings.resource->res.mipmap.hMipmappedArray = array;
    return CUDA_SUCCESS;
  });
}

/// Memory needs no alignment but that of its elements, so there is never an
/// offset for kernels to add.
PTXJIT_CUDA_API(cuTexRefSetAddress_v2,
                (size_t *offset, CUtexref handle, CUdeviceptr address,
                 size_t bytes),
                offset, handle, address, bytes) {
  CUresult result = changeSettings(handle, [&](Settings &settings) {
    TexelFormat texel;
    if (CUresult error = findFormat(settings.format, settings.channels, texel))
      return error;
    if (address % texel.bytes())
      return CUDA_ERROR_INVALID_VALUE;
    settings.resource = CUDA_RESOURCE_DESC{};
    settings.resource->resType = CU_RESOURCE_TYPE_LINEAR;
    settings.resource->res.linear = {address, settings.format,
                                     settings.channels, bytes};
    return CUDA_SUCCESS;
  });
  if (!result && offset)
    *offset = 0;
  return result;
}

PTXJIT_CUDA_API(cuTexRefSetAddress2D_v3,
                (CUtexref handle, const CUDA_ARRAY_DESCRIPTOR *desc,
                 CUdeviceptr address, size_t pitch),
                handle, desc, address, pitch) {
  if (!desc)
    return CUDA_ERROR_INVALID_VALUE;
  return changeSettings(handle, [&](Settings &settings) {
    settings.format = desc->Format;
    settings.channels = desc->NumChannels;
    settings.resource = CUDA_RESOURCE_DESC{};
    settings.resource->resType = CU_RESOURCE_TYPE_PITCH2D;
    settings.resource->res.pitch2D = {address,           desc->Format,
                                      desc->NumChannels, desc->Width,
                                      desc->Height,      pitch};
    return CUDA_SUCCESS;
  });
}
PTXJIT_CUDA_API(cuTexRefSetAddress2D_v2,
                (CUtexref handle, const CUDA_ARRAY_DESCRIPTOR *desc,
                 CUdeviceptr address, size_t pitch),
                handle, desc, address, pitch) {
  return cuTexRefSetAddress2D_v3(handle, desc, address, pitch);
}

PTXJIT_CUDA_API(cuTexRefSetFormat,
                (CUtexref handle, CUarray_format format, int channels), handle,
                format, channels) {
  TexelFormat texel;
  if (CUresult error = findFormat(format, unsigned(channels), texel))
    return error;
  return changeSettings(handle, [&](Settings &settings) {
    settings.format = format;
    settings.channels = unsigned(channels);
    if (settings.binds(CU_RESOURCE_TYPE_LINEAR)) {
      settings.resource->res.linear.format = format;
      settings.resource->res.linear.numChannels = unsigned(channels);
    }
    return CUDA_SUCCESS;
  });
}
PTXJIT_CUDA_API(cuTexRefSetAddressMode,
                (CUtexref handle, int dimension, CUaddress_mode mode), handle,
                dimension, mode) {
  if (dimension < 0 || dimension > 2 || mode < CU_TR_ADDRESS_MODE_WRAP ||
      mode > CU_TR_ADDRESS_MODE_BORDER)
    return CUDA_ERROR_INVALID_VALUE;
  return changeSettings(handle, [&](Settings &settings) {
    settings.desc.addressMode[dimension] = mode;
    return CUDA_SUCCESS;
  });
}
PTXJIT_CUDA_API(cuTexRefSetFilterMode, (CUtexref handle, CUfilter_mode mode),
                handle, mode) {
  return isFilter(mode) ? setValue(handle, mode, &CUDA_TEXTURE_DESC::filterMode)
                        : CUDA_ERROR_INVALID_VALUE;
}
PTXJIT_CUDA_API(cuTexRefSetMipmapFilterMode,
                (CUtexref handle, CUfilter_mode mode), handle, mode) {
  return isFilter(mode)
             ? setValue(handle, mode, &CUDA_TEXTURE_DESC::mipmapFilterMode)
             : CUDA_ERROR_INVALID_VALUE;
}
PTXJIT_CUDA_API(cuTexRefSetMipmapLevelBias, (CUtexref handle, float bias),
                handle, bias) {
  return setValue(handle, bias, &CUDA_TEXTURE_DESC::mipmapLevelBias);
}
PTXJIT_CUDA_API(cuTexRefSetMipmapLevelClamp,
                (CUtexref handle, float least, float most), handle, least,
                most) {
  return changeSettings(handle, [&](Settings &settings) {
    settings.desc.minMipmapLevelClamp = least;
    settings.desc.maxMipmapLevelClamp = most;
    return CUDA_SUCCESS;
  });
}
PTXJIT_CUDA_API(cuTexRefSetMaxAnisotropy, (CUtexref handle, unsigned most),
                handle, most) {
  return setValue(handle, most, &CUDA_TEXTURE_DESC::maxAnisotropy);
}
PTXJIT_CUDA_API(cuTexRefSetBorderColor, (CUtexref handle, float *color), handle,
                color) {
  if (!color)
    return CUDA_ERROR_INVALID_VALUE;
  return changeSettings(handle, [&](Settings &settings) {
    std::copy(color, color + 4, settings.desc.borderColor);
    return CUDA_SUCCESS;
  });
}
PTXJIT_CUDA_API(cuTexRefSetFlags, (CUtexref handle, unsigned flags), handle,
                flags) {
  constexpr unsigned kFlags = CU_TRSF_READ_AS_INTEGER |
                              CU_TRSF_NORMALIZED_COORDINATES | CU_TRSF_SRGB |
                              CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION;
  return flags & ~kFlags ? CUDA_ERROR_INVALID_VALUE
                         : setValue(handle, flags, &CUDA_TEXTURE_DESC::flags);
}

//===----------------------------------------------------------------------===//
// What was set
//===----------------------------------------------------------------------===//

/// Calls `read(settings)`, which may find that there is nothing to read.
/// \param out  where the value goes; null is an error.
template <typename Read>
static CUresult readSettings(CUtexref handle, const void *out, Read read) {
  TextureReference *reference;
  if (CUresult error = enterReference(handle, false, reference))
    return error;
  if (!out)
    return CUDA_ERROR_INVALID_VALUE;
  return read(reference->settings) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
template <typename T, typename Member>
static CUresult getValue(T *out, CUtexref handle, Member member) {
  return readSettings(handle, out, [&](const Settings &settings) {
    *out = T(settings.desc.*member);
    return true;
  });
}

PTXJIT_CUDA_API(cuTexRefGetAddress_v2, (CUdeviceptr * address, CUtexref handle),
                address, handle) {
  return readSettings(handle, address, [&](const Settings &settings) {
    if (settings.binds(CU_RESOURCE_TYPE_LINEAR))
      *address = settings.resource->res.linear.devPtr;
    else if (settings.binds(CU_RESOURCE_TYPE_PITCH2D))
      *address = settings.resource->res.pitch2D.devPtr;
    else
      return false;
    return true;
  });
}
PTXJIT_CUDA_API(cuTexRefGetArray, (CUarray * array, CUtexref handle), array,
                handle) {
  return readSettings(handle, array, [&](const Settings &settings) {
    bool isBound = settings.binds(CU_RESOURCE_TYPE_ARRAY);
    if (isBound)
      *array = settings.resource->res.array.hArray;
    return isBound;
  });
}
PTXJIT_CUDA_API(cuTexRefGetMipmappedArray,
                (CUmipmappedArray * array, CUtexref handle), array, handle) {
  return readSettings(handle, array, [&](const Settings &settings) {
    bool isBound = settings.binds(CU_RESOURCE_TYPE_MIPMAPPED_ARRAY);
    if (isBound)
      *array = settings.resource->res.mipmap.hMipmappedArray;
    return isBound;
  });
}

/// Finds the format of the array that is bound. False if none is, or if it is
/// gone.
static bool findBoundFormat(const Settings &settings, CUarray_format &format,
                            unsigned &channels) {
  std::shared_ptr<const Image> image;
  if (settings.binds(CU_RESOURCE_TYPE_ARRAY)) {
    if (const Array *array = findArray(settings.resource->res.array.hArray))
      image = array->image;
  } else if (settings.binds(CU_RESOURCE_TYPE_MIPMAPPED_ARRAY)) {
    if (const MipmappedArray *array =
            findMipmappedArray(settings.resource->res.mipmap.hMipmappedArray))
      image = array->image;
  }
  if (!image)
    return false;
  format = image->desc.Format;
  channels = image->desc.NumChannels;
  return true;
}

PTXJIT_CUDA_API(cuTexRefGetFormat,
                (CUarray_format * format, int *channels, CUtexref handle),
                format, channels, handle) {
  return readSettings(handle, handle, [&](const Settings &settings) {
    CUarray_format found = settings.format;
    unsigned count = settings.channels;
    findBoundFormat(settings, found, count);
    if (format)
      *format = found;
    if (channels)
      *channels = int(count);
    return true;
  });
}
PTXJIT_CUDA_API(cuTexRefGetAddressMode,
                (CUaddress_mode * mode, CUtexref handle, int dimension), mode,
                handle, dimension) {
  return readSettings(handle, mode, [&](const Settings &settings) {
    bool exists = dimension >= 0 && dimension <= 2;
    if (exists)
      *mode = settings.desc.addressMode[dimension];
    return exists;
  });
}
PTXJIT_CUDA_API(cuTexRefGetFilterMode, (CUfilter_mode * mode, CUtexref handle),
                mode, handle) {
  return getValue(mode, handle, &CUDA_TEXTURE_DESC::filterMode);
}
PTXJIT_CUDA_API(cuTexRefGetMipmapFilterMode,
                (CUfilter_mode * mode, CUtexref handle), mode, handle) {
  return getValue(mode, handle, &CUDA_TEXTURE_DESC::mipmapFilterMode);
}
PTXJIT_CUDA_API(cuTexRefGetMipmapLevelBias, (float *bias, CUtexref handle),
                bias, handle) {
  return getValue(bias, handle, &CUDA_TEXTURE_DESC::mipmapLevelBias);
}
PTXJIT_CUDA_API(cuTexRefGetMipmapLevelClamp,
                (float *least, float *most, CUtexref handle), least, most,
                handle) {
  if (CUresult error =
          getValue(least, handle, &CUDA_TEXTURE_DESC::minMipmapLevelClamp))
    return error;
  return getValue(most, handle, &CUDA_TEXTURE_DESC::maxMipmapLevelClamp);
}
PTXJIT_CUDA_API(cuTexRefGetMaxAnisotropy, (int *most, CUtexref handle), most,
                handle) {
  return getValue(most, handle, &CUDA_TEXTURE_DESC::maxAnisotropy);
}
PTXJIT_CUDA_API(cuTexRefGetBorderColor, (float *color, CUtexref handle), color,
                handle) {
  return readSettings(handle, color, [&](const Settings &settings) {
    std::copy(settings.desc.borderColor, settings.desc.borderColor + 4, color);
    return true;
  });
}
PTXJIT_CUDA_API(cuTexRefGetFlags, (unsigned *flags, CUtexref handle), flags,
                handle) {
  return getValue(flags, handle, &CUDA_TEXTURE_DESC::flags);
}

//===----------------------------------------------------------------------===//
// Surfaces
//===----------------------------------------------------------------------===//

PTXJIT_CUDA_API(cuSurfRefSetArray,
                (CUsurfref handle, CUarray array, unsigned flags), handle,
                array, flags) {
  TextureReference *reference;
  PtxjitTexture surface;
  if (CUresult error = enterReference(handle, true, reference))
    return error;
  if (flags)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = describeSurface(array, surface))
    return error;
  // Objects do without the flag.
  if (!(findArray(array)->image->desc.Flags & CUDA_ARRAY3D_SURFACE_LDST))
    return CUDA_ERROR_INVALID_VALUE;
  fill(*reference, surface);
  reference->settings.resource = CUDA_RESOURCE_DESC{};
  reference->settings.resource->resType = CU_RESOURCE_TYPE_ARRAY;
  reference->settings.resource->res.array.hArray = array;
  return CUDA_SUCCESS;
}
PTXJIT_CUDA_API(cuSurfRefGetArray, (CUarray * array, CUsurfref handle), array,
                handle) {
  TextureReference *reference;
  if (CUresult error = enterReference(handle, true, reference))
    return error;
  if (!array || !reference->settings.resource)
    return CUDA_ERROR_INVALID_VALUE;
  *array = reference->settings.resource->res.array.hArray;
  return CUDA_SUCCESS;
}
