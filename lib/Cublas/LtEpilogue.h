//===- LtEpilogue.h - what is done with products ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_CUBLAS_LTEPILOGUE_H
#define PTXJIT_LIB_CUBLAS_LTEPILOGUE_H

#include "Lt.h"

#include <vector>

namespace ptxjit::cublas {

/// Is it an epilogue of cuBLAS?
bool isEpilogue(uint32_t epilogue);
/// Whether the descriptor has the arrays that its epilogue needs.
bool hasPointers(const LtMatmul &matmul);

/// Makes D of blocks of op(A) * op(B), in f32: D = scaleD * f(alpha * scaleA *
/// scaleB * block + beta * scaleC * C + bias).
class Epilogue {
public:
  Epilogue(const LtProduct &product, const LtOperands &operands, int64_t index,
           const void *c, void *d);
  /// BGRADA and BGRADB: the sums of op(A) and op(B) along k.
  void addGradients(const void *a, const void *b);
  void store(const Block<float> &block);
  /// Writes what depends on all blocks.
  void finish();

private:
  float apply(float value, int64_t row, int64_t column);
  float activate(float value, int64_t row, int64_t column);
  float factor(const void *from, bool isVector, float host, int64_t row) const;

  const LtProduct &p;
  const LtMatmul &m;
  const LtOperands &o;
  const int64_t index;
  const void *c;
  void *d;
  char *aux;
  cudaDataType biasType, auxType;
  void *bias;
  float alpha = 0, beta = 0; ///< without vectors
  float scaleA = 1, scaleB = 1, scaleC = 1, scaleD = 1, scaleAux = 1;
  float amaxD = 0, amaxAux = 0;
  std::vector<float> gradient;
};

} // namespace ptxjit::cublas

#endif
