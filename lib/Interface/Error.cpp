//===- Error.cpp - errors of the runtime as those of the interface --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Impl.h"

using namespace ptxjit;

const char *ptxjit::getVersion() { return PTXJIT_VERSION; }

static ErrorCode codeOf(LaunchStatus status) {
  switch (status) {
  case LaunchStatus::Ok:
    return ErrorCode::None;
  case LaunchStatus::Trap:
    return ErrorCode::Trap;
  case LaunchStatus::Deadlock:
    return ErrorCode::Deadlock;
  case LaunchStatus::Illegal:
    return ErrorCode::IllegalInstruction;
  case LaunchStatus::StackOverflow:
    return ErrorCode::StackOverflow;
  case LaunchStatus::IllegalAddress:
    return ErrorCode::IllegalAddress;
  case LaunchStatus::MisalignedAddress:
    return ErrorCode::MisalignedAddress;
  case LaunchStatus::Assert:
    return ErrorCode::Assertion;
  case LaunchStatus::InvalidValue:
  case LaunchStatus::InvalidCluster:
    return ErrorCode::InvalidArgument;
  case LaunchStatus::OutOfResources:
    return ErrorCode::OutOfMemory;
  }
  return ErrorCode::InvalidArgument;
}

Error ptxjit::makeError(ErrorCode code, std::string text) {
  while (!text.empty() && text.back() == '\n')
    text.pop_back();
  const std::string prefix = "error: ";
  if (text.compare(0, prefix.size(), prefix) == 0)
    text.erase(0, prefix.size());
  return Error(code, std::move(text));
}

Error ptxjit::makeError(LaunchStatus status, const std::string &text) {
  if (status == LaunchStatus::Ok)
    return Error();
  return makeError(codeOf(status), text.empty() ? describe(status) : text);
}
