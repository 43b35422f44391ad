//===- Session.cpp - context and diagnostics of one compilation -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session.h"
#include "IdlePool.h"

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "ptxjit/Lowering/Pipelines.h"

using namespace mlir;
using namespace ptxjit;

static DialectRegistry makeRegistry() {
  DialectRegistry registry;
  registerLoweringDialects(registry);
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  return registry;
}

/// A context never frees its attributes and locations, so it is given up when
/// this many ops have been parsed in it.
static constexpr uint64_t kMostOps = 20000;

struct ptxjit::SessionContext {
  MLIRContext context{makeRegistry(), MLIRContext::Threading::DISABLED};
  uint64_t numOps = 0; ///< parsed so far
};

static std::shared_ptr<SessionContext> takeContext() {
  static auto *pool = new IdlePool<SessionContext>;
  auto taken = pool->take([](const SessionContext &) { return true; });
  if (!taken)
    taken = std::make_unique<SessionContext>();
  return {taken.release(), [](SessionContext *context) {
            std::unique_ptr<SessionContext> used(context);
            if (used->numOps <= kMostOps)
              pool->give(std::move(used));
          }};
}

Session::Session(llvm::StringRef text, llvm::StringRef fileName,
                 PtxjitSink sink)
    : shared(takeContext()), context(shared->context), stream(sink),
      handler(
          (sources.AddNewSourceBuffer(
               llvm::MemoryBuffer::getMemBuffer(text, fileName), llvm::SMLoc()),
           sources),
          &context, stream),
      counter(&context, [this](Diagnostic &d) {
        if (d.getSeverity() == DiagnosticSeverity::Error)
          ++numErrors;
        return failure(); // passes it on to the printing handler
      }) {
  context.printOpOnDiagnostic(false);
}

FailureOr<OwningOpRef<ModuleOp>> Session::parse(const ParseOptions &options) {
  auto module = parseAndLink(sources, &context, options);
  if (failed(module))
    keepContext(); // how much the parser has left in it is not known
  else
    (*module)->walk([&](Operation *) { ++shared->numOps; });
  return module;
}

void Session::keepContext() { shared->numOps = kMostOps + 1; }
