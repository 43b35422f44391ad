//===- Options.h - the options of ptxas -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_TOOLS_PTXAS_OPTIONS_H
#define PTXJIT_TOOLS_PTXAS_OPTIONS_H

#include "ptxjit/ToolSupport/CommandLine.h"
#include "ptxjit/ToolSupport/GpuNames.h"

namespace ptxjit::ptxas {

enum class OptionId : unsigned {
#define PTXAS_OPTION(NAME, KIND, LONG, SHORT, VALUE, ALLOWED, HELP) NAME,
#include "Options.def"
};

} // namespace ptxjit::ptxas

#endif
