//===- PlacementTest.cpp - advice about where memory should be ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DriverFixture.h"

#include <array>
#include <cstdlib>
#include <random>
#include <thread>
#include <vector>

namespace {
constexpr int kCpu = -1, kNone = -2;
constexpr size_t kBytes = 1 << 16;

class Placement : public Driver {
protected:
  void SetUp() override {
    Driver::SetUp();
    ASSERT_EQ(cuMemAllocManaged(&data, kBytes, 1), CUDA_SUCCESS);
  }
  void TearDown() override {
    if (data)
      EXPECT_EQ(cuMemFree_v2(data), CUDA_SUCCESS);
    Driver::TearDown();
  }
  int ask(int attribute, size_t from, size_t bytes) {
    int value = -77;
    EXPECT_EQ(cuMemRangeGetAttribute(&value, 4, attribute, data + from, bytes),
              CUDA_SUCCESS);
    return value;
  }
  CUdeviceptr data = 0;
};
} // namespace

TEST_F(Placement, HoldsForWholeRanges) {
  constexpr int kMostly = CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY;
  EXPECT_EQ(ask(kMostly, 0, kBytes), 0);
  EXPECT_EQ(cuMemAdvise(data + 4096, 8192, CU_MEM_ADVISE_SET_READ_MOSTLY, 0),
            CUDA_SUCCESS);
  EXPECT_EQ(ask(kMostly, 4096, 8192), 1);
  EXPECT_EQ(ask(kMostly, 5000, 100), 1);
  EXPECT_EQ(ask(kMostly, 4095, 8192), 0) << "its first byte is not";
  EXPECT_EQ(ask(kMostly, 4096, 8193), 0);
  // Neighbours join, and a hole parts them.
  EXPECT_EQ(cuMemAdvise(data, 4096, CU_MEM_ADVISE_SET_READ_MOSTLY, 0),
            CUDA_SUCCESS);
  EXPECT_EQ(ask(kMostly, 0, 12288), 1);
  EXPECT_EQ(cuMemAdvise(data + 6000, 8, CU_MEM_ADVISE_UNSET_READ_MOSTLY, 0),
            CUDA_SUCCESS);
  EXPECT_EQ(ask(kMostly, 0, 12288), 0);
  EXPECT_EQ(ask(kMostly, 0, 6000), 1);
  EXPECT_EQ(ask(kMostly, 6008, 12288 - 6008), 1);
}

TEST_F(Placement, LocationsAreReadBack) {
  CUmemLocation node{CU_MEM_LOCATION_TYPE_HOST_NUMA, 0};
  EXPECT_EQ(ask(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, 0, kBytes), kNone);
  EXPECT_EQ(ask(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE, 0, kBytes),
            CU_MEM_LOCATION_TYPE_INVALID);
  EXPECT_EQ(
      cuMemAdvise(data, kBytes, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, kCpu),
      CUDA_SUCCESS);
  EXPECT_EQ(ask(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, 0, kBytes), kCpu);
  EXPECT_EQ(cuMemAdvise_v2(data, 4096, CU_MEM_ADVISE_SET_PREFERRED_LOCATION,
                           {CU_MEM_LOCATION_TYPE_DEVICE, 0}),
            CUDA_SUCCESS);
  EXPECT_EQ(ask(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, 0, 4096), 0);
  EXPECT_EQ(ask(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, 0, kBytes), kNone);
  EXPECT_EQ(
      cuMemAdvise(data, kBytes, CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION, 0),
      CUDA_SUCCESS);
  EXPECT_EQ(ask(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, 0, 4096), kNone);

  EXPECT_EQ(cuMemPrefetchAsync_v2(data, kBytes, node, 0, nullptr),
            CUDA_SUCCESS);
  EXPECT_EQ(ask(CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE, 0, kBytes),
            CU_MEM_LOCATION_TYPE_HOST_NUMA);
  EXPECT_EQ(ask(CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID, 0, kBytes),
            0);
  EXPECT_EQ(cuMemPrefetchAsync(data, 4096, 0, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(ask(CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, 0, 4096), 0);
  EXPECT_EQ(ask(CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, 0, kBytes),
            kNone);

  CUdeviceptr ranges[] = {data, data + 4096, data + 8192};
  size_t sizes[] = {16, 16, 16}, starts[] = {0, 2};
  CUmemLocation places[] = {{CU_MEM_LOCATION_TYPE_HOST, 0},
                            {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
  EXPECT_EQ(
      cuMemPrefetchBatchAsync(ranges, sizes, 3, places, starts, 2, 0, nullptr),
      CUDA_SUCCESS);
  EXPECT_EQ(ask(CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, 4096, 16), kCpu);
  EXPECT_EQ(ask(CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, 8192, 16), 0);
  starts[1] = 3;
  EXPECT_EQ(
      cuMemPrefetchBatchAsync(ranges, sizes, 3, places, starts, 2, 0, nullptr),
      CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Placement, ProcessorsAreListed) {
  std::array<int, 3> seen;
  auto list = [&](size_t bytes) {
    EXPECT_EQ(cuMemRangeGetAttribute(seen.data(), 12,
                                     CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, data,
                                     bytes),
              CUDA_SUCCESS);
    return seen;
  };
  using List = std::array<int, 3>;
  EXPECT_EQ(cuMemAdvise(data, kBytes, CU_MEM_ADVISE_SET_ACCESSED_BY, 0),
            CUDA_SUCCESS);
  EXPECT_EQ(cuMemAdvise(data, 4096, CU_MEM_ADVISE_SET_ACCESSED_BY, kCpu),
            CUDA_SUCCESS);
  EXPECT_EQ(cuMemAdvise(data, 4096, CU_MEM_ADVISE_SET_ACCESSED_BY, kCpu),
            CUDA_SUCCESS);
  EXPECT_EQ(list(4096), (List{kCpu, 0, kNone}));
  EXPECT_EQ(list(kBytes), (List{0, kNone, kNone}));
  EXPECT_EQ(cuMemAdvise(data, 64, CU_MEM_ADVISE_UNSET_ACCESSED_BY, 0),
            CUDA_SUCCESS);
  EXPECT_EQ(list(kBytes), (List{kNone, kNone, kNone}));

  int mostly = 7, one = 7;
  void *values[] = {&mostly, &one};
  size_t sizes[] = {4, 4};
  int attributes[] = {CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY,
                      CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY};
  EXPECT_EQ(
      cuMemRangeGetAttributes(values, sizes, attributes, 2, data + 64, 64),
      CUDA_SUCCESS);
  EXPECT_EQ(mostly, 0);
  EXPECT_EQ(one, kCpu);
}

TEST_F(Placement, WrongAdviceIsAnError) {
  int value;
  EXPECT_EQ(cuMemAdvise(data, kBytes, 0, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemAdvise(data, kBytes, 7, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemAdvise(data, kBytes + 1, 1, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemAdvise(data, ~size_t(0), 1, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemAdvise(64, 64, 1, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemAdvise(data, 64, CU_MEM_ADVISE_SET_ACCESSED_BY, 9),
            CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(cuMemAdvise(data, 64, CU_MEM_ADVISE_SET_READ_MOSTLY, 9),
            CUDA_SUCCESS)
      << "the device is ignored";
  EXPECT_EQ(cuMemAdvise_v2(data, 64, CU_MEM_ADVISE_SET_ACCESSED_BY,
                           {CU_MEM_LOCATION_TYPE_HOST_NUMA, 0}),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemPrefetchAsync(data, 64, 9, nullptr),
            CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(cuMemPrefetchAsync_v2(data, 64, {0, 0}, 0, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemRangeGetAttribute(&value, 3, 1, data, 64),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemRangeGetAttribute(&value, 8, 1, data, 64),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemRangeGetAttribute(&value, 4, 9, data, 64),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemRangeGetAttribute(nullptr, 4, 1, data, 64),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Placement, MemoryOfTheProgramTakesAdvice) {
  std::vector<char> own(4096);
  auto at = reinterpret_cast<CUdeviceptr>(own.data());
  int value = 0;
  EXPECT_EQ(cuMemAdvise(at, 4096, CU_MEM_ADVISE_SET_READ_MOSTLY, 0),
            CUDA_SUCCESS);
  EXPECT_EQ(cuMemRangeGetAttribute(
                &value, 4, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, at, 4096),
            CUDA_SUCCESS);
  EXPECT_EQ(value, 1);
  EXPECT_EQ(cuMemAdvise(at, 4096, CU_MEM_ADVISE_UNSET_READ_MOSTLY, 0),
            CUDA_SUCCESS);
}

TEST_F(Placement, GoesWithTheMemory) {
  EXPECT_EQ(cuMemAdvise(data, kBytes, CU_MEM_ADVISE_SET_READ_MOSTLY, 0),
            CUDA_SUCCESS);
  EXPECT_EQ(cuMemFree_v2(data), CUDA_SUCCESS);
  // The same addresses may come back.
  for (int i = 0; i < 8; ++i) {
    ASSERT_EQ(cuMemAllocManaged(&data, kBytes, 1), CUDA_SUCCESS);
    EXPECT_EQ(ask(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, 0, 64), 0);
    ASSERT_EQ(cuMemFree_v2(data), CUDA_SUCCESS);
  }
  data = 0;
}

// Compares with one flag for each byte.
TEST_F(Placement, RandomRangesAreAsIfByteByByte) {
  constexpr size_t kSmall = 64;
  std::mt19937 random(7);
  std::array<int, kSmall> mostly{};
  for (int i = 0; i < 2000; ++i) {
    size_t from = random() % kSmall, bytes = 1 + random() % (kSmall - from);
    int set = random() % 2;
    ASSERT_EQ(cuMemAdvise(data + from, bytes,
                          set ? CU_MEM_ADVISE_SET_READ_MOSTLY
                              : CU_MEM_ADVISE_UNSET_READ_MOSTLY,
                          0),
              CUDA_SUCCESS);
    int all = 1;
    for (size_t at = from; at < from + bytes; ++at)
      mostly[at] = set;
    from = random() % kSmall;
    bytes = 1 + random() % (kSmall - from);
    for (size_t at = from; at < from + bytes; ++at)
      all &= mostly[at];
    ASSERT_EQ(ask(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, from, bytes), all) << i;
  }
}
