//===- Arrays.h - CUDA arrays -----------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_CUDADRIVER_ARRAYS_H
#define PTXJIT_LIB_CUDADRIVER_ARRAYS_H

#include "State.h"
#include "ptxjit/Runtime/Texture.h"

namespace ptxjit::cuda {

/// How an element is stored.
struct TexelFormat {
  PtxjitTexelType type = PTXJIT_TEXEL_U8;
  unsigned channels = 1;
  /// The format itself says that integers are read as fractions.
  bool isFraction = false;
  size_t bytes() const;
};

/// Finds a format. \returns CUDA_ERROR_NOT_SUPPORTED for one that CUDA has, but
/// that we do not.
CUresult findFormat(CUarray_format format, unsigned channels,
                    TexelFormat &texel);

/// The texels of an array, or those of all levels of a mipmapped array.
struct Image {
  Context *context = nullptr;
  /// As the program gave it.
  CUDA_ARRAY3D_DESCRIPTOR desc{0, 0, 0, CU_AD_FORMAT_FLOAT, 1, 0};
  TexelFormat texel;
  PtxjitImageShape shape = PTXJIT_IMAGE_1D;
  bool isLayered = false;
  std::vector<PtxjitImageLevel> levels;
  DeviceBuffer memory;
  MemoryShare share; ///< of the device's memory

  /// How many slices one has to copy for a whole level: of 3D images their
  /// depth, else layers and faces.
  size_t slices(unsigned level) const;
};

/// A CUarray: a level of an image.
struct Array {
  std::shared_ptr<const Image> image;
  unsigned level = 0;
  bool isOfMipmap = false; ///< destroyed with its mipmapped array
};

/// A CUmipmappedArray.
struct MipmappedArray {
  std::shared_ptr<const Image> image;
  std::vector<Array *> levels;
};

/// The array behind a handle; null if there is none.
const Array *findArray(CUarray handle);
const MipmappedArray *findMipmappedArray(CUmipmappedArray handle);

} // namespace ptxjit::cuda

#endif
