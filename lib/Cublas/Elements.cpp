//===- Elements.cpp - types of elements, and matrices of them -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops for each type, which the compiler vectorizes.
//
//===----------------------------------------------------------------------===//

#include "Elements.h"
#include "ptxjit/Runtime/NarrowFloats.h"

#include <cassert>
#include <cmath>

using namespace ptxjit;
using namespace ptxjit::cublas;

size_t cublas::sizeOf(cudaDataType type) {
  switch (type) {
  case CUDA_R_8I:
  case CUDA_R_8F_E4M3:
  case CUDA_R_8F_E5M2:
    return 1;
  case CUDA_R_16F:
  case CUDA_R_16BF:
    return 2;
  case CUDA_R_32F:
  case CUDA_R_32I:
    return 4;
  case CUDA_R_64F:
  case CUDA_C_32F:
    return 8;
  case CUDA_C_64F:
    return 16;
  }
  return 0;
}

template <typename From, typename To, typename F>
static void convert(const void *from, int64_t ldFrom, int64_t rows,
                    int64_t columns, void *to, int64_t ldTo, F function) {
  for (int64_t column = 0; column < columns; ++column) {
    const From *in = static_cast<const From *>(from) + column * ldFrom;
    To *out = static_cast<To *>(to) + column * ldTo;
    for (int64_t row = 0; row < rows; ++row)
      out[row] = function(in[row]);
  }
}

static int8_t floatToInt8(float value) {
  float rounded = std::nearbyint(value);
  return int8_t(rounded >= 127 ? 127 : rounded > -128 ? rounded : -128);
}
static int32_t floatToInt32(float value) {
  float rounded = std::nearbyint(value);
  return rounded >= 0x1p31f   ? INT32_MAX
         : rounded > -0x1p31f ? int32_t(rounded)
                              : INT32_MIN;
}

void cublas::toFloats(cudaDataType type, const void *from, int64_t ldFrom,
                      int64_t rows, int64_t columns, float *to, int64_t ldTo) {
  auto read = [&](auto *typed, auto function) {
    convert<std::remove_pointer_t<decltype(typed)>, float>(
        from, ldFrom, rows, columns, to, ldTo, function);
  };
  switch (type) {
  case CUDA_R_32F:
    return read((float *)nullptr, [](float value) { return value; });
  case CUDA_R_64F:
    return read((double *)nullptr, [](double value) { return float(value); });
  case CUDA_R_16F:
    return read((uint16_t *)nullptr, [](uint16_t b) { return halfToFloat(b); });
  case CUDA_R_16BF:
    return read((uint16_t *)nullptr,
                [](uint16_t b) { return bfloatToFloat(b); });
  case CUDA_R_8F_E4M3:
    return read((uint8_t *)nullptr, [](uint8_t b) { return e4m3ToFloat(b); });
  case CUDA_R_8F_E5M2:
    return read((uint8_t *)nullptr, [](uint8_t b) { return e5m2ToFloat(b); });
  case CUDA_R_8I:
    return read((int8_t *)nullptr, [](int8_t value) { return float(value); });
  case CUDA_R_32I:
    return read((int32_t *)nullptr, [](int32_t value) { return float(value); });
  case CUDA_C_32F:
  case CUDA_C_64F:
    break;
  }
  assert(false && "a complex type");
}

void cublas::fromFloats(const float *from, int64_t ldFrom, int64_t rows,
                        int64_t columns, cudaDataType type, void *to,
                        int64_t ldTo) {
  auto write = [&](auto *typed, auto function) {
    convert<float, std::remove_pointer_t<decltype(typed)>>(
        from, ldFrom, rows, columns, to, ldTo, function);
  };
  switch (type) {
  case CUDA_R_32F:
    return write((float *)nullptr, [](float value) { return value; });
  case CUDA_R_64F:
    return write((double *)nullptr, [](float value) { return double(value); });
  case CUDA_R_16F:
    return write((uint16_t *)nullptr, [](float v) { return floatToHalf(v); });
  case CUDA_R_16BF:
    return write((uint16_t *)nullptr, [](float v) { return floatToBfloat(v); });
  case CUDA_R_8F_E4M3:
    return write((uint8_t *)nullptr, [](float v) { return floatToE4m3(v); });
  case CUDA_R_8F_E5M2:
    return write((uint8_t *)nullptr, [](float v) { return floatToE5m2(v); });
  case CUDA_R_8I:
    return write((int8_t *)nullptr, floatToInt8);
  case CUDA_R_32I:
    return write((int32_t *)nullptr, floatToInt32);
  case CUDA_C_32F:
  case CUDA_C_64F:
    break;
  }
  assert(false && "a complex type");
}

float cublas::toFloat(cudaDataType type, const void *from) {
  float value;
  toFloats(type, from, 1, 1, 1, &value, 1);
  return value;
}
