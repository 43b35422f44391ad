//===- PlanText.cpp - execution plans as text -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A line is `type (name type count (hex digits | numbers of lines))...`.
//
//===----------------------------------------------------------------------===//

#include "PlanText.h"

#include <sstream>

using namespace ptxjit;
using namespace ptxjit::cudnn;

static constexpr char kTitle[] = "ptx-jit plan 1";

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

namespace {
class Writer {
public:
  /// Writes a descriptor, unless that was done. \returns its line.
  size_t write(const BackendNode &node) {
    auto it = lines.find(&node);
    if (it != lines.end())
      return it->second;
    std::ostringstream line;
    line << int(node.type);
    for (const auto &[name, attribute] : node.attributes)
      if (attribute.type != CUDNN_TYPE_HANDLE &&
          attribute.type != CUDNN_TYPE_VOID_PTR)
        writeAttribute(line, name, attribute);
    text << line.str() << "\n";
    size_t number = lines.size();
    lines[&node] = number;
    return number;
  }
  std::string finish() const { return kTitle + ("\n" + text.str()); }

private:
  void writeAttribute(std::ostringstream &line, int name,
                      const Attribute &attribute) {
    line << " " << name << " " << int(attribute.type) << " " << attribute.count;
    for (const NodePtr &node : attribute.nodes)
      line << " " << write(*node);
    if (attribute.bytes.empty())
      return;
    line << " ";
    for (char byte : attribute.bytes) {
      static constexpr char digits[] = "0123456789abcdef";
      line << digits[uint8_t(byte) >> 4] << digits[byte & 15];
    }
  }

  std::map<const BackendNode *, size_t> lines;
  std::ostringstream text;
};
} // namespace

std::string cudnn::writeText(const BackendNode &graph) {
  Writer writer;
  writer.write(graph);
  return writer.finish();
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

[[noreturn]] static void failDamaged() {
  failBadParam("the text of a plan is damaged");
}

static std::vector<char> readHex(const std::string &digits) {
  auto valueOf = [](char digit) {
    if (digit >= '0' && digit <= '9')
      return digit - '0';
    if (digit >= 'a' && digit <= 'f')
      return digit - 'a' + 10;
    failDamaged();
  };
  std::vector<char> bytes;
  for (size_t i = 0; i + 1 < digits.size(); i += 2)
    bytes.push_back(char(valueOf(digits[i]) << 4 | valueOf(digits[i + 1])));
  return bytes;
}

static Attribute readAttribute(std::istringstream &line, int type,
                               const std::vector<NodePtr> &before) {
  Attribute attribute{cudnnBackendAttributeType_t(type), 0, {}, {}};
  if (!(line >> attribute.count) || attribute.count < 0)
    failDamaged();
  if (attribute.type != CUDNN_TYPE_BACKEND_DESCRIPTOR) {
    std::string digits;
    if (attribute.count > 0 && !(line >> digits))
      failDamaged();
    attribute.bytes = readHex(digits);
    return attribute;
  }
  for (int64_t i = 0; i < attribute.count; ++i) {
    size_t number;
    if (!(line >> number) || number >= before.size())
      failDamaged();
    attribute.nodes.push_back(before[number]);
  }
  return attribute;
}

std::shared_ptr<BackendNode> cudnn::readText(const std::string &text) {
  std::istringstream lines(text);
  std::string content;
  if (!std::getline(lines, content) || content != kTitle)
    failBadParam("the text is not a plan of this library");
  std::vector<NodePtr> before;
  std::shared_ptr<BackendNode> node;
  while (std::getline(lines, content) && !content.empty()) {
    std::istringstream line(content);
    node = std::make_shared<BackendNode>();
    int type, name;
    if (!(line >> type))
      failDamaged();
    node->type = cudnnBackendDescriptorType_t(type);
    node->isFinal = true;
    while (line >> name) {
      if (!(line >> type))
        failDamaged();
      node->attributes[name] = readAttribute(line, type, before);
    }
    before.push_back(node);
  }
  if (!node || node->type != CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR)
    failDamaged();
  return node;
}
