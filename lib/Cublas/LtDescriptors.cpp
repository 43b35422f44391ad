//===- LtDescriptors.cpp - descriptors of cublasLt ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lt.h"

#include <cstring>

using namespace ptxjit::cublas;

namespace {
/// Where an attribute is.
struct Place {
  size_t offset, size;
};
} // namespace

// findPlace() finds the attribute of a structure, or nothing: size 0.
#define ATTRIBUTE(name, number, type, field, initial)                          \
  case number:                                                                 \
    return {offsetof(Descriptor, field), sizeof(type)};
#define FINDER(kind)                                                           \
  static Place findPlace(const kind &, int attribute) {                        \
    using Descriptor = kind;                                                   \
    switch (attribute) {
#define END_FINDER                                                             \
  }                                                                            \
  return {0, 0};                                                               \
  }
FINDER(LtLayout)
#define LAYOUT_ATTRIBUTE ATTRIBUTE
#include "ptxjit/Cublas/LtAttributes.def"
END_FINDER
FINDER(LtMatmul)
#define MATMUL_ATTRIBUTE ATTRIBUTE
#include "ptxjit/Cublas/LtAttributes.def"
END_FINDER
FINDER(LtTransform)
#define TRANSFORM_ATTRIBUTE ATTRIBUTE
#include "ptxjit/Cublas/LtAttributes.def"
END_FINDER
FINDER(LtPreference)
#define PREFERENCE_ATTRIBUTE ATTRIBUTE
#include "ptxjit/Cublas/LtAttributes.def"
END_FINDER
FINDER(LtEmulation)
#define EMULATION_ATTRIBUTE ATTRIBUTE
#include "ptxjit/Cublas/LtAttributes.def"
END_FINDER
FINDER(LtAlgo)
#define CONFIG_ATTRIBUTE ATTRIBUTE
#include "ptxjit/Cublas/LtAttributes.def"
END_FINDER

template <typename T>
static cublasStatus_t set(const char *name, T *descriptor, int attribute,
                          const void *buffer, size_t bytes) {
  if (!descriptor || !buffer)
    return finish(name, CUBLAS_STATUS_INVALID_VALUE);
  Place place = findPlace(*descriptor, attribute);
  if (!place.size || place.size != bytes)
    return finish(name, CUBLAS_STATUS_INVALID_VALUE);
  std::memcpy(reinterpret_cast<char *>(descriptor) + place.offset, buffer,
              bytes);
  return finish(name, CUBLAS_STATUS_SUCCESS);
}

/// With a size of 0 it only tells the size.
template <typename T>
static cublasStatus_t get(const char *name, const T *descriptor, int attribute,
                          void *buffer, size_t bytes, size_t *written) {
  Place place = descriptor ? findPlace(*descriptor, attribute) : Place{0, 0};
  bool isQuery = bytes == 0 && written;
  if (!place.size || (!isQuery && (!buffer || bytes != place.size)))
    return finish(name, CUBLAS_STATUS_INVALID_VALUE);
  if (!isQuery)
    std::memcpy(buffer,
                reinterpret_cast<const char *>(descriptor) + place.offset,
                bytes);
  if (written)
    *written = place.size;
  return finish(name, CUBLAS_STATUS_SUCCESS);
}

/// Writes a descriptor to the program's structure of `size` bytes.
template <typename T, typename Opaque>
static cublasStatus_t init(const char *name, Opaque *to, size_t size,
                           const T &descriptor) {
  if (!to || size < sizeof(T))
    return finish(name, CUBLAS_STATUS_INVALID_VALUE);
  std::memset(to, 0, size);
  std::memcpy(static_cast<void *>(to), &descriptor, sizeof(T));
  return finish(name, CUBLAS_STATUS_SUCCESS);
}

template <typename T, typename Opaque>
static cublasStatus_t create(const char *name, Opaque **out,
                             const T &descriptor) {
  if (!out)
    return finish(name, CUBLAS_STATUS_INVALID_VALUE);
  *out = new Opaque;
  return init(name, *out, sizeof(Opaque), descriptor);
}

#define DESCRIPTOR(name, type)                                                 \
  PTXJIT_CUBLAS_EXPORT cublasStatus_t cublasLt##name##Destroy(                 \
      type descriptor) {                                                       \
    delete descriptor;                                                         \
    return finish("cublasLt" #name "Destroy", CUBLAS_STATUS_SUCCESS);          \
  }                                                                            \
  PTXJIT_CUBLAS_EXPORT cublasStatus_t cublasLt##name##SetAttribute(            \
      type descriptor, cublasLtAttribute_t attribute, const void *buffer,      \
      size_t bytes) {                                                          \
    return set("cublasLt" #name "SetAttribute", view(descriptor), attribute,   \
               buffer, bytes);                                                 \
  }                                                                            \
  PTXJIT_CUBLAS_EXPORT cublasStatus_t cublasLt##name##GetAttribute(            \
      type descriptor, cublasLtAttribute_t attribute, void *buffer,            \
      size_t bytes, size_t *written) {                                         \
    return get("cublasLt" #name "GetAttribute", view(descriptor), attribute,   \
               buffer, bytes, written);                                        \
  }
PTXJIT_CUBLASLT_DESCRIPTORS(DESCRIPTOR)
#undef DESCRIPTOR

//===----------------------------------------------------------------------===//
// Making them
//===----------------------------------------------------------------------===//

static LtLayout layoutOf(cudaDataType type, uint64_t rows, uint64_t columns,
                         int64_t ld) {
  LtLayout layout;
  layout.type = uint32_t(type);
  layout.rows = rows;
  layout.columns = columns;
  layout.ld = ld;
  return layout;
}
PTXJIT_CUBLAS_EXPORT cublasStatus_t cublasLtMatrixLayoutInit_internal(
    cublasLtMatrixLayout_t layout, size_t size, cudaDataType type,
    uint64_t rows, uint64_t columns, int64_t ld) {
  return init("cublasLtMatrixLayoutInit", layout, size,
              layoutOf(type, rows, columns, ld));
}
PTXJIT_CUBLAS_EXPORT cublasStatus_t
cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *layout, cudaDataType type,
                           uint64_t rows, uint64_t columns, int64_t ld) {
  return create("cublasLtMatrixLayoutCreate", layout,
                layoutOf(type, rows, columns, ld));
}

static LtMatmul matmulOf(cublasComputeType_t compute, cudaDataType scale) {
  LtMatmul matmul;
  matmul.compute = compute;
  matmul.scale = scale;
  return matmul;
}
PTXJIT_CUBLAS_EXPORT cublasStatus_t cublasLtMatmulDescInit_internal(
    cublasLtMatmulDesc_t descriptor, size_t size, cublasComputeType_t compute,
    cudaDataType scale) {
  return init("cublasLtMatmulDescInit", descriptor, size,
              matmulOf(compute, scale));
}
PTXJIT_CUBLAS_EXPORT cublasStatus_t
cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *descriptor,
                         cublasComputeType_t compute, cudaDataType scale) {
  return create("cublasLtMatmulDescCreate", descriptor,
                matmulOf(compute, scale));
}

static LtTransform transformOf(cudaDataType scale) {
  LtTransform transform;
  transform.scale = scale;
  return transform;
}
PTXJIT_CUBLAS_EXPORT cublasStatus_t cublasLtMatrixTransformDescInit_internal(
    cublasLtMatrixTransformDesc_t descriptor, size_t size, cudaDataType scale) {
  return init("cublasLtMatrixTransformDescInit", descriptor, size,
              transformOf(scale));
}
PTXJIT_CUBLAS_EXPORT cublasStatus_t cublasLtMatrixTransformDescCreate(
    cublasLtMatrixTransformDesc_t *descriptor, cudaDataType scale) {
  return create("cublasLtMatrixTransformDescCreate", descriptor,
                transformOf(scale));
}

PTXJIT_CUBLAS_EXPORT cublasStatus_t cublasLtEmulationDescInit_internal(
    cublasLtEmulationDesc_t descriptor, size_t size) {
  return init("cublasLtEmulationDescInit", descriptor, size, LtEmulation());
}
PTXJIT_CUBLAS_EXPORT cublasStatus_t
cublasLtEmulationDescCreate(cublasLtEmulationDesc_t *descriptor) {
  return create("cublasLtEmulationDescCreate", descriptor, LtEmulation());
}

PTXJIT_CUBLAS_EXPORT cublasStatus_t cublasLtMatmulPreferenceInit_internal(
    cublasLtMatmulPreference_t preference, size_t size) {
  return init("cublasLtMatmulPreferenceInit", preference, size, LtPreference());
}
PTXJIT_CUBLAS_EXPORT cublasStatus_t
cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *preference) {
  return create("cublasLtMatmulPreferenceCreate", preference, LtPreference());
}

//===----------------------------------------------------------------------===//
// Algorithms
//===----------------------------------------------------------------------===//

PTXJIT_CUBLAS_EXPORT cublasStatus_t cublasLtMatmulAlgoConfigSetAttribute(
    cublasLtMatmulAlgo_t *algo, cublasLtAttribute_t attribute,
    const void *buffer, size_t bytes) {
  static constexpr char name[] = "cublasLtMatmulAlgoConfigSetAttribute";
  if (attribute == CUBLASLT_ALGO_CONFIG_ID) // is only read
    return finish(name, CUBLAS_STATUS_INVALID_VALUE);
  return set(name, view(algo), attribute, buffer, bytes);
}
PTXJIT_CUBLAS_EXPORT cublasStatus_t cublasLtMatmulAlgoConfigGetAttribute(
    const cublasLtMatmulAlgo_t *algo, cublasLtAttribute_t attribute,
    void *buffer, size_t bytes, size_t *written) {
  return get("cublasLtMatmulAlgoConfigGetAttribute", view(algo), attribute,
             buffer, bytes, written);
}

PTXJIT_CUBLAS_EXPORT cublasStatus_t
cublasLtMatmulAlgoCapGetAttribute(const cublasLtMatmulAlgo_t *algo,
                                  cublasLtMatmulAlgoCapAttributes_t attribute,
                                  void *buffer, size_t bytes, size_t *written) {
  static constexpr char name[] = "cublasLtMatmulAlgoCapGetAttribute";
  auto give = [&](auto value) {
    bool isQuery = bytes == 0 && written;
    if (!isQuery && (!buffer || bytes != sizeof(value)))
      return finish(name, CUBLAS_STATUS_INVALID_VALUE);
    if (!isQuery)
      std::memcpy(buffer, &value, sizeof(value));
    if (written)
      *written = sizeof(value);
    return finish(name, CUBLAS_STATUS_SUCCESS);
  };
  if (algo)
    switch (attribute) {
#define CAP_ATTRIBUTE(name, number, type, value)                               \
  case name:                                                                   \
    return give(type(value));
#include "ptxjit/Cublas/LtCapabilities.def"
    }
  return finish(name, CUBLAS_STATUS_INVALID_VALUE);
}
