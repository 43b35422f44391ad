//===- CacheCommand.cpp - the command `cache` -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CacheCommand.h"
#include "Arguments.h"
#include "Cache.h"
#include "Diagnostics.h"
#include "Warm.h"

using namespace ptxjit;
namespace cl = llvm::cl;

static cl::OptionCategory category("ptx-jit cache options");
static cl::SubCommand
    cacheCommand("cache", "List, verify, prune or warm the compiled kernels on "
                          "disk");
static cl::opt<std::string> cacheAction(cl::Positional,
                                        cl::desc("list|verify|prune|warm"),
                                        cl::Required, cl::sub(cacheCommand),
                                        cl::cat(category));
static cl::list<std::string>
    warmFiles(cl::Positional, cl::desc("FILE... (warm: PTX or programs)"),
              cl::sub(cacheCommand), cl::cat(category));
static cl::opt<std::string> sharedFolder(
    "shared",
    cl::desc("Take a shared folder, by default that of PTXJIT_CACHE_SHARED, "
             "not the user's own"),
    cl::value_desc("folder"), cl::ValueOptional, cl::sub(cacheCommand),
    cl::cat(category));
static cl::opt<uint64_t>
    mostDays("older", cl::desc("prune: remove what was not used for so long"),
             cl::value_desc("days"), cl::sub(cacheCommand), cl::cat(category));
static cl::opt<std::string> mostBytes(
    "most",
    cl::desc("prune: remove what was not used for longest, down to that size; "
             "K, M and G are units"),
    cl::value_desc("bytes"), cl::sub(cacheCommand), cl::cat(category));
static cl::list<std::string> warmBlocks(
    "block",
    cl::desc("warm: block extents of kernels without .reqntid; may be repeated "
             "(default: .maxntid, or 32, 128 and 256)"),
    cl::value_desc("X,Y,Z"), cl::sub(cacheCommand), cl::cat(category));
static cl::opt<unsigned>
    warmJobs("jobs",
             cl::desc("warm: kernels to compile at once (default: as many as "
                      "cores)"),
             cl::value_desc("n"), cl::init(0), cl::sub(cacheCommand),
             cl::cat(category));

cl::SubCommand &ptxjit::getCacheCommand() { return cacheCommand; }
cl::OptionCategory &ptxjit::getCacheCategory() { return category; }

static int warm() {
  setenv("PTXJIT_PROGRESS", "off", 1); // this command has a line of its own
  setenv("PTXJIT_AHEAD", "0", 1);      // it compiles all kernels itself
  WarmOptions options;
  options.jobs = warmJobs;
  for (const std::string &text : warmBlocks) {
    options.blocks.emplace_back();
    if (!parseExtents(text, options.blocks.back()))
      return fail("--block=" + text + " is not X, X,Y or X,Y,Z");
  }
  if (warmFiles.empty())
    return fail("expected: ptx-jit cache warm FILE...");
  if (sharedFolder.getNumOccurrences()) {
    if (Error error = Cache::fillShared(sharedFolder))
      return fail(error);
  } else if (auto own = Cache::openOwn(); !own) {
    return fail(own.getError());
  }
  return warmCache({warmFiles.begin(), warmFiles.end()}, options);
}

static int prune(const Cache &cache) {
  PruneLimits limits;
  if (mostDays.getNumOccurrences())
    limits.mostDays = mostDays;
  if (mostBytes.getNumOccurrences()) {
    limits.mostBytes = 0;
    if (!parseBytes(mostBytes, *limits.mostBytes))
      return fail("--most=" + mostBytes +
                  " is not a number of bytes, with K, M or G behind it or not");
  }
  return pruneCache(cache, limits);
}

int ptxjit::runCache() {
  if (cacheAction == "warm")
    return warm();
  bool isList = cacheAction == "list", isVerify = cacheAction == "verify";
  if (!isList && !isVerify && cacheAction != "prune")
    return fail("'" + cacheAction +
                "' is not an action of 'cache'; expected list, verify, prune "
                "or warm");
  if (!warmFiles.empty())
    return fail("'cache " + cacheAction +
                "' takes no files; --shared=FOLDER "
                "names another folder");
  auto cache = sharedFolder.getNumOccurrences()
                   ? Cache::openShared(sharedFolder)
                   : Cache::openOwn();
  if (!cache)
    return fail(cache.getError());
  return isList     ? listCache(*cache)
         : isVerify ? verifyCache(*cache)
                    : prune(*cache);
}
