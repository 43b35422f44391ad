//===- PtxMatrixOps.td - ops of matrix instructions -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All lanes of a warp execute such an instruction together. Its modifiers are
// attributes; Matrix.h and Wgmma.h decode them. PtxMatrix.td and PtxWgmma.td
// have the forms.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_DIALECT_PTXMATRIXOPS_TD
#define PTXJIT_DIALECT_PTXMATRIXOPS_TD
include "ptxjit/Dialect/PtxBase.td"

//===----------------------------------------------------------------------===//
// Modifiers
//===----------------------------------------------------------------------===//

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
  Case<2, "kind::mxf4", "MXF4">, Case<3, "kind::mxf4nvf4", "MXF4NVF4">]>;
def Ptx_MmaKind : Ptx_Modifier<Ptx_MmaKindEnum, "mma_kind">;

/// The number of scale factors of each row of A and column of B.
def Ptx_ScaleVecEnum : Ptx_Enum<"ScaleVec", [
  Case<1, "scale_vec::1X", "X1">, Case<2, "scale_vec::2X", "X2">,
  Case<4, "scale_vec::4X", "X4">]>;
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

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// `getter` declares the accessor that describes what the instruction does.
class Ptx_MatrixOp<string mnemonic, dag modifiers, string getter = "",
                   list<Trait> traits = []>
    : Ptx_RowOp<mnemonic, !listconcat([MemoryEffects<[MemRead, MemWrite]>,
                                       MaskedOpInterface, WholeWarp,
                                       VariesByLane, AttrSizedOperandSegments],
                                      traits)> {
  let arguments = !con((ins Variadic<AnyType>:$inputs, Optional<I1>:$mask),
                       modifiers);
  let results = (outs Variadic<AnyType>:$d);
  let extraClassDeclaration = getter;
  let Ignored = ["sync", "aligned"];
}

/// A move between registers and memory; `move` is the C++ type that describes
/// it.
class Ptx_MatrixMoveOp<string mnemonic, string move, dag modifiers,
                       list<Trait> traits = []>
    : Ptx_MatrixOp<mnemonic,
                   !con(modifiers, (ins OptionalAttr<Ptx_Space>:$space)),
                   move # " getMove();",
                   !listconcat([SpaceOpInterface], traits)>;

def Ptx_MmaOp : Ptx_MatrixOp<"mma", (ins
    Ptx_MmaOpcode:$opcode, OptionalAttr<Ptx_Sparse>:$sparse,
    Ptx_MatrixShape:$shape, OptionalAttr<Ptx_MatrixLayout>:$layout,
    OptionalAttr<Ptx_MatrixLayout>:$layout2, OptionalAttr<Ptx_MmaKind>:$kind,
    Flag_BlockScale:$blockScale, OptionalAttr<Ptx_ScaleVec>:$scaleVec,
    OptionalAttr<Ptx_Rounding>:$rnd, Flag_Satfinite:$satfinite,
    Ptx_MatrixType:$ty, Ptx_MatrixType:$ty2, OptionalAttr<Ptx_MatrixType>:$ty3,
    OptionalAttr<Ptx_MatrixType>:$ty4, OptionalAttr<Ptx_BoolOp>:$bitOp,
    OptionalAttr<Ptx_ScaleType>:$scaleType)> {
  let summary = "D = A * B + C on fragments";
  let description = [{
    `ty` to `ty4` are the element types of D, A, B and C. For `wmma` of f16,
    `ty` and `ty2` are the types of D and C, and `ty3` and `ty4` are absent.
  }];
  let Ignored = ["mma", "sync", "aligned", "popc"];
  let extraClassDeclaration = [{
    MatrixMultiply getMultiply();
    /// Do both ops have the same modifiers?
    bool isAlike(MmaOp other);
  }];
}
def Ptx_LdMatrixOp : Ptx_MatrixMoveOp<"ldmatrix", "MatrixMove", (ins
    Ptx_TileShape:$shape, Ptx_MatrixCount:$count, Flag_Trans:$trans,
    Ptx_TileType:$ty, OptionalAttr<Ptx_PackedType>:$packed),
    [DeclareOpInterfaceMethods<AccessOpInterface>]> {
  let summary = "loads fragments from matrix rows in shared memory";
}
def Ptx_StMatrixOp : Ptx_MatrixMoveOp<"stmatrix", "MatrixMove", (ins
    Ptx_TileShape:$shape, Ptx_MatrixCount:$count, Flag_Trans:$trans,
    Ptx_TileType:$ty),
    [DeclareOpInterfaceMethods<AccessOpInterface>]> {
  let summary = "stores fragments to matrix rows in shared memory";
}
def Ptx_MovMatrixOp : Ptx_MatrixOp<"movmatrix", (ins
    Ptx_TileShape:$shape, Flag_Trans:$trans, Ptx_TileType:$ty)> {
  let summary = "transposes a fragment";
}
def Ptx_WmmaLoadOp : Ptx_MatrixMoveOp<"wmma.load", "WmmaMove", (ins
    Ptx_MatrixRole:$role, Ptx_MatrixLayout:$layout, Ptx_MatrixShape:$shape,
    Ptx_MatrixType:$ty), [OtherBytes]> {
  let summary = "loads a fragment from a matrix in memory";
  let Ignored = ["load", "sync", "aligned"];
}
def Ptx_WmmaStoreOp : Ptx_MatrixMoveOp<"wmma.store", "WmmaMove", (ins
    Ptx_MatrixRole:$role, Ptx_MatrixLayout:$layout, Ptx_MatrixShape:$shape,
    Ptx_MatrixType:$ty), [OtherBytes]> {
  let summary = "stores a fragment to a matrix in memory";
  let Ignored = ["store", "sync", "aligned"];
}

//===----------------------------------------------------------------------===//
// Ops of a warpgroup
//===----------------------------------------------------------------------===//

def Ptx_WgmmaOp : Ptx_MatrixOp<"wgmma", (ins
    OptionalAttr<Ptx_Sparse>:$sparse, Ptx_MatrixShape:$shape,
    Flag_Satfinite:$satfinite, Ptx_MatrixType:$ty, Ptx_MatrixType:$ty2,
    Ptx_MatrixType:$ty3, OptionalAttr<Ptx_BoolOp>:$bitOp), "", [OtherBytes]> {
  let summary = "D = A * B + D for the 64 rows of a warpgroup";
  let description = [{
    `ty`, `ty2` and `ty3` are the element types of D, A and B. The operands are
    the registers of D, A (a descriptor or four registers), the descriptor of B,
    metadata and selector (`sp`), the predicate of D (false: D = A * B), and
    factors and layouts of A and B, as far as the form has them. The results
    hold the sums only behind the `ptx.wgmma.wait` that completes the op; until
    then nothing but another `ptx.wgmma` may use them.
  }];
  let Ignored = ["mma_async", "sync", "aligned", "popc"];
  let extraClassDeclaration = "WgmmaMultiply getMultiply();";
}
def Ptx_WgmmaWaitOp : Ptx_RowOp<"wgmma.wait",
    [MemoryEffects<[MemRead, MemWrite]>, MaskedOpInterface,
     WarpgroupBarrier, AttrSizedOperandSegments]> {
  let summary = "waits for the groups of `ptx.wgmma` before the last ones";
  let description = [{
    The operand is the number of groups that may remain incomplete.
  }];
  let arguments = (ins Variadic<AnyType>:$inputs, Optional<I1>:$mask);
  let Ignored = ["wait_group", "sync", "aligned"];
}
def Ptx_SettleOp : Op<Ptx_Dialect, "settle",
    [MemoryEffects<[MemRead, MemWrite]>, UnseenByOthers, NeedsNoMask,
     VariesByLane]> {
  let summary = "the registers of D, now that they hold the sums";
  let description = [{
    Stands behind a `ptx.wgmma.wait`. Whoever reads D there reads it from the
    results of this op. `ty` is the type of the sums.
  }];
  let arguments = (ins Variadic<AnyType>:$d, Ptx_MatrixType:$ty);
  let results = (outs Variadic<AnyType>:$settled);
  let assemblyFormat = "$ty $d attr-dict `:` functional-type($d, $settled)";
}
#endif
