//===- CollectiveTest.cpp - collectives in one process --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ranks.h"

#include <cmath>
#include <thread>

using namespace ncclmodel;

//===----------------------------------------------------------------------===//
// Each collective, type and reduction
//===----------------------------------------------------------------------===//

namespace {
class Collectives : public ::testing::TestWithParam<Kind> {};
} // namespace

TEST_P(Collectives, AreWhatTheModelSays) {
  for (int count : {1, 2, 3, 4, 8}) {
    Ranks ranks(count);
    for (size_t elements : {0, 1, 1003})
      ranks.checkAll(GetParam(), elements);
  }
}

TEST_P(Collectives, OfMuchDataAreInPieces) {
  // More than a message of a megabyte for each rank.
  for (int count : {2, 3}) {
    Ranks ranks(count);
    bool isReduction = ncclmodel::isReduction(GetParam());
    size_t elements =
        isReduction && GetParam() != Kind::ReduceScatter ? 1200007 : 400009;
    for (ncclDataType_t type : {ncclFloat32, ncclFloat64})
      for (bool inPlace : {false, true})
        ranks.check({GetParam(), type, ncclSum, count - 1, elements, count},
                    inPlace && GetParam() != Kind::AlltoAll);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Collectives, ::testing::ValuesIn(kKinds),
                         [](const auto &info) { return nameOf(info.param); });

//===----------------------------------------------------------------------===//
// Narrow floats
//===----------------------------------------------------------------------===//

TEST(NcclNarrowFloats, AreReadAndRoundedAsDefined) {
  Ranks ranks(2);
  for (ncclDataType_t type :
       {ncclFloat16, ncclBfloat16, ncclFloat8e4m3, ncclFloat8e5m2}) {
    bool isByte = sizeOf(type) == 1;
    // All codes of the first rank, with some of the second one.
    size_t count = isByte ? 65536 : 1 << 18;
    Bytes in[2] = {Bytes(count * sizeOf(type)), Bytes(count * sizeOf(type))};
    auto code = [&](int rank, size_t i) -> unsigned {
      return isByte ? unsigned(rank ? i >> 8 : i & 255)
                    : unsigned(rank ? (i >> 16) * 12345 + i * 77 : i) & 65535;
    };
    for (int rank : {0, 1})
      for (size_t i = 0; i < count; ++i)
        for (size_t byte = 0; byte < sizeOf(type); ++byte)
          in[rank][i * sizeOf(type) + byte] =
              (unsigned char)(code(rank, i) >> 8 * byte);
    Buffer a(in[0]), b(in[1]);
    ASSERT_EQ(ncclGroupStart(), ncclSuccess);
    for (size_t rank : {0, 1}) {
      Buffer &buffer = rank ? b : a;
      ASSERT_EQ(ncclAllReduce(buffer.data(), buffer.data(), count, type,
                              ncclSum, ranks.comm(rank), ranks.stream(rank)),
                ncclSuccess);
    }
    ASSERT_EQ(ncclGroupEnd(), ncclSuccess);
    ranks.synchronize();
    ASSERT_TRUE(a.bytes() == b.bytes());
    for (size_t i = 0; i < count; ++i) {
      unsigned found = isByte ? a.as<uint8_t>()[i] : a.as<uint16_t>()[i];
      float sum =
          float(decode(type, code(0, i))) + float(decode(type, code(1, i)));
      if (std::isnan(sum))
        ASSERT_TRUE(std::isnan(decode(type, found))) << type << " " << i;
      else if (std::isinf(sum) && !isByte)
        ASSERT_EQ(decode(type, found), double(sum)) << type << " " << i;
      else
        ASSERT_EQ(found, encode(type, sum))
            << type << ": " << code(0, i) << " + " << code(1, i);
    }
  }
}

TEST(NcclReductions, IgnoreNaNsInMaximaAndMinima) {
  Ranks ranks(2);
  Buffer a(Bytes(8)), b(Bytes(8));
  for (ncclRedOp_t op : {ncclMax, ncclMin}) {
    a.as<float>()[0] = b.as<float>()[1] = NAN;
    a.as<float>()[1] = b.as<float>()[0] = 3;
    ncclGroupStart();
    for (size_t rank : {0, 1}) {
      float *data = (rank ? b : a).as<float>();
      ncclAllReduce(data, data, 2, ncclFloat32, op, ranks.comm(rank),
                    ranks.stream(rank));
    }
    ASSERT_EQ(ncclGroupEnd(), ncclSuccess);
    ranks.synchronize();
    EXPECT_EQ(a.as<float>()[0], 3);
    EXPECT_EQ(a.as<float>()[1], 3);
  }
}

TEST(NcclReductions, TakeFactorsFromTheDeviceWhenTheyRun) {
  Ranks ranks(1);
  Buffer factor(Bytes(4)), data(Bytes(4));
  *factor.as<float>() = 2;
  *data.as<float>() = 5;
  ncclRedOp_t op;
  ASSERT_EQ(ncclRedOpCreatePreMulSum(&op, factor.data(), ncclFloat32,
                                     ncclScalarDevice, ranks.comm(0)),
            ncclSuccess);
  *factor.as<float>() = 3;
  ASSERT_EQ(ncclAllReduce(data.data(), data.data(), 1, ncclFloat32, op,
                          ranks.comm(0), ranks.stream(0)),
            ncclSuccess);
  ranks.synchronize();
  EXPECT_EQ(*data.as<float>(), 15);
  EXPECT_EQ(ncclRedOpDestroy(op, ranks.comm(0)), ncclSuccess);
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

TEST(NcclThreads, EachHasARank) {
  constexpr int count = 4;
  int devices = 0;
  ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
  ASSERT_EQ(cuDeviceGetCount(&devices), CUDA_SUCCESS);
  if (devices < count) // freeing memory waits for all ranks of the device
    GTEST_SKIP();
  ncclUniqueId id;
  ASSERT_EQ(ncclGetUniqueId(&id), ncclSuccess);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < count; ++rank)
    threads.emplace_back([&, rank] {
      Ranks ranks(count, id, {rank});
      for (Kind kind : kKinds)
        ranks.checkAll(kind, 77);
      // Calls that nobody waits for.
      Buffer data(Bytes(4000, 1));
      for (int i = 0; i < 50; ++i)
        EXPECT_EQ(ncclAllReduce(data.data(), data.data(), 1000, ncclInt32,
                                ncclMax, ranks.comm(0), ranks.stream(0)),
                  ncclSuccess);
      ranks.synchronize();
      EXPECT_EQ(data.bytes(), Bytes(4000, 1));
    });
  for (std::thread &thread : threads)
    thread.join();
}
