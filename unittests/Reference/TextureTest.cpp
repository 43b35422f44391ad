//===- TextureTest.cpp - textures of the reference interpreter ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the interpreter with TextureRecords.jsonl: what an NVIDIA H100
// computed. The records are a selection of the rows of a larger probe.
//
//===----------------------------------------------------------------------===//

#include "TextureRecord.h"

#include "gtest/gtest.h"

using namespace ptxjit;
using llvm::StringRef;

namespace {
/// All records whose name begins with one of some words.
class TextureTest : public testing::TestWithParam<const char *> {
protected:
  void SetUp() override {
    auto read = readRecords(PTXJIT_TEXTURE_RECORDS);
    ASSERT_TRUE(bool(read)) << llvm::toString(read.takeError());
    records = std::move(*read);
  }

  std::vector<llvm::json::Object> records;
  RecordRunner runner;
};

std::string show(const RecordedRow &row) {
  std::string text;
  for (uint32_t word : row)
    text += llvm::utohexstr(word) + " ";
  return text;
}
} // namespace

TEST_P(TextureTest, ComputesWhatTheGpuDoes) {
  unsigned count = 0;
  for (const llvm::json::Object &record : records) {
    StringRef name = *record.getString("name");
    if (name.split('-').first != GetParam())
      continue;
    SCOPED_TRACE(name.str());
    ++count;
    RecordedResult wanted = readResult(record), got = runner.run(record);
    EXPECT_EQ(got.error.empty(), wanted.error.empty()) << got.error;
    if (!wanted.error.empty())
      continue;
    ASSERT_EQ(got.rows.size(), wanted.rows.size());
    for (size_t i = 0; i < got.rows.size(); ++i)
      EXPECT_EQ(got.rows[i], wanted.rows[i])
          << "row " << i << ": " << show(got.rows[i]) << "instead of "
          << show(wanted.rows[i]);
    if (!wanted.after.empty()) {
      EXPECT_EQ(llvm::toHex(got.after), llvm::toHex(wanted.after));
    }
  }
  EXPECT_GT(count, 0u) << "there are no such records";
}

//===----------------------------------------------------------------------===//
// What the GPU or its driver does not show
//===----------------------------------------------------------------------===//

namespace {
/// Runs statements for one row of words. \returns what comes out.
RecordedRow runOnce(StringRef record) {
  llvm::json::Value value = llvm::cantFail(llvm::json::parse(record));
  RecordRunner runner;
  RecordedResult result = runner.run(*value.getAsObject());
  EXPECT_EQ(result.error, "");
  return result.rows.empty() ? RecordedRow() : result.rows.front();
}
} // namespace

TEST(TextureRules, QueriesFollowTheIsa) {
  RecordedRow format = runOnce(R"({
    "body": "txq.channel_data_type.b32 %d0, [tex0];\ntxq.channel_order.b32 %d1, [tex0];\ntxq.array_size.b32 %d2, [tex0];\ntxq.num_mipmap_levels.b32 %d3, [tex0];\n",
    "head": ".global .texref tex0;\n", "bound": "texref", "rows": [""],
    "image": {"fmt": "s16", "channels": 2, "dims": [4, 2, 3], "flags": 1,
              "levels": ["00", "00"]}})");
  EXPECT_EQ(format, (RecordedRow{0x10d1, 0x10b2, 3, 2}));
  RecordedRow sampler = runOnce(R"({
    "body": "txq.normalized_coords.b32 %d0, [tex0];\ntxq.filter_mode.b32 %d1, [tex0];\ntxq.addr_mode_0.b32 %d2, [tex0];\ntxq.addr_mode_1.b32 %d3, [tex0];\n",
    "head": ".global .texref tex0;\n", "bound": "texref", "rows": [""],
    "sampler": {"norm": 1, "filter": 1, "mode": ["mirror", "border", "clamp"]},
    "image": {"fmt": "u8", "channels": 4, "dims": [4, 2, 0],
              "levels": ["00"]}})");
  EXPECT_EQ(sampler, (RecordedRow{1, 1, 1, 4}));
  RecordedRow surface = runOnce(R"({
    "body": "suq.channel_data_type.b32 %d0, [surf0];\nsuq.channel_order.b32 %d1, [surf0];\nsuq.array_size.b32 %d2, [surf0];\nsuq.memory_layout.b32 %d3, [surf0];\n",
    "head": ".global .surfref surf0;\n", "bound": "surfref", "rows": [""],
    "image": {"fmt": "u8", "channels": 1, "dims": [0, 0, 0],
              "levels": ["00000000"]}})");
  EXPECT_EQ(surface, (RecordedRow{0x10da, 0x10b0, 0, 1}));
}

TEST(TextureRules, OpaqueVariablesAreKnown) {
  RecordedRow kinds = runOnce(R"({
    "body": "mov.u64 %l0, tex0; istypep.texref %q, %l0; selp.b32 %d0, 1, 0, %q;\nistypep.surfref %q, %l0; selp.b32 %d1, 1, 0, %q;\nmov.u64 %l0, smp0; istypep.samplerref %q, %l0; selp.b32 %d2, 1, 0, %q;\nistypep.texref %q, 16; selp.b32 %d3, 1, 0, %q;\n",
    "head": ".global .texref tex0;\n.global .samplerref smp0;\n",
    "rows": [""],
    "image": {"fmt": "u8", "channels": 1, "dims": [4, 0, 0],
              "levels": ["00"]}})");
  EXPECT_EQ(kinds, (RecordedRow{1, 0, 1, 0}));
}

TEST(TextureRules, SamplersCanBeSeparate) {
  // Half way between texels 1 and 2: the sampler's filter, and coordinates that
  // are not normalised, since the sampler says so.
  RecordedRow mixed = runOnce(R"({
    "body": "mov.u64 %l0, smp0; tex.1d.v4.f32.f32 {%d0,%d1,%d2,%d3}, [%t, %l0, {%f0}];\n",
    "head": ".global .samplerref smp0;\n", "rows": ["00000040"],
    "sampler": {"norm": 1},
    "image": {"fmt": "f32", "channels": 1, "dims": [4, 0, 0],
              "levels": ["000000000000803f0000404000008040"]}})");
  EXPECT_EQ(mixed, (RecordedRow{0x40000000, 0, 0, 0})); // (1 + 3) / 2
}

TEST(TextureRules, HalvesAreRoundedToNearest) {
  RecordedRow pairs = runOnce(R"({
    "body": "tex.2d.v2.f16x2.f32 {%d0,%d1}, [%t, {%f0,%f1}];\n",
    "rows": [""],
    "image": {"fmt": "u8", "channels": 2, "dims": [1, 1, 0],
              "levels": ["ff55"]}})");
  EXPECT_EQ(pairs, (RecordedRow{0x35553c00, 0, 0, 0})); // 1 and 1/3
}

TEST(TextureRules, SamplesAreTexels) {
  RecordedRow second = runOnce(R"({
    "body": "tex.2dms.v4.u32.s32 {%d0,%d1,%d2,%d3}, [%t, {%x0,%x1,%x2,%x3}];\n",
    "rows": ["0100000001000000"], "sampler": {"integer": 1},
    "image": {"fmt": "u8", "channels": 1, "dims": [2, 1, 0], "samples": 2,
              "levels": ["01020304"]}})");
  EXPECT_EQ(second, (RecordedRow{4, 0, 0, 0}));
}

INSTANTIATE_TEST_SUITE_P(
    All, TextureTest,
    testing::Values("weights", "filter", "address", "border", "layers", "cube",
                    "acube", "level", "grad", "gather", "type", "srgb", "nan",
                    "offset", "linear", "pitch", "txq", "texref", "suld",
                    "sust", "suredb", "suredp", "suq", "istypep", "fault"),
    [](const auto &info) { return std::string(info.param); });
