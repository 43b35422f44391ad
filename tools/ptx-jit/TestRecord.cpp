//===- TestRecord.cpp - tests and their results, for other judges ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestRecord.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace ptxjit;
namespace json = llvm::json;

static std::string formatBytes(const ElementType &type,
                               const std::vector<uint64_t> &values) {
  std::vector<uint8_t> bytes;
  bytes.reserve(values.size() * type.bytes);
  for (uint64_t value : values)
    for (unsigned at = 0; at < type.bytes; ++at)
      bytes.push_back(uint8_t(value >> (8 * at)));
  return llvm::toHex(bytes, /*LowerCase=*/true);
}

static void writeExtents(json::OStream &out, llvm::StringRef name,
                         const Dim3 &extents) {
  out.attributeArray(name, [&] {
    for (uint32_t n : {extents.x, extents.y, extents.z})
      out.value(n);
  });
}

static void writeArgument(json::OStream &out, const TestArgument &argument) {
  if (!argument.isBuffer) {
    out.attribute("value", llvm::toHex(argument.value, /*LowerCase=*/true));
    return;
  }
  if (const auto &texture = argument.texture) {
    out.attribute("texture", texture->text);
    out.attribute("surface", texture->config.isSurface);
    out.attribute("variable", texture->variable);
  }
  out.attribute("type", argument.type.name);
  out.attribute("initial", formatBytes(argument.type, argument.initial));
  if (!argument.checked)
    return;
  out.attribute("expected", formatBytes(argument.type, argument.expected));
  out.attributeArray("any", [&] {
    for (size_t i = 0; i < argument.wild.size(); ++i)
      if (argument.wild[i])
        out.value(i);
  });
}

std::string ptxjit::formatRecord(llvm::StringRef path, const TestCase &test) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  json::OStream out(stream);
  out.object([&] {
    out.attribute("file", path);
    out.attribute("line", test.line);
    out.attribute("kernel", test.kernel);
    writeExtents(out, "grid", test.config.grid);
    writeExtents(out, "block", test.config.block);
    writeExtents(out, "cluster", test.config.cluster);
    out.attribute("shared", test.config.dynamicSharedBytes);
    out.attribute("ulps", test.tolerance.ulps);
    out.attribute("rel", test.tolerance.relative);
    out.attribute("abs", test.tolerance.absolute);
    if (!test.fails.empty())
      out.attribute("fails", test.fails);
    if (test.isRacy)
      out.attribute("racy", true);
    out.attributeArray("args", [&] {
      for (const TestArgument &argument : test.arguments)
        out.object([&] { writeArgument(out, argument); });
    });
  });
  return text + "\n";
}
