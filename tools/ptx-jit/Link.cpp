//===- Link.cpp - link several modules into one image ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Link.h"
#include "Diagnostics.h"

#include <cstdio>
#include <fstream>
#include <iostream>

using namespace ptxjit;

int ptxjit::linkModules(const std::vector<NamedText> &modules,
                        const std::string &output) {
  std::string image = joinTexts(modules);
  auto linked = Module::load(image, output);
  if (!linked) {
    std::fprintf(stderr, "%s\n", formatDiagnostic(linked.getError()).c_str());
    return 1;
  }
  std::fputs(linked->getWarnings().c_str(), stderr);
  std::ofstream file;
  if (output != "-")
    file.open(output, std::ios::binary);
  std::ostream &out = output == "-" ? std::cout : file;
  out << image << std::flush;
  if (!out) {
    std::fprintf(stderr, "error: %s: cannot be written\n", output.c_str());
    return 1;
  }
  return 0;
}
