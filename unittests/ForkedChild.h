//===- ForkedChild.h - run part of a test in a child process ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_UNITTESTS_FORKEDCHILD_H
#define PTXJIT_UNITTESTS_FORKEDCHILD_H

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

/// Runs `body` in a child of fork(). The child ends by exit(), so that exit
/// handlers run.
/// \returns the low 8 bits of what `body` returned. If the child crashes or
/// hangs, the test fails and the result is -1.
template <typename Body> int runInChild(Body body) {
  using namespace std::chrono;
  pid_t child = fork();
  if (child == 0)
    std::exit(body());
  EXPECT_GT(child, 0);
  // Children take less than a second, but machines that others share may stop
  // for a while.
  auto end = steady_clock::now() + seconds(60);
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (steady_clock::now() > end) {
      ADD_FAILURE() << "the child hangs";
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      return -1;
    }
    std::this_thread::sleep_for(milliseconds(2));
  }
  EXPECT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

#endif
