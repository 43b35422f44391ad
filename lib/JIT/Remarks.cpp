//===- Remarks.cpp - collects and shows the passes' remarks ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/JIT/Remarks.h"

#include "mlir/IR/Location.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Remarks.h"
#include "ptxjit/Lowering/Remarks.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace ptxjit;

//===----------------------------------------------------------------------===//
// Listening
//===----------------------------------------------------------------------===//

namespace {
class Listener : public remark::detail::MLIRRemarkStreamerBase {
public:
  explicit Listener(RemarkList &list) : list(list) {}

  void streamOptimizationRemark(const remark::detail::Remark &told) override {
    RemarkList::Entry entry;
    if (auto place = told.getLocation()->findInstanceOf<FileLineColLoc>()) {
      entry.file = place.getFilename().str();
      entry.line = place.getLine();
      entry.column = place.getColumn();
    }
    entry.category = told.getCategoryName().str();
    entry.missed = told.getRemarkType() == llvm::remarks::Type::Missed;
    bool counts = entry.category == kStatisticsRemark;
    if (counts)
      entry.pass = told.getRemarkName().str();
    for (const auto &arg : told.getArgs()) {
      if (counts)
        entry.code +=
            (entry.code.empty() ? "" : ", ") + arg.val + " " + arg.key;
      else if (arg.key == kRemarkCode)
        entry.code = arg.val;
      else if (arg.key == kRemarkShape)
        entry.shape = arg.val;
      else if (arg.key == kRemarkReason)
        entry.reason = arg.val;
    }
    list.add(std::move(entry));
  }

private:
  RemarkList &list;
};
} // namespace

void RemarkList::listenTo(MLIRContext &context) {
  // MLIR's remark engine has no lock.
  context.disableMultithreading();
  remark::RemarkCategories all{std::nullopt, ".*", ".*", ".*", ".*"};
  LogicalResult listens = remark::enableOptimizationRemarks(
      context, std::make_unique<Listener>(*this),
      std::make_unique<remark::RemarkEmittingPolicyAll>(), all);
  (void)listens;
  assert(succeeded(listens) && "the pattern is a pattern");
}

//===----------------------------------------------------------------------===//
// Showing
//===----------------------------------------------------------------------===//

/// Sorted by place and without duplicates, since clones of an op have the same
/// remarks. Of a branch only the first remark counts, which is not from the
/// clone with masks.
std::vector<RemarkList::Entry> RemarkList::sorted() const {
  std::vector<Entry> list = entries;
  llvm::stable_sort(list, [](const Entry &x, const Entry &y) {
    return std::tie(x.line, x.column) < std::tie(y.line, y.column);
  });
  auto isKnown = [](const Entry &x, const Entry &y) {
    bool samePlace = std::tie(x.line, x.column, x.category) ==
                     std::tie(y.line, y.column, y.category);
    return samePlace && (x.category == kBranchRemark ||
                         std::tie(x.pass, x.code, x.shape, x.reason) ==
                             std::tie(y.pass, y.code, y.shape, y.reason));
  };
  std::vector<Entry> once;
  for (Entry &entry : list)
    if (llvm::none_of(once, [&](const Entry &e) { return isKnown(e, entry); }))
      once.push_back(std::move(entry));
  return once;
}

std::string RemarkList::asDiagnostics(bool statistics) const {
  std::string text;
  for (const Entry &entry : sorted()) {
    bool counts = entry.category == kStatisticsRemark;
    bool wanted =
        counts ? statistics : entry.missed || entry.category != kAccessRemark;
    if (!wanted)
      continue;
    text += llvm::formatv("{0}:{1}:{2}: remark: {3}{4}{5} [{6}]\n", entry.file,
                          entry.line, entry.column, entry.code,
                          entry.reason.empty() ? "" : ": ", entry.reason,
                          counts ? entry.pass : entry.category)
                .str();
  }
  return text;
}

std::string RemarkList::asTable(StringRef source) const {
  llvm::SmallVector<StringRef> lines;
  source.split(lines, '\n');
  std::string text;
  unsigned line = 0;
  for (const Entry &entry : sorted()) {
    if (entry.category != kAccessRemark && entry.category != kBranchRemark)
      continue;
    if (entry.line != line && entry.line && entry.line <= lines.size())
      text += llvm::formatv("{0,5}: {1}\n", entry.line,
                            lines[entry.line - 1].trim())
                  .str();
    line = entry.line;
    text += "         " + entry.code;
    if (!entry.shape.empty())
      text += " (" + entry.shape + ")";
    if (!entry.reason.empty())
      text += ": " + entry.reason;
    text += "\n";
  }
  return text;
}
