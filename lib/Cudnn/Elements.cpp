//===- Elements.cpp - operations on single elements of tensors ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Call.h"
#include "Descriptors.h"
#include "Reduction.h"

#include <cmath>

using namespace ptxjit;
using namespace ptxjit::cudnn;

PTXJIT_CUDNN_CREATE_DESTROY(OpTensor)

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnSetOpTensorDescriptor(
    cudnnOpTensorDescriptor_t handle, cudnnOpTensorOp_t op,
    cudnnDataType_t compute, cudnnNanPropagation_t nan) {
  return run(__func__, [&] {
    PTXJIT_REQUIRE(op >= CUDNN_OP_TENSOR_ADD && op <= CUDNN_OP_TENSOR_NOT);
    get(handle) = {op, compute, nan};
  });
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnGetOpTensorDescriptor(
    cudnnOpTensorDescriptor_t handle, cudnnOpTensorOp_t *op,
    cudnnDataType_t *compute, cudnnNanPropagation_t *nan) {
  return run(__func__, [&] {
    const TensorOp &settings = get(handle);
    give(op, settings.op);
    give(compute, settings.compute);
    give(nan, settings.nan);
  });
}

template <typename T> static T apply(cudnnOpTensorOp_t op, T a, T b) {
  switch (op) {
  case CUDNN_OP_TENSOR_ADD:
    return a + b;
  case CUDNN_OP_TENSOR_MUL:
    return a * b;
  case CUDNN_OP_TENSOR_MIN:
    return a < b ? a : b;
  case CUDNN_OP_TENSOR_MAX:
    return a > b ? a : b;
  case CUDNN_OP_TENSOR_SQRT:
    return std::sqrt(a);
  case CUDNN_OP_TENSOR_NOT:
    return 1 - a;
  }
  return a;
}

/// out = op(alpha * a, beta * b), where `b` may be broadcast.
template <typename T>
static void applyAll(cudnnOpTensorOp_t op, const View<T> &a, T alpha,
                     const View<T> &b, T beta, const View<T> &out) {
  Walk<3>(out.dims(), {out.strides(), broadcastStrides(a.layout, out.dims()),
                       broadcastStrides(b.layout, out.dims())})
      .run([&](auto offsets, int64_t count, auto steps) {
        for (int64_t i = 0; i < count; ++i)
          out.data[offsets[0] + i * steps[0]] =
              apply(op, alpha * a.data[offsets[1] + i * steps[1]],
                    beta * b.data[offsets[2] + i * steps[2]]);
      });
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t
cudnnOpTensor(cudnnHandle_t handle, cudnnOpTensorDescriptor_t descriptor,
              const void *alpha1, cudnnTensorDescriptor_t aDesc, const void *a,
              const void *alpha2, cudnnTensorDescriptor_t bDesc, const void *b,
              const void *beta, cudnnTensorDescriptor_t cDesc, void *c) {
  return run(__func__, [&] {
    cudnnOpTensorOp_t op = get(descriptor).op;
    bool isUnary = op == CUDNN_OP_TENSOR_SQRT || op == CUDNN_OP_TENSOR_NOT;
    Shape aShape = getTensor(aDesc), to = getTensor(cDesc);
    Shape bShape = isUnary ? aShape : Shape(getTensor(bDesc));
    const void *second = isUnary ? a : b;
    PTXJIT_REQUIRE(a && second && c);
    broadcastStrides(aShape, to.dims);
    broadcastStrides(bShape, to.dims);
    double factor1 = readFactor(alpha1, to.type);
    double factor2 = isUnary ? 0 : readFactor(alpha2, to.type);
    double old = readFactor(beta, to.type);
    enqueue(handle, [=] {
      inType(needsDouble(to.type), [&](auto zero) {
        using T = decltype(zero);
        Output<T> out(to, c, T(1), T(old));
        applyAll(op, readView<T>(aShape, a), T(factor1),
                 readView<T>(bShape, second), T(factor2), out.view());
        out.finish();
      });
    });
  });
}

/// y = alpha * x + beta * y, where `x` may be broadcast.
static void blend(cudnnHandle_t handle, const void *alpha, const Shape &from,
                  const void *x, const void *beta, const Shape &to, void *y) {
  PTXJIT_REQUIRE(x && y);
  broadcastStrides(from, to.dims);
  double factor = readFactor(alpha, to.type), old = readFactor(beta, to.type);
  enqueue(handle, [=] {
    inType(needsDouble(to.type) || needsDouble(from.type), [&](auto zero) {
      using T = decltype(zero);
      writeView<T>(readView<T>(from, x), to, y, T(factor), T(old));
    });
  });
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnTransformTensor(
    cudnnHandle_t handle, const void *alpha, cudnnTensorDescriptor_t xDesc,
    const void *x, const void *beta, cudnnTensorDescriptor_t yDesc, void *y) {
  return run(__func__, [&] {
    const Shape &from = getTensor(xDesc), &to = getTensor(yDesc);
    PTXJIT_REQUIRE(from.dims == to.dims);
    blend(handle, alpha, from, x, beta, to, y);
  });
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnAddTensor(
    cudnnHandle_t handle, const void *alpha, cudnnTensorDescriptor_t aDesc,
    const void *a, const void *beta, cudnnTensorDescriptor_t cDesc, void *c) {
  return run(__func__, [&] {
    blend(handle, alpha, getTensor(aDesc), a, beta, getTensor(cDesc), c);
  });
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnSetTensor(cudnnHandle_t handle,
                                                 cudnnTensorDescriptor_t yDesc,
                                                 void *y, const void *value) {
  return run(__func__, [&] {
    Shape to = getTensor(yDesc);
    PTXJIT_REQUIRE(y && value);
    // One element of the tensor's type, read now.
    Shape element;
    element.dims = element.strides = {1};
    element.type = to.type;
    double number = readView<double>(element, value).data[0];
    enqueue(handle, [=] {
      inType(needsDouble(to.type), [&](auto zero) {
        using T = decltype(zero);
        View<T> one = makeView<T>(Layout{{1}, {1}});
        one.data[0] = T(number);
        writeView<T>(one, to, y);
      });
    });
  });
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t
cudnnScaleTensor(cudnnHandle_t handle, cudnnTensorDescriptor_t yDesc, void *y,
                 const void *alpha) {
  return run(__func__, [&] {
    Shape shape = getTensor(yDesc);
    PTXJIT_REQUIRE(y != nullptr);
    double factor = readFactor(alpha, shape.type);
    enqueue(handle, [=] {
      inType(needsDouble(shape.type), [&](auto zero) {
        using T = decltype(zero);
        writeView<T>(readView<T>(shape, y), shape, y, T(factor));
      });
    });
  });
}
