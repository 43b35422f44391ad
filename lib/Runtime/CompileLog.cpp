//===- CompileLog.cpp - lines about compiled kernels ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompileLog.h"
#include "ptxjit/Runtime/LaunchGrid.h"
#include "ptxjit/Runtime/Log.h"

#include <cstdio>
#include <string>

using namespace ptxjit;

static std::string describeTarget(const PtxjitImage &image,
                                  const PtxjitSpecialization &spec) {
  std::string text = image.kernel;
  text += spec.quick ? " quickly" : "";
  return text + " for blocks of " + std::to_string(spec.block[0]) + "," +
         std::to_string(spec.block[1]) + "," + std::to_string(spec.block[2]);
}

void ptxjit::logCompiled(const PtxjitImage &image,
                         const PtxjitSpecialization &spec, const char *where) {
  if (!isLogged(LogKind::Compile))
    return;
  char text[512];
  const PtxjitCompileTimes &t = image.times;
  std::snprintf(text, sizeof(text),
                ": parse %.1f, lower %.1f, optimize %.1f, codegen %.1f, "
                "load %.1f ms; %u lanes per vector, %llu bytes; %s: %s%s%s",
                t.parse, t.lower, t.optimize, t.codegen, t.load, image.chunk,
                (unsigned long long)image.codeBytes,
                describe(PtxjitMode(image.mode), image.strandThreads),
                image.reason, *where ? "; " : "", where);
  log(LogKind::Compile, "compiled " + describeTarget(image, spec) + text);
}

void ptxjit::logCached(const PtxjitImage &image,
                       const PtxjitSpecialization &spec) {
  if (isLogged(LogKind::Compile))
    log(LogKind::Compile,
        "found " + describeTarget(image, spec) + " in the cache");
}
