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

static constexpr char kMagic[8] = {'p', 't', 'x', 'j', 'i', 't', '0', '2'};
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

static void makeFolder(const std::string &path, mode_t mode) {
  // The user's umask may have taken bits that others need.
  if (mkdir(path.c_str(), mode) == 0)
    chmod(path.c_str(), mode);
}

/// Creates a folder and its parents.
static void makeFolders(const std::string &path, mode_t mode) {
  for (size_t at = path.find('/', 1); at != std::string::npos;
       at = path.find('/', at + 1))
    makeFolder(path.substr(0, at), mode);
  makeFolder(path, mode);
}

/// Can nobody but root and this user have written it?
static bool isTrusted(const struct stat &info) {
  return (info.st_uid == 0 || info.st_uid == geteuid()) &&
         !(info.st_mode & 022);
}

std::optional<CacheDirectory> CacheDirectory::open(const std::string &path,
                                                   Kind kind,
                                                   uint64_t mostBytes,
                                                   std::string &why) {
  if (kind != Kind::SharedToRead)
    makeFolders(path, kind == Kind::Own ? 0700 : 0755);
  int folder =
      ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) {
    why = std::strerror(errno);
    return std::nullopt;
  }
  struct stat info;
  if (fstat(folder, &info) != 0)
    why = std::strerror(errno);
  else if (info.st_uid != geteuid() &&
           (info.st_uid != 0 || kind != Kind::SharedToRead))
    why = "it belongs to another user";
  else if (kind == Kind::Own && info.st_mode & 077)
    why = "others may use it (its mode must be 0700)";
  else if (info.st_mode & 022)
    why = "others may write to it (its mode must be 0755, or less)";
  else
    return CacheDirectory(folder, kind, mostBytes);
  close(folder);
  return std::nullopt;
}

std::optional<CacheDirectory> CacheDirectory::open(const std::string &path,
                                                   uint64_t mostBytes,
                                                   std::string &why) {
  return open(path, Kind::Own, mostBytes, why);
}

std::optional<CacheDirectory>
CacheDirectory::openShared(const std::string &path, std::string &why) {
  return open(path, Kind::SharedToRead, UINT64_MAX, why);
}

std::optional<CacheDirectory>
CacheDirectory::fillShared(const std::string &path, std::string &why) {
  return open(path, Kind::SharedToFill, UINT64_MAX, why);
}

CacheDirectory::CacheDirectory(CacheDirectory &&other) noexcept
    : folder(other.folder), kind(other.kind), mostBytes(other.mostBytes) {
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

/// Opens the file of a key, if it may be believed. The descriptor is what is
/// checked, so that nobody can exchange the file afterwards.
static int openEntry(int folder, const std::string &key, struct stat &info) {
  // Without O_NONBLOCK, a pipe of that name would make us wait for a writer.
  int file = openat(folder, key.c_str(),
                    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0 ||
      (fstat(file, &info) == 0 && S_ISREG(info.st_mode) && isTrusted(info)))
    return file;
  close(file);
  return -1;
}

static std::optional<std::string> readContent(int file, uint64_t fileBytes) {
  Header header;
  if (!readAll(file, &header, sizeof(header)) ||
      header.bytes > kMostEntryBytes ||
      fileBytes != sizeof(header) + header.bytes)
    return std::nullopt;
  std::string content(header.bytes, 0);
  if (!readAll(file, content.data(), content.size()))
    return std::nullopt;
  Header expected = headerOf(content);
  if (std::memcmp(&header, &expected, sizeof(header)) != 0)
    return std::nullopt;
  return content;
}

std::optional<std::string> CacheDirectory::read(const std::string &key) const {
  auto content = peek(key);
  if (content && kind == Kind::Own) // the time of last use, for trim()
    utimensat(folder, key.c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
  return content;
}

std::optional<std::string> CacheDirectory::peek(const std::string &key) const {
  struct stat info;
  Descriptor file{openEntry(folder, key, info)};
  if (file.fd < 0)
    return std::nullopt;
  return readContent(file.fd, uint64_t(info.st_size));
}

static std::string makeTemporaryName() {
  static std::atomic<unsigned> counter{0};
  return "new." + std::to_string(getpid()) + "." + std::to_string(counter++);
}

static bool isTemporary(const std::string &key) {
  return key.compare(0, 4, "new.") == 0;
}

bool CacheDirectory::write(const std::string &key, const std::string &content) {
  if (kind == Kind::SharedToRead)
    return false;
  std::string temporary = makeTemporaryName();
  Header header = headerOf(content);
  {
    Descriptor file{openat(folder, temporary.c_str(),
                           O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)};
    if (file.fd < 0)
      return false;
    if (!writeAll(file.fd, &header, sizeof(header)) ||
        !writeAll(file.fd, content.data(), content.size()) ||
        (kind == Kind::SharedToFill && fchmod(file.fd, 0644) != 0)) {
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

int CacheDirectory::remove(const std::string &key) const {
  return unlinkat(folder, key.c_str(), 0) == 0 ? 0 : errno;
}

//===----------------------------------------------------------------------===//
// All files
//===----------------------------------------------------------------------===//

/// Lists everything but folders.
static std::vector<CacheFile> listFiles(int folder) {
  std::vector<CacheFile> files;
  int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *stream = copy < 0 ? nullptr : fdopendir(copy);
  if (!stream)
    return files;
  while (dirent *item = readdir(stream)) {
    struct stat info;
    if (fstatat(folder, item->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
        !S_ISDIR(info.st_mode))
      files.push_back({item->d_name, uint64_t(info.st_size), info.st_mtime});
  }
  closedir(stream);
  return files;
}

std::vector<CacheFile> CacheDirectory::list() const {
  std::vector<CacheFile> files = listFiles(folder);
  files.erase(std::remove_if(
                  files.begin(), files.end(),
                  [](const CacheFile &file) { return isTemporary(file.key); }),
              files.end());
  return files;
}

/// If the entries exceed the limit, removes the least recently used ones down
/// to three quarters of it. Also removes temporary files older than an hour,
/// whose writers have died.
void CacheDirectory::trim() const {
  std::vector<CacheFile> entries;
  uint64_t total = 0;
  time_t now = time(nullptr);
  for (CacheFile &file : listFiles(folder)) {
    if (isTemporary(file.key)) {
      if (now - file.lastUse > 3600)
        remove(file.key);
      continue;
    }
    total += file.bytes;
    entries.push_back(std::move(file));
  }
  if (total <= mostBytes)
    return;
  std::sort(entries.begin(), entries.end(),
            [](const CacheFile &a, const CacheFile &b) {
              return a.lastUse < b.lastUse;
            });
  for (const CacheFile &entry : entries) {
    if (total <= mostBytes / 4 * 3)
      break;
    remove(entry.key);
    total -= entry.bytes;
  }
}
