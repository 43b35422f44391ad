//===- CacheTest.cpp - entries on disk, and objects loaded from them ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Cache/CacheDirectory.h"
#include "ptxjit/Cache/KernelCache.h"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace ptxjit;
namespace fs = std::filesystem;

namespace {
class Cache : public ::testing::Test {
protected:
  void SetUp() override {
    char name[] = "/tmp/ptxjit-cache-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    root = name;
  }
  void TearDown() override { fs::remove_all(root); }
  CacheDirectory open(uint64_t mostBytes = 1 << 20) {
    auto directory = CacheDirectory::open(root + "/a/b", mostBytes, why);
    EXPECT_TRUE(directory.has_value()) << why;
    return std::move(*directory);
  }
  std::string pathOf(const std::string &key) { return root + "/a/b/" + key; }

  std::string root, why;
};
} // namespace

TEST_F(Cache, KeepsWhatIsWritten) {
  CacheDirectory directory = open();
  EXPECT_FALSE(directory.read("key"));
  std::string content(10000, 'x');
  content[5] = 0;
  EXPECT_TRUE(directory.write("key", content));
  EXPECT_EQ(directory.read("key"), content);
  EXPECT_TRUE(directory.write("key", ""));
  EXPECT_EQ(open().read("key"), "");
  struct stat info;
  ASSERT_EQ(stat((root + "/a/b").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
}

TEST_F(Cache, DamageIsAMiss) {
  CacheDirectory directory = open();
  ASSERT_TRUE(directory.write("key", "some content"));
  std::ifstream in(pathOf("key"), std::ios::binary);
  std::string whole(std::istreambuf_iterator<char>(in), {});
  auto put = [&](const std::string &bytes) {
    std::ofstream(pathOf("key"), std::ios::binary) << bytes;
  };
  for (size_t i = 0; i < whole.size(); ++i) {
    std::string bad = whole;
    bad[i] = char(bad[i] ^ 0x40);
    put(bad);
    EXPECT_FALSE(directory.read("key")) << i;
    put(whole.substr(0, i));
    EXPECT_FALSE(directory.read("key")) << i;
  }
  put(whole + "x");
  EXPECT_FALSE(directory.read("key"));
  put(whole);
  EXPECT_TRUE(directory.read("key"));
}

TEST_F(Cache, FoldersOfOthersAreNotUsed) {
  fs::create_directories(root + "/own");
  chmod((root + "/own").c_str(), 0755);
  EXPECT_FALSE(CacheDirectory::open(root + "/own", 1000, why));
  EXPECT_EQ(why, "others may use it (its mode must be 0700)");
  chmod((root + "/own").c_str(), 0700);
  why.clear();
  EXPECT_TRUE(CacheDirectory::open(root + "/own", 1000, why));
  fs::create_directory_symlink(root + "/own", root + "/link");
  EXPECT_FALSE(CacheDirectory::open(root + "/link", 1000, why));
  why.clear();
  std::ofstream(root + "/file") << "x";
  EXPECT_FALSE(CacheDirectory::open(root + "/file", 1000, why));
  if (geteuid() != 0)
    GTEST_SKIP() << "only root can give a folder away";
  why.clear();
  ASSERT_EQ(chown((root + "/own").c_str(), 12345, 12345), 0);
  EXPECT_FALSE(CacheDirectory::open(root + "/own", 1000, why));
  EXPECT_EQ(why, "it belongs to another user");
}

TEST_F(Cache, LinksAndForeignEntriesAreMisses) {
  CacheDirectory directory = open();
  ASSERT_TRUE(directory.write("key", "content"));
  fs::create_symlink(pathOf("key"), pathOf("link"));
  EXPECT_FALSE(directory.read("link"));
  fs::create_directory(pathOf("folder"));
  EXPECT_FALSE(directory.read("folder"));
  EXPECT_FALSE(directory.write("folder", "content"));
  if (geteuid() != 0)
    GTEST_SKIP() << "only root can give a file away";
  ASSERT_EQ(chown(pathOf("key").c_str(), 12345, 12345), 0);
  EXPECT_FALSE(directory.read("key"));
}

TEST_F(Cache, IsBounded) {
  CacheDirectory directory = open(100000);
  std::string content(2000, 'x');
  for (int i = 0; i < 200; ++i)
    ASSERT_TRUE(directory.write("key" + std::to_string(i), content));
  uint64_t total = 0;
  for (const auto &entry : fs::directory_iterator(root + "/a/b"))
    total += entry.file_size();
  // The size is only checked after every 64 writes.
  EXPECT_LE(total, 100000u + 64 * 2100u);
  EXPECT_TRUE(directory.read("key199"));
}

TEST_F(Cache, SeveralWritersAtOnce) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([this, t] {
      CacheDirectory directory = open();
      for (int i = 0; i < 200; ++i) {
        std::string key = "key" + std::to_string(i % 7);
        EXPECT_TRUE(directory.write(key, std::string(5000, char('a' + t))));
        auto found = directory.read(key);
        ASSERT_TRUE(found);
        EXPECT_EQ(*found, std::string(5000, (*found)[0]));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const auto &entry : fs::directory_iterator(root + "/a/b"))
    EXPECT_EQ(entry.path().filename().string().substr(0, 3), "key");
}

//===----------------------------------------------------------------------===//
// Records and objects
//===----------------------------------------------------------------------===//

TEST_F(Cache, ModulesComeBackAsTheyWere) {
  KernelCache cache(open(), "test");
  PtxjitParam param{"p", "u64", 8, 8, 0, 1};
  PtxjitKernelInfo kernel{"k",       &param, 1, 8, {1, 2, 3}, {0, 0, 0},
                          {2, 1, 1}, 4,      1, 2, 16,        32};
  uint8_t init[] = {1, 2, 3};
  PtxjitReloc reloc{0, 8, 0, "v", 4};
  PtxjitVariable variable{"v", 24, 8, init, 3, &reloc, 1, 1};
  const char *functions[] = {"k", "f"};
  PtxjitModuleInfo info{"8.0",     "sm_80", "text", "file", &kernel, &variable,
                        functions, 1,       1,      2,      64};
  cache.keepModule("hash", info);
  EXPECT_EQ(cache.findModule("other"), nullptr);
  auto found = cache.findModule("hash");
  ASSERT_NE(found, nullptr);
  const PtxjitModuleInfo &m = found->info;
  EXPECT_STREQ(m.target, "sm_80");
  ASSERT_EQ(m.numKernels, 1u);
  EXPECT_STREQ(m.kernels[0].params[0].type, "u64");
  EXPECT_EQ(m.kernels[0].maxntid[2], 3u);
  EXPECT_EQ(m.kernels[0].cluster[0], 2u);
  EXPECT_EQ(m.kernels[0].maxClusterRank, 4u);
  EXPECT_EQ(m.kernels[0].explicitCluster, 1u);
  EXPECT_EQ(m.kernels[0].blocksAreClusters, 2u);
  EXPECT_EQ(m.kernels[0].localBytes, 32u);
  ASSERT_EQ(m.numVariables, 1u);
  EXPECT_EQ(m.variables[0].init[2], 3);
  EXPECT_STREQ(m.variables[0].relocs[0].symbol, "v");
  EXPECT_EQ(m.variables[0].relocs[0].addend, 4);
  EXPECT_STREQ(m.functions[1], "f");
}

TEST_F(Cache, ImagesThatCannotBeMappedAreMisses) {
  KernelCache cache(open(), "test");
  PtxjitSpecialization spec{};
  spec.block[0] = spec.block[1] = spec.block[2] = 1;
  const char object[] = "this is no object file, whatever its checksum says";
  PtxjitImage image{};
  image.kernel = "k";
  image.symbol = "ptxjit_kernel.k";
  image.object = reinterpret_cast<const uint8_t *>(object);
  image.objectBytes = sizeof(object);
  cache.keepImage("hash", "k", spec, image);
  EXPECT_EQ(cache.findImage("hash", "k", spec), nullptr);
}

TEST(SpecializationKey, EveryOptionMakesAnother) {
  std::set<std::string> keys;
  PtxjitSpecialization spec{};
  keys.insert(keyOf(spec));
  for (uint32_t &extent : spec.block) {
    extent = 1;
    EXPECT_TRUE(keys.insert(keyOf(spec)).second);
  }
#define PTXJIT_TRY(type, name, flag, meaning)                                  \
  spec.name = type(1);                                                         \
  EXPECT_TRUE(keys.insert(keyOf(spec)).second) << flag;
  PTXJIT_PASS_OPTIONS(PTXJIT_TRY)
  PTXJIT_COMPILER_OPTIONS(PTXJIT_TRY)
#undef PTXJIT_TRY
  // The key tells where a string ends: "ab" and "" differ from "a" and "b".
  spec.cpu = "ab";
  EXPECT_TRUE(keys.insert(keyOf(spec)).second);
  spec.cpu = "a";
  spec.inject = "b";
  EXPECT_TRUE(keys.insert(keyOf(spec)).second);
  std::string copy = "b";
  spec.inject = copy.c_str();
  EXPECT_FALSE(keys.insert(keyOf(spec)).second);
}

TEST(ObjectImageTest, RubbishIsRefused) {
  EXPECT_EQ(ObjectImage::load("", "f"), nullptr);
  std::string elf("\x7f"
                  "ELF\x02\x01\x01",
                  7);
  elf.resize(64);
  elf[16] = 1;    // relocatable
  elf[18] = 0x3e; // x86-64
  elf[58] = 64;   // the size of a section header
  for (int count : {0, 1, 200})
    for (int place : {0, 60, 255}) {
      std::string bad = elf;
      bad[60] = char(count);
      bad[40] = char(place);
      EXPECT_EQ(ObjectImage::load(bad, "f"), nullptr);
    }
}
