//===- FatBinary.cpp - reads containers of device code --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Runtime/FatBinary.h"
#include "ptxjit/Runtime/CodeOutline.h"
#include "ptxjit/Runtime/FatBinaryFormat.h"
#include "ptxjit/Runtime/LinkedText.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <lz4.h>
#include <optional>
#include <set>
#include <zstd.h>

using namespace ptxjit;
using namespace ptxjit::fatbin;

/// Upper limit for the size of a PTX text. A larger size means damaged data.
static constexpr uint64_t kMostBytes = uint64_t(1) << 30;

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

static unsigned capabilityOf(Profile device) {
  return unsigned(device.major * 10 + device.minor);
}

bool ptxjit::isUsable(const ImageEntry &entry, Profile device) {
  unsigned capability = capabilityOf(device);
  if (entry.kind != ImageEntry::Kind::Ptx)
    return false;
  if (entry.suffix == "a")
    return entry.arch == capability;
  if (entry.suffix == "f")
    return entry.arch / 10 == capability / 10 && entry.arch <= capability;
  return entry.arch <= capability;
}

bool ptxjit::unpack(const ImageEntry &entry, std::string &bytes) {
  std::string_view packed = entry.payload;
  if (entry.unpackedBytes > kMostBytes || packed.size() > kMostBytes)
    return false;
  bytes.clear();
  if (entry.packing != ImageEntry::Packing::None)
    bytes.resize(entry.unpackedBytes);
  size_t size = bytes.size();
  switch (entry.packing) {
  case ImageEntry::Packing::None:
    bytes = packed;
    size = packed.size();
    break;
  case ImageEntry::Packing::Lz4:
    // An error is negative, which no size is.
    size = size_t(LZ4_decompress_safe(packed.data(), bytes.data(),
                                      int(packed.size()), int(bytes.size())));
    break;
  case ImageEntry::Packing::Zstd:
    size = ZSTD_decompress(bytes.data(), bytes.size(), packed.data(),
                           packed.size());
    break;
  case ImageEntry::Packing::Unknown:
    return false;
  }
  if (size != bytes.size())
    return false;
  if (entry.kind == ImageEntry::Kind::Ptx)
    bytes.resize(std::strlen(bytes.c_str())); // drop zeros at the end
  return true;
}

//===----------------------------------------------------------------------===//
// Containers
//===----------------------------------------------------------------------===//

/// The part of `bytes` that a header means; empty if it does not say, or if
/// that lies outside.
static std::string_view getPart(std::string_view bytes, uint64_t offset,
                                uint64_t size) {
  if (offset == 0 || offset > bytes.size() || size > bytes.size() - offset)
    return {};
  return bytes.substr(offset, size);
}

/// The options lie behind the offset and the size of their text.
static std::string_view getOptions(std::string_view header, uint32_t offset) {
  OptionsHeader text{};
  std::string_view place = getPart(header, offset, sizeof(text));
  if (place.empty())
    return {};
  std::memcpy(&text, place.data(), sizeof(text));
  std::string_view options = getPart(header, text.offset, text.bytes);
  // Behind other options there may be data.
  return options.substr(0, options.find('\0'));
}

static ImageEntry::Kind toKind(uint16_t kind) {
  using Kind = ImageEntry::Kind;
  return kind == kPtx           ? Kind::Ptx
         : kind == kMachineCode ? Kind::MachineCode
         : kind == kLtoIr       ? Kind::LtoIr
                                : Kind::Other;
}

static ImageEntry::Packing getPacking(const EntryHeader &header) {
  using Packing = ImageEntry::Packing;
  if (!(header.flags & (kLz4 | kZstd)))
    return Packing::None;
  if (header.kind == kLtoIr)
    return Packing::Unknown;
  return header.flags & kZstd ? Packing::Zstd : Packing::Lz4;
}

/// Reads the entry that `bytes` begin with, and drops it from them. \returns
/// false if it does not fit into them.
static bool takeEntry(std::string_view &bytes, ImageEntry &entry) {
  EntryHeader header;
  if (bytes.size() < sizeof(header))
    return false;
  std::memcpy(&header, bytes.data(), sizeof(header));
  if (header.headerBytes < sizeof(header) || header.headerBytes > bytes.size())
    return false;
  std::string_view all = bytes.substr(0, header.headerBytes);
  bytes.remove_prefix(header.headerBytes);
  entry.packing = getPacking(header);
  bool isPacked = entry.packing != ImageEntry::Packing::None;
  if (header.payloadBytes > bytes.size() ||
      (isPacked && header.compressedBytes > header.payloadBytes))
    return false;
  entry.kind = toKind(header.kind);
  entry.arch = header.arch;
  entry.suffix = header.flags & kArchSpecific ? "a"
                 : header.flags & kFamily     ? "f"
                                              : "";
  entry.versionMajor = header.isaMajor;
  entry.versionMinor = header.isaMinor;
  entry.hasDebug = header.flags & kDebug;
  entry.unpackedBytes =
      isPacked ? header.uncompressedBytes : header.payloadBytes;
  entry.name = getPart(all, header.nameOffset, header.nameBytes);
  entry.options = getOptions(all, header.optionsOffset);
  entry.payload =
      bytes.substr(0, isPacked ? header.compressedBytes : header.payloadBytes);
  bytes.remove_prefix(header.payloadBytes);
  return true;
}

size_t
ptxjit::visitEntries(std::string_view container,
                     const std::function<void(const ImageEntry &)> &visit) {
  ContainerHeader header;
  if (container.size() < sizeof(header))
    return 0;
  std::memcpy(&header, container.data(), sizeof(header));
  if (header.magic != kContainer || header.headerBytes < sizeof(header) ||
      header.headerBytes > container.size())
    return 0;
  std::string_view rest = container.substr(header.headerBytes);
  bool isWhole = header.bytes <= rest.size();
  rest = rest.substr(0, header.bytes);
  ImageEntry entry;
  while (!rest.empty()) {
    if (!takeEntry(rest, entry))
      return 0;
    visit(entry);
  }
  return isWhole ? header.headerBytes + header.bytes : 0;
}

void ptxjit::visitContainers(
    std::string_view file,
    const std::function<size_t(std::string_view)> &visit) {
  // Programs that read containers know their first word, too, so that the next
  // ones must also be as nvcc makes them.
  constexpr ContainerHeader header{kContainer, 1, sizeof(ContainerHeader), 0};
  constexpr size_t bytes = offsetof(ContainerHeader, bytes);
  // A file without bytes may have no address, which memmem must not be given.
  while (!file.empty()) {
    const void *found = memmem(file.data(), file.size(), &header, bytes);
    if (!found)
      return;
    file.remove_prefix(size_t(static_cast<const char *>(found) - file.data()));
    file.remove_prefix(std::max(visit(file), bytes));
  }
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
  dropLinkedParts(containers);
  return containers;
}

//===----------------------------------------------------------------------===//
// Texts, and messages when there is none
//===----------------------------------------------------------------------===//

namespace {
/// What containers have that the device cannot take, for a message.
class OtherCode {
public:
  /// Adds what one container has.
  void add(const std::vector<ImageEntry> &entries);
  void add(const CodeOutline &machineCode);
  /// Has it nothing that could be code?
  bool isEmpty() const { return found.empty(); }
  /// Do the texts have all of its kernels? So they do if nvcc has linked it
  /// from parts, which come with it. Functions without kernels are not known.
  bool isIn(const std::vector<std::string> &texts) const;
  /// Lines for people: what there is, of which kernels, what to build.
  /// \param subject  "error: the image", say
  std::string describe(const std::string &subject, Profile profile) const;

private:
  std::vector<std::string> found;   ///< "PTX for sm_90a", each once
  std::vector<std::string> kernels; ///< each once
  unsigned device = 0; ///< that could take a text; 0: there is no text
};
} // namespace

template <typename T> static void addOnce(std::vector<T> &list, const T &item) {
  if (std::find(list.begin(), list.end(), item) == list.end())
    list.push_back(item);
}

static std::string nameOf(const ImageEntry &entry) {
  using Kind = ImageEntry::Kind;
  const char *kind = entry.kind == Kind::Ptx           ? "PTX"
                     : entry.kind == Kind::MachineCode ? "machine code"
                     : entry.kind == Kind::LtoIr       ? "LTO IR"
                                                       : "something";
  return std::string(kind) + " for sm_" + std::to_string(entry.arch) +
         entry.suffix;
}

static std::vector<std::string> findKernels(const ImageEntry &entry) {
  std::string bytes;
  CodeOutline outline;
  if (!unpack(entry, bytes))
    return {};
  if (entry.kind == ImageEntry::Kind::Ptx)
    return outlineText(bytes).kernels;
  outlineMachineCode(bytes, outline);
  return std::move(outline.kernels);
}

void OtherCode::add(const std::vector<ImageEntry> &entries) {
  std::vector<std::string> names;
  for (const ImageEntry &entry : entries) {
    addOnce(found, nameOf(entry));
    if (entry.kind == ImageEntry::Kind::Ptx)
      device = device ? std::min(device, entry.arch) : entry.arch;
    if (names.empty()) // as a rule, all architectures have the same kernels
      names = findKernels(entry);
  }
  for (const std::string &name : names)
    addOnce(kernels, name);
}

void OtherCode::add(const CodeOutline &machineCode) {
  addOnce(found,
          "machine code for " +
              (machineCode.target.empty() ? "some GPU" : machineCode.target));
  for (const std::string &name : machineCode.kernels)
    addOnce(kernels, name);
}

bool OtherCode::isIn(const std::vector<std::string> &texts) const {
  std::set<std::string> known;
  for (const std::string &text : texts)
    for (std::string &name : outlineText(text).kernels)
      known.insert(std::move(name));
  return !kernels.empty() &&
         std::all_of(kernels.begin(), kernels.end(),
                     [&](const std::string &k) { return known.count(k); });
}

/// "a, b and 3 more". Names of templates may be longer than messages should be.
static std::string listSome(const std::vector<std::string> &names) {
  constexpr size_t most = 4, mostCharacters = 200;
  size_t shown = names.size() <= most + 1 ? names.size() : most;
  std::string text;
  for (size_t i = 0; i < shown; ++i) {
    text += (i ? ", " : "") + names[i].substr(0, mostCharacters);
    if (names[i].size() > mostCharacters)
      text += "...";
  }
  if (shown < names.size())
    text += " and " + std::to_string(names.size() - shown) + " more";
  return text;
}

std::string OtherCode::describe(const std::string &subject,
                                Profile profile) const {
  std::string own = std::to_string(capabilityOf(profile)), text;
  std::string dotted =
      std::to_string(profile.major) + "." + std::to_string(profile.minor);
  for (const std::string &what : found)
    text += (text.empty() ? "" : ", ") + what;
  text = subject + " has no PTX for sm_" + own + ", but " +
         (found.empty() ? "nothing" : text) + "\n";
  if (!kernels.empty())
    text += "  its kernels: " + listSome(kernels) + "\n";
  text += "  build with PTX: nvcc --cudart shared -gencode arch=compute_" +
          own + ",code=compute_" + own + "; TORCH_CUDA_ARCH_LIST=" + dotted +
          "+PTX";
  if (device)
    text += "; or set PTXJIT_DEVICE=" + std::to_string(device / 10) + "." +
            std::to_string(device % 10);
  return text + "\n";
}

/// Unpacks the best PTX of a container. False if none fits the device.
static bool readContainer(std::string_view bytes, Profile device,
                          std::string &text, OtherCode &others,
                          std::string &diagnostics) {
  std::vector<ImageEntry> entries;
  std::optional<ImageEntry> best;
  auto rank = [](const ImageEntry &e) {
    return uint64_t(e.arch) * 4 + (e.suffix == "a" ? 2 : e.suffix == "f");
  };
  size_t size = visitEntries(bytes, [&](const ImageEntry &entry) {
    entries.push_back(entry);
    if (isUsable(entry, device) && (!best || rank(entry) > rank(*best)))
      best = entry;
  });
  if (!size)
    diagnostics += "error: the fat binary is damaged\n";
  if (!best) {
    others.add(entries);
    return false;
  }
  if (unpack(*best, text))
    return true;
  diagnostics += "error: " + nameOf(*best) + " cannot be unpacked\n";
  return false;
}

void ptxjit::dropLinkedParts(std::vector<std::string_view> &containers) {
  OtherCode others;
  std::string text, ignored;
  if (containers.size() > 1 &&
      readContainer(containers[0], getProfile(), text, others, ignored) &&
      isLinkedText(text))
    containers.resize(1);
}

std::vector<std::string>
ptxjit::readContainers(const std::vector<std::string_view> &containers,
                       std::string &diagnostics, Profile device) {
  std::vector<std::string> texts;
  OtherCode others;
  for (std::string_view container : containers) {
    std::string text;
    if (readContainer(container, device, text, others, diagnostics))
      texts.push_back(std::move(text));
  }
  if (texts.empty() && diagnostics.empty())
    diagnostics += others.describe("error: the image", device);
  else if (!others.isEmpty() && !others.isIn(texts)) // which may refer to it
    diagnostics += others.describe("warning: a part of the image", device);
  return texts;
}

void ptxjit::refuseMachineCode(std::string_view image, std::string &diagnostics,
                               Profile device) {
  CodeOutline outline;
  OtherCode others;
  outlineMachineCode(image, outline);
  others.add(outline);
  diagnostics += others.describe("error: the image", device);
}
