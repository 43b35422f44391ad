//===- LoadedCode.cpp - loads an object by ORC ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/JIT/Compiler.h"

#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"
#include <atomic>
#include <mutex>

using namespace llvm;
using namespace ptxjit;

struct LoadedCode::Impl {
  orc::JITDylib *dylib = nullptr;
};

/// Returns the ORC session of the process, in which each image has its own
/// dylib. It is never destroyed: kernels may run until the process ends.
static Expected<orc::LLJIT *> getSession() {
  static std::mutex mutex;
  static orc::LLJIT *session = nullptr;
  std::lock_guard<std::mutex> lock(mutex);
  if (session)
    return session;
  auto jit = orc::LLJITBuilder().create();
  if (!jit)
    return jit.takeError();
  session = jit->release();
  return session;
}

namespace {
/// The section of a symbol.
struct TextSection {
  uint64_t entry = 0; ///< offset of the symbol
  uint64_t bytes = 0;
};
} // namespace

static Expected<TextSection> findText(StringRef bytes, StringRef name) {
  auto object =
      object::ObjectFile::createObjectFile(MemoryBufferRef(bytes, "kernel"));
  if (!object)
    return object.takeError();
  for (const object::SymbolRef &symbol : (*object)->symbols()) {
    Expected<StringRef> symbolName = symbol.getName();
    if (!symbolName)
      return symbolName.takeError();
    if (*symbolName != name)
      continue;
    auto section = symbol.getSection();
    Expected<uint64_t> address = symbol.getAddress();
    if (!section)
      return section.takeError();
    if (!address)
      return address.takeError();
    return TextSection{*address - (*section)->getAddress(),
                       (*section)->getSize()};
  }
  return createStringError("the kernel has no code");
}

Expected<std::unique_ptr<LoadedCode>> LoadedCode::load(ArrayRef<char> object,
                                                       StringRef symbol) {
  Expected<orc::LLJIT *> session = getSession();
  if (!session)
    return session.takeError();
  Expected<TextSection> text = findText({object.data(), object.size()}, symbol);
  if (!text)
    return text.takeError();
  static std::atomic<unsigned> counter{0};
  // A bare dylib, so that code cannot refer to symbols of the process.
  orc::JITDylib &dylib = (*session)->getExecutionSession().createBareJITDylib(
      "kernel" + std::to_string(counter++));
  std::unique_ptr<LoadedCode> code(new LoadedCode);
  code->impl = std::make_unique<Impl>();
  code->impl->dylib = &dylib;
  if (Error error = (*session)->addObjectFile(
          dylib, MemoryBuffer::getMemBufferCopy(
                     StringRef(object.data(), object.size()), "kernel")))
    return std::move(error);
  auto address = (*session)->lookup(dylib, symbol);
  if (!address)
    return address.takeError();
  code->entry = address->toPtr<PtxjitKernelEntry>();
  code->codeBegin = address->getValue() - text->entry;
  code->codeBytes = text->bytes;
  return std::move(code);
}

LoadedCode::~LoadedCode() {
  Expected<orc::LLJIT *> session = getSession();
  if (!session) {
    consumeError(session.takeError());
    return;
  }
  if (impl && impl->dylib)
    consumeError(
        (*session)->getExecutionSession().removeJITDylib(*impl->dylib));
}
