//===- ImageTotals.h - what the modules of files have in all ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_TOOLS_PTXJIT_IMAGETOTALS_H
#define PTXJIT_TOOLS_PTXJIT_IMAGETOTALS_H

#include "ptxjit/ptxjit.h"
#include <string>

namespace ptxjit {

/// Counts modules, of each of which a program takes one image.
class ImageTotals {
public:
  /// The images of a module come one after another.
  void add(const DeviceImage &image, bool isFirstOfModule);

  /// Modules by the best that they have.
  struct Counts {
    size_t images = 0;
    size_t usable = 0;   ///< PTX for the device
    size_t otherPtx = 0; ///< PTX for other devices
    size_t ltoOnly = 0;
    size_t codeOnly = 0; ///< machine code
    size_t empty = 0;    ///< machine code without kernels
    size_t countModules() const {
      return usable + otherPtx + ltoOnly + codeOnly + empty;
    }
  };
  Counts getCounts() const;

  /// The counts in words; empty if there are no images.
  std::string describe() const;

private:
  void finishModule(Counts &to) const;

  Counts counts; ///< without the current module
  // Of the current module:
  bool isOpen = false, hasUsable = false, hasPtx = false, hasLto = false,
       mayHaveKernels = false;
};

} // namespace ptxjit

#endif
