//===- LoadedCode.cpp - object to memory, by ORC --------------------------===//

#include "ptxjit/JIT/Compiler.h"

#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/MemoryBuffer.h"
#include <atomic>
#include <mutex>

using namespace llvm;
using namespace ptxjit;

struct LoadedCode::Impl {
  orc::JITDylib *dylib = nullptr;
};

/// One session for the process, each image in a dylib of its own. Never
/// destroyed: kernels may run until the very end.
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

Expected<std::unique_ptr<LoadedCode>> LoadedCode::load(SmallVector<char> object,
                                                       StringRef symbol) {
  Expected<orc::LLJIT *> session = getSession();
  if (!session)
    return session.takeError();
  static std::atomic<unsigned> counter{0};
  // A bare dylib: it sees no symbol of the process, by design.
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
