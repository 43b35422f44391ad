//===- Reduction.h - sums and other reductions ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_CUDNN_REDUCTION_H
#define PTXJIT_LIB_CUDNN_REDUCTION_H

#include "Status.h"
#include "View.h"

namespace ptxjit::cudnn {

/// Calls f(offset of y, offset of x, inner) for each element of `y`, side by
/// side. inner.runInOrder() then goes over the elements of `x` that are reduced
/// to it, as rows of offsets from the given one. The dimensions of `y` are
/// those of `x`, or 1.
template <typename F>
void forEachReduced(const Layout &x, const Layout &y, F f) {
  std::vector<int64_t> dims = x.dims;
  broadcastStrides(y, dims); // checks
  std::vector<int64_t> inner(dims), xStrides(x.strides);
  for (size_t i = 0; i < dims.size(); ++i)
    (y.dims[i] == 1 ? dims : inner)[i] = 1;
  Walk<1> reduced(inner, {x.strides});
  Walk<2>(dims, {y.strides, x.strides})
      .run([&](auto offsets, int64_t count, auto steps) {
        for (int64_t i = 0; i < count; ++i)
          f(offsets[0] + i * steps[0], offsets[1] + i * steps[1], reduced);
      });
}

/// Reduces `x` to `y`.
template <typename T>
void reduce(cudnnReduceTensorOp_t op, const View<T> &x, const View<T> &y);

/// values *= factor.
template <typename T> void scale(const View<T> &values, T factor);
/// values += factor * other, which may be broadcast.
template <typename T>
void addTo(const View<T> &values, const View<T> &other, T factor);

} // namespace ptxjit::cudnn

#endif
