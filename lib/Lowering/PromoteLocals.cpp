//===- PromoteLocals.cpp - promote local variables to registers -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Lowering/Passes.h"
#include "ptxjit/Lowering/Remarks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "ptxjit/Dialect/FormTable.h"

#include "llvm/Support/DebugLog.h"
#include <numeric>

#define DEBUG_TYPE "promote-locals"

namespace ptxjit {
#define GEN_PASS_DEF_PROMOTELOCALSPASS
#include "ptxjit/Lowering/Passes.h.inc"
} // namespace ptxjit

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

/// The most registers that one variable may become.
static constexpr int64_t kMostCells = 64;

namespace {
/// A load or store at a constant offset of a variable.
struct Access {
  Operation *op;
  int64_t offset;
  int64_t elementBytes;
  unsigned elements;
  int64_t end() const { return offset + elementBytes * elements; }
};

/// One variable, whose accesses are cut into cells of equal size.
class Promotion {
public:
  Promotion(FuncOp func, StringRef name) : func(func), name(name) {}

  /// Collects the accesses through an address at `offset` of the variable.
  /// \returns false if the variable must stay in memory.
  bool addAddress(Value address, int64_t offset) {
    for (OpOperand &use : address.getUses())
      if (!addUse(use, offset))
        return false;
    return true;
  }
  bool canPromote(int64_t bytes) {
    int64_t end = 0;
    for (const Access &access : accesses) {
      if (access.offset < 0 || access.end() > bytes)
        return false; // out of bounds: keep the access
      granule = std::gcd(granule, std::gcd(access.offset, access.elementBytes));
      end = std::max(end, access.end());
    }
    return accesses.empty() ||
           (granule <= 8 && end / granule <= kMostCells &&
            llvm::all_of(accesses, [&](const Access &access) {
              return access.elementBytes / granule <= 8;
            }));
  }
  void rewrite() {
    for (const Access &access : accesses)
      isa<LdOp>(access.op) ? rewriteLoad(access) : rewriteStore(access);
  }

private:
  bool addUse(OpOperand &use, int64_t offset) {
    Operation *op = use.getOwner();
    if (auto add = dyn_cast<arith::AddIOp>(op)) {
      auto constant = add.getOperand(1 - use.getOperandNumber())
                          .getDefiningOp<arith::ConstantOp>();
      auto value =
          constant ? dyn_cast<IntegerAttr>(constant.getValue()) : IntegerAttr();
      return value && addAddress(add, offset + value.getInt());
    }
    if (auto ld = dyn_cast<LdOp>(op))
      return addAccess(op, ld.getSpace(), ld.getOrder(), ld.getTy(),
                       offset + int64_t(ld.getOffset()), ld.getD().size());
    if (auto st = dyn_cast<StOp>(op))
      return use.getOperandNumber() == 0 &&
             addAccess(op, st.getSpace(), st.getOrder(), st.getTy(),
                       offset + int64_t(st.getOffset()), st.getB().size());
    return false;
  }
  bool addAccess(Operation *op, std::optional<Space> space,
                 std::optional<Order> order, ScalarType type, int64_t offset,
                 unsigned elements) {
    if (space != Space::Local || !isWeak(order))
      return false;
    accesses.push_back({op, offset, getBitWidth(type) / 8, elements});
    return true;
  }

  Value cell(int64_t offset) {
    Value &slot = cells[offset / granule];
    if (!slot) {
      OpBuilder b = OpBuilder::atBlockBegin(&func.getBody().front());
      slot = RegOp::create(
          b, func.getLoc(), SlotType::get(b.getContext(), cellType()),
          b.getStringAttr(name + "+" + Twine(offset / granule * granule)));
    }
    return slot;
  }
  Type cellType() {
    return IntegerType::get(func.getContext(), unsigned(granule) * 8);
  }
  static Value cast(OpBuilder &b, Location loc, Value value, Type type) {
    return value.getType() == type
               ? value
               : Value(arith::BitcastOp::create(b, loc, type, value));
  }

  void rewriteLoad(const Access &access) {
    auto ld = llvm::cast<LdOp>(access.op);
    OpBuilder b(ld);
    Location loc = ld.getLoc();
    int64_t at = access.offset;
    for (Value result : ld.getD()) {
      SmallVector<Value> parts;
      for (int64_t end = at + access.elementBytes; at < end; at += granule)
        parts.push_back(ReadOp::create(b, loc, cellType(), cell(at)));
      Type bits = b.getIntegerType(unsigned(access.elementBytes) * 8);
      Value whole = parts.size() == 1
                        ? parts.front()
                        : Value(PackOp::create(b, loc, bits, parts));
      result.replaceAllUsesWith(cast(b, loc, whole, result.getType()));
    }
    ld.erase();
  }

  void rewriteStore(const Access &access) {
    auto st = llvm::cast<StOp>(access.op);
    OpBuilder b(st);
    Location loc = st.getLoc();
    int64_t at = access.offset;
    for (Value value : st.getB()) {
      unsigned count = unsigned(access.elementBytes / granule);
      Value whole = cast(b, loc, value,
                         b.getIntegerType(unsigned(access.elementBytes) * 8));
      SmallVector<Value> parts = {whole};
      if (count > 1) {
        SmallVector<Type> types(count, cellType());
        auto unpack = UnpackOp::create(b, loc, types, whole);
        parts.assign(unpack.getElements().begin(), unpack.getElements().end());
      }
      for (Value part : parts) {
        WriteOp::create(b, loc, part, cell(at));
        at += granule;
      }
    }
    st.erase();
  }

  FuncOp func;
  StringRef name;
  SmallVector<Access> accesses;
  int64_t granule = 0;
  llvm::SmallDenseMap<int64_t, Value> cells;
};

struct PromoteLocalsPass
    : public ptxjit::impl::PromoteLocalsPassBase<PromoteLocalsPass> {
  void runOnOperation() override {
    FuncOp func = getOperation();
    unsigned numPromoted = 0;
    llvm::MapVector<StringAttr, SmallVector<AddressOfOp>> addresses;
    func.walk([&](AddressOfOp op) {
      addresses[op.getSymbolAttr().getAttr()].push_back(op);
    });
    if (addresses.empty())
      return;
    // Arguments of calls are variables. There may be thousands, which a lookup
    // without a table would go through for each.
    SymbolTable symbols(func->getParentOfType<ModuleOp>());
    for (auto &[name, list] : addresses) {
      auto var = symbols.lookup<VarOp>(name);
      if (!var || var.getSpace() != Space::Local || var.getInit())
        continue;
      Promotion promotion(func, name.getValue());
      if (!llvm::all_of(
              list,
              [&](AddressOfOp op) { return promotion.addAddress(op, 0); }) ||
          !promotion.canPromote(var.getBytes()))
        continue;
      promotion.rewrite();
      ++numPromoted;
      LDBG() << "promotes " << name;
    }
    remarkCounts(func, "ptx-promote-locals",
                 {{"local variables promoted", numPromoted}});
  }
};
} // namespace
