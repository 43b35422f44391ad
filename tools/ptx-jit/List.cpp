//===- List.cpp - the command `list` --------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "List.h"
#include "Diagnostics.h"
#include "ImageTotals.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Object/Archive.h"
#include "llvm/Support/MemoryBuffer.h"

#include <chrono>
#include <cstdio>
#include <optional>
#include <unistd.h>

using namespace ptxjit;
using Kind = DeviceImage::Kind;

namespace {
/// A line on the terminal, while the list goes elsewhere.
class Progress {
public:
  void tell(const std::string &name, double share);
  ~Progress();

private:
  using Clock = std::chrono::steady_clock;
  const bool isWanted = isatty(STDERR_FILENO) && !isatty(STDOUT_FILENO);
  Clock::time_point last = Clock::now();
  bool isShown = false;
};

class Lister {
public:
  explicit Lister(bool withKernels) : withKernels(withKernels) {}
  void list(const std::string &path);
  /// Prints the totals. \returns the exit status.
  int finish();

private:
  void listArchive(llvm::MemoryBufferRef file, const std::string &path);
  /// Lists the bytes of a file or of an archive's member. \returns false if
  /// they have no device code.
  bool listBytes(llvm::StringRef bytes, const std::string &name);
  /// Lists a text, whose modules are `images`, and the kernels of what it has
  /// if it is right.
  void listText(llvm::StringRef text, const std::string &name,
                const std::vector<DeviceImage> &images);
  void listImage(const DeviceImage &image, const std::string &name,
                 bool isFirstOfModule);
  void complain(const std::string &name, const std::string &why) {
    fail(name + ": " + why);
    isRight = false;
  }

  bool withKernels, isRight = true;
  ImageTotals totals;
  Progress progress;
};
} // namespace

//===----------------------------------------------------------------------===//
// Progress
//===----------------------------------------------------------------------===//

void Progress::tell(const std::string &name, double share) {
  constexpr std::chrono::milliseconds interval(200);
  if (!isWanted || Clock::now() - last < interval)
    return;
  last = Clock::now();
  isShown = true;
  std::fprintf(stderr, "\r\033[K[%.0f %%] %.60s", share * 100, name.c_str());
}

Progress::~Progress() {
  if (isShown)
    std::fprintf(stderr, "\r\033[K");
}

//===----------------------------------------------------------------------===//
// Images
//===----------------------------------------------------------------------===//

static std::string nameKind(const DeviceImage &image) {
  switch (image.kind) {
  case Kind::Ptx:
    return "PTX " + image.ptxVersion;
  case Kind::MachineCode:
    return "machine code";
  case Kind::LtoIr:
    return "LTO IR";
  case Kind::Other:
    break;
  }
  return "unknown";
}

static void print(const DeviceImage &image) {
  std::printf("  %-13s %-13s %llu bytes", nameKind(image).c_str(),
              image.architecture.c_str(),
              (unsigned long long)image.unpackedBytes);
  if (!image.packing.empty())
    std::printf(", %s %llu",
                image.packing == "unknown" ? "packed" : image.packing.c_str(),
                (unsigned long long)image.bytes);
  if (!image.name.empty())
    std::printf(", %s", image.name.c_str());
  if (image.hasDebug)
    std::printf(", debug");
  if (image.hasLines)
    std::printf(", lines");
  std::printf("\n");
}

static void printBlock(const char *directive, const Dim3 &block) {
  if (block.x)
    std::printf(" %s %u,%u,%u", directive, block.x, block.y, block.z);
}

static void print(const Kernel &kernel) {
  std::printf("    %s(", kernel.getName().c_str());
  const char *separator = "";
  for (const Parameter &p : kernel.getParameters()) {
    std::printf("%s.%s %s", separator, p.type.c_str(), p.name.c_str());
    if (p.count != 1)
      std::printf("[%zu]", p.count);
    separator = ", ";
  }
  std::printf(")");
  printBlock("reqntid", kernel.getRequiredBlock());
  printBlock("maxntid", kernel.getMaxBlock());
  std::printf("\n");
}

void Lister::listText(llvm::StringRef text, const std::string &name,
                      const std::vector<DeviceImage> &images) {
  std::printf("%s:\n", name.c_str());
  for (const DeviceImage &image : images)
    print(image);
  std::fflush(stdout);
  auto module = Module::load(std::string_view(text), name);
  if (!module) {
    fail(module.getError());
    isRight = false;
    return;
  }
  std::fputs(module->getWarnings().c_str(), stderr);
  for (const std::string &kernel : module->getKernelNames())
    print(*module->getKernel(kernel));
  for (const DeviceImage &image : images)
    totals.add(image, &image == images.data());
}

void Lister::listImage(const DeviceImage &image, const std::string &name,
                       bool isFirstOfModule) {
  if (isFirstOfModule && image.isInFatBinary)
    std::printf("%s: fat binary at 0x%llx\n", name.c_str(),
                (unsigned long long)image.fatBinaryOffset);
  else if (isFirstOfModule)
    std::printf("%s:\n", name.c_str());
  totals.add(image, isFirstOfModule);
  print(image);
  if (withKernels)
    for (const std::string &kernel : image.kernels)
      std::printf("    %s\n", kernel.c_str());
}

bool Lister::listBytes(llvm::StringRef bytes, const std::string &name) {
  std::optional<uint64_t> last; // the place of the last fat binary
  std::vector<DeviceImage> texts;
  Error error = listDeviceCode(
      std::string_view(bytes), withKernels, [&](const DeviceImage &image) {
        uint64_t place = image.fatBinaryOffset;
        if (!image.isInFatBinary && image.kind == Kind::Ptx)
          texts.push_back(image);
        else
          listImage(image, name, last != place);
        last = place;
        progress.tell(name, double(place) / double(bytes.size()));
      });
  if (!texts.empty())
    listText(bytes, name, texts);
  std::fflush(stdout);
  if (error)
    for (llvm::StringRef line : llvm::split(error.getMessage(), '\n'))
      complain(name, line.str());
  return last || error;
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

/// The bytes of a member of an archive. LLVM does not notice if the file ends
/// before they do.
static llvm::Expected<llvm::StringRef>
readMember(const llvm::object::Archive::Child &member,
           llvm::MemoryBufferRef file) {
  auto bytes = member.getBuffer();
  if (bytes && file.getBufferStart() <= bytes->begin() &&
      bytes->begin() <= file.getBufferEnd() &&
      file.getBufferEnd() < bytes->end())
    return llvm::createStringError("the archive ends in a member");
  return bytes;
}

void Lister::listArchive(llvm::MemoryBufferRef file, const std::string &path) {
  bool hasCode = false;
  auto archive = llvm::object::Archive::create(file);
  if (!archive)
    return complain(path, llvm::toString(archive.takeError()));
  llvm::Error error = llvm::Error::success();
  for (const auto &member : (*archive)->children(error)) {
    auto name = member.getName();
    auto bytes = readMember(member, file);
    if (name && bytes)
      hasCode |= listBytes(*bytes, path + "(" + name->str() + ")");
    else
      complain(path, llvm::toString(llvm::joinErrors(name.takeError(),
                                                     bytes.takeError())));
  }
  if (error)
    complain(path, llvm::toString(std::move(error)));
  else if (!hasCode)
    complain(path, "it has no device code");
}

void Lister::list(const std::string &path) {
  // A program may be larger than memory, so it is mapped.
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!file)
    return complain(path, file.getError().message());
  llvm::StringRef bytes = (*file)->getBuffer();
  if (llvm::identify_magic(bytes) == llvm::file_magic::archive)
    listArchive((*file)->getMemBufferRef(), path);
  else if (!listBytes(bytes, path))
    complain(path, bytes.starts_with("PK\3\4")
                       ? "it is packed (a wheel?); unpack it, and list what is "
                         "inside"
                       : "it has no device code");
}

int Lister::finish() {
  if (std::string text = totals.describe(); !text.empty())
    std::printf("%s\n", text.c_str());
  return isRight ? 0 : 1;
}

int ptxjit::listFiles(const std::vector<std::string> &files, bool withKernels) {
  Lister lister(withKernels);
  for (const std::string &path : files)
    lister.list(path);
  return lister.finish();
}
