//===- Session.h - context and diagnostics of one compilation ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_JIT_SESSION_H
#define PTXJIT_LIB_JIT_SESSION_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "ptxjit/Linker/Linker.h"
#include "ptxjit/Runtime/CompilerABI.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include <memory>

namespace ptxjit {

/// A stream that writes to a sink of the C interface.
class SinkStream : public llvm::raw_ostream {
public:
  explicit SinkStream(PtxjitSink sink) : sink(sink) { SetUnbuffered(); }

private:
  void write_impl(const char *text, size_t size) override {
    if (sink.write)
      sink.write(sink.user, text, size);
    position += size;
  }
  uint64_t current_pos() const override { return position; }
  PtxjitSink sink;
  uint64_t position = 0;
};

/// A context with all dialects, which several sessions use one after another.
struct SessionContext;

/// A context, the text (the caller's, which has a zero behind its end), and a
/// handler that writes diagnostics to a sink. A session that is not destroyed,
/// as LLVM jumped out, takes its context with it.
struct Session {
  Session(llvm::StringRef text, llvm::StringRef fileName, PtxjitSink sink);

  /// Parses the text, and links it if it is an image, to one `ptx` module.
  mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
  parse(const ParseOptions &options);
  /// No other session gets the context, which may have what it should not see.
  void keepContext();

private:
  /// Hands the context on when the session ends, behind all other members.
  std::shared_ptr<SessionContext> shared;

public:
  mlir::MLIRContext &context;
  llvm::SourceMgr sources;
  SinkStream stream;
  mlir::SourceMgrDiagnosticHandler handler;
  unsigned numErrors = 0;
  mlir::ScopedDiagnosticHandler counter;
};

} // namespace ptxjit

#endif
