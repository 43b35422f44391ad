//===- SecondTier.cpp - better code, compiled beside the program ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SecondTier.h"
#include "CompileQueue.h"
#include "ptxjit/Runtime/Log.h"

using namespace ptxjit;

void SecondTier::ask() {
  if (!isAsked.exchange(true))
    CompileQueue::get().add([self = shared_from_this()] { self->compile(); });
}

void SecondTier::compile() {
  std::string ignored;
  PtxjitImage *made = request.compiler->compile(
      request.kernel, request.spec, KernelCompiler::Caller::Beside, ignored);
  // The fallback makes code like the first one.
  if (made && !made->degraded)
    image.store(made, std::memory_order_release);
  else
    log(LogKind::Compile,
        "found no better code for " + request.kernel + "; the first one stays");
}
