//===- StreamedStores.cpp - stores that may go past the caches ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Analysis/StreamedStores.h"
#include "ptxjit/Dialect/FormTable.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

/// May threads of another CTA learn by this op that a store has been made?
static bool mayTellOthers(Operation *op) {
  if (op->getNumRegions() || op->hasTrait<OpTrait::IsTerminator>() ||
      isMemoryEffectFree(op) ||
      isa<CtaBarrierOpInterface, WarpCollectiveOpInterface, BarWarpOp,
          NextTurnOp, PrefetchRowOp>(op))
    return false;
  if (auto load = dyn_cast<LdOp>(op))
    return !isWeak(load.getOrder());
  if (auto store = dyn_cast<StOp>(op))
    return !isWeak(store.getOrder());
  auto access = dyn_cast<SpaceOpInterface>(op);
  auto space = access ? access.getAddressSpace() : std::nullopt;
  return !space || (*space != Space::Shared && *space != Space::SharedCta);
}

StreamedStores::StreamedStores(FuncOp func, const ShapeAnalysis &shapes) {
  if (!func.getEntry() || func.walk([](Operation *op) {
                                return mayTellOthers(op)
                                           ? WalkResult::interrupt()
                                           : WalkResult::advance();
                              })
                              .wasInterrupted())
    return;
  llvm::DenseSet<uint32_t> read;
  func.walk([&](LdOp load) {
    if (auto param = findParamArray(func, load.getA(), load.getSpace(),
                                    load.getD().front(), shapes))
      read.insert(*param);
  });
  func.walk([&](StOp store) {
    auto param = findParamArray(func, store.getA(), store.getSpace(),
                                store.getB().front(), shapes);
    if (param && !read.contains(*param))
      add(store, *param, 0); // countBytes() counts
  });
  countBytes();
}

void StreamedStores::countBytes() {
  // A thread makes all stores of one block under one mask, or none of them.
  struct Group {
    Block *block;
    Value mask;
    uint32_t bytes;
  };
  SmallVector<SmallVector<Group>, kMostParamArrays> groups(arrays.size());
  for (const auto &entry : accesses) {
    Operation *op = entry.first;
    unsigned index = entry.second;
    auto store = cast<StOp>(op);
    auto *group = llvm::find_if(groups[index], [&](const Group &group) {
      return group.block == op->getBlock() && group.mask == store.getMask();
    });
    if (group == groups[index].end()) {
      groups[index].push_back({op->getBlock(), store.getMask(), 0});
      group = std::prev(groups[index].end());
    }
    auto bytes = bytesOfElement(store.getB().front()) * store.getB().size();
    if (!op->getParentOfType<scf::WhileOp>())
      group->bytes += uint32_t(bytes);
  }
  // Branches store the same elements in different cases, so the smallest group
  // stands for all. That of a loop has no size.
  for (auto [array, ofArray] : llvm::zip_equal(arrays, groups))
    array.bytesPerThread =
        llvm::min_element(ofArray, [](const Group &a, const Group &b) {
          return a.bytes < b.bytes;
        })->bytes;
}
