//===- Dropout.cpp - dropout ----------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The states on the device are a seed and a counter, which the work reads and
// advances when it runs, so that launches of a graph differ. Numbers are those
// of SplitMix64, not NVIDIA's.
//
//===----------------------------------------------------------------------===//

#include "Call.h"
#include "Descriptors.h"
#include "RandomBits.h"

using namespace ptxjit;
using namespace ptxjit::cudnn;

PTXJIT_CUDNN_CREATE_DESTROY(Dropout)

PTXJIT_CUDNN_EXPORT cudnnStatus_t
cudnnDropoutGetStatesSize(cudnnHandle_t handle, size_t *bytes) {
  return run(__func__, [&] {
    checkHandle(handle);
    PTXJIT_REQUIRE(bytes != nullptr);
    *bytes = sizeof(RandomStates);
  });
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t
cudnnDropoutGetReserveSpaceSize(cudnnTensorDescriptor_t xDesc, size_t *bytes) {
  return run(__func__, [&] {
    PTXJIT_REQUIRE(bytes != nullptr);
    *bytes = size_t(countOf(getTensor(xDesc).dims)); // a byte for each element
  });
}

static void setDropout(cudnnDropoutDescriptor_t descriptor, float dropout,
                       void *states, size_t stateBytes,
                       unsigned long long seed) {
  PTXJIT_REQUIRE(dropout >= 0 && dropout <= 1);
  PTXJIT_REQUIRE(!states || stateBytes >= sizeof(RandomStates));
  get(descriptor) = {dropout, states, seed};
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnSetDropoutDescriptor(
    cudnnDropoutDescriptor_t descriptor, cudnnHandle_t handle, float dropout,
    void *states, size_t stateBytes, unsigned long long seed) {
  return run(__func__, [&] {
    setDropout(descriptor, dropout, states, stateBytes, seed);
    if (states)
      enqueue(handle, [=] {
        *static_cast<RandomStates *>(states) = {uint64_t(seed), 0};
      });
  });
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnRestoreDropoutDescriptor(
    cudnnDropoutDescriptor_t descriptor, cudnnHandle_t handle, float dropout,
    void *states, size_t stateBytes, unsigned long long seed) {
  return run(__func__, [&] {
    checkHandle(handle);
    setDropout(descriptor, dropout, states, stateBytes, seed);
  });
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnGetDropoutDescriptor(
    cudnnDropoutDescriptor_t descriptor, cudnnHandle_t handle, float *dropout,
    void **states, unsigned long long *seed) {
  return run(__func__, [&] {
    checkHandle(handle);
    const Dropout &settings = get(descriptor);
    give(dropout, settings.probability);
    if (states)
      *states = settings.states;
    give(seed, settings.seed);
  });
}

/// y = x / (1 - probability) where the mask has a 1, else 0.
template <typename T>
static void applyMask(const Shape &from, const void *x, const Shape &to,
                      void *y, const uint8_t *mask, float probability) {
  View<T> in = readView<T>(from, x);
  Output<T> out(to, y);
  T factor = probability < 1 ? 1 / (1 - T(probability)) : T(0);
  Walk<3>(to.dims, {rowStrides(to.dims), out.view().strides(), in.strides()})
      .run([&](auto offsets, int64_t count, auto steps) {
        for (int64_t i = 0; i < count; ++i)
          out.view().data[offsets[1] + i * steps[1]] =
              mask[offsets[0] + i * steps[0]]
                  ? factor * in.data[offsets[2] + i * steps[2]]
                  : T(0);
      });
  out.finish();
}

static void apply(const Shape &from, const void *x, const Shape &to, void *y,
                  const uint8_t *mask, float probability) {
  if (needsDouble(from.type))
    applyMask<double>(from, x, to, y, mask, probability);
  else
    applyMask<float>(from, x, to, y, mask, probability);
}

static void checkCall(const Shape &from, const void *x, const Shape &to,
                      const void *y, const void *reserve, size_t bytes) {
  PTXJIT_REQUIRE(x && y && reserve && from.dims == to.dims);
  PTXJIT_REQUIRE(bytes >= size_t(countOf(to.dims)));
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnDropoutForward(
    cudnnHandle_t handle, cudnnDropoutDescriptor_t descriptor,
    cudnnTensorDescriptor_t xDesc, const void *x, cudnnTensorDescriptor_t yDesc,
    void *y, void *reserve, size_t reserveBytes) {
  return run(__func__, [&] {
    Dropout dropout = get(descriptor);
    Shape from = getTensor(xDesc), to = getTensor(yDesc);
    checkCall(from, x, to, y, reserve, reserveBytes);
    PTXJIT_REQUIRE(dropout.states != nullptr);
    enqueue(handle, [=] {
      auto *states = static_cast<RandomStates *>(dropout.states);
      auto *mask = static_cast<uint8_t *>(reserve);
      int64_t count = countOf(to.dims);
      uint64_t first = randomBits(states->seed) + states->counter;
      states->counter += uint64_t(count);
      for (int64_t i = 0; i < count; ++i)
        mask[i] =
            randomNumber(first + uint64_t(i)) >= double(dropout.probability);
      apply(from, x, to, y, mask, dropout.probability);
    });
  });
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t
cudnnDropoutBackward(cudnnHandle_t handle, cudnnDropoutDescriptor_t descriptor,
                     cudnnTensorDescriptor_t dyDesc, const void *dy,
                     cudnnTensorDescriptor_t dxDesc, void *dx, void *reserve,
                     size_t reserveBytes) {
  return run(__func__, [&] {
    float probability = get(descriptor).probability;
    Shape from = getTensor(dyDesc), to = getTensor(dxDesc);
    checkCall(from, dy, to, dx, reserve, reserveBytes);
    enqueue(handle, [=] {
      apply(from, dy, to, dx, static_cast<uint8_t *>(reserve), probability);
    });
  });
}
