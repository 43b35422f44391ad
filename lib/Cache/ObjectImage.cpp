//===- ObjectImage.cpp - loads machine code without LLVM ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Cache/ObjectImage.h"
#include "ptxjit/Cache/FlatCode.h"

#include <cstring>
#include <elf.h>
#include <sys/mman.h>

using namespace ptxjit;

// What this process can run.
#if defined(__x86_64__)
static constexpr uint16_t kMachine = EM_X86_64;
#elif defined(__aarch64__)
static constexpr uint16_t kMachine = EM_AARCH64;
#endif

std::unique_ptr<ObjectImage> ObjectImage::load(const std::string &object,
                                               const std::string &symbol) {
  std::optional<FlatCode> code = flatten(object, symbol);
  if (!code || code->machine != kMachine)
    return nullptr;
  size_t bytes = code->bytes.size();
  void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return nullptr;
  std::unique_ptr<ObjectImage> image(new ObjectImage(memory, bytes));
  auto *base = static_cast<uint8_t *>(memory);
  std::memcpy(base, code->bytes.data(), bytes);
  if (mprotect(memory, bytes, PROT_READ | PROT_EXEC) != 0)
    return nullptr;
  __builtin___clear_cache(reinterpret_cast<char *>(base),
                          reinterpret_cast<char *>(base + bytes));
  image->entry = base + code->entry;
  image->codeBegin = reinterpret_cast<uint64_t>(base) + code->codeBegin;
  image->codeBytes = code->codeBytes;
  return image;
}

ObjectImage::~ObjectImage() { munmap(memory, bytes); }
