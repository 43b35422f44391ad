//===- Wgmma.h - queues of warpgroup multiplications ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What Lowering and Device share about `wgmma`. Each warp has a queue of the
// multiplications that it has issued (lib/Device/Wgmma.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_DEVICE_WGMMA_H
#define PTXJIT_DEVICE_WGMMA_H

#include <stdint.h>

namespace ptxjit::device {

/// The number of multiplications that a queue holds.
inline constexpr unsigned kWgmmaEntries = 16;
/// The size of a queue. It begins with the number of its entries, 32 bits,
/// which is 0 at the start; 8 bytes on is an address, of 64 bits (see `issue`).
/// It is aligned to 128 bytes.
inline constexpr unsigned kWgmmaQueueBytes = 128 + kWgmmaEntries * 768;

/// What an instruction says of a multiplication.
enum WgmmaFlags : uint32_t {
  kWgmmaAccumulates = 1 << 0, ///< else D = A * B
  kWgmmaNegates = 1 << 1,     ///< the product of the factors of A and B is -1
  kWgmmaAlongM = 1 << 2,      ///< layout of A: consecutive elements along m
  kWgmmaAlongN = 1 << 3,      ///< layout of B: consecutive elements along n
  kWgmmaSaturates = 1 << 4,
  kWgmmaHalfSums = 1 << 5, ///< D is f16
  /// s8 (else u8), or e5m2 (else e4m3).
  kWgmmaOtherA = 1 << 6,
  kWgmmaOtherB = 1 << 7,
  kWgmmaSparse = 1 << 8,
  kWgmmaSelector = 1 << 9, ///< bit 0 of the selector of metadata
};

} // namespace ptxjit::device

#endif
