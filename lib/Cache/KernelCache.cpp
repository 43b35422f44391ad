//===- KernelCache.cpp - compiled modules and kernels on disk -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Cache/KernelCache.h"
#include "Archive.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <sys/auxv.h>

using namespace ptxjit;

/// How the names of files begin.
static constexpr char kModule[] = "module.", kKernel[] = "kernel.";

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

static void describeLabel(Archive &a, EntryLabel &label) {
  a.text(label.textHash);
  a.text(label.name);
  a.text(label.options);
  for (uint32_t &extent : label.block)
    a.number(extent);
  a.number(label.chunk);
  a.text(label.environment.build);
  a.text(label.environment.cpu);
  a.text(label.environment.cpuId);
}

//===----------------------------------------------------------------------===//
// Where, and for whom
//===----------------------------------------------------------------------===//

static std::string getVariable(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

static bool isOff() {
  std::string asked = getVariable("PTXJIT_CACHE");
  return asked == "off" || asked == "0";
}

std::string ptxjit::getOwnFolder() {
  if (isOff())
    return "";
  std::string asked = getVariable("PTXJIT_CACHE");
  if (!asked.empty())
    return asked;
  std::string base = getVariable("XDG_CACHE_HOME");
  if (!base.empty() && base[0] == '/')
    return base + "/ptx-jit";
  base = getVariable("HOME");
  return base.empty() ? "" : base + "/.cache/ptx-jit";
}

std::string ptxjit::getSharedFolder() {
  return isOff() ? "" : getVariable("PTXJIT_CACHE_SHARED");
}

CacheEnvironment ptxjit::describeEnvironment(const std::string &compilerId) {
  CacheEnvironment here;
  here.build = compilerId + "/" + std::to_string(kRecordFormat) + "/" +
               std::to_string(PTXJIT_KERNEL_ABI_VERSION) + "/" +
               std::to_string(PTXJIT_COMPILER_ABI_VERSION);
  std::ifstream file("/proc/cpuinfo");
  std::string line, id;
  while (std::getline(file, line) && !line.empty()) {
    bool isName = line.compare(0, 10, "model name") == 0;
    if (isName)
      here.cpu = line.substr(std::min(line.find(':') + 2, line.size()));
    if (isName || line.compare(0, 5, "flags") == 0 ||
        line.compare(0, 8, "Features") == 0)
      id += line;
  }
  here.cpuId = hashOf(id);
  return here;
}

/// Opens the folders of the process. `problems` gets a line for each that is
/// refused.
static std::vector<CacheDirectory>
openFolders(std::vector<std::string> &problems) {
  std::vector<CacheDirectory> folders;
  std::string own = getOwnFolder(), shared = getSharedFolder(), why;
  if (!own.empty()) {
    if (auto opened = CacheDirectory::open(own, kMostCacheBytes, why))
      folders.push_back(std::move(*opened));
    else
      problems.push_back("the cache '" + own + "' is not used: " + why +
                         " (PTXJIT_CACHE=off says that none is wanted)");
  }
  if (!shared.empty()) {
    if (auto opened = CacheDirectory::openShared(shared, why))
      folders.push_back(std::move(*opened));
    else
      problems.push_back("the shared cache '" + shared +
                         "' is not used: " + why);
  }
  return folders;
}

/// The cache of the process. Never destroyed: kernels may be launched while the
/// process exits.
static KernelCache *processCache = nullptr;
static std::once_flag isChosen;

KernelCache *KernelCache::get(const std::string &compilerId,
                              std::vector<std::string> &problems) {
  std::call_once(isChosen, [&] {
    if (compilerId.empty() || getauxval(AT_SECURE))
      return;
    std::vector<CacheDirectory> folders = openFolders(problems);
    if (!folders.empty())
      processCache =
          new KernelCache(std::move(folders), describeEnvironment(compilerId));
  });
  return processCache;
}

bool KernelCache::fillShared(const std::string &compilerId,
                             const std::string &folder, std::string &why) {
  why = "this process uses another cache already";
  std::call_once(isChosen, [&] {
    why.clear();
    auto opened = CacheDirectory::fillShared(folder, why);
    if (!opened)
      return;
    std::vector<CacheDirectory> folders;
    folders.push_back(std::move(*opened));
    processCache =
        new KernelCache(std::move(folders), describeEnvironment(compilerId));
  });
  return why.empty();
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

std::string KernelCache::fileOf(const char *kind, const std::string &textHash,
                                const std::string &rest) const {
  return kind + hashOf(environment.build + "/" + environment.cpuId + "\n" +
                       textHash + "\n" + rest);
}

void KernelCache::keep(const std::string &file, const std::string &content) {
  if (!folders.front().write(file, content))
    ++unwritten;
}

/// Asks one folder after the other for an entry, until `decode` makes a record
/// of the content.
template <typename Decode>
static auto find(const std::vector<CacheDirectory> &folders,
                 const std::string &file, Decode decode)
    -> decltype(decode(std::string())) {
  for (const CacheDirectory &folder : folders)
    if (auto content = folder.read(file))
      if (auto record = decode(std::move(*content)))
        return record;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

static std::unique_ptr<ModuleRecord> decodeModule(std::string content) {
  auto record = std::make_unique<ModuleRecord>();
  Archive archive(std::move(content), record->storage);
  EntryLabel label;
  describeLabel(archive, label);
  describe(archive, record->info);
  if (!archive.isWhole())
    return nullptr;
  return record;
}

std::unique_ptr<ModuleRecord>
KernelCache::findModule(const std::string &textHash) {
  return find(folders, fileOf(kModule, textHash, ""), decodeModule);
}

void KernelCache::keepModule(const std::string &textHash,
                             const PtxjitModuleInfo &info) {
  EntryLabel label;
  label.textHash = textHash;
  label.name = info.target ? info.target : "";
  label.environment = environment;
  Archive archive;
  PtxjitModuleInfo copy = info;
  describeLabel(archive, label);
  describe(archive, copy);
  keep(fileOf(kModule, textHash, ""), archive.take());
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

std::string ptxjit::keyOf(const PtxjitSpecialization &spec) {
  std::string key(reinterpret_cast<const char *>(spec.block),
                  sizeof(spec.block));
#define PTXJIT_ADD_NUMBER(type, name, flag, meaning)                           \
  key.append(reinterpret_cast<const char *>(&spec.name), sizeof(spec.name));
#define PTXJIT_ADD_TEXT(type, name, flag, meaning)                             \
  key.append(spec.name ? spec.name : "").push_back('\0');
  PTXJIT_PASS_OPTIONS(PTXJIT_ADD_NUMBER)
  PTXJIT_COMPILER_OPTIONS(PTXJIT_ADD_NUMBER)
  PTXJIT_TEXT_OPTIONS(PTXJIT_ADD_TEXT)
#undef PTXJIT_ADD_NUMBER
#undef PTXJIT_ADD_TEXT
  return key;
}

static std::string keyOf(const std::string &kernel,
                         const PtxjitSpecialization &spec) {
  return kernel + "\n" + keyOf(spec);
}

/// The options that have been set, by their flags: "quick at-least=3". A small
/// grid is what nearly all launches have; its absence is told.
static std::string listOptions(const PtxjitSpecialization &spec) {
  std::string list;
  auto add = [&](const std::string &flag, uint32_t value) {
    if (!value)
      return;
    list += (list.empty() ? "" : " ") + flag;
    if (value != 1)
      list += "=" + std::to_string(value);
  };
  PtxjitSpecialization told = spec;
  told.smallGrid = 0;
  add("large-grid", !spec.smallGrid);
#define PTXJIT_ADD_OPTION(type, name, flag, meaning) add(flag, told.name);
  PTXJIT_PASS_OPTIONS(PTXJIT_ADD_OPTION)
  PTXJIT_COMPILER_OPTIONS(PTXJIT_ADD_OPTION)
#undef PTXJIT_ADD_OPTION
  return list;
}

static bool isEmpty(const char *text) { return !text || !*text; }

static bool isKept(const PtxjitSpecialization &spec) {
  return isEmpty(spec.cpu) && isEmpty(spec.inject);
}

static std::unique_ptr<ImageRecord> decodeImage(std::string content,
                                                const std::string &kernel) {
  auto record = std::make_unique<ImageRecord>();
  Archive archive(std::move(content), record->storage);
  PtxjitImage &image = record->image;
  EntryLabel label;
  describeLabel(archive, label);
  describe(archive, image);
  if (!archive.isWhole() || kernel != image.kernel)
    return nullptr;
  std::string object(reinterpret_cast<const char *>(image.object),
                     image.objectBytes);
  record->code = ObjectImage::load(object, image.symbol);
  if (!record->code)
    return nullptr;
  image.entry = reinterpret_cast<PtxjitKernelEntry>(record->code->entry);
  image.codeBegin = record->code->codeBegin;
  image.codeBytes = record->code->codeBytes;
  return record;
}

std::unique_ptr<ImageRecord>
KernelCache::findImage(const std::string &textHash, const std::string &kernel,
                       const PtxjitSpecialization &spec) {
  if (!isKept(spec))
    return nullptr;
  return find(folders, fileOf(kKernel, textHash, keyOf(kernel, spec)),
              [&](std::string content) {
                return decodeImage(std::move(content), kernel);
              });
}

void KernelCache::keepImage(const std::string &textHash,
                            const std::string &kernel,
                            const PtxjitSpecialization &spec,
                            const PtxjitImage &image) {
  if (!isKept(spec) || image.degraded)
    return;
  EntryLabel label;
  label.textHash = textHash;
  label.name = kernel;
  label.options = listOptions(spec);
  std::copy(std::begin(spec.block), std::end(spec.block), label.block);
  label.chunk = image.chunk;
  label.environment = environment;
  Archive archive;
  PtxjitImage copy = image;
  describeLabel(archive, label);
  describe(archive, copy);
  keep(fileOf(kKernel, textHash, keyOf(kernel, spec)), archive.take());
}

//===----------------------------------------------------------------------===//
// All entries
//===----------------------------------------------------------------------===//

/// Is it a name that fileOf() makes? The folder may hold other files, which are
/// none of our business.
static bool isEntry(const std::string &file) {
  size_t dot = file.find('.') + 1;
  return (file.compare(0, dot, kModule) == 0 ||
          file.compare(0, dot, kKernel) == 0) &&
         file.size() == dot + hashOf("").size() &&
         file.find_first_not_of("0123456789abcdef", dot) == file.npos;
}

static ListedEntry::State stateOf(const CacheEnvironment &environment,
                                  const CacheEnvironment &here) {
  if (environment.build != here.build)
    return ListedEntry::State::OtherBuild;
  return environment.cpuId == here.cpuId ? ListedEntry::State::Usable
                                         : ListedEntry::State::OtherCpu;
}

std::vector<ListedEntry> ptxjit::listEntries(const CacheDirectory &directory,
                                             const CacheEnvironment &here) {
  std::vector<ListedEntry> entries;
  for (CacheFile &file : directory.list()) {
    if (!isEntry(file.key))
      continue;
    ListedEntry entry{std::move(file), false, ListedEntry::State::Damaged, {}};
    entry.isKernel = entry.file.key.compare(0, 7, kKernel) == 0;
    if (auto content = directory.peek(entry.file.key)) {
      RecordStorage storage;
      Archive archive(std::move(*content), storage);
      EntryLabel label;
      describeLabel(archive, label);
      if (archive.isGood()) {
        entry.state = stateOf(label.environment, here);
        entry.label = std::move(label);
      }
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}
