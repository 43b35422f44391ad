//===- FatBinaryTest.cpp - containers, where they are, what is in them ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Runtime/FatBinary.h"
#include "ptxjit/Runtime/MemoryMap.h"
#include "unittests/CudaDriver/FatBinaryWriter.h"
#include "unittests/CudaDriver/MachineCodeWriter.h"
#include "gtest/gtest.h"

#include <climits>
#include <cstdlib>
#include <sys/mman.h>

using namespace ptxjit;

namespace {
using Kind = ImageEntry::Kind;

std::string getBytes(FatBinary &fat) {
  return std::string(static_cast<const char *>(fat.get()),
                     16 + fat.body.size());
}

std::string makeText(const std::string &kernel) {
  return ".version 8.0\n.target sm_80\n.entry " + kernel + "() {}\n";
}

std::string read(const std::vector<std::string> &containers, size_t numTexts) {
  std::vector<std::string_view> views(containers.begin(), containers.end());
  std::string diagnostics;
  EXPECT_EQ(readContainers(views, diagnostics).size(), numTexts);
  return diagnostics;
}

void expectPart(const std::string &text, const char *part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}
} // namespace

TEST(FatBinary, EntriesSayWhatTheyAre) {
  FatBinary fat;
  fat.add(2, 90, "code", Plain, FatBinary::kArchSpecific);
  fat.add(1, 80, makeText("a"), Zstd, 2);
  fat.add(8, 90, std::string(100, 'x'), Lz4);
  fat.add(77, 1, "");
  std::vector<ImageEntry> entries;
  std::string bytes = getBytes(fat), text;
  std::string longer = bytes + "behind"; // the entries refer to it
  EXPECT_EQ(
      visitEntries(longer,
                   [&](const ImageEntry &entry) { entries.push_back(entry); }),
      bytes.size());
  ASSERT_EQ(entries.size(), 4u);
  EXPECT_EQ(entries[0].kind, Kind::MachineCode);
  EXPECT_EQ(entries[0].suffix, "a");
  EXPECT_FALSE(isUsable(entries[0]));
  EXPECT_TRUE(unpack(entries[0], text));
  EXPECT_EQ(text.substr(0, 4), "code");
  EXPECT_EQ(entries[1].kind, Kind::Ptx);
  EXPECT_TRUE(entries[1].hasDebug);
  EXPECT_TRUE(isUsable(entries[1]));
  EXPECT_TRUE(unpack(entries[1], text));
  EXPECT_EQ(text, makeText("a"));
  EXPECT_EQ(entries[2].kind, Kind::LtoIr);
  EXPECT_FALSE(unpack(entries[2], text)) << "packed in another way";
  EXPECT_EQ(entries[3].kind, Kind::Other);
}

TEST(FatBinary, NamesOutsideOfTheHeader) {
  FatBinary fat;
  fat.add(1, 80, makeText("a"), Plain, 0, 80);
  // Offset and size of the name, and the offset of the options' place.
  for (uint32_t offset : {1u, 70u, 76u, 80u, UINT32_MAX})
    for (uint32_t size : {0u, 1u, 100u, UINT32_MAX}) {
      std::string bytes = getBytes(fat);
      std::memcpy(&bytes[16 + 20], &offset, 4);
      std::memcpy(&bytes[16 + 32], &offset, 4);
      std::memcpy(&bytes[16 + 36], &size, 4);
      std::memset(&bytes[16 + 64], int(size), 16);
      visitEntries(bytes, [&](const ImageEntry &entry) {
        EXPECT_LE(entry.name.size() + entry.options.size(), 80u);
        if (offset >= 80)
          EXPECT_TRUE(entry.name.empty());
      });
    }
}

TEST(FatBinary, ContainersThatEndEarly) {
  FatBinary fat;
  fat.add(2, 90, makeMachineCode(90, {"a"}), Lz4);
  fat.add(1, 80, makeText("a"), Zstd);
  std::string whole = getBytes(fat);
  for (size_t bytes = 0; bytes < whole.size(); ++bytes) {
    std::vector<char> cut(whole.begin(), whole.begin() + ptrdiff_t(bytes));
    EXPECT_EQ(visitEntries({cut.data(), cut.size()}, [](const ImageEntry &) {}),
              0u);
  }
}

TEST(FatBinary, FilesAreSearched) {
  FatBinary one, two;
  one.add(1, 80, makeText("a"));
  two.add(1, 90, makeText("b"));
  std::string torn = getBytes(one);
  torn[8 + 7] = 1; // the size
  std::string word = getBytes(one).substr(0, 4) + "abcdefghijkl",
              file = "x" + word + torn + getBytes(two) + word + getBytes(one) +
                     getBytes(two).substr(0, 20);
  unsigned right = 0, damaged = 0, entries = 0;
  visitContainers(file, [&](std::string_view container) {
    size_t bytes =
        visitEntries(container, [&](const ImageEntry &) { ++entries; });
    ++(bytes ? right : damaged);
    return bytes;
  });
  EXPECT_EQ(right, 2u);
  EXPECT_EQ(damaged, 2u) << "of a wrong size, and the last";
  EXPECT_GE(entries, 3u);
  visitContainers("", [](std::string_view) -> size_t { std::abort(); });
}

TEST(FatBinary, WithoutTextTheMessageSaysWhatToBuild) {
  FatBinary code, newer, both, text, linked;
  code.add(2, 90, makeMachineCode(90, {"k1", "k2", "k3", "k4", "k5", "k6"}),
           Zstd);
  code.add(2, 120, makeMachineCode(120, {"other"}));
  newer.add(1, 90, makeText("k"));
  text.add(1, 80, makeText("k"));
  std::string message = read({getBytes(code)}, 0);
  expectPart(message, "error: the image has no PTX for sm_80, but machine code "
                      "for sm_90, machine code for sm_120\n");
  expectPart(message, "  its kernels: k1, k2, k3, k4 and 2 more\n");
  expectPart(message, "nvcc --cudart shared -gencode "
                      "arch=compute_80,code=compute_80; "
                      "TORCH_CUDA_ARCH_LIST=8.0+PTX\n");
  message = read({getBytes(newer)}, 0);
  expectPart(message, "  its kernels: k\n");
  expectPart(message, "; or set PTXJIT_DEVICE=9.0\n");
  EXPECT_EQ(read({getBytes(text), getBytes(both)}, 1), "");
  expectPart(read({getBytes(text), getBytes(code)}, 1),
             "warning: a part of the image has no PTX for sm_80");
  linked.add(2, 80, makeMachineCode(80, {"k"}));
  EXPECT_EQ(read({getBytes(linked), getBytes(text)}, 1), "");
  expectPart(read({getBytes(both)}, 0), "but nothing\n");
  message.clear();
  refuseMachineCode(makeMachineCode(90, {"k", std::string(999, 'x')}), message);
  expectPart(message, "but machine code for sm_90\n");
  expectPart(message, "xx...\n");
  message.clear();
  refuseMachineCode("rubbish", message);
  expectPart(message, "but machine code for some GPU\n");
}

TEST(MemoryMap, FilesAndMemory) {
  Mapping own = findMapping(reinterpret_cast<const void *>(&makeText));
  EXPECT_EQ(own.file, getProgramPath());
  EXPECT_GT(own.bytesBehind, 0u);
  int local = 0;
  EXPECT_EQ(findMapping(&local).file, "");
  EXPECT_GE(findMapping(&local).bytesBehind, sizeof(local));
  EXPECT_EQ(findMapping(nullptr).bytesBehind, 0u);
  // Two pages that may be read, of different mappings, and one that may not.
  constexpr size_t page = 4096;
  void *memory =
      mmap(nullptr, 3 * page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  char *bytes = static_cast<char *>(memory);
  ASSERT_EQ(mprotect(bytes + page, page, PROT_READ | PROT_WRITE), 0);
  ASSERT_EQ(mprotect(bytes + 2 * page, page, PROT_NONE), 0);
  EXPECT_EQ(findMapping(bytes + 1).bytesBehind, 2 * page - 1);
  EXPECT_EQ(findMapping(bytes + 2 * page).bytesBehind, 0u);
  munmap(memory, 3 * page);
}
