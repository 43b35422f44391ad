//===- Archive.h - serializes structures for the cache ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function per structure names its fields; it serves for writing and
// reading.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_CACHE_ARCHIVE_H
#define PTXJIT_LIB_CACHE_ARCHIVE_H

#include "ptxjit/Cache/Records.h"

#include <cstring>
#include <type_traits>
#include <vector>

namespace ptxjit {

class Archive {
public:
  /// Makes an archive for writing.
  Archive() = default;
  /// Makes an archive for reading. Objects behind pointers are owned by
  /// `storage`.
  Archive(std::string bytes, RecordStorage &storage)
      : bytes(std::move(bytes)), storage(&storage) {}

  /// Whether all fields so far could be read.
  bool isGood() const { return !failed; }
  /// Whether all fields were read and no bytes are left.
  bool isWhole() const { return !failed && at == bytes.size(); }
  std::string take() { return std::move(bytes); }

  template <typename T> void number(T &value) {
    static_assert(std::is_arithmetic_v<T>, "pointers mean nothing on disk");
    if (!storage)
      bytes.append(reinterpret_cast<const char *>(&value), sizeof(T));
    else if (fits(sizeof(T)))
      std::memcpy(&value, get(sizeof(T)), sizeof(T));
  }

  void text(const char *&value) {
    uint64_t length = storage || !value ? 0 : std::strlen(value);
    number(length);
    if (!storage)
      bytes.append(value ? value : "", length);
    else if (fits(length))
      value = storage->strings.emplace_back(get(length), length).c_str();
  }

  void text(std::string &value) {
    const char *characters = value.c_str();
    text(characters);
    if (storage && !failed)
      value = characters;
  }

  /// An array of `count` bytes.
  void blob(const uint8_t *&data, uint64_t &count) {
    number(count);
    if (!storage)
      bytes.append(reinterpret_cast<const char *>(data), count);
    else if (fits(count))
      data = reinterpret_cast<const uint8_t *>(
          storage->strings.emplace_back(get(count), count).data());
  }

  /// An array of `count` items; `each` names the fields of one.
  template <typename T, typename N, typename Each>
  void list(const T *&items, N &count, Each each) {
    number(count);
    if (!storage) {
      for (N i = 0; i < count; ++i) {
        T copy = items[i];
        each(copy);
      }
      return;
    }
    if (!fits(count)) // an item has at least one byte
      return;
    auto array = std::make_shared<std::vector<T>>(size_t(count));
    for (T &item : *array)
      if (!failed)
        each(item);
    items = array->data();
    storage->arrays.push_back(array);
  }

private:
  bool fits(uint64_t count) {
    failed |= count > bytes.size() - at;
    return !failed;
  }
  const char *get(size_t count) {
    const char *from = bytes.data() + at;
    at += count;
    return from;
  }

  std::string bytes;
  RecordStorage *storage = nullptr; ///< null: writing
  size_t at = 0;
  bool failed = false;
};

/// The fields of encode() and decode().
void describe(Archive &a, PtxjitModuleInfo &m);
void describe(Archive &a, PtxjitImage &i);

} // namespace ptxjit

#endif
