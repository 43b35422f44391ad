//===- Level1Ex.cpp - vectors whose types are named by arguments ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vectors of other types than what is computed in are copied to that type.
//
//===----------------------------------------------------------------------===//

#include "Blas.h"
#include "Call.h"
#include "Elements.h"
#include "Product.h"

#include <cmath>
#include <cstring>
#include <vector>

using namespace ptxjit::cublas;

//===----------------------------------------------------------------------===//
// Numbers of types that arguments name
//===----------------------------------------------------------------------===//

/// Reads a number of type `type` as one of type E.
template <typename E> static E load(cudaDataType type, const void *from) {
  auto read = [&](auto value) {
    std::memcpy(&value, from, sizeof(value));
    return value;
  };
  if constexpr (isComplex<E>) {
    if (type == CUDA_C_32F)
      return E(read(cuComplex()));
    if (type == CUDA_C_64F)
      return E(read(cuDoubleComplex()));
    return E(load<Real<E>>(type, from));
  } else {
    if (type == CUDA_R_64F)
      return E(read(double()));
    return E(toFloat(type, from));
  }
}

template <typename E>
static void store(cudaDataType type, const E &value, void *to) {
  auto write = [&](const auto &converted) {
    std::memcpy(to, &converted, sizeof(converted));
  };
  if constexpr (isComplex<E>) {
    if (type == CUDA_C_32F)
      write(cuComplex(value));
    else
      write(cuDoubleComplex(value));
  } else if (type == CUDA_R_64F) {
    write(double(value));
  } else {
    float narrow = float(value);
    fromFloats(&narrow, 1, 1, 1, type, to, 1);
  }
}

namespace {
/// A vector in memory.
struct Vector {
  cudaDataType type;
  void *data;
  int64_t increment;
};
} // namespace

template <typename E>
static std::vector<E> load(const Vector &vector, int64_t n) {
  std::vector<E> values(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i)
    values[size_t(i)] =
        load<E>(vector.type, elementOf(vector.type, vector.data,
                                       offsetOf(i, n, vector.increment)));
  return values;
}
template <typename E>
static void store(const std::vector<E> &values, const Vector &vector) {
  auto n = int64_t(values.size());
  for (int64_t i = 0; i < n; ++i)
    store(
        vector.type, values[size_t(i)],
        elementOf(vector.type, vector.data, offsetOf(i, n, vector.increment)));
}

/// Is a vector of `type` computed with in `execution`?
static bool isComputedIn(cudaDataType type, cudaDataType execution) {
  if (type == execution)
    return true;
  return execution == CUDA_R_32F && (type == CUDA_R_16F || type == CUDA_R_16BF);
}

/// Calls function(E()) for the type that is computed in.
template <typename F>
static cublasStatus_t dispatch(const Call &call, cudaDataType execution,
                               std::initializer_list<cudaDataType> types,
                               F function) {
  for (cudaDataType type : types)
    if (!isComputedIn(type, execution))
      return call.unsupported("no type " + std::to_string(type) +
                              " with type " + std::to_string(execution));
  switch (execution) {
  case CUDA_R_32F:
    return function(float());
  case CUDA_R_64F:
    return function(double());
  case CUDA_C_32F:
    return function(cuComplex());
  case CUDA_C_64F:
    return function(cuDoubleComplex());
  default:
    return call.unsupported("nothing is computed in type " +
                            std::to_string(execution));
  }
}

/// The type of the absolute value.
static cudaDataType realOf(cudaDataType type) {
  return type == CUDA_C_32F   ? CUDA_R_32F
         : type == CUDA_C_64F ? CUDA_R_64F
                              : type;
}
static cudaDataType executionOf(cudaDataType type) {
  return type == CUDA_R_16F || type == CUDA_R_16BF ? CUDA_R_32F : type;
}
static Vector vectorOf(const void *data, cudaDataType type, int64_t increment) {
  return {type, const_cast<void *>(data), increment};
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// \param function  gets n and the vector, and returns the result
template <typename E, typename F>
static cublasStatus_t reduce(const Call &call, int64_t n, const Vector &x,
                             void *result, cudaDataType resultType,
                             F function) {
  PTXJIT_REQUIRE(call, result);
  bool isEmpty = n <= 0 || x.increment <= 0;
  PTXJIT_REQUIRE(call, isEmpty || x.data);
  PTXJIT_TRY(call.checkRange({n}));
  return call.enqueueResult([=] {
    std::vector<E> values = load<E>(x, isEmpty ? 0 : n);
    store(resultType,
          isEmpty ? Real<E>(0) : Real<E>(function(toBlas(n), values.data(), 1)),
          result);
  });
}

/// \param choose  gets an element, and returns the function of its type
template <typename F>
static cublasStatus_t reduceToReal(const Call &call, int64_t n, const void *x,
                                   cudaDataType xType, int64_t incx,
                                   void *result, cudaDataType resultType,
                                   cudaDataType execution, F choose) {
  // The type of execution is real for complex vectors, too.
  cudaDataType computed = isComplexType(xType) ? xType : execution;
  PTXJIT_REQUIRE(call, resultType == realOf(xType));
  return dispatch(call, computed, {xType}, [&](auto e) {
    return reduce<decltype(e)>(call, n, vectorOf(x, xType, incx), result,
                               resultType, choose(e));
  });
}

static cublasStatus_t nrm2Ex(const Call &call, int64_t n, const void *x,
                             cudaDataType xType, int64_t incx, void *result,
                             cudaDataType resultType, cudaDataType execution) {
  return reduceToReal(call, n, x, xType, incx, result, resultType, execution,
                      [](auto e) { return Blas<decltype(e)>::nrm2; });
}

static cublasStatus_t asumEx(const Call &call, int64_t n, const void *x,
                             cudaDataType xType, int64_t incx, void *result,
                             cudaDataType resultType, cudaDataType execution) {
  return reduceToReal(call, n, x, xType, incx, result, resultType, execution,
                      [](auto e) { return Blas<decltype(e)>::asum; });
}

/// An index, from 1 on. \param function  gets E, and returns a function
template <typename Int, typename F>
static cublasStatus_t findExtreme(const Call &call, int64_t n, const void *x,
                                  cudaDataType xType, int64_t incx, Int *result,
                                  F choose) {
  return dispatch(call, executionOf(xType), {xType}, [&](auto e) {
    using E = decltype(e);
    PTXJIT_REQUIRE(call, result);
    bool isEmpty = n <= 0 || incx <= 0;
    PTXJIT_REQUIRE(call, isEmpty || x);
    PTXJIT_TRY(call.checkRange({n}));
    Vector vector = vectorOf(x, xType, incx);
    auto function = choose(e);
    return call.enqueueResult([=] {
      std::vector<E> values = load<E>(vector, isEmpty ? 0 : n);
      *result = isEmpty ? 0 : Int(function(toBlas(n), values.data(), 1)) + 1;
    });
  });
}
template <typename Int>
static cublasStatus_t amaxEx(const Call &call, int64_t n, const void *x,
                             cudaDataType xType, int64_t incx, Int *result) {
  return findExtreme(call, n, x, xType, incx, result,
                     [](auto e) { return Blas<decltype(e)>::amax; });
}
template <typename Int>
static cublasStatus_t aminEx(const Call &call, int64_t n, const void *x,
                             cudaDataType xType, int64_t incx, Int *result) {
  return findExtreme(call, n, x, xType, incx, result,
                     [](auto e) { return Blas<decltype(e)>::amin; });
}

static cublasStatus_t multiply(const Call &call, int64_t n, const Vector &x,
                               const Vector &y, void *result,
                               cudaDataType resultType, cudaDataType execution,
                               bool isConjugated) {
  PTXJIT_REQUIRE(call, result);
  PTXJIT_REQUIRE(call, x.type == y.type && resultType == x.type);
  PTXJIT_REQUIRE(call, n <= 0 || (x.data && y.data));
  return dispatch(call, execution, {x.type}, [&](auto e) {
    using E = decltype(e);
    return call.enqueueResult([=] {
      std::vector<E> left = load<E>(x, std::max(n, int64_t(0)));
      std::vector<E> right = load<E>(y, std::max(n, int64_t(0)));
      E sum = 0;
      for (size_t i = 0; i < left.size(); ++i)
        sum += (isConjugated ? conjugate(left[i]) : left[i]) * right[i];
      store(resultType, sum, result);
    });
  });
}
static cublasStatus_t dotEx(const Call &call, int64_t n, const void *x,
                            cudaDataType xType, int64_t incx, const void *y,
                            cudaDataType yType, int64_t incy, void *result,
                            cudaDataType resultType, cudaDataType execution) {
  return multiply(call, n, vectorOf(x, xType, incx), vectorOf(y, yType, incy),
                  result, resultType, execution, false);
}
static cublasStatus_t dotcEx(const Call &call, int64_t n, const void *x,
                             cudaDataType xType, int64_t incx, const void *y,
                             cudaDataType yType, int64_t incy, void *result,
                             cudaDataType resultType, cudaDataType execution) {
  return multiply(call, n, vectorOf(x, xType, incx), vectorOf(y, yType, incy),
                  result, resultType, execution, true);
}

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

namespace {
/// A scalar argument, read as type E.
template <typename E> class ScalarAs {
public:
  ScalarAs(const Call &call, cudaDataType type, const void *pointer)
      : type(type), pointer(call.isOnHost() ? nullptr : pointer) {
    if (!this->pointer)
      value = readNumber(type, pointer);
  }
  E get() const { return load<E>(type, pointer ? pointer : value.data()); }

private:
  cudaDataType type;
  const void *pointer;
  Number value;
};
} // namespace

/// May a factor of `type` multiply numbers of type `execution`?
static bool isFactor(cudaDataType type, cudaDataType execution) {
  return isComputedIn(type, execution) || type == realOf(execution);
}

static cublasStatus_t scalEx(const Call &call, int64_t n, const void *alpha,
                             cudaDataType alphaType, void *x,
                             cudaDataType xType, int64_t incx,
                             cudaDataType execution) {
  PTXJIT_REQUIRE(call, alpha && isFactor(alphaType, execution));
  return dispatch(call, execution, {xType}, [&](auto e) {
    using E = decltype(e);
    if (n <= 0 || incx <= 0)
      return CUBLAS_STATUS_SUCCESS;
    PTXJIT_REQUIRE(call, x);
    Vector vector = vectorOf(x, xType, incx);
    return call.enqueue([=, factor = ScalarAs<E>(call, alphaType, alpha)] {
      std::vector<E> values = load<E>(vector, n);
      for (E &value : values)
        value *= factor.get();
      store(values, vector);
    });
  });
}

static cublasStatus_t axpyEx(const Call &call, int64_t n, const void *alpha,
                             cudaDataType alphaType, const void *x,
                             cudaDataType xType, int64_t incx, void *y,
                             cudaDataType yType, int64_t incy,
                             cudaDataType execution) {
  PTXJIT_REQUIRE(call, alpha && isFactor(alphaType, execution));
  return dispatch(call, execution, {xType, yType}, [&](auto e) {
    using E = decltype(e);
    if (n <= 0)
      return CUBLAS_STATUS_SUCCESS;
    PTXJIT_REQUIRE(call, x && y);
    Vector from = vectorOf(x, xType, incx), to = vectorOf(y, yType, incy);
    return call.enqueue([=, factor = ScalarAs<E>(call, alphaType, alpha)] {
      std::vector<E> values = load<E>(from, n), sums = load<E>(to, n);
      for (size_t i = 0; i < sums.size(); ++i)
        sums[i] += factor.get() * values[i];
      store(sums, to);
    });
  });
}

/// Calls `move` for each pair of elements of two vectors of one type.
template <typename F>
static cublasStatus_t movePairs(const Call &call, int64_t n, const Vector &x,
                                const Vector &y, F move) {
  if (x.type != y.type || !sizeOf(x.type))
    return call.unsupported("vectors of different types are not moved");
  if (n <= 0)
    return CUBLAS_STATUS_SUCCESS;
  PTXJIT_REQUIRE(call, x.data && y.data);
  return call.enqueue([=] {
    for (int64_t i = 0; i < n; ++i)
      move(elementOf(x.type, x.data, offsetOf(i, n, x.increment)),
           elementOf(y.type, y.data, offsetOf(i, n, y.increment)),
           sizeOf(x.type));
  });
}
static cublasStatus_t copyEx(const Call &call, int64_t n, const void *x,
                             cudaDataType xType, int64_t incx, void *y,
                             cudaDataType yType, int64_t incy) {
  return movePairs(
      call, n, vectorOf(x, xType, incx), vectorOf(y, yType, incy),
      [](void *x, void *y, size_t size) { std::memcpy(y, x, size); });
}
static cublasStatus_t swapEx(const Call &call, int64_t n, void *x,
                             cudaDataType xType, int64_t incx, void *y,
                             cudaDataType yType, int64_t incy) {
  return movePairs(call, n, vectorOf(x, xType, incx), vectorOf(y, yType, incy),
                   [](void *x, void *y, size_t size) {
                     char kept[16];
                     std::memcpy(kept, x, size);
                     std::memcpy(x, y, size);
                     std::memcpy(y, kept, size);
                   });
}

//===----------------------------------------------------------------------===//
// Rotations
//===----------------------------------------------------------------------===//

static cublasStatus_t rotEx(const Call &call, int64_t n, void *x,
                            cudaDataType xType, int64_t incx, void *y,
                            cudaDataType yType, int64_t incy, const void *c,
                            const void *s, cudaDataType csType,
                            cudaDataType execution) {
  PTXJIT_REQUIRE(call, c && s && isFactor(csType, execution));
  return dispatch(call, execution, {xType, yType}, [&](auto e) {
    using E = decltype(e);
    if (n <= 0)
      return CUBLAS_STATUS_SUCCESS;
    PTXJIT_REQUIRE(call, x && y);
    Vector first = vectorOf(x, xType, incx), second = vectorOf(y, yType, incy);
    // The cosine is real.
    return call.enqueue([=, cosine = ScalarAs<Real<E>>(call, realOf(csType), c),
                         sine = ScalarAs<E>(call, csType, s)] {
      std::vector<E> a = load<E>(first, n), b = load<E>(second, n);
      Real<E> c = cosine.get();
      E s = sine.get();
      for (size_t i = 0; i < a.size(); ++i) {
        E rotated = c * a[i] + s * b[i];
        b[i] = c * b[i] - conjugate(s) * a[i];
        a[i] = rotated;
      }
      store(a, first);
      store(b, second);
    });
  });
}

/// Real vectors of the type that is computed in.
template <typename F>
static cublasStatus_t dispatchReal(const Call &call, cudaDataType execution,
                                   std::initializer_list<cudaDataType> types,
                                   F function) {
  for (cudaDataType type : types)
    if (type != execution)
      return call.unsupported("rotations of numbers of different types");
  switch (execution) {
  case CUDA_R_32F:
    return function(float());
  case CUDA_R_64F:
    return function(double());
  default:
    return call.unsupported("rotations in type " + std::to_string(execution));
  }
}

static cublasStatus_t rotmEx(const Call &call, int64_t n, void *x,
                             cudaDataType xType, int64_t incx, void *y,
                             cudaDataType yType, int64_t incy,
                             const void *param, cudaDataType paramType,
                             cudaDataType execution) {
  auto run = [&](auto e) {
    using E = decltype(e);
    PTXJIT_REQUIRE(call, param);
    if (n <= 0)
      return CUBLAS_STATUS_SUCCESS;
    PTXJIT_REQUIRE(call, x && y);
    PTXJIT_TRY(call.checkRange({n, incx, incy}));
    struct Parameters {
      E values[5];
    };
    Scalar<Parameters> kept(call, static_cast<const Parameters *>(param));
    return call.enqueue([=] {
      Blas<E>::rotm(toBlas(n), static_cast<E *>(x), toBlas(incx),
                    static_cast<E *>(y), toBlas(incy), kept.get().values);
    });
  };
  return dispatchReal(call, execution, {xType, yType, paramType}, run);
}

static cublasStatus_t rotgEx(const Call &call, void *a, void *b,
                             cudaDataType abType, void *c, void *s,
                             cudaDataType csType, cudaDataType execution) {
  auto run = [&](auto e) {
    using E = decltype(e);
    PTXJIT_REQUIRE(call, a && b && c && s);
    return call.enqueueResult([=] {
      Blas<E>::rotg(static_cast<E *>(a), static_cast<E *>(b),
                    static_cast<Real<E> *>(c), static_cast<E *>(s));
    });
  };
  if (isComplexType(execution))
    return dispatch(call, execution, {abType, csType}, run);
  return dispatchReal(call, execution, {abType, csType}, run);
}

static cublasStatus_t rotmgEx(const Call &call, void *d1, cudaDataType d1Type,
                              void *d2, cudaDataType d2Type, void *x1,
                              cudaDataType x1Type, const void *y1,
                              cudaDataType y1Type, void *param,
                              cudaDataType paramType, cudaDataType execution) {
  auto run = [&](auto e) {
    using E = decltype(e);
    PTXJIT_REQUIRE(call, d1 && d2 && x1 && y1 && param);
    return call.enqueueResult([=] {
      Blas<E>::rotmg(static_cast<E *>(d1), static_cast<E *>(d2),
                     static_cast<E *>(x1), *static_cast<const E *>(y1),
                     static_cast<E *>(param));
    });
  };
  return dispatchReal(call, execution,
                      {d1Type, d2Type, x1Type, y1Type, paramType}, run);
}

#define FUNCTION PTXJIT_CUBLAS_DEFINE
#define NAME(base) PTXJIT_WIDTH(cublas##base)
#define PTXJIT_TABLE "ptxjit/Cublas/Level1Ex.def"
#include "ptxjit/Cublas/EachWidth.inc"
