//===- TestReport.cpp - what became of a file's tests ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestReport.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>

using namespace ptxjit;

unsigned TestReport::countFailed() const {
  return unsigned(
      std::count_if(results.begin(), results.end(),
                    [](const Entry &entry) { return !entry.error.empty(); }));
}

/// Attributes of XML have no line breaks, and no control characters at all.
static std::string escape(const std::string &text) {
  std::string out;
  for (char c : text) {
    switch (c) {
    case '&':
      out += "&amp;";
      break;
    case '<':
      out += "&lt;";
      break;
    case '>':
      out += "&gt;";
      break;
    case '"':
      out += "&quot;";
      break;
    case '\n':
      out += "&#10;";
      break;
    default:
      out += (unsigned char)(c) < ' ' ? ' ' : c;
    }
  }
  return out;
}

std::string TestReport::toXml() const {
  std::string file = escape(path);
  std::string xml = "  <testsuite name=\"" + file + "\" tests=\"" +
                    std::to_string(results.size()) + "\" failures=\"" +
                    std::to_string(countFailed()) + "\">\n";
  for (const Entry &entry : results) {
    xml += "    <testcase classname=\"" + file + "\" name=\"line " +
           std::to_string(entry.line) + ": " + escape(entry.name) + "\"";
    xml += entry.error.empty()
               ? "/>\n"
               : ">\n      <failure message=\"" + escape(entry.error) +
                     "\"/>\n    </testcase>\n";
  }
  return xml + "  </testsuite>\n";
}

bool ptxjit::writeJUnit(const std::string &path,
                        const std::vector<TestReport> &reports) {
  std::error_code error;
  llvm::raw_fd_ostream out(path, error);
  if (error) {
    errno = error.value();
    return false;
  }
  out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  for (const TestReport &report : reports)
    out << report.toXml();
  out << "</testsuites>\n";
  out.close();
  if (!out.has_error())
    return true;
  errno = out.error().value();
  out.clear_error();
  return false;
}
