//===- TestNotation.cpp - the notation of execution tests -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestNotation.h"
#include "Arguments.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

using namespace ptxjit;

namespace {

//===----------------------------------------------------------------------===//
// Generators
//===----------------------------------------------------------------------===//

uint64_t floatBits(double d, unsigned bytes) {
  uint64_t bits = 0;
  if (bytes == 8) {
    std::memcpy(&bits, &d, 8);
  } else {
    float f = float(d);
    std::memcpy(&bits, &f, 4);
  }
  return bits;
}

/// Sixteen values where implementations go wrong.
std::vector<uint64_t> edgesOf(const ElementType &type) {
  unsigned n = type.bytes * 8;
  if (type.kind == ElementType::Float) {
    if (n == 32)
      return {0x00000000, 0x80000000, 0x3f800000, 0xbf800000,
              0x00000001, 0x80000001, 0x007fffff, 0x00800000,
              0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000,
              0x7fc00123, 0x4f000000, 0x3fc00000, 0xc2280000};
    return {0x0000000000000000, 0x8000000000000000, 0x3ff0000000000000,
            0xbff0000000000000, 0x0000000000000001, 0x8000000000000001,
            0x000fffffffffffff, 0x0010000000000000, 0x7fefffffffffffff,
            0xffefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000,
            0x7ff8000000000123, 0x41e0000000000000, 0x3ff8000000000000,
            0xc045000000000000};
  }
  uint64_t all = n == 64 ? ~0ull : (1ull << n) - 1, top = 1ull << (n - 1);
  std::vector<uint64_t> edges = {0,
                                 1,
                                 2,
                                 all,
                                 all - 1,
                                 top,
                                 top - 1,
                                 top + 1,
                                 7,
                                 31,
                                 32,
                                 33,
                                 n - 1,
                                 n,
                                 0x5a5a5a5a5a5a5a5aull & all,
                                 0xff00ff00ff00ff00ull & all};
  return edges;
}

/// The same for the parts of packed values: f16, bf16 or f32.
std::vector<uint64_t> edgesOfPart(const std::string &part) {
  if (part == "f16")
    return {0x0000, 0x8000, 0x3c00, 0xbc00, 0x0001, 0x8001, 0x03ff, 0x0400,
            0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e01, 0x3e01, 0xd140, 0x1400};
  if (part == "bf16")
    return {0x0000, 0x8000, 0x3f80, 0xbf80, 0x0001, 0x8001, 0x007f, 0x0080,
            0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7fc1, 0x3f81, 0xc228, 0x3800};
  return edgesOf({ElementType::Float, 4, "f32"});
}

/// Value number `i` of "edges.a", "edges.b" or "edges.c".
uint64_t pickEdge(const std::vector<uint64_t> &edges, char which, uint64_t i) {
  return which == 'a'   ? edges[i / 16 % 16]
         : which == 'b' ? edges[i % 16]
                        : edges[(i * 7 + i / 16) % 16];
}

uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

bool generate(const ElementType &type, const std::string &text,
              std::vector<uint64_t> &values) {
  std::string name = text;
  uint64_t count = 256;
  if (size_t colon = name.find(':'); colon != std::string::npos) {
    count = std::strtoull(name.c_str() + colon + 1, nullptr, 10);
    name = name.substr(0, colon);
  }
  if (count == 0 || count > (1 << 22))
    return false;
  std::vector<uint64_t> edges = edgesOf(type);
  uint64_t all = type.bytes == 8 ? ~0ull : (1ull << (type.bytes * 8)) - 1;
  uint64_t seed = 1;
  bool random = name.rfind("random(", 0) == 0;
  if (random)
    seed = std::strtoull(name.c_str() + 7, nullptr, 10);
  size_t dot = name.find('.');
  std::string part = name.substr(0, dot);
  bool isPart = part == "f16" || part == "bf16" || part == "f32";
  if (dot != std::string::npos && (part == "edges" || isPart)) {
    if (dot + 2 != name.size() || !std::strchr("abc", name[dot + 1]))
      return false;
    unsigned bytes = isPart ? (part == "f32" ? 4 : 2) : type.bytes;
    if (isPart)
      edges = edgesOfPart(part);
    for (uint64_t i = 0; i < count; ++i) {
      uint64_t value = 0;
      // The second part meets other values than the first.
      for (unsigned at = 0; at < type.bytes; at += bytes)
        value |= pickEdge(edges, name[dot + 1], i * (at ? 13 : 1) + at)
                 << (8 * at);
      values.push_back(value);
    }
    return true;
  }
  for (uint64_t i = 0; i < count; ++i) {
    if (name == "zero")
      values.push_back(0);
    else if (name == "iota")
      values.push_back(type.kind == ElementType::Float
                           ? floatBits(double(i), type.bytes)
                           : i & all);
    else if (name == "sweep" && type.kind == ElementType::Float)
      values.push_back(
          floatBits((double(i) / double(count) - 0.5) * 16, type.bytes));
    else if (random)
      values.push_back(mix(seed * 0x9e3779b97f4a7c15u + i + 1) & all);
    else
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// A word of a test, and its offset in the line.
struct Word {
  std::string text;
  size_t at;
};

/// Splits at blanks outside brackets.
std::vector<Word> splitWords(const std::string &line) {
  std::vector<Word> words;
  int depth = 0;
  bool open = false;
  for (size_t at = 0; at < line.size(); ++at) {
    char c = line[at];
    if (c == '[' || c == '(')
      ++depth;
    if (c == ']' || c == ')')
      --depth;
    if ((c == ' ' || c == '\t') && depth == 0) {
      open = false;
      continue;
    }
    if (!open)
      words.push_back({"", at});
    open = true;
    words.back().text += c;
  }
  return words;
}

/// The count of `value*count`, which goes from `part`; 1 without, 0 if it is
/// none.
uint64_t takeRepetition(std::string &part) {
  size_t star = part.find('*');
  if (star == std::string::npos)
    return 1;
  uint64_t count = std::strtoull(part.c_str() + star + 1, nullptr, 10);
  part.resize(star);
  return count <= (1 << 22) ? count : 0;
}

bool parseValues(const ElementType &type, const std::string &list,
                 std::vector<uint64_t> &values, std::vector<bool> *wild) {
  std::string text = list;
  while (!text.empty()) {
    size_t comma = text.find(',');
    std::string part = text.substr(0, comma);
    text = comma == std::string::npos ? "" : text.substr(comma + 1);
    part.erase(std::remove(part.begin(), part.end(), ' '), part.end());
    uint64_t bits = 0, count = takeRepetition(part);
    bool any = wild && part == "?";
    if (count == 0 || (!any && !parseElement(type, part, bits)))
      return false;
    values.insert(values.end(), count, bits);
    if (wild)
      wild->insert(wild->end(), count, any);
  }
  return !values.empty();
}

/// \returns false if the file cannot be read, or holds no whole elements.
bool readElements(const ElementType &type, const std::string &path,
                  std::vector<uint64_t> &values) {
  auto file = llvm::MemoryBuffer::getFile(path);
  if (!file || (*file)->getBufferSize() % type.bytes != 0)
    return false;
  llvm::StringRef bytes = (*file)->getBuffer();
  for (size_t at = 0; at < bytes.size(); at += type.bytes) {
    uint64_t bits = 0;
    std::memcpy(&bits, bytes.data() + at, type.bytes);
    values.push_back(bits);
  }
  return !values.empty();
}

std::string pathOf(const std::string &list, const std::string &folder) {
  std::string name = list.substr(1);
  return name[0] == '/' ? name : folder + "/" + name;
}

bool parseExpected(TestArgument &argument, const std::string &list,
                   const std::string &folder) {
  argument.checked = true;
  if (list[0] == '@') {
    argument.expectedFile = pathOf(list, folder);
    bool isRead =
        readElements(argument.type, argument.expectedFile, argument.expected);
    argument.wild.assign(argument.expected.size(), false);
    return isRead;
  }
  if (list.rfind("ref", 0) == 0) {
    argument.byReference = true;
    uint64_t count = 256;
    if (size_t colon = list.find(':'); colon != std::string::npos)
      count = std::strtoull(list.c_str() + colon + 1, nullptr, 10);
    argument.expected.assign(count, 0);
    argument.wild.assign(count, false);
    return count > 0 && count < (1 << 22);
  }
  return parseValues(argument.type, list, argument.expected, &argument.wild);
}

/// in=TYPE[...], out=TYPE[...], io=TYPE[...]->[...]
bool parseBuffer(const std::string &word, const std::string &folder,
                 TestArgument &argument) {
  size_t equals = word.find('='), bracket = word.find('[');
  if (equals == std::string::npos || bracket == std::string::npos)
    return false;
  std::string role = word.substr(0, equals);
  auto type = parseElementType(word.substr(equals + 1, bracket - equals - 1));
  size_t close = word.find(']');
  if (!type || close == std::string::npos)
    return false;
  argument.isBuffer = true;
  argument.type = *type;
  std::string list = word.substr(bracket + 1, close - bracket - 1);
  if (role == "out") {
    argument.textBegin = bracket + 1;
    argument.textLength = list.size();
    if (list.empty() || !parseExpected(argument, list, folder))
      return false;
    argument.initial.assign(argument.expected.size(), 0);
    return true;
  }
  if (list.empty())
    return false;
  if (list[0] == '@') {
    if (!readElements(*type, pathOf(list, folder), argument.initial))
      return false;
  } else if (!generate(*type, list, argument.initial)) {
    argument.initial.clear();
    if (!parseValues(*type, list, argument.initial, nullptr))
      return false;
  }
  if (role == "in")
    return true;
  size_t arrow = word.find("->[", close);
  if (role != "io" || arrow == std::string::npos || word.back() != ']')
    return false;
  std::string after = word.substr(arrow + 3, word.size() - arrow - 4);
  argument.textBegin = arrow + 3;
  argument.textLength = after.size();
  if (after.empty())
    return false;
  if (after == "ref")
    after = "ref:" + std::to_string(argument.initial.size());
  return parseExpected(argument, after, folder) &&
         argument.expected.size() == argument.initial.size();
}

/// Takes `@multicast(N)` from the end of a word, if it is there. \returns false
/// if it is malformed.
bool takeMulticast(std::string &word, unsigned &memories) {
  llvm::StringRef rest = word;
  size_t at = rest.rfind("]@multicast(");
  if (at == llvm::StringRef::npos)
    return true;
  rest = rest.drop_front(at + 1);
  if (!rest.consume_front("@multicast(") || !rest.consume_back(")") ||
      rest.getAsInteger(10, memories) || memories == 0)
    return false;
  word.resize(at + 1);
  return true;
}

/// Can the buffer be divided as `@multicast` says?
bool fitsMemories(const TestArgument &argument) {
  return !argument.memories || argument.initial.size() % argument.memories == 0;
}

/// If the buffer is a texture: does it have as many elements as that takes?
bool fitsTexture(TestArgument &argument) {
  if (!argument.texture)
    return true;
  return setChannelType(*argument.texture, argument.type.name) &&
         Texture::countBytes(argument.texture->config) ==
             argument.initial.size() * argument.type.bytes;
}

} // namespace

bool ptxjit::parseCase(const std::string &line, const std::string &folder,
                       TestCase &test, std::string &error) {
  std::vector<Word> words = splitWords(line);
  if (words.empty()) {
    error = "expected the name of a kernel";
    return false;
  }
  test.kernel = words.front().text;
  test.config.block.x = 0; // not given
  for (size_t i = 1; i < words.size(); ++i) {
    const std::string &word = words[i].text;
    auto value = [&](const char *prefix) -> const char * {
      size_t n = std::strlen(prefix);
      return word.compare(0, n, prefix) == 0 ? word.c_str() + n : nullptr;
    };
    bool ok = true;
    if (const char *v = value("grid="))
      ok = parseExtents(v, test.config.grid);
    else if (const char *v = value("cluster="))
      ok = parseExtents(v, test.config.cluster);
    else if (const char *v = value("block="))
      ok = parseExtents(v, test.config.block);
    else if (const char *v = value("shared="))
      test.config.dynamicSharedBytes = uint32_t(std::strtoul(v, nullptr, 0));
    else if (const char *v = value("~ulps="))
      test.tolerance.ulps = std::strtoull(v, nullptr, 0);
    else if (const char *v = value("~rel="))
      test.tolerance.relative = std::strtod(v, nullptr);
    else if (const char *v = value("~abs="))
      test.tolerance.absolute = std::strtod(v, nullptr);
    else if (const char *v = value("fails="))
      test.fails = v;
    else if (word == "racy")
      test.isRacy = true;
    else {
      TestArgument argument;
      size_t at = word.find_first_of(":{[");
      if (at != std::string::npos && word[at] == '[') {
        std::string buffer = word;
        ok = takeMulticast(buffer, argument.memories) &&
             takeTexture(buffer, argument.texture) &&
             parseBuffer(buffer, folder, argument) && fitsTexture(argument) &&
             fitsMemories(argument);
        argument.textBegin += words[i].at;
      } else {
        std::string why;
        ok = parseScalarArgument(word, argument.value, why);
      }
      test.arguments.push_back(std::move(argument));
    }
    if (!ok) {
      error = "'" + word + "' is malformed";
      if (word.find("[@") != std::string::npos)
        error += ", or its file cannot be read";
      if (word.find("]@") != std::string::npos)
        error += ", or the texture or memories have another number of elements";
      return false;
    }
  }
  if (test.isRacy &&
      std::any_of(test.arguments.begin(), test.arguments.end(),
                  [](const TestArgument &a) { return a.byReference; })) {
    error = "a racy test must say what it expects";
    return false;
  }
  if (test.config.block.x == 0) {
    size_t longest = 1;
    for (const TestArgument &a : test.arguments)
      longest = std::max(longest, a.initial.size());
    test.config.block.x = uint32_t(std::min<size_t>(longest, 1024));
  }
  return true;
}

std::string ptxjit::formatValues(const ElementType &type,
                                 const std::vector<uint64_t> &values,
                                 const std::vector<bool> &wild) {
  auto textOf = [&](size_t i) {
    return wild[i] ? std::string("?") : formatElement(type, values[i]);
  };
  std::string text;
  for (size_t i = 0; i < values.size();) {
    std::string value = textOf(i);
    size_t end = i + 1;
    while (end < values.size() && textOf(end) == value)
      ++end;
    text += (text.empty() ? "" : ",") + value;
    if (end - i > 1)
      text += "*" + std::to_string(end - i);
    i = end;
  }
  return text;
}
