//===- Reduction.cpp - sums and other reductions --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reduction.h"
#include "Call.h"
#include "Descriptors.h"

#include <cmath>
#include <limits>

using namespace ptxjit;
using namespace ptxjit::cudnn;

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// Reduces with `combine(so far, element)`, and sets finish(result, count).
template <typename T, typename Combine, typename Finish>
static void reduceBy(const View<T> &x, const View<T> &y, double first,
                     Combine combine, Finish finish) {
  auto count = double(countOf(x.dims())) /
               double(std::max<int64_t>(1, countOf(y.dims())));
  forEachReduced(x.layout, y.layout,
                 [&](int64_t to, int64_t from, const Walk<1> &inner) {
                   // Sums are in doubles, so that their order matters little.
                   double result = first;
                   inner.runInOrder([&](auto offsets, int64_t n, auto steps) {
                     const T *in = x.data + from + offsets[0];
                     for (int64_t i = 0; i < n; ++i)
                       result = combine(result, double(in[i * steps[0]]));
                   });
                   y.data[to] = T(finish(result, count));
                 });
}

template <typename T>
void cudnn::reduce(cudnnReduceTensorOp_t op, const View<T> &x,
                   const View<T> &y) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  auto same = [](double result, double) { return result; };
  auto add = [](double a, double b) { return a + b; };
  // NaNs win, as `b` does in comparisons that are false.
  auto max = [](double a, double b) { return a >= b || a != a ? a : b; };
  auto min = [](double a, double b) { return a <= b || a != a ? a : b; };
  switch (op) {
  case CUDNN_REDUCE_TENSOR_ADD:
    return reduceBy(x, y, 0, add, same);
  case CUDNN_REDUCE_TENSOR_MUL:
    return reduceBy(x, y, 1, [](double a, double b) { return a * b; }, same);
  case CUDNN_REDUCE_TENSOR_MIN:
    return reduceBy(x, y, infinity, min, same);
  case CUDNN_REDUCE_TENSOR_MAX:
    return reduceBy(x, y, -infinity, max, same);
  case CUDNN_REDUCE_TENSOR_AMAX:
    return reduceBy(
        x, y, 0, [=](double a, double b) { return max(a, std::abs(b)); }, same);
  case CUDNN_REDUCE_TENSOR_AVG:
    return reduceBy(x, y, 0, add,
                    [](double sum, double count) { return sum / count; });
  case CUDNN_REDUCE_TENSOR_NORM1:
    return reduceBy(
        x, y, 0, [](double a, double b) { return a + std::abs(b); }, same);
  case CUDNN_REDUCE_TENSOR_NORM2:
    return reduceBy(
        x, y, 0, [](double a, double b) { return a + b * b; },
        [](double sum, double) { return std::sqrt(sum); });
  case CUDNN_REDUCE_TENSOR_MUL_NO_ZEROS:
    return reduceBy(
        x, y, 1, [](double a, double b) { return b == 0 ? a : a * b; }, same);
  }
  failBadParam("an unknown reduction");
}

template <typename T> void cudnn::scale(const View<T> &values, T factor) {
  Walk<1>(values.dims(), {values.strides()})
      .run([&](auto offsets, int64_t count, auto steps) {
        T *row = values.data + offsets[0];
        for (int64_t i = 0; i < count; ++i)
          row[i * steps[0]] *= factor;
      });
}

template <typename T>
void cudnn::addTo(const View<T> &values, const View<T> &other, T factor) {
  Walk<2>(values.dims(),
          {values.strides(), broadcastStrides(other.layout, values.dims())})
      .run([&](auto offsets, int64_t count, auto steps) {
        T *row = values.data + offsets[0];
        const T *added = other.data + offsets[1];
        for (int64_t i = 0; i < count; ++i)
          row[i * steps[0]] += factor * added[i * steps[1]];
      });
}

#define INSTANTIATE(T)                                                         \
  template void cudnn::reduce(cudnnReduceTensorOp_t, const View<T> &,          \
                              const View<T> &);                                \
  template void cudnn::scale(const View<T> &, T);                              \
  template void cudnn::addTo(const View<T> &, const View<T> &, T);
INSTANTIATE(float)
INSTANTIATE(double)

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

PTXJIT_CUDNN_CREATE_DESTROY(ReduceTensor)

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnSetReduceTensorDescriptor(
    cudnnReduceTensorDescriptor_t handle, cudnnReduceTensorOp_t op,
    cudnnDataType_t compute, cudnnNanPropagation_t nan,
    cudnnReduceTensorIndices_t indices, cudnnIndicesType_t indicesType) {
  return run(__func__, [&] {
    PTXJIT_REQUIRE(op >= CUDNN_REDUCE_TENSOR_ADD &&
                   op <= CUDNN_REDUCE_TENSOR_MUL_NO_ZEROS);
    get(handle) = {op, compute, nan, indices, indicesType};
  });
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnGetReduceTensorDescriptor(
    cudnnReduceTensorDescriptor_t handle, cudnnReduceTensorOp_t *op,
    cudnnDataType_t *compute, cudnnNanPropagation_t *nan,
    cudnnReduceTensorIndices_t *indices, cudnnIndicesType_t *indicesType) {
  return run(__func__, [&] {
    const ReductionSettings &settings = get(handle);
    give(op, settings.op);
    give(compute, settings.compute);
    give(nan, settings.nan);
    give(indices, settings.indices);
    give(indicesType, settings.indicesType);
  });
}

/// Whether the call tells where the smallest or largest elements are.
static bool hasIndices(const ReductionSettings &settings) {
  return settings.indices == CUDNN_REDUCE_TENSOR_FLATTENED_INDICES &&
         (settings.op == CUDNN_REDUCE_TENSOR_MIN ||
          settings.op == CUDNN_REDUCE_TENSOR_MAX ||
          settings.op == CUDNN_REDUCE_TENSOR_AMAX);
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnGetReductionIndicesSize(
    cudnnHandle_t handle, cudnnReduceTensorDescriptor_t descriptor,
    cudnnTensorDescriptor_t, cudnnTensorDescriptor_t cDesc, size_t *bytes) {
  return run(__func__, [&] {
    checkHandle(handle);
    PTXJIT_REQUIRE(bytes != nullptr);
    *bytes = hasIndices(get(descriptor))
                 ? size_t(countOf(getTensor(cDesc).dims)) * sizeof(uint32_t)
                 : 0;
  });
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnGetReductionWorkspaceSize(
    cudnnHandle_t handle, cudnnReduceTensorDescriptor_t descriptor,
    cudnnTensorDescriptor_t, cudnnTensorDescriptor_t, size_t *bytes) {
  return run(__func__, [&] {
    checkHandle(handle);
    get(descriptor);
    PTXJIT_REQUIRE(bytes != nullptr);
    *bytes = 0;
  });
}

/// Finds the first elements whose (absolute) values are the results, as places
/// in the order of rows among those that were reduced.
template <typename T>
static void findIndices(const View<T> &x, const View<T> &y, bool isAbsolute,
                        uint32_t *indices) {
  View<T> found{{y.dims(), rowStrides(y.dims())}, nullptr, nullptr};
  std::vector<int64_t> inner(x.dims());
  for (size_t i = 0; i < inner.size(); ++i)
    if (y.dims()[i] != 1)
      inner[i] = 1;
  std::vector<int64_t> places = rowStrides(inner);
  std::vector<int64_t> outer(x.dims());
  for (size_t i = 0; i < outer.size(); ++i)
    outer[i] = y.dims()[i];
  Walk<2> reduced(inner, {places, x.strides()});
  Walk<3>(outer, {found.strides(), y.strides(), x.strides()})
      .run([&](auto offsets, int64_t count, auto steps) {
        for (int64_t i = 0; i < count; ++i) {
          T wanted = y.data[offsets[1] + i * steps[1]];
          const T *from = x.data + offsets[2] + i * steps[2];
          uint32_t index = UINT32_MAX;
          reduced.runInOrder([&](auto inside, int64_t n, auto step) {
            for (int64_t j = 0; j < n; ++j) {
              T value = from[inside[1] + j * step[1]];
              value = isAbsolute ? std::abs(value) : value;
              if (value == wanted || (value != value && wanted != wanted))
                index = std::min(index, uint32_t(inside[0] + j * step[0]));
            }
          });
          indices[offsets[0] + i * steps[0]] = index;
        }
      });
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnReduceTensor(
    cudnnHandle_t handle, cudnnReduceTensorDescriptor_t descriptor,
    void *indices, size_t indicesBytes, void *, size_t, const void *alpha,
    cudnnTensorDescriptor_t aDesc, const void *a, const void *beta,
    cudnnTensorDescriptor_t cDesc, void *c) {
  return run(__func__, [&] {
    ReductionSettings settings = get(descriptor);
    Shape from = getTensor(aDesc), to = getTensor(cDesc);
    PTXJIT_REQUIRE(a && c);
    PTXJIT_REQUIRE(from.dims.size() == to.dims.size());
    broadcastStrides(to, from.dims);
    double factor = readFactor(alpha, to.type);
    double old = readFactor(beta, to.type);
    auto *places = static_cast<uint32_t *>(indices);
    if (hasIndices(settings)) {
      if (settings.indicesType != CUDNN_32BIT_INDICES)
        failUnsupported("indices of other than 32 bits");
      PTXJIT_REQUIRE(indicesBytes >= size_t(countOf(to.dims)) * 4 && indices);
    } else {
      places = nullptr;
    }
    enqueue(handle, [=] {
      inType(needsDouble(from.type) || needsDouble(to.type), [&](auto zero) {
        using T = decltype(zero);
        View<T> x = readView<T>(from, a);
        View<T> result = makeView<T>(to);
        reduce(settings.op, x, result);
        if (places)
          findIndices(x, result, settings.op == CUDNN_REDUCE_TENSOR_AMAX,
                      places);
        writeView<T>(result, to, c, T(factor), T(old));
      });
    });
  });
}
