//===- CacheTest.cpp - entries on disk, and objects loaded from them ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Cache/CacheDirectory.h"
#include "ptxjit/Cache/KernelCache.h"

#include <cerrno>
#include <chrono>
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

/// A shared folder, `folder`, with an entry "key" that says "content".
class SharedCache : public Cache {
protected:
  void SetUp() override {
    Cache::SetUp();
    folder = root + "/shared";
    auto filled = CacheDirectory::fillShared(folder, why);
    ASSERT_TRUE(filled) << why;
    ASSERT_TRUE(filled->write("key", "content"));
  }
  /// What programs find under "key".
  std::optional<std::string> find() {
    auto directory = CacheDirectory::openShared(folder, why);
    EXPECT_TRUE(directory) << why;
    return directory->read("key");
  }
  /// Why programs refuse the folder; empty if they do not.
  std::string refusal() {
    why.clear();
    EXPECT_EQ(CacheDirectory::openShared(folder, why).has_value(), why.empty());
    return why;
  }
  std::string folder;
};

CacheEnvironment makeEnvironment(const char *build = "build",
                                 const char *cpuId = "cpu") {
  return {build, "a CPU", cpuId};
}

KernelCache makeCache(CacheDirectory directory) {
  std::vector<CacheDirectory> folders;
  folders.push_back(std::move(directory));
  return {std::move(folders), makeEnvironment()};
}

PtxjitModuleInfo makeModule(const char *target) {
  PtxjitModuleInfo info{};
  info.version = "8.0";
  info.target = target;
  info.addressBits = 64;
  return info;
}
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

TEST_F(Cache, PipesAreMisses) {
  CacheDirectory directory = open();
  ASSERT_EQ(mkfifo(pathOf("key").c_str(), 0600), 0);
  EXPECT_FALSE(directory.read("key")); // and nobody waits for a writer
}

TEST_F(Cache, UsesAreTimed) {
  CacheDirectory directory = open();
  ASSERT_TRUE(directory.write("key", "content"));
  auto old = fs::last_write_time(pathOf("key")) - std::chrono::hours(48);
  fs::last_write_time(pathOf("key"), old);
  EXPECT_TRUE(directory.peek("key"));
  EXPECT_EQ(fs::last_write_time(pathOf("key")), old);
  EXPECT_TRUE(directory.read("key"));
  EXPECT_GT(fs::last_write_time(pathOf("key")), old);
}

TEST_F(Cache, ListsAndRemoves) {
  CacheDirectory directory = open();
  ASSERT_TRUE(directory.write("key", "content"));
  std::ofstream(pathOf("new.1.1")) << "of another writer";
  fs::create_directory(pathOf("folder"));
  std::vector<CacheFile> files = directory.list();
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(files[0].key, "key");
  EXPECT_EQ(files[0].bytes, fs::file_size(pathOf("key")));
  EXPECT_EQ(directory.remove("key"), 0);
  EXPECT_EQ(directory.remove("key"), ENOENT);
  EXPECT_TRUE(directory.list().empty());
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
// Shared folders
//===----------------------------------------------------------------------===//

TEST_F(SharedCache, IsForAllToRead) {
  struct stat info;
  ASSERT_EQ(stat(folder.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0755u);
  ASSERT_EQ(stat((folder + "/key").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0644u);
  EXPECT_EQ(find(), "content");
}

TEST_F(SharedCache, TheUmaskDoesNotMatter) {
  mode_t old = umask(077);
  folder = root + "/above/other";
  auto filled = CacheDirectory::fillShared(folder, why);
  ASSERT_TRUE(filled) << why;
  EXPECT_TRUE(filled->write("key", "content"));
  umask(old);
  struct stat info;
  ASSERT_EQ(stat((root + "/above").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0755u);
  ASSERT_EQ(stat((folder + "/key").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0644u);
}

TEST_F(SharedCache, ProgramsWriteNothing) {
  auto old = fs::last_write_time(folder + "/key") - std::chrono::hours(48);
  fs::last_write_time(folder + "/key", old);
  auto directory = CacheDirectory::openShared(folder, why);
  ASSERT_TRUE(directory) << why;
  EXPECT_TRUE(directory->read("key"));
  EXPECT_EQ(fs::last_write_time(folder + "/key"), old);
  EXPECT_FALSE(directory->write("key", "other"));
  EXPECT_FALSE(directory->write("new", "other"));
  EXPECT_EQ(directory->list().size(), 1u);
  EXPECT_FALSE(CacheDirectory::openShared(root + "/missing", why));
  EXPECT_FALSE(fs::exists(root + "/missing"));
}

TEST_F(SharedCache, FoldersThatOthersMayWriteToAreRefused) {
  for (mode_t mode : {0775, 0757, 0777, 01777}) {
    ASSERT_EQ(chmod(folder.c_str(), mode), 0);
    EXPECT_EQ(refusal(),
              "others may write to it (its mode must be 0755, or less)")
        << mode;
    EXPECT_FALSE(CacheDirectory::fillShared(folder, why)) << mode;
  }
  for (mode_t mode : {0555, 0750, 0700}) {
    ASSERT_EQ(chmod(folder.c_str(), mode), 0);
    EXPECT_EQ(refusal(), "") << mode;
  }
}

TEST_F(SharedCache, FoldersOfOthersAreRefused) {
  if (geteuid() != 0)
    GTEST_SKIP() << "only root can give a folder away";
  ASSERT_EQ(chown(folder.c_str(), 12345, 12345), 0);
  EXPECT_EQ(refusal(), "it belongs to another user");
  EXPECT_FALSE(CacheDirectory::fillShared(folder, why));
}

TEST_F(SharedCache, LinksToFoldersAreRefused) {
  fs::create_directory_symlink(folder, root + "/link");
  folder = root + "/link";
  EXPECT_NE(refusal(), "");
  std::ofstream(root + "/file") << "x";
  folder = root + "/file";
  EXPECT_NE(refusal(), "");
}

TEST_F(SharedCache, EntriesThatOthersMayHaveWrittenAreMisses) {
  std::string entry = folder + "/key";
  for (mode_t mode : {0664, 0646, 0666}) {
    ASSERT_EQ(chmod(entry.c_str(), mode), 0);
    EXPECT_FALSE(find()) << mode;
  }
  ASSERT_EQ(chmod(entry.c_str(), 0444), 0);
  EXPECT_TRUE(find());
  fs::rename(entry, root + "/elsewhere");
  fs::create_symlink(root + "/elsewhere", entry);
  EXPECT_FALSE(find());
  fs::remove(entry);
  fs::rename(root + "/elsewhere", entry);
  EXPECT_TRUE(find());
  if (geteuid() != 0)
    GTEST_SKIP() << "only root can give a file away";
  ASSERT_EQ(chown(entry.c_str(), 12345, 12345), 0);
  EXPECT_FALSE(find());
}

TEST_F(SharedCache, RootIsTrusted) {
  if (geteuid() != 0)
    GTEST_SKIP() << "only root can become another user";
  ASSERT_EQ(chmod(root.c_str(), 0755), 0);
  ASSERT_EQ(seteuid(12345), 0);
  auto found = find();
  bool mayFill = CacheDirectory::fillShared(folder, why).has_value();
  ASSERT_EQ(seteuid(0), 0);
  EXPECT_EQ(found, "content");
  EXPECT_FALSE(mayFill);
  EXPECT_EQ(why, "it belongs to another user");
}

//===----------------------------------------------------------------------===//
// Layers and lists
//===----------------------------------------------------------------------===//

TEST_F(SharedCache, IsAskedAfterTheOwn) {
  std::vector<CacheDirectory> own, both;
  own.push_back(std::move(*CacheDirectory::fillShared(folder, why)));
  KernelCache filler(std::move(own), makeEnvironment());
  filler.keepModule("common", makeModule("sm_80"));
  filler.keepModule("shared", makeModule("sm_80"));

  both.push_back(open());
  both.push_back(std::move(*CacheDirectory::openShared(folder, why)));
  KernelCache cache(std::move(both), makeEnvironment());
  cache.keepModule("common", makeModule("sm_90"));
  EXPECT_STREQ(cache.findModule("common")->info.target, "sm_90");
  EXPECT_STREQ(cache.findModule("shared")->info.target, "sm_80");
  EXPECT_EQ(cache.findModule("none"), nullptr);

  // Where the own entry is damaged, the shared one serves.
  for (const auto &file : fs::directory_iterator(root + "/a/b"))
    fs::resize_file(file.path(), 20);
  EXPECT_STREQ(cache.findModule("common")->info.target, "sm_80");
  for (const auto &file : fs::directory_iterator(folder))
    fs::resize_file(file.path(), 20);
  EXPECT_EQ(cache.findModule("common"), nullptr);
  EXPECT_EQ(cache.countUnwritten(), 0u);
}

TEST_F(SharedCache, AloneKeepsNothing) {
  KernelCache cache =
      makeCache(std::move(*CacheDirectory::openShared(folder, why)));
  cache.keepModule("hash", makeModule("sm_80"));
  EXPECT_EQ(cache.findModule("hash"), nullptr);
  EXPECT_EQ(cache.countUnwritten(), 1u);
}

TEST_F(Cache, ListsWhatEntriesAre) {
  KernelCache cache = makeCache(open());
  cache.keepModule("hash", makeModule("sm_80"));
  PtxjitSpecialization spec{};
  spec.block[0] = 64;
  spec.block[1] = spec.block[2] = 1;
  spec.smallGrid = spec.quick = 1;
  spec.atLeast = 3;
  PtxjitImage image{};
  image.chunk = 16;
  cache.keepImage("hash", "k", spec, image);
  std::ofstream(pathOf("module.of-someone-else")) << "x";

  CacheDirectory directory = open();
  std::vector<ListedEntry> entries = listEntries(directory, makeEnvironment());
  ASSERT_EQ(entries.size(), 2u);
  if (entries[0].isKernel)
    std::swap(entries[0], entries[1]);
  EXPECT_EQ(entries[0].label.name, "sm_80");
  EXPECT_EQ(entries[1].label.name, "k");
  EXPECT_EQ(entries[1].label.textHash, "hash");
  EXPECT_EQ(entries[1].label.block[0], 64u);
  EXPECT_EQ(entries[1].label.chunk, 16u);
  EXPECT_EQ(entries[1].label.options, "quick at-least=3");
  EXPECT_EQ(entries[1].label.environment.cpu, "a CPU");

  using State = ListedEntry::State;
  EXPECT_EQ(entries[1].state, State::Usable);
  auto stateFor = [&](const CacheEnvironment &here) {
    return listEntries(directory, here)[0].state;
  };
  EXPECT_EQ(stateFor(makeEnvironment("build", "other")), State::OtherCpu);
  EXPECT_EQ(stateFor(makeEnvironment("other", "cpu")), State::OtherBuild);
  for (const ListedEntry &entry : entries)
    fs::resize_file(pathOf(entry.file.key), 50);
  EXPECT_EQ(stateFor(makeEnvironment()), State::Damaged);
}

//===----------------------------------------------------------------------===//
// Records and objects
//===----------------------------------------------------------------------===//

TEST_F(Cache, ModulesComeBackAsTheyWere) {
  KernelCache cache = makeCache(open());
  PtxjitParam param{"p", "u64", 8, 8, 0, 1};
  PtxjitKernelInfo kernel{"k",       &param, 1, 8, {1, 2, 3}, {0, 0, 0},
                          {2, 1, 1}, 4,      1, 2, 16,        32};
  uint8_t init[] = {1, 2, 3};
  PtxjitReloc reloc{0, 8, 0, "v", 4};
  PtxjitVariable variable{"v", 24, 8, init, 3, &reloc, 1, 1, 0};
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
  KernelCache cache = makeCache(open());
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
