//===- FatBinaryFormat.h - containers of device code in files ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The format was found by looking at programs that nvcc made. Numbers are
// little-endian.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_RUNTIME_FATBINARYFORMAT_H
#define PTXJIT_RUNTIME_FATBINARYFORMAT_H

#include <cstdint>

namespace ptxjit::fatbin {

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

/// At EntryHeader::optionsOffset: where the text of the options is.
struct OptionsHeader {
  uint32_t offset, bytes;
};

constexpr uint32_t kElf = 0x464c457f, kContainer = 0xba55ed50,
                   kWrapper = 0x466243b1;
constexpr uint16_t kPtx = 1, kMachineCode = 2, kLtoIr = 8;
/// The version of containers, and of the header of each entry.
constexpr uint16_t kContainerVersion = 1, kEntryVersion = 0x101;
constexpr uint64_t kIs64Bit = 0x1, kDebug = 0x2, kLinux = 0x10, kLz4 = 0x2000,
                   kZstd = 0x8000, kArchSpecific = 0x100000, kFamily = 0x200000;

} // namespace ptxjit::fatbin

#endif
