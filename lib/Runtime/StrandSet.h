//===- StrandSet.h - a set of strand numbers --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_RUNTIME_STRANDSET_H
#define PTXJIT_LIB_RUNTIME_STRANDSET_H

#include <cstdint>

namespace ptxjit {

/// A set of numbers below 1024. `summary` marks words that are not empty, so
/// that operations are as fast for 1,024 threads as for 32 warps.
class StrandSet {
public:
  bool isEmpty() const { return !summary; }
  bool contains(uint32_t i) const { return words[i / 32] >> i % 32 & 1; }
  void insert(uint32_t i) {
    words[i / 32] |= 1u << i % 32;
    summary |= 1u << i / 32;
  }
  void erase(uint32_t i) {
    words[i / 32] &= ~(1u << i % 32);
    if (!words[i / 32])
      summary &= ~(1u << i / 32);
  }
  void insertAll(const StrandSet &other) {
    for (uint32_t rest = other.summary; rest; rest &= rest - 1) {
      uint32_t w = uint32_t(__builtin_ctz(rest));
      words[w] |= other.words[w];
    }
    summary |= other.summary;
  }
  void clear() {
    for (; summary; summary &= summary - 1)
      words[__builtin_ctz(summary)] = 0;
  }
  /// The smallest member above `i`, else the smallest member. The set must not
  /// be empty.
  uint32_t nextAfter(uint32_t i) const {
    uint32_t w = i / 32;
    if (uint32_t above = words[w] & ~maskTo(i % 32))
      return w * 32 + uint32_t(__builtin_ctz(above));
    uint32_t higher = summary & ~maskTo(w);
    w = uint32_t(__builtin_ctz(higher ? higher : summary));
    return w * 32 + uint32_t(__builtin_ctz(words[w]));
  }
  /// The members from 32 * `w` on: the threads of a warp, where each thread is
  /// a strand.
  uint32_t ofWarp(uint32_t w) const { return words[w]; }
  template <typename Body> void forEach(Body body) const {
    for (uint32_t rest = summary; rest; rest &= rest - 1) {
      uint32_t w = uint32_t(__builtin_ctz(rest));
      for (uint32_t bits = words[w]; bits; bits &= bits - 1)
        body(w * 32 + uint32_t(__builtin_ctz(bits)));
    }
  }

private:
  /// Bits 0 to `i`.
  static uint32_t maskTo(uint32_t i) { return ~0u >> (31 - i); }
  uint32_t summary = 0; // in front, on one line with the first words
  uint32_t words[32] = {};
};

} // namespace ptxjit

#endif
