//===- LineCounter.h - lines of places in a text ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_PARSER_LINECOUNTER_H
#define PTXJIT_LIB_PARSER_LINECOUNTER_H

#include "llvm/ADT/StringRef.h"
#include <algorithm>
#include <cassert>
#include <iterator>
#include <map>

namespace ptxjit {

/// Finds the lines and columns of places in a text, counted from 1. It counts
/// from the nearest place whose line it knows, and never looks at parts of the
/// text that a parser jumps over. (llvm::SourceMgr makes a table of the whole
/// text.)
class LineCounter {
public:
  explicit LineCounter(llvm::StringRef text)
      : begin(text.begin()), last{begin, 1} {
    know(begin, 1);
  }

  unsigned getLine(const char *place) {
    assert(place >= begin && "a place in the text");
    // The next place that a parser asks for is mostly a few words further on.
    if (place >= last.place && place - last.place <= kMarkBytes / 4)
      last.line += unsigned(std::count(last.place, place, '\n'));
    else
      last.line = countFromMark(place);
    last.place = place;
    return last.line;
  }
  unsigned getColumn(const char *place) const {
    const char *from = place;
    while (from != begin && from[-1] != '\n' && from[-1] != '\r')
      --from;
    return unsigned(place - from) + 1;
  }
  /// Tells the line of a place.
  void know(const char *place, unsigned line) { marks[place] = line; }

private:
  unsigned countFromMark(const char *place) {
    std::pair<const char *, unsigned> nearest =
        *std::prev(marks.upper_bound(place));
    auto &[at, line] = nearest;
    for (; place - at > kMarkBytes; know(at, line)) {
      line += unsigned(std::count(at, at + kMarkBytes, '\n'));
      at += kMarkBytes;
    }
    return line + unsigned(std::count(at, place, '\n'));
  }

  /// Bytes from mark to mark. Declarations are asked for again and again from
  /// places far behind them, so the way back must be short.
  static constexpr ptrdiff_t kMarkBytes = 1024;
  const char *begin;
  std::map<const char *, unsigned> marks; ///< places, and their lines
  struct {
    const char *place;
    unsigned line;
  } last; ///< what was asked for last
};

} // namespace ptxjit

#endif
