//===- Arguments.cpp - kernel arguments from the command line -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace ptxjit;

bool ptxjit::parseExtents(const std::string &text, Dim3 &extents) {
  const char *p = text.c_str();
  extents = Dim3();
  for (uint32_t *extent : {&extents.x, &extents.y, &extents.z}) {
    if (*p < '0' || *p > '9')
      return false;
    char *end;
    unsigned long long value = std::strtoull(p, &end, 10);
    if (value == 0 || value > UINT32_MAX)
      return false;
    *extent = uint32_t(value);
    if (*end == 0)
      return true;
    if (*end != ',')
      return false;
    p = end + 1;
  }
  return false;
}

static std::vector<std::string> splitCommas(const std::string &text) {
  std::vector<std::string> parts(1);
  for (char c : text)
    if (c == ',')
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

static bool applyOption(BufferRequest &buffer, const std::string &option,
                        std::string &error) {
  size_t equals = option.find('=');
  std::string name = option.substr(0, equals);
  std::string value =
      equals == std::string::npos ? "" : option.substr(equals + 1);
  if (name == "print")
    buffer.printCount =
        value.empty() ? buffer.data.count : std::strtoull(value.c_str(), 0, 10);
  else if (name == "out")
    buffer.out = value;
  else if (name == "expect")
    buffer.expect = value;
  else if (name == "rtol")
    buffer.tolerance.relative = std::strtod(value.c_str(), 0);
  else if (name == "atol")
    buffer.tolerance.absolute = std::strtod(value.c_str(), 0);
  else if (name == "ulps")
    buffer.tolerance.ulps = std::strtoull(value.c_str(), 0, 10);
  else if (name == "misses")
    buffer.misses = std::strtod(value.c_str(), 0);
  else {
    error = "unknown buffer option '" + option +
            "'; expected print, print=N, out=FILE, expect=FILE, rtol=X, "
            "atol=X, ulps=N or misses=SHARE";
    return false;
  }
  return true;
}

bool ptxjit::parseScalarArgument(const std::string &text,
                                 std::vector<uint8_t> &value,
                                 std::string &error) {
  size_t at = text.find_first_of(":{");
  auto type = parseElementType(text.substr(0, at));
  bool array = at != std::string::npos && text[at] == '{';
  if (at == std::string::npos || !type || (array && text.back() != '}')) {
    error =
        "expected TYPE:VALUE, TYPE{VALUE,...} or TYPE[N]=FILL, with TYPE one "
        "of u8 u16 u32 u64 s8 s16 s32 s64 f32 f64";
    return false;
  }
  std::string list = text.substr(at + 1);
  if (array)
    list.pop_back();
  for (const std::string &part : splitCommas(list)) {
    uint64_t bits;
    if (!parseElement(*type, part, bits)) {
      error = "'" + part + "' is not a " + type->name;
      return false;
    }
    if (!array && !value.empty()) {
      error = "expected one value";
      return false;
    }
    auto *bytes = reinterpret_cast<const uint8_t *>(&bits);
    value.insert(value.end(), bytes, bytes + type->bytes);
  }
  return true;
}

bool ArgumentList::add(const std::string &text, std::string &error) {
  auto fail = [&](const std::string &why) {
    error = "argument '" + text + "': " + why;
    return false;
  };
  ArgumentRequest argument;
  if (text.rfind("buf:", 0) == 0) {
    argument.isBuffer = true;
    argument.buffer = std::strtoull(text.c_str() + 4, 0, 10);
    if (argument.buffer >= buffers.size())
      return fail("there is no buffer of that number yet");
    arguments.push_back(argument);
    return true;
  }
  size_t bracket = text.find_first_of(":[{");
  if (bracket == std::string::npos || text[bracket] != '[') {
    std::string why;
    if (!parseScalarArgument(text, argument.value, why))
      return fail(why);
    arguments.push_back(argument);
    return true;
  }
  auto type = parseElementType(text.substr(0, bracket));
  size_t close = text.find(']');
  if (!type || close == std::string::npos)
    return fail("expected TYPE[N]=FILL");
  BufferRequest buffer;
  buffer.data.type = *type;
  std::string count = text.substr(bracket + 1, close - bracket - 1);
  char *end;
  buffer.data.count = std::strtoull(count.c_str(), &end, 0);
  if (count.empty() || *end || buffer.data.count == 0)
    return fail("'" + count + "' is not a number of elements");
  if (!buffer.data.allocate(isLow))
    return fail("there is not enough memory");
  std::string rest = text.substr(close + 1), why;
  std::vector<std::string> parts = splitCommas(rest);
  std::string fill = parts.front();
  if (!fill.empty() && fill[0] != '=')
    return fail("expected '=' or ',' behind ']'");
  if (!fill.empty())
    fill = fill.substr(1);
  bool filled = !fill.empty() && fill[0] == '@'
                    ? readFile(buffer.data, fill.substr(1), why)
                    : fillBuffer(buffer.data, fill, why);
  if (!filled)
    return fail(why);
  for (size_t i = 1; i < parts.size(); ++i)
    if (!applyOption(buffer, parts[i], why))
      return fail(why);
  argument.isBuffer = true;
  argument.buffer = buffers.size();
  buffers.push_back(std::move(buffer));
  arguments.push_back(argument);
  return true;
}

bool ArgumentList::pass(const Kernel &kernel, std::vector<Argument> &passed,
                        std::string &error) const {
  std::vector<Parameter> parameters = kernel.getParameters();
  std::vector<const ArgumentRequest *> given;
  for (const ArgumentRequest &argument : arguments)
    if (!argument.isBound)
      given.push_back(&argument);
  if (given.size() != parameters.size()) {
    error = "kernel '" + kernel.getName() + "' takes " +
            std::to_string(parameters.size()) + " arguments, " +
            std::to_string(given.size()) + " are given:";
    for (size_t i = 0; i < parameters.size(); ++i)
      error +=
          (i ? ", ." : " .") + parameters[i].type + " " + parameters[i].name;
    return false;
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Parameter &param = parameters[i];
    const ArgumentRequest &argument = *given[i];
    size_t bytes = argument.value.size();
    // A pointer into the low range fits into a parameter of 32 bits.
    if (argument.isBuffer)
      bytes = isLow && param.bytes == 4 ? 4 : sizeof(void *);
    if (param.bytes != bytes) {
      error = "parameter '" + param.name + "' is ." + param.type;
      if (param.count != 1)
        error += "[" + std::to_string(param.count) + "]";
      error += ", argument " + std::to_string(i + 1) + " has " +
               std::to_string(bytes) + " bytes";
      return false;
    }
    if (argument.handle)
      passed.emplace_back(Argument::Kind::Bytes, &argument.handle, bytes);
    else if (argument.isBuffer)
      passed.push_back(buffers[argument.buffer].data.memory);
    else
      passed.emplace_back(Argument::Kind::Bytes, argument.value.data(), bytes);
  }
  return true;
}

/// For example "buffer 0, s32[8]".
static std::string nameOf(const BufferRequest &buffer, size_t number) {
  return "buffer " + std::to_string(number) + ", " + buffer.data.type.name +
         "[" + std::to_string(buffer.data.count) + "]";
}

bool ArgumentList::checkEdges(const std::string &kernel,
                              std::string &error) const {
  for (size_t b = 0; b < buffers.size(); ++b)
    if (Error found = buffers[b].data.memory.checkEdges(
            "kernel '" + kernel + "'", nameOf(buffers[b], b))) {
      error = found.getMessage();
      return false;
    }
  return true;
}

std::string ArgumentList::describePlaces() const {
  std::string text;
  for (size_t b = 0; b < buffers.size(); ++b) {
    const TypedBuffer &data = buffers[b].data;
    char places[64];
    std::snprintf(places, sizeof(places), ": %p to %p\n",
                  static_cast<void *>(data.memory.data()),
                  static_cast<void *>(data.memory.data() + data.bytes()));
    text += "  " + nameOf(buffers[b], b) + places;
  }
  return text;
}

static bool compare(const BufferRequest &buffer, size_t number,
                    std::string &error) {
  TypedBuffer want;
  want.type = buffer.data.type;
  want.count = buffer.data.count;
  if (!want.allocate() || !readFile(want, buffer.expect, error))
    return false;
  uint64_t wrong = 0, first = 0;
  for (uint64_t i = 0; i < want.count; ++i)
    if (!isClose(want.type, buffer.data.get(i), want.get(i), buffer.tolerance))
      if (wrong++ == 0)
        first = i;
  if (double(wrong) <= buffer.misses * double(want.count))
    return true;
  error = "buffer " + std::to_string(number) + ": " + std::to_string(wrong) +
          " of " + std::to_string(want.count) + " elements differ; first [" +
          std::to_string(first) + "]: got " +
          formatElement(want.type, buffer.data.get(first)) + ", expected " +
          formatElement(want.type, want.get(first));
  return false;
}

bool ArgumentList::finish(std::string &error) {
  for (size_t b = 0; b < buffers.size(); ++b) {
    BufferRequest &buffer = buffers[b];
    uint64_t shown = std::min(buffer.printCount, buffer.data.count);
    if (shown) {
      std::printf("buffer %zu:", b);
      for (uint64_t i = 0; i < shown; ++i)
        std::printf(
            " %s", formatElement(buffer.data.type, buffer.data.get(i)).c_str());
      std::printf(shown < buffer.data.count ? " ...\n" : "\n");
    }
    if (!buffer.out.empty() && !writeFile(buffer.data, buffer.out, error))
      return false;
    if (!buffer.expect.empty() && !compare(buffer, b, error))
      return false;
  }
  return true;
}
