//===- DeviceCode.cpp - which device code a file has ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Runtime/CodeOutline.h"
#include "ptxjit/Runtime/FatBinary.h"
#include "ptxjit/Runtime/LinkedText.h"
#include "ptxjit/ptxjit.h"

#include <algorithm>
#include <cstdio>

using namespace ptxjit;

/// Reading an image of that size takes no time. In each program that nvcc links
/// is such machine code, without kernels.
static constexpr uint64_t kSmallBytes = 1 << 14;

std::string ptxjit::getDeviceName() {
  Profile profile = getProfile();
  return "sm_" + std::to_string(profile.major) + std::to_string(profile.minor);
}

static DeviceImage::Kind toKind(ImageEntry::Kind kind) {
  switch (kind) {
  case ImageEntry::Kind::Ptx:
    return DeviceImage::Kind::Ptx;
  case ImageEntry::Kind::MachineCode:
    return DeviceImage::Kind::MachineCode;
  case ImageEntry::Kind::LtoIr:
    return DeviceImage::Kind::LtoIr;
  case ImageEntry::Kind::Other:
    break;
  }
  return DeviceImage::Kind::Other;
}

static const char *toText(ImageEntry::Packing packing) {
  switch (packing) {
  case ImageEntry::Packing::None:
    return "";
  case ImageEntry::Packing::Lz4:
    return "lz4";
  case ImageEntry::Packing::Zstd:
    return "zstd";
  case ImageEntry::Packing::Unknown:
    break;
  }
  return "unknown";
}

static std::string nameArchitecture(const ImageEntry &entry) {
  const char *prefix = entry.kind == ImageEntry::Kind::Ptx     ? "compute_"
                       : entry.kind == ImageEntry::Kind::LtoIr ? "lto_"
                                                               : "sm_";
  return prefix + std::to_string(entry.arch) + entry.suffix;
}

static DeviceImage describe(const ImageEntry &entry) {
  DeviceImage image;
  image.kind = toKind(entry.kind);
  image.architecture = nameArchitecture(entry);
  if (entry.kind == ImageEntry::Kind::Ptx)
    image.ptxVersion = std::to_string(entry.versionMajor) + "." +
                       std::to_string(entry.versionMinor);
  image.bytes = entry.payload.size();
  image.unpackedBytes = entry.unpackedBytes;
  image.packing = toText(entry.packing);
  image.name = entry.name;
  image.hasDebug = entry.hasDebug;
  image.hasLines =
      entry.options.find("--generate-line-info") != std::string_view::npos;
  image.isUsable = isUsable(entry);
  return image;
}

/// Reads the code of an image. \returns false if that is damaged.
static bool readCode(const ImageEntry &entry, DeviceImage &image) {
  CodeOutline outline;
  std::string bytes;
  bool isPtx = entry.kind == ImageEntry::Kind::Ptx;
  if (!isPtx && entry.kind != ImageEntry::Kind::MachineCode)
    return true;
  if (!unpack(entry, bytes))
    return false;
  bool isRight = isPtx || outlineMachineCode(bytes, outline);
  if (isPtx)
    outline = outlineText(bytes);
  image.isRead = isRight;
  image.hasDebug |= outline.hasDebug;
  image.hasLines |= outline.hasLines;
  image.kernels = std::move(outline.kernels);
  return isRight;
}

/// PTX has no other control characters than white space.
static bool isText(std::string_view file) {
  constexpr size_t most = 1024;
  std::string_view head = file.substr(0, std::min(file.find('\0'), most));
  auto isBinary = [](char c) {
    return c >= 0 && c < ' ' && (c < '\t' || c > '\r');
  };
  return !head.empty() && std::none_of(head.begin(), head.end(), isBinary);
}

static std::string toHex(uint64_t number) {
  char text[24];
  std::snprintf(text, sizeof(text), "0x%llx", (unsigned long long)number);
  return text;
}

namespace {
/// Visits the images of a file, and notes what is damaged.
class DeviceCodeLister {
public:
  DeviceCodeLister(std::string_view file, bool isThorough,
                   const std::function<void(const DeviceImage &)> &visit)
      : file(file), isThorough(isThorough), visit(visit) {}
  Error list();

private:
  uint64_t offsetOf(std::string_view part) const {
    return uint64_t(part.data() - file.data());
  }
  void listText(std::string_view text, const std::string &name);
  void listTexts();
  void listMachineCode();
  size_t listContainer(std::string_view container);
  void complain(const std::string &what, std::string_view where) {
    problems += (problems.empty() ? "" : "\n") + what + " at " +
                toHex(offsetOf(where)) + " is damaged";
  }

  std::string_view file;
  bool isThorough;
  const std::function<void(const DeviceImage &)> &visit;
  std::string problems;
};
} // namespace

/// Describes code that has no container around it.
static DeviceImage describe(CodeOutline outline, std::string_view code,
                            bool isRead) {
  DeviceImage image;
  image.architecture = outline.target;
  image.ptxVersion = outline.version;
  image.bytes = image.unpackedBytes = code.size();
  image.hasDebug = outline.hasDebug;
  image.hasLines = outline.hasLines;
  image.isRead = isRead;
  image.kernels = std::move(outline.kernels);
  return image;
}

/// Lists a text if it is PTX, which begins with a version.
void DeviceCodeLister::listText(std::string_view text,
                                const std::string &name) {
  CodeOutline outline = outlineText(text);
  if (outline.version.empty())
    return;
  DeviceImage image = describe(std::move(outline), text, /*isRead=*/true);
  image.kind = DeviceImage::Kind::Ptx;
  image.name = name;
  image.isUsable = true;
  if (image.architecture.substr(0, 3) == "sm_")
    image.architecture.replace(0, 3, "compute_");
  visit(image);
}

/// Lists a text, or the modules of a linked one.
void DeviceCodeLister::listTexts() {
  std::vector<LinkedPart> parts;
  std::string_view text = file.substr(0, file.find('\0'));
  if (!isLinkedText(text))
    return listText(text, "");
  if (!splitText(text, parts))
    complain("the linked image", text);
  for (const LinkedPart &part : parts)
    listText(part.text, part.name);
}

void DeviceCodeLister::listMachineCode() {
  CodeOutline outline;
  bool isRight = outlineMachineCode(file, outline);
  if (!isRight)
    complain("the machine code", file);
  DeviceImage image = describe(std::move(outline), file, isRight);
  image.kind = DeviceImage::Kind::MachineCode;
  visit(image);
}

size_t DeviceCodeLister::listContainer(std::string_view container) {
  size_t bytes = visitEntries(container, [&](const ImageEntry &entry) {
    DeviceImage image = describe(entry);
    image.isInFatBinary = true;
    image.fatBinaryOffset = offsetOf(container);
    bool isSmall = image.unpackedBytes <= kSmallBytes;
    if ((isThorough || isSmall) && !readCode(entry, image))
      complain("the " + image.architecture + " image", entry.payload);
    visit(image);
  });
  if (!bytes)
    complain("the fat binary", container);
  return bytes;
}

Error DeviceCodeLister::list() {
  if (isMachineCode(file))
    listMachineCode();
  else if (isText(file))
    listTexts();
  else
    visitContainers(file, [&](std::string_view container) {
      return listContainer(container);
    });
  return problems.empty() ? Error()
                          : Error(ErrorCode::InvalidArgument, problems);
}

Error ptxjit::listDeviceCode(
    std::string_view file, bool isThorough,
    const std::function<void(const DeviceImage &)> &visit) {
  return DeviceCodeLister(file, isThorough, visit).list();
}
