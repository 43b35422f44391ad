//===- CacheDirectory.h - entries on disk -----------------------*- C++ -*-===//
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

/// A folder of the user's own, with an entry for each key. Entries appear as a
/// whole or not at all; one that is damaged, or of another owner, is a miss.
/// Several processes may use a folder at once. Thread-safe.
class CacheDirectory {
public:
  /// \param path  made if it is not there, with mode 0700.
  /// \param mostBytes  all entries together; the oldest go.
  /// \param why  set where the folder is not used: it is a link, not the
  ///   user's, or open to others.
  static std::optional<CacheDirectory>
  open(const std::string &path, uint64_t mostBytes, std::string &why);
  CacheDirectory(CacheDirectory &&other) noexcept;
  CacheDirectory &operator=(CacheDirectory &&) = delete;
  ~CacheDirectory();

  /// What was written under a key, if it is whole.
  std::optional<std::string> read(const std::string &key) const;
  /// False if it could not be written.
  bool write(const std::string &key, const std::string &content);

private:
  CacheDirectory(int folder, uint64_t mostBytes)
      : folder(folder), mostBytes(mostBytes) {}
  void trim();

  int folder; ///< file descriptor
  uint64_t mostBytes;
  std::atomic<unsigned> writes{0};
};

/// 128 bits of a text, in hexadecimal.
std::string hashOf(const std::string &text);

} // namespace ptxjit

#endif
