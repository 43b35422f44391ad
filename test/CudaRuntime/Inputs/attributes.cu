// Our tables of attributes and properties beside those of CUDA's headers.
#include <cstdio>
#include <cuda.h>
#include <cuda_runtime.h>

// Toolkits before have not all of them.
#if CUDA_VERSION >= 13000
constexpr int kNumbers[] = {
#define ATTRIBUTE(NAME, number, value) number,
#include "ptxjit/CudaDriver/DeviceAttributes.def"
#undef ATTRIBUTE
};
#define ATTRIBUTE(NAME, number, value)                                         \
  static_assert(CU_DEVICE_ATTRIBUTE_##NAME == number, #NAME);
#include "ptxjit/CudaDriver/DeviceAttributes.def"
#undef ATTRIBUTE
#endif
#if CUDA_VERSION == 13000
static_assert(sizeof(kNumbers) / sizeof(int) == CU_DEVICE_ATTRIBUTE_MAX - 1,
              "all of them");
#endif

static int compared = 0;

static void compare(long long member, int attribute, const char *name) {
  int value = -1;
  cudaError_t error =
      cudaDeviceGetAttribute(&value, cudaDeviceAttr(attribute), 0);
  if (error != cudaSuccess || member != value)
    std::printf("%s is not %d, but %lld\n", name, value, member);
  ++compared;
}

int main() {
  cudaDeviceProp p;
  if (cudaGetDeviceProperties(&p, 0) != cudaSuccess)
    return 1;
#define PROPERTY(member, NAME)                                                 \
  compare((long long)(p.member), CU_DEVICE_ATTRIBUTE_##NAME, #member);
#if CUDART_VERSION < 13000
#define PROPERTY_12(member, NAME) PROPERTY(member, NAME)
#define PROPERTY_13(member, NAME)
#else
#define PROPERTY_12(member, NAME)
#define PROPERTY_13(member, NAME) PROPERTY(member, NAME)
#endif
#include "CudaRuntime/Properties.def"
  std::printf("%d properties\n", compared);
}
