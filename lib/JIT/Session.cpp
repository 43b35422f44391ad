//===- Session.cpp - context and diagnostics of one compilation -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session.h"

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

Session::Session(llvm::StringRef text, llvm::StringRef fileName,
                 PtxjitSink sink)
    : context(makeRegistry(), MLIRContext::Threading::DISABLED), stream(sink),
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
