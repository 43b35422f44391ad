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

/// As the device library names the image.
StringRef nameOf(MatrixType type, bool bytePerElement) {
  if (type == MatrixType::B1)
    return "raw";
  if (type == MatrixType::E2M1 && !bytePerElement)
    return "e2m1_packed";
  return stringifyMatrixType(type);
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
  LLVM::StoreOp::create(b, loc, all, place, 64);
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

/// A kernel of the device library, which is called, not inlined.
void Packetizer::callMatrix(const Twine &name, ArrayRef<Value> operands) {
  callByReference("ptxjit_matrix_" + name, operands);
}

/// A function of the device library: pointers and integers.
void Packetizer::callByReference(const Twine &name, ArrayRef<Value> operands) {
  std::string symbol = name.str();
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

/// How many instructions of the block make the same image of the same
/// registers: they are alike, and have them in the same place.
unsigned Packetizer::Fragment::countUsers() const {
  MmaOp same = op;
  unsigned count = 0;
  for (OpOperand &use : registers.front().getUses()) {
    auto mma = dyn_cast<MmaOp>(use.getOwner());
    if (!mma || mma->getBlock() != same->getBlock() ||
        use.getOperandNumber() != operand ||
        mma.getInstruction() != same.getInstruction())
      continue;
    if (llvm::equal(mma.getInputs().slice(operand, registers.size()),
                    registers))
      ++count;
  }
  return count;
}

void Packetizer::leaveMatrixScope() {
  for (MatrixImage &image : images.back())
    freeBuffers.push_back(image.buffer);
  images.pop_back();
}

/// What `make` writes of the fragment, or wrote before in this block or one
/// around it.
Value Packetizer::imageOf(const Fragment &fragment, StringRef kind,
                          int64_t bytes,
                          llvm::function_ref<void(Value image)> make) {
  ValueRange registers = fragment.registers;
  for (auto &scope : images)
    for (MatrixImage &image : scope)
      if (image.kind == kind && llvm::equal(image.registers, registers)) {
        --image.usersLeft;
        return image.buffer.pointer;
      }
  MatrixImage image{kind.str(), llvm::to_vector(registers), takeBuffer(bytes),
                    int(fragment.countUsers()) - 1};
  make(image.buffer.pointer);
  images.back().push_back(image);
  return image.buffer.pointer;
}

/// Memory that is given back when the last copy of the pointer goes.
std::shared_ptr<Packetizer::MatrixBuffer>
Packetizer::shareBuffer(int64_t bytes) {
  return std::shared_ptr<MatrixBuffer>(new MatrixBuffer(takeBuffer(bytes)),
                                       [this](MatrixBuffer *buffer) {
                                         freeBuffers.push_back(*buffer);
                                         delete buffer;
                                       });
}

/// Is it nothing but an operand of multiplications, here? Those behind a
/// barrier may be in another part.
bool Packetizer::isOnlyMultiplied(Value v) {
  bool mayEnd = part && part->contains(v.getDefiningOp());
  return !perThread() && llvm::all_of(v.getUsers(), [&](Operation *user) {
    return isa<MmaOp>(user) && user->getBlock() == v.getParentBlock() &&
           (!mayEnd || part->contains(user));
  });
}

/// Registers side by side: where they are, or copied to `taken`.
Value Packetizer::registersOf(const Fragment &fragment, int64_t registerBytes,
                              MatrixBuffer &taken) {
  ValueRange registers = fragment.registers;
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
    forgetStored(fragment);
    return pointer;
  }
  taken = takeBuffer(int64_t(registers.size()) * registerBytes);
  for (auto [i, v] : llvm::enumerate(registers))
    storeRegister(fragment.op, taken.pointer, i, v);
  return taken.pointer;
}

/// The image serves all that use these registers, if they use them alike.
void Packetizer::forgetStored(const Fragment &fragment) {
  unsigned users = fragment.countUsers();
  for (Value v : fragment.registers)
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
      keepHome(home, tileAt(arguments, positions), form);
  }
}

/// Behind the loop.
void Packetizer::keepResults(const CarriedTiles &carried, ValueRange results) {
  for (auto [tile, home] : llvm::zip(carried.tiles, carried.homes)) {
    TileForm form(tile.user, /*isResult=*/false);
    bool stays = false;
    for (const auto &positions : tile.results)
      stays |= keepHome(home, tileAt(results, positions), form);
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

/// One `mma`, but those of m8n8k4.
class Packetizer::MmaEmission {
public:
  MmaEmission(Packetizer &p, MmaOp op)
      : p(p), op(op), mma(decodeMma(op)), kernels(chooseKernels(mma, p.target)),
        operands(op, mma), suffix("_r" + std::to_string(kernels.rows)),
        registerBytes(kRegisterBytes * kernels.elementBytes / 4),
        blocks(p.scalar().intConstant(32, kernels.blocks)) {}

  void run() {
    if (mma.sparsity == Sparsity::Dense)
      makeImagesA();
    else
      makeSparseImageA();
    makeImagesB();
    if (isExtra())
      collectExtras();
    multiplyTiles();
    p.freeBuffers.append(taken);
    p.dropImages();
  }

private:
  /// Some of A is left out, or parts of k have factors.
  bool isExtra() const {
    return mma.scales || (mma.sparsity != Sparsity::Dense && isFloat(mma.a));
  }
  /// Memory for this instruction alone.
  Value take(int64_t bytes) {
    taken.push_back(p.takeBuffer(bytes));
    return taken.back().pointer;
  }
  Value imageOf(const std::string &name, unsigned operand, ValueRange registers,
                int64_t bytes);
  int64_t bytesOfImageA() const {
    return int64_t(kernels.blocks) * kernels.rows / 8 * registerBytes *
           kernels.elements;
  }
  void makeImagesA();
  void makeSparseImageA();
  void makeImagesB();
  void collectExtras();
  void multiplyTiles();

  Packetizer &p;
  MmaOp op;
  MatrixMultiply mma;
  MatrixKernels kernels;
  MmaOperands operands;
  std::string suffix;
  int64_t registerBytes;
  Value blocks;
  SmallVector<MatrixBuffer, 8> taken;
  SmallVector<Value, 2> imagesA; ///< by tiles of rows
  SmallVector<Value, 4> imagesB; ///< by tiles of columns
  Value kept;                    ///< image of what a sparse A holds
  SmallVector<Value> extras;     ///< further arguments of the multiplication
};

Value Packetizer::MmaEmission::imageOf(const std::string &name,
                                       unsigned operand, ValueRange registers,
                                       int64_t bytes) {
  Fragment fragment{op, operand, registers};
  return p.imageOf(fragment, name, bytes, [&](Value image) {
    MatrixBuffer buffer;
    Value from = p.registersOf(fragment, registerBytes, buffer);
    p.callMatrix(name, {image, from, blocks});
    if (buffer.pointer)
      p.freeBuffers.push_back(buffer);
  });
}

void Packetizer::MmaEmission::makeImagesA() {
  unsigned eights = kernels.rows / 8;
  for (unsigned tile = 0; tile < mma.m / kernels.rows; ++tile) {
    SmallVector<Value, 8> registers;
    for (unsigned block = 0; block < kernels.blocks; ++block)
      for (unsigned i = 0; i < eights; ++i)
        registers.push_back(operands.a[mma.m / 8 * block + eights * tile + i]);
    imagesA.push_back(imageOf("a_" + kernels.imageA + suffix, eights * tile,
                              registers, bytesOfImageA()));
  }
}

/// The matrix whose kept elements A holds, and (if others are not simply 0)
/// which they are: the same with all ones.
void Packetizer::MmaEmission::makeSparseImageA() {
  OpBuilder &b = p.b;
  unsigned parts = operands.a.size();
  Value compressed = take(parts * registerBytes);
  Value dense = take(2 * parts * registerBytes);
  Value metadata = take(registerBytes);
  for (auto [i, v] : llvm::enumerate(operands.a))
    p.storeRegister(op, compressed, i, v);
  p.storeRegister(op, metadata, 0, operands.metadata);
  Value half = p.scalar().intConstant(32, kernels.blocks / 2);
  Value selector = p.uniformOperand(operands.selector);
  auto expand = [&](const std::string &name) {
    p.callMatrix("expand_" + unitOf(mma.sparsity),
                 {dense, compressed, metadata, half, selector});
    Value image = take(bytesOfImageA());
    p.callMatrix("a_" + name + suffix, {image, dense, blocks});
    return image;
  };
  imagesA.push_back(expand(kernels.imageA));
  if (!isExtra())
    return;
  Value ones = arith::ConstantOp::create(
      b, p.loc,
      DenseElementsAttr::get(VectorType::get(32, b.getI32Type()), int32_t(-1)));
  for (unsigned i = 0; i < parts; ++i)
    LLVM::StoreOp::create(b, p.loc, ones,
                          p.placeIn(compressed, i * registerBytes), 128);
  kept = expand("kept_" + std::to_string(kernels.elements));
}

void Packetizer::MmaEmission::makeImagesB() {
  int64_t bytes =
      (int64_t(kernels.blocks) * kernels.elements + 1) * registerBytes;
  for (unsigned tile = 0; tile < mma.n / 8; ++tile)
    imagesB.push_back(imageOf(
        "b_" + kernels.imageB, mma.aRegisters() + tile * kernels.blocks,
        operands.b.slice(tile * kernels.blocks, kernels.blocks), bytes));
}

void Packetizer::MmaEmission::collectExtras() {
  ChunkBuilder s = p.scalar();
  Value null = LLVM::ZeroOp::create(
      p.b, p.loc, LLVM::LLVMPointerType::get(p.b.getContext()));
  extras.push_back(kept ? kept : null);
  for (Value scale : {operands.scaleA, operands.scaleB}) {
    extras.push_back(scale ? take(registerBytes) : null);
    if (scale)
      p.storeRegister(op, extras.back(), 0, scale);
  }
  extras.push_back(s.intConstant(32, mma.scales));
  extras.push_back(s.intConstant(32, mma.scalesAreUE4M3));
  for (ValueRange at : {operands.atA, operands.atB})
    for (unsigned i = 0; i < 2; ++i)
      extras.push_back(mma.scales ? p.uniformOperand(at[i])
                                  : s.intConstant(32, 0));
}

void Packetizer::MmaEmission::multiplyTiles() {
  MatrixTiles tiles(op);
  TileForm from(op, /*isResult=*/false), to(op, /*isResult=*/true);
  for (auto [i, c] : llvm::enumerate(tiles.c)) {
    MatrixBuffer home = p.homeFor(op, c, from);
    SmallVector<Value> arguments = {home.pointer, imagesA[i / imagesB.size()],
                                    imagesB[i % imagesB.size()], blocks};
    if (isExtra()) {
      arguments.append(extras);
      p.callMatrix("multiply_extra_" + std::to_string(kernels.elements),
                   arguments);
    } else {
      arguments.push_back(p.scalar().intConstant(32, kernels.flag));
      p.callMatrix("multiply_" + kernels.multiply + suffix, arguments);
    }
    if (!p.keepHome(home, tiles.d[i], to))
      p.freeBuffers.push_back(home);
    else if (to.type == "f16")
      p.callMatrix("round_f16" + suffix, {home.pointer});
  }
}

LogicalResult Packetizer::emitMma(MmaOp op) {
  MatrixMultiply mma = decodeMma(op);
  if (mma.isQuadPair())
    emitQuadPairs(op, mma);
  else
    MmaEmission(*this, op).run();
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
