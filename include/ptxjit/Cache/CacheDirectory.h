//===- CacheDirectory.h - a folder of cache entries on disk -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_CACHE_CACHEDIRECTORY_H
#define PTXJIT_CACHE_CACHEDIRECTORY_H

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

namespace ptxjit {

/// A private folder with one file per key. Entries appear atomically; a damaged
/// one, or one of another owner, is a miss. Several processes may use a folder
/// at once. Thread-safe.
class CacheDirectory {
public:
  /// \param path  created if missing, with mode 0700.
  /// \param mostBytes  size limit; the least recently used entries are removed,
  ///   now and then.
  /// \param why  set if the folder is refused: it is a link, belongs to another
  ///   user, or is open to others.
  static std::optional<CacheDirectory>
  open(const std::string &path, uint64_t mostBytes, std::string &why);
  CacheDirectory(CacheDirectory &&other) noexcept;
  CacheDirectory &operator=(CacheDirectory &&) = delete;
  ~CacheDirectory();

  /// Returns the content written under a key, if it is undamaged.
  std::optional<std::string> read(const std::string &key) const;
  /// False if the entry could not be written.
  bool write(const std::string &key, const std::string &content);

private:
  CacheDirectory(int folder, uint64_t mostBytes)
      : folder(folder), mostBytes(mostBytes) {}
  void trim();

  int folder; ///< file descriptor
  uint64_t mostBytes;
  std::atomic<unsigned> writes{0};
};

/// A 128-bit hash of a text, in hexadecimal.
std::string hashOf(const std::string &text);

} // namespace ptxjit

#endif
