//===- FourDevices.h - tests with several devices ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver reads its environment when it is first called. So tests with
// several devices are a program of their own, which asks for four.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_UNITTESTS_FOURDEVICES_H
#define PTXJIT_UNITTESTS_FOURDEVICES_H

#include <cstdio>
#include <cstdlib>
#include <string>
#include <unistd.h>

/// A device of compute capability 10 has all of `multimem`.
inline const int kFourDevices =
    setenv("PTXJIT_DEVICES", "4", 0) | setenv("PTXJIT_DEVICE", "10.0", 0);

/// Runs one disabled test of this program in a process of its own.
/// \param environment  assignments that a shell understands.
/// \returns what it prints, without lines of GoogleTest.
inline std::string runItself(const std::string &test,
                             const std::string &environment) {
  std::string program = "/proc/" + std::to_string(getpid()) + "/exe";
  // lit runs a share of the tests, and tells so in the environment.
  std::string command = "unset GTEST_TOTAL_SHARDS GTEST_SHARD_INDEX "
                        "GTEST_SHARD_STATUS_FILE GTEST_OUTPUT; " +
                        environment + " " + program +
                        " --gtest_also_run_disabled_tests --gtest_brief=1" +
                        " --gtest_filter=" + test + " 2>&1";
  std::string text;
  FILE *output = popen(command.c_str(), "r");
  if (!output)
    return "popen failed";
  char line[512];
  while (std::fgets(line, sizeof(line), output))
    if (line[0] != '[' && line[0] != '\n' &&
        std::string(line).find("Running main()") == std::string::npos)
      text += line;
  pclose(output);
  return text;
}

#endif
