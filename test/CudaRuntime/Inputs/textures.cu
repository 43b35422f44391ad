// Textures and surfaces as CUDA's headers and nvcc use them: each check
// compares what a kernel fetches with what the Programming Guide ("Texture
// Fetching") says. Places and weights are such that no rounding decides.
#include <cstdio>
#include <cuda_runtime.h>
#include <vector>

static int wrong = 0;
#define EXPECT(condition)                                                      \
  do {                                                                         \
    if (!(condition)) {                                                        \
      ++wrong;                                                                 \
      std::printf("line %d: not %s\n", __LINE__, #condition);                  \
    }                                                                          \
  } while (0)

__global__ void fetchRow(cudaTextureObject_t t, int x, float *out) {
  *out = tex1Dfetch<float>(t, x);
}
__global__ void fetchLine(cudaTextureObject_t t, float x, float *out) {
  *out = tex1D<float>(t, x);
}
__global__ void fetchPlane(cudaTextureObject_t t, float x, float y,
                           float *out) {
  *out = tex2D<float>(t, x, y);
}
__global__ void fetchVolume(cudaTextureObject_t t, float x, float y, float z,
                            float *out) {
  *out = tex3D<float>(t, x, y, z);
}
__global__ void fetchLayer(cudaTextureObject_t t, float x, float y, int layer,
                           float *out) {
  *out = tex2DLayered<float>(t, x, y, layer);
}
__global__ void fetchCube(cudaTextureObject_t t, float x, float y, float z,
                          float *out) {
  *out = texCubemap<float>(t, x, y, z);
}
__global__ void fetchLevel(cudaTextureObject_t t, float x, float y, float level,
                           float *out) {
  *out = tex2DLod<float>(t, x, y, level);
}
__global__ void gather(cudaTextureObject_t t, float x, float y, float *out) {
  float4 four = tex2Dgather<float4>(t, x, y, 0);
  *out = four.x + 100 * four.y + 10000 * four.z + 1000000 * four.w;
}
__global__ void fetchColour(cudaTextureObject_t t, float x, float y,
                            float *out) {
  uchar4 colour = tex2D<uchar4>(t, x, y);
  *out = colour.x + 256 * colour.y;
}
__global__ void fetchFraction(cudaTextureObject_t t, float x, float y,
                              float *out) {
  *out = tex2D<float4>(t, x, y).y;
}
__global__ void add(cudaSurfaceObject_t s, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = threadIdx.y;
  if (x >= width || y >= height)
    return;
  float texel;
  surf2Dread(&texel, s, x * int(sizeof(float)), y);
  surf2Dwrite(texel + 100, s, x * int(sizeof(float)), y);
}
__global__ void readOutside(cudaSurfaceObject_t s, float *out) {
  *out = surf2Dread<float>(s, -4, 0, cudaBoundaryModeZero);
}

static float *out;

/// Runs a kernel of one thread; its result.
template <typename... Parameters, typename... Args>
static float run(void (*kernel)(Parameters...), Args... args) {
  *out = -1;
  kernel<<<1, 1>>>(args..., out);
  EXPECT(cudaDeviceSynchronize() == cudaSuccess);
  return *out;
}

static std::vector<float> count(size_t texels) {
  std::vector<float> all(texels);
  for (size_t i = 0; i < texels; ++i)
    all[i] = float(i);
  return all;
}

static cudaTextureObject_t make(const cudaResourceDesc &resource,
                                cudaTextureDesc desc = {}) {
  cudaTextureObject_t texture = 0;
  EXPECT(cudaCreateTextureObject(&texture, &resource, &desc, nullptr) ==
         cudaSuccess);
  return texture;
}
static cudaTextureObject_t make(cudaArray_t array, cudaTextureDesc desc = {}) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  return make(resource, desc);
}
static cudaTextureDesc
reads(cudaTextureAddressMode mode, cudaTextureFilterMode filter,
      bool normalized, cudaTextureReadMode read = cudaReadModeElementType) {
  cudaTextureDesc desc = {};
  desc.addressMode[0] = desc.addressMode[1] = desc.addressMode[2] = mode;
  desc.filterMode = filter;
  desc.normalizedCoords = normalized;
  desc.readMode = read;
  return desc;
}

/// An array of floats 0, 1, 2, ...
static cudaArray_t makeArray(cudaExtent extent, unsigned flags = 0) {
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array = nullptr;
  EXPECT(cudaMalloc3DArray(&array, &format, extent, flags) == cudaSuccess);
  cudaExtent whole = extent;
  whole.height = whole.height ? whole.height : 1;
  whole.depth = whole.depth ? whole.depth : 1;
  std::vector<float> texels = count(whole.width * whole.height * whole.depth);
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(texels.data(), whole.width * sizeof(float),
                                    whole.width, whole.height);
  copy.dstArray = array;
  copy.extent = whole;
  copy.kind = cudaMemcpyHostToDevice;
  EXPECT(cudaMemcpy3D(&copy) == cudaSuccess);
  return array;
}

static void checkArrays() {
  cudaArray_t plane = makeArray({4, 3, 0}), volume = makeArray({4, 3, 2});
  EXPECT(run(fetchLine, make(makeArray({5, 0, 0})), 3.5f) == 3);
  EXPECT(run(fetchPlane, make(plane), 2.5f, 1.5f) == 6);
  EXPECT(run(fetchPlane, make(plane), -5.0f, 9.0f) == 8);
  EXPECT(run(fetchVolume, make(volume), 1.5f, 2.5f, 1.5f) == 21);
  cudaTextureDesc mixed = reads(cudaAddressModeClamp, cudaFilterModeLinear, 0);
  EXPECT(run(fetchPlane, make(plane, mixed), 1.0f, 1.0f) == 2.5f);
  EXPECT(run(fetchVolume, make(volume, mixed), 1.5f, 2.5f, 1.0f) == 15);
  cudaTextureDesc wrapped = reads(cudaAddressModeWrap, cudaFilterModePoint, 1);
  EXPECT(run(fetchPlane, make(plane, wrapped), 1.375f, 0.5f) == 5);
  cudaTextureDesc mirrored =
      reads(cudaAddressModeMirror, cudaFilterModePoint, 1);
  EXPECT(run(fetchPlane, make(plane, mirrored), 1.375f, 0.5f) == 6);
  cudaTextureDesc border = reads(cudaAddressModeBorder, cudaFilterModePoint, 0);
  border.borderColor[0] = 7;
  EXPECT(run(fetchPlane, make(plane, border), 4.5f, 0.5f) == 7);
  cudaArray_t layers = makeArray({4, 3, 2}, cudaArrayLayered);
  EXPECT(run(fetchLayer, make(layers), 1.5f, 0.5f, 1) == 13);
  cudaArray_t cube = makeArray({1, 1, 6}, cudaArrayCubemap);
  EXPECT(run(fetchCube, make(cube), 0.25f, -1.0f, 0.25f) == 3);
  EXPECT(run(fetchCube, make(cube), 0.25f, 0.25f, 1.0f) == 4);
  cudaArray_t gathered = makeArray({4, 4, 0}, cudaArrayTextureGather);
  EXPECT(run(gather, make(gathered), 2.0f, 1.0f) == 1020605);
}

static void checkMipmaps() {
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaMipmappedArray_t array;
  EXPECT(cudaMallocMipmappedArray(&array, &format, {4, 4, 0}, 3) ==
         cudaSuccess);
  for (unsigned level = 0; level < 3; ++level) {
    cudaArray_t part;
    std::vector<float> texels(16, 100.0f * level);
    EXPECT(cudaGetMipmappedArrayLevel(&part, array, level) == cudaSuccess);
    size_t width = 4 >> level;
    EXPECT(cudaMemcpy2DToArray(part, 0, 0, texels.data(), width * 4, width * 4,
                               width, cudaMemcpyHostToDevice) == cudaSuccess);
  }
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeMipmappedArray;
  resource.res.mipmap.mipmap = array;
  cudaTextureDesc desc = reads(cudaAddressModeClamp, cudaFilterModePoint, 1);
  desc.maxMipmapLevelClamp = 2;
  EXPECT(run(fetchLevel, make(resource, desc), 0.5f, 0.5f, 1.0f) == 100);
  desc.mipmapFilterMode = cudaFilterModeLinear;
  EXPECT(run(fetchLevel, make(resource, desc), 0.5f, 0.5f, 1.5f) == 150);
  EXPECT(run(fetchLevel, make(resource, desc), 0.5f, 0.5f, 9.0f) == 200);
  EXPECT(cudaFreeMipmappedArray(array) == cudaSuccess);
}

static void checkMemory() {
  float *memory;
  std::vector<float> texels = count(64);
  EXPECT(cudaMalloc(&memory, 256) == cudaSuccess);
  EXPECT(cudaMemcpy(memory, texels.data(), 256, cudaMemcpyHostToDevice) ==
         cudaSuccess);
  cudaResourceDesc row = {}, plane = {};
  row.resType = cudaResourceTypeLinear;
  row.res.linear.devPtr = memory;
  row.res.linear.desc = cudaCreateChannelDesc<float>();
  row.res.linear.sizeInBytes = 256;
  EXPECT(run(fetchRow, make(row), 37) == 37);
  plane.resType = cudaResourceTypePitch2D;
  plane.res.pitch2D.devPtr = memory;
  plane.res.pitch2D.desc = cudaCreateChannelDesc<float>();
  plane.res.pitch2D.width = 10;
  plane.res.pitch2D.height = 4;
  plane.res.pitch2D.pitchInBytes = 64;
  EXPECT(run(fetchPlane, make(plane), 9.5f, 2.5f) == 41);
}

static void checkBytes() {
  cudaChannelFormatDesc format = cudaCreateChannelDesc<uchar4>();
  cudaArray_t array;
  const unsigned char texels[] = {1, 2, 3, 4, 0, 255, 0, 0};
  EXPECT(cudaMallocArray(&array, &format, 2, 1) == cudaSuccess);
  EXPECT(cudaMemcpy2DToArray(array, 0, 0, texels, 8, 8, 1,
                             cudaMemcpyHostToDevice) == cudaSuccess);
  EXPECT(run(fetchColour, make(array), 0.5f, 0.5f) == 513);
  cudaTextureDesc fractions = reads(cudaAddressModeClamp, cudaFilterModePoint,
                                    0, cudaReadModeNormalizedFloat);
  EXPECT(run(fetchFraction, make(array, fractions), 1.5f, 0.5f) == 1);
}

static void checkSurfaces() {
  cudaArray_t array = makeArray({6, 4, 0}, cudaArraySurfaceLoadStore);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaSurfaceObject_t surface;
  EXPECT(cudaCreateSurfaceObject(&surface, &resource) == cudaSuccess);
  add<<<2, dim3(4, 4)>>>(surface, 6, 4);
  float texels[24];
  EXPECT(cudaMemcpy2DFromArray(texels, 24, array, 0, 0, 24, 4,
                               cudaMemcpyDeviceToHost) == cudaSuccess);
  for (int i = 0; i < 24; ++i)
    EXPECT(texels[i] == 100 + i);
  EXPECT(run(readOutside, surface) == 0);
  EXPECT(cudaDestroySurfaceObject(surface) == cudaSuccess);
  EXPECT(cudaFreeArray(array) == cudaSuccess);
}

int main() {
  EXPECT(cudaMallocManaged(&out, sizeof(*out)) == cudaSuccess);
  checkArrays();
  checkMipmaps();
  checkMemory();
  checkBytes();
  checkSurfaces();
  std::printf("%d wrong\n", wrong);
}
