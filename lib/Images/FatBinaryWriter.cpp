//===- FatBinaryWriter.cpp - writes containers of device code -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Images/FatBinaryWriter.h"
#include "ptxjit/Runtime/CodeOutline.h"
#include "ptxjit/Runtime/FatBinaryFormat.h"

#include <cassert>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <zstd.h>

using namespace ptxjit;
using namespace ptxjit::fatbin;

/// Containers are made of words of 64 bits.
static constexpr size_t kWord = sizeof(uint64_t);

template <typename T> static void append(std::string &bytes, const T &value) {
  bytes.append(reinterpret_cast<const char *>(&value), sizeof(value));
}

/// Appends a text and zeros. \returns where it is.
static uint32_t appendText(std::string &bytes, const std::string &text) {
  size_t offset = bytes.size();
  bytes += text;
  bytes.resize((bytes.size() / kWord + 1) * kWord);
  return uint32_t(offset);
}

/// \returns false if `text` does not become smaller.
static bool pack(const std::string &text, std::string &packed) {
  packed.resize(ZSTD_compressBound(text.size()));
  size_t size = ZSTD_compress(packed.data(), packed.size(), text.data(),
                              text.size(), ZSTD_CLEVEL_DEFAULT);
  if (ZSTD_isError(size) || size >= text.size())
    return false;
  packed.resize(size);
  return true;
}

static uint64_t flagsOf(const NewEntry &entry) {
  return kIs64Bit | kLinux | (entry.hasDebug ? kDebug : 0) |
         (entry.suffix == 'a'   ? kArchSpecific
          : entry.suffix == 'f' ? kFamily
                                : 0);
}

void FatBinaryWriter::add(const NewEntry &entry) {
  EntryHeader header{};
  header.kind = kPtx;
  header.version = kEntryVersion;
  header.arch = entry.arch;
  header.flags = flagsOf(entry);
  unsigned major = 0, minor = 0;
  // The rest of a version that is no number counts as 0.
  std::sscanf(outlineText(entry.text).version.c_str(), "%u.%u", &major, &minor);
  header.isaMajor = uint16_t(major);
  header.isaMinor = uint16_t(minor);

  std::string texts(sizeof(header), '\0');
  if (!entry.name.empty()) {
    header.nameOffset = appendText(texts, entry.name);
    header.nameBytes = uint32_t(entry.name.size());
  }
  // NVIDIA's cuobjdump expects it even if there are no options.
  header.optionsOffset = uint32_t(texts.size());
  append(texts, OptionsHeader{uint32_t(texts.size() + sizeof(OptionsHeader)),
                              uint32_t(entry.options.size())});
  appendText(texts, entry.options);
  std::string payload = entry.text, packed;
  if (entry.isPacked && pack(payload, packed)) {
    header.flags |= kZstd;
    header.compressedBytes = uint32_t(packed.size());
    header.uncompressedBytes = payload.size();
    payload = std::move(packed);
  }
  payload.resize((payload.size() / kWord + 1) * kWord);
  header.payloadBytes = payload.size();
  header.headerBytes = uint32_t(texts.size());
  std::memcpy(texts.data(), &header, sizeof(header));
  entries += texts + payload;
}

std::string FatBinaryWriter::finish() const {
  std::string bytes;
  append(bytes, ContainerHeader{kContainer, kContainerVersion,
                                sizeof(ContainerHeader), entries.size()});
  return bytes + entries;
}

//===----------------------------------------------------------------------===//
// Text for the host's compiler
//===----------------------------------------------------------------------===//

/// The words of a container, four a line. \param end  of a line
static std::string listWords(std::string_view container, const char *begin,
                             const char *suffix, const char *end,
                             const char *last) {
  constexpr size_t perLine = 4;
  std::string text;
  size_t words = container.size() / kWord;
  for (size_t i = 0; i < words; ++i) {
    uint64_t word;
    std::memcpy(&word, container.data() + i * kWord, kWord);
    char digits[24];
    std::snprintf(digits, sizeof(digits), "0x%016" PRIx64, word);
    bool isLineEnd = i % perLine == perLine - 1;
    text += i % perLine == 0 ? begin : "";
    text += digits;
    text += suffix;
    text += i + 1 == words ? last : isLineEnd ? end : ",";
  }
  return text;
}

static const char kHead[] = R"(#ifndef __SKIP_INTERNAL_FATBINARY_HEADERS
#include "fatbinary_section.h"
#endif
#define __CUDAFATBINSECTION  ".nvFatBinSegment"
#define __CUDAFATBINDATASECTION  "%s"
)";
static const char kOpen[] = "#ifdef __cplusplus\nextern \"C\" {\n#endif\n";
static const char kClose[] = "#ifdef __cplusplus\n}\n#endif\n";
static const char kSegment[] = " __attribute__ ((aligned (8))) "
                               "__attribute__ ((section "
                               "(__CUDAFATBINSECTION)))= \n\t";
static const char kNamed[] = R"(#undef __FATIDNAME_CORE
#undef __FATIDNAME
#define __FATIDNAME_CORE(x) __fatbinwrap##x
#define __FATIDNAME(x) __FATIDNAME_CORE(x)
extern const __fatBinC_Wrapper_t __FATIDNAME(__NV_MODULE_ID))";

/// The definition of the container's words.
static std::string defineData(std::string_view container,
                              const std::string &section, bool useAsm) {
  if (!useAsm)
    return std::string(kOpen) +
           "\nstatic const unsigned long long fatbinData[] __attribute__ "
           "((section (__CUDAFATBINDATASECTION)))= {" +
           listWords(container, "", "ull", ",\n", "\n") + "};\n\n" + kClose +
           "\n";
  return "asm(\n\".section " + section +
         ", \\\"a\\\"\\n\"\n\".align 8\\n\"\n\"fatbinData:\\n\"\n" +
         listWords(container, "\".quad ", "", "\\n\"\n", "\\n\"\n") +
         "\".text\\n\");\n" + kOpen +
         "extern const unsigned long long fatbinData[" +
         std::to_string(container.size() / kWord) + "];\n" + kClose;
}

std::string ptxjit::embedContainer(std::string_view container, FatBinaryUse use,
                                   bool useAsm) {
  assert(container.size() % kWord == 0 && "the writer fills words up");
  bool isRelocatable = use == FatBinaryUse::Relocatable,
       isLinked = use == FatBinaryUse::Linked;
  std::string section = isRelocatable ? "__nv_relfatbin" : ".nv_fatbin";
  std::string text = kHead;
  text.replace(text.find("%s"), 2, section);
  text += defineData(container, section, useAsm) + kOpen;
  text += isRelocatable ? kNamed
                        : "static const __fatBinC_Wrapper_t __fatDeviceText";
  text += kSegment;
  text += "{ 0x466243b1, " + std::string(isLinked ? "2" : "1") +
          ", fatbinData, " +
          (isLinked ? "(void**)__cudaPrelinkedFatbins" : "0") + " };\n";
  return text + kClose;
}
