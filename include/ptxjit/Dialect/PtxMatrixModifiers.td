//===- PtxMatrixModifiers.td - modifiers of matrix instructions -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modifiers that multiplications of warps, of warpgroups (PtxMatrixOps.td) and
// of tensor memory (PtxTensorCoreOps.td) have in common, and those of moves of
// matrices.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_DIALECT_PTXMATRIXMODIFIERS_TD
#define PTXJIT_DIALECT_PTXMATRIXMODIFIERS_TD
include "ptxjit/Dialect/PtxBase.td"

/// The types of matrix elements.
def Ptx_MatrixTypeEnum : Ptx_Enum<"MatrixType", [
  Case<0, "f16", "F16">, Case<1, "bf16", "BF16">, Case<2, "tf32", "TF32">,
  Case<3, "f32", "F32">, Case<4, "f64", "F64">, Case<5, "s32", "S32">,
  Case<6, "s8", "S8">, Case<7, "u8", "U8">, Case<8, "s4", "S4">,
  Case<9, "u4", "U4">, Case<10, "b1", "B1">, Case<11, "e4m3", "E4M3">,
  Case<12, "e5m2", "E5M2">, Case<13, "e3m2", "E3M2">, Case<14, "e2m3", "E2M3">,
  Case<15, "e2m1", "E2M1">]>;
def Ptx_MatrixType : Ptx_Modifier<Ptx_MatrixTypeEnum, "matrix_type">;

/// `.mMnNkK`. The enumerator's value holds m in bits 0 to 9, n in bits 10 to
/// 19, and k from bit 20 on.
class MatrixShape<int m, int n, int k>
    : Case<!or(m, !shl(n, 10), !shl(k, 20)), "m" # m # "n" # n # "k" # k,
           "M" # m # "N" # n # "K" # k>;
/// The shapes of a warpgroup, for a given k.
class WarpgroupShapes<int k> {
  list<Case> L = !foreach(i, !range(1, 33), MatrixShape<64, !mul(i, 8), k>);
}
def Ptx_MatrixShapeEnum : Ptx_Enum<"MatrixShape", !listconcat([
  MatrixShape<8, 8, 4>, MatrixShape<8, 8, 16>, MatrixShape<8, 8, 32>,
  MatrixShape<8, 8, 128>, MatrixShape<16, 8, 4>, MatrixShape<16, 8, 8>,
  MatrixShape<16, 8, 16>, MatrixShape<16, 8, 32>, MatrixShape<16, 8, 64>,
  MatrixShape<16, 8, 128>, MatrixShape<16, 8, 256>, MatrixShape<16, 16, 8>,
  MatrixShape<16, 16, 16>, MatrixShape<8, 32, 16>, MatrixShape<32, 8, 16>],
  WarpgroupShapes<8>.L, WarpgroupShapes<16>.L, WarpgroupShapes<32>.L,
  WarpgroupShapes<64>.L, WarpgroupShapes<256>.L)>;
def Ptx_MatrixShape : Ptx_Modifier<Ptx_MatrixShapeEnum, "matrix_shape">;

def Ptx_MatrixLayoutEnum : Ptx_Enum<"MatrixLayout", [
  Case<0, "row", "Row">, Case<1, "col", "Col">]>;
def Ptx_MatrixLayout : Ptx_Modifier<Ptx_MatrixLayoutEnum, "matrix_layout">;

/// Which operand of a multiplication a fragment is.
def Ptx_MatrixRoleEnum : Ptx_Enum<"MatrixRole", [
  Case<0, "a", "A">, Case<1, "b", "B">, Case<2, "c", "C">, Case<3, "d", "D">]>;
def Ptx_MatrixRole : Ptx_Modifier<Ptx_MatrixRoleEnum, "matrix_role">;

def Ptx_MmaOpcodeEnum : Ptx_Enum<"MmaOpcode", [
  Case<0, "mma", "Mma">, Case<1, "wmma", "Wmma">]>;
def Ptx_MmaOpcode : Ptx_Modifier<Ptx_MmaOpcodeEnum, "mma_opcode">;

def Ptx_SparseEnum : Ptx_Enum<"SparseMode", [
  Case<0, "sp", "Plain">,
  Case<1, "sp::ordered_metadata", "OrderedMetadata">]>;
def Ptx_Sparse : Ptx_Modifier<Ptx_SparseEnum, "sparse_mode">;

def Ptx_MmaKindEnum : Ptx_Enum<"MmaKind", [
  Case<0, "kind::f8f6f4", "F8F6F4">, Case<1, "kind::mxf8f6f4", "MXF8F6F4">,
  Case<2, "kind::mxf4", "MXF4">, Case<3, "kind::mxf4nvf4", "MXF4NVF4">,
  Case<4, "kind::f16", "F16">, Case<5, "kind::tf32", "TF32">,
  Case<6, "kind::i8", "I8">]>;
def Ptx_MmaKind : Ptx_Modifier<Ptx_MmaKindEnum, "mma_kind">;

/// The number of scale factors of each row of A and column of B, or of the
/// elements along k that have one in common.
def Ptx_ScaleVecEnum : Ptx_Enum<"ScaleVec", [
  Case<1, "scale_vec::1X", "X1">, Case<2, "scale_vec::2X", "X2">,
  Case<4, "scale_vec::4X", "X4">, Case<16, "block16", "Block16">,
  Case<32, "block32", "Block32">]>;
def Ptx_ScaleVec : Ptx_Modifier<Ptx_ScaleVecEnum, "scale_vec">;

def Ptx_ScaleTypeEnum : Ptx_Enum<"ScaleType", [
  Case<0, "ue8m0", "UE8M0">, Case<1, "ue4m3", "UE4M3">]>;
def Ptx_ScaleType : Ptx_Modifier<Ptx_ScaleTypeEnum, "scale_type">;

/// The number of matrices that an instruction moves.
def Ptx_MatrixCountEnum : Ptx_Enum<"MatrixCount", [
  Case<1, "x1", "X1">, Case<2, "x2", "X2">, Case<4, "x4", "X4">]>;
def Ptx_MatrixCount : Ptx_Modifier<Ptx_MatrixCountEnum, "matrix_count">;

def Ptx_TileShapeEnum : Ptx_Enum<"TileShape", [
  Case<0, "m8n8", "M8N8">, Case<1, "m8n16", "M8N16">, Case<2, "m16n8", "M16N8">,
  Case<3, "m16n16", "M16N16">]>;
def Ptx_TileShape : Ptx_Modifier<Ptx_TileShapeEnum, "tile_shape">;

/// The type of elements in registers.
def Ptx_TileTypeEnum : Ptx_Enum<"TileType", [
  Case<0, "b16", "B16">, Case<1, "b8", "B8">, Case<2, "b8x16", "B8x16">]>;
def Ptx_TileType : Ptx_Modifier<Ptx_TileTypeEnum, "tile_type">;

/// The format in memory of the elements of `.b8x16`.
def Ptx_PackedTypeEnum : Ptx_Enum<"PackedType", [
  Case<0, "b6x16_p32", "B6">, Case<1, "b4x16_p64", "B4">]>;
def Ptx_PackedType : Ptx_Modifier<Ptx_PackedTypeEnum, "packed_type">;

def Flag_BlockScale : Ptx_Flag<"block_scale">;
def Flag_Trans : Ptx_Flag<"trans">;
#endif
