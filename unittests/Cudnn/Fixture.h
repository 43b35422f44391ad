//===- Fixture.h - what the tests of cuDNN share ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expected values are made by plain loops in double over tensors as arrays of
// rows, whatever their strides in memory.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_UNITTESTS_CUDNN_FIXTURE_H
#define PTXJIT_UNITTESTS_CUDNN_FIXTURE_H

#include "ptxjit/Cudnn/CudnnBackendABI.h"
#include "ptxjit/Cudnn/CudnnCnnABI.h"

#include <cmath>
#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <vector>

#define EXPECT_OK(call) EXPECT_EQ(call, CUDNN_STATUS_SUCCESS)
#define ASSERT_OK(call) ASSERT_EQ(call, CUDNN_STATUS_SUCCESS)

namespace cudnntest {

using Ints = std::vector<int>;

inline size_t countOf(const Ints &dims) {
  size_t count = 1;
  for (int extent : dims)
    count *= size_t(extent);
  return count;
}
/// Strides of rows, or with channels innermost.
inline Ints stridesOf(const Ints &dims, bool isChannelsLast = false) {
  Ints strides(dims.size());
  int stride = 1;
  if (isChannelsLast) {
    strides[1] = 1;
    stride = dims[1];
  }
  for (size_t i = dims.size(); i-- > 0;)
    if (i != 1 || !isChannelsLast) {
      strides[i] = stride;
      stride *= dims[i];
    }
  return strides;
}
/// Calls f(place, index among rows) for all elements.
inline void forEach(const Ints &dims,
                    const std::function<void(const Ints &, size_t)> &f) {
  Ints place(dims.size(), 0);
  for (size_t index = 0; index < countOf(dims); ++index) {
    f(place, index);
    for (size_t i = dims.size(); i-- > 0;) {
      if (++place[i] < dims[i])
        break;
      place[i] = 0;
    }
  }
}

inline uint16_t bitsOfHalf(double value) {
  auto half = _Float16(value);
  uint16_t bits;
  std::memcpy(&bits, &half, 2);
  return bits;
}
inline double halfOfBits(uint16_t bits) {
  _Float16 half;
  std::memcpy(&half, &bits, 2);
  return double(half);
}

/// A tensor on the device, and its descriptor.
class TensorOf {
public:
  TensorOf(const Ints &dims, cudnnDataType_t type = CUDNN_DATA_FLOAT,
           bool isChannelsLast = false)
      : dims(dims), strides(stridesOf(dims, isChannelsLast)), type(type) {
    bytes = type == CUDNN_DATA_DOUBLE                              ? 8
            : type == CUDNN_DATA_FLOAT || type == CUDNN_DATA_INT32 ? 4
            : type == CUDNN_DATA_INT8                              ? 1
                                                                   : 2;
    EXPECT_EQ(cuMemAlloc_v2(&address, countOf(dims) * bytes), CUDA_SUCCESS);
    EXPECT_OK(cudnnCreateTensorDescriptor(&descriptor));
    EXPECT_OK(cudnnSetTensorNdDescriptor(descriptor, type, int(dims.size()),
                                         dims.data(), strides.data()));
    std::memset(data(), 0, countOf(dims) * bytes);
  }
  ~TensorOf() {
    EXPECT_OK(cudnnDestroyTensorDescriptor(descriptor));
    cuMemFree_v2(address);
  }
  TensorOf(const TensorOf &) = delete;
  TensorOf &operator=(const TensorOf &) = delete;

  void *data() const { return reinterpret_cast<void *>(address); }
  size_t offset(const Ints &place) const {
    size_t at = 0;
    for (size_t i = 0; i < dims.size(); ++i)
      at += size_t(place[i]) * size_t(strides[i]);
    return at;
  }
  /// Sets all elements, in the order of rows. \returns what they are after
  /// rounding.
  std::vector<double> set(const std::vector<double> &values) {
    forEach(dims, [&](const Ints &place, size_t i) {
      size_t at = offset(place);
      switch (type) {
      case CUDNN_DATA_DOUBLE:
        static_cast<double *>(data())[at] = values[i];
        break;
      case CUDNN_DATA_FLOAT:
        static_cast<float *>(data())[at] = float(values[i]);
        break;
      case CUDNN_DATA_INT32:
        static_cast<int32_t *>(data())[at] = int32_t(values[i]);
        break;
      case CUDNN_DATA_INT8:
        static_cast<int8_t *>(data())[at] = int8_t(values[i]);
        break;
      case CUDNN_DATA_HALF:
        static_cast<uint16_t *>(data())[at] = bitsOfHalf(values[i]);
        break;
      default: { // bfloat16, cut off: any will do
        float value = float(values[i]);
        std::memcpy(static_cast<char *>(data()) + at * 2,
                    reinterpret_cast<char *>(&value) + 2, 2);
      }
      }
    });
    return get();
  }
  std::vector<double> setRandom(int seed) {
    std::mt19937 engine{unsigned(seed)};
    std::uniform_real_distribution<double> distribution(-1, 1);
    std::vector<double> values(countOf(dims));
    for (double &value : values)
      value = distribution(engine);
    if (type == CUDNN_DATA_INT8 || type == CUDNN_DATA_INT32)
      for (double &value : values)
        value = std::round(value * 100);
    return set(values);
  }
  std::vector<double> get() const {
    std::vector<double> values(countOf(dims));
    forEach(dims, [&](const Ints &place, size_t i) {
      size_t at = offset(place);
      switch (type) {
      case CUDNN_DATA_DOUBLE:
        values[i] = static_cast<double *>(data())[at];
        break;
      case CUDNN_DATA_FLOAT:
        values[i] = double(static_cast<float *>(data())[at]);
        break;
      case CUDNN_DATA_INT32:
        values[i] = static_cast<int32_t *>(data())[at];
        break;
      case CUDNN_DATA_INT8:
        values[i] = static_cast<int8_t *>(data())[at];
        break;
      case CUDNN_DATA_HALF:
        values[i] = halfOfBits(static_cast<uint16_t *>(data())[at]);
        break;
      default: {
        float value = 0;
        std::memcpy(reinterpret_cast<char *>(&value) + 2,
                    static_cast<char *>(data()) + at * 2, 2);
        values[i] = double(value);
      }
      }
    });
    return values;
  }
  /// How far a result may be from the expected one, relative to 1 and to it.
  double tolerance() const {
    switch (type) {
    case CUDNN_DATA_DOUBLE:
      return 1e-12;
    case CUDNN_DATA_FLOAT:
      return 1e-5;
    case CUDNN_DATA_HALF:
      return 1e-3;
    case CUDNN_DATA_BFLOAT16:
      return 8e-3;
    default:
      return 0;
    }
  }
  void expect(const std::vector<double> &expected, double factor = 1) const {
    std::vector<double> found = get();
    ASSERT_EQ(found.size(), expected.size());
    for (size_t i = 0; i < found.size(); ++i)
      ASSERT_LE(std::abs(found[i] - expected[i]),
                factor * tolerance() * (1 + std::abs(expected[i])))
          << "element " << i << ": " << found[i] << " for " << expected[i];
  }

  const Ints dims, strides;
  const cudnnDataType_t type;
  cudnnTensorDescriptor_t descriptor = nullptr;

private:
  CUdeviceptr address = 0;
  size_t bytes;
};

/// A factor of a call, as the tensor's type wants it.
struct Factor {
  Factor(double value, cudnnDataType_t type)
      : wide(value), narrow(float(value)) {
    isWide = type == CUDNN_DATA_DOUBLE;
  }
  operator const void *() const {
    return isWide ? static_cast<const void *>(&wide) : &narrow;
  }
  double wide;
  float narrow;
  bool isWide;
};

/// A handle with a stream of its own.
class Cudnn : public testing::Test {
protected:
  Cudnn() {
    EXPECT_OK(cudnnCreate(&handle));
    EXPECT_EQ(cuStreamCreate(&stream, 0), CUDA_SUCCESS);
    EXPECT_OK(cudnnSetStream(handle, stream));
  }
  void TearDown() override {
    EXPECT_OK(cudnnDestroy(handle));
    EXPECT_EQ(cuStreamDestroy_v2(stream), CUDA_SUCCESS);
  }
  void wait() const { ASSERT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS); }
  /// Runs calls as a graph that was captured, `times` times.
  void replay(const std::function<void()> &calls, int times) const {
    CUgraph graph;
    CUgraphExec instance;
    ASSERT_EQ(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL),
              CUDA_SUCCESS);
    calls();
    ASSERT_EQ(cuStreamEndCapture(stream, &graph), CUDA_SUCCESS);
    ASSERT_EQ(cuGraphInstantiateWithFlags(&instance, graph, 0), CUDA_SUCCESS);
    for (int i = 0; i < times; ++i)
      ASSERT_EQ(cuGraphLaunch(instance, stream), CUDA_SUCCESS);
    wait();
    cuGraphExecDestroy(instance);
    cuGraphDestroy(graph);
  }
  cudnnHandle_t handle = nullptr;
  CUstream stream = nullptr;
};

/// A descriptor, destroyed at the end. DESCRIPTOR(Kind, name).
#define DESCRIPTOR(Kind, name)                                                 \
  cudnn##Kind##Descriptor_t name = nullptr;                                    \
  ASSERT_OK(cudnnCreate##Kind##Descriptor(&name));                             \
  std::shared_ptr<void> name##Owner(                                           \
      nullptr, [&](void *) { cudnnDestroy##Kind##Descriptor(name); })

} // namespace cudnntest

#endif
