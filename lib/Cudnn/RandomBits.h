//===- RandomBits.h - random numbers of dropout -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_CUDNN_RANDOMBITS_H
#define PTXJIT_LIB_CUDNN_RANDOMBITS_H

#include <cstdint>

namespace ptxjit::cudnn {

/// What the program's memory for states has. Work advances the counter when it
/// runs, so that launches of a graph have other numbers.
struct RandomStates {
  uint64_t seed, counter;
};

/// The bits of a number, as SplitMix64 makes them.
inline uint64_t randomBits(uint64_t value) {
  value += 0x9e3779b97f4a7c15;
  value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
  value = (value ^ value >> 27) * 0x94d049bb133111eb;
  return value ^ value >> 31;
}

/// At least 0, below 1.
inline double randomNumber(uint64_t value) {
  return double(randomBits(value) >> 11) * 0x1p-53;
}

} // namespace ptxjit::cudnn

#endif
