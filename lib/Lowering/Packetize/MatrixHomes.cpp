//===- MatrixHomes.cpp - code for accumulator homes -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatrixHomes.h"
#include "Fragments.h"
#include "Warpgroups.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

namespace {
/// The tiles that are in their homes now.
struct MatrixHomes : FamilyState {
  explicit MatrixHomes(WarpBuilder &) {}
  std::optional<AccumulatorHomes> plan;
  DenseMap<Value, StackBuffer> homeOf; ///< by a tile's first value
};
} // namespace

void ptxjit::keepSumsAtHome(WarpBuilder &warp) {
  warp.state<MatrixHomes>().plan.emplace(warp.func);
}

TileForm::TileForm(Operation *op, bool isResult) {
  MatrixTiles tiles(op);
  kind = isResult ? tiles.kindOfD : tiles.kindOfC;
  elementBytes = kind.type == MatrixType::F64 ? 8 : 4;
  if (auto mma = dyn_cast<MmaOp>(op))
    saturates = mma.getSatfinite();
}

/// The device functions that make homes from registers, and registers from
/// homes.
static const device::Function &enterFunction(const TileKind &kind) {
  switch (kind.type) {
  case MatrixType::F16:
    return device::enter_f16.of(kind.rows);
  case MatrixType::F32:
    return device::enter_f32.of(kind.rows);
  case MatrixType::F64:
    return device::enter_f64.of(kind.rows);
  case MatrixType::S32:
    return kind.isQueued ? device::enter_f32.r16
                         : device::enter_s32.of(kind.rows);
  default:
    llvm_unreachable("not a type of sums");
  }
}
static const device::Function &leaveFunction(const TileKind &kind) {
  switch (kind.type) {
  case MatrixType::F16:
    return device::leave_f16.of(kind.rows);
  case MatrixType::F32:
    return device::leave_f32.of(kind.rows);
  case MatrixType::F64:
    return device::leave_f64.of(kind.rows);
  case MatrixType::S32:
    return kind.isQueued ? device::leave_words
                         : device::leave_s32.of(kind.rows);
  default:
    llvm_unreachable("not a type of sums");
  }
}

static bool isZero(Value v) {
  return matchPattern(v, m_Zero()) || matchPattern(v, m_PosZeroFloat()) ||
         v.getDefiningOp<UndefOp>();
}

/// Calls `body` with the place and the registers of each 8 columns of a tile.
static void forEachPart(WarpBuilder &warp, Value home, ArrayRef<Value> tile,
                        const TileForm &form,
                        llvm::function_ref<void(Value, ArrayRef<Value>)> body) {
  unsigned each = form.registersEach();
  int64_t bytes = int64_t(form.kind.rows) * 8 * form.elementBytes;
  for (unsigned part = 0; part < form.kind.columns / 8; ++part)
    body(placeIn(warp, home, part * bytes), tile.slice(part * each, each));
}

static void enterHome(WarpBuilder &warp, Operation *op, Value home,
                      ArrayRef<Value> tile, const TileForm &form) {
  if (llvm::all_of(tile, isZero)) {
    auto zeros = VectorType::get(16, warp.b.getI32Type());
    Value zero = warp.create<arith::ConstantOp>(
        cast<TypedAttr>(warp.b.getZeroAttr(zeros)));
    for (int64_t at = 0; at < form.homeBytes(); at += 64)
      warp.create<LLVM::StoreOp>(zero, placeIn(warp, home, at), 64);
    return;
  }
  StackBuffer registers =
      takeBuffer(warp, 4 * kRegisterBytes * form.elementBytes / 4);
  forEachPart(warp, home, tile, form, [&](Value part, ArrayRef<Value> values) {
    for (auto [i, v] : llvm::enumerate(values))
      storeRegister(warp, op, registers.pointer, i, v);
    callDevice(warp, enterFunction(form.kind), {part, registers.pointer});
  });
  giveBack(warp, registers);
}

static void leaveHome(WarpBuilder &warp, Value home, ArrayRef<Value> tile,
                      const TileForm &form) {
  if (form.kind.isQueued)
    settleQueue(warp);
  StackBuffer registers =
      takeBuffer(warp, 4 * kRegisterBytes * form.elementBytes / 4);
  Value saturates = warp.scalar().intConstant(32, form.saturates);
  forEachPart(warp, home, tile, form, [&](Value part, ArrayRef<Value> values) {
    callDevice(warp, leaveFunction(form.kind),
               {registers.pointer, part, saturates});
    for (auto [i, v] : llvm::enumerate(values))
      loadRegister(warp, v, registers.pointer, i);
  });
  giveBack(warp, registers);
}

bool ptxjit::isAtHome(WarpBuilder &warp, Operation *consumer,
                      ArrayRef<Value> tile) {
  MatrixHomes &homes = warp.state<MatrixHomes>();
  return homes.plan && homes.plan->consumerOf(tile) == consumer &&
         homes.homeOf.contains(tile.front());
}

StackBuffer ptxjit::homeFor(WarpBuilder &warp, Operation *consumer,
                            ArrayRef<Value> tile, const TileForm &form,
                            bool isOverwritten) {
  MatrixHomes &homes = warp.state<MatrixHomes>();
  if (isAtHome(warp, consumer, tile)) {
    StackBuffer home = homes.homeOf.lookup(tile.front());
    homes.homeOf.erase(tile.front());
    return home;
  }
  StackBuffer home = takeBuffer(warp, form.homeBytes());
  if (!isOverwritten)
    enterHome(warp, consumer, home.pointer, tile, form);
  return home;
}

void ptxjit::dropHome(WarpBuilder &warp, const StackBuffer &home,
                      const TileForm &form) {
  if (form.kind.isQueued) // a multiplication may still add to it
    settleQueue(warp);
  giveBack(warp, home);
}

bool ptxjit::leavesHome(WarpBuilder &warp, ArrayRef<Value> tile) {
  MatrixHomes &homes = warp.state<MatrixHomes>();
  bool isRead = llvm::any_of(tile, [](Value v) { return !v.use_empty(); });
  return isRead && !(homes.plan && homes.plan->consumerOf(tile) &&
                     homes.plan->onlyConsumed(tile));
}

bool ptxjit::keepHome(WarpBuilder &warp, const StackBuffer &home,
                      ArrayRef<Value> tile, const TileForm &form) {
  MatrixHomes &homes = warp.state<MatrixHomes>();
  bool stays = homes.plan && homes.plan->consumerOf(tile);
  if (leavesHome(warp, tile))
    leaveHome(warp, home.pointer, tile, form);
  if (stays)
    homes.homeOf[tile.front()] = home;
  return stays;
}

CarriedTiles ptxjit::enterLoop(WarpBuilder &warp, scf::WhileOp loop) {
  CarriedTiles carried;
  MatrixHomes &homes = warp.state<MatrixHomes>();
  if (!homes.plan)
    return carried;
  carried.tiles = homes.plan->carriedBy(loop);
  for (const AccumulatorHomes::Carried &tile : carried.tiles) {
    TileValues inits;
    for (unsigned i : tile.args) {
      inits.push_back(loop.getInits()[i]);
      carried.values.insert(loop.getBeforeArguments()[i]);
    }
    for (ArrayRef<unsigned> results : tile.results)
      for (unsigned i : results) {
        carried.values.insert(loop.getAfterArguments()[i]);
        carried.values.insert(loop.getResult(i));
      }
    carried.homes.push_back(
        homeFor(warp, loop, inits, TileForm(tile.user, /*isResult=*/false)));
  }
  return carried;
}

void ptxjit::keepArguments(WarpBuilder &warp, const CarriedTiles &carried,
                           ValueRange arguments, bool ofCondition) {
  for (auto [tile, home] : llvm::zip(carried.tiles, carried.homes)) {
    TileForm form(tile.user, /*isResult=*/false);
    SmallVector<AccumulatorHomes::Positions, 2> all = {tile.args};
    for (const auto &positions : ofCondition ? tile.results : all)
      keepHome(warp, home, tileAt(arguments, positions), form);
  }
}

void ptxjit::keepResults(WarpBuilder &warp, const CarriedTiles &carried,
                         ValueRange results) {
  for (auto [tile, home] : llvm::zip(carried.tiles, carried.homes)) {
    TileForm form(tile.user, /*isResult=*/false);
    bool stays = false;
    for (const auto &positions : tile.results)
      stays |= keepHome(warp, home, tileAt(results, positions), form);
    if (!stays)
      dropHome(warp, home, form);
  }
}
