//===- AccumulatorHomes.cpp - accumulators kept in memory -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AccumulatorHomes.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

/// Splits registers into tiles, row of tiles by row of tiles. A tile has one
/// register (f16) or two for its first 8 rows, then as many for the next 8
/// rows.
static void splitTiles(const MatrixMultiply &mma, TileKind kind,
                       ValueRange registers,
                       SmallVectorImpl<TileValues> &tiles) {
  unsigned each = kind.type == MatrixType::F16 ? 1 : 2, eights = kind.rows / 8;
  for (unsigned rowTile = 0; rowTile < mma.m / kind.rows; ++rowTile)
    for (unsigned colTile = 0; colTile < mma.n / 8; ++colTile) {
      unsigned first = each * (rowTile * eights + mma.m / 8 * colTile);
      tiles.emplace_back(
          llvm::to_vector<4>(registers.slice(first, eights * each)));
    }
}

bool ptxjit::hasTiles(Operation *op) {
  return isa<MmaOp, WgmmaOp, SettleOp>(op);
}

/// The kind of the sums of a warpgroup in `registers`.
static TileKind kindOfSums(MatrixType type, ValueRange registers) {
  unsigned each = type == MatrixType::F16 ? 4 : 2; // columns of a register
  return {type, 16, unsigned(registers.size()) * each, true};
}

MatrixTiles::MatrixTiles(Operation *op) {
  if (auto wgmma = dyn_cast<WgmmaOp>(op)) {
    kindOfC = kindOfD = kindOfSums(wgmma.getTy(), wgmma.getD());
    c.push_back(TileValues(wgmma.getMultiply().c));
    d.push_back(TileValues(wgmma.getD()));
    return;
  }
  if (auto settle = dyn_cast<SettleOp>(op)) {
    kindOfC = kindOfD = kindOfSums(settle.getTy(), settle.getD());
    c.push_back(TileValues(settle.getD()));
    d.push_back(TileValues(settle.getSettled()));
    return;
  }
  auto product = cast<MmaOp>(op);
  MatrixMultiply mma = product.getMultiply();
  if (mma.isQuadPair())
    return;
  unsigned rows = mma.m == 8 ? 8 : 16;
  kindOfC = {mma.c, rows, 8, false};
  kindOfD = {mma.d, rows, 8, false};
  staysExact = !mma.saturates || mma.isInteger();
  unsigned first = mma.aRegisters() + mma.bRegisters();
  splitTiles(mma, kindOfC, product.getInputs().slice(first, mma.cRegisters()),
             c);
  splitTiles(mma, kindOfD, product.getD(), d);
}

/// Finds the positions of `tile` among `values`, after skipping `skip`
/// occurrences of each value. \returns false if some are missing.
static bool findPositions(ArrayRef<Value> tile, ValueRange values,
                          SmallVectorImpl<unsigned> &positions,
                          unsigned skip = 0) {
  positions.clear();
  for (Value v : tile) {
    unsigned seen = 0;
    for (auto [i, other] : llvm::enumerate(values))
      if (other == v && seen++ == skip)
        positions.push_back(unsigned(i));
  }
  return positions.size() == tile.size();
}

TileValues ptxjit::tileAt(ValueRange values, ArrayRef<unsigned> positions) {
  TileValues tile;
  for (unsigned i : positions)
    tile.push_back(values[i]);
  return tile;
}

const MatrixTiles &AccumulatorHomes::tilesAt(Operation *op) const {
  return tilesOf.find(op)->second;
}

const TileValues *AccumulatorHomes::continued(ArrayRef<Value> tile,
                                              TileKind &kind,
                                              Operation *&adds) const {
  adds = tile.front().getDefiningOp();
  if (!adds || !hasTiles(adds))
    return nullptr;
  const MatrixTiles &tiles = tilesAt(adds);
  if (!tiles.staysExact || !(tiles.kindOfD == kind))
    return nullptr;
  for (auto [c, d] : llvm::zip(tiles.c, tiles.d))
    if (ArrayRef(d) == tile) {
      kind = tiles.kindOfC;
      return &c;
    }
  return nullptr;
}

AccumulatorHomes::AccumulatorHomes(FuncOp func) {
  func.walk([&](Operation *op) {
    if (hasTiles(op))
      tilesOf.try_emplace(op, MatrixTiles(op));
  });
  func.walk([&](Operation *op) {
    if (!hasTiles(op))
      return;
    for (const TileValues &c : tilesAt(op).c)
      findLoops(c, tilesAt(op).kindOfC);
  });
  // The rest are pairs of operations in one block. They are optional: a sum
  // without a consumer becomes registers.
  auto handOn = [&](const TileValues &tile, TileKind kind, Operation *to) {
    Operation *before;
    if (continued(tile, kind, before) && before->getBlock() == to->getBlock())
      consumers.try_emplace(tile.front(), Consumer{tile, to});
  };
  func.walk([&](Operation *op) {
    if (hasTiles(op))
      for (const TileValues &c : tilesAt(op).c)
        handOn(c, tilesAt(op).kindOfC, op);
    if (auto loop = dyn_cast<scf::WhileOp>(op))
      for (const Carried &carried : carriedBy(loop))
        handOn(tileAt(loop.getInits(), carried.args),
               tilesAt(carried.user).kindOfC, loop);
  });
}

Operation *AccumulatorHomes::consumerOf(ArrayRef<Value> tile) const {
  auto it = consumers.find(tile.front());
  return it != consumers.end() && ArrayRef(it->second.tile) == tile
             ? it->second.op
             : nullptr;
}

bool AccumulatorHomes::isCarried(OpOperand &use) const {
  auto condition = dyn_cast<scf::ConditionOp>(use.getOwner());
  if (!condition)
    return false;
  unsigned position = use.getOperandNumber() - 1; // operand 0 is the predicate
  return llvm::any_of(carriedBy(cast<scf::WhileOp>(condition->getParentOp())),
                      [&](const Carried &carried) {
                        return llvm::any_of(
                            carried.results, [&](ArrayRef<unsigned> results) {
                              return llvm::is_contained(results, position);
                            });
                      });
}

bool AccumulatorHomes::onlyConsumed(ArrayRef<Value> tile) const {
  Operation *consumer = consumerOf(tile);
  // A condition may forward all of a carried tile several times. It must not
  // forward some of its registers to other places.
  return consumer && llvm::all_of(tile, [&](Value v) {
           return v.hasOneUse() ||
                  llvm::all_of(v.getUses(), [&](OpOperand &use) {
                    return use.getOwner() == consumer && isCarried(use);
                  });
         });
}

ArrayRef<AccumulatorHomes::Carried>
AccumulatorHomes::carriedBy(scf::WhileOp loop) const {
  auto it = loops.find(loop);
  if (it == loops.end())
    return {};
  return it->second;
}

bool AccumulatorHomes::trace(TileValues tile, TileKind &kind,
                             Operation *consumer, Block *block, Trace &out) {
  while (true) {
    out.links.push_back({tile, consumer});
    if (findPositions(tile, block->getArguments(), out.positions))
      return true;
    Operation *adds;
    if (const TileValues *c = continued(tile, kind, adds)) {
      if (adds->getBlock() != block)
        return false;
      out.user = adds;
      tile = *c;
      consumer = adds;
      continue;
    }
    auto inner = tile.front().getDefiningOp<scf::WhileOp>();
    Positions results;
    if (!inner || inner->getBlock() != block ||
        !findPositions(tile, inner.getResults(), results))
      return false;
    Trace within;
    if (!trace(tileAt(inner.getConditionOp().getArgs(), results), kind,
               inner.getConditionOp(), inner.getBeforeBody(), within))
      return false;
    const Carried *carried = carry(inner, within.positions, kind);
    if (!carried || !llvm::is_contained(carried->results, results))
      return false;
    out.user = carried->user;
    tile = tileAt(inner.getInits(), carried->args);
    consumer = inner;
  }
}

const AccumulatorHomes::Carried *
AccumulatorHomes::carry(scf::WhileOp loop, ArrayRef<unsigned> args,
                        TileKind kind) {
  auto &known = loops[loop];
  for (const Carried &carried : known)
    if (ArrayRef(carried.args) == args)
      return tilesAt(carried.user).kindOfC == kind ? &carried : nullptr;
  auto overlaps = [&](ArrayRef<unsigned> a, ArrayRef<unsigned> b) {
    return llvm::any_of(a,
                        [&](unsigned i) { return llvm::is_contained(b, i); });
  };
  Trace after, before;
  TileKind first = kind;
  if (!trace(tileAt(loop.getYieldOp().getOperands(), args), first,
             loop.getYieldOp(), loop.getAfterBody(), after) ||
      !trace(tileAt(loop.getConditionOp().getArgs(), after.positions), first,
             loop.getConditionOp(), loop.getBeforeBody(), before) ||
      ArrayRef(before.positions) != args || !(first == kind))
    return nullptr;
  // Tracing may have added loops, so `known` may dangle.
  auto &list = loops[loop];
  for (const Carried &other : list)
    if (overlaps(other.args, args) ||
        overlaps(other.results.front(), after.positions))
      return nullptr;
  Carried carried;
  carried.args.assign(args.begin(), args.end());
  carried.results.push_back(after.positions);
  ValueRange forwarded = loop.getConditionOp().getArgs();
  TileValues result = tileAt(forwarded, after.positions);
  Positions others;
  for (unsigned i = 0; findPositions(result, forwarded, others, i); ++i)
    if (others != after.positions)
      carried.results.push_back(others);
  carried.user = before.user ? before.user : after.user;
  if (!carried.user || !(tilesAt(carried.user).kindOfC == kind))
    return nullptr; // no addition, or one to another kind of tile
  // Each link must hand its home on to this consumer and to no other one.
  for (Trace *part : {&before, &after})
    for (const Link &link : part->links)
      if (auto it = consumers.find(link.tile.front());
          it != consumers.end() &&
          (it->second.tile != link.tile || it->second.op != link.consumer))
        return nullptr;
  for (Trace *part : {&before, &after})
    for (const Link &link : part->links)
      consumers.try_emplace(link.tile.front(),
                            Consumer{link.tile, link.consumer});
  list.push_back(carried);
  return &list.back();
}

/// Finds the loops through which `tile` comes to its use.
void AccumulatorHomes::findLoops(TileValues tile, TileKind kind) {
  for (unsigned steps = 0; steps < 1000; ++steps) {
    Operation *adds;
    if (const TileValues *c = continued(tile, kind, adds)) {
      tile = *c;
      continue;
    }
    Positions positions;
    if (auto arg = dyn_cast<BlockArgument>(tile.front())) {
      auto loop = dyn_cast<scf::WhileOp>(arg.getOwner()->getParentOp());
      if (!loop ||
          !findPositions(tile, arg.getOwner()->getArguments(), positions))
        return;
      if (arg.getOwner() == loop.getAfterBody()) {
        tile = tileAt(loop.getConditionOp().getArgs(), positions);
        continue;
      }
      carry(loop, positions, kind);
      tile = tileAt(loop.getInits(), positions);
      continue;
    }
    auto loop = tile.front().getDefiningOp<scf::WhileOp>();
    if (!loop || !findPositions(tile, loop.getResults(), positions))
      return;
    tile = tileAt(loop.getConditionOp().getArgs(), positions);
  }
}
