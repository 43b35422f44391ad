//===- Memory.cpp - buffers with bounds -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Runtime/WatchedMemory.h"
#include "ptxjit/ptxjit.h"
#include <cstdio>

using namespace ptxjit;

Result<std::shared_ptr<void>> ptxjit::detail::allocate(size_t bytes,
                                                       bool isLow) {
  auto pages = std::make_shared<WatchedMemory>();
  AddressRange range = isLow ? AddressRange::Low : AddressRange::All;
  if (!pages->allocate(bytes, range))
    return Error(ErrorCode::OutOfMemory, "there is no room for a buffer of " +
                                             std::to_string(bytes) + " bytes");
  void *data = pages->get();
  return std::shared_ptr<void>(pages, data);
}

Error ptxjit::detail::checkEdges(const void *data, size_t bytes,
                                 const std::string &writer,
                                 const std::string &name) {
  if (!data) // a handle to no array
    return Error();
  auto damage =
      WatchedMemory::findDamage(static_cast<const char *>(data), bytes);
  if (!damage)
    return Error();
  const char *place = damage->offset < 0 ? "in front of" : "behind";
  char values[64];
  std::snprintf(values, sizeof(values), "found byte 0x%02x, expected 0x%02x",
                damage->found, damage->expected);
  return Error(ErrorCode::IllegalAddress,
               writer + " wrote " + place + " " + name + ", which has " +
                   std::to_string(bytes) + " bytes: at offset " +
                   std::to_string(damage->offset) + " " + values);
}
