//===- Cache.cpp - look after compiled kernels on disk --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cache.h"
#include "Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <tuple>

using namespace ptxjit;
using State = CacheEntry::State;

bool ptxjit::parseBytes(const std::string &text, uint64_t &bytes) {
  llvm::StringRef number = text;
  unsigned shift = number.consume_back("K")   ? 10
                   : number.consume_back("M") ? 20
                   : number.consume_back("G") ? 30
                                              : 0;
  if (number.empty() || !llvm::all_of(number, llvm::isDigit) ||
      number.getAsInteger(10, bytes) || bytes > UINT64_MAX >> shift)
    return false;
  bytes <<= shift;
  return true;
}

//===----------------------------------------------------------------------===//
// What there is
//===----------------------------------------------------------------------===//

static const char *describe(State state) {
  switch (state) {
  case State::Usable:
    return "usable";
  case State::OtherCpu:
    return "of another CPU";
  case State::OtherBuild:
    return "of another build";
  case State::Damaged:
    return "damaged";
  }
  return "";
}

static const char *describe(CacheEntry::Kind kind) {
  return kind == CacheEntry::Kind::Kernel ? "kernel" : "module";
}

/// Lists the entries by module, each module in front of its kernels.
static std::vector<CacheEntry> listInOrder(const Cache &cache) {
  std::vector<CacheEntry> entries = cache.list();
  auto key = [](const CacheEntry &e) {
    return std::tie(e.module, e.kind, e.name, e.block.x, e.block.y, e.block.z,
                    e.file);
  };
  std::sort(entries.begin(), entries.end(),
            [&](const CacheEntry &a, const CacheEntry &b) {
              return key(a) < key(b);
            });
  return entries;
}

static uint64_t sumBytes(const std::vector<CacheEntry> &entries) {
  uint64_t sum = 0;
  for (const CacheEntry &entry : entries)
    sum += entry.bytes;
  return sum;
}

/// For example "3 entries, 4567 bytes".
static std::string describeSize(const std::vector<CacheEntry> &entries) {
  return std::to_string(entries.size()) +
         (entries.size() == 1 ? " entry, " : " entries, ") +
         std::to_string(sumBytes(entries)) + " bytes";
}

/// Prints how many entries there are, and of which states.
static void printTotals(const Cache &cache,
                        const std::vector<CacheEntry> &entries) {
  std::printf("%s: %s", cache.getFolder().c_str(),
              describeSize(entries).c_str());
  const char *separator = ": ";
  for (State state :
       {State::Usable, State::OtherCpu, State::OtherBuild, State::Damaged}) {
    auto count =
        std::count_if(entries.begin(), entries.end(),
                      [&](const CacheEntry &e) { return e.state == state; });
    if (count)
      std::printf("%s%zu %s", separator, size_t(count), describe(state));
    separator = count ? ", " : separator;
  }
  std::printf("\n");
}

static std::string formatTime(int64_t seconds) {
  time_t time = time_t(seconds);
  tm local{};
  char text[32];
  if (!localtime_r(&time, &local) ||
      !std::strftime(text, sizeof(text), "%Y-%m-%d %H:%M", &local))
    return "?";
  return text;
}

/// What an undamaged entry is, behind its name.
static std::string describeDetails(const CacheEntry &entry) {
  std::string text;
  if (entry.kind == CacheEntry::Kind::Kernel)
    text += " for blocks of " + std::to_string(entry.block.x) + "," +
            std::to_string(entry.block.y) + "," +
            std::to_string(entry.block.z) + ", " + std::to_string(entry.chunk) +
            " lanes";
  if (!entry.options.empty())
    text += ", " + entry.options;
  if (entry.state == State::OtherCpu)
    text += ", " + entry.cpu;
  return text;
}

static void printEntry(const CacheEntry &entry) {
  bool isDamaged = entry.state == State::Damaged;
  std::string what =
      isDamaged ? entry.file : entry.name + describeDetails(entry);
  if (entry.state != State::Usable)
    what += std::string(" (") + describe(entry.state) + ")";
  std::printf("%s %-8.8s %10llu bytes  %s  %s\n", describe(entry.kind),
              entry.module.c_str(), (unsigned long long)entry.bytes,
              formatTime(entry.lastUse).c_str(), what.c_str());
}

int ptxjit::listCache(const Cache &cache) {
  std::vector<CacheEntry> entries = listInOrder(cache);
  for (const CacheEntry &entry : entries)
    printEntry(entry);
  printTotals(cache, entries);
  return 0;
}

//===----------------------------------------------------------------------===//
// verify, prune
//===----------------------------------------------------------------------===//

/// Can no program use it that this build runs, on any machine?
static bool isUseless(const CacheEntry &entry) {
  return entry.state == State::Damaged || entry.state == State::OtherBuild;
}

int ptxjit::verifyCache(const Cache &cache) {
  std::vector<CacheEntry> entries = listInOrder(cache);
  bool isDamaged = false, hasUseless = false;
  for (const CacheEntry &entry : entries) {
    if (!isUseless(entry))
      continue;
    hasUseless = true;
    isDamaged |= entry.state == State::Damaged;
    std::printf("%s: %s\n", entry.file.c_str(),
                entry.state == State::Damaged
                    ? "damaged, of another version, or open to others"
                    : "of another build of the compiler");
  }
  printTotals(cache, entries);
  if (hasUseless)
    std::printf("'ptx-jit cache prune' removes what is damaged or of another "
                "build\n");
  return isDamaged ? 1 : 0;
}

/// Moves the entries that are to go out of `entries`.
static std::vector<CacheEntry> takeUnwanted(std::vector<CacheEntry> &entries,
                                            const PruneLimits &limits) {
  std::sort(entries.begin(), entries.end(),
            [](const CacheEntry &a, const CacheEntry &b) {
              return a.lastUse < b.lastUse;
            });
  constexpr double secondsPerDay = 24 * 60 * 60;
  double now = double(std::time(nullptr));
  auto isWanted = [&](const CacheEntry &entry) {
    return !isUseless(entry) &&
           (!limits.mostDays || now - double(entry.lastUse) <
                                    double(*limits.mostDays) * secondsPerDay);
  };
  auto unwanted =
      std::stable_partition(entries.begin(), entries.end(), isWanted);
  std::vector<CacheEntry> taken(unwanted, entries.end());
  entries.erase(unwanted, entries.end());
  uint64_t bytes = sumBytes(entries);
  auto last = entries.begin();
  for (; limits.mostBytes && bytes > *limits.mostBytes; ++last)
    bytes -= last->bytes;
  taken.insert(taken.end(), entries.begin(), last);
  entries.erase(entries.begin(), last);
  return taken;
}

int ptxjit::pruneCache(const Cache &cache, const PruneLimits &limits) {
  std::vector<CacheEntry> kept = cache.list(), removed;
  bool allRemoved = true;
  for (const CacheEntry &entry : takeUnwanted(kept, limits)) {
    Error error = cache.remove(entry);
    // Another program may have been faster.
    if (error && error.getCode() != ErrorCode::NotFound) {
      print(error);
      allRemoved = false;
      kept.push_back(entry);
    } else {
      removed.push_back(entry);
    }
  }
  std::printf("removed: %s; left: %s\n", describeSize(removed).c_str(),
              describeSize(kept).c_str());
  return allRemoved ? 0 : 1;
}
