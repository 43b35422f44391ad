//===- ObjectImage.h - loads machine code without LLVM ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_CACHE_OBJECTIMAGE_H
#define PTXJIT_CACHE_OBJECTIMAGE_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace ptxjit {

/// The code of a self-contained object file (FlatCode.h) for this machine,
/// mapped and ready to run.
class ObjectImage {
public:
  /// Null if the object cannot be laid out, or is for another machine.
  static std::unique_ptr<ObjectImage> load(const std::string &object,
                                           const std::string &symbol);
  ~ObjectImage();
  ObjectImage(const ObjectImage &) = delete;
  ObjectImage &operator=(const ObjectImage &) = delete;

  void *entry = nullptr;                 ///< address of the symbol
  uint64_t codeBegin = 0, codeBytes = 0; ///< the symbol's section

private:
  ObjectImage(void *memory, size_t bytes) : memory(memory), bytes(bytes) {}
  void *memory;
  size_t bytes;
};

} // namespace ptxjit

#endif
