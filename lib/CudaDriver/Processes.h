//===- Processes.h - what processes hand to each other ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A handle of cuIpc* is 64 bytes that a program may send as it likes, so it
// cannot be a file descriptor. It names an open file of the process that made
// it, which others of the same user open by way of /proc. So what is handed on
// ends with that process, and nothing is left behind.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_CUDADRIVER_PROCESSES_H
#define PTXJIT_LIB_CUDADRIVER_PROCESSES_H

#include <cstddef>
#include <cstdint>
#include <utility>

namespace ptxjit::cuda {

/// An open file of a process. Its numbers tell it from a later one that has the
/// same descriptor.
struct FileName {
  int32_t process = 0, file = -1;
  uint64_t device = 0, inode = 0;

  /// \returns false if the file is not open.
  bool describe(int descriptor);
  bool isOwn() const;
  /// Opens the file. \returns -1 if the process is gone, or has closed it.
  int open() const;
};

/// A file descriptor that is closed in the end.
class OwnedFile {
public:
  explicit OwnedFile(int file = -1) : file(file) {}
  OwnedFile(OwnedFile &&other) noexcept : file(other.release()) {}
  OwnedFile &operator=(OwnedFile &&other) noexcept {
    std::swap(file, other.file);
    return *this;
  }
  ~OwnedFile();
  int get() const { return file; }
  explicit operator bool() const { return file >= 0; }
  int release() { return std::exchange(file, -1); }

private:
  int file;
};

/// Makes an anonymous file of zeros. Empty if there is not enough memory.
OwnedFile makeMemoryFile(size_t bytes);

/// Pages of a file in memory, which are unmapped in the end.
class MappedFile {
public:
  MappedFile() = default;
  /// Maps pages of a file, at a multiple of 2 MiB. Empty if that fails.
  MappedFile(int file, size_t bytes, uint64_t offset = 0);
  MappedFile(MappedFile &&other) noexcept { *this = std::move(other); }
  MappedFile &operator=(MappedFile &&other) noexcept {
    std::swap(memory, other.memory);
    std::swap(bytes, other.bytes);
    return *this;
  }
  ~MappedFile();
  void *get() const { return memory; }
  size_t size() const { return bytes; }
  explicit operator bool() const { return memory; }

private:
  void *memory = nullptr;
  size_t bytes = 0;
};

} // namespace ptxjit::cuda

#endif
