//===- JoinTexts.h - several PTX texts as one module ------------*- C++ -*-===//

#ifndef PTXJIT_RUNTIME_JOINTEXTS_H
#define PTXJIT_RUNTIME_JOINTEXTS_H

#include <string>
#include <vector>

namespace ptxjit {

/// Joins modules, as a linker does: one header, with the newest `.version` and
/// `.target` of all, and then what stands behind the headers, text after text.
/// What is declared twice is for the parser to judge.
///
/// \param firstLines  if not null, filled with the line (from 1) at which each
///   text begins in the whole. Each text keeps its lines, and its columns.
/// \returns the text itself if it is the only one.
std::string joinTexts(const std::vector<std::string> &texts,
                      std::vector<unsigned> *firstLines = nullptr);

} // namespace ptxjit

#endif
