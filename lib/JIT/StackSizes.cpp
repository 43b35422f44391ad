//===- StackSizes.cpp - how much stack compiled code needs ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/JIT/Compiler.h"

#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/DataExtractor.h"

using namespace llvm;
using namespace ptxjit;

/// The sizes in one section: an address and a ULEB128 for each function.
static Error addSizes(StringRef section, uint64_t &sum) {
  DataExtractor data(section, /*IsLittleEndian=*/true, /*AddressSize=*/8);
  DataExtractor::Cursor at(0);
  while (at && !data.eof(at)) {
    data.skip(at, 8);
    sum += data.getULEB128(at);
  }
  return at.takeError();
}

Expected<uint64_t> ptxjit::readStackBytes(StringRef bytes) {
  auto object =
      object::ObjectFile::createObjectFile(MemoryBufferRef(bytes, "kernel"));
  if (!object)
    return object.takeError();
  uint64_t sum = 0;
  for (const object::SectionRef &section : (*object)->sections()) {
    auto name = section.getName();
    if (!name)
      return name.takeError();
    if (*name != ".stack_sizes")
      continue;
    auto contents = section.getContents();
    if (!contents)
      return contents.takeError();
    if (Error error = addSizes(*contents, sum))
      return std::move(error);
  }
  return sum;
}
