//===- MovePages.cpp - moves memory in use to a file ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Runtime/MovePages.h"
#include "FaultScope.h"

#include <algorithm>
#include <cerrno>
#include <mutex>
#include <sys/mman.h>
#include <unistd.h>

using namespace ptxjit;

namespace {
/// Accessed by __atomic builtins, since the fault handler must not call what is
/// instrumented.
struct MovedRange {
  uint64_t begin = 0, end = 0;
};
} // namespace

/// The last ranges that were moved. A fault may be handled when its move is
/// over, but hardly after so many more.
static MovedRange moved[64];
static std::mutex mutex; // of moves

PTXJIT_IN_FAULT_HANDLER bool ptxjit::isMoved(uint64_t address) {
  for (const MovedRange &range : moved)
    if (address >= __atomic_load_n(&range.begin, __ATOMIC_SEQ_CST) &&
        address < __atomic_load_n(&range.end, __ATOMIC_SEQ_CST))
      return true;
  return false;
}

/// Needs `mutex`.
static void remember(uint64_t begin, uint64_t end) {
  static unsigned next = 0;
  MovedRange &range = moved[next++ % std::size(moved)];
  // Never a mixture of two ranges.
  __atomic_store_n(&range.end, uint64_t(0), __ATOMIC_SEQ_CST);
  __atomic_store_n(&range.begin, begin, __ATOMIC_SEQ_CST);
  __atomic_store_n(&range.end, end, __ATOMIC_SEQ_CST);
}

void ptxjit::forgetMoved(const void *begin) {
  std::lock_guard<std::mutex> lock(mutex);
  for (MovedRange &range : moved)
    if (range.begin == reinterpret_cast<uint64_t>(begin))
      __atomic_store_n(&range.end, uint64_t(0), __ATOMIC_SEQ_CST);
}

static bool isZero(const char *bytes, size_t count) {
  auto *words = reinterpret_cast<const uint64_t *>(bytes);
  return std::all_of(words, words + count / 8,
                     [](uint64_t word) { return word == 0; });
}

/// Copies whole pages to a file whose contents are zero. Pages of zeros stay
/// holes, so that memory that was never used takes none.
static bool writeTo(int file, uint64_t offset, const char *from, size_t bytes) {
  constexpr size_t kPage = 4096;
  for (size_t page = 0; page < bytes; page += kPage) {
    if (isZero(from + page, kPage))
      continue;
    for (size_t done = 0; done < kPage;) {
      size_t at = page + done;
      ssize_t written =
          pwrite(file, from + at, kPage - done, off_t(offset + at));
      if (written > 0)
        done += size_t(written);
      else if (written == 0 || errno != EINTR)
        return false;
    }
  }
  return true;
}

bool ptxjit::moveToFile(void *begin, size_t bytes, int file, uint64_t offset) {
  constexpr size_t kStep = size_t(2) << 20;
  auto address = reinterpret_cast<uint64_t>(begin);
  std::lock_guard<std::mutex> lock(mutex);
  installFaultHandler();
  remember(address, address + bytes);
  for (size_t done = 0; done < bytes; done += kStep) {
    char *part = static_cast<char *>(begin) + done;
    size_t count = std::min(kStep, bytes - done);
    // From here on writers wait, in the fault handler.
    bool isCopied = mprotect(part, count, PROT_READ) == 0 &&
                    writeTo(file, offset + done, part, count);
    void *now = isCopied
                    ? mmap(part, count, PROT_READ | PROT_WRITE,
                           MAP_SHARED | MAP_FIXED, file, off_t(offset + done))
                    : MAP_FAILED;
    if (now == MAP_FAILED) {
      mprotect(part, count, PROT_READ | PROT_WRITE);
      return false;
    }
  }
  madvise(begin, bytes, MADV_HUGEPAGE);
  return true;
}
