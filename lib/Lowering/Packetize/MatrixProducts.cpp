//===- MatrixProducts.cpp - multiplications of fragments ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits calls of the device library's matrix functions, on memory of the warp's
// stack.
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
/// The device functions that an instruction needs, and the sizes of their
/// memory.
struct MatrixKernels {
  const device::Function *imageA = nullptr, *imageB = nullptr,
                         *multiply = nullptr;
  /// Elements to which an image expands each dword of A and B.
  unsigned elements = 1;
  unsigned rows = 16;  ///< of a tile
  unsigned blocks = 1; ///< of k (lib/Device/Matrix.cpp)
  unsigned elementBytes = 4;
  unsigned flag = 0; ///< last argument of the multiplication

  void setImages(const device::TileFunction &ofA, const device::Function &ofB) {
    imageA = &ofA.of(rows);
    imageB = &ofB;
  }
  void setMultiply(const device::TileFunction &function) {
    multiply = &function.of(rows);
  }
};

bool isFloat(MatrixType type) {
  return llvm::is_contained(
      {MatrixType::F16, MatrixType::BF16, MatrixType::TF32, MatrixType::E4M3,
       MatrixType::E5M2, MatrixType::E3M2, MatrixType::E2M3, MatrixType::E2M1},
      type);
}

/// The device functions that make images of A and B with elements of `type`.
const device::ImageFunctions &imagesOf(MatrixType type, bool bytePerElement) {
  switch (type) {
  case MatrixType::F16:
    return device::image_f16;
  case MatrixType::BF16:
    return device::image_bf16;
  case MatrixType::TF32:
    return device::image_tf32;
  case MatrixType::F64:
    return device::image_f64;
  case MatrixType::S8:
    return device::image_s8;
  case MatrixType::U8:
    return device::image_u8;
  case MatrixType::S4:
    return device::image_s4;
  case MatrixType::U4:
    return device::image_u4;
  case MatrixType::B1:
    return device::image_raw;
  case MatrixType::E4M3:
    return device::image_e4m3;
  case MatrixType::E5M2:
    return device::image_e5m2;
  case MatrixType::E3M2:
    return device::image_e3m2;
  case MatrixType::E2M3:
    return device::image_e2m3;
  case MatrixType::E2M1:
    return bytePerElement ? device::image_e2m1 : device::image_e2m1_packed;
  case MatrixType::F32:
  case MatrixType::S32:
    break;
  }
  llvm_unreachable("not a type of A and B");
}

/// Picks the function for a number of elements in a dword.
template <typename T>
const T &byElements(unsigned elements, const T &one, const T &two,
                    const T &four, const T &eight) {
  const T *functions[] = {&one, &two, &four, &eight};
  assert(llvm::isPowerOf2_32(elements) && elements <= 8 &&
         "no dword has so many elements");
  return *functions[llvm::Log2_32(elements)];
}

const device::TileFunction &multiplyDoubles(Rounding rnd) {
  switch (rnd) {
  case Rounding::RN:
    return device::multiply_f64_rn;
  case Rounding::RM:
    return device::multiply_f64_rm;
  case Rounding::RP:
    return device::multiply_f64_rp;
  case Rounding::RZ:
    return device::multiply_f64_rz;
  default:
    llvm_unreachable("not a rounding mode of multiplications");
  }
}

void chooseIntegers(const MatrixMultiply &mma, const KernelTarget &target,
                    MatrixKernels &kernels) {
  bool bytes = mma.bitsOf(mma.a) == 8;
  kernels.flag = mma.saturates;
  if (mma.a == MatrixType::B1) {
    kernels.setMultiply(device::multiply_bits);
    kernels.flag = mma.bitOp == BoolOp::And;
  } else if (bytes && mma.b == MatrixType::S8 && target.dotProducts) {
    // NEON multiplies signed bytes of A, x86 unsigned ones.
    if ((mma.a == MatrixType::S8) != target.neonDots)
      kernels.setImages(device::a_dot_biased, device::b_signed_for_biased);
    else
      kernels.setImages(device::a_dot, device::b_signed);
    kernels.setMultiply(device::multiply_bytes);
  } else {
    kernels.elements = bytes ? 2 : 4;
    kernels.setMultiply(bytes ? device::multiply_pairs_2
                              : device::multiply_pairs_4);
  }
}

MatrixKernels chooseKernels(const MatrixMultiply &mma,
                            const KernelTarget &target) {
  MatrixKernels kernels;
  kernels.rows = mma.m == 8 ? 8 : 16;
  kernels.setImages(imagesOf(mma.a, mma.bytePerElement).a,
                    imagesOf(mma.b, mma.bytePerElement).b);
  unsigned dwordsOfRow = mma.isF64() ? mma.k : mma.k * mma.bitsOf(mma.a) / 32;
  kernels.blocks = dwordsOfRow / 4;
  if (mma.isF64()) {
    kernels.elementBytes = 8;
    kernels.setMultiply(multiplyDoubles(mma.rounding));
  } else if (mma.isInteger()) {
    chooseIntegers(mma, target, kernels);
  } else if (mma.a == MatrixType::BF16 && target.fastMatrices &&
             target.fastProducts && mma.sparsity == Sparsity::Dense) {
    kernels.setImages(device::a_dot, device::image_raw.b);
    kernels.setMultiply(device::multiply_fast);
  } else if (llvm::is_contained({MatrixType::F16, MatrixType::BF16}, mma.a) &&
             target.halfProducts && mma.sparsity == Sparsity::Dense &&
             !mma.scales) {
    bool isF16 = mma.a == MatrixType::F16;
    kernels.setImages(isF16 ? device::a_halves : device::a_raw,
                      device::image_raw.b);
    kernels.setMultiply(isF16 ? device::multiply_f16 : device::multiply_bf16);
  } else {
    kernels.elements = 32 / mma.bitsOf(mma.a);
    kernels.setMultiply(byElements(
        kernels.elements, device::multiply_floats_1, device::multiply_floats_2,
        device::multiply_floats_4, device::multiply_floats_8));
  }
  return kernels;
}

/// The device function that expands a sparse A to a dense matrix.
const device::Function &expandFunction(Sparsity sparsity) {
  switch (sparsity) {
  case Sparsity::Words:
    return device::expand_words;
  case Sparsity::Halves:
    return device::expand_halves;
  case Sparsity::Bytes:
    return device::expand_bytes;
  case Sparsity::Dense:
    break;
  }
  llvm_unreachable("the matrix is dense");
}
} // namespace

//===----------------------------------------------------------------------===//
// mma
//===----------------------------------------------------------------------===//

namespace {
/// The operands of an instruction, by their roles.
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

/// Emits one `mma`, other than quad pairs (see isQuadPair).
class MmaEmission {
public:
  MmaEmission(WarpBuilder &warp, MmaOp op)
      : warp(warp), op(op), mma(op.getMultiply()),
        kernels(chooseKernels(mma, warp.target)), operands(op, mma),
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
  /// Does the multiplication take further arguments, since A is sparse or parts
  /// of k have scale factors?
  bool isExtra() const {
    return mma.scales || (mma.sparsity != Sparsity::Dense && isFloat(mma.a));
  }
  /// Takes memory for this instruction alone.
  Value take(int64_t bytes) {
    taken.push_back(takeBuffer(warp, bytes));
    return taken.back().pointer;
  }
  Value imageOf(const device::Function &function, unsigned operand,
                ValueRange registers, int64_t bytes);
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
  int64_t registerBytes;
  Value blocks;
  SmallVector<StackBuffer, 8> taken;
  SmallVector<Value, 2> imagesA; ///< by tile of rows
  SmallVector<Value, 4> imagesB; ///< by tile of columns
  Value kept;                ///< image of ones where a sparse A holds elements
  SmallVector<Value> extras; ///< further arguments of the multiplication
};
} // namespace

Value MmaEmission::imageOf(const device::Function &function, unsigned operand,
                           ValueRange registers, int64_t bytes) {
  Fragment fragment{op, operand, registers};
  return ptxjit::imageOf(warp, fragment, function, bytes, [&](Value image) {
    StackBuffer buffer;
    Value from = registersOf(warp, fragment, registerBytes, buffer);
    callDevice(warp, function, {image, from, blocks});
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
    imagesA.push_back(
        imageOf(*kernels.imageA, eights * tile, registers, bytesOfImageA()));
  }
}

/// Expands a sparse A and makes its image. If the elements that A leaves out
/// are not simply 0, also makes an image of which elements it holds: the same
/// expansion of all ones.
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
  auto expand = [&](const device::Function &makeImage) {
    callDevice(warp, expandFunction(mma.sparsity),
               {dense, compressed, metadata, half, selector});
    Value image = take(bytesOfImageA());
    callDevice(warp, makeImage, {image, dense, blocks});
    return image;
  };
  imagesA.push_back(expand(*kernels.imageA));
  if (!isExtra())
    return;
  Value ones = warp.create<arith::ConstantOp>(
      DenseElementsAttr::get(VectorType::get(32, b.getI32Type()), int32_t(-1)));
  for (unsigned i = 0; i < parts; ++i)
    warp.create<LLVM::StoreOp>(
        ones, placeIn(warp, compressed, i * registerBytes), 128);
  kept = expand(byElements(kernels.elements, device::a_kept_1, device::a_kept_2,
                           device::a_kept_4, device::a_kept_8)
                    .of(kernels.rows));
}

void MmaEmission::makeImagesB() {
  int64_t bytes =
      (int64_t(kernels.blocks) * kernels.elements + 1) * registerBytes;
  for (unsigned tile = 0; tile < mma.n / 8; ++tile)
    imagesB.push_back(imageOf(
        *kernels.imageB, mma.aRegisters() + tile * kernels.blocks,
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
      callDevice(warp,
                 byElements(kernels.elements, device::multiply_extra_1,
                            device::multiply_extra_2, device::multiply_extra_4,
                            device::multiply_extra_8),
                 arguments);
    } else {
      arguments.push_back(warp.scalar().intConstant(32, kernels.flag));
      callDevice(warp, *kernels.multiply, arguments);
    }
    if (!keepHome(warp, home, tiles.d[i], to))
      dropHome(warp, home, to);
    else if (to.kind.type == MatrixType::F16)
      callDevice(warp, device::round_f16.of(kernels.rows), {home.pointer});
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
  callDevice(warp, device::quad_pairs, arguments);
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
