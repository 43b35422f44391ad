//===- ImageTest.cpp - fat binaries, libraries, the linker ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DriverFixture.h"
#include "FatBinaryWriter.h"
#include "MachineCodeWriter.h"

#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace {

std::string withKernel(const char *name) {
  return std::string(".version 8.0\n.target sm_80\n.address_size 64\n"
                     ".visible .entry ") +
         name + "() { ret; }\n";
}

class Images : public Driver {
protected:
  /// Loads an image, which must return `expected`, and keeps the error log in
  /// `log`.
  /// \returns the name of its first kernel; empty if it was not to load.
  std::string load(const void *image, CUresult expected = CUDA_SUCCESS) {
    CUmodule loaded;
    char errors[2048] = "";
    int options[] = {CU_JIT_ERROR_LOG_BUFFER,
                     CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {errors, reinterpret_cast<void *>(sizeof(errors))};
    EXPECT_EQ(cuModuleLoadDataEx(&loaded, image, 2, options, values), expected);
    log = errors;
    CUfunction function;
    const char *name = "";
    if (expected == CUDA_SUCCESS) {
      EXPECT_EQ(cuModuleEnumerateFunctions(&function, 1, loaded), CUDA_SUCCESS);
      EXPECT_EQ(cuFuncGetName(&name, function), CUDA_SUCCESS);
    }
    return name;
  }
  std::string log;
};

} // namespace

TEST_F(Images, TheBestTextIsTaken) {
  for (Packing packing : {Plain, Lz4, Zstd}) {
    FatBinary fat;
    fat.add(2, 80, "machine code");
    fat.add(1, 75, withKernel("old"), packing);
    fat.add(1, 80, withKernel("best"), packing, 0, 112);
    fat.add(1, 90, withKernel("newer"), packing);
    EXPECT_EQ(load(fat.get()), "best");
  }
  FatBinary fat;
  fat.add(1, 80, withKernel("plain"));
  fat.add(1, 80, withKernel("specific"), Zstd, FatBinary::kArchSpecific);
  fat.add(1, 75, withKernel("not_mine"), Zstd, FatBinary::kArchSpecific);
  EXPECT_EQ(load(fat.get()), "specific");
}

TEST_F(Images, WithoutTextTheLogSaysWhatThereIs) {
  FatBinary fat;
  fat.add(2, 80, "machine code");
  fat.add(1, 90, withKernel("k"), Zstd, FatBinary::kArchSpecific);
  load(fat.get(), CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_NE(log.find("machine code for sm_80, PTX for sm_90a"),
            std::string::npos)
      << log;
}

TEST_F(Images, WithoutTextTheLogSaysWhereItComesFrom) {
  // An image of the program itself, and one in its memory.
  static const std::string code = makeMachineCode(90, {"first", "second"});
  static char own[4096] = "in .data";
  std::memcpy(own, code.data(), code.size());
  char path[4096] = "";
  ASSERT_GT(readlink("/proc/self/exe", path, sizeof(path) - 1), 0);
  load(own, CUDA_ERROR_NO_BINARY_FOR_GPU);
  for (const std::string &part : {std::string("but machine code for sm_90\n"),
                                  std::string("its kernels: first, second\n"),
                                  std::string("TORCH_CUDA_ARCH_LIST=8.0+PTX\n"),
                                  "it is in " + std::string(path) + " ("})
    EXPECT_NE(log.find(part), std::string::npos) << log;
  load(code.data(), CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_NE(log.find("it is in the memory of " + std::string(path) + "\n"),
            std::string::npos)
      << log;
}

TEST_F(Images, MachineCodeAtTheEndOfMemory) {
  // Behind the image nothing may be read.
  constexpr size_t page = 4096;
  std::string code = makeMachineCode(90, {"k"});
  char *memory =
      static_cast<char *>(mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(memory, MAP_FAILED);
  ASSERT_EQ(mprotect(memory + page, page, PROT_NONE), 0);
  for (size_t bytes : {size_t(4), size_t(64), code.size() - 1, code.size()}) {
    char *image = memory + page - bytes;
    std::memcpy(image, code.data(), bytes);
    load(image, CUDA_ERROR_NO_BINARY_FOR_GPU);
    EXPECT_EQ(log.find("its kernels: k\n") != std::string::npos,
              bytes == code.size())
        << log;
  }
  munmap(memory, 2 * page);
}

TEST_F(Images, DamagedContainersAreErrors) {
  FatBinary fat;
  fat.add(1, 80, withKernel("k"), Zstd);
  std::string good = fat.body;
  // The lengths in an entry's header, and its payload, from 64 on.
  for (size_t at : {4, 5, 8, 12, 15, 16, 56, 63, 70, 80}) {
    fat.body = good;
    fat.body[at] = char(0xee);
    CUmodule loaded;
    CUresult result = cuModuleLoadData(&loaded, fat.get());
    EXPECT_TRUE(result == CUDA_ERROR_NO_BINARY_FOR_GPU ||
                result == CUDA_ERROR_INVALID_PTX)
        << at << ": " << result;
  }
  fat.body = good.substr(0, 40);
  load(fat.get(), CUDA_ERROR_NO_BINARY_FOR_GPU);
  load(fat.get(uint64_t(1) << 60), CUDA_ERROR_NO_BINARY_FOR_GPU);
}

TEST_F(Images, WrappersOfSeparateCompilation) {
  FatBinary empty, caller, callee;
  caller.add(1, 80,
             ".version 8.0\n.target sm_80\n.address_size 64\n"
             ".extern .func (.param .b32 r) seven();\n"
             ".visible .entry k(.param .u64 out) {\n"
             "  .reg .b32 %r; .reg .b64 %rd; .param .b32 p;\n"
             "  call (p), seven; ld.param.b32 %r, [p];\n"
             "  ld.param.u64 %rd, [out]; st.global.u32 [%rd], %r; ret;\n}\n");
  callee.add(1, 80,
             ".version 8.3\n.target sm_80\n.address_size 64\n"
             ".visible .func (.param .b32 r) seven() {\n"
             "  st.param.b32 [r], 7; ret;\n}\n");
  const void *files[] = {caller.get(), callee.get(), nullptr};
  struct {
    uint32_t magic = 0x466243b1, version = 2;
    const void *data;
    const void *const *files;
  } wrapper{0x466243b1, 2, empty.get(), files};
  CUlibrary library;
  CUkernel kernel;
  ASSERT_EQ(cuLibraryLoadData(&library, &wrapper, nullptr, nullptr, 0, nullptr,
                              nullptr, 0),
            CUDA_SUCCESS);
  ASSERT_EQ(cuLibraryGetKernel(&kernel, library, "k"), CUDA_SUCCESS);
  CUdeviceptr out;
  unsigned result = 0;
  ASSERT_EQ(cuMemAlloc_v2(&out, 4), CUDA_SUCCESS);
  void *params[] = {&out};
  // A CUkernel serves as a CUfunction.
  EXPECT_EQ(cuLaunchKernel(reinterpret_cast<CUfunction>(kernel), 1, 1, 1, 1, 1,
                           1, 0, nullptr, params, nullptr),
            CUDA_SUCCESS);
  EXPECT_EQ(cuMemcpyDtoH_v2(&result, out, 4), CUDA_SUCCESS);
  EXPECT_EQ(result, 7u);
  EXPECT_EQ(cuLibraryUnload(library), CUDA_SUCCESS);
  EXPECT_EQ(cuLaunchKernel(reinterpret_cast<CUfunction>(kernel), 1, 1, 1, 1, 1,
                           1, 0, nullptr, params, nullptr),
            CUDA_ERROR_INVALID_HANDLE);
}

/// `libcudadevrt.a` has PTX for later devices only, and needs none here. Other
/// archives and object files are searched for containers.
TEST_F(Images, TheLinkerReadsArchives) {
  auto inFile = [](FatBinary &binary) {
    const char *begin = static_cast<const char *>(binary.get());
    return "!<arch>\nmember.o/       " +
           std::string(begin, binary.body.size() + 16) + "end";
  };
  FatBinary runtime, object, code;
  runtime.add(2, 80, "machine code");
  runtime.add(1, 121,
              ".version 9.0\n.target sm_121\n.address_size 64\n"
              ".visible .global .u32 __CNPRT_VERSION_NUMBER__ = 6000;\n",
              Zstd);
  object.add(1, 80, withKernel("inObject"), Lz4);
  code.add(2, 80, "machine code");
  CUlinkState link;
  ASSERT_EQ(cuLinkCreate_v2(0, nullptr, nullptr, &link), CUDA_SUCCESS);
  auto add = [&](std::string file) {
    return cuLinkAddData_v2(link, CU_JIT_INPUT_LIBRARY, file.data(),
                            file.size(), "file.a", 0, nullptr, nullptr);
  };
  EXPECT_EQ(add(inFile(runtime)), CUDA_SUCCESS);
  EXPECT_EQ(add(inFile(object)), CUDA_SUCCESS);
  EXPECT_EQ(add(inFile(code)), CUDA_ERROR_NO_BINARY_FOR_GPU);
  void *image = nullptr;
  size_t bytes = 0;
  ASSERT_EQ(cuLinkComplete(link, &image, &bytes), CUDA_SUCCESS);
  CUmodule linked;
  CUfunction kernel;
  ASSERT_EQ(cuModuleLoadData(&linked, image), CUDA_SUCCESS);
  EXPECT_EQ(cuModuleGetFunction(&kernel, linked, "inObject"), CUDA_SUCCESS);
  EXPECT_EQ(cuLinkDestroy(link), CUDA_SUCCESS);
}

TEST_F(Images, TheLinkerJoinsTexts) {
  CUlinkState link;
  std::string a = withKernel("a"), b = withKernel("b");
  void *image = nullptr;
  size_t bytes = 0;
  ASSERT_EQ(cuLinkCreate_v2(0, nullptr, nullptr, &link), CUDA_SUCCESS);
  EXPECT_EQ(cuLinkComplete(link, &image, &bytes), CUDA_ERROR_INVALID_IMAGE);
  EXPECT_EQ(cuLinkAddData_v2(link, CU_JIT_INPUT_PTX, a.data(), a.size() + 1,
                             "a", 0, nullptr, nullptr),
            CUDA_SUCCESS);
  EXPECT_EQ(cuLinkAddData_v2(link, CU_JIT_INPUT_PTX, b.data(), b.size(), "b", 0,
                             nullptr, nullptr),
            CUDA_SUCCESS);
  EXPECT_EQ(cuLinkAddData_v2(link, CU_JIT_INPUT_LIBRARY, b.data(), b.size(),
                             "c", 0, nullptr, nullptr),
            CUDA_ERROR_NO_BINARY_FOR_GPU);
  ASSERT_EQ(cuLinkComplete(link, &image, &bytes), CUDA_SUCCESS);
  CUmodule linked;
  unsigned count = 0;
  EXPECT_EQ(cuModuleLoadData(&linked, image), CUDA_SUCCESS);
  EXPECT_EQ(cuModuleGetFunctionCount(&count, linked), CUDA_SUCCESS);
  EXPECT_EQ(count, 2u);
  EXPECT_EQ(cuLinkDestroy(link), CUDA_SUCCESS);
  EXPECT_EQ(cuLinkDestroy(link), CUDA_ERROR_INVALID_HANDLE);
}
