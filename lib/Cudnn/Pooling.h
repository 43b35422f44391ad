//===- Pooling.h - largest elements and averages of windows -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_CUDNN_POOLING_H
#define PTXJIT_LIB_CUDNN_POOLING_H

#include "View.h"

namespace ptxjit::cudnn {

enum class PoolingKind { Max, AverageWithPadding, AverageWithoutPadding };

/// How a window moves. The vectors have an element for each spatial dimension.
struct Pooling {
  PoolingKind kind;
  bool keepsNan; ///< a NaN in a window is its largest element
  std::vector<int64_t> window, prePads, strides;
};

/// Fails if there are other than 1 to 3 spatial dimensions.
void checkPooling(const Pooling &pooling, const Layout &x, const Layout &y);

template <typename T>
void pool(const Pooling &pooling, const View<T> &x, const View<T> &y);
/// The gradient of the largest element goes to the first one of a window.
template <typename T>
void poolBackward(const Pooling &pooling, const View<T> &x, const View<T> &dy,
                  const View<T> &dx);

} // namespace ptxjit::cudnn

#endif
