// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ForkedChild.h - runs a part of a test in a child of fork() -*- C++ -*-=//

#ifndef PTXJIT_UNITTESTS_FORKEDCHILD_H
#define PTXJIT_UNITTESTS_FORKEDCHILD_H

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

/// Runs `body` in a child, which ends by exit(), so that exit handlers run.
/// \returns what `body` did; -1 if the child crashed or hung.
template <typename Body> int runInChild(Body body) {
  using namespace std::chrono;
  pid_t child = fork();
  if (child == 0)
    std::exit(body());
  EXPECT_GT(child, 0);
  // A second would do; machines that build something beside it are slow.
  auto end = steady_clock::now() + seconds(10);
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
