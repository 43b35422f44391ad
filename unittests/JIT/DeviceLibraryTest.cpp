//===- DeviceLibraryTest.cpp - the list of device functions is true -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions.def lists the device functions. The embedded bitcode must define
// exactly these.
//
//===----------------------------------------------------------------------===//

#include "lib/JIT/EmbeddedDevice.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"
#include <gtest/gtest.h>
#include <set>

using namespace llvm;

using Names = std::set<std::string>;

namespace {
/// The functions that a level has beside those that all have.
struct Level {
  bool dots = false;   ///< those for CPUs with dot products of bytes
  bool fast = false;   ///< with products of bf16 of their own
  bool tiles = false;  ///< with AMX
  bool halves = false; ///< with exact products of f16 and bf16
};
} // namespace

/// The functions of the list that a level has.
static Names listedFunctions(Level level) {
  Names names;
#define PTXJIT_LANE_FUNCTION(name, operands)                                   \
  for (const char *width : {"_x1", "_x4", "_x8", "_x16"})                      \
    names.insert(std::string("ptxjit_" #name) + width);
#define PTXJIT_MATRIX_FUNCTION(name, signature)                                \
  names.insert("ptxjit_matrix_" #name);
#define PTXJIT_DOT_FUNCTION(name, signature)                                   \
  if (level.dots)                                                              \
    names.insert("ptxjit_matrix_" #name);
#define PTXJIT_FAST_FUNCTION(name, signature)                                  \
  if (level.fast)                                                              \
    names.insert("ptxjit_matrix_" #name);
#define PTXJIT_HALF_FUNCTION(name, signature)                                  \
  if (level.halves)                                                            \
    names.insert("ptxjit_matrix_" #name);
#define PTXJIT_FRAGMENT_FUNCTION(name, signature)                              \
  names.insert("ptxjit_fragment_" #name);
#define PTXJIT_CELL_FUNCTION(name, signature)                                  \
  names.insert("ptxjit_cells_" #name);
#define PTXJIT_WGMMA_FUNCTION(name, signature)                                 \
  names.insert("ptxjit_wgmma_" #name);
#define PTXJIT_WGMMA_DOT_FUNCTION(name, signature)                             \
  if (level.dots)                                                              \
    names.insert("ptxjit_wgmma_" #name);
#define PTXJIT_WGMMA_FAST_FUNCTION(name, signature)                            \
  if (level.fast)                                                              \
    names.insert("ptxjit_wgmma_" #name);
#define PTXJIT_WGMMA_TILE_FUNCTION(name, signature)                            \
  if (level.tiles)                                                             \
    names.insert("ptxjit_wgmma_" #name);
#define PTXJIT_TENSOR_FUNCTION(name, signature)                                \
  names.insert("ptxjit_tensor_" #name);
#define PTXJIT_TENSOR_DOT_FUNCTION(name, signature)                            \
  if (level.dots)                                                              \
    names.insert("ptxjit_tensor_" #name);
#define PTXJIT_TENSOR_FAST_FUNCTION(name, signature)                           \
  if (level.fast)                                                              \
    names.insert("ptxjit_tensor_" #name);
#define PTXJIT_TENSOR_TILE_FUNCTION(name, signature)                           \
  if (level.tiles)                                                             \
    names.insert("ptxjit_tensor_" #name);
#include "ptxjit/Device/Functions.def"
  return names;
}

/// The functions that the bitcode files of a CPU level define.
static Names definedFunctions(ArrayRef<EmbeddedBitcode> files) {
  Names names;
  for (const EmbeddedBitcode &file : files) {
    LLVMContext context;
    StringRef bytes(reinterpret_cast<const char *>(file.data), file.size);
    auto module =
        getLazyBitcodeModule(MemoryBufferRef(bytes, "device"), context);
    if (!module) {
      ADD_FAILURE() << toString(module.takeError());
      return names;
    }
    for (const Function &f : **module)
      if (!f.isDeclaration() && f.hasExternalLinkage())
        EXPECT_TRUE(names.insert(f.getName().str()).second)
            << f.getName().str() << " is defined twice";
  }
  return names;
}

TEST(DeviceLibrary, DefinesWhatTheListHasAndNothingElse) {
  EXPECT_EQ(definedFunctions({ptxjitDeviceV3, ptxjitDeviceV3Count}),
            listedFunctions({}));
  EXPECT_EQ(definedFunctions({ptxjitDeviceV4, ptxjitDeviceV4Count}),
            listedFunctions({}));
  EXPECT_EQ(definedFunctions({ptxjitDeviceV4Dot, ptxjitDeviceV4DotCount}),
            listedFunctions({.dots = true, .fast = true, .tiles = true}));
  EXPECT_EQ(definedFunctions({ptxjitDeviceNeon, ptxjitDeviceNeonCount}),
            listedFunctions({}));
  EXPECT_EQ(definedFunctions({ptxjitDeviceNeonDot, ptxjitDeviceNeonDotCount}),
            listedFunctions({.dots = true}));
  EXPECT_EQ(
      definedFunctions({ptxjitDeviceNeonMatrix, ptxjitDeviceNeonMatrixCount}),
      listedFunctions({.dots = true, .fast = true, .halves = true}));
}
