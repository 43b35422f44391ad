//===- Blocks.h - memory that other processes can get -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of cuMemAlloc can be handed to other processes later, in whole pages.
// So it shares none with what is not the device's: small blocks lie in chunks
// of their own. Processes that get a block get its chunk, as on GPUs.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_CUDADRIVER_BLOCKS_H
#define PTXJIT_LIB_CUDADRIVER_BLOCKS_H

#include "ptxjit/Runtime/Memory.h"

#include <cstddef>

namespace ptxjit::cuda {

/// Blocks begin at multiples of this.
constexpr size_t kBlockAlignment = 512;

/// Allocates zeroed memory, like allocateDevice() of the runtime. \returns null
/// if there is none.
void *allocateBlock(size_t bytes);
void freeBlock(void *block, size_t bytes);
/// The pages that a block lies in: a chunk, or those of the block alone.
DevicePages pagesOf(const void *block, size_t bytes);
/// Does a block share its pages with others?
bool isInChunk(size_t bytes);

} // namespace ptxjit::cuda

#endif
