//===- MatrixHomes.cpp - code for accumulator homes -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatrixHomes.h"
#include "Fragments.h"

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

TileForm::TileForm(MmaOp op, bool isResult) {
  MatrixMultiply mma = op.getMultiply();
  type = isResult ? mma.d : mma.c;
  rows = mma.m == 8 ? 8 : 16;
  elementBytes = mma.isF64() ? 8 : 4;
  saturates = mma.saturates;
}

/// The device functions that make homes from registers, and registers from
/// homes.
static const device::TileFunction &enterFunction(MatrixType type) {
  switch (type) {
  case MatrixType::F16:
    return device::enter_f16;
  case MatrixType::F32:
    return device::enter_f32;
  case MatrixType::F64:
    return device::enter_f64;
  case MatrixType::S32:
    return device::enter_s32;
  default:
    llvm_unreachable("not a type of sums");
  }
}
static const device::TileFunction &leaveFunction(MatrixType type) {
  switch (type) {
  case MatrixType::F16:
    return device::leave_f16;
  case MatrixType::F32:
    return device::leave_f32;
  case MatrixType::F64:
    return device::leave_f64;
  case MatrixType::S32:
    return device::leave_s32;
  default:
    llvm_unreachable("not a type of sums");
  }
}

static bool isZero(Value v) {
  return matchPattern(v, m_Zero()) || matchPattern(v, m_PosZeroFloat());
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
  for (auto [i, v] : llvm::enumerate(tile))
    storeRegister(warp, op, registers.pointer, i, v);
  callDevice(warp, enterFunction(form.type).of(form.rows),
             {home, registers.pointer});
  giveBack(warp, registers);
}

static void leaveHome(WarpBuilder &warp, Value home, ArrayRef<Value> tile,
                      const TileForm &form) {
  StackBuffer registers =
      takeBuffer(warp, 4 * kRegisterBytes * form.elementBytes / 4);
  callDevice(
      warp, leaveFunction(form.type).of(form.rows),
      {registers.pointer, home, warp.scalar().intConstant(32, form.saturates)});
  for (auto [i, v] : llvm::enumerate(tile))
    loadRegister(warp, v, registers.pointer, i);
  giveBack(warp, registers);
}

StackBuffer ptxjit::homeFor(WarpBuilder &warp, Operation *consumer,
                            ArrayRef<Value> tile, const TileForm &form) {
  MatrixHomes &homes = warp.state<MatrixHomes>();
  if (homes.plan && homes.plan->consumerOf(tile) == consumer) {
    auto it = homes.homeOf.find(tile.front());
    if (it != homes.homeOf.end()) {
      StackBuffer home = it->second;
      homes.homeOf.erase(it);
      return home;
    }
  }
  StackBuffer home = takeBuffer(warp, form.homeBytes());
  enterHome(warp, consumer, home.pointer, tile, form);
  return home;
}

bool ptxjit::keepHome(WarpBuilder &warp, const StackBuffer &home,
                      ArrayRef<Value> tile, const TileForm &form) {
  MatrixHomes &homes = warp.state<MatrixHomes>();
  bool stays = homes.plan && homes.plan->consumerOf(tile);
  bool isRead = llvm::any_of(tile, [](Value v) { return !v.use_empty(); });
  if (isRead && !(stays && homes.plan->onlyConsumed(tile)))
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
      giveBack(warp, home);
  }
}
