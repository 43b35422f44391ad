//===- Random.h - random numbers by CUDA generators -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CPU kernels draw from CPU generators. Each call gets one whose seed comes
// from the seed and the offset of the CUDA generator, whose offset then grows.
// So torch.manual_seed and the state of CUDA generators decide the numbers.
//
//===----------------------------------------------------------------------===//

#pragma once

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>

namespace ptxjit::torch_plugin {

/// A seed of a sequence. Near seeds and steps give quite different ones.
inline uint64_t mixSeed(uint64_t seed, uint64_t step) {
  seed += step * 0x9e3779b97f4a7c15;
  // The finaliser of MurmurHash3.
  seed = (seed ^ (seed >> 33)) * 0xff51afd7ed558ccd;
  seed = (seed ^ (seed >> 33)) * 0xc4ceb9fe1a85ec53;
  return seed ^ (seed >> 33);
}

/// The seed for the next call that draws from a CUDA generator.
inline uint64_t nextSeed(at::Generator generator) {
  std::lock_guard<std::mutex> lock(generator.mutex());
  uint64_t offset = generator.get_offset();
  generator.set_offset(offset + 4); // offsets are multiples of four
  return mixSeed(generator.current_seed(), offset);
}

inline uint64_t nextSeed(c10::Device device) {
  return nextSeed(at::globalContext().defaultGenerator(device));
}

inline at::Generator makeHostGenerator(uint64_t seed) {
  return at::make_generator<at::CPUGeneratorImpl>(seed);
}

/// The CPU generator for a call that has a CUDA generator, or none.
inline at::Generator toHostGenerator(const std::optional<at::Generator> &given,
                                     c10::Device device) {
  return makeHostGenerator(given ? nextSeed(*given) : nextSeed(device));
}

/// Seeds the default CPU generator for a kernel that takes no generator, and
/// gives it back its state.
class SeededDefault {
public:
  explicit SeededDefault(uint64_t seed)
      : generator(at::detail::getDefaultCPUGenerator()) {
    std::lock_guard<std::mutex> lock(generator.mutex());
    state = generator.get_state();
    generator.set_current_seed(seed);
  }
  ~SeededDefault() {
    std::lock_guard<std::mutex> lock(generator.mutex());
    generator.set_state(state);
  }
  SeededDefault(const SeededDefault &) = delete;
  SeededDefault &operator=(const SeededDefault &) = delete;

private:
  at::Generator generator;
  at::Tensor state;
};

} // namespace ptxjit::torch_plugin
