//===- World.h - what all threads share -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_TOOLS_PTXSTRESS_WORLD_H
#define PTXJIT_TOOLS_PTXSTRESS_WORLD_H

#include "Report.h"

#include <array>
#include <vector>

namespace stress {

struct Options {
  unsigned seed = 1;
  unsigned seconds = 0;      ///< 0: the number of operations ends the run
  unsigned operations = 200; ///< of each thread
  unsigned threads = 16;
  unsigned streams = 64;
  unsigned devices = 4;
  unsigned patience = 300; ///< seconds that one operation may take
  std::string only;        ///< names of operations, with commas; empty: all
};

/// The kernels of Kernels.h, by name.
#define STRESS_KERNELS(X)                                                      \
  X(add)                                                                       \
  X(ramp)                                                                      \
  X(reverse) X(vote) X(total) X(parent) X(print) X(countdown) X(crash) X(texels)
enum class Kernel {
#define X(name) name,
  STRESS_KERNELS(X)
#undef X
      count
};

struct Stream {
  CUstream handle = nullptr;
  unsigned device = 0;
};

/// Devices, a library of kernels that is valid in all contexts, and streams
/// into which all threads put work. Constant while threads run.
class World {
public:
  explicit World(const Options &options);
  /// Fails if the devices do not have all their memory back.
  void tearDown();

  CUfunction get(Kernel kernel) const { return kernels[size_t(kernel)]; }
  void makeCurrent(unsigned device) const;

  const Options options;
  std::vector<CUcontext> contexts; ///< the primary ones
  std::vector<Stream> streams;
  CUlibrary library = nullptr;

private:
  void loadKernels();
  /// Fails if memory of a device is in use.
  void checkThatMemoryIsFree() const;

  std::array<CUfunction, size_t(Kernel::count)> kernels{};
};

} // namespace stress

#endif
