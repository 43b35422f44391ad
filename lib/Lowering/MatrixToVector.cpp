//===- MatrixToVector.cpp - multiplications of fragments ------------------===//
//
// Calls of the device library's kernels (lib/Device/Matrix.cpp says what
// registers, images and homes are), on memory of the warp's stack. Images of
// fragments are made once for all instructions of a block that use them.
//
//===----------------------------------------------------------------------===//

#include "Packetizer.h"

#include "mlir/IR/Matchers.h"
#include "ptxjit/Dialect/Matrix.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;
using arith::CmpIPredicate;

//===----------------------------------------------------------------------===//
// Which kernels
//===----------------------------------------------------------------------===//

namespace {
constexpr int64_t kRegisterBytes = 128;

/// The device functions that serve an instruction, and the sizes they need.
struct MatrixKernels {
  std::string imageA, imageB, multiply;
  /// Elements of A and B that an image has for each dword.
  unsigned elements = 1;
  unsigned rows = 16;  ///< of a tile
  unsigned blocks = 1; ///< of k
  unsigned elementBytes = 4;
  unsigned flag = 0; ///< of the multiplication
};

bool isFloat(MatrixType type) {
  return llvm::is_contained(
      {MatrixType::F16, MatrixType::BF16, MatrixType::TF32, MatrixType::E4M3,
       MatrixType::E5M2, MatrixType::E3M2, MatrixType::E2M3, MatrixType::E2M1},
      type);
}

StringRef nameOf(MatrixType type, bool bytePerElement) {
  switch (type) {
  case MatrixType::F16:
    return "f16";
  case MatrixType::BF16:
    return "bf16";
  case MatrixType::TF32:
    return "tf32";
  case MatrixType::F32:
    return "f32";
  case MatrixType::F64:
    return "f64";
  case MatrixType::S32:
    return "s32";
  case MatrixType::S8:
    return "s8";
  case MatrixType::U8:
    return "u8";
  case MatrixType::S4:
    return "s4";
  case MatrixType::U4:
    return "u4";
  case MatrixType::B1:
    return "raw";
  case MatrixType::E4M3:
    return "e4m3";
  case MatrixType::E5M2:
    return "e5m2";
  case MatrixType::E3M2:
    return "e3m2";
  case MatrixType::E2M3:
    return "e2m3";
  case MatrixType::E2M1:
    return bytePerElement ? "e2m1" : "e2m1_packed";
  }
  llvm_unreachable("all types handled");
}

void chooseIntegers(const MatrixMultiply &mma, const ChunkTarget &target,
                    MatrixKernels &kernels) {
  bool bytes = mma.bitsOf(mma.a) == 8;
  kernels.flag = mma.saturates;
  if (mma.a == MatrixType::B1) {
    kernels.multiply = "bits";
    kernels.flag = mma.bitOp == BoolOp::And;
  } else if (bytes && mma.b == MatrixType::S8 && target.dotProducts) {
    bool biased = mma.a == MatrixType::S8;
    kernels.imageA = biased ? "biased" : "raw";
    kernels.imageB = biased ? "signed_for_biased" : "signed";
    kernels.multiply = "bytes";
  } else {
    kernels.elements = bytes ? 2 : 4;
    kernels.multiply = bytes ? "pairs_2" : "pairs_4";
  }
}

MatrixKernels chooseKernels(const MatrixMultiply &mma,
                            const ChunkTarget &target) {
  MatrixKernels kernels;
  kernels.imageA = nameOf(mma.a, mma.bytePerElement);
  kernels.imageB = nameOf(mma.b, mma.bytePerElement);
  kernels.rows = mma.m == 8 ? 8 : 16;
  unsigned dwordsOfRow = mma.isF64() ? mma.k : mma.k * mma.bitsOf(mma.a) / 32;
  kernels.blocks = dwordsOfRow / 4;
  if (mma.isF64()) {
    kernels.elementBytes = 8;
    kernels.multiply = ("f64_" + stringifyRounding(mma.rounding)).str();
  } else if (mma.isInteger()) {
    chooseIntegers(mma, target, kernels);
  } else if (mma.a == MatrixType::BF16 && target.fastMatrices &&
             target.dotProducts && mma.sparsity == Sparsity::Dense) {
    kernels.imageA = kernels.imageB = "raw";
    kernels.multiply = "fast";
  } else {
    kernels.elements = 32 / mma.bitsOf(mma.a);
    kernels.multiply = "floats_" + std::to_string(kernels.elements);
  }
  return kernels;
}

StringRef unitOf(Sparsity sparsity) {
  return sparsity == Sparsity::Words    ? "words"
         : sparsity == Sparsity::Halves ? "halves"
                                        : "bytes";
}
} // namespace

//===----------------------------------------------------------------------===//
// Memory of the warp
//===----------------------------------------------------------------------===//

/// At least `bytes` bytes, until they are given back.
Packetizer::MatrixBuffer Packetizer::takeBuffer(int64_t bytes) {
  for (auto &free : freeBuffers)
    if (free.bytes == bytes) {
      MatrixBuffer found = free;
      std::swap(free, freeBuffers.back());
      freeBuffers.pop_back();
      return found;
    }
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(context.getParentBlock());
  auto ptr = LLVM::LLVMPointerType::get(b.getContext());
  Value one = arith::ConstantIntOp::create(b, loc, 1, 32);
  auto type = LLVM::LLVMArrayType::get(b.getI8Type(), unsigned(bytes));
  return {LLVM::AllocaOp::create(b, loc, ptr, type, one, 128), bytes};
}

Value Packetizer::placeIn(Value buffer, int64_t offset) {
  if (!offset)
    return buffer;
  auto ptr = LLVM::LLVMPointerType::get(b.getContext());
  return LLVM::GEPOp::create(b, loc, ptr, b.getI8Type(), buffer,
                             LLVM::GEPArg(int32_t(offset)));
}

/// Register `index` of a buffer: the 32 lanes of `v`, of 4 or 8 bytes.
void Packetizer::storeRegister(Operation *op, Value buffer, unsigned index,
                               Value v) {
  unsigned width = v.getType().getIntOrFloatBitWidth(), bytes = width / 8;
  Value place = placeIn(buffer, int64_t(index) * 32 * bytes);
  if (auto it = stored.find(v); it != stored.end()) {
    Type all = VectorType::get(32, b.getI32Type());
    Value value = LLVM::LoadOp::create(b, loc, all, it->second.pointer, 128);
    LLVM::StoreOp::create(b, loc, value, place, 128);
    return;
  }
  if (!perThread()) {
    for (unsigned c = 0; c < numChunks(); ++c)
      LLVM::StoreOp::create(b, loc, chunk(v, c),
                            placeIn(place, c * target.chunk * bytes),
                            target.chunk * bytes);
    return;
  }
  Gathered gathered = gather(op, Value(), v);
  Value values = placeIn(gathered.data, offsetof(PtxjitGathered, values));
  Type words = VectorType::get(32, b.getI64Type());
  Value all = LLVM::LoadOp::create(b, loc, words, values, 8);
  if (width < 64)
    all = arith::TruncIOp::create(
        b, loc, VectorType::get(32, b.getIntegerType(width)), all);
  LLVM::StoreOp::create(b, loc, all, place, 32 * bytes);
}

void Packetizer::loadRegister(Value v, Value buffer, unsigned index) {
  unsigned bytes = v.getType().getIntOrFloatBitWidth() / 8;
  Value place = placeIn(buffer, int64_t(index) * 32 * bytes);
  if (perThread()) {
    auto ptr = LLVM::LLVMPointerType::get(b.getContext());
    Value own = LLVM::GEPOp::create(b, loc, ptr, v.getType(), place,
                                    LLVM::GEPArg(laneOfThread()));
    setBase(v, LLVM::LoadOp::create(b, loc, v.getType(), own, bytes));
    return;
  }
  SmallVector<Value, 8> chunks;
  for (unsigned c = 0; c < numChunks(); ++c)
    chunks.push_back(LLVM::LoadOp::create(
        b, loc, lanes().vec(v.getType()),
        placeIn(place, c * target.chunk * bytes), target.chunk * bytes));
  setChunks(v, chunks);
}

/// A function of the device library that is called, not inlined: pointers and
/// i32.
void Packetizer::callMatrix(const Twine &name, ArrayRef<Value> operands) {
  std::string symbol = ("ptxjit_matrix_" + name).str();
  auto module = func->getParentOfType<ModuleOp>();
  if (!module.lookupSymbol(symbol)) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    SmallVector<Type> types;
    for (Value operand : operands)
      types.push_back(operand.getType());
    LLVM::LLVMFuncOp::create(
        b, loc, symbol,
        LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()),
                                    types));
  }
  LLVM::CallOp::create(b, loc, TypeRange(), symbol, operands);
}

//===----------------------------------------------------------------------===//
// Images
//===----------------------------------------------------------------------===//

/// How many instructions of this block multiply the fragment `registers`.
static unsigned countUsers(ValueRange registers, Block *block) {
  unsigned count = 0;
  for (OpOperand &use : registers.front().getUses()) {
    auto mma = dyn_cast<MmaOp>(use.getOwner());
    if (!mma || mma->getBlock() != block)
      continue;
    auto inputs = mma.getInputs();
    unsigned first = use.getOperandNumber();
    if (first + registers.size() <= inputs.size() &&
        llvm::equal(inputs.slice(first, registers.size()), registers))
      ++count;
  }
  return count;
}

void Packetizer::leaveMatrixScope() {
  for (MatrixImage &image : images.back())
    freeBuffers.push_back(image.buffer);
  images.pop_back();
}

/// What `make` writes of `registers`, or wrote before in this block or one
/// around it.
Value Packetizer::imageOf(MmaOp op, StringRef kind, ValueRange registers,
                          int64_t bytes,
                          llvm::function_ref<void(Value image)> make) {
  for (auto &scope : images)
    for (MatrixImage &image : scope)
      if (image.kind == kind && llvm::equal(image.registers, registers)) {
        --image.usersLeft;
        return image.buffer.pointer;
      }
  MatrixImage image{kind.str(), llvm::to_vector(registers), takeBuffer(bytes),
                    int(countUsers(registers, op->getBlock())) - 1};
  make(image.buffer.pointer);
  images.back().push_back(image);
  return image.buffer.pointer;
}

/// Memory that is given back when the last copy of the pointer goes.
std::shared_ptr<Packetizer::MatrixBuffer>
Packetizer::shareBuffer(int64_t bytes) {
  return std::shared_ptr<MatrixBuffer>(
      new MatrixBuffer(takeBuffer(bytes)), [this](MatrixBuffer *buffer) {
        freeBuffers.push_back(*buffer);
        delete buffer;
      });
}

/// Is it nothing but an operand of multiplications, here?
bool Packetizer::isOnlyMultiplied(Value v) {
  return !perThread() && llvm::all_of(v.getUsers(), [&](Operation *user) {
           return isa<MmaOp>(user) && user->getBlock() == v.getParentBlock();
         });
}

/// Registers side by side: where they are, or copied to `taken`.
Value Packetizer::registersOf(MmaOp op, ValueRange registers,
                              int64_t registerBytes, MatrixBuffer &taken) {
  auto first = stored.find(registers.front());
  bool together = first != stored.end();
  for (auto [i, v] : llvm::enumerate(registers)) {
    auto it = stored.find(v);
    together = together && it != stored.end() &&
               it->second.owner == first->second.owner &&
               it->second.index == first->second.index + i;
  }
  if (together) {
    Value pointer = first->second.pointer;
    forgetStored(op, registers);
    return pointer;
  }
  taken = takeBuffer(int64_t(registers.size()) * registerBytes);
  for (auto [i, v] : llvm::enumerate(registers))
    storeRegister(op, taken.pointer, i, v);
  return taken.pointer;
}

/// The image serves all that use these registers.
void Packetizer::forgetStored(MmaOp op, ValueRange registers) {
  unsigned users = countUsers(registers, op->getBlock());
  for (Value v : registers)
    if (unsigned(std::distance(v.use_begin(), v.use_end())) == users)
      stored.erase(v);
}

/// Gives back images that no instruction of the block needs any more.
void Packetizer::dropImages() {
  llvm::erase_if(images.back(), [&](MatrixImage &image) {
    if (image.usersLeft > 0)
      return false;
    freeBuffers.push_back(image.buffer);
    return true;
  });
}

//===----------------------------------------------------------------------===//
// mma
//===----------------------------------------------------------------------===//

namespace {
/// The operands of an instruction by their role.
struct MmaOperands {
  MmaOperands(MmaOp op, const MatrixMultiply &mma) {
    OperandRange rest = op.getInputs();
    auto take = [&](unsigned count) {
      ValueRange taken = rest.take_front(count);
      rest = rest.drop_front(count);
      return taken;
    };
    a = take(mma.aRegisters()).take_front(mma.aParts());
    b = take(mma.bRegisters()).take_front(mma.bParts());
    c = take(mma.cRegisters());
    if (mma.sparsity != Sparsity::Dense) {
      metadata = take(1).front();
      selector = take(1).front();
    }
    if (mma.scales) {
      scaleA = take(1).front();
      atA = take(2);
      scaleB = take(1).front();
      atB = take(2);
    }
  }
  ValueRange a, b, c, atA, atB;
  Value metadata, selector, scaleA, scaleB;
};
} // namespace

Packetizer::TileForm::TileForm(MmaOp op, bool isResult) {
  MatrixMultiply mma = decodeMma(op);
  type = nameOf(isResult ? mma.d : mma.c, false);
  rows = mma.m == 8 ? 8 : 16;
  elementBytes = mma.isF64() ? 8 : 4;
  saturates = mma.saturates;
}

static TileValues at(ValueRange values, ArrayRef<unsigned> positions) {
  TileValues tile;
  for (unsigned i : positions)
    tile.push_back(values[i]);
  return tile;
}

static bool isZero(Value v) {
  return matchPattern(v, m_Zero()) || matchPattern(v, m_PosZeroFloat());
}

void Packetizer::enterHome(Operation *op, Value home, ArrayRef<Value> tile,
                           const TileForm &form) {
  if (llvm::all_of(tile, isZero)) {
    auto zeros = VectorType::get(16, b.getI32Type());
    Value zero = arith::ConstantOp::create(
        b, loc, cast<TypedAttr>(b.getZeroAttr(zeros)));
    for (int64_t at = 0; at < form.homeBytes(); at += 64)
      LLVM::StoreOp::create(b, loc, zero, placeIn(home, at), 64);
    return;
  }
  MatrixBuffer registers =
      takeBuffer(4 * kRegisterBytes * form.elementBytes / 4);
  for (auto [i, v] : llvm::enumerate(tile))
    storeRegister(op, registers.pointer, i, v);
  callMatrix("enter_" + form.type + "_r" + Twine(form.rows),
             {home, registers.pointer});
  freeBuffers.push_back(registers);
}

void Packetizer::leaveHome(Value home, ArrayRef<Value> tile,
                           const TileForm &form) {
  MatrixBuffer registers =
      takeBuffer(4 * kRegisterBytes * form.elementBytes / 4);
  callMatrix(
      "leave_" + form.type + "_r" + Twine(form.rows),
      {registers.pointer, home, scalar().intConstant(32, form.saturates)});
  for (auto [i, v] : llvm::enumerate(tile))
    loadRegister(v, registers.pointer, i);
  freeBuffers.push_back(registers);
}

/// Where `consumer` goes on with the sum `tile`: where it is, or in a new home.
Packetizer::MatrixBuffer Packetizer::homeFor(Operation *consumer,
                                             ArrayRef<Value> tile,
                                             const TileForm &form) {
  if (homes && homes->consumerOf(tile) == consumer) {
    auto it = homeOf.find(tile.front());
    if (it != homeOf.end()) {
      MatrixBuffer home = it->second;
      homeOf.erase(it);
      return home;
    }
  }
  MatrixBuffer home = takeBuffer(form.homeBytes());
  enterHome(consumer, home.pointer, tile, form);
  return home;
}

/// Leaves the sum `tile` at home for the one that goes on with it, and makes
/// registers of it for others. \returns whether one goes on.
bool Packetizer::keepHome(const MatrixBuffer &home, ArrayRef<Value> tile,
                          const TileForm &form) {
  bool stays = homes && homes->consumerOf(tile);
  bool isRead = llvm::any_of(tile, [](Value v) { return !v.use_empty(); });
  if (isRead && !(stays && homes->onlyConsumed(tile)))
    leaveHome(home.pointer, tile, form);
  if (stays)
    homeOf[tile.front()] = home;
  return stays;
}

/// Brings what the loop adds to into homes.
Packetizer::CarriedTiles Packetizer::enterLoop(scf::WhileOp loop) {
  CarriedTiles carried;
  if (!homes)
    return carried;
  carried.tiles = homes->carriedBy(loop);
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
        homeFor(loop, inits, TileForm(tile.user, /*isResult=*/false)));
  }
  return carried;
}

/// At the start of the loop's regions: the tiles are at home as `arguments`.
void Packetizer::keepArguments(const CarriedTiles &carried,
                               ValueRange arguments, bool ofCondition) {
  for (auto [tile, home] : llvm::zip(carried.tiles, carried.homes)) {
    TileForm form(tile.user, /*isResult=*/false);
    SmallVector<AccumulatorHomes::Positions, 2> all = {tile.args};
    for (const auto &positions : ofCondition ? tile.results : all)
      keepHome(home, at(arguments, positions), form);
  }
}

/// Behind the loop.
void Packetizer::keepResults(const CarriedTiles &carried, ValueRange results) {
  for (auto [tile, home] : llvm::zip(carried.tiles, carried.homes)) {
    TileForm form(tile.user, /*isResult=*/false);
    bool stays = false;
    for (const auto &positions : tile.results)
      stays |= keepHome(home, at(results, positions), form);
    if (!stays)
      freeBuffers.push_back(home);
  }
}

/// An operand that is the same in all lanes, as i32.
Value Packetizer::uniformOperand(Value v) {
  ChunkBuilder s = scalar();
  Value bits = perThread() || shapeOf(v).isUniform()
                   ? base(v)
                   : extractLane(chunk(v, 0), s.intConstant(32, 0));
  return s.resize(bits, 32, false);
}

LogicalResult Packetizer::emitMma(MmaOp op) {
  MatrixMultiply mma = decodeMma(op);
  if (mma.isQuadPair()) {
    emitQuadPairs(op, mma);
    return success();
  }
  MatrixKernels kernels = chooseKernels(mma, target);
  MmaOperands operands(op, mma);
  ChunkBuilder s = scalar();
  std::string suffix = "_r" + std::to_string(kernels.rows);
  Value blocks = s.intConstant(32, kernels.blocks);
  bool isSparse = mma.sparsity != Sparsity::Dense;
  bool isExtra = mma.scales || (isSparse && isFloat(mma.a));
  SmallVector<MatrixBuffer, 8> taken;
  auto take = [&](int64_t bytes) {
    taken.push_back(takeBuffer(bytes));
    return taken.back().pointer;
  };
  auto storeAll = [&](Value buffer, ValueRange registers) {
    for (auto [i, v] : llvm::enumerate(registers))
      storeRegister(op, buffer, i, v);
  };
  int64_t registerBytes = kRegisterBytes * kernels.elementBytes / 4;

  // A by tiles of rows, and what of it a sparse multiplication leaves out.
  unsigned rowTiles = mma.m / kernels.rows, colTiles = mma.n / 8;
  unsigned eights = kernels.rows / 8;
  int64_t imageBytes =
      int64_t(kernels.blocks) * eights * registerBytes * kernels.elements;
  SmallVector<Value, 2> imagesA, imagesB;
  Value kept;
  for (unsigned tile = 0; tile < rowTiles && !isSparse; ++tile) {
    SmallVector<Value, 8> registers;
    for (unsigned block = 0; block < kernels.blocks; ++block)
      for (unsigned i = 0; i < eights; ++i)
        registers.push_back(operands.a[mma.m / 8 * block + eights * tile + i]);
    std::string name = "a_" + kernels.imageA + suffix;
    imagesA.push_back(imageOf(op, name, registers, imageBytes, [&](Value to) {
      MatrixBuffer buffer;
      Value from = registersOf(op, registers, registerBytes, buffer);
      callMatrix(name, {to, from, blocks});
      if (buffer.pointer)
        freeBuffers.push_back(buffer);
    }));
  }
  if (isSparse) {
    unsigned parts = operands.a.size();
    Value compressed = take(parts * registerBytes);
    Value dense = take(2 * parts * registerBytes);
    Value metadata = take(registerBytes);
    storeAll(compressed, operands.a);
    storeRegister(op, metadata, 0, operands.metadata);
    Value half = s.intConstant(32, kernels.blocks / 2);
    Value selector = uniformOperand(operands.selector);
    auto expand = [&](const std::string &name) {
      callMatrix("expand_" + unitOf(mma.sparsity),
                 {dense, compressed, metadata, half, selector});
      Value image = take(imageBytes);
      callMatrix("a_" + name + suffix, {image, dense, blocks});
      return image;
    };
    imagesA.push_back(expand(kernels.imageA));
    if (isExtra) {
      Value ones = arith::ConstantOp::create(
          b, loc,
          DenseElementsAttr::get(VectorType::get(32, b.getI32Type()),
                                 int32_t(-1)));
      for (unsigned i = 0; i < parts; ++i)
        LLVM::StoreOp::create(b, loc, ones,
                              placeIn(compressed, i * registerBytes), 128);
      kept = expand("kept_" + std::to_string(kernels.elements));
    }
  }

  // B by tiles of columns.
  int64_t bytesB =
      (int64_t(kernels.blocks) * kernels.elements + 1) * registerBytes;
  for (unsigned tile = 0; tile < colTiles; ++tile) {
    ValueRange registers =
        operands.b.slice(tile * kernels.blocks, kernels.blocks);
    std::string name = "b_" + kernels.imageB;
    imagesB.push_back(imageOf(op, name, registers, bytesB, [&](Value to) {
      MatrixBuffer buffer;
      Value from = registersOf(op, registers, registerBytes, buffer);
      callMatrix(name, {to, from, blocks});
      if (buffer.pointer)
        freeBuffers.push_back(buffer);
    }));
  }

  SmallVector<Value> extras;
  if (isExtra) {
    auto ptr = LLVM::LLVMPointerType::get(b.getContext());
    Value null = LLVM::ZeroOp::create(b, loc, ptr);
    extras.push_back(kept ? kept : null);
    for (Value scale : {operands.scaleA, operands.scaleB}) {
      extras.push_back(scale ? take(registerBytes) : null);
      if (scale)
        storeRegister(op, extras.back(), 0, scale);
    }
    extras.push_back(s.intConstant(32, mma.scales));
    extras.push_back(s.intConstant(32, mma.scalesAreUE4M3));
    for (ValueRange at : {operands.atA, operands.atB})
      for (unsigned i = 0; i < 2; ++i)
        extras.push_back(mma.scales ? uniformOperand(at[i])
                                    : s.intConstant(32, 0));
  }

  MatrixTiles tiles(op);
  TileForm from(op, /*isResult=*/false), to(op, /*isResult=*/true);
  Value flag = s.intConstant(32, kernels.flag);
  for (auto [i, c] : llvm::enumerate(tiles.c)) {
    MatrixBuffer home = homeFor(op, c, from);
    SmallVector<Value> arguments = {home.pointer, imagesA[i / colTiles],
                                    imagesB[i % colTiles], blocks};
    if (isExtra) {
      arguments.append(extras);
      callMatrix("multiply_extra_" + std::to_string(kernels.elements),
                 arguments);
    } else {
      arguments.push_back(flag);
      callMatrix("multiply_" + kernels.multiply + suffix, arguments);
    }
    if (!keepHome(home, tiles.d[i], to))
      freeBuffers.push_back(home);
  }
  freeBuffers.append(taken);
  dropImages();
  return success();
}

void Packetizer::emitQuadPairs(MmaOp op, const MatrixMultiply &mma) {
  MmaOperands operands(op, mma);
  SmallVector<Value> arguments;
  SmallVector<MatrixBuffer, 4> taken = {
      takeBuffer(mma.dRegisters() * kRegisterBytes)};
  arguments.push_back(taken.front().pointer);
  for (ValueRange registers : {operands.a, operands.b, operands.c}) {
    taken.push_back(takeBuffer(int64_t(registers.size()) * kRegisterBytes));
    arguments.push_back(taken.back().pointer);
    for (auto [i, v] : llvm::enumerate(registers))
      storeRegister(op, taken.back().pointer, i, v);
  }
  for (bool flag : {mma.aIsCol, mma.bIsRow, mma.c == MatrixType::F16,
                    mma.d == MatrixType::F16})
    arguments.push_back(scalar().intConstant(32, flag));
  callMatrix("quad_pairs", arguments);
  for (auto [i, v] : llvm::enumerate(op.getD()))
    loadRegister(v, taken.front().pointer, i);
  freeBuffers.append(taken);
}

//===----------------------------------------------------------------------===//
// ldmatrix
//===----------------------------------------------------------------------===//

/// What lane `lane` reads of row `row`: `element[row][col]`, of 2 bytes or of
/// 1, at place 0 to 3 of register `r` of a matrix. ISA: "ldmatrix".
static unsigned sourceByte(const MatrixMove &move, unsigned r, unsigned lane,
                           unsigned byte) {
  unsigned g = lane / 4, t = lane % 4;
  if (move.format == MatrixMove::B16)
    return move.transposes ? 16 * (2 * t + byte / 2) + 2 * g + byte % 2
                           : 16 * g + 4 * t + byte;
  if (move.rows == 16)
    return 16 * (4 * t + byte) + g + 8 * r;
  return 16 * g + 4 * t + byte;
}

/// 16 elements of 6 or 4 bits as bytes.
Value Packetizer::unpackRow(Value row, MatrixMove::Format format) {
  unsigned bits = format == MatrixMove::B6 ? 6 : 4;
  auto bytesOf = VectorType::get(16, b.getI8Type());
  auto pairsOf = VectorType::get(16, b.getI16Type());
  // The two bytes that hold element e, shifted so that it is lowest.
  SmallVector<int32_t> low, high;
  SmallVector<int16_t> shifts;
  for (unsigned e = 0; e < 16; ++e) {
    low.push_back(int32_t(bits * e / 8));
    high.push_back(int32_t(std::min(bits * e / 8 + 1, 15u)));
    shifts.push_back(int16_t(bits * e % 8));
  }
  Value bytes = LLVM::BitcastOp::create(b, loc, bytesOf, row);
  auto widen = [&](ArrayRef<int32_t> from) -> Value {
    Value chosen = LLVM::ShuffleVectorOp::create(b, loc, bytes, bytes, from);
    return arith::ExtUIOp::create(b, loc, pairsOf, chosen);
  };
  auto all = [&](int16_t value) -> Value {
    return arith::ConstantOp::create(b, loc,
                                     DenseElementsAttr::get(pairsOf, value));
  };
  Value pairs = arith::OrIOp::create(
      b, loc, widen(low), arith::ShLIOp::create(b, loc, widen(high), all(8)));
  Value amounts = arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(pairsOf, ArrayRef<int16_t>(shifts)));
  pairs = arith::ShRUIOp::create(b, loc, pairs, amounts);
  pairs = arith::AndIOp::create(b, loc, pairs, all(int16_t((1 << bits) - 1)));
  Value codes = arith::TruncIOp::create(b, loc, bytesOf, pairs);
  return LLVM::BitcastOp::create(b, loc, row.getType(), codes);
}

/// Vectors in a row; a power of two of them.
static Value concatenate(OpBuilder &b, Location loc, SmallVector<Value> parts) {
  while (parts.size() > 1) {
    SmallVector<Value> joined;
    for (unsigned i = 0; i < parts.size(); i += 2) {
      auto type = cast<VectorType>(parts[i].getType());
      SmallVector<int32_t> all;
      for (int32_t k = 0; k < 2 * type.getDimSize(0); ++k)
        all.push_back(k);
      joined.push_back(
          LLVM::ShuffleVectorOp::create(b, loc, parts[i], parts[i + 1], all));
    }
    parts = joined;
  }
  return parts.front();
}

/// The lanes' addresses, those of lanes that are off being of memory that may
/// be read.
Value Packetizer::rowAddresses(Operation *op, Value a, Space space,
                               Value mask) {
  if (perThread()) {
    Value buffer = exchangeBuffer(0);
    Value window = windowBase(space);
    storeRegister(op, buffer, 0, a);
    Type words = VectorType::get(32, b.getI64Type());
    if (window) {
      Value all = LLVM::LoadOp::create(b, loc, words, buffer, 128);
      ChunkBuilder k(b, loc, target, 32);
      LLVM::StoreOp::create(b, loc, k.add(all, k.splat(window)), buffer, 128);
    }
    return buffer;
  }
  LaneAddress address = resolve(a, space, 0);
  emitAlignmentTest(address, a, space, 0, 16, mask);
  Value buffer = exchangeBuffer(0);
  bool masked = needsMask(mask);
  storeLanes(buffer, 64, [&](unsigned c) {
    Value at = address.vectors(c);
    if (!masked)
      return at;
    Value safe =
        LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), exchangeBuffer(1));
    return lanes().select(maskChunk(mask, c), at, lanes().splat(safe));
  });
  return buffer;
}

/// `count` rows of 16 bytes from the one on whose address lane `first` names,
/// in vectors that follow each other.
SmallVector<Value> Packetizer::loadRows(const MatrixRows &from, unsigned first,
                                        unsigned count) {
  auto rowType = VectorType::get(4, b.getI32Type());
  SmallVector<Value> rows;
  if (from.addresses) {
    auto ptr = LLVM::LLVMPointerType::get(b.getContext());
    for (unsigned i = first; i < first + count; ++i) {
      Value at =
          LLVM::LoadOp::create(b, loc, ptr, placeIn(from.addresses, 8 * i), 8);
      rows.push_back(LLVM::LoadOp::create(b, loc, rowType, at, 16));
    }
    return rows;
  }
  // Known distances: no addresses in memory, and neighbours in one load.
  const LanePattern &pattern = *from.known.pattern;
  bool together = true;
  for (unsigned i = first; i + 1 < first + count; ++i)
    together &= pattern[i + 1] == pattern[i] + 16;
  unsigned step = together && count > 1 ? 4 : 1;
  auto type = VectorType::get(4 * step, b.getI32Type());
  for (unsigned i = first; i < first + count; i += step) {
    Value at = scalar().add(from.known.base,
                            scalar().intConstant(64, uint64_t(pattern[i])));
    rows.push_back(LLVM::LoadOp::create(b, loc, type, toPointer(at), 16));
  }
  return rows;
}

LogicalResult Packetizer::emitLdMatrix(LdMatrixOp op) {
  MatrixMove move = decodeMatrixMove(op.getInstruction());
  Value a = op.getInputs().front();
  MatrixRows source;
  source.known = resolve(a, move.space, 0);
  if (source.known.base && source.known.pattern && !source.known.ok &&
      !needsMask(op.getMask()) && !perThread())
    emitAlignmentTest(source.known, a, move.space, 0, 16, op.getMask());
  else
    source.addresses = rowAddresses(op, a, move.space, op.getMask());
  std::shared_ptr<MatrixBuffer> fragment;
  auto registerType = VectorType::get(32, b.getI32Type());
  bool isPacked =
      move.format == MatrixMove::B6 || move.format == MatrixMove::B4;
  for (unsigned m = 0; m < move.count; ++m) {
    SmallVector<Value> rows;
    if (isPacked)
      for (unsigned i = 0; i < move.rows; ++i)
        rows.push_back(
            unpackRow(loadRows(source, m * move.rows + i, 1).front(),
                      move.format));
    else
      rows = loadRows(source, m * move.rows, move.rows);
    Value matrix = concatenate(b, loc, rows);
    auto bytesType = VectorType::get(move.rows * 16, b.getI8Type());
    for (unsigned r = 0; r < move.registersEach(); ++r) {
      Value value = matrix;
      SmallVector<int32_t> from;
      for (unsigned i = 0; i < 128; ++i)
        from.push_back(int32_t(sourceByte(move, r, i / 4, i % 4)));
      bool inOrder = move.rows == 8;
      for (unsigned i = 0; i < 128; ++i)
        inOrder &= from[i] == int32_t(i);
      if (!inOrder) {
        Value bytes = LLVM::BitcastOp::create(b, loc, bytesType, matrix);
        bytes = LLVM::ShuffleVectorOp::create(b, loc, bytes, bytes, from);
        value = LLVM::BitcastOp::create(b, loc, registerType, bytes);
      }
      unsigned index = m * move.registersEach() + r;
      Value result = op.getD()[index];
      if (!isOnlyMultiplied(result)) {
        setRegister(result, value);
        continue;
      }
      if (!fragment)
        fragment = shareBuffer(op.getD().size() * kRegisterBytes);
      Value place = placeIn(fragment->pointer, index * kRegisterBytes);
      LLVM::StoreOp::create(b, loc, value, place, 128);
      stored[result] = {place, index, fragment};
    }
  }
  return success();
}

/// The lanes of `v`, in one vector of 32.
void Packetizer::setRegister(Value v, Value all) {
  if (perThread()) {
    Value own = extractLane(all, laneOfThread());
    setBase(v, scalar().bitcast(own, v.getType()));
    return;
  }
  SmallVector<Value, 8> chunks;
  for (unsigned c = 0; c < numChunks(); ++c) {
    SmallVector<int32_t> part;
    for (unsigned i = 0; i < target.chunk; ++i)
      part.push_back(int32_t(c * target.chunk + i));
    Value some = LLVM::ShuffleVectorOp::create(b, loc, all, all, part);
    chunks.push_back(lanes().bitcast(some, v.getType()));
  }
  setChunks(v, chunks);
}

//===----------------------------------------------------------------------===//
// stmatrix, movmatrix
//===----------------------------------------------------------------------===//

/// Lanes [first, end) that a kernel serves.
SmallVector<Value, 2> Packetizer::ownLanes() {
  ChunkBuilder s = scalar();
  if (!perThread())
    return {s.intConstant(32, 0), s.intConstant(32, 32)};
  Value lane = laneOfThread();
  return {lane, s.add(lane, s.intConstant(32, 1))};
}

LogicalResult Packetizer::emitStMatrix(StMatrixOp op) {
  MatrixMove move = decodeMatrixMove(op.getInstruction());
  Value addresses =
      rowAddresses(op, op.getInputs().front(), move.space, op.getMask());
  MatrixBuffer buffer = takeBuffer(move.count * kRegisterBytes);
  for (auto [i, v] : llvm::enumerate(op.getInputs().drop_front()))
    storeRegister(op, buffer.pointer, i, v);
  ChunkBuilder s = scalar();
  unsigned kind = !move.transposes ? 0 : move.format == MatrixMove::B16 ? 1 : 2;
  SmallVector<Value> arguments = {addresses, buffer.pointer,
                                  s.intConstant(32, move.count),
                                  s.intConstant(32, kind)};
  arguments.append(ownLanes());
  callMatrix("store_rows", arguments);
  freeBuffers.push_back(buffer);
  return success();
}

/// ISA: "movmatrix". Half h of lane 4 * g + t is the element of row 2 * t + h
/// and column g.
LogicalResult Packetizer::emitMovMatrix(MovMatrixOp op) {
  MatrixBuffer buffer = takeBuffer(kRegisterBytes);
  storeRegister(op, buffer.pointer, 0, op.getInputs().front());
  auto halves = VectorType::get(64, b.getI16Type());
  Value all = LLVM::LoadOp::create(b, loc, halves, buffer.pointer, 128);
  SmallVector<int32_t> from;
  for (int32_t i = 0; i < 64; ++i)
    from.push_back(8 * (i % 8) + i / 8);
  all = LLVM::ShuffleVectorOp::create(b, loc, all, all, from);
  setRegister(op.getD().front(),
              LLVM::BitcastOp::create(
                  b, loc, VectorType::get(32, b.getI32Type()), all));
  freeBuffers.push_back(buffer);
  return success();
}

//===----------------------------------------------------------------------===//
// wmma.load, wmma.store
//===----------------------------------------------------------------------===//

/// Where elements of a fragment are is ours to choose: as in those of mma, tile
/// after tile (docs/TensorCores.md). Loads or stores `registers`.
void Packetizer::moveWmma(Operation *op, const WmmaMove &move, Value address,
                          Value stride, Value registers, Value mask,
                          bool isStore) {
  ChunkBuilder s = scalar();
  unsigned bits = move.elementBits();
  // Smaller elements lie as in memory: their dwords are moved.
  unsigned unit = bits < 8 ? 32 : bits, bytes = unit / 8;
  unsigned perUnit = unit / bits;
  Value elements =
      stride ? s.resize(uniformOperand(stride), 64, false)
             : s.intConstant(64, move.isCol ? move.rows() : move.cols());
  Value slow = s.mul(elements, s.intConstant(64, bits));
  slow = s.shrBy(slow, 3, false);
  Value fast = s.intConstant(64, bytes);
  Value rowStride = move.isCol ? fast : slow;
  Value colStride = move.isCol ? slow : fast;
  // B is seen by columns.
  bool byColumns = move.operand == WmmaMove::B;
  Value across = byColumns ? colStride : rowStride;
  Value along = byColumns ? rowStride : colStride;
  unsigned acrossBlocks = (byColumns ? move.n : move.m) / 8;
  bool isC = move.operand == WmmaMove::C;
  unsigned each = isC && unit >= 32 ? 1 : std::max(32 / unit, 1u);
  // Of C a lane has two elements in a row, in two registers if they are large.
  unsigned pairs = isC && unit >= 32 ? 2 : 1;
  unsigned length = isC ? 8 : 4 * each;
  unsigned alongBlocks = (isC ? move.n : move.k / perUnit) / length;
  unsigned acrossStep = byColumns ? alongBlocks : pairs;
  unsigned alongStep = byColumns ? 1 : acrossBlocks * pairs;
  LaneAddress resolved = resolve(address, move.space, 0);
  if (!perThread())
    emitAlignmentTest(resolved, address, move.space, 0, bytes, mask);
  Value base = resolved.base && (!resolved.pattern)
                   ? resolved.base
                   : extractLane(resolved.vectors(0), s.intConstant(32, 0));
  for (unsigned j = 0; j < pairs; ++j) {
    Value from = j ? s.add(base, along) : base;
    SmallVector<Value> arguments = {
        placeIn(registers, int64_t(j) * 32 * each * bytes),
        LLVM::IntToPtrOp::create(
            b, loc, LLVM::LLVMPointerType::get(b.getContext()), from),
        across, along};
    for (unsigned n : {acrossBlocks, alongBlocks, acrossStep, alongStep, each,
                       pairs * each, length})
      arguments.push_back(s.intConstant(32, n));
    arguments.append(ownLanes());
    callMatrix((isStore ? "store_" : "load_") + Twine(bytes), arguments);
  }
}

/// Runs `body` if any lane takes part.
void Packetizer::ifActive(Value mask, llvm::function_ref<void()> body) {
  if (!mask || perThread() || shapeOf(mask).isUniform())
    return body();
  ChunkBuilder s = scalar();
  Value any = s.cmp(CmpIPredicate::ne, activeBits(mask), s.intConstant(32, 0));
  auto active = scf::IfOp::create(b, loc, any, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(active.thenBlock());
  body();
}

LogicalResult Packetizer::emitWmmaLoad(WmmaLoadOp op) {
  WmmaMove move = decodeWmmaMove(op.getInstruction());
  auto inputs = op.getInputs();
  int64_t registerBytes = kRegisterBytes * (move.elementBits() == 64 ? 2 : 1);
  MatrixBuffer buffer = takeBuffer(move.registers * registerBytes);
  ifActive(op.getMask(), [&] {
    moveWmma(op, move, inputs.front(), inputs.size() > 1 ? inputs[1] : Value(),
             buffer.pointer, op.getMask(), /*isStore=*/false);
  });
  for (auto [i, v] : llvm::enumerate(op.getD()))
    loadRegister(v, buffer.pointer, unsigned(i) % move.parts());
  freeBuffers.push_back(buffer);
  return success();
}

LogicalResult Packetizer::emitWmmaStore(WmmaStoreOp op) {
  WmmaMove move = decodeWmmaMove(op.getInstruction());
  auto inputs = op.getInputs();
  int64_t registerBytes = kRegisterBytes * (move.elementBits() == 64 ? 2 : 1);
  MatrixBuffer buffer = takeBuffer(move.registers * registerBytes);
  for (unsigned i = 0; i < move.registers; ++i)
    storeRegister(op, buffer.pointer, i, inputs[1 + i]);
  ifActive(op.getMask(), [&] {
    unsigned strideAt = 1 + move.registers;
    moveWmma(op, move, inputs.front(),
             inputs.size() > strideAt ? inputs[strideAt] : Value(),
             buffer.pointer, op.getMask(), /*isStore=*/true);
  });
  freeBuffers.push_back(buffer);
  return success();
}

LogicalResult Packetizer::emitMatrix(Operation &op, bool &handled) {
  if (auto mma = dyn_cast<MmaOp>(op))
    return emitMma(mma);
  if (auto load = dyn_cast<LdMatrixOp>(op))
    return emitLdMatrix(load);
  if (auto store = dyn_cast<StMatrixOp>(op))
    return emitStMatrix(store);
  if (auto mov = dyn_cast<MovMatrixOp>(op))
    return emitMovMatrix(mov);
  if (auto load = dyn_cast<WmmaLoadOp>(op))
    return emitWmmaLoad(load);
  if (auto store = dyn_cast<WmmaStoreOp>(op))
    return emitWmmaStore(store);
  handled = false;
  return success();
}
