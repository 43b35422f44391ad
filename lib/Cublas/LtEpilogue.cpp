//===- LtEpilogue.cpp - what is done with products ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LtEpilogue.h"
#include "Elements.h"

#include <algorithm>
#include <cmath>

using namespace ptxjit;
using namespace ptxjit::cublas;

// Flags of epilogues.
static constexpr uint32_t kDefault = 1, kRelu = 2, kBias = 4, kDrelu = 8,
                          kBgrad = 16, kGelu = 32, kDgelu = 64, kAux = 128,
                          kBgradA = 256, kBgradB = 512;

bool cublas::isEpilogue(uint32_t epilogue) {
  switch (epilogue) {
  case kDefault:
  case kBias:
  case kRelu:
  case kRelu | kBias:
  case kRelu | kAux:
  case kRelu | kAux | kBias:
  case kDrelu | kAux:
  case kDrelu | kAux | kBgrad:
  case kGelu:
  case kGelu | kBias:
  case kGelu | kAux:
  case kGelu | kAux | kBias:
  case kDgelu | kAux:
  case kDgelu | kAux | kBgrad:
  case kBgradA:
  case kBgradB:
    return true;
  }
  return false;
}

bool cublas::hasPointers(const LtMatmul &m) {
  bool needsBias = m.epilogue & (kBias | kBgrad | kBgradA | kBgradB);
  return (m.bias || !needsBias) && (m.aux || !(m.epilogue & kAux));
}

static cudaDataType defaultBias(const LtProduct &p) {
  auto d = cudaDataType(int(p.d.type)), c = cudaDataType(int(p.c.type));
  if (sizeOf(cudaDataType(int(p.a.type))) > 1)
    return d;
  return c == CUDA_R_16F ? CUDA_R_16F : CUDA_R_16BF;
}

Epilogue::Epilogue(const LtProduct &product, const LtOperands &operands,
                   int64_t index, const void *c, void *d)
    : p(product), m(p.matmul), o(operands), index(index), c(c), d(d),
      biasType(m.biasType < 0 ? defaultBias(p) : cudaDataType(m.biasType)),
      auxType(m.auxType < 0 ? cudaDataType(int(p.d.type))
                            : cudaDataType(m.auxType)) {
  cudaDataType scale = p.product.scale;
  int mode = m.pointerMode;
  if (mode == CUBLASLT_POINTER_MODE_HOST)
    alpha = toFloat(scale, o.alphaValue.data());
  if (mode == CUBLASLT_POINTER_MODE_DEVICE) {
    alpha = toFloat(scale, o.alpha);
    beta = toFloat(scale, o.beta);
  }
  if (mode == CUBLASLT_POINTER_MODE_HOST ||
      mode == CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_HOST)
    beta = toFloat(scale, o.betaValue.data());
  auto read = [](const float *pointer, int factorMode) {
    return pointer && !factorMode ? *pointer : 1.f;
  };
  scaleA = read(m.scaleA, m.modeA);
  scaleB = read(m.scaleB, m.modeB);
  scaleC = read(m.scaleC, 0);
  scaleD = read(m.scaleD, 0);
  scaleAux = read(m.scaleAux, 0);
  bias = m.bias ? elementOf(biasType, m.bias, index * m.biasStride) : nullptr;
  bool isMask = m.epilogue & (kRelu | kDrelu);
  aux = static_cast<char *>(m.aux);
  if (aux)
    aux += isMask ? index * m.auxStride / 8
                  : index * m.auxStride * int64_t(sizeOf(auxType));
  if (m.epilogue & kBgrad)
    gradient.resize(p.d.rows);
}

void Epilogue::addGradients(const void *a, const void *b) {
  if (!(m.epilogue & (kBgradA | kBgradB)))
    return;
  // In the transposed product A and B are exchanged.
  bool isFirst = bool(m.epilogue & kBgradA) != p.isTransposed;
  const Product &q = p.product;
  const void *matrix = isFirst ? a : b;
  cudaDataType type = isFirst ? q.typeA : q.typeB;
  int64_t ld = isFirst ? q.lda : q.ldb, length = isFirst ? q.m : q.n;
  // The index that is kept runs along columns of what is stored?
  bool isDown =
      (isFirst ? q.transA : q.transB) == CUBLAS_OP_N ? isFirst : !isFirst;
  for (int64_t i = 0; i < length; ++i) {
    float sum = 0;
    for (int64_t k = 0; k < q.k; ++k)
      sum += toFloat(type,
                     elementOf(type, matrix, isDown ? i + k * ld : k + i * ld));
    fromFloats(&sum, 1, 1, 1, biasType, elementOf(biasType, bias, i), 1);
  }
}

static float gelu(float x) {
  return 0.5f * x *
         (1 + std::tanh(0.7978845608f * (x + 0.044715f * x * x * x)));
}
static float geluDerivative(float x) {
  float inner = 0.7978845608f * (x + 0.044715f * x * x * x);
  float t = std::tanh(inner);
  return 0.5f * (1 + t) +
         0.5f * x * (1 - t * t) * 0.7978845608f * (1 + 3 * 0.044715f * x * x);
}

float Epilogue::activate(float value, int64_t row, int64_t column) {
  int64_t at = row + column * m.auxLd;
  char bit = char(1 << (at & 7));
  if (m.epilogue & kRelu) {
    if (m.epilogue & kAux)
      aux[at / 8] = char(value > 0 ? aux[at / 8] | bit : aux[at / 8] & ~bit);
    return value > 0 || value != value ? value : 0;
  }
  if (m.epilogue & kDrelu)
    return aux[at / 8] & bit ? value : 0;
  if (m.epilogue & kGelu) {
    if (m.epilogue & kAux) {
      amaxAux = std::max(amaxAux, std::fabs(value));
      float scaled = value * scaleAux;
      fromFloats(&scaled, 1, 1, 1, auxType, elementOf(auxType, aux, at), 1);
    }
    return gelu(value);
  }
  if (m.epilogue & kDgelu)
    return value *
           geluDerivative(scaleAux *
                          toFloat(auxType, elementOf(auxType, aux, at)));
  return value;
}

float Epilogue::factor(const void *from, bool isVector, float host,
                       int64_t row) const {
  cudaDataType scale = p.product.scale;
  return isVector ? toFloat(scale,
                            elementOf(scale, from, row + index * m.alphaStride))
                  : host;
}

/// \param row, column  in D as the program describes it
float Epilogue::apply(float value, int64_t row, int64_t column) {
  bool hasVectors = m.pointerMode >= CUBLASLT_POINTER_MODE_DEVICE_VECTOR;
  bool hasBetas = m.pointerMode == CUBLASLT_POINTER_MODE_DEVICE_VECTOR;
  float a = m.scaleA && m.modeA ? m.scaleA[row] : scaleA;
  float b = m.scaleB && m.modeB ? m.scaleB[column] : scaleB;
  value *= factor(o.alpha, hasVectors, alpha, row) * a * b;
  float old = factor(o.beta, hasBetas, beta, row);
  if (old != 0 && c) {
    auto type = cudaDataType(int(p.c.type));
    bool isRow = p.isTransposed;
    value += old * scaleC *
             toFloat(type, elementOf(type, c,
                                     isRow ? column + row * p.c.ld
                                           : row + column * p.c.ld));
  }
  if (m.epilogue & kBias)
    value += toFloat(biasType, elementOf(biasType, bias, row));
  value = activate(value, row, column);
  if (m.epilogue & kBgrad)
    gradient[size_t(row)] += value;
  amaxD = std::max(amaxD, std::fabs(value));
  return value * scaleD;
}

void Epilogue::store(const Block<float> &block) {
  for (int64_t j = 0; j < block.columns; ++j)
    for (int64_t i = 0; i < block.rows; ++i) {
      int64_t row = block.row + i, column = block.column + j;
      if (p.isTransposed)
        std::swap(row, column);
      float &value = block.values[i + j * block.rows];
      value = apply(value, row, column);
    }
  cudaDataType type = p.product.typeC;
  fromFloats(block.values, block.rows, block.rows, block.columns, type,
             elementOf(type, d, block.row + block.column * p.d.ld), p.d.ld);
}

void Epilogue::finish() {
  for (size_t row = 0; row < gradient.size(); ++row)
    fromFloats(&gradient[row], 1, 1, 1, biasType,
               elementOf(biasType, bias, int64_t(row)), 1);
  // One maximum for the whole batch.
  if (m.amaxD)
    *m.amaxD = index ? std::max(*m.amaxD, amaxD) : amaxD;
  if (m.amaxAux)
    *m.amaxAux = index ? std::max(*m.amaxAux, amaxAux) : amaxAux;
}
