//===- CpuFeatures.h - what this machine's CPU has --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CpuFeaturesX86.cpp and CpuFeaturesAArch64.cpp implement this; the build takes
// one of them.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_AHEAD_CPUFEATURES_H
#define PTXJIT_LIB_AHEAD_CPUFEATURES_H

#include <cstdint>
#include <string>
#include <string_view>

namespace ptxjit {

/// Does this machine have a feature of CpuFeatures.def? False for others.
bool hasFeature(std::string_view name);

/// The length of SVE's registers in this process, in bits; 0: there are none.
uint32_t getSveBits();

/// Says what this machine lacks of what code needs; "" if it lacks nothing.
/// \param features  names, separated by commas.
/// \param sveBits  the length that the code is for; 0: any.
std::string describeMissing(std::string_view features, uint32_t sveBits);

} // namespace ptxjit

#endif
