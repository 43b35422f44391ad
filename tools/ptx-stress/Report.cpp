//===- Report.cpp - results of calls, and failures ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"

#include <algorithm>
#include <cstdio>
#include <unistd.h>

using namespace stress;

static std::string repetition;

Place &stress::here() {
  thread_local Place place;
  return place;
}

void stress::setRepetition(const std::string &command) { repetition = command; }

void stress::fail(const std::string &what) {
  Place place = here();
  std::fprintf(stderr,
               "ptx-stress: thread %u, operation %lu (%s): %s\n"
               "The same calls again: %s\n",
               place.thread, place.step, place.operation, what.c_str(),
               repetition.c_str());
  std::fflush(stderr);
  _exit(1);
}

void stress::expect(const char *call, CUresult result,
                    std::initializer_list<CUresult> allowed) {
  if (std::find(allowed.begin(), allowed.end(), result) != allowed.end())
    return;
  const char *name = "an unknown result";
  cuGetErrorName(result, &name);
  fail(std::string(call) + " returned " + name);
}
