//===- TestRunner.cpp - execution tests inside PTX files ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestRunner.h"
#include "Arguments.h"
#include "Diagnostics.h"
#include "TestNotation.h"
#include "TestRecord.h"
#include "TestReport.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <optional>

using namespace ptxjit;

namespace {

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
  if (!options.record.empty())
    return modes;
  using Warps = CompileOptions::Warps;
  CompileOptions common;
  common.cpu = options.cpu;
  common.mode = options.mode;
  common.failAt = options.failAt;
  auto add = [&](uint32_t chunk, const std::string &cpu, Warps warps) {
    Mode mode;
    mode.options = common;
    mode.options.warps = options.warps == Warps::Auto ? warps : options.warps;
    mode.name = "chunk " + std::to_string(chunk) + (cpu.empty() ? "" : " on ") +
                cpu +
                (mode.options.warps == Warps::Narrow ? ", narrow warps" : "");
    mode.options.chunk = chunk;
    mode.options.cpu = cpu;
    modes.push_back(mode);
  };
  if (!options.chunks.empty()) {
    for (uint32_t chunk : options.chunks)
      add(chunk, options.cpu, Warps::Auto);
    return modes;
  }
  for (uint32_t chunk : {1, 4, 8, 16})
    add(chunk, options.cpu, chunk == 4 ? Warps::Narrow : Warps::Wide);
  for (bool isThreads : {false, true}) {
    Mode mode;
    mode.name = isThreads ? "threads" : "fibers";
    mode.options = common;
    mode.options.mode = isThreads ? CompileOptions::Mode::Threads
                                  : CompileOptions::Mode::Fibers;
    modes.push_back(mode);
  }
  Mode quick;
  quick.name = "quick";
  quick.options = common;
  quick.options.isQuick = true;
  modes.push_back(quick);
#if defined(__x86_64__)
  if (options.cpu.empty())
    add(8, "x86-64-v3", Warps::Narrow); // AVX2's masks, on any machine
#endif
  return modes;
}

/// \returns false, with the reason in errno, if the file cannot be written.
bool writeText(const std::string &path, const std::string &text) {
  std::FILE *file = std::fopen(path.c_str(), "wb");
  if (!file)
    return false;
  bool isWritten =
      std::fwrite(text.data(), 1, text.size(), file) == text.size();
  return std::fclose(file) == 0 && isWritten;
}

class FileRunner {
public:
  FileRunner(const std::string &path, const TestOptions &options)
      : results(path), path(path), options(options) {}

  TestReport results;
  std::string records; ///< of the tests that passed, as in TestRecord.h

  void run() {
    auto file = llvm::MemoryBuffer::getFile(path);
    if (!file) {
      report(0, "cannot be read: " + file.getError().message());
      return;
    }
    text = (*file)->getBuffer().str();
    auto loaded = Module::load(text, path);
    if (!loaded) {
      std::fprintf(stderr, "%s\n", formatDiagnostic(loaded.getError()).c_str());
      report(0, "is refused");
      return;
    }
    module = *loaded;
    unsigned lineNumber = 0, cases = 0;
    for (size_t at = 0; at < text.size();) {
      size_t end = std::min(text.find('\n', at), text.size());
      std::string line = text.substr(at, end - at);
      ++lineNumber;
      if (!checkVersion(line, lineNumber))
        return;
      if (size_t marker = line.find("// run:"); marker != std::string::npos) {
        ++cases;
        runLine(line.substr(marker + 7), lineNumber, at + marker + 7);
      }
      at = end + 1;
    }
    if (cases == 0)
      report(0, "holds no '// run:' line");
    if (!updates.empty())
      writeUpdates();
  }

private:
  void report(unsigned line, const std::string &message) {
    results.add(line, "the file", message);
    std::fprintf(stderr, "%s:%u: %s\n", path.c_str(), line, message.c_str());
  }

  /// Reports a line that asks for a version of the notation that this program
  /// does not know. \returns false in that case.
  bool checkVersion(const std::string &line, unsigned number) {
    const std::string marker = "// ptx-jit-test:";
    if (line.compare(0, marker.size(), marker) != 0)
      return true;
    unsigned long version =
        std::strtoul(line.c_str() + marker.size(), nullptr, 10);
    if (version >= 1 && version <= kNotationVersion)
      return true;
    report(number, "the tests are written for version" +
                       line.substr(marker.size()) +
                       " of the notation; this program knows 1 to " +
                       std::to_string(kNotationVersion));
    return false;
  }

  /// Runs the test whose text begins at `offset` of the file.
  void runLine(const std::string &line, unsigned number, size_t offset) {
    TestCase test;
    test.line = number;
    test.offset = offset;
    size_t slash = path.rfind('/');
    std::string folder =
        slash == std::string::npos ? "." : path.substr(0, slash);
    std::string error;
    if (parseCase(line, folder, test, error))
      runCase(test);
    else
      report(number, error);
  }

  //===--------------------------------------------------------------------===//
  // --update
  //===--------------------------------------------------------------------===//

  /// A part of the file's text, and what it becomes.
  struct Update {
    size_t begin, length;
    std::string text;
  };

  /// Replaces expected values that differ by those that the kernel has written.
  void takeResults(TestCase &test, const ArgumentList &list) {
    for (size_t i = 0; i < test.arguments.size(); ++i) {
      TestArgument &a = test.arguments[i];
      if (!a.checked || a.byReference)
        continue;
      const TypedBuffer &got = list.buffers[list.arguments[i].buffer].data;
      bool differs = false;
      for (size_t e = 0; e < a.expected.size(); ++e) {
        uint64_t bits = got.get(e);
        if (a.wild[e] || isClose(a.type, bits, a.expected[e], test.tolerance))
          continue;
        a.expected[e] = bits;
        differs = true;
      }
      std::string error;
      if (differs && !a.expectedFile.empty()) {
        if (!writeFile(got, a.expectedFile, error))
          report(test.line, error);
      } else if (differs) {
        updates.push_back({test.offset + a.textBegin, a.textLength,
                           formatValues(a.type, a.expected, a.wild)});
      }
    }
  }

  void writeUpdates() {
    std::string updated = text;
    // Later parts first: their offsets remain valid.
    for (size_t i = updates.size(); i-- > 0;)
      updated.replace(updates[i].begin, updates[i].length, updates[i].text);
    if (writeText(path, updated))
      std::printf("%s: expected values of %zu buffers updated\n", path.c_str(),
                  updates.size());
    else
      report(0, std::string("cannot be written: ") + std::strerror(errno));
  }

  //===--------------------------------------------------------------------===//
  // Cases
  //===--------------------------------------------------------------------===//

  void runCase(TestCase &test) {
    isUpdating = options.update;
    // What a racy test expects, it says itself.
    if (test.isRacy)
      addRecord(test);
    for (const Mode &mode : chooseModes(options)) {
      if (mode.reference && (test.isRacy || mayLeaveOutReference(test)))
        continue;
      std::string error, name = test.kernel + " (" + mode.name + ")";
      bool ok = true;
      for (unsigned i = 0; ok && i < (mode.reference ? 1 : options.repeat); ++i)
        ok = runMode(test, mode, error);
      isUpdating = false; // the first mode's results judge the others
      if (ok) {
        results.add(test.line, name, "");
        if (mode.reference)
          addRecord(test);
        continue;
      }
      std::fprintf(stderr, "%s:%u: %s: %s\n", path.c_str(), test.line,
                   name.c_str(), error.c_str());
      results.add(test.line, name, error);
      if (mode.reference)
        return; // nothing to judge the others by
    }
  }

  /// Other judges have no memory of several devices.
  void addRecord(const TestCase &test) {
    if (!options.record.empty() && !hasMulticast(test))
      records += formatRecord(path, test);
  }

  bool mayLeaveOutReference(const TestCase &test) const {
    return options.skipReference && !options.update && options.record.empty() &&
           std::none_of(test.arguments.begin(), test.arguments.end(),
                        [](const TestArgument &a) { return a.byReference; });
  }

  static bool hasMulticast(const TestCase &test) {
    return std::any_of(test.arguments.begin(), test.arguments.end(),
                       [](const TestArgument &a) { return a.memories != 0; });
  }

  /// Allocates the buffers of a test, with their initial values.
  bool makeArguments(const TestCase &test, ArgumentList &list,
                     std::string &error) const {
    list.isLow = module->needsLowMemory();
    for (const TestArgument &a : test.arguments) {
      ArgumentRequest argument;
      argument.value = a.value;
      if (a.isBuffer) {
        argument.isBuffer = true;
        argument.buffer = list.buffers.size();
        BufferRequest buffer;
        buffer.data.type = a.type;
        buffer.data.count = a.initial.size();
        if (!buffer.data.allocate(list.isLow)) {
          error = "there is not enough memory";
          return false;
        }
        for (size_t i = 0; i < a.initial.size(); ++i)
          buffer.data.set(i, a.initial[i]);
        if (a.texture && !makeTexture(*a.texture, buffer.data, argument, error))
          return false;
        if (a.memories &&
            !makeMulticast(a.memories, buffer.data, argument, error))
          return false;
        list.buffers.push_back(std::move(buffer));
      }
      list.arguments.push_back(std::move(argument));
    }
    return true;
  }

  /// Makes the texture that a buffer is seen as, and binds it to a variable if
  /// the test says so.
  bool makeTexture(const TextureRequest &request, const TypedBuffer &buffer,
                   ArgumentRequest &argument, std::string &error) const {
    auto texture = Texture::create(buffer.memory.data(), request.config);
    if (!texture) {
      error = texture.getError().getMessage();
      return false;
    }
    argument.texture = *texture;
    argument.handle = texture->getHandle();
    argument.isBound = !request.variable.empty();
    Error failure = argument.isBound
                        ? module->bindTexture(request.variable, *texture)
                        : Error();
    error = failure.getMessage();
    return !failure;
  }

  /// Makes an address of the parts of a buffer.
  static bool makeMulticast(unsigned memories, const TypedBuffer &buffer,
                            ArgumentRequest &argument, std::string &error) {
    size_t bytes = buffer.bytes() / memories;
    std::vector<void *> parts;
    parts.reserve(memories);
    for (unsigned i = 0; i < memories; ++i)
      parts.push_back(buffer.memory.data() + i * bytes);
    auto multicast = Multicast::create(parts, bytes);
    if (!multicast) {
      error = multicast.getError().getMessage();
      return false;
    }
    argument.multicast = *multicast;
    argument.handle = multicast->getAddress();
    return true;
  }

  /// Did a launch that has just been made run other code than `mode` asks for?
  static bool isDegraded(const Kernel &kernel, const LaunchConfig &config,
                         const Mode &mode) {
    auto compiled = kernel.withOptions(mode.options).compile(config);
    return compiled && compiled->isDegraded;
  }

  bool runMode(TestCase &test, const Mode &mode, std::string &error) {
    auto kernel = module->getKernel(test.kernel);
    if (!kernel) {
      error = "there is no such kernel";
      return false;
    }
    ArgumentList list;
    std::vector<Argument> arguments;
    if (!makeArguments(test, list, error) ||
        !list.pass(*kernel, arguments, error))
      return false;
    LaunchConfig config = test.config;
    config.numWorkers = options.threads;
    Error failure =
        mode.reference
            ? kernel->interpret(config, arguments)
            : kernel->withOptions(mode.options).launchList(config, arguments);
    std::string diagnostics = failure ? formatDiagnostic(failure) : "";
    if (!test.fails.empty()) {
      if (failure && diagnostics.find(test.fails) != std::string::npos)
        return true;
      error = failure ? "failed with another message: " + diagnostics
                      : "was expected to fail";
      return false;
    }
    if (failure) {
      error = "failed: " + diagnostics;
      return false;
    }
    if (!mode.reference && isDegraded(*kernel, config, mode)) {
      error = "LLVM failed on this kernel, and only slow fallback code ran";
      return false;
    }
    if (!list.checkEdges(test.kernel, error))
      return false;
    if (isUpdating)
      takeResults(test, list);
    return compare(test, list, mode, error);
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

  std::string path, text;
  const TestOptions &options;
  std::optional<Module> module;
  std::vector<Update> updates;
  bool isUpdating = false; ///< do results become the expected values?
};

} // namespace

int ptxjit::runTests(const std::vector<std::string> &files,
                     const TestOptions &options) {
  bool ok = true;
  std::string records;
  std::vector<TestReport> reports;
  for (const std::string &path : files) {
    FileRunner runner(path, options);
    runner.run();
    unsigned failed = runner.results.countFailed();
    unsigned passed = runner.results.countPassed();
    std::printf("%s: %u passed, %u failed\n", path.c_str(), passed, failed);
    std::fflush(stdout);
    ok &= failed == 0 && passed > 0;
    records += runner.records;
    reports.push_back(std::move(runner.results));
  }
  if (!options.record.empty() && !writeText(options.record, records)) {
    std::fprintf(stderr, "ptx-jit: %s: %s\n", options.record.c_str(),
                 std::strerror(errno));
    return 1;
  }
  if (!options.junit.empty() && !writeJUnit(options.junit, reports)) {
    std::fprintf(stderr, "ptx-jit: %s: %s\n", options.junit.c_str(),
                 std::strerror(errno));
    return 1;
  }
  return ok ? 0 : 1;
}
