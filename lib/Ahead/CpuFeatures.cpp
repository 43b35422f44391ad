//===- CpuFeatures.cpp - what code needs that the CPU lacks ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CpuFeatures.h"

#include <algorithm>

using namespace ptxjit;

std::string ptxjit::describeMissing(std::string_view features,
                                    uint32_t sveBits) {
  std::string missing;
  auto add = [&](std::string_view what) {
    missing += (missing.empty() ? "" : ", ") + std::string(what);
  };
  while (!features.empty()) {
    std::string_view name = features.substr(0, features.find(','));
    features.remove_prefix(std::min(name.size() + 1, features.size()));
    if (!hasFeature(name))
      add(name);
  }
  if (sveBits && sveBits != getSveBits())
    add("SVE of " + std::to_string(sveBits) + " bits");
  return missing;
}
