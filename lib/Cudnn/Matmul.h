//===- Matmul.h - products of matrices --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The last two dimensions are matrices, those before them batches. An operand
// may have fewer batches than the result, which share it, in turns of the same
// length.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_CUDNN_MATMUL_H
#define PTXJIT_LIB_CUDNN_MATMUL_H

#include "View.h"

namespace ptxjit::cudnn {

/// Fails if the extents do not fit.
void checkMatmul(const Layout &a, const Layout &b, const Layout &c);

/// c = a * b. Floats are multiplied by oneDNN.
template <typename T>
void multiply(const View<T> &a, const View<T> &b, const View<T> &c);

} // namespace ptxjit::cudnn

#endif
