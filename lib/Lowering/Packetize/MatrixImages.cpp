//===- MatrixImages.cpp - images of the fragments of A and B --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The image of a fragment is made once for all instructions of a block that use
// it. lib/Device/Matrix.cpp defines registers, images and homes.
//
//===----------------------------------------------------------------------===//

#include "MatrixImages.h"
#include "Fragments.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

namespace {
/// A fragment in the form that multiplications read.
struct MatrixImage {
  StringRef symbol; ///< of the device function that makes it
  SmallVector<Value> registers;
  StackBuffer buffer;
  int usersLeft = 0; ///< instructions of the block that still need it
};
struct MatrixImages : FamilyState {
  explicit MatrixImages(WarpBuilder &warp) : warp(warp) {}
  void enterBlock() override { blocks.emplace_back(); }
  void leaveBlock() override {
    for (MatrixImage &image : blocks.back())
      giveBack(warp, image.buffer);
    blocks.pop_back();
  }
  WarpBuilder &warp;
  /// Images by block, outermost first.
  SmallVector<SmallVector<MatrixImage>> blocks;
};
} // namespace

/// Counts the instructions of the block that make the same image of the same
/// registers: those of the same form, with the registers in the same place.
unsigned Fragment::countUsers() const {
  MmaOp same = op;
  unsigned count = 0;
  for (OpOperand &use : registers.front().getUses()) {
    auto mma = dyn_cast<MmaOp>(use.getOwner());
    if (!mma || mma->getBlock() != same->getBlock() ||
        use.getOperandNumber() != operand || !mma.isAlike(same))
      continue;
    if (llvm::equal(mma.getInputs().slice(operand, registers.size()),
                    registers))
      ++count;
  }
  return count;
}

Value ptxjit::imageOf(WarpBuilder &warp, const Fragment &fragment,
                      const device::Function &function, int64_t bytes,
                      llvm::function_ref<void(Value image)> make) {
  ValueRange registers = fragment.registers;
  SmallVector<SmallVector<MatrixImage>> &blocks =
      warp.state<MatrixImages>().blocks;
  for (auto &scope : blocks)
    for (MatrixImage &image : scope)
      if (image.symbol == function.symbol &&
          llvm::equal(image.registers, registers)) {
        --image.usersLeft;
        return image.buffer.pointer;
      }
  MatrixImage image{function.symbol, llvm::to_vector(registers),
                    takeBuffer(warp, bytes), int(fragment.countUsers()) - 1};
  make(image.buffer.pointer);
  blocks.back().push_back(image);
  return image.buffer.pointer;
}

/// Drops the stored registers of a fragment whose uses all read the image.
static void forgetStored(WarpBuilder &warp, const Fragment &fragment) {
  unsigned users = fragment.countUsers();
  for (Value v : fragment.registers)
    if (unsigned(std::distance(v.use_begin(), v.use_end())) == users)
      warp.state<StoredRegisters>().map.erase(v);
}

Value ptxjit::registersOf(WarpBuilder &warp, const Fragment &fragment,
                          int64_t registerBytes, StackBuffer &taken) {
  ValueRange registers = fragment.registers;
  auto &stored = warp.state<StoredRegisters>().map;
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
    forgetStored(warp, fragment);
    return pointer;
  }
  taken = takeBuffer(warp, int64_t(registers.size()) * registerBytes);
  for (auto [i, v] : llvm::enumerate(registers))
    storeRegister(warp, fragment.op, taken.pointer, i, v);
  return taken.pointer;
}

void ptxjit::dropImages(WarpBuilder &warp) {
  llvm::erase_if(warp.state<MatrixImages>().blocks.back(),
                 [&](MatrixImage &image) {
                   if (image.usersLeft > 0)
                     return false;
                   giveBack(warp, image.buffer);
                   return true;
                 });
}
