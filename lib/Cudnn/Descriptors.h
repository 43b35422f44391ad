//===- Descriptors.h - what descriptors say ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls copy what they need of a descriptor, so that programs may change and
// destroy it before the work runs.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_CUDNN_DESCRIPTORS_H
#define PTXJIT_LIB_CUDNN_DESCRIPTORS_H

#include "Status.h"
#include "View.h"
#include "ptxjit/Cudnn/CudnnCnnABI.h"
#include "ptxjit/Runtime/HandleTable.h"

namespace ptxjit::cudnn {

/// Tensors have 3 to 8 dimensions, filters likewise.
constexpr int kMaxRank = 8;

struct Tensor : Shape {};
struct Filter : Shape {
  cudnnTensorFormat_t format = CUDNN_TENSOR_NCHW;
};
struct ConvolutionSettings {
  std::vector<int> pads, strides, dilations; ///< of each spatial dimension
  cudnnConvolutionMode_t mode = CUDNN_CROSS_CORRELATION;
  cudnnDataType_t compute = CUDNN_DATA_FLOAT;
  cudnnMathType_t math = CUDNN_DEFAULT_MATH;
  cudnnReorderType_t reorder = CUDNN_DEFAULT_REORDER;
  int groups = 1;
};
struct PoolingSettings {
  cudnnPoolingMode_t mode = CUDNN_POOLING_MAX;
  cudnnNanPropagation_t nan = CUDNN_NOT_PROPAGATE_NAN;
  std::vector<int> window, pads, strides; ///< of each spatial dimension
};
struct Activation {
  cudnnActivationMode_t mode = CUDNN_ACTIVATION_IDENTITY;
  cudnnNanPropagation_t nan = CUDNN_NOT_PROPAGATE_NAN;
  double coefficient = 0; ///< the ceiling of a clipped ReLU, or ELU's alpha
  double swishBeta = 1;
};
struct ResponseNorm {
  unsigned window = 5;
  double alpha = 1e-4, beta = 0.75, k = 2;
};
struct TensorOp {
  cudnnOpTensorOp_t op = CUDNN_OP_TENSOR_ADD;
  cudnnDataType_t compute = CUDNN_DATA_FLOAT;
  cudnnNanPropagation_t nan = CUDNN_NOT_PROPAGATE_NAN;
};
struct ReductionSettings {
  cudnnReduceTensorOp_t op = CUDNN_REDUCE_TENSOR_ADD;
  cudnnDataType_t compute = CUDNN_DATA_FLOAT;
  cudnnNanPropagation_t nan = CUDNN_NOT_PROPAGATE_NAN;
  cudnnReduceTensorIndices_t indices = CUDNN_REDUCE_TENSOR_NO_INDICES;
  cudnnIndicesType_t indicesType = CUDNN_32BIT_INDICES;
};
struct Dropout {
  float probability = 0;
  void *states = nullptr; ///< memory of the device
  unsigned long long seed = 0;
};

/// The descriptors of a type, by their handles.
template <typename T, typename Handle> HandleTable<T, Handle> &descriptors() {
  static auto &table = *new HandleTable<T, Handle>;
  return table;
}

/// What a handle stands for. PTXJIT_DESCRIPTOR(handle type, structure).
#define PTXJIT_DESCRIPTORS(PTXJIT_DESCRIPTOR)                                  \
  PTXJIT_DESCRIPTOR(cudnnTensorDescriptor_t, Tensor)                           \
  PTXJIT_DESCRIPTOR(cudnnFilterDescriptor_t, Filter)                           \
  PTXJIT_DESCRIPTOR(cudnnConvolutionDescriptor_t, ConvolutionSettings)         \
  PTXJIT_DESCRIPTOR(cudnnPoolingDescriptor_t, PoolingSettings)                 \
  PTXJIT_DESCRIPTOR(cudnnActivationDescriptor_t, Activation)                   \
  PTXJIT_DESCRIPTOR(cudnnLRNDescriptor_t, ResponseNorm)                        \
  PTXJIT_DESCRIPTOR(cudnnOpTensorDescriptor_t, TensorOp)                       \
  PTXJIT_DESCRIPTOR(cudnnReduceTensorDescriptor_t, ReductionSettings)          \
  PTXJIT_DESCRIPTOR(cudnnDropoutDescriptor_t, Dropout)
template <typename Handle> struct Described;
#define PTXJIT_DESCRIPTOR(Handle, Structure)                                   \
  template <> struct Described<Handle> {                                       \
    using Type = Structure;                                                    \
  };
PTXJIT_DESCRIPTORS(PTXJIT_DESCRIPTOR)
#undef PTXJIT_DESCRIPTOR

/// Finds a descriptor, or fails.
template <typename Handle> auto &get(Handle handle) {
  using T = typename Described<Handle>::Type;
  std::shared_ptr<T> found = descriptors<T, Handle>().find(handle);
  if (!found)
    failBadParam("one of the arguments is not a descriptor");
  return *found;
}
/// One that describes a tensor of a type that is computed with.
const Tensor &getTensor(cudnnTensorDescriptor_t handle);
const Filter &getFilter(cudnnFilterDescriptor_t handle);

template <typename Handle>
cudnnStatus_t createDescriptor(const char *function, Handle *handle) {
  using T = typename Described<Handle>::Type;
  return run(function, [&] {
    PTXJIT_REQUIRE(handle != nullptr);
    *handle = descriptors<T, Handle>().add(std::make_shared<T>());
  });
}
template <typename Handle>
cudnnStatus_t destroyDescriptor(const char *function, Handle handle) {
  using T = typename Described<Handle>::Type;
  return run(function, [&] {
    // As free() does, it takes a null pointer.
    if (handle && !descriptors<T, Handle>().remove(handle))
      failBadParam("the argument is not a descriptor");
  });
}
#define PTXJIT_CUDNN_CREATE_DESTROY(Kind)                                      \
  PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnCreate##Kind##Descriptor(             \
      cudnn##Kind##Descriptor_t *descriptor) {                                 \
    return ::ptxjit::cudnn::createDescriptor(__func__, descriptor);            \
  }                                                                            \
  PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnDestroy##Kind##Descriptor(            \
      cudnn##Kind##Descriptor_t descriptor) {                                  \
    return ::ptxjit::cudnn::destroyDescriptor(__func__, descriptor);           \
  }

/// Writes through a pointer of the program, if there is one.
template <typename T, typename U> void give(T *to, U value) {
  if (to)
    *to = T(value);
}
/// Likewise the first elements of an array.
template <typename T> void giveAll(int *to, const T &values, int count) {
  for (int i = 0; to && i < count && i < int(values.size()); ++i)
    to[i] = int(values[size_t(i)]);
}

/// A tensor without holes, in the order of a format.
Layout layoutOf(const std::vector<int64_t> &dims, cudnnTensorFormat_t format);

} // namespace ptxjit::cudnn

#endif
