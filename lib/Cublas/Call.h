//===- Call.h - a call of the interface -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a program has set in its handle, and how a call checks its arguments and
// puts its work into the handle's stream.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_CUBLAS_CALL_H
#define PTXJIT_LIB_CUBLAS_CALL_H

#include "Status.h"
#include "ptxjit/HostWork/HostWork.h"

#include <functional>
#include <initializer_list>
#include <memory>
#include <utility>

namespace ptxjit::cublas {

struct Settings {
  CUstream stream = nullptr;
#define SETTING(name, type, field, isValid) type field = {};
#include "ptxjit/Cublas/Settings.def"
#undef SETTING
};

class Call {
public:
  Call(const char *name, CUcontext context, const Settings &settings)
      : name(name), context(context), settings(settings) {}

  cublasStatus_t fail(cublasStatus_t status, const std::string &reason) const {
    return cublas::fail(name, status, reason);
  }
  /// CUBLAS_STATUS_INVALID_VALUE. \param rule  what an argument breaks
  cublasStatus_t invalid(const char *rule) const {
    return fail(CUBLAS_STATUS_INVALID_VALUE, std::string("expected ") + rule);
  }
  cublasStatus_t unsupported(const std::string &reason) const {
    return refuse(name, reason);
  }
  /// Checks that OpenBLAS, whose integers have 32 bits, can count so far.
  cublasStatus_t checkRange(std::initializer_list<int64_t> numbers) const;

  bool isOnHost() const {
    return settings.pointerMode == CUBLAS_POINTER_MODE_HOST;
  }
  /// Puts work into the stream.
  cublasStatus_t enqueue(std::function<void()> work) const;
  /// The same for work that writes results to where the pointer mode says. If
  /// that is the host, it waits.
  cublasStatus_t enqueueResult(std::function<void()> work) const;

  const char *const name;

private:
  const CUcontext context;
  const Settings &settings;
};

/// A scalar argument. One on the host is read now, one on the device when the
/// work runs.
template <typename T> class Scalar {
public:
  Scalar(const Call &call, const T *pointer)
      : pointer(call.isOnHost() ? nullptr : pointer),
        value(call.isOnHost() && pointer ? *pointer : T{}) {}
  T get() const { return pointer ? *pointer : value; }

private:
  const T *pointer;
  T value;
};

/// Runs a function of a handle. A wrong handle is
/// CUBLAS_STATUS_NOT_INITIALIZED, a lack of memory CUBLAS_STATUS_ALLOC_FAILED.
cublasStatus_t enter(const char *name, cublasHandle_t handle,
                     const std::function<cublasStatus_t(const Call &)> &run);

/// Returns from the function if an argument breaks the rule.
#define PTXJIT_REQUIRE(call, rule)                                             \
  do                                                                           \
    if (!(rule))                                                               \
      return (call).invalid(#rule);                                            \
  while (false)

/// Returns from the function on an error.
#define PTXJIT_TRY(expression)                                                 \
  do                                                                           \
    if (cublasStatus_t tryStatus = (expression))                               \
      return tryStatus;                                                        \
  while (false)

#define PTXJIT_STRIP(...) __VA_ARGS__
#define PTXJIT_STRING(name) PTXJIT_STRING_(name)
#define PTXJIT_STRING_(name) #name
/// Defines a function of the tables.
#define PTXJIT_CUBLAS_DEFINE(name, run, parameters, arguments)                 \
  PTXJIT_CUBLAS_EXPORT cublasStatus_t name(cublasHandle_t handle,              \
                                           PTXJIT_STRIP parameters) {          \
    return ::ptxjit::cublas::enter(PTXJIT_STRING(name), handle,                \
                                   [&](const ::ptxjit::cublas::Call &call) {   \
                                     return run(call, PTXJIT_STRIP arguments); \
                                   });                                         \
  }

inline bool isValid(cublasOperation_t op) {
  return op == CUBLAS_OP_N || op == CUBLAS_OP_T || op == CUBLAS_OP_C;
}
inline bool isValid(cublasFillMode_t uplo) {
  return uplo == CUBLAS_FILL_MODE_LOWER || uplo == CUBLAS_FILL_MODE_UPPER;
}
inline bool isValid(cublasDiagType_t diag) {
  return diag == CUBLAS_DIAG_NON_UNIT || diag == CUBLAS_DIAG_UNIT;
}
inline bool isValid(cublasSideMode_t side) {
  return side == CUBLAS_SIDE_LEFT || side == CUBLAS_SIDE_RIGHT;
}
/// Is `ld` a leading dimension of columns of so many elements?
inline bool isLeading(int64_t ld, int64_t rows) {
  return ld >= (rows > 1 ? rows : 1);
}
/// The rows of a column that are in the triangle: the first, and the one behind
/// the last.
inline std::pair<int64_t, int64_t> rowsOf(cublasFillMode_t uplo, int64_t column,
                                          int64_t n) {
  return uplo == CUBLAS_FILL_MODE_LOWER
             ? std::make_pair(column, n)
             : std::make_pair(int64_t(0), column + 1);
}

} // namespace ptxjit::cublas

#endif
