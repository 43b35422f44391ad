//===- TextureFlat.h - reads of flat images by whole warps ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_RUNTIME_TEXTUREFLAT_H
#define PTXJIT_LIB_RUNTIME_TEXTUREFLAT_H

#include "TextureAccess.h"

namespace ptxjit {

/// Does reads of the base level of images of one and two dimensions, as far as
/// they are of a frequent kind. \returns the lanes for which that has been
/// done.
uint32_t sampleFlat(const TextureLanes &lanes);

} // namespace ptxjit

#endif
