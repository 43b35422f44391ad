//===- FatBinary.cpp - reads containers of device code --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Runtime/FatBinary.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <lz4.h>
#include <zstd.h>

using namespace ptxjit;

namespace {
struct Wrapper {
  uint32_t magic, version;
  const uint8_t *data;
  const void *files; ///< version 2: null-terminated list of containers
};

struct ContainerHeader {
  uint32_t magic;
  uint16_t version, headerBytes;
  uint64_t bytes; ///< bytes after the header
};

struct EntryHeader {
  uint16_t kind, version;
  uint32_t headerBytes;
  uint64_t payloadBytes; ///< including padding
  uint32_t compressedBytes, optionsOffset;
  uint16_t isaMinor, isaMajor;
  uint32_t arch; ///< 80 for sm_80
  uint32_t nameOffset, nameBytes;
  uint64_t flags;
  uint64_t reserved;
  uint64_t uncompressedBytes;
};
static_assert(sizeof(EntryHeader) == 64, "as in files");

constexpr uint32_t kElf = 0x464c457f, kContainer = 0xba55ed50,
                   kWrapper = 0x466243b1;
constexpr uint16_t kPtx = 1;
constexpr uint64_t kLz4 = 0x2000, kZstd = 0x8000, kArchSpecific = 0x100000,
                   kFamily = 0x200000;
/// Upper limit for the size of a PTX text. A larger size means damaged data.
constexpr uint64_t kMostBytes = uint64_t(1) << 30;
} // namespace

ImageKind ptxjit::kindOfImage(const void *image) {
  // A text may be shorter than a word: no byte is read beyond its NUL, with
  // which no word begins.
  auto begins = [&](uint32_t word) {
    const auto *bytes = static_cast<const uint8_t *>(image);
    for (unsigned i = 0; i < sizeof(word); ++i)
      if (bytes[i] != uint8_t(word >> (8 * i)))
        return false;
    return true;
  };
  if (begins(kElf))
    return ImageKind::MachineCode;
  if (begins(kContainer))
    return ImageKind::FatBinary;
  return begins(kWrapper) ? ImageKind::Wrapper : ImageKind::Text;
}

Profile ptxjit::getProfile() {
  static const Profile profile = [] {
    Profile p{8, 0};
    const char *text = std::getenv("PTXJIT_DEVICE");
    int major, minor;
    if (text && std::sscanf(text, "%d.%d", &major, &minor) == 2)
      p = {major, minor};
    return p;
  }();
  return profile;
}

/// Can a device of that capability run the entry? Plain PTX runs on its own
/// architecture and all later ones, `a` code on one, `f` code on a family.
static bool fits(const EntryHeader &entry, unsigned capability) {
  if (entry.flags & kArchSpecific)
    return entry.arch == capability;
  if (entry.flags & kFamily)
    return entry.arch / 10 == capability / 10 && entry.arch <= capability;
  return entry.arch <= capability;
}

static std::string nameOf(const EntryHeader &entry) {
  return std::string(entry.kind == kPtx ? "PTX" : "machine code") + " for sm_" +
         std::to_string(entry.arch) +
         (entry.flags & kArchSpecific ? "a"
          : entry.flags & kFamily     ? "f"
                                      : "");
}

static bool unpack(const EntryHeader &entry, const uint8_t *payload,
                   std::string &text) {
  if (!(entry.flags & (kLz4 | kZstd))) {
    text.assign(reinterpret_cast<const char *>(payload), entry.payloadBytes);
    return true;
  }
  if (entry.uncompressedBytes > kMostBytes ||
      entry.compressedBytes > entry.payloadBytes)
    return false;
  text.resize(entry.uncompressedBytes);
  if (entry.flags & kZstd) {
    size_t size = ZSTD_decompress(text.data(), text.size(), payload,
                                  entry.compressedBytes);
    return !ZSTD_isError(size) && size == text.size();
  }
  int size =
      LZ4_decompress_safe(reinterpret_cast<const char *>(payload), text.data(),
                          int(entry.compressedBytes), int(text.size()));
  return size >= 0 && size_t(size) == text.size();
}

namespace {
/// Iterates over the entries of one container.
class Container {
public:
  explicit Container(std::string_view bytes) {
    ContainerHeader header{};
    if (bytes.size() >= sizeof(header))
      std::memcpy(&header, bytes.data(), sizeof(header));
    isValid = header.magic == kContainer &&
              header.headerBytes <= bytes.size() &&
              header.bytes <= bytes.size() - header.headerBytes;
    if (!isValid)
      return;
    at = reinterpret_cast<const uint8_t *>(bytes.data()) + header.headerBytes;
    end = at + header.bytes;
  }
  /// Returns false at the end, or if an entry does not fit into the container.
  bool next(EntryHeader &entry, const uint8_t *&payload) {
    if (!isValid || size_t(end - at) < sizeof(entry))
      return false;
    std::memcpy(&entry, at, sizeof(entry));
    size_t room = size_t(end - at);
    isValid = entry.headerBytes >= sizeof(entry) && entry.headerBytes <= room &&
              entry.payloadBytes <= room - entry.headerBytes;
    payload = at + entry.headerBytes;
    at = payload + entry.payloadBytes;
    return isValid;
  }
  bool isValid;

private:
  const uint8_t *at = nullptr, *end = nullptr;
};
} // namespace

/// Unpacks the best PTX of a container. False if none fits the device.
static bool readContainer(std::string_view bytes, unsigned capability,
                          std::string &text, std::string &found,
                          std::string &diagnostics) {
  Container container(bytes);
  EntryHeader entry, best{};
  const uint8_t *payload, *bestPayload = nullptr;
  auto rank = [](const EntryHeader &e) {
    return e.arch * 4 + (e.flags & kArchSpecific ? 2
                         : e.flags & kFamily     ? 1
                                                 : 0);
  };
  while (container.next(entry, payload)) {
    found += (found.empty() ? "" : ", ") + nameOf(entry);
    if (entry.kind != kPtx || !fits(entry, capability))
      continue;
    if (bestPayload && rank(entry) <= rank(best))
      continue;
    best = entry;
    bestPayload = payload;
  }
  if (!container.isValid)
    diagnostics += "error: the fat binary is damaged\n";
  if (!bestPayload)
    return false;
  if (!unpack(best, bestPayload, text)) {
    diagnostics += "error: " + nameOf(best) + " cannot be unpacked\n";
    return false;
  }
  text.resize(std::strlen(text.c_str())); // drop zeros at the end
  return true;
}

/// The container at an address: as many bytes as its header says, or the header
/// alone if that cannot be true.
static std::string_view viewContainer(const void *address) {
  ContainerHeader header;
  std::memcpy(&header, address, sizeof(header));
  bool isLikely = header.magic == kContainer && header.bytes <= kMostBytes * 4;
  return {static_cast<const char *>(address),
          isLikely ? size_t(header.headerBytes + header.bytes)
                   : sizeof(header)};
}

std::vector<std::string_view> ptxjit::findContainers(const void *image) {
  if (kindOfImage(image) != ImageKind::Wrapper)
    return {viewContainer(image)};
  Wrapper wrapper;
  std::memcpy(&wrapper, image, sizeof(wrapper));
  std::vector<std::string_view> containers;
  if (wrapper.data)
    containers.push_back(viewContainer(wrapper.data));
  auto *files = static_cast<const uint8_t *const *>(wrapper.files);
  for (; wrapper.version == 2 && files && *files; ++files)
    containers.push_back(viewContainer(*files));
  return containers;
}

std::vector<std::string>
ptxjit::readContainers(const std::vector<std::string_view> &containers,
                       std::string &diagnostics) {
  std::vector<std::string> texts;
  std::string found;
  Profile profile = getProfile();
  unsigned capability = unsigned(profile.major * 10 + profile.minor);
  for (std::string_view container : containers) {
    std::string text;
    if (readContainer(container, capability, text, found, diagnostics))
      texts.push_back(std::move(text));
  }
  if (texts.empty() && diagnostics.empty())
    diagnostics += "error: the image has no PTX for sm_" +
                   std::to_string(capability) + ", but " +
                   (found.empty() ? "nothing" : found) +
                   "; compile with PTX for that architecture (nvcc -arch), or "
                   "set PTXJIT_DEVICE\n";
  return texts;
}
