//===- KernelCompiler.cpp - compiles the kernels of a text ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelCompiler.h"
#include "CompileLog.h"
#include "CompileProgress.h"
#include "ptxjit/Runtime/CompilerLoader.h"
#include "ptxjit/Runtime/Log.h"

#include <chrono>
#include <future>
#include <optional>
#include <unistd.h>

using namespace ptxjit;

static constexpr size_t kCheckAtLoad = size_t(1) << 20;

/// Returns the cache of the process, or null.
static KernelCache *openCache() {
  std::vector<std::string> problems;
  KernelCache *cache = KernelCache::get(identifyCompiler(), problems);
  for (const std::string &problem : problems)
    log(LogKind::Error, problem);
  return cache;
}

/// Code that has been made, or that a thread is making.
struct KernelCompiler::Work {
  struct Result {
    PtxjitImage *image; ///< null after errors
    std::string diagnostics;
  };

  explicit Work(const std::string &kernel) : kernel(kernel) {}

  bool isDone() const {
    return result.wait_for(std::chrono::seconds(0)) ==
           std::future_status::ready;
  }
  /// A forked process lacks the thread that would finish it.
  bool isAbandoned() const { return !isDone() && owner != getpid(); }

  const std::string kernel; ///< its address names it to CompileProgress
  const pid_t owner = getpid();
  std::promise<Result> promise;
  std::shared_future<Result> result{promise.get_future()};
};

//===----------------------------------------------------------------------===//
// The text
//===----------------------------------------------------------------------===//

KernelCompiler::KernelCompiler(std::string text, std::string fileName)
    : text(std::move(text)), fileName(std::move(fileName)), cache(openCache()) {
  if (cache)
    textHash = hashOf(this->text);
}

KernelCompiler::~KernelCompiler() {
  for (PtxjitImage *image : compiled)
    compiler->destroyImage(image);
  if (module)
    compiler->destroyModule(module);
}

bool KernelCompiler::open(std::string &diagnostics, uint32_t *numErrors) {
  if (numErrors)
    *numErrors = 0;
  if (cache)
    record = cache->findModule(textHash);
  if (!record)
    return parse(diagnostics, numErrors);
  record->info.text = text.c_str();
  record->info.fileName = fileName.c_str();
  return true;
}

bool KernelCompiler::parse(std::string &diagnostics, uint32_t *numErrors) {
  std::string error;
  compiler = loadCompiler(error);
  if (!compiler) {
    diagnostics += "error: " + error + "\n";
    if (numErrors)
      *numErrors = 1;
    return false;
  }
  std::string told;
  module =
      compiler->parse(text.data(), text.size(), fileName.c_str(),
                      text.size() < kCheckAtLoad, toString(told), numErrors);
  diagnostics += told;
  // A text with warnings is not cached, so that each load warns.
  if (module && cache && told.empty())
    cache->keepModule(textHash, *compiler->getInfo(module));
  return module;
}

const PtxjitModule *KernelCompiler::needModule(std::string &diagnostics) {
  std::lock_guard<std::mutex> lock(moduleMutex);
  if (!module)
    parse(diagnostics, nullptr);
  return module;
}

const PtxjitModuleInfo &KernelCompiler::getInfo() const {
  return record ? record->info : *compiler->getInfo(module);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

PtxjitImage *KernelCompiler::compile(const std::string &kernel,
                                     const PtxjitSpecialization &spec,
                                     Caller caller, std::string &diagnostics) {
  Key key(kernel, keyOf(spec));
  std::shared_ptr<Work> work;
  bool isOurs;
  {
    std::lock_guard<std::mutex> lock(mutex);
    std::shared_ptr<Work> &place = works[key];
    isOurs = !place || place->isAbandoned();
    if (isOurs)
      place = std::make_shared<Work>(kernel);
    work = place;
  }
  if (!isOurs) {
    std::optional<CompileProgress> progress;
    if (caller == Caller::Waits && !work->isDone())
      progress.emplace(work->kernel.c_str());
    const Work::Result &result = work->result.get();
    diagnostics += result.diagnostics;
    return result.image;
  }
  std::string told;
  PtxjitImage *image = findOrMake(work->kernel, spec, caller, told);
  diagnostics += told;
  if (!image) {
    // The next caller tries again; those who wait now get these errors.
    std::lock_guard<std::mutex> lock(mutex);
    works.erase(key);
  }
  // Warnings are for the one who has made it.
  work->promise.set_value({image, image ? "" : told});
  return image;
}

PtxjitImage *KernelCompiler::compileFirst(const std::string &kernel,
                                          PtxjitSpecialization &spec,
                                          Caller caller,
                                          std::string &diagnostics) {
  if (PtxjitImage *good = find(kernel, spec))
    return good;
  spec.quick = true;
  return compile(kernel, spec, caller, diagnostics);
}

/// Returns code that has been made, by this process or an earlier one, or null.
PtxjitImage *KernelCompiler::find(const std::string &kernel,
                                  const PtxjitSpecialization &spec) {
  Key key(kernel, keyOf(spec));
  {
    std::lock_guard<std::mutex> lock(mutex);
    auto it = works.find(key);
    if (it != works.end())
      return it->second->isDone() ? it->second->result.get().image : nullptr;
  }
  PtxjitImage *image = findOnDisk(kernel, spec);
  if (!image)
    return nullptr;
  auto work = std::make_shared<Work>(kernel);
  work->promise.set_value({image, ""});
  std::lock_guard<std::mutex> lock(mutex);
  works.emplace(key, std::move(work));
  return image;
}

PtxjitImage *KernelCompiler::findOnDisk(const std::string &kernel,
                                        const PtxjitSpecialization &spec) {
  auto found = cache ? cache->findImage(textHash, kernel, spec) : nullptr;
  if (!found)
    return nullptr;
  logCached(found->image, spec);
  std::lock_guard<std::mutex> lock(mutex);
  cached.push_back(std::move(found));
  return &cached.back()->image;
}

PtxjitImage *KernelCompiler::findOrMake(const std::string &kernel,
                                        const PtxjitSpecialization &spec,
                                        Caller caller,
                                        std::string &diagnostics) {
  if (PtxjitImage *image = findOnDisk(kernel, spec))
    return image;
  const PtxjitModule *parsed = needModule(diagnostics);
  if (!parsed)
    return nullptr;
  PtxjitImage *image;
  {
    std::optional<CompileProgress> progress;
    if (caller == Caller::Waits)
      progress.emplace(kernel.c_str());
    image =
        compiler->compile(parsed, kernel.c_str(), &spec, toString(diagnostics));
  }
  if (!image)
    return nullptr;
  logCompiled(*image, spec,
              caller == Caller::Beside ? "beside the program" : "");
  if (cache)
    cache->keepImage(textHash, kernel, spec, *image);
  std::lock_guard<std::mutex> lock(mutex);
  compiled.push_back(image);
  return image;
}
