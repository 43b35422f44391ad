//===- Options.cpp - options of nvJitLink ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include <algorithm>
#include <cstdlib>

using namespace ptxjit;
using namespace ptxjit::jitlink;

/// The oldest device of CUDA 12.
static constexpr int kOldest = 50;

/// Options about machine code or LTO IR, without effect; with a value behind
/// `=` or not.
static bool isWithoutEffect(const std::string &name) {
  static const char *const names[] = {"-maxrregcount",
                                      "-time",
                                      "-verbose",
                                      "-debug",
                                      "-g",
                                      "-lineinfo",
                                      "-ftz",
                                      "-prec-div",
                                      "-prec-sqrt",
                                      "-fma",
                                      "-kernels-used",
                                      "-variables-used",
                                      "-no-cache",
                                      "-Xnvvm",
                                      "-Xptxas",
                                      "-split-compile",
                                      "-split-compile-extended",
                                      "-optimize-unused-variables",
                                      "-jump-table-density",
                                      "-cta-collapsing"};
  return std::find(std::begin(names), std::end(names), name) !=
             std::end(names) ||
         (name.size() == 3 && name.substr(0, 2) == "-O");
}

static nvJitLinkResult readArch(const std::string &value, Options &options,
                                std::string &log) {
  size_t bar = value.find('_');
  std::string kind = value.substr(0, bar);
  if (bar == value.npos || (kind != "sm" && kind != "compute")) {
    log += "ERROR NVJITLINK_ERROR_UNRECOGNIZED_OPTION: missing option value "
           "(-arch=" +
           value + ")\n";
    return NVJITLINK_ERROR_UNRECOGNIZED_OPTION;
  }
  std::string rest = value.substr(bar + 1);
  char *end = nullptr;
  long number = std::strtol(rest.c_str(), &end, 10);
  std::string suffix = end;
  if (number < kOldest || number > 999 ||
      (!suffix.empty() && suffix != "a" && suffix != "f")) {
    log += "ERROR NVJITLINK_ERROR_UNSUPPORTED_ARCH: unsupported architecture "
           "(" +
           value + ")\n";
    return NVJITLINK_ERROR_UNSUPPORTED_ARCH;
  }
  options.arch = "sm_" + rest;
  options.isVirtual = kind == "compute";
  options.device = {int(number / 10), int(number % 10)};
  return NVJITLINK_SUCCESS;
}

nvJitLinkResult jitlink::readOptions(const std::vector<std::string> &words,
                                     Options &options, std::string &log) {
  for (const std::string &word : words) {
    std::string name = word.substr(0, word.find('='));
    if (name == "-arch" && name.size() < word.size()) {
      nvJitLinkResult result =
          readArch(word.substr(name.size() + 1), options, log);
      if (result != NVJITLINK_SUCCESS)
        return result;
    } else if (word == "-ptx") {
      options.wantsPtx = true;
    } else if (word == "-lto") {
      options.isLto = true;
    } else if (word == "-r") {
      options.isRelocatable = true;
    } else if (!isWithoutEffect(name)) {
      log += "unrecognized option: " + word + "\n";
      return NVJITLINK_ERROR_UNRECOGNIZED_OPTION;
    }
  }
  if (options.arch.empty())
    return NVJITLINK_ERROR_MISSING_ARCH;
  const char *problem =
      options.wantsPtx && !options.isLto       ? "-ptx requires -lto"
      : options.isVirtual && !options.wantsPtx ? "virtual arch requires -ptx"
                                               : nullptr;
  if (!problem)
    return NVJITLINK_SUCCESS;
  log += std::string("ERROR: ") + problem + "\n";
  return NVJITLINK_ERROR_INCOMPATIBLE_OPTIONS;
}
