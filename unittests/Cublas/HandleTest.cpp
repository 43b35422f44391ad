//===- HandleTest.cpp - handles, settings and copies ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fixture.h"

#include <dlfcn.h>
#include <fstream>
#include <regex>
#include <set>
#include <string>
#include <thread>

using namespace cublastest;

TEST_F(Cublas, EveryFunctionIsExported) {
  std::vector<const char *> names = {
#define FUNCTION(name, run, parameters, arguments) PTXJIT_TEST_STRING(name),
#define PTXJIT_TEST_STRING(name) PTXJIT_TEST_STRING_(name)
#define PTXJIT_TEST_STRING_(name) #name
#define PTXJIT_TABLE "ptxjit/Cublas/Functions.def"
#include "ptxjit/Cublas/EachType.inc"
#undef PTXJIT_TABLE
#define NAME(base) PTXJIT_WIDTH(cublas##base)
#define PTXJIT_TABLE "ptxjit/Cublas/Mixed.def"
#include "ptxjit/Cublas/EachWidth.inc"
#undef PTXJIT_TABLE
#define PTXJIT_TABLE "ptxjit/Cublas/Level1Ex.def"
#include "ptxjit/Cublas/EachWidth.inc"
#undef PTXJIT_TABLE
#define PTXJIT_TABLE "ptxjit/Cublas/Level3Ex.def"
#include "ptxjit/Cublas/EachWidth.inc"
#undef PTXJIT_TABLE
#undef NAME
#undef FUNCTION
  };
  EXPECT_GT(names.size(), 450u);
  for (const char *name : names)
    EXPECT_TRUE(dlsym(RTLD_DEFAULT, name)) << name;
}

// Where NVIDIA's header is, it names no function that we lack.
TEST_F(Cublas, TheHeaderNamesNothingElse) {
  std::ifstream file("/usr/local/cuda/include/cublas_api.h");
  if (!file)
    GTEST_SKIP() << "there is no cublas_api.h";
  std::string text((std::istreambuf_iterator<char>(file)),
                   std::istreambuf_iterator<char>());
  std::regex declaration("CUBLASWINAPI\\s+(cublas\\w+)\\s*\\(");
  std::set<std::string> names;
  for (std::sregex_iterator it(text.begin(), text.end(), declaration), end;
       it != end; ++it)
    names.insert((*it)[1]);
  EXPECT_GT(names.size(), 400u);
  for (const std::string &name : names)
    EXPECT_TRUE(dlsym(RTLD_DEFAULT, name.c_str())) << name;
}

TEST_F(Cublas, AHandleKeepsItsSettings) {
  CUstream found;
  EXPECT_EQ(cublasGetStream_v2(handle, &found), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(found, stream);
  cublasMath_t math;
  EXPECT_EQ(cublasSetMathMode(handle, CUBLAS_TF32_TENSOR_OP_MATH),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(cublasSetMathMode(handle, cublasMath_t(99)),
            CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(cublasGetMathMode(handle, &math), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(math, CUBLAS_TF32_TENSOR_OP_MATH);
  EXPECT_EQ(cublasSetPointerMode_v2(handle, cublasPointerMode_t(2)),
            CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(cublasGetPointerMode_v2(handle, nullptr),
            CUBLAS_STATUS_INVALID_VALUE);
  cublasAtomicsMode_t atomics;
  EXPECT_EQ(cublasGetAtomicsMode(handle, &atomics), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(atomics, CUBLAS_ATOMICS_NOT_ALLOWED);
  Buffer<char> workspace(4096);
  EXPECT_EQ(cublasSetWorkspace_v2(handle, workspace.get(), 4096),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(cublasSetWorkspace_v2(handle, workspace.get() + 1, 8),
            CUBLAS_STATUS_INVALID_VALUE);
}

TEST_F(Cublas, WrongHandlesAreNotInitialized) {
  cublasHandle_t other;
  ASSERT_EQ(cublasCreate_v2(&other), CUBLAS_STATUS_SUCCESS);
  ASSERT_EQ(cublasDestroy_v2(other), CUBLAS_STATUS_SUCCESS);
  float value = 1;
  for (cublasHandle_t wrong : {cublasHandle_t(nullptr), other}) {
    EXPECT_EQ(cublasDestroy_v2(wrong), CUBLAS_STATUS_NOT_INITIALIZED);
    EXPECT_EQ(cublasSetStream_v2(wrong, nullptr),
              CUBLAS_STATUS_NOT_INITIALIZED);
    EXPECT_EQ(cublasSscal_v2(wrong, 1, &value, &value, 1),
              CUBLAS_STATUS_NOT_INITIALIZED);
  }
  EXPECT_EQ(cublasCreate_v2(nullptr), CUBLAS_STATUS_INVALID_VALUE);
}

TEST_F(Cublas, TellsItsVersion) {
  int version, major, minor;
  ASSERT_EQ(cublasGetVersion_v2(handle, &version), CUBLAS_STATUS_SUCCESS);
  ASSERT_EQ(cublasGetProperty(MAJOR_VERSION, &major), CUBLAS_STATUS_SUCCESS);
  ASSERT_EQ(cublasGetProperty(MINOR_VERSION, &minor), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(major, PTXJIT_TEST_MAJOR);
  EXPECT_EQ(version / 100, major * 100 + minor);
  EXPECT_EQ(cublasGetCudartVersion() / 1000, size_t(major));
  EXPECT_EQ(cublasGetProperty(libraryPropertyType(7), &major),
            CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_STREQ(cublasGetStatusName(CUBLAS_STATUS_NOT_SUPPORTED),
               "CUBLAS_STATUS_NOT_SUPPORTED");
  EXPECT_STRNE(cublasGetStatusString(cublasStatus_t(77)), "");
}

static std::string logged;
TEST_F(Cublas, ALoggerSeesCalls) {
  ASSERT_EQ(cublasLoggerConfigure(1, 0, 0, nullptr), CUBLAS_STATUS_SUCCESS);
  ASSERT_EQ(cublasSetLoggerCallback([](const char *text) { logged += text; }),
            CUBLAS_STATUS_SUCCESS);
  cublasSscal_v2(handle, 1, nullptr, nullptr, 1);
  EXPECT_NE(logged.find("cublasSscal_v2"), std::string::npos) << logged;
  EXPECT_NE(logged.find("alpha"), std::string::npos) << logged;
  cublasLoggerConfigure(0, 0, 0, nullptr);
  cublasSetLoggerCallback(nullptr);
}

TEST_F(Cublas, CopiesVectorsAndMatrices) {
  std::vector<int> from = {1, 2, 3, 4, 5, 6}, to(6, 0);
  Buffer<int> device(6);
  ASSERT_EQ(cublasSetVector(3, 4, from.data(), 2, device.get(), 1),
            CUBLAS_STATUS_SUCCESS);
  ASSERT_EQ(cublasGetVector_64(3, 4, device.get(), 1, to.data(), 2),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(to, (std::vector<int>{1, 0, 3, 0, 5, 0}));
  // Two rows of three columns, in a matrix of three rows.
  Buffer<int> matrix(9);
  ASSERT_EQ(
      cublasSetMatrixAsync(2, 3, 4, from.data(), 2, matrix.get(), 3, stream),
      CUBLAS_STATUS_SUCCESS);
  wait();
  EXPECT_EQ(matrix[4], 4);
  EXPECT_EQ(matrix[6], 5);
  EXPECT_EQ(cublasGetMatrix(2, 3, 4, matrix.get(), 1, to.data(), 2),
            CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(cublasSetVector(3, 0, from.data(), 2, device.get(), 1),
            CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(cublasSetVector_64(INT64_MAX, 8, from.data(), 2, device.get(), 1),
            CUBLAS_STATUS_INVALID_VALUE);
}

TEST_F(Cublas, ThreadsShareAHandle) {
  constexpr int count = 64;
  Buffer<float> x(count);
  std::fill_n(x.get(), count, 1.f);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      float two = 2;
      for (int j = 0; j < 5; ++j)
        EXPECT_EQ(cublasSscal_v2(handle, count, &two, x.get(), 1),
                  CUBLAS_STATUS_SUCCESS);
    });
  for (std::thread &thread : threads)
    thread.join();
  wait();
  for (size_t i = 0; i < count; ++i)
    EXPECT_EQ(x[i], 1 << 20);
}
