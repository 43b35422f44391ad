//===- TextureTable.h - the textures that handles refer to ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_RUNTIME_TEXTURETABLE_H
#define PTXJIT_RUNTIME_TEXTURETABLE_H

#include "ptxjit/Runtime/Texture.h"

namespace ptxjit {

/// Copies a texture or surface to a slot. The slot's address, which is the
/// handle, lies below 4 GiB, so that modules of `.address_size 32` can hold it.
/// \returns 0 if there is no memory.
uint64_t createTexture(const PtxjitTexture &texture);

/// Ends a handle. Its slot stays mapped, with the kind PTXJIT_OPAQUE_NONE, and
/// is the last one to be used again: a kernel that still has the handle sees
/// that the texture is gone.
/// \returns false unless the handle is alive.
bool destroyTexture(uint64_t handle);

/// The texture of a handle; null unless it is alive. For calls of programs:
/// kernels read slots without asking.
PtxjitTexture *findTexture(uint64_t handle);

} // namespace ptxjit

#endif
