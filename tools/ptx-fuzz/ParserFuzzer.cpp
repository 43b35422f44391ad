//===- ParserFuzzer.cpp - fuzzes the parser with any bytes ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A libFuzzer target. Whatever the input, the parser must return a module that
// verifies, or report at least one error inside the text.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "ptxjit/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>

using namespace mlir;

/// A context never frees what it has interned, so a new one is made now and
/// then.
static MLIRContext &getContext() {
  static std::unique_ptr<MLIRContext> context;
  static unsigned uses = 0;
  if (!context || ++uses % 2000 == 0) {
    context = std::make_unique<MLIRContext>(MLIRContext::Threading::DISABLED);
    ptxjit::loadParserDialects(*context);
  }
  return *context;
}

[[noreturn]] static void fail(const char *why) {
  std::fprintf(stderr, "ptx-fuzz-parser: %s\n", why);
  std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(
          llvm::StringRef(reinterpret_cast<const char *>(data), size), "fuzz"),
      llvm::SMLoc());
  MLIRContext &context = getContext();
  unsigned errors = 0;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    errors += diagnostic.getSeverity() == DiagnosticSeverity::Error;
    (void)diagnostic.str();
  });
  ptxjit::ParseOptions options;
  options.bodies = size == 0 || data[0] % 8 != 7; // sometimes without bodies
  auto module = ptxjit::parsePtx(sources, &context, options);
  if (failed(module)) {
    if (errors == 0)
      fail("refused without an error");
    return 0;
  }
  if (errors)
    fail("accepted with an error");
  if (failed(verify(**module)))
    fail("accepted, and does not verify");
  return 0;
}
