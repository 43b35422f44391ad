//===- FatBinaryWriterTest.cpp - written containers can be read -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Images/FatBinaryWriter.h"
#include "ptxjit/Runtime/FatBinary.h"
#include "ptxjit/Runtime/LinkedText.h"
#include "gtest/gtest.h"

using namespace ptxjit;

static NewEntry makeEntry(const std::string &text, unsigned arch) {
  NewEntry entry;
  entry.text = text;
  entry.arch = arch;
  return entry;
}

static std::vector<ImageEntry> readEntries(const std::string &container) {
  std::vector<ImageEntry> entries;
  EXPECT_EQ(
      visitEntries(container,
                   [&](const ImageEntry &entry) { entries.push_back(entry); }),
      container.size());
  return entries;
}

static const std::string kText = ".version 8.7\n.target sm_90a\n";

TEST(FatBinaryWriter, EntriesAreReadAsTheyWereWritten) {
  FatBinaryWriter writer;
  NewEntry entry = makeEntry(kText + std::string(500, ' '), 90);
  entry.suffix = 'a';
  entry.name = "a.cu";
  entry.options = "-g";
  entry.hasDebug = true;
  writer.add(entry);
  entry = makeEntry(kText, 100);
  entry.suffix = 'f';
  entry.isPacked = false;
  writer.add(entry);
  std::string container = writer.finish(), text;
  std::vector<ImageEntry> entries = readEntries(container);
  ASSERT_EQ(entries.size(), 2u);

  EXPECT_EQ(entries[0].kind, ImageEntry::Kind::Ptx);
  EXPECT_EQ(entries[0].packing, ImageEntry::Packing::Zstd);
  EXPECT_EQ(entries[0].arch, 90u);
  EXPECT_EQ(entries[0].suffix, "a");
  EXPECT_EQ(entries[0].versionMajor, 8u);
  EXPECT_EQ(entries[0].versionMinor, 7u);
  EXPECT_EQ(entries[0].name, "a.cu");
  EXPECT_EQ(entries[0].options, "-g");
  EXPECT_TRUE(entries[0].hasDebug);
  ASSERT_TRUE(unpack(entries[0], text));
  EXPECT_EQ(text, kText + std::string(500, ' '));

  EXPECT_EQ(entries[1].packing, ImageEntry::Packing::None);
  EXPECT_EQ(entries[1].suffix, "f");
  EXPECT_EQ(entries[1].name, "");
  EXPECT_FALSE(entries[1].hasDebug);
  ASSERT_TRUE(unpack(entries[1], text));
  EXPECT_EQ(text, kText);
}

/// A zero is behind each text, whatever its length.
TEST(FatBinaryWriter, TextsOfAllLengths) {
  FatBinaryWriter writer;
  for (size_t length = 0; length < 20; ++length)
    writer.add(makeEntry(std::string(length, 'x'), 80));
  std::string container = writer.finish(), text;
  size_t length = 0;
  for (const ImageEntry &entry : readEntries(container)) {
    ASSERT_TRUE(unpack(entry, text));
    EXPECT_EQ(text, std::string(length++, 'x'));
  }
  EXPECT_EQ(length, 20u);
}

TEST(FatBinaryWriter, NoEntries) {
  std::string container = FatBinaryWriter().finish();
  EXPECT_EQ(readEntries(container).size(), 0u);
  EXPECT_NE(embedContainer(container, FatBinaryUse::Whole, true)
                .find("fatbinData[2]"),
            std::string::npos);
}

TEST(FatBinaryWriter, LinkedTextTakesThePlaceOfItsParts) {
  auto pack = [](const std::string &text) {
    FatBinaryWriter writer;
    writer.add(makeEntry(text, 75));
    return writer.finish();
  };
  std::string part = pack(kText),
              linked = pack(joinTexts({{"a", kText}}, /*evenOfOne=*/true));
  std::vector<std::string_view> containers = {linked, part, part};
  dropLinkedParts(containers);
  EXPECT_EQ(containers.size(), 1u);
  // What NVIDIA's nvlink makes has no PTX, or none that was linked by us.
  containers = {part, part};
  dropLinkedParts(containers);
  EXPECT_EQ(containers.size(), 2u);
  std::string empty = FatBinaryWriter().finish();
  containers = {empty, part};
  dropLinkedParts(containers);
  EXPECT_EQ(containers.size(), 2u);
  containers = {"", part};
  dropLinkedParts(containers);
  EXPECT_EQ(containers.size(), 2u);
}
