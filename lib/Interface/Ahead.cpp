//===- Ahead.cpp - modules compiled ahead of time -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Impl.h"
#include "ptxjit/AheadCompiler/AheadCompiler.h"

#include <algorithm>
#include <cctype>

using namespace ptxjit;

static bool isIdentifier(const std::string &name) {
  return !name.empty() && !std::isdigit(uint8_t(name[0])) &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return std::isalnum(uint8_t(c)) || c == '_';
         });
}

Result<AheadFiles> Module::compileAhead(const AheadConfig &config) const {
  if (!isIdentifier(config.name))
    return Error(ErrorCode::InvalidArgument,
                 "'" + config.name + "' is no identifier of C");
  AheadRequest request;
  request.name = config.name;
  request.producer = std::string("ptx-jit ") + getVersion();
  request.target = config.target;
  request.cpu = config.cpu;
  for (const auto &[kernel, block] : config.blocks)
    request.blocks.push_back({kernel, {block.x, block.y, block.z}});
  request.keepsText = config.keepsText;
  request.hasLargeGrids = config.hasLargeGrids;
  CompiledFiles compiled;
  std::string diagnostics;
  AheadFailure failure =
      ptxjit::compileAhead(*impl->loaded, request, compiled, diagnostics);
  if (failure != AheadFailure::None)
    return makeError(failure == AheadFailure::Request
                         ? ErrorCode::InvalidArgument
                         : ErrorCode::CompilerFailed,
                     diagnostics);
  return AheadFiles{std::move(compiled.object), std::move(compiled.header),
                    std::move(diagnostics)};
}
