//===- LineCounter.h - lines of places in a text ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_PARSER_LINECOUNTER_H
#define PTXJIT_LIB_PARSER_LINECOUNTER_H

#include "llvm/ADT/StringRef.h"
#include <algorithm>
#include <utility>

namespace ptxjit {

/// Finds the lines and columns of places in a text, counted from 1. It counts
/// the lines between two places that it is asked for, so it never looks at
/// parts of the text that a parser jumps over. (llvm::SourceMgr makes a table
/// of the whole text.)
class LineCounter {
public:
  explicit LineCounter(llvm::StringRef text)
      : begin(text.begin()), at(text.begin()) {}

  unsigned getLine(const char *place) {
    if (place >= at)
      line += unsigned(std::count(at, place, '\n'));
    else
      line -= unsigned(std::count(place, at, '\n'));
    at = place;
    return line;
  }
  unsigned getColumn(const char *place) const {
    const char *from = place;
    while (from != begin && from[-1] != '\n' && from[-1] != '\r')
      --from;
    return unsigned(place - from) + 1;
  }
  /// Goes to a place of which the line is known.
  void jump(const char *place, unsigned lineOfPlace) {
    at = place;
    line = lineOfPlace;
  }

private:
  const char *begin, *at;
  unsigned line = 1; ///< of `at`
};

} // namespace ptxjit

#endif
