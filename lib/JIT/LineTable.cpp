//===- LineTable.cpp - maps machine code to places in the PTX -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/JIT/Compiler.h"

#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/Object/ObjectFile.h"

using namespace llvm;
using namespace ptxjit;

Expected<std::vector<PtxjitLine>> ptxjit::readLines(StringRef bytes) {
  auto object =
      object::ObjectFile::createObjectFile(MemoryBufferRef(bytes, "kernel"));
  if (!object)
    return object.takeError();
  std::unique_ptr<DWARFContext> context = DWARFContext::create(**object);
  std::vector<PtxjitLine> lines;
  for (const auto &unit : context->compile_units()) {
    const DWARFDebugLine::LineTable *table =
        context->getLineTableForUnit(unit.get());
    if (!table)
      continue;
    for (const DWARFDebugLine::Row &row : table->Rows) {
      PtxjitLine line{uint32_t(row.Address.Address), row.Line, row.Column};
      if (row.EndSequence)
        line.line = line.column = 0;
      if (lines.empty() || lines.back().line != line.line ||
          lines.back().column != line.column)
        lines.push_back(line);
    }
  }
  llvm::stable_sort(lines, [](const PtxjitLine &a, const PtxjitLine &b) {
    return a.offset < b.offset;
  });
  return lines;
}
