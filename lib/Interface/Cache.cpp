//===- Cache.cpp - compiled kernels on disk, for who looks after them -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Impl.h"
#include "ptxjit/Cache/KernelCache.h"
#include "ptxjit/Runtime/CompilerLoader.h"

#include <cerrno>
#include <cstring>

using namespace ptxjit;

struct PTXJIT_LOCAL Cache::Impl {
  std::string folder;
  CacheDirectory directory;
};

static Error refuse(const std::string &folder, const std::string &why) {
  return Error(ErrorCode::InvalidArgument,
               "the cache '" + folder + "' is refused: " + why);
}

/// Without it, all entries would seem to be of another build.
static Error checkCompiler() {
  if (!identifyCompiler().empty())
    return Error();
  return Error(ErrorCode::CompilerFailed,
               "the compiler library, whose entries are meant, is not found");
}

/// Sets `folder` to the shared one, if it is empty.
static Error completeShared(std::string &folder) {
  if (folder.empty())
    folder = getSharedFolder();
  if (!folder.empty())
    return Error();
  return Error(ErrorCode::NotFound,
               "there is no shared cache: PTXJIT_CACHE_SHARED is not set, or "
               "PTXJIT_CACHE is off");
}

Result<Cache> Cache::openOwn() {
  std::string folder = getOwnFolder(), why;
  if (folder.empty())
    return Error(ErrorCode::NotFound,
                 "there is no cache: PTXJIT_CACHE is off, or there is neither "
                 "PTXJIT_CACHE nor HOME");
  if (Error error = checkCompiler())
    return error;
  auto directory = CacheDirectory::open(folder, kMostCacheBytes, why);
  if (!directory)
    return refuse(folder, why);
  return Cache(
      std::shared_ptr<const Impl>(new Impl{folder, std::move(*directory)}));
}

Result<Cache> Cache::openShared(const std::string &given) {
  std::string folder = given, why;
  if (Error error = completeShared(folder))
    return error;
  if (Error error = checkCompiler())
    return error;
  auto directory = CacheDirectory::openShared(folder, why);
  if (!directory)
    return refuse(folder, why);
  return Cache(
      std::shared_ptr<const Impl>(new Impl{folder, std::move(*directory)}));
}

Error Cache::fillShared(const std::string &given) {
  std::string folder = given, why;
  if (Error error = completeShared(folder))
    return error;
  if (Error error = checkCompiler())
    return error;
  if (KernelCache::fillShared(identifyCompiler(), folder, why))
    return Error();
  return refuse(folder, why);
}

uint64_t Cache::countUnwritten() {
  std::vector<std::string> problems;
  KernelCache *cache = KernelCache::get(identifyCompiler(), problems);
  return cache ? cache->countUnwritten() : 0;
}

const std::string &Cache::getFolder() const { return impl->folder; }

static CacheEntry::State toState(ListedEntry::State state) {
  switch (state) {
  case ListedEntry::State::Usable:
    return CacheEntry::State::Usable;
  case ListedEntry::State::OtherCpu:
    return CacheEntry::State::OtherCpu;
  case ListedEntry::State::OtherBuild:
    return CacheEntry::State::OtherBuild;
  case ListedEntry::State::Damaged:
    return CacheEntry::State::Damaged;
  }
  return CacheEntry::State::Damaged;
}

std::vector<CacheEntry> Cache::list() const {
  std::vector<CacheEntry> entries;
  CacheEnvironment here = describeEnvironment(identifyCompiler());
  for (const ListedEntry &found : listEntries(impl->directory, here)) {
    const EntryLabel &label = found.label;
    entries.push_back(
        {found.file.key,
         found.isKernel ? CacheEntry::Kind::Kernel : CacheEntry::Kind::Module,
         toState(found.state), found.file.bytes, found.file.lastUse,
         label.textHash, label.name,
         Dim3(label.block[0], label.block[1], label.block[2]), label.chunk,
         label.options, label.environment.cpu});
  }
  return entries;
}

Error Cache::remove(const CacheEntry &entry) const {
  int error = impl->directory.remove(entry.file);
  if (!error)
    return Error();
  return Error(error == ENOENT ? ErrorCode::NotFound
                               : ErrorCode::InvalidArgument,
               impl->folder + "/" + entry.file + ": " + std::strerror(error));
}
