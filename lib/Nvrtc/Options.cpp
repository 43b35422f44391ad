//===- Options.cpp - options of NVRTC, for PTX ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include <algorithm>
#include <string_view>

using namespace ptxjit;
using namespace ptxjit::nvrtc;

static bool isArchOption(std::string_view name) {
  return name == "--gpu-architecture" || name == "-arch";
}

/// Of what no PTX comes.
static bool isOtherOutput(std::string_view word) {
  constexpr std::string_view names[] = {
      "-dlto",     "--dlink-time-opt", "-gen-opt-lto", "--gen-opt-lto",
      "-optix-ir", "--optix-ir",       "--tile-ir",    "-tile-ir"};
  return std::find(std::begin(names), std::end(names), word) != std::end(names);
}

/// "sm_90a" becomes "compute_90a", whose PTX is the same.
static std::string toVirtual(std::string_view arch, PtxOptions &options) {
  constexpr std::string_view real = "sm_";
  options.wantsCubin = arch.substr(0, real.size()) == real;
  return options.wantsCubin ? "compute_" + std::string(arch.substr(real.size()))
                            : std::string(arch);
}

PtxOptions nvrtc::askForPtx(const std::vector<std::string> &words) {
  PtxOptions options;
  bool isArch = false; // is the word the value of the one before?
  for (const std::string &word : words) {
    size_t equals = word.find('=');
    std::string name = word.substr(0, equals);
    if (isArch)
      options.words.push_back(toVirtual(word, options));
    else if (equals != word.npos && isArchOption(name))
      options.words.push_back(name + "=" +
                              toVirtual(word.substr(equals + 1), options));
    else
      options.words.push_back(word);
    if (!isArch && isOtherOutput(word) && options.refusal.empty())
      options.refusal = "nvrtc: error: option " + word +
                        " asks for code that no CPU can run; ptx-jit takes "
                        "PTX, which NVRTC makes without it\n";
    isArch = !isArch && isArchOption(word);
  }
  return options;
}
