//===- Convolution.h - convolutions and their gradients ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Those in floats are oneDNN's; it has none in doubles, so these are loops.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_CUDNN_CONVOLUTION_H
#define PTXJIT_LIB_CUDNN_CONVOLUTION_H

#include "View.h"

namespace ptxjit::cudnn {

/// How a filter moves. The vectors have an element for each spatial dimension.
struct Convolution {
  std::vector<int64_t> prePads, postPads, strides, dilations;
  bool isFlipped = false; ///< the filter is turned round
};

/// Checks the extents of input (N C ...), filter (K C/groups ...) and output
/// (N K ...), and fails if they do not fit. \returns the number of groups.
int64_t checkConvolution(const Convolution &convolution, const Layout &x,
                         const Layout &w, const Layout &y);
/// The extents of the output.
std::vector<int64_t> outputDims(const Convolution &convolution, const Layout &x,
                                const Layout &w);

/// Computes `y`, `dx` or `dw` from the others. The extents must have been
/// checked.
template <typename T>
void convolve(const Convolution &convolution, const View<T> &x,
              const View<T> &w, const View<T> &y);
template <typename T>
void convolveBackwardData(const Convolution &convolution, const View<T> &w,
                          const View<T> &dy, const View<T> &dx);
template <typename T>
void convolveBackwardFilter(const Convolution &convolution, const View<T> &x,
                            const View<T> &dy, const View<T> &dw);

} // namespace ptxjit::cudnn

#endif
