//===- FatBinaryWriter.h - containers of device code ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_UNITTESTS_CUDADRIVER_FATBINARYWRITER_H
#define PTXJIT_UNITTESTS_CUDADRIVER_FATBINARYWRITER_H

#include <cstdint>
#include <cstring>
#include <lz4.h>
#include <string>
#include <zstd.h>

enum Packing { Plain, Lz4, Zstd };

/// Makes a fat binary, which is a container of PTX and machine code, in nvcc's
/// format.
class FatBinary {
public:
  static constexpr uint64_t kArchSpecific = 0x100000;

  /// Appends an entry. `kind` is 1 for PTX and 2 for machine code.
  void add(unsigned kind, unsigned arch, const std::string &content,
           Packing packing = Plain, uint64_t flags = 0,
           uint32_t headerBytes = 64) {
    std::string packed = content;
    if (packing == Lz4) {
      packed.resize(size_t(LZ4_compressBound(int(content.size()))));
      packed.resize(size_t(LZ4_compress_default(content.data(), packed.data(),
                                                int(content.size()),
                                                int(packed.size()))));
      flags |= 0x2000;
    } else if (packing == Zstd) {
      packed.resize(ZSTD_compressBound(content.size()));
      packed.resize(ZSTD_compress(packed.data(), packed.size(), content.data(),
                                  content.size(), 3));
      flags |= 0x8000;
    }
    uint32_t packedBytes = uint32_t(packed.size());
    packed.resize((packed.size() + 7) / 8 * 8); // padding
    std::string header(headerBytes, 0);
    auto put = [&](size_t at, auto value) {
      std::memcpy(&header[at], &value, sizeof(value));
    };
    put(0, uint16_t(kind));
    put(2, uint16_t(0x0101));
    put(4, headerBytes);
    put(8, uint64_t(packed.size()));
    put(16, packing == Plain ? 0u : packedBytes);
    put(28, arch);
    put(40, flags);
    put(56, uint64_t(packing == Plain ? 0 : content.size()));
    body += header + packed;
  }
  /// \returns the container, which is valid until the next call.
  /// \param claimed  size in the container's header; 0: the true one.
  const void *get(uint64_t claimed = 0) {
    uint64_t bytes = claimed ? claimed : body.size();
    uint32_t magic = 0xba55ed50;
    uint16_t version = 1, headerBytes = 16;
    whole.assign(16, 0);
    std::memcpy(&whole[0], &magic, 4);
    std::memcpy(&whole[4], &version, 2);
    std::memcpy(&whole[6], &headerBytes, 2);
    std::memcpy(&whole[8], &bytes, 8);
    whole += body;
    return whole.data();
  }
  std::string body;

private:
  std::string whole;
};

#endif
