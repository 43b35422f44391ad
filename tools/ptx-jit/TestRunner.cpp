//===- TestRunner.cpp - execution tests inside PTX files ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestRunner.h"
#include "Arguments.h"
#include "ptxjit/Runtime/Module.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>

using namespace ptxjit;

namespace {

struct TestArgument {
  bool isBuffer = false;
  ElementType type;
  std::vector<uint64_t> values;  ///< of a scalar or an array
  std::vector<uint64_t> initial; ///< of a buffer
  bool checked = false;          ///< is it `out` or `io`?
  bool byReference = false;      ///< the interpreter computes `expected`
  std::vector<uint64_t> expected;
  std::vector<bool> wild; ///< elements given as `?`
};

struct TestCase {
  std::string kernel, text, fails;
  unsigned line = 0;
  bool isRacy = false; ///< the interpreter does not run it
  uint32_t grid[3] = {1, 1, 1}, block[3] = {0, 1, 1}, cluster[3] = {0, 0, 0};
  uint32_t shared = 0;
  std::vector<TestArgument> arguments;
  Tolerance tolerance;
};

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

/// Sixteen values with which implementations are likely to go wrong.
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

/// The same for the parts of packed values, which are f16, bf16 or f32.
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
      // The parts of a value go through the edges in different orders.
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

/// Splits at blanks that are not inside [] or ().
std::vector<std::string> splitWords(const std::string &line) {
  std::vector<std::string> words;
  int depth = 0;
  bool open = false;
  for (char c : line) {
    if (c == '[' || c == '(')
      ++depth;
    if (c == ']' || c == ')')
      --depth;
    if ((c == ' ' || c == '\t') && depth == 0) {
      open = false;
      continue;
    }
    if (!open)
      words.emplace_back();
    open = true;
    words.back() += c;
  }
  return words;
}

/// Removes `*count` from a `part` that is `value*count`.
/// \returns the count; 1 if there is none, 0 if it is no number or too large.
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

bool parseExpected(TestArgument &argument, const std::string &list) {
  argument.checked = true;
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
bool parseBuffer(const std::string &word, TestArgument &argument) {
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
    if (!parseExpected(argument, list))
      return false;
    argument.initial.assign(argument.expected.size(), 0);
    return true;
  }
  if (!generate(*type, list, argument.initial)) {
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
  if (after == "ref")
    after = "ref:" + std::to_string(argument.initial.size());
  return parseExpected(argument, after) &&
         argument.expected.size() == argument.initial.size();
}

bool parseCase(const std::string &line, TestCase &test, std::string &error) {
  std::vector<std::string> words = splitWords(line);
  if (words.empty()) {
    error = "expected the name of a kernel";
    return false;
  }
  test.kernel = words.front();
  for (size_t i = 1; i < words.size(); ++i) {
    const std::string &word = words[i];
    auto value = [&](const char *prefix) -> const char * {
      size_t n = std::strlen(prefix);
      return word.compare(0, n, prefix) == 0 ? word.c_str() + n : nullptr;
    };
    bool ok = true;
    if (const char *v = value("grid="))
      ok = parseExtents(v, test.grid);
    else if (const char *v = value("cluster="))
      ok = parseExtents(v, test.cluster);
    else if (const char *v = value("block="))
      ok = parseExtents(v, test.block);
    else if (const char *v = value("shared="))
      test.shared = uint32_t(std::strtoul(v, nullptr, 0));
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
        ok = parseBuffer(word, argument);
      } else {
        Argument scalar;
        std::string why;
        ok = parseScalarArgument(word, scalar, why);
        argument.type = scalar.type;
        argument.values = scalar.values;
      }
      test.arguments.push_back(std::move(argument));
    }
    if (!ok) {
      error = "'" + word + "' is malformed";
      return false;
    }
  }
  if (test.isRacy &&
      std::any_of(test.arguments.begin(), test.arguments.end(),
                  [](const TestArgument &a) { return a.byReference; })) {
    error = "a racy test must say what it expects";
    return false;
  }
  if (test.block[0] == 0) {
    size_t longest = 1;
    for (const TestArgument &a : test.arguments)
      longest = std::max(longest, a.initial.size());
    test.block[0] = uint32_t(std::min<size_t>(longest, 1024));
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// One way to run a kernel: on the interpreter, or compiled with options.
struct Mode {
  std::string name;
  bool reference = false;
  CompileOptions options;
};

std::vector<Mode> chooseModes(const TestOptions &options) {
  std::vector<Mode> modes(1);
  modes[0].name = "reference";
  modes[0].reference = true;
  auto add = [&](uint32_t chunk, const char *cpu) {
    Mode mode;
    mode.name = "chunk " + std::to_string(chunk) + (*cpu ? " on " : "") + cpu;
    mode.options.chunk = chunk;
    mode.options.cpu = cpu;
    mode.options.atLeast = options.atLeast;
    modes.push_back(mode);
  };
  if (!options.chunks.empty()) {
    for (uint32_t chunk : options.chunks)
      add(chunk, options.cpu.c_str());
    return modes;
  }
  for (uint32_t chunk : {1, 4, 8, 16})
    add(chunk, options.cpu.c_str());
  for (PtxjitMode atLeast : {PTXJIT_MODE_FIBERS, PTXJIT_MODE_THREADS}) {
    Mode mode;
    mode.name = describe(atLeast);
    mode.options.cpu = options.cpu.c_str();
    mode.options.atLeast = atLeast;
    modes.push_back(mode);
  }
  if (options.cpu.empty())
    add(8, "x86-64-v3"); // AVX2's masks, on any machine
  return modes;
}

class FileRunner {
public:
  FileRunner(const std::string &path, const TestOptions &options)
      : path(path), options(options) {}

  unsigned passed = 0, failed = 0;

  void run() {
    std::ifstream file(path, std::ios::binary);
    std::string text(std::istreambuf_iterator<char>(file), {});
    if (!file) {
      report(0, "cannot be read");
      return;
    }
    std::string diagnostics;
    module = Module::load(text, path, diagnostics);
    if (!module) {
      std::fputs(diagnostics.c_str(), stderr);
      report(0, "is refused");
      return;
    }
    unsigned lineNumber = 0, cases = 0;
    for (size_t at = 0; at < text.size();) {
      size_t end = std::min(text.find('\n', at), text.size());
      std::string line = text.substr(at, end - at);
      at = end + 1;
      ++lineNumber;
      size_t marker = line.find("// run:");
      if (marker == std::string::npos)
        continue;
      ++cases;
      TestCase test;
      test.line = lineNumber;
      std::string error;
      if (!parseCase(line.substr(marker + 7), test, error))
        report(lineNumber, error);
      else
        runCase(test);
    }
    if (cases == 0)
      report(0, "holds no '// run:' line");
  }

private:
  void report(unsigned line, const std::string &message) {
    ++failed;
    std::fprintf(stderr, "%s:%u: %s\n", path.c_str(), line, message.c_str());
  }

  void runCase(TestCase &test) {
    for (const Mode &mode : chooseModes(options)) {
      if (mode.reference && test.isRacy)
        continue;
      std::string error;
      bool ok = true;
      for (unsigned i = 0; ok && i < (mode.reference ? 1 : options.repeat); ++i)
        ok = runMode(test, mode, error);
      if (ok) {
        ++passed;
      } else {
        report(test.line, test.kernel + " (" + mode.name + "): " + error);
        if (mode.reference)
          return; // there may be nothing to compare others with
      }
    }
  }

  bool runMode(TestCase &test, const Mode &mode, std::string &error) {
    const PtxjitKernelInfo *kernel = module->findKernel(test.kernel);
    if (!kernel) {
      error = "there is no such kernel";
      return false;
    }
    ArgumentList list;
    list.range = module->getAddressRange();
    for (const TestArgument &a : test.arguments) {
      Argument argument;
      argument.type = a.type;
      argument.values = a.values;
      if (a.isBuffer) {
        argument.isBuffer = true;
        argument.buffer = list.buffers.size();
        BufferRequest buffer;
        buffer.data.type = a.type;
        buffer.data.count = a.initial.size();
        if (!buffer.data.allocate(list.range)) {
          error = "there is not enough memory";
          return false;
        }
        for (size_t i = 0; i < a.initial.size(); ++i)
          buffer.data.set(i, a.initial[i]);
        list.buffers.push_back(std::move(buffer));
      }
      list.arguments.push_back(argument);
    }
    std::vector<uint64_t> params;
    if (!list.layOut(*kernel, params, error))
      return false;
    Grid grid{test.grid[0], test.grid[1], test.grid[2]};
    LaunchOptions launch;
    launch.cluster = {test.cluster[0], test.cluster[1], test.cluster[2]};
    std::string diagnostics;
    bool ok;
    if (mode.reference) {
      ok = module->interpret(test.kernel, grid, test.block, params.data(),
                             test.shared, 0, diagnostics, launch);
    } else {
      LaunchStatus status = module->launch(
          test.kernel, grid, test.block, params.data(), test.shared,
          options.threads, mode.options, diagnostics, launch);
      ok = status == LaunchStatus::Ok;
    }
    if (!test.fails.empty()) {
      if (!ok && diagnostics.find(test.fails) != std::string::npos)
        return true;
      error = ok ? "was expected to fail"
                 : "failed with another message: " + diagnostics;
      return false;
    }
    if (!ok) {
      error = "failed: " + diagnostics;
      return false;
    }
    return list.checkEdges(test.kernel, error) &&
           compare(test, list, mode, error);
  }

  bool compare(TestCase &test, ArgumentList &list, const Mode &mode,
               std::string &error) {
    for (size_t i = 0; i < test.arguments.size(); ++i) {
      TestArgument &a = test.arguments[i];
      if (!a.checked)
        continue;
      TypedBuffer &got = list.buffers[list.arguments[i].buffer].data;
      for (size_t e = 0; e < a.expected.size(); ++e) {
        uint64_t bits = got.get(e);
        if (a.byReference && mode.reference) {
          a.expected[e] = bits;
          continue;
        }
        if (a.wild[e] || isClose(a.type, bits, a.expected[e], test.tolerance))
          continue;
        char raw[80];
        std::snprintf(raw, sizeof raw, " (0x%llx, expected 0x%llx)",
                      (unsigned long long)bits,
                      (unsigned long long)a.expected[e]);
        error = "argument " + std::to_string(i + 1) + "[" + std::to_string(e) +
                "]: got " + formatElement(a.type, bits) + ", expected " +
                formatElement(a.type, a.expected[e]) + raw + inputsAt(test, e);
        return false;
      }
    }
    return true;
  }

  /// The initial values at index `e` of buffers, for messages; not of those
  /// that are compared with the interpreter's result.
  static std::string inputsAt(const TestCase &test, size_t e) {
    std::string text;
    for (const TestArgument &a : test.arguments)
      if (a.isBuffer && e < a.initial.size() && !a.byReference) {
        char raw[32];
        std::snprintf(raw, sizeof raw, " 0x%llx",
                      (unsigned long long)a.initial[e]);
        text += raw;
      }
    return text.empty() ? text : "; inputs" + text;
  }

  std::string path;
  const TestOptions &options;
  std::unique_ptr<Module> module;
};

} // namespace

int ptxjit::runTests(const std::vector<std::string> &files,
                     const TestOptions &options) {
  bool ok = true;
  for (const std::string &path : files) {
    FileRunner runner(path, options);
    runner.run();
    std::printf("%s: %u passed, %u failed\n", path.c_str(), runner.passed,
                runner.failed);
    std::fflush(stdout);
    ok &= runner.failed == 0 && runner.passed > 0;
  }
  return ok ? 0 : 1;
}
