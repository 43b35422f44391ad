//===- CacheDirectory.cpp - a folder of cache entries on disk -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Cache/CacheDirectory.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>
#include <xxhash.h>

using namespace ptxjit;

namespace {
/// The head of a file; the content follows.
struct Header {
  char magic[8];
  uint64_t bytes;
  uint64_t hash[2]; ///< of the content
};

struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd >= 0)
      close(fd);
  }
};
} // namespace

static constexpr char kMagic[8] = {'p', 't', 'x', 'j', 'i', 't', '0', '1'};
static constexpr uint64_t kMostEntryBytes = uint64_t(1) << 30;
static constexpr unsigned kWritesBetweenTrims = 64;

std::string ptxjit::hashOf(const std::string &text) {
  XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  char name[40];
  std::snprintf(name, sizeof(name), "%016llx%016llx",
                (unsigned long long)hash.high64,
                (unsigned long long)hash.low64);
  return name;
}

static Header headerOf(const std::string &content) {
  XXH128_hash_t hash = XXH3_128bits(content.data(), content.size());
  Header header{{}, content.size(), {hash.high64, hash.low64}};
  std::memcpy(header.magic, kMagic, sizeof(kMagic));
  return header;
}

//===----------------------------------------------------------------------===//
// The folder
//===----------------------------------------------------------------------===//

/// Creates a folder and its parents.
static void makeFolders(const std::string &path) {
  for (size_t at = path.find('/', 1); at != std::string::npos;
       at = path.find('/', at + 1))
    mkdir(path.substr(0, at).c_str(), 0700);
  mkdir(path.c_str(), 0700);
}

std::optional<CacheDirectory> CacheDirectory::open(const std::string &path,
                                                   uint64_t mostBytes,
                                                   std::string &why) {
  makeFolders(path);
  int folder =
      ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) {
    why = std::strerror(errno);
    return std::nullopt;
  }
  struct stat info;
  if (fstat(folder, &info) != 0)
    why = std::strerror(errno);
  else if (info.st_uid != geteuid())
    why = "it belongs to another user";
  else if (info.st_mode & 077)
    why = "others may use it (its mode must be 0700)";
  if (why.empty())
    return CacheDirectory(folder, mostBytes);
  close(folder);
  return std::nullopt;
}

CacheDirectory::CacheDirectory(CacheDirectory &&other) noexcept
    : folder(other.folder), mostBytes(other.mostBytes) {
  other.folder = -1;
}

CacheDirectory::~CacheDirectory() {
  if (folder >= 0)
    close(folder);
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

static bool readAll(int fd, void *to, size_t bytes) {
  auto *at = static_cast<char *>(to);
  while (bytes) {
    ssize_t got = ::read(fd, at, bytes);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return false;
    at += got;
    bytes -= size_t(got);
  }
  return true;
}

static bool writeAll(int fd, const void *from, size_t bytes) {
  auto *at = static_cast<const char *>(from);
  while (bytes) {
    ssize_t put = ::write(fd, at, bytes);
    if (put < 0 && errno == EINTR)
      continue;
    if (put <= 0)
      return false;
    at += put;
    bytes -= size_t(put);
  }
  return true;
}

std::optional<std::string> CacheDirectory::read(const std::string &key) const {
  Descriptor file{
      openat(folder, key.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC)};
  struct stat info;
  if (file.fd < 0 || fstat(file.fd, &info) != 0 || !S_ISREG(info.st_mode) ||
      info.st_uid != geteuid())
    return std::nullopt;
  Header header;
  if (!readAll(file.fd, &header, sizeof(header)) ||
      header.bytes > kMostEntryBytes ||
      uint64_t(info.st_size) != sizeof(header) + header.bytes)
    return std::nullopt;
  std::string content(header.bytes, 0);
  if (!readAll(file.fd, content.data(), content.size()))
    return std::nullopt;
  Header expected = headerOf(content);
  if (std::memcmp(&header, &expected, sizeof(header)) != 0)
    return std::nullopt;
  futimens(file.fd, nullptr); // the time of last use, for trim()
  return content;
}

bool CacheDirectory::write(const std::string &key, const std::string &content) {
  static std::atomic<unsigned> counter{0};
  std::string temporary =
      "new." + std::to_string(getpid()) + "." + std::to_string(counter++);
  Header header = headerOf(content);
  {
    Descriptor file{openat(folder, temporary.c_str(),
                           O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)};
    if (file.fd < 0)
      return false;
    if (!writeAll(file.fd, &header, sizeof(header)) ||
        !writeAll(file.fd, content.data(), content.size())) {
      unlinkat(folder, temporary.c_str(), 0);
      return false;
    }
  }
  if (renameat(folder, temporary.c_str(), folder, key.c_str()) != 0) {
    unlinkat(folder, temporary.c_str(), 0);
    return false;
  }
  if (++writes % kWritesBetweenTrims == 1)
    trim();
  return true;
}

/// If the entries exceed the limit, removes the least recently used ones down
/// to three quarters of it. Also removes temporary files older than an hour,
/// whose writers have died.
void CacheDirectory::trim() {
  struct Entry {
    std::string name;
    uint64_t bytes;
    time_t used;
  };
  DIR *list =
      fdopendir(openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!list)
    return;
  std::vector<Entry> entries;
  uint64_t total = 0;
  time_t now = time(nullptr);
  while (dirent *item = readdir(list)) {
    struct stat info;
    if (fstatat(folder, item->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(info.st_mode))
      continue;
    if (std::strncmp(item->d_name, "new.", 4) == 0) {
      if (now - info.st_mtime > 3600)
        unlinkat(folder, item->d_name, 0);
      continue;
    }
    entries.push_back({item->d_name, uint64_t(info.st_size), info.st_mtime});
    total += uint64_t(info.st_size);
  }
  closedir(list);
  if (total <= mostBytes)
    return;
  std::sort(entries.begin(), entries.end(),
            [](const Entry &a, const Entry &b) { return a.used < b.used; });
  for (const Entry &entry : entries) {
    if (total <= mostBytes / 4 * 3)
      break;
    unlinkat(folder, entry.name.c_str(), 0);
    total -= entry.bytes;
  }
}
