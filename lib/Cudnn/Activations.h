//===- Activations.h - functions of neurons ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_CUDNN_ACTIVATIONS_H
#define PTXJIT_LIB_CUDNN_ACTIVATIONS_H

#include "Descriptors.h"

namespace ptxjit::cudnn {

/// y = activation(x); both may be one.
template <typename T>
void activate(const Activation &activation, const View<T> &x, const View<T> &y);

/// dx = dy * activation'(x), of which y is the result. `x` may be empty where
/// the gradient follows from `y`.
template <typename T>
void activateBackward(const Activation &activation, const View<T> &y,
                      const View<T> &dy, const View<T> &x, const View<T> &dx);

/// Fails if there is no such activation.
void checkActivation(const Activation &activation);

} // namespace ptxjit::cudnn

#endif
