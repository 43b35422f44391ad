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
#include <vector>

namespace ptxjit {

/// A file of a cache.
struct CacheFile {
  std::string key;
  uint64_t bytes;
  int64_t lastUse; ///< seconds since 1970; in a shared folder, of its writing
};

/// A folder with one file per key. Entries appear atomically. A damaged one, or
/// one that somebody else might have written, is a miss, since programs execute
/// what they find. Several processes may use a folder at once. Thread-safe.
class CacheDirectory {
public:
  /// A folder of one user.
  /// \param path  created if missing, with mode 0700.
  /// \param mostBytes  size limit; the least recently used entries are removed,
  ///   now and then.
  /// \param why  set if the folder is refused: it is a link, belongs to another
  ///   user, or is open to others.
  static std::optional<CacheDirectory>
  open(const std::string &path, uint64_t mostBytes, std::string &why);
  /// A folder that its owner fills for others. Nothing is written to it.
  /// \param why  set if the folder is refused: it is missing or a link, belongs
  ///   neither to root nor to this user, or others may write to it.
  static std::optional<CacheDirectory> openShared(const std::string &path,
                                                  std::string &why);
  /// Such a folder, for its owner to fill: created if missing, with mode 0755.
  /// Entries have mode 0644; their number is not limited.
  /// \param why  set if the folder is refused: it is a link, belongs to another
  ///   user, or others may write to it.
  static std::optional<CacheDirectory> fillShared(const std::string &path,
                                                  std::string &why);
  CacheDirectory(CacheDirectory &&other) noexcept;
  CacheDirectory &operator=(CacheDirectory &&) = delete;
  ~CacheDirectory();

  /// Returns the content written under a key, if it is undamaged. In a folder
  /// of one user this is a use.
  std::optional<std::string> read(const std::string &key) const;
  /// The same, but no use.
  std::optional<std::string> peek(const std::string &key) const;
  /// False if the entry could not be written.
  bool write(const std::string &key, const std::string &content);
  /// Removes an entry. Returns 0, or the error of the system (errno).
  int remove(const std::string &key) const;
  /// All entries, damaged ones included, in no order.
  std::vector<CacheFile> list() const;

private:
  enum class Kind { Own, SharedToRead, SharedToFill };
  static std::optional<CacheDirectory> open(const std::string &path, Kind kind,
                                            uint64_t mostBytes,
                                            std::string &why);
  CacheDirectory(int folder, Kind kind, uint64_t mostBytes)
      : folder(folder), kind(kind), mostBytes(mostBytes) {}
  void trim() const;

  int folder; ///< file descriptor
  Kind kind;
  uint64_t mostBytes;
  std::atomic<unsigned> writes{0};
};

/// A 128-bit hash of a text, in hexadecimal.
std::string hashOf(const std::string &text);

} // namespace ptxjit

#endif
