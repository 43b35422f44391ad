//===- Lt.h - what the files of cublasLt share ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Descriptors are in structures of programs, which may copy them.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_CUBLAS_LT_H
#define PTXJIT_LIB_CUBLAS_LT_H

#include "Product.h"
#include "Status.h"
#include "ptxjit/Cublas/CublasLtABI.h"
#include "ptxjit/HostWork/HostWork.h"

namespace ptxjit::cublas {

#define PTXJIT_LT_FIELD(name, number, type, field, initial)                    \
  type field = initial;
struct LtLayout {
#define LAYOUT_ATTRIBUTE PTXJIT_LT_FIELD
#include "ptxjit/Cublas/LtAttributes.def"
};
struct LtMatmul {
#define MATMUL_ATTRIBUTE PTXJIT_LT_FIELD
#include "ptxjit/Cublas/LtAttributes.def"
};
struct LtTransform {
#define TRANSFORM_ATTRIBUTE PTXJIT_LT_FIELD
#include "ptxjit/Cublas/LtAttributes.def"
};
struct LtPreference {
#define PREFERENCE_ATTRIBUTE PTXJIT_LT_FIELD
#include "ptxjit/Cublas/LtAttributes.def"
};
struct LtEmulation {
#define EMULATION_ATTRIBUTE PTXJIT_LT_FIELD
#include "ptxjit/Cublas/LtAttributes.def"
};
struct LtAlgo {
#define CONFIG_ATTRIBUTE PTXJIT_LT_FIELD
#include "ptxjit/Cublas/LtAttributes.def"
};
#undef PTXJIT_LT_FIELD

/// Our structure behind the program's.
#define PTXJIT_LT_VIEW(Ours, Theirs)                                           \
  static_assert(sizeof(Ours) <= sizeof(Theirs));                               \
  inline Ours *view(Theirs *descriptor) {                                      \
    return reinterpret_cast<Ours *>(descriptor);                               \
  }                                                                            \
  inline const Ours *view(const Theirs *descriptor) {                          \
    return reinterpret_cast<const Ours *>(descriptor);                         \
  }
PTXJIT_LT_VIEW(LtLayout, cublasLtMatrixLayoutOpaque_t)
PTXJIT_LT_VIEW(LtMatmul, cublasLtMatmulDescOpaque_t)
PTXJIT_LT_VIEW(LtTransform, cublasLtMatrixTransformDescOpaque_t)
PTXJIT_LT_VIEW(LtPreference, cublasLtMatmulPreferenceOpaque_t)
PTXJIT_LT_VIEW(LtEmulation, cublasLtEmulationDescOpaque_t)
PTXJIT_LT_VIEW(LtAlgo, cublasLtMatmulAlgo_t)
#undef PTXJIT_LT_VIEW

/// A handle of cublasLt or cublas.
bool isLtHandle(const void *handle);

/// A product of cublasLt. D is stored by columns; else it is the transposed
/// product, with A and B exchanged.
struct LtProduct {
  LtMatmul matmul;
  LtLayout a, b, c, d; ///< as the program describes them
  Product product;
  bool isTransposed;
};

/// Finds what the descriptors mean. \returns CUBLAS_STATUS_INVALID_VALUE if
/// they do not fit together, CUBLAS_STATUS_NOT_SUPPORTED, with `reason`, for
/// what we cannot do.
cublasStatus_t describe(const LtMatmul &matmul, const LtLayout &a,
                        const LtLayout &b, const LtLayout &c, const LtLayout &d,
                        LtProduct &out, std::string &reason);

/// The matrices and factors of a call.
struct LtOperands {
  const void *alpha, *beta; ///< where the pointer mode says
  Number alphaValue, betaValue;
  const void *a, *b, *c;
  void *d;
};
/// Makes all products of a call.
void run(const LtProduct &product, const LtOperands &operands);

} // namespace ptxjit::cublas

#endif
