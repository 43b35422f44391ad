//===- Descriptors.cpp - descriptors of tensors and filters ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Those of operations are beside the operations.
//
//===----------------------------------------------------------------------===//

#include "Descriptors.h"

using namespace ptxjit;
using namespace ptxjit::cudnn;

PTXJIT_CUDNN_CREATE_DESTROY(Tensor)
PTXJIT_CUDNN_CREATE_DESTROY(Filter)

const Tensor &cudnn::getTensor(cudnnTensorDescriptor_t handle) {
  const Tensor &tensor = get(handle);
  if (tensor.dims.empty())
    failBadParam("a descriptor of a tensor was not set");
  return tensor;
}
const Filter &cudnn::getFilter(cudnnFilterDescriptor_t handle) {
  const Filter &filter = get(handle);
  if (filter.dims.empty())
    failBadParam("a descriptor of a filter was not set");
  return filter;
}

Layout cudnn::layoutOf(const std::vector<int64_t> &dims,
                       cudnnTensorFormat_t format) {
  if (format == CUDNN_TENSOR_NCHW)
    return {dims, rowStrides(dims)};
  if (format != CUDNN_TENSOR_NHWC)
    failUnsupported("vectors of channels (CUDNN_TENSOR_NCHW_VECT_C)");
  // Channels are innermost.
  std::vector<int64_t> order(dims);
  std::rotate(order.begin() + 1, order.begin() + 2, order.end());
  std::vector<int64_t> strides = rowStrides(order);
  std::rotate(strides.begin() + 1, strides.end() - 1, strides.end());
  return {dims, strides};
}

static void checkType(cudnnDataType_t type) {
  if (!sizeOf(type))
    failUnsupported("tensors of type " + std::to_string(int(type)));
}

static std::vector<int64_t> readDims(int rank, const int *dims, int least) {
  PTXJIT_REQUIRE(dims != nullptr);
  if (rank < least || rank > kMaxRank)
    failBadParam("expected 3 to 8 dimensions");
  std::vector<int64_t> read(dims, dims + rank);
  for (int64_t extent : read)
    PTXJIT_REQUIRE(extent > 0);
  return read;
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

static void setTensor(cudnnTensorDescriptor_t handle, cudnnDataType_t type,
                      const Layout &layout) {
  Tensor &tensor = get(handle);
  checkType(type);
  for (int64_t stride : layout.strides)
    PTXJIT_REQUIRE(stride >= 0);
  static_cast<Layout &>(tensor) = layout;
  tensor.type = type;
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnSetTensor4dDescriptor(
    cudnnTensorDescriptor_t handle, cudnnTensorFormat_t format,
    cudnnDataType_t type, int n, int c, int h, int w) {
  return run(__func__, [&] {
    int dims[] = {n, c, h, w};
    setTensor(handle, type, layoutOf(readDims(4, dims, 4), format));
  });
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnSetTensor4dDescriptorEx(
    cudnnTensorDescriptor_t handle, cudnnDataType_t type, int n, int c, int h,
    int w, int nStride, int cStride, int hStride, int wStride) {
  return run(__func__, [&] {
    int dims[] = {n, c, h, w};
    setTensor(handle, type,
              {readDims(4, dims, 4), {nStride, cStride, hStride, wStride}});
  });
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t
cudnnSetTensorNdDescriptor(cudnnTensorDescriptor_t handle, cudnnDataType_t type,
                           int rank, const int *dims, const int *strides) {
  return run(__func__, [&] {
    PTXJIT_REQUIRE(strides != nullptr);
    std::vector<int64_t> read = readDims(rank, dims, 3);
    setTensor(handle, type, {read, {strides, strides + rank}});
  });
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnSetTensorNdDescriptorEx(
    cudnnTensorDescriptor_t handle, cudnnTensorFormat_t format,
    cudnnDataType_t type, int rank, const int *dims) {
  return run(__func__, [&] {
    setTensor(handle, type, layoutOf(readDims(rank, dims, 3), format));
  });
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnGetTensor4dDescriptor(
    cudnnTensorDescriptor_t handle, cudnnDataType_t *type, int *n, int *c,
    int *h, int *w, int *nStride, int *cStride, int *hStride, int *wStride) {
  return run(__func__, [&] {
    const Tensor &tensor = getTensor(handle);
    PTXJIT_REQUIRE(tensor.dims.size() == 4);
    give(type, tensor.type);
    int *dims[] = {n, c, h, w};
    int *strides[] = {nStride, cStride, hStride, wStride};
    for (int i = 0; i < 4; ++i) {
      give(dims[i], tensor.dims[i]);
      give(strides[i], tensor.strides[i]);
    }
  });
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnGetTensorNdDescriptor(
    cudnnTensorDescriptor_t handle, int requested, cudnnDataType_t *type,
    int *rank, int *dims, int *strides) {
  return run(__func__, [&] {
    const Tensor &tensor = getTensor(handle);
    give(type, tensor.type);
    give(rank, tensor.dims.size());
    giveAll(dims, tensor.dims, requested);
    giveAll(strides, tensor.strides, requested);
  });
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t
cudnnGetTensorSizeInBytes(cudnnTensorDescriptor_t handle, size_t *bytes) {
  return run(__func__, [&] {
    PTXJIT_REQUIRE(bytes != nullptr);
    *bytes = bytesOf(getTensor(handle));
  });
}

//===----------------------------------------------------------------------===//
// Filters
//===----------------------------------------------------------------------===//

static void setFilter(cudnnFilterDescriptor_t handle, cudnnDataType_t type,
                      cudnnTensorFormat_t format, int rank, const int *dims) {
  Filter &filter = get(handle);
  checkType(type);
  static_cast<Layout &>(filter) = layoutOf(readDims(rank, dims, 3), format);
  filter.type = type;
  filter.format = format;
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnSetFilter4dDescriptor(
    cudnnFilterDescriptor_t handle, cudnnDataType_t type,
    cudnnTensorFormat_t format, int k, int c, int h, int w) {
  return run(__func__, [&] {
    int dims[] = {k, c, h, w};
    setFilter(handle, type, format, 4, dims);
  });
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnSetFilterNdDescriptor(
    cudnnFilterDescriptor_t handle, cudnnDataType_t type,
    cudnnTensorFormat_t format, int rank, const int *dims) {
  return run(__func__, [&] { setFilter(handle, type, format, rank, dims); });
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnGetFilter4dDescriptor(
    cudnnFilterDescriptor_t handle, cudnnDataType_t *type,
    cudnnTensorFormat_t *format, int *k, int *c, int *h, int *w) {
  return run(__func__, [&] {
    const Filter &filter = getFilter(handle);
    PTXJIT_REQUIRE(filter.dims.size() == 4);
    give(type, filter.type);
    give(format, filter.format);
    int *dims[] = {k, c, h, w};
    for (int i = 0; i < 4; ++i)
      give(dims[i], filter.dims[i]);
  });
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnGetFilterNdDescriptor(
    cudnnFilterDescriptor_t handle, int requested, cudnnDataType_t *type,
    cudnnTensorFormat_t *format, int *rank, int *dims) {
  return run(__func__, [&] {
    const Filter &filter = getFilter(handle);
    give(type, filter.type);
    give(format, filter.format);
    give(rank, filter.dims.size());
    giveAll(dims, filter.dims, requested);
  });
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t
cudnnGetFilterSizeInBytes(cudnnFilterDescriptor_t handle, size_t *bytes) {
  return run(__func__, [&] {
    PTXJIT_REQUIRE(bytes != nullptr);
    *bytes = bytesOf(getFilter(handle));
  });
}
