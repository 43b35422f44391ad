//===- TestReport.h - what became of a file's tests -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_TOOLS_TESTREPORT_H
#define PTXJIT_TOOLS_TESTREPORT_H

#include <string>
#include <vector>

namespace ptxjit {

/// The results of one file's tests, in the order in which they ran.
class TestReport {
public:
  explicit TestReport(std::string path) : path(std::move(path)) {}

  /// \param line  of the test, from 1 on; 0: the whole file.
  /// \param error  why it failed; empty if it passed.
  void add(unsigned line, std::string name, std::string error) {
    results.push_back({line, std::move(name), std::move(error)});
  }
  unsigned countFailed() const;
  unsigned countPassed() const {
    return unsigned(results.size()) - countFailed();
  }
  /// As a `<testsuite>` element of JUnit's XML.
  std::string toXml() const;

private:
  struct Entry {
    unsigned line;
    std::string name, error;
  };
  std::string path;
  std::vector<Entry> results;
};

/// Writes all reports to the file `path`. \returns false, with errno set, if
/// that fails.
bool writeJUnit(const std::string &path,
                const std::vector<TestReport> &reports);

} // namespace ptxjit

#endif
