//===- Textures.h - what texture objects and references describe *- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_CUDADRIVER_TEXTURES_H
#define PTXJIT_LIB_CUDADRIVER_TEXTURES_H

#include "Arrays.h"

namespace ptxjit::cuda {

/// Describes the texels of a resource as a texture's; its sampler is left.
/// Refuses what cuTexObjectCreate refuses. \param view  may be null.
CUresult describeImage(const CUDA_RESOURCE_DESC &resource,
                       const CUDA_RESOURCE_VIEW_DESC *view,
                       PtxjitTexture &texture);
/// Describes how texels are read, behind describeImage(). Values that are no
/// modes are refused; combinations that CUDA does not have are replaced.
CUresult describeReads(const CUDA_RESOURCE_DESC &resource,
                       const CUDA_TEXTURE_DESC &desc, PtxjitTexture &texture);
/// Describes an array as a surface, whether or not it was made for that
/// (CUDA_ARRAY3D_SURFACE_LDST).
CUresult describeSurface(CUarray handle, PtxjitTexture &surface);

} // namespace ptxjit::cuda

#endif
