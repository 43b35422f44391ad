//===- Doctor.cpp - the command `doctor` ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Doctor.h"
#include "Dependencies.h"
#include "Diagnostics.h"
#include "Exec.h"
#include "ImageTotals.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

using namespace ptxjit;
using llvm::StringRef;

namespace {
/// What is known of NVIDIA's libraries by the beginnings of their names, where
/// there is none of ours. The first one that fits counts.
struct KnownLibrary {
  StringRef prefix;
  const char *note;
  bool isProblem;
};

/// Examines a program, and prints what it finds.
class Doctor {
public:
  explicit Doctor(std::string ours) : ours(std::move(ours)) {}
  /// \returns the exit status.
  int examine(const std::string &program);

private:
  void examineProgram(const std::string &program, StringRef bytes);
  void examineLibrary(const Dependency &library);
  /// Reports device code and a static runtime in a file. \returns what is to be
  /// said of it: lines.
  std::vector<std::string> examineBytes(const std::string &name,
                                        StringRef bytes);
  void judgeModules(const std::string &name, const ImageTotals &totals);
  void printLine(const std::string &name, const std::string &text);
  void addProblem(const std::string &problem) { problems.push_back(problem); }
  int finish(const std::string &program);

  std::string ours; ///< the folder of our libraries
  bool hasCuda = false, hasLibraries = false;
  std::vector<std::string> problems;
};
} // namespace

static const char kNothing[] =
    "NVIDIA's, which needs NVIDIA's driver; ptx-jit has none in its place";

static const KnownLibrary kKnown[] = {
    {"libcudart.so",
     "a runtime of another version of CUDA, which needs NVIDIA's driver; "
     "build with CUDA 12 or 13",
     true},
    {"libnvrtc", "NVIDIA's, which makes PTX, without a GPU", false},
    {"libnvJitLink", "NVIDIA's, which makes machine code, which no CPU can run",
     false},
    {"libnvToolsExt", "NVIDIA's, for profilers", false},
    {"libcupti", "NVIDIA's, which needs NVIDIA's driver", true},
    {"libcublas", kNothing, true},
    {"libcudnn", kNothing, true},
    {"libcufft", kNothing, true},
    {"libcurand", kNothing, true},
    {"libcusolver", kNothing, true},
    {"libcusparse", kNothing, true},
    {"libnpp", kNothing, true},
    {"libnvjpeg", kNothing, true},
};

static const KnownLibrary *findKnown(StringRef name) {
  const auto *end = std::end(kKnown);
  const auto *found =
      std::find_if(std::begin(kKnown), end, [&](const KnownLibrary &known) {
        return name.starts_with(known.prefix);
      });
  return found == end ? nullptr : found;
}

/// Does a file contain NVIDIA's runtime? Its names may have been stripped, but
/// not the texts of its errors.
static bool hasStaticRuntime(StringRef bytes) {
  static const char text[] =
      "\0CUDA driver version is insufficient for CUDA runtime version";
  return bytes.contains(StringRef(text, sizeof(text)));
}

/// Does a file name our driver, as programs do that open it when they run?
static bool namesDriver(StringRef bytes) {
  static const char text[] = "\0libcuda.so";
  return bytes.contains(StringRef(text, sizeof(text) - 1));
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

void Doctor::printLine(const std::string &name, const std::string &text) {
  std::printf("  %-20s %s\n", name.c_str(), text.c_str());
}

static std::string countModules(size_t number, const char *verb) {
  return number == 1 ? std::string("1 module ") + verb + "s"
                     : std::to_string(number) + " modules " + verb;
}

void Doctor::judgeModules(const std::string &name, const ImageTotals &totals) {
  ImageTotals::Counts counts = totals.getCounts();
  std::string compute = "compute_" + getDeviceName().substr(3);
  if (size_t number = counts.codeOnly + counts.ltoOnly)
    addProblem(name + ": " + countModules(number, "need") +
               " PTX; build with -gencode arch=" + compute +
               ",code=" + compute);
  if (counts.otherPtx)
    addProblem(name + ": " + countModules(counts.otherPtx, "need") +
               " another device; set PTXJIT_DEVICE ('ptx-jit list' shows which "
               "PTX there is)");
}

std::vector<std::string> Doctor::examineBytes(const std::string &name,
                                              StringRef bytes) {
  std::vector<std::string> lines;
  ImageTotals totals;
  const uint64_t none = ~uint64_t(0);
  uint64_t last = none; // the place of the last fat binary
  Error error =
      listDeviceCode(std::string_view(bytes), /*isThorough=*/false,
                     [&](const DeviceImage &image) {
                       totals.add(image, last != image.fatBinaryOffset);
                       last = image.fatBinaryOffset;
                     });
  if (std::string text = totals.describe(); !text.empty())
    lines.push_back("device code: " + text);
  if (error)
    addProblem(name + ": " + error.getMessage());
  judgeModules(name, totals);
  if (hasStaticRuntime(bytes)) {
    lines.push_back("NVIDIA's runtime, linked statically");
    addProblem(name + ": NVIDIA's static runtime works with NVIDIA's driver "
                      "only; relink with -cudart shared");
  }
  hasCuda |= !lines.empty();
  return lines;
}

void Doctor::examineLibrary(const Dependency &library) {
  const KnownLibrary *known = findKnown(library.name);
  std::vector<std::string> lines;
  if (library.path.empty()) {
    lines.push_back("not found");
    addProblem(library.name + ": not found, so that the program cannot start");
  } else if (llvm::sys::path::parent_path(library.path) == ours) {
    lines.push_back("ptx-jit's: " + library.path);
    if (StringRef(library.name).starts_with("libnvrtc"))
      lines.push_back("it needs NVIDIA's behind it to compile (PTXJIT_NVRTC)");
    hasCuda = true;
  } else {
    auto file = llvm::MemoryBuffer::getFile(library.path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
    // What NVIDIA's libraries have inside says less than their names.
    if (known)
      lines.push_back(known->note);
    else if (file)
      lines = examineBytes(library.path, (*file)->getBuffer());
    else
      addProblem(library.path + ": " + file.getError().message());
    if (known && known->isProblem)
      addProblem(library.name + ": " + known->note);
    if (!lines.empty())
      lines.insert(lines.begin(), library.path);
  }
  if (lines.empty())
    return;
  if (!hasLibraries)
    std::printf("libraries:\n");
  hasLibraries = true;
  std::string name = library.name;
  for (const std::string &line : lines) {
    printLine(name, line);
    name.clear();
  }
}

void Doctor::examineProgram(const std::string &program, StringRef bytes) {
  FileKind kind = kindOfFile(bytes);
  if (kind == FileKind::Foreign)
    return addProblem(program + ": it is damaged, or of another architecture "
                                "than this machine");
  std::printf("%s:\n", program.c_str());
  for (const std::string &line : examineBytes(program, bytes))
    std::printf("  %s\n", line.c_str());
  if (namesDriver(bytes)) {
    std::printf("  may open libcuda.so when it runs\n");
    hasCuda = true;
  }
  if (kind == FileKind::Static)
    return addProblem(program + ": it is linked statically, so that no library "
                                "of ours can take a place");
  std::vector<std::string> complaints;
  std::vector<Dependency> found = findDependencies(program, complaints);
  for (const Dependency &library : found)
    examineLibrary(library);
  for (const std::string &complaint : complaints)
    addProblem(complaint);
}

//===----------------------------------------------------------------------===//
// The verdict
//===----------------------------------------------------------------------===//

int Doctor::finish(const std::string &program) {
  if (!problems.empty()) {
    std::printf("problems:\n");
    for (const std::string &problem : problems)
      std::printf("  %s\n", problem.c_str());
    return 1;
  }
  if (hasCuda)
    std::printf("nothing is known to keep it from running: ptx-jit exec -- "
                "%s\n",
                program.c_str());
  else
    std::printf("it has no device code, and needs no library of CUDA; what it "
                "opens when it runs is not known\n");
  return 0;
}

/// Says what is known of a script, which is nothing. `line` is its first one.
static int describeScript(const std::string &program, StringRef line) {
  std::printf("%s:\n  a script of %s; what it loads is not known before it "
              "runs. Name a library instead\n",
              program.c_str(), line.trim().str().c_str());
  return 0;
}

int Doctor::examine(const std::string &program) {
  auto file = llvm::MemoryBuffer::getFile(program, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!file)
    return fail(program + ": " + file.getError().message());
  StringRef bytes = (*file)->getBuffer();
  if (bytes.starts_with("#!"))
    return describeScript(program, bytes.drop_front(2).split('\n').first);
  if (kindOfFile(bytes) == FileKind::NoElf)
    return fail(program + ": neither a program nor a library ('ptx-jit list' "
                          "shows the device code in other files)");
  examineProgram(program, bytes);
  return finish(program);
}

int ptxjit::examineProgram(int argc, char **argv) {
  int first = argc > 0 && std::strcmp(argv[0], "--") == 0;
  if (first >= argc)
    return fail("expected: ptx-jit doctor -- PROGRAM");
  std::string ours = prepareEnvironment();
  if (ours.empty())
    return 1;
  // As `ptx-jit exec` finds it.
  auto program = llvm::sys::findProgramByName(argv[first]);
  if (!program)
    return fail(std::string(argv[first]) + ": not found in PATH");
  return Doctor(ours).examine(*program);
}
