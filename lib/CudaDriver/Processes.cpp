//===- Processes.cpp - what processes hand to each other ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Processes.h"
#include "ptxjit/Runtime/Memory.h"

#include <algorithm>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace ptxjit;
using namespace ptxjit::cuda;

bool FileName::describe(int descriptor) {
  struct stat state;
  if (fstat(descriptor, &state))
    return false;
  process = getpid();
  file = descriptor;
  device = state.st_dev;
  inode = state.st_ino;
  return true;
}

bool FileName::isOwn() const { return process == getpid(); }

int FileName::open() const {
  std::string path =
      "/proc/" + std::to_string(process) + "/fd/" + std::to_string(file);
  // Looked at first, since opening a device or a pipe may have effects.
  struct stat state;
  auto isSame = [&] {
    return S_ISREG(state.st_mode) && state.st_dev == device &&
           state.st_ino == inode;
  };
  if (stat(path.c_str(), &state) || !isSame())
    return -1;
  OwnedFile opened(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK));
  return opened && fstat(opened.get(), &state) == 0 && isSame()
             ? opened.release()
             : -1;
}

OwnedFile::~OwnedFile() {
  if (file >= 0)
    close(file);
}

OwnedFile cuda::makeMemoryFile(size_t bytes) {
  OwnedFile file(memfd_create("ptx-jit", MFD_CLOEXEC));
  return file && ftruncate(file.get(), off_t(bytes)) == 0 ? std::move(file)
                                                          : OwnedFile();
}

MappedFile::MappedFile(int file, size_t size, uint64_t offset) {
  constexpr size_t kAlignment = size_t(2) << 20;
  size_t page = pageBytes();
  size_t whole = (size + page - 1) / page * page;
  void *range = mapAligned(whole, kAlignment, PROT_NONE);
  if (!range)
    return;
  bytes = whole;
  memory = mmap(range, bytes, PROT_READ | PROT_WRITE,
                MAP_SHARED | MAP_NORESERVE | MAP_FIXED, file, off_t(offset));
  if (memory == MAP_FAILED) {
    munmap(range, bytes);
    memory = nullptr;
  }
}

MappedFile::~MappedFile() {
  if (memory)
    munmap(memory, bytes);
}
