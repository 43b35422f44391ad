//===- KernelCache.cpp - compiled modules and kernels on disk -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Cache/KernelCache.h"
#include "Archive.h"

#include <cstdlib>
#include <fstream>
#include <sys/auxv.h>
#include <unistd.h>

using namespace ptxjit;

/// Must be raised when the records below, or their meaning, change.
static constexpr unsigned kFormat = 1;
static constexpr uint64_t kMostBytes = uint64_t(512) << 20;

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

static void describe(Archive &a, PtxjitVariable &v) {
  a.text(v.name);
  a.number(v.bytes);
  a.number(v.align);
  a.blob(v.init, v.initBytes);
  a.list(v.relocs, v.numRelocs, [&](PtxjitReloc &r) {
    a.number(r.offset);
    a.number(r.bytes);
    a.number(r.shift);
    a.text(r.symbol);
    a.number(r.addend);
  });
  a.number(v.isConstant);
}

static void describe(Archive &a, PtxjitKernelInfo &k) {
  a.text(k.name);
  a.list(k.params, k.numParams, [&](PtxjitParam &p) {
    a.text(p.name);
    a.text(p.type);
    a.number(p.elementBytes);
    a.number(p.align);
    a.number(p.offset);
    a.number(p.count);
  });
  a.number(k.paramBytes);
  for (unsigned d = 0; d < 3; ++d) {
    a.number(k.maxntid[d]);
    a.number(k.reqntid[d]);
    a.number(k.cluster[d]);
  }
  a.number(k.maxClusterRank);
  a.number(k.explicitCluster);
  a.number(k.blocksAreClusters);
  a.number(k.sharedBytes);
  a.number(k.localBytes);
}

static void describe(Archive &a, PtxjitModuleInfo &m) {
  a.text(m.version);
  a.text(m.target);
  a.list(m.kernels, m.numKernels,
         [&](PtxjitKernelInfo &kernel) { describe(a, kernel); });
  a.list(m.variables, m.numVariables,
         [&](PtxjitVariable &variable) { describe(a, variable); });
  a.list(m.functions, m.numFunctions, [&](const char *&name) { a.text(name); });
  a.number(m.addressBits);
}

/// All fields of an image except addresses, times, and `degraded`, which is 0.
static void describe(Archive &a, PtxjitImage &i) {
  a.text(i.kernel);
  a.text(i.symbol);
  a.blob(i.object, i.objectBytes);
  a.list(i.lines, i.numLines, [&](PtxjitLine &line) {
    a.number(line.offset);
    a.number(line.line);
    a.number(line.column);
  });
  a.number(i.sharedEnd);
  a.number(i.localBytes);
  a.number(i.stackBytes);
  a.number(i.frameBytes);
  a.number(i.chunk);
  a.number(i.mode);
  a.number(i.isFirstTier);
  a.number(i.strandThreads);
  a.number(i.hasLoops);
  a.number(i.waits);
  a.number(i.readsMultiprocessor);
  a.number(i.sweeps);
  a.list(i.written, i.numWritten, [&](PtxjitWrittenArray &array) {
    a.number(array.param);
    a.number(array.bytesPerThread);
  });
  a.text(i.reason);
  a.list(i.globals, i.numGlobals,
         [&](PtxjitVariable &variable) { describe(a, variable); });
}

//===----------------------------------------------------------------------===//
// Where, and for whom
//===----------------------------------------------------------------------===//

static std::string folderOf() {
  auto get = [](const char *name) {
    const char *value = std::getenv(name);
    return std::string(value ? value : "");
  };
  std::string asked = get("PTXJIT_CACHE");
  if (!asked.empty())
    return asked == "off" || asked == "0" ? "" : asked;
  std::string base = get("XDG_CACHE_HOME");
  if (!base.empty() && base[0] == '/')
    return base + "/ptx-jit";
  base = get("HOME");
  return base.empty() ? "" : base + "/.cache/ptx-jit";
}

/// Identifies the CPU that code was compiled for, by model and features.
static std::string cpuId() {
  std::ifstream file("/proc/cpuinfo");
  std::string line, id;
  while (std::getline(file, line) && !line.empty())
    if (line.compare(0, 10, "model name") == 0 ||
        line.compare(0, 5, "flags") == 0 || line.compare(0, 8, "Features") == 0)
      id += line;
  return hashOf(id);
}

static std::unique_ptr<KernelCache> openCache(const std::string &compilerId,
                                              std::string &problem) {
  std::string folder = folderOf(), why;
  if (folder.empty() || compilerId.empty() || getauxval(AT_SECURE))
    return nullptr;
  auto directory = CacheDirectory::open(folder, kMostBytes, why);
  if (!directory) {
    problem = "the cache '" + folder + "' is not used: " + why +
              " (PTXJIT_CACHE=off says that none is wanted)";
    return nullptr;
  }
  std::string environment = compilerId + "/" + cpuId() + "/" +
                            std::to_string(kFormat) + "/" +
                            std::to_string(PTXJIT_KERNEL_ABI_VERSION) + "/" +
                            std::to_string(PTXJIT_COMPILER_ABI_VERSION);
  return std::make_unique<KernelCache>(std::move(*directory),
                                       std::move(environment));
}

KernelCache *KernelCache::get(const std::string &compilerId,
                              std::string &problem) {
  // Never destroyed: kernels may be launched while the process exits.
  static KernelCache *cache = openCache(compilerId, problem).release();
  return cache;
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

std::string KernelCache::fileOf(const char *kind, const std::string &textHash,
                                const std::string &rest) const {
  return kind + hashOf(environment + "\n" + textHash + "\n" + rest);
}

std::unique_ptr<ModuleRecord>
KernelCache::findModule(const std::string &textHash) {
  auto bytes = directory.read(fileOf("module.", textHash, ""));
  if (!bytes)
    return nullptr;
  auto record = std::make_unique<ModuleRecord>();
  Archive archive(std::move(*bytes), record->storage);
  describe(archive, record->info);
  if (!archive.isWhole())
    return nullptr;
  return record;
}

void KernelCache::keepModule(const std::string &textHash,
                             const PtxjitModuleInfo &info) {
  Archive archive;
  PtxjitModuleInfo copy = info;
  describe(archive, copy);
  directory.write(fileOf("module.", textHash, ""), archive.take());
}

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

static bool isEmpty(const char *text) { return !text || !*text; }

static bool isKept(const PtxjitSpecialization &spec) {
  return isEmpty(spec.cpu) && isEmpty(spec.inject);
}

std::unique_ptr<ImageRecord>
KernelCache::findImage(const std::string &textHash, const std::string &kernel,
                       const PtxjitSpecialization &spec) {
  if (!isKept(spec))
    return nullptr;
  auto bytes = directory.read(fileOf("kernel.", textHash, keyOf(kernel, spec)));
  if (!bytes)
    return nullptr;
  auto record = std::make_unique<ImageRecord>();
  Archive archive(std::move(*bytes), record->storage);
  PtxjitImage &image = record->image;
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

void KernelCache::keepImage(const std::string &textHash,
                            const std::string &kernel,
                            const PtxjitSpecialization &spec,
                            const PtxjitImage &image) {
  if (!isKept(spec) || image.degraded)
    return;
  Archive archive;
  PtxjitImage copy = image;
  describe(archive, copy);
  directory.write(fileOf("kernel.", textHash, keyOf(kernel, spec)),
                  archive.take());
}
