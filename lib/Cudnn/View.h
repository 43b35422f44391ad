//===- View.h - tensors in memory -------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations compute in floats or doubles. Operands of that type are read where
// they are; others are converted first. Results are rounded once, to the type
// of the tensor.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_CUDNN_VIEW_H
#define PTXJIT_LIB_CUDNN_VIEW_H

#include "Walk.h"
#include "ptxjit/Cudnn/CudnnABI.h"

#include <memory>

namespace ptxjit::cudnn {

/// A tensor that a program describes.
struct Shape : Layout {
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
};

/// Bytes of an element. 0: nothing here computes with that type.
size_t sizeOf(cudnnDataType_t type);
/// The bytes from the first to the last element.
size_t bytesOf(const Shape &shape);

/// Whether operations on tensors of this type are done in doubles: integers of
/// 32 and 64 bits are exact so, and sums of those of 8 bits.
inline bool needsDouble(cudnnDataType_t type) {
  return type == CUDNN_DATA_DOUBLE || type == CUDNN_DATA_INT32 ||
         type == CUDNN_DATA_INT64;
}

/// The elements of a tensor, of type float or double.
template <typename T> struct View {
  Layout layout;
  T *data = nullptr;
  std::shared_ptr<T[]> owner; ///< null if the memory is somebody else's

  const std::vector<int64_t> &dims() const { return layout.dims; }
  const std::vector<int64_t> &strides() const { return layout.strides; }
};

/// A new tensor with the order of dimensions of `layout`, without holes. Its
/// elements are not set.
template <typename T> View<T> makeView(const Layout &layout);

/// to = from, which may be broadcast.
template <typename T> void copyView(const View<T> &from, const View<T> &to);

/// Reads a tensor.
template <typename T> View<T> readView(const Shape &shape, const void *from);

/// Writes alpha * values + beta * what is there. With a beta of 0, that is not
/// read. `values` may be broadcast.
template <typename T>
void writeView(const View<T> &values, const Shape &shape, void *to, T alpha = 1,
               T beta = 0);

/// A result: computed where the program wants it, or first somewhere else.
template <typename T> class Output {
public:
  Output(const Shape &shape, void *to, T alpha = 1, T beta = 0);
  /// Where to compute it.
  const View<T> &view() const { return result; }
  /// Writes it to its place. Call this when `view` is set.
  void finish() const;

private:
  const Shape &shape;
  void *to;
  T alpha, beta;
  bool isDirect;
  View<T> result;
};

/// A factor of a call: doubles for tensors of doubles, else floats. Read at the
/// call.
double readFactor(const void *factor, cudnnDataType_t type);

/// Calls `function`, a generic lambda, with a zero of the type to compute in.
template <typename F> void inType(bool isDouble, F function) {
  if (isDouble)
    function(double(0));
  else
    function(float(0));
}

} // namespace ptxjit::cudnn

#endif
