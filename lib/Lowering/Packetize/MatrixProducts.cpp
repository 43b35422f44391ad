//===- MatrixProducts.cpp - multiplications of fragments ------------------===//
//
// Calls of the device library's kernels, on memory of the warp's stack.
//
//===----------------------------------------------------------------------===//

#include "Dispatch.h"
#include "Fragments.h"
#include "MatrixHomes.h"
#include "MatrixImages.h"

#include "ptxjit/Dialect/Matrix.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

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

/// One `mma`, but those of m8n8k4.
class MmaEmission {
public:
  MmaEmission(WarpBuilder &warp, MmaOp op)
      : warp(warp), op(op), mma(op.getMultiply()),
        kernels(chooseKernels(mma, warp.target)), operands(op, mma),
        suffix("_r" + std::to_string(kernels.rows)),
        registerBytes(kRegisterBytes * kernels.elementBytes / 4),
        blocks(warp.scalar().intConstant(32, kernels.blocks)) {}

  void run() {
    if (mma.sparsity == Sparsity::Dense)
      makeImagesA();
    else
      makeSparseImageA();
    makeImagesB();
    if (isExtra())
      collectExtras();
    multiplyTiles();
    for (const StackBuffer &buffer : taken)
      giveBack(warp, buffer);
    dropImages(warp);
  }

private:
  /// Some of A is left out, or parts of k have factors.
  bool isExtra() const {
    return mma.scales || (mma.sparsity != Sparsity::Dense && isFloat(mma.a));
  }
  /// Memory for this instruction alone.
  Value take(int64_t bytes) {
    taken.push_back(takeBuffer(warp, bytes));
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

  WarpBuilder &warp;
  MmaOp op;
  MatrixMultiply mma;
  MatrixKernels kernels;
  MmaOperands operands;
  std::string suffix;
  int64_t registerBytes;
  Value blocks;
  SmallVector<StackBuffer, 8> taken;
  SmallVector<Value, 2> imagesA; ///< by tiles of rows
  SmallVector<Value, 4> imagesB; ///< by tiles of columns
  Value kept;                    ///< image of what a sparse A holds
  SmallVector<Value> extras;     ///< further arguments of the multiplication
};

Value MmaEmission::imageOf(const std::string &name, unsigned operand,
                           ValueRange registers, int64_t bytes) {
  Fragment fragment{op, operand, registers};
  return ptxjit::imageOf(warp, fragment, name, bytes, [&](Value image) {
    StackBuffer buffer;
    Value from = registersOf(warp, fragment, registerBytes, buffer);
    callMatrix(warp, name, {image, from, blocks});
    if (buffer.pointer)
      giveBack(warp, buffer);
  });
}

void MmaEmission::makeImagesA() {
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
void MmaEmission::makeSparseImageA() {
  OpBuilder &b = warp.b;
  unsigned parts = operands.a.size();
  Value compressed = take(parts * registerBytes);
  Value dense = take(2 * parts * registerBytes);
  Value metadata = take(registerBytes);
  for (auto [i, v] : llvm::enumerate(operands.a))
    storeRegister(warp, op, compressed, i, v);
  storeRegister(warp, op, metadata, 0, operands.metadata);
  Value half = warp.scalar().intConstant(32, kernels.blocks / 2);
  Value selector = uniformOperand(warp, operands.selector);
  auto expand = [&](const std::string &name) {
    callMatrix(warp, "expand_" + unitOf(mma.sparsity),
               {dense, compressed, metadata, half, selector});
    Value image = take(bytesOfImageA());
    callMatrix(warp, "a_" + name + suffix, {image, dense, blocks});
    return image;
  };
  imagesA.push_back(expand(kernels.imageA));
  if (!isExtra())
    return;
  Value ones = warp.create<arith::ConstantOp>(
      DenseElementsAttr::get(VectorType::get(32, b.getI32Type()), int32_t(-1)));
  for (unsigned i = 0; i < parts; ++i)
    warp.create<LLVM::StoreOp>(
        ones, placeIn(warp, compressed, i * registerBytes), 128);
  kept = expand("kept_" + std::to_string(kernels.elements));
}

void MmaEmission::makeImagesB() {
  int64_t bytes =
      (int64_t(kernels.blocks) * kernels.elements + 1) * registerBytes;
  for (unsigned tile = 0; tile < mma.n / 8; ++tile)
    imagesB.push_back(imageOf(
        "b_" + kernels.imageB, mma.aRegisters() + tile * kernels.blocks,
        operands.b.slice(tile * kernels.blocks, kernels.blocks), bytes));
}

void MmaEmission::collectExtras() {
  ChunkBuilder s = warp.scalar();
  Value null = warp.create<LLVM::ZeroOp>(
      LLVM::LLVMPointerType::get(warp.b.getContext()));
  extras.push_back(kept ? kept : null);
  for (Value scale : {operands.scaleA, operands.scaleB}) {
    extras.push_back(scale ? take(registerBytes) : null);
    if (scale)
      storeRegister(warp, op, extras.back(), 0, scale);
  }
  extras.push_back(s.intConstant(32, mma.scales));
  extras.push_back(s.intConstant(32, mma.scalesAreUE4M3));
  for (ValueRange at : {operands.atA, operands.atB})
    for (unsigned i = 0; i < 2; ++i)
      extras.push_back(mma.scales ? uniformOperand(warp, at[i])
                                  : s.intConstant(32, 0));
}

void MmaEmission::multiplyTiles() {
  MatrixTiles tiles(op);
  TileForm from(op, /*isResult=*/false), to(op, /*isResult=*/true);
  for (auto [i, c] : llvm::enumerate(tiles.c)) {
    StackBuffer home = homeFor(warp, op, c, from);
    SmallVector<Value> arguments = {home.pointer, imagesA[i / imagesB.size()],
                                    imagesB[i % imagesB.size()], blocks};
    if (isExtra()) {
      arguments.append(extras);
      callMatrix(warp, "multiply_extra_" + std::to_string(kernels.elements),
                 arguments);
    } else {
      arguments.push_back(warp.scalar().intConstant(32, kernels.flag));
      callMatrix(warp, "multiply_" + kernels.multiply + suffix, arguments);
    }
    if (!keepHome(warp, home, tiles.d[i], to))
      giveBack(warp, home);
    else if (to.type == "f16")
      callMatrix(warp, "round_f16" + suffix, {home.pointer});
  }
}

static void emitQuadPairs(WarpBuilder &warp, MmaOp op,
                          const MatrixMultiply &mma) {
  MmaOperands operands(op, mma);
  SmallVector<Value> arguments;
  SmallVector<StackBuffer, 4> taken = {
      takeBuffer(warp, mma.dRegisters() * kRegisterBytes)};
  arguments.push_back(taken.front().pointer);
  for (ValueRange registers : {operands.a, operands.b, operands.c}) {
    taken.push_back(
        takeBuffer(warp, int64_t(registers.size()) * kRegisterBytes));
    arguments.push_back(taken.back().pointer);
    for (auto [i, v] : llvm::enumerate(registers))
      storeRegister(warp, op, taken.back().pointer, i, v);
  }
  for (bool flag : {mma.aIsCol, mma.bIsRow, mma.c == MatrixType::F16,
                    mma.d == MatrixType::F16})
    arguments.push_back(warp.scalar().intConstant(32, flag));
  callMatrix(warp, "quad_pairs", arguments);
  for (auto [i, v] : llvm::enumerate(op.getD()))
    loadRegister(warp, v, taken.front().pointer, i);
  for (const StackBuffer &buffer : taken)
    giveBack(warp, buffer);
}

static LogicalResult emitMma(WarpBuilder &warp, MmaOp op) {
  MatrixMultiply mma = op.getMultiply();
  if (mma.isQuadPair())
    emitQuadPairs(warp, op, mma);
  else
    MmaEmission(warp, op).run();
  return success();
}

void ptxjit::addMatrixProductEmitters(Dispatch &dispatch) {
  dispatch.add<emitMma>();
}
